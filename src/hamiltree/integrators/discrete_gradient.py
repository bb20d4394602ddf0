"""Gonzalez' discrete gradient (J. Nonlinear Sci. 6, 449, 1996), with forces that are not conservative: H changes by their work, exactly.

With f = ẏ and its power P at the middle ȳ = y + Δ/2 (and the middle of the step in time), g = J⁻¹f = (−ṗ, q̇), which is ∇H(ȳ) if all
forces are conservative:
  Δ = h (f + c J Δ),   J Δ = (Δp, −Δq),   c = (H(y⁺) − H(y) − h P − g·Δ) / |Δ|²,   y⁺ = y + Δ
so that g·Δ + c |Δ|² = (J⁻¹Δ)·Δ / h = 0, which is H(y⁺) = H(y) + h P. The equation is iterated until its increment stops decreasing: by
fixed point, or by simplified Newton with the matrix 1 − h/2 ∂f/∂y where that is slow.
H(y) is not computed again in each step: the energy that the run began with and the work since are summed up with compensation, and each
step aims at the sum, so that rounding does not add up. Positions and momenta must come in pairs. CALLS counts rates and H alike.
"""

from decimal import localcontext
from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma
from hamiltree.errors import FitError
from hamiltree.integrators.advance import advance
from hamiltree.integrators.compositions import KAHAN_LI_6, Composition, suzuki
from hamiltree.integrators.integrator import (
    CALLS,
    FRESH,
    NEEDS_MATRIX,
    NOT_CONVERGED,
    RUNNING,
    WORST,
    Integrator,
    State,
    new_state,
    step,
)
from hamiltree.integrators.iteration import (
    AUTOMATIC,
    GO_ON,
    ITERATION_LIMIT,
    NEWTON,
    choose_solver,
    largest_of,
    no_progress,
    progressed,
    verdict_on_fixed_point,
    verdict_on_newton,
)
from hamiltree.integrators.newton import FACTORED, STALE, NewtonScratch, factor, measure_jacobian, newton_scratch, no_newton, solve
from hamiltree.integrators.summation import accumulate
from hamiltree.integrators.tableaus import DIGITS
from hamiltree.verbs import CANONICAL, hamiltonian, power, rates

# Rounding of H makes c uncertain by ε|H| / |Δ|². Where that moves Δ by more than a 1e-4th part, c is left out: the middle alone keeps H
# there to |Δ|³, far below what H can show.
NOISE = 1e4 * 2.2e-16


class GradientMethod(NamedTuple):
    factors: np.ndarray  # (substeps,) γ
    starts: np.ndarray  # (substeps,) where each substep begins, in parts of the step
    ratios: np.ndarray  # (substeps,) length of the next substep in parts of this one
    solver: int


class GradientScratch(NamedTuple):
    increment: np.ndarray  # (m,) Δ; after a step the first guess of the next
    change: np.ndarray  # (m,) of Δ in an iteration
    middle: np.ndarray  # (m,)
    end: np.ndarray  # (m,)
    slope: np.ndarray  # (m,) f at the middle
    before: np.ndarray  # (2, m) y and what its sum had lost, where a step of several substeps began
    began: np.ndarray  # (2,) the same of the work
    energy: np.ndarray  # (1,) H at the start and the work since
    energy_lost: np.ndarray  # (1,) its compensation
    done: np.ndarray  # (1,) h P of the last iteration
    newton: NewtonScratch


def gradient_method(factors, solver: int = AUTOMATIC) -> GradientMethod:
    with localcontext(prec=DIGITS):
        starts = [sum(factors[:k]) for k in range(len(factors))]
        ratios = [after / this for this, after in zip(factors, (*factors[1:], factors[0]), strict=True)]
    return GradientMethod(*(np.array(row, dtype=float) for row in (factors, starts, ratios)), solver)


def start_gradient(y, method) -> State:
    m = len(y)
    if m % 2:
        raise FitError(f"a discrete gradient pairs every position with a momentum; this state has {m} rows: take gauss6 or avf")
    vectors = (np.zeros(m) for _ in range(5))
    numbers = (np.zeros(1) for _ in range(3))
    return new_state(y, GradientScratch(*vectors, np.zeros((2, m)), np.zeros(2), *numbers, no_newton()))


def grant_newton(state: State, method: GradientMethod) -> State:
    """The same state with room for the matrix of Newton's method."""
    m = len(state.y)
    return state._replace(scratch=state.scratch._replace(newton=newton_scratch(m, m)))


