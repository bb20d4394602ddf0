"""RATTLE of a separable H = T(p) + V(t, q) on g(t, q) = 0: one force a step (Andersen, J. Comput. Phys. 52, 24, 1983; METHODS 3).

  p½ = p + h/2 F(t, q) + G(q)ᵀ l,   q⁺ = q + h T_p(p½),   g(t + h, q⁺) = 0 fixes l
  p⁺ = p½ + h/2 F(t + h, q⁺) + G(q⁺)ᵀ l⁺,   G(q⁺) T_p(p⁺) + ∂g/∂t = 0 fixes l⁺
The same map as spark.py with two stages, which for any H asks for forces in every sweep. Here sweeps move positions alone, by
δl = −(1/h) W⁻¹ g(q⁺) with the factors of W = G T_pp Gᵀ where the step began: those that the last projection of momenta has left.
Work of loads, of a V that depends on time and of drivers: h/2 of the power at both ends with p½, less lᵀ ∂g/∂t.
"""

from dataclasses import replace
from decimal import Decimal, localcontext
from functools import partial
from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import fma
from hamiltree.integrators.compositions import Composition
from hamiltree.integrators.integrator import (
    CALLS,
    FRESH,
    NOT_CONVERGED,
    NOT_FINITE,
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
from hamiltree.integrators.spark import (
    HOLDS,
    MOST_ROUNDS,
    ROUNDING,
    Pace,
    composed_rattle,
    factor_at,
    go_back,
    has_factors,
    is_exact,
    paced,
    remember,
    worst_row,
)
from hamiltree.integrators.summation import accumulate
from hamiltree.integrators.tableaus import DIGITS
from hamiltree.verbs import (
    SEPARABLE,
    constrain,
    constraint,
    constraint_rate,
    drift,
    factor_multipliers,
    kick,
    power,
    solve_multipliers,
)


class SeparableRattleMethod(NamedTuple):
    factors: np.ndarray  # (substeps,) γ
    starts: np.ndarray  # (substeps,) where each substep begins, in parts of the step
    ratios: np.ndarray  # (substeps,) length of the next substep in parts of this one
    constraints: int
    counts_work: bool  # False where nothing does work, which then is not asked for


class SeparableRattleScratch(NamedTuple):
    """The fields of SparkScratch that factors of W and going back need, and those of two half kicks."""

    force: np.ndarray  # (m,) F where the step began, then where it ends: in its momentum rows
    velocity: np.ndarray  # (m,) T_p, in its position rows
    increment: np.ndarray  # (m,) h T_p(p½), and what the momenta gain
    middle: np.ndarray  # (m,) q and p½
    end: np.ndarray  # (m,)
    pull: np.ndarray  # (m,) Gᵀ l, in its momentum rows
    still: np.ndarray  # (m,) zeros
    change: np.ndarray  # (m,) of positions in the last sweep
    impulse: np.ndarray  # (constraints,) l: the first guess of the next step
    last: np.ndarray  # (constraints,) l⁺
    met: np.ndarray  # (constraints,) l⁺ of the step before, for a step of this length
    residual: np.ndarray  # (constraints,)
    multipliers: np.ndarray  # (constraints,) λ where the last step ended
    before: np.ndarray  # (2, m) y and what its sum had lost, where a step of several substeps began
    began: np.ndarray  # (2,) the same of the work
    factored: np.ndarray  # (m,) where W was factored
    probe: np.ndarray  # (2, constraints) W⁻¹ (1, 1, …) by the factors that this state counts on, and by those that are there
    facts: np.ndarray  # HOLDS, TIME
    sizes: np.ndarray  # (2,) the largest that positions and momenta, or what a step adds to them, have been


def separable_rattle_method(factors=(1,)) -> SeparableRattleMethod:
    with localcontext(prec=DIGITS):
        gamma = [Decimal(factor) for factor in factors]
        starts = [sum(gamma[:k]) for k in range(len(gamma))]
        ratios = [after / this for this, after in zip(gamma, [*gamma[1:], gamma[0]], strict=True)]
    return SeparableRattleMethod(*(np.array(row, dtype=float) for row in (gamma, starts, ratios)), 0, True)


def start_separable_rattle(y, method) -> State:
    m, n = len(y), method.constraints
    shapes = (*[m] * 8, *[n] * 5, (2, m), 2, m, (2, n), 2, 2)
    return new_state(y, SeparableRattleScratch(*map(np.zeros, shapes)))


def fitted(general: Integrator, integrator: Integrator, system) -> Integrator:
    """With the number of constraints, and no sum of work where a System says that there is none; the general form for dampers."""
    if system.facts.feels_speeds and general.fit is not None:
        return general.fit(general, system)
    return integrator.with_method(constraints=int(system.facts.constraints), counts_work=not system.facts.is_conservative)


# ---- the first half: positions --------------------------------------------------------------------------------------------------------
@outlined
def begin(system, work, state, t):
    """The force where there is no earlier step, and no impulse as first guess."""
    scratch = state.scratch
    kick(system, work, t, state.y, scratch.force)
    for k in range(scratch.impulse.shape[0]):
        scratch.impulse[k], scratch.met[k] = 0.0, 0.0
    scratch.sizes[0], scratch.sizes[1] = 1e-300, 1e-300
    state.counts[CALLS] += 1
    state.counts[FRESH], scratch.facts[HOLDS] = 0, 0.0


@inlined
def pull_by(system, work, state, t, point, impulse):
    """Gᵀ l at a point."""
    pull = state.scratch.pull
    for i in range(system.layout.positions, pull.shape[0]):
        pull[i] = 0.0
    if impulse.shape[0] > 0:
        constrain(system, work, t, point, impulse, pull)


@inlined
def kick_half(system, state, h):
    """p½ = p + (h/2 F + Gᵀ l), which keeps what the sums have lost."""
    scratch = state.scratch
    for i in range(system.layout.positions, state.y.shape[0]):
        scratch.increment[i] = fma(0.5 * h, scratch.force[i], scratch.pull[i])
        scratch.middle[i] = state.y[i] + (state.lost[i] + scratch.increment[i])


@inlined
def move(system, work, state, t, h):
    """q⁺ = q + h T_p(p½): the largest change of it, in parts of the largest that positions have been."""
    scratch, most, size = state.scratch, 0.0, state.scratch.sizes[0]
    drift(system, work, t + 0.5 * h, scratch.middle, scratch.velocity)
    for i in range(system.layout.positions):
        gained = h * scratch.velocity[i]
        scratch.change[i] = abs(gained - scratch.increment[i])
        scratch.increment[i] = gained
        scratch.end[i] = state.y[i] + (state.lost[i] + gained)
        most = largest_of(most, scratch.change[i])
        size = largest_of(size, largest_of(abs(state.y[i]), abs(gained)))
    scratch.sizes[0] = size
    return most / size


@inlined
def correct_impulse(system, work, state, t, h):
    """δl = −(1/h) W⁻¹ g(q⁺)"""
    scratch = state.scratch
    constraint(system, work, t + h, scratch.end, scratch.residual)
    solve_multipliers(system, work, scratch.residual)
    for k in range(scratch.impulse.shape[0]):
        scratch.impulse[k] -= scratch.residual[k] / h


@inlined
def sweep(system, work, state, t, h):
    """Momenta by the impulse, positions by the momenta, and the impulse that these ask for."""
    pull_by(system, work, state, t, state.y, state.scratch.impulse)
    kick_half(system, state, h)
    change = move(system, work, state, t, h)
    if state.scratch.impulse.shape[0] > 0:
        correct_impulse(system, work, state, t, h)
    return change


@outlined
def factor_in_the_middle(system, work, state, t, h):
    """Of the chord: W there is closer to G(q⁺) T_pp G(q)ᵀ where positions turn fast."""
    scratch = state.scratch
    for i in range(state.y.shape[0]):
        scratch.pull[i] = 0.5 * (state.y[i] + scratch.end[i])
    return factor_at(system, work, state, t + 0.5 * h, scratch.pull)


@inlined
def iterate(system, work, method, state, t, h):
    """Sweeps to where only rounding is left; with other factors of W where that is slow."""
    progress, pace = no_progress(), Pace(1.0, 1.0, np.inf)
    for i in range(system.layout.positions):
        state.scratch.middle[i] = state.y[i]
    for iteration in range(LONG_LIMIT):
        change = sweep(system, work, state, t, h)
        pace = paced(pace, iteration, change, progress.last)
        progress = progressed(progress, iteration, change)
        if is_exact(pace) or (method.constraints == 0 and np.isfinite(change)):
            return RUNNING
        verdict = verdict_at_rounding(progress, iteration)
        if verdict != GO_ON:
            return verdict
        is_slow = iteration == TRIED and progress.last > SETTLED
        if is_slow and not factor_in_the_middle(system, work, state, t, h):
            return NOT_CONVERGED  # W was regular where the step began
    return NOT_CONVERGED


# ---- the second half: momenta -----------------------------------------------------------------------------------------------------------
@inlined
def kick_other_half(system, work, state, t, h):
    """p½ + h/2 F(q⁺), into the end and what the momenta gain; F holds for the next step."""
    scratch, size = state.scratch, state.scratch.sizes[1]
    kick(system, work, t, scratch.end, scratch.force)
    state.counts[CALLS] += 1
    for i in range(system.layout.positions, state.y.shape[0]):
        scratch.increment[i] = fma(0.5 * h, scratch.force[i], scratch.increment[i])
        scratch.end[i] = state.y[i] + (state.lost[i] + scratch.increment[i])
        size = largest_of(size, largest_of(abs(state.y[i]), abs(scratch.increment[i])))
    scratch.sizes[1] = size


@inlined
def add_pull(system, state):
    """p⁺ with one more Gᵀ δl: the largest part of it, relative to the momenta."""
    scratch, most = state.scratch, 0.0
    for i in range(system.layout.positions, state.y.shape[0]):
        scratch.increment[i] += scratch.pull[i]
        scratch.end[i] = state.y[i] + (state.lost[i] + scratch.increment[i])
        most = largest_of(most, abs(scratch.pull[i]))
    return most / scratch.sizes[1]


@inlined
def project_once(system, work, state, t):
    """δl⁺ = −W⁻¹ (G T_p + ∂g/∂t) at the end: how much it moves the momenta."""
    scratch = state.scratch
    drift(system, work, t, scratch.end, scratch.velocity)
    constraint_rate(system, work, t, scratch.end, scratch.velocity, scratch.residual)
    solve_multipliers(system, work, scratch.residual)
    for k in range(scratch.residual.shape[0]):
        scratch.residual[k] = -scratch.residual[k]
        scratch.last[k] += scratch.residual[k]
    pull_by(system, work, state, t, scratch.end, scratch.residual)
    return add_pull(system, state)


@inlined
def project_momenta(system, work, state, t):
    """To where rounding stops it; leaves the factors of W for the next step."""
    least = np.inf
    for k in range(state.scratch.last.shape[0]):
        state.scratch.last[k] = 0.0
    if not factor_at(system, work, state, t, state.scratch.end):
        return SINGULAR
    for _round in range(MOST_ROUNDS):
        change = project_once(system, work, state, t)
        if not np.isfinite(change):
            return NOT_FINITE
        if change <= ROUNDING or (change >= least and change < SETTLED):
            return RUNNING
        least = min(least, change)
    return NOT_CONVERGED


# ---- work, and the end of a step -------------------------------------------------------------------------------------------------------
@inlined
def work_of_forces(system, work, state, t, h):
    """h/2 (P at q + P at q⁺), both with p½; before the end has its own momenta."""
    scratch = state.scratch
    for i in range(system.layout.positions, state.y.shape[0]):
        scratch.end[i] = scratch.middle[i]
    done = power(system, work, t, scratch.middle, scratch.velocity)
    return 0.5 * h * (done + power(system, work, t + h, scratch.end, scratch.velocity))


@inlined
def work_of_drivers(system, work, state, t, point, impulse):
    """−lᵀ ∂g/∂t"""
    scratch, done = state.scratch, 0.0
    constraint_rate(system, work, t, point, scratch.still, scratch.residual)
    for k in range(impulse.shape[0]):
        done = fma(-impulse[k], scratch.residual[k], done)
    return done


@inlined
def step_forward(state, h, ratio):
    """y⁺, and first guesses: l is l⁺ and the jump from l⁺ to l where this step and the last have met, which is of order h²."""
    scratch = state.scratch
    for i in range(state.y.shape[0]):
        accumulate(state.y, state.lost, i, scratch.increment[i])
        scratch.increment[i] *= ratio
    for k in range(scratch.impulse.shape[0]):
        scratch.multipliers[k] = 2.0 * scratch.last[k] / h
        jump = scratch.impulse[k] - scratch.met[k]
        scratch.met[k] = ratio * scratch.last[k]
        scratch.impulse[k] = fma(ratio * ratio, jump, scratch.met[k])


@inlined
def solved(system, work, method, state, t, h):
    """The equations of one substep into `increment` and its work into `done`: RUNNING, or how they failed."""
    if method.constraints > 0 and not has_factors(system, work, state, t):
        return SINGULAR, 0.0
    status = iterate(system, work, method, state, t, h)
    if status != RUNNING:
        return status, 0.0
    done = work_of_forces(system, work, state, t, h) if method.counts_work else 0.0
    kick_other_half(system, work, state, t + h, h)
    if method.constraints > 0:
        status = project_momenta(system, work, state, t + h)
    if method.counts_work and method.constraints > 0:
        done += work_of_drivers(system, work, state, t, state.y, state.scratch.impulse)
        done += work_of_drivers(system, work, state, t + h, state.scratch.end, state.scratch.last)
    return status, done


@inlined
def substep(system, work, method, state, t, h, ratio):
    if state.counts[FRESH]:
        begin(system, work, state, t)
    status, done = solved(system, work, method, state, t, h)
    if status != RUNNING:
        state.counts[WORST], state.counts[FRESH] = worst_row(system, state), 1
        return status
    accumulate(state.work, state.work_lost, 0, done)
    step_forward(state, h, ratio)
    return RUNNING


@step.method(SeparableRattleMethod)
def separable_rattle_step(method, system, work, state, t, h):
    remember(state)
    for k in range(method.factors.shape[0]):
        status = substep(system, work, method, state, t + method.starts[k] * h, method.factors[k] * h, method.ratios[k])
        if status != RUNNING:
            go_back(state)
            return status
    return RUNNING


# ---- records -----------------------------------------------------------------------------------------------------------------------------
def with_separable_form(integrator: Integrator) -> Integrator:
    """RATTLE or a composition of it, together with the form that it takes where H is separable."""
    form = replace(
        integrator,
        needs=(*SEPARABLE, constraint, constraint_rate, constrain, factor_multipliers, solve_multipliers, power),
        method=separable_rattle_method(integrator.substeps),
        start=start_separable_rattle,
        fit=partial(fitted, integrator),
        remark=f"{integrator.remark}; one force a step" if integrator.substeps == (1,) else integrator.remark,
    )
    return replace(integrator, explicit_form=form)


def composed_with_form(composition: Composition) -> Integrator:
    return with_separable_form(composed_rattle(composition))
