"""Where crossings lie: kept steps are searched, and taken again with other lengths until the event
vanishes, on the numerical flow itself.
"""

from typing import Any, NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, kernel, outlined
from hamiltree.compiled.pointer import in_memory, unpack
from hamiltree.integrators.event_monitor import (
    AFTER,
    BEFORE,
    BEGIN,
    BRACKET_SIZE,
    BRACKETS,
    CONDITIONS,
    CROSSED,
    EARLIER_SIGN,
    EVENT,
    EVENTS,
    KIND,
    LEFT,
    LEFT_VALUE,
    LENGTH,
    MAX_BRACKETS,
    ONCE,
    RIGHT,
    RIGHT_VALUE,
    SIGN,
    STEP,
    TERMINAL,
    UNSEARCHED,
    EventMonitor,
    evaluate_block,
    has_crossed,
)
from hamiltree.integrators.event_search import restart_trial, search_step, take_part_of_step
from hamiltree.integrators.integrator import NEEDS_MATRIX, RUNNING, STATUS

# What `process_crossings` does: brackets of all kept steps, crossings in these, events that are met
# at the end of the run.
SEARCH, LOCATE, MEET_END = range(3)
PART_TOLERANCE = 1e-13  # of a crossing, in parts of its step; not below what the clock resolves
RESOLUTION = 2.0**-52
MAX_TRIALS = 100
FAILED = -1.0  # no part of a step


@kernel
def process_crossings(handle, method, trial, monitor, task, t, brackets, number, found):
    """SEARCH: brackets of all kept steps into `brackets`, and how many. LOCATE: the crossing in
    each of `number` brackets by Chandrupatla's method, accepted ones into found, and how many.
    MEET_END: events that are zero at the end t of the run, of which the trial is the state, into
    found, and how many.

    found has columns event, time, work, y. Where a step of the trial failed, its status says so.
    """
    parts = in_memory(method), in_memory(trial), in_memory(monitor)
    if task == SEARCH:
        return collect_brackets(handle, *parts, brackets)
    if task == LOCATE:
        return locate_all_brackets(handle, *parts, brackets, number, found)
    return meet_end(handle, *parts, t, found)


# ---- brackets ------------------------------------------------------------------------------------
@outlined
def collect_brackets(handle, method, trial, monitor, brackets):
    """Those that are known, one for each step with one crossing, and those of steps that are
    searched now.
    """
    system, work, single = unpack(handle)
    number = 0
    for k in range(monitor.counts[BRACKETS]):
        for j in range(BRACKET_SIZE):
            brackets[number, j] = monitor.brackets[k, j]
        number += 1
    for row in range(monitor.counts[CROSSED]):
        kind = int(monitor.step_starts[row, KIND])
        has_failed = False
        if kind == UNSEARCHED:
            after, status = search_step(
                method, system, work, single, trial, monitor, row, brackets, number
            )
            if status == NEEDS_MATRIX:
                trial.counts[STATUS] = status
                return 0
            has_failed = status != RUNNING  # in a part of the step that is no part of the run
            number = number if has_failed else after
        if kind == ONCE or has_failed:
            number = add_whole_step(monitor, row, brackets, number)
    return number


@inlined
def add_whole_step(monitor, row, brackets, number):
    """The step as one bracket, if the event crosses from end to end."""
    start = monitor.step_starts[row]
    direction = monitor.direction[int(start[EVENT])]
    if has_crossed(direction, start[SIGN], start[BEFORE], start[AFTER]):
        brackets[number, STEP] = row
        brackets[number, LEFT], brackets[number, RIGHT] = 0.0, 1.0
        brackets[number, LEFT_VALUE] = start[BEFORE]
        brackets[number, RIGHT_VALUE] = start[AFTER]
        return number + 1
    return number


# ---- crossings -----------------------------------------------------------------------------------
@inlined
def meets_conditions(monitor, e):
    """Whether all conditions of an event are above zero."""
    failed = 0
    for c in range(monitor.conditions[e, 0], monitor.conditions[e, 1]):
        failed += not monitor.values[c] > 0.0
    return failed == 0


@outlined
def locate_all_brackets(handle, method, trial, monitor, brackets, number, found):
    """See `process_crossings`; method, trial and monitor are in memory. Afterwards no step is
    kept.
    """
    system, work, single = unpack(handle)
    accepted = 0
    for k in range(number):
        row = int(brackets[k, STEP])
        x, residual = locate_bracket(method, system, work, single, trial, monitor, row, brackets[k])
        if x < 0.0:
            return accepted
        e = int(monitor.step_starts[row, EVENT])
        t = monitor.step_starts[row, BEGIN] + x * monitor.step_starts[row, LENGTH]
        evaluate_block(system, single, monitor, CONDITIONS, t, trial.y, monitor.values)
        if meets_conditions(monitor, e) and not is_pole(monitor, row, brackets[k], residual):
            save_crossing(trial, found, accepted, e, t)
            accepted += 1
    monitor.counts[CROSSED], monitor.counts[BRACKETS] = 0, 0
    return accepted


@inlined
def is_pole(monitor, row, bracket, residual):
    """Whether g grew where its zero should be: beyond what it is at the ends of the step, and at
    the smaller end of the bracket.
    """
    ends = max(abs(monitor.step_starts[row, BEFORE]), abs(monitor.step_starts[row, AFTER]))
    return residual > max(ends, min(abs(bracket[LEFT_VALUE]), abs(bracket[RIGHT_VALUE])))


@inlined
def go_to_part(method, system, work, trial, monitor, row, x):
    """The trial after a part of a kept step; its status."""
    if x > 0.0:
        return take_part_of_step(method, system, work, trial, monitor, row, x)
    restart_trial(monitor, trial, row)
    return RUNNING


