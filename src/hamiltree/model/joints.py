"""Joints: the motion they allow, as screws one after the other, and a ball at the end if there is
one.

A joint frame is fixed on either body; at q = 0 the two coincide:
pose(child) = pose(parent) · on_parent · motion(q) · on_child⁻¹, where
motion(q) = exp(screw₁ q₁) exp(screw₂ q₂) … and last, for a ball, the rotation of a unit quaternion.
A new kind is one class here with `@register(JOINTS)`; nothing else depends on the kind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from hamiltree.model.axes import (
    AXIS_ENTRIES,
    parse_axes,
    parse_sequence,
    parse_two_axes,
    perpendicular_axes,
    screw_of,
)
from hamiltree.model.catalogues import register
from hamiltree.model.dimensions import Declared
from hamiltree.model.limits import NO_LIMITS, Limits, check_limits, check_limits_of_axes
from hamiltree.model.values import (
    IDENTITY,
    ORIGIN,
    Frame,
    Vector,
    as_frame,
    direction,
    nonnegative,
    number,
    part_error,
    point,
    rotation,
    scale,
    text,
    vector,
)

X_AXIS: Vector = (1.0, 0.0, 0.0)
Y_AXIS: Vector = (0.0, 1.0, 0.0)
Z_AXIS: Vector = (0.0, 0.0, 1.0)
ZERO = 0.0  # one object: a joint of very many knows its defaults by it
QUATERNION_SUFFIXES = ("qw", "qx", "qy", "qz")
IDENTITY_QUATERNION = (1.0, 0.0, 0.0, 0.0)
Screws = tuple[tuple[Vector, Vector], ...]
JOINTS: dict[str, type[Joint]] = {}  # by kind


@dataclass(frozen=True, slots=True)
class Joint:
    """What joins `child` to `parent`, two bodies or a body and the ground."""

    kind: ClassVar[str] = ""
    coordinates: ClassVar[int] = 0  # positions; a quaternion has four
    # its last four positions are a unit quaternion, its last three speeds an angular velocity
    has_ball: ClassVar[bool] = False
    # its first three positions are x, y, z of the child's joint frame: it holds no point of it
    is_unanchored: ClassVar[bool] = False
    dimensions: ClassVar[Declared] = {"q": "coordinate", "qdot": "rate", "armature": "armature"}

    name: str
    parent: str
    child: str
    on_parent: Frame = IDENTITY
    on_child: Frame = IDENTITY

    def __post_init__(self) -> None:
        """Check names and frames; parent and child differ."""
        part = ("joint", self.name if isinstance(self.name, str) else "")
        put = object.__setattr__
        name, parent, child = self.name, self.parent, self.child
        are_plain = type(name) is type(parent) is type(child) is str and name and parent and child
        if not are_plain or not (name + parent + child).isascii():
            for end in ("name", "parent", "child"):
                put(self, end, text(getattr(self, end), part, end))
        if self.parent == self.child:
            raise part_error(
                part, "child", self.child, "is also the parent; join two different bodies"
            )
        if type(self.on_parent) is not Frame:
            put(self, "on_parent", as_frame(self.on_parent, part, "on_parent"))
        if type(self.on_child) is not Frame:
            put(self, "on_child", as_frame(self.on_child, part, "on_child"))

    @property
    def speeds(self) -> int:
        """Degrees of freedom."""
        return self.coordinates - self.has_ball

    def screws(self) -> Screws:
        """(angular, linear) velocity of the child for unit rate of each axis at q = 0, on the joint
        frame's origin and axes; no ball.
        """
        return ()

    def start(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """(q, qdot) at the start: one number per coordinate, and one per speed."""
        return (), ()

    def suffixes(self) -> tuple[str, ...]:
        """What tells the coordinates of a joint apart; empty for one alone."""
        return (
            ("",) if self.coordinates == 1 else tuple(str(k + 1) for k in range(self.coordinates))
        )

    def speed_suffixes(self) -> tuple[str, ...]:
        return self.suffixes()

    def speed_dimensions(self) -> tuple[str, ...]:
        """Of each speed whether its coordinate is a "length" or an "angle", by its screw."""
        return axis_dimensions(self.screws()) + ("angle",) * 3 * self.has_ball

    def coordinate_dimensions(self) -> tuple[str, ...]:
        """Of each coordinate: "length", "angle", or "number" in a quaternion."""
        return axis_dimensions(self.screws()) + ("number",) * 4 * self.has_ball

    def armatures(self) -> tuple[float, ...]:
        """Inertia that each axis adds to its own coordinate alone, kg m² or kg."""
        return (0.0,) * len(self.screws())

    def axis_limits(self) -> tuple[Limits, ...]:
        """How far, how fast and how hard each axis is meant to move."""
        return (NO_LIMITS,) * len(self.screws())


@dataclass(frozen=True, slots=True)
class OneAxis(Joint):
    """A joint of one coordinate along or about `axis`, a unit vector in the joint frame."""

    coordinates: ClassVar[int] = 1
    dimensions: ClassVar[Declared] = Joint.dimensions | {"axis": "number"}

    axis: Vector = Z_AXIS
    q: float = ZERO
    qdot: float = ZERO
    # of a geared rotor, reflected to the joint: adds to this coordinate's inertia, kg m² or kg
    armature: float = ZERO
    limits: Limits = field(default=NO_LIMITS, kw_only=True)

    def __post_init__(self) -> None:
        """Check the axis, the start, the armature and the limits."""
        Joint.__post_init__(self)
        part = ("joint", self.name)
        if self.axis is not Z_AXIS:
            object.__setattr__(self, "axis", direction(self.axis, part, "axis"))
        if not (self.q is self.qdot is self.armature is ZERO):  # else as they were declared
            for name, check in (("q", number), ("qdot", number), ("armature", nonnegative)):
                if (checked := check(given := getattr(self, name), part, name)) is not given:
                    object.__setattr__(self, name, checked)
        if self.limits is not NO_LIMITS:
            object.__setattr__(self, "limits", check_limits(self.limits, part))

    def armatures(self) -> tuple[float, ...]:
        return (self.armature,)

    def axis_limits(self) -> tuple[Limits, ...]:
        return (self.limits,)

    def start(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return (self.q,), (self.qdot,)


@register(JOINTS)
@dataclass(frozen=True, slots=True)
class Revolute(OneAxis):
    """A hinge: q is the angle about `axis`, rad."""

    kind: ClassVar[str] = "revolute"

    def screws(self) -> Screws:
        return ((self.axis, ORIGIN),)


@register(JOINTS)
@dataclass(frozen=True, slots=True)
class Prismatic(OneAxis):
    """A slider: q is the displacement along `axis`, m."""

    kind: ClassVar[str] = "prismatic"

    def screws(self) -> Screws:
        return ((ORIGIN, self.axis),)


@register(JOINTS)
@dataclass(frozen=True, slots=True)
class Screw(OneAxis):
    """A screw: q is the angle about `axis`, rad; `pitch` the advance along it in m per full turn,
    of either sign.
    """

    kind: ClassVar[str] = "screw"
    dimensions: ClassVar[Declared] = OneAxis.dimensions | {"pitch": "length"}

    pitch: float = field(kw_only=True)

    def __post_init__(self) -> None:
        OneAxis.__post_init__(self)
        object.__setattr__(self, "pitch", number(self.pitch, ("joint", self.name), "pitch"))

    def screws(self) -> Screws:
        return ((self.axis, scale(self.pitch / math.tau, self.axis)),)


# ---- joints of several axes: each moves what comes after it --------------------------------------
@dataclass(frozen=True, slots=True)
class SeveralAxes(Joint):
    """Axes one after the other, from the parent's side; q, qdot and armature have one number for
    each (armature: or one for all), limits one Limits for each.
    """

    q: tuple[float, ...] = field(default=(), kw_only=True)
    qdot: tuple[float, ...] = field(default=(), kw_only=True)
    armature: tuple[float, ...] = field(default=(), kw_only=True)
    limits: tuple[Limits, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        """Check q, qdot and armature: one number per axis, zero where none is given."""
        Joint.__post_init__(self)
        part, count = ("joint", self.name), self.coordinates
        for name in ("q", "qdot", "armature"):
            given = getattr(self, name)
            if name == "armature" and type(given) in (int, float):
                given = (given,) * count
            put = vector(given if np.size(given) else (0.0,) * count, count, part, name)
            object.__setattr__(self, name, put)
        for x in self.armature:
            nonnegative(x, part, "armature")
        if self.limits != ():
            object.__setattr__(self, "limits", check_limits_of_axes(self.limits, count, part))

    def start(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return self.q, self.qdot

    def armatures(self) -> tuple[float, ...]:
        return self.armature

    def axis_limits(self) -> tuple[Limits, ...]:
        return self.limits or (NO_LIMITS,) * self.coordinates


@register(JOINTS)
@dataclass(frozen=True, slots=True)
class Universal(SeveralAxes):
    """A universal (Hooke, cardan) joint: two hinges through one point. q are the angles about
    `axes`, the first fixed on the parent, the second on the child.
    """

    kind: ClassVar[str] = "universal"
    coordinates: ClassVar[int] = 2
    dimensions: ClassVar[Declared] = Joint.dimensions | {"axes": "number"}

    axes: tuple[Vector, Vector] = (X_AXIS, Y_AXIS)

    def __post_init__(self) -> None:
        part = ("joint", self.name if isinstance(self.name, str) else "")
        object.__setattr__(self, "axes", parse_two_axes(self.axes, part))
        SeveralAxes.__post_init__(self)

    def screws(self) -> Screws:
        return tuple((axis, ORIGIN) for axis in self.axes)


@dataclass(frozen=True, slots=True)
class AboutOneAxis(SeveralAxes):
    """Displacements, and an angle about `axis`, a unit vector in the joint frame."""

    dimensions: ClassVar[Declared] = Joint.dimensions | {"axis": "number"}

    axis: Vector = Z_AXIS

    def __post_init__(self) -> None:
        SeveralAxes.__post_init__(self)
        object.__setattr__(self, "axis", direction(self.axis, ("joint", self.name), "axis"))


@register(JOINTS)
@dataclass(frozen=True, slots=True)
class Cylindrical(AboutOneAxis):
    """Displacement (m) along `axis` and angle (rad) about it."""

    kind: ClassVar[str] = "cylindrical"
    coordinates: ClassVar[int] = 2

    def screws(self) -> Screws:
        return (ORIGIN, self.axis), (self.axis, ORIGIN)

    def suffixes(self) -> tuple[str, ...]:
        return "slide", "angle"


@register(JOINTS)
@dataclass(frozen=True, slots=True)
class Planar(AboutOneAxis):
    """Two displacements (m) across `axis`, then the angle (rad) about it.

    For the z axis the displacements are along x and y.
    """

    kind: ClassVar[str] = "planar"
    coordinates: ClassVar[int] = 3

    def screws(self) -> Screws:
        x, y = perpendicular_axes(self.axis)
        return (ORIGIN, x), (ORIGIN, y), (self.axis, ORIGIN)

    def suffixes(self) -> tuple[str, ...]:
        return "x", "y", "angle"


@register(JOINTS)
@dataclass(frozen=True, slots=True)
class Translation(SeveralAxes):
    """Displacements (m) along x, y and z; no rotation."""

    kind: ClassVar[str] = "translation"
    coordinates: ClassVar[int] = 3
    is_unanchored: ClassVar[bool] = True

    def screws(self) -> Screws:
        return (ORIGIN, X_AXIS), (ORIGIN, Y_AXIS), (ORIGIN, Z_AXIS)

    def suffixes(self) -> tuple[str, ...]:
        return "x", "y", "z"


@register(JOINTS)
@dataclass(frozen=True, slots=True)
class Gimbal(SeveralAxes):
    """Three hinges through one point, about turned axes: any of the twelve sequences, "zyx" or
    "zxz" ("ZYX" is the same).

    It locks where the first and the third axis fall together; a ball does not.
    """

    kind: ClassVar[str] = "gimbal"
    coordinates: ClassVar[int] = 3

    sequence: str = "zyx"

    def __post_init__(self) -> None:
        part = ("joint", self.name if isinstance(self.name, str) else "")
        object.__setattr__(self, "sequence", parse_sequence(self.sequence, part))
        SeveralAxes.__post_init__(self)

    def screws(self) -> Screws:
        axes = {"x": X_AXIS, "y": Y_AXIS, "z": Z_AXIS}
        return tuple((axes[letter], ORIGIN) for letter in self.sequence)


@register(JOINTS)
@dataclass(frozen=True, slots=True)
class Axes(SeveralAxes):
    """Any list of axes, from the parent's side: ("turn", axis), ("slide", axis), ("screw", axis,
    at, pitch); `at` is a point on the axis.

    Axes("hip", "pelvis", "thigh", axes=[("turn", (0, 0, 1)), ("turn", (1, 0, 0), (0, 0, -0.05)),
                                         ("slide", (0, 1, 0))])
    """

    kind: ClassVar[str] = "axes"
    dimensions: ClassVar[Declared] = Joint.dimensions | {"axes": AXIS_ENTRIES}

    axes: tuple[tuple[Any, ...], ...] = field(kw_only=True)

    def __post_init__(self) -> None:
        part = ("joint", self.name if isinstance(self.name, str) else "")
        object.__setattr__(self, "axes", parse_axes(self.axes, part))
        SeveralAxes.__post_init__(self)

    @property
    def coordinates(self) -> int:  # type: ignore[override]
        return len(self.axes)

    def suffixes(self) -> tuple[str, ...]:
        return ("",) if len(self.axes) == 1 else tuple(str(k + 1) for k in range(len(self.axes)))

    def screws(self) -> Screws:
        return tuple(screw_of(*entry) for entry in self.axes)


# ---- joints with a quaternion --------------------------------------------------------------------
@register(JOINTS)
@dataclass(frozen=True, slots=True)
class Ball(Joint):
    """Any rotation about one point: q is the unit quaternion (scalar first) that turns the parent's
    joint frame into the child's, qdot the angular velocity (rad/s) of the child against the parent,
    in the child's joint axes.
    """

    kind: ClassVar[str] = "ball"
    coordinates: ClassVar[int] = 4
    has_ball: ClassVar[bool] = True

    q: tuple[float, ...] = IDENTITY_QUATERNION
    qdot: tuple[float, ...] = ORIGIN

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        part = ("joint", self.name)
        object.__setattr__(self, "q", rotation(self.q, part, "q"))
        object.__setattr__(self, "qdot", point(self.qdot, part, "qdot"))

    def start(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return self.q, self.qdot

    def suffixes(self) -> tuple[str, ...]:
        return QUATERNION_SUFFIXES

    def speed_suffixes(self) -> tuple[str, ...]:
        return "wx", "wy", "wz"


@register(JOINTS)
@dataclass(frozen=True, slots=True)
class Free(Joint):
    """Any motion. q: x, y, z (m) of the child's joint frame in the parent's, then a unit quaternion
    (scalar first) as for a ball;
    qdot: rates of x, y, z (m/s, the parent's axes), then the angular velocity (rad/s) in the
    child's joint axes.
    """

    kind: ClassVar[str] = "free"
    coordinates: ClassVar[int] = 7
    has_ball: ClassVar[bool] = True
    is_unanchored: ClassVar[bool] = True

    q: tuple[float, ...] = (*ORIGIN, *IDENTITY_QUATERNION)
    qdot: tuple[float, ...] = (*ORIGIN, *ORIGIN)

    def __post_init__(self) -> None:
        Joint.__post_init__(self)
        part = ("joint", self.name)
        q = vector(self.q, 7, part, "q")
        object.__setattr__(self, "q", (*q[:3], *rotation(q[3:], part, "q")))
        object.__setattr__(self, "qdot", vector(self.qdot, 6, part, "qdot"))

    def screws(self) -> Screws:
        return (ORIGIN, X_AXIS), (ORIGIN, Y_AXIS), (ORIGIN, Z_AXIS)

    def start(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return self.q, self.qdot

    def suffixes(self) -> tuple[str, ...]:
        return ("x", "y", "z", *QUATERNION_SUFFIXES)

    def speed_suffixes(self) -> tuple[str, ...]:
        return "vx", "vy", "vz", "wx", "wy", "wz"


@register(JOINTS)
@dataclass(frozen=True, slots=True)
class Weld(Joint):
    """No motion at all."""

    kind: ClassVar[str] = "weld"


@lru_cache(maxsize=256)
def axis_dimensions(screws: Screws) -> tuple[str, ...]:
    return tuple(["length" if angular == ORIGIN else "angle" for angular, _ in screws])


# ---- names ---------------------------------------------------------------------------------------
def coordinate_labels(joint: Joint, suffixes: Sequence[str] | None = None) -> tuple[str, ...]:
    """What the coordinates of a joint are called: its name alone if there is one."""
    name, chosen = joint.name, joint.suffixes() if suffixes is None else suffixes
    return tuple([f"{name}.{suffix}" if suffix else name for suffix in chosen])


def speed_labels(joint: Joint) -> tuple[str, ...]:
    return coordinate_labels(joint, joint.speed_suffixes())


def axis_labels(joint: Joint) -> list[tuple[str, str]]:
    """(coordinate, speed) of each axis of a joint; a ball has none."""
    return list(zip(coordinate_labels(joint), speed_labels(joint), strict=False))[
        : len(joint.screws())
    ]
