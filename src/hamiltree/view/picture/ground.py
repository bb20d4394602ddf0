"""The ground below a picture: squares of a round length, and shadows straight down."""

from __future__ import annotations

import math

import numpy as np

from hamiltree.view.picture.camera import horizontal_axes
from hamiltree.view.picture.painter import Painter, place

SQUARES = 8  # across the ground, about


def round_length(length: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not longer."""
    if not length > 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(length))
    return next(factor * power for factor in (5.0, 2.0, 1.0) if factor * power <= length)


def ground_level(points: np.ndarray, up: np.ndarray) -> float:
    return float((points @ up).min())


def ground_lines(points: np.ndarray, up: np.ndarray, level: float) -> np.ndarray:
    """(n, 2, 3): lines of a grid below all points."""
    axes = np.array(horizontal_axes(up))
    places = points @ axes.T
    low, high = places.min(axis=0), places.max(axis=0)
    square = round_length(2.0 * float((high - low).max()) / SQUARES)
    first = np.floor(low / square) - 1.0
    last = np.ceil(high / square) + 1.0
    lines = []
    for k in range(2):
        for place_across in np.arange(first[k], last[k] + 0.5):
            ends = np.empty((2, 2))
            ends[:, k] = place_across * square
            ends[:, 1 - k] = first[1 - k] * square, last[1 - k] * square
            lines.append(ends @ axes + level * up)
    return np.array(lines)


def shadow(painter: Painter, poses: np.ndarray, up: np.ndarray, level: float) -> np.ndarray:
    """(n, 4, 3): all faces laid flat on the ground."""
    if not len(painter.faces):
        return np.zeros((0, 4, 3))
    vertices = place(poses, painter.owner, painter.vertices)
    fallen = vertices + (level - vertices @ up)[:, None] * up
    return fallen[painter.faces]
