"""How far two runs are apart: by coordinate, and by body in place and attitude; and the scale of
the motion that such a difference is measured by.

Lengths are measured by the largest range of motion, angles by the range of motion or one radian,
whichever is less: a wheel that turns a thousand times must not hide a wrong angle. Quaternions are
compared as attitudes, angles up to whole turns. What was typed has no units: each of its variables
is measured by its own range.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hamiltree.model import GROUND
from hamiltree.model.joints import coordinate_labels
from hamiltree.trajectory.trajectory import Trajectory

ROUNDING = 2.0**-52
STILL = 1e4 * ROUNDING  # of what a coordinate is: a range below this is no motion
LENGTH, ANGLE, ATTITUDE, NUMBER = "m", "rad", "attitude", ""


class Kinds(NamedTuple):
    """What the coordinates of a run are. Those of an attitude are the four of a quaternion, which
    count as one.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]  # LENGTH, ANGLE, ATTITUDE or NUMBER
    rows: tuple[int, ...]  # where each begins
    groups: tuple[str, ...]  # what is measured by one range
    has_bodies: bool


class Differences(NamedTuple):
    """Of two runs, over the common times: by coordinate, and by body its place (m) and attitude
    (rad).
    """

    coordinate: np.ndarray
    position: np.ndarray
    angle: np.ndarray

    def at(self, part: Any) -> Differences:
        """At some of the times, or at one."""
        return Differences(*(values[part] for values in self))


class Scales(NamedTuple):
    """What differences are measured by, one for each; infinite where nothing moves. `rounding` is
    that of the samples, in parts of the scale.
    """

    coordinate: np.ndarray
    position: float
    angle: float
    rounding: float

    def relative(self, found: Differences) -> np.ndarray:
        """(time,): the worst of all differences in parts of the motion."""
        parts = zip(found, self[:3], strict=True)
        worst = [(values / scale).max(axis=1, initial=0.0) for values, scale in parts]
        return np.max(worst, axis=0)

    def worst(self, found: Differences, kinds: Kinds, bodies: list[str]) -> str:
        """What the worst difference of one time is about, in words."""
        parts = [values / scale for values, scale in zip(found, self[:3], strict=True)]
        most = [float(part.max(initial=0.0)) for part in parts]
        which = int(np.argmax(most))
        if which == 0:
            place = int(parts[0].argmax())
            unit = "rad" if kinds.units[place] == ATTITUDE else kinds.units[place]
            return f"{kinds.names[place]} by {found.coordinate[place]:.2g} {unit}".strip()
        place = int(parts[which].argmax())
        value, unit = found[which][place], ("m", "rad")[which - 1]
        return f"body '{bodies[place]}' by {value:.2g} {unit}"


def kinds_of(run: Trajectory) -> Kinds:
    """What the coordinates of a run are; of an H(q, p) those and the momenta."""
    if not run.has_bodies:
        names = run._names("coordinate" if run.has_energy else "variable")
        names = [*names, *(run._names("momentum") if run.has_energy else ())]
        return Kinds(tuple(names), (NUMBER,) * len(names), tuple(range(len(names))),
                     tuple(names), False)  # fmt: skip
    unit_of: dict[str, str] = {}
    group_of: dict[str, str] = {}
    for joint in run.model.joints:
        for label, dimension in zip(
            coordinate_labels(joint), joint.coordinate_dimensions(), strict=False
        ):
            unit_of[label] = LENGTH if dimension == "length" else ANGLE
            group_of[label] = "root" if joint.parent == GROUND else "joint"
    names, units, rows, groups = [], [], [], []
    quaternions = set(run.quaternion_rows)
    row, labels = 0, run._names("coordinate")
    while row < len(labels):
        label, is_attitude = labels[row], row in quaternions
        names.append(label.removesuffix(".qw") if is_attitude else label)
        units.append(ATTITUDE if is_attitude else unit_of.get(label, ANGLE))
        rows.append(row)
        groups.append(group_of.get(label, "joint") if units[-1] == LENGTH else ANGLE)
        row += 4 if is_attitude else 1
    return Kinds(tuple(names), tuple(units), tuple(rows), tuple(groups), True)


class Samples(NamedTuple):
    """What is compared of a run: coordinates and poses, at some of its times."""

    q: np.ndarray
    pose: np.ndarray

    def at(self, part: Any) -> Samples:
        return Samples(*(values[part] for values in self))


