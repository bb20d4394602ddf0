"""Gonzalez' discrete gradient on g(t, q) = 0 (Physica D 132, 165, 1999): H changes by the work of forces and drivers, exactly.

As in discrete_gradient.py with an impulse l = h λ of the constraints; f, G and ∂g/∂t at the middle of the step:
  Δ = h (f + c J Δ) + (0, Ḡᵀ l),   g(t + h, q⁺) = 0,   Ḡ_k = G_k − (G_k Δq + h ∂g_k/∂t − g_k(t + h, q⁺)) Δqᵀ / |Δq|²
Ḡ is the discrete gradient of g between two points where g vanishes:  Ḡ Δq = −h ∂g/∂t, so that constraints at rest do no work, and
H(y⁺) = H(y) + h P − lᵀ ∂g/∂t. While g(t + h, q⁺) is not yet zero it keeps Ḡ − G small, whatever the direction of Δq.
What holds: g and H at every step, to rounding; linear and angular momenta that the motion keeps too, where H and g are at most quadratic
(then c = 0 and Ḡ = G). G q̇ + ∂g/∂t = 0 holds for the mean of p and p⁺ only; p⁺ itself swings about it by O(h²), and projecting it would
cost energy.
The impulse is corrected by δl = −(2/h) W⁻¹ g(q⁺) with the factors of W where the step began.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, root
from hamiltree.errors import FitError
from hamiltree.integrators import solve as solver
from hamiltree.integrators.compositions import Substeps, substeps_of
from hamiltree.integrators.discrete_gradient import accept_gradient, begin_gradient, correction, form_points, turned
from hamiltree.integrators.integrator import RUNNING, SINGULAR, Integrator, State, new_state
from hamiltree.integrators.solve import largest_entry, largest_of, take_over
from hamiltree.verbs import CONSTRAINED, constrain, constraint, constraint_rate, factor_multipliers, hamiltonian, solve_multipliers

# Rounding of g makes Ḡᵀl uncertain by ε|q||Gᵀl| / |Δq|. Where that is more than a 1e-4th part of p, G of the middle is taken: it keeps H
# there to |Δq|³, far below what H can show.
NOISE = 1e4 * 2.2e-16
AFTER_IMPULSES = solver.Limits(unheard=1)  # nothing has moved yet by the impulse that the first sweep has found
KNOWN, HELD = range(2)  # entries of EnergyMomentumScratch.facts: whether there is a step before the last, whether the impulse is held


class EnergyMomentumMethod(NamedTuple):
    substeps: Substeps
    constraints: int


class EnergyMomentumScratch(NamedTuple):
    """Of this method and of the one in discrete_em.py; the first seven fields are those of GradientScratch."""

    increment: np.ndarray  # (m,) Δ; after a step the first guess of the next
    middle: np.ndarray  # (m,)
    end: np.ndarray  # (m,)
    slope: np.ndarray  # (m,) f at the middle, then Δ as it follows from it
    energy: np.ndarray  # (1,) H at the start and the work since
    energy_lost: np.ndarray  # (1,) its compensation
    done: np.ndarray  # (1,) h P of the last iteration; then with the work of drivers
    unpulled: np.ndarray  # (m,) Δ of the last iteration without Ḡᵀ l
    earlier: np.ndarray  # (m,) Δ of the last step
    pull: np.ndarray  # (m,) Δq / h, and Ḡᵀ l in its momentum rows
    still: np.ndarray  # (m,) zeros
    impulse: np.ndarray  # (constraints,) l: the first guess of the next step
    before: np.ndarray  # (constraints,) l of the last step
    residual: np.ndarray  # (constraints,)
    opening: np.ndarray  # (constraints,) g(t + h, q⁺) of the last iteration; of discrete_em.py g(t, q)
    multipliers: np.ndarray  # (constraints,) λ of the last step
    facts: np.ndarray  # KNOWN, HELD


def start_energy_momentum(y, method) -> State:
    m, n = len(y), method.constraints
    return new_state(y, EnergyMomentumScratch(*map(np.zeros, (m, m, m, m, 1, 1, 1, m, m, m, m, n, n, n, n, n, 2))))


def fitted(integrator: Integrator, system) -> Integrator:
    """With the number of constraints that a system has; a discrete gradient pairs positions and momenta."""
    positions, momenta = system.layout
    if positions != momenta:
        raise FitError(
            f"{integrator.name} pairs every position with a momentum; this formulation has {positions} positions and {momenta} momenta: "
            "take spark4, or a formulation with as many of both"
        )
    return integrator.with_method(constraints=int(system.facts.constraints))


# ---- a sweep, of this method and of others that answer what it asks ---------------------------------------------------------------------
find_slope = solver.asked("find_slope", "h (f + c J Δ) into `slope`, and its work into `done`.")
find_residual = solver.asked("find_residual", "g at the end that `slope` leads to, into `residual`.")
find_pull = solver.asked("find_pull", "Ḡᵀ l into the momentum rows of `pull`.")


@solver.sweep.lift(find_slope)
def sweep_increment(method, system, work, state, t, h):
    """Positions, the impulse that they ask for unless it is held, δl = −(2/h) W⁻¹ g at the end, and momenta. What counts is the change
    of Δ without Ḡᵀ l: the larger one of positions and momenta."""
    scratch, n, m = state.scratch, system.layout.positions, state.y.shape[0]
    form_points(state)
    find_slope(method, system, work, state, t, h)
    change = take_over(state, scratch.unpulled, scratch.slope, 0, 0, n)
    change = largest_of(change, take_over(state, scratch.unpulled, scratch.slope, 1, n, m))
    if method.constraints > 0:
        if scratch.facts[HELD] == 0.0:
            find_residual(method, system, work, state, t, h)
            solve_multipliers(system, work, scratch.residual)
            for k in range(method.constraints):
                scratch.impulse[k] = fma(-2.0 / h, scratch.residual[k], scratch.impulse[k])
        find_pull(method, system, work, state, t, h)
        for i in range(n, m):
            scratch.slope[i] += scratch.pull[i]
    for i in range(m):
        scratch.increment[i] = scratch.slope[i]
    return change


@inlined
def add_work_of_drivers(method, system, work, state, t, h):
    """−lᵀ ∂g/∂t at the middle, and λ."""
    scratch = state.scratch
    if method.constraints > 0:
        constraint_rate(system, work, t + 0.5 * h, scratch.middle, scratch.still, scratch.residual)
    for k in range(method.constraints):
        scratch.done[0] = fma(-scratch.impulse[k], scratch.residual[k], scratch.done[0])
        scratch.multipliers[k] = scratch.impulse[k] / h


# ---- the equation ------------------------------------------------------------------------------------------------------------------
@find_slope.method(EnergyMomentumMethod)
def find_corrected_slope(method, system, work, state, t, h):
    """Without c where rounding of H would move q by it more than its own rounding, which g answers with 1/h; H cannot show |Δ|³ there."""
    scratch, n, square = state.scratch, system.layout.positions, 0.0
    c = correction(system, work, state, t, h)
    for i in range(2 * n):
        square = fma(scratch.increment[i], scratch.increment[i], square)
    moved = abs(h * scratch.energy[0]) * largest_entry(scratch.increment, n, 2 * n)
    is_noise = square <= NOISE * abs(scratch.energy[0]) and 10.0 * square * largest_entry(state.y, 0, n) < moved
    c = 0.0 if is_noise else c
    for i in range(2 * n):
        scratch.slope[i] = h * fma(c, turned(scratch.increment, n, i), scratch.slope[i])


@find_residual.method(EnergyMomentumMethod)
def find_opening_at_end(method, system, work, state, t, h):
    """g(t + h, q⁺)"""
    scratch = state.scratch
    for i in range(system.layout.positions):
        scratch.end[i] = state.y[i] + (state.lost[i] + scratch.slope[i])
    constraint(system, work, t + h, scratch.end, scratch.opening)
    for k in range(method.constraints):
        scratch.residual[k] = scratch.opening[k]


@find_pull.method(EnergyMomentumMethod)
def find_corrected_pull(method, system, work, state, t, h):
    """Gᵀ l − lᵀ (G Δq + h ∂g/∂t − g(t + h, q⁺)) Δq / |Δq|² at the middle; Gᵀ l where rounding is all there is to see."""
    scratch, n, product, square = state.scratch, system.layout.positions, 0.0, 0.0
    for i in range(n):
        scratch.pull[i], scratch.pull[n + i] = scratch.slope[i] / h, 0.0
    constraint_rate(system, work, t + 0.5 * h, scratch.middle, scratch.pull, scratch.residual)
    constrain(system, work, t + 0.5 * h, scratch.middle, scratch.impulse, scratch.pull)
    for k in range(method.constraints):
        product = fma(scratch.impulse[k], fma(h, scratch.residual[k], -scratch.opening[k]), product)
    for i in range(n):
        square = fma(scratch.slope[i], scratch.slope[i], square)
    rounding = NOISE * largest_entry(state.y, 0, n) * largest_entry(scratch.pull, n, 2 * n)
    tilt = 0.0 if root(square) * largest_entry(scratch.middle, n, 2 * n) <= rounding else product / square
    for i in range(n):
        scratch.pull[n + i] = fma(-tilt, scratch.slope[i], scratch.pull[n + i])


# ---- its solution --------------------------------------------------------------------------------------------------------------------
@solver.begin.method(EnergyMomentumMethod)
def begin_energy_momentum(method, system, work, state, t, h):
    """H at the start, h f(y) and no impulse."""
    begin_gradient(method, system, work, state, t, h)
    for i in range(state.y.shape[0]):
        state.scratch.unpulled[i] = state.scratch.increment[i]
    for k in range(method.constraints):
        state.scratch.impulse[k] = 0.0


@solver.limits.method(EnergyMomentumMethod)
def limits_of_energy_momentum(method):
    return AFTER_IMPULSES if method.constraints > 0 else solver.ORDINARY


@solver.prepare.method(EnergyMomentumMethod)
def factor_at_start(method, system, work, state, t, h):
    """W where the step begins."""
    return RUNNING if method.constraints == 0 or factor_multipliers(system, work, t, state.y) else SINGULAR


@solver.accept.method(EnergyMomentumMethod)
def accept_energy_momentum(method, system, work, state, t, h, k):
    add_work_of_drivers(method, system, work, state, t, h)
    accept_gradient(method, system, work, state, t, h, k)


INTEGRATORS = (
    solver.implicit_integrator(
        "energy_momentum",
        2,
        "Gonzalez 1996, 1999",
        is_symplectic=False,
        is_symmetric=True,
        needs=(*CONSTRAINED, hamiltonian),
        method=EnergyMomentumMethod(substeps_of(), 0),
        start=start_energy_momentum,
        keeps_energy=True,
        fit=fitted,
        remark="keeps H, or balances it with the work, and g(t, q) = 0; G q̇ + ∂g/∂t = 0 only to O(h²)",
    ),
)
