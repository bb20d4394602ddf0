"""Actuators along the line between two points of two bodies, as data. SI units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hamiltree.model.catalogues import register
from hamiltree.model.dimensions import Declared
from hamiltree.model.elements import BetweenPoints
from hamiltree.model.forces import FORCES, refuse_parameters
from hamiltree.model.formulas import NO_PARAMETERS, Formula, check_named_numbers, formula
from hamiltree.model.named_parts import check_fields


@register(FORCES)
@dataclass(frozen=True, slots=True)
class PointActuator(BetweenPoints):
    """Tension f(t, l, dl/dt) along the line between two points, l apart, N (negative: it pushes):
    a load, whose work is not part of H.

    `tension` is a formula of t, l and v = dl/dt and of the parameters; or a Python function
    f(t, x, out) that writes out[0], where x holds l and v. Where the points meet the line has no
    direction: no force there.
    """

    kind: ClassVar[str] = "point_actuator"
    dimensions: ClassVar[Declared] = BetweenPoints.dimensions | {"tension": "force"}

    tension: Formula | Callable[..., Any]
    parameters: Mapping[str, float] = NO_PARAMETERS

    def __post_init__(self) -> None:
        """Check the formula or the function; a function has no parameters beside it."""
        BetweenPoints.__post_init__(self)
        found = formula(self.tension, self.part, "tension", or_function=True)
        object.__setattr__(self, "tension", found)
        check_fields(self, check_named_numbers, "parameters")
        if callable(self.tension):
            refuse_parameters(self)
