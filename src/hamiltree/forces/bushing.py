"""Elastic bearing: V = ½ xᵀ K x of the displacement d and the rotation vector φ of frame b in frame
a, x = (d, φ); damper −C ẋ.

ḋ is the velocity of b's origin as seen from a, φ̇ = E(φ) ω with E = J_l⁻¹ = 1 − ½ [φ] + β [φ]²,
β = (1 − ½θ cot ½θ)/θ² (Chirikjian, Stochastic Models, Information Theory, and Lie Groups 2, ch.
10);
ω of b against a, all in the axes of frame a.
The force g_d acts on b's origin and the torque Eᵀ g_φ on b, where (g_d, g_φ) = −K x − C ẋ; the
opposite ones, at the same point, on a.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3, Sym3
from hamiltree.algebra.spatial import twist_at
from hamiltree.algebra.values import cross, dot, plus_cross, plus_product, plus_scaled, transpose
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import fma, load, where_less
from hamiltree.forces.ends import (
    End,
    axes_of,
    end_numbers,
    lever,
    placed,
    push_end,
    relative_turn,
    rotation_vector,
    span,
    tabulated,
    turning,
    twist_of,
)
from hamiltree.forces.laws import body_law, held, push, push_load
from hamiltree.model.elements import Bushing

SMALL_SQUARE = 0.05  # θ² below which the series of β is exact to the last digit


class Six(NamedTuple):
    """(d, φ), or the forces that go with it."""

    d: Vec3
    phi: Vec3


class SixBySix(NamedTuple):
    """A symmetric matrix of (d, φ) by its blocks."""

    dd: Sym3
    mixed: Mat3  # row d, column φ
    pp: Sym3


class Bearing(NamedTuple):
    a: End
    b: End
    stiffness: SixBySix
    damping: SixBySix


class Bushings(NamedTuple):
    row: np.ndarray  # (n, 2)
    bearing: np.ndarray  # Bearing


# ---- tables --------------------------------------------------------------------------------------
def blocks_of(six) -> np.ndarray:
    """SixBySix of six diagonal entries or of a matrix."""
    matrix, upper = np.array(six), np.triu_indices(3)
    matrix = np.diag(matrix) if matrix.ndim == 1 else matrix
    return np.concatenate([matrix[:3, :3][upper], matrix[:3, 3:].T.ravel(), matrix[3:, 3:][upper]])


def bearing_of(part, placement):
    (i, a), (j, b) = (
        placed(placement, part.body_a, part.frame_a),
        placed(placement, part.body_b, part.frame_b),
    )
    return (i, j), (
        *end_numbers(a),
        *end_numbers(b),
        *blocks_of(part.stiffness),
        *blocks_of(part.damping),
    )


@body_law(Bushing, Bushings)
def tabulate_bushings(parts, placement):
    return tabulated(Bushings, Bearing, (bearing_of(part, placement) for part in parts))


# ---- displacement and rate -----------------------------------------------------------------------
@inlined
def times(matrix, x):
    return Six(
        plus_product(matrix.dd @ x.d, matrix.mixed, x.phi),
        plus_product(matrix.pp @ x.phi, transpose(matrix.mixed), x.d),
    )


@inlined
def bend(q, phi):
    """β = (1 − ½θ cot ½θ)/θ² = 1/12 + θ²/720 + … of the rotation vector φ of the unit quaternion
    q.
    """
    square, sine = dot(phi, phi), Vec3(q.x, q.y, q.z)
    series = fma(
        square,
        fma(square, fma(square, fma(square, 1 / 47900160, 1 / 1209600), 1 / 30240), 1 / 720),
        1 / 12,
    )
    squared_sine = where_less(square, SMALL_SQUARE, 1.0, dot(sine, sine))
    half_cotangent = 0.5 * q.w * dot(phi, sine) / squared_sine
    return where_less(
        square,
        SMALL_SQUARE,
        series,
        (1.0 - half_cotangent) / where_less(square, SMALL_SQUARE, 1.0, square),
    )


@inlined
def turned_rate(phi, beta, w, half):
    """w + half φ × w + β φ × (φ × w): E w for half = −½, Eᵀ w for half = ½."""
    across = cross(phi, w)
    return plus_cross(plus_scaled(w, across, half), phi, across * beta)


# ---- wrenches and energy -------------------------------------------------------------------------
@outlined
def push_bushing(bushings, k, bodies, share):
    """`share` of the spring's wrench and all of the damper's."""
    i, j, bearing = bushings.row[k, 0], bushings.row[k, 1], load(bushings.bearing, k, Bearing)
    axes, line = axes_of(bodies, i, bearing.a.turn), span(bodies, i, bearing.a.at, j, bearing.b.at)
    q, back = relative_turn(axes, axes_of(bodies, j, bearing.b.turn)), transpose(axes)
    phi = rotation_vector(q)
    beta = bend(q, phi)
    elastic = times(bearing.stiffness, Six(back @ line, phi))
    velocity = (
        twist_of(bodies, j, bearing.b.at).v - twist_at(twist_of(bodies, i, bearing.a.at), line).v
    )
    viscous = times(
        bearing.damping,
        Six(back @ velocity, turned_rate(phi, beta, back @ turning(bodies, i, j), -0.5)),
    )
    force = axes @ plus_scaled(viscous.d, elastic.d, share)
    torque = axes @ turned_rate(phi, beta, plus_scaled(viscous.phi, elastic.phi, share), 0.5)
    push_end(bodies, i, lever(bodies, i, bearing.a.at) + line, force, torque)
    push_end(bodies, j, lever(bodies, j, bearing.b.at), -force, -torque)


@push.method(Bushings)
def push_bushings(bushings, t, bodies):
    for k in range(bushings.row.shape[0]):
        push_bushing(bushings, k, bodies, 1.0)


@push_load.method(Bushings)
def push_bushing_dampers(bushings, t, bodies):
    for k in range(bushings.row.shape[0]):
        push_bushing(bushings, k, bodies, 0.0)


@held.method(Bushings)
def bushing_energy(bushings, t, bodies):
    total = 0.0 * t
    for k in range(bushings.row.shape[0]):
        i, j, bearing = bushings.row[k, 0], bushings.row[k, 1], load(bushings.bearing, k, Bearing)
        axes = axes_of(bodies, i, bearing.a.turn)
        phi = rotation_vector(relative_turn(axes, axes_of(bodies, j, bearing.b.turn)))
        x = Six(transpose(axes) @ span(bodies, i, bearing.a.at, j, bearing.b.at), phi)
        force = times(bearing.stiffness, x)
        total = total + 0.5 * (dot(force.d, x.d) + dot(force.phi, x.phi))
    return total
