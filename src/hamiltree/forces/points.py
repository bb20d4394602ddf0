"""Where a load attacks a body that a row of Bodies carries: its axes and point, and how its force becomes the row's wrench."""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.number import add, load, where_less
from hamiltree.algebra.spatial import Wrench
from hamiltree.algebra.values import plus_cross
from hamiltree.algebra.vec3 import Vec3
from hamiltree.forces.laws import column
from hamiltree.kernel import inlined


class Points(NamedTuple):
    row: np.ndarray  # row of Bodies
    at: np.ndarray  # Vec3: point of attack from the row's origin, in the row's axes
    turn: np.ndarray  # Mat3: the body in its row
    in_body: np.ndarray  # 1.0: forces and torques are in the body's axes, 0.0: in the world's


def points_of(parts, placement) -> Points:
    """Of parts with `body`, `at` and `axes`."""
    carriers = [placement.carrier(part.body) for part in parts]
    points = [frame.matrix @ part.at + frame.position for (_, frame), part in zip(carriers, parts, strict=True)]
    return Points(
        column((row for row, _ in carriers), int),
        column(points, width=3),
        column((frame.matrix.T.ravel() for _, frame in carriers), width=9),
        column(part.axes == "body" for part in parts),
    )


@inlined
def attitude(points, k, bodies):
    """Axes of the body in the world."""
    return load(bodies.rotation, points.row[k], Mat3) @ load(points.turn, k, Mat3)


@inlined
def arm(points, k, bodies):
    """From the row's origin to the point of attack, world axes."""
    return load(bodies.rotation, points.row[k], Mat3) @ load(points.at, k, Vec3)


@inlined
def chosen(in_body, a, b):
    """a if forces are given in the world's axes, b if in the body's."""
    return Vec3(where_less(in_body, 0.5, a.x, b.x), where_less(in_body, 0.5, a.y, b.y), where_less(in_body, 0.5, a.z, b.z))


@inlined
def push_at(points, k, bodies, numbers):
    """Add the wrench of (force, torque), six numbers in the axes of element k, about the row's origin."""
    force, torque = Vec3(load(numbers, 0), load(numbers, 1), load(numbers, 2)), Vec3(load(numbers, 3), load(numbers, 4), load(numbers, 5))
    axes, in_body = attitude(points, k, bodies), load(points.in_body, k)
    force, torque = chosen(in_body, force, axes @ force), chosen(in_body, torque, axes @ torque)
    add(bodies.wrench, points.row[k], Wrench(plus_cross(torque, arm(points, k, bodies), force), force))
