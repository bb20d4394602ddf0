"""Vectors, quaternions and matrices in consecutive rows of an array, such as a state."""

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.quat import Quat
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, load, store


@inlined
def vector_at(array, first):
    """The vector in three rows."""
    return Vec3(load(array, first), load(array, first + 1), load(array, first + 2))


@inlined
def store_vector(array, first, v):
    """Write a vector into three rows."""
    store(array, first, v.x)
    store(array, first + 1, v.y)
    store(array, first + 2, v.z)


@inlined
def add_vector(array, first, v):
    """Add a vector to three rows."""
    add(array, first, v.x)
    add(array, first + 1, v.y)
    add(array, first + 2, v.z)


@inlined
def quat_at(array, first):
    """The quaternion in four rows, scalar first."""
    return Quat(
        load(array, first), load(array, first + 1), load(array, first + 2), load(array, first + 3)
    )


@inlined
def store_quat(array, first, q):
    """Write a quaternion into four rows, scalar first."""
    store(array, first, q.w)
    store_vector(array, first + 1, Vec3(q.x, q.y, q.z))


@inlined
def add_quat(array, first, q):
    """Add a quaternion to four rows, scalar first."""
    add(array, first, q.w)
    add_vector(array, first + 1, Vec3(q.x, q.y, q.z))


@inlined
def matrix_at(array, first):
    """The matrix in nine rows, by its columns."""
    return Mat3(vector_at(array, first), vector_at(array, first + 3), vector_at(array, first + 6))


@inlined
def store_matrix(array, first, a):
    """Write a matrix into nine rows, by its columns."""
    store_vector(array, first, a.x)
    store_vector(array, first + 3, a.y)
    store_vector(array, first + 6, a.z)
