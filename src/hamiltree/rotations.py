"""Rotations in NumPy: matrices, unit quaternions (scalar first), rotation vectors, axes, and the
angles ZYZ of the thesis; public as `ht.rotations`.

What compiled kernels use is in algebra/ (quat.py, mat3.py), the plain numbers of a Frame are in
model/values.py. Every function here takes arrays of any
leading shape. R and q lead from inner to outer axes: x_outer = R(q) x_inner.

Start values of runs are made here, so the order of operations is part of a function: another order
changes the last bit of a run. So does the memory layout of a matrix in `rotate` (einsum).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamiltree.errors import OptionError

Array = np.ndarray

SMALL_ANGLE = 1e-8  # rad: below it sin(x/2)/x is ½ to rounding
LOCKED = 1e-15  # |sin θ| of angles ZYZ: below it two axes are one but for rounding


# ---- vectors and matrices ------------------------------------------------------------------------
def skew(v: Any) -> Array:
    """[v]× (…, 3, 3) of vectors (…, 3): skew(v) @ u = v × u."""
    v = np.asarray(v, dtype=float)
    out = np.zeros((*v.shape, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[..., k, j] = v[..., i]
        out[..., j, k] = -v[..., i]
    return out


def rotation_about_z(angle: Any) -> Array:
    """(…, 3, 3) of angles (…) about the z axis."""
    angle = np.asarray(angle, dtype=float)
    out = np.zeros((*angle.shape, 3, 3))
    out[..., 0, 0] = out[..., 1, 1] = np.cos(angle)
    out[..., 1, 0] = np.sin(angle)
    out[..., 0, 1] = -out[..., 1, 0]
    out[..., 2, 2] = 1.0
    return out


def rotation_exponential(vectors: Array) -> Array:
    """exp([θ]×) = 1 + sinc(θ) [θ]× + ½ sinc²(θ/2) [θ]×² of rotation vectors (Rodrigues)."""
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None]
    cross = skew(vectors)
    return (
        np.eye(3)
        + np.sinc(angle / np.pi) * cross
        + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * (cross @ cross)
    )


def rotation_with_z_axis(axes: Array) -> Array:
    """(k, 3, 3) whose z columns are the given unit axes; exactly the identity for the z axis."""
    x, y, z = axes.T
    sign = np.where(z < 0, -1.0, 1.0)
    k = -1.0 / (sign + z)
    first = np.stack([1 + sign * x * x * k, sign * x * y * k, -sign * x], 1)
    second = np.stack([x * y * k, sign + y * y * k, -y], 1)
    return np.stack([first, second, axes], 2)


def cross(a: Array, b: Array) -> Array:
    """a × b along the last axis; a fraction of what numpy.cross takes for few samples."""
    (ax, ay, az), (bx, by, bz) = components(a), components(b)
    return np.stack((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx), axis=-1)


def rotate(matrix: Array, v: Array) -> Array:
    """R v."""
    return np.einsum("...ab,...b->...a", matrix, v)


def rotate_back(matrix: Array, v: Array) -> Array:
    """Rᵀ v."""
    return np.einsum("...ba,...b->...a", matrix, v)


def components(a: Array) -> tuple[Array, ...]:
    """The entries along the last axis, one array each."""
    a = np.asarray(a)
    return tuple(a[..., k] for k in range(a.shape[-1]))


# ---- quaternions and matrices --------------------------------------------------------------------
def rotation_matrix(q: Array, scale: Any = 2.0) -> Array:
    """R = 1 + s (w [v]× + [v]×²) (…, 3, 3) of unit quaternions (…, 4), s = 2; of others with their
    scale s = 2/|q|².
    """
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - scale * (y * y + z * z), scale * (x * y - w * z), scale * (x * z + w * y)],
        [scale * (x * y + w * z), 1 - scale * (x * x + z * z), scale * (y * z - w * x)],
        [scale * (x * z - w * y), scale * (y * z + w * x), 1 - scale * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternion_from_matrix(R: Array) -> Array:
    """Unit quaternions (…, 4) of rotations (…, 3, 3), w ≥ 0: from the largest of the four
    components (Shepperd's method).
    """
    R = np.asarray(R, dtype=float)
    xx = R[..., 0, 0]
    yy = R[..., 1, 1]
    zz = R[..., 2, 2]
    wx = R[..., 2, 1] - R[..., 1, 2]
    wy = R[..., 0, 2] - R[..., 2, 0]
    wz = R[..., 1, 0] - R[..., 0, 1]
    xy = R[..., 0, 1] + R[..., 1, 0]
    xz = R[..., 0, 2] + R[..., 2, 0]
    yz = R[..., 1, 2] + R[..., 2, 1]
    rows = [
        [1 + xx + yy + zz, wx, wy, wz],
        [wx, 1 + xx - yy - zz, xy, xz],
        [wy, xy, 1 - xx + yy - zz, yz],
        [wz, xz, yz, 1 - xx - yy + zz],
    ]  # 4 q qᵀ
    candidates = np.moveaxis(np.array(rows), (0, 1), (-2, -1))
    largest = np.argmax(np.diagonal(candidates, axis1=-2, axis2=-1), axis=-1)
    found = np.take_along_axis(candidates, largest[..., None, None], axis=-2)[..., 0, :]
    return np.ascontiguousarray(normalise(found) * np.where(found[..., :1] < 0.0, -1.0, 1.0))


# ---- quaternions ---------------------------------------------------------------------------------
def normalise(q: Array) -> Array:
    """q / |q|."""
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def conjugate(q: Array) -> Array:
    """(w, −v), the inverse of a unit quaternion."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def quaternion_product(a: Array, b: Array) -> Array:
    """Hamilton's product a ∘ b: first b rotates, then a."""
    (aw, ax, ay, az), (bw, bx, by, bz) = components(a), components(b)
    found = (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )
    return np.stack(found, axis=-1)


def quaternion_rate(q: Array, omega: Array) -> Array:
    """q̇ = ½ q ∘ (0, ω), ω in inner axes."""
    omega = np.asarray(omega, dtype=float)
    return 0.5 * quaternion_product(
        q, np.concatenate([np.zeros_like(omega[..., :1]), omega], axis=-1)
    )


def rotate_quaternion(q: Array, vector: Array) -> Array:
    """q ∘ exp(θ/2): turned further by a rotation vector θ in inner axes."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    is_small = angle < SMALL_ANGLE
    w = np.cos(angle / 2)
    v = vector * np.where(is_small, 0.5, np.sin(angle / 2) / np.where(is_small, 1.0, angle))
    scalar = q[..., :1] * w - (q[..., 1:] * v).sum(-1, keepdims=True)
    return np.concatenate([scalar, q[..., :1] * v + w * q[..., 1:] + np.cross(q[..., 1:], v)], -1)


def rotation_vector(q: Array) -> Array:
    """Angle times axis (…, 3) of unit quaternions, the angle at most π."""
    w, v = q[..., :1], q[..., 1:]
    size = np.linalg.norm(v, axis=-1, keepdims=True)
    half = np.arctan2(size, np.abs(w)) / np.where(size > 0.0, size, 1.0)
    return 2.0 * np.where(w < 0.0, -1.0, 1.0) * np.where(size > 0.0, half, 1.0) * v


def quaternion_about(axis: Any, angle: Any) -> Array:
    """(cos ½a, sin ½a n) of angles (…) about axes (…, 3) of any length but zero: the thesis, (A.1)
    to (A.4).
    """
    axis = np.asarray(axis, dtype=float)
    length = np.linalg.norm(axis, axis=-1, keepdims=True)
    if not np.all(length > 0.0):
        raise OptionError("the axis of a rotation has no length; give three numbers, not all zero")
    half = 0.5 * np.asarray(angle, dtype=float)[..., None]
    vector = np.sin(half) * (axis / length)
    return np.concatenate([np.broadcast_to(np.cos(half), (*vector.shape[:-1], 1)), vector], -1)


def scalar_last(q: Any) -> Array:
    """(x, y, z, w) of quaternions (w, x, y, z)."""
    return np.roll(four_numbers(q), -1, axis=-1)


def scalar_first(q: Any) -> Array:
    """(w, x, y, z), as everywhere in hamiltree, of quaternions (x, y, z, w)."""
    return np.roll(four_numbers(q), 1, axis=-1)


def four_numbers(q: Any) -> Array:
    """Refuse what has not four entries along its last axis."""
    q = np.asarray(q, dtype=float)
    if q.ndim == 0 or q.shape[-1] != 4:
        raise OptionError(f"a quaternion has four numbers, not an array of shape {q.shape}")
    return q


def rate_matrix(q: Any) -> Array:
    """G(q) (…, 3, 4) of ω = 2 G(q) q̇ in inner axes, G(q) q = 0: the thesis, (A.13); L of the code
    and of "Spatial Dynamics".
    """
    return augmented_rate_matrix(q)[..., 1:, :]


def augmented_rate_matrix(q: Any) -> Array:
    """Ĝ(q) (…, 4, 4): qᵀ above G(q); ĜᵀĜ = ‖q‖². The thesis, (3.16), (C.3)."""
    w, x, y, z = components(four_numbers(q))
    rows = [[w, x, y, z], [-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


# ---- angular velocities --------------------------------------------------------------------------
def omega_from_quaternion_rate(q: Any, rate: Any) -> Array:
    """ω = 2 G(q) q̇ in inner axes, of unit quaternions: the thesis, (A.13); G is L of the code."""
    return 2.0 * quaternion_product(conjugate(np.asarray(q, dtype=float)), rate)[..., 1:]


def matrix_rate(R: Any, omega: Any) -> Array:
    """Ṙ = R [ω]×, ω in inner axes."""
    return np.asarray(R, dtype=float) @ skew(omega)


def omega_from_matrix_rate(R: Any, rate: Any) -> Array:
    """ω in inner axes, the axial vector of RᵀṘ: the thesis, (A.12), with ERRATA 2-19 (ṘRᵀ has ω in
    outer axes).
    """
    turning = np.swapaxes(np.asarray(R, dtype=float), -1, -2) @ np.asarray(rate, dtype=float)
    twice = [turning[..., k, j] - turning[..., j, k] for j, k in ((1, 2), (2, 0), (0, 1))]
    return 0.5 * np.stack(twice, axis=-1)


# ---- angles ZYZ ----------------------------------------------------------------------------------
# (…, 3): ψ about the outer z axis, θ about the turned y axis, φ about the inner z axis, in the
# order of the coordinates of Gimbal(sequence="zyz"). The thesis's own R is the transpose.
def matrix_from_zyz(angles: Any) -> Array:
    """R = R_z(ψ) R_y(θ) R_z(φ): the thesis, §2.5, transposed (ERRATA 2-3)."""
    psi, theta, phi = components(np.asarray(angles, dtype=float))
    a, b, c = np.cos(psi), np.cos(theta), np.cos(phi)
    d, e, f = np.sin(psi), np.sin(theta), np.sin(phi)
    rows = [
        [a * b * c - d * f, -a * b * f - d * c, a * e],
        [d * b * c + a * f, -d * b * f + a * c, d * e],
        [-e * c, e * f, b],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternion_from_zyz(angles: Any) -> Array:
    """q = q_z(ψ) ∘ q_y(θ) ∘ q_z(φ): the thesis, (A.14) to (A.17), with ERRATA 2-20."""
    psi, theta, phi = components(np.asarray(angles, dtype=float))
    total, difference = 0.5 * (phi + psi), 0.5 * (phi - psi)
    c, s = np.cos(0.5 * theta), np.sin(0.5 * theta)
    found = c * np.cos(total), s * np.sin(difference), s * np.cos(difference), c * np.sin(total)
    return np.stack(found, axis=-1)


def zyz_from_quaternion(q: Any) -> Array:
    """(ψ, θ, φ) with 0 ≤ θ ≤ π and −π < ψ, φ ≤ π, of quaternions of any length but zero.

    Where θ is 0 or π only ψ + φ or ψ − φ is determined, and both get half of it.
    """
    w, x, y, z = components(four_numbers(q))
    theta = 2.0 * np.arctan2(np.hypot(x, y), np.hypot(w, z))
    total, difference = np.arctan2(z, w), np.arctan2(x, y)
    psi, phi = total - difference, total + difference
    return np.stack([within_half_turn(psi), theta, within_half_turn(phi)], axis=-1)


def zyz_from_matrix(R: Any) -> Array:
    """(ψ, θ, φ) as of `zyz_from_quaternion`."""
    return zyz_from_quaternion(quaternion_from_matrix(R))


def within_half_turn(angle: Array) -> Array:
    """The same angle in −π < a ≤ π."""
    return angle - 2.0 * np.pi * np.ceil(angle / (2.0 * np.pi) - 0.5)


def omega_from_zyz_rates(angles: Any, rates: Any) -> Array:
    """ω in inner axes of (ψ̇, θ̇, φ̇): the thesis, (2.1), with ERRATA 2-2."""
    _, theta, phi = components(np.asarray(angles, dtype=float))
    psi_rate, theta_rate, phi_rate = components(np.asarray(rates, dtype=float))
    across = psi_rate * np.sin(theta)
    found = (
        theta_rate * np.sin(phi) - across * np.cos(phi),
        theta_rate * np.cos(phi) + across * np.sin(phi),
        phi_rate + psi_rate * np.cos(theta),
    )
    return np.stack(found, axis=-1)


def quaternion_rate_from_zyz(angles: Any, rates: Any) -> Array:
    """q̇ of (ψ, θ, φ) and their rates: the thesis, (A.18) to (A.21), with ERRATA 2-20."""
    psi, theta, phi = components(np.asarray(angles, dtype=float))
    psi_rate, theta_rate, phi_rate = components(np.asarray(rates, dtype=float))
    total, difference = 0.5 * (phi + psi), 0.5 * (phi - psi)
    c, s = np.cos(0.5 * theta), np.sin(0.5 * theta)
    nod = 0.5 * theta_rate
    turn, counterturn = 0.5 * (phi_rate + psi_rate), 0.5 * (phi_rate - psi_rate)
    found = (
        -nod * s * np.cos(total) - turn * c * np.sin(total),
        nod * c * np.sin(difference) + counterturn * s * np.cos(difference),
        nod * c * np.cos(difference) - counterturn * s * np.sin(difference),
        -nod * s * np.sin(total) + turn * c * np.cos(total),
    )
    return np.stack(found, axis=-1)


def zyz_rates_from_omega(angles: Any, omega: Any) -> Array:
    """(ψ̇, θ̇, φ̇) of ω in inner axes: (2.1) solved. Refused where sin θ = 0 (gimbal lock)."""
    _, theta, phi = components(np.asarray(angles, dtype=float))
    x, y, z = components(np.asarray(omega, dtype=float))
    if np.any(np.abs(np.sin(theta)) < LOCKED):
        raise OptionError(
            "the rates of ψ and φ are not determined where sin θ = 0 (gimbal lock); use "
            "quaternion_rate, which has no such place"
        )
    psi_rate = (y * np.sin(phi) - x * np.cos(phi)) / np.sin(theta)
    theta_rate = x * np.sin(phi) + y * np.cos(phi)
    return np.stack([psi_rate, theta_rate, z - psi_rate * np.cos(theta)], axis=-1)
