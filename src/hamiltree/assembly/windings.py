"""Angles with their whole turns, where no state holds them: followed from step to step.

Poses tell an angle up to whole turns. What a run has counted is one array, the windings: the time
at which the angles were followed last, then angle and rate of each. After every step an angle is
the one nearest to θ + ½ h (θ̇ + θ̇⁺), and inside a step (in forces, rows and samples) the one nearest
to θ + (t − t₀) θ̇: so an angle may turn by any amount in a step, if it differs from an even turn by
less than half a turn.
Of one turn, or of either of two, the angle is that of a row (`coordinate_terms`). Three turns about
one point are followed together by Newton's method: R = exp(n₁ θ₁) exp(n₂ θ₂) exp(n₃ θ₃), whose
solution goes on from the last one.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3, Sym3, invert_symmetric
from hamiltree.algebra.quat import Quat, rotation_matrix
from hamiltree.algebra.spatial import Twist
from hamiltree.algebra.values import dot, transpose
from hamiltree.algebra.vec3 import Vec3
from hamiltree.assembly.joint_rows import (
    RowSpec,
    StartConfiguration,
    TermSpec,
    coordinate_terms,
    joint_and_axis,
)
from hamiltree.assembly.row_tables import make_row_table
from hamiltree.assembly.rows import ANGLE, TWO_PI, Rows, directions_of, evaluate_angle
from hamiltree.assembly.rows import Term as RowTerm
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import load, read_only, round_to_nearest, sincos, value_table
from hamiltree.model.joints import Joint, coordinate_labels
from hamiltree.model.model import Model

DAMPING = 1e-8  # of the normal equations of three turns, for where two of the axes are parallel
LONGEST_CHANGE = 0.5  # rad, of Newton's method
CLOSE_CHANGE = 1e-2  # rad: after a smaller one the angles are near enough to go on from
MAX_CHANGES = 6


class ThreeTurns(NamedTuple):
    """Joint frames on both bodies, and the axes in the joint frame."""

    near: Mat3
    far: Mat3
    first: Vec3
    second: Vec3
    third: Vec3


class FollowedAngles(NamedTuple):
    angles: Rows  # a row of one angle each
    ends: np.ndarray  # (joints of three turns, 2) rows of Bodies
    three_turns: np.ndarray  # ThreeTurns
    start: np.ndarray  # windings at the start


# ---- which angles there are ----------------------------------------------------------------------
@dataclass
class AngleList:
    """The angles of a model that are followed, by coordinate; scale: angle by coordinate."""

    model: Model
    start: StartConfiguration
    specs: dict[str, RowSpec] = field(default_factory=dict)  # of one angle each
    joints: list[Joint] = field(default_factory=list)  # of three turns

    def add_coordinates(self) -> None:
        """Every coordinate of the tree that is an angle."""
        known = set(self.model.coordinates)
        for joint in self.model.tree_joints:
            labels = coordinate_labels(joint)
            turns = [labels[k] for k, (w, _) in enumerate(joint.screws()) if any(w)]
            own = [label for label in turns if label in known]
            if own and len(turns) == 3 and not joint.has_ball:
                self.joints.append(joint)
            elif len(turns) < 3:
                self.add_labels(own, {label: (joint, k) for k, label in enumerate(labels)})

    def add_labels(
        self, labels: Iterable[str], known: Mapping[str, tuple[Joint, int]] | None = None
    ) -> None:
        """Coordinates that are angles, each once; `known`: joint and axis of some of them."""
        for label in labels:
            if label not in self.specs:
                found = (known or {}).get(label)
                joint, axis = found or joint_and_axis(self.model, label)
                (term,) = coordinate_terms(joint, axis)
                if term.kind == ANGLE:
                    term = replace(term, start=self.start_of(label, joint, axis) / term.weight)
                    self.specs[label] = RowSpec(("joint", joint.name), label, (term,))

    def start_of(self, label: str, joint: Joint, axis: int) -> float:
        return self.start.start_values.get(label, joint.start()[0][axis])

    @property
    def numbers(self) -> dict[str, int]:
        """The number of an angle by its coordinate."""
        return {label: k for k, label in enumerate(self.specs)}

    @property
    def scales(self) -> list[tuple[str, float]]:
        """Coordinate and scale of every angle, in the order of the windings."""
        found = [(label, 1.0 / spec.terms[0].weight) for label, spec in self.specs.items()]
        for joint in self.joints:
            found += [(label, float(np.linalg.norm(w))) for label, w in turns_of(joint)]
        return found

    def table(self, link_of_body: Callable) -> FollowedAngles:
        """The angles in the frames of a formulation."""
        rows = make_row_table(list(self.specs.values()), link_of_body, {})
        starts = [spec.terms[0].start for spec in self.specs.values()]
        ends = []
        values = []
        for joint in self.joints:
            (i, frame_i), (j, frame_j) = link_of_body(joint.parent), link_of_body(joint.child)
            ends.append((i, j))
            near = frame_i.matrix @ joint.on_parent.matrix
            far = frame_j.matrix @ joint.on_child.matrix
            axes = [np.asarray(w) / np.linalg.norm(w) for _, w in turns_of(joint)]
            values.append(np.concatenate([near.T.ravel(), far.T.ravel(), *axes]))
            names = coordinate_labels(joint)
            starts += [
                self.start_of(label, joint, names.index(label)) * float(np.linalg.norm(w))
                for label, w in turns_of(joint)
            ]
        windings = np.zeros(1 + 2 * len(starts) if starts else 0)
        windings[1::2] = starts
        return FollowedAngles(
            rows,
            read_only(np.array(ends, dtype=np.int64).reshape(-1, 2)),
            value_table(ThreeTurns, np.array(values).reshape(-1, 27)),
            read_only(windings),
        )


def turns_of(joint: Joint) -> list[tuple[str, tuple]]:
    """Label and rotation vector by unit coordinate of each axis that turns."""
    labels = coordinate_labels(joint)
    return [(labels[k], w) for k, (w, _) in enumerate(joint.screws()) if any(w)]


def counted_labels(specs: Iterable[RowSpec]) -> list[str]:
    """Coordinates of the angles that rows count the turns of."""
    terms: list[TermSpec] = [term for spec in specs for term in spec.terms]
    return [term.label for term in terms if term.counts_windings]


def expected_angles(times: np.ndarray, windings: np.ndarray) -> np.ndarray:
    """(samples, angles): where the angles are at these times, to less than half a turn."""
    since = times[:, None] - windings[:, :1]
    return windings[:, 1::2] + since * windings[:, 2::2]


@dataclass
class CoordinateRows:
    """Rows of the coordinates that laws act along, each added when a law first asks for it; those
    that are angles are followed.
    """

    followed: AngleList
    specs: list[RowSpec] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)

    def row(self, label: str) -> int:
        """Row of a coordinate."""
        if label not in self.rows:
            followed = self.followed
            joint, axis = joint_and_axis(followed.model, label)
            (term,) = coordinate_terms(joint, axis)
            start = followed.start_of(label, joint, axis) / term.weight
            term = replace(term, counts_windings=term.kind == ANGLE, start=start, label=label)
            followed.add_labels([label])
            self.rows[label] = len(self.specs)
            self.specs.append(RowSpec(("joint", joint.name), label, (term,)))
        return self.rows[label]


# ---- once after every step -----------------------------------------------------------------------
@outlined
def follow_angles_of_bodies(followed, windings, bodies, t):
    """All angles at the frames and twists of Bodies, into the windings."""
    h = t - windings[0]
    count = followed.angles.kind.shape[0]
    for k in range(count):
        follow_angle(followed.angles, windings, bodies, k, h)
    for k in range(followed.ends.shape[0]):
        follow_three_turns(followed, windings, bodies, k, 1 + 2 * (count + 3 * k), h)
    windings[0] = t


@inlined
def finite_or_zero(x):
    return x if x - x == 0.0 else 0.0


@inlined
def follow_angle(table, windings, bodies, k, h):
    """θ⁺ nearest to θ + ½ h (θ̇ + θ̇⁺)"""
    i, j, at = table.ends[k, 0], table.ends[k, 1], 1 + 2 * k
    yi = load(bodies.rotation, i, Mat3) @ load(table.term, k, RowTerm).e
    found = evaluate_angle(directions_of(table, bodies, k), yi)
    turning = load(bodies.twist, i, Twist).w - load(bodies.twist, j, Twist).w
    rate = finite_or_zero(dot(found.row_jacobian.i.torque, turning))
    expected = windings[at] + 0.5 * h * (windings[at + 1] + rate)
    turns = round_to_nearest((expected - found.value) * (1.0 / TWO_PI))
    windings[at] = found.value + TWO_PI * turns
    windings[at + 1] = rate


@inlined
def turn_about(axis, angle):
    """exp(n θ)"""
    s, c = sincos(0.5 * angle)
    return rotation_matrix(Quat(c, axis.x * s, axis.y * s, axis.z * s))


@inlined
def solve_damped(u, v, w, right):
    """x with (UᵀU + DAMPING) x = Uᵀ right, U = (u v w)."""
    normal = Sym3(
        dot(u, u) + DAMPING,
        dot(u, v),
        dot(u, w),
        dot(v, v) + DAMPING,
        dot(v, w),
        dot(w, w) + DAMPING,
    )
    return invert_symmetric(normal) @ Vec3(dot(u, right), dot(v, right), dot(w, right))


@inlined
def shorten(change):
    """Newton's change, at most LONGEST_CHANGE of any angle; none where it is not finite."""
    largest = max(abs(change.x), max(abs(change.y), abs(change.z)))
    if not largest < np.inf:
        return change * 0.0, 0.0
    return change * min(1.0, LONGEST_CHANGE / max(largest, LONGEST_CHANGE)), largest