# ---- the equation ------------------------------------------------------------------------------------------------------------------
@inlined
def begin(system, work, state, t, h):
    """H at the start; first guess h f(y)."""
    scratch = state.scratch
    scratch.energy[0], scratch.energy_lost[0] = hamiltonian(system, work, t, state.y), 0.0
    rates(system, work, t, state.y, scratch.slope)
    for i in range(state.y.shape[0]):
        scratch.increment[i] = h * scratch.slope[i]
    state.counts[CALLS] += 2
    state.counts[FRESH] = 0


@inlined
def form_points(state):
    """The middle and the end of the step as Δ has it; the end rounds as the sum of the step will."""
    scratch = state.scratch
    for i in range(state.y.shape[0]):
        scratch.middle[i] = state.y[i] + fma(0.5, scratch.increment[i], state.lost[i])
        scratch.end[i] = state.y[i] + (state.lost[i] + scratch.increment[i])


@inlined
def turned(increment, n, i):
    """Row i of J Δ."""
    return increment[n + i] if i < n else -increment[i - n]


@inlined
def correction(system, work, state, t, h):
    """c, and f and its work over the step into scratch."""
    scratch, n, tilt, square = state.scratch, system.layout.positions, 0.0, 0.0
    rates(system, work, t + 0.5 * h, scratch.middle, scratch.slope)
    scratch.done[0] = h * power(system, work, t + 0.5 * h, scratch.middle, scratch.slope)
    gained = (hamiltonian(system, work, t + h, scratch.end) - scratch.energy[0]) - (scratch.energy_lost[0] + scratch.done[0])
    state.counts[CALLS] += 2
    for i in range(2 * n):
        tilt = fma(turned(scratch.slope, n, i), -scratch.increment[i], tilt)  # g = J⁻¹f = −J f
        square = fma(scratch.increment[i], scratch.increment[i], square)
    return 0.0 if square <= NOISE * abs(h * scratch.energy[0]) else (gained - tilt) / square


@inlined
def evaluate(system, work, state, t, h):
    """h (f + c J Δ) − Δ into `change`."""
    form_points(state)
    scratch, n = state.scratch, system.layout.positions
    c = correction(system, work, state, t, h)
    for i in range(2 * n):
        scratch.change[i] = fma(h, fma(c, turned(scratch.increment, n, i), scratch.slope[i]), -scratch.increment[i])


@inlined
def change_of_rows(state, first, last):
    """Δ += change in some rows: the largest change, relative to the size of the state there."""
    scratch, most, size = state.scratch, 0.0, 1e-300
    for i in range(first, last):
        scratch.increment[i] += scratch.change[i]
        most = largest_of(most, abs(scratch.change[i]))
        size = largest_of(size, largest_of(abs(state.y[i]), abs(scratch.increment[i])))
    return most / size


@inlined
def change_of_all(system, state):
    n = system.layout.positions
    return largest_of(change_of_rows(state, 0, n), change_of_rows(state, n, state.y.shape[0]))


@inlined
def worst_row(system, state):
    """The row that changed most in the last iteration, relative to its part of the state; the first that is not finite."""
    scratch, n, worst, most = state.scratch, system.layout.positions, 0, -1.0
    sizes = size_of(state.y, 0, n), size_of(state.y, n, 2 * n)
    for i in range(2 * n):
        change = abs(scratch.change[i]) / sizes[0 if i < n else 1]
        if not np.isfinite(change):
            return i
        if change > most:
            worst, most = i, change
    return worst


@inlined
def size_of(y, first, last):
    size = 1e-300
    for i in range(first, last):
        size = max(size, abs(y[i]))
    return size


# ---- its solution --------------------------------------------------------------------------------------------------------------------
@inlined
def iterate(system, work, method, state, t, h):
    """Fixed point to where rounding stops it: RUNNING if it got there; NEEDS_MATRIX where Newton's method should take over."""
    progress = no_progress()
    for iteration in range(ITERATION_LIMIT):
        evaluate(system, work, state, t, h)
        progress = progressed(progress, iteration, change_of_all(system, state))
        verdict = verdict_on_fixed_point(progress, iteration, method.solver)
        if verdict != GO_ON:
            return verdict
    return NOT_CONVERGED


@inlined
def prepare(system, work, state, t, h):
    """Factors of 1 − h/2 ∂f/∂y for this length of step; False where it is singular."""
    newton, m = state.scratch.newton, state.y.shape[0]
    if newton.facts[STALE] != 0.0:
        measure_jacobian(system, work, t, state.y, state.scratch.slope, state.scratch.middle, newton.jacobian)
        state.counts[CALLS] += m + 1
        newton.facts[STALE], newton.facts[FACTORED] = 0.0, 0.0
    if newton.facts[FACTORED] != h:
        for r in range(m):
            for c in range(m):
                newton.factors[r, c] = fma(-0.5 * h, newton.jacobian[r, c], 1.0 if r == c else 0.0)
        is_regular = factor(newton.factors, newton.pivots)
        newton.facts[FACTORED] = h if is_regular else 0.0
        return is_regular
    return True


