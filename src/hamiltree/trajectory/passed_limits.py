"""Where a run passed the limits of its joints, by its samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hamiltree.errors import FileError
from hamiltree.model.limits import ROUNDING, Limits

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory


class PassedLimit(NamedTuple):
    """The first sample beyond a limit."""

    coordinate: str
    limit: str  # "lower", "upper" or "velocity"
    bound: float
    t: float
    value: float

    def __str__(self) -> str:
        sign = "<" if self.limit == "lower" else ">"
        what = f"|rate of {self.coordinate}|" if self.limit == "velocity" else self.coordinate
        return f"{what} {sign} {self.bound:g} at t = {self.t:g} s"


def limits_of(run: Trajectory) -> Mapping[str, Limits]:
    """None where the model of a run is not stored with it."""
    try:
        return run.model.limits
    except FileError:
        return {}


def passed_limits(run: Trajectory) -> tuple[PassedLimit, ...]:
    """The first sample of each coordinate beyond its lower or upper limit, or faster than its
    velocity limit, in the order of time. Coordinates that follow others are checked by these;
    those of joints that close loops are not recorded.
    """
    if not (run.has_bodies and limits_of(run)):
        return ()
    column = {name: k for k, name in enumerate(run._names("coordinate"))}
    t, q, qdot = (run._values(name) for name in ("t", "q", "qdot"))
    found = []
    for label, limits in run.model.limits.items():
        leader, ratio, offset = run.model.followers.get(label, (label, 1.0, 0.0))
        if leader in column:
            k = column[leader]
            rows = ratio * q[:, k] + offset, ratio * qdot[:, k]
            found += first_beyond(label, limits, t, *rows)
    return tuple(sorted(found, key=lambda passed: passed.t))


def first_beyond(
    label: str, limits: Limits, t: np.ndarray, q: np.ndarray, qdot: np.ndarray
) -> Iterator[PassedLimit]:
    """The first sample beyond each of the limits of one coordinate."""
    slack = limits.slack
    speed = np.abs(qdot)
    for name, bound, beyond, values in (
        ("lower", limits.lower, q < limits.lower - slack, q),
        ("upper", limits.upper, q > limits.upper + slack, q),
        ("velocity", limits.velocity, speed > limits.velocity * (1 + ROUNDING), speed),
    ):
        if beyond.any():
            at = int(np.argmax(beyond))
            yield PassedLimit(label, name, bound, float(t[at]), float(values[at]))
