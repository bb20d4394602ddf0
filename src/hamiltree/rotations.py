"""Rotations in NumPy: matrices, unit quaternions (scalar first), rotation vectors and axes.

What compiled kernels use is in algebra/ (quat.py, mat3.py), the plain numbers of a Frame are in
model/values.py. Every function here takes arrays of any
leading shape. R and q lead from inner to outer axes: x_outer = R(q) x_inner.

Start values of runs are made here, so the order of operations is part of a function: another order
changes the last bit of a run. So does the memory layout of a matrix in `rotate` (einsum).
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray

SMALL_ANGLE = 1e-8  # rad: below it sin(x/2)/x is ½ to rounding


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
