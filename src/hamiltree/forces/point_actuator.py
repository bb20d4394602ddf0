"""A user's load between two points: tension f(t, l, l̇; parameters) along the line, not part of H.

"Spatial Dynamics", section 11.1 with 9.2.3: an actuator is a pair of opposite forces along the line
between its ends. Power: −f l̇.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.values import dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.number import load, store
from hamiltree.compiled.stack import stack_array
from hamiltree.compiled.user_code import code_table
from hamiltree.forces.laws import add_element_wrench, body_law, body_potential_energy
from hamiltree.forces.two_body_elements import (
    add_opposite_forces,
    line_of_element,
    make_element_table,
    nonzero_length,
    points_on_links,
    twist_at_point,
)
from hamiltree.forces.user_code import (
    compile_user_function,
    evaluate_element,
    parameter_names,
    parameter_rows,
    parse_formula,
    raise_as_law_error,
)
from hamiltree.model.actuators import PointActuator
from hamiltree.symbolic.calculus import compile_expressions

INPUTS = ("l", "v")


class Ends(NamedTuple):
    a: Vec3
    b: Vec3


class PointActuators(NamedTuple):
    row: np.ndarray  # (n, 2)
    ends: np.ndarray  # Ends
    code: np.ndarray  # one row per UserCallback
    parameters: np.ndarray  # (n, p)


class ActuatorEnds(NamedTuple):
    row: np.ndarray
    ends: np.ndarray


def actuator_code(part):
    """Code of the tension: a formula or a function."""
    if callable(part.tension):
        return compile_user_function(part, "tension", part.tension, len(INPUTS), 1)
    expression = parse_formula(part, "tension", part.tension, ("t", *INPUTS))
    return raise_as_law_error(
        part,
        "tension",
        lambda: compile_expressions([[expression]], INPUTS, parameter_names(part)),
    ).code


@body_law(PointActuator, PointActuators)
def tabulate_point_actuators(parts, placement):
    ends = make_element_table(ActuatorEnds, Ends, points_on_links, parts, placement)
    return PointActuators(*ends, code_table(map(actuator_code, parts)), parameter_rows(parts))


@add_element_wrench.method(PointActuators)
def add_actuator_force(actuators, k, t, bodies):
    """f along the line from a to b at a, and −f at b."""
    ends = load(actuators.ends, k, Ends)
    start = twist_at_point(bodies, actuators.row[k, 0], ends.a).v
    end = twist_at_point(bodies, actuators.row[k, 1], ends.b).v
    line = line_of_element(actuators, k, ends, bodies)
    length = nonzero_length(line)
    rate = dot(line, end - start) / length
    inputs, out = stack_array(rate, len(INPUTS)), stack_array(rate, 1)
    store(inputs, 0, length)
    store(inputs, 1, rate)
    evaluate_element(actuators, k, 0, t, inputs, out)
    add_opposite_forces(actuators, k, ends, bodies, line * (load(out, 0) / length))


@body_potential_energy.method(PointActuators)
def no_energy_of_point_actuators(actuators, t, bodies):
    return 0.0 * t
