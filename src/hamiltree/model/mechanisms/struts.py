"""Bars and colours of mechanisms, small vectors, and checks of arguments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.model.bodies import Body
from hamiltree.model.shapes import Cylinder
from hamiltree.model.values import ORIGIN, Frame, Quaternion, Vector, add, positive, scale

X_AXIS, Y_AXIS, Z_AXIS = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
STEEL, RED, BLUE, GREEN, YELLOW = "#8a9199", "#b5452c", "#2f6690", "#5a8f4e", "#d9a441"
TRICOLOR = (RED, STEEL, BLUE)


def make_lamina(
    name: str, mass: float, com: Vector, moment: float, color: str, *points: Vector
) -> Body:
    """A flat body in x-y of that moment about z: the moments across it add up to it.

    Its looks are struts from the origin to the points.
    """
    return Body(
        name,
        mass,
        com,
        (0.5 * moment, 0.5 * moment, moment),  # type: ignore[arg-type]
        tuple(make_strut(ORIGIN, at, 0.001, color) for at in points),
    )


def make_strut_between(
    start: Vector, end: Vector, origin: Vector, radius: float, color: str
) -> Cylinder:
    return make_strut(subtract(start, origin), subtract(end, origin), radius, color)


def make_strut(start: Vector, end: Vector, radius: float, color: str) -> Cylinder:
    """A round bar between two points."""
    along, length = subtract(end, start), math.dist(start, end)
    return Cylinder(
        radius,
        length,
        frame=Frame(scale(0.5, add(start, end)), rotation_from_z(scale(1 / length, along))),
        color=color,
    )


def rotation_from_z(axis: Vector) -> Quaternion:
    """The short turn from the z axis to a unit vector: (1 + z.n, z x n), normalised; about x where
    they are opposite.
    """
    x, y, z = axis
    if z < -1 + 1e-12:
        return 0.0, 1.0, 0.0, 0.0
    norm = math.sqrt(2 * (1 + z))
    return (1 + z) / norm, -y / norm, x / norm, 0.0


def point_on_circle(radius: float, degrees: float) -> Vector:
    return radius * math.cos(math.radians(degrees)), radius * math.sin(math.radians(degrees)), 0.0


def subtract(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def to_vector(array: np.ndarray) -> Vector:
    x, y, z = array.tolist()
    return x, y, z


def check_count(who: str, name: str, value: Any) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < 1:
        raise OptionError(f"{who}: {name} = {value!r}; give a whole number of at least 1")
    return int(value)


def check_lengths(who: str, **values: Any) -> list[float]:
    """Each a number above zero."""
    return [positive(value, (who, ""), name) for name, value in values.items()]
