"""Units of length, mass and time, and models without units: x = L x', m = M m', t = tau t' (seed
002, 3.3.9; ERRATA 2-32).

A set of units is coherent: force, energy and all else follow from three, so the equations of motion
hold in it without factors.
Values of constants are those of CODATA 2018.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

from hamiltree.errors import ModelError, OptionError, suggest
from hamiltree.model.bodies import Body
from hamiltree.model.constraints import Constraint
from hamiltree.model.elements import Gravitation, PointSpring
from hamiltree.model.forces import BodyInput, BodyLoad, Force, JointInput
from hamiltree.model.joints import Ball, Free, Joint, Revolute, Weld
from hamiltree.model.model import Model
from hamiltree.model.pair_force import PairForce
from hamiltree.model.particles import Particles
from hamiltree.model.potentials import (
    Buckingham,
    Coulomb,
    Fene,
    HarmonicBond,
    LennardJones,
    Morse,
    Potential,
    PotentialTable,
)
from hamiltree.model.shapes import Box, Capsule, Cylinder, Shape, Sphere
from hamiltree.model.values import Frame, Part, positive

BOLTZMANN = 1.380649e-23  # J/K
AVOGADRO = 6.02214076e23  # 1/mol
DALTON = 1.66053906660e-27  # kg
ELEMENTARY_CHARGE = 1.602176634e-19  # C
COULOMB_CONSTANT = 8.9875517923e9  # N m²/C², 1/(4 pi eps0)
ANGSTROM, NANOMETRE = 1e-10, 1e-9  # m
FEMTOSECOND, PICOSECOND = 1e-15, 1e-12  # s
KILOCALORIE_PER_MOLE, KILOJOULE_PER_MOLE = 4184.0 / AVOGADRO, 1000.0 / AVOGADRO  # J
ELECTRONVOLT = ELEMENTARY_CHARGE  # J

# dimension -> powers of length, mass and time
DIMENSIONS: dict[str, tuple[int, int, int]] = {
    "number": (0, 0, 0),
    "angle": (0, 0, 0),
    "length": (1, 0, 0),
    "mass": (0, 1, 0),
    "time": (0, 0, 1),
    "area": (2, 0, 0),
    "volume": (3, 0, 0),
    "density": (-3, 1, 0),
    "velocity": (1, 0, -1),
    "acceleration": (1, 0, -2),
    "angular_velocity": (0, 0, -1),
    "angular_acceleration": (0, 0, -2),
    "frequency": (0, 0, -1),
    "inertia": (2, 1, 0),
    "momentum": (1, 1, -1),
    "angular_momentum": (2, 1, -1),
    "force": (1, 1, -2),
    "torque": (2, 1, -2),
    "energy": (2, 1, -2),
    "power": (2, 1, -3),
    "pressure": (-1, 1, -2),
    "stiffness": (0, 1, -2),
    "damping": (0, 1, -1),
    "wavenumber": (-1, 0, 0),
    "attraction": (8, 1, -2),  # energy length⁶
    "strength": (3, 1, -2),  # energy length, of two charges
    "gravitation": (3, -1, -2),
}


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
        length, mass, energy = (
            positive(length, part, "length"),
            positive(mass, part, "mass"),
            positive(energy, part, "energy"),
        )
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
        a, b, c = DIMENSIONS[dimension]
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
# The dimension of every field that has one; a tuple gives them entry by entry. What is not named
# has none.
FIELD_DIMENSIONS: dict[type, dict[str, Any]] = {
    Frame: {"position": "length"},
    Particles: {"positions": "length", "masses": "mass"},
    Body: {"mass": "mass", "com": "length", "inertia": "inertia"},
    Box: {"size": "length"},
    Sphere: {"radius": "length"},
    Cylinder: {"radius": "length", "length": "length"},
    Capsule: {"radius": "length", "length": "length"},
    Weld: {},
    Ball: {"qdot": "angular_velocity"},
    Revolute: {"qdot": "angular_velocity", "armature": "inertia"},
    Free: {
        "q": ("length",) * 3 + ("number",) * 4,
        "qdot": ("velocity",) * 3 + ("angular_velocity",) * 3,
    },
    BodyLoad: {"force": "force", "torque": "torque", "at": "length"},
    BodyInput: {"at": "length"},  # what is set must be in the same units
    JointInput: {},
    PointSpring: {
        "at_a": "length",
        "at_b": "length",
        "stiffness": "stiffness",
        "length": "length",
        "damping": "damping",
    },
    Gravitation: {"constant": "gravitation", "softening": "length"},
    PairForce: {"cutoff": "length", "switch": "length", "skin": "length", "box": "length"},
    LennardJones: {"epsilon": "energy", "sigma": "length"},
    Morse: {"depth": "energy", "steepness": "wavenumber", "distance": "length"},
    Coulomb: {"constant": "strength", "screening": "length"},
    Buckingham: {"strength": "energy", "steepness": "wavenumber", "attraction": "attraction"},
    HarmonicBond: {"stiffness": "stiffness", "length": "length"},
    Fene: {"stiffness": "stiffness", "extent": "length"},
}
CONVERTED_PARTS = (Body, Joint, Force, Constraint, Shape, Particles, Potential, Frame)


def nondimensionalise(model: Model, units: Units, *, back: bool = False) -> Model:
    """The model without units, all its numbers divided by these; `back`: from there to the numbers
    that they multiply.

    Times of the result are in units of `units.time`. Charges stay; Coulomb's constant takes their
    part. A part whose dimensions are not known (formulas, joints and forces of other kinds) is
    refused by name.
    """
    for group in ("couplings", "constraints"):
        for position, part in enumerate(getattr(model, group)):
            called = (
                part.describe(position)
                if isinstance(part, Constraint)
                else f"coupling {part.name or position + 1!r}"
            )
            raise _refuse_unknown(called, (group[:-1], part.name or position + 1))
    factor = _UnitConverter(units, back)
    return replace(
        model,
        bodies=tuple(
            _convert_part(body, factor, f"body {body.name!r}", ("body", body.name))
            for body in model.bodies
        ),
        joints=tuple(
            _convert_part(joint, factor, f"joint {joint.name!r}", ("joint", joint.name))
            for joint in model.joints
        ),
        forces=tuple(
            _convert_part(force, factor, force.describe(i), ("force", force.name or i + 1))
            for i, force in enumerate(model.forces)
        ),
        gravity=factor(model.gravity, "acceleration"),
    )


class _UnitConverter:
    """Numbers and tuples of them, made without units or given them back."""

    def __init__(self, units: Units, back: bool) -> None:
        self.units, self.back = units, back
        self.sizes: dict[str, float] = {}
        # by identity: many bodies share theirs, and shall go on sharing
        self.particles: dict[int, Particles] = {}

    def __call__(self, value: Any, dimension: str | tuple[str, ...]) -> Any:
        if value is None:
            return None
        if isinstance(dimension, tuple):
            return tuple(self(x, each) for x, each in zip(value, dimension, strict=True))
        if isinstance(value, tuple):
            return tuple([self(x, dimension) for x in value])
        size = self.sizes.setdefault(dimension, self.units.size(dimension))
        return value * size if self.back else value / size


def _convert_part(
    part: Any, factor: _UnitConverter, called: str, who: tuple[str, str | int]
) -> Any:
    """A part and the parts within it."""
    if type(part) not in FIELD_DIMENSIONS:
        raise _refuse_unknown(f"{called} ({type(part).__name__})", who)
    if id(part) in factor.particles:
        return factor.particles[id(part)]
    known, changes = FIELD_DIMENSIONS[type(part)], {}
    for field in fields(part):
        value = getattr(part, field.name)
        if field.name in known:
            changes[field.name] = factor(value, known[field.name])
        elif isinstance(value, CONVERTED_PARTS):
            changes[field.name] = _convert_part(value, factor, called, who)
        elif isinstance(value, PotentialTable):
            changes[field.name] = {
                key: _convert_part(entry, factor, called, who) for key, entry in value.items()
            }
        elif isinstance(value, tuple) and value and isinstance(value[0], CONVERTED_PARTS):
            changes[field.name] = tuple(
                _convert_part(entry, factor, called, who) for entry in value
            )
    done = replace(part, **changes)
    if isinstance(part, Particles):
        factor.particles[id(part)] = done
    return done


def _refuse_unknown(called: str, who: tuple[str, str | int]) -> ModelError:
    names = ", ".join(
        kind.__name__ for kind in FIELD_DIMENSIONS if issubclass(kind, (Joint, Force))
    )
    return ModelError(
        f"{called}: its dimensions are not known; scale a model of {names}, or scale it by hand",
        who,
        None,
    )
