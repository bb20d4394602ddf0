"""The connection of a body with its lower body: the six relative speeds are S(q) u with the joint's
own map.

Body K is joined to J = L(K) by the axes of a joint, one after the other: frame of the joint on J,
axes, frame of the joint on K. Its origin O_K is that of the joint's frame on K, Q_K that of the
frame on J; s_K leads from Q_K to O_K, r_K from O_K to the centre of mass (the notes on relative
coordinates, docs/references.md).
All of a Connection in the axes of J. Columns of S: an axis a through c turns by a and moves O_K by
a × (O_K − c), or slides by a; where axes move with the joint, Ṡ u is the rest of the acceleration.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3, rotate_about_z
from hamiltree.algebra.quat import rotation_matrix
from hamiltree.algebra.rows import quat_at, vector_at
from hamiltree.algebra.spatial import Twist
from hamiltree.algebra.values import cross, plus_cross, plus_scaled, transpose
from hamiltree.algebra.vec3 import Vec3
from hamiltree.assembly.links import (
    AXIS,
    BALL,
    joint_frames,
    joint_segments,
    resolve_screws,
    segment_rows,
)
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import broadcast_like, fma, load, read_only, rows, sincos, store
from hamiltree.model.joints import coordinate_labels
from hamiltree.model.model import Model
from hamiltree.model.topology import Topology
from hamiltree.rotations import rotation_with_z_axis


class Axis(NamedTuple):
    """An axis of a joint, in the joint's frame with all axes before it at zero;
    x = ratio · coordinate + offset.
    """

    frame: Mat3  # z is the axis
    point: Vec3  # on it
    spin: float
    slide: float
    ratio: float
    offset: float


class Connections(NamedTuple):
    parent: np.ndarray  # (bodies,) row of L(K); the number of bodies for the ground
    near_rotation: np.ndarray  # Mat3: the joint's frame in J
    reach: np.ndarray  # Vec3: q_K, from O_J to Q_K
    far_rotation: np.ndarray  # Mat3: the joint's frame in K
    origin: np.ndarray  # Vec3: O_K in K
    first: np.ndarray  # (bodies + 1,) first axis of each body
    is_ball: np.ndarray  # (axes,)
    is_backwards: np.ndarray  # (axes,) the joint's child is J, its parent K
    axis: np.ndarray  # Axis
    coordinate: np.ndarray  # (axes,) row in q; of a ball, the first of four
    speed: np.ndarray  # (axes,) row in u; of a ball, the first of three
    armature: np.ndarray  # (axes,)


class ConnectionsWork(NamedTuple):
    direction: np.ndarray  # Vec3 of each axis, in J
    point: np.ndarray  # Vec3, from Q_K, in J


class Connection(NamedTuple):
    relative_rotation: Mat3  # axes of K in J
    s: Vec3
    w: Vec3  # ω̂ but for `spin`
    v: Vec3  # ṡ
    alpha: Vec3  # of Ṡ u
    a: Vec3
    # of a ball, the last of its joint's motions, in K, where the columns of its speeds are constant
    spin: Vec3


def connections_of(model: Model, topology: Topology) -> Connections:
    """The connections by index of the body in the model; axes lie in the order of their bodies."""
    n, joints = len(model.bodies), [model.joints[j] for j in topology.joint]
    motions = joint_segments(joints, topology.reversed)
    moves = (motions.kind == AXIS) | (motions.kind == BALL)
    place, kind = motions.place[moves], motions.kind[moves]
    which = np.array(topology.joint, dtype=np.int64)[place]
    coordinate, speed = segment_rows(model, which, motions.axis[moves])
    ratio, offset = follower_ratios(model, which, motions.axis[moves])
    axes, points, spin, slide = (
        part[moves] for part in resolve_screws(motions.screw, motions.kind)
    )
    frames = np.swapaxes(rotation_with_z_axis(axes), 1, 2).reshape(-1, 9)  # by columns
    table = np.column_stack([frames, points, spin, slide, ratio, offset])

    body = np.array(topology.order, dtype=np.int64)
    by_body = np.argsort(body[place], kind="stable")
    lower = np.array(topology.parent, dtype=np.int64)
    near_rotation, near_at, far_rotation, far_at = near_and_far_frames(joints, topology)
    reach = near_at - np.where(lower[:, None] >= 0, far_at[lower], 0.0)
    back = np.argsort(body)
    return Connections(
        read_only(np.where(lower >= 0, body[lower], n)[back]),
        read_only(np.swapaxes(near_rotation[back], 1, 2).reshape(-1, 9)),
        read_only(reach[back]),
        read_only(np.swapaxes(far_rotation[back], 1, 2).reshape(-1, 9)),
        read_only(far_at[back]),
        read_only(np.searchsorted(body[place][by_body], np.arange(n + 1))),
        read_only((kind == BALL)[by_body]),
        read_only(np.array(topology.reversed, dtype=bool)[place][by_body]),
        read_only(table[by_body].reshape(-1, 16)),
        read_only(coordinate[by_body]),
        read_only(speed[by_body]),
        read_only((motions.armature[moves] * ratio**2)[by_body]),
    )


def near_and_far_frames(joints: list, topology: Topology) -> tuple[np.ndarray, ...]:
    """Rotations and origins of the joint frames on J, then of those on K."""
    (on_parent, at_parent), (on_child, at_child) = joint_frames(joints)
    swap = np.array(topology.reversed, dtype=bool)[:, None]
    near_rotation = np.where(swap[..., None], on_child, on_parent)
    far_rotation = np.where(swap[..., None], on_parent, on_child)
    near_at = np.where(swap, at_child, at_parent)
    far_at = np.where(swap, at_parent, at_child)
    return near_rotation, near_at, far_rotation, far_at


def follower_ratios(
    model: Model, joint: np.ndarray, axis: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """x = ratio · coordinate + offset of every axis: 1 and 0 unless it follows another one."""
    ratio, offset = np.ones(len(joint)), np.zeros(len(joint))
    for k, (j, m) in enumerate(zip(joint, axis, strict=True)):
        label = coordinate_labels(model.joints[j])[m]
        if label in model.followers:
            _, ratio[k], offset[k] = model.followers[label]
    return ratio, offset


def connections_workspace(table: Connections, width: int) -> ConnectionsWork:
    """Scratch for the axes of all joints."""
    n = max(1, len(table.axis))
    return ConnectionsWork(rows(Vec3, n, width), rows(Vec3, n, width))


# ---- kernels -------------------------------------------------------------------------------------
@inlined
def axis_of(table, e):
    """Constants of axis e."""
    return load(table.axis, e, Axis)


@inlined
def ball_rotation(table, y, e):
    """Rotation of a ball from the near side to the far side."""
    R = rotation_matrix(quat_at(y, table.coordinate[e]))
    back = transpose(R)
    return back if table.is_backwards[e] else R


@inlined
def ball_speed(table, y, speeds, e):
    """ω of the joint's child against its parent, in the axes of the child's joint frame."""
    return vector_at(y, speeds + table.speed[e])


@inlined
def compute_connection(table, work, y, speeds, b):
    """The connection of body b; u begins at row `speeds` of y.

    Directions of its axes and points on them go into work.
    """
    like = broadcast_like(0.0, load(work.point, 0, Vec3).x)
    C = load(table.near_rotation, b, Mat3) * (1.0 + like)
    still = Vec3(like, like, like)
    s, w, v, alpha, a, spin = still, still, still, still, still, still
    for e in range(table.first[b], table.first[b + 1]):
        if table.is_ball[e]:
            store(work.point, e, s)
            if table.is_backwards[e]:
                w = w - C @ ball_speed(table, y, speeds, e)  # the first of all motions
            else:
                spin = load(table.far_rotation, b, Mat3) @ ball_speed(table, y, speeds, e)
            C = C @ ball_rotation(table, y, e)
        else:
            own = axis_of(table, e)
            x = fma(load(y, table.coordinate[e]), own.ratio, own.offset)
            rate = load(y, speeds + table.speed[e]) * own.ratio
            direction, to_point = C @ own.frame.z, C @ own.point
            v, a = v + cross(w, to_point), a + cross(alpha, to_point) + cross(w, cross(w, to_point))
            s = s + to_point
            store(work.direction, e, direction)
            store(work.point, e, s)
            extra = direction * (rate * own.spin)
            alpha = plus_cross(alpha, w, extra)
            w = w + extra
            sine, cosine = sincos(x * own.spin)
            C = rotate_about_z(C @ own.frame, sine, cosine) @ transpose(own.frame)
            step = plus_scaled(C @ own.point * -1.0, direction, x * own.slide)
            sliding = direction * (rate * own.slide)
            v = v + cross(w, step) + sliding
            a = a + cross(alpha, step) + cross(w, cross(w, step)) + cross(w, sliding) * 2.0
            s = s + step
    return Connection(C @ transpose(load(table.far_rotation, b, Mat3)), s, w, v, alpha, a, spin)


@inlined
def axis_column(table, work, e, s):
    """(ω̂, ṡ) of a unit speed of one axis, in J."""
    own, direction = axis_of(table, e), load(work.direction, e, Vec3)
    turning, sliding = direction * (own.spin * own.ratio), direction * (own.slide * own.ratio)
    return Twist(turning, plus_cross(sliding, turning, s - load(work.point, e, Vec3)))


@inlined
def joint_axis(frame, k):
    """Axis k of a joint frame."""
    return frame.x if k == 0 else frame.y if k == 1 else frame.z
