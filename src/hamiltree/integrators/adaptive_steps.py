"""The loop of methods that choose their own steps: they step over the points of a grid, and a
polynomial serves the points.

No step is cut at a grid point or where a call ends, so results do not depend on how a run is cut
into calls; only clock[END], where the run ends, is met exactly. The last accepted step stays in the
scratch (`span`), so that a later call can serve the points inside it.
A family answers `slope_at`, `begin_own`, `attempt` and `between` for its type of method.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import Generic, inlined, kernel, outlined
from hamiltree.compiled.number import fma
from hamiltree.compiled.pointer import in_memory, unpack
from hamiltree.errors import OptionError
from hamiltree.integrators.advance import advance, save_sample
from hamiltree.integrators.event_monitor import HALT, begin_watch, end_watch, is_full
from hamiltree.integrators.integrator import (
    END,
    FRESH,
    GRID,
    LAST,
    NEXT,
    NOT_FINITE,
    REFUSED,
    RUNNING,
    SINGULAR,
    STATUS,
    STEPS,
    TIME,
    TOO_SMALL,
    WORST,
    Integrator,
    State,
)
from hamiltree.integrators.runge_kutta import first_bad_row
from hamiltree.integrators.summation import two_sum
from hamiltree.verbs import FIRST_ORDER, project

# Entries of Span.facts: when the last step began and what that time had lost to rounding, its
# length, what the present time has lost, and the work of dampers and loads before the step.
BEGIN, BEGIN_LOST, LENGTH, TIME_LOST, WORK = range(5)
# a rest of up to 1.1 steps is taken whole; one of less than two in halves
SLIVER, HALVED = 1.1, 2.0
SMALLEST = 16 * 2.0**-52  # of a step, in parts of the time
ACCEPTED = -1.0  # no length
REFUSED_BLINDLY = 0.2  # factor after a step that was not finite
SMALLEST_TOLERANCE, LARGEST_TOLERANCE = 1e-14, 0.1
ABSOLUTE_PART = 1e-2  # atol in parts of rtol


class Control(NamedTuple):
    """What a user may set: the error of a step is to stay below atol + rtol |y_i|, as a root of the
    mean square over the rows.
    """

    rtol: float = 1e-8
    atol: float = 1e-10
    first_step: float = 0.0  # 0: chosen from the slopes
    largest_step: float = np.inf


class Span(NamedTuple):
    """What the last accepted step began with."""

    y: np.ndarray
    lost: np.ndarray
    facts: np.ndarray


def new_span(rows: int) -> Span:
    return Span(np.zeros(rows), np.zeros(rows), np.zeros(5))


def slope_at(method, system, work, state, t, y, out):
    """f(t, y), counted as a call."""


def begin_own(method, system, work, state):
    """The slope where own steps begin, and the length to try first: the first row whose slope is
    not finite, −1 if all are.
    """


def attempt(method, system, work, state, h):
    """A step of this length from clock[TIME]: ACCEPTED, or the length to try next; then y is as
    before.
    """


def between(method, system, work, state, part, samples, row):
    """The increments of y and of the work from the beginning of the last accepted step to a part of
    it, into samples[row, 1:].
    """


slope_at = Generic("slope_at", slope_at.__doc__, leading=1).call
begin_own = Generic("begin_own", begin_own.__doc__, leading=1).call
attempt = Generic("attempt", attempt.__doc__, leading=1).call
between = Generic("between", between.__doc__, leading=1).call


# ---- the loop ------------------------------------------------------------------------------------
@outlined
def take_free_steps(handle, method, state, watch, t0, first, h, steps, save_every, samples):
    """See `advance_freely`: also a part of other kernels, where steps are taken one by one."""
    system, work, single = unpack(handle)
    saved = 0
    for k in range(first, first + steps):
        state.counts[GRID] = k
        t = t0 + (k + 1) * h
        while state.clock[TIME] < t and state.clock[TIME] < state.clock[END]:
            if is_full(watch):
                return saved
            status = watched_step(method, system, work, single, state, watch)
            if status != RUNNING:
                state.counts[STATUS] = status
            if status != RUNNING or watch.counts[HALT] != 0:
                return saved
        if (k + 1) % save_every == 0:
            serve(method, system, work, state, t, samples, saved)
            saved += 1
    state.counts[GRID] = first + steps
    return saved


@kernel
def advance_freely(handle, method, state, watch, t0, first, h, steps, save_every, samples):
    """From point first of the grid t0 + k h to point first + steps, by steps of the method's own
    choice. Returns how many samples.

    The caller sets clock[END] before the first call. It returns early where a step fails, where an
    event may end the run, and where no more crossings can be kept; counts[GRID] is the last point
    served. Points inside the last step can still be asked for then.
    """
    parts = in_memory(method), in_memory(state), in_memory(watch)
    return take_free_steps(handle, *parts, t0, first, h, steps, save_every, samples)


@inlined
def own_step(method, system, work, state):
    """One accepted step of a length of its own choice, from clock[TIME]; 0, or the status that it
    failed with: then y is as before.
    """
    if state.counts[FRESH]:
        bad = begin_own(method, system, work, state)
        if bad >= 0:
            state.counts[WORST] = bad
            return NOT_FINITE
        state.counts[FRESH] = 0
    while True:
        h = fitted_length(state, method.control)
        if is_too_small(state, h):
            return TOO_SMALL
        shorter = attempt(method, system, work, state, h)
        if shorter == ACCEPTED:
            return RUNNING
        refuse(state, shorter)


@inlined
def watched_step(method, system, work, single, state, watch):
    facts = state.scratch.span.facts
    begin_watch(system, single, watch, state, state.clock[TIME])
    status = own_step(method, system, work, state)
    if status == RUNNING and not project(system, single, state.clock[TIME], state.y, state.lost):
        return SINGULAR
    if status == RUNNING:
        state.counts[STEPS] += 1
        end_watch(system, single, watch, state, facts[BEGIN], facts[LENGTH], state.clock[TIME])
    return status


@inlined
def serve(method, system, work, state, t, samples, row):
    """The sample at a time inside the last step; at its end the state itself."""
    if t >= state.clock[TIME]:
        save_sample(state, samples, row, t)
    else:
        span, n = state.scratch.span, state.y.shape[0]
        part = ((t - span.facts[BEGIN]) - span.facts[BEGIN_LOST]) / span.facts[LENGTH]
        between(method, system, work, state, part, samples, row)
        samples[row, 0] = t
        for i in range(n):
            samples[row, 1 + i] = span.y[i] + (span.lost[i] + samples[row, 1 + i])
        samples[row, 1 + n] += span.facts[WORK]


@inlined
def dense_weight(coefficients, j, x):
    """Σ_k P_jk x^(k+1)"""
    total = 0.0
    for k in range(coefficients.shape[1] - 1, -1, -1):
        total = fma(total, x, coefficients[j, k])
    return total * x


# ---- the length of a step, for every family ------------------------------------------------------
@inlined
def rest_of_run(state):
    return (state.clock[END] - state.clock[TIME]) - state.scratch.span.facts[TIME_LOST]


@inlined
def fitted_length(state, control):
    """The step to try: not past the end, and so that no sliver is left before it."""
    rest, h = rest_of_run(state), min(state.clock[NEXT], control.largest_step)
    if rest <= SLIVER * h and rest <= control.largest_step:
        return rest
    return 0.5 * rest if rest < HALVED * h else h


@inlined
def is_too_small(state, h):
    """Whether time would hardly move; the last step may be as short as it must."""
    return h < rest_of_run(state) and h <= max(SMALLEST * abs(state.clock[TIME]), 1e-300)


@inlined
def keep_span(state, h):
    """Remember what the step begins with, and move the clock; at the end of the run the time is the
    end exactly.
    """
    span, rest = state.scratch.span, rest_of_run(state)
    for i in range(state.y.shape[0]):
        span.y[i], span.lost[i] = state.y[i], state.lost[i]
    span.facts[WORK] = state.work[0]
    span.facts[BEGIN], span.facts[BEGIN_LOST], span.facts[LENGTH] = (
        state.clock[TIME],
        span.facts[TIME_LOST],
        h,
    )
    total, lost = two_sum(state.clock[TIME], span.facts[TIME_LOST] + h)
    state.clock[TIME], span.facts[TIME_LOST] = (
        (state.clock[END], 0.0) if h >= rest else (total, lost)
    )


@inlined
def refuse(state, h):
    """Try again with this length; the step after a refused one does not grow (clock[LAST])."""
    state.clock[NEXT], state.clock[LAST] = h, 1.0
    state.counts[REFUSED] += 1


@inlined
def sum_of_squares(values, y, end, rtol, atol):
    """Σ (v_i / (atol + rtol max(|y_i|, |end_i|)))², and its largest row."""
    total, worst, most = 0.0, 0, -1.0
    for i in range(y.shape[0]):
        ratio = values[i] / (atol + rtol * max(abs(y[i]), abs(end[i])))
        total += ratio * ratio
        if not abs(ratio) <= most:
            worst, most = i, abs(ratio)
    return total, worst


@inlined
def scaled_norm(values, y, rtol, atol):
    """√(mean of (v_i / (atol + rtol |y_i|))²)"""
    return np.sqrt(sum_of_squares(values, y, y, rtol, atol)[0] / max(1, y.shape[0]))


@inlined
def largest_row(values, y, rtol, atol):
    """The row behind that norm."""
    return sum_of_squares(values, y, y, rtol, atol)[1]


@inlined
def length_of_slope(y, slope, rtol, atol):
    """A step in which Euler's method moves a hundredth of the state: Hairer, Nørsett, Wanner, II.4,
    (a) to (c).
    """
    size, speed = scaled_norm(y, y, rtol, atol), scaled_norm(slope, y, rtol, atol)
    return 1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed


@inlined
def length_of_curvature(y, slope, moved, short, order, rtol, atol):
    """h with h^(order+1) max(|f|, |ḟ|) = 0.01, of the slopes at both ends of a short Euler step,
    which is spoilt: II.4, (d) to (f).
    """
    speed = scaled_norm(slope, y, rtol, atol)
    for i in range(y.shape[0]):
        moved[i] -= slope[i]
    most = max(speed, scaled_norm(moved, y, rtol, atol) / short)
    h = (0.01 / most) ** (1.0 / (order + 1.0)) if most > 1e-15 else max(1e-6, 1e-3 * short)
    return min(100.0 * short, h) if h == h else short


@inlined
def begin_length(method, system, work, state, slope, point, moved, order, rtol, atol):
    """The length of the first step if there is none to try: the first row whose slope is not
    finite, −1 if all are.
    """
    bad = first_bad_row(slope)
    if bad < 0 and state.clock[NEXT] <= 0.0:
        state.clock[NEXT] = method.control.first_step
        if method.control.first_step <= 0.0:
            state.clock[NEXT] = first_length(
                method, system, work, state, slope, point, moved, order, rtol, atol
            )
    return bad


@inlined
def first_length(method, system, work, state, slope, point, moved, order, rtol, atol):
    """By the slopes at both ends of a short Euler step; point and moved are scratch, and may be the
    same.
    """
    short = min(length_of_slope(state.y, slope, rtol, atol), rest_of_run(state))
    for i in range(state.y.shape[0]):
        point[i] = fma(short, slope[i], state.y[i])
    slope_at(method, system, work, state, state.clock[TIME] + short, point, moved)
    return length_of_curvature(state.y, slope, moved, short, order, rtol, atol)


# ---- options and records -------------------------------------------------------------------------
def checked(value, name: str, least: float, most: float, meaning: str) -> float:
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(
        value, bool
    )
    if not is_number or not (math.isfinite(value) and least <= value <= most):
        raise OptionError(
            f"{name} = {value!r}; it must be a number from {least:g} to {most:g} ({meaning})"
        )
    return float(value)


def with_control(integrator: Integrator, **fields) -> Integrator:
    return integrator.with_method(control=integrator.method.control._replace(**fields))


def choose_rtol(integrator: Integrator, value) -> Integrator:
    """Option `rtol`; atol is a hundredth of it unless that is set as well."""
    rtol = checked(
        value,
        "rtol",
        SMALLEST_TOLERANCE,
        LARGEST_TOLERANCE,
        "error of a step relative to each row of the state",
    )
    return with_control(integrator, rtol=rtol, atol=ABSOLUTE_PART * rtol)


def choose_atol(integrator: Integrator, value) -> Integrator:
    return with_control(
        integrator,
        atol=checked(value, "atol", 1e-100, 1e100, "error of a step that a row near zero may have"),
    )


def choose_tolerance(integrator: Integrator, value) -> Integrator:
    """Option `tolerance`: rtol and atol alike."""
    both = checked(
        value, "tolerance", SMALLEST_TOLERANCE, LARGEST_TOLERANCE, "it sets rtol and atol"
    )
    return with_control(integrator, rtol=both, atol=both)


def choose_first_step(integrator: Integrator, value) -> Integrator:
    return with_control(
        integrator,
        first_step=checked(
            value, "first_step", 1e-100, 1e100, "s; leave it out for an automatic choice"
        ),
    )


def choose_largest_step(integrator: Integrator, value) -> Integrator:
    return with_control(
        integrator,
        largest_step=checked(value, "largest_step", 1e-100, 1e100, "s; leave it out for no limit"),
    )


OPTIONS = {
    "tolerance": choose_tolerance,
    "rtol": choose_rtol,
    "atol": choose_atol,
    "first_step": choose_first_step,
    "largest_step": choose_largest_step,
}
REMARK = (
    "chooses its steps by their estimated error: rtol 1e-8, atol a hundredth of rtol unless set; "
    "`step` is the spacing of the output"
)


def statistics(state: State) -> dict:
    """What a run of own steps adds to the statistics."""
    return {
        "refused": int(state.counts[REFUSED]),
        "last_step": float(state.scratch.span.facts[LENGTH]),
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
        advance=advance_freely,
        is_adaptive=True,
        options=OPTIONS,
        says=statistics,
        **rest,
    )


def at_fixed_step(integrator: Integrator) -> Integrator:
    """The main formula alone, with the steps of the grid."""
    return replace(
        integrator,
        name=f"fixed({integrator.name})",
        advance=advance,
        is_adaptive=False,
        options={},
        says=None,
        remark="the main formula only",
    )
