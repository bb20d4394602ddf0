"""Where the bodies of a model are, and how their twists follow from the speeds of the spanning
tree: for assembly, in NumPy.

pose(child) = pose(parent) · on_parent · exp(screw₁ q₁) … · on_child⁻¹; a joint that is met from its
child's side is inverted.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.model.bodies import GROUND
from hamiltree.model.joints import coordinate_labels, speed_labels
from hamiltree.model.model import Model
from hamiltree.model.topology import Topology, spanning_tree
from hamiltree.model.values import Frame
from hamiltree.rotations import normalise, rotate_quaternion, rotation_about, rotation_matrix


class Pose(NamedTuple):
    turn: np.ndarray  # (3, 3)
    at: np.ndarray  # (3,)


IDENTITY_POSE = Pose(np.eye(3), np.zeros(3))


def compose(a: Pose, b: Pose) -> Pose:
    return Pose(a.turn @ b.turn, a.at + a.turn @ b.at)


def inverse(a: Pose) -> Pose:
    return Pose(a.turn.T, -a.turn.T @ a.at)


def screw_exponential(screw, x: float) -> Pose:
    """exp(screw x) by Rodrigues' formula."""
    w, v = (np.asarray(part, dtype=float) for part in screw)
    rate = float(np.linalg.norm(w))
    if rate == 0.0:
        return Pose(np.eye(3), v * x)
    turn = rotation_about(w / rate, rate * x)
    point = np.cross(w, v) / rate**2
    return Pose(turn, point - turn @ point + w * (w @ v) / rate**2 * x)


def pose_of(frame: Frame) -> Pose:
    return Pose(frame.matrix, np.array(frame.position))


class Axis(NamedTuple):
    """A screw of a joint, moved by ratio · q[position] + offset; of an axis that follows another,
    those of its leader.
    """

    screw: tuple
    position: int
    speed: int
    ratio: float
    offset: float


class TreeJoint(NamedTuple):
    """A joint of the tree with the body that it carries."""

    body: int
    inner: int  # the body inside it, −1 for the ground
    is_reversed: bool  # met from its child's side
    on_parent: Pose
    on_child: Pose
    axes: tuple[Axis, ...]
    # (row of q, row of the speeds) of the axes that follow no other
    own: tuple[tuple[int, int], ...]
    ball: tuple[int, int] | None  # first rows of its quaternion and of its speeds


class Tree(NamedTuple):
    """The spanning tree of a model, and where each joint of it keeps its coordinates and speeds."""

    model: Model
    topology: Topology
    position: dict[str, int]  # coordinate -> row of q
    speed: dict[str, int]  # -> row of the speeds
    joints: tuple[TreeJoint, ...]  # from the ground outward


def tree_of(model: Model) -> Tree:
    position = {label: row for row, label in enumerate(model.coordinates)}
    speed = {label: row for row, label in enumerate(model.speeds)}
    topology = spanning_tree(model)
    speed_of = {
        label: name
        for joint in model.joints
        for label, name in zip(coordinate_labels(joint), speed_labels(joint), strict=False)
    }
    joints = []
    for place, body in enumerate(topology.order):
        joint = model.joints[topology.joint[place]]
        names, screws = coordinate_labels(joint), joint.screws()
        axes, own = [], []
        for label, screw in zip(names, screws, strict=False):
            leader, ratio, offset = model.followers.get(label, (label, 1.0, 0.0))
            axes.append(Axis(screw, position[leader], speed[speed_of[leader]], ratio, offset))
            if label in position:
                own.append((position[label], speed[speed_of[label]]))
        ball = (
            (position[names[len(screws)]], speed[speed_labels(joint)[len(screws)]])
            if joint.has_ball
            else None
        )
        inner = int(topology.order[topology.parent[place]]) if topology.parent[place] >= 0 else -1
        near, far = pose_of(joint.on_parent), pose_of(joint.on_child)
        joints.append(
            TreeJoint(
                int(body),
                inner,
                bool(topology.reversed[place]),
                near,
                far,
                tuple(axes),
                tuple(own),
                ball,
            )
        )
    return Tree(model, topology, position, speed, tuple(joints))


