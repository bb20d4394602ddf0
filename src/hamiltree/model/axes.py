"""Axes of joints of several axes: entries of `Axes` and their screws, the two of a universal joint,
the sequence of a gimbal.
"""

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
    dot,
    number,
    part_error,
    point,
    scale,
)

AXIS_KINDS = {"turn": 3, "slide": 2, "screw": 4}  # most entries of each motion
AXIS_ENTRIES = Each((TEXT, "number", "length", "length"))  # motion, axis, point on it, pitch

PARALLEL_TOLERANCE = 1e-6  # sine of the angle below which two axes count as one


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


def parse_axes(entries: Any, part: Part) -> tuple[tuple[Any, ...], ...]:
    """The list of axes of Axes, at least one."""
    if isinstance(entries, str) or not isinstance(entries, (tuple, list)) or not entries:
        raise part_error(
            part,
            "axes",
            entries,
            "is no list of axes; give e.g. [('turn', (0, 0, 1)), ('slide', (1, 0, 0))]",
        )
    return tuple(parse_axis(entry, part) for entry in entries)


def parse_two_axes(axes: Any, part: Part) -> tuple[Vector, Vector]:
    """Two axes at an angle, unit vectors."""
    if not isinstance(axes, (tuple, list)) or len(axes) != 2:
        raise part_error(part, "axes", axes, "is not two axes; give e.g. ((1, 0, 0), (0, 1, 0))")
    first, second = (direction(axis, part, "axes") for axis in axes)
    across = cross(first, second)
    if dot(across, across) < PARALLEL_TOLERANCE**2:
        raise part_error(
            part, "axes", axes, "are parallel; give two axes at an angle, or one revolute joint"
        )
    return first, second


def parse_sequence(sequence: Any, part: Part) -> str:
    """Three letters of x, y and z in lower case, no two neighbours equal."""
    letters = sequence.lower() if isinstance(sequence, str) else ""
    is_known = len(letters) == 3 and set(letters) <= set("xyz")
    if not is_known or letters[1] in (letters[0], letters[2]):
        raise part_error(
            part,
            "sequence",
            sequence,
            "is no sequence of axes; give three letters, no two neighbours equal, e.g. 'zyx'",
        )
    return letters


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
