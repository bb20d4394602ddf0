"""Integrators by name: catalogue.py has them all.

The usual ones are found without it, as importing every family takes a while.
"""

import importlib
import sys
from collections.abc import Iterator, MutableMapping

from hamiltree.catalogue import normalise_name
from hamiltree.integrators.integrator import Integrator

# Integrators that most runs use, by family: found by importing one module. The list is only a short
# cut; a name that is not in it is found in catalogue.py.
USUAL = {
    "implicit": ("gauss4", "gauss6", "gauss8", "gauss10", "gauss12"),
    "runge_kutta": ("explicit_euler", "rk4"),
}
LISTED = "hamiltree.integrators.catalogue"
FAMILY_OF = {name: family for family, names in USUAL.items() for name in names}


class Integrators(MutableMapping[str, Integrator]):
    """All integrators by name; the catalogue is imported for any but the usual ones."""

    @property
    def listed(self) -> dict[str, Integrator]:
        return importlib.import_module(LISTED).BY_NAME

    def __getitem__(self, name: str) -> Integrator:
        if name in FAMILY_OF and LISTED not in sys.modules:
            family = importlib.import_module(f"hamiltree.integrators.{FAMILY_OF[name]}")
            return next(integrator for integrator in family.INTEGRATORS if integrator.name == name)
        return self.listed[name]

    def __setitem__(self, name: str, integrator: Integrator) -> None:
        self.listed[name] = integrator

    def __delitem__(self, name: str) -> None:
        del self.listed[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed)

    def __len__(self) -> int:
        return len(self.listed)


INTEGRATORS = Integrators()


def find_integrator(name: str) -> Integrator:
    """An integrator by its name or alias; "Gauss-8" and "gauss8" are the same."""
    usual = name if name in FAMILY_OF else None
    if usual is None:
        plain = normalise_name(name)
        usual = next((usual for usual in FAMILY_OF if normalise_name(usual) == plain), None)
    if usual is None or LISTED in sys.modules:
        return importlib.import_module(LISTED).find_listed(name)
    return INTEGRATORS[usual]
