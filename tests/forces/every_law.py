"""Loops over the tables of all laws, in place: the other way to compute what packed laws compute by
address.
"""

from numba import literal_unroll

from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, load
from hamiltree.forces.laws import (
    add_load_wrenches,
    add_wrenches,
    body_potential_energy,
    dissipated_power,
    generalised_force_at_state,
    joint_potential_energy,
)


@inlined
def add_efforts(laws, t, y, ydot, momenta):
    """Add every joint law to the momentum rows of ydot, which begin at row `momenta`."""
    for table in literal_unroll(laws):
        for k in range(table.at.shape[0]):
            add(ydot, momenta + table.at[k], generalised_force_at_state(table, k, t, y, ydot))


@inlined
def joint_energy(laws, t, y):
    total = 0.0 * t
    for table in literal_unroll(laws):
        for k in range(table.at.shape[0]):
            total = total + joint_potential_energy(table, k, t, load(y, table.at[k]))
    return total


@inlined
def joint_power(laws, t, y, ydot):
    """Power of the dampers and loads along joints."""
    total = 0.0 * t
    for table in literal_unroll(laws):
        for k in range(table.at.shape[0]):
            total = total + dissipated_power(table, k, t, y, ydot)
    return total


@inlined
def push_loads(laws, t, bodies):
    for table in literal_unroll(laws):
        add_load_wrenches(table, t, bodies)


@inlined
def push_bodies(laws, t, bodies):
    for table in literal_unroll(laws):
        add_wrenches(table, t, bodies)


@inlined
def body_energy(laws, t, bodies):
    total = 0.0 * t
    for table in literal_unroll(laws):
        total = total + body_potential_energy(table, t, bodies)
    return total
