"""Motors and servos along a joint coordinate, controlled by a number u that a simulator sets:
Q = clip(gain clip(u) + offset − stiffness q − damping q̇), clipped at the range of u and at that of
the effort. A load: its work is not part of H.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import load, maximum, size
from hamiltree.forces.inputs import active_values, input_index
from hamiltree.forces.laws import (
    column,
    coordinate_column,
    generalised_force,
    joint_law,
    joint_potential_energy,
)
from hamiltree.model.actuators import JointActuator
from hamiltree.model.limits import NO_LIMITS


class Actuator(NamedTuple):
    gain: float
    offset: float
    stiffness: float
    damping: float
    least_control: float
    largest_control: float
    least_effort: float
    largest_effort: float


class JointActuators(NamedTuple):
    at: np.ndarray  # coordinate
    place: np.ndarray  # in values
    actuator: np.ndarray  # Actuator
    values: np.ndarray  # of all inputs of the System; written between steps


def make_actuator(part, placement):
    """The numbers of an actuator, its effort within the limit of the joint that it is on."""
    limits = placement.model.limits.get(part.own_joint or part.joint, NO_LIMITS)
    most = limits.effort * abs(part.ratio)
    lower, upper = part.effort
    effort = min(max(lower, -most), most), max(min(upper, most), -most)
    return Actuator(part.gain, part.offset, part.stiffness, part.damping, *part.control, *effort)


@joint_law(JointActuator, JointActuators)
def tabulate_actuators(parts, placement):
    return JointActuators(
        coordinate_column(parts, placement),
        column((input_index(part) for part in parts), int),
        column((make_actuator(part, placement) for part in parts), width=size(Actuator)),
        active_values(),
    )


@inlined
def clip(x, lower, upper):
    return maximum(-maximum(-x, -upper), lower)


@generalised_force.method(JointActuators)
def actuator_generalised_force(actuators, k, t, x, v):
    own = load(actuators.actuator, k, Actuator)
    u = clip(load(actuators.values, actuators.place[k]), own.least_control, own.largest_control)
    raw = own.gain * u + own.offset - x * own.stiffness - v * own.damping
    return clip(raw, own.least_effort, own.largest_effort)


@joint_potential_energy.method(JointActuators)
def no_energy_of_actuators(actuators, k, t, x):
    return 0.0 * x
