"""Events of members that run four side by side in lanes.

Each member has a monitor's memory of its own, which is put into the one monitor when it is this
member's turn. A step in which an event may cross is taken again alone, in floats, until the zero is
located, as in a run of one member. A member that an event has ended stays in its lane and waits for
the others; where all four have ended, their steps end.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, kernel, outlined
from hamiltree.compiled.number import WIDTH, rows
from hamiltree.compiled.pointer import in_memory, unpack
from hamiltree.integrators.crossing_location import (
    collect_brackets,
    locate_all_brackets,
    meet_end,
)
from hamiltree.integrators.ensemble import enter_lanes, leave_lanes, save_samples
from hamiltree.integrators.event_monitor import (
    BRACKET_SIZE,
    BRACKETS,
    CROSSED,
    EVENTS,
    FAST_STEPS,
    HISTORY,
    HISTORY_SIZE,
    MAX_BRACKETS,
    TERMINAL,
    EventMonitor,
    keep_step_if_crossed,
    run_block,
    sign_after,
)
from hamiltree.integrators.integrator import POSITION_RATE, RUNNING, STATUS, step
from hamiltree.verbs import rates

# How it is with a member: it runs, an event has ended it, or it must run alone.
RUNS, ENDED, ALONE = range(3)


class Watch(NamedTuple):
    """What is known of the events of members, a row for each; then scratch."""

    before: np.ndarray  # (members, events) g at the end of the last step
    sign: np.ndarray  # (members, events) its last sign that was not zero
    history: np.ndarray  # (members, events, HISTORY_SIZE)
    last_length: np.ndarray  # (members,) of the step before
    steps: np.ndarray  # (members,) that were watched; −1: g was not evaluated yet
    outcome: np.ndarray  # (members,) RUNS, …
    count: np.ndarray  # (members, events) crossings
    first: np.ndarray  # (members, events) time of the first one, or no number
    ended_by: np.ndarray  # (members,) number of the event
    end: np.ndarray  # (members, 2 + m) time, state and work there
    parameters_vary: bool
    floats: np.ndarray  # (K,) tables of the floats by which steps are taken again
    start: np.ndarray  # (m, 4) where the present step began
    compensation: np.ndarray  # (m, 4)
    work: np.ndarray  # (4,)
    ydot: np.ndarray  # (m, 4)
    brackets: np.ndarray
    found: np.ndarray  # (…, 3 + m) event, time, work, state of crossings


def new_watch(
    members: int, length: int, monitor: EventMonitor, floats: np.ndarray, parameters_vary: bool
) -> Watch:
    """Of members at their starts."""
    events = len(monitor.direction)
    most = (MAX_BRACKETS + 1) * events
    return Watch(
        np.zeros((members, events)),
        np.zeros((members, events)),
        np.zeros((members, events, HISTORY_SIZE)),
        np.zeros(members),
        np.full(members, -1, dtype=np.int64),
        np.zeros(members, dtype=np.int64),
        np.zeros((members, events)),
        np.full((members, events), np.nan),
        np.zeros(members, dtype=np.int64),
        np.zeros((members, 2 + length)),
        parameters_vary,
        floats,
        rows(float, length, WIDTH),
        rows(float, length, WIDTH),
        np.zeros(WIDTH),
        rows(float, length, WIDTH),
        np.zeros((most, BRACKET_SIZE)),
        np.zeros((most, 3 + length)),
    )


# ---- the monitor of one member -------------------------------------------------------------------
@inlined
def take_turn(watch, monitor, members, row):
    """The memory of a member into the monitor."""
    for e in range(monitor.direction.shape[0]):
        monitor.before[e], monitor.sign[e] = watch.before[row, e], watch.sign[row, e]
        for j in range(HISTORY_SIZE):
            monitor.history[e, j] = watch.history[row, e, j]
    monitor.last_length[0] = watch.last_length[row]
    monitor.counts[HISTORY] = watch.steps[row]
    monitor.counts[TERMINAL] = 0
    if watch.parameters_vary:
        for j in range(members.numbers.shape[1]):
            monitor.parameters[j] = members.numbers[row, j]


@inlined
def end_turn(watch, monitor, row):
    """The memory out of the monitor."""
    for e in range(monitor.direction.shape[0]):
        watch.before[row, e], watch.sign[row, e] = monitor.before[e], monitor.sign[e]
        for j in range(HISTORY_SIZE):
            watch.history[row, e, j] = monitor.history[e, j]
    watch.last_length[row] = monitor.last_length[0]
    watch.steps[row] = monitor.counts[HISTORY]


@inlined
def evaluate_events(watch, monitor, state, k, t, out):
    """The events of lane k, whose rates are known."""
    m = state.y.shape[0]
    for i in range(m):
        monitor.x[i] = state.y[i, k]
        if monitor.needs_rates:
            monitor.x[m + i] = watch.ydot[i, k]
    run_block(monitor, EVENTS, t, out)


@inlined
def watch_start(watch, monitor, members, state, row, k, t):
    """The events of lane k at the start of its run."""
    take_turn(watch, monitor, members, row)
    evaluate_events(watch, monitor, state, k, t, monitor.before)
    for e in range(monitor.direction.shape[0]):
        monitor.sign[e] = sign_after(0.0, monitor.before[e])
    monitor.counts[HISTORY] = 0
    end_turn(watch, monitor, row)


@inlined
def begin_step(watch, state):
    """Keep what a step of four members begins with."""
    for k in range(WIDTH):
        for i in range(state.y.shape[0]):
            watch.start[i, k] = state.y[i, k]
            watch.compensation[i, k] = state.compensation[i, k]
        watch.work[k] = state.work[0, k]


# ---- crossings -----------------------------------------------------------------------------------
@inlined
def enter_alone(watch, members, trial, row):
    """A member's own tables, and natural sizes, for steps of floats."""
    for j in range(watch.floats.shape[0]):
        watch.floats[j] = members.numbers[row, j]
    for i in range(members.scales.shape[1]):
        trial.scale[i] = members.scales[row, i]
    for which in range(2):
        trial.clock[POSITION_RATE + which] = members.natural_rates[row, which]


