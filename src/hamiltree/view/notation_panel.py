"""Frames and vectors of two bodies drawn: fig. 1 of "EOM with Hamilton's Equations" for any model.

Positions are to scale, seen along a direction in which the marked points lie apart; f̄, τ̄ and ω
have one length each. Axial vectors have two heads.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from hamiltree.model import Model
from hamiltree.view.notation import BodyVectors, body_vectors
from hamiltree.view.styles import ACCENT, FAINT, INK, SOFT, finish_one, one_axes

SPIN = "#7a5195"
BODY_COLORS = "#dfe5ee", "#efe6dc"
ELEVATIONS = 15.0, 30.0, 45.0  # degrees: the directions that are tried
AZIMUTHS = tuple(range(0, 360, 15))
OUTLINE = 46  # points: width of the line around a body
AXIS_LENGTH, FORCE_LENGTH = 0.13, 0.22  # of axes and of f̄, τ̄, ω, in parts of the picture


def draw_frames(
    model: Model,
    body: str | None = None,
    q: Any = None,
    qdot: Any = None,
    direction: tuple[float, float] | None = None,
    ax: Any = None,
) -> Any:
    """A figure with the inertial frame, a body b_i and its parent b_ip; on Axes that are given,
    these.
    """
    found = body_vectors(model, body, q, qdot)
    points = np.concatenate([[np.zeros(3)], *(each.points for each in found)])
    view = look_from(*(direction if direction is not None else best_direction(points)))
    flat = points @ view.T
    size = max(float(np.ptp(flat, axis=0).max()), 1e-300)
    axes = one_axes(ax, (7.6, 6.0))
    axes.set_axis_off()
    axes.set_aspect("equal")
    draw_axes(axes, view, np.zeros(3), np.eye(3), size, "0")
    named = list(zip(found, BODY_COLORS, ("i", "ip"), strict=False))
    for each, color, name in reversed(named):
        draw_body(axes, view, each, size, color, name)
    for each, _, name in named:
        draw_vectors(axes, view, each, size, name)
    eta = view @ found[0].eta
    named_arrow(axes, eta - view @ found[0].d, eta, INK, "$d_i$", size)
    draw_loads(axes, view, found[0], size)
    axes.margins(0.12)
    return finish_one(axes, ax, describe(model, found))


# ---- where one looks from ------------------------------------------------------------------------
def look_from(elevation: float, azimuth: float) -> np.ndarray:
    """(2, 3): right and up on the paper, of an observer at these angles in degrees; z is up."""
    e, a = np.radians([elevation, azimuth])
    right = [-np.sin(a), np.cos(a), 0.0]
    up = [-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)]
    return np.array([right, up])


def best_direction(points: np.ndarray) -> tuple[float, float]:
    """The direction in which the two points that lie nearest to each other are furthest apart."""
    apart = [
        (i, j)
        for i, j in combinations(range(len(points)), 2)
        if np.linalg.norm(points[i] - points[j]) > 1e-9 * np.ptp(points)
    ]
    if not apart:
        return ELEVATIONS[0], AZIMUTHS[0]
    a, b = np.array(apart).T
    differences = points[a] - points[b]

    def nearest(direction: tuple[float, float]) -> float:
        return float(np.linalg.norm(differences @ look_from(*direction).T, axis=1).min())

    return max(((e, a) for e in ELEVATIONS for a in AZIMUTHS), key=nearest)


# ---- parts ---------------------------------------------------------------------------------------
def draw_axes(
    axes: Any, view: np.ndarray, at: np.ndarray, rotation: np.ndarray, size: float, name: str
) -> None:
    """Three axes of a frame, x, y, z named."""
    for k in range(3):
        tip = at + AXIS_LENGTH * size * rotation[:, k]
        arrow(axes, view @ at, view @ tip, FAINT if name else "0.6", heads=1, width=0.9)
        if name == "0":
            label(axes, view @ (at + 1.25 * (tip - at)), "xyz"[k], "0.45", "x-small")
    if name == "0":
        label(axes, view @ at + [0.0, -0.06 * size], "inertial frame", "0.35", "x-small")


def draw_body(
    axes: Any,
    view: np.ndarray,
    each: BodyVectors,
    size: float,
    color: str,
    name: str,
) -> None:
    """A pale outline around the points of a body, its frame, joint and centre of mass."""
    flat = each.points @ view.T
    corners = hull(flat)
    round_line = {"solid_joinstyle": "round", "solid_capstyle": "round"}
    axes.fill(*corners.T, color=color, lw=0, zorder=0)
    axes.plot(*np.vstack([corners, corners[:1]]).T, color=color, lw=OUTLINE, zorder=0, **round_line)
    draw_axes(axes, view, each.eta, each.rotation, 0.8 * size, "")
    axes.plot(*(view @ each.eta), "o", ms=8, mfc="white", mec=INK, mew=1.4, zorder=5)
    axes.plot(*(view @ each.r), "o", ms=8, color=INK, zorder=5)
    axes.plot(*(view @ each.r), "+", ms=8, color="white", zorder=6)
    inside = 0.5 * (view @ each.eta + flat.mean(axis=0))
    axes.text(*inside, rf"$b_{{{name}}}$", color="0.55", fontsize="xx-large", zorder=1)


def draw_vectors(axes: Any, view: np.ndarray, each: BodyVectors, size: float, name: str) -> None:
    """η, r from the origin; s inside; ω."""
    origin = np.zeros(2)
    eta, r = view @ each.eta, view @ each.r
    named_arrow(axes, origin, eta, SOFT, rf"$\eta_{{{name}}}$", size, 0.9)
    named_arrow(axes, origin, r, SOFT, rf"$r_{{{name}}}$", size, 0.9)
    named_arrow(axes, eta, r, INK, rf"$s_{{{name}}}$", size)
    draw_free_vector(axes, view, each.r, each.omega, SPIN, rf"$\omega_{{{name}}}$", size, heads=2)


def draw_loads(axes: Any, view: np.ndarray, each: BodyVectors, size: float) -> None:
    """f̄ at its point, y to it, τ̄ beside it."""
    at = each.eta + each.y
    if np.linalg.norm(at - each.r) > 1e-9 * size:
        named_arrow(axes, view @ each.eta, view @ at, INK, "$y_i$", size)
    draw_free_vector(axes, view, at, each.force, ACCENT, r"$\bar f_i$", size)
    draw_free_vector(axes, view, at, each.torque, ACCENT, r"$\bar\tau_i$", size, heads=2)


def draw_free_vector(
    axes: Any,
    view: np.ndarray,
    at: np.ndarray,
    vector: np.ndarray,
    color: str,
    name: str,
    size: float,
    heads: int = 1,
) -> None:
    """The direction of a force, torque or rate at a point; nothing if it is zero."""
    norm = np.linalg.norm(vector)
    if norm == 0.0:
        return
    start, end = view @ at, view @ (at + FORCE_LENGTH * size * vector / norm)
    arrow(axes, start, end, color, heads, width=2.0)
    along = end - start
    label(axes, end + 0.04 * size * along / (np.linalg.norm(along) or 1.0), name, color)


def named_arrow(
    axes: Any,
    start: np.ndarray,
    end: np.ndarray,
    color: str,
    name: str,
    size: float,
    width: float = 1.6,
) -> None:
    """A vector with its name beside the middle; nothing if it is too short to be seen."""
    along = end - start
    length = np.linalg.norm(along)
    if length < 0.02 * size:
        return
    arrow(axes, start, end, color, 1, width)
    across = np.array([-along[1], along[0]]) / length
    label(axes, 0.5 * (start + end) + 0.035 * size * across, name, color)


def arrow(
    axes: Any, start: np.ndarray, end: np.ndarray, color: str, heads: int, width: float
) -> None:
    """A straight arrow with one or two heads at its end."""
    style = {"arrowstyle": "-|>", "color": color, "lw": width, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xy=end, xytext=start, arrowprops=style, zorder=3)
    if heads == 2:
        back = start + 0.8 * (end - start)
        axes.annotate("", xy=back, xytext=start, arrowprops=style, zorder=3)
    axes.plot(*np.array([start, end]).T, lw=0)  # for the limits of the axes


def label(
    axes: Any,
    at: Sequence[float] | np.ndarray,
    text: str,
    color: str,
    size: str = "medium",
) -> None:
    """A name on the drawing."""
    box = {"boxstyle": "round,pad=0.05", "fc": "white", "ec": "none", "alpha": 0.7}
    axes.text(
        *at,
        text,
        color=color,
        fontsize=size,
        ha="center",
        va="center",
        zorder=7,
        bbox=box,
    )
    axes.plot(*at, lw=0)


def hull(points: np.ndarray) -> np.ndarray:
    """Convex hull of points in a plane, counter-clockwise (Andrew's monotone chain)."""
    ordered = sorted(map(tuple, points))
    halves = []
    for sequence in (ordered, ordered[::-1]):
        half: list[tuple[float, ...]] = []
        for point in sequence:
            while len(half) > 1 and turn(half[-2], half[-1], point) <= 0.0:
                half.pop()
            half.append(point)
        halves += half[:-1]
    return np.array(halves or ordered)


def turn(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def describe(model: Model, found: list[BodyVectors]) -> str:
    """Which bodies, and what the marks are."""
    parent = f", $b_{{ip}}$ = {found[1].name}" if len(found) > 1 else " on the ground"
    return (
        f"{model.name}: $b_i$ = {found[0].name}{parent}\n"
        "open circle: joint; filled: centre of mass; two heads: axial vector"
    )
