"""Limits of joints as data: how far, how fast and how hard an axis is meant to move.

They are no forces: a model runs beyond them, and a run says where it did (`run.passed_limits`).
`JointLimit` is the stop that holds a joint back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from hamiltree.model.dimensions import Declared
from hamiltree.model.values import Part, part_error

ROUNDING = 1e-9  # of the largest bound: a coordinate at its limit is not beyond it


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one axis of a joint: `lower` and `upper` bound its coordinate (rad or m), `velocity` its
    rate (rad/s or m/s) and `effort` its motor (N m or N), both in either direction. Infinite where
    there is none.
    """

    dimensions: ClassVar[Declared] = {
        "lower": "coordinate",
        "upper": "coordinate",
        "velocity": "rate",
        "effort": "effort",
    }

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf

    def __post_init__(self) -> None:
        """Numbers, infinite ones included; lower is not above upper, the others not negative."""
        part: Part = ("limits", "")
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
                raise part_error(part, field.name, value, "is no number; give one, or inf for none")
            object.__setattr__(self, field.name, float(value))
        if self.lower > self.upper:
            raise part_error(
                part, "lower", self.lower, f"is above upper = {self.upper!r}; exchange them"
            )
        for name in ("velocity", "effort"):
            if getattr(self, name) < 0.0:
                raise part_error(part, name, getattr(self, name), "is negative; give its size")

    @property
    def slack(self) -> float:
        """How far beyond a bound a coordinate counts as at it: rounding of the larger bound."""
        finite = [abs(x) for x in (self.lower, self.upper) if math.isfinite(x)]
        return ROUNDING * max(finite, default=0.0)

    @property
    def bounds_position(self) -> bool:
        return self.lower > -math.inf or self.upper < math.inf

    def on_leader(self, ratio: float, offset: float) -> Limits:
        """Those of the coordinate that leads, where x = ratio x_leader + offset."""
        ends = (self.lower - offset) / ratio, (self.upper - offset) / ratio
        size = abs(ratio)
        return Limits(min(ends), max(ends), self.velocity / size, self.effort * size)


NO_LIMITS = Limits()


def check_limits(value: Any, part: Part) -> Limits:
    """Limits; None is none of them."""
    if value is None:
        return NO_LIMITS
    if not isinstance(value, Limits):
        raise part_error(
            part, "limits", value, "is no Limits; give Limits(lower, upper, velocity, effort)"
        )
    return value


def check_limits_of_axes(value: Any, count: int, part: Part) -> tuple[Limits, ...]:
    """Limits of each axis of a joint of several; empty if there are none."""
    given = () if value is None else value
    if not isinstance(given, (tuple, list)) or len(given) not in (0, count):
        raise part_error(
            part, "limits", value, f"is no list of {count} Limits; give one for each axis"
        )
    found = tuple(check_limits(entry, part) for entry in given)
    return () if all(entry == NO_LIMITS for entry in found) else found