@outlined
def locate_crossings_of_member(handle, method, trial, monitor, watch, members, row, begin):
    """The crossings of the step that was kept, up to the first that ends the member."""
    enter_alone(watch, members, trial, row)
    brackets, found = watch.brackets, watch.found
    number, accepted = collect_brackets(handle, method, trial, monitor, brackets), 0
    if trial.counts[STATUS] == RUNNING:
        accepted = locate_all_brackets(handle, method, trial, monitor, brackets, number, found)
    if trial.counts[STATUS] != RUNNING:
        watch.outcome[row] = ALONE
        trial.counts[STATUS] = RUNNING
    for e in range(monitor.direction.shape[0]):
        if monitor.history[e, FAST_STEPS] > 0.0:
            watch.outcome[row] = ALONE  # which steps are searched depends on when they are
    monitor.counts[CROSSED], monitor.counts[BRACKETS] = 0, 0
    note_crossings(watch, monitor, row, accepted, begin)


@inlined
def note_crossings(watch, monitor, row, accepted, begin):
    """Count crossings in the order of time; the first terminal one after the start ends the
    member, and those after it do not count.
    """
    found, last = watch.found, -1
    for j in range(accepted):
        is_end = monitor.is_terminal[int(found[j, 0])] != 0 and found[j, 1] > begin
        if is_end and (last < 0 or found[j, 1] < found[last, 1]):
            last = j
    for j in range(accepted):
        is_before = (
            last < 0
            or found[j, 1] < found[last, 1]
            or (found[j, 1] == found[last, 1] and j <= last)
        )
        if is_before:
            e = int(found[j, 0])
            watch.count[row, e] += 1.0
            if not found[j, 1] >= watch.first[row, e]:
                watch.first[row, e] = found[j, 1]
    if last >= 0 and watch.outcome[row] == RUNS:
        watch.outcome[row], watch.ended_by[row] = ENDED, int(found[last, 0])
        m = found.shape[1] - 3
        watch.end[row, 0], watch.end[row, 1 + m] = found[last, 1], found[last, 2]
        for i in range(m):
            watch.end[row, 1 + i] = found[last, 3 + i]


