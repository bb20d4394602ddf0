"""Crossings of events in a run: steps are taken again, with a trial state, until the zero is
located.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hamiltree.integrators.crossing_location import (
    LocatedCrossings,
    crossings_at_end,
    locate_crossings,
)
from hamiltree.integrators.event_monitor import BEGIN, CROSSED, EVENT, EventMonitor
from hamiltree.integrators.integrator import (
    NATURAL_TIME,
    RUNNING,
    SINE,
    STATUS,
    Integrator,
    State,
)
from hamiltree.integrators.newton import can_allocate_newton
from hamiltree.integrators.singular_crossing import share_passage
from hamiltree.run.engine import Engine
from hamiltree.run.plan import Plan
from hamiltree.run.workspaces import SideState, arrays_in
from hamiltree.trajectory.recorders import FileRecorder, MemoryRecorder


class SingularEnd(NamedTuple):
    """The singularity (gimbal lock) in whose neighbourhood a step could not be taken again."""

    event: int
    t: float


def allocate_newton(method: Integrator, state: State) -> State:
    """The same state with scratch memory for Newton's method."""
    assert method.allocate_newton is not None
    return method.allocate_newton(state, method.method)


class CrossingLocator:
    """Takes the steps again in which the monitor has seen a crossing; it leaves no trace in the
    run.
    """

    def __init__(self, engine: Engine, handle: Any, monitor: EventMonitor, y: np.ndarray):
        self.engine = engine
        self.handle = handle
        self.monitor = monitor
        self.method = engine.integrator
        self.trial: State = engine.initial_state(y)  # steps are taken again with it
        self.side_state = SideState(engine.works)

    def share_scales(self, state: State) -> None:
        """The trial is compared as the state of the run is."""
        self.trial.scale[...] = state.scale
        self.trial.clock[NATURAL_TIME:SINE] = state.clock[NATURAL_TIME:SINE]

    def share_passage(self, state: State) -> None:
        share_passage(state, self.trial)

    def match_scratch(self, state: State) -> None:
        """Give the trial the scratch of Newton's method if a resumed state has it."""
        if self.method.allocate_newton is None:
            return
        new = [array.shape for _, array in arrays_in(self.trial.scratch)]
        if new != [array.shape for _, array in arrays_in(state.scratch)]:
            self.allocate_newton()

    def allocate_newton(self) -> None:
        self.trial = allocate_newton(self.method, self.trial)

    def locate(self) -> LocatedCrossings:
        """By steps that are taken again, beside the run."""
        with self.engine.preserve_workspaces(), self.side_state:
            return locate_crossings(self.handle, self.method.method, self.trial, self.monitor)

    def locate_at_end(self, state: State, t: float) -> LocatedCrossings:
        """The events on which the run ends, at time t."""
        self.trial.y[:] = state.y
        self.trial.work[:] = state.work
        with self.engine.preserve_workspaces(), self.side_state:
            return crossings_at_end(self.handle, self.method.method, self.trial, self.monitor, t)

    def locate_all(self, terminal_from: int) -> tuple[LocatedCrossings, SingularEnd | None]:
        """Where the events of a chunk lie. If a step cannot be taken again, the status of the trial
        says why, and the first singularity (an event from number `terminal_from` on) is named.
        """
        seen = self.monitor.step_starts[: self.monitor.counts[CROSSED], [EVENT, BEGIN]].copy()
        found = self.locate()
        if can_allocate_newton(self.trial, self.method):
            self.allocate_newton()
            self.trial.counts[STATUS] = RUNNING
            found = self.locate()
        if self.has_failed:
            for event, t in seen[seen[:, 0] >= terminal_from][:1]:
                return found, SingularEnd(int(event), float(t))
        return found, None

    @property
    def has_failed(self) -> bool:
        return self.trial.counts[STATUS] != RUNNING


def write_sections(
    recorder: MemoryRecorder | FileRecorder,
    plan: Plan,
    found: LocatedCrossings,
    seen_from_ground: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> tuple[int, bool]:
    """Write the crossings up to the first terminal one to the sections of their events (gimbal
    locks have none); how many, and whether the last of them is terminal.
    """
    is_terminal = [plan.monitored_events[event].terminal for event in found.event]
    # a start may lie on an event
    ends = np.array(is_terminal, dtype=bool) & (found.t > plan.begin)
    count = int(ends.argmax()) + 1 if ends.any() else len(found.event)
    event, t = found.event[:count], found.t[:count]
    y = seen_from_ground(t, found.y[:count])
    for number in range(len(plan.events)):
        chosen = event == number
        if chosen.any():
            recorder.write_section(number, t[chosen], y[chosen])
    return count, bool(ends.any())
