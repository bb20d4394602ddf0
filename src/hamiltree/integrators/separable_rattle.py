"""RATTLE of a separable H = T(p) + V(t, q) on g(t, q) = 0: one force per step
(Andersen, J. Comput. Phys. 52, 24, 1983; METHODS 3).

  p½ = p + h/2 F(t, q) + G(q)ᵀ l,   q⁺ = q + h T_p(p½),   g(t + h, q⁺) = 0 fixes l
  p⁺ = p½ + h/2 F(t + h, q⁺) + G(q⁺)ᵀ l⁺,   G(q⁺) T_p(p⁺) + ∂g/∂t = 0 fixes l⁺
The same map as spark.py with two stages, which for any H asks for forces in every sweep. Here
sweeps move positions alone, by δl = −(1/h) W⁻¹ g(q⁺) with the factors of W = G T_pp Gᵀ where the
step began: those that the last projection of momenta has left.
Work of loads, of a V that depends on time and of drives: h/2 of the power at both ends with p½,
less lᵀ ∂g/∂t.
"""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma
from hamiltree.integrators import constraint_impulses as impulses
from hamiltree.integrators import convergence
from hamiltree.integrators import implicit_solver as solver
from hamiltree.integrators import integrator as core
from hamiltree.integrators.compositions import Substeps, substeps_of
from hamiltree.integrators.integrator import Integrator, array
from hamiltree.verbs import (
    CONSTRAINT_VERBS,
    SEPARABLE,
    add_multiplier_forces,
    constraint,
    drift,
    kick,
    power,
    solve_multipliers,
)


class SeparableRattleMethod(NamedTuple):
    substeps: Substeps
    constraints: int
    limits: convergence.IterationLimits
    counts_work: bool  # False where nothing does work, which then is not asked for


class SeparableRattleScratch(NamedTuple):
    force: array("m")  # F where the step began, then where it ends: in its momentum rows
    velocity: array("m")  # T_p, in its position rows
    increment: array("m")  # h T_p(p½), and what the momenta gain
    middle: array("m")  # q and p½
    end: array("m")
    constraint_impulse: array("m")  # h T_p as a sweep finds it; Gᵀ l, in its momentum rows
    zero_velocity: array("m")  # zeros
    impulse: array("constraints")  # l: the first guess of the next step
    last: array("constraints")  # l⁺
    previous_impulse: array("constraints")  # l⁺ of the step before, for a step of this length
    residual: array("constraints")
    multipliers: array("constraints")  # λ where the last step ended
    work_done: array(1)  # work of the step
    factors: impulses.MultiplierFactors


def bind_separable_rattle(general: Integrator, integrator: Integrator, system) -> Integrator:
    """With the number of constraints, and no sum of work where a System says that there is none;
    the general form for dampers.
    """
    if system.facts.has_speed_dependent_forces and general.bind is not None:
        return general.bind(general, system)
    return integrator.with_method(
        constraints=int(system.facts.constraints), counts_work=not system.facts.is_conservative
    )


# ---- the first half: positions -------------------------------------------------------------------
@solver.initial_guess.method(SeparableRattleMethod)
def initialise_force(method, system, work, state, t, h):
    """The force where there is no earlier step, and no impulse as first guess."""
    scratch = state.scratch
    kick(system, work, t, state.y, scratch.force)
    solver.clear(scratch.impulse, 0, method.constraints)
    solver.clear(scratch.previous_impulse, 0, method.constraints)
    state.counts[core.CALLS] += 1
    scratch.factors.facts[impulses.FACTORS_VALID] = 0.0


@solver.prepare_substep.method(SeparableRattleMethod)
def prepare_positions(method, system, work, state, t, h):
    if not impulses.ensure_factors(system, work, state, t):
        return core.SINGULAR
    solver.copy_rows(state.y, state.scratch.middle, 0, system.layout.positions)
    return core.RUNNING


@solver.sweep.method(SeparableRattleMethod)
def sweep_positions(method, system, work, state, t, h):
    """p½ = p + (h/2 F + Gᵀ l), q⁺ = q + h T_p(p½) and what these ask for: δl = −(1/h) W⁻¹ g(q⁺).
    The largest change of q⁺, in parts of the largest that positions have been; without constraints
    once will do.
    """
    scratch, positions = state.scratch, system.layout.positions
    m = state.y.shape[0]
    found = scratch.constraint_impulse
    solver.clear(found, positions, m)
    if method.constraints > 0:
        add_multiplier_forces(system, work, t, state.y, scratch.impulse, found)
    for i in range(positions, m):
        scratch.increment[i] = fma(0.5 * h, scratch.force[i], found[i])
    solver.add_rows(state, scratch.increment, scratch.middle, positions, m)
    drift(system, work, t + 0.5 * h, scratch.middle, scratch.velocity)
    for i in range(positions):
        found[i] = h * scratch.velocity[i]
    solver.add_rows(state, found, scratch.end, 0, positions)
    change = solver.update_rows(state, scratch.increment, found, 0, 0, positions)
    if method.constraints == 0:
        return 0.0 * change
    constraint(system, work, t + h, scratch.end, scratch.residual)
    solve_multipliers(system, work, scratch.residual)
    for k in range(method.constraints):
        scratch.impulse[k] -= scratch.residual[k] / h
    return change


