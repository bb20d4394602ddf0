"""The same tension F along the line between two points, whatever its length l: V = F l."""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.number import load
from hamiltree.forces.laws import add_element_wrench, body_law, element_potential_energy
from hamiltree.forces.two_body_elements import (
    add_opposite_forces,
    line_of_element,
    make_element_table,
    nonzero_length,
    points_on_links,
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


@add_element_wrench.method(ConstantForceSprings)
def add_constant_tension(springs, k, t, bodies):
    tension = load(springs.tension, k, Tension)
    line = line_of_element(springs, k, tension, bodies)
    force = line * (tension.force / nonzero_length(line))
    add_opposite_forces(springs, k, tension, bodies, force)


@element_potential_energy.method(ConstantForceSprings)
def constant_force_energy(springs, k, t, bodies):
    tension = load(springs.tension, k, Tension)
    return tension.force * nonzero_length(line_of_element(springs, k, tension, bodies))
