"""Springs, dampers and fields that act on bodies, stops and friction of joints, as data. SI units.

Points `at_…` and frames are given in body axes from the body's origin; on "ground" they are in the
world.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from hamiltree.model.catalogues import register
from hamiltree.model.dimensions import Declared, six_by_six
from hamiltree.model.forces import FORCES, BodyForce, Force, JointForce
from hamiltree.model.named_parts import check_fields
from hamiltree.model.values import (
    ORIGIN,
    SYMMETRY_TOLERANCE,
    Frame,
    Part,
    Quaternion,
    Vector,
    as_frame,
    check_two_bodies,
    flag,
    nonnegative,
    number,
    part_error,
    point,
    positive,
    rotation,
    text,
    vector,
)

EIGENVALUE_TOLERANCE = 1e-12  # relative to the largest entry
GRAVITATIONAL_CONSTANT = 6.6743e-11  # m³/(kg s²), CODATA 2018
SixOrMatrix = tuple[float, ...] | tuple[tuple[float, ...], ...]
ZERO_SIX: SixOrMatrix = (0.0,) * 6


# ---- between two bodies --------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class BetweenBodies(Force):
    """An element that acts on `body_b` and with the opposite wrench on `body_a`."""

    is_relative: ClassVar[bool] = True
    references: ClassVar[dict[str, str]] = {"body_a": "end", "body_b": "end"}

    body_a: str
    body_b: str

    def __post_init__(self) -> None:
        """Check the names: two different bodies, or one and the ground."""
        Force.__post_init__(self)
        check_two_bodies(self.body_a, self.body_b, self.part)


@dataclass(frozen=True, slots=True)
class BetweenPoints(BetweenBodies):
    """An element between the point `at_a` of `body_a` and the point `at_b` of `body_b`."""

    dimensions: ClassVar[Declared] = {"at_a": "length", "at_b": "length"}

    at_a: Vector
    at_b: Vector

    def __post_init__(self) -> None:
        BetweenBodies.__post_init__(self)
        check_fields(self, point, "at_a", "at_b")


@register(FORCES)
@dataclass(frozen=True, slots=True)
class PointSpring(BetweenPoints):
    """Tension stiffness (l - length) + damping dl/dt along the line between two points, l apart:
    N/m, m, N s/m.

    With `tension_only` it is a cable: slack, without force, where l <= length, never in
    compression.
    Where the points meet the line has no direction: no force there, unless length = 0, which is
    regular.
    """

    kind: ClassVar[str] = "point_spring"
    dimensions: ClassVar[Declared] = BetweenPoints.dimensions | {
        "stiffness": "stiffness",
        "length": "length",
        "damping": "damping",
    }

    stiffness: float
    length: float = 0.0  # at rest
    damping: float = 0.0
    tension_only: bool = False

    def __post_init__(self) -> None:
        BetweenPoints.__post_init__(self)
        check_fields(self, nonnegative, "stiffness", "length", "damping")
        check_fields(self, flag, "tension_only")


@register(FORCES)
@dataclass(frozen=True, slots=True)
class ConstantForceSpring(BetweenPoints):
    """The same tension `force` (N; negative: compression) along the line between two points at any
    distance; none where they meet.
    """

    kind: ClassVar[str] = "constant_force_spring"
    is_conservative: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = BetweenPoints.dimensions | {"force": "force"}

    force: float

    def __post_init__(self) -> None:
        BetweenPoints.__post_init__(self)
        check_fields(self, number, "force")


@register(FORCES)
@dataclass(frozen=True, slots=True)
class Torsion(BetweenBodies):
    """Torque -stiffness theta n - damping omega on body_b, N m/rad and N m s/rad: theta n turns it
    away from its `rest` in body_a.

    theta is within [0, pi]; at pi the direction n, and so the torque, jumps. `rest` is a quaternion
    (scalar first) or a 3x3 matrix.
    """

    kind: ClassVar[str] = "torsion"
    dimensions: ClassVar[Declared] = {
        "stiffness": "torsional_stiffness",
        "damping": "torsional_damping",
        "rest": "number",
    }

    stiffness: float
    damping: float = 0.0
    rest: Quaternion = (1.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        BetweenBodies.__post_init__(self)
        check_fields(self, nonnegative, "stiffness", "damping")
        check_fields(self, rotation, "rest")


@register(FORCES)
@dataclass(frozen=True, slots=True)
class Bushing(BetweenBodies):
    """Wrench of the energy x.K x/2, and of the damper -C dx/dt; x = displacement (m) and rotation
    vector (rad) of frame_b in frame_a.

    `stiffness` K and `damping` C are six diagonal entries (x, y, z, about x, y, z) or symmetric 6x6
    matrices without negative eigenvalues.
    A rotation of pi is out of reach: there the rotation vector jumps.
    """

    kind: ClassVar[str] = "bushing"
    dimensions: ClassVar[Declared] = {
        "stiffness": six_by_six("stiffness", "force", "torsional_stiffness"),
        "damping": six_by_six("damping", "momentum", "torsional_damping"),
    }

    frame_a: Frame
    frame_b: Frame
    stiffness: SixOrMatrix
    damping: SixOrMatrix = ZERO_SIX

    def __post_init__(self) -> None:
        BetweenBodies.__post_init__(self)
        check_fields(self, as_frame, "frame_a", "frame_b")
        check_fields(self, _check_six, "stiffness", "damping")


@register(FORCES)
@dataclass(frozen=True, slots=True)
class Gravitation(Force):
    """Attraction of every pair of `bodies` by the energy -G m m' / sqrt(r² + softening²), r between
    their centres of mass.
    """

    kind: ClassVar[str] = "gravitation"
    is_relative: ClassVar[bool] = True
    is_conservative: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {"constant": "gravitation", "softening": "length"}

    bodies: tuple[str, ...]
    constant: float = GRAVITATIONAL_CONSTANT  # m³/(kg s²)
    softening: float = 0.0  # m; above zero a meeting of two bodies is regular

    def __post_init__(self) -> None:
        Force.__post_init__(self)
        check_fields(self, _names, "bodies")
        check_fields(self, number, "constant")
        check_fields(self, nonnegative, "softening")


# ---- on one body ---------------------------------------------------------------------------------
@register(FORCES)
@dataclass(frozen=True, slots=True)
class CentralGravity(BodyForce):
    """Force -mu m r/r³ towards a fixed `centre` (m, world axes), mu in m³/s²; beside the gravity of
    the model, which may be zero.

    With `gradient` the field differs across the body: energy -mu m/r - mu (tr I - 3 n.I n)/(2 r³),
    its torque, and its force to that order.
    """

    kind: ClassVar[str] = "central_gravity"
    is_conservative: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {"mu": "gravitational_parameter", "centre": "length"}

    mu: float
    centre: Vector = ORIGIN
    gradient: bool = True

    def __post_init__(self) -> None:
        BodyForce.__post_init__(self)
        check_fields(self, number, "mu")
        check_fields(self, point, "centre")
        check_fields(self, flag, "gradient")


@register(FORCES)
@dataclass(frozen=True, slots=True)
class Drag(BodyForce):
    """Force -linear (v - wind) at the point `at` of a body and torque -angular omega: N s/m and N m
    s/rad; wind in m/s, world axes.
    """

    kind: ClassVar[str] = "drag"
    dimensions: ClassVar[Declared] = {
        "linear": "damping",
        "angular": "torsional_damping",
        "at": "length",
        "wind": "velocity",
    }

    linear: float = 0.0
    angular: float = 0.0
    at: Vector = ORIGIN
    wind: Vector = ORIGIN

    def __post_init__(self) -> None:
        BodyForce.__post_init__(self)
        check_fields(self, nonnegative, "linear", "angular")
        check_fields(self, point, "at", "wind")


# ---- along a joint -------------------------------------------------------------------------------
@register(FORCES)
@dataclass(frozen=True, slots=True)
class JointLimit(JointForce):
    """A stop: effort stiffness d + damping d/(d + ramp) dd/dt, away from it, where q is d beyond
    `lower` or `upper`; it never holds the joint back.

    The damper fades in with the depth d (rad or m), so that the effort does not jump at the
    contact. A bound that is left out is none.
    """

    kind: ClassVar[str] = "joint_limit"
    is_relative: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {
        "lower": "coordinate",
        "upper": "coordinate",
        "stiffness": "joint_stiffness",
        "damping": "joint_damping",
        "ramp": "coordinate",
    }

    lower: float | None = None
    upper: float | None = None
    stiffness: float = field(kw_only=True)
    damping: float = field(default=0.0, kw_only=True)
    ramp: float = field(default=1e-3, kw_only=True)  # depth of half the damping

    def __post_init__(self) -> None:
        """Check the numbers, and that there is a bound and the lower one is below the upper one."""
        JointForce.__post_init__(self)
        check_fields(self, _check_bound, "lower", "upper")
        check_fields(self, nonnegative, "stiffness", "damping")
        check_fields(self, positive, "ramp")
        if self.lower is None and self.upper is None:
            raise part_error(
                self.part, "upper", self.upper, "and lower are both missing; give one of them"
            )
        if self.lower is not None and self.upper is not None and not self.lower <= self.upper:
            raise part_error(
                self.part, "lower", self.lower, f"is above upper = {self.upper!r}; exchange them"
            )

    def on_leader(self, ratio: float, offset: float, leader: str) -> JointLimit:
        """Bounds and depth by x = ratio x_leader + offset; a negative ratio exchanges the
        bounds.
        """
        bounds = [
            None if bound is None else (bound - offset) / ratio
            for bound in (self.lower, self.upper)
        ]
        lower, upper = bounds if ratio > 0.0 else reversed(bounds)
        forces = {
            "stiffness": self.stiffness * ratio**2,
            "damping": self.damping * ratio**2,
            "ramp": self.ramp / abs(ratio),
        }
        return replace(self, joint=leader, lower=lower, upper=upper, **forces)


@register(FORCES)
@dataclass(frozen=True, slots=True)
class JointFriction(JointForce):
    """Q = -viscous v - coulomb tanh(v/smoothing): dry friction, smoothed at rates below `smoothing`
    (rad/s or m/s), where it creeps.
    """

    kind: ClassVar[str] = "joint_friction"
    is_relative: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {
        "coulomb": "effort",
        "viscous": "joint_damping",
        "smoothing": "rate",
    }

    coulomb: float = 0.0
    viscous: float = 0.0
    smoothing: float = 0.01

    def __post_init__(self) -> None:
        JointForce.__post_init__(self)
        check_fields(self, nonnegative, "coulomb", "viscous")
        check_fields(self, positive, "smoothing")

    def on_leader(self, ratio: float, offset: float, leader: str) -> JointFriction:
        size = abs(ratio)
        forces = {
            "coulomb": self.coulomb * size,
            "viscous": self.viscous * ratio**2,
            "smoothing": self.smoothing / size,
        }
        return replace(self, joint=leader, **forces)


# ---- checks --------------------------------------------------------------------------------------
def _check_bound(value: Any, part: Part, field_name: str) -> float | None:
    return None if value is None else number(value, part, field_name)


def _names(value: Any, part: Part, field_name: str) -> tuple[str, ...]:
    """Two different names or more."""
    if isinstance(value, str) or not isinstance(value, (tuple, list)) or len(value) < 2:
        raise part_error(
            part,
            field_name,
            value,
            "is no list of two names or more; give the bodies that attract each other",
        )
    names = tuple(text(name, part, field_name) for name in value)
    for k, name in enumerate(names):
        if name in names[:k]:
            raise part_error(part, field_name, names, f"names {name!r} twice; name every body once")
    return names


def _check_six(value: Any, part: Part, field_name: str) -> SixOrMatrix:
    """Six entries >= 0, or a symmetric positive semidefinite 6x6 matrix, made exactly symmetric."""
    rows = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(rows, (tuple, list)) or len(rows) != 6:
        raise part_error(
            part,
            field_name,
            value,
            "is neither six numbers nor a 6x6 matrix; give (x, y, z, about x, about y, about z)",
        )
    if not any(isinstance(row, (tuple, list, np.ndarray)) for row in rows):
        return tuple(nonnegative(x, part, field_name) for x in rows)
    matrix = np.array([vector(row, 6, part, field_name) for row in rows])
    if abs(matrix - matrix.T).max() > SYMMETRY_TOLERANCE * abs(matrix).max():
        raise part_error(
            part,
            field_name,
            value,
            "is not symmetric; the entries above and below the diagonal must agree",
        )
    matrix = 0.5 * (matrix + matrix.T)
    least = float(np.linalg.eigvalsh(matrix)[0])
    if least < -EIGENVALUE_TOLERANCE * abs(matrix).max():
        raise part_error(
            part,
            field_name,
            value,
            f"has the negative eigenvalue {least:.6g} and would drive the bodies; check the signs",
        )
    return tuple(tuple(row) for row in matrix.tolist())
