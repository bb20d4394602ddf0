"""Energy and momenta of rigid bodies kept by a discrete gradient of their own, on quadratic constraints g(q) = 0 (METHODS 5).

  Δ = h f̄(y, y⁺) + (0, G(q̄)ᵀ l),   g(q⁺) = 0,   y⁺ = y + Δ,   q̄ the middle of q and q⁺
f̄, which the formulation gives (`discrete_rates`), is built on the invariants of H: quaternions after Betsch and Siebert (Int. J. Numer.
Methods Eng. 79, 444, 2009), directors with distances² after Gonzalez (1996). So H changes by the work of loads, linear and angular momenta
do not change, and since g is quadratic G(q̄) Δq = g(q⁺) − g(q) = 0: constraints do no work and G needs no correction, which would turn.
The impulse is corrected by δl = −(2/h) W⁻¹ g(q⁺) until rounding is all that changes, with the factors of W where the step began, or in
the middle where that is slow. The first guess goes on as the last two steps went.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import fma
from hamiltree.errors import FitError
from hamiltree.integrators.advance import advance
from hamiltree.integrators.discrete_gradient import form_points
from hamiltree.integrators.energy_momentum import add_work_of_drivers, change_of_rows
from hamiltree.integrators.integrator import (
    CALLS,
    FRESH,
    NOT_CONVERGED,
    RUNNING,
    SINGULAR,
    WORST,
    Integrator,
    State,
    new_state,
    step,
)
from hamiltree.integrators.iteration import (
    GO_ON,
    LONG_LIMIT,
    SETTLED,
    TRIED,
    largest_of,
    no_progress,
    progressed,
    verdict_at_rounding,
)
from hamiltree.integrators.spark import Pace, is_exact, paced, worst_row
from hamiltree.integrators.summation import accumulate
from hamiltree.verbs import (
    constrain,
    constraint,
    constraint_rate,
    discrete_rates,
    factor_multipliers,
    hamiltonian,
    power,
    rates,
    solve_multipliers,
)

KNOWN = 0  # entry of DiscreteScratch.facts: whether there is a step before the last


class DiscreteMethod(NamedTuple):
    constraints: int
    counts_work: bool  # False where nothing does work, which then is not asked for


class DiscreteScratch(NamedTuple):
    """The fields of EnergyMomentumScratch that remain without a correction of H, and those of the step before."""

    increment: np.ndarray  # (m,) Δ; after a step the first guess of the next
    earlier: np.ndarray  # (m,) Δ of the last step
    change: np.ndarray  # (m,) of Δ in an iteration
    middle: np.ndarray  # (m,)
    end: np.ndarray  # (m,)
    slope: np.ndarray  # (m,) f̄, then Δ as it follows from it
    unpulled: np.ndarray  # (m,) Δ of the last iteration without Gᵀ l
    pull: np.ndarray  # (m,) Gᵀ l, in its momentum rows
    still: np.ndarray  # (m,) zeros
    impulse: np.ndarray  # (constraints,) l; after a step the first guess of the next
    before: np.ndarray  # (constraints,) l of the last step
    residual: np.ndarray  # (constraints,)
    at_start: np.ndarray  # (constraints,) g(q), by find_start
    multipliers: np.ndarray  # (constraints,) λ of the last step
    done: np.ndarray  # (1,) work of the last iteration
    facts: np.ndarray  # (1,)
    sizes: np.ndarray  # (2,) the largest that positions and momenta, or what a step adds to them, have been


def start_discrete(y, method) -> State:
    m, n = len(y), method.constraints
    return new_state(y, DiscreteScratch(*map(np.zeros, (*[m] * 9, *[n] * 5, 1, 1, 2))))


def fitted(integrator: Integrator, system) -> Integrator:
    """With the number of constraints; without the sum of work where a System says that it is conservative."""
    if not system.facts.has_discrete_forces:
        raise FitError(
            f"{integrator.name} in director coordinates takes forces from distances: some force of this model has a potential of another "
            "kind, lists of neighbours, or a cut-off where it jumps (give switch or shift); use chain_quaternion with it, or rattle"
        )
    return integrator.with_method(constraints=int(system.facts.constraints), counts_work=not system.facts.is_conservative)


# ---- the equation ------------------------------------------------------------------------------------------------------------------
@outlined
def begin(system, work, state, t, h):
    """First guess h f(y), and no impulse."""
    scratch = state.scratch
    rates(system, work, t, state.y, scratch.slope)
    for i in range(state.y.shape[0]):
        scratch.increment[i] = scratch.unpulled[i] = h * scratch.slope[i]
    for k in range(scratch.impulse.shape[0]):
        scratch.impulse[k] = 0.0
    scratch.sizes[0], scratch.sizes[1] = 1e-300, 1e-300
    state.counts[CALLS] += 1
    state.counts[FRESH], scratch.facts[KNOWN] = 0, 0.0


@inlined
def find_slope(system, work, method, state, t, h):
    """h f̄ between y and the end that Δ leads to, and the work of loads."""
    form_points(state)
    scratch = state.scratch
    discrete_rates(system, work, t + 0.5 * h, state.y, scratch.end, scratch.slope)
    scratch.done[0] = h * power(system, work, t + 0.5 * h, scratch.middle, scratch.slope) if method.counts_work else 0.0
    state.counts[CALLS] += 1
    for i in range(state.y.shape[0]):
        scratch.slope[i] *= h


@inlined
def find_middle(system, state):
    for i in range(system.layout.positions):
        state.scratch.middle[i] = state.y[i] + fma(0.5, state.scratch.slope[i], state.lost[i])


@inlined
def correct_impulse(system, work, state, t, h):
    """δl = −(2/h) W⁻¹ (g(q) + G(q̄) Δq), which is that of g(q⁺) and rounds as the increment does."""
    scratch = state.scratch
    constraint_rate(system, work, t + 0.5 * h, scratch.middle, scratch.slope, scratch.residual)
    for k in range(scratch.residual.shape[0]):
        scratch.residual[k] += scratch.at_start[k]
    solve_multipliers(system, work, scratch.residual)
    for k in range(scratch.residual.shape[0]):
        scratch.impulse[k] = fma(-2.0 / h, scratch.residual[k], scratch.impulse[k])


@inlined
def pull(system, work, state, t, h):
    """Gᵀ l in the middle."""
    scratch, n = state.scratch, system.layout.positions
    for i in range(n, state.y.shape[0]):
        scratch.pull[i] = 0.0
    constrain(system, work, t + 0.5 * h, scratch.middle, scratch.impulse, scratch.pull)
    for i in range(n, state.y.shape[0]):
        scratch.slope[i] += scratch.pull[i]


@inlined
def renew(system, work, method, state, t, h, is_held):
    """Positions, the impulse that they ask for unless it is held, and momenta: the largest relative change."""
    scratch, n, m = state.scratch, system.layout.positions, state.y.shape[0]
    find_slope(system, work, method, state, t, h)
    change = largest_of(change_of_rows(state, 0, 0, n), change_of_rows(state, 1, n, m))
    if method.constraints > 0:
        find_middle(system, state)
        if not is_held:
            correct_impulse(system, work, state, t, h)
        pull(system, work, state, t, h)
    for i in range(m):
        scratch.increment[i] = scratch.slope[i]
    return change


# ---- its solution --------------------------------------------------------------------------------------------------------------------
@inlined
def iterate(system, work, method, state, t, h):
    """Fixed point to where only rounding is left; with other factors of W where that is slow."""
    progress, pace = no_progress(), Pace(1.0, 1.0, np.inf)
    for iteration in range(LONG_LIMIT):
        change = renew(system, work, method, state, t, h, False)
        pace = paced(pace, iteration, change, progress.last)
        progress = progressed(progress, iteration, change)
        if iteration == 0 and method.constraints > 0 and np.isfinite(change):
            continue  # nothing has moved yet by the impulse that this one has found
        if is_exact(pace):
            return RUNNING
        verdict = verdict_at_rounding(progress, iteration)
        if verdict != GO_ON:
            return verdict
        is_slow = iteration == TRIED and progress.last > SETTLED and method.constraints > 0
        if is_slow and not factor_multipliers(system, work, t + 0.5 * h, state.scratch.middle):
            return NOT_CONVERGED  # W was regular where the step began
    return NOT_CONVERGED


@inlined
def settle(system, work, method, state, t, h):
    """With the impulse held, whose rounding, ε|q|/h, would shake the momenta of every iteration: H would drift by what is left over."""
    progress = no_progress()
    for iteration in range(LONG_LIMIT):
        progress = progressed(progress, iteration, renew(system, work, method, state, t, h, True))
        verdict = verdict_at_rounding(progress, iteration)
        if verdict != GO_ON:
            return verdict
    return NOT_CONVERGED


@inlined
def find_start(system, work, state, t):
    """g(q) with what the sum of q has lost, and the factors of W; False where it is singular."""
    scratch = state.scratch
    constraint(system, work, t, state.y, scratch.at_start)
    constraint_rate(system, work, t, state.y, state.lost, scratch.residual)
    for k in range(scratch.residual.shape[0]):
        scratch.at_start[k] += scratch.residual[k]
    return factor_multipliers(system, work, t, state.y)


@inlined
def solved(system, work, method, state, t, h):
    if method.constraints > 0 and not find_start(system, work, state, t):
        return SINGULAR
    status = iterate(system, work, method, state, t, h)
    if status == RUNNING and method.constraints > 0:
        return settle(system, work, method, state, t, h)
    return status


@inlined
def go_on(values, earlier, is_known):
    """The first guess of the next step by the last two, or by the last alone."""
    for i in range(values.shape[0]):
        this = values[i]
        values[i] = 2.0 * this - earlier[i] if is_known else this
        earlier[i] = this


@inlined
def step_forward(state):
    scratch, is_known = state.scratch, state.scratch.facts[KNOWN] != 0.0
    for i in range(state.y.shape[0]):
        accumulate(state.y, state.lost, i, scratch.increment[i])
    accumulate(state.work, state.work_lost, 0, scratch.done[0])
    go_on(scratch.increment, scratch.earlier, is_known)
    go_on(scratch.impulse, scratch.before, is_known)
    scratch.facts[KNOWN] = 1.0


@step.method(DiscreteMethod)
def discrete_step(method, system, work, state, t, h):
    if state.counts[FRESH]:
        begin(system, work, state, t, h)
    status = solved(system, work, method, state, t, h)
    if status != RUNNING:
        state.counts[WORST], state.counts[FRESH] = worst_row(system, state), 1
        return status
    if method.constraints > 0:
        add_work_of_drivers(system, work, state, t, h)
    step_forward(state)
    return RUNNING


INTEGRATORS = (
    Integrator(
        "quat_em",
        2,
        "Betsch, Siebert 2009; Gonzalez 1996; METHODS 5",
        is_explicit=False,
        is_symplectic=False,
        is_symmetric=True,
        needs=(
            rates,
            discrete_rates,
            hamiltonian,
            power,
            constraint,
            constraint_rate,
            constrain,
            factor_multipliers,
            solve_multipliers,
        ),
        width=1,
        evaluations_per_call=1,
        method=DiscreteMethod(0, True),
        advance=advance,
        start=start_discrete,
        keeps_energy=True,
        fit=fitted,
        remark="keeps H, linear and angular momenta and the constraints to rounding",
    ),
)
