"""Joints: what motion they leave, as screws.

A joint frame is fixed on either body; at q = 0 the two coincide: pose(child) = pose(parent) · on_parent · motion(q) · on_child⁻¹.
A new kind is one class and one line in JOINTS; nothing else asks for the kind.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from hamiltree.model.bodies import GROUND
from hamiltree.model.values import IDENTITY, ORIGIN, Frame, Vector, as_frame, direction, number, refusal, scale, text

__all__ = ["GROUND", "JOINTS", "Joint", "OneAxis", "Prismatic", "Revolute", "Screw", "Weld"]

Z_AXIS: Vector = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Joint:
    """What joins `child` to `parent`, two bodies or a body and the ground."""

    kind: ClassVar[str] = ""
    coordinates: ClassVar[int] = 0

    name: str
    parent: str
    child: str
    on_parent: Frame = IDENTITY
    on_child: Frame = IDENTITY

    def __post_init__(self) -> None:
        part = ("joint", self.name if isinstance(self.name, str) else "")
        put = object.__setattr__
        put(self, "name", text(self.name, part, "name"))
        put(self, "parent", text(self.parent, part, "parent"))
        put(self, "child", text(self.child, part, "child"))
        if self.parent == self.child:
            raise refusal(part, "child", self.child, "is also the parent; join two different bodies")
        put(self, "on_parent", as_frame(self.on_parent, part, "on_parent"))
        put(self, "on_child", as_frame(self.on_child, part, "on_child"))

    def screws(self) -> tuple[tuple[Vector, Vector], ...]:
        """(angular, linear) velocity of the child for unit rate of each coordinate, on the joint frame's origin and axes."""
        return ()

    def start(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """(q, qdot) at the start, one entry a coordinate."""
        return (), ()


@dataclass(frozen=True, slots=True)
class OneAxis(Joint):
    """A joint of one coordinate along or about `axis`, a unit vector in the joint frame."""

    coordinates: ClassVar[int] = 1

    axis: Vector = Z_AXIS
    q: float = 0.0
    qdot: float = 0.0

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        part = ("joint", self.name)
        if self.axis is not Z_AXIS:
            object.__setattr__(self, "axis", direction(self.axis, part, "axis"))
        object.__setattr__(self, "q", number(self.q, part, "q"))
        object.__setattr__(self, "qdot", number(self.qdot, part, "qdot"))

    def start(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return (self.q,), (self.qdot,)


@dataclass(frozen=True, slots=True)
class Revolute(OneAxis):
    """A hinge: q is the angle about `axis`, rad."""

    kind: ClassVar[str] = "revolute"

    def screws(self) -> tuple[tuple[Vector, Vector], ...]:
        return ((self.axis, ORIGIN),)


@dataclass(frozen=True, slots=True)
class Prismatic(OneAxis):
    """A slider: q is the way along `axis`, m."""

    kind: ClassVar[str] = "prismatic"

    def screws(self) -> tuple[tuple[Vector, Vector], ...]:
        return ((ORIGIN, self.axis),)


@dataclass(frozen=True, slots=True)
class Screw(OneAxis):
    """A screw: q is the angle about `axis`, rad; `pitch` the advance along it in m per full turn, of either sign."""

    kind: ClassVar[str] = "screw"

    pitch: float = field(kw_only=True)

    def __post_init__(self) -> None:
        OneAxis.__post_init__(self)
        object.__setattr__(self, "pitch", number(self.pitch, ("joint", self.name), "pitch"))

    def screws(self) -> tuple[tuple[Vector, Vector], ...]:
        return ((self.axis, scale(self.pitch / math.tau, self.axis)),)


@dataclass(frozen=True, slots=True)
class Weld(Joint):
    """No motion at all."""

    kind: ClassVar[str] = "weld"


JOINTS: dict[str, type[Joint]] = {joint.kind: joint for joint in (Revolute, Prismatic, Screw, Weld)}
