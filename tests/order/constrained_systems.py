"""Two point masses on rods in space, the first rod on a pivot that is moved: a System whose every
difficulty is a number.

H = (1 + κ|q|²) Σ |p_b|²/(2 m_b) + Σ m_b γ z_b + (1 + cos(2t)/2) k z_2²/2: not separable where κ >
0, of time where k > 0 g_1 = (|x_1 − a(t)|² − ℓ_1²)/2, g_2 = (|x_2 − x_1|² − ℓ_2²)/2, a(t) = A (sin
ωt, 0, cos ωt − 1)
Dampers push with −d p. There are both rods or none.
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
    drift,
    factor_multipliers,
    force,
    hamiltonian,
    kick,
    power,
    solve_multipliers,
    velocity,
)


class Rods(NamedTuple):
    layout: Layout
    masses: np.ndarray
    lengths: np.ndarray
    metric: float  # κ
    gravity: float  # γ
    amplitude: float  # A
    frequency: float  # ω
    damping: float  # d
    spring: float  # k
    facts: Facts


class SeparableRods(NamedTuple):
    """The same with κ = 0 and d = 0."""

    layout: Layout
    masses: np.ndarray
    lengths: np.ndarray
    metric: float
    gravity: float
    amplitude: float
    frequency: float
    damping: float
    spring: float
    facts: Facts


class RodsWork(NamedTuple):
    factors: np.ndarray  # W⁻¹ of two rods: (11), (12), (22)


def rods(
    metric=0.0, gravity=1.0, amplitude=0.0, frequency=1.7, damping=0.0, spring=0.0, constraints=2
) -> Rods:
    masses, lengths = np.array([1.0, 0.7]), np.array([1.0, 0.8])
    return Rods(
        Layout(6, 6),
        masses,
        lengths,
        metric,
        gravity,
        amplitude,
        frequency,
        damping,
        spring,
        Facts(constraints),
    )


def separable(system: Rods) -> SeparableRods:
    return SeparableRods(*system._replace(metric=0.0, damping=0.0))


def workspace() -> RodsWork:
    return RodsWork(np.zeros(3))


@inlined
def stretch(system, y):
    """1 + κ|q|²"""
    total = 1.0
    for i in range(6):
        total += system.metric * y[i] * y[i]
    return total


@inlined
def stiffness(system, t):
    return system.spring * (1.0 + 0.5 * np.cos(2.0 * t))


@velocity.method(Rods)
def rods_velocity(system, work, t, y, ydot):
    for i in range(6):
        ydot[i] = stretch(system, y) * y[6 + i] / system.masses[i // 3]


@force.method(Rods)
def rods_force(system, work, t, y, ydot):
    energy = 0.0
    for i in range(6):
        energy += y[6 + i] * y[6 + i] / system.masses[i // 3]
    for i in range(6):
        ydot[6 + i] = -system.metric * y[i] * energy - system.damping * y[6 + i]
    for b in range(2):
        ydot[8 + 3 * b] -= system.gravity * system.masses[b]
    ydot[11] -= stiffness(system, t) * y[5]


@hamiltonian.method(Rods)
def rods_hamiltonian(system, work, t, y):
    kinetic, potential = 0.0, 0.5 * stiffness(system, t) * y[5] * y[5]
    for i in range(6):
        kinetic += 0.5 * y[6 + i] * y[6 + i] / system.masses[i // 3]
    for b in range(2):
        potential += system.gravity * system.masses[b] * y[2 + 3 * b]
    return stretch(system, y) * kinetic + potential


@power.method(Rods)
def rods_power(system, work, t, y, ydot):
    total = -0.5 * system.spring * np.sin(2.0 * t) * y[5] * y[5]
    for i in range(6):
        total -= system.damping * y[6 + i] * ydot[i]
    return total


@inlined
def rod(system, t, y, b, k):
    """Component k of rod b, from its inner to its outer end."""
    if b == 1:
        return y[3 + k] - y[k]
    pivot = (
        np.sin(system.frequency * t)
        if k == 0
        else (np.cos(system.frequency * t) - 1.0 if k == 2 else 0.0)
    )
    return y[k] - system.amplitude * pivot


@inlined
def pivot_rate(system, t, k):
    turning = (
        np.cos(system.frequency * t)
        if k == 0
        else (-np.sin(system.frequency * t) if k == 2 else 0.0)
    )
    return system.amplitude * system.frequency * turning


@constraint.method(Rods)
def rods_constraint(system, work, t, y, out):
    for b in range(system.facts.constraints):
        total = -system.lengths[b] * system.lengths[b]
        for k in range(3):
            total += rod(system, t, y, b, k) * rod(system, t, y, b, k)
        out[b] = 0.5 * total


@constraint_rate.method(Rods)
def rods_constraint_rate(system, work, t, y, ydot, out):
    for b in range(system.facts.constraints):
        out[b] = 0.0
        for k in range(3):
            inner = ydot[k] if b == 1 else pivot_rate(system, t, k)
            out[b] += rod(system, t, y, b, k) * (ydot[3 * b + k] - inner)


@add_multiplier_forces.method(Rods)
def rods_constrain(system, work, t, y, multipliers, ydot):
    for b in range(system.facts.constraints):
        for k in range(3):
            ydot[6 + 3 * b + k] += rod(system, t, y, b, k) * multipliers[b]
            if b == 1:
                ydot[6 + k] -= rod(system, t, y, b, k) * multipliers[b]


@factor_multipliers.method(Rods)
def rods_factor(system, work, t, y):
    """W⁻¹ of the two by two matrix, written out."""
    first, both, second = 0.0, 0.0, 0.0
    for k in range(3):
        inner, outer, scale = rod(system, t, y, 0, k), rod(system, t, y, 1, k), stretch(system, y)
        first += scale * inner * inner / system.masses[0]
        both -= scale * inner * outer / system.masses[0]
        second += scale * outer * outer * (1.0 / system.masses[0] + 1.0 / system.masses[1])
    determinant = first * second - both * both
    if not abs(determinant) > 1e-10:
        return False
    work.factors[0], work.factors[1], work.factors[2] = (
        second / determinant,
        -both / determinant,
        first / determinant,
    )
    return True


@solve_multipliers.method(Rods)
def rods_solve(system, work, x):
    first, second = x[0], x[1]
    x[0] = work.factors[0] * first + work.factors[1] * second
    x[1] = work.factors[1] * first + work.factors[2] * second


drift.method(SeparableRods)(getattr(rods_velocity, "py_func", rods_velocity))
kick.method(SeparableRods)(getattr(rods_force, "py_func", rods_force))
for _verb, _method in (
    (velocity, rods_velocity),
    (force, rods_force),
    (hamiltonian, rods_hamiltonian),
    (constraint, rods_constraint),
    (constraint_rate, rods_constraint_rate),
    (add_multiplier_forces, rods_constrain),
    (factor_multipliers, rods_factor),
    (solve_multipliers, rods_solve),
):
    _verb.method(SeparableRods)(getattr(_method, "py_func", _method))


@power.method(SeparableRods)
def separable_power(system, work, t, y, ydot):
    """∂V/∂t"""
    return -0.5 * system.spring * np.sin(2.0 * t) * y[5] * y[5]
