"""Elements between two bodies: where they sit on each, how the two ends stand and move against each
other, and the two wrenches.

World axes. Every element gives body b a force and a torque and body a the opposite ones: action =
reaction.
A table is two arrays, the rows of Bodies and one record per element: every array of a system passes
through every sweep of it, and costs each of them time to compile.
"""

from typing import NamedTuple

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.spatial import Twist, Wrench, twist_at
from hamiltree.algebra.turning import frame_in, to_quaternion
from hamiltree.algebra.values import cross, dot, transpose
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.functions import atan2
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, load, maximum, root, size, where_less
from hamiltree.forces.laws import column, link_of_end
from hamiltree.model.values import Frame

SMALLEST_LENGTH = 1e-150  # below it a line has no direction
SMALLEST_SINE = 1e-8  # below it asin s = s to the last digit


# ---- tables --------------------------------------------------------------------------------------
class End(NamedTuple):
    """The frame of an element in a row of Bodies."""

    at: Vec3
    rotation: Mat3


def frame_on_link(placement, name: str, own: Frame) -> tuple[int, Frame]:
    """Row of Bodies that carries a frame on a body or on the ground, and the frame in that row."""
    row, pose_on_link = link_of_end(placement, name)
    return row, pose_on_link @ own


def end_numbers(frame: Frame) -> tuple[float, ...]:
    """An End."""
    return (*frame.position, *frame.matrix.T.ravel())


def points_on_links(part, placement) -> tuple[tuple[int, int], tuple[float, ...]]:
    """Rows of both bodies of an element, and its points `at_a` and `at_b` in these rows."""
    i, a = frame_on_link(placement, part.body_a, Frame(part.at_a))
    j, b = frame_on_link(placement, part.body_b, Frame(part.at_b))
    return (i, j), (*a.position, *b.position)


def make_element_table(table, record, make_element, parts, placement, ends: int = 2):
    """The table of `make_element(part, placement)`: (rows, numbers of the record) of each part."""
    elements = [make_element(part, placement) for part in parts]
    return table(
        column((rows for rows, _ in elements), int, width=ends),
        column((numbers for _, numbers in elements), width=size(record)),
    )


# ---- how the ends stand and move: the point `at` of row i against that of row j ------------------
@inlined
def lever_arm(bodies, i, at):
    """From the row's origin to its point."""
    return load(bodies.rotation, i, Mat3) @ at


@inlined
def point_position(bodies, i, at):
    return load(bodies.position, i, Vec3) + lever_arm(bodies, i, at)


@inlined
def vector_between(bodies, i, a, j, b):
    return point_position(bodies, j, b) - point_position(bodies, i, a)


@inlined
def line_of_element(table, k, element, bodies):
    """From the point a of element k to its point b."""
    return vector_between(bodies, table.row[k, 0], element.a, table.row[k, 1], element.b)


@inlined
def twist_at_point(bodies, i, at):
    return twist_at(load(bodies.twist, i, Twist), lever_arm(bodies, i, at))


@inlined
def relative_angular_velocity(bodies, i, j):
    """Angular velocity of row j against row i."""
    return load(bodies.twist, j, Twist).w - load(bodies.twist, i, Twist).w


@inlined
def nonzero_length(vector):
    """|vector|, but never zero: what is divided by it vanishes where the length does."""
    return maximum(root(dot(vector, vector)), SMALLEST_LENGTH)


@inlined
def frame_axes(bodies, i, rotation):
    """The axes of a frame in the world."""
    return frame_in(load(bodies.rotation, i, Mat3), rotation)


@inlined
def relative_rotation(axes_a, axes_b):
    """Unit quaternion, w ≥ 0, of the axes b in the axes a."""
    return to_quaternion(transpose(axes_a) @ axes_b)


@inlined
def rotation_vector(q):
    """θ n = 2 atan2(s, w)/s (x, y, z) with s = sin(θ/2) = |(x, y, z)|, 0 ≤ θ ≤ π; at π the sign of
    n jumps.
    """
    axis = Vec3(q.x, q.y, q.z)
    s = root(dot(axis, axis))
    return axis * where_less(s, SMALLEST_SINE, 2.0, 2.0 * atan2(s, q.w) / maximum(s, SMALLEST_SINE))


# ---- wrenches ------------------------------------------------------------------------------------
@inlined
def add_wrench_at(bodies, i, away, force, torque):
    """A force `away` from the row's origin, and a torque."""
    add(bodies.wrench, i, Wrench(torque + cross(away, force), force))


@inlined
def add_opposite_forces(table, k, element, bodies, force):
    """`force` at the point a of element k and −force at its point b, along the line between them,
    so that no moment is left.
    """
    i = table.row[k, 0]
    j = table.row[k, 1]
    opposite = -force
    add(bodies.wrench, i, Wrench(cross(lever_arm(bodies, i, element.a), force), force))
    add(bodies.wrench, j, Wrench(cross(lever_arm(bodies, j, element.b), opposite), opposite))
