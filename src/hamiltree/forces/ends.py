"""Elements between two bodies: where they sit on each, how the two ends stand and move against each
other, and the two wrenches.

World axes. Every element hands body b a force and a torque and body a the opposite ones, so that
together they push nothing.
A table is two arrays, the rows of Bodies and one record an element: every array of a system passes
through every sweep of it, and costs each of them time to compile.
"""

from typing import NamedTuple

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.quat import quaternion_of
from hamiltree.algebra.spatial import Twist, Wrench, twist_at
from hamiltree.algebra.values import cross, dot, transpose
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.functions import atan2
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, load, maximum, root, size, where_less
from hamiltree.forces.laws import column, end_of
from hamiltree.model.values import Frame

SMALLEST_LENGTH = 1e-150  # below it a line has no direction
SMALLEST_SINE = 1e-8  # below it asin s = s to the last digit


# ---- tables --------------------------------------------------------------------------------------
class End(NamedTuple):
    """The frame of an element in a row of Bodies."""

    at: Vec3
    turn: Mat3


def placed(placement, name: str, own: Frame) -> tuple[int, Frame]:
    """Row of Bodies that carries a frame on a body or on the ground, and the frame in that row."""
    row, mount = end_of(placement, name)
    return row, mount @ own


def end_numbers(frame: Frame) -> tuple[float, ...]:
    """An End."""
    return (*frame.position, *frame.matrix.T.ravel())


def tabulated(table, record, elements, ends: int = 2):
    """The table of elements (rows, numbers of the record)."""
    elements = list(elements)
    return table(
        column((rows for rows, _ in elements), int, width=ends),
        column((numbers for _, numbers in elements), width=size(record)),
    )


# ---- how the ends stand and move: the point `at` of row i against that of row j ------------------
@inlined
def lever(bodies, i, at):
    """From the row's origin to its point."""
    return load(bodies.rotation, i, Mat3) @ at


@inlined
def place(bodies, i, at):
    return load(bodies.position, i, Vec3) + lever(bodies, i, at)


@inlined
def span(bodies, i, a, j, b):
    return place(bodies, j, b) - place(bodies, i, a)


@inlined
def twist_of(bodies, i, at):
    return twist_at(load(bodies.twist, i, Twist), lever(bodies, i, at))


@inlined
def turning(bodies, i, j):
    """Angular velocity of row j against row i."""
    return load(bodies.twist, j, Twist).w - load(bodies.twist, i, Twist).w


@inlined
def length_of(vector):
    """|vector|, but never zero: what is divided by it vanishes where the length does."""
    return maximum(root(dot(vector, vector)), SMALLEST_LENGTH)


@inlined
def axes_of(bodies, i, turn):
    """The axes of a frame in the world."""
    return load(bodies.rotation, i, Mat3) @ turn


@inlined
def relative_turn(axes_a, axes_b):
    """Unit quaternion, w ≥ 0, of the axes b in the axes a."""
    return quaternion_of(transpose(axes_a) @ axes_b)


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
def push_end(bodies, i, away, force, torque):
    """A force `away` from the row's origin, and a torque."""
    add(bodies.wrench, i, Wrench(torque + cross(away, force), force))


@inlined
def pull_together(bodies, i, a, j, b, pull):
    """The force `pull` at a, −pull at b; along the line between them, so that no moment is left."""
    push = -pull
    add(bodies.wrench, i, Wrench(cross(lever(bodies, i, a), pull), pull))
    add(bodies.wrench, j, Wrench(cross(lever(bodies, j, b), push), push))
