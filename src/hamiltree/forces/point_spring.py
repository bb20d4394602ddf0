"""Spring and damper between two points: tension k (l − l₀) + c l̇ along the line,
V = ½ k (l − l₀)², power of the damper −c l̇².

A cable bears tension only: stretch max(0, l − l₀), and a damper that neither acts on a slack cable
nor makes a taut one push.
Both are one formula with the least stretch that counts: −∞ for a spring, 0 for a cable.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.values import dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import load, maximum, where_less
from hamiltree.forces.laws import (
    add_spring_damper_wrench,
    body_law,
    element_potential_energy,
)
from hamiltree.forces.two_body_elements import (
    add_opposite_forces,
    line_of_element,
    make_element_table,
    nonzero_length,
    points_on_links,
    twist_at_point,
)
from hamiltree.model.elements import PointSpring


class Spring(NamedTuple):
    a: Vec3
    b: Vec3
    stiffness: float
    length: float  # at rest
    damping: float
    minimum_stretch: float  # stretch that counts


class PointSprings(NamedTuple):
    row: np.ndarray  # (n, 2)
    spring: np.ndarray  # Spring


def make_spring(part, placement):
    rows, points = points_on_links(part, placement)
    minimum_stretch = 0.0 if part.tension_only else -np.inf
    return rows, (*points, part.stiffness, part.length, part.damping, minimum_stretch)


@body_law(PointSpring, PointSprings)
def tabulate_point_springs(parts, placement):
    return make_element_table(PointSprings, Spring, make_spring, parts, placement)


@inlined
def damper_tension(spring, stretch, elastic, rate):
    """c l̇, but none in a slack cable, and not below −elastic in a taut one."""
    return where_less(
        spring.minimum_stretch,
        stretch,
        maximum(spring.damping * rate, spring.minimum_stretch - elastic),
        0.0,
    )


@add_spring_damper_wrench.method(PointSprings)
def add_spring_force(springs, k, t, bodies, share):
    """`share` of the spring's tension and all of the damper's."""
    i = springs.row[k, 0]
    j = springs.row[k, 1]
    spring = load(springs.spring, k, Spring)
    line = line_of_element(springs, k, spring, bodies)
    length = nonzero_length(line)
    stretch = length - spring.length
    elastic = maximum(stretch, spring.minimum_stretch) * spring.stiffness
    rate = (
        dot(line, twist_at_point(bodies, j, spring.b).v - twist_at_point(bodies, i, spring.a).v)
        / length
    )
    tension = share * elastic + damper_tension(spring, stretch, elastic, rate)
    add_opposite_forces(springs, k, spring, bodies, line * (tension / length))


@element_potential_energy.method(PointSprings)
def point_spring_energy(springs, k, t, bodies):
    """½ k max(l − l₀, minimum stretch)²"""
    spring = load(springs.spring, k, Spring)
    length = nonzero_length(line_of_element(springs, k, spring, bodies))
    stretch = maximum(length - spring.length, spring.minimum_stretch)
    return 0.5 * spring.stiffness * stretch * stretch
