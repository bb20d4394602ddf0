"""One-sided stop of a joint coordinate, d beyond its bound: contact force
max(0, k d + c d/(d + ramp) ḋ) towards the range, V = ½ k d².

The force is continuous, never adhesive, and its part beside −dV/dq dissipates: for ḋ > 0 it adds to
the contact force, for ḋ < 0 it lessens it.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, load, maximum, size
from hamiltree.forces.laws import (
    column,
    coordinate_column,
    dissipated_power,
    generalised_force,
    joint_law,
    joint_potential_energy,
)
from hamiltree.model.elements import JointLimit


class Stop(NamedTuple):
    lower: float  # −∞ if there is none
    upper: float
    stiffness: float
    damping: float
    ramp: float


class JointLimits(NamedTuple):
    at: np.ndarray  # coordinate
    stop: np.ndarray  # Stop


def make_stop(part):
    lower = -np.inf if part.lower is None else part.lower
    upper = np.inf if part.upper is None else part.upper
    return Stop(lower, upper, part.stiffness, part.damping, part.ramp)


@joint_law(JointLimit, JointLimits)
def tabulate_limits(parts, placement):
    at = coordinate_column(parts, placement)
    return JointLimits(at, column(map(make_stop, parts), width=size(Stop)))


@inlined
def penetrations(stop, x):
    """Beyond the lower and beyond the upper bound."""
    return maximum(stop.lower - x, 0.0), maximum(x - stop.upper, 0.0)


@inlined
def stop_force(stop, depth, rate):
    fading = stop.damping * depth / (depth + stop.ramp)
    return maximum(fma(fading, rate, stop.stiffness * depth), 0.0)


@generalised_force.method(JointLimits)
def limit_generalised_force(limits, k, t, x, v):
    stop = load(limits.stop, k, Stop)
    below, above = penetrations(stop, x)
    return stop_force(stop, below, -v) - stop_force(stop, above, v)


@dissipated_power.method(JointLimits)
def limit_dissipated_power(limits, k, t, y, ydot):
    stop = load(limits.stop, k, Stop)
    x = load(y, limits.at[k])
    v = load(ydot, limits.at[k])
    below, above = penetrations(stop, x)
    return (generalised_force(limits, k, t, x, v) + stop.stiffness * (above - below)) * v


@joint_potential_energy.method(JointLimits)
def limit_energy(limits, k, t, x):
    stop = load(limits.stop, k, Stop)
    below, above = penetrations(stop, x)
    return 0.5 * stop.stiffness * fma(below, below, above * above)
