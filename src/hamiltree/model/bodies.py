"""A rigid body: mass, centre of mass, inertia, looks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from hamiltree.errors import ModelError, OptionError
from hamiltree.model.catalogues import explain_arguments
from hamiltree.model.dimensions import Declared
from hamiltree.model.frames import NO_FRAMES, NamedFrames, check_frames
from hamiltree.model.particles import Particles, merge_particles
from hamiltree.model.shapes import MassProperties, Shape, composite
from hamiltree.model.values import (
    ORIGIN,
    ZERO_MATRIX,
    Matrix,
    Vector,
    diagonal,
    inertia,
    nonnegative,
    number,
    part_error,
    point,
    text,
)

GROUND = "ground"


@explain_arguments
@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body.

    `com` in m from the body's origin, `inertia` in kg m² about the centre of mass, both in body
    axes.

    `inertia` may be given as a number, three principal values, six (xx, xy, xz, yy, yz, zz) or a
    3x3 matrix; it is kept as a matrix.
    A mass without extension and one without mass are legal here; a formulation that cannot use them
    says so.
    `particles` are what pair forces act on; mass, com and inertia stay those given, `of_particles`
    takes them from the particles.
    `frames` are points and axes of interest by name, {name: Frame}; ht.dynamics finds them.
    """

    dimensions: ClassVar[Declared] = {"mass": "mass", "com": "length", "inertia": "inertia"}

    name: str
    mass: float = 0.0
    com: Vector = ORIGIN
    inertia: Matrix = ZERO_MATRIX
    visuals: tuple[Shape, ...] = ()
    particles: Particles | None = None
    frames: NamedFrames = NO_FRAMES

    def __post_init__(self) -> None:
        """Check every field, and that inertia and particles agree."""
        part = ("body", self.name if isinstance(self.name, str) else "")
        put = object.__setattr__
        name, mass, com, tensor = self.name, self.mass, self.com, self.inertia
        if type(name) is not str or not name.isascii() or not name:
            put(self, "name", text(name, part, "name"))
        if name == GROUND:
            raise part_error(
                part, "name", self.name, "is the name of the world itself; choose another"
            )
        weight = nonnegative(mass, part, "mass")
        if weight is not mass:
            put(self, "mass", weight)
        centre = point(com, part, "com")
        if centre is not com:
            put(self, "com", centre)
        moments = inertia(tensor, weight, part)
        if moments is not tensor:
            put(self, "inertia", moments)
        if self.visuals != ():
            put(self, "visuals", _shapes(self.visuals, part))
        if self.particles is not None and not isinstance(self.particles, Particles):
            raise part_error(
                part,
                "particles",
                self.particles,
                "are no Particles; give Particles(positions, masses, types)",
            )
        if self.frames is not NO_FRAMES:
            put(self, "frames", check_frames(self.frames, part))
        if (
            self.mass > 0.0
            and self.particles is not None
            and len(self.particles) > 1
            and not any(map(any, self.inertia))
        ):
            _check_particles(self.particles, part)

    @classmethod
    def solid(
        cls,
        name: str,
        *shapes: Shape | tuple[Shape, float],
        mass: float | None = None,
        density: float | None = None,
    ) -> Body:
        """A body made of homogeneous solids, kept as its visuals.

        An entry (shape, mass) weighs what it says. The plain shapes share one density,
        given by `density` (kg/m³) or by their `mass` together (kg).
        """
        if not shapes:
            raise OptionError(f"body {name!r}: solid needs at least one shape")
        entries = [_entry(entry, name) for entry in shapes]
        plain = [shape for shape, own in entries if own is None]
        common = _common_density(name, plain, mass, density)
        parts = [
            shape.mass_properties(density=common)
            if own is None
            else shape.mass_properties(mass=own)
            for shape, own in entries
        ]
        whole = composite(parts)
        total = (
            whole.mass if mass is None else mass + sum(own for _, own in entries if own is not None)
        )  # not a rounding away from what was given
        return cls(name, total, whole.com, whole.inertia, tuple(shape for shape, _ in entries))

    @classmethod
    def from_parts(cls, name: str, parts: Iterable[MassProperties | Body]) -> Body:
        """A body made of others that share its axes and origin; the visuals, particles and frames
        of bodies are kept.
        """
        parts = tuple(parts)
        if not parts:
            raise OptionError(f"body {name!r}: from_parts needs at least one part")
        for part in parts:
            if not isinstance(part, (MassProperties, Body)):
                raise OptionError(
                    f"body {name!r}: a part is a {type(part).__name__}; give MassProperties or "
                    "bodies"
                )
        whole = composite(
            part.mass_properties if isinstance(part, Body) else part for part in parts
        )
        visuals = tuple(shape for part in parts if isinstance(part, Body) for shape in part.visuals)
        particles = merge_particles(
            part.particles
            for part in parts
            if isinstance(part, Body) and part.particles is not None
        )
        frames = {k: x for part in parts if isinstance(part, Body) for k, x in part.frames.items()}
        return cls(
            *(name, whole.mass, whole.com, whole.inertia, visuals, particles), NamedFrames(frames)
        )

    @classmethod
    def of_particles(cls, name: str, particles: Particles, principal: bool = False) -> Body:
        """A body that is its particles: mass, centre and inertia are theirs; one particle alone is
        a point mass.

        With `principal` the body's origin and axes become its centre of mass and principal axes,
        and the particles move with them.
        """
        if not isinstance(particles, Particles):
            raise part_error(
                ("body", name),
                "particles",
                particles,
                "are no Particles; give Particles(positions, masses, types)",
            )
        if not principal:
            return cls(name, particles.mass, particles.com, particles.inertia, (), particles)
        moments, _, _ = particles.principal()
        return cls(
            name, particles.mass, ORIGIN, diagonal(moments), (), particles.in_principal_axes()
        )

    @property
    def mass_properties(self) -> MassProperties:
        return MassProperties(self.mass, self.com, self.inertia)


