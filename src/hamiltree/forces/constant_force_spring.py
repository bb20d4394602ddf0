"""The same tension F along the line between two points, whatever its length l: V = F l."""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import outlined
from hamiltree.compiled.number import load
from hamiltree.forces.laws import add_wrenches, body_law, body_potential_energy
from hamiltree.forces.two_body_elements import (
    add_opposite_forces,
    make_element_table,
    nonzero_length,
    points_on_links,
    vector_between,
)
from hamiltree.model.elements import ConstantForceSpring


class Tension(NamedTuple):
    a: Vec3
    b: Vec3
    force: float


class ConstantForceSprings(NamedTuple):
    row: np.ndarray  # (n, 2)
    tension: np.ndarray  # Tension


def make_tension(part, placement):
    rows, points = points_on_links(part, placement)
    return rows, (*points, part.force)


@body_law(ConstantForceSpring, ConstantForceSprings)
def tabulate_constant_force_springs(parts, placement):
    return make_element_table(ConstantForceSprings, Tension, make_tension, parts, placement)


@outlined
def add_constant_tension(springs, k, bodies):
    i = springs.row[k, 0]
    j = springs.row[k, 1]
    tension = load(springs.tension, k, Tension)
    line = vector_between(bodies, i, tension.a, j, tension.b)
    add_opposite_forces(
        bodies, i, tension.a, j, tension.b, line * (tension.force / nonzero_length(line))
    )


@add_wrenches.method(ConstantForceSprings)
def add_constant_tensions(springs, t, bodies):
    for k in range(springs.row.shape[0]):
        add_constant_tension(springs, k, bodies)


@body_potential_energy.method(ConstantForceSprings)
def constant_force_energy(springs, t, bodies):
    total = 0.0 * t
    for k in range(springs.row.shape[0]):
        tension = load(springs.tension, k, Tension)
        total = total + tension.force * nonzero_length(
            vector_between(bodies, springs.row[k, 0], tension.a, springs.row[k, 1], tension.b)
        )
    return total
