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
from hamiltree.integrators.discrete_gradient import begin_gradient, correction, form_points, step_forward, turned
from hamiltree.integrators.integrator import RUNNING, SINGULAR, Integrator, State, new_state
from hamiltree.integrators.iteration import ORDINARY, Limits, largest_of
from hamiltree.integrators.solve import Substeps, accept, begin, implicit_integrator, limits, prepare, substeps_of, sweep, take_over
from hamiltree.verbs import CONSTRAINED, constrain, constraint, constraint_rate, factor_multipliers, hamiltonian, solve_multipliers

# Rounding of g makes Ḡᵀl uncertain by ε|q||Gᵀl| / |Δq|. Where that is more than a 1e-4th part of p, G of the middle is taken: it keeps H
# there to |Δq|³, far below what H can show.
NOISE = 1e4 * 2.2e-16
AFTER_IMPULSES = Limits(unheard=1)  # nothing has moved yet by the impulse that the first sweep has found


class EnergyMomentumMethod(NamedTuple):
    substeps: Substeps
    constraints: int


class EnergyMomentumScratch(NamedTuple):
    """The fields of GradientScratch that an equation without Newton's method has, then those of the constraints."""

    increment: np.ndarray  # (m,) Δ; after a step the first guess of the next
    middle: np.ndarray  # (m,)
    end: np.ndarray  # (m,)
    slope: np.ndarray  # (m,) f at the middle, then Δ as it follows from it
    energy: np.ndarray  # (1,) H at the start and the work since
    energy_lost: np.ndarray  # (1,) its compensation
    done: np.ndarray  # (1,) h P of the last iteration; then with the work of drivers
    unpulled: np.ndarray  # (m,) Δ of the last iteration without Ḡᵀ l
    pull: np.ndarray  # (m,) Δq / h, and Ḡᵀ l in its momentum rows
    still: np.ndarray  # (m,) zeros
    impulse: np.ndarray  # (constraints,) l: the first guess of the next step
    residual: np.ndarray  # (constraints,)
    at_end: np.ndarray  # (constraints,) g(t + h, q⁺)
    multipliers: np.ndarray  # (constraints,) λ of the last step


def start_energy_momentum(y, method) -> State:
    m, constraints = len(y), method.constraints
    return new_state(y, EnergyMomentumScratch(*map(np.zeros, (m, m, m, m, 1, 1, 1, m, m, m, *[constraints] * 4))))


def fitted(integrator: Integrator, system) -> Integrator:
    """With the number of constraints that a system has; a discrete gradient pairs positions and momenta."""
    positions, momenta = system.layout
    if positions != momenta:
        raise FitError(
            f"{integrator.name} pairs every position with a momentum; this formulation has {positions} positions and {momenta} momenta: "
            "take spark4, or a formulation with as many of both"
        )
    return integrator.with_method(constraints=int(system.constraints))


# ---- the equation ------------------------------------------------------------------------------------------------------------------
@inlined
def largest_row(x, first, last):
    size = 0.0
    for i in range(first, last):
        size = max(size, abs(x[i]))
    return size


@inlined
def tilt(state, n, h):
    """lᵀ (G Δq + h ∂g/∂t − g(t + h, q⁺)) / |Δq|² of the rates in `residual`; zero where rounding is all there is to see."""
    scratch, product, square = state.scratch, 0.0, 0.0
    for k in range(scratch.residual.shape[0]):
        product = fma(scratch.impulse[k], fma(h, scratch.residual[k], -scratch.at_end[k]), product)
    for i in range(n):
        square = fma(scratch.slope[i], scratch.slope[i], square)
    rounding = NOISE * largest_row(state.y, 0, n) * largest_row(scratch.pull, n, 2 * n)
    return 0.0 if root(square) * largest_row(scratch.middle, n, 2 * n) <= rounding else product / square


@inlined
def pull(system, work, state, t, h):
    """Ḡᵀ l at the middle."""
    scratch, n = state.scratch, system.layout.positions
    for i in range(n):
        scratch.pull[i], scratch.pull[n + i] = scratch.slope[i] / h, 0.0
    constraint_rate(system, work, t, scratch.middle, scratch.pull, scratch.residual)
    constrain(system, work, t, scratch.middle, scratch.impulse, scratch.pull)
    slant = tilt(state, n, h)
    for i in range(n):
        scratch.pull[n + i] = fma(-slant, scratch.slope[i], scratch.pull[n + i])


