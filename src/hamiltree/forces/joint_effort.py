"""Constant torque or force along a joint coordinate (Hamilton's Equations notes, τ̂): a load, so
its work is not part of H.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.number import load
from hamiltree.forces.laws import (
    generalised_force,
    joint_law,
    joint_potential_energy,
    tabulate_along_joints,
)
from hamiltree.model.forces import JointEffort


class JointEfforts(NamedTuple):
    at: np.ndarray  # coordinate
    effort: np.ndarray


@joint_law(JointEffort, JointEfforts)
def tabulate_efforts(parts, placement):
    return tabulate_along_joints(JointEfforts, parts, placement)


@generalised_force.method(JointEfforts)
def constant_generalised_force(efforts, k, t, x, v):
    return load(efforts.effort, k)


@joint_potential_energy.method(JointEfforts)
def no_energy_of_efforts(efforts, k, t, x):
    return 0.0 * x
