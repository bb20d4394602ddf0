"""Viscous damper along joint coordinates: Q = −c q̇, no energy of its own, power −c q̇².

In a ball joint: torque −c ω between its bodies.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.spatial import Wrench
from hamiltree.algebra.vec3 import ZERO
from hamiltree.compiled.number import add, load
from hamiltree.forces import laws
from hamiltree.forces.laws import body_law, column, joint_law, link_of_end
from hamiltree.forces.two_body_elements import relative_angular_velocity
from hamiltree.model.forces import JointDamper


# ---- along axes ----------------------------------------------------------------------------------
class JointDampers(NamedTuple):
    at: np.ndarray  # coordinate
    damping: np.ndarray


def coordinate_rows(part, placement) -> list[int]:
    """All coordinates that the name of the joint means, but those of a ball."""
    return (
        [placement.coordinate(part.joint)] if placement.axes is None else placement.axes(part.joint)
    )


@joint_law(JointDamper, JointDampers)
def tabulate_dampers(parts, placement):
    elements = [(row, part.damping) for part in parts for row in coordinate_rows(part, placement)]
    return JointDampers(
        column((row for row, _ in elements), int), column(damping for _, damping in elements)
    )


@laws.generalised_force.method(JointDampers)
def damper_generalised_force(dampers, k, t, x, v):
    return -v * load(dampers.damping, k)


@laws.joint_potential_energy.method(JointDampers)
def no_energy_of_dampers(dampers, k, t, x):
    return 0.0 * x


# ---- in balls ------------------------------------------------------------------------------------
class BallDampers(NamedTuple):
    row: np.ndarray  # (n, 2): parent, child
    damping: np.ndarray


def ball_rows(part, placement) -> list[tuple[int, int]]:
    """Of the two bodies of a joint that holds a ball."""
    pair = placement.ball(part.joint) if placement.ball else None
    return (
        []
        if pair is None
        else [(link_of_end(placement, pair[0])[0], link_of_end(placement, pair[1])[0])]
    )


@body_law(JointDamper, BallDampers)
def tabulate_ball_dampers(parts, placement):
    elements = [(rows, part.damping) for part in parts for rows in ball_rows(part, placement)]
    return BallDampers(
        column((rows for rows, _ in elements), int, width=2),
        column(damping for _, damping in elements),
    )


@laws.add_element_wrench.method(BallDampers)
def add_ball_damper_wrench(dampers, k, t, bodies):
    i, j = dampers.row[k, 0], dampers.row[k, 1]
    torque = relative_angular_velocity(bodies, i, j) * load(dampers.damping, k)
    add(bodies.wrench, i, Wrench(torque, ZERO))
    add(bodies.wrench, j, Wrench(-torque, ZERO))


@laws.body_potential_energy.method(BallDampers)
def no_energy_of_ball_dampers(dampers, t, bodies):
    return 0.0 * t