class Kinematics(NamedTuple):
    """The poses of all bodies, and for each body the speeds that move it."""

    turn: np.ndarray  # (bodies, 3, 3)
    at: np.ndarray  # (bodies, 3) origins
    # of each body's joint: (row of speeds, ratio, twist about the world's origin)
    columns: list[list[tuple[int, float, np.ndarray]]]
    parent: list[int]  # body, −1 for the ground

    def jacobian(self, body: int, speeds: int) -> np.ndarray:
        """(6, speeds): twist (ω, velocity of the world's origin) of a body by the speeds."""
        found = np.zeros((6, speeds))
        while body >= 0:
            for row, ratio, twist in self.columns[body]:
                found[:, row] += ratio * twist
            body = self.parent[body]
        return found


def compute_kinematics(tree: Tree, q: np.ndarray) -> Kinematics:
    """Poses and twists at the positions q."""
    n = len(tree.model.bodies)
    turn, at, columns, parents = (
        np.zeros((n, 3, 3)),
        np.zeros((n, 3)),
        [[] for _ in range(n)],
        [-1] * n,
    )
    for joint in tree.joints:
        outer = IDENTITY_POSE if joint.inner < 0 else Pose(turn[joint.inner], at[joint.inner])
        steps, found = joint_displacements(joint, q), []
        if joint.is_reversed:
            outer = compose(outer, joint.on_child)
            for step, screw, row, ratio in reversed(steps):
                found += twist_columns(outer, screw, row, -ratio)
                outer = compose(outer, inverse(step))
            outer = compose(outer, inverse(joint.on_parent))
        else:
            outer = compose(outer, joint.on_parent)
            for step, screw, row, ratio in steps:
                outer = compose(outer, step) if screw is None else outer
                found += twist_columns(outer, screw, row, ratio)
                outer = outer if screw is None else compose(outer, step)
            outer = compose(outer, inverse(joint.on_child))
        turn[joint.body], at[joint.body], columns[joint.body], parents[joint.body] = (
            outer.turn,
            outer.at,
            found,
            joint.inner,
        )
    return Kinematics(turn, at, columns, parents)


def joint_displacements(joint: TreeJoint, q: np.ndarray) -> list[tuple]:
    """Displacement of each screw of a joint and of its ball, with its screw (None for a ball), its
    row of speeds and its ratio.
    """
    steps: list[tuple] = [
        (
            screw_exponential(axis.screw, axis.ratio * q[axis.position] + axis.offset),
            axis.screw,
            axis.speed,
            axis.ratio,
        )
        for axis in joint.axes
    ]
    if joint.ball is not None:
        first, speed = joint.ball
        steps.append(
            (Pose(rotation_matrix(normalise(q[first : first + 4])), np.zeros(3)), None, speed, 1.0)
        )
    return steps


def compute_twists(tree: Tree, kinematics: Kinematics, speeds: np.ndarray) -> np.ndarray:
    """(bodies, 6): ω and the velocity of each body's origin."""
    out = np.zeros((len(tree.model.bodies), 6))
    for joint in tree.joints:
        own = sum(
            (ratio * speeds[row] * twist for row, ratio, twist in kinematics.columns[joint.body]),
            np.zeros(6),
        )
        out[joint.body] = own + (out[joint.inner] if joint.inner >= 0 else 0.0)
    out[:, 3:] += np.cross(out[:, :3], kinematics.at)
    return out


def twist_columns(frame: Pose, screw, row: int, ratio: float) -> list:
    """Twists about the world's origin of unit speeds: one of a screw, three of a ball whose axes
    are those of the frame.
    """
    if screw is not None:
        w, v = (frame.turn @ np.asarray(part, dtype=float) for part in screw)
        return [(row, ratio, np.concatenate([w, v + np.cross(frame.at, w)]))]
    return [
        (row + k, ratio, np.concatenate([frame.turn[:, k], np.cross(frame.at, frame.turn[:, k])]))
        for k in range(3)
    ]


def retract(tree: Tree, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """q moved by small speeds times a time: quaternions turn about the child's axes and stay of
    unit length.
    """
    out = q.copy()
    for joint in tree.joints:
        for row, speed in joint.own:
            out[row] += step[speed]
        if joint.ball is not None:
            first, at = joint.ball
            turned = rotate_quaternion(q[first : first + 4], step[at : at + 3])
            out[first : first + 4] = normalise(turned)
    return out


def position_of_point(tree: Tree, kinematics: Kinematics):
    """(body, point on it) -> where it is."""
    index = {body.name: k for k, body in enumerate(tree.model.bodies)}

    def place(name, point):
        at = np.asarray(point, dtype=float)
        return (
            at if name == GROUND else kinematics.at[index[name]] + kinematics.turn[index[name]] @ at
        )

    return place
