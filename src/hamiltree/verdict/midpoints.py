"""States in the middle between samples, by Hermite's cubic through positions and speeds.

Position and speed there are good to the fourth order in the spacing, whatever happened before and
after: a jump of an input or a stop that is hit spoils no interval but its own. Attitudes are
R = R₀ exp(φ×), with the cubic of φ; ω' = J(φ) φ̇ in body axes, J the right Jacobian (Chirikjian,
Stochastic Models, Information Theory, and Lie Groups 2, ch. 10).
"""

from __future__ import annotations

import numpy as np

from hamiltree.rotations import (
    conjugate,
    cross,
    normalise,
    quaternion_product,
    rotate,
    rotate_back,
    rotate_quaternion,
    rotation_matrix,
    rotation_vector,
)

Array = np.ndarray
SMALL_SQUARE = 1e-2  # θ² below which the series are exact to the last digit


def middle_of_cubic(h: Array, change: Array, first: Array, last: Array) -> tuple[Array, Array]:
    """Displacement and rate in the middle of an interval of length h, from the change across it and
    the rates at its ends: Δ/2 + h (v₀ − v₁)/8 and 3Δ/(2h) − (v₀ + v₁)/4.
    """
    length = h.reshape(-1, *[1] * (change.ndim - 1))
    mean = np.divide(change, length, out=np.zeros_like(change), where=length > 0.0)
    return 0.5 * change + length * (first - last) / 8.0, 1.5 * mean - 0.25 * (first + last)


def interleave(ends: Array, middles: Array) -> Array:
    """Samples and the middles between them, in the order of time."""
    found = np.empty((len(ends) + len(middles), *ends.shape[1:]))
    found[0::2], found[1::2] = ends, middles
    return found


def with_middles(t: Array, x: Array, v: Array) -> tuple[Array, Array]:
    """Positions and rates of plain coordinates at the samples and between them."""
    shift, rate = middle_of_cubic(np.diff(t), np.diff(x, axis=0), v[:-1], v[1:])
    return interleave(x, x[:-1] + shift), interleave(v, rate)


def poses_with_middles(t: Array, pose: Array, twist: Array) -> tuple[Array, Array]:
    """The same of poses (samples, bodies, 7) and twists (samples, bodies, 6), world axes."""
    at, velocity = with_middles(t, pose[..., :3], twist[..., 3:])
    q = normalise(pose[..., 3:])
    spin = rotate_back(rotation_matrix(q), twist[..., :3])  # body axes
    theta = rotation_vector(quaternion_product(conjugate(q[:-1]), q[1:]))
    last = inverse_jacobian(theta, spin[1:])
    phi, rate = middle_of_cubic(np.diff(t), theta, spin[:-1], last)
    turned = normalise(rotate_quaternion(q[:-1], phi))
    omega = rotate(rotation_matrix(turned), right_jacobian(phi, rate))
    return (
        np.concatenate([at, interleave(q, turned)], axis=-1),
        np.concatenate([interleave(twist[..., :3], omega), velocity], axis=-1),
    )


def right_jacobian(phi: Array, v: Array) -> Array:
    """J(φ) v = v − (1 − cos θ)/θ² φ × v + (θ − sin θ)/θ³ φ × (φ × v)"""
    s = (phi * phi).sum(axis=-1, keepdims=True)
    theta, is_small = safe_root(s)
    a = np.where(is_small, 0.5 - s / 24 + s**2 / 720, (1.0 - np.cos(theta)) / theta**2)
    b = np.where(is_small, 1 / 6 - s / 120 + s**2 / 5040, (theta - np.sin(theta)) / theta**3)
    across = cross(phi, v)
    return v - a * across + b * cross(phi, across)


def inverse_jacobian(phi: Array, v: Array) -> Array:
    """J(φ)⁻¹ v = v + φ × v / 2 + (1 − (θ/2) cot(θ/2))/θ² φ × (φ × v)"""
    s = (phi * phi).sum(axis=-1, keepdims=True)
    theta, is_small = safe_root(s)
    series = 1 / 12 + s / 720 + s**2 / 30240
    c = np.where(is_small, series, (1.0 - 0.5 * theta / np.tan(0.5 * theta)) / theta**2)
    across = cross(phi, v)
    return v + 0.5 * across + c * cross(phi, across)


def safe_root(s: Array) -> tuple[Array, Array]:
    """θ of θ², 1 where that is small; and whether it is."""
    is_small = s < SMALL_SQUARE
    return np.sqrt(np.where(is_small, 1.0, s)), is_small
