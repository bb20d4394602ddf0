"""Axes of joints of several axes: entries of `Axes` and their screws."""

from __future__ import annotations

import math
from typing import Any

from hamiltree.model.dimensions import TEXT, Each
from hamiltree.model.values import (
    ORIGIN,
    Part,
    Vector,
    add,
    cross,
    direction,
    number,
    part_error,
    point,
    scale,
)

AXIS_KINDS = {"turn": 3, "slide": 2, "screw": 4}  # most entries of each motion
AXIS_ENTRIES = Each((TEXT, "number", "length", "length"))  # motion, axis, point on it, pitch


def parse_axis(entry: Any, part: Part) -> tuple[Any, ...]:
    """One entry of Axes, checked: what it does, its axis, and where it has them a point and a
    pitch.
    """
    usual = "give ('turn', axis), ('turn', axis, at), ('slide', axis) or ('screw', axis, at, pitch)"
    if (
        not isinstance(entry, (tuple, list))
        or len(entry) < 2
        or len(entry) > AXIS_KINDS.get(str(entry[0]), 0)
    ):
        raise part_error(part, "axes", entry, f"is no motion; {usual}")
    if entry[0] == "screw" and len(entry) != 4:
        raise part_error(part, "axes", entry, f"is no screw; {usual}")
    axis = direction(entry[1], part, "axes")
    at = (point(entry[2], part, "axes"),) if len(entry) > 2 else ()
    pitch = (number(entry[3], part, "axes"),) if len(entry) > 3 else ()
    return (str(entry[0]), axis, *at, *pitch)


def screw_of(
    motion: str, axis: Vector, at: Vector = ORIGIN, pitch: float = 0.0
) -> tuple[Vector, Vector]:
    if motion == "slide":
        return ORIGIN, axis
    return axis, add(cross(at, axis), scale(pitch / math.tau, axis))


def perpendicular_axes(axis: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors that make a right-handed frame with `axis`; x and y for the z axis."""
    x, y, z = axis
    sign = -1.0 if z < 0 else 1.0
    k = -1.0 / (sign + z)
    return (1 + sign * x * x * k, sign * x * y * k, -sign * x), (x * y * k, sign + y * y * k, -y)
