"""What a page tells about single bodies, and about a run or a model as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.model.model import Model
from hamiltree.view.run_rows import Row, report_rows

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory


def body_cards(model: Model) -> list[dict[str, Any]]:
    """Mass, centre of mass and inertia of each body."""
    return [
        {"mass": body.mass, "com": list(body.com), "inertia": [list(row) for row in body.inertia]}
        for body in model.bodies
    ]


def run_figures(run: Trajectory) -> list[Row]:
    """Size, constraints and cost. The energy error has its plot; beside the energy balance of the
    report, which is in parts of another energy, its number would be taken for the same.
    """
    return [row for row in report_rows(run) if row[0] != "energy error"]


def model_figures(model: Model) -> list[Row]:
    """Counts, mass, degrees of freedom of the tree."""
    counts = [
        (what, f"{len(parts)}", "")
        for what, parts in (
            ("bodies", model.bodies),
            ("joints", model.joints),
            ("forces", model.forces),
            ("constraints", (*model.constraints, *model.couplings)),
        )
        if parts
    ]
    mass = float(np.sum([body.mass for body in model.bodies]))
    loops = len(model.closing)
    speeds = (f"{len(model.speeds)}", "of the tree" if loops else "degrees of freedom")
    return [
        *counts,
        ("mass", f"{mass:.6g} kg", "of all bodies"),
        ("speeds", *speeds),
        *([("loops", f"{loops}", f"closed by {', '.join(model.closing[:4])}")] if loops else []),
    ]
