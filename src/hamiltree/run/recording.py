"""The recorder of a run, with the provenance of its plan; the check of what is recorded."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from hamiltree.run.plan import Plan, provenance
from hamiltree.trajectory.parts import RUN_ID
from hamiltree.trajectory.recorders import FileRecorder, MemoryRecorder, Recorder
from hamiltree.trajectory.variables import Schema


def make_recorder(plan: Plan, assembly: Any, output: Any) -> Recorder:
    """A recorder of the variables of a plan: in memory, or in the file of an Output; that of a run
    that goes on is first cut back to where it does.
    """
    created = time.time()
    equations = plan.equations
    schema = Schema(
        equations.problem,
        equations.variables,
        equations.labels(assembly),
        tuple(event.name for event in plan.events),
    )

    def attributes(has_text: bool = True) -> dict[str, Any]:
        return provenance(plan, created, has_text)

    if output is None:
        return MemoryRecorder(schema, attributes)
    from hamiltree.run.identity import machine_name
    from hamiltree.run.saved_files import restore_files

    if output.saved is None:
        own = {RUN_ID: output.run_id, "machine": machine_name()}
        return FileRecorder(
            schema, lambda: {**attributes(), **own}, output.path, output.rows_per_file
        )
    restored, known = restore_files(plan, output)
    return FileRecorder(schema, lambda: known, output.path, output.rows_per_file, restored)


class LargestResiduals:
    """The largest constraint residuals of a run, in parts of its natural sizes."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[float, int, float]] = {}  # kind → residual, part, time

    def look_at(self, kind: str, relative: np.ndarray, t: np.ndarray) -> None:
        """Keep the largest of (samples, parts) if it is larger than those before."""
        if not relative.size:
            return
        sample, place = divmod(int(relative.argmax()), relative.shape[1])
        largest = float(relative[sample, place])
        if kind not in self.found or largest > self.found[kind][0]:
            self.found[kind] = largest, place, float(t[sample])

    def statistics(self, equations: Any, assembly: Any) -> dict[str, Any]:
        """For the statistics of a run; speeds in parts of the natural one."""
        if not self.found:  # no part has rows
            return {}
        names = equations.labels(assembly)["constraint"]
        natural_time, _ = equations.natural_sizes(assembly)
        scale = {"position": 1.0, "speed": natural_time}
        largest = {
            kind: {"relative": scale[kind] * number, "part": names[place], "t": t}
            for kind, (number, place, t) in self.found.items()
        }
        return {"largest_residuals": largest}


def find_violation(
    residual: np.ndarray, relative: np.ndarray, good: int, limit: float
) -> tuple[int, int, float] | None:
    """The first sample with a relative constraint residual beyond the limit, the constraint with
    the largest one there, and its residual; None if the first `good` samples have none.
    """
    if not residual.size:
        return None
    is_violated = np.asarray(relative.max(axis=1) > limit)
    if not is_violated[:good].any():
        return None
    sample = int(is_violated.argmax())
    place = int(relative[sample].argmax())
    return sample, place, float(residual[sample, place])
