"""Plates and convex bodies through several points: surfaces of triangles."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from hamiltree.view.scene.parts import MeshData

FLATNESS = 0.08  # points nearer to their plane, in parts of their extent, make a plate
CORNER_STEPS = 6  # of the arc around a corner, per half turn
MAX_HULL_POINTS = 24  # of more points, those furthest out make the hull
SAME_SIDE = 1e-9  # of the extent: a point so near to a face lies in it


def surface_through(points: np.ndarray, radius: float) -> MeshData:
    """A plate with round corners through points of a plane, else their convex hull."""
    centre = points.mean(axis=0)
    _, spread, axes = np.linalg.svd(points - centre, full_matrices=False)
    if spread[2] <= FLATNESS * spread[0]:
        plane = axes if np.linalg.det(axes) > 0 else axes * np.array([[1.0], [1.0], [-1.0]])
        flat = (points - centre) @ plane.T
        outline = round_outline(plane_hull(flat[:, :2]), radius)
        return extrude(outline, max(radius, float(np.abs(flat[:, 2]).max())), centre, plane)
    return hull_surface(points)


def plane_hull(points: np.ndarray) -> np.ndarray:
    """The corners of the convex hull of points in a plane, anticlockwise (monotone chain)."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]

    def half(sequence: np.ndarray) -> list[np.ndarray]:
        kept: list[np.ndarray] = []
        for point in sequence:
            while len(kept) > 1 and _turns_right(kept[-2], kept[-1], point):
                kept.pop()
            kept.append(point)
        return kept[:-1]

    return np.array([*half(ordered), *half(ordered[::-1])])


def _turns_right(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) <= 0.0


def round_outline(corners: np.ndarray, radius: float) -> np.ndarray:
    """The outline at a distance outside an anticlockwise convex polygon, with arcs at corners."""
    count = len(corners)
    edges = np.roll(corners, -1, axis=0) - corners
    outward = np.arctan2(-edges[:, 0], edges[:, 1])  # direction of the normal of each edge
    found = []
    for k in range(count):
        first = outward[k - 1]
        turn = (outward[k] - first) % (2.0 * np.pi)
        steps = max(1, round(CORNER_STEPS * turn / np.pi))
        angles = first + turn * np.arange(steps + 1) / steps
        found.append(corners[k] + radius * np.column_stack([np.cos(angles), np.sin(angles)]))
    return np.concatenate(found)


def extrude(outline: np.ndarray, half: float, centre: np.ndarray, plane: np.ndarray) -> MeshData:
    """A prism over an anticlockwise convex outline; the rows of `plane` are its axes."""
    n = len(outline)
    levels = [np.column_stack([outline, np.full(n, height)]) for height in (-half, half)]
    # faces and walls have vertices of their own, so that edges look sharp
    local = np.concatenate([levels[0], levels[1], levels[0], levels[1]])
    triangles = [(0, k + 1, k) for k in range(1, n - 1)]
    triangles += [(n, n + k, n + k + 1) for k in range(1, n - 1)]
    for k, after in pairwise([*range(n), 0]):
        low, high, low_after, high_after = 2 * n + k, 3 * n + k, 2 * n + after, 3 * n + after
        triangles += [(low, low_after, high_after), (low, high_after, high)]
    vertices = centre + local @ plane
    return MeshData(vertices.astype(np.float32), np.array(triangles, dtype=np.uint32))


def hull_surface(points: np.ndarray) -> MeshData:
    """The convex hull: of every three points the face, where all others lie on one side of it."""
    centre = points.mean(axis=0)
    outermost = np.argsort(-np.linalg.norm(points - centre, axis=1), kind="stable")
    chosen = points[outermost[:MAX_HULL_POINTS]]
    extent = float(np.linalg.norm(np.ptp(chosen, axis=0)))
    faces: list[np.ndarray] = []
    for a, b, c in combinations(range(len(chosen)), 3):
        normal = np.cross(chosen[b] - chosen[a], chosen[c] - chosen[a])
        height = (chosen - chosen[a]) @ normal
        limit = SAME_SIDE * extent * float(np.linalg.norm(normal))
        if limit > 0.0 and height.max() <= limit:
            faces.append(chosen[[a, b, c]])
        elif limit > 0.0 and height.min() >= -limit:
            faces.append(chosen[[a, c, b]])
    vertices = np.array(faces).reshape(-1, 3)
    triangles = np.arange(len(vertices)).reshape(-1, 3)
    return MeshData(vertices.astype(np.float32), triangles.astype(np.uint32))
