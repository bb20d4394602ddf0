"""Joint coordinates from poses: motion(q) = on_parent⁻¹ · pose(parent)⁻¹ · pose(child) · on_child,
solved for q (model/joints.py).

Slides before or after at most two turns through one point are read off: a slide by its dual vector,
one turn by 2 atan2(n · r, w) of the relative quaternion, two turns by where each carries the axis
of the other, a ball by the quaternion itself. Any other list of screws is followed by Newton's
method from sample to sample. Rates are the least squares of the relative twist on the twists of
unit rates.
Relative vectors are on the axes of the parent's joint frame; relative velocities are those of the
origin of the child's joint frame.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hamiltree.assembly.joint_rows import GEOMETRY_TOLERANCE, common_point
from hamiltree.errors import FitError, OptionError, StepError
from hamiltree.model.bodies import GROUND
from hamiltree.model.joints import Joint, coordinate_labels
from hamiltree.model.model import Model
from hamiltree.rotations import (
    conjugate,
    cross,
    normalise,
    quaternion_product,
    quaternion_rate,
    rotate,
    rotate_back,
    rotation_matrix,
    rotation_vector,
)

Array = np.ndarray
TURN = 2.0 * np.pi
IDENTITY_QUATERNION = np.array([1.0, 0.0, 0.0, 0.0])
# singular values below this part of the largest count as none: rates at a locked gimbal stay finite
SINGULAR_VALUE_RATIO = 1e-10
CONVERGED_BELOW = (
    1e-14  # what Newton's step may still move, as a part of arms, angles and distances
)
MAX_MISMATCH = 0.1  # a joint further apart than this, as such a part, was not found but lost
MAX_ITERATIONS = 40
LONGEST_STEP = 0.5  # rad by iteration
# rad by which a step may differ from the last pace: solutions of two branches are further apart
MAX_PACE_CHANGE = 0.3
MAX_PREDICTION_ERROR = (
    1.0  # rad by which a sample may differ from what the last pace would have made of it
)
MAX_BATCH = 512  # most samples solved at once


class RelativeMotion(NamedTuple):
    """How a child's joint frame stands and moves in its parent's: rows are samples."""

    position: Array  # (n, 3)
    rotation: Array  # (n, 4) unit quaternions
    twist: Array  # (n, 6)


class TreeCoordinates:
    """(q, q̇) of the spanning tree from poses and twists of all bodies; successive calls are
    successive stretches of one run.

    Angles go on from the last sample and quaternions keep the nearer sign: between samples a joint
    turns by less than half a turn.
    """

    def __init__(self, model: Model, q: Array):
        self.model, start = model, all_coordinates(model, model.q_from(q))
        rows = {label: row for row, label in enumerate(model.coordinates)}
        moving = [
            joint
            for joint in model.tree_joints
            if any(label in rows for label in coordinate_labels(joint))
        ]
        free, others = (
            [joint for joint in moving if joint.kind == "free"],
            [joint for joint in moving if joint.kind != "free"],
        )
        # by a coupling: such a joint is read by itself
        followed = {label for joint in free for label in coordinate_labels(joint)} - set(rows)
        others += [joint for joint in free if followed.intersection(coordinate_labels(joint))]
        free = [joint for joint in free if not followed.intersection(coordinate_labels(joint))]
        self.frames, self.count = JointFrames(model, [*free, *others]), len(free)
        self.free = FreeJoints(free, rows, start)
        self.parts = [
            choose_reader(joint)(
                joint, rows, np.array([start[label] for label in coordinate_labels(joint)])
            )
            for joint in others
        ]

    def __call__(self, pose: Array, twist: Array) -> tuple[Array, Array]:
        """pose (n, bodies, 7), twist (n, bodies, 6), world axes -> q and its time derivative, both
        (n, coordinates).
        """
        pose, twist = self.check_shape(pose, 7, "pose"), self.check_shape(twist, 6, "twist")
        q, qdot = np.empty((2, len(pose), len(self.model.coordinates)))
        every = self.frames.relative(pose, twist)
        if self.count:
            q[:, self.free.rows], qdot[:, self.free.rows] = self.free.read(
                *(values[: self.count] for values in every)
            )
        for part, *relative in zip(
            self.parts, *(values[self.count :] for values in every), strict=True
        ):
            q[:, part.rows], qdot[:, part.rows] = part.read(RelativeMotion(*relative))
        return q, qdot

    @property
    def memory(self) -> list[Array]:
        """The last sample of every joint, from which the next one goes on."""
        return [self.free.last.copy(), *(part.last.copy() for part in self.parts)]

    @memory.setter
    def memory(self, kept: list[Array]) -> None:
        self.free.last = kept[0].copy()
        for part, last in zip(self.parts, kept[1:], strict=True):
            part.last = last.copy()

    def check_shape(self, values: Array, width: int, name: str) -> Array:
        values, bodies = np.asarray(values, dtype=float), len(self.model.bodies)
        if values.ndim != 3 or values.shape[1:] != (bodies, width):
            raise OptionError(
                f"{name} has the shape {values.shape}; give (samples, {bodies}, {width}), a row "
                "for each body of the model"
            )
        return values


def all_coordinates(model: Model, q: Array) -> dict[str, float]:
    """By label, with those that follow: ratio · leader + offset."""
    own = dict(zip(model.coordinates, q.tolist(), strict=True))
    return own | {
        label: ratio * own[leader] + offset
        for label, (leader, ratio, offset) in model.followers.items()
    }


# ---- relative poses ------------------------------------------------------------------------------
class JointFrames:
    """The joint frames on both bodies of some joints, all joints at once."""

    def __init__(self, model: Model, joints: list[Joint]):
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
        position, rotation, twist = (
            with_ground(pose[..., :3], (0,) * 3),
            normalise(with_ground(pose[..., 3:], IDENTITY_QUATERNION)),
            with_ground(twist, (0,) * 6),
        )
        bodies = body_axes(rotation)
        parent_arm, child_arm = (
            rotate(bodies[self.parent], self.parent_frame_position),
            rotate(bodies[self.child], self.child_frame_position),
        )
        near, far = (
            quaternion_product(rotation[self.parent], self.parent_frame_rotation),
            quaternion_product(rotation[self.child], self.child_frame_rotation),
        )
        reach, axes = (
            position[self.child] + child_arm - position[self.parent],
            body_axes(near),
        )
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


# ---- one joint -----------------------------------------------------------------------------------
def choose_reader(joint: Joint) -> type[JointReader]:
    """What reads the coordinates of a joint: closed formulas where they hold."""
    screws = arrays_of(joint)
    is_turn = [bool(w.any()) for w, _ in screws]
    turns, slides = [s for s in screws if s[0].any()], [v for w, v in screws if not w.any()]
    in_order = is_turn in (sorted(is_turn), sorted(is_turn, reverse=True)) and not (
        joint.has_ball and turns
    )
    has_pitch = any(abs(w @ v) > GEOMETRY_TOLERANCE for w, v in turns) and len(screws) > 1
    apart = (
        len(turns) < 2 or np.linalg.norm(np.cross(turns[0][0], turns[1][0])) > GEOMETRY_TOLERANCE
    )
    spread = not slides or np.linalg.matrix_rank(np.array(slides), tol=GEOMETRY_TOLERANCE) == len(
        slides
    )
    known = (
        in_order
        and len(turns) <= 2
        and apart
        and spread
        and not has_pitch
        and centre_of(turns) is not None
    )
    return ClosedFormReader if known else NewtonReader


def arrays_of(joint: Joint) -> list[tuple[Array, Array]]:
    return [(np.array(w), np.array(v)) for w, v in joint.screws()]


def centre_of(turns) -> Array | None:
    """Where the axes meet, whatever their pitch."""
    return common_point([(w, v - w * (w @ v) / (w @ w)) for w, v in turns])


class FreeJoints:
    """All free joints of a model at once: position and quaternion as they are; there may be very
    many.
    """

    def __init__(self, joints: list[Joint], rows: dict[str, int], start: dict[str, float]):
        names = [coordinate_labels(joint) for joint in joints]
        self.rows = np.array([[rows[label] for label in own] for own in names], dtype=int).reshape(
            -1, 7
        )
        self.last = np.array([[start[label] for label in own[3:]] for own in names]).reshape(-1, 4)

    def read(self, position: Array, rotation: Array, twist: Array) -> tuple[Array, Array]:
        """(n, joints, 7) of positions (joints, n, 3), unit quaternions and twists."""
        before = np.concatenate([self.last[:, None], rotation], axis=1)[:, : rotation.shape[1]]
        signs = np.cumprod(np.where((before * rotation).sum(2) < 0.0, -1.0, 1.0), axis=1)
        ball, spin = (
            rotation * signs[..., None],
            rotate_back(body_axes(rotation), twist[..., :3]),
        )
        self.last = ball[:, -1] if rotation.shape[1] else self.last
        rate = quaternion_rate(ball, spin)
        q, qdot = (
            np.concatenate([position, ball], axis=-1),
            np.concatenate([twist[..., 3:], rate], axis=-1),
        )
        return q.transpose(1, 0, 2), qdot.transpose(1, 0, 2)


class JointReader:
    """The coordinates of one joint, sample after sample; `last` are those of the last sample, with
    those that follow others.
    """

    def __init__(self, joint: Joint, rows: dict[str, int], start: Array):
        own = coordinate_labels(joint)
        self.joint, self.screws, self.last = joint, arrays_of(joint), start
        self.kept = [k for k, label in enumerate(own) if label in rows]
        self.rows = [rows[own[k]] for k in self.kept]
        # a ball turns as it likes: what its screws do shows in the position alone
        self.first_row = 3 if joint.has_ball else 0
        self.rates = np.array([np.linalg.norm(w) for w, _ in self.screws])

    def read(self, relative: RelativeMotion) -> tuple[Array, Array]:
        """The rows of q and q̇ that this joint has."""
        x = self.positions(relative)
        columns, rotation = self.unit_twists(x)
        xdot = least_squares(columns[:, self.first_row :], relative.twist[:, self.first_row :])
        if self.joint.has_ball:
            ball = align_signs(
                quaternion_product(conjugate(rotation), relative.rotation), self.last[-4:]
            )
            spin = relative.twist[:, :3] - np.einsum("...rk,...k->...r", columns[:, :3], xdot)
            x, xdot = (
                np.hstack([x, ball]),
                np.hstack(
                    [
                        xdot,
                        quaternion_rate(ball, rotate_back(body_axes(relative.rotation), spin)),
                    ]
                ),
            )
        self.last = x[-1] if len(x) else self.last
        return x[:, self.kept], xdot[:, self.kept]

    def positions(self, relative: RelativeMotion) -> Array:
        """(n, screws): what each screw has moved by."""
        raise NotImplementedError

    def unit_twists(self, x: Array) -> tuple[Array, Array]:
        """Twists of unit rates and the rotation of all screws; one sample stands for all where they
        are the same at every x.
        """
        _, rotation, columns = screw_chain(self.screws, x[:1] if self.has_constant_twists else x)
        return columns, rotation

    @property
    def has_constant_twists(self) -> bool:
        """Slides, then a ball or at most one turn about an axis through the joint's origin."""
        slides, last = (
            (self.screws, []) if self.joint.has_ball else (self.screws[:-1], self.screws[-1:])
        )
        return not any(w.any() for w, _ in slides) and not any(
            np.cross(w, v).any() for w, v in last
        )


