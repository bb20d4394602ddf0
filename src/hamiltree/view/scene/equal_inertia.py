"""The homogeneous solid of the same mass and inertia as a body: a sphere, a cylinder or a box.

A box of edges a, b, c has I_xx = m (b² + c²)/12, so a² = 6 (I_yy + I_zz − I_xx)/m; a cylinder of
radius r and length l about z has I_zz = m r²/2, I_xx = m (3 r² + l²)/12.
"""

from __future__ import annotations

import math

import numpy as np

from hamiltree.model.bodies import Body
from hamiltree.model.particles import principal_axes
from hamiltree.model.values import Frame, Vector
from hamiltree.rotations import quaternion_from_matrix

EQUAL_MOMENTS = 1e-3  # moments that differ by less, in parts of the largest, count as equal
THINNEST = 0.06  # of the longest extent of a solid: less would not be seen


def equal_inertia_solid(body: Body) -> tuple[str, Vector, Frame] | None:
    """(kind, size, frame) in body axes, centred on the centre of mass; None of a point mass."""
    if body.mass == 0.0 or not any(map(any, body.inertia)):
        return None
    moments, axes = principal_axes(body.inertia)
    kind, size, turn = _solid_of_moments(np.array(moments) / body.mass)
    longest = float(max(size))
    if longest == 0.0:
        return None
    x, y, z = np.maximum(size, THINNEST * longest).tolist()
    return (
        kind,
        (x, y, z),
        Frame(body.com, tuple(quaternion_from_matrix(np.array(axes) @ turn).tolist())),
    )


def _solid_of_moments(gyration: np.ndarray) -> tuple[str, np.ndarray, np.ndarray]:
    """Kind, size and axes of the solid whose squared radii of gyration about x, y, z are given."""
    largest = float(gyration.max())
    a, b, c = gyration.tolist()
    if np.ptp(gyration) <= EQUAL_MOMENTS * largest:
        return "sphere", np.full(3, 2.0 * math.sqrt(2.5 * largest)), np.eye(3)
    for axis, (one, other) in enumerate(((b, c), (a, c), (a, b))):
        if abs(one - other) <= EQUAL_MOMENTS * largest:
            radius = math.sqrt(2.0 * gyration[axis])
            length = math.sqrt(max(0.0, 6.0 * (one + other) - 3.0 * radius**2))
            # z of the cylinder along `axis`: a cyclic exchange of axes
            turn = np.roll(np.eye(3), axis + 1, axis=0)
            return "cylinder", np.array([2.0 * radius, 2.0 * radius, length]), turn
    edges = 6.0 * (gyration.sum() - 2.0 * gyration)
    return "box", np.sqrt(np.maximum(edges, 0.0)), np.eye(3)
