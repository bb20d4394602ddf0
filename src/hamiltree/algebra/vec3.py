"""Vectors of three numbers."""

from typing import NamedTuple

from hamiltree.algebra.values import cross, dot, method, plus_cross, plus_scaled, value
from hamiltree.compiled.number import fma


@value
class Vec3(NamedTuple):
    x: float
    y: float
    z: float


ZERO = Vec3(0.0, 0.0, 0.0)


@method("add", Vec3, Vec3)
def add_vectors(a, b):
    return Vec3(a.x + b.x, a.y + b.y, a.z + b.z)


@method("sub", Vec3, Vec3)
def subtract_vectors(a, b):
    return Vec3(a.x - b.x, a.y - b.y, a.z - b.z)


@method("mul", Vec3, float)
def scale_vector(a, s):
    return Vec3(a.x * s, a.y * s, a.z * s)


@method("neg", Vec3)
def negate_vector(a):
    return Vec3(-a.x, -a.y, -a.z)


@dot.method(Vec3, Vec3)
def dot_vectors(a, b):
    return fma(a.z, b.z, fma(a.y, b.y, a.x * b.x))


@cross.method(Vec3, Vec3)
def cross_vectors(a, b):
    return Vec3(
        fma(a.y, b.z, -(a.z * b.y)), fma(a.z, b.x, -(a.x * b.z)), fma(a.x, b.y, -(a.y * b.x))
    )


@plus_cross.method(Vec3, Vec3, Vec3)
def vector_plus_cross(a, b, c):
    return Vec3(
        fma(-b.z, c.y, fma(b.y, c.z, a.x)),
        fma(-b.x, c.z, fma(b.z, c.x, a.y)),
        fma(-b.y, c.x, fma(b.x, c.y, a.z)),
    )


@plus_scaled.method(Vec3, Vec3, float)
def vector_plus_scaled(a, b, s):
    return Vec3(fma(b.x, s, a.x), fma(b.y, s, a.y), fma(b.z, s, a.z))
