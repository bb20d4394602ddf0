"""Units of length, mass and time, and models without units: x = L x', m = M m', t = tau t' (the
thesis, 3.3.9; ERRATA 2-32).

A set of units is coherent: force, energy and all else follow from three, so the equations of motion
hold in it without factors.
Values of constants are those of CODATA 2018.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from hamiltree.errors import ModelError, OptionError, suggest
from hamiltree.model.dimensions import (
    COORDINATE_DIMENSIONS,
    COORDINATE_RATIO,
    DIMENSIONS,
    TEXT,
    Dimension,
    Each,
    Powers,
    coordinate_powers,
)
from hamiltree.model.frames import NamedFrames
from hamiltree.model.joints import Joint, coordinate_labels
from hamiltree.model.limits import NO_LIMITS, Limits
from hamiltree.model.model import Model
from hamiltree.model.particles import Particles
from hamiltree.model.potentials import PotentialTable
from hamiltree.model.values import Part, positive
from hamiltree.renamed import refuse_module_attribute

BOLTZMANN = 1.380649e-23  # J/K
AVOGADRO = 6.02214076e23  # 1/mol
DALTON = 1.66053906660e-27  # kg
ELEMENTARY_CHARGE = 1.602176634e-19  # C
COULOMB_CONSTANT = 8.9875517923e9  # N m²/C², 1/(4 pi eps0)
ANGSTROM, NANOMETRE = 1e-10, 1e-9  # m
FEMTOSECOND, PICOSECOND = 1e-15, 1e-12  # s
KILOCALORIE_PER_MOLE, KILOJOULE_PER_MOLE = 4184.0 / AVOGADRO, 1000.0 / AVOGADRO  # J
ELECTRONVOLT = ELEMENTARY_CHARGE  # J


@dataclass(frozen=True, slots=True)
class Units:
    """Coherent units by what they are in SI: `length` in m, `mass` in kg, `time` in s, and `charge`
    in C for Coulomb's constant.
    """

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0
    charge: float = 1.0

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(
                self, field.name, positive(getattr(self, field.name), ("units", ""), field.name)
            )

    @classmethod
    def of_energy(cls, length: float, mass: float, energy: float, charge: float = 1.0) -> Units:
        """From the units of length, mass and energy; time = length sqrt(mass/energy)."""
        part: Part = ("units", "")
        length = positive(length, part, "length")
        mass = positive(mass, part, "mass")
        energy = positive(energy, part, "energy")
        return cls(length, mass, length * math.sqrt(mass / energy), charge)

    @classmethod
    def lennard_jones(cls, sigma: float, epsilon: float, mass: float) -> Units:
        """Reduced units: sigma (m), epsilon (J) and mass (kg) are one, and so is Coulomb's
        constant.
        """
        charge = math.sqrt(
            positive(sigma, ("units", ""), "sigma")
            * positive(epsilon, ("units", ""), "epsilon")
            / COULOMB_CONSTANT
        )
        return cls.of_energy(sigma, mass, epsilon, charge)

    def size(self, dimension: str) -> float:
        """What 1 of these units is in SI; of a temperature, whose unit is energy/k, in K."""
        if dimension == "temperature":
            return self.size("energy") / BOLTZMANN
        if dimension == "charge":
            return self.charge
        if dimension not in DIMENSIONS:
            raise OptionError(
                f"there is no dimension {dimension!r}; "
                f"{suggest(dimension, (*DIMENSIONS, 'temperature', 'charge'))}"
            )
        return self.size_of_powers(DIMENSIONS[dimension])

    def size_of_powers(self, powers: Powers) -> float:
        """length^a mass^b time^c in SI."""
        a, b, c = powers
        return self.length**a * self.mass**b * self.time**c

    def to_si(self, value: Any, dimension: str) -> Any:
        """A number or an array in these units, in SI."""
        return value * self.size(dimension)

    def from_si(self, value: Any, dimension: str) -> Any:
        """A number or an array in SI, in these units."""
        return value / self.size(dimension)

    @property
    def force(self) -> float:
        """N."""
        return self.size("force")

    @property
    def energy(self) -> float:
        """J."""
        return self.size("energy")

    @property
    def temperature(self) -> float:
        """K: temperatures are energies k T here."""
        return self.size("temperature")

    @property
    def coulomb_constant(self) -> float:
        """1/(4 pi eps0) in these units, the `constant` of a Coulomb potential."""
        return self.from_si(COULOMB_CONSTANT, "strength") * self.charge**2


SI = Units()
# nm, u, ps, e: energies in kJ/mol, forces in kJ/(mol nm).
MOLECULAR = Units(NANOMETRE, DALTON, PICOSECOND, ELEMENTARY_CHARGE)
# Angstrom, g/mol, kcal/mol, e: the unit of time is then 48.888 fs, not 1 fs.
REAL = Units.of_energy(ANGSTROM, DALTON, KILOCALORIE_PER_MOLE, ELEMENTARY_CHARGE)
# Angstrom, ps, eV, e: the unit of mass is then 9648.5 g/mol, not 1 g/mol.
METAL = Units(ANGSTROM, ELECTRONVOLT * (PICOSECOND / ANGSTROM) ** 2, PICOSECOND, ELEMENTARY_CHARGE)


# ---- models --------------------------------------------------------------------------------------
def nondimensionalise(model: Model, units: Units, *, back: bool = False) -> Model:
    """The model without units, all its numbers divided by these; `back`: from there to the numbers
    that they multiply.

    Times of the result are in units of `units.time`. Charges stay; Coulomb's constant is converted
    for them. Every part declares the dimensions of its fields (`dimensions` of its class); a
    formula, a function, and a number without a declared dimension are refused by name.
    """
    convert = _UnitConverter(model, units, back)
    return replace(
        model,
        bodies=convert.parts(model.bodies, "body"),
        joints=convert.parts(model.joints, "joint"),
        forces=convert.parts(model.forces, "force"),
        couplings=convert.parts(model.couplings, "coupling"),
        constraints=convert.parts(model.constraints, "constraint"),
        gravity=convert.fixed_dimension(model.gravity, "acceleration"),
        **{name: convert.fixed_dimension(t, "time") for name, t in model.times.items()},
    )


def __getattr__(name: str) -> Any:
    raise refuse_module_attribute(__name__, name)


def declared_numbers(model: Model, parts: Iterable[Any]) -> list[tuple[float, Powers]]:
    """The numbers of parts of a model with their powers of length, mass and time; formulas and
    functions are left out.
    """
    collector = _NumberCollector(model)
    for part in parts:
        collector.part(part)
    return collector.found


class _Undeclared(Exception):
    """Why a field cannot be converted."""


class _UnitConverter:
    """Parts of a model made without units, or given them back."""

    def __init__(self, model: Model, units: Units, back: bool) -> None:
        self.units = units
        self.back = back
        self.sizes: dict[Powers, float] = {}
        self.model = model
        # by identity: bodies that share their particles shall go on sharing them
        self.particles: dict[int, Particles] = {}

    def parts(self, parts: Any, group: str) -> tuple[Any, ...]:
        """All parts of one group of a model."""
        return tuple(self.part(part, *_name_part(part, group, k)) for k, part in enumerate(parts))

    def part(self, part: Any, called: str, who: tuple[str, str | int]) -> Any:
        """A part and the parts within it."""
        if id(part) in self.particles:
            return self.particles[id(part)]
        changes = {}
        for field in fields(part):
            value = getattr(part, field.name)
            try:
                if field.init:
                    changes[field.name] = self.field(part, field.name, value, called, who)
            except _Undeclared as reason:
                raise ModelError(
                    f"{called} ({type(part).__name__}): {field.name} {reason}; convert it by hand",
                    who,
                    field.name,
                ) from None
        done = replace(part, **changes)
        if isinstance(part, Particles):
            self.particles[id(part)] = done
        return done

    def field(self, part: Any, name: str, value: Any, *who: Any) -> Any:
        """The value of a field by its declared dimension; parts within it by theirs."""
        dimension = type(part).dimensions.get(name)
        if name == "limits" and isinstance(part, Joint):
            return self.limits(part, value)
        if dimension is not None:
            return self.value(value, dimension, part)
        if hasattr(value, "dimensions"):
            return self.part(value, *who)
        if isinstance(value, (NamedFrames, PotentialTable)):
            return {key: self.part(entry, *who) for key, entry in value.items()}
        if isinstance(value, tuple) and value and hasattr(value[0], "dimensions"):
            return tuple(self.part(entry, *who) for entry in value)
        if _holds_numbers(value):
            raise _Undeclared("has no declared dimension")
        return value

    def value(self, value: Any, dimension: Dimension, part: Any) -> Any:
        """Numbers and tuples of them, of a dimension that is fixed, along a joint, or one for each
        entry.
        """
        if value is None or dimension in (TEXT, "number"):
            return value
        if isinstance(dimension, Each):
            rows = (zip(row, dimension, strict=False) for row in value)
            return tuple(tuple(self.value(x, each, part) for x, each in row) for row in rows)
        if isinstance(dimension, tuple):
            pairs = zip(value, _match_diagonal(dimension, value), strict=True)
            return tuple(self.value(x, each, part) for x, each in pairs)
        if dimension in COORDINATE_DIMENSIONS:
            return self.along_coordinates(value, dimension, part)
        if dimension == COORDINATE_RATIO:
            follower, leader = (self.target_dimension(name) for name in (part.joint, part.of))
            power = DIMENSIONS[follower][0] - DIMENSIONS[leader][0]
            return self.scale(value, (power, 0, 0))
        return self.fixed_dimension(value, dimension)

    def along_coordinates(self, value: Any, dimension: str, part: Any) -> Any:
        """Of a joint one number for each of its coordinates or speeds; of a force, a coupling or a
        constraint numbers along the coordinate that it names.
        """
        if not isinstance(part, Joint):
            return self.scale(
                value, coordinate_powers(dimension, self.target_dimension(part.joint))
            )
        is_position = dimension == "coordinate"
        own = part.coordinate_dimensions() if is_position else part.speed_dimensions()
        if not isinstance(value, tuple):
            return self.scale(value, coordinate_powers(dimension, own[0]))
        pairs = zip(value, own, strict=True)
        return tuple(self.scale(x, coordinate_powers(dimension, each)) for x, each in pairs)

    def limits(self, joint: Joint, given: Limits | tuple[Limits, ...]) -> Any:
        """The limits of each axis of a joint, by whether it turns or slides."""
        if given is NO_LIMITS or given == ():
            return given
        converted = tuple(
            Limits(
                *(
                    self.scale(getattr(limits, name), coordinate_powers(str(dimension), kind))
                    for name, dimension in Limits.dimensions.items()
                )
            )
            for limits, kind in zip(joint.axis_limits(), joint.speed_dimensions(), strict=False)
        )
        return converted if isinstance(given, tuple) else converted[0]

    @cached_property
    def target_dimensions(self) -> dict[str, set[str]]:
        return _dimensions_of_targets(self.model)

    def target_dimension(self, name: str) -> str:
        """Whether a coordinate, or all those of a joint, are lengths or angles."""
        found = self.target_dimensions[name]
        if len(found) != 1:
            raise _Undeclared(f"is along lengths and angles of {name!r} at once")
        return next(iter(found))

    def fixed_dimension(self, value: Any, dimension: str) -> Any:
        """A value of a dimension in DIMENSIONS."""
        return self.scale(value, DIMENSIONS[dimension])

    def scale(self, value: Any, powers: Powers) -> Any:
        """Numbers and tuples of them, multiplied or divided by the size of a unit."""
        if isinstance(value, tuple):
            return tuple([self.scale(x, powers) for x in value])
        if isinstance(value, str):
            raise _Undeclared(f"= {value!r} is a formula")
        if callable(value):
            raise _Undeclared("is a Python function")
        size = self.sizes.get(powers)
        if size is None:
            size = self.sizes[powers] = self.units.size_of_powers(powers)
        return value * size if self.back else value / size


class _NumberCollector(_UnitConverter):
    """Walks over parts as the converter does, and collects their numbers."""

    def __init__(self, model: Model) -> None:
        super().__init__(model, SI, back=False)
        self.found: list[tuple[float, Powers]] = []

    def part(self, part: Any, called: str = "", who: tuple[str, str | int] = ("", "")) -> Any:
        """The numbers of a part and of the parts within it."""
        for field in fields(part):
            with suppress(_Undeclared):
                self.field(part, field.name, getattr(part, field.name), called, who)
        return part

    def scale(self, value: Any, powers: Powers) -> Any:
        if isinstance(value, tuple):
            for x in value:
                self.scale(x, powers)
        elif isinstance(value, (int, float)):
            self.found.append((float(value), powers))
        return value


def _dimensions_of_targets(model: Model) -> dict[str, set[str]]:
    """Of every joint and every coordinate by name: "length", "angle", or both."""
    found: dict[str, set[str]] = {}
    for joint in model.joints:
        found[joint.name] = set(joint.speed_dimensions())
        axes = zip(coordinate_labels(joint), joint.speed_dimensions(), strict=False)
        found |= {label: {dimension} for label, dimension in axes if label != joint.name}
    return found


def _match_diagonal(dimension: tuple, value: Any) -> tuple:
    """The diagonal of a matrix of dimensions where only diagonal entries are given."""
    if isinstance(dimension[0], tuple) and not isinstance(value[0], tuple):
        return tuple(row[k] for k, row in enumerate(dimension))
    return dimension


def _holds_numbers(value: Any) -> bool:
    """Whether a field holds a number, which would be kept as it is; flags are none."""
    if isinstance(value, Mapping):
        return any(_holds_numbers(entry) for entry in value.values())
    if isinstance(value, tuple):
        return any(_holds_numbers(entry) for entry in value)
    return callable(value) or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _name_part(part: Any, group: str, position: int) -> tuple[str, tuple[str, str | int]]:
    """How a message calls a part, and what its error points to."""
    who = (group, part.name or position + 1)
    if hasattr(part, "describe"):
        return part.describe(position), who
    return f"{group} {part.name or position + 1!r}", who
