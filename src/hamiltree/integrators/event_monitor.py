"""Zero crossings: noticed while advancing, located afterwards by taking the step again with another
length.

An event is an expression g of time and state (and rates). Where g changes sign in a step, what the
step began with is kept; `bracket_crossings` then finds the part of the step after which g vanishes,
on the numerical flow itself. So advancing costs one evaluation of g per step.
"""

from typing import Any, NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, kernel, outlined
from hamiltree.compiled.pointer import in_memory, unpack
from hamiltree.compiled.user_code import code_table, run_code
from hamiltree.integrators.integrator import FRESH, STATUS, step
from hamiltree.verbs import rates

# Blocks of the code of the events, and entries of EventMonitor.counts.
EVENTS, CONDITIONS = range(2)
CROSSED, EVALUATED, TERMINAL, NOT_REAL = range(4)
# A kept beginning: event, time, length of the step, g before and after, work so far, then y and
# its compensation, then the windings.
EVENT, BEGIN, LENGTH, BEFORE, AFTER, WORK, HEADER_SIZE = range(7)
MAX_CROSSINGS = 4096  # beginnings that are kept before they must be located
TIME_TOLERANCE = 1e-13  # of the time of a crossing
MAX_TRIALS = 100


class EventMonitor(NamedTuple):
    """What to look at after each step; empty if there is nothing."""

    code: np.ndarray  # one Code
    parameters: np.ndarray
    direction: np.ndarray  # of each event: +1 rising, −1 falling, 0 both
    is_terminal: np.ndarray
    conditions: np.ndarray  # (events, 2) first and last condition of each
    needs_rates: bool
    x: np.ndarray  # state and rates, as the code sees them
    ydot: np.ndarray
    before: np.ndarray
    after: np.ndarray
    values: np.ndarray  # of the conditions
    y: np.ndarray  # where the present step began
    compensation: np.ndarray
    work: np.ndarray  # (1,) of dampers and loads until then
    windings: np.ndarray  # (w,) angles with their turns
    # (MAX_CROSSINGS, HEADER_SIZE + 2 m + w) beginnings of steps with a crossing
    step_starts: np.ndarray
    # CROSSED, EVALUATED, TERMINAL, NOT_REAL (the number of an event that was not real, from one)
    counts: np.ndarray
    scratch: np.ndarray


def empty_monitor(rows: int) -> EventMonitor:
    """Of a run without events."""
    return new_monitor(
        rows,
        code_table([None]),
        np.zeros(0),
        np.zeros(0, int),
        np.zeros(0, int),
        np.zeros((0, 2), int),
        0,
        False,
    )


def new_monitor(
    rows: int,
    code,
    parameters,
    direction,
    is_terminal,
    conditions,
    condition_count: int,
    needs_rates: bool,
    windings: int = 0,
) -> EventMonitor:
    """A monitor of a state of so many rows and windings, with arrays for the values of events and
    conditions.
    """
    events = len(direction)
    return EventMonitor(
        code,
        np.asarray(parameters, dtype=float),
        np.asarray(direction, dtype=np.int64),
        np.asarray(is_terminal, dtype=np.int64),
        np.asarray(conditions, dtype=np.int64).reshape(-1, 2),
        bool(needs_rates),
        np.zeros(2 * rows),
        np.zeros(rows),
        np.zeros(events),
        np.zeros(events),
        np.zeros(condition_count),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros(1),
        np.zeros(windings),
        np.zeros((max(MAX_CROSSINGS, events) if events else 0, HEADER_SIZE + 2 * rows + windings)),
        np.zeros(4, dtype=np.int64),
        np.zeros(1 + 2 * rows + events + condition_count),
    )


@inlined
def evaluate_block(system, work, monitor, block, t, y, out):
    """The events or the conditions at a state."""
    for i in range(y.shape[0]):
        monitor.x[i] = y[i]
    if monitor.needs_rates:
        rates(system, work, t, y, monitor.ydot)
        for i in range(y.shape[0]):
            monitor.x[y.shape[0] + i] = monitor.ydot[i]
    run_code(
        monitor.code,
        0,
        monitor.scratch,
        block,
        monitor.parameters,
        t,
        monitor.x,
        out,
        0,
        out.shape[0],
    )