@solver.accelerate_sweeps.method(SeparableRattleMethod)
def factor_between_ends(method, system, work, state, t, h):
    """Factors of W in the middle between the beginning and the end."""
    end = state.scratch.end
    return impulses.factor_at_midpoint(system, work, state, t + 0.5 * h, state.y, end)


# ---- the second half: momenta --------------------------------------------------------------------
@impulses.project_once.method(SeparableRattleMethod)
def project_once_by_drift(method, system, work, state, t, h):
    """δl⁺"""
    scratch, speeds = state.scratch, state.scratch.velocity
    drift(system, work, t + h, scratch.end, speeds)
    return impulses.correct_momenta(
        system, work, state, t + h, speeds, scratch.last, scratch.increment, scratch.residual
    )


@solver.finish_substep.method(SeparableRattleMethod)
def finish_momenta(method, system, work, state, t, h):
    """The other half kick, p½ + h/2 F(q⁺); F holds for the next step. Then momenta are projected.
    The work is h/2 (P at q + P at q⁺), both with p½, and that of drives.
    """
    scratch, positions = state.scratch, system.layout.positions
    m = state.y.shape[0]
    status, powers = core.RUNNING, 0.0
    size = state.sizes[1]
    if method.counts_work:  # before the end has its own momenta
        solver.copy_rows(scratch.middle, scratch.end, positions, m)
        powers = power(system, work, t, scratch.middle, scratch.velocity)
        powers += power(system, work, t + h, scratch.end, scratch.velocity)
    kick(system, work, t + h, scratch.end, scratch.force)
    state.counts[core.CALLS] += 1
    for i in range(positions, m):
        scratch.increment[i] = fma(0.5 * h, scratch.force[i], scratch.increment[i])
        larger = solver.max_or_nan(abs(state.y[i]), abs(scratch.increment[i]))
        size = solver.max_or_nan(size, larger / state.scale[i])
    solver.add_rows(state, scratch.increment, scratch.end, positions, m)
    state.sizes[1] = size
    solver.clear(scratch.last, 0, method.constraints)
    if method.constraints > 0:
        status = impulses.project_momenta(method, system, work, state, t, h)
    scratch.work_done[0] = 0.5 * h * powers
    if method.counts_work:
        scratch.work_done[0] += work_of_drivers(system, work, state, t, state.y, scratch.impulse)
        scratch.work_done[0] += work_of_drivers(
            system, work, state, t + h, scratch.end, scratch.last
        )
    return status


@inlined
def work_of_drivers(system, work, state, t, point, impulse):
    rate = state.scratch.residual
    return impulses.add_work_of_drivers(system, work, state, t, point, impulse, rate, 0.0)


@solver.accept.method(SeparableRattleMethod)
def accept_separable(method, system, work, state, t, h, k):
    """y⁺, and first guesses: l is l⁺ and the jump from l⁺ to l where this step and the last have
    met, which is of order h².
    """
    scratch, ratio = state.scratch, method.substeps.ratios[k]
    core.add_increment(state, scratch.increment, scratch.work_done[0])
    for i in range(state.y.shape[0]):
        scratch.increment[i] *= ratio
    for j in range(scratch.impulse.shape[0]):
        scratch.multipliers[j] = 2.0 * scratch.last[j] / h
        jump = scratch.impulse[j] - scratch.previous_impulse[j]
        scratch.previous_impulse[j] = ratio * scratch.last[j]
        scratch.impulse[j] = fma(ratio * ratio, jump, scratch.previous_impulse[j])


# ---- records -------------------------------------------------------------------------------------
def add_separable_variant(integrator: Integrator) -> Integrator:
    """RATTLE or a composition of it, together with the form that it takes where H is separable."""
    form = replace(
        integrator,
        needs=(*SEPARABLE, *CONSTRAINT_VERBS, power),
        method=SeparableRattleMethod(
            substeps_of(integrator.substeps), 0, convergence.PREDICTIVE_ROUNDING_LIMITS, True
        ),
        initial_state=core.state_with(SeparableRattleScratch),
        bind=partial(bind_separable_rattle, integrator),
        remark=f"{integrator.remark}; one force per step"
        if integrator.substeps == (1,)
        else integrator.remark,
    )
    return replace(integrator, separable_variant=form)