def _check_particles(particles: Particles, part: tuple[str, str]) -> None:
    """A mass without an inertia would never turn."""
    if any(map(any, particles.inertia)):
        problem = (
            "is none, but its particles have one; "
            "leave out mass, com and inertia (Body.of_particles), or give them all"
        )
        raise part_error(part, "inertia", 0.0, problem)


def _shapes(visuals: object, part: tuple[str, str]) -> tuple[Shape, ...]:
    """One shape or a list of them, as a tuple."""
    entries = (visuals,) if isinstance(visuals, Shape) else visuals
    if not isinstance(entries, (tuple, list)) or not all(
        isinstance(entry, Shape) for entry in entries
    ):
        raise part_error(
            part,
            "visuals",
            visuals,
            "is not a list of shapes; give Box, Sphere, Cylinder or Capsule",
        )
    return tuple(entries)


def _entry(entry: object, name: str) -> tuple[Shape, float | None]:
    """A shape, or a pair (shape, mass): (shape, its mass or None)."""
    if isinstance(entry, Shape):
        return entry, None
    if isinstance(entry, (tuple, list)) and len(entry) == 2 and isinstance(entry[0], Shape):
        return entry[0], number(entry[1], ("body", name), "mass")
    raise ModelError(
        f"body {name!r}: {entry!r} is not a shape; give a shape or a pair (shape, mass)",
        ("body", name),
        "visuals",
    )


def _common_density(
    name: str, plain: list[Shape], mass: float | None, density: float | None
) -> float | None:
    """Density of the shapes without a mass of their own, from `mass` or `density`; None if there
    are none.
    """
    part = ("body", name)
    given = (mass is not None) + (density is not None)
    if given != bool(plain):
        raise ModelError(
            f"body {name!r}: "
            + (
                "give either mass= or density= for its shapes"
                if plain
                else "no shape is left to take mass= or density=; give shapes, or leave these out"
            ),
            part,
            "mass",
        )
    if mass is not None:
        return nonnegative(mass, part, "mass") / sum(shape.volume for shape in plain)
    return None if density is None else nonnegative(density, part, "density")
