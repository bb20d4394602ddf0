"""Solids: what a body looks like and, if wanted, what it weighs.

A shape is placed in its body by `frame`. Inertias are of homogeneous solids, about their centre of
mass; SI units.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from hamiltree.errors import OptionError
from hamiltree.model.catalogues import register
from hamiltree.model.dimensions import Declared
from hamiltree.model.values import (
    IDENTITY,
    ORIGIN,
    ZERO_MATRIX,
    Frame,
    Matrix,
    Part,
    Vector,
    add,
    as_frame,
    diagonal,
    inertia,
    nonnegative,
    part_error,
    point,
    positive,
    rotate,
    scale,
    symmetric,
    text,
)

COLOR = re.compile(r"#[0-9a-fA-F]{6}\Z")
MASS_PROPERTIES: Part = ("mass properties", "")
SHAPES: dict[str, type[Shape]] = {}  # by kind


@dataclass(frozen=True, slots=True)
class MassProperties:
    """Mass (kg), centre of mass (m, body axes from the body's origin), inertia about the centre of
    mass (kg m², body axes).
    """

    mass: float = 0.0
    com: Vector = ORIGIN
    inertia: Matrix = ZERO_MATRIX

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", nonnegative(self.mass, MASS_PROPERTIES, "mass"))
        object.__setattr__(self, "com", point(self.com, MASS_PROPERTIES, "com"))
        object.__setattr__(self, "inertia", inertia(self.inertia, self.mass, MASS_PROPERTIES))

    def transform(self, frame: Frame) -> MassProperties:
        """The same solid placed at `frame`: com' = r + R com, I' = R I Rᵀ."""
        R = frame.matrix
        turned = (R @ self.inertia @ R.T).tolist()
        return MassProperties(
            self.mass, add(frame.position, rotate(frame.rotation, self.com)), turned
        )


def composite(parts: Iterable[MassProperties]) -> MassProperties:
    """Several solids rigidly together, by the parallel axis theorem: I = sum I_k + m_k (|r|² - r
    rᵀ), r = com_k - com.
    """
    parts = tuple(parts)
    mass = math.fsum(part.mass for part in parts)
    if mass == 0.0:
        return MassProperties()
    x, y, z = (math.fsum(part.mass * part.com[k] for part in parts) / mass for k in range(3))
    terms = [_inertia_about(part, (x, y, z)) for part in parts]
    return MassProperties(mass, (x, y, z), symmetric(*map(math.fsum, zip(*terms, strict=True))))


def _inertia_about(part: MassProperties, origin: Vector) -> tuple[float, ...]:
    """Inertia of a part about `origin`: xx, xy, xz, yy, yz, zz."""
    x, y, z = add(part.com, scale(-1.0, origin))
    m, ((xx, xy, xz), (_, yy, yz), (_, _, zz)) = part.mass, part.inertia
    return (
        xx + m * (y * y + z * z),
        xy - m * x * y,
        xz - m * x * z,
        yy + m * (x * x + z * z),
        yz - m * y * z,
        zz + m * (x * x + y * y),
    )


@dataclass(frozen=True, slots=True)
class Shape:
    """A solid placed in a body: `frame` is the shape's own frame in the body, `color` "#rrggbb" or
    None.
    """

    kind: ClassVar[str] = ""
    dimensions: ClassVar[Declared] = {}

    frame: Frame = field(default=IDENTITY, kw_only=True)
    color: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        part = (self.kind or "shape", "")
        object.__setattr__(self, "frame", as_frame(self.frame, part, "frame"))
        if self.color is not None and not (isinstance(self.color, str) and COLOR.match(self.color)):
            raise part_error(
                part, "color", self.color, 'is not a colour; write it as "#rrggbb", e.g. "#3366aa"'
            )

    def _check_positive(self, name: str) -> None:
        object.__setattr__(self, name, positive(getattr(self, name), (self.kind, ""), name))

    @property
    def volume(self) -> float:
        """m³."""
        raise NotImplementedError(f"{type(self).__name__} has no volume")

    def squared_gyration_radii(self) -> Vector:
        """Inertia per unit mass about the centre, on the shape's own axes, which are principal:
        m².
        """
        raise NotImplementedError(f"{type(self).__name__} has no inertia")

    def mass_properties(
        self, mass: float | None = None, density: float | None = None
    ) -> MassProperties:
        """Of the homogeneous solid, in body axes, from its mass (kg) or its density (kg/m³): give
        exactly one.
        """
        if (mass is None) == (density is None):
            raise OptionError(f"{self.kind}: give either mass= or density=, and only one of them")
        part = (self.kind, "")
        m = (
            nonnegative(mass, part, "mass")
            if density is None
            else nonnegative(density, part, "density") * self.volume
        )
        return MassProperties(
            m, ORIGIN, diagonal(scale(m, self.squared_gyration_radii()))
        ).transform(self.frame)


@register(SHAPES)
@dataclass(frozen=True, slots=True)
class Box(Shape):
    """A cuboid of full edge lengths `size` (x, y, z), centred on its frame."""

    kind: ClassVar[str] = "box"
    dimensions: ClassVar[Declared] = {"size": "length"}

    size: Vector

    def __post_init__(self) -> None:
        Shape.__post_init__(self)
        object.__setattr__(self, "size", point(self.size, ("box", ""), "size"))
        if min(self.size) <= 0.0:
            raise part_error(
                ("box", ""), "size", self.size, "is not positive; give three lengths above zero"
            )

    @property
    def volume(self) -> float:
        return self.size[0] * self.size[1] * self.size[2]

    def squared_gyration_radii(self) -> Vector:
        x, y, z = self.size
        return (y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12


@register(SHAPES)
@dataclass(frozen=True, slots=True)
class Sphere(Shape):
    """A ball centred on its frame."""

    kind: ClassVar[str] = "sphere"
    dimensions: ClassVar[Declared] = {"radius": "length"}

    radius: float

    def __post_init__(self) -> None:
        Shape.__post_init__(self)
        self._check_positive("radius")

    @property
    def volume(self) -> float:
        return 4 / 3 * math.pi * self.radius**3

    def squared_gyration_radii(self) -> Vector:
        moment = 0.4 * self.radius**2
        return moment, moment, moment


@register(SHAPES)
@dataclass(frozen=True, slots=True)
class Cylinder(Shape):
    """A round cylinder along z, centred on its frame."""

    kind: ClassVar[str] = "cylinder"
    dimensions: ClassVar[Declared] = {"radius": "length", "length": "length"}

    radius: float
    length: float

    def __post_init__(self) -> None:
        Shape.__post_init__(self)
        self._check_positive("radius")
        self._check_positive("length")

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * self.length

    def squared_gyration_radii(self) -> Vector:
        across = (3 * self.radius**2 + self.length**2) / 12
        return across, across, 0.5 * self.radius**2


@register(SHAPES)
@dataclass(frozen=True, slots=True)
class Capsule(Shape):
    """A cylinder of `length` along z with a hemisphere on either end, centred on its frame."""

    kind: ClassVar[str] = "capsule"
    dimensions: ClassVar[Declared] = {"radius": "length", "length": "length"}

    radius: float
    length: float

    def __post_init__(self) -> None:
        Shape.__post_init__(self)
        self._check_positive("radius")
        self._check_positive("length")

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * (self.length + 4 / 3 * self.radius)

    def squared_gyration_radii(self) -> Vector:
        r, length = self.radius, self.length
        ends = 4 * r / (3 * length + 4 * r)  # the part of the mass that sits in the two hemispheres
        across = (1 - ends) * (3 * r**2 + length**2) / 12 + ends * (
            0.4 * r**2 + 0.375 * r * length + 0.25 * length**2
        )
        return across, across, (1 - ends) * 0.5 * r**2 + ends * 0.4 * r**2


@register(SHAPES)
@dataclass(frozen=True, slots=True)
class Mesh(Shape):
    """Looks only: the surface in the file `filename`, stretched by `scale` along its own axes.

    The file is never opened here.
    """

    kind: ClassVar[str] = "mesh"
    dimensions: ClassVar[Declared] = {"scale": "length"}

    filename: str
    scale: Vector = (1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        Shape.__post_init__(self)
        object.__setattr__(self, "filename", text(self.filename, ("mesh", ""), "filename"))
        object.__setattr__(self, "scale", point(self.scale, ("mesh", ""), "scale"))
        if 0.0 in self.scale:
            raise part_error(
                ("mesh", ""),
                "scale",
                self.scale,
                "flattens the mesh; give three factors other than zero",
            )

    @property
    def volume(self) -> float:
        raise OptionError(
            f"mesh {self.filename!r} has no known volume; give the body mass, com and inertia, the "
            "mesh as a visual"
        )

    def squared_gyration_radii(self) -> Vector:
        raise OptionError(
            f"mesh {self.filename!r} has no known inertia; give the body mass, com and inertia, "
            "the mesh as a visual"
        )
