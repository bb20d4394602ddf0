"""The topology of a model drawn: fig. 2 of "EOM with Hamilton's Equations" for any model.

The ground is at the left; a body's column is its distance from it. Closing joints are dashed,
constraints between bodies dotted.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from hamiltree.model import Model
from hamiltree.view.outline import GROUND_ROW, Link, Outline, outline
from hamiltree.view.styles import ACCENT, FAINT, INK, SOFT, finish_one, one_axes

MAX_DRAWN = 60  # bodies; of more, long rows of bodies are one mark
MAX_COLUMNS = 14  # so too in a deeper tree
COLUMN, LANE = 1.25, 0.62  # inches of a column and between two leaves
LARGEST = 18.0, 14.0  # inches of the figure
MARK = 0.19  # radius of a body, inches


def draw_tree(model: Model, ax: Any = None) -> Any:
    """A figure of the tree with the numbers of the bodies; on Axes that are given, these."""
    found = outline(model, MAX_DRAWN)
    x, y = place_rows(found)
    if x.max() > MAX_COLUMNS:
        found = outline(model, 0)
        x, y = place_rows(found)
    lanes = y.max() - y.min() + 1
    width = min(LARGEST[0], 1.2 + COLUMN * (x.max() + 1))
    height = min(LARGEST[1], 1.1 + LANE * lanes)
    has_room = width > 3.5 * MARK * (x.max() + 1) and height > 2.2 * MARK * lanes
    axes = one_axes(ax, (max(width, 4.0), max(height, 2.0)))
    axes.set_axis_off()
    arcs = [
        (arc_between(link, x, y, k), link, color, style)
        for links, color, style in ((found.closing, ACCENT, "--"), (found.constraints, SOFT, ":"))
        for k, link in enumerate(links)
    ]
    floor = min([y.min() - 0.35, *(arc[1].min() - 0.1 for arc, *_ in arcs)])
    axes.set_xlim(-0.45, max([x.max(), *(arc[0].max() for arc, *_ in arcs)]) + 0.5)
    axes.set_ylim(floor - 0.25, y.max() + 0.6)
    draw_ground(axes, floor, y.max() + 0.35)
    draw_edges(axes, found, x, y, has_room)
    for arc in arcs:
        draw_arc(axes, *arc, has_room)
    draw_bodies(axes, found, x, y, has_room)
    return finish_one(axes, ax, describe(model, found))


def place_rows(found: Outline) -> tuple[np.ndarray, np.ndarray]:
    """Column and height of every row; the ground is at x = 0. Leaves take one lane each, from the
    top down; a parent is in the middle of its children.
    """
    n = len(found.rows)
    x, y = np.zeros(n), np.full(n, np.nan)
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    for k, row in enumerate(found.rows):
        x[k] = 1.0 + (x[row.parent] if row.parent >= 0 else 0.0)
    has_child = {row.parent for row in found.rows}
    lane = 0.0
    for k in range(n):
        if k not in has_child:
            low[k] = high[k] = lane
            lane -= 1.0
    for k in reversed(range(n)):
        y[k] = 0.5 * (low[k] + high[k])
        parent = found.rows[k].parent
        if parent >= 0:
            low[parent], high[parent] = min(low[parent], y[k]), max(high[parent], y[k])
    return x, y


# ---- parts ---------------------------------------------------------------------------------------
def draw_ground(axes: Any, bottom: float, top: float) -> None:
    """A hatched wall at the left with the number 0."""
    axes.fill_betweenx(
        [bottom, top], -0.16, 0.0, facecolor="white", edgecolor=FAINT, hatch="////", lw=0.0
    )
    axes.plot([0.0, 0.0], [bottom, top], color=INK, lw=1.2)
    axes.text(-0.2, 0.5 * (bottom + top), "0", color=INK, ha="right", va="center")


def draw_edges(axes: Any, found: Outline, x: np.ndarray, y: np.ndarray, has_room: bool) -> None:
    """Tree joints as elbows from parent to child, with their names where there is room."""
    from matplotlib.collections import LineCollection

    lines = []
    for k, row in enumerate(found.rows):
        inner = row.parent
        start = (x[inner], y[inner]) if inner >= 0 else (0.0, y[k])
        bend = start[0] + 0.3
        lines.append([start, (bend, start[1]), (bend, y[k]), (x[k], y[k])])
        if has_room and not row.hidden:
            axes.annotate(
                shorten(row.joint),
                (x[k], y[k]),
                xytext=(-MARK * 72 - 4, 2.5),
                textcoords="offset points",
                fontsize="x-small",
                color="0.35",
                ha="right",
                va="bottom",
            )
    axes.add_collection(LineCollection(lines, colors=INK, linewidths=1.0, zorder=1))


def draw_arc(
    axes: Any, arc: np.ndarray, link: Link, color: str, style: str, has_room: bool
) -> None:
    """A closing joint or a constraint as an arc between two bodies, its name in the middle."""
    axes.plot(*arc, color=color, ls=style, lw=1.3, zorder=2)
    if has_room:
        axes.annotate(
            shorten(link.name or link.kind),
            arc[:, arc.shape[1] // 2],
            fontsize="x-small",
            color=color,
            ha="center",
            va="center",
            bbox={"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none"},
            zorder=2.5,
        )


def arc_between(link: Link, x: np.ndarray, y: np.ndarray, number: int) -> np.ndarray:
    """Points of a curve beside the tree, (2, n); those of the same bodies bow differently. It ends
    on the wall below the body if one side is the ground.
    """
    (a, b), shift = link.rows, 0.12 * (number % 4)
    if GROUND_ROW in (a, b):
        body = np.array([x[max(a, b)], y[max(a, b)]])
        wall = np.array([0.0, body[1] - 0.5 - shift])
        return bezier(wall, np.array([0.8 * body[0], body[1] - 0.75 - shift]), body)
    ends = np.array([[x[a], y[a]], [x[b], y[b]]])
    left, right = ends[np.argsort(ends[:, 0], kind="stable")]
    if left[0] == right[0]:
        bow = np.array([0.45 + shift, 0.0])
    elif left[1] == right[1]:
        bow = np.array([0.0, -0.7 - shift])
    else:
        bow = 0.4 * np.array([right[0] - left[0], left[1] - right[1]]) + [shift, 0.0]
    return bezier(left, 0.5 * (left + right) + bow, right)


def bezier(a: np.ndarray, middle: np.ndarray, b: np.ndarray, count: int = 41) -> np.ndarray:
    """(1 − t)² a + 2 t (1 − t) c + t² b, (2, count)."""
    t = np.linspace(0.0, 1.0, count)[:, None]
    return ((1 - t) ** 2 * a + 2 * t * (1 - t) * middle + t**2 * b).T


def draw_bodies(axes: Any, found: Outline, x: np.ndarray, y: np.ndarray, has_room: bool) -> None:
    """Circles with numbers; names below them, unless they are letters and that number."""
    if not has_room:
        axes.plot(x, y, "o", color=INK, ms=3, mew=0, zorder=3)
        return
    is_numbered = all(
        len(row.name) <= 4 and re.fullmatch(rf"[A-Za-z_]+{row.number}", row.name)
        for row in found.rows
        if not row.hidden
    )
    for k, row in enumerate(found.rows):
        if row.hidden:
            axes.annotate(
                f"⋯ {row.hidden} bodies ⋯",
                (x[k], y[k]),
                fontsize="x-small",
                ha="center",
                va="center",
                bbox={"boxstyle": "round,pad=0.25", "fc": "white", "ec": INK, "lw": 0.8},
                zorder=4,
            )
            continue
        text = row.name if is_numbered else str(row.number)
        axes.plot(x[k], y[k], "o", ms=2 * MARK * 72, mfc="white", mec=INK, mew=1.3, zorder=3)
        axes.annotate(
            text, (x[k], y[k]), ha="center", va="center", fontsize="small", color=INK, zorder=4
        )
        if not is_numbered:
            axes.annotate(
                shorten(row.name),
                (x[k], y[k]),
                xytext=(0.0, -MARK * 72 - 1.5),
                textcoords="offset points",
                ha="center",
                va="top",
                fontsize="x-small",
                color=INK,
                zorder=4,
                bbox={"boxstyle": "square,pad=0.05", "fc": "white", "ec": "none"},
            )


def shorten(name: str, length: int = 16) -> str:
    return name if len(name) <= length else name[: length - 1] + "…"


def describe(model: Model, found: Outline) -> str:
    """How many bodies, and what dashed and dotted lines are."""
    count = "1 body" if len(model.bodies) == 1 else f"{len(model.bodies)} bodies"
    text = f"{model.name}: {count}, 0 is the ground"
    lines = (
        *(["dashed: closes a loop"] if found.closing else []),
        *(["dotted: constraint"] if found.constraints else []),
    )
    return "\n".join([text, "; ".join(lines)]) if lines else text