@inlined
def iterate_newton(system, work, state, t, h):
    """To where rounding stops it; once more with a fresh Jacobian if an old one fails."""
    for _attempt in range(2):
        if not prepare(system, work, state, t, h):
            return NOT_CONVERGED
        status = iterate_with_factors(system, work, state, t, h)
        if status != NOT_CONVERGED:
            return status
        state.scratch.newton.facts[STALE] = 1.0
        for i in range(state.y.shape[0]):
            state.scratch.increment[i] = 0.0
    return NOT_CONVERGED


@inlined
def iterate_with_factors(system, work, state, t, h):
    progress, newton = no_progress(), state.scratch.newton
    for iteration in range(ITERATION_LIMIT):
        evaluate(system, work, state, t, h)
        solve(newton.factors, newton.pivots, state.scratch.change)
        progress = progressed(progress, iteration, change_of_all(system, state))
        verdict = verdict_on_newton(progress, iteration, newton)
        if verdict != GO_ON:
            return verdict
    return NOT_CONVERGED


@inlined
def step_forward(state, ratio):
    """y⁺ = y + Δ, work and energy; the same slope is the first guess of the next substep."""
    scratch = state.scratch
    for i in range(state.y.shape[0]):
        accumulate(state.y, state.lost, i, scratch.increment[i])
        scratch.increment[i] *= ratio
    accumulate(state.work, state.work_lost, 0, scratch.done[0])
    accumulate(scratch.energy, scratch.energy_lost, 0, scratch.done[0])


@inlined
def substep(system, work, method, state, t, h, ratio):
    if state.counts[FRESH]:
        begin(system, work, state, t, h)
    has_matrix, status = state.scratch.newton.factors.shape[0] > 0, NEEDS_MATRIX
    if not has_matrix and method.solver != NEWTON:
        status = iterate(system, work, method, state, t, h)
    if status == NEEDS_MATRIX:
        if not has_matrix:
            state.counts[FRESH] = 1  # what was iterated in vain is no first guess
            return NEEDS_MATRIX
        status = iterate_newton(system, work, state, t, h)
    if status != RUNNING:
        state.counts[WORST], state.counts[FRESH] = worst_row(system, state), 1
        return status
    step_forward(state, ratio)
    return RUNNING


@inlined
def remember(state):
    before, began = state.scratch.before, state.scratch.began
    for i in range(state.y.shape[0]):
        before[0, i], before[1, i] = state.y[i], state.lost[i]
    began[0], began[1] = state.work[0], state.work_lost[0]


@inlined
def go_back(state):
    """To where the step began; what was guessed is of no use there."""
    before, began = state.scratch.before, state.scratch.began
    for i in range(state.y.shape[0]):
        state.y[i], state.lost[i] = before[0, i], before[1, i]
    state.work[0], state.work_lost[0] = began[0], began[1]
    state.counts[FRESH] = 1


@step.method(GradientMethod)
def gradient_step(method, system, work, state, t, h):
    substeps = method.factors.shape[0]
    if substeps > 1:
        remember(state)
    for k in range(substeps):
        status = substep(system, work, method, state, t + method.starts[k] * h, method.factors[k] * h, method.ratios[k])
        if status != RUNNING:
            if k > 0:
                go_back(state)
            return status
    return RUNNING


# ---- records -----------------------------------------------------------------------------------------------------------------------------
def gradient_integrator(name: str, order: int, factors=(1,), reference: str = "") -> Integrator:
    return Integrator(
        name,
        order,
        "Gonzalez 1996" + (f"; {reference}" if reference else ""),
        is_explicit=False,
        is_symplectic=False,
        is_symmetric=True,
        needs=(*CANONICAL, rates),
        width=1,
        evaluations_per_call=1,
        method=gradient_method(factors),
        advance=advance,
        start=start_gradient,
        keeps_energy=True,
        options={"solver": choose_solver},
        grant=grant_newton,
        remark="keeps H, or balances it with the work; momenta and other invariants only where H is built on them",
    )


def composed(composition: Composition) -> Integrator:
    reference = f"composed by {composition.name}: {composition.reference}"
    return gradient_integrator(f"discrete_gradient{composition.order}", composition.order, composition.factors, reference)


INTEGRATORS = (gradient_integrator("discrete_gradient", 2), *map(composed, (suzuki(4), KAHAN_LI_6)))
