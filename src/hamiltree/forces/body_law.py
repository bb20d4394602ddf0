"""A user's load on a body: force at a point and torque as functions of time, of the point's place
and velocity and of the attitude.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.quat import quaternion_from_matrix
from hamiltree.algebra.rows import store_quat, store_vector
from hamiltree.algebra.spatial import Twist, twist_at
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import load
from hamiltree.compiled.stack import stack_array
from hamiltree.compiled.user_code import code_table
from hamiltree.forces.laws import add_element_wrench, body_law, body_potential_energy
from hamiltree.forces.points_of_application import (
    Point,
    add_wrench_at_point,
    attitude,
    lever_arm,
    points_of,
)
from hamiltree.forces.user_code import (
    compile_user_function,
    evaluate_element,
    parameter_names,
    parameter_rows,
    parse_formula,
    raise_as_law_error,
)
from hamiltree.model.forces import BodyLaw
from hamiltree.symbolic.calculus import compile_expressions

INPUTS = ("x", "y", "z", "qw", "qx", "qy", "qz", "wx", "wy", "wz", "vx", "vy", "vz")
INPUT_COUNT, OUTPUT_COUNT = len(INPUTS), 6


class BodyLaws(NamedTuple):
    row: np.ndarray
    point: np.ndarray  # Point
    code: np.ndarray  # one row per UserCallback
    parameters: np.ndarray  # (n, p)


def body_code(part):
    """One block: force, then torque."""
    if part.function is not None:
        return compile_user_function(part, "function", part.function, INPUT_COUNT, OUTPUT_COUNT)
    given = [
        (field, axis, value)
        for field in ("force", "torque")
        for axis, value in zip("xyz", getattr(part, field), strict=True)
    ]
    components = [
        parse_formula(part, field, value, ("t", *INPUTS), what=f"{field}, {axis}")
        for field, axis, value in given
    ]
    return raise_as_law_error(
        part, "force", lambda: compile_expressions([components], INPUTS, parameter_names(part))
    ).code


@body_law(BodyLaw, BodyLaws)
def tabulate_body_laws(parts, placement):
    return BodyLaws(
        *points_of(parts, placement), code_table(map(body_code, parts)), parameter_rows(parts)
    )


@inlined
def read_body_state(point, i, bodies, inputs):
    """INPUTS of an element in row i: place of the point, attitude of the body, its angular
    velocity, the point's velocity; world axes.
    """
    away = lever_arm(point, i, bodies)
    store_vector(inputs, 0, load(bodies.position, i, Vec3) + away)
    store_quat(inputs, 3, quaternion_from_matrix(attitude(point, i, bodies)))
    twist = twist_at(load(bodies.twist, i, Twist), away)
    store_vector(inputs, 7, twist.w)
    store_vector(inputs, 10, twist.v)


@add_element_wrench.method(BodyLaws)
def add_body_law_wrench(laws, k, t, bodies):
    number = load(bodies.twist, laws.row[k], Twist).v.x
    inputs, out = stack_array(number, INPUT_COUNT), stack_array(number, OUTPUT_COUNT)
    point = load(laws.point, k, Point)
    read_body_state(point, laws.row[k], bodies, inputs)
    evaluate_element(laws, k, 0, t, inputs, out)
    add_wrench_at_point(point, laws.row[k], bodies, out)


@body_potential_energy.method(BodyLaws)
def no_energy_of_body_laws(laws, t, bodies):
    return 0.0 * t