@inlined
def correct_impulse(system, work, state, t, h):
    """δl = −(2/h) W⁻¹ g at the end of the step."""
    scratch, n = state.scratch, system.layout.positions
    for i in range(n):
        scratch.end[i] = state.y[i] + (state.lost[i] + scratch.slope[i])
    constraint(system, work, t, scratch.end, scratch.at_end)
    for k in range(scratch.residual.shape[0]):
        scratch.residual[k] = scratch.at_end[k]
    solve_multipliers(system, work, scratch.residual)
    for k in range(scratch.residual.shape[0]):
        scratch.impulse[k] = fma(-2.0 / h, scratch.residual[k], scratch.impulse[k])


@inlined
def change_of_increment(system, state):
    """Of Δ without Ḡᵀ l, as it is in `slope`: the larger of positions and momenta, in parts of the largest that they have been."""
    scratch, n, m = state.scratch, system.layout.positions, state.y.shape[0]
    for i in range(m):
        state.change[i] = 0.0
    of_positions = take_over(state, scratch.unpulled, scratch.slope, 0, 0, n) / state.sizes[0]
    return largest_of(of_positions, take_over(state, scratch.unpulled, scratch.slope, 1, n, m) / state.sizes[1])


@inlined
def is_noise(state, n, h):
    """Whether rounding of H, by c, would move q more than its own rounding, which g answers with 1/h; H cannot show |Δ|³ there."""
    scratch, square = state.scratch, 0.0
    for i in range(2 * n):
        square = fma(scratch.increment[i], scratch.increment[i], square)
    moved = abs(h * scratch.energy[0]) * largest_row(scratch.increment, n, 2 * n)
    return square <= NOISE * abs(scratch.energy[0]) and 10.0 * square * largest_row(state.y, 0, n) < moved


@sweep.method(EnergyMomentumMethod)
def sweep_energy_momentum(method, system, work, state, t, h):
    """Δ = h (f + c J Δ) + (0, Ḡᵀ l), the impulse corrected between positions and momenta: the largest relative change."""
    form_points(state)
    scratch, n = state.scratch, system.layout.positions
    c = correction(system, work, state, t, h)
    c = 0.0 if is_noise(state, n, h) else c
    for i in range(2 * n):
        scratch.slope[i] = h * fma(c, turned(scratch.increment, n, i), scratch.slope[i])
    change = change_of_increment(system, state)
    if method.constraints > 0:
        correct_impulse(system, work, state, t + h, h)
        pull(system, work, state, t + 0.5 * h, h)
        for i in range(n, 2 * n):
            scratch.slope[i] += scratch.pull[i]
    for i in range(2 * n):
        scratch.increment[i] = scratch.slope[i]
    return change


# ---- its solution --------------------------------------------------------------------------------------------------------------------
@begin.method(EnergyMomentumMethod)
def begin_energy_momentum(method, system, work, state, t, h):
    """H at the start, h f(y) and no impulse."""
    begin_gradient(method, system, work, state, t, h)
    for i in range(state.y.shape[0]):
        state.scratch.unpulled[i] = state.scratch.increment[i]
    for k in range(method.constraints):
        state.scratch.impulse[k] = 0.0


@limits.method(EnergyMomentumMethod)
def limits_of_energy_momentum(method):
    return AFTER_IMPULSES if method.constraints > 0 else ORDINARY


@prepare.method(EnergyMomentumMethod)
def factor_at_start(method, system, work, state, t, h):
    """W where the step begins."""
    return RUNNING if method.constraints == 0 or factor_multipliers(system, work, t, state.y) else SINGULAR


@inlined
def add_work_of_drivers(method, system, work, state, t, h):
    """−lᵀ ∂g/∂t at the middle, and λ."""
    scratch = state.scratch
    if method.constraints > 0:
        constraint_rate(system, work, t + 0.5 * h, scratch.middle, scratch.still, scratch.residual)
    for k in range(method.constraints):
        scratch.done[0] = fma(-scratch.impulse[k], scratch.residual[k], scratch.done[0])
        scratch.multipliers[k] = scratch.impulse[k] / h


@accept.method(EnergyMomentumMethod)
def accept_energy_momentum(method, system, work, state, t, h, k):
    add_work_of_drivers(method, system, work, state, t, h)
    step_forward(state, method.substeps.ratios[k])


INTEGRATORS = (
    implicit_integrator(
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