class ClosedFormReader(JointReader):
    """Slides before or after at most two turns about axes through one point: closed formulas, as
    the rows of assembly/joint_rows.py.
    """

    def __init__(self, joint: Joint, rows: dict[str, int], start: Array):
        super().__init__(joint, rows, start)
        self.turning = [k for k, (w, _) in enumerate(self.screws) if w.any()]
        self.sliding = [k for k, (w, _) in enumerate(self.screws) if not w.any()]
        centre = centre_of([self.screws[k] for k in self.turning])
        assert centre is not None  # choose_reader has seen to it
        self.centre: Array = centre
        self.dual = np.linalg.pinv(
            np.array([self.screws[k][1] for k in self.sliding]).reshape(-1, 3)
        )
        self.is_swapped = bool(self.turning and self.sliding) and self.turning[0] < self.sliding[0]

    def positions(self, relative: RelativeMotion) -> Array:
        x, axes = (
            np.empty((len(relative.position), len(self.screws))),
            body_axes(relative.rotation),
        )
        x[:, self.sliding] = self.slide_displacement(relative.position, axes) @ self.dual
        for k, angle in zip(self.turning, self.angles(relative.rotation, axes), strict=True):
            x[:, k] = unwrap_angles(angle / self.rates[k], self.last[k], TURN / self.rates[k])
        return x

    def slide_displacement(self, position: Array, axes: Array) -> Array:
        """Where the slides have brought the point in which the turns meet, on the axes of the
        slides.
        """
        if self.is_swapped:
            return rotate_back(axes, position - self.centre) + self.centre
        return position - self.centre + rotate(axes, self.centre)

    def angles(self, rotation: Array, axes: Array) -> list[Array]:
        """Of one turn n: 2 atan2(n · r, w).

        Of two, n₁ and n₂: R n₂ has gone about n₁ by the first, n₁ has gone back by the second.
        """
        directions = [self.screws[k][0] / self.rates[k] for k in self.turning]
        if len(directions) == 1:
            return [2.0 * np.arctan2(rotation[:, 1:] @ directions[0], rotation[:, 0])]
        if not directions:
            return []
        first, second = directions
        return [
            angle_about(first, second, rotate(axes, second)),
            -angle_about(second, first, rotate_back(axes, first)),
        ]


