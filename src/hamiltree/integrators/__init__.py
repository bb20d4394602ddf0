"""Integrators by name. A new tableau is a line in its family's file; a new family is a file and a line here."""

from hamiltree.catalogue import find
from hamiltree.integrators import gauss, runge_kutta

INTEGRATORS = {integrator.name: integrator for integrator in (*runge_kutta.INTEGRATORS, *gauss.INTEGRATORS)}
ALIASES = {"euler": "explicit_euler", "midpoint": "implicit_midpoint", "gauss2": "implicit_midpoint", "rungekutta4": "rk4"}


def find_integrator(name: str):
    """An integrator by its name or alias; "Gauss-8" and "gauss8" are the same."""
    return find(INTEGRATORS, name, "integrator", ALIASES)
