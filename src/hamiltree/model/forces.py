"""Forces as data; the law of each is computed elsewhere. SI units.

`references` says which fields name a joint or a body, so that a model can check them whatever the kind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from hamiltree.model.values import ORIGIN, Part, Vector, nonnegative, number, point, refusal, text

AXES = ("world", "body")


@dataclass(frozen=True, slots=True)
class Force:
    """Something that acts. The name may stay empty."""

    kind: ClassVar[str] = ""
    references: ClassVar[dict[str, str]] = {}  # field -> "joint" | "body"
    is_conservative: ClassVar[bool] = False  # True: its work is a change of potential energy

    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if self.name != "":
            text(self.name, ("force", ""), "name")
        for field_name in self.references:
            text(getattr(self, field_name), self.part, field_name)

    @property
    def part(self) -> Part:
        """Who is at fault in a message: the force by its name, or its kind if it has none."""
        return ("force", self.name) if self.name else (self.kind or type(self).__name__, "")

    def describe(self, position: int) -> str:
        """How a message calls the force at `position` (from 0) of a model: by name, else by number, kind and what it acts on."""
        if self.name:
            return f"force {self.name!r}"
        on = "".join(f" on {getattr(self, field_name)!r}" for field_name in self.references)
        return f"force {position + 1} ({self.kind or type(self).__name__}{on})"


@dataclass(frozen=True, slots=True)
class JointSpring(Force):
    """Q = -stiffness (q - rest): N m/rad and rad on a hinge, N/m and m on a slider."""

    kind: ClassVar[str] = "joint_spring"
    is_conservative: ClassVar[bool] = True
    references: ClassVar[dict[str, str]] = {"joint": "joint"}

    joint: str
    stiffness: float
    rest: float = 0.0

    def __post_init__(self) -> None:
        Force.__post_init__(self)
        object.__setattr__(self, "stiffness", nonnegative(self.stiffness, self.part, "stiffness"))
        object.__setattr__(self, "rest", number(self.rest, self.part, "rest"))


@dataclass(frozen=True, slots=True)
class JointDamper(Force):
    """Q = -damping qdot: N m s/rad on a hinge, N s/m on a slider."""

    kind: ClassVar[str] = "joint_damper"
    references: ClassVar[dict[str, str]] = {"joint": "joint"}

    joint: str
    damping: float

    def __post_init__(self) -> None:
        Force.__post_init__(self)
        object.__setattr__(self, "damping", nonnegative(self.damping, self.part, "damping"))


@dataclass(frozen=True, slots=True)
class JointEffort(Force):
    """Q = effort, constant: a torque (N m) about or a force (N) along the joint's coordinate on the child, its reaction on the parent."""

    kind: ClassVar[str] = "joint_effort"
    references: ClassVar[dict[str, str]] = {"joint": "joint"}

    joint: str
    effort: float

    def __post_init__(self) -> None:
        Force.__post_init__(self)
        object.__setattr__(self, "effort", number(self.effort, self.part, "effort"))


@dataclass(frozen=True, slots=True)
class BodyLoad(Force):
    """A force (N) at the point `at` of a body (m, body axes from its origin) and a torque (N m), constant in world or in body axes."""

    kind: ClassVar[str] = "body_load"
    references: ClassVar[dict[str, str]] = {"body": "body"}

    body: str
    force: Vector = ORIGIN
    torque: Vector = ORIGIN
    at: Vector = ORIGIN
    axes: Literal["world", "body"] = "world"

    def __post_init__(self) -> None:
        Force.__post_init__(self)
        for field_name in ("force", "torque", "at"):
            object.__setattr__(self, field_name, point(getattr(self, field_name), self.part, field_name))
        if self.axes not in AXES:
            raise refusal(self.part, "axes", self.axes, 'is unknown; give "world" or "body"')


FORCES: dict[str, type[Force]] = {force.kind: force for force in (JointSpring, JointDamper, JointEffort, BodyLoad)}
