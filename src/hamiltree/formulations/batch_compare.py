"""Entry points for a formulation that is compared with others: power, and multipliers where
constraints are left to the integrator.

The multipliers of q̇ = ∂H/∂p, ṗ = −∂H/∂q + Q + Gᵀλ, g(t, q) = 0 keep the second derivative of g at
zero: along the flow without them G q̇ + ∂g/∂t changes at some rate c, and W λ = −c.
"""

import numpy as np

from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import WIDTH, fma, store
from hamiltree.compiled.pointer import unpack
from hamiltree.formulations.batch import broadcast_lanes
from hamiltree.verbs import (
    add_multiplier_forces,
    constraint_rate,
    factor_multipliers,
    power,
    rates,
    solve_multipliers,
    velocity,
)


def power_of_state(pointer, y: np.ndarray) -> float:
    """Power of dampers, loads and the drives that `power` knows, at t = 0; pointer has rates and
    power of lanes, which runs compile too.
    """
    of_lanes = broadcast_lanes(y)
    out = np.zeros((1, WIDTH))
    power_in_lanes(pointer, of_lanes, np.zeros_like(of_lanes), out)
    pointer.check()
    return float(out[0, 0])


@kernel
def power_in_lanes(pointer, y, ydot, out):
    system, work, _ = unpack(pointer)
    rates(system, work, 0.0, y, ydot)
    store(out, 0, power(system, work, 0.0, y, ydot))


@kernel
def constraint_rates_of_states(pointer, times, states, scratch, found):
    """G q̇ + ∂g/∂t of every state, one row of `found` each; scratch = (y, ydot, rows)."""
    system, work, _ = unpack(pointer)
    y, ydot, row = scratch
    for k in range(states.shape[0]):
        for i in range(states.shape[1]):
            y[i] = states[k, i]
        velocity(system, work, times[k], y, ydot)
        constraint_rate(system, work, times[k], y, ydot, row)
        for i in range(row.shape[0]):
            found[k, i] = row[i]


@kernel
def add_constraint_forces(pointer, t, y, multipliers, ydot):
    """W⁻¹ of what `multipliers` holds into it, and Gᵀλ added to ydot; False where W is singular."""
    system, work, _ = unpack(pointer)
    if not factor_multipliers(system, work, t, y):
        return False
    solve_multipliers(system, work, multipliers)
    add_multiplier_forces(system, work, t, y, multipliers, ydot)
    return True


@kernel
def power_of_drives(pointer, t, y, multipliers, scratch):
    """−λᵀ ∂g/∂t, what moving constraints bring in; scratch = (ydot, rows)."""
    system, work, _ = unpack(pointer)
    ydot, row = scratch
    for i in range(ydot.shape[0]):
        ydot[i] = 0.0
    constraint_rate(system, work, t, y, ydot, row)
    total = 0.0
    for i in range(row.shape[0]):
        total = fma(-multipliers[i], row[i], total)
    return total
