"""Where a load acts on a body that a row of Bodies carries: its axes and point of application, and
how its force becomes the row's wrench.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.rows import vector_at
from hamiltree.algebra.spatial import Wrench
from hamiltree.algebra.turning import frame_in
from hamiltree.algebra.values import plus_cross
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, load, size, where_less
from hamiltree.forces.laws import column


class Point(NamedTuple):
    """One record per element, beside the row of Bodies."""

    at: Vec3  # point of application from the row's origin, in the row's axes
    rotation: Mat3  # the body in its row
    in_body: float  # 1.0: forces and torques are in the body's axes, 0.0: in the world's


def points_of(parts, placement) -> tuple[np.ndarray, np.ndarray]:
    """Rows and Points of parts with `body`, `at` and `axes`."""
    links = [placement.link_of_body(part.body) for part in parts]
    points = [
        (*(frame.matrix @ part.at + frame.position), *frame.matrix.T.ravel(), part.axes == "body")
        for (_, frame), part in zip(links, parts, strict=True)
    ]
    return column((row for row, _ in links), int), column(points, width=size(Point))


@inlined
def attitude(point, i, bodies):
    """Axes of the body in the world."""
    return frame_in(load(bodies.rotation, i, Mat3), point.rotation)


@inlined
def lever_arm(point, i, bodies):
    """From the row's origin to the point of application, world axes."""
    return load(bodies.rotation, i, Mat3) @ point.at


@inlined
def select_axes(in_body, a, b):
    """a if forces are given in the world's axes, b if in the body's."""
    return Vec3(
        where_less(in_body, 0.5, a.x, b.x),
        where_less(in_body, 0.5, a.y, b.y),
        where_less(in_body, 0.5, a.z, b.z),
    )


@inlined
def add_wrench_at_point(point, i, bodies, numbers):
    """Add the wrench of (force, torque), six numbers in the axes of the element, about the origin
    of row i.
    """
    force = vector_at(numbers, 0)
    torque = vector_at(numbers, 3)
    axes = attitude(point, i, bodies)
    force = select_axes(point.in_body, force, axes @ force)
    torque = select_axes(point.in_body, torque, axes @ torque)
    add(bodies.wrench, i, Wrench(plus_cross(torque, lever_arm(point, i, bodies), force), force))
