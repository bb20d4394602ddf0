"""Spring and damper about all axes: V = ½ k θ² of the rotation vector θ n of b from its rest in a,
torque −k θ n − c ω on b.

n keeps its direction under the turn θ n, so that θ θ̇ = θ n · ω and the torque needs no Jacobian.
Singular at θ = π, where n jumps.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.spatial import Wrench
from hamiltree.algebra.values import dot, plus_scaled
from hamiltree.algebra.vec3 import ZERO
from hamiltree.compiled.number import add, load
from hamiltree.forces.laws import (
    add_spring_damper_wrench,
    body_law,
    element_potential_energy,
)
from hamiltree.forces.two_body_elements import (
    frame_axes,
    frame_on_link,
    make_element_table,
    relative_angular_velocity,
    relative_rotation,
    rotation_vector,
)
from hamiltree.model.elements import Torsion
from hamiltree.model.values import IDENTITY, ORIGIN, Frame


class TorsionElement(NamedTuple):
    a: Mat3  # turned by the rest
    b: Mat3
    stiffness: float
    damping: float


class Torsions(NamedTuple):
    row: np.ndarray  # (n, 2)
    twisted: np.ndarray  # TorsionElement


def make_torsion_element(part, placement):
    i, a = frame_on_link(placement, part.body_a, Frame(ORIGIN, part.rest))
    j, b = frame_on_link(placement, part.body_b, IDENTITY)
    return (i, j), (*a.matrix.T.ravel(), *b.matrix.T.ravel(), part.stiffness, part.damping)


@body_law(Torsion, Torsions)
def tabulate_torsions(parts, placement):
    return make_element_table(Torsions, TorsionElement, make_torsion_element, parts, placement)


@add_spring_damper_wrench.method(Torsions)
def add_torsion_torque(torsions, k, t, bodies, share):
    """`share` of the spring's torque and all of the damper's."""
    i = torsions.row[k, 0]
    j = torsions.row[k, 1]
    twisted = load(torsions.twisted, k, TorsionElement)
    axes = frame_axes(bodies, i, twisted.a)
    angles = axes @ rotation_vector(relative_rotation(axes, frame_axes(bodies, j, twisted.b)))
    torque = plus_scaled(
        angles * (share * twisted.stiffness),
        relative_angular_velocity(bodies, i, j),
        twisted.damping,
    )
    add(bodies.wrench, i, Wrench(torque, ZERO))
    add(bodies.wrench, j, Wrench(-torque, ZERO))


@element_potential_energy.method(Torsions)
def torsion_energy(torsions, k, t, bodies):
    """½ k |φ|², φ the rotation vector of frame b in frame a"""
    twisted = load(torsions.twisted, k, TorsionElement)
    axes_a = frame_axes(bodies, torsions.row[k, 0], twisted.a)
    axes_b = frame_axes(bodies, torsions.row[k, 1], twisted.b)
    angles = rotation_vector(relative_rotation(axes_a, axes_b))
    return 0.5 * twisted.stiffness * dot(angles, angles)