@inlined
def locate_bracket(method, system, work, single, trial, monitor, row, bracket):
    """The part of a kept step after which its event vanishes, and |g| there; the trial is the state
    there. The part is FAILED where a step of the trial failed.
    """
    e = int(monitor.step_starts[row, EVENT])
    t = monitor.step_starts[row, BEGIN]
    h = monitor.step_starts[row, LENGTH]
    x1 = bracket[RIGHT]
    f1 = bracket[RIGHT_VALUE]
    x2 = bracket[LEFT]
    f2 = bracket[LEFT_VALUE]
    x3 = x2
    f3 = f2
    is_last = f2 == 0.0
    x = x2 if is_last else 0.5 * (x1 + x2)
    resolved = max(PART_TOLERANCE, RESOLUTION * abs(t / h))
    for _ in range(MAX_TRIALS):
        status = go_to_part(method, system, work, trial, monitor, row, x)
        if status != RUNNING:
            trial.counts[STATUS] = status
            return FAILED, 0.0
        if is_last:
            break
        evaluate_block(system, single, monitor, EVENTS, t + x * h, trial.y, monitor.after)
        f = monitor.after[e]
        if (f < 0.0) == (f1 < 0.0):
            x3, f3 = x1, f1
        else:
            x3, f3 = x2, f2
            x2, f2 = x1, f1
        x1, f1 = x, f
        best, least = (x1, abs(f1)) if abs(f1) < abs(f2) else (x2, abs(f2))
        part = (4.0e-16 * best + 0.5 * resolved) / abs(x2 - x1)
        if part > 0.5 or least == 0.0:
            is_last = True
            if best == x:
                break
            x = best
        else:
            x = x1 + next_fraction(x1, f1, x2, f2, x3, f3, part) * (x2 - x1)
    return x, min(abs(f1), abs(f2))


@inlined
def save_crossing(trial, found, row, e, t):
    """Event, time, work and state of an accepted crossing."""
    found[row, 0] = e
    found[row, 1] = t
    found[row, 2] = trial.work[0]
    for i in range(trial.y.shape[0]):
        found[row, 3 + i] = trial.y[i]


@inlined
def next_fraction(x1, f1, x2, f2, x3, f3, part):
    """Of the bracket from x1 to x2: inverse quadratic interpolation where it is safe, else the
    middle (Chandrupatla 1997).
    """
    xi = (x1 - x2) / (x3 - x2)
    phi = (f1 - f2) / (f3 - f2)
    guess = 0.5
    if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
        slope_part = (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
        guess = f1 / (f2 - f1) * f3 / (f2 - f3) + slope_part
    return min(1.0 - part, max(part, guess))


@outlined
def meet_end(handle, method, trial, monitor, t, found):
    """Events that have come to zero where the run ends, from the side that their direction asks
    for: there is no step behind it in which they could change sign. How many.
    """
    system, _work, single = unpack(handle)
    accepted = 0
    evaluate_block(system, single, monitor, EVENTS, t, trial.y, monitor.after)
    evaluate_block(system, single, monitor, CONDITIONS, t, trial.y, monitor.values)
    for e in range(monitor.direction.shape[0]):
        sign = monitor.sign[e]
        # one that was seen in the last step, by rounding of its end, does not count again
        is_new = sign == monitor.history[e, EARLIER_SIGN] and sign != 0.0
        is_there = is_new and sign * monitor.after[e] <= 0.0
        if is_there and monitor.direction[e] * sign <= 0.0 and meets_conditions(monitor, e):
            save_crossing(trial, found, accepted, e, t)
            accepted += 1
    return accepted


# ---- from Python ---------------------------------------------------------------------------------
class LocatedCrossings(NamedTuple):
    """Crossings in the order of time."""

    event: np.ndarray
    t: np.ndarray
    work: np.ndarray
    y: np.ndarray


def sort_crossings(found: np.ndarray) -> LocatedCrossings:
    """Rows of event, time, work, y in the order of time."""
    chosen = found[np.argsort(found[:, 1], kind="stable")]
    return LocatedCrossings(
        chosen[:, 0].astype(np.int64),
        chosen[:, 1].copy(),
        chosen[:, 2].copy(),
        chosen[:, 3:].copy(),
    )


def locate_crossings(
    handle: Any, method: Any, trial: Any, monitor: EventMonitor
) -> LocatedCrossings:
    """The crossings in kept steps that meet their conditions; afterwards no step is kept."""
    kinds = monitor.step_starts[: monitor.counts[CROSSED], KIND]
    most = int(monitor.counts[BRACKETS] + (kinds == ONCE).sum())
    most += MAX_BRACKETS * int((kinds == UNSEARCHED).sum())
    about = handle, method, trial, monitor
    brackets = np.zeros((most, BRACKET_SIZE))
    none = np.zeros((0, 3 + len(trial.y)))
    number = process_crossings(*about, SEARCH, 0.0, brackets, 0, none)
    found = np.zeros((number, 3 + len(trial.y)))
    if trial.counts[STATUS] == RUNNING:
        number = process_crossings(*about, LOCATE, 0.0, brackets, number, found)
    monitor.counts[TERMINAL] = 0
    return sort_crossings(found[:number])


def crossings_at_end(
    handle: Any, method: Any, trial: Any, monitor: EventMonitor, t: float
) -> LocatedCrossings:
    """The events that are zero in the state of the trial, at which the run ends at time t."""
    found = np.zeros((len(monitor.direction), 3 + len(trial.y)))
    brackets = np.zeros((0, BRACKET_SIZE))
    number = process_crossings(handle, method, trial, monitor, MEET_END, t, brackets, 0, found)
    return sort_crossings(found[:number])
