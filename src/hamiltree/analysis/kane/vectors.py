"""Vectors of the bodies and the coordinates {x}, in numbers, as the notes on Kane's equations have
them (docs/references.md).

Relative speeds: ω'_K by (11), p'_O_K and p'_G_K by (20), (21), v'_O_K by (23) in the axes of the
lower body (ERRATA 3-4), v'_G_K by (25). Absolute speeds: sums along the path from the ground, in
inertial axes. Every body is reached from its lower one, so that the cost is O(N).

Euler parameters ε̂_K, or ε_K, have their scalar last (ht.rotations.scalar_last); [Ê'_K] is the
orthogonal matrix of (8): {ω̂'_K, 0} = 2 [Ê'_K] d{ε̂_K}/dt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hamiltree.analysis.kane.connections import Array, Connection
from hamiltree.analysis.kane.matrices import AbsoluteConnection
from hamiltree.rotations import cross, normalise, quaternion_product, rotate, scalar_last

ORIGIN = np.zeros(3)


class Vectors(NamedTuple):
    """(bodies, 3) each."""

    angular_velocity: Array  # ω'_K, body axes
    position_O: Array  # p'_O_K, body axes; p_O_K, inertial axes
    position_G: Array
    velocity_O: Array  # v'_O_K, axes of the lower body; v_O_K, inertial axes
    velocity_G: Array  # v'_G_K, body axes; v_K, inertial axes


VECTORS = (*Vectors._fields, "angular_acceleration", "acceleration_G")


# ---- relative speeds -----------------------------------------------------------------------------
def relative_vectors(connections: Sequence[Connection]) -> Vectors:
    """(11), (20), (21), (23), (25), outwards."""
    found = Vectors(*np.zeros((5, len(connections), 3)))
    omega, origin, centre, velocity, moving = found
    for k, own in enumerate(connections):
        j, below = own.lower - 1, connections[own.lower - 1]
        omega[k], velocity[k], at = own.spin, own.speed, own.q + own.s
        if own.lower:
            omega[k] += own.turn @ omega[j]
            velocity[k] += below.turn @ velocity[j] + cross(omega[j], at)
            at = origin[j] + at
        origin[k] = own.turn @ at
        centre[k] = origin[k] + own.r
        moving[k] = own.turn @ velocity[k] + cross(omega[k], own.r)
    return found


def body_rotations(connections: Sequence[Connection]) -> Array:
    """(3): [R_K] = [ᴶR_K][R_J], (bodies, 3, 3)."""
    found = np.zeros((len(connections), 3, 3))
    for k, own in enumerate(connections):
        found[k] = own.turn @ found[own.lower - 1] if own.lower else own.turn
    return found


# ---- absolute speeds -----------------------------------------------------------------------------
def absolute_vectors(arms: Sequence[AbsoluteConnection]) -> Vectors:
    """p_K and v_K of the second notes, outwards: q'_K and s'_K lead from O_J to O_K, r'_K to the
    centre of mass.
    """
    found = Vectors(*np.zeros((5, len(arms), 3)))
    omega, origin, centre, velocity, moving = found
    for k, own in enumerate(arms):
        j, below = own.lower - 1, arms[own.lower - 1]
        turn, spin = (below.turn, below.omega) if own.lower else (np.eye(3), ORIGIN)
        base, speed = (origin[j], velocity[j]) if own.lower else (ORIGIN, ORIGIN)
        slide_turn, slide_spin = (own.turn, own.omega) if own.is_outer else (turn, spin)
        omega[k] = own.omega
        origin[k] = base + turn.T @ own.q + slide_turn.T @ own.s
        velocity[k] = speed + turn.T @ cross(spin, own.q)
        velocity[k] += slide_turn.T @ (own.speed + cross(slide_spin, own.s))
        centre[k] = origin[k] + own.turn.T @ own.r
        moving[k] = velocity[k] + own.turn.T @ cross(own.omega, own.r)
    return found


# ---- coordinates ---------------------------------------------------------------------------------
class Coordinates(NamedTuple):
    """{x1} by body, with its rates: Euler parameters, scalar last, and s'_K."""

    euler_parameters: Array  # (bodies, 4)
    euler_matrices: Array  # (bodies, 4, 4), (8)
    euler_rates: Array  # (bodies, 4), (9)
    translations: Array  # (bodies, 3) s'_K
    translation_rates: Array


def euler_matrix(eps: Array) -> Array:
    """[Ê'] of (8), (…, 4, 4), of Euler parameters (…, 4) with their scalar last."""
    e1, e2, e3, e4 = np.moveaxis(np.asarray(eps, dtype=float), -1, 0)
    rows = [[e4, e3, -e2, -e1], [-e3, e4, e1, -e2], [e2, -e1, e4, -e3], [e1, e2, e3, e4]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def describe_motion(
    quaternions: Array, omega: Array, translations: Array, rates: Array
) -> Coordinates:
    """(9): d{ε̂_K}/dt = ½ [Ê'_K]ᵀ {ω̂'_K, 0}; quaternions have their scalar first."""
    eps = scalar_last(quaternions)
    matrices = euler_matrix(eps)
    with_zero = np.concatenate([omega, np.zeros((len(omega), 1))], axis=1)
    turning = 0.5 * rotate(np.swapaxes(matrices, 1, 2), with_zero)
    return Coordinates(eps, matrices, turning, translations, rates)


def relative_coordinates(connections: Sequence[Connection]) -> Coordinates:
    """ε̂_K and s'_K of every connection, (1), (42), (43)."""
    quaternions, spins, shifts, speeds = (
        np.array([getattr(own, name) for own in connections])
        for name in ("quaternion", "spin", "s", "speed")
    )
    return describe_motion(quaternions, spins, shifts, speeds)


def absolute_coordinates(
    connections: Sequence[Connection], arms: Sequence[AbsoluteConnection]
) -> Coordinates:
    """ε_K of every body, relative to inertial axes, and s'_K of its joint."""
    found = np.zeros((len(arms), 4))
    for k, own in enumerate(connections):
        found[k] = own.quaternion
        if own.lower:
            found[k] = normalise(quaternion_product(found[own.lower - 1], own.quaternion))
    omega, shifts, speeds = (
        np.array([getattr(arm, name) for arm in arms]) for name in ("omega", "s", "speed")
    )
    return describe_motion(found, omega, shifts, speeds)
