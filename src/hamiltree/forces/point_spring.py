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
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import load, maximum, where_less
from hamiltree.forces.ends import length_of, placed, pull_together, span, tabulated, twist_of
from hamiltree.forces.laws import body_law, held, push, push_load
from hamiltree.model.elements import PointSpring
from hamiltree.model.values import Frame


class Spring(NamedTuple):
    a: Vec3
    b: Vec3
    stiffness: float
    length: float  # at rest
    damping: float
    least: float  # stretch that counts


class PointSprings(NamedTuple):
    row: np.ndarray  # (n, 2)
    spring: np.ndarray  # Spring


def spring_of(part, placement):
    (i, a), (j, b) = (
        placed(placement, part.body_a, Frame(part.at_a)),
        placed(placement, part.body_b, Frame(part.at_b)),
    )
    least = 0.0 if part.tension_only else -np.inf
    return (i, j), (*a.position, *b.position, part.stiffness, part.length, part.damping, least)


@body_law(PointSpring, PointSprings)
def tabulate_point_springs(parts, placement):
    return tabulated(PointSprings, Spring, (spring_of(part, placement) for part in parts))


@inlined
def damper_tension(spring, stretch, elastic, rate):
    """c l̇, but none in a slack cable, and not below −elastic in a taut one."""
    return where_less(
        spring.least, stretch, maximum(spring.damping * rate, spring.least - elastic), 0.0
    )


@outlined
def pull_spring(springs, k, bodies, share):
    """`share` of the spring's tension and all of the damper's."""
    i, j, spring = springs.row[k, 0], springs.row[k, 1], load(springs.spring, k, Spring)
    line = span(bodies, i, spring.a, j, spring.b)
    length = length_of(line)
    stretch = length - spring.length
    elastic = maximum(stretch, spring.least) * spring.stiffness
    rate = dot(line, twist_of(bodies, j, spring.b).v - twist_of(bodies, i, spring.a).v) / length
    tension = share * elastic + damper_tension(spring, stretch, elastic, rate)
    pull_together(bodies, i, spring.a, j, spring.b, line * (tension / length))


@push.method(PointSprings)
def pull_springs(springs, t, bodies):
    for k in range(springs.row.shape[0]):
        pull_spring(springs, k, bodies, 1.0)


@push_load.method(PointSprings)
def pull_dampers(springs, t, bodies):
    for k in range(springs.row.shape[0]):
        pull_spring(springs, k, bodies, 0.0)


@held.method(PointSprings)
def point_spring_energy(springs, t, bodies):
    total = 0.0 * t
    for k in range(springs.row.shape[0]):
        spring = load(springs.spring, k, Spring)
        length = length_of(span(bodies, springs.row[k, 0], spring.a, springs.row[k, 1], spring.b))
        stretch = maximum(length - spring.length, spring.least)
        total = total + 0.5 * spring.stiffness * stretch * stretch
    return total
