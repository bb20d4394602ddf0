"""Invariants of a run and how well it kept them, from plain arrays of its samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hamiltree.model import Body
from hamiltree.rotations import rotation_matrix


def energy_balance(energy: np.ndarray, work: np.ndarray) -> np.ndarray:
    """H − H(0) − (work − work(0)); a resumed run counts its work from its own first sample."""
    return energy - energy[0] - (work - work[0])


ENERGY_ROUNDING = 1e-14  # of an energy: less motion than that cannot be told from rounding
MOST_OVER_MEAN = 6.0  # a peak of the kinetic energy that is higher above its mean does not count


def kinetic_scale(t: np.ndarray, kinetic: np.ndarray, balance: np.ndarray) -> float:
    """The kinetic energy that errors of the energy are compared with: its peak, but not more than
    six times its mean over time. Of each sample only what the motion would have without the error
    counts, T − |balance|, so that a run that blows up is not measured by its own explosion.
    """
    if not len(kinetic):
        return 0.0
    sound = np.maximum(kinetic - np.abs(balance), 0.0)
    length = t[-1] - t[0]
    mean = float(np.trapezoid(sound, t) / length) if length > 0.0 else float(sound[0])
    peak = float(sound.max())
    return min(peak, MOST_OVER_MEAN * mean) or peak


def energy_scale(
    t: np.ndarray, kinetic: np.ndarray, balance: np.ndarray, energies: Sequence[np.ndarray]
) -> float:
    """What an error of the energy is relative to: the scale of the kinetic energy, which counts at
    least as the rounding of the `energies` that the balance is made of.
    """
    rounding = ENERGY_ROUNDING * max(float(np.abs(part).max()) for part in energies)
    return max(kinetic_scale(t, kinetic, balance), rounding)


def relative_error(worst: float, scale: float) -> float:
    """The largest error over its scale. If nothing moved: 0 without an error, else infinite."""
    if scale > 0.0:
        return worst / scale
    return float("inf") if worst > 0.0 else 0.0


def momenta(
    bodies: Sequence[Body], pose: np.ndarray, twist: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Linear and angular momentum of all bodies about the world's origin, (time, 3) in world axes.

    p = Σ m v, L = Σ r × p + R J Rᵀ ω, of centres of mass.
    """
    mass = np.array([body.mass for body in bodies])
    com = np.array([body.com for body in bodies])
    inertia = np.array([body.inertia for body in bodies])
    omega = twist[:, :, :3]
    R = rotation_matrix(pose[:, :, 3:])
    arm = np.einsum("tnij,nj->tni", R, com)
    p = mass[:, None] * (twist[:, :, 3:] + np.cross(omega, arm))
    spin = np.einsum("tnij,njk,tnlk,tnl->tni", R, inertia, R, omega, optimize=True)
    angular = np.cross(pose[:, :, :3] + arm, p) + spin
    return p.sum(axis=1), angular.sum(axis=1)


def quaternion_norm_error(q: np.ndarray, rows: list[int]) -> float:
    """Largest | ‖q‖² − 1 | of the quaternions that begin at the rows; 0 without any."""
    if not rows or not len(q):
        return 0.0
    first = np.array(rows)
    squares = sum(q[:, first + part] ** 2 for part in range(4))
    return float(np.abs(squares - 1.0).max())
