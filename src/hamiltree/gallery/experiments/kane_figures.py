"""Figures of the notes on Kane's equations: a system with its numbers, two bodies with their points
and vectors, the generalised mass matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamiltree.analysis.kane.partials import Partials
from hamiltree.rotations import rotate_back
from hamiltree.view.plots import ACCENT, FAINT, INK, SOFT

AXIS_COLORS = ("#c8553d", "#5b8e7d", "#3d6fb5")
BODY_COLOR, BODY_EDGE = "#e4e9f2", "#9aa7c0"
LARGEST_DECADES = 6  # of [A] that are drawn


class Points:
    """O_K, G_K and Q_K of all bodies in inertial axes, seen along the direction in which they are
    spread least.
    """

    def __init__(self, found: Partials):
        """All points in inertial axes, then in the plane of the figure."""
        self.lower = found.lower
        self.turns = found.rotations.values
        origins, centres = (getattr(found, f"position_{point}").values for point in "OG")
        if found.formulation == "kane_relative":
            origins, centres = rotate_back(self.turns, origins), rotate_back(self.turns, centres)
        slides = found.x.values[4 * len(self.lower) :].reshape(-1, 3)
        below = [self.turns[J - 1] if J else np.eye(3) for J in self.lower]
        joints = origins - np.array(
            [turn.T @ slide for turn, slide in zip(below, slides, strict=True)]
        )
        everything = np.concatenate([origins, centres, joints])
        _, _, axes = np.linalg.svd(everything - everything.mean(axis=0))
        self.plane = axes[:2]
        self.O, self.G, self.Q = (points @ self.plane.T for points in (origins, centres, joints))
        self.size = float(np.ptp(everything @ self.plane.T, axis=0).max())

    def fixed_in(self, body: int) -> np.ndarray:
        """Points fixed in body K: O_K, G_K and the Q of the bodies that it carries."""
        carried = [self.Q[k] for k, lower in enumerate(self.lower) if lower == body]
        return np.array([self.O[body - 1], self.G[body - 1], *carried])


def convex_hull(points: np.ndarray) -> np.ndarray:
    """The corners of points in a plane, counterclockwise: Andrew's chains, lower and upper."""
    ordered = points[np.lexsort(points.T[::-1])]
    corners: list[np.ndarray] = []
    for way in (ordered, ordered[::-1]):
        chain: list[np.ndarray] = []
        for point in way:
            while len(chain) > 1 and turn(chain[-2], chain[-1], point) <= 0.0:
                chain.pop()
            chain.append(point)
        corners += chain[:-1]
    return np.array(corners)


def turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    """Twice the area of a triangle: positive if it turns to the left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def draw_body(axes: Any, points: Points, body: int, width: float) -> None:
    """A rounded shape about the points of a body."""
    import matplotlib.patches as patches

    corners = convex_hull(points.fixed_in(body))
    look = {"closed": True, "joinstyle": "round", "capstyle": "round"}
    for color, lw, layer in ((BODY_EDGE, width + 2.0, 1), (BODY_COLOR, width, 2)):
        look |= {"facecolor": color, "edgecolor": color, "lw": lw}
        axes.add_patch(
            patches.Polygon(corners, zorder=layer + 0.1 * body / len(points.lower), **look)
        )


def draw_axes(axes: Any, points: Points, body: int, length: float, names: str = "") -> None:
    """The unit vectors of a body at its origin, seen from where the figure is seen."""
    for number, color in enumerate(AXIS_COLORS):
        unit = points.turns[body - 1][number] if body else np.eye(3)[number]
        start = points.O[body - 1] if body else np.zeros(2)
        tip = start + length * (points.plane @ unit)
        arrow = {"arrowstyle": "-|>", "color": color, "lw": 1.2, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", tip, start, arrowprops=arrow, zorder=6)
        if names:
            axes.annotate(f"{names}{'₁₂₃'[number]}", tip, color=color, fontsize=9, zorder=7)


def draw_arrow(axes: Any, start: Any, end: Any, label: str, color: str, style: str = "-") -> None:
    """A vector between two points, with its name beside its middle."""
    arrow = {
        "arrowstyle": "-|>",
        "color": color,
        "lw": 1.5,
        "ls": style,
        "shrinkA": 2,
        "shrinkB": 2,
    }
    axes.annotate("", end, start, arrowprops=arrow, zorder=5)
    if label:
        middle = (np.asarray(start) + np.asarray(end)) / 2
        axes.annotate(label, middle, (4, 4), textcoords="offset points", color=color, zorder=7)


def frame_view(axes: Any, points: Points) -> None:
    """Equal scales, no ticks."""
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)
    axes.margins(0.12)


def draw_system(axes: Any, found: Partials) -> None:
    """Bodies with their numbers, origins and axes; arrows s_K lead from the lower body."""
    points = Points(found)
    for k, lower in enumerate(points.lower):
        draw_body(axes, points, k + 1, 15.0)
        style, color = ("-", SOFT) if lower else (":", FAINT)
        draw_arrow(axes, points.Q[k], points.O[k], "", color, style)
        draw_axes(axes, points, k + 1, 0.06 * points.size)
        axes.plot(*points.O[k], "o", ms=3, color=INK, zorder=6)
        axes.plot(*points.Q[k], "s", ms=3, color=SOFT, zorder=6)
        box = {"boxstyle": "circle,pad=0.25", "fc": "white", "ec": INK, "lw": 0.9}
        axes.annotate(
            str(k + 1), points.G[k], ha="center", va="center", fontsize=10, bbox=box, zorder=8
        )
    ground = points.Q[points.lower.index(0)]
    axes.plot(*ground, "^", ms=9, color=INK, zorder=6)
    axes.annotate("R", ground, (7, -11), textcoords="offset points", color=INK)
    lower = ", ".join(map(str, points.lower))
    title = f"L(K) = ({lower})\nnumbers at G, dots O, squares Q, arrows s"
    axes.set_title(title, loc="left", fontsize="medium")
    frame_view(axes, points)


def draw_connection(axes: Any, found: Partials, body: int) -> None:
    """Bodies J and K: points O, Q, G, vectors q_K, s_K, r_K, unit vectors e and n."""
    points, lower = Points(found), found.lower[body - 1]
    for k in (lower, body):
        draw_body(axes, points, k, 26.0)
    O_J, O_K, Q_K = points.O[lower - 1], points.O[body - 1], points.Q[body - 1]
    draw_arrow(axes, O_J, Q_K, "$q_K$", INK)
    draw_arrow(axes, Q_K, O_K, "$s_K$", SOFT)
    draw_arrow(axes, O_K, points.G[body - 1], "$r_K$", ACCENT)
    near = np.array([O_J, O_K, Q_K, points.G[body - 1], points.G[lower - 1]])
    length = 0.14 * float(np.ptp(near, axis=0).max())
    for k, unit in ((lower, "e"), (body, "n")):
        draw_axes(axes, points, k, length, unit)
    for point, name, beside in (
        (O_J, "$O_J$", (-20, 4)),
        (O_K, "$O_K$", (-22, -6)),
        (Q_K, "$Q_K$", (5, -11)),
        (points.G[lower - 1], "$G_J$", (5, -11)),
        (points.G[body - 1], "$G_K$", (5, -11)),
    ):
        axes.plot(*point, "o", ms=4, color=INK, zorder=6)
        axes.annotate(name, point, beside, textcoords="offset points", fontsize=9, zorder=7)
    axes.set_title(
        f"bodies J = {lower} and K = {body}:\npoints O, Q, G and vectors q, s, r",
        loc="left",
        fontsize="medium",
    )
    frame_view(axes, points)


def draw_matrix(axes: Any, found: Partials) -> None:
    """|[A]| on a logarithmic scale, with the halves {y1} and {y2} and a block per body."""
    A = np.abs(found.mass_matrix.values)
    logs = np.log10(np.where(A > 0.0, A, np.nan))
    top = float(np.nanmax(logs))
    logs = np.where(logs > top - LARGEST_DECADES, logs, np.nan)
    image = axes.imshow(logs, cmap="Blues", vmin=top - 4.0, vmax=top, interpolation="nearest")
    count = len(found.bodies)
    for edge in range(0, 2 * count + 1):
        width, color = (1.2, INK) if edge == count else (0.3, FAINT)
        axes.axhline(3 * edge - 0.5, color=color, lw=width)
        axes.axvline(3 * edge - 0.5, color=color, lw=width)
    places = 3 * np.arange(2 * count) + 1
    labels = [*map(str, range(1, count + 1))] * 2
    axes.set_xticks(places, labels, fontsize=7)
    axes.set_yticks(places, labels, fontsize=7)
    axes.tick_params(length=0)
    axes.set_xlabel("rotations {y₁} of bodies 1 … N, then translations {y₂}")
    axes.set_title("generalised mass matrix [A]", loc="left", fontsize="medium")
    axes.figure.colorbar(image, ax=axes, label="log₁₀ |A|", shrink=0.8)