@inlined
def follow_three_turns(followed, windings, bodies, k, at, h):
    """θ⁺ by Newton's method on R = exp(n₁ θ₁) exp(n₂ θ₂) exp(n₃ θ₃), from θ + h θ̇ on."""
    turns = load(followed.three_turns, k, ThreeTurns)
    i, j = followed.ends[k, 0], followed.ends[k, 1]
    near = load(bodies.rotation, i, Mat3) @ turns.near
    relative = transpose(near) @ (load(bodies.rotation, j, Mat3) @ turns.far)
    spin = transpose(near) @ (load(bodies.twist, j, Twist).w - load(bodies.twist, i, Twist).w)
    x = windings[at] + h * windings[at + 1]
    y = windings[at + 2] + h * windings[at + 3]
    z = windings[at + 4] + h * windings[at + 5]
    for _ in range(MAX_CHANGES):
        first = turn_about(turns.first, x)
        both = first @ turn_about(turns.second, y)
        v, w = first @ turns.second, both @ turns.third
        error = relative @ transpose(both @ turn_about(turns.third, z))
        missing = Vec3(error.y.z - error.z.y, error.z.x - error.x.z, error.x.y - error.y.x) * 0.5
        change, largest = shorten(solve_damped(turns.first, v, w, missing))
        x, y, z = x + change.x, y + change.y, z + change.z
        rate = solve_damped(turns.first, v, w, spin)
        if largest < CLOSE_CHANGE:
            break
    windings[at], windings[at + 1] = x, finite_or_zero(rate.x)
    windings[at + 2], windings[at + 3] = y, finite_or_zero(rate.y)
    windings[at + 4], windings[at + 5] = z, finite_or_zero(rate.z)
