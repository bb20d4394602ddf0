"""Events of members that run in lanes: where each of them ends, and what is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.formulations.verb_pointers import indirect
from hamiltree.integrators.ensemble import Members
from hamiltree.integrators.member_events import (
    ALONE,
    ENDED,
    Watch,
    advance_watched,
    meet_end_of_members,
    new_watch,
)
from hamiltree.problems.events import compile_events, monitor_from
from hamiltree.run.diagnosis import ended_by
from hamiltree.studies.keeper import Keeper

if TYPE_CHECKING:
    from hamiltree.studies.lanes import LaneRuns


class LaneEvents:
    """Looks for the events of a study while its members run in lanes."""

    watch: Watch

    def __init__(self, runs: LaneRuns, system: Any, single: Any, floats: np.ndarray):
        """Of a System of floats, whose tables `floats` are filled anew for each member."""
        self.runs = runs
        self.plan = runs.plan
        method, equations = runs.setup.integrator, runs.equations
        names, events = equations.names, self.plan.monitored_events
        self.monitor = monitor_from(compile_events(events, names), events, names)
        self.trial = method.initial_state(np.zeros(sum(system.layout)), method.method)
        who = f"{method.name} with {equations.formulation.name}"
        self.handle = indirect(system, single, single, method.needs, 1, True, who)
        self.floats = floats
        self.parameters_vary = runs.is_typed and runs.has_tables

    def begin(self, members: int) -> None:
        """Members at their starts."""
        length = len(self.trial.y)
        numbers = self.monitor, self.floats, self.parameters_vary
        self.watch = new_watch(members, length, *numbers)
        self.has_ended = np.zeros(members, dtype=bool)  # whose last sample is written

    def advance(self, *about: Any) -> None:
        """As `advance_members`."""
        alone = self.handle, self.trial, self.monitor, self.watch, self.plan.begin
        arguments: Any = (*about, *alone)
        advance_watched(*arguments)

    def cut(self, times: np.ndarray, samples: np.ndarray) -> np.ndarray:
        """Times (samples, members): in the place of the first sample at or after the end of a
        member stands that end, and after it no number.
        """
        watch = self.watch
        own = np.repeat(times[:, None], samples.shape[1], axis=1)
        for m in np.flatnonzero(watch.outcome == ENDED):
            row = 0 if self.has_ended[m] else int(np.searchsorted(times, watch.end[m, 0]))
            own[row:, m] = samples[row:, m] = np.nan
            if row < len(times) and not self.has_ended[m]:
                own[row, m], samples[row, m] = watch.end[m, 0], watch.end[m, 1:]
                self.has_ended[m] = True
        return own

    def finish(self, members: Members, keeper: Keeper) -> list[str]:
        """How members ended, where an event was it; what was counted goes to the keeper."""
        plan, watch = self.plan, self.watch
        method = self.runs.setup.integrator.method
        about = self.handle, method, self.trial, self.monitor, members, watch
        meet_end_of_members(*about, plan.until, plan.begin)
        keeper.event_count[...], keeper.event_first[...] = watch.count, watch.first
        unit = plan.equations.time_unit
        return [
            ended_by(plan.events[watch.ended_by[m]].name, watch.end[m, 0], unit)
            if watch.outcome[m] == ENDED
            else ""
            for m in range(len(watch.outcome))
        ]

    @property
    def must_run_alone(self) -> np.ndarray:
        return self.watch.outcome == ALONE
