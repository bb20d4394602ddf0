"""The same tension F along the line between two points, whatever its length l: V = F l."""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import outlined
from hamiltree.compiled.number import load
from hamiltree.forces.ends import length_of, placed, pull_together, span, tabulated
from hamiltree.forces.laws import body_law, held, push
from hamiltree.model.elements import ConstantForceSpring
from hamiltree.model.values import Frame


class Tension(NamedTuple):
    a: Vec3
    b: Vec3
    force: float


class ConstantForceSprings(NamedTuple):
    row: np.ndarray  # (n, 2)
    tension: np.ndarray  # Tension


def tension_of(part, placement):
    (i, a), (j, b) = (
        placed(placement, part.body_a, Frame(part.at_a)),
        placed(placement, part.body_b, Frame(part.at_b)),
    )
    return (i, j), (*a.position, *b.position, part.force)


@body_law(ConstantForceSpring, ConstantForceSprings)
def tabulate_constant_force_springs(parts, placement):
    return tabulated(ConstantForceSprings, Tension, (tension_of(part, placement) for part in parts))


@outlined
def pull_evenly(springs, k, bodies):
    i, j, tension = springs.row[k, 0], springs.row[k, 1], load(springs.tension, k, Tension)
    line = span(bodies, i, tension.a, j, tension.b)
    pull_together(bodies, i, tension.a, j, tension.b, line * (tension.force / length_of(line)))


@push.method(ConstantForceSprings)
def pull_constant_forces(springs, t, bodies):
    for k in range(springs.row.shape[0]):
        pull_evenly(springs, k, bodies)


@held.method(ConstantForceSprings)
def constant_force_energy(springs, t, bodies):
    total = 0.0 * t
    for k in range(springs.row.shape[0]):
        tension = load(springs.tension, k, Tension)
        total = total + tension.force * length_of(
            span(bodies, springs.row[k, 0], tension.a, springs.row[k, 1], tension.b)
        )
    return total
