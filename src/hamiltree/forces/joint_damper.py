"""Viscous damper along a joint coordinate: Q = −c q̇, no energy of its own, power −c q̇²."""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.number import load
from hamiltree.forces.laws import column, effort, joint_law, stored
from hamiltree.model.forces import JointDamper


class JointDampers(NamedTuple):
    at: np.ndarray  # coordinate
    damping: np.ndarray


@joint_law(JointDamper, JointDampers)
def tabulate_dampers(parts, placement):
    return JointDampers(column((placement.coordinate(part.joint) for part in parts), int), column(part.damping for part in parts))


@effort.method(JointDampers)
def damper_effort(dampers, k, t, x, v):
    return -v * load(dampers.damping, k)


@stored.method(JointDampers)
def damper_energy(dampers, k, t, x):
    return 0.0 * x
