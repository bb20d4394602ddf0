"""Constant torque or force along a joint coordinate (seed 000, τ̂): a load, so its work is not part
of H.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.number import load
from hamiltree.forces.laws import column, effort, joint_law, stored
from hamiltree.model.forces import JointEffort


class JointEfforts(NamedTuple):
    at: np.ndarray  # coordinate
    effort: np.ndarray


@joint_law(JointEffort, JointEfforts)
def tabulate_efforts(parts, placement):
    return JointEfforts(
        column((placement.coordinate(part.joint) for part in parts), int),
        column(part.effort for part in parts),
    )


@effort.method(JointEfforts)
def constant_effort(efforts, k, t, x, v):
    return load(efforts.effort, k)


@stored.method(JointEfforts)
def no_stored_energy(efforts, k, t, x):
    return 0.0 * x
