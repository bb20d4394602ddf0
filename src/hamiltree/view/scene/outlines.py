"""Automatic shapes of bodies without a shape of their own.

A body on one joint is a link from the joint to its free end, or a rod with a solid at its centre of
mass; a body between two joints is a link from one to the other; one with three or more is a plate
or a convex hull; one without joints is the homogeneous solid of its inertia.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hamiltree.model.bodies import Body
from hamiltree.model.values import Frame, Vector
from hamiltree.rotations import rotation_with_z_axis
from hamiltree.view.scene.equal_inertia import equal_inertia_solid
from hamiltree.view.scene.hulls import surface_through
from hamiltree.view.scene.parts import AUTOMATIC, MeshData, Solid, cube

SAME_POINT = 1e-6  # of the extent of a body: anchors nearer than that are one
COLLINEAR = 0.05  # of their extent: anchors nearer to a line make a link
THICKNESS = 0.05  # radius of a link, of the median extent of the bodies
THICKEST = 0.18  # radius of a link, of its own length
ROD = 0.45  # radius of a rod that carries a solid, of that of a link
POINT_MASS = 2.2  # radius of a point mass, of that of a link
ALIGNED = 0.94  # cosine: a solid whose longest axis is nearer to the arm is part of the link
SLENDER = 0.45  # of its length: a solid that is thinner across is a link
FREE_PART = (0.35, 1.0)  # from the centre of mass to the free end, of the arm to the joint


class Outlines:
    """The automatic shapes of one model; meshes that they need are added to `meshes`."""

    def __init__(
        self, bodies: Sequence[Body], anchors: Sequence[np.ndarray], meshes: list[MeshData]
    ):
        """The thickness of links follows from the median extent of all bodies."""
        self.anchors = [
            _distinct(points, body) for body, points in zip(bodies, anchors, strict=True)
        ]
        self.meshes = meshes
        extents = [
            body_extent(body, points) for body, points in zip(bodies, self.anchors, strict=True)
        ]
        seen = [extent for extent in extents if extent > 0.0]
        self.thickness = THICKNESS * (float(np.median(seen)) if seen else 1.0)

    def solids(self, index: int, body: Body, color: str) -> list[Solid]:
        """The shape of one body."""
        points = self.anchors[index]
        drawn = Drawing(index, color, self.thickness)
        if len(points) == 0:
            self.add_free(drawn, body)
        elif len(points) == 1:
            self.add_arm(drawn, body, points[0])
        elif is_line(points):
            self.add_link(drawn, body, points)
        else:
            drawn.add_mesh(len(self.meshes))
            self.meshes.append(surface_through(points, 0.8 * self.thickness))
        return drawn.solids

    def add_free(self, drawn: Drawing, body: Body) -> None:
        """The solid of the body's inertia, or a ball for a point mass."""
        found = equal_inertia_solid(body)
        if found is None:
            drawn.add_ball(np.array(body.com), POINT_MASS * self.thickness)
        else:
            drawn.add(*found)

    def add_arm(self, drawn: Drawing, body: Body, anchor: np.ndarray) -> None:
        """From the joint to the free end if the inertia is that of a link, else a rod to the
        centre of mass with the solid of the inertia.
        """
        arm = np.array(body.com) - anchor
        length = float(np.linalg.norm(arm))
        found = equal_inertia_solid(body)
        if length <= SAME_POINT * body_extent(body, anchor[None]):
            self.add_free(drawn, body)
            return
        along = link_part(found, arm / length)
        if along is not None:
            low, high = FREE_PART
            end = np.array(body.com) + arm * min(high, max(low, 0.5 * along / length))
            drawn.add_bar(anchor, end)
            return
        drawn.add_bar(anchor, np.array(body.com), ROD)
        if found is None:
            drawn.add_ball(np.array(body.com), min(POINT_MASS * self.thickness, 0.3 * length))
        else:
            drawn.add(*found)

    def add_link(self, drawn: Drawing, body: Body, points: np.ndarray) -> None:
        """From the first to the last anchor on a line; if the centre of mass lies beyond it,
        twice as far as that.
        """
        first, last = ends_of_line(points)
        length = float(np.linalg.norm(last - first))
        axis = (last - first) / length
        place = float((np.array(body.com) - first) @ axis)
        start = min(0.0, 2.0 * place)
        end = length + max(0.0, 2.0 * (place - length))
        drawn.add_bar(first + start * axis, first + end * axis)


class Drawing:
    """The solids of one body as they are added."""

    def __init__(self, body: int, color: str, thickness: float):
        self.body = body
        self.color = color
        self.thickness = thickness
        self.solids: list[Solid] = []

    def add(self, kind: str, size: Vector, frame: Frame, mesh: int = -1) -> None:
        self.solids.append(Solid(self.body, kind, size, frame, self.color, AUTOMATIC, mesh))

    def add_bar(self, start: np.ndarray, end: np.ndarray, part: float = 1.0) -> None:
        """A capsule from point to point."""
        length = float(np.linalg.norm(end - start))
        radius = min(part * self.thickness, THICKEST * length)
        turn = rotation_with_z_axis(((end - start) / length)[None])[0]
        size = (2.0 * radius, 2.0 * radius, length)
        self.add("capsule", size, Frame((0.5 * (start + end)).tolist(), turn))

    def add_ball(self, centre: np.ndarray, radius: float) -> None:
        self.add("sphere", cube(2.0 * radius), Frame(centre.tolist()))

    def add_mesh(self, mesh: int) -> None:
        self.add("mesh", (1.0, 1.0, 1.0), Frame(), mesh)


def link_part(solid: tuple[str, Vector, Frame] | None, arm: np.ndarray) -> float | None:
    """The length of a slender solid along the arm that it hangs on; None if it is no link."""
    if solid is None:
        return None
    _, size, frame = solid
    longest = int(np.argmax(size))
    across = sorted(size)[1]
    is_aligned = abs(float(frame.matrix[:, longest] @ arm)) >= ALIGNED
    is_slender = across <= SLENDER * size[longest]
    return size[longest] if is_aligned and is_slender else None


def body_extent(body: Body, anchors: np.ndarray) -> float:
    """How large a body is: the largest distance of anchors, twice that of the centre of mass from
    one, or the diameter of its inertia.
    """
    if len(anchors) == 0:
        gyration = math.sqrt(np.trace(np.array(body.inertia)) / body.mass) if body.mass else 0.0
        return 2.0 * gyration
    spread = anchors - anchors.mean(axis=0)
    arms = np.linalg.norm(anchors - np.array(body.com), axis=1)
    return max(2.0 * float(np.linalg.norm(spread, axis=1).max()), 1.5 * float(arms.max()))


def is_line(points: np.ndarray) -> bool:
    """Whether three or more points lie on a line; two do."""
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return len(points) == 2 or spread[1] <= COLLINEAR * spread[0]


def ends_of_line(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    _, _, axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    places = (points - points[0]) @ axes[0]
    return points[int(places.argmin())], points[int(places.argmax())]


def _distinct(points: np.ndarray, body: Body) -> np.ndarray:
    """Anchors that are apart from each other."""
    limit = SAME_POINT * body_extent(body, points)
    kept: list[np.ndarray] = []
    for point in points:
        if all(np.linalg.norm(point - other) > limit for other in kept):
            kept.append(point)
    return np.array(kept).reshape(-1, 3)
