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
from hamiltree.compiled.kernel import outlined
from hamiltree.compiled.number import add, load
from hamiltree.forces.ends import (
    axes_of,
    placed,
    relative_turn,
    rotation_vector,
    tabulated,
    turning,
)
from hamiltree.forces.laws import body_law, held, push, push_load
from hamiltree.model.elements import Torsion
from hamiltree.model.values import IDENTITY, ORIGIN, Frame


class Twisted(NamedTuple):
    a: Mat3  # turned by the rest
    b: Mat3
    stiffness: float
    damping: float


class Torsions(NamedTuple):
    row: np.ndarray  # (n, 2)
    twisted: np.ndarray  # Twisted


def twisted_of(part, placement):
    (i, a), (j, b) = (
        placed(placement, part.body_a, Frame(ORIGIN, part.rest)),
        placed(placement, part.body_b, IDENTITY),
    )
    return (i, j), (*a.matrix.T.ravel(), *b.matrix.T.ravel(), part.stiffness, part.damping)


@body_law(Torsion, Torsions)
def tabulate_torsions(parts, placement):
    return tabulated(Torsions, Twisted, (twisted_of(part, placement) for part in parts))


@outlined
def turn_back(torsions, k, bodies, share):
    """`share` of the spring's torque and all of the damper's."""
    i, j, twisted = torsions.row[k, 0], torsions.row[k, 1], load(torsions.twisted, k, Twisted)
    axes = axes_of(bodies, i, twisted.a)
    turn = axes @ rotation_vector(relative_turn(axes, axes_of(bodies, j, twisted.b)))
    torque = plus_scaled(turn * (share * twisted.stiffness), turning(bodies, i, j), twisted.damping)
    add(bodies.wrench, i, Wrench(torque, ZERO))
    add(bodies.wrench, j, Wrench(-torque, ZERO))


@push.method(Torsions)
def turn_torsions(torsions, t, bodies):
    for k in range(torsions.row.shape[0]):
        turn_back(torsions, k, bodies, 1.0)


@push_load.method(Torsions)
def turn_torsion_dampers(torsions, t, bodies):
    for k in range(torsions.row.shape[0]):
        turn_back(torsions, k, bodies, 0.0)


@held.method(Torsions)
def torsion_energy(torsions, t, bodies):
    total = 0.0 * t
    for k in range(torsions.row.shape[0]):
        twisted = load(torsions.twisted, k, Twisted)
        axes_a, axes_b = (
            axes_of(bodies, torsions.row[k, 0], twisted.a),
            axes_of(bodies, torsions.row[k, 1], twisted.b),
        )
        turn = rotation_vector(relative_turn(axes_a, axes_b))
        total = total + 0.5 * twisted.stiffness * dot(turn, turn)
    return total
