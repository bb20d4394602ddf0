"""The report of a run in its file: attributes `verdict` and `report`, a JSON text of its lines."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from hamiltree.trajectory.lines import Line
from hamiltree.trajectory.netcdf import add_attributes, read_dataset
from hamiltree.verdict.report import without_infinities

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory
    from hamiltree.verdict.report import Report


def store_report(run: Trajectory, report: Report, path: str | os.PathLike) -> None:
    """Write the report into the file of the run, which is read again."""
    lines = without_infinities([line.as_dict() for line in report.lines])
    kept = {"verdict": report.verdict, "report": json.dumps(lines, ensure_ascii=False)}
    add_attributes(path, kept)
    run.dataset = read_dataset(path)


def stored_lines(attributes: dict[str, Any]) -> list[Line]:
    """The lines of the report that a file holds; none if it has none."""
    return [Line(**each) for each in json.loads(attributes.get("report", "[]"))]
