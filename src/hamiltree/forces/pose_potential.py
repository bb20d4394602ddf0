"""A user's potential energy of two poses: V(R1, r1, R2, r2; parameters) counts in H (thesis (3.1),
(3.22)).

The variables of V are the pose of frame b in frame a, d = R1ᵀ(r2 − r1), R = R1ᵀR2 and r = |d|, and
both poses in the world. A rotation δθ in world axes changes a matrix by δR2 = [δθ]× R2, so that
δV = ∂V/∂R2 : [δθ]× R2 = −τ · δθ with τ = axial(∂V/∂R2 R2ᵀ), τ_k = ε_ijk A_ij. By the relative pose
b gets the force −R1 ∂V/∂d at r2 and the torque axial(R1 ∂V/∂R R2ᵀ), and a the opposite wrench at
the same point.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.rows import matrix_at, store_matrix, store_vector, vector_at
from hamiltree.algebra.turning import to_matrix
from hamiltree.algebra.values import plus_scaled, transpose
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import WIDTH, load, part, store
from hamiltree.compiled.stack import stack_array
from hamiltree.compiled.user_code import UserCallback, code_table, run_code
from hamiltree.compiled.user_functions import compile_pose_functions
from hamiltree.forces.laws import (
    LawError,
    add_element_wrench,
    body_law,
    column,
    element_potential_energy,
)
from hamiltree.forces.two_body_elements import (
    End,
    add_wrench_at,
    end_numbers,
    frame_axes,
    frame_on_link,
    lever_arm,
    make_element_table,
    nonzero_length,
    point_position,
    vector_between,
)
from hamiltree.forces.user_code import (
    parameter_names,
    parameter_rows,
    parse_formula,
    raise_as_law_error,
)
from hamiltree.model.pose_potential import (
    ABSOLUTE_VARIABLES,
    POSE_VARIABLES,
    RELATIVE_VARIABLES,
    PosePotential,
)
from hamiltree.symbolic.calculus import compile_with_gradient
from hamiltree.symbolic.expression import ExpressionError
from hamiltree.symbolic.tracing import trace

INPUTS, OUTPUTS = len(POSE_VARIABLES), 1 + len(POSE_VARIABLES)
# where d, R, r, r1, R1, r2, R2 begin among the inputs; their derivatives are one row further on
PLACE, ROTATION, DISTANCE = 0, 3, 12
PLACE_A, ROTATION_A = len(RELATIVE_VARIABLES), len(RELATIVE_VARIABLES) + 3
PLACE_B, ROTATION_B = PLACE_A + 12, ROTATION_A + 12
TIME_DEPENDENT_MESSAGE = (
    "energy: depends on the time t, so its work would be no change of energy; move a body by a "
    "Motion instead, or give body_law"
)


class Ends(NamedTuple):
    a: End
    b: End


class Pose(NamedTuple):
    """Axes and origins of both frames in the world, from a to b, and the same in the axes of a."""

    a: Mat3
    b: Mat3
    line: Vec3
    d: Vec3


class PosePotentials(NamedTuple):
    row: np.ndarray  # (n, 2)
    ends: np.ndarray  # Ends
    code: np.ndarray  # one row per UserCallback
    parameters: np.ndarray  # (n, p)
    in_world: np.ndarray  # (n,) whether V knows the poses in the world, not only the relative one


# ---- tables --------------------------------------------------------------------------------------
def pose_code(force: PosePotential) -> tuple[UserCallback, bool]:
    """One block: V, then its derivative by every one of POSE_VARIABLES; and whether V knows the
    poses in the world.
    """
    if force.gradient is not None:
        functions = force.energy, force.gradient
        made = raise_as_law_error(force, "gradient", lambda: compile_functions_once(*functions))
        return made, True
    if callable(force.energy):
        expression = trace_energy(force)
    else:
        expression = parse_formula(force, "energy", force.energy, ("t", *POSE_VARIABLES))
    if "t" in expression.symbols:
        raise LawError(force, "energy", TIME_DEPENDENT_MESSAGE)
    made = raise_as_law_error(
        force,
        "energy",
        lambda: compile_with_gradient(expression, POSE_VARIABLES, parameter_names(force)),
    ).code
    return made, not set(ABSOLUTE_VARIABLES).isdisjoint(expression.symbols)


@cache
def compile_functions_once(energy, gradient) -> UserCallback:
    return compile_pose_functions(energy, gradient, PLACE_A, INPUTS)


def trace_energy(force: PosePotential):
    """The formula of a function V(R1, r1, R2, r2)."""
    r1, r2 = ABSOLUTE_VARIABLES[:3], ABSOLUTE_VARIABLES[12:15]
    R1, R2 = (
        np.array(ABSOLUTE_VARIABLES[k : k + 9]).reshape(3, 3).T for k in (3, 15)
    )  # the names are by columns
    try:
        return trace(force.energy, [R1, r1, R2, r2], "energy")
    except ExpressionError as error:
        remedy = "give its gradient, f(R1, r1, R2, r2, dR1, dr1, dR2, dr2), or a formula"
        raise LawError(force, "energy", f"{error}; {remedy}") from error


def make_ends(part, placement):
    """Rows of both bodies, and frames a and b in them."""
    i, a = frame_on_link(placement, part.body_a, part.frame_a)
    j, b = frame_on_link(placement, part.body_b, part.frame_b)
    return (i, j), (*end_numbers(a), *end_numbers(b))


@body_law(PosePotential, PosePotentials)
def tabulate_pose_potentials(parts, placement):
    codes = [pose_code(part) for part in parts]

    def table(rows, ends):
        code, in_world = code_table(each for each, _ in codes), column((w for _, w in codes), int)
        return PosePotentials(rows, ends, code, parameter_rows(parts), in_world)

    return make_element_table(table, Ends, make_ends, parts, placement)


# ---- evaluation ----------------------------------------------------------------------------------
@outlined
def evaluate_many(code, row, parameters, t, inputs, out):
    """out = f(t, inputs; parameters) of a row of codes, as `evaluate_code`, for more numbers than a
    stack array of floats holds: scratch is one of lanes. Without lanes nothing needs it.
    """
    floats = 1 + inputs.shape[0] + out.shape[0]
    space = stack_array(load(inputs, 0), (floats + WIDTH - 1) // WIDTH)
    scratch = space.reshape(space.size)
    run_code(code, row, scratch, 0, parameters, t, inputs, out, 0, out.shape[0])


@inlined
def evaluate_at_poses(potentials, k, t, bodies, out):
    """V and its derivatives of element k into out, and the poses that it was asked for."""
    i = potentials.row[k, 0]
    j = potentials.row[k, 1]
    ends = load(potentials.ends, k, Ends)
    a, b = frame_axes(bodies, i, ends.a.rotation), frame_axes(bodies, j, ends.b.rotation)
    line = vector_between(bodies, i, ends.a.at, j, ends.b.at)
    back = transpose(a)
    d = back @ line
    inputs = stack_array(d.x, INPUTS)
    store_vector(inputs, PLACE, d)
    store_matrix(inputs, ROTATION, to_matrix(back @ b))
    store(inputs, DISTANCE, nonzero_length(d))
    if potentials.in_world[k] != 0:
        store_vector(inputs, PLACE_A, point_position(bodies, i, ends.a.at))
        store_matrix(inputs, ROTATION_A, to_matrix(a))
        store_vector(inputs, PLACE_B, point_position(bodies, j, ends.b.at))
        store_matrix(inputs, ROTATION_B, to_matrix(b))
    evaluate_many(potentials.code, k, part(potentials.parameters, k), t, inputs, out)
    return Pose(a, b, line, d)


@inlined
def axial(a):
    """ε_ijk a_ij: the torque of a turn that changes V by a : [δθ]×"""
    return Vec3(a.z.y - a.y.z, a.x.z - a.z.x, a.y.x - a.x.y)


@add_element_wrench.method(PosePotentials)
def add_pose_wrenches(potentials, k, t, bodies):
    """Opposite wrenches by the relative pose, and one on each body by its pose in the world."""
    i = potentials.row[k, 0]
    j = potentials.row[k, 1]
    out = stack_array(load(bodies.position, i, Vec3).x, OUTPUTS)
    pose = evaluate_at_poses(potentials, k, t, bodies, out)
    ends = load(potentials.ends, k, Ends)
    along = load(out, 1 + DISTANCE) / nonzero_length(pose.d)
    force = pose.a @ plus_scaled(vector_at(out, 1 + PLACE), pose.d, along)
    torque = -axial(pose.a @ matrix_at(out, 1 + ROTATION) @ transpose(pose.b))
    arm_a = lever_arm(bodies, i, ends.a.at)
    arm_b = lever_arm(bodies, j, ends.b.at)
    add_wrench_at(bodies, i, arm_a + pose.line, force, torque)
    add_wrench_at(bodies, j, arm_b, -force, -torque)
    if potentials.in_world[k] != 0:
        torque_a = axial(matrix_at(out, 1 + ROTATION_A) @ transpose(pose.a))
        torque_b = axial(matrix_at(out, 1 + ROTATION_B) @ transpose(pose.b))
        add_wrench_at(bodies, i, arm_a, -vector_at(out, 1 + PLACE_A), torque_a)
        add_wrench_at(bodies, j, arm_b, -vector_at(out, 1 + PLACE_B), torque_b)


@element_potential_energy.method(PosePotentials)
def pose_energy(potentials, k, t, bodies):
    """V"""
    out = stack_array(load(bodies.position, potentials.row[k, 0], Vec3).x, OUTPUTS)
    evaluate_at_poses(potentials, k, t, bodies, out)
    return load(out, 0)
