"""Bodies, frames, vectors in an oblique view, drawn with lines on a plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from hamiltree.view.plots import ACCENT, FAINT, INK, SOFT

AZIMUTH, ELEVATION = np.radians(-60.0), np.radians(22.0)
RIGHT = np.array([-np.sin(AZIMUTH), np.cos(AZIMUTH), 0.0])
UP = np.array(
    [
        -np.sin(ELEVATION) * np.cos(AZIMUTH),
        -np.sin(ELEVATION) * np.sin(AZIMUTH),
        np.cos(ELEVATION),
    ]
)
CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2.0
EDGES = [(i, j) for i in range(8) for j in range(i) if np.abs(CORNERS[i] - CORNERS[j]).sum() == 1]
CIRCLE = np.linspace(0.0, 2.0 * np.pi, 60)


def project(points: Any) -> np.ndarray:
    """Where points of space are on the drawing."""
    points = np.asarray(points, dtype=float)
    return np.stack([points @ RIGHT, points @ UP], axis=-1)


def draw_vector(
    axes: Any, start: Any, end: Any, label: str = "", color: str = INK, at: float = 0.5, **more: Any
) -> None:
    """An arrow with its name beside it, `at` a part of its length."""
    a, b = project(start), project(end)
    style = {"arrowstyle": "-|>", "color": color, "lw": 1.3, "shrinkA": 0, "shrinkB": 0} | more
    axes.annotate("", xy=b, xytext=a, arrowprops=style)
    if label:
        along = (b - a) / max(np.linalg.norm(b - a), 1e-300)
        across = np.array([-along[1], along[0]])
        axes.annotate(
            label, a + at * (b - a), across * 9, textcoords="offset points", color=color,
            ha="center", va="center",
        )  # fmt: skip
    axes.update_datalim([a, b])


def draw_frame(axes: Any, origin: Any, turn: Any, size: float, names: Any, color: str) -> None:
    """Three axes with their names at their ends."""
    for axis, name in zip(np.asarray(turn).T, names, strict=True):
        end = np.asarray(origin) + size * axis
        draw_vector(axes, origin, end, color=color, lw=0.9)
        shift = project(end) - project(origin)
        shift = 8 * shift / max(np.linalg.norm(shift), 1e-300)
        axes.annotate(
            name, project(end), shift, textcoords="offset points", color=color, ha="center",
            va="center", fontsize="small",
        )  # fmt: skip


def draw_box(axes: Any, centre: Any, turn: Any, sides: Any, color: str = FAINT) -> None:
    """The edges of a box."""
    corners = project(np.asarray(centre) + (CORNERS * np.asarray(sides)) @ np.asarray(turn).T)
    for i, j in EDGES:
        axes.plot(*corners[[i, j]].T, color=color, lw=1.0)


def draw_point(axes: Any, place: Any, name: str, shift: Any = (8, -9), color: str = INK) -> None:
    axes.plot(*project(place), "o", ms=4, color=color)
    axes.annotate(name, project(place), shift, textcoords="offset points", color=color)


def draw_moment(axes: Any, centre: Any, axis: Any, size: float, label: str) -> None:
    """A double arrow along a moment."""
    axis = np.asarray(axis, dtype=float)
    end = np.asarray(centre) + size * axis / np.linalg.norm(axis)
    draw_vector(axes, centre, end, label, ACCENT, 0.75)
    middle = np.asarray(centre) + 0.86 * (end - np.asarray(centre))
    draw_vector(axes, centre, middle, color=ACCENT)


def finish_drawing(axes: Any) -> None:
    """No frame, equal scales, room for the names."""
    axes.autoscale_view()
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.1)
    axes.set_axis_off()


__all__ = [
    "SOFT", "draw_box", "draw_frame", "draw_moment", "draw_point", "draw_vector",
    "finish_drawing", "project",
]  # fmt: skip