@inlined
def watch_step(handle, method, trial, monitor, watch, members, state, row, k, t, h, end, begin):
    """After a step: the events of lane k."""
    take_turn(watch, monitor, members, row)
    for i in range(state.y.shape[0]):
        monitor.y[i], monitor.compensation[i] = watch.start[i, k], watch.compensation[i, k]
    monitor.work[0] = watch.work[k]
    evaluate_events(watch, monitor, state, k, end, monitor.after)
    keep_step_if_crossed(monitor, t, h)
    if monitor.counts[CROSSED] > 0:
        locate_crossings_of_member(handle, method, trial, monitor, watch, members, row, begin)
    end_turn(watch, monitor, row)


# ---- all members ---------------------------------------------------------------------------------
@inlined
def count_running(watch, member):
    running = 0
    for row in range(member, min(member + WIDTH, watch.outcome.shape[0])):
        running += watch.outcome[row] == RUNS
    return running


@kernel
def advance_watched(
    handle,
    method,
    state,
    members,
    tables,
    t0,
    first,
    h,
    steps,
    every,
    samples,
    alone,
    trial,
    monitor,
    watch,
    begin,
):
    """`advance_members` with events; `alone` is the handle of floats. `begin`: where the runs
    began.
    """
    system, work, _ = unpack(handle)
    method_, state_, members_ = in_memory(method), in_memory(state), in_memory(members)
    floats = alone, method_, in_memory(trial), in_memory(monitor), in_memory(watch), members_
    for member in range(0, members.y.shape[0], WIDTH):
        if count_running(watch, member) == 0:
            continue
        enter_lanes(method_, members, tables, state, member, first)
        last, saved = min(member + WIDTH, members.y.shape[0]), 0
        if watch.steps[member] < 0:
            if monitor.needs_rates:
                rates(system, work, t0 + first * h, state.y, watch.ydot)
            for row in range(member, last):
                watch_start(watch, monitor, members, state, row, row - member, t0 + first * h)
        for k in range(first, first + steps):
            begin_step(watch, state)
            step(method_, system, work, state_, t0 + k * h, h)
            end = t0 + (k + 1) * h
            if monitor.needs_rates:
                rates(system, work, end, state.y, watch.ydot)
            for row in range(member, last):
                if watch.outcome[row] == RUNS:
                    watch_step(*floats, state_, row, row - member, t0 + k * h, h, end, begin)
            if (k + 1) % every == 0:
                save_samples(state, samples, saved, member)
                saved += 1
            if count_running(watch, member) == 0:
                break
        leave_lanes(method_, members, state, member)


@kernel
def meet_end_of_members(alone, method, trial, monitor, members, watch, t, begin):
    """Events on which runs end, at time t."""
    method_, trial_, monitor_ = in_memory(method), in_memory(trial), in_memory(monitor)
    for row in range(members.y.shape[0]):
        if watch.outcome[row] != RUNS:
            continue
        take_turn(watch, monitor_, members, row)
        enter_alone(watch, members, trial_, row)
        for i in range(members.y.shape[1]):
            trial.y[i] = members.y[row, i]
        trial.work[0] = members.work[row, 0]
        accepted = meet_end(alone, method_, trial_, monitor_, t, watch.found)
        note_crossings(watch, monitor_, row, accepted, begin)
