"""Potentials of two particles: the energy V as a function of their distance r, with dV/dr and
d²V/dr². SI units, or any coherent ones.

value, slope and curvature take numbers or NumPy arrays. A PairFormula has none of them, because its
text is read elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from hamiltree.errors import ModelError
from hamiltree.model.catalogues import register
from hamiltree.model.dimensions import Declared
from hamiltree.model.formulas import (
    NO_PARAMETERS,
    Formula,
    FrozenMapping,
    NamedNumbers,
    check_named_numbers,
    formula,
)
from hamiltree.model.named_parts import check_fields
from hamiltree.model.values import Part, nonnegative, number, part_error, positive

POTENTIALS: dict[str, type[Potential]] = {}  # by kind


@dataclass(frozen=True, slots=True)
class Potential:
    """V(r) of two particles."""

    kind: ClassVar[str] = ""
    is_unbounded: ClassVar[bool] = False  # True: |V| grows beyond all bounds as r goes to 0
    dimensions: ClassVar[Declared] = {}

    @property
    def part(self) -> Part:
        return (self.kind or type(self).__name__, "")

    def between(self, first: str, second: str) -> Potential:
        """The potential of a particle of type `first` and one of type `second`."""
        return self

    @property
    def numbers(self) -> tuple[float, ...]:
        """The parameters in the order of the fields."""
        return tuple(getattr(self, field.name) for field in fields(self))


@register(POTENTIALS)
@dataclass(frozen=True, slots=True)
class LennardJones(Potential):
    """V = 4 epsilon ((sigma/r)¹² - (sigma/r)⁶), J and m: least, -epsilon, at r = 2^(1/6) sigma."""

    kind: ClassVar[str] = "lennard_jones"
    is_unbounded: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {"epsilon": "energy", "sigma": "length"}

    epsilon: float
    sigma: float

    def __post_init__(self) -> None:
        check_fields(self, nonnegative, "epsilon")
        check_fields(self, positive, "sigma")

    def value(self, r: Any) -> Any:
        s6 = (self.sigma / r) ** 6
        return 4.0 * self.epsilon * s6 * (s6 - 1.0)

    def slope(self, r: Any) -> Any:
        s6 = (self.sigma / r) ** 6
        return -24.0 * self.epsilon * s6 * (2.0 * s6 - 1.0) / r

    def curvature(self, r: Any) -> Any:
        s6 = (self.sigma / r) ** 6
        return 24.0 * self.epsilon * s6 * (26.0 * s6 - 7.0) / r**2


@register(POTENTIALS)
@dataclass(frozen=True, slots=True)
class Morse(Potential):
    """V = depth ((1 - exp(-steepness (r - distance)))² - 1), J, 1/m, m: least, -depth,
    at r = distance.
    """

    kind: ClassVar[str] = "morse"
    dimensions: ClassVar[Declared] = {
        "depth": "energy",
        "steepness": "wavenumber",
        "distance": "length",
    }

    depth: float
    steepness: float
    distance: float

    def __post_init__(self) -> None:
        check_fields(self, nonnegative, "depth")
        check_fields(self, positive, "steepness", "distance")

    def value(self, r: Any) -> Any:
        e = np.exp(-self.steepness * (r - self.distance))
        return self.depth * e * (e - 2.0)

    def slope(self, r: Any) -> Any:
        e = np.exp(-self.steepness * (r - self.distance))
        return 2.0 * self.depth * self.steepness * e * (1.0 - e)

    def curvature(self, r: Any) -> Any:
        e = np.exp(-self.steepness * (r - self.distance))
        return 2.0 * self.depth * self.steepness**2 * e * (2.0 * e - 1.0)


@dataclass(frozen=True, slots=True)
class ChargePair(Potential):
    """V = strength exp(-r/screening)/r, J m and m: what a Coulomb potential is between two given
    types.
    """

    kind: ClassVar[str] = "charge_pair"
    is_unbounded: ClassVar[bool] = True

    strength: float
    screening: float | None = None

    def __post_init__(self) -> None:
        check_fields(self, number, "strength")
        if self.screening is not None:
            check_fields(self, positive, "screening")

    @property
    def decay(self) -> float:
        """1/screening, 1/m; 0 without screening."""
        return 0.0 if self.screening is None else 1.0 / self.screening

    @property
    def numbers(self) -> tuple[float, ...]:
        """(strength, decay)."""
        return self.strength, self.decay

    def value(self, r: Any) -> Any:
        return self.strength * np.exp(-self.decay * r) / r

    def slope(self, r: Any) -> Any:
        return -self.value(r) * (self.decay + 1.0 / r)

    def curvature(self, r: Any) -> Any:
        return self.value(r) * ((self.decay + 1.0 / r) ** 2 + 1.0 / r**2)


@register(POTENTIALS)
@dataclass(frozen=True, slots=True)
class Coulomb(Potential):
    """V = constant q q' exp(-r/screening)/r of the `charges` of the two types, without screening
    constant q q'/r.

    `constant` is 1/(4 pi eps0) in the units of the model: 1 in Gaussian ones, 8.9875518e9 N m²/C²
    in SI.
    """

    kind: ClassVar[str] = "coulomb"
    is_unbounded: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {
        "charges": "number",
        "constant": "strength",
        "screening": "length",
    }

    charges: Mapping[str, float]
    constant: float = 1.0
    screening: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "charges", _check_charges(self.charges, self.part))
        check_fields(self, number, "constant")
        if self.screening is not None:
            check_fields(self, positive, "screening")

    def between(self, first: str, second: str) -> ChargePair:
        """The potential of two charges; a type without a charge is refused."""
        for word in (first, second):
            if word not in self.charges:
                raise ModelError(
                    f"coulomb: there is no charge of the type {word!r}; add it to charges",
                    None,
                    "charges",
                )
        return ChargePair(
            self.constant * self.charges[first] * self.charges[second], self.screening
        )


@register(POTENTIALS)
@dataclass(frozen=True, slots=True)
class Buckingham(Potential):
    """V = strength exp(-steepness r) - attraction/r⁶, J, 1/m, J m⁶.

    Near r = 0 it falls without bound: start outside its hump.
    """

    kind: ClassVar[str] = "buckingham"
    is_unbounded: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {
        "strength": "energy",
        "steepness": "wavenumber",
        "attraction": "attraction",
    }

    strength: float
    steepness: float
    attraction: float

    def __post_init__(self) -> None:
        check_fields(self, nonnegative, "strength", "attraction")
        check_fields(self, positive, "steepness")

    def value(self, r: Any) -> Any:
        return self.strength * np.exp(-self.steepness * r) - self.attraction / r**6

    def slope(self, r: Any) -> Any:
        return (
            -self.strength * self.steepness * np.exp(-self.steepness * r)
            + 6.0 * self.attraction / r**7
        )

    def curvature(self, r: Any) -> Any:
        return (
            self.strength * self.steepness**2 * np.exp(-self.steepness * r)
            - 42.0 * self.attraction / r**8
        )


@register(POTENTIALS)
@dataclass(frozen=True, slots=True)
class HarmonicBond(Potential):
    """V = stiffness (r - length)²/2, N/m and m."""

    kind: ClassVar[str] = "harmonic_bond"
    dimensions: ClassVar[Declared] = {"stiffness": "stiffness", "length": "length"}

    stiffness: float
    length: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self, nonnegative, "stiffness", "length")

    def value(self, r: Any) -> Any:
        return 0.5 * self.stiffness * (r - self.length) ** 2

    def slope(self, r: Any) -> Any:
        return self.stiffness * (r - self.length)

    def curvature(self, r: Any) -> Any:
        return self.stiffness * np.ones_like(r, dtype=float)


@register(POTENTIALS)
@dataclass(frozen=True, slots=True)
class Fene(Potential):
    """V = -stiffness extent² ln(1 - (r/extent)²)/2, N/m and m: a bond that cannot be stretched
    to r = extent; beyond it V is not a number.
    """

    kind: ClassVar[str] = "fene"
    dimensions: ClassVar[Declared] = {"stiffness": "stiffness", "extent": "length"}

    stiffness: float
    extent: float

    def __post_init__(self) -> None:
        check_fields(self, nonnegative, "stiffness")
        check_fields(self, positive, "extent")

    def value(self, r: Any) -> Any:
        with np.errstate(invalid="ignore", divide="ignore"):
            return -0.5 * self.stiffness * self.extent**2 * np.log1p(-((r / self.extent) ** 2))

    def slope(self, r: Any) -> Any:
        return self.stiffness * r / self._log_argument(r)

    def curvature(self, r: Any) -> Any:
        x2 = (r / self.extent) ** 2
        return self.stiffness * (1.0 + x2) / self._log_argument(r) ** 2

    def _log_argument(self, r: Any) -> Any:
        """1 - (r/extent)², not a number where the bond is torn."""
        argument = 1.0 - (np.asarray(r, dtype=float) / self.extent) ** 2
        return np.where(argument > 0.0, argument, np.nan)


@register(POTENTIALS)
@dataclass(frozen=True, slots=True)
class PairFormula(Potential):
    """V = formula, J: any function of r (m) and the parameters, a text or a SymPy expression; it is
    differentiated for you.
    """

    kind: ClassVar[str] = "pair_formula"
    dimensions: ClassVar[Declared] = {"formula": "energy"}

    formula: Formula
    parameters: Mapping[str, float] = NO_PARAMETERS

    def __post_init__(self) -> None:
        """Check the formula and its parameters; r is the distance."""
        object.__setattr__(self, "formula", formula(self.formula, self.part, "formula"))
        object.__setattr__(
            self, "parameters", check_named_numbers(self.parameters, self.part, "parameters")
        )
        if "r" in self.parameters:
            raise part_error(
                self.part,
                "parameters",
                self.parameters,
                "gives the distance r a value; choose another name",
            )

    @property
    def numbers(self) -> tuple[float, ...]:
        """The values of the parameters."""
        return tuple(self.parameters.values())


# ---- by the types of the particles ---------------------------------------------------------------
class PotentialTable(FrozenMapping[Potential]):
    """Potentials by "A B" (a pair of types) or "A" (like ones)."""

    __slots__ = ()


def mix_parameters(first: LennardJones, second: LennardJones, mixing: str) -> LennardJones:
    """epsilon = sqrt(e1 e2); sigma = (s1 + s2)/2 by Lorentz and Berthelot, sqrt(s1 s2) by the
    geometric rule.
    """
    sigma = (
        0.5 * (first.sigma + second.sigma)
        if mixing == "lorentz_berthelot"
        else (first.sigma * second.sigma) ** 0.5
    )
    return LennardJones((first.epsilon * second.epsilon) ** 0.5, sigma)


# ---- checks --------------------------------------------------------------------------------------
def _check_charges(value: Any, part: Part) -> NamedNumbers:
    if not isinstance(value, Mapping) or not value:
        raise part_error(part, "charges", value, "is no table of charges; give {type: charge}")
    return NamedNumbers(
        {str(word): number(charge, part, f"charges[{word!r}]") for word, charge in value.items()}
    )
