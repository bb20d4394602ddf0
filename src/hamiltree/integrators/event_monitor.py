"""Zero crossings: seen while advancing, located afterwards by taking the step again with another
length.

An event is an expression g of time and state (and rates). Where g changes sign in a step, what the
step began with is kept; `locate` then finds the part of the step after which g vanishes, on the
numerical flow itself. So advancing costs one evaluation of g a step.
"""

from typing import Any, NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, kernel, outlined
from hamiltree.compiled.pointer import in_memory, unpack
from hamiltree.compiled.user_code import code_table, run_code
from hamiltree.integrators.integrator import FRESH, STATUS, step
from hamiltree.verbs import rates

# Blocks of the code of the events, and entries of Watch.counts.
EVENTS, CONDITIONS = range(2)
SEEN, LOOKED, HALT, UNREAL = range(4)
# A kept beginning: event, time, length of the step, g before and after, work so far, then y and
# what its sum has lost.
EVENT, BEGIN, LENGTH, BEFORE, AFTER, WORK, HEAD = range(7)
ROOM = 4096  # beginnings that are kept before they must be located
CLOSE = 1e-13  # of the time of a crossing
MOST_TRIALS = 100


class Watch(NamedTuple):
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
    lost: np.ndarray
    work: np.ndarray  # (1,) of dampers and loads until then
    kept: np.ndarray  # (ROOM, HEAD + 2 m) beginnings of steps with a crossing
    # SEEN, LOOKED, HALT, UNREAL (the number of an event that was not real, from one)
    counts: np.ndarray
    scratch: np.ndarray


def no_watch(rows: int) -> Watch:
    """Of a run without events."""
    return new_watch(
        rows,
        code_table([None]),
        np.zeros(0),
        np.zeros(0, int),
        np.zeros(0, int),
        np.zeros((0, 2), int),
        0,
        False,
    )


def new_watch(
    rows: int,
    code,
    parameters,
    direction,
    is_terminal,
    conditions,
    condition_count: int,
    needs_rates: bool,
) -> Watch:
    events = len(direction)
    return Watch(
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
        np.zeros((max(ROOM, events) if events else 0, HEAD + 2 * rows)),
        np.zeros(4, dtype=np.int64),
        np.zeros(1 + 2 * rows + events + condition_count),
    )


@inlined
def look(system, work, watch, block, t, y, out):
    """The events or the conditions at a state."""
    for i in range(y.shape[0]):
        watch.x[i] = y[i]
    if watch.needs_rates:
        rates(system, work, t, y, watch.ydot)
        for i in range(y.shape[0]):
            watch.x[y.shape[0] + i] = watch.ydot[i]
    run_code(
        watch.code, 0, watch.scratch, block, watch.parameters, t, watch.x, out, 0, out.shape[0]
    )


@inlined
def is_watching(watch):
    return watch.direction.shape[0] > 0


@inlined
def is_full(watch):
    """Whether the crossings of one more step may find no room."""
    return (
        is_watching(watch) and watch.counts[SEEN] + watch.direction.shape[0] > watch.kept.shape[0]
    )


@inlined
def begin_watch(system, work, watch, state, t):
    """Before a step: what it begins with."""
    if is_watching(watch):
        if watch.counts[LOOKED] == 0:
            look(system, work, watch, EVENTS, t, state.y, watch.before)
            watch.counts[LOOKED] = 1
            note_unreal(watch, watch.before)
        for i in range(state.y.shape[0]):
            watch.y[i], watch.lost[i] = state.y[i], state.lost[i]
        watch.work[0] = state.work[0]


@inlined
def note_unreal(watch, values):
    """An expression that is not a number crosses nothing; that must not go unsaid."""
    for e in range(values.shape[0]):
        if values[e] != values[e]:
            watch.counts[UNREAL] = e + 1


@inlined
def has_crossed(direction, before, after):
    """From not above to above zero, or from not below to below, as the direction asks."""
    return (direction >= 0 and before <= 0.0 and after > 0.0) or (
        direction <= 0 and before >= 0.0 and after < 0.0
    )


@inlined
def end_watch(system, work, watch, state, t, h, end):
    """After a step from t to end: keep the beginning for each event that changed sign; HALT if one
    of them may end the run.
    """
    if is_watching(watch):
        look(system, work, watch, EVENTS, end, state.y, watch.after)
        note_unreal(watch, watch.after)
        for e in range(watch.direction.shape[0]):
            if has_crossed(watch.direction[e], watch.before[e], watch.after[e]):
                keep_beginning(watch, e, t, h)
                if watch.is_terminal[e] != 0:
                    watch.counts[HALT] = 1
            watch.before[e] = watch.after[e]


@inlined
def keep_beginning(watch, e, t, h):
    row, rows = watch.counts[SEEN], watch.y.shape[0]
    watch.kept[row, EVENT], watch.kept[row, BEGIN], watch.kept[row, LENGTH] = e, t, h
    watch.kept[row, BEFORE], watch.kept[row, AFTER], watch.kept[row, WORK] = (
        watch.before[e],
        watch.after[e],
        watch.work[0],
    )
    for i in range(rows):
        watch.kept[row, HEAD + i] = watch.y[i]
        watch.kept[row, HEAD + rows + i] = watch.lost[i]
    watch.counts[SEEN] = row + 1


