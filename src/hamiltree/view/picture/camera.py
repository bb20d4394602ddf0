"""Where a picture is seen from: perspective, or parallel along an axis of the world.

A point x in front of a perspective camera at distance d from its target is drawn at
(x − target)·(right, up) d / depth, depth = d − (x − target)·back; parallel, at x·(right, up).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hamiltree.rotations import rotation_with_z_axis

FIELD_OF_VIEW = math.radians(30.0)
FLAT = 0.12  # of the widest extent: a motion that is thinner is seen across its plane
VERTICAL = 0.999  # cosine: gravity along −z
NEAREST = 0.05  # of the distance of the target: nothing is drawn as if it were nearer
SIDES = {"front": ("x", "z"), "side": ("y", "z"), "top": ("x", "y")}


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """Axes of the picture, the point in its middle, and how far that is; parallel without end."""

    right: np.ndarray
    up: np.ndarray
    back: np.ndarray  # from the target to the camera
    target: np.ndarray
    distance: float = math.inf

    @property
    def is_parallel(self) -> bool:
        return math.isinf(self.distance)

    def project(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(…, 2) places in the picture, and how far behind the target points are."""
        arm = points - self.target
        behind = -(arm @ self.back)
        flat = np.stack([arm @ self.right, arm @ self.up], axis=-1)
        if not self.is_parallel:
            flat *= self.magnification(behind)[..., None]
        return flat, behind

    def magnification(self, behind: np.ndarray) -> np.ndarray:
        """How much larger than at the target things are drawn."""
        if self.is_parallel:
            return np.ones_like(behind)
        return self.distance / np.maximum(self.distance + behind, NEAREST * self.distance)

    def towards(self, points: np.ndarray) -> np.ndarray:
        """Unit vectors from points to the camera."""
        if self.is_parallel:
            return np.broadcast_to(self.back, points.shape)
        rays = self.target + self.distance * self.back - points
        return rays / np.linalg.norm(rays, axis=-1, keepdims=True)


def look_along(side: str) -> Camera:
    """A parallel camera whose picture has the coordinates of the world: front, side or top."""
    across, upward = ("xyz".index(axis) for axis in SIDES[side])
    right, up = np.eye(3)[across], np.eye(3)[upward]
    return Camera(right, up, np.cross(right, up), np.zeros(3))


def look_at(points: np.ndarray, up: np.ndarray) -> Camera:
    """A perspective camera in front of all points, from a good side."""
    low, high = points.min(axis=0), points.max(axis=0)
    azimuth, elevation = choose_side(high - low, up)
    x, y = horizontal_axes(up)
    level = math.cos(azimuth) * x + math.sin(azimuth) * y
    back = math.cos(elevation) * level + math.sin(elevation) * up
    right = math.cos(azimuth) * y - math.sin(azimuth) * x
    radius = 0.5 * float(np.linalg.norm(high - low)) or 1.0
    distance = radius / math.sin(0.5 * FIELD_OF_VIEW)
    return Camera(right, np.cross(back, right), back, 0.5 * (low + high), distance)


def choose_side(extent: np.ndarray, up: np.ndarray) -> tuple[float, float]:
    """Azimuth and elevation: across the plane of a flat motion, else from the front and above."""
    x, y = horizontal_axes(up)
    widest = float(extent.max())
    if np.abs(extent) @ np.abs(y) < FLAT * widest:
        return -0.5 * math.pi + 0.3, 0.16
    if np.abs(extent) @ np.abs(x) < FLAT * widest:
        return 0.3, 0.16
    if np.abs(extent) @ np.abs(up) < FLAT * widest:
        return -0.5 * math.pi, 1.05
    return -1.0, 0.34


def horizontal_axes(up: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and y of the world where z is up, else two axes across `up`."""
    if up[2] > VERTICAL:
        return np.eye(3)[0], np.eye(3)[1]
    axes = rotation_with_z_axis(up[None])[0]
    return axes[:, 0], axes[:, 1]


def flat_side(paths: np.ndarray) -> str | None:
    """The side from which a motion in a plane of the world is seen whole; None of one in space."""
    extent = np.ptp(paths.reshape(-1, 3), axis=0)
    thin = np.flatnonzero(extent <= FLAT * extent.max())
    if extent.max() == 0.0 or not len(thin):
        return None
    flattest = "xyz"[int(np.argmin(extent))]
    return next(side for side, axes in SIDES.items() if flattest not in axes)
