"""Zero crossings, noticed while advancing: what a step began with is kept where an event changes
sign in it, or may do so twice.

An event is an expression g of time and state (and rates). It crosses where its sign changes: a zero
at the end of a step is a crossing only if the sign behind it is another than before it, and g that
touches zero and turns back crosses nothing. At its start a run may lie on an event, and at its end.
Methods of fixed steps evaluate g once per step. Two crossings within it are suspected where the
last values of g bend enough to reach zero between two of the same sign; such a step is searched
afterwards (event_search.py, crossing_location.py).
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, kernel
from hamiltree.compiled.user_code import code_table, run_code
from hamiltree.integrators.integrator import REGULARITY_END, SINE
from hamiltree.verbs import rates

# Blocks of the code of the events, and entries of EventMonitor.counts: kept steps, whether g was
# evaluated before, whether a terminal event may lie in the last step, the number of an event that
# was not real (from one), brackets found in kept steps, steps since the history began, and whether
# two crossings within a step are left alone.
EVENTS, CONDITIONS = range(2)
CROSSED, EVALUATED, TERMINAL, NOT_REAL, BRACKETS, HISTORY, LEAVES_PAIRS = range(7)
# A kept step: event, time, length, g before and after, the last sign of g before it, what is known
# of it, work so far, and how independent constraints were (clock[SINE] … clock[AHEAD]); then y and
# its compensation where it began, and the windings.
EVENT, BEGIN, LENGTH, BEFORE, AFTER, SIGN, KIND, WORK = range(8)
HEADER_SIZE = WORK + 1 + REGULARITY_END - SINE
# What is known: g crosses once; it is to be searched; its brackets are in the table of these.
ONCE, UNSEARCHED, BRACKETED = range(3)
# A bracket: row of the kept step, parts of the step, and g at these.
STEP, LEFT, RIGHT, LEFT_VALUE, RIGHT_VALUE, BRACKET_SIZE = range(6)
# Of EventMonitor.history: rate and bend of g in the step before, the last sign before it, and how
# many steps are still to be searched, as a search has shown that g varies too fast for its steps.
RATE, BEND, EARLIER_SIGN, FAST_STEPS, HISTORY_SIZE = range(5)
MAX_FAST_STEPS = 4
MAX_CROSSINGS = 4096  # steps that are kept before they must be located
MAX_BRACKETS = 128  # of one event in one step
# An interval of a search: its ends in parts of the step, g at its ends and thirds, and the error of
# the cubic through these.
FROM, TO, G, ERROR, INTERVAL_SIZE = 0, 1, 2, 6, 7
STACK_DEPTH = 32
BEND_MARGIN = 1.5  # of the change of the bend of g from step to step, that the next may add


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
    work: np.ndarray  # of dampers and loads until then, and clock[SINE] … clock[AHEAD]
    windings: np.ndarray  # (w,) angles with their turns
    # (MAX_CROSSINGS, HEADER_SIZE + 2 m + w) beginnings of steps with a crossing
    step_starts: np.ndarray
    counts: np.ndarray  # CROSSED, EVALUATED, …
    scratch: np.ndarray
    sign: np.ndarray  # the last of each event that was not zero; 0: none yet
    history: np.ndarray  # (events, HISTORY_SIZE)
    last_length: np.ndarray  # (1,) of the step before
    brackets: np.ndarray  # (…, BRACKET_SIZE) that were found while advancing
    stack: np.ndarray  # intervals that are still to be searched
    probe: np.ndarray  # (1, m + 2) a sample inside a step
    inside: np.ndarray  # (events,) g inside a step


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
        np.zeros(HEADER_SIZE - WORK),
        np.zeros(windings),
        np.zeros((max(MAX_CROSSINGS, events) if events else 0, HEADER_SIZE + 2 * rows + windings)),
        np.zeros(7, dtype=np.int64),
        np.zeros(1 + 2 * rows + events + condition_count),
        np.zeros(events),
        np.zeros((events, HISTORY_SIZE)),
        np.zeros(1),
        np.zeros((max(MAX_CROSSINGS, 2 * MAX_BRACKETS * events) if events else 0, BRACKET_SIZE)),
        np.zeros((STACK_DEPTH, INTERVAL_SIZE)),
        np.zeros((1, rows + 2)),
        np.zeros(events),
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
    run_block(monitor, block, t, out)


@inlined
def run_block(monitor, block, t, out):
    """The events or the conditions of what lies in monitor.x."""
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
    events = monitor.direction.shape[0]
    return events > 0 and (
        monitor.counts[CROSSED] + events > monitor.step_starts.shape[0]
        or monitor.counts[BRACKETS] + MAX_BRACKETS * events > monitor.brackets.shape[0]
    )


@inlined
def monitor_step_start(system, work, monitor, state, t):
    """Before a step: what it begins with."""
    if has_events(monitor):
        if monitor.counts[EVALUATED] == 0:
            evaluate_block(system, work, monitor, EVENTS, t, state.y, monitor.before)
            monitor.counts[EVALUATED] = 1
            monitor.counts[HISTORY] = 0
            note_not_real(monitor, monitor.before)
            for e in range(monitor.before.shape[0]):
                monitor.sign[e] = sign_after(0.0, monitor.before[e])
        for i in range(state.y.shape[0]):
            monitor.y[i], monitor.compensation[i] = state.y[i], state.compensation[i]
        monitor.work[0] = state.work[0]
        for i in range(SINE, REGULARITY_END):
            monitor.work[1 + i - SINE] = state.clock[i]
        for i in range(state.windings.shape[0]):
            monitor.windings[i] = state.windings[i]


@inlined
def note_not_real(monitor, values):
    """Record an event that is not a number: it crosses nothing, and the user is warned."""
    for e in range(values.shape[0]):
        if values[e] != values[e]:
            monitor.counts[NOT_REAL] = e + 1


@inlined
def sign_after(sign, value):
    """The last sign that was not zero; none after what is not a number."""
    if value > 0.0:
        return 1.0
    if value < 0.0:
        return -1.0
    return sign if value == 0.0 else 0.0


@inlined
def has_crossed(direction, sign, before, after):
    """Whether g comes to another sign than its last, or leaves a zero on which it began, in the
    direction that is asked for.
    """
    is_new = sign * after < 0.0 or (sign == 0.0 and before == 0.0 and after != 0.0)
    return is_new and direction * after >= 0.0


@inlined
def monitor_step_end(system, work, monitor, state, t, h, end):
    """After a step from t to end: keep its beginning for each event that changed sign, or may have
    done so twice; TERMINAL if one of them may end the run.
    """
    if has_events(monitor):
        evaluate_block(system, work, monitor, EVENTS, end, state.y, monitor.after)
        note_not_real(monitor, monitor.after)
        keep_step_if_crossed(monitor, t, h)


@inlined
def keep_step_if_crossed(monitor, t, h):
    """The same, of events that are evaluated at the end of the step."""
    for e in range(monitor.direction.shape[0]):
        is_suspect = may_hide_crossings(monitor, e, h)
        if is_suspect or crosses_in_step(monitor, e):
            save_step_start(monitor, e, t, h, UNSEARCHED if is_suspect else ONCE)
        if is_suspect and monitor.counts[HISTORY] == 0:
            monitor.counts[TERMINAL] = 1  # the search says how later steps are to be watched
    finish_step(monitor, h)


@inlined
def crosses_in_step(monitor, e):
    return has_crossed(monitor.direction[e], monitor.sign[e], monitor.before[e], monitor.after[e])


@inlined
def finish_step(monitor, h):
    """The end of the step is the beginning of the next."""
    for e in range(monitor.direction.shape[0]):
        monitor.history[e, EARLIER_SIGN] = monitor.sign[e]
        monitor.sign[e] = sign_after(monitor.sign[e], monitor.after[e])
        monitor.before[e] = monitor.after[e]
    monitor.last_length[0] = h
    monitor.counts[HISTORY] += 1


@inlined
def may_hide_crossings(monitor, e, h):
    """Whether g may cross more often in the step than its ends show: with a bend b it falls between
    them by up to b h²/8, and by less if they are apart. The bend is that of the last three values,
    and by as much more as it has changed. Without a last step nothing is known: then it may.
    """
    if monitor.counts[LEAVES_PAIRS] != 0:
        return False
    before = monitor.before[e]
    after = monitor.after[e]
    history = monitor.history
    rate = (after - before) / h
    bend = 2.0 * (rate - history[e, RATE]) / (h + monitor.last_length[0])
    change = bend - history[e, BEND]
    history[e, RATE] = rate
    if monitor.counts[HISTORY] == 0:
        history[e, BEND] = 0.0
        return True
    history[e, BEND] = bend
    towards_zero = bend if before + after > 0.0 else -bend
    if before * after < 0.0:
        towards_zero = abs(bend)
    is_fast = history[e, FAST_STEPS] > 0.0
    return is_fast or abs(before) + abs(after) <= h * h * (towards_zero + BEND_MARGIN * abs(change))


@inlined
def save_step_start(monitor, e, t, h, kind):
    """Keep what the step began with, for event e: its header, then y and its compensation. If the
    event is terminal, TERMINAL says so.
    """
    row, rows = monitor.counts[CROSSED], monitor.y.shape[0]
    monitor.step_starts[row, EVENT] = e
    monitor.step_starts[row, BEGIN] = t
    monitor.step_starts[row, LENGTH] = h
    monitor.step_starts[row, BEFORE] = monitor.before[e]
    monitor.step_starts[row, AFTER] = monitor.after[e]
    monitor.step_starts[row, SIGN] = monitor.sign[e]
    monitor.step_starts[row, KIND] = kind
    for i in range(monitor.work.shape[0]):
        monitor.step_starts[row, WORK + i] = monitor.work[i]
    for i in range(rows):
        monitor.step_starts[row, HEADER_SIZE + i] = monitor.y[i]
        monitor.step_starts[row, HEADER_SIZE + rows + i] = monitor.compensation[i]
    for i in range(monitor.windings.shape[0]):
        monitor.step_starts[row, HEADER_SIZE + 2 * rows + i] = monitor.windings[i]
    monitor.counts[CROSSED] = row + 1
    if monitor.is_terminal[e] != 0:
        monitor.counts[TERMINAL] = 1


@kernel
def evaluate_samples(code, block, parameters, times, states, state, values, out, scratch):
    """The expressions of a block at every sample: (samples, rows) → (samples, expressions)."""
    for k in range(states.shape[0]):
        for i in range(states.shape[1]):
            state[i] = states[k, i]
        run_code(code, 0, scratch, block, parameters, times[k], state, values, 0, out.shape[1])
        for j in range(out.shape[1]):
            out[k, j] = values[j]
