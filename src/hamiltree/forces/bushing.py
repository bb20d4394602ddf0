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
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, load, where_less
from hamiltree.forces.laws import (
    add_spring_damper_wrench,
    body_law,
    element_potential_energy,
)
from hamiltree.forces.two_body_elements import (
    End,
    add_wrench_at,
    end_numbers,
    frame_axes,
    frame_on_link,
    lever_arm,
    make_element_table,
    relative_angular_velocity,
    relative_rotation,
    rotation_vector,
    twist_at_point,
    vector_between,
)
from hamiltree.model.elements import Bushing

SMALL_SQUARE = 0.05  # θ² below which the series of β is exact to the last digit


class SixVector(NamedTuple):
    """(d, φ), or the forces that go with it."""

    d: Vec3
    phi: Vec3


class SixMatrix(NamedTuple):
    """A symmetric matrix of (d, φ) by its blocks."""

    dd: Sym3
    mixed: Mat3  # row d, column φ
    pp: Sym3


class Bearing(NamedTuple):
    a: End
    b: End
    stiffness: SixMatrix
    damping: SixMatrix


class Bushings(NamedTuple):
    row: np.ndarray  # (n, 2)
    bearing: np.ndarray  # Bearing


# ---- tables --------------------------------------------------------------------------------------
def blocks_of(six) -> np.ndarray:
    """SixMatrix of six diagonal entries or of a matrix."""
    matrix, upper = np.array(six), np.triu_indices(3)
    matrix = np.diag(matrix) if matrix.ndim == 1 else matrix
    return np.concatenate([matrix[:3, :3][upper], matrix[:3, 3:].T.ravel(), matrix[3:, 3:][upper]])


def make_bearing(part, placement):
    """Rows of both bodies, and frames, stiffness and damping of a bushing."""
    i, a = frame_on_link(placement, part.body_a, part.frame_a)
    j, b = frame_on_link(placement, part.body_b, part.frame_b)
    return (i, j), (
        *end_numbers(a),
        *end_numbers(b),
        *blocks_of(part.stiffness),
        *blocks_of(part.damping),
    )


@body_law(Bushing, Bushings)
def tabulate_bushings(parts, placement):
    return make_element_table(Bushings, Bearing, make_bearing, parts, placement)


# ---- displacement and rate -----------------------------------------------------------------------
@inlined
def multiply_by_blocks(matrix, x):
    return SixVector(
        plus_product(matrix.dd @ x.d, matrix.mixed, x.phi),
        plus_product(matrix.pp @ x.phi, transpose(matrix.mixed), x.d),
    )


@inlined
def inverse_jacobian_coefficient(q, phi):
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
def apply_inverse_jacobian(phi, beta, w, half):
    """w + half φ × w + β φ × (φ × w): E w for half = −½, Eᵀ w for half = ½."""
    across = cross(phi, w)
    return plus_cross(plus_scaled(w, across, half), phi, across * beta)


# ---- wrenches and energy -------------------------------------------------------------------------
@add_spring_damper_wrench.method(Bushings)
def add_bushing_wrench(bushings, k, t, bodies, share):
    """`share` of the spring's wrench and all of the damper's."""
    i = bushings.row[k, 0]
    j = bushings.row[k, 1]
    bearing = load(bushings.bearing, k, Bearing)
    axes = frame_axes(bodies, i, bearing.a.rotation)
    line = vector_between(bodies, i, bearing.a.at, j, bearing.b.at)
    q, back = relative_rotation(axes, frame_axes(bodies, j, bearing.b.rotation)), transpose(axes)
    phi = rotation_vector(q)
    beta = inverse_jacobian_coefficient(q, phi)
    elastic = multiply_by_blocks(bearing.stiffness, SixVector(back @ line, phi))
    velocity = (
        twist_at_point(bodies, j, bearing.b.at).v
        - twist_at(twist_at_point(bodies, i, bearing.a.at), line).v
    )
    viscous = multiply_by_blocks(
        bearing.damping,
        SixVector(
            back @ velocity,
            apply_inverse_jacobian(phi, beta, back @ relative_angular_velocity(bodies, i, j), -0.5),
        ),
    )
    force = axes @ plus_scaled(viscous.d, elastic.d, share)
    torque = axes @ apply_inverse_jacobian(
        phi, beta, plus_scaled(viscous.phi, elastic.phi, share), 0.5
    )
    add_wrench_at(bodies, i, lever_arm(bodies, i, bearing.a.at) + line, force, torque)
    add_wrench_at(bodies, j, lever_arm(bodies, j, bearing.b.at), -force, -torque)


@element_potential_energy.method(Bushings)
def bushing_energy(bushings, k, t, bodies):
    """½ xᵀ K x"""
    i = bushings.row[k, 0]
    j = bushings.row[k, 1]
    bearing = load(bushings.bearing, k, Bearing)
    axes = frame_axes(bodies, i, bearing.a.rotation)
    phi = rotation_vector(relative_rotation(axes, frame_axes(bodies, j, bearing.b.rotation)))
    x = SixVector(transpose(axes) @ vector_between(bodies, i, bearing.a.at, j, bearing.b.at), phi)
    force = multiply_by_blocks(bearing.stiffness, x)
    return 0.5 * (dot(force.d, x.d) + dot(force.phi, x.phi))
