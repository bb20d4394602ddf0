"""The loop over the steps of a grid, for every method that answers `step`."""

from hamiltree.compiled.kernel import inlined, kernel, outlined
from hamiltree.compiled.pointer import in_memory, unpack
from hamiltree.integrators.event_monitor import (
    CROSSED,
    TERMINAL,
    is_full,
    monitor_step_end,
    monitor_step_start,
)
from hamiltree.integrators.integrator import AHEAD, RUNNING, SINGULAR, STATUS, STEPS, step
from hamiltree.integrators.regularity import stays_regular
from hamiltree.verbs import follow_angles, project


@inlined
def save_sample(state, samples, row, t):
    """The time, the state, and after it the work of dampers and loads; then angles with their
    turns.
    """
    n = state.y.shape[0]
    samples[row, 0] = t
    for i in range(n):
        samples[row, 1 + i] = state.y[i]
    samples[row, 1 + n] = state.work[0]
    save_windings(state, samples, row)


@inlined
def save_windings(state, samples, row):
    for i in range(state.windings.shape[0]):
        samples[row, 2 + state.y.shape[0] + i] = state.windings[i]


@outlined
def take_steps(handle, method, state, monitor, t0, first, h, steps, save_every, samples):
    """See `advance`: also a part of other kernels, where steps are taken one by one."""
    system, work, single = unpack(handle)
    saved = 0
    for k in range(first, first + steps):
        if is_full(monitor):
            return saved
        t, was_ahead = t0 + k * h, state.clock[AHEAD] != 0.0
        monitor_step_start(system, single, monitor, state, t)
        status = step(method, system, work, state, t, h)
        if status != RUNNING:
            state.counts[STATUS] = status
            return saved
        if not project(system, single, t0 + (k + 1) * h, state.y, state.compensation):
            state.counts[STATUS] = SINGULAR
            return saved
        state.counts[STEPS] += 1
        follow_angles(system, single, t0 + (k + 1) * h, state.y)
        monitor_step_end(system, single, monitor, state, t, h, t0 + (k + 1) * h)
        if (k + 1) % save_every == 0:
            save_sample(state, samples, saved, t0 + (k + 1) * h)
            saved += 1
        if not stays_regular(method, system, single, state, t0 + (k + 1) * h, h):
            state.counts[STATUS] = SINGULAR
            return saved
        if monitor.counts[TERMINAL] != 0:
            return saved
        if was_ahead != (state.clock[AHEAD] != 0.0) and monitor.counts[CROSSED] > 0:
            return saved  # crossings are located while the way through a position is known
    return saved


@kernel
def follow_start(handle, t, y):
    """The angles at the start of a run, with their rates."""
    system, _, single = unpack(handle)
    follow_angles(system, single, t, y)


@kernel
def advance(handle, method, state, monitor, t0, first, h, steps, save_every, samples):
    """Steps first … first + steps of the grid t0 + k h; every save_every-th state goes into
    samples. Returns how many.

    handle = (system, work of the method's width, work of floats). It returns early where a step
    fails, where an event may end the run, where no more crossings can be kept, and beside a
    singular position if there are any.
    """
    parts = in_memory(method), in_memory(state), in_memory(monitor)
    return take_steps(handle, *parts, t0, first, h, steps, save_every, samples)
