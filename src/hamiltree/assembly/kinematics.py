"""Forward kinematics of the spanning tree in NumPy: poses of all bodies, and how their twists
follow from the speeds (the Jacobian).

pose(child) = pose(parent) · on_parent · exp(screw₁ q₁) … · on_child⁻¹; a joint that is met from its
child's side is inverted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hamiltree.assembly.rows import Rows
from hamiltree.model.bodies import GROUND
from hamiltree.model.joints import coordinate_labels, speed_labels
from hamiltree.model.model import Model
from hamiltree.model.topology import Topology, spanning_tree
from hamiltree.rotations import normalise, rotate_quaternion, rotation_matrix


class Pose(NamedTuple):
    turn: np.ndarray  # (3, 3)
    at: np.ndarray  # (3,)


IDENTITY_POSE = Pose(np.eye(3), np.zeros(3))


def compose(a: Pose, b: Pose) -> Pose:
    return Pose(a.turn @ b.turn, a.at + a.turn @ b.at)


def inverse(a: Pose) -> Pose:
    return Pose(a.turn.T, -a.turn.T @ a.at)


def cross(a, b) -> np.ndarray:
    """a × b of two vectors; np.cross takes ten times as long for them."""
    ax, ay, az = np.asarray(a).tolist()
    bx, by, bz = np.asarray(b).tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


class ScrewTable(NamedTuple):
    """Many screws (ω, v), and what their exponentials need whatever the positions are."""

    parts: np.ndarray  # (screws, 2, 3)
    rates: np.ndarray  # ‖ω‖
    crosses: np.ndarray  # (screws, 3, 3): [ω/‖ω‖]×
    points: list[np.ndarray]  # on the axes
    along: list[np.ndarray]  # displacements along the axes for unit angles


def tabulate_screws(screws) -> ScrewTable:
    """Of a list of pairs."""
    parts = np.array(screws, dtype=float).reshape(-1, 2, 3)
    rates = np.linalg.norm(parts[:, 0], axis=1)
    axes = parts[:, 0] / np.where(rates > 0.0, rates, 1.0)[:, None]
    points, along = [], []
    for (w, v), rate in zip(parts, rates.tolist(), strict=True):
        points.append(np.zeros(3) if rate == 0.0 else cross(w, v) / rate**2)
        along.append(v if rate == 0.0 else w * (w @ v) / rate**2)
    return ScrewTable(parts, rates, np.cross(np.eye(3), axes[:, None]), points, along)


def screw_exponentials(screws: ScrewTable, values) -> list[Pose]:
    """exp(screw x) of many screws, each at its own x, by Rodrigues' formula."""
    x = np.asarray(values, dtype=float)
    n, angle = screws.crosses, (screws.rates * x)[:, None, None]
    turns = np.eye(3) + np.sin(angle) * n + (1.0 - np.cos(angle)) * n @ n
    table = zip(screws.rates.tolist(), turns, screws.points, screws.along, x, strict=True)
    return [
        Pose(turn, along * x if rate == 0.0 else point - turn @ point + along * x)
        for rate, turn, point, along, x in table
    ]


class Axis(NamedTuple):
    """A screw of a joint, moved by ratio · q[position] + offset; of an axis that follows another,
    those of its leader.
    """

    screw: np.ndarray  # (2, 3)
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
    to_parent: Pose  # from on_parent, inverted
    to_child: Pose  # from on_child, inverted
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
    screws: ScrewTable  # of all their axes


def tree_of(model: Model) -> Tree:
    """The joints of the spanning tree from the ground outward, with their rows of q and speeds."""
    position = {label: row for row, label in enumerate(model.coordinates)}
    speed = {label: row for row, label in enumerate(model.speeds)}
    topology = spanning_tree(model)
    speed_of = {
        label: name
        for joint in model.joints
        for label, name in zip(coordinate_labels(joint), speed_labels(joint), strict=False)
    }
    joints = []
    carrying = [model.joints[k] for k in topology.joint]
    near = [Pose(joint.on_parent.matrix, np.array(joint.on_parent.position)) for joint in carrying]
    far = [Pose(joint.on_child.matrix, np.array(joint.on_child.position)) for joint in carrying]
    for place, body in enumerate(topology.order):
        joint = carrying[place]
        names = coordinate_labels(joint)
        screws = joint.screws()
        axes = []
        own = []
        for label, screw in zip(names, screws, strict=False):
            leader, ratio, offset = model.followers.get(label, (label, 1.0, 0.0))
            parts = np.array(screw, dtype=float)
            axes.append(Axis(parts, position[leader], speed[speed_of[leader]], ratio, offset))
            if label in position:
                own.append((position[label], speed[speed_of[label]]))
        ball = None
        if joint.has_ball:
            ball = position[names[len(screws)]], speed[speed_labels(joint)[len(screws)]]
        parent = topology.parent[place]
        joints.append(
            TreeJoint(
                int(body),
                int(topology.order[parent]) if parent >= 0 else -1,
                bool(topology.reversed[place]),
                near[place],
                far[place],
                inverse(near[place]),
                inverse(far[place]),
                tuple(axes),
                tuple(own),
                ball,
            )
        )
    screws = tabulate_screws([axis.screw for joint in joints for axis in joint.axes])
    return Tree(model, topology, position, speed, tuple(joints), screws)


