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
from hamiltree.forces.ends import placed, pull_together, span, tabulated
from hamiltree.forces.laws import LawFault, body_law, held, push
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


def body_named(part, name, placement):
    try:
        return placement.body(name)
    except ModelError as error:
        raise LawFault(part, "bodies", f"bodies: {error}") from None


def attraction_of(part, one, other, placement):
    (i, a), (j, b) = (
        placed(placement, one.name, Frame(one.com)),
        placed(placement, other.name, Frame(other.com)),
    )
    return (i, j), (*a.position, *b.position, part.constant * one.mass * other.mass, part.softening)


@body_law(Gravitation, Attractions)
def tabulate_attractions(parts, placement):
    named = [(part, [body_named(part, name, placement) for name in part.bodies]) for part in parts]
    pairs = [(part, *pair) for part, bodies in named for pair in combinations(bodies, 2)]
    return tabulated(Attractions, Attraction, (attraction_of(*pair, placement) for pair in pairs))


@inlined
def inverse_distance(attraction, line):
    return 1.0 / root(fma(attraction.softening, attraction.softening, dot(line, line)))


@outlined
def attract(attractions, k, bodies):
    i, j, attraction = (
        attractions.row[k, 0],
        attractions.row[k, 1],
        load(attractions.attraction, k, Attraction),
    )
    line = span(bodies, i, attraction.a, j, attraction.b)
    inverse = inverse_distance(attraction, line)
    pull_together(
        bodies,
        i,
        attraction.a,
        j,
        attraction.b,
        line * (attraction.strength * inverse * inverse * inverse),
    )


@push.method(Attractions)
def attract_all(attractions, t, bodies):
    for k in range(attractions.row.shape[0]):
        attract(attractions, k, bodies)


@held.method(Attractions)
def attraction_energy(attractions, t, bodies):
    total = 0.0 * t
    for k in range(attractions.row.shape[0]):
        attraction = load(attractions.attraction, k, Attraction)
        line = span(
            bodies, attractions.row[k, 0], attraction.a, attractions.row[k, 1], attraction.b
        )
        total = total - attraction.strength * inverse_distance(attraction, line)
    return total