def samples_of(run: Trajectory, places: Any = slice(None)) -> Samples:
    """The samples at these places; momenta of an H(q, p) are beside its coordinates."""
    if run.has_bodies:
        return Samples(run._rows("q", places), run._rows("pose", places))
    if not run.has_energy:
        q = run._rows("y", places)
    else:
        q = np.concatenate([run._rows("q", places), run._rows("p", places)], axis=1)
    return Samples(q, np.zeros((len(q), 0, 7)))


def differences(a: Samples, b: Samples, kinds: Kinds) -> Differences:
    """How far two runs are apart at each time."""
    rows, units = np.array(kinds.rows, dtype=int), np.array(kinds.units)
    found = np.abs(a.q[:, rows] - b.q[:, rows])
    found[:, units == ANGLE] = 2 * np.abs(np.arcsin(np.sin(0.5 * found[:, units == ANGLE])))
    for place in np.flatnonzero(units == ATTITUDE):
        four = slice(rows[place], rows[place] + 4)
        found[:, place] = angle_between(a.q[:, four], b.q[:, four])
    apart = a.pose - b.pose
    position = np.sqrt(np.einsum("...i,...i->...", apart[..., :3], apart[..., :3]))
    angle = angle_of(apart[..., 3:], a.pose[..., 3:], b.pose[..., 3:])
    return Differences(found, position, angle)


def angle_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of attitudes (…, 4): 4 asin(|a − b|/2), of the nearer sign; to rounding also where it is
    small.
    """
    return angle_of(a - b, a, b)


def angle_of(apart: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The same, with the difference a − b given."""
    squares = np.einsum("...i,...i->...", apart, apart)
    is_far = squares > 2.0  # |a − b|² + |a + b|² = 4: the other sign is nearer
    if is_far.any():
        a, b = np.broadcast_to(a, apart.shape), np.broadcast_to(b, apart.shape)
        squares[is_far] = ((a[is_far] + b[is_far]) ** 2).sum(axis=-1)
    return 4.0 * np.arcsin(np.minimum(1.0, 0.5 * np.sqrt(squares)))


def scales_of(samples: Samples, kinds: Kinds) -> Scales:
    """The ranges of motion of a run, over all its samples."""
    start = Samples(samples.q[:1], samples.pose[:1])
    moved = differences(samples, start, kinds)
    sizes = np.abs(samples.q).max(axis=0, initial=0.0)
    ranges: dict[str, float] = {}
    roundings: dict[str, float] = {}
    for place, (row, group) in enumerate(zip(kinds.rows, kinds.groups, strict=True)):
        most = np.ptp(samples.q[:, row]) if kinds.units[place] != ATTITUDE else 0.0
        most = max(float(most), float(moved.coordinate[:, place].max()))
        ranges[group] = max(ranges.get(group, 0.0), most)
        size = 1.0 if kinds.units[place] in (ANGLE, ATTITUDE) else float(sizes[row])
        roundings[group] = max(roundings.get(group, 0.0), ROUNDING * size)
    limit = {name: 1.0 if name == ANGLE and kinds.has_bodies else np.inf for name in ranges}
    scale = {name: motion_or_inf(min(ranges[name], limit[name]), roundings[name]) for name in limit}
    lost = [roundings[name] / scale[name] for name in scale]
    position, angle = np.inf, np.inf
    if kinds.has_bodies and moved.position.size:
        size = ROUNDING * float(np.abs(samples.pose[..., :3]).max())
        position = motion_or_inf(float(moved.position.max()), size)
        angle = motion_or_inf(min(float(moved.angle.max()), 1.0), ROUNDING)
        lost += [size / position, ROUNDING / angle]
    each = np.array([scale[group] for group in kinds.groups])
    return Scales(each, position, angle, max([ROUNDING, *lost]))


def motion_or_inf(most: float, rounding: float) -> float:
    """A range of motion; infinite where it cannot be told from rounding."""
    return most if most > rounding * STILL / ROUNDING and most > 0.0 else np.inf


def path_of(samples: Samples, kinds: Kinds, scales: Scales) -> np.ndarray:
    """(time,) how far the run has moved since its start, in ranges of its motion: the sum of what
    the fastest part moves between samples.
    """
    if len(samples.q) < 2:
        return np.zeros(len(samples.q))
    moved = scales.relative(differences(samples.at(slice(1, None)), samples.at(slice(-1)), kinds))
    return np.concatenate([[0.0], np.cumsum(moved)])