# ---- one joint -----------------------------------------------------------------------------------
class Displacement(NamedTuple):
    """What one screw or the ball of a joint does at a position."""

    pose: Pose
    screw: np.ndarray | None  # None for a ball
    speed: int  # row of its speed, of a ball the first of three
    ratio: float  # rate by unit speed


# (row of the speeds, ratio, twist about the world's origin of a unit rate)
Column = tuple[int, float, np.ndarray]


def displacement_of_ball(quaternion: np.ndarray, speed: int) -> Displacement:
    """The rotation of a quaternion of any length."""
    rotation = rotation_matrix(normalise(quaternion))
    return Displacement(Pose(rotation, np.zeros(3)), None, speed, 1.0)


def joint_displacements(tree: Tree, q: np.ndarray) -> list[list[Displacement]]:
    """The displacements of every joint at q: those of its screws, then that of its ball."""
    axes = [axis for joint in tree.joints for axis in joint.axes]
    values = [axis.ratio * q[axis.position] + axis.offset for axis in axes]
    poses = iter(screw_exponentials(tree.screws, values))
    found = []
    for joint in tree.joints:
        steps = [
            Displacement(pose, axis.screw, axis.speed, axis.ratio)
            for axis, pose in zip(joint.axes, poses, strict=False)
        ]
        if joint.ball is not None:
            first, speed = joint.ball
            steps.append(displacement_of_ball(q[first : first + 4], speed))
        found.append(steps)
    return found


def move_outward(frame: Pose, steps: list[Displacement]) -> tuple[Pose, list[Column]]:
    """A frame carried through the displacements of a joint, and the twists of unit rates."""
    columns = []
    for step, screw, speed, ratio in steps:
        if screw is None:  # the speeds of a ball are in the axes of the child
            frame = compose(frame, step)
            columns += twist_columns(frame, screw, speed, ratio)
        else:
            columns += twist_columns(frame, screw, speed, ratio)
            frame = compose(frame, step)
    return frame, columns


def move_inward(frame: Pose, steps: list[Displacement]) -> tuple[Pose, list[Column]]:
    """The same from the child's frame to the parent's: each displacement inverted, last first."""
    columns = []
    for step, screw, speed, ratio in reversed(steps):
        columns += twist_columns(frame, screw, speed, -ratio)
        frame = compose(frame, inverse(step))
    return frame, columns


def twist_columns(frame: Pose, screw, speed: int, ratio: float) -> list[Column]:
    """Twists about the world's origin of unit speeds: one of a screw, three of a ball whose axes
    are those of the frame.
    """
    if screw is not None:
        w, v = frame.turn @ screw[0], frame.turn @ screw[1]
        return [(speed, ratio, np.concatenate([w, v + cross(frame.at, w)]))]
    axes = frame.turn.T
    return [
        (speed + k, ratio, np.concatenate([axis, cross(frame.at, axis)]))
        for k, axis in enumerate(axes)
    ]


# ---- all bodies ----------------------------------------------------------------------------------
class Kinematics(NamedTuple):
    """The poses of all bodies, and for each body the speeds that move it."""

    turn: np.ndarray  # (bodies, 3, 3)
    at: np.ndarray  # (bodies, 3) origins
    columns: list[list[Column]]  # of each body's joint
    parent: list[int]  # body, −1 for the ground

    def jacobian(self, body: int, speeds: int) -> np.ndarray:
        """(6, speeds): twist (ω, velocity of the world's origin) of a body by the speeds."""
        found = np.zeros((6, speeds))
        while body >= 0:
            for row, ratio, twist in self.columns[body]:
                found[:, row] += ratio * twist
            body = self.parent[body]
        return found

    def about_world(self, wrench: np.ndarray, body: int) -> np.ndarray:
        """A wrench (torque, force) about the origin of a body, taken about the world's origin."""
        torque, force = wrench[:3], wrench[3:]
        return np.concatenate([torque + cross(self.at[body], force), force])


