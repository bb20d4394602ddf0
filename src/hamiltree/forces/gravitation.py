"""Attraction of two centres of mass r apart: V = −G m m′ / √(r² + s²),
force G m m′ r / (r² + s²)^(3/2), s the softening (Plummer).
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from hamiltree.algebra.values import dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, load, root
from hamiltree.errors import ModelError
from hamiltree.forces.laws import LawError, add_element_wrench, body_law, element_potential_energy
from hamiltree.forces.two_body_elements import (
    add_opposite_forces,
    frame_on_link,
    line_of_element,
    make_element_table,
)
from hamiltree.model.elements import Gravitation
from hamiltree.model.values import Frame


class Attraction(NamedTuple):
    """Of one pair."""

    a: Vec3  # centre of mass
    b: Vec3
    strength: float  # G m m′
    softening: float


class Attractions(NamedTuple):
    row: np.ndarray  # (pairs, 2)
    attraction: np.ndarray  # Attraction


def find_body(part, name, placement):
    try:
        return placement.body(name)
    except ModelError as error:
        raise LawError(part, "bodies", f"bodies: {error}") from None


def make_attraction(pair, placement):
    part, one, other = pair
    i, a = frame_on_link(placement, one.name, Frame(one.com))
    j, b = frame_on_link(placement, other.name, Frame(other.com))
    return (i, j), (*a.position, *b.position, part.constant * one.mass * other.mass, part.softening)


@body_law(Gravitation, Attractions)
def tabulate_attractions(parts, placement):
    named = [(part, [find_body(part, name, placement) for name in part.bodies]) for part in parts]
    pairs = [(part, *pair) for part, bodies in named for pair in combinations(bodies, 2)]
    return make_element_table(Attractions, Attraction, make_attraction, pairs, placement)


@inlined
def inverse_distance(attraction, line):
    return 1.0 / root(fma(attraction.softening, attraction.softening, dot(line, line)))


@add_element_wrench.method(Attractions)
def add_attraction(attractions, k, t, bodies):
    """G m m′ d / (d² + ε²)^(3/2) on both bodies of pair k."""
    attraction = load(attractions.attraction, k, Attraction)
    line = line_of_element(attractions, k, attraction, bodies)
    inverse = inverse_distance(attraction, line)
    force = line * (attraction.strength * inverse * inverse * inverse)
    add_opposite_forces(attractions, k, attraction, bodies, force)


@element_potential_energy.method(Attractions)
def attraction_energy(attractions, k, t, bodies):
    """−G m m′ / √(d² + ε²)"""
    attraction = load(attractions.attraction, k, Attraction)
    line = line_of_element(attractions, k, attraction, bodies)
    return -attraction.strength * inverse_distance(attraction, line)