@inlined
def has_events(monitor):
    return monitor.direction.shape[0] > 0


@inlined
def is_full(monitor):
    """Whether there may be no space for the crossings of one more step."""
    return (
        has_events(monitor)
        and monitor.counts[CROSSED] + monitor.direction.shape[0] > monitor.step_starts.shape[0]
    )


@inlined
def monitor_step_start(system, work, monitor, state, t):
    """Before a step: what it begins with."""
    if has_events(monitor):
        if monitor.counts[EVALUATED] == 0:
            evaluate_block(system, work, monitor, EVENTS, t, state.y, monitor.before)
            monitor.counts[EVALUATED] = 1
            note_not_real(monitor, monitor.before)
        for i in range(state.y.shape[0]):
            monitor.y[i], monitor.compensation[i] = state.y[i], state.compensation[i]
        monitor.work[0] = state.work[0]
        for i in range(state.windings.shape[0]):
            monitor.windings[i] = state.windings[i]


@inlined
def note_not_real(monitor, values):
    """Record an event that is not a number: it crosses nothing, and the user is warned."""
    for e in range(values.shape[0]):
        if values[e] != values[e]:
            monitor.counts[NOT_REAL] = e + 1


@inlined
def has_crossed(direction, before, after):
    """From not above to above zero, or from not below to below, as the direction asks."""
    return (direction >= 0 and before <= 0.0 and after > 0.0) or (
        direction <= 0 and before >= 0.0 and after < 0.0
    )


@inlined
def monitor_step_end(system, work, monitor, state, t, h, end):
    """After a step from t to end: keep the beginning for each event that changed sign; TERMINAL if
    one of them may end the run.
    """
    if has_events(monitor):
        evaluate_block(system, work, monitor, EVENTS, end, state.y, monitor.after)
        note_not_real(monitor, monitor.after)
        for e in range(monitor.direction.shape[0]):
            if has_crossed(monitor.direction[e], monitor.before[e], monitor.after[e]):
                save_step_start(monitor, e, t, h)
                if monitor.is_terminal[e] != 0:
                    monitor.counts[TERMINAL] = 1
            monitor.before[e] = monitor.after[e]


@inlined
def save_step_start(monitor, e, t, h):
    """Keep what the step began with, for event e: its header, then y and its compensation."""
    row, rows = monitor.counts[CROSSED], monitor.y.shape[0]
    monitor.step_starts[row, EVENT] = e
    monitor.step_starts[row, BEGIN] = t
    monitor.step_starts[row, LENGTH] = h
    monitor.step_starts[row, BEFORE] = monitor.before[e]
    monitor.step_starts[row, AFTER] = monitor.after[e]
    monitor.step_starts[row, WORK] = monitor.work[0]
    for i in range(rows):
        monitor.step_starts[row, HEADER_SIZE + i] = monitor.y[i]
        monitor.step_starts[row, HEADER_SIZE + rows + i] = monitor.compensation[i]
    for i in range(monitor.windings.shape[0]):
        monitor.step_starts[row, HEADER_SIZE + 2 * rows + i] = monitor.windings[i]
    monitor.counts[CROSSED] = row + 1


@kernel
def evaluate_samples(code, block, parameters, times, states, state, values, out, scratch):
    """The expressions of a block at every sample: (samples, rows) → (samples, expressions)."""
    for k in range(states.shape[0]):
        for i in range(states.shape[1]):
            state[i] = states[k, i]
        run_code(code, 0, scratch, block, parameters, times[k], state, values, 0, out.shape[1])
        for j in range(out.shape[1]):
            out[k, j] = values[j]


