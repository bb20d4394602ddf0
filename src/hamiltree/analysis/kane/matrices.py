"""Partial angular velocities and partial velocities of all bodies, and their time derivatives, as
the two notes on Kane's equations derive them (docs/references.md).

Relative speeds (first notes): recursions (14), (18), (26), (30), (31), (32), with ERRATA 3-1 and
3-2; [v'_O_K,y] stands in the axes of the lower body (ERRATA 3-4), [v'_G_K,y] and [ω'_K,y] in those
of K.
Absolute speeds (second notes): sums along the path from the ground, with ERRATA 4-1; [ω'_K,y] in
the axes of K, velocities in inertial axes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hamiltree.analysis.kane.connections import Array, Connection
from hamiltree.rotations import skew


class Matrices(NamedTuple):
    """(bodies, 3, speeds) each."""

    omega: Array
    omega_dot: Array
    velocity: Array
    velocity_dot: Array
    origin_velocity: Array
    origin_velocity_dot: Array


def lower_bodies(lower: list[int], body: int) -> list[int]:
    """K, L(K), L²(K), … down to the body on the ground."""
    path = [body]
    while lower[path[-1] - 1]:
        path.append(lower[path[-1] - 1])
    return path


# ---- relative speeds -----------------------------------------------------------------------------
def relative_matrices(connections: list[Connection], count: int) -> Matrices:
    """All matrices by the outward recursion, every body from its lower one; count: of speeds."""
    found = Matrices(*(np.zeros((len(connections), 3, count)) for _ in range(6)))
    for k, connection in enumerate(connections):
        propagate_angular_columns(connections, found, k, connection.lower - 1)
        propagate_origin_columns(connections, found, k, connection.lower - 1)
        write_centre_columns(connections, found, k)
    return found


def propagate_angular_columns(
    connections: list[Connection], found: Matrices, k: int, j: int
) -> None:
    """(14): [ω'_K,y] = [ᴶR_K][ω'_J,y] + [ω̂'_K,y];
    (18) with Ṡ: [ω̇'_K,y] = [ᴶR_K][ω̇'_J,y] + [ᴶω̃'_K]ᵀ[ᴶR_K][ω'_J,y] + [Ṡ]
    """
    own = connections[k]
    found.omega[k][:, own.speeds] = own.angular_columns
    found.omega_dot[k][:, own.speeds] = own.angular_columns_rate
    if j >= 0:
        found.omega[k] += own.turn @ found.omega[j]
        found.omega_dot[k] += (
            own.turn @ found.omega_dot[j] + skew(own.spin).T @ own.turn @ found.omega[j]
        )


def propagate_origin_columns(
    connections: list[Connection], found: Matrices, k: int, j: int
) -> None:
    """(26), and (32) with sk(ṡ'_K) (ERRATA 3-2, 3-3) and Ṡ; both in the axes of J."""
    own = connections[k]
    found.origin_velocity[k][:, own.speeds] = own.linear_columns
    found.origin_velocity_dot[k][:, own.speeds] = own.linear_columns_rate
    if j < 0:
        return
    below, arm = connections[j], skew(own.q) + skew(own.s)
    found.origin_velocity[k] += below.turn @ found.origin_velocity[j] - arm @ found.omega[j]
    found.origin_velocity_dot[k] += (
        below.turn @ found.origin_velocity_dot[j]
        + skew(below.spin).T @ below.turn @ found.origin_velocity[j]
        - skew(own.speed) @ found.omega[j]
        - arm @ found.omega_dot[j]
    )


def write_centre_columns(connections: list[Connection], found: Matrices, k: int) -> None:
    """(30) and (31) with [ᴶR_K][v̇'_O_K,y] in its first term (ERRATA 3-1); both in the axes of
    K.
    """
    own = connections[k]
    found.velocity[k] = own.turn @ found.origin_velocity[k] - skew(own.r) @ found.omega[k]
    found.velocity_dot[k] = (
        own.turn @ found.origin_velocity_dot[k]
        + skew(own.spin).T @ own.turn @ found.origin_velocity[k]
        - skew(own.r) @ found.omega_dot[k]
    )


# ---- absolute speeds -----------------------------------------------------------------------------
class AbsoluteConnection(NamedTuple):
    """Body K on its lower body for absolute speeds; s'_K and its axes stand in J, or in K where the
    slides are fixed to K (`is_outer`).
    """

    lower: int
    turn: Array  # [R_K], inertial to body axes
    omega: Array  # ω'_K
    q: Array
    s: Array
    r: Array
    speed: Array  # ṡ'_K
    is_outer: bool
    axes: Array  # (3, slides): ṡ'_K = axes · speeds
    first: int  # column of the first of these
    slides: bool


def slide_body(arms: list[AbsoluteConnection], body: int) -> int:
    """The body in whose axes s'_K stands; 0: inertial."""
    return body if arms[body - 1].is_outer else arms[body - 1].lower


def path_arms(
    arms: list[AbsoluteConnection], body: int, has_centre: bool
) -> list[tuple[int, list[str], list[str]]]:
    """(P, vectors fixed in P or sliding on it, those that change) from O_P on, towards the centre
    of mass of K or its origin.
    """
    found = []
    outer = body
    for inner in lower_bodies([arm.lower for arm in arms], body):
        own = arms[inner - 1]
        fixed = [f"s{inner}"] if own.is_outer and own.slides else []
        changing = list(fixed)
        if inner != body:
            fixed.append(f"q{outer}")
            if arms[outer - 1].slides and not arms[outer - 1].is_outer:
                fixed.append(f"s{outer}")
                changing.append(f"s{outer}")
        elif has_centre:
            fixed.append(f"r{body}")
        found.append((inner, fixed, changing))
        outer = inner
    return found


def vector_by_name(arms: list[AbsoluteConnection], name: str, is_rate: bool = False) -> Array:
    """q'_K, s'_K, r'_K by "q3" …; of s'_K the rate as well."""
    arm = arms[int(name[1:]) - 1]
    return arm.speed if is_rate else {"q": arm.q, "s": arm.s, "r": arm.r}[name[0]]


def absolute_matrices(arms: list[AbsoluteConnection], count: int) -> Matrices:
    """[ω'_K,y] picks ω'_K;
    {v_K} = Σ [R]ᵀ{ṡ'} − Σ [R]ᵀ[sk(q' + s')]{ω'} along the path, − [R_K]ᵀ[r̃'_K]{ω'_K}
    """
    found = Matrices(*(np.zeros((len(arms), 3, count)) for _ in range(6)))
    for k in range(len(arms)):
        found.omega[k, :, 3 * k : 3 * k + 3] = np.eye(3)
        found.velocity[k], found.velocity_dot[k] = path_sums(arms, k + 1, True, count)
        found.origin_velocity[k], found.origin_velocity_dot[k] = path_sums(
            arms, k + 1, False, count
        )
    return found


def path_sums(
    arms: list[AbsoluteConnection], body: int, has_centre: bool, count: int
) -> tuple[Array, Array]:
    """The partial velocities of a centre of mass or an origin, and their rates with −[R]ᵀ[sk(ṡ')]
    (ERRATA 4-1).
    """
    matrix, rate = np.zeros((3, count)), np.zeros((3, count))
    for p, fixed, changing in path_arms(arms, body, has_centre):
        own, y1 = arms[p - 1], slice(3 * p - 3, 3 * p)
        arm = sum((skew(vector_by_name(arms, name)) for name in fixed), np.zeros((3, 3)))
        arm_rate = sum(
            (skew(vector_by_name(arms, name, True)) for name in changing), np.zeros((3, 3))
        )
        matrix[:, y1] -= own.turn.T @ arm
        rate[:, y1] -= own.turn.T @ arm_rate + own.turn.T @ skew(own.omega) @ arm
        y2, on = slice(own.first, own.first + own.axes.shape[1]), slide_body(arms, p)
        matrix[:, y2] += (arms[on - 1].turn.T if on else np.eye(3)) @ own.axes
        rate[:, y2] += arms[on - 1].turn.T @ skew(arms[on - 1].omega) @ own.axes if on else 0.0
    return matrix, rate


# ---- equations of motion -------------------------------------------------------------------------
class Loads(NamedTuple):
    """On every body: mass, inertia about the centre of mass, F_K in the axes of the partial
    velocities, M_K in body axes.
    """

    mass: Array  # (bodies,)
    inertia: Array  # (bodies, 3, 3)
    force: Array  # (bodies, 3)
    moment: Array  # (bodies, 3)


def mass_matrix(matrices: Matrices, loads: Loads) -> Array:
    """(40): [A] = Σ m_K [v_K,y]ᵀ[v_K,y] + [ω'_K,y]ᵀ[I'_K][ω'_K,y]"""
    bodies, axes, count = matrices.omega.shape
    flat = (bodies * axes, count)
    momentum = loads.mass[:, None, None] * matrices.velocity
    spin = loads.inertia @ matrices.omega
    moving, turning = (
        one.reshape(flat).T @ other.reshape(flat)
        for one, other in ((matrices.velocity, momentum), (matrices.omega, spin))
    )
    return moving + turning


def applied_forces(matrices: Matrices, loads: Loads) -> Array:
    """(34): {F_y} = Σ [v_K,y]ᵀ{F_K} + [ω'_K,y]ᵀ{M'_K}"""
    moved = np.einsum("kia,ki->a", matrices.velocity, loads.force)
    return moved + np.einsum("kia,ki->a", matrices.omega, loads.moment)


def inertia_terms(matrices: Matrices, loads: Loads, y: Array, is_relative: bool) -> Array:
    """(36) to (38) at {ẏ} = 0, with the minus of (41): {f} = {F_y} + these. The term ω̃'_K v'_G_K
    only where velocities stand in body axes, which rotate (relative speeds).
    """
    omega, velocity = matrices.omega @ y, matrices.velocity @ y
    acceleration = matrices.velocity_dot @ y + (np.cross(omega, velocity) if is_relative else 0.0)
    spin = np.einsum("kij,kj->ki", loads.inertia, omega)
    turning = np.einsum("kij,kj->ki", loads.inertia, matrices.omega_dot @ y) + np.cross(omega, spin)
    moved = np.einsum("kia,ki->a", matrices.velocity, loads.mass[:, None] * acceleration)
    return -(moved + np.einsum("kia,ki->a", matrices.omega, turning))
