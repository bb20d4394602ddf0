"""Euler parameters p, or canonical quaternions q (scalar first, body to world): L(p),
ω' = 2 L(p) ṗ/‖p‖², the momentum g = 2 Lᵀ J'ω' and the constraint ‖p‖ = 1.
"""

from hamiltree.algebra.quat import Quat, conjugate
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma


@inlined
def l_transpose_times(p, v):
    """Lᵀ(p) v = p ∘ (0, v)"""
    return p @ Quat(0.0, v.x, v.y, v.z)


@inlined
def l_times(p, a):
    """L(p) a, the vector part of p̄ ∘ a"""
    product = conjugate(p) @ a
    return Vec3(product.x, product.y, product.z)


@inlined
def quaternion_dot(a, b):
    """a · b of two quaternions as vectors of R⁴."""
    return fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, a.w * b.w)))


@inlined
def angular_velocity_of_rate(p, rate):
    """ω' = 2 L(p) ṗ/‖p‖², body axes."""
    return l_times(p, rate) * (2.0 / quaternion_dot(p, p))


@inlined
def momentum_offset(system, i):
    """First row of the momenta of body i, of seven: m ṙ, then g = 2 Lᵀ J'ω'."""
    return system.layout.positions + 7 * i


@inlined
def generalised_torque(p, torque):
    """2 Lᵀ n'/‖p‖²: the generalised force on a quaternion of a torque in body axes."""
    return l_transpose_times(p, torque * (2.0 / quaternion_dot(p, p)))


@inlined
def norm_residual(p):
    """Constraint residual (‖p‖² − 1)/2."""
    return 0.5 * quaternion_dot(p, p) - 0.5
