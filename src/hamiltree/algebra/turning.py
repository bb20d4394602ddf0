"""Rotations that turn, where derivatives are taken: a matrix of floats, and its turn δθ along the
directions of dual numbers, δR = [δθ]× R in world axes.

Nine duals would carry the same, and cost three times as much.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3, Sym3, rotate_symmetric, to_mat3
from hamiltree.algebra.quat import Quat, quaternion_from_matrix
from hamiltree.algebra.values import cross, method, operation, transpose, value
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.duals import plus_slopes, value_of
from hamiltree.compiled.kernel import compiled_as, inlined, kind_of_type
from hamiltree.compiled.number import load


@value
class Turning(NamedTuple):
    R: Mat3  # of floats
    turn: Vec3  # of duals, of which the slopes count


@value
class TurningBack(NamedTuple):
    """The inverse of a Turning."""

    R: Mat3  # transposed
    turn: Vec3  # of what it is the inverse of


class TurningRows(NamedTuple):
    """Rows of Turning, for Bodies of duals."""

    rotation: np.ndarray  # Mat3
    turn: np.ndarray  # Vec3 of duals


@compiled_as(load)
def load_turning(array, i, kind=float):
    if kind_of_type(array) is not TurningRows:
        return None
    return lambda array, i, kind=float: Turning(
        load(array.rotation, i, Mat3), load(array.turn, i, Vec3)
    )


# ---- what a law asks of a rotation, whether it turns or not --------------------------------------
frame_in = operation("frame_in", "R fixed: the axes of a frame that is fixed in another one")
to_matrix = operation("to_matrix", "a rotation as a Mat3")
to_quaternion = operation("to_quaternion", "a rotation as a unit quaternion, w ≥ 0")
to_world = operation("to_world", "R a Rᵀ of a symmetric a")


@frame_in.method(Mat3, Mat3)
def frame_in_matrix(R, fixed):
    return R @ fixed


@frame_in.method(Turning, Mat3)
def frame_in_turning(a, fixed):
    return Turning(a.R @ fixed, a.turn)


@to_matrix.method(Mat3)
def matrix_as_it_is(R):
    return R


@to_matrix.method(Turning)
def matrix_of_turning(a):
    return Mat3(turned(a.turn, a.R.x), turned(a.turn, a.R.y), turned(a.turn, a.R.z))


@to_quaternion.method(Mat3)
def quaternion_of_matrix(R):
    return quaternion_from_matrix(R)


@to_quaternion.method(Turning)
def quaternion_of_turning(a):
    """δq = ½ (0, δθ) q"""
    q, half = quaternion_from_matrix(a.R), a.turn * 0.5
    change = Quat(0.0, half.x, half.y, half.z) @ q
    return Quat(
        plus_slopes(q.w, change.w),
        plus_slopes(q.x, change.x),
        plus_slopes(q.y, change.y),
        plus_slopes(q.z, change.z),
    )


@to_world.method(Sym3, Mat3)
def symmetric_to_world(a, R):
    return rotate_symmetric(a, R)


@to_world.method(Sym3, Turning)
def symmetric_to_turning_world(a, b):
    """δI = [δθ]× I + ([δθ]× I)ᵀ"""
    I = rotate_symmetric(a, b.R)
    C = cross(b.turn, to_mat3(I))
    return Sym3(
        plus_slopes(I.xx, C.x.x * 2.0),
        plus_slopes(I.xy, C.y.x + C.x.y),
        plus_slopes(I.xz, C.z.x + C.x.z),
        plus_slopes(I.yy, C.y.y * 2.0),
        plus_slopes(I.yz, C.z.y + C.y.z),
        plus_slopes(I.zz, C.z.z * 2.0),
    )


# ---- products ------------------------------------------------------------------------------------
@inlined
def plus_change(v, change):
    """A vector with the slopes of another one added to its own."""
    return Vec3(plus_slopes(v.x, change.x), plus_slopes(v.y, change.y), plus_slopes(v.z, change.z))


@inlined
def values_of(v):
    return Vec3(value_of(v.x), value_of(v.y), value_of(v.z))


@inlined
def turned(turn, v):
    """v, which turns along."""
    return plus_change(v, cross(turn, values_of(v)))


@method("matmul", Turning, Vec3)
def turning_times_vector(a, v):
    return turned(a.turn, a.R @ v)


@method("matmul", Turning, Mat3)
def turning_times_matrix(a, b):
    return Mat3(a @ b.x, a @ b.y, a @ b.z)


@transpose.method(Turning)
def transpose_turning(a):
    return TurningBack(transpose(a.R), a.turn)


@method("matmul", TurningBack, Vec3)
def turning_back_times_vector(a, v):
    """δ(Rᵀ v) = Rᵀ (δv + v × δθ)"""
    return a.R @ plus_change(v, cross(values_of(v), a.turn))


@method("matmul", TurningBack, Turning)
def relative_turning(a, b):
    """Turns in the axes of a."""
    return Turning(a.R @ b.R, a.R @ (b.turn - a.turn))


@method("matmul", Mat3, TurningBack)
def matrix_times_turning_back(a, b):
    return a @ transpose(to_matrix(Turning(transpose(b.R), b.turn)))
