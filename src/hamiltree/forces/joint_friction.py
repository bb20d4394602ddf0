"""Friction along a joint coordinate: Q = −c q̇ − F tanh(q̇/s), dry friction F smoothed at rates
below s; a load, its power never positive.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.functions import tanh
from hamiltree.compiled.number import load, size
from hamiltree.forces.laws import (
    column,
    coordinate_column,
    generalised_force,
    joint_law,
    joint_potential_energy,
)
from hamiltree.model.elements import JointFriction


class Friction(NamedTuple):
    coulomb: float
    viscous: float
    smoothing: float


class JointFrictions(NamedTuple):
    at: np.ndarray  # coordinate
    friction: np.ndarray  # Friction


@joint_law(JointFriction, JointFrictions)
def tabulate_frictions(parts, placement):
    at = coordinate_column(parts, placement)
    return JointFrictions(
        at,
        column(
            ((part.coulomb, part.viscous, part.smoothing) for part in parts), width=size(Friction)
        ),
    )


@generalised_force.method(JointFrictions)
def friction_generalised_force(frictions, k, t, x, v):
    friction = load(frictions.friction, k, Friction)
    return -(v * friction.viscous + tanh(v / friction.smoothing) * friction.coulomb)


@joint_potential_energy.method(JointFrictions)
def no_energy_of_friction(frictions, k, t, x):
    return 0.0 * x
