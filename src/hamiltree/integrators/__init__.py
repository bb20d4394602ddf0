"""Integrators by name. A new tableau is a line in its family's file; a new family is a file and a line here."""

from hamiltree.integrators import gauss, runge_kutta

INTEGRATORS = {integrator.name: integrator for integrator in (*runge_kutta.INTEGRATORS, *gauss.INTEGRATORS)}
