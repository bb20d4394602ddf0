"""What a run does with the crossings of a chunk: they are located, written to their sections, and a
terminal one ends it. `run` is the Run (run/loop.py).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hamiltree.integrators.crossing_location import LocatedCrossings
from hamiltree.integrators.integrator import STATUS, WORST_ROW
from hamiltree.run.cautions import warn_of_dense_crossings
from hamiltree.run.crossings import write_sections

# of one event in one step of fixed length: where there are more, others may have been missed
MOST_CERTAIN_CROSSINGS = 4


def record_crossings(run: Any, samples: np.ndarray) -> np.ndarray:
    """Write the crossings of a chunk to their sections; return its samples, which end with a
    terminal event if there was one.
    """
    plan = run.plan
    found = locate_crossings(run)
    warn_where_crossings_are_dense(run, found)
    count, is_end = write_sections(run.recorder, plan, found, run.observe.states_from_ground)
    if not is_end:
        return samples[samples[:, 0] <= run.last_sound_time]
    t = found.t[count - 1]
    end_at(run, int(found.event[count - 1]), f"at t = {t:.9g}")
    samples = np.concatenate([samples, samples_before(run, t)])
    last = found.y[count - 1], [found.work[count - 1]], run.state.windings
    end = np.concatenate([[t], *last])[None]
    return np.concatenate([samples[samples[:, 0] < t], end])


def warn_where_crossings_are_dense(run: Any, found: LocatedCrossings) -> None:
    """Once for each event that crosses zero so often in one step of fixed length that others may
    have been missed.
    """
    plan = run.plan
    if plan.integrator.is_adaptive or len(found.t) <= MOST_CERTAIN_CROSSINGS:
        return
    steps = np.floor((found.t - plan.origin) / plan.step)
    for number, event in enumerate(plan.events):
        times = np.sort(steps[found.event == number])
        if len(times) <= MOST_CERTAIN_CROSSINGS or number in run.dense_events:
            continue
        if (times[MOST_CERTAIN_CROSSINGS:] == times[:-MOST_CERTAIN_CROSSINGS]).any():
            run.dense_events.add(number)
            warn_of_dense_crossings(plan, event.name)


def record_events_at_end(run: Any) -> None:
    """Write the events on which a complete run ends; a terminal one has then ended it."""
    plan = run.plan
    if not run.is_running or run.saved_time != plan.until:
        return
    found = run.locator.locate_at_end(run.state, plan.until)
    count, is_end = write_sections(run.recorder, plan, found, run.observe.states_from_ground)
    if is_end:
        end_at(run, int(found.event[count - 1]), f"at t = {plan.until:.9g}")


def end_at(run: Any, event: int, where: str) -> None:
    """The run ends at an event; those after the user's own are gimbal locks."""
    run.ended_by = run.plan.monitored_events[event].name
    run.ended_at = where
    run.ended_at_lock = event >= len(run.plan.events)


def locate_crossings(run: Any) -> LocatedCrossings:
    """Where the events of a chunk lie; a step that cannot be taken again ends the run."""
    assert run.locator is not None
    run.locator.share_passage(run.state)
    found, singular_end = run.locator.locate_all(len(run.plan.events))
    if run.locator.has_failed:
        trial = run.locator.trial
        run.state.counts[STATUS] = trial.counts[STATUS]
        run.state.counts[WORST_ROW] = trial.counts[WORST_ROW]
    if singular_end is not None:
        t = singular_end.t
        end_at(run, singular_end.event, f"in the step after t = {t:.9g}")
        run.last_sound_time = t
    return found


def samples_before(run: Any, t: float) -> np.ndarray:
    """Samples of the grid inside the last step of an adaptive method, which an event has ended
    before they were interpolated.
    """
    plan = run.plan
    first = run.grid
    points = 0
    if run.has_dense_output:
        points = min(plan.steps, math.ceil((t - plan.origin) / plan.step) - 1) - first
    if points <= 0:
        return run.new_sample_buffer(0)
    return run.advance_chunk(first, points)
