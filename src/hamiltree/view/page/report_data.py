"""The report of a run and its ledger in a page: what costs little, so that pages are made fast."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import HamiltreeError
from hamiltree.trajectory.lines import GOOD, NOTE, SEVERITY, Line, Thresholds
from hamiltree.trajectory.recorded_lines import recorded_lines
from hamiltree.verdict.formats import number_text
from hamiltree.verdict.stored_reports import stored_lines

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

MAX_LEDGER = 400_000  # samples times bodies, elements and particles: less takes a tenth of a second
NOT_JUDGED = "nothing judged"  # where all lines are notes
MAX_ELEMENTS = 8  # with a line of their own: those that store or do most
STORED, WORK = "energy stored since the start", "work that is not stored"


# ---- lines ---------------------------------------------------------------------------------------
def report_data(run: Trajectory) -> dict[str, Any]:
    """The verdict and the lines of the last report, of the report that the file of a run holds, or
    of what was recorded.
    """
    lines = known_lines(run)
    worst = max((line.verdict for line in lines), key=severity, default=GOOD)
    is_judged = any(line.verdict != NOTE for line in lines)
    return {
        "verdict": worst if severity(worst) else GOOD if is_judged else NOT_JUDGED,
        "lines": [
            {
                "name": line.name,
                "number": number_text(line) if has_number(line) else "",
                "scale": line.scale,
                "verdict": line.verdict,
                "sentence": line.sentence,
            }
            for line in lines
        ],
    }


def known_lines(run: Trajectory) -> list[Line]:
    """Lines that need no computation; a stored report that cannot be read is none."""
    if run.report_lines:
        return list(run.report_lines)
    try:
        stored = stored_lines(run.provenance)
    except (TypeError, ValueError):
        stored = []
    return stored or recorded_lines(run, Thresholds())


def has_number(line: Line) -> bool:
    return line.number is not None and math.isfinite(line.number)


def severity(verdict: str) -> int:
    return SEVERITY.get(verdict, 0)


# ---- ledger --------------------------------------------------------------------------------------
def ledger_channels(run: Trajectory, index: np.ndarray) -> list[tuple[str, str, str, np.ndarray]]:
    """Plot, element, unit, values at some samples; none where the ledger would take long, or where
    gravity alone does work, which is the potential energy.
    """
    if not run.has_bodies:
        return []
    try:
        if not is_cheap(run):
            return []
        ledger = run.ledger()
    except HamiltreeError:  # no model in the file, or a force that is not known
        return []
    stored = ledger.stored.values[index] - ledger.stored.values[:1]
    work = ledger.unstored_work[index]
    return [
        (plot, ledger.elements[k], "J", values[:, k])
        for plot, values in ((STORED, stored), (WORK, work))
        for k in largest_elements(values)
        if len(ledger.elements) > 1
    ]


def is_cheap(run: Trajectory) -> bool:
    """Whether the ledger takes no longer than the rest of a page."""
    model = run.model
    particles = sum(len(body.particles) for body in model.bodies if body.particles is not None)
    return len(run.t) * (len(model.bodies) + len(model.forces) + particles) <= MAX_LEDGER


def largest_elements(values: np.ndarray) -> list[int]:
    """Columns that are not zero, the largest first, at most MAX_ELEMENTS."""
    peaks = np.abs(values).max(axis=0, initial=0.0)
    least = 1e-12 * float(peaks.max(initial=0.0))
    ranked = [int(k) for k in np.argsort(-peaks, kind="stable") if peaks[k] > least]
    return ranked[:MAX_ELEMENTS]
