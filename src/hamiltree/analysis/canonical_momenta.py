"""Canonical momenta of the joints at the samples of a run, p = ∂L/∂q̇, whatever its formulation.

Of speeds they are M(q) u; of a quaternion, whose ω = 2 L(q) q̇, they are g = 2 Lᵀ(q) π with
g · q = 0: π is the angular momentum that goes with ω, in the child's joint axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamiltree.algorithms.binding import dynamics
from hamiltree.rotations import quaternion_rate


def canonical_momenta(run: Any) -> np.ndarray:
    """(time, coordinate): p of the joints of the spanning tree, from q and the speeds."""
    q, speeds = run.dataset["q"].values, run.speeds.values
    d = dynamics(run.model)
    states = zip(q, speeds, strict=True)
    by_speed = np.array([d.mass_matrix(at) @ rate for at, rate in states])
    found = np.zeros_like(q)
    starts = set(run.quaternion_rows)
    row, speed = 0, 0
    while row < q.shape[1]:
        if row in starts:
            part = by_speed[:, speed : speed + 3]
            unit = q[:, row : row + 4]
            # 2 Lᵀ π = 4 · ½ q ∘ (0, π)
            found[:, row : row + 4] = 4.0 * quaternion_rate(unit, part)
            row, speed = row + 4, speed + 3
        else:
            found[:, row] = by_speed[:, speed]
            row, speed = row + 1, speed + 1
    return found
