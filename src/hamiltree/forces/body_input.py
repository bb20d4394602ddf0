"""Force at a point of a body and torque on it that a simulator is told (seed 000: f̄ at ȳ, τ̄): a
load.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.number import load, store
from hamiltree.compiled.stack import room_for
from hamiltree.forces.inputs import PARTS, place_of, present_values
from hamiltree.forces.laws import body_law, column, held, push
from hamiltree.forces.points import Point, points_of, push_at
from hamiltree.model.forces import BodyInput

WRENCH = len(PARTS)


class BodyInputs(NamedTuple):
    row: np.ndarray
    point: np.ndarray  # Point
    place: np.ndarray  # of the first of six numbers in values
    values: np.ndarray  # of all inputs of the System; written between steps


@body_law(BodyInput, BodyInputs)
def tabulate_body_inputs(parts, placement):
    places = column((place_of(part) for part in parts), int)
    return BodyInputs(*points_of(parts, placement), places, present_values())


@push.method(BodyInputs)
def push_body_inputs(inputs, t, bodies):
    for k in range(inputs.row.shape[0]):
        numbers = room_for(load(bodies.position, inputs.row[k], Vec3).x, WRENCH)
        for j in range(WRENCH):
            store(numbers, j, inputs.values[inputs.place[k] + j])
        push_at(load(inputs.point, k, Point), inputs.row[k], bodies, numbers)


@held.method(BodyInputs)
def no_energy_of_body_inputs(inputs, t, bodies):
    return 0.0 * t
