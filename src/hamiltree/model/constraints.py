"""Constraints: what two bodies, or a coordinate and the clock, have to keep beside the joints.

SI units.

A constraint is no joint: every body still has a joint, a free one if constraints alone restrict
its motion.
Points and axes are given in body axes, points from the body's origin; on "ground" they are in the
world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hamiltree.model.catalogues import register
from hamiltree.model.dimensions import Declared
from hamiltree.model.formulas import NO_PARAMETERS, Formula, check_named_numbers, formula, formulas
from hamiltree.model.named_parts import NamedPart, check_fields
from hamiltree.model.values import (
    ORIGIN,
    Part,
    Vector,
    check_two_bodies,
    direction,
    number,
    part_error,
    point,
)


@dataclass(frozen=True, slots=True)
class Constraint(NamedPart):
    """Equations that a motion has to satisfy. The name may stay empty."""

    role: ClassVar[str] = "constraint"


CONSTRAINTS: dict[str, type[Constraint]] = {}  # by kind


# ---- between two bodies --------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class BetweenBodies(Constraint):
    """Equations between `body_a` and `body_b`, two bodies or a body and "ground"."""

    is_relative: ClassVar[bool] = True
    references: ClassVar[dict[str, str]] = {"body_a": "end", "body_b": "end"}

    body_a: str
    body_b: str

    def __post_init__(self) -> None:
        """Check the names: two different bodies, or one and the ground."""
        Constraint.__post_init__(self)
        check_two_bodies(self.body_a, self.body_b, self.part)


@dataclass(frozen=True, slots=True)
class BetweenPoints(BetweenBodies):
    """Equations between the point `at_a` of `body_a` and the point `at_b` of `body_b`."""

    dimensions: ClassVar[Declared] = {"at_a": "length", "at_b": "length"}

    at_a: Vector = ORIGIN
    at_b: Vector = ORIGIN

    def __post_init__(self) -> None:
        BetweenBodies.__post_init__(self)
        check_fields(self, point, "at_a", "at_b")


@register(CONSTRAINTS)
@dataclass(frozen=True, slots=True)
class Rod(BetweenPoints):
    """|x_b - x_a| = length, m: a massless rod with a ball at either end.

    Without a length: the distance of the points at the start.
    """

    kind: ClassVar[str] = "rod"
    dimensions: ClassVar[Declared] = BetweenPoints.dimensions | {"length": "length"}

    length: float | None = None

    def __post_init__(self) -> None:
        BetweenPoints.__post_init__(self)
        if self.length is not None:
            check_fields(self, _check_rod_length, "length")


@register(CONSTRAINTS)
@dataclass(frozen=True, slots=True)
class PointOnLine(BetweenPoints):
    """axis x (x_b - x_a) = 0: the point of body_b stays on the line through `at_a` along `axis`,
    both fixed in body_a.
    """

    kind: ClassVar[str] = "point_on_line"
    dimensions: ClassVar[Declared] = BetweenPoints.dimensions | {"axis": "number"}

    axis: Vector = (1.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        BetweenPoints.__post_init__(self)
        check_fields(self, direction, "axis")


@register(CONSTRAINTS)
@dataclass(frozen=True, slots=True)
class PointInPlane(BetweenPoints):
    """normal . (x_b - x_a) = 0: the point of body_b stays in the plane through `at_a` across
    `normal`, both fixed in body_a.
    """

    kind: ClassVar[str] = "point_in_plane"
    dimensions: ClassVar[Declared] = BetweenPoints.dimensions | {"normal": "number"}

    normal: Vector = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        BetweenPoints.__post_init__(self)
        check_fields(self, direction, "normal")


@register(CONSTRAINTS)
@dataclass(frozen=True, slots=True)
class Coincident(BetweenPoints):
    """x_a = x_b: the two points stay together, a ball joint without coordinates."""

    kind: ClassVar[str] = "coincident"


@register(CONSTRAINTS)
@dataclass(frozen=True, slots=True)
class ParallelAxes(BetweenBodies):
    """axis_a x axis_b = 0: an axis of either body, parallel; axis_b has the components of axis_a
    unless it is given.
    """

    kind: ClassVar[str] = "parallel_axes"
    dimensions: ClassVar[Declared] = {"axis_a": "number", "axis_b": "number"}

    axis_a: Vector
    axis_b: Vector | None = None

    def __post_init__(self) -> None:
        BetweenBodies.__post_init__(self)
        if self.axis_b is None:
            object.__setattr__(self, "axis_b", self.axis_a)
        check_fields(self, direction, "axis_a", "axis_b")


@register(CONSTRAINTS)
@dataclass(frozen=True, slots=True)
class PerpendicularAxes(BetweenBodies):
    """axis_a . axis_b = 0: an axis of either body, at a right angle."""

    kind: ClassVar[str] = "perpendicular_axes"
    dimensions: ClassVar[Declared] = {"axis_a": "number", "axis_b": "number"}

    axis_a: Vector
    axis_b: Vector

    def __post_init__(self) -> None:
        BetweenBodies.__post_init__(self)
        check_fields(self, direction, "axis_a", "axis_b")


# ---- in time -------------------------------------------------------------------------------------
@register(CONSTRAINTS)
@dataclass(frozen=True, slots=True)
class Drive(Constraint):
    """q = position(t) or qdot = speed(t) of the coordinate `joint`: a motor that nothing can slow
    down. rad, m, s.

    Either is a number or a formula of t and the parameters; a position may also be a Python
    function f(t, out) that writes the position and its first two derivatives by time to out[0],
    out[1], out[2]. A speed leaves the coordinate to start where its joint says.
    """

    kind: ClassVar[str] = "drive"
    references: ClassVar[dict[str, str]] = {"joint": "joint"}
    dimensions: ClassVar[Declared] = {"position": "coordinate", "speed": "rate"}

    joint: str
    position: Formula | Callable[..., Any] | None = None
    speed: Formula | None = None
    parameters: Mapping[str, float] = NO_PARAMETERS

    def __post_init__(self) -> None:
        """Check that either a position or a speed is given, and what it depends on."""
        Constraint.__post_init__(self)
        if self.position is None and self.speed is None:
            raise part_error(
                self.part,
                "position",
                None,
                "and speed are both missing; give one of them, a function of time",
            )
        if self.position is not None and self.speed is not None:
            raise part_error(
                self.part,
                "speed",
                self.speed,
                "and position both say how it moves; keep one of them",
            )
        check_fields(self, _check_time_function, "position" if self.speed is None else "speed")
        check_fields(self, check_named_numbers, "parameters")
        if callable(self.position) and self.parameters:
            raise part_error(
                self.part,
                "parameters",
                self.parameters,
                "belong to formulas; write the numbers into the function",
            )


@register(CONSTRAINTS)
@dataclass(frozen=True, slots=True)
class Motion(Constraint):
    """The body's origin moves along r(t) = position, m, and it turns as R(t) = exp(rotation x),
    body to world, rad; s.

    Either is three numbers or formulas of t and the parameters; what is not given is left free. The
    body has a free joint to the ground, whose start values the motion replaces.
    """

    kind: ClassVar[str] = "motion"
    references: ClassVar[dict[str, str]] = {"body": "body"}
    dimensions: ClassVar[Declared] = {"position": "length", "rotation": "angle"}

    body: str
    position: tuple[Formula, Formula, Formula] | None = None
    rotation: tuple[Formula, Formula, Formula] | None = None
    parameters: Mapping[str, float] = NO_PARAMETERS

    def __post_init__(self) -> None:
        """Check that a position or a rotation is given, three formulas each."""
        Constraint.__post_init__(self)
        if self.position is None and self.rotation is None:
            raise part_error(
                self.part,
                "position",
                None,
                "and rotation are both missing; give one of them, three functions of time",
            )
        for name in ("position", "rotation"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, formulas(getattr(self, name), 3, self.part, name))
        check_fields(self, check_named_numbers, "parameters")


# ---- checks --------------------------------------------------------------------------------------
def _check_rod_length(value: Any, part: Part, field_name: str) -> float:
    """At length zero the distance has no direction and one equation would hold three."""
    length = number(value, part, field_name)
    if length <= 0.0:
        raise part_error(
            part,
            field_name,
            value,
            "is not positive; for points that stay together use a ball joint or 'coincident'",
        )
    return length


def _check_time_function(value: Any, part: Part, field_name: str) -> Formula | Callable[..., Any]:
    """A number, a text or a SymPy expression; of a position also a Python function."""
    if callable(value) and not hasattr(value, "__float__"):
        if field_name == "position":
            return value
        raise part_error(
            part,
            field_name,
            value,
            "is a Python function; give the position as f(t, out), or the speed as a formula of t",
        )
    if type(value) is bool or not (isinstance(value, str) or hasattr(value, "__float__")):
        raise part_error(
            part,
            field_name,
            value,
            "is no function of time; give a number, or a text such as 'a*sin(2*t)'",
        )
    return formula(value, part, field_name)
