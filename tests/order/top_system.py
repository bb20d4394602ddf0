"""The heavy top in unit quaternions, with pivot at the origin: V = mgl R₃₃, J about the pivot along
body axes, J₀ = ½ tr J (METHODS 2, 5).

H = ⅛ Σ π_i²/J_i + V, π = Ĝ(q) g, Ĝ(q) = [qᵀ; L(q)], g(q) = (‖q‖² − 1)/2, V = mgl (q₀² − q₁² − q₂² +
q₃²), quadratic in q.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined
from hamiltree.verbs import (
    Facts,
    Layout,
    add_multiplier_forces,
    constraint,
    constraint_rate,
    discrete_rates,
    factor_multipliers,
    force,
    hamiltonian,
    solve_multipliers,
    velocity,
)

SIGNS = (1.0, -1.0, -1.0, 1.0)  # of V in the squares of q


class Top(NamedTuple):
    layout: Layout
    inertia: np.ndarray  # J₀, J₁, J₂, J₃
    weight: float  # mgl
    facts: Facts


class TopWork(NamedTuple):
    spin: np.ndarray  # (4,) π / 4J, by find_spin
    middle: np.ndarray  # (8,)


def top(inertia, weight) -> Top:
    return Top(Layout(4, 4), np.array([sum(inertia) / 2, *inertia]), weight, Facts(constraints=1))


def workspace() -> TopWork:
    return TopWork(np.zeros(4), np.zeros(8))


@inlined
def entry(q, at, row, column):
    """Ĝ(q)[row, column] of the q that begins at `at`: quaternion products by basis elements."""
    other = row ^ column
    sign = 1.0
    if row > 0 and column == 0:
        sign = -1.0
    elif row > 0 and column > 0 and row != column:
        sign = 1.0 if (row, column) in ((1, 2), (2, 3), (3, 1)) else -1.0
    return sign * q[at + other]


@inlined
def add_spin(system, work, y, share):
    """π/4J of y, times a share, into spin."""
    for row in range(4):
        total = 0.0
        for k in range(4):
            total += entry(y, 0, row, k) * y[4 + k]
        work.spin[row] += share * 0.25 * total / system.inertia[row]


@inlined
def spread(system, work, y, ydot):
    """q̇ = Ĝ(q)ᵀ π/4J;  ġ = −S(g)ᵀ π/4J − ∂V/∂q,  S(g) = Ĝ(g) with rows 1 … 3 negated."""
    for k in range(4):
        along, turn = 0.0, 0.0
        for row in range(4):
            along += entry(y, 0, row, k) * work.spin[row]
            turn += (1.0 if row == 0 else -1.0) * entry(y, 4, row, k) * work.spin[row]
        ydot[k], ydot[4 + k] = along, -turn - 2.0 * system.weight * SIGNS[k] * y[k]


@inlined
def find_rates(system, work, y, ydot):
    for row in range(4):
        work.spin[row] = 0.0
    add_spin(system, work, y, 1.0)
    spread(system, work, y, ydot)


@velocity.method(Top)
def top_velocity(system, work, t, y, ydot):
    find_rates(system, work, y, ydot)


@force.method(Top)
def top_force(system, work, t, y, ydot):
    find_rates(system, work, y, ydot)


@discrete_rates.method(Top)
def top_discrete_rates(system, work, t, y, end, ydot):
    for i in range(8):
        work.middle[i] = 0.5 * (y[i] + end[i])
    for row in range(4):
        work.spin[row] = 0.0
    add_spin(system, work, y, 0.5)
    add_spin(system, work, end, 0.5)
    spread(system, work, work.middle, ydot)


@hamiltonian.method(Top)
def top_hamiltonian(system, work, t, y):
    for row in range(4):
        work.spin[row] = 0.0
    add_spin(system, work, y, 1.0)
    total = 0.0
    for row in range(4):
        total += (
            2.0 * system.inertia[row] * work.spin[row] * work.spin[row]
            + system.weight * SIGNS[row] * y[row] * y[row]
        )
    return total


@constraint.method(Top)
def top_constraint(system, work, t, y, out):
    out[0] = 0.5 * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]) - 0.5


@constraint_rate.method(Top)
def top_constraint_rate(system, work, t, y, ydot, out):
    out[0] = y[0] * ydot[0] + y[1] * ydot[1] + y[2] * ydot[2] + y[3] * ydot[3]


@add_multiplier_forces.method(Top)
def top_constrain(system, work, t, y, multipliers, ydot):
    for k in range(4):
        ydot[4 + k] += y[k] * multipliers[0]


@factor_multipliers.method(Top)
def top_factor(system, work, t, y):
    return True


@solve_multipliers.method(Top)
def top_solve(system, work, x):
    """W = 1/4J₀ where ‖q‖ = 1."""
    x[0] *= 4.0 * system.inertia[0]