@kernel
def evaluate_samples(code, block, parameters, times, states, state, values, out, scratch):
    """The expressions of a block at every sample: (samples, rows) → (samples, expressions)."""
    for k in range(states.shape[0]):
        for i in range(states.shape[1]):
            state[i] = states[k, i]
        run_code(code, 0, scratch, block, parameters, times[k], state, values, 0, out.shape[1])
        for j in range(out.shape[1]):
            out[k, j] = values[j]


# ---- where exactly -------------------------------------------------------------------------------
@inlined
def begin_again(watch, trial, row):
    rows = trial.y.shape[0]
    for i in range(rows):
        trial.y[i] = watch.kept[row, HEAD + i]
        trial.lost[i] = watch.kept[row, HEAD + rows + i]
    trial.work[0], trial.work_lost[0] = watch.kept[row, WORK], 0.0
    trial.counts[FRESH] = 1


@inlined
def holds(watch, e):
    """Whether all conditions of an event are above zero."""
    failed = 0
    for c in range(watch.conditions[e, 0], watch.conditions[e, 1]):
        failed += not watch.values[c] > 0.0
    return failed == 0


@kernel
def locate(handle, method, trial, watch, found):
    """Every kept beginning: the crossing, by Chandrupatla's bracketing on the part of the step;
    accepted ones into found. Returns how many.

    found has columns event, time, work, y.
    """
    return locate_all(handle, in_memory(method), in_memory(trial), in_memory(watch), found)


@outlined
def locate_all(handle, method, trial, watch, found):
    system, work, single = unpack(handle)
    rows, accepted = trial.y.shape[0], 0
    for row in range(watch.counts[SEEN]):
        e, t, h = int(watch.kept[row, EVENT]), watch.kept[row, BEGIN], watch.kept[row, LENGTH]
        x1, f1, x2, f2, x3, f3 = (
            1.0,
            watch.kept[row, AFTER],
            0.0,
            watch.kept[row, BEFORE],
            0.0,
            watch.kept[row, BEFORE],
        )
        x, is_last = 0.0 if f2 == 0.0 else 0.5, f2 == 0.0
        for _ in range(MOST_TRIALS):
            begin_again(watch, trial, row)
            if x > 0.0:
                status = step(method, system, work, trial, t, x * h)
                if status != 0:
                    trial.counts[STATUS] = status
                    return accepted
            if is_last:
                break
            look(system, single, watch, EVENTS, t + x * h, trial.y, watch.after)
            f = watch.after[e]
            if (f < 0.0) == (f1 < 0.0):
                x3, f3 = x1, f1
            else:
                x3, f3, x2, f2 = x2, f2, x1, f1
            x1, f1 = x, f
            best, least = (x1, abs(f1)) if abs(f1) < abs(f2) else (x2, abs(f2))
            part = (4.0e-16 * best + 0.5 * CLOSE / abs(h)) / abs(x2 - x1)
            if part > 0.5 or least == 0.0:
                is_last = True
                if best == x:
                    break
                x = best
            else:
                x = x1 + next_part(x1, f1, x2, f2, x3, f3, part) * (x2 - x1)
        look(system, single, watch, CONDITIONS, t + x * h, trial.y, watch.values)
        is_pole = min(abs(f1), abs(f2)) > max(
            abs(watch.kept[row, BEFORE]), abs(watch.kept[row, AFTER])
        )
        if holds(watch, e) and not is_pole:
            found[accepted, 0], found[accepted, 1], found[accepted, 2] = e, t + x * h, trial.work[0]
            for i in range(rows):
                found[accepted, 3 + i] = trial.y[i]
            accepted += 1
    watch.counts[SEEN] = 0
    return accepted


@inlined
def next_part(x1, f1, x2, f2, x3, f3, part):
    """Of the bracket from x1 to x2: inverse quadratic interpolation where it is safe, else the
    middle (Chandrupatla 1997).
    """
    xi, phi, guess = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2), 0.5
    if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
        guess = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (
            f3 - f2
        )
    return min(1.0 - part, max(part, guess))


class Located(NamedTuple):
    """Crossings in the order of time."""

    event: np.ndarray
    t: np.ndarray
    work: np.ndarray
    y: np.ndarray


def located(handle: Any, method: Any, trial: Any, watch: Watch) -> Located:
    """The crossings that are kept and meet their conditions; afterwards none is kept."""
    seen, rows = int(watch.counts[SEEN]), len(trial.y)
    found = np.zeros((seen, 3 + rows))
    number = locate(handle, method, trial, watch, found)
    watch.counts[HALT] = 0
    chosen = found[:number]
    chosen = chosen[np.argsort(chosen[:, 1], kind="stable")]
    return Located(
        chosen[:, 0].astype(np.int64),
        chosen[:, 1].copy(),
        chosen[:, 2].copy(),
        chosen[:, 3:].copy(),
    )
