"""The loop of adaptive methods, which choose their own steps: they step over the points of a grid,
and dense output, a polynomial over the last step, gives the values there.

No step is cut at a grid point or where a call ends, so results do not depend on how a run is cut
into calls; only clock[END_TIME], where the run ends, is met exactly. The last accepted step stays
in the scratch (`last_step`), so that a later call can interpolate the points inside it.
A family answers `evaluate_rates`, `begin_adaptive`, `attempt_step` and `interpolate_increments` for
its type of method.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hamiltree.algebra.summation import two_sum
from hamiltree.compiled.kernel import Generic, inlined, kernel, outlined
from hamiltree.compiled.number import fma
from hamiltree.compiled.pointer import in_memory, unpack
from hamiltree.errors import OptionError
from hamiltree.integrators.advance import advance, save_sample, save_windings
from hamiltree.integrators.event_dense import monitor_dense_step
from hamiltree.integrators.event_monitor import (
    TERMINAL,
    is_full,
    monitor_step_start,
)
from hamiltree.integrators.integrator import (
    CONTROLLER_LAST,
    END_TIME,
    FRESH,
    GRID_INDEX,
    NEXT_STEP,
    NOT_FINITE,
    REJECTED,
    RUNNING,
    SINGULAR,
    STATUS,
    STEP_TOO_SMALL,
    STEPS,
    TIME,
    WORST_ROW,
    Integrator,
    State,
    is_finite_number,
)
from hamiltree.integrators.regularity import approach_singular, hides_singular
from hamiltree.integrators.runge_kutta import first_nonfinite_row
from hamiltree.verbs import FIRST_ORDER, follow_angles, project

# Entries of LastStep.facts: when the last step began, the compensation of that time, its length,
# the compensation of the present time, the work before it, how often the end has chosen a length.
BEGIN, BEGIN_COMPENSATION, LENGTH, TIME_COMPENSATION, WORK, END_SEEN = range(6)
# a rest of up to 1.1 steps is taken whole; one of less than two in halves
LAST_STEP_STRETCH, HALVING_LIMIT = 1.1, 2.0
SMALLEST_STEP = 16 * 2.0**-52  # of a step, in parts of the time
SMALLEST_PART = 2.0**-300  # of a step, in parts of the rest of the run: at t = 0
EULER_PART = 0.01  # of the state, that the first short step moves
# times the tolerance, in all of the run: a state that moves less is at rest, and begins with such a
# part of the run
AT_REST, STEP_AT_REST = 1e-5, 1e-6
ACCEPTED = -1.0  # no length
NOT_FINITE_FACTOR = 0.2  # factor after a step that was not finite
SMALLEST_TOLERANCE, LARGEST_TOLERANCE = 1e-14, 0.1
ATOL_PER_RTOL = 1e-2  # atol in parts of rtol
MAX_STEPS_IN_CALL = 20_000  # then Python looks whether the run is to go on


class StepControl(NamedTuple):
    """What a user may set: the error of a step is to stay below atol scale_i + rtol |y_i|, as a
    root of the mean square over the rows. scale_i is the natural size of a row (State.scale).
    """

    rtol: float = 1e-8
    atol: float = 1e-10
    first_step: float = 0.0  # 0: chosen from the slopes
    largest_step: float = np.inf


class LastStep(NamedTuple):
    """What the last accepted step began with."""

    y: np.ndarray
    compensation: np.ndarray
    facts: np.ndarray


def new_last_step(rows: int) -> LastStep:
    return LastStep(np.zeros(rows), np.zeros(rows), np.zeros(6))


def evaluate_rates(method, system, work, state, t, y, out):
    """f(t, y), counted as a call."""


def begin_adaptive(method, system, work, state):
    """The slope where adaptive steps begin, and the length to try first: the first row whose slope
    is not finite, −1 if all are.
    """


def attempt_step(method, system, work, state, h):
    """A step of this length from clock[TIME]: ACCEPTED, or the length to try next; then y is as
    before.
    """


def interpolate_increments(method, system, work, state, part, samples, row):
    """The increments of y and of the work from the beginning of the last accepted step to a part of
    it, into samples[row, 1:].
    """


evaluate_rates = Generic("evaluate_rates", evaluate_rates.__doc__, leading=1).call
begin_adaptive = Generic("begin_adaptive", begin_adaptive.__doc__, leading=1).call
attempt_step = Generic("attempt_step", attempt_step.__doc__, leading=1).call
interpolate_increments = Generic(
    "interpolate_increments", interpolate_increments.__doc__, leading=1
).call


# ---- the loop ------------------------------------------------------------------------------------
@outlined
def take_adaptive_steps(
    handle, method, state, monitor, t0, first, h, steps, save_every, samples, most
):
    """See `advance_adaptively`; at most `most` steps. Also a part of kernels that step by hand."""
    system, work, single = unpack(handle)
    saved, last = 0, state.counts[STEPS] + most
    for k in range(first, first + steps):
        state.counts[GRID_INDEX] = k
        t = t0 + (k + 1) * h
        while state.clock[TIME] < t and state.clock[TIME] < state.clock[END_TIME]:
            if is_full(monitor) or state.counts[STEPS] >= last:
                return saved
            status = monitored_step(method, system, work, single, state, monitor)
            if status != RUNNING:
                state.counts[STATUS] = status
            if status != RUNNING or monitor.counts[TERMINAL] != 0:
                return saved
        if (k + 1) % save_every == 0:
            dense_output(method, system, work, state, t, samples, saved)
            saved += 1
    state.counts[GRID_INDEX] = first + steps
    return saved


@kernel
def advance_adaptively(handle, method, state, monitor, t0, first, h, steps, save_every, samples):
    """From point first of the grid t0 + k h to point first + steps, by steps of the method's own
    choice. Returns how many samples.

    The caller sets clock[END_TIME] before the first call. It returns early where a step fails,
    where an event may end the run, where no more crossings can be kept, and after very many steps,
    so that a run can be interrupted; counts[GRID_INDEX] is the last point saved. Points inside the
    last step can still be asked for then.
    """
    parts = in_memory(method), in_memory(state), in_memory(monitor)
    grid = t0, first, h, steps, save_every, samples
    return take_adaptive_steps(handle, *parts, *grid, MAX_STEPS_IN_CALL)


@inlined
def adaptive_step(method, system, work, state):
    """One accepted step of a length of its own choice, from clock[TIME]; 0, or the status that it
    failed with: then y is as before.
    """
    if state.counts[FRESH]:
        bad = begin_adaptive(method, system, work, state)
        if bad >= 0:
            state.counts[WORST_ROW] = bad
            return NOT_FINITE
        state.counts[FRESH] = 0
    while True:
        h = choose_step_length(state, method.control)
        if is_step_too_small(state, h):
            return STEP_TOO_SMALL
        shorter = attempt_step(method, system, work, state, h)
        if shorter == ACCEPTED:
            return RUNNING
        reject_step(state, shorter)


@inlined
def projected_step(method, system, work, single, state):
    """One accepted step with projection onto the constraints; taken again if it may have gone
    through a singular position.
    """
    while True:
        status = adaptive_step(method, system, work, state)
        if status != RUNNING:
            return status
        if not project(system, single, state.clock[TIME], state.y, state.compensation):
            return SINGULAR
        if not hides_singular(system, single, state):
            return RUNNING
        take_back(state)


@outlined
def take_back(state):
    """To where the last step began; the next one is a quarter of it."""
    last_step = state.scratch.last_step
    for i in range(state.y.shape[0]):
        state.y[i], state.compensation[i] = last_step.y[i], last_step.compensation[i]
    state.work[0], state.work_compensation[0] = last_step.facts[WORK], 0.0
    state.clock[TIME] = last_step.facts[BEGIN]
    last_step.facts[TIME_COMPENSATION] = last_step.facts[BEGIN_COMPENSATION]
    state.counts[FRESH] = 1
    reject_step(state, 0.25 * last_step.facts[LENGTH])


@inlined
def monitored_step(method, system, work, single, state, monitor):
    """One accepted step with projection onto the constraints, and events looked for at its end: its
    status.
    """
    facts = state.scratch.last_step.facts
    monitor_step_start(system, single, monitor, state, state.clock[TIME])
    status = projected_step(method, system, work, single, state)
    if status == RUNNING:
        state.counts[STEPS] += 1
        follow_angles(system, single, state.clock[TIME], state.y)
        status = RUNNING if approach_singular(system, single, state) else SINGULAR
        begin, length = facts[BEGIN], facts[LENGTH]
        monitor_dense_step(
            method, system, work, single, state, monitor, begin, length, state.clock[TIME]
        )
    return status


@outlined
def dense_output(method, system, work, state, t, samples, row):
    """The sample at a time inside the last step; at its end the state itself."""
    if t >= state.clock[TIME]:
        save_sample(state, samples, row, t)
    else:
        last_step, n = state.scratch.last_step, state.y.shape[0]
        part = (
            (t - last_step.facts[BEGIN]) - last_step.facts[BEGIN_COMPENSATION]
        ) / last_step.facts[LENGTH]
        interpolate_increments(method, system, work, state, part, samples, row)
        samples[row, 0] = t
        for i in range(n):
            samples[row, 1 + i] = last_step.y[i] + (last_step.compensation[i] + samples[row, 1 + i])
        samples[row, 1 + n] += last_step.facts[WORK]
        save_windings(state, samples, row)


@outlined
def probe_dense_output(method, system, work, state, monitor, row, x):
    """The dense output after a part x of the last step: see `probe_step`."""
    last_step = state.scratch.last_step
    interpolate_increments(method, system, work, state, x, monitor.probe, 0)
    for i in range(state.y.shape[0]):
        monitor.probe[0, 1 + i] = last_step.y[i] + (
            last_step.compensation[i] + monitor.probe[0, 1 + i]
        )
    return RUNNING


@inlined
def dense_weight(coefficients, j, x):
    """Σ_k P_jk x^(k+1)"""
    total = 0.0
    for k in range(coefficients.shape[1] - 1, -1, -1):
        total = fma(total, x, coefficients[j, k])
    return total * x


# ---- the length of a step, for every family ------------------------------------------------------
@inlined
def remaining_time(state):
    facts = state.scratch.last_step.facts
    return (state.clock[END_TIME] - state.clock[TIME]) - facts[TIME_COMPENSATION]


@inlined
def choose_step_length(state, control):
    """The step to try: not past the end, and so that no very short step is left before it."""
    rest, h = remaining_time(state), min(state.clock[NEXT_STEP], control.largest_step)
    state.scratch.last_step.facts[END_SEEN] += rest < HALVING_LIMIT * h
    if rest <= LAST_STEP_STRETCH * h and rest <= control.largest_step:
        return rest
    return 0.5 * rest if rest < HALVING_LIMIT * h else h


@inlined
def is_step_too_small(state, h):
    """Whether time would hardly move; the last step may be as short as it must."""
    rest = remaining_time(state)
    return h < rest and h <= max(SMALLEST_STEP * abs(state.clock[TIME]), SMALLEST_PART * rest)


@outlined
def record_last_step(state, h):
    """Remember what the step begins with, and move the clock; at the end of the run the time is the
    end exactly.
    """
    last_step, rest = state.scratch.last_step, remaining_time(state)
    for i in range(state.y.shape[0]):
        last_step.y[i], last_step.compensation[i] = state.y[i], state.compensation[i]
    last_step.facts[WORK] = state.work[0]
    last_step.facts[BEGIN] = state.clock[TIME]
    last_step.facts[BEGIN_COMPENSATION] = last_step.facts[TIME_COMPENSATION]
    last_step.facts[LENGTH] = h
    total, compensation = two_sum(state.clock[TIME], last_step.facts[TIME_COMPENSATION] + h)
    state.clock[TIME], last_step.facts[TIME_COMPENSATION] = (
        (state.clock[END_TIME], 0.0) if h >= rest else (total, compensation)
    )


@inlined
def reject_step(state, h):
    """Try again with this length; the step after a rejected one does not grow."""
    state.clock[NEXT_STEP], state.clock[CONTROLLER_LAST] = h, 1.0
    state.counts[REJECTED] += 1


@inlined
def weighted_sum_of_squares(values, y, end, scale, rtol, atol):
    """Σ (v_i / (atol scale_i + rtol max(|y_i|, |end_i|)))², and its largest row."""
    total = 0.0
    worst = 0
    most = -1.0
    for i in range(y.shape[0]):
        ratio = values[i] / (atol * scale[i] + rtol * max(abs(y[i]), abs(end[i])))
        total += ratio * ratio
        if not abs(ratio) <= most:
            worst, most = i, abs(ratio)
    return total, worst


@inlined
def weighted_rms_norm(values, state, rtol, atol):
    """√(mean of (v_i / (atol scale_i + rtol |y_i|))²)"""
    total = weighted_sum_of_squares(values, state.y, state.y, state.scale, rtol, atol)[0]
    return np.sqrt(total / max(1, state.y.shape[0]))


@inlined
def largest_weighted_row(values, state, rtol, atol):
    """The row behind that norm."""
    return weighted_sum_of_squares(values, state.y, state.y, state.scale, rtol, atol)[1]


@inlined
def step_from_slope(state, slope, rtol, atol):
    """A step in which Euler's method moves a hundredth of the state: Hairer, Nørsett, Wanner, II.4,
    (a) to (c). A state at zero is taken to be as large as its tolerance; where nothing moves in all
    of the run, a small part of that.
    """
    size = max(weighted_rms_norm(state.y, state, rtol, atol), 1.0)
    speed = weighted_rms_norm(slope, state, rtol, atol)
    rest = remaining_time(state)
    return EULER_PART * size / speed if speed * rest > AT_REST else STEP_AT_REST * rest


@inlined
def step_from_curvature(state, slope, shifted_slope, short, order, rtol, atol):
    """h with (h/τ)^(order+1) max(τ |f|, τ² |ḟ|) = 0.01, of the slopes at both ends of a short Euler
    step; shifted_slope is overwritten: II.4, (d) to (f). There τ is a second; here it is the time
    in which the state moves by its own size.
    """
    tau = short / EULER_PART
    speed = weighted_rms_norm(slope, state, rtol, atol)
    for i in range(state.y.shape[0]):
        shifted_slope[i] -= slope[i]
    change = weighted_rms_norm(shifted_slope, state, rtol, atol)
    most = max(tau * speed, tau * (change / EULER_PART))
    part = (0.01 / most) ** (1.0 / (order + 1.0)) if most > 0.01 else 1.0
    return tau * part if part > 0.0 else short


@outlined
def begin_length(method, system, work, state, slope, point, shifted_slope, order, rtol, atol):
    """The length of the first step if there is none to try: the first row whose slope is not
    finite, −1 if all are.
    """
    bad = first_nonfinite_row(slope)
    if bad < 0 and state.clock[NEXT_STEP] <= 0.0:
        state.clock[NEXT_STEP] = method.control.first_step
        if method.control.first_step <= 0.0:
            state.clock[NEXT_STEP] = initial_step_length(
                method, system, work, state, slope, point, shifted_slope, order, rtol, atol
            )
    return bad


@outlined
def initial_step_length(
    method, system, work, state, slope, point, shifted_slope, order, rtol, atol
):
    """By the slopes at both ends of a short Euler step; point and shifted_slope are scratch, and
    may be the same.
    """
    short = min(step_from_slope(state, slope, rtol, atol), remaining_time(state))
    for i in range(state.y.shape[0]):
        point[i] = fma(short, slope[i], state.y[i])
    evaluate_rates(method, system, work, state, state.clock[TIME] + short, point, shifted_slope)
    return step_from_curvature(state, slope, shifted_slope, short, order, rtol, atol)


# ---- options and records -------------------------------------------------------------------------
def check_number(value, name: str, least: float, most: float, meaning: str) -> float:
    """A finite number from least to most as a float; else an OptionError with its meaning."""
    if not (is_finite_number(value) and least <= value <= most):
        raise OptionError(
            f"{name} = {value!r}; it must be a number from {least:g} to {most:g} ({meaning})"
        )
    return float(value)


def with_control(integrator: Integrator, **fields) -> Integrator:
    return integrator.with_method(control=integrator.method.control._replace(**fields))


def set_rtol(integrator: Integrator, value) -> Integrator:
    """Option `rtol`; atol is a hundredth of it unless that is set as well."""
    rtol = check_number(
        value,
        "rtol",
        SMALLEST_TOLERANCE,
        LARGEST_TOLERANCE,
        "error of a step relative to each row of the state",
    )
    return with_control(integrator, rtol=rtol, atol=ATOL_PER_RTOL * rtol)


def set_tolerance(integrator: Integrator, value) -> Integrator:
    """Option `tolerance`: rtol and atol alike."""
    both = check_number(
        value, "tolerance", SMALLEST_TOLERANCE, LARGEST_TOLERANCE, "it sets rtol and atol"
    )
    return with_control(integrator, rtol=both, atol=both)


def positive_option(field: str, meaning: str):
    """An option that sets a positive number of StepControl."""

    def choose(integrator: Integrator, value) -> Integrator:
        return with_control(
            integrator, **{field: check_number(value, field, 1e-100, 1e100, meaning)}
        )

    return choose


OPTIONS = {
    "tolerance": set_tolerance,
    "rtol": set_rtol,
    "atol": positive_option(
        "atol", "error of a step that a row near zero may have, in parts of its natural size"
    ),
    "first_step": positive_option("first_step", "s; leave it out for an automatic choice"),
    "largest_step": positive_option("largest_step", "s; leave it out for no limit"),
}
REMARK = (
    "chooses its steps by their estimated error: rtol 1e-8, atol a hundredth of rtol unless set; "
    "`step` is the spacing of the output"
)


def statistics(state: State) -> dict:
    """What an adaptive run adds to the statistics."""
    return {
        "refused": int(state.counts[REJECTED]),
        "last_step": float(state.scratch.last_step.facts[LENGTH]),
    }


def adaptive_integrator(name: str, order: int, reference: str, **rest) -> Integrator:
    """The record of a family that chooses its own steps."""
    return Integrator(
        name,
        order,
        reference,
        is_symplectic=False,
        is_symmetric=False,
        needs=FIRST_ORDER,
        advance=advance_adaptively,
        is_adaptive=True,
        uses_row_scales=True,
        options=OPTIONS,
        statistics=statistics,
        **rest,
    )


def with_fixed_step(integrator: Integrator) -> Integrator:
    """The main formula alone, with the steps of the grid."""
    return replace(
        integrator,
        name=f"fixed({integrator.name})",
        advance=advance,
        is_adaptive=False,
        options={},
        statistics=None,
        remark="the main formula only",
    )