def angle_about(axis: Array, begin: Array, end: Array) -> Array:
    """The angle about an axis from one direction to others."""
    u = begin - axis * (axis @ begin)
    return np.arctan2(end @ np.cross(axis, u), end @ u)


class NewtonReader(JointReader):
    """Any screws, one after the other: Newton's method from the last sample.

    Refused where a pose leaves a coordinate open everywhere.
    """

    def __init__(self, joint: Joint, rows: dict[str, int], start: Array):
        super().__init__(joint, rows, start)
        anywhere = 0.3 + 0.7 * np.arange(len(self.screws))[None]
        columns = screw_chain(self.screws, anywhere).columns[0, self.first_row :]
        if np.linalg.matrix_rank(columns, tol=GEOMETRY_TOLERANCE) < len(self.screws):
            raise FitError(
                f"joint '{joint.name}' ({joint.kind}): some of its axes do the same, so poses "
                "leave its coordinates open; "
                "remove an axis, or use a tree formulation",
                part=("joint", joint.name),
            )

    def positions(self, relative: RelativeMotion) -> Array:
        """Stretches of samples are solved at once, from where they would be at the last pace; the
        first of each from the last sample.
        """
        x, last, done, length = (
            np.empty((len(relative.position), len(self.screws))),
            self.last[: len(self.screws)],
            0,
            1,
        )
        pace = np.zeros(len(last))
        while done < len(x):
            ahead = RelativeMotion(*(part[done : done + length] for part in relative))
            expected = last + np.arange(1, len(ahead.position) + 1)[:, None] * pace
            found, converged = self.solve_samples(ahead, np.concatenate([last[None], expected[1:]]))
            if not converged[0]:
                self.raise_not_followed(done)
            count = max(1, self.near((found - expected) * self.rates, converged))
            x[done : done + count], done, length = (
                found[:count],
                done + count,
                min(2 * count, MAX_BATCH),
            )
            last, pace = (
                found[count - 1],
                found[count - 1] - (found[count - 2] if count > 1 else last),
            )
        return x

    @staticmethod
    def near(change: Array, converged: Array) -> int:
        """How many samples in a row are surely of the branch on which the last one is."""
        steps = np.diff(change, axis=0, prepend=0.0 * change[:1])
        fine = (
            converged
            & (np.abs(change) < MAX_PREDICTION_ERROR).all(1)
            & (np.abs(steps) < MAX_PACE_CHANGE).all(1)
        )
        return len(fine) if fine.all() else int(np.argmin(fine))

    def solve_samples(self, relative: RelativeMotion, start: Array) -> tuple[Array, Array]:
        """Gauss–Newton on log(relative · motion(x)⁻¹), and which samples have converged."""
        x, converged, busy = start.copy(), np.zeros(len(start), dtype=bool), np.arange(len(start))
        for _ in range(MAX_ITERATIONS):
            step, moves, missing = self.step(
                RelativeMotion(*(part[busy] for part in relative)), x[busy]
            )
            x[busy] += step
            converged[busy] = (moves <= CONVERGED_BELOW) & (missing <= MAX_MISMATCH)
            busy = busy[~(moves <= CONVERGED_BELOW)]
            if not len(busy):
                break
        return x, converged

    def step(self, relative: RelativeMotion, x: Array) -> tuple[Array, Array, Array]:
        """A step of each sample; how far it moves the child, which is well known even where the
        step is not; what is missing. Relative.
        """
        position, rotation, columns = screw_chain(self.screws, x)
        rows = columns[:, self.first_row :]
        missing = np.hstack(
            [
                rotation_vector(quaternion_product(relative.rotation, conjugate(rotation))),
                relative.position - position,
            ]
        )[:, self.first_row :]
        step = least_squares(rows, missing)
        size = np.abs(relative.position).max(1) + np.abs(rows).max((1, 2)) * (
            1.0 + np.abs(x * self.rates).max(1)
        )
        longest = np.abs(step * self.rates).max(1, keepdims=True)
        short = np.nan_to_num(
            step * np.minimum(1.0, LONGEST_STEP / np.maximum(longest, LONGEST_STEP))
        )
        return (
            short,
            np.abs(np.einsum("nrk,nk->nr", rows, step)).max(1) / size,
            np.abs(missing).max(1) / size,
        )

    def raise_not_followed(self, sample: int) -> None:
        raise StepError(
            f"joint '{self.joint.name}' ({self.joint.kind}): its coordinates cannot be followed to "
            f"sample {sample + 1} of this stretch; "
            "sample more often, or start with the coordinates of the first pose"
        )


