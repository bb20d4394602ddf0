"""Forces given by tables in time, as data. SI units."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

from hamiltree.model.catalogues import register
from hamiltree.model.dimensions import Declared
from hamiltree.model.forces import AXES, FORCES, BodyForce, JointForce, check_choice
from hamiltree.model.named_parts import check_fields
from hamiltree.model.values import ORIGIN, Part, Vector, part_error, point, vector

INTERPOLATIONS = ("linear", "cubic")
EXTRAPOLATIONS = ("hold", "zero", "periodic")


# ---- tables in time ------------------------------------------------------------------------------
@register(FORCES)
@dataclass(frozen=True, slots=True)
class JointTable(JointForce):
    """Q(t) through `values` (N m or N) at `times` (s): piecewise linear, or a cubic spline; a load.

    Before the first and after the last time: "hold" the end value, "zero", or "periodic" with the
    period times[-1] - times[0].
    """

    kind: ClassVar[str] = "joint_table"
    is_relative: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {"times": "time", "values": "effort"}

    times: tuple[float, ...]
    values: tuple[float, ...]
    interpolation: Literal["linear", "cubic"] = "linear"
    outside: Literal["hold", "zero", "periodic"] = "hold"

    def __post_init__(self) -> None:
        JointForce.__post_init__(self)
        object.__setattr__(self, "times", _check_times(self))
        object.__setattr__(
            self, "values", vector(self.values, len(self.times), self.part, "values")
        )
        _check_ends(self, "values")


@register(FORCES)
@dataclass(frozen=True, slots=True)
class BodyTable(BodyForce):
    """Forces (N) at the point `at` of a body and torques (N m) on it, three numbers for each of
    `times`: otherwise as JointTable.
    """

    kind: ClassVar[str] = "body_table"
    is_relative: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {
        "times": "time",
        "forces": "force",
        "torques": "torque",
        "at": "length",
    }

    times: tuple[float, ...]
    forces: tuple[Vector, ...] = ()  # none: no force
    torques: tuple[Vector, ...] = ()
    at: Vector = ORIGIN
    axes: Literal["world", "body"] = "world"
    interpolation: Literal["linear", "cubic"] = "linear"
    outside: Literal["hold", "zero", "periodic"] = "hold"

    def __post_init__(self) -> None:
        """Check times, forces and torques; one of the two is given."""
        BodyForce.__post_init__(self)
        object.__setattr__(self, "times", _check_times(self))
        for field_name in ("forces", "torques"):
            object.__setattr__(
                self,
                field_name,
                _check_points(getattr(self, field_name), len(self.times), self.part, field_name),
            )
            _check_ends(self, field_name)
        if not self.forces and not self.torques:
            raise part_error(
                self.part,
                "forces",
                self.forces,
                "and torques are both empty; give one of them, three numbers for each time",
            )
        check_fields(self, point, "at")
        check_choice(self.axes, AXES, self.part, "axes")


def _check_times(table: JointTable | BodyTable) -> tuple[float, ...]:
    """Finite, strictly increasing, and enough of them for the interpolation, which is checked on
    the way.
    """
    check_choice(table.interpolation, INTERPOLATIONS, table.part, "interpolation")
    check_choice(table.outside, EXTRAPOLATIONS, table.part, "outside")
    fewest = 4 if table.interpolation == "cubic" else 2
    count = len(table.times) if hasattr(table.times, "__len__") else 0
    times = vector(table.times, max(count, fewest), table.part, "times")
    for k, (earlier, later) in enumerate(pairwise(times)):
        if not earlier < later:
            raise part_error(
                table.part,
                "times",
                times,
                f"does not increase: {later!r} (entry {k + 2}) comes after {earlier!r}; sort the "
                "table",
            )
    return times


def _check_points(value: Any, length: int, part: Part, field_name: str) -> tuple[Vector, ...]:
    """No vectors, or one for each time."""
    rows = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(rows, (tuple, list)):
        raise part_error(
            part, field_name, value, "is no list of vectors; give three numbers for each time"
        )
    if rows and len(rows) != length:
        raise part_error(
            part,
            field_name,
            value,
            f"has {len(rows)} rows for {length} times; give three numbers for each time",
        )
    return tuple(point(row, part, field_name) for row in rows)


def _check_ends(table: JointTable | BodyTable, field_name: str) -> None:
    """A periodic spline is smooth across its seam, which needs equal ends."""
    values = getattr(table, field_name)
    if (
        values
        and table.interpolation == "cubic"
        and table.outside == "periodic"
        and values[0] != values[-1]
    ):
        problem = (
            f"begins with {values[0]} and ends with {values[-1]}; "
            "a periodic cubic table needs equal ends, or be linear"
        )
        raise part_error(table.part, field_name, values, problem)
