"""Efforts that a simulator sets, along the speeds of a joint (Hamilton's Equations notes, τ̂):
loads, zero until set.

In a ball: the torque τ on the child in the axes of its joint frame, −τ on the parent; power τ · ω.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.spatial import Wrench
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.number import add, broadcast_like, load
from hamiltree.forces import laws
from hamiltree.forces.inputs import active_values, input_index
from hamiltree.forces.joint_damper import coordinate_rows
from hamiltree.forces.laws import body_law, column, joint_law, link_of_end
from hamiltree.model.forces import JointInput


# ---- along axes ----------------------------------------------------------------------------------
class JointInputs(NamedTuple):
    at: np.ndarray  # coordinate
    place: np.ndarray  # in values
    ratio: np.ndarray  # of a joint that follows another
    values: np.ndarray  # of all inputs of the System; written between steps


@joint_law(JointInput, JointInputs)
def tabulate_joint_inputs(parts, placement):
    elements = [
        (row, input_index(part, k), part.ratio)
        for part in parts
        for k, row in enumerate(coordinate_rows(part, placement))
    ]
    rows, places, ratios = zip(*elements, strict=True) if elements else ((), (), ())
    return JointInputs(column(rows, int), column(places, int), column(ratios), active_values())


@laws.generalised_force.method(JointInputs)
def input_generalised_force(inputs, k, t, x, v):
    return load(inputs.values, inputs.place[k]) * load(inputs.ratio, k)


@laws.joint_potential_energy.method(JointInputs)
def no_energy_of_joint_inputs(inputs, k, t, x):
    return 0.0 * x


# ---- in balls ------------------------------------------------------------------------------------
class BallInputs(NamedTuple):
    row: np.ndarray  # (n, 2): parent, child
    rotation: np.ndarray  # Mat3: the child's joint frame in its row
    place: np.ndarray  # of the first of three numbers in values
    values: np.ndarray


def ball_of(part, placement) -> list[tuple]:
    """(rows, turn, place) of the ball of a joint, if it has one: its torque comes after the
    axes.
    """
    pair = placement.ball(part.joint) if placement.ball else None
    if pair is None:
        return []
    (parent, _), (child, pose_on_link) = (link_of_end(placement, name) for name in pair)
    joint = placement.model.joint(part.joint)
    rotation = (pose_on_link.matrix @ joint.on_child.matrix).T.ravel()
    return [((parent, child), rotation, input_index(part, len(joint.screws())))]


@body_law(JointInput, BallInputs)
def tabulate_ball_inputs(parts, placement):
    elements = [element for part in parts for element in ball_of(part, placement)]
    rows, rotations, places = zip(*elements, strict=True) if elements else ((), (), ())
    return BallInputs(
        column(rows, int, width=2), column(rotations, width=9), column(places, int), active_values()
    )


@laws.add_element_wrench.method(BallInputs)
def add_ball_input_wrench(inputs, k, t, bodies):
    """Torque τ in the axes of the joint frame on the child, −τ on the parent."""
    at, values = inputs.place[k], inputs.values
    R = load(bodies.rotation, inputs.row[k, 1], Mat3)
    like = R.x.x
    own = Vec3(
        broadcast_like(values[at], like),
        broadcast_like(values[at + 1], like),
        broadcast_like(values[at + 2], like),
    )
    torque = R @ (load(inputs.rotation, k, Mat3) @ own)
    add(bodies.wrench, inputs.row[k, 0], Wrench(-torque, ZERO))
    add(bodies.wrench, inputs.row[k, 1], Wrench(torque, ZERO))


@laws.body_potential_energy.method(BallInputs)
def no_energy_of_ball_inputs(inputs, t, bodies):
    return 0.0 * t
