"""Gonzalez' discrete gradient (J. Nonlinear Sci. 6, 449, 1996), with forces that are not
conservative: H changes by their work, exactly.

With f = ẏ and its power P at the middle ȳ = y + Δ/2 (and the middle of the step in time),
g = J⁻¹f = (−ṗ, q̇), which is ∇H(ȳ) if all forces are conservative:
  Δ = h (f + c J D Δ),   J (q, p) = (p, −q),   c = (H(y⁺) − H(y) − h P − g·Δ) / Δ·DΔ,   y⁺ = y + Δ
so that g·Δ + c Δ·DΔ = (J⁻¹Δ)·Δ / h = 0, which is H(y⁺) = H(y) + h P. D is diagonal, 1 over the
square of the natural size of each row: the square of Δ then has no unit, and no step depends on
units. The equation is iterated until its increment stops decreasing: by fixed point, or by
simplified Newton with the matrix 1 − h/2 ∂f/∂y where that is slow.
H(y) is not computed again in each step: the energy that the run began with and the work since are
summed up with compensation, and each step aims at the sum, so that rounding does not add up.
Positions and momenta must come in pairs. CALLS counts rates and H alike.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.summation import accumulate
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma
from hamiltree.errors import FitError
from hamiltree.integrators import implicit_solver as solver
from hamiltree.integrators.compositions import (
    KAHAN_LI_6,
    Composition,
    Substeps,
    substeps_of,
    suzuki,
)
from hamiltree.integrators.convergence import DEFAULT_LIMITS, IterationLimits
from hamiltree.integrators.integrator import (
    CALLS,
    NOT_CONVERGED,
    RUNNING,
    Integrator,
    State,
    add_increment,
    array,
    new_state,
    zero_scratch,
)
from hamiltree.integrators.newton import (
    NewtonScratch,
    allocate_newton,
    difference_jacobian,
    factor,
    no_newton,
    solve_scaled,
)
from hamiltree.verbs import CANONICAL, hamiltonian, power, rates

# Rounding of H makes c uncertain by ε|H| / Δ·DΔ. Where that moves Δ by more than a 1e-4th part, c
# is left out: the middle alone keeps H there to |Δ|³, far below what H can show.
NOISE = 1e4 * 2.2e-16


class GradientMethod(NamedTuple):
    substeps: Substeps
    stages: int  # one: Δ is all that is unknown
    solver: int
    limits: IterationLimits = DEFAULT_LIMITS


class GradientScratch(NamedTuple):
    increment: array("m")  # Δ; after a step the first guess of the next
    middle: array("m")
    end: array("m")
    slope: array("m")  # f at the middle
    energy: array(1)  # H at the start and the work since
    energy_compensation: array(1)  # its compensation
    work_done: array(1)  # h P of the last iteration
    per_size: array("m")  # 1 / natural size of each row
    action: array(1)  # the smallest product of the sizes of a position and its momentum
    newton: NewtonScratch


def new_gradient_state(y, method) -> State:
    """The state before the first step; refused where positions and momenta cannot pair up."""
    m = len(y)
    if m % 2:
        raise FitError(
            f"a discrete gradient pairs every position with a momentum; this state has {m} rows: "
            "take gauss6 or avf"
        )
    newton = no_newton(m, m, method.solver == solver.NEWTON)
    return new_state(y, zero_scratch(GradientScratch, {"m": m}, newton=newton))


# ---- the equation --------------------------------------------------------------------------------
@solver.initial_guess.method(GradientMethod)
@inlined
def guess_gradient(method, system, work, state, t, h):
    """H at the start and natural sizes of rows, as a step needs them; first guess h f(y)."""
    scratch, n = state.scratch, system.layout.positions
    scratch.action[0] = np.inf
    for i in range(n):
        scratch.action[0] = min(scratch.action[0], state.scale[i] * state.scale[n + i])
    for i in range(2 * n):
        scratch.per_size[i] = 1.0 / state.scale[i]
    scratch.energy[0], scratch.energy_compensation[0] = hamiltonian(system, work, t, state.y), 0.0
    state.counts[CALLS] += 1
    guess_by_slope(system, work, state, t, h)


@inlined
def guess_by_slope(system, work, state, t, h):
    rates(system, work, t, state.y, state.scratch.slope)
    state.counts[CALLS] += 1
    for i in range(state.y.shape[0]):
        state.scratch.increment[i] = h * state.scratch.slope[i]


@inlined
def form_points(state):
    """The middle and the end of the step as Δ has it."""
    scratch = state.scratch
    for i in range(state.y.shape[0]):
        scratch.middle[i] = state.y[i] + fma(0.5, scratch.increment[i], state.compensation[i])
    solver.add_rows(state, scratch.increment, scratch.end, 0, state.y.shape[0])


@inlined
def symplectic_row(increment, n, i):
    """Row i of J Δ."""
    return increment[n + i] if i < n else -increment[i - n]


@inlined
def scaled_symplectic_row(scratch, n, i):
    """Row i of J D Δ."""
    j = n + i if i < n else i - n
    per_size = scratch.per_size[j]
    return scratch.increment[j] * per_size * (per_size if i < n else -per_size)


@inlined
def gradient_correction(system, work, state, t, h):
    """c and Δ·DΔ; f and its work over the step into scratch."""
    scratch, n = state.scratch, system.layout.positions
    tilt, square = 0.0, 0.0
    rates(system, work, t + 0.5 * h, scratch.middle, scratch.slope)
    scratch.work_done[0] = h * power(system, work, t + 0.5 * h, scratch.middle, scratch.slope)
    gained = hamiltonian(system, work, t + h, scratch.end) - scratch.energy[0]
    gained -= scratch.energy_compensation[0] + scratch.work_done[0]
    state.counts[CALLS] += 2
    for i in range(2 * n):
        # g = J⁻¹f = −J f
        tilt = fma(symplectic_row(scratch.slope, n, i), -scratch.increment[i], tilt)
        scaled = scratch.increment[i] * scratch.per_size[i]
        square = fma(scaled, scaled, square)
    noise = NOISE * abs(h * scratch.energy[0]) / scratch.action[0]
    return 0.0 if square <= noise else (gained - tilt) / square, square


@inlined
def evaluate_residual(system, work, state, t, h):
    """h (f + c J D Δ) − Δ into `change`."""
    scratch, n = state.scratch, system.layout.positions
    form_points(state)
    c, _square = gradient_correction(system, work, state, t, h)
    for i in range(2 * n):
        slope = fma(c, scaled_symplectic_row(scratch, n, i), scratch.slope[i])
        state.change[i] = fma(h, slope, -scratch.increment[i])


@inlined
def apply_change(system, state):
    """Δ += change: the larger of the changes of positions and momenta, relative to the state."""
    n, increment = system.layout.positions, state.scratch.increment
    change = 0.0
    for which in range(2):
        most, size = 0.0, 1e-300
        for i in range(which * n, which * n + n):
            increment[i] += state.change[i]
            per_size = state.scratch.per_size[i]
            larger = solver.max_or_nan(abs(state.y[i]), abs(increment[i]))
            most = solver.max_or_nan(most, abs(state.change[i]) * per_size)
            size = solver.max_or_nan(size, larger * per_size)
        state.sizes[which], change = size, solver.max_or_nan(change, most / size)
    return change


@solver.sweep.method(GradientMethod)
def sweep_gradient(method, system, work, state, t, h):
    """Δ = h (f + c J D Δ)"""
    evaluate_residual(system, work, state, t, h)
    return apply_change(system, state)


@solver.accept.method(GradientMethod)
@inlined
def accept_gradient(method, system, work, state, t, h, k):
    """y⁺ = y + Δ, work and energy; the same slope is the first guess of the next substep."""
    scratch = state.scratch
    add_increment(state, scratch.increment, scratch.work_done[0])
    accumulate(scratch.energy, scratch.energy_compensation, 0, scratch.work_done[0])
    for i in range(state.y.shape[0]):
        scratch.increment[i] *= method.substeps.ratios[k]


# ---- simplified Newton ---------------------------------------------------------------------------
@solver.linearise.method(GradientMethod)
def linearise_gradient(method, system, work, state, t, h):
    difference_jacobian(system, work, state, t, state.scratch.slope, state.scratch.middle)


@solver.factor_newton_matrix.method(GradientMethod)
def form_gradient_matrix(method, system, work, state, t, h):
    """1 − h/2 ∂f/∂y, in parts of the natural sizes of the rows."""
    newton, m = state.scratch.newton, state.y.shape[0]
    for r in range(m):
        for c in range(m):
            entry = newton.jacobian[r, c] * (state.scale[c] / state.scale[r])
            newton.factors[r, c] = fma(-0.5 * h, entry, 1.0 if r == c else 0.0)
    return RUNNING if factor(newton.factors, newton.pivots) else NOT_CONVERGED


@solver.correct.method(GradientMethod)
def correct_gradient(method, system, work, state, t, h):
    """Δ += (matrix)⁻¹ (h (f + c J D Δ) − Δ)"""
    evaluate_residual(system, work, state, t, h)
    newton = state.scratch.newton
    solve_scaled(newton.factors, newton.pivots, state.change, state.scale)
    return apply_change(system, state)


@solver.restart.method(GradientMethod)
def restart_gradient(method, system, work, state, t, h):
    """Δ = 0; the energy to aim at stays."""
    solver.clear(state.scratch.increment, 0, state.y.shape[0])


# ---- records -------------------------------------------------------------------------------------
def conserving_integrator(name: str, order: int, reference: str, **rest) -> Integrator:
    claims = {"is_symmetric": True, "conserves_energy": True, "uses_row_scales": True}
    return solver.implicit_integrator(name, order, reference, **claims, **rest)


def gradient_integrator(name: str, order: int, factors=(1,), composed: str = "") -> Integrator:
    """The discrete gradient method, over substeps of these parts of a step."""
    return conserving_integrator(
        name,
        order,
        f"Gonzalez 1996{composed}",
        needs=(*CANONICAL, rates),
        method=GradientMethod(substeps_of(factors), 1, solver.AUTOMATIC),
        initial_state=new_gradient_state,
        options={"solver": solver.set_solver},
        allocate_newton=allocate_newton,
        remark="keeps H, or balances it with the work; momenta and other invariants only where H "
        "is built on them",
    )


def compose(made: Composition) -> Integrator:
    composed = f"; composed by {made.name}: {made.reference}"
    name = f"discrete_gradient{made.order}"
    return gradient_integrator(name, made.order, made.factors, composed)


INTEGRATORS = (gradient_integrator("discrete_gradient", 2), *map(compose, (suzuki(4), KAHAN_LI_6)))
