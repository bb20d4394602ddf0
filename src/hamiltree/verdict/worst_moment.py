"""The moment of a run at which its energy changes most: what would do at the beginning must do
there, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hamiltree.trajectory.trajectory import Trajectory

STEPS = 8  # of the run, that are looked at, if samples are as close as that


class WorstMoment(NamedTuple):
    """From a sample of a run to another one."""

    place: int  # of the first sample
    begin: float
    end: float
    change: float  # of the balance of energy, J


def worst_moment(run: Trajectory, step: float) -> WorstMoment | None:
    """Some steps around the largest change between two samples; None where nothing changes."""
    balance, t = run._balance(), run._values("t")
    if len(t) < 2:
        return None
    changes = np.abs(np.diff(balance))
    worst = int(changes.argmax())
    if not changes[worst] > 0.0:
        return None
    half = 0.5 * STEPS * step
    first = int(np.searchsorted(t, t[worst] - half))
    last = int(np.searchsorted(t, t[worst + 1] + half, side="right")) - 1
    first, last = min(first, worst), max(last, worst + 1)
    change = float(np.abs(balance[first : last + 1] - balance[first]).max())
    return WorstMoment(first, float(t[first]), float(t[last]), change)