# ---- screws --------------------------------------------------------------------------------------
class ScrewChain(NamedTuple):
    """exp(screw₁ x₁) exp(screw₂ x₂) …, and the twists of unit rates, Ad(exp(screw₁ x₁) …) screwₖ,
    at its end.
    """

    position: Array  # (n, 3)
    rotation: Array  # (n, 4)
    columns: Array  # (n, 6, screws)


def screw_chain(screws, x: Array) -> ScrewChain:
    position, rotation, spins, velocities = (
        np.zeros((len(x), 3)),
        np.tile(IDENTITY_QUATERNION, (len(x), 1)),
        [],
        [],
    )
    for (w, v), value in zip(screws, x.T, strict=True):
        axes = body_axes(rotation)
        spins.append(rotate(axes, w))
        velocities.append(rotate(axes, v) - cross(spins[-1], position))  # of the parent's origin
        step_position, step_rotation = screw_exponential(w, v, value)
        position, rotation = (
            position + rotate(axes, step_position),
            quaternion_product(rotation, step_rotation),
        )
    columns = [
        np.concatenate([spin, velocity + cross(spin, position)], axis=1)
        for spin, velocity in zip(spins, velocities, strict=True)
    ]
    return ScrewChain(
        position, rotation, np.stack(columns, axis=2) if columns else np.empty((len(x), 6, 0))
    )


