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

import numpy as np

from hamiltree.compiled.number import fma
from hamiltree.integrators import constraint_impulses, convergence
from hamiltree.integrators import implicit_solver as solver
from hamiltree.integrators import integrator as core
from hamiltree.integrators.compositions import Substeps, substeps_of
from hamiltree.integrators.integrator import Integrator, State
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
    force: np.ndarray  # (m,) F where the step began, then where it ends: in its momentum rows
    velocity: np.ndarray  # (m,) T_p, in its position rows
    increment: np.ndarray  # (m,) h T_p(p½), and what the momenta gain
    middle: np.ndarray  # (m,) q and p½
    end: np.ndarray  # (m,)
    constraint_impulse: np.ndarray  # (m,) h T_p as a sweep finds it; Gᵀ l, in its momentum rows
    zero_velocity: np.ndarray  # (m,) zeros
    impulse: np.ndarray  # (constraints,) l: the first guess of the next step
    last: np.ndarray  # (constraints,) l⁺
    previous_impulse: np.ndarray  # (constraints,) l⁺ of the step before, for a step of this length
    residual: np.ndarray  # (constraints,)
    multipliers: np.ndarray  # (constraints,) λ where the last step ended
    work_done: np.ndarray  # (1,) work of the step
    factors: constraint_impulses.MultiplierFactors


def new_separable_rattle_state(y, method) -> State:
    """The state before the first step, for as many constraints as the method is bound to."""
    m, n = len(y), method.constraints
    return core.new_state(
        y,
        SeparableRattleScratch(
            *map(np.zeros, (*[m] * 7, *[n] * 5, 1)),
            constraint_impulses.MultiplierFactors(*map(np.zeros, (m, (2, n), 2))),
        ),
    )


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
    for k in range(scratch.impulse.shape[0]):
        scratch.impulse[k], scratch.previous_impulse[k] = 0.0, 0.0
    state.counts[core.CALLS] += 1
    scratch.factors.facts[constraint_impulses.FACTORS_VALID] = 0.0


@solver.prepare_substep.method(SeparableRattleMethod)
def prepare_positions(method, system, work, state, t, h):
    if method.constraints > 0 and not constraint_impulses.ensure_factors(system, work, state, t):
        return core.SINGULAR
    solver.copy_rows(state.y, state.scratch.middle, 0, system.layout.positions)
    return core.RUNNING


@solver.sweep.method(SeparableRattleMethod)
def sweep_positions(method, system, work, state, t, h):
    """Momenta by the impulse, p½ = p + (h/2 F + Gᵀ l), which keeps the compensation of the sums,
    positions by the momenta, q⁺ = q + h T_p(p½), and what these ask for: δl = −(1/h) W⁻¹ g(q⁺). The
    largest change of q⁺, in parts of the largest that positions have been. Without constraints once
    will do.
    """
    scratch = state.scratch
    positions = system.layout.positions
    m = state.y.shape[0]
    solver.clear(scratch.constraint_impulse, positions, m)
    if method.constraints > 0:
        add_multiplier_forces(system, work, t, state.y, scratch.impulse, scratch.constraint_impulse)
    for i in range(positions, m):
        scratch.increment[i] = fma(0.5 * h, scratch.force[i], scratch.constraint_impulse[i])
        scratch.middle[i] = state.y[i] + (state.compensation[i] + scratch.increment[i])
    drift(system, work, t + 0.5 * h, scratch.middle, scratch.velocity)
    for i in range(positions):
        scratch.constraint_impulse[i] = h * scratch.velocity[i]
        scratch.end[i] = state.y[i] + (state.compensation[i] + scratch.constraint_impulse[i])
    change = solver.update_rows(
        state, scratch.increment, scratch.constraint_impulse, 0, 0, positions
    )
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
    return constraint_impulses.factor_at_midpoint(
        system,
        work,
        state,
        t + 0.5 * h,
        state.y,
        state.scratch.end,
        state.scratch.constraint_impulse,
    )


# ---- the second half: momenta --------------------------------------------------------------------
@constraint_impulses.project_once.method(SeparableRattleMethod)
def project_once_by_drift(method, system, work, state, t, h):
    """δl⁺"""
    scratch = state.scratch
    drift(system, work, t + h, scratch.end, scratch.velocity)
    return constraint_impulses.correct_momenta(
        system,
        work,
        state,
        t + h,
        scratch.velocity,
        scratch.last,
        scratch.increment,
        scratch.residual,
    )


@solver.finish_substep.method(SeparableRattleMethod)
def finish_momenta(method, system, work, state, t, h):
    """The other half kick, p½ + h/2 F(q⁺), into the end and what the momenta gain; F holds for the
    next step. Then the momenta projected.
    The work is h/2 (P at q + P at q⁺), both with p½, and that of drives.
    """
    scratch = state.scratch
    positions = system.layout.positions
    m = state.y.shape[0]
    status = core.RUNNING
    powers = 0.0
    size = state.sizes[1]
    if method.counts_work:  # before the end has its own momenta
        solver.copy_rows(scratch.middle, scratch.end, positions, m)
        powers = power(system, work, t, scratch.middle, scratch.velocity)
        powers += power(system, work, t + h, scratch.end, scratch.velocity)
    scratch.work_done[0] = 0.5 * h * powers
    kick(system, work, t + h, scratch.end, scratch.force)
    state.counts[core.CALLS] += 1
    for i in range(positions, m):
        scratch.increment[i] = fma(0.5 * h, scratch.force[i], scratch.increment[i])
        scratch.end[i] = state.y[i] + (state.compensation[i] + scratch.increment[i])
        larger = solver.max_or_nan(abs(state.y[i]), abs(scratch.increment[i]))
        size = solver.max_or_nan(size, larger / state.scale[i])
    state.sizes[1] = size
    solver.clear(scratch.last, 0, method.constraints)
    if method.constraints > 0:
        status = constraint_impulses.project_momenta(method, system, work, state, t, h)
    if method.counts_work and method.constraints > 0:
        scratch.work_done[0] += constraint_impulses.add_work_of_drivers(
            system, work, state, t, state.y, scratch.impulse, scratch.residual, 0.0
        )
        scratch.work_done[0] += constraint_impulses.add_work_of_drivers(
            system, work, state, t + h, scratch.end, scratch.last, scratch.residual, 0.0
        )
    return status


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
        initial_state=new_separable_rattle_state,
        bind=partial(bind_separable_rattle, integrator),
        remark=f"{integrator.remark}; one force per step"
        if integrator.substeps == (1,)
        else integrator.remark,
    )
    return replace(integrator, separable_variant=form)
