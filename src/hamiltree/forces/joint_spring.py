"""Linear spring along a joint coordinate: Q = −k (q − rest), V = ½ k (q − rest)²."""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.number import load
from hamiltree.forces.laws import (
    generalised_force,
    joint_law,
    joint_potential_energy,
    tabulate_along_joints,
)
from hamiltree.model.forces import JointSpring


class JointSprings(NamedTuple):
    at: np.ndarray  # coordinate
    stiffness: np.ndarray
    rest: np.ndarray


@joint_law(JointSpring, JointSprings)
def tabulate_springs(parts, placement):
    return tabulate_along_joints(JointSprings, parts, placement)


@generalised_force.method(JointSprings)
def spring_generalised_force(springs, k, t, x, v):
    """−k (q − rest)"""
    return (load(springs.rest, k) - x) * load(springs.stiffness, k)


@joint_potential_energy.method(JointSprings)
def spring_energy(springs, k, t, x):
    """½ k (q − rest)²"""
    stretch = x - load(springs.rest, k)
    return 0.5 * load(springs.stiffness, k) * stretch * stretch
