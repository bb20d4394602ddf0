"""Steps of a user's own loop: all that a step needs lies behind one address, so that a call costs
a microsecond.

The pointer holds (handle, method, state, monitor, grid, samples). Steps go on from where the grid
is, and every sample is written behind the last. A call takes whole steps; it is the loop of a run
(advance.py, adaptive_steps.py, reversible.py), entered for a few steps at a time.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, kernel
from hamiltree.compiled.pointer import unpack
from hamiltree.integrators.adaptive_steps import advance_adaptively, take_adaptive_steps
from hamiltree.integrators.advance import advance, take_steps
from hamiltree.integrators.event_monitor import TERMINAL
from hamiltree.integrators.integrator import END_TIME, GRID_INDEX, RUNNING, STATUS, STEPS
from hamiltree.integrators.reversible import advance_reversibly, take_reversible_steps

# Entries of Grid.place: the point that was reached, rows of samples written, steps from sample to
# sample.
INDEX, ROW, EVERY = range(3)
# Entries of Grid.time: where point 0 lies, and the spacing.
ORIGIN, SPACING = range(2)
NO_LIMIT = 2**62  # of steps between two points of the grid


class Grid(NamedTuple):
    """Points ORIGIN + k SPACING."""

    place: np.ndarray
    time: np.ndarray


@inlined
def is_stopped(state, monitor):
    """Whether a step failed, or an event has ended the run."""
    return state.counts[STATUS] != RUNNING or monitor.counts[TERMINAL] != 0


@kernel
def step_on_grid(pointer, steps):
    """Steps of the spacing of the grid; whether something stopped them."""
    handle, method, state, monitor, grid, samples = unpack(pointer)
    place, before = grid.place, state.counts[STEPS]
    buffer = samples[place[ROW] :]
    t0 = grid.time[ORIGIN]
    h = grid.time[SPACING]
    saved = take_steps(
        handle, method, state, monitor, t0, place[INDEX], h, steps, place[EVERY], buffer
    )
    place[INDEX] += state.counts[STEPS] - before
    place[ROW] += saved
    return is_stopped(state, monitor)


@kernel
def step_adaptively(pointer, steps):
    """Steps of the method's own choice that end on every point of the grid: what is set there
    counts from there on.
    """
    handle, method, state, monitor, grid, samples = unpack(pointer)
    place = grid.place
    t0 = grid.time[ORIGIN]
    h = grid.time[SPACING]
    for _ in range(steps):
        k = place[INDEX]
        state.clock[END_TIME] = t0 + (k + 1) * h
        buffer = samples[place[ROW] :]
        place[ROW] += take_adaptive_steps(
            handle, method, state, monitor, t0, k, h, 1, place[EVERY], buffer, NO_LIMIT
        )
        if is_stopped(state, monitor) or state.counts[GRID_INDEX] == k:
            return True
        place[INDEX] = k + 1
    return False


@kernel
def step_reversibly(pointer, steps):
    """Steps of the method's own choice, wherever they end."""
    handle, method, state, monitor, grid, samples = unpack(pointer)
    place, before = grid.place, state.counts[STEPS]
    buffer, h = samples[place[ROW] :], grid.time[SPACING]
    state.clock[END_TIME] = np.inf
    place[ROW] += take_reversible_steps(
        handle, method, state, monitor, 0.0, place[INDEX], h, steps, place[EVERY], buffer
    )
    place[INDEX] += state.counts[STEPS] - before
    return is_stopped(state, monitor)


STEPPERS = {
    advance: step_on_grid,
    advance_adaptively: step_adaptively,
    advance_reversibly: step_reversibly,
}
