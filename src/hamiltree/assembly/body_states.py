"""Where all bodies of a model are and how they move, from the coordinates and speeds of its joints.

By the spanning tree; where every body is joined to the ground only, all bodies at once, which is
quick for very many.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.assembly.kinematics import Tree, compute_kinematics, compute_twists
from hamiltree.model.joints import Joint
from hamiltree.model.model import Model
from hamiltree.model.values import Frame
from hamiltree.rotations import normalise, rotation_matrix

Array = np.ndarray


class BodyStates(NamedTuple):
    """Of all bodies, world axes."""

    rotation: Array  # (bodies, 3, 3)
    origin: Array  # (bodies, 3)
    twist: Array  # (bodies, 6) ω, and the velocity of the origin


def compute_body_states(tree: Tree, q: Array, speeds: Array) -> BodyStates:
    kinematics = compute_kinematics(tree, q)
    return BodyStates(kinematics.turn, kinematics.at, compute_twists(tree, kinematics, speeds))


def compute_unjoined_body_states(model: Model, q: Array, speeds: Array) -> BodyStates:
    """Of bodies that are joined to the ground only, by joints declared with the ground as
    parent.
    """
    joints = model.tree_joints
    x, turn, v, w = joint_kinematics(joints, q, speeds)
    near_position, near_rotation = frames_of([joint.on_parent for joint in joints])
    far_position, far_rotation = frames_of([joint.on_child for joint in joints])
    R = near_rotation @ turn @ np.swapaxes(far_rotation, 1, 2)
    tip = near_position + np.einsum("kij,kj->ki", near_rotation, x)
    arm = np.einsum("kij,kj->ki", R, far_position)
    omega = np.einsum("kij,kj->ki", near_rotation @ turn, w)
    velocity = np.einsum("kij,kj->ki", near_rotation, v)
    twist = np.column_stack([omega, velocity - np.cross(omega, arm)])
    index = {body.name: k for k, body in enumerate(model.bodies)}
    order = np.argsort([index[joint.child] for joint in joints])
    return BodyStates(R[order], (tip - arm)[order], twist[order])


def joint_kinematics(
    joints: tuple[Joint, ...], q: Array, speeds: Array
) -> tuple[Array, Array, Array, Array]:
    """Position, rotation, velocity and angular velocity (child's axes) of the joint frames on the
    bodies in those on the ground.
    """
    n = len(joints)
    x = np.zeros((n, 3))
    quaternion = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    v = np.zeros((n, 3))
    w = np.zeros((n, 3))
    columns = np.arange(4)
    coordinates = np.array([joint.coordinates for joint in joints])
    own_speeds = coordinates - (coordinates > 0)
    at = np.cumsum(coordinates) - coordinates  # first row of q
    to = np.cumsum(own_speeds) - own_speeds  # first row of the speeds
    free = np.flatnonzero(coordinates == 7)
    ball = np.flatnonzero(coordinates == 4)
    x[free] = q[at[free, None] + columns[:3]]
    v[free] = speeds[to[free, None] + columns[:3]]
    for rows, skipped in ((free, 3), (ball, 0)):
        quaternion[rows] = q[at[rows, None] + skipped + columns]
        w[rows] = speeds[to[rows, None] + skipped + columns[:3]]
    return x, rotation_matrix(normalise(quaternion)), v, w


def frames_of(frames: list[Frame]) -> tuple[Array, Array]:
    """Positions and rotations."""
    positions = np.array([f.position for f in frames]).reshape(-1, 3)
    quaternions = np.array([f.rotation for f in frames]).reshape(-1, 4)
    return positions, rotation_matrix(quaternions)
