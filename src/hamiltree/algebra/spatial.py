"""Twists, momenta, wrenches and inertias: pairs of vectors about a point, in blocks, world axes.

A twist is (ω, velocity of the point), a momentum (angular about the point, linear), a wrench
(torque about the point, force).
"""

from typing import NamedTuple

from hamiltree.algebra.mat3 import ZERO_MATRIX, ZERO_SYMMETRIC, Mat3, Sym3, to_mat3
from hamiltree.algebra.quat import Quat
from hamiltree.algebra.values import (
    dot,
    method,
    plus_cross,
    plus_product,
    plus_scaled,
    transpose,
    value,
)
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.kernel import inlined


@value
class Twist(NamedTuple):
    w: Vec3
    v: Vec3


@value
class Momentum(NamedTuple):
    H: Vec3
    P: Vec3


@value
class Wrench(NamedTuple):
    torque: Vec3
    force: Vec3


@value
class Inertia(NamedTuple):
    """H = A ω + Bᵀ v, P = B ω + C v."""

    A: Sym3
    B: Mat3
    C: Sym3


class Pose(NamedTuple):
    """Where a body's origin is, and its attitude: body to world."""

    r: Vec3
    q: Quat


ZERO_MOMENTUM = Momentum(ZERO, ZERO)
ZERO_WRENCH = Wrench(ZERO, ZERO)
ZERO_TWIST = Twist(ZERO, ZERO)
ZERO_INERTIA = Inertia(ZERO_SYMMETRIC, ZERO_MATRIX, ZERO_SYMMETRIC)


@method("add", Momentum, Momentum)
def add_momenta(a, b):
    return Momentum(a.H + b.H, a.P + b.P)


@method("add", Twist, Twist)
def add_twists(a, b):
    return Twist(a.w + b.w, a.v + b.v)


@method("add", Wrench, Wrench)
def add_wrenches(a, b):
    return Wrench(a.torque + b.torque, a.force + b.force)


@method("mul", Momentum, float)
def scale_momentum(a, s):
    return Momentum(a.H * s, a.P * s)


@method("mul", Twist, float)
def scale_twist(a, s):
    return Twist(a.w * s, a.v * s)


@plus_scaled.method(Momentum, Momentum, float)
def momentum_plus_scaled(a, b, s):
    return Momentum(plus_scaled(a.H, b.H, s), plus_scaled(a.P, b.P, s))


@plus_scaled.method(Twist, Twist, float)
def twist_plus_scaled(a, b, s):
    return Twist(plus_scaled(a.w, b.w, s), plus_scaled(a.v, b.v, s))


@dot.method(Momentum, Twist)
def momentum_dot_twist(a, b):
    return dot(a.H, b.w) + dot(a.P, b.v)


@dot.method(Wrench, Twist)
def power(a, b):
    return dot(a.torque, b.w) + dot(a.force, b.v)


@method("matmul", Inertia, Twist)
def inertia_times_twist(J, V):
    return Momentum(to_mat3(J.A) @ V.w + transpose(J.B) @ V.v, J.B @ V.w + to_mat3(J.C) @ V.v)


@plus_product.method(Momentum, Inertia, Twist)
def momentum_plus_product(Z, J, V):
    return Momentum(
        plus_product(plus_product(Z.H, to_mat3(J.A), V.w), transpose(J.B), V.v),
        plus_product(plus_product(Z.P, J.B, V.w), to_mat3(J.C), V.v),
    )


@inlined
def rigid_inertia(I, h, m):
    """Inertia of one body: rotational inertia I about the point, first moment h = m s, mass m:
    M_i of Hamilton's Equations notes.
    """
    return Inertia(
        I,
        Mat3(Vec3(0.0, -h.z, h.y), Vec3(h.z, 0.0, -h.x), Vec3(-h.y, h.x, 0.0)),
        Sym3(m, 0.0, 0.0, m, 0.0, m),
    )


@inlined
def wrench_about(W, d):
    """Dᵀ W: the wrench about the point at −d."""
    return Wrench(plus_cross(W.torque, d, W.force), W.force)


@inlined
def twist_at(V, d):
    """D V: the twist of the same body at the point d away."""
    return Twist(V.w, plus_cross(V.v, V.w, d))