def screw_exponential(w: Array, v: Array, x: Array) -> tuple[Array, Array]:
    """exp(screw x): position and quaternion."""
    rate, x = float(np.linalg.norm(w)), x[:, None]
    if rate == 0.0:
        return v * x, np.broadcast_to(IDENTITY_QUATERNION, (len(x), 4))
    rotation = np.hstack([np.cos(0.5 * rate * x), np.sin(0.5 * rate * x) * (w / rate)])
    point = np.cross(w, v) / rate**2
    return point - rotate(body_axes(rotation), point) + w * (w @ v / rate**2) * x, rotation


def least_squares(columns: Array, wanted: Array) -> Array:
    """x (n, k) of the least ‖columns x − wanted‖; one set of columns may serve all samples."""
    return np.einsum(
        "...kr,...r->...k", np.linalg.pinv(columns, rcond=SINGULAR_VALUE_RATIO), wanted
    )


class WindingNumbers:
    """Turns of hinges between samples that lie far apart: as many as the mean of the two rates
    makes likely.
    """

    def __init__(self, model: Model):
        hinges = {joint.name for joint in model.tree_joints if joint.kind == "revolute"}
        self.rows = [row for row, name in enumerate(model.coordinates) if name in hinges]
        self.last: tuple[float, Array, Array] | None = None  # time, q, qdot of the sample before
        self.turns = np.zeros(len(self.rows))

    @property
    def memory(self) -> tuple[tuple[float, Array, Array] | None, Array]:
        """The last sample and the turns so far, from which the next one goes on; none of these
        arrays is ever changed.
        """
        return self.last, self.turns

    @memory.setter
    def memory(self, kept: tuple[tuple[float, Array, Array] | None, Array]) -> None:
        self.last, self.turns = kept

    def __call__(self, times: Array, q: Array, qdot: Array) -> Array:
        """q with the turns that its samples have not seen; successive calls are successive
        stretches of a run.
        """
        t, x, v = times, q[:, self.rows], qdot[:, self.rows]
        before = (t[0], x[0], v[0]) if self.last is None else self.last
        gap = np.diff(t, prepend=before[0])[:, None]
        pace = 0.5 * (v + np.concatenate([before[2][None], v])[:-1])
        unseen = np.rint((gap * pace - np.diff(x, axis=0, prepend=before[1][None])) / TURN)
        turns = self.turns + np.cumsum(unseen, axis=0)
        self.last, self.turns = (t[-1], x[-1], v[-1]), turns[-1]
        out = q.copy()
        out[:, self.rows] += TURN * turns
        return out


# ---- angles and quaternions ----------------------------------------------------------------------
def unwrap_angles(angle: Array, last: float, period: float) -> Array:
    """The same angles without jumps, from the last one on; whole turns are counted as integers, so
    no error piles up.
    """
    turns = np.cumsum(np.rint(-np.diff(angle, prepend=last) / period))
    return angle + period * turns


def align_signs(quaternion: Array, last: Array) -> Array:
    """The same rotations, each with the sign that is nearer to the one before."""
    before = np.concatenate([last[None], quaternion])[: len(quaternion)]
    signs = np.where((before * quaternion).sum(1) < 0.0, -1.0, 1.0)
    return quaternion * np.cumprod(signs)[:, None]


def body_axes(quaternion: Array) -> Array:
    """Rotation matrices (…, 3, 3) of unit quaternions, each matrix contiguous."""
    return np.ascontiguousarray(rotation_matrix(quaternion))
