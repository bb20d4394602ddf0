"""A user's load on a body: force at a point and torque as functions of time, of the point's place
and velocity and of the attitude.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.rows import store_quat, store_vector
from hamiltree.algebra.spatial import Twist, twist_at
from hamiltree.algebra.turning import to_quaternion
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import load
from hamiltree.compiled.stack import stack_array
from hamiltree.compiled.user_code import code_table
from hamiltree.forces.laws import add_element_wrench, body_law, body_potential_energy, column
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
ATTITUDE = set(INPUTS[3:7])


class BodyLaws(NamedTuple):
    row: np.ndarray
    point: np.ndarray  # Point
    code: np.ndarray  # one row per UserCallback
    parameters: np.ndarray  # (n, p)
    reads_attitude: np.ndarray  # (n,)


def body_code(part):
    """One block: force, then torque; and whether they look at the attitude."""
    if part.function is not None:
        made = compile_user_function(part, "function", part.function, INPUT_COUNT, OUTPUT_COUNT)
        return made, True
    given = [
        (field, axis, value)
        for field in ("force", "torque")
        for axis, value in zip("xyz", getattr(part, field), strict=True)
    ]
    components = [
        parse_formula(part, field, value, ("t", *INPUTS), what=f"{field}, {axis}")
        for field, axis, value in given
    ]
    made = raise_as_law_error(
        part, "force", lambda: compile_expressions([components], INPUTS, parameter_names(part))
    ).code
    return made, any(not ATTITUDE.isdisjoint(each.symbols) for each in components)


@body_law(BodyLaw, BodyLaws)
def tabulate_body_laws(parts, placement):
    codes = [body_code(part) for part in parts]
    return BodyLaws(
        *points_of(parts, placement),
        code_table(each for each, _ in codes),
        parameter_rows(parts),
        column((reads for _, reads in codes), int),
    )


@inlined
def read_body_state(point, i, bodies, inputs, reads_attitude):
    """INPUTS of an element in row i: place of the point, attitude of the body, its angular
    velocity, the point's velocity; world axes.
    """
    away = lever_arm(point, i, bodies)
    store_vector(inputs, 0, load(bodies.position, i, Vec3) + away)
    if reads_attitude != 0:
        store_quat(inputs, 3, to_quaternion(attitude(point, i, bodies)))
    twist = twist_at(load(bodies.twist, i, Twist), away)
    store_vector(inputs, 7, twist.w)
    store_vector(inputs, 10, twist.v)


@add_element_wrench.method(BodyLaws)
def add_body_law_wrench(laws, k, t, bodies):
    number = load(bodies.twist, laws.row[k], Twist).v.x
    inputs, out = stack_array(number, INPUT_COUNT), stack_array(number, OUTPUT_COUNT)
    point = load(laws.point, k, Point)
    read_body_state(point, laws.row[k], bodies, inputs, laws.reads_attitude[k])
    evaluate_element(laws, k, 0, t, inputs, out)
    add_wrench_at_point(point, laws.row[k], bodies, out)


@body_potential_energy.method(BodyLaws)
def no_energy_of_body_laws(laws, t, bodies):
    return 0.0 * t