# ---- locating a crossing -------------------------------------------------------------------------
@inlined
def restart_trial(monitor, trial, row):
    """Put the trial back to where a kept step began."""
    rows = trial.y.shape[0]
    for i in range(rows):
        trial.y[i] = monitor.step_starts[row, HEADER_SIZE + i]
        trial.compensation[i] = monitor.step_starts[row, HEADER_SIZE + rows + i]
    for i in range(trial.windings.shape[0]):
        trial.windings[i] = monitor.step_starts[row, HEADER_SIZE + 2 * rows + i]
    trial.work[0], trial.work_compensation[0] = monitor.step_starts[row, WORK], 0.0
    trial.counts[FRESH] = 1


@inlined
def meets_conditions(monitor, e):
    """Whether all conditions of an event are above zero."""
    failed = 0
    for c in range(monitor.conditions[e, 0], monitor.conditions[e, 1]):
        failed += not monitor.values[c] > 0.0
    return failed == 0


@kernel
def bracket_crossings(handle, method, trial, monitor, found):
    """Every kept beginning: the crossing, by Chandrupatla's bracketing on the part of the step;
    accepted ones into found. Returns how many.

    found has columns event, time, work, y.
    """
    return bracket_all_crossings(
        handle, in_memory(method), in_memory(trial), in_memory(monitor), found
    )


@outlined
def bracket_all_crossings(handle, method, trial, monitor, found):
    """See `bracket_crossings`; method, trial and monitor are in memory."""
    system, work, single = unpack(handle)
    accepted = 0
    for row in range(monitor.counts[CROSSED]):
        x, residual = bracket_crossing(method, system, work, single, trial, monitor, row)
        if x < 0.0:
            return accepted
        e = int(monitor.step_starts[row, EVENT])
        t = monitor.step_starts[row, BEGIN] + x * monitor.step_starts[row, LENGTH]
        evaluate_block(system, single, monitor, CONDITIONS, t, trial.y, monitor.values)
        is_pole = residual > max(
            abs(monitor.step_starts[row, BEFORE]), abs(monitor.step_starts[row, AFTER])
        )
        if meets_conditions(monitor, e) and not is_pole:
            save_crossing(trial, found, accepted, e, t)
            accepted += 1
    monitor.counts[CROSSED] = 0
    return accepted


@inlined
def bracket_crossing(method, system, work, single, trial, monitor, row):
    """The part of a kept step after which its event vanishes, and |g| there; the trial is the state
    there. The part is −1 where a step of the trial failed.
    """
    e = int(monitor.step_starts[row, EVENT])
    t = monitor.step_starts[row, BEGIN]
    h = monitor.step_starts[row, LENGTH]
    x1 = 1.0
    f1 = monitor.step_starts[row, AFTER]
    x2 = 0.0
    f2 = monitor.step_starts[row, BEFORE]
    x3 = 0.0
    f3 = f2
    x = 0.0 if f2 == 0.0 else 0.5
    is_last = f2 == 0.0
    for _ in range(MAX_TRIALS):
        restart_trial(monitor, trial, row)
        if x > 0.0:
            status = step(method, system, work, trial, t, x * h)
            if status != 0:
                trial.counts[STATUS] = status
                return -1.0, 0.0
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
        part = (4.0e-16 * best + 0.5 * TIME_TOLERANCE / abs(h)) / abs(x2 - x1)
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


class LocatedCrossings(NamedTuple):
    """Crossings in the order of time."""

    event: np.ndarray
    t: np.ndarray
    work: np.ndarray
    y: np.ndarray


def locate_crossings(
    handle: Any, method: Any, trial: Any, monitor: EventMonitor
) -> LocatedCrossings:
    """The crossings that are kept and meet their conditions; afterwards none is kept."""
    seen, rows = int(monitor.counts[CROSSED]), len(trial.y)
    found = np.zeros((seen, 3 + rows))
    number = bracket_crossings(handle, method, trial, monitor, found)
    monitor.counts[TERMINAL] = 0
    chosen = found[:number]
    chosen = chosen[np.argsort(chosen[:, 1], kind="stable")]
    return LocatedCrossings(
        chosen[:, 0].astype(np.int64),
        chosen[:, 1].copy(),
        chosen[:, 2].copy(),
        chosen[:, 3:].copy(),
    )
