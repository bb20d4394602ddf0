"""The coordinates of one joint from how its child's joint frame stands and moves in its parent's.

Slides before or after at most two turns through one point are read off in closed form: a slide by
its dual vector, one turn by 2 atan2(n · r, w) of the relative quaternion, two turns by where each
carries the axis of the other, a ball by the quaternion itself. Any other list of screws is solved
by Newton's method from sample to sample. Rates are the least squares of the relative twist on the
twists of unit rates.
Relative vectors are on the axes of the parent's joint frame; relative velocities are those of the
origin of the child's joint frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from hamiltree.assembly.joint_rows import (
    GEOMETRY_TOLERANCE,
    advances,
    common_point,
    joint_length,
)
from hamiltree.assembly.screw_chain import (
    body_axes,
    screw_chain,
)
from hamiltree.errors import FitError, StepError
from hamiltree.model.joints import Joint, coordinate_labels
from hamiltree.rotations import (
    conjugate,
    quaternion_product,
    quaternion_rate,
    rotate,
    rotate_back,
    rotation_vector,
)

Array = np.ndarray
TURN = 2.0 * np.pi
# singular values below this part of the largest count as zero: rates at a gimbal lock stay finite
SINGULAR_VALUE_RATIO = 1e-10
# by how much Newton's step may still move the child, relative to arms, angles and distances
CONVERGED_BELOW = 1e-14
MAX_MISMATCH = 0.1  # a larger mismatch of the poses, relative to the same, is no solution
MAX_ITERATIONS = 40
LONGEST_STEP = 0.5  # rad per iteration
# rad by which a step may differ from the last pace: solutions of two branches are further apart
MAX_PACE_CHANGE = 0.3
MAX_PREDICTION_ERROR = 1.0  # rad between a sample and its prediction by the last pace
MAX_BATCH = 512  # most samples solved at once


class RelativeMotion(NamedTuple):
    """How a child's joint frame stands and moves in its parent's: rows are samples."""

    position: Array  # (n, 3)
    rotation: Array  # (n, 4) unit quaternions
    twist: Array  # (n, 6)


def choose_reader(joint: Joint) -> type[JointReader]:
    """What reads the coordinates of a joint: closed formulas where they hold."""
    screws = arrays_of(joint)
    is_turn = [bool(w.any()) for w, _ in screws]
    turns, slides = [s for s in screws if s[0].any()], [v for w, v in screws if not w.any()]
    in_order = is_turn in (sorted(is_turn), sorted(is_turn, reverse=True)) and not (
        joint.has_ball and turns
    )
    has_pitch = any(advances(*turn) for turn in turns) and len(screws) > 1
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
        and centre_of(joint, turns) is not None
    )
    return ClosedFormReader if known else NewtonReader


def arrays_of(joint: Joint) -> list[tuple[Array, Array]]:
    return [(np.array(w), np.array(v)) for w, v in joint.screws()]


def centre_of(joint: Joint, turns) -> Array | None:
    """Where the axes meet, whatever their pitch."""
    across = [(w, v - w * (w @ v) / (w @ w)) for w, v in turns]
    return common_point(across, joint_length(joint))


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
        self.signs = np.zeros(len(joints))  # of continuous quaternions; 0: not known yet

    def read(
        self, position: Array, rotation: Array, twist: Array, is_continuous: bool
    ) -> tuple[Array, Array]:
        """(n, joints, 7) of positions (joints, n, 3), unit quaternions and twists."""
        before = np.concatenate([self.last[:, None], rotation], axis=1)[:, : rotation.shape[1]]
        signs = np.cumprod(np.where((before * rotation).sum(2) < 0.0, -1.0, 1.0), axis=1)
        if is_continuous and rotation.shape[1]:
            self.signs = np.where(self.signs == 0.0, signs[:, 0], self.signs)
            signs = self.signs[:, None]
        ball = rotation * signs[..., None]
        spin = rotate_back(body_axes(rotation), twist[..., :3])
        self.last = ball[:, -1] if rotation.shape[1] else self.last
        rate = quaternion_rate(ball, spin)
        q = np.concatenate([position, ball], axis=-1)
        qdot = np.concatenate([twist[..., 3:], rate], axis=-1)
        return q.transpose(1, 0, 2), qdot.transpose(1, 0, 2)


class Units:
    """Lengths and angles in one least squares: a length for each sample, that of the arms of the
    turns, as a power of two; 1 m where no arm is.
    """

    def __init__(self, is_turn: Array, columns: Array, first_row: int):
        """Twists of unit rates, (n, 6, screws); rows before `first_row` are not used."""
        arms = np.abs(columns[:, 3:, is_turn]).max((1, 2), initial=0.0)
        power = np.frexp(arms)[1]
        self.length = np.where(arms > 0.0, np.ldexp(1.0, power), 1.0)  # (n,)
        self.first_row = first_row
        ones = np.ones((len(arms), 3))
        self.of_rows = np.hstack([ones, ones * self.length[:, None]])
        self.of_columns = np.where(is_turn, 1.0, self.length[:, None])

    def scale(self, columns: Array, wanted: Array) -> tuple[Array, Array]:
        """Columns and what they are to make, without units."""
        rows = slice(self.first_row, None)
        scaled = columns / self.of_rows[:, :, None] * self.of_columns[:, None, :]
        return scaled[:, rows], (wanted / self.of_rows)[:, rows]

    def solve(self, columns: Array, wanted: Array) -> Array:
        """x, with units, of scaled columns and scaled numbers."""
        return least_squares(columns, wanted) * self.of_columns


class JointReader:
    """The coordinates of one joint, sample after sample; `last` are those of the last sample, with
    those that follow others.
    """

    def __init__(self, joint: Joint, rows: dict[str, int], start: Array):
        """`rows` are those of the coordinates by label, `start` is where the joint begins."""
        own = coordinate_labels(joint)
        self.joint = joint
        self.screws = arrays_of(joint)
        self.last = start
        self.sign = np.zeros(1)  # of a ball's continuous quaternions; 0: not known yet
        self.kept = [k for k, label in enumerate(own) if label in rows]
        self.rows = [rows[own[k]] for k in self.kept]
        # the rotation of a ball is free: what the screws before it do shows in the position alone
        self.first_row = 3 if joint.has_ball else 0
        self.rates = np.array([np.linalg.norm(w) for w, _ in self.screws])

    def expected(self, angles: Mapping[str, Array], samples: int) -> Array | None:
        """(n, screws) where the screws are, to less than half a turn, NaN of slides; None if that
        is not known of every turn that is asked for.
        """
        names = coordinate_labels(self.joint)
        turning = [k for k, rate in enumerate(self.rates) if rate]
        if not turning or any(names[k] not in angles for k in turning if k in self.kept):
            return None
        found = np.full((samples, len(self.screws)), np.nan)
        for k in turning:
            found[:, k] = angles.get(names[k], np.nan)
        return found

    def read(
        self, relative: RelativeMotion, expected: Array | None, is_continuous: bool = False
    ) -> tuple[Array, Array]:
        """The rows of q and q̇ that this joint has."""
        x = self.positions(relative, expected)
        columns, rotation = self.unit_twists(x)
        units = self.units(columns)
        xdot = units.solve(*units.scale(columns, relative.twist))
        if self.joint.has_ball:
            ball = quaternion_product(conjugate(rotation), relative.rotation)
            if is_continuous and len(x):
                if not self.sign[0]:
                    self.sign = np.where(ball[:1] @ self.last[-4:] < 0.0, -1.0, 1.0)
                ball = ball * self.sign
            else:
                ball = align_signs(ball, self.last[-4:])
            spin = relative.twist[:, :3] - np.einsum("...rk,...k->...r", columns[:, :3], xdot)
            child_spin = rotate_back(body_axes(relative.rotation), spin)
            x = np.hstack([x, ball])
            xdot = np.hstack([xdot, quaternion_rate(ball, child_spin)])
        self.last = x[-1] if len(x) else self.last
        return x[:, self.kept], xdot[:, self.kept]

    def positions(self, relative: RelativeMotion, expected: Array | None) -> Array:
        """(n, screws): what each screw has moved by."""
        raise NotImplementedError

    def unit_twists(self, x: Array) -> tuple[Array, Array]:
        """Twists of unit rates and the rotation of all screws; one sample stands for all where they
        are the same at every x.
        """
        _, rotation, columns = screw_chain(self.screws, x[:1] if self.has_constant_twists else x)
        return columns, rotation

    def units(self, columns: Array) -> Units:
        """What least squares of these columns are taken in."""
        return Units(self.rates > 0.0, columns, self.first_row)

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
        """Which screws turn and which slide, where the turns meet, and the dual of the slides."""
        super().__init__(joint, rows, start)
        self.turning = [k for k, (w, _) in enumerate(self.screws) if w.any()]
        self.sliding = [k for k, (w, _) in enumerate(self.screws) if not w.any()]
        centre = centre_of(joint, [self.screws[k] for k in self.turning])
        assert centre is not None  # choose_reader has seen to it
        self.centre: Array = centre
        self.dual = np.linalg.pinv(
            np.array([self.screws[k][1] for k in self.sliding]).reshape(-1, 3)
        )
        self.is_swapped = bool(self.turning and self.sliding) and self.turning[0] < self.sliding[0]

    def positions(self, relative: RelativeMotion, expected: Array | None) -> Array:
        """(n, screws): slides by their duals, angles nearest to the expected ones, or unwrapped
        from the last sample on.
        """
        x = np.empty((len(relative.position), len(self.screws)))
        axes = body_axes(relative.rotation)
        x[:, self.sliding] = self.slide_displacement(relative.position, axes) @ self.dual
        for k, angle in zip(self.turning, self.angles(relative.rotation, axes), strict=True):
            period = TURN / self.rates[k]
            x[:, k] = angle / self.rates[k]
            if expected is None:
                x[:, k] = unwrap_angles(x[:, k], self.last[k], period)
            else:  # whole turns of a coordinate that is not asked for do not matter
                x[:, k] += period * np.rint(np.nan_to_num((expected[:, k] - x[:, k]) / period))
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

    Refused where poses do not determine the coordinates anywhere.
    """

    def __init__(self, joint: Joint, rows: dict[str, int], start: Array):
        """Refused where the twists of the screws are dependent at a position taken at random."""
        super().__init__(joint, rows, start)
        sizes = np.where(self.rates > 0.0, 1.0, joint_length(joint) or 1.0)
        anywhere = (0.3 + 0.7 * np.arange(len(self.screws))) * sizes
        columns = screw_chain(self.screws, anywhere[None]).columns
        scaled, _ = self.units(columns).scale(columns, np.zeros((1, 6)))
        if np.linalg.matrix_rank(scaled[0], tol=GEOMETRY_TOLERANCE) < len(self.screws):
            raise FitError(
                f"joint '{joint.name}' ({joint.kind}): some of its axes do the same, so poses "
                "do not determine its coordinates; "
                "remove an axis, or use a tree formulation",
                part=("joint", joint.name),
            )

    def positions(self, relative: RelativeMotion, expected: Array | None) -> Array:
        """From the expected angles, or from sample to sample."""
        if expected is None:
            return self.positions_by_pace(relative)
        found, converged = self.solve_samples(relative, np.nan_to_num(expected))
        if not converged.all():
            self.raise_not_followed(int(np.argmin(converged)))
        return found

    def positions_by_pace(self, relative: RelativeMotion) -> Array:
        """Batches of samples are solved at once, each sample from where it would be at the last
        pace; the first of a batch from the last sample.
        """
        x = np.empty((len(relative.position), len(self.screws)))
        last = self.last[: len(self.screws)]
        done = 0
        length = 1  # samples of the next batch
        pace = np.zeros(len(last))
        while done < len(x):
            ahead = RelativeMotion(*(part[done : done + length] for part in relative))
            expected = last + np.arange(1, len(ahead.position) + 1)[:, None] * pace
            found, converged = self.solve_samples(ahead, np.concatenate([last[None], expected[1:]]))
            if not converged[0]:
                self.raise_not_followed(done)
            count = max(1, self.near((found - expected) * self.rates, converged))
            x[done : done + count] = found[:count]
            done += count
            length = min(2 * count, MAX_BATCH)
            pace = found[count - 1] - (found[count - 2] if count > 1 else last)
            last = found[count - 1]
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
        x = start.copy()
        converged = np.zeros(len(start), dtype=bool)
        busy = np.arange(len(start))
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
        """Newton's step of each sample; how far it moves the child, which is well determined even
        where the step is not; the mismatch of the poses. The last two are relative.
        """
        position, rotation, columns = screw_chain(self.screws, x)
        turn = rotation_vector(quaternion_product(relative.rotation, conjugate(rotation)))
        units = self.units(columns)
        rows, missing = units.scale(columns, np.hstack([turn, relative.position - position]))
        step = units.solve(rows, missing)
        size = np.abs(relative.position).max(1) / units.length + np.abs(rows).max((1, 2)) * (
            1.0 + np.abs(x * self.rates).max(1)
        )
        longest = np.abs(step * self.rates).max(1, keepdims=True)
        short = np.nan_to_num(
            step * np.minimum(1.0, LONGEST_STEP / np.maximum(longest, LONGEST_STEP))
        )
        return (
            short,
            np.abs(np.einsum("nrk,nk->nr", rows, step / units.of_columns)).max(1) / size,
            np.abs(missing).max(1) / size,
        )

    def raise_not_followed(self, sample: int) -> None:
        raise StepError(
            f"joint '{self.joint.name}' ({self.joint.kind}): its coordinates cannot be followed to "
            f"sample {sample + 1} of this stretch; "
            "sample more often, or start with the coordinates of the first pose"
        )


# ---- helpers -------------------------------------------------------------------------------------
def least_squares(columns: Array, wanted: Array) -> Array:
    """x (n, k) of the least ‖columns x − wanted‖; one set of columns may serve all samples."""
    return np.einsum(
        "...kr,...r->...k", np.linalg.pinv(columns, rcond=SINGULAR_VALUE_RATIO), wanted
    )


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
