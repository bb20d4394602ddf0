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

from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma
from hamiltree.errors import FitError
from hamiltree.integrators.discrete_gradient import form_points
from hamiltree.integrators.energy_momentum import add_work_of_drivers, change_of_increment
from hamiltree.integrators.integrator import CALLS, NOT_CONVERGED, RUNNING, SINGULAR, Integrator, State, new_state
from hamiltree.integrators.iteration import FIXED_POINT, FORESEEN_ROUNDING, TO_ROUNDING
from hamiltree.integrators.solve import (
    Substeps,
    accept,
    begin,
    finish,
    hasten,
    implicit_integrator,
    iterate,
    limits,
    prepare,
    substeps_of,
    sweep,
)
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

KNOWN, HELD = range(2)  # entries of DiscreteScratch.facts: whether there is a step before the last, whether the impulse is held
AFTER_IMPULSES = FORESEEN_ROUNDING._replace(unheard=1)  # nothing has moved yet by the impulse that the first sweep has found


class DiscreteMethod(NamedTuple):
    substeps: Substeps
    constraints: int
    counts_work: bool  # False where nothing does work, which then is not asked for


class DiscreteScratch(NamedTuple):
    """The fields of EnergyMomentumScratch that remain without a correction of H, and those of the step before."""

    increment: np.ndarray  # (m,) Δ; after a step the first guess of the next
    earlier: np.ndarray  # (m,) Δ of the last step
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
    facts: np.ndarray  # KNOWN, HELD


def start_discrete(y, method) -> State:
    m, n = len(y), method.constraints
    return new_state(y, DiscreteScratch(*map(np.zeros, (*[m] * 8, *[n] * 5, 1, 2))))


def fitted(integrator: Integrator, system) -> Integrator:
    """With the number of constraints; without the sum of work where a System says that it is conservative."""
    if hasattr(system, "between") and not system.between.is_whole:
        raise FitError(
            f"{integrator.name} in director coordinates takes forces from distances: some force of this model has a potential of another "
            "kind, lists of neighbours, or a cut-off where it jumps (give switch or shift); use chain_quaternion with it, or rattle"
        )
    return integrator.with_method(constraints=int(system.constraints), counts_work=not getattr(system, "is_conservative", False))


# ---- the equation ------------------------------------------------------------------------------------------------------------------
@begin.method(DiscreteMethod)
def begin_discrete(method, system, work, state, t, h):
    """First guess h f(y), and no impulse."""
    scratch = state.scratch
    rates(system, work, t, state.y, scratch.slope)
    for i in range(state.y.shape[0]):
        scratch.increment[i] = scratch.unpulled[i] = h * scratch.slope[i]
    for k in range(scratch.impulse.shape[0]):
        scratch.impulse[k] = 0.0
    state.counts[CALLS] += 1
    scratch.facts[KNOWN] = 0.0


@inlined
def find_slope(method, system, work, state, t, h):
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


@sweep.method(DiscreteMethod)
def sweep_discrete(method, system, work, state, t, h):
    """Positions, the impulse that they ask for unless it is held, and momenta."""
    scratch = state.scratch
    find_slope(method, system, work, state, t, h)
    change = change_of_increment(system, state)
    if method.constraints > 0:
        find_middle(system, state)
        if scratch.facts[HELD] == 0.0:
            correct_impulse(system, work, state, t, h)
        pull(system, work, state, t, h)
    for i in range(state.y.shape[0]):
        scratch.increment[i] = scratch.slope[i]
    return change


# ---- its solution --------------------------------------------------------------------------------------------------------------------
@limits.method(DiscreteMethod)
def limits_of_discrete(method):
    return AFTER_IMPULSES if method.constraints > 0 else FORESEEN_ROUNDING


@prepare.method(DiscreteMethod)
def find_start(method, system, work, state, t, h):
    """g(q) with what the sum of q has lost, and the factors of W."""
    scratch = state.scratch
    scratch.facts[HELD] = 0.0
    if method.constraints == 0:
        return RUNNING
    constraint(system, work, t, state.y, scratch.at_start)
    constraint_rate(system, work, t, state.y, state.lost, scratch.residual)
    for k in range(scratch.residual.shape[0]):
        scratch.at_start[k] += scratch.residual[k]
    return RUNNING if factor_multipliers(system, work, t, state.y) else SINGULAR


@hasten.method(DiscreteMethod)
def factor_at_middle(method, system, work, state, t, h):
    """W there instead, which was regular where the step began."""
    is_wanted = method.constraints > 0 and state.scratch.facts[HELD] == 0.0
    return NOT_CONVERGED if is_wanted and not factor_multipliers(system, work, t + 0.5 * h, state.scratch.middle) else RUNNING


@finish.method(DiscreteMethod)
def settle(method, system, work, state, t, h):
    """With the impulse held, whose rounding, ε|q|/h, would shake the momenta of every iteration: H would drift by what is left over."""
    state.scratch.facts[HELD] = 1.0
    return iterate(method, system, work, state, t, h, TO_ROUNDING, FIXED_POINT) if method.constraints > 0 else RUNNING


@inlined
def go_on(values, earlier, is_known):
    """The first guess of the next step by the last two, or by the last alone."""
    for i in range(values.shape[0]):
        this = values[i]
        values[i] = 2.0 * this - earlier[i] if is_known else this
        earlier[i] = this


@accept.method(DiscreteMethod)
def accept_discrete(method, system, work, state, t, h, k):
    scratch, is_known = state.scratch, state.scratch.facts[KNOWN] != 0.0
    add_work_of_drivers(method, system, work, state, t, h)
    for i in range(state.y.shape[0]):
        accumulate(state.y, state.lost, i, scratch.increment[i])
    accumulate(state.work, state.work_lost, 0, scratch.done[0])
    go_on(scratch.increment, scratch.earlier, is_known)
    go_on(scratch.impulse, scratch.before, is_known)
    scratch.facts[KNOWN] = 1.0


INTEGRATORS = (
    implicit_integrator(
        "quat_em",
        2,
        "Betsch, Siebert 2009; Gonzalez 1996; METHODS 5",
        is_symplectic=False,
        is_symmetric=True,
        needs=(rates, discrete_rates, hamiltonian, power, constraint, constraint_rate, constrain, factor_multipliers, solve_multipliers),
        method=DiscreteMethod(substeps_of(), 0, True),
        start=start_discrete,
        keeps_energy=True,
        fit=fitted,
        remark="keeps H, linear and angular momenta and the constraints to rounding",
    ),
)
