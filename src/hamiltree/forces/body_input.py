"""Force at a point of a body and torque on it that a simulator sets (Hamilton's Equations notes: f̄
at ȳ, τ̄): a load.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.number import load, store
from hamiltree.compiled.stack import stack_array
from hamiltree.forces.inputs import WRENCH_LABELS, active_values, input_index
from hamiltree.forces.laws import add_element_wrench, body_law, body_potential_energy, column
from hamiltree.forces.points_of_application import Point, add_wrench_at_point, points_of
from hamiltree.model.forces import BodyInput

WRENCH = len(WRENCH_LABELS)


class BodyInputs(NamedTuple):
    row: np.ndarray
    point: np.ndarray  # Point
    place: np.ndarray  # of the first of six numbers in values
    values: np.ndarray  # of all inputs of the System; written between steps


@body_law(BodyInput, BodyInputs)
def tabulate_body_inputs(parts, placement):
    places = column((input_index(part) for part in parts), int)
    return BodyInputs(*points_of(parts, placement), places, active_values())


@add_element_wrench.method(BodyInputs)
def add_body_input_wrench(inputs, k, t, bodies):
    numbers = stack_array(load(bodies.position, inputs.row[k], Vec3).x, WRENCH)
    for j in range(WRENCH):
        store(numbers, j, inputs.values[inputs.place[k] + j])
    add_wrench_at_point(load(inputs.point, k, Point), inputs.row[k], bodies, numbers)


@body_potential_energy.method(BodyInputs)
def no_energy_of_body_inputs(inputs, t, bodies):
    return 0.0 * t
