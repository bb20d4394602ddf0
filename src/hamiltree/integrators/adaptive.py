"""Explicit pairs with step-size control: Dormand–Prince 5(4), Tsitouras 5(4), DOP853; Hairer,
Nørsett, Wanner, II.4–II.6.

All stages lie in one tableau: those of the step, then f(y⁺), which is the first slope of the next
step, then those that only the dense output needs; these are computed when the first point inside a
step is asked for.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import fma, part
from hamiltree.integrators import adaptive_steps as own
from hamiltree.integrators.adaptive_steps import (
    BEGIN,
    LENGTH,
    LastStep,
    StepControl,
    with_fixed_step,
)
from hamiltree.integrators.embedded import DOP853, DORMAND_PRINCE_5, TSITOURAS_5, EmbeddedPair
from hamiltree.integrators.event_dense import forget_dense_output
from hamiltree.integrators.event_search import probe_step
from hamiltree.integrators.integrator import (
    CALLS,
    CONTROLLER_LAST,
    CONTROLLER_MEMORY,
    NEXT_STEP,
    NOT_FINITE,
    RUNNING,
    STEPS,
    STIFF,
    TIME,
    WORST_ROW,
    Integrator,
    State,
    add_increment,
    new_state,
    step,
)
from hamiltree.integrators.runge_kutta import first_nonfinite_row
from hamiltree.verbs import power, rates

__all__ = ["INTEGRATORS", "with_fixed_step"]

SAFETY = 0.9
MIN_ERROR_MEMORY = 1e-4  # the error that the controller remembers is not taken to be smaller
SECOND_WEIGHT = 0.01  # of the estimate of low order in DOP853
STIFF_LIMIT = 15  # signs of stiffness after which the problem looks stiff
NONSTIFF_LIMIT = 6  # signs against it in sequence: those before were a chance
# Entries of EmbeddedScratch.flags: the slope f(y⁺) is kept as the first of the next step, the
# stages of the dense output are computed, signs of stiffness, and signs against it since the last.
SLOPE_HELD, DENSE_READY, STIFF_COUNT, NONSTIFF_COUNT = range(4)


class EmbeddedMethod(NamedTuple):
    a: np.ndarray  # (all, all); row `stages` is that of y⁺
    c: np.ndarray  # (all,)
    errors: np.ndarray  # (1 or 2, all) weights of the estimates
    dense: np.ndarray  # (all, degree)
    stages: int  # of the step
    order: int
    exponent: float  # of the controller: h⁺ = 0.9 h error^(−exponent) last_error^beta
    beta: float
    min_factor: float  # factors between two steps
    max_factor: float
    stability_limit: float  # h |λ| at the border of stability
    control: StepControl


class EmbeddedScratch(NamedTuple):
    slopes: np.ndarray  # (all, m)
    powers: np.ndarray  # (all,) of dampers and loads
    stage: np.ndarray  # (m,)
    increment: np.ndarray  # (m,) from y to the stage
    before_last: np.ndarray  # (m,) the stage before y⁺, at the same time
    errors: np.ndarray  # (1 or 2, m)
    flags: np.ndarray
    last_step: LastStep


def embedded_method(
    pair: EmbeddedPair,
    beta: float,
    weight: float,
    min_factor: float,
    max_factor: float,
    stability_limit: float,
) -> EmbeddedMethod:
    """exponent = 1/q − weight · beta, where q is the order to which the estimate falls."""
    errors = [pair.error] + ([pair.second_error] if any(pair.second_error) else [])
    arrays = (np.array(values, dtype=float) for values in (pair.a, pair.c, errors, pair.dense))
    exponent = 1.0 / (pair.error_order + 1) - weight * beta
    return EmbeddedMethod(
        *arrays,
        pair.stages,
        pair.order,
        exponent,
        beta,
        min_factor,
        max_factor,
        stability_limit,
        StepControl(),
    )


def new_embedded_state(y, method) -> State:
    """The state before the first step, with scratch for all stages, dense output included."""
    rows, count = len(y), len(method.c)
    vectors = (np.zeros(rows) for _ in range(3))
    scratch = EmbeddedScratch(
        np.zeros((count, rows)),
        np.zeros(count),
        *vectors,
        np.zeros((len(method.errors), rows)),
        np.zeros(4, dtype=np.int64),
        own.new_last_step(rows),
    )
    return new_state(y, scratch)


# ---- stages --------------------------------------------------------------------------------------
@inlined
def form_stage(method, scratch, y, compensation, h, s):
    """Y_s = y + (compensation + h Σ a_sj K_j), and the increment alone."""
    n = y.shape[0]
    slopes = scratch.slopes
    increment = scratch.increment
    for i in range(n):
        increment[i] = 0.0
    for j in range(s):
        scale = h * method.a[s, j]
        if scale != 0.0:
            for i in range(n):
                increment[i] = fma(scale, slopes[j, i], increment[i])
    for i in range(n):
        scratch.stage[i] = y[i] + (compensation[i] + increment[i])


@outlined
def evaluate_stage(method, system, work, state, t, h, s):
    """K_s and the power there, of the stage that was formed last."""
    scratch = state.scratch
    slope = part(state.scratch.slopes, s)
    time = t + method.c[s] * h
    rates(system, work, time, scratch.stage, slope)
    scratch.powers[s] = power(system, work, time, scratch.stage, slope)
    state.counts[CALLS] += 1


@outlined
def compute_stages(method, system, work, state, t, h, first, last):
    """Stages first … last − 1; the one before y⁺ is kept for the sign of stiffness."""
    for s in range(first, last):
        form_stage(method, state.scratch, state.y, state.compensation, h, s)
        evaluate_stage(method, system, work, state, t, h, s)
        if s == method.stages - 1:
            for i in range(state.y.shape[0]):
                state.scratch.before_last[i] = state.scratch.stage[i]


@inlined
def apply_step(method, state, h):
    """y⁺ = y + h Σ b_i K_i, and the work of dampers and loads; the increment is that of y⁺."""
    work_done = 0.0
    for s in range(method.stages):
        work_done = fma(h * method.a[method.stages, s], state.scratch.powers[s], work_done)
    add_increment(state, state.scratch.increment, work_done)


@step.method(EmbeddedMethod)
def embedded_step(method, system, work, state, t, h):
    """The main formula alone."""
    compute_stages(method, system, work, state, t, h, 0, method.stages)
    form_stage(method, state.scratch, state.y, state.compensation, h, method.stages)
    bad = first_nonfinite_row(state.scratch.increment)
    if bad >= 0:
        state.counts[WORST_ROW] = bad
        return NOT_FINITE
    apply_step(method, state, h)
    return RUNNING


# ---- the error -----------------------------------------------------------------------------------
@inlined
def estimate_errors(method, state, h):
    """h Σ e_j K_j, of one or two estimates."""
    n = state.y.shape[0]
    errors = state.scratch.errors
    slopes = state.scratch.slopes
    for e in range(errors.shape[0]):
        for i in range(n):
            errors[e, i] = 0.0
        for j in range(slopes.shape[0]):
            scale = h * method.errors[e, j]
            if scale != 0.0:
                for i in range(n):
                    errors[e, i] = fma(scale, slopes[j, i], errors[e, i])


@outlined
def error_ratio(method, state, h):
    """The error in units of the tolerance; not a number where y⁺ or its slope is not finite.

    counts[WORST_ROW] is the row behind it.
    """
    n = state.y.shape[0]
    scratch = state.scratch
    control = method.control
    estimate_errors(method, state, h)
    total, state.counts[WORST_ROW] = own.weighted_sum_of_squares(
        part(scratch.errors, 0), state.y, scratch.stage, state.scale, control.rtol, control.atol
    )
    ratio = np.sqrt(total / max(1, n))  # a model that cannot move has no state
    if scratch.errors.shape[0] > 1 and total > 0.0:
        second, _ = own.weighted_sum_of_squares(
            part(scratch.errors, 1), state.y, scratch.stage, state.scale, control.rtol, control.atol
        )
        ratio = total / np.sqrt((total + SECOND_WEIGHT * second) * n)
    for i in range(n):
        ratio += 0.0 * scratch.stage[i] + 0.0 * scratch.slopes[method.stages, i]
    return ratio


@outlined
def detect_stiffness(method, state, h):
    """|λ| ≈ |f(y⁺) − K_s| / |y⁺ − Y_s|, both at t + h: Hairer, Wanner, IV.2.

    Many steps at the border of stability are latched.
    """
    flags = state.scratch.flags
    rise = 0.0
    run = 0.0
    last = method.stages
    for i in range(state.y.shape[0]):
        rise += (state.scratch.slopes[last, i] - state.scratch.slopes[last - 1, i]) ** 2
        run += (state.scratch.stage[i] - state.scratch.before_last[i]) ** 2
    if h * h * rise > method.stability_limit * method.stability_limit * run:
        flags[STIFF_COUNT], flags[NONSTIFF_COUNT] = flags[STIFF_COUNT] + 1, 0
    else:
        flags[NONSTIFF_COUNT] += 1
        flags[STIFF_COUNT] = flags[STIFF_COUNT] if flags[NONSTIFF_COUNT] < NONSTIFF_LIMIT else 0
    if flags[STIFF_COUNT] >= STIFF_LIMIT and state.counts[STIFF] == 0:
        state.counts[STIFF] = state.counts[STEPS] + 1


# ---- adaptive steps ------------------------------------------------------------------------------
@own.evaluate_rates.method(EmbeddedMethod)
def rates_at(method, system, work, state, t, y, out):
    """f(t, y), counted as a call."""
    rates(system, work, t, y, out)
    state.counts[CALLS] += 1


@own.begin_adaptive.method(EmbeddedMethod)
def begin_embedded(method, system, work, state):
    """The length of the first step only if there is none to try."""
    scratch = state.scratch
    control = method.control
    t = state.clock[TIME]
    compute_stages(method, system, work, state, t, 0.0, 0, 1)
    scratch.flags[SLOPE_HELD] = 0
    if state.clock[NEXT_STEP] <= 0.0:
        state.clock[CONTROLLER_MEMORY] = MIN_ERROR_MEMORY
    slope = part(scratch.slopes, 0)
    scratch_rows = scratch.stage, part(scratch.slopes, 1)
    return own.begin_length(
        method, system, work, state, slope, *scratch_rows, method.order, control.rtol, control.atol
    )


@inlined
def reuse_last_slope(method, state):
    """f(y⁺) of the last step is the first slope."""
    scratch = state.scratch
    if scratch.flags[SLOPE_HELD] != 0:
        for i in range(state.y.shape[0]):
            scratch.slopes[0, i] = scratch.slopes[method.stages, i]
        scratch.powers[0] = scratch.powers[method.stages]
        scratch.flags[SLOPE_HELD] = 0


@outlined
def accept_step(method, state, h, ratio):
    """Take y⁺, and choose the next step size by a PI controller (Gustafsson 1991): from the errors
    of this step and the last.
    """
    clock, scratch = state.clock, state.scratch
    detect_stiffness(method, state, h)
    own.record_last_step(state, h)
    apply_step(method, state, h)
    scratch.flags[SLOPE_HELD], scratch.flags[DENSE_READY] = 1, 0
    divisor = ratio**method.exponent / clock[CONTROLLER_MEMORY] ** method.beta / SAFETY
    following = h / min(1.0 / method.min_factor, max(1.0 / method.max_factor, divisor))
    clock[NEXT_STEP] = min(following, h) if clock[CONTROLLER_LAST] != 0.0 else following
    clock[CONTROLLER_MEMORY], clock[CONTROLLER_LAST] = max(ratio, MIN_ERROR_MEMORY), 0.0


@own.attempt_step.method(EmbeddedMethod)
def attempt_embedded(method, system, work, state, h):
    """A step of length h by the pair: ACCEPTED, or the length that its error estimate allows."""
    reuse_last_slope(method, state)
    compute_stages(method, system, work, state, state.clock[TIME], h, 1, method.stages + 1)
    ratio = error_ratio(method, state, h)
    if ratio <= 1.0:
        accept_step(method, state, h, ratio)
        return own.ACCEPTED
    return (
        h / min(1.0 / method.min_factor, ratio**method.exponent / SAFETY)
        if ratio < np.inf
        else own.NOT_FINITE_FACTOR * h
    )


# ---- between the ends of a step ------------------------------------------------------------------
@outlined
def compute_dense_stages(method, system, work, state):
    """The stages that only the dense output needs, once per step."""
    scratch, last_step = state.scratch, state.scratch.last_step
    if scratch.flags[DENSE_READY] == 0:
        scratch.flags[DENSE_READY] = 1
        for s in range(method.stages + 1, method.c.shape[0]):
            form_stage(
                method, scratch, last_step.y, last_step.compensation, last_step.facts[LENGTH], s
            )
            evaluate_stage(
                method, system, work, state, last_step.facts[BEGIN], last_step.facts[LENGTH], s
            )


@own.interpolate_increments.method(EmbeddedMethod)
def interpolate_embedded(method, system, work, state, x, samples, row):
    """h Σ_j K_j Σ_k P_jk x^(k+1)"""
    compute_dense_stages(method, system, work, state)
    n, scratch = state.y.shape[0], state.scratch
    for i in range(n + 1):
        samples[row, 1 + i] = 0.0
    for j in range(method.c.shape[0]):
        weight = scratch.last_step.facts[LENGTH] * own.dense_weight(method.dense, j, x)
        if weight != 0.0:
            for i in range(n):
                samples[row, 1 + i] = fma(weight, scratch.slopes[j, i], samples[row, 1 + i])
            samples[row, 1 + n] = fma(weight, scratch.powers[j], samples[row, 1 + n])


# ---- events --------------------------------------------------------------------------------------
probe_step.method(EmbeddedMethod)(own.probe_dense_output)


@forget_dense_output.method(EmbeddedMethod)
def forget_dense_stages(method, state):
    """The stages that only the dense output needs."""
    state.scratch.flags[DENSE_READY] = 0


# ---- records -------------------------------------------------------------------------------------
def embedded_integrator(pair: EmbeddedPair, *constants: float) -> Integrator:
    """The integrator of an embedded pair; constants as in `embedded_method`."""
    return own.adaptive_integrator(
        pair.name,
        pair.order,
        pair.reference,
        is_explicit=True,
        width=1,
        evaluations_per_call=1,
        method=embedded_method(pair, *constants),
        initial_state=new_embedded_state,
        remark=own.REMARK,
    )


# beta and its weight in the exponent, the factors between two steps and the border of stability are
# those of Hairer's DOPRI5 and DOP853.
INTEGRATORS = (
    embedded_integrator(DORMAND_PRINCE_5, 0.04, 0.75, 0.2, 10.0, 3.25),
    embedded_integrator(TSITOURAS_5, 0.04, 0.75, 0.2, 10.0, 3.25),
    embedded_integrator(DOP853, 0.0, 0.2, 1 / 3, 6.0, 6.1),
)
