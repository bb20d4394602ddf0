"""The segments of joints: their screws and balls one by one, joint after joint in tree order."""

from dataclasses import fields
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from hamiltree.assembly.many_rows import collect_field, collect_numbers
from hamiltree.model.joints import OneAxis
from hamiltree.rotations import rotation_with_z_axis

WELD = 0
AXIS = 1
BALL = 2


class JointSegments(NamedTuple):
    """The screws and balls of all joints in tree order, each joint's from the ground's side; a weld
    is a segment that does not move.
    """

    place: np.ndarray  # (m,) of the joint in tree order
    axis: np.ndarray  # (m,) number of the axis in its joint; of a ball, how many axes it has
    kind: np.ndarray  # (m,) WELD, AXIS or BALL
    screw: np.ndarray  # (m, 2, 3)
    armature: np.ndarray  # (m,)
    is_first: np.ndarray  # (m,) of its joint
    is_last: np.ndarray


NO_SCREW = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def joint_segments(joints, backwards) -> JointSegments:
    """The segments of joints in tree order; the screws of a joint met backwards are negated and
    come last first.
    """
    if joints and all(issubclass(kind, OneAxis) for kind in set(map(type, joints))):
        return one_axis_segments(joints, backwards)
    known: dict[tuple, int] = {}  # many joints are alike
    number = [
        known.setdefault((j.screws(), j.armatures(), j.has_ball, back), len(known))
        for j, back in zip(joints, np.asarray(backwards).tolist(), strict=True)
    ]
    distinct = [segments_of_joint(*joint) for joint in known]
    lengths = np.array([len(own) for own in distinct], dtype=np.int64)
    counts = lengths[number]
    at = np.repeat(np.arange(len(joints)), counts)
    ends = np.cumsum(counts)
    # row of each segment in the segments of all distinct joints
    row = np.arange(len(at)) + np.repeat(
        (np.cumsum(lengths) - lengths)[number] - ends + counts, counts
    )
    axis, kind, screw, armature = zip(*(part for own in distinct for part in own), strict=True)
    changes = np.diff(at) != 0
    sign = np.where(np.asarray(backwards)[at], -1.0, 1.0)[:, None, None]
    return JointSegments(
        at,
        np.array(axis, dtype=np.int64)[row],
        np.array(kind, dtype=np.int64)[row],
        np.array(screw, dtype=float).reshape(-1, 2, 3)[row] * sign,
        np.array(armature, dtype=float)[row],
        is_first=np.concatenate([[True], changes]),
        is_last=np.concatenate([changes, [True]]),
    )


def segments_of_joint(screws, armatures, has_ball: bool, is_backwards: bool) -> list[tuple]:
    """(axis, kind, screw, armature) of each segment."""
    parts = enumerate(zip(screws, armatures, strict=False))
    own: list[tuple] = [(m, AXIS, screw, armature) for m, (screw, armature) in parts]
    own += [(len(own), BALL, NO_SCREW, 0.0)] if has_ball else []
    own = own or [(0, WELD, NO_SCREW, 0.0)]
    return own[::-1] if is_backwards else own


def one_axis_segments(joints, backwards) -> JointSegments:
    """The segments of joints of one axis each, many of them at once."""
    n = len(joints)
    own = joints[:1] if have_one_screw(joints) else joints
    screws = collect_numbers((joint.screws()[0] for joint in own), len(own), (2, 3))
    every = np.ones(n, dtype=bool)
    return JointSegments(
        np.arange(n),
        np.zeros(n, dtype=np.int64),
        np.full(n, AXIS, dtype=np.int64),
        screws * np.where(np.asarray(backwards), -1.0, 1.0)[:, None, None],
        collect_field(joints, "armature", ()),
        is_first=every,
        is_last=every.copy(),
    )


def have_one_screw(joints) -> bool:
    """Whether joints are of one kind and share one axis, and nothing else makes their screws."""
    kinds = set(map(type, joints))
    axes = set(map(id, map(attrgetter("axis"), joints)))
    return len(kinds) == len(axes) == 1 and len(fields(kinds.pop())) == len(fields(OneAxis))


def resolve_screws(screws: np.ndarray, kind: np.ndarray) -> tuple[np.ndarray, ...]:
    """Axis, a point on it, spin and slide of every screw, joint axes; of welds and balls the z axis
    at the origin.
    """
    turning = (screws[:, 0] != 0).any(1)
    axes = np.where(turning[:, None], screws[:, 0], screws[:, 1])
    axes = np.where((kind == AXIS)[:, None], axes, [0.0, 0.0, 1.0])
    length = np.linalg.norm(axes, axis=1)
    length = np.where(abs(length - 1) <= 8e-16, 1.0, length)
    axes = axes / length[:, None]
    spin = np.where(turning, length, 0.0)
    slide = np.where(kind == AXIS, (axes * screws[:, 1]).sum(1), 0.0)
    points = np.where(turning[:, None], np.cross(axes, screws[:, 1]) / length[:, None], 0.0)
    return axes, points, spin, slide


def frames_along_axes(screws: np.ndarray, kind: np.ndarray) -> tuple[np.ndarray, ...]:
    """Rotation and origin of a frame with its z axis along every screw; spin and slide."""
    axes, points, spin, slide = resolve_screws(screws, kind)
    return rotation_with_z_axis(axes), points, spin, slide
