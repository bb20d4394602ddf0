"""Attraction of two centres of mass r apart: V = −G m m′ / √(r² + s²),
force G m m′ r / (r² + s²)^(3/2), s the softening (Plummer).
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from hamiltree.algebra.values import dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import fma, load, root
from hamiltree.errors import ModelError
from hamiltree.forces.laws import LawError, add_wrenches, body_law, body_potential_energy
from hamiltree.forces.two_body_elements import (
    add_opposite_forces,
    frame_on_link,
    make_element_table,
    vector_between,
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


@outlined
def add_attraction(attractions, k, bodies):
    """G m m′ d / (d² + ε²)^(3/2) on both bodies of pair k."""
    i = attractions.row[k, 0]
    j = attractions.row[k, 1]
    attraction = load(attractions.attraction, k, Attraction)
    line = vector_between(bodies, i, attraction.a, j, attraction.b)
    inverse = inverse_distance(attraction, line)
    add_opposite_forces(
        bodies,
        i,
        attraction.a,
        j,
        attraction.b,
        line * (attraction.strength * inverse * inverse * inverse),
    )


@add_wrenches.method(Attractions)
def add_attractions(attractions, t, bodies):
    for k in range(attractions.row.shape[0]):
        add_attraction(attractions, k, bodies)


@body_potential_energy.method(Attractions)
def attraction_energy(attractions, t, bodies):
    """Σ −G m m′ / √(d² + ε²)"""
    total = 0.0 * t
    for k in range(attractions.row.shape[0]):
        attraction = load(attractions.attraction, k, Attraction)
        line = vector_between(
            bodies, attractions.row[k, 0], attraction.a, attractions.row[k, 1], attraction.b
        )
        total = total - attraction.strength * inverse_distance(attraction, line)
    return total