def compute_kinematics(tree: Tree, q: np.ndarray) -> Kinematics:
    """Forward kinematics: poses of all bodies at q, and the twists of unit speeds."""
    n = len(tree.model.bodies)
    turn = np.zeros((n, 3, 3))
    at = np.zeros((n, 3))
    columns: list[list[Column]] = [[] for _ in range(n)]
    parents = [-1] * n
    for joint, steps in zip(tree.joints, joint_displacements(tree, q), strict=True):
        frame = IDENTITY_POSE if joint.inner < 0 else Pose(turn[joint.inner], at[joint.inner])
        if joint.is_reversed:
            frame, found = move_inward(compose(frame, joint.on_child), steps)
            frame = compose(frame, joint.to_parent)
        else:
            frame, found = move_outward(compose(frame, joint.on_parent), steps)
            frame = compose(frame, joint.to_child)
        turn[joint.body] = frame.turn
        at[joint.body] = frame.at
        columns[joint.body] = found
        parents[joint.body] = joint.inner
    return Kinematics(turn, at, columns, parents)


def compute_twists(tree: Tree, kinematics: Kinematics, speeds: np.ndarray) -> np.ndarray:
    """(bodies, 6): ω and the velocity of each body's origin."""
    out = np.zeros((len(tree.model.bodies), 6))
    for joint in tree.joints:
        own = sum(
            (ratio * speeds[row] * twist for row, ratio, twist in kinematics.columns[joint.body]),
            np.zeros(6),
        )
        out[joint.body] = own + (out[joint.inner] if joint.inner >= 0 else 0.0)
    for twist, at in zip(out, kinematics.at, strict=True):
        twist[3:] += cross(twist[:3], at)
    return out


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


# ---- positions that are asked for again ----------------------------------------------------------
class Configuration:
    """Kinematics at some positions, and the Jacobian of constraint rows that was found there."""

    def __init__(self, q: np.ndarray, kinematics: Kinematics):
        self.key = q.tobytes()
        self.kinematics = kinematics
        # the gradients of rows and the Jacobian that follows from them: replaced together, so that
        # no other thread sees one without the other
        self.known_jacobian: tuple[bytes, np.ndarray] = b"", np.zeros((0, 0))


class Configurations:
    """The start of a tree, and the position that was asked for last: closing loops, ranks, branches
    and speeds ask for the same ones again and again.
    """

    def __init__(self, tree: Tree, q: np.ndarray, known: Configurations | None = None):
        """`known`: those of another start, which may have this one."""
        self.tree = tree
        self.start = Configuration(q, compute_kinematics(tree, q)) if known is None else known.at(q)
        self.last = self.start

    def at(self, q: np.ndarray) -> Configuration:
        """The configuration at q."""
        key = q.tobytes()
        if key == self.start.key:
            return self.start
        last = self.last  # another thread may replace it
        if key != last.key:
            last = self.last = Configuration(q, compute_kinematics(self.tree, q))
        return last

    def jacobian(self, q: np.ndarray, table: Rows, row_jacobian: np.ndarray) -> np.ndarray:
        """G at q: (rows, speeds), read-only, from the gradient of each row by the twists of its
        bodies.
        """
        place, rows = self.at(q), row_jacobian.tobytes()
        of_rows, jacobian = place.known_jacobian
        if of_rows != rows or not jacobian.shape[1]:
            speeds = len(self.tree.model.speeds)
            jacobian = constraint_jacobian(place.kinematics, table, row_jacobian, speeds)
            jacobian.flags.writeable = False
            place.known_jacobian = rows, jacobian
        return jacobian


def constraint_jacobian(
    kinematics: Kinematics, table: Rows, row_jacobian: np.ndarray, speeds: int
) -> np.ndarray:
    """G: (rows, speeds), from the gradient of each row by the twists of its bodies."""
    jacobians: dict[int, np.ndarray] = {}
    n = len(kinematics.at)
    first, ends = table.first.tolist(), table.ends.tolist()
    found = np.zeros((len(table.row), speeds))
    for row in range(len(table.row)):
        for k in range(first[row], first[row + 1]):
            for side, body in enumerate(ends[k]):
                if body < n:
                    if body not in jacobians:
                        jacobians[body] = kinematics.jacobian(body, speeds)
                    wrench = row_jacobian[k, 6 * side : 6 * side + 6]
                    found[row] += kinematics.about_world(wrench, body) @ jacobians[body]
    return found
