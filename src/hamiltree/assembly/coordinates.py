"""Joint coordinates from poses: motion(q) = on_parent⁻¹ · pose(parent)⁻¹ · pose(child) · on_child,
solved for q (model/joints.py), joint by joint (joint_readers.py).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hamiltree.assembly.joint_readers import FreeJoints, RelativeMotion, choose_reader
from hamiltree.assembly.screw_chain import IDENTITY_QUATERNION, body_axes
from hamiltree.errors import OptionError
from hamiltree.model.bodies import GROUND
from hamiltree.model.joints import Joint, coordinate_labels
from hamiltree.model.model import Model
from hamiltree.rotations import (
    conjugate,
    cross,
    normalise,
    quaternion_product,
    rotate,
    rotate_back,
)

Array = np.ndarray


class TreeCoordinates:
    """(q, q̇) of the spanning tree from poses and twists of all bodies; successive calls are
    successive stretches of one run.

    Angles go on from the last sample and quaternions keep the nearer sign: between samples a joint
    turns by less than half a turn, unless the angles of a run say where it is.
    """

    def __init__(self, model: Model, q: Array):
        """From the start q on. Free joints are read all at once, unless a coupling determines one
        of their coordinates.
        """
        self.model = model
        start = all_coordinates(model, model.q_from(q))
        rows = {label: row for row, label in enumerate(model.coordinates)}
        moving = [
            joint
            for joint in model.tree_joints
            if any(label in rows for label in coordinate_labels(joint))
        ]
        free = [joint for joint in moving if joint.kind == "free"]
        others = [joint for joint in moving if joint.kind != "free"]
        coupled = [joint for joint in free if not rows.keys() >= set(coordinate_labels(joint))]
        free = [joint for joint in free if rows.keys() >= set(coordinate_labels(joint))]
        others += coupled
        self.frames = JointFrames(model, [*free, *others])
        self.count = len(free)
        self.free = FreeJoints(free, rows, start)
        self.parts = [
            choose_reader(joint)(
                joint, rows, np.array([start[label] for label in coordinate_labels(joint)])
            )
            for joint in others
        ]

    def __call__(
        self,
        pose: Array,
        twist: Array,
        angles: Mapping[str, Array] | None = None,
        quaternions: Array | None = None,
    ) -> tuple[Array, Array]:
        """pose (n, bodies, 7), twist (n, bodies, 6), world axes -> q and its time derivative, both
        (n, coordinates). `angles`: some coordinates, to less than half a turn; `quaternions`
        (n, bodies, 4): with signs that are continuous in time.
        """
        pose = self.check_shape(pose, 7, "pose")
        twist = self.check_shape(twist, 6, "twist")
        is_continuous = quaternions is not None
        if quaternions is not None:
            along = (pose[..., 3:] * quaternions).sum(axis=-1, keepdims=True)
            signed = pose[..., 3:] * np.where(along < 0.0, -1.0, 1.0)
            pose = np.concatenate([pose[..., :3], signed], axis=-1)
        q, qdot = np.empty((2, len(pose), len(self.model.coordinates)))
        every = self.frames.relative(pose, twist)
        if self.count:
            position, rotation, spin = (values[: self.count] for values in every)
            q[:, self.free.rows], qdot[:, self.free.rows] = self.free.read(
                position, rotation, spin, is_continuous
            )
        for part, *relative in zip(
            self.parts, *(values[self.count :] for values in every), strict=True
        ):
            expected = part.expected(angles or {}, len(pose))
            q[:, part.rows], qdot[:, part.rows] = part.read(
                RelativeMotion(*relative), expected, is_continuous
            )
        return q, qdot

    @property
    def memory(self) -> list[tuple[Array, Array]]:
        """The last sample of every joint, from which the next one goes on, and signs of
        quaternions; none of these arrays is ever changed.
        """
        return [
            (self.free.last, self.free.signs),
            *((part.last, part.sign) for part in self.parts),
        ]

    @memory.setter
    def memory(self, kept: list[tuple[Array, Array]]) -> None:
        self.free.last, self.free.signs = kept[0]
        for part, (last, sign) in zip(self.parts, kept[1:], strict=True):
            part.last, part.sign = last, sign

    def check_shape(self, values: Array, width: int, name: str) -> Array:
        """The values as floats; refused unless (samples, bodies, width)."""
        values = np.asarray(values, dtype=float)
        bodies = len(self.model.bodies)
        if values.ndim != 3 or values.shape[1:] != (bodies, width):
            raise OptionError(
                f"{name} has the shape {values.shape}; give (samples, {bodies}, {width}), a row "
                "for each body of the model"
            )
        return values


def all_coordinates(model: Model, q: Array) -> dict[str, float]:
    """All coordinates by label, followers too: ratio · leader + offset."""
    own = dict(zip(model.coordinates, q.tolist(), strict=True))
    return own | {
        label: ratio * own[leader] + offset
        for label, (leader, ratio, offset) in model.followers.items()
    }


# ---- relative poses ------------------------------------------------------------------------------
class JointFrames:
    """The joint frames on both bodies of some joints, all joints at once."""

    def __init__(self, model: Model, joints: list[Joint]):
        """Rows of the bodies (the ground is the last) and the frames on them."""
        index = {GROUND: -1, **{body.name: k for k, body in enumerate(model.bodies)}}
        self.parent, self.child = (
            np.array([index[name] for name in ends], dtype=int) for ends in ends_of(joints)
        )
        self.parent_frame_position, self.child_frame_position = (
            np.array([f.position for f in frames]).reshape(-1, 1, 3) for frames in frames_of(joints)
        )
        self.parent_frame_rotation, self.child_frame_rotation = (
            np.array([f.rotation for f in frames]).reshape(-1, 1, 4) for frames in frames_of(joints)
        )

    def relative(self, pose: Array, twist: Array) -> tuple[Array, Array, Array]:
        """Position (joints, n, 3), unit quaternion (joints, n, 4) and twist (joints, n, 6)."""
        position = with_ground(pose[..., :3], (0,) * 3)
        rotation = normalise(with_ground(pose[..., 3:], IDENTITY_QUATERNION))
        twist = with_ground(twist, (0,) * 6)
        bodies = body_axes(rotation)
        parent_arm = rotate(bodies[self.parent], self.parent_frame_position)
        child_arm = rotate(bodies[self.child], self.child_frame_position)
        near = quaternion_product(rotation[self.parent], self.parent_frame_rotation)
        far = quaternion_product(rotation[self.child], self.child_frame_rotation)
        axes = body_axes(near)
        reach = position[self.child] + child_arm - position[self.parent]
        spin, velocity = relative_twist(twist[self.parent], twist[self.child], reach, child_arm)
        moving = np.concatenate([rotate_back(axes, spin), rotate_back(axes, velocity)], axis=-1)
        return (
            rotate_back(axes, reach - parent_arm),
            normalise(quaternion_product(conjugate(near), far)),
            moving,
        )


def ends_of(joints: list[Joint]) -> tuple[list[str], list[str]]:
    return [joint.parent for joint in joints], [joint.child for joint in joints]


def frames_of(joints: list[Joint]):
    return [joint.on_parent for joint in joints], [joint.on_child for joint in joints]


def with_ground(values: Array, ground) -> Array:
    """(n, bodies, ·) -> (bodies + 1, n, ·): the ground comes last, at rest."""
    still = np.broadcast_to(np.asarray(ground, dtype=float), (1, len(values), len(ground)))
    return np.concatenate([values.transpose(1, 0, 2), still])


def relative_twist(base: Array, end: Array, reach: Array, child_arm: Array) -> tuple[Array, Array]:
    """ω of the child less that of the parent; velocity of the child's joint origin less that of the
    parent's point there.
    """
    carried = base[..., 3:] + cross(base[..., :3], reach)
    return end[..., :3] - base[..., :3], end[..., 3:] + cross(end[..., :3], child_arm) - carried
