"""Efforts that a simulator is told, along the speeds of a joint (seed 000, τ̂): loads, zero until
set.

In a ball: the torque τ on the child in the axes of its joint frame, −τ on the parent; power τ · ω.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.spatial import Wrench
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.number import add, alike, load
from hamiltree.forces.inputs import place_of, present_values
from hamiltree.forces.joint_damper import axes_of
from hamiltree.forces.laws import body_law, column, effort, end_of, held, joint_law, push, stored
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
        (row, place_of(part, k), part.ratio)
        for part in parts
        for k, row in enumerate(axes_of(part, placement))
    ]
    rows, places, ratios = zip(*elements, strict=True) if elements else ((), (), ())
    return JointInputs(column(rows, int), column(places, int), column(ratios), present_values())


@effort.method(JointInputs)
def input_effort(inputs, k, t, x, v):
    return load(inputs.values, inputs.place[k]) * load(inputs.ratio, k)


@stored.method(JointInputs)
def no_energy_of_joint_inputs(inputs, k, t, x):
    return 0.0 * x


# ---- in balls ------------------------------------------------------------------------------------
class BallInputs(NamedTuple):
    row: np.ndarray  # (n, 2): parent, child
    turn: np.ndarray  # Mat3: the child's joint frame in its row
    place: np.ndarray  # of the first of three numbers in values
    values: np.ndarray


def ball_of(part, placement) -> list[tuple]:
    """(rows, turn, place) of the ball of a joint, if it has one: its torque comes after the
    axes.
    """
    pair = placement.ball(part.joint) if placement.ball else None
    if pair is None:
        return []
    (parent, _), (child, mount) = (end_of(placement, name) for name in pair)
    joint = placement.model.joint(part.joint)
    turn = (mount.matrix @ joint.on_child.matrix).T.ravel()
    return [((parent, child), turn, place_of(part, len(joint.screws())))]


@body_law(JointInput, BallInputs)
def tabulate_ball_inputs(parts, placement):
    elements = [element for part in parts for element in ball_of(part, placement)]
    rows, turns, places = zip(*elements, strict=True) if elements else ((), (), ())
    return BallInputs(
        column(rows, int, width=2), column(turns, width=9), column(places, int), present_values()
    )


@push.method(BallInputs)
def push_ball_inputs(inputs, t, bodies):
    for k in range(inputs.row.shape[0]):
        at, values = inputs.place[k], inputs.values
        R = load(bodies.rotation, inputs.row[k, 1], Mat3)
        like = R.x.x
        own = Vec3(
            alike(values[at], like), alike(values[at + 1], like), alike(values[at + 2], like)
        )
        torque = R @ (load(inputs.turn, k, Mat3) @ own)
        add(bodies.wrench, inputs.row[k, 0], Wrench(-torque, ZERO))
        add(bodies.wrench, inputs.row[k, 1], Wrench(torque, ZERO))


@held.method(BallInputs)
def no_energy_of_ball_inputs(inputs, t, bodies):
    return 0.0 * t
