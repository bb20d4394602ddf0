"""Connections of bodies in the notation of the notes on Kane's equations (docs/references.md): body
K on its lower body J = L(K), and its six relative speeds by those of its joint.

Q_K is the origin of the joint frame on J, O_K that on K; q'_K leads from O_J to Q_K and s'_K from
Q_K to O_K, both in the axes of J; r'_K from O_K to the centre of mass, in the axes of K. The six
speeds ω̂'_K (axes of K) and ṡ'_K (axes of J) are S(q) u with the speeds u of the joint; a free joint
with unrotated frames has S = 1, as in the notes.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from hamiltree.assembly.kinematics import (
    IDENTITY_POSE,
    Displacement,
    Pose,
    displacement_of_ball,
    inverse,
    move_outward,
    screw_exponentials,
    tabulate_screws,
)
from hamiltree.assembly.links import build_links
from hamiltree.model.joints import Joint, Screws, coordinate_labels, speed_labels
from hamiltree.model.model import Model
from hamiltree.model.topology import spanning_tree
from hamiltree.model.values import Frame
from hamiltree.rotations import conjugate, cross, quaternion_from_matrix, quaternion_product, skew

Array = np.ndarray
ROTATION, TRANSLATION = 0, 1  # the halves y1 and y2 of the speeds
PROBES = (0.3, -0.7)  # two positions: a map that is equal at both does not depend on q
BALL_PROBES = (0.5, 0.5, -0.5, 0.5), (0.1, 0.7, 0.1, 0.7)
COLUMN_TOLERANCE = 1e-12


class Link(NamedTuple):
    """Body K, its number being its place, from 1 on: model.bodies[body] on the body of number
    `lower` (0: ground).
    """

    body: int
    lower: int
    joint: Joint
    is_backwards: bool  # declared with its child on the side of the ground

    @property
    def axes(self) -> JointAxes:
        """Axes of the joint; a key of what depends on nothing else."""
        return JointAxes(self.joint.screws(), self.joint.has_ball, self.is_backwards)

    @property
    def near(self) -> Frame:
        """The joint frame on J."""
        return self.joint.on_child if self.is_backwards else self.joint.on_parent

    @property
    def far(self) -> Frame:
        """The joint frame on K."""
        return self.joint.on_parent if self.is_backwards else self.joint.on_child


class JointAxes(NamedTuple):
    """What the motion of a joint depends on, but for its frames."""

    screws: Screws
    has_ball: bool
    is_backwards: bool


def number_bodies(model: Model, formulation: str) -> list[Link]:
    """The bodies as they are numbered: in the model's order if lower bodies have lower numbers
    there, else depth first.
    """
    build_links(model, formulation)  # refuses loops and constraints by name
    tree = spanning_tree(model)
    parents = {
        int(body): int(tree.order[parent]) if parent >= 0 else -1
        for body, parent in zip(tree.order, tree.parent, strict=True)
    }
    is_ordered = all(parent < body for body, parent in parents.items())
    order = sorted(parents) if is_ordered else [int(body) for body in tree.order]
    number = {body: place + 1 for place, body in enumerate(order)} | {-1: 0}
    place = {int(body): k for k, body in enumerate(tree.order)}
    joints = [
        (model.joints[tree.joint[place[body]]], bool(tree.reversed[place[body]])) for body in order
    ]
    return [
        Link(body, number[parents[body]], *joint) for body, joint in zip(order, joints, strict=True)
    ]


# ---- speeds --------------------------------------------------------------------------------------
class Speed(NamedTuple):
    """A speed of the equations: what it is called, in which half it stands, and the number of the
    body whose joint has it.
    """

    label: str
    half: int
    body: int


def rotational_speeds(joint: Joint) -> list[bool]:
    """Whether each speed of a joint is a rotation."""
    return [any(w) for w, _ in joint.screws()] + [True] * (3 * joint.has_ball)


def relative_speeds(model: Model, links: list[Link]) -> list[Speed]:
    """The model's speeds in the order of the notes: rotations {y1} of bodies 1 … N, then
    translations {y2}.
    """
    known = set(model.speeds)
    found = [
        Speed(label, ROTATION if is_turn else TRANSLATION, k + 1)
        for k, link in enumerate(links)
        for label, is_turn in zip(
            speed_labels(link.joint), rotational_speeds(link.joint), strict=True
        )
        if label in known
    ]
    return sorted(found, key=lambda speed: speed.half)


class Labels:
    """Where coordinates and speeds of a model stand; made once, asked for every joint."""

    def __init__(self, model: Model):
        """Labels of all coordinates and speeds of the model."""
        self.followers = model.followers
        self.place = {label: k for k, label in enumerate(model.coordinates)}
        self.row = {label: k for k, label in enumerate(model.speeds)}
        self.speed_of = {
            c: s
            for other in model.joints
            for c, s in zip(coordinate_labels(other), speed_labels(other), strict=False)
        }

    def leaders(self, joint: Joint) -> list[tuple[str, float]]:
        """(speed, ratio) that each speed of a joint follows; its own name and 1 where it follows
        none.
        """
        turning = len(joint.screws())
        names = [*coordinate_labels(joint)[:turning], *([""] * (3 * joint.has_ball))]
        found = []
        for name, own in zip(names, speed_labels(joint), strict=True):
            leader = self.followers.get(name)
            if leader is None:
                found.append((own, 1.0))
            else:
                found.append((self.speed_of[leader.leader], leader.ratio))
        return found

    def joint_state(self, joint: Joint, q: Array, u: Array) -> JointState:
        """Coordinates and speeds of a joint, from those of the model."""
        values = []
        for label in coordinate_labels(joint):
            leader, ratio, offset = self.followers.get(label, (label, 1.0, 0.0))
            values.append(ratio * q[self.place[leader]] + offset)
        rates = [ratio * u[self.row[leader]] for leader, ratio in self.leaders(joint)]
        return JointState(np.array(values), np.array(rates))


# ---- pose and motion of a joint ------------------------------------------------------------------
class JointState(NamedTuple):
    """All coordinates and speeds of one joint, followers filled in."""

    q: Array
    u: Array


def motion_cross(a: Array, b: Array) -> Array:
    """(ω × b_ω, ω × b_v + v × b_ω): rate of a screw b on a body that moves with the twist a."""
    return np.concatenate([cross(a[:3], b[:3]), cross(a[:3], b[3:]) + cross(a[3:], b[:3])])


def transform_screw(pose: Pose, screw: Array) -> Array:
    """A screw of an inner frame, about the origin and in the axes of the outer one."""
    w = pose.turn @ screw[:3]
    return np.concatenate([w, pose.turn @ screw[3:] + cross(pose.at, w)])


class JointMotion(NamedTuple):
    """The far joint frame in the near one, the twist of it (about the near origin) for unit speeds,
    and the rates of these.
    """

    pose: Pose
    columns: Array  # (6, speeds)
    rates: Array  # (6, speeds)


def forward_motion(screws: Screws, has_ball: bool, state: JointState) -> JointMotion:
    """Each axis moves with those before it; the axes of a ball with the child itself."""
    table = tabulate_screws(screws)
    poses = screw_exponentials(table, state.q[: len(screws)])
    steps = [
        Displacement(pose, screw, k, 1.0)
        for k, (screw, pose) in enumerate(zip(table.parts, poses, strict=True))
    ]
    if has_ball:
        steps.append(displacement_of_ball(state.q[-4:], len(screws)))
    pose, found = move_outward(IDENTITY_POSE, steps)
    columns = np.array([twist for _, _, twist in found]).reshape(-1, 6).T
    # the twist of what each column moves with: the axes before it, of a ball the whole joint
    carrier = np.cumsum(columns * state.u, axis=1) - columns * state.u
    if has_ball:
        carrier[:, -3:] = (columns @ state.u)[:, None]
    rates = [motion_cross(*pair) for pair in zip(carrier.T, columns.T, strict=True)]
    return JointMotion(pose, columns, np.array(rates).reshape(-1, 6).T)


def joint_motion(axes: JointAxes, state: JointState) -> JointMotion:
    """Motion of the far frame on K in the near one on J; a joint declared backwards is inverted:
    −Ad⁻¹ of its columns.
    """
    forward = forward_motion(axes.screws, axes.has_ball, state)
    if not axes.is_backwards:
        return forward
    back, twist = inverse(forward.pose), forward.columns @ state.u
    columns = [-transform_screw(back, column) for column in forward.columns.T]
    rates = [
        -transform_screw(back, rate - motion_cross(twist, column))
        for column, rate in zip(forward.columns.T, forward.rates.T, strict=True)
    ]
    return JointMotion(back, np.array(columns).reshape(-1, 6).T, np.array(rates).reshape(-1, 6).T)


class JointMap(NamedTuple):
    """S(q): ω̂'_K = rotation u in the axes of K, ṡ'_K = translation u in those of J; and Ṡ."""

    angular_columns: Array  # (3, speeds)
    linear_columns: Array
    angular_columns_rate: Array
    linear_columns_rate: Array


def joint_map_of(link: Link, state: JointState) -> tuple[Pose, JointMap]:
    """K in J (turn: axes of K to axes of J; at: s'_K in J) and S, Ṡ."""
    return map_joint(link.axes, link.near.matrix, link.far.matrix, state)


def map_joint(axes: JointAxes, near: Array, far: Array, state: JointState) -> tuple[Pose, JointMap]:
    """The same by the axes of the joint and the rotations of its frames on J and on K."""
    motion = joint_motion(axes, state)
    p = motion.pose.at
    outward = far @ motion.pose.turn.T  # near axes to axes of K
    w, v = motion.columns[:3], motion.columns[3:] + cross(motion.columns[:3].T, p).T
    spin, speed = outward @ w @ state.u, v @ state.u
    w_rate = outward @ motion.rates[:3] - skew(spin) @ outward @ w
    v_rate = motion.rates[3:] + cross(motion.rates[:3].T, p).T + cross(w.T, speed).T
    angular_columns = outward @ w
    if axes.has_ball and not axes.is_backwards:
        # its speeds are in the axes of the child, exactly
        angular_columns[:, -3:], w_rate[:, -3:] = far, 0.0
    return Pose(near @ outward.T, near @ p), JointMap(
        angular_columns, near @ v, w_rate, near @ v_rate
    )


class Structure(NamedTuple):
    """Which columns of S are not zero everywhere, and whether each half of S is the same at every
    q, so that Ṡ vanishes.
    """

    angular_columns: Array  # (speeds,) of bool
    linear_columns: Array
    is_fixed: tuple[bool, bool]


@functools.lru_cache(maxsize=256)
def structure_of(axes: JointAxes) -> Structure:
    """Structure of S, by its values at two general positions; turned frames change nothing."""
    found = []
    for probe, ball in zip(PROBES, BALL_PROBES, strict=True):
        q = np.concatenate([np.full(len(axes.screws), probe), ball[: 4 * axes.has_ball]])
        still = JointState(q, np.zeros(len(axes.screws) + 3 * axes.has_ball))
        found.append(map_joint(axes, np.eye(3), np.eye(3), still)[1])
    first, second = found
    angular_columns, linear_columns = (
        (abs(a) + abs(b) > COLUMN_TOLERANCE).any(axis=0)
        for a, b in zip(first[:2], second[:2], strict=True)
    )
    rotation_fixed, translation_fixed = (
        bool((abs(a - b) < COLUMN_TOLERANCE).all())
        for a, b in zip(first[:2], second[:2], strict=True)
    )
    return Structure(angular_columns, linear_columns, (rotation_fixed, translation_fixed))


class Connection(NamedTuple):
    """Body K on its lower body at a state: the terms of the recursions for relative speeds.

    Its maps have a column for each speed that the joint has or follows; `speeds` are their places
    in {y}.
    """

    lower: int
    turn: Array  # [ᴶR_K], axes of J to axes of K
    q: Array
    s: Array
    r: Array
    spin: Array  # ω̂'_K
    speed: Array  # ṡ'_K
    speeds: Array  # (k,) places in {y}
    angular_columns: Array  # (3, k) of [ω̂'_K,y]: ω̂'_K = [ω̂'_K,y]{y}
    linear_columns: Array  # (3, k) of [ᴶv'_O_K,y]
    angular_columns_rate: Array
    linear_columns_rate: Array
    nonzero_columns: Array  # (4, k) of bool: columns of these four that are not always zero
    quaternion: Array  # axes of K to axes of J, scalar first


def connect_bodies(
    model: Model, labels: Labels, links: list[Link], speeds: list[Speed], q: Array, u: Array
) -> list[Connection]:
    """The connections of all bodies; columns of followers add, times their ratio, to those of their
    leaders.
    """
    column = {speed.label: k for k, speed in enumerate(speeds)}
    found = []
    for link in links:
        state = labels.joint_state(link.joint, q, u)
        pose, own = joint_map_of(link, state)
        targets = [(column[label], ratio) for label, ratio in labels.leaders(link.joint)]
        below = np.zeros(3) if link.lower == 0 else np.array(links[link.lower - 1].far.position)
        centre = np.array(model.bodies[link.body].com)
        found.append(
            Connection(
                link.lower,
                pose.turn.T,
                np.array(link.near.position) - below,
                pose.at,
                centre - np.array(link.far.position),
                own.angular_columns @ state.u,
                own.linear_columns @ state.u,
                *gather_columns(own, moving_columns(link), targets),
                relative_quaternion(link, state, pose.turn),
            )
        )
    return found


def gather_columns(
    own: JointMap, moving: list[Array], targets: list[tuple[int, float]]
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Places in {y} of a joint's speeds, the columns of S and Ṡ for them, and which are not always
    zero.
    """
    places = sorted({place for place, _ in targets})
    maps = np.zeros((4, 3, len(places)))
    is_moving = np.zeros((4, len(places)), dtype=bool)
    for number, (place, ratio) in enumerate(targets):
        k = places.index(place)
        for which, (part, columns) in enumerate(zip(own, moving, strict=True)):
            maps[which, :, k] += ratio * columns[number] * part[:, number]
            is_moving[which, k] |= columns[number]
    return np.array(places, dtype=int), *maps, is_moving  # type: ignore[return-value]


def moving_columns(link: Link) -> list[Array]:
    """Which columns of S, and then of Ṡ, are not zero at every state."""
    form = structure_of(link.axes)
    columns = [form.angular_columns, form.linear_columns]
    rates = [part & (not fixed) for part, fixed in zip(columns, form.is_fixed, strict=True)]
    return [*columns, *rates]


def relative_quaternion(link: Link, state: JointState, turn: Array) -> Array:
    """Euler parameters of `turn`, axes of K to axes of J, scalar first; with the sign of the
    joint's own quaternion where it has one.
    """
    found = quaternion_from_matrix(turn)
    if not link.joint.has_ball:
        return found
    own = conjugate(state.q[-4:]) if link.is_backwards else state.q[-4:]
    near, far = (quaternion_from_matrix(frame.matrix) for frame in (link.near, link.far))
    signed = quaternion_product(quaternion_product(near, own), conjugate(far))
    return -found if signed @ found < 0.0 else found
