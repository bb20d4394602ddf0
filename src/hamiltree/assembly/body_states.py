"""Where all bodies of a model are and how they move, from the coordinates and speeds of its joints.

By the spanning tree; where every body hangs on the ground by itself, all bodies at once, which is
quick for very many.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.assembly.kinematics import Tree, compute_kinematics, compute_twists
from hamiltree.model.joints import Joint
from hamiltree.model.model import Model
from hamiltree.model.values import Frame
from hamiltree.rotations import rotation_matrix

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
    """Of bodies that hang apart, on joints that are met from the ground's side."""
    joints = model.tree_joints
    x, turn, v, w = joint_kinematics(joints, q, speeds)
    near, far = (
        frames_of([joint.on_parent for joint in joints]),
        frames_of([joint.on_child for joint in joints]),
    )
    R = near[1] @ turn @ np.swapaxes(far[1], 1, 2)
    tip = near[0] + np.einsum("kij,kj->ki", near[1], x)
    arm = np.einsum("kij,kj->ki", R, far[0])
    omega, velocity = (
        np.einsum("kij,kj->ki", near[1] @ turn, w),
        np.einsum("kij,kj->ki", near[1], v),
    )
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
    x, turn, v, w = (
        np.zeros((n, 3)),
        np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)),
        np.zeros((n, 3)),
        np.zeros((n, 3)),
    )
    kinds, columns = np.array([joint.coordinates for joint in joints]), np.arange(4)
    at, to = np.cumsum(kinds) - kinds, np.cumsum(kinds - (kinds > 0)) - (kinds - (kinds > 0))
    free, ball = np.flatnonzero(kinds == 7), np.flatnonzero(kinds == 4)
    x[free], v[free] = q[at[free, None] + columns[:3]], speeds[to[free, None] + columns[:3]]
    for rows, skipped in ((free, 3), (ball, 0)):
        turn[rows], w[rows] = (
            q[at[rows, None] + skipped + columns],
            speeds[to[rows, None] + skipped + columns[:3]],
        )
    return x, rotation_matrix(turn / np.linalg.norm(turn, axis=1, keepdims=True)), v, w


def frames_of(frames: list[Frame]) -> tuple[Array, Array]:
    """Positions and rotations."""
    return np.array([f.position for f in frames]).reshape(-1, 3), rotation_matrix(
        np.array([f.rotation for f in frames]).reshape(-1, 4)
    )
