"""Energy and momenta of rigid bodies kept by a discrete gradient of their own, on quadratic constraints g(q) = 0 (METHODS 5).

  Δ = h f̄(y, y⁺) + (0, G(q̄)ᵀ l),   g(q⁺) = 0,   y⁺ = y + Δ,   q̄ the middle of q and q⁺
f̄, which the formulation gives (`discrete_rates`), is built on the invariants of H: quaternions after Betsch and Siebert (Int. J. Numer.
Methods Eng. 79, 444, 2009), directors with distances² after Gonzalez (1996). So H changes by the work of loads, linear and angular momenta
do not change, and since g is quadratic G(q̄) Δq = g(q⁺) − g(q) = 0: constraints do no work and G needs no correction, which would turn.
The impulse is corrected by δl = −(2/h) W⁻¹ g(q⁺) until rounding is all that changes, with the factors of W where the step began, or in
the middle where that is slow. The first guess goes on as the last two steps went.
"""

from typing import NamedTuple

from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma
from hamiltree.errors import FitError
from hamiltree.integrators import solve as solver
from hamiltree.integrators.compositions import Substeps, substeps_of
from hamiltree.integrators.energy_momentum import (
    HELD,
    KNOWN,
    add_work_of_drivers,
    find_pull,
    find_residual,
    find_slope,
    start_energy_momentum,
)
from hamiltree.integrators.integrator import CALLS, NOT_CONVERGED, RUNNING, SINGULAR, Integrator
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

AFTER_IMPULSES = solver.FORESEEN_ROUNDING._replace(unheard=1)  # nothing has moved yet by the impulse that the first sweep has found


class DiscreteMethod(NamedTuple):
    substeps: Substeps
    constraints: int
    counts_work: bool  # False where nothing does work, which then is not asked for


def fitted(integrator: Integrator, system) -> Integrator:
    """With the number of constraints; without the sum of work where a System says that it is conservative."""
    if not system.facts.has_discrete_forces:
        raise FitError(
            f"{integrator.name} in director coordinates takes forces from distances: some force of this model has a potential of another "
            "kind, lists of neighbours, or a cut-off where it jumps (give switch or shift); use chain_quaternion with it, or rattle"
        )
    return integrator.with_method(constraints=int(system.facts.constraints), counts_work=not system.facts.is_conservative)


# ---- the equation ------------------------------------------------------------------------------------------------------------------
@find_slope.method(DiscreteMethod)
def find_discrete_slope(method, system, work, state, t, h):
    """h f̄ between y and the end that Δ leads to, the work of loads, and q̄ that follows."""
    scratch = state.scratch
    discrete_rates(system, work, t + 0.5 * h, state.y, scratch.end, scratch.slope)
    scratch.done[0] = h * power(system, work, t + 0.5 * h, scratch.middle, scratch.slope) if method.counts_work else 0.0
    state.counts[CALLS] += 1
    for i in range(state.y.shape[0]):
        scratch.slope[i] *= h
    for i in range(system.layout.positions):
        scratch.middle[i] = state.y[i] + fma(0.5, scratch.slope[i], state.lost[i])


@find_residual.method(DiscreteMethod)
def find_discrete_residual(method, system, work, state, t, h):
    """g(q) + G(q̄) Δq, which is g(q⁺) and rounds as the increment does."""
    scratch = state.scratch
    constraint_rate(system, work, t + 0.5 * h, scratch.middle, scratch.slope, scratch.residual)
    for k in range(method.constraints):
        scratch.residual[k] += scratch.opening[k]


@find_pull.method(DiscreteMethod)
def find_pull_in_the_middle(method, system, work, state, t, h):
    for i in range(system.layout.positions, state.y.shape[0]):
        state.scratch.pull[i] = 0.0
    constrain(system, work, t + 0.5 * h, state.scratch.middle, state.scratch.impulse, state.scratch.pull)


# ---- its solution --------------------------------------------------------------------------------------------------------------------
@solver.begin.method(DiscreteMethod)
def begin_discrete(method, system, work, state, t, h):
    """First guess h f(y), and no impulse."""
    scratch = state.scratch
    rates(system, work, t, state.y, scratch.slope)
    for i in range(state.y.shape[0]):
        scratch.increment[i] = scratch.unpulled[i] = h * scratch.slope[i]
    for k in range(method.constraints):
        scratch.impulse[k] = 0.0
    state.counts[CALLS] += 1
    scratch.facts[KNOWN] = 0.0


@solver.limits.method(DiscreteMethod)
def limits_of_discrete(method):
    return AFTER_IMPULSES if method.constraints > 0 else solver.FORESEEN_ROUNDING


@solver.prepare.method(DiscreteMethod)
def find_start(method, system, work, state, t, h):
    """g(q) with what the sum of q has lost, and the factors of W."""
    scratch = state.scratch
    scratch.facts[HELD] = 0.0
    if method.constraints == 0:
        return RUNNING
    constraint(system, work, t, state.y, scratch.opening)
    constraint_rate(system, work, t, state.y, state.lost, scratch.residual)
    for k in range(method.constraints):
        scratch.opening[k] += scratch.residual[k]
    return RUNNING if factor_multipliers(system, work, t, state.y) else SINGULAR


@solver.hasten.method(DiscreteMethod)
def factor_at_middle(method, system, work, state, t, h):
    """W there instead, which was regular where the step began."""
    is_wanted = method.constraints > 0 and state.scratch.facts[HELD] == 0.0
    return NOT_CONVERGED if is_wanted and not factor_multipliers(system, work, t + 0.5 * h, state.scratch.middle) else RUNNING


@solver.finish.method(DiscreteMethod)
def settle(method, system, work, state, t, h):
    """With the impulse held, whose rounding, ε|q|/h, would shake the momenta of every iteration: H would drift by what is left over."""
    state.scratch.facts[HELD] = 1.0
    return solver.iterate(method, system, work, state, t, h, solver.TO_ROUNDING, solver.FIXED_POINT) if method.constraints > 0 else RUNNING


@inlined
def go_on(values, earlier, is_known):
    """The first guess of the next step by the last two, or by the last alone."""
    for i in range(values.shape[0]):
        this = values[i]
        values[i] = 2.0 * this - earlier[i] if is_known else this
        earlier[i] = this


@solver.accept.method(DiscreteMethod)
def accept_discrete(method, system, work, state, t, h, k):
    scratch, is_known = state.scratch, state.scratch.facts[KNOWN] != 0.0
    add_work_of_drivers(method, system, work, state, t, h)
    solver.step_forward(state, scratch.increment, scratch.done[0])
    go_on(scratch.increment, scratch.earlier, is_known)
    go_on(scratch.impulse, scratch.before, is_known)
    scratch.facts[KNOWN] = 1.0


INTEGRATORS = (
    solver.implicit_integrator(
        "quat_em",
        2,
        "Betsch, Siebert 2009; Gonzalez 1996; METHODS 5",
        is_symplectic=False,
        is_symmetric=True,
        needs=(rates, discrete_rates, hamiltonian, power, constraint, constraint_rate, constrain, factor_multipliers, solve_multipliers),
        method=DiscreteMethod(substeps_of(), 0, True),
        start=start_energy_momentum,
        keeps_energy=True,
        fit=fitted,
        remark="keeps H, linear and angular momenta and the constraints to rounding",
    ),
)
