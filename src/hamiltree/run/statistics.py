"""Statistics of a run: steps, calls of the equations, seconds, and what a method counts itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from hamiltree.console import tell
from hamiltree.integrators.event_monitor import NOT_REAL
from hamiltree.integrators.integrator import (
    CALLS,
    LEAST_SINE,
    LEAST_SINE_ROW,
    LEAST_SINE_TIME,
    REJECTED,
    STEPS,
    STIFF,
    Integrator,
    State,
)
from hamiltree.integrators.singular_crossing import passages
from hamiltree.run.diagnosis import event_not_real, stiff


def run_statistics(
    method: Integrator,
    state: State,
    before: np.ndarray,
    seconds: float,
    newton_since: float | None,
) -> dict[str, Any]:
    """Counts of this run alone: `before` holds those of the run that it resumes."""
    counted = state.counts - before
    steps = int(counted[STEPS])
    calls = int(counted[CALLS])
    found = {
        "steps": steps,
        "calls": calls,
        "evaluations": calls * method.evaluations_per_call,
        "calls_per_step": calls / max(1, steps),
        "seconds": seconds,
    }
    if newton_since is not None:
        found["newton_since"] = newton_since
    if method.is_adaptive and not method.samples_at_steps:
        found |= {"refused": int(counted[REJECTED]), "stiff": bool(state.counts[STIFF])}
        if state.counts[STIFF]:
            tell(stiff(method.name))
    return found


def event_statistics(events: tuple, counts: np.ndarray) -> dict[str, Any]:
    """The event that was not a real number at some step, if one was; with a warning."""
    not_real = int(counts[NOT_REAL])
    if not not_real:
        return {}
    name = events[not_real - 1].name
    tell(event_not_real(name))
    return {"event_not_real": name}


def regularity_statistics(equations: Any, assembly: Any, state: State) -> dict[str, Any]:
    """How near the constraints came to losing rank, where, and which singular positions were
    passed.
    """
    formulation, sine = equations.formulation, float(state.clock[LEAST_SINE])
    if not sine or formulation.constraint_names is None:
        return {}
    names = formulation.constraint_names(assembly)
    if not names:  # bodies that nothing joins
        return {}
    least = {
        "sine": sine,
        "t": float(state.clock[LEAST_SINE_TIME]),
        "part": names[int(state.clock[LEAST_SINE_ROW])],
    }
    count, first = passages(state)
    if not count:
        return {"least_independence": least}
    return {
        "least_independence": least,
        "singular_positions": [{"t": t, "part": names[row]} for t, row in first],
        "singular_positions_passed": count,
        "branch": "positions and speeds are continuous: the motion goes on as it came",
    }
