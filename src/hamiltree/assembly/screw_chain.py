"""Forward kinematics of a list of screws at many samples at once, by quaternions.

assembly/kinematics.py does one sample by matrices; runs in coordinates of bodies have thousands.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.rotations import cross, quaternion_product, rotate, rotation_matrix

Array = np.ndarray
IDENTITY_QUATERNION = np.array([1.0, 0.0, 0.0, 0.0])


class ScrewChain(NamedTuple):
    """exp(screw₁ x₁) exp(screw₂ x₂) …, and the twists of unit rates, Ad(exp(screw₁ x₁) …) screwₖ,
    at its end.
    """

    position: Array  # (n, 3)
    rotation: Array  # (n, 4)
    columns: Array  # (n, 6, screws)


def screw_chain(screws, x: Array) -> ScrewChain:
    """The chain of screws (ω, v) at x (n, screws)."""
    position = np.zeros((len(x), 3))
    rotation = np.tile(IDENTITY_QUATERNION, (len(x), 1))
    spins = []
    velocities = []
    for (w, v), value in zip(screws, x.T, strict=True):
        axes = body_axes(rotation)
        spins.append(rotate(axes, w))
        velocities.append(rotate(axes, v) - cross(spins[-1], position))  # of the parent's origin
        step_position, step_rotation = screw_exponential(w, v, value)
        position = position + rotate(axes, step_position)
        rotation = quaternion_product(rotation, step_rotation)
    columns = [
        np.concatenate([spin, velocity + cross(spin, position)], axis=1)
        for spin, velocity in zip(spins, velocities, strict=True)
    ]
    return ScrewChain(
        position, rotation, np.stack(columns, axis=2) if columns else np.empty((len(x), 6, 0))
    )


def screw_exponential(w: Array, v: Array, x: Array) -> tuple[Array, Array]:
    """exp(screw x): position and quaternion."""
    rate = float(np.linalg.norm(w))
    x = x[:, None]
    if rate == 0.0:
        return v * x, np.broadcast_to(IDENTITY_QUATERNION, (len(x), 4))
    rotation = np.hstack([np.cos(0.5 * rate * x), np.sin(0.5 * rate * x) * (w / rate)])
    point = np.cross(w, v) / rate**2
    return point - rotate(body_axes(rotation), point) + w * (w @ v / rate**2) * x, rotation


def body_axes(quaternion: Array) -> Array:
    """Rotation matrices (…, 3, 3) of unit quaternions, each matrix contiguous."""
    return np.ascontiguousarray(rotation_matrix(quaternion))
