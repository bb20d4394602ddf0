"""Where all bodies of a model are and how they move, from the coordinates and speeds of its joints.

By the spanning tree, body by body; of very many bodies, and of those that are joined to the ground
only, all bodies at once.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hamiltree.assembly.kinematics import Tree, compute_kinematics, compute_twists
from hamiltree.assembly.links import Links, build_links
from hamiltree.model.joints import Joint
from hamiltree.model.model import Model
from hamiltree.model.values import Frame
from hamiltree.rotations import normalise, rotation_about_z, rotation_matrix

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


def compute_tree_body_states(model: Model, q: Array, speeds: Array) -> BodyStates:
    """Of very many bodies of trees without loops: all links at once, each of a few rounds taking
    every link twice as far inward as the last.
    """
    links = build_links(model, "forward kinematics")
    rotation, origin = frames_in_world(links, q)
    rate = speeds[links.speed][:, None]
    omega = rotation[:, :, 2] * (rate * links.spin[:, None])
    slide = rotation[:, :, 2] * (rate * links.slide[:, None])
    ball = np.flatnonzero(links.is_ball)
    own = speeds[links.speed[ball, None] + np.arange(3)]
    # met backwards it is of the inner link against the outer one, in the axes of the inner
    seen = -np.einsum("kji,kj->ki", rotations_of_balls(links, q, ball), own)
    own = np.where(links.is_backwards[ball, None], seen, own)
    omega[ball] = np.einsum("kij,kj->ki", rotation[ball], own)
    # ω, and the velocity of what is at the world's origin, by this joint alone
    twist = np.column_stack([omega, slide + np.cross(origin, omega)])
    for inner, outer in rounds_inward(links.parent):
        twist[outer] += twist[inner]
    return states_on_links(links, rotation, origin, twist)


def frames_in_world(links: Links, q: Array) -> tuple[Array, Array]:
    """Rotations and origins of the frames of all links."""
    value = q[links.coordinate]
    rotation = links.rotation @ rotation_about_z(links.spin * value)
    ball = np.flatnonzero(links.is_ball)
    rotation[ball] = links.rotation[ball] @ rotations_of_balls(links, q, ball)
    origin = links.offset + links.rotation[:, :, 2] * (links.slide * value)[:, None]
    for inner, outer in rounds_inward(links.parent):
        origin[outer] = origin[inner] + np.einsum("kij,kj->ki", rotation[inner], origin[outer])
        rotation[outer] = rotation[inner] @ rotation[outer]
    return rotation, origin


def rotations_of_balls(links: Links, q: Array, ball: Array) -> Array:
    """Of the outer link against the inner one."""
    found = rotation_matrix(normalise(q[links.coordinate[ball, None] + np.arange(4)]))
    return np.where(links.is_backwards[ball, None, None], np.swapaxes(found, 1, 2), found)


def rounds_inward(parent: Array) -> Iterator[tuple[Array, Array]]:
    """(inner, outer) links of each round: what the outer ones have summed from themselves inward
    goes on with what the inner ones have. Chains are doubled in length by each round.
    """
    n = len(parent)
    inward = np.append(parent, n)
    outer = np.flatnonzero(parent < n)
    while outer.size:
        inner = inward[outer]
        yield inner, outer
        inward[outer] = inward[inner]
        outer = outer[inward[outer] < n]


def states_on_links(links: Links, rotation: Array, origin: Array, twist: Array) -> BodyStates:
    """Of the bodies, each with a frame on its link or on the ground; twists about the world's
    origin.
    """
    link = links.link_of_body
    rotation = np.concatenate([rotation, np.eye(3)[None]])[link]
    origin = np.concatenate([origin, np.zeros((1, 3))])[link]
    twist = np.concatenate([twist, np.zeros((1, 6))])[link]
    at = origin + np.einsum("kij,kj->ki", rotation, links.position_on_link)
    twist[:, 3:] += np.cross(twist[:, :3], at)
    return BodyStates(rotation @ links.rotation_on_link, at, twist)


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
