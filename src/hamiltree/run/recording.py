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

    def attributes() -> dict[str, Any]:
        return provenance(plan, created)

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
