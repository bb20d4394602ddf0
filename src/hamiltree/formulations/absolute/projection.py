"""Projection of a state in absolute coordinates onto its constraints: positions by Newton's method,
then speeds. Quaternions are normalised after every step that is projected.

Both with the least change in the metric of the masses, by the factors of the matrix of the
formulation.
"""

import numpy as np

from hamiltree.algebra.rows import (
    add_vector,
    quat_at,
    store_quat,
    store_vector,
    vector_at,
)
from hamiltree.algebra.spatial import Twist
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.assembly.independence import (
    INDEPENDENCE,
    VOLUME,
    WEAKEST_ROW,
    log_of_volume,
    multiply_volume,
    sine_of_weakest_row,
    take_least_volume,
)
from hamiltree.assembly.rows import evaluate_row_rate, evaluate_rows
from hamiltree.compiled.kernel import Generic, inlined, outlined
from hamiltree.compiled.number import add, load, root, store
from hamiltree.formulations.absolute.augmented_matrix import (
    assemble_and_factor_matrix,
    multiplier_index,
)
from hamiltree.formulations.absolute.bodies import (
    CartesianI,
    CartesianII,
    CartesianIII,
    body_angular_velocity,
    body_constants,
    compute_body_frames,
    correct_position,
    correct_velocity,
    projection_right_side,
    speed_offset,
    store_angular_velocity,
)
from hamiltree.formulations.absolute.quaternions import l_transpose_times, quaternion_dot
from hamiltree.formulations.absolute.sparse_block_lu import smallest_pivot, solve_blocks
from hamiltree.formulations.absolute.world_frames import clear_wrenches
from hamiltree.formulations.formulation import answers
from hamiltree.verbs import independence, least_volume, project, volume, weakest_row

MAX_NEWTON_ITERATIONS = 12
UNIT_ROUNDOFF = 1.1e-16
# rad, or a part of the length of the mechanism: above it Newton's method has failed
MAX_RESIDUAL = 1e-6
MIN_PIVOT_RATIO = 1e-11  # pivot of a row beside the others, below which it counts as dependent


@projection_right_side.method(CartesianIII)
def projection_right_side_3(system, work, y, i, is_position):
    """Zero: M δ + Bᵀ(−λ) = 0."""
    for k in range(6):
        store(work.solution, system.plan.at[i] + k, 0.0)


@inlined
def norm_correction(system, y, i, is_position):
    """pᵀδ that is wanted: (1 − pᵀp)/2 of positions, −pᵀṗ of speeds."""
    p = quat_at(y, 7 * i + 3)
    return (
        0.5 * (1.0 - quaternion_dot(p, p))
        if is_position
        else -quaternion_dot(p, quat_at(y, speed_offset(system, i) + 3))
    )


@inlined
def store_norm_correction(system, work, y, i, wanted):
    """Rows of p: κ p pᵀ δ = κ p (1 − pᵀp)/2, or −κ p pᵀṗ; κ = tr J'."""
    p, J = quat_at(y, 7 * i + 3), body_constants(system, i).inertia
    store_vector(work.solution, system.plan.at[i], ZERO)
    store_quat(work.solution, system.plan.at[i] + 3, p * (wanted * (J.xx + J.yy + J.zz)))


@projection_right_side.method(CartesianII)
def projection_right_side_2(system, work, y, i, is_position):
    """The correction of the norm, in the rows of p."""
    store_norm_correction(system, work, y, i, norm_correction(system, y, i, is_position))


@projection_right_side.method(CartesianI)
def projection_right_side_1(system, work, y, i, is_position):
    """The same, and that correction in the row of σ."""
    wanted = norm_correction(system, y, i, is_position)
    store_norm_correction(system, work, y, i, wanted)
    store(work.solution, system.plan.at[i] + 7, wanted)


@inlined
def normalise_quaternion(y, i):
    """‖p‖ = 1"""
    p = quat_at(y, 7 * i + 3)
    store_quat(y, 7 * i + 3, p * (1.0 / root(quaternion_dot(p, p))))


@correct_position.method(CartesianIII)
def correct_position_3(system, work, y, i):
    """r + δ; p + ½ Lᵀ δ', normalised"""
    at = system.plan.at[i]
    add_vector(y, 7 * i, vector_at(work.solution, at))
    p = quat_at(y, 7 * i + 3)
    store_quat(y, 7 * i + 3, p + l_transpose_times(p, vector_at(work.solution, at + 3) * 0.5))
    normalise_quaternion(y, i)


@correct_position.method(CartesianI)
@correct_position.method(CartesianII)
def correct_position_1_and_2(system, work, y, i):
    """(r, p) + δ, p normalised"""
    for k in range(7):
        add(y, 7 * i + k, load(work.solution, system.plan.at[i] + k))
    normalise_quaternion(y, i)


@correct_velocity.method(CartesianIII)
def correct_velocity_3(system, work, y, i):
    """(ṙ, ω') + δ"""
    for k in range(6):
        add(y, speed_offset(system, i) + k, load(work.solution, system.plan.at[i] + k))


@correct_velocity.method(CartesianI)
@correct_velocity.method(CartesianII)
def correct_velocity_1_and_2(system, work, y, i):
    """(ṙ, ṗ) + δ, with pᵀṗ = 0"""
    at = speed_offset(system, i)
    for k in range(7):
        add(y, at + k, load(work.solution, system.plan.at[i] + k))
    p, rate = quat_at(y, 7 * i + 3), quat_at(y, at + 3)
    store_quat(y, at + 3, rate + p * -quaternion_dot(p, rate))


@inlined
def largest_residual(system, values):
    """The largest value of a row, in rad or parts of the length of the mechanism; NaN if there is
    one.
    """
    worst = 0.0
    for row in range(system.rows.row.shape[0]):
        size = abs(load(values, row)) / system.row_size[row]
        worst = size if size > worst or size != size else worst
    return worst


@inlined
def largest_component(v):
    return max(abs(v.x), abs(v.y), abs(v.z))


@inlined
def position_rounding(system, work):
    """What rounding makes of residuals: more of bodies that are far from the world's origin."""
    farthest = 0.0
    for i in range(system.body.shape[0]):
        farthest = max(farthest, largest_component(load(work.bodies.position, i, Vec3)))
    return UNIT_ROUNDOFF * (2.0 + farthest / system.length[0])


@inlined
def rate_rounding(system, work):
    """What rounding makes of the rates of residuals, 1/s."""
    fastest = 0.0
    for i in range(system.body.shape[0]):
        V = load(work.bodies.twist, i, Twist)
        own = max(largest_component(V.w), largest_component(V.v) / system.length[0])
        fastest = max(fastest, own)
    return UNIT_ROUNDOFF * fastest


# ---- methods of every formulation whose states are projected -------------------------------------
normalise_quaternions = Generic(
    "normalise_quaternions",
    "normalise_quaternions(system, y): quaternions of norm one, at the same ω'",
    leading=1,
).call
factor_constraint_matrix = Generic(
    "factor_constraint_matrix",
    "factor_constraint_matrix(system, work, t, y): the matrix, after frames and rows are evaluated",
    leading=1,
).call
apply_least_change = Generic(
    "apply_least_change",
    "apply_least_change(system, work, y, values, is_position): the least change of rows by −values",
    leading=1,
).call
record_weakest_rows = Generic(
    "record_weakest_rows",
    "record_weakest_rows(system, work): the weakest rows; whether they are independent",
    leading=1,
).call


@answers(record_weakest_rows, CartesianI, CartesianII, CartesianIII)
@inlined
def record_weakest_group(system, work):
    """The group of constraint rows with the smallest pivot ratio, into work; whether it counts as
    independent.
    """
    bodies, volume, log_volume = system.body.shape[0], 1.0, 0.0
    work.trouble[INDEPENDENCE] = 1.0
    for group in range(system.plan.sizes.shape[0] - bodies):
        found = smallest_pivot(system.plan, work.blocks, bodies + group)
        volume, log_volume = multiply_volume(volume, log_volume, found)
        if not found >= work.trouble[INDEPENDENCE]:
            work.trouble[INDEPENDENCE], work.trouble[WEAKEST_ROW] = found, group
    work.trouble[VOLUME] = log_of_volume(volume, log_volume)
    return work.trouble[INDEPENDENCE] > MIN_PIVOT_RATIO


@answers(independence, CartesianI, CartesianII, CartesianIII)
def row_independence(system, work):
    """As the last projection has found it."""
    return sine_of_weakest_row(work.trouble)


@answers(least_volume, CartesianI, CartesianII, CartesianIII)
def least_row_volume(system, work):
    return take_least_volume(work.trouble)


@answers(volume, CartesianI, CartesianII, CartesianIII)
def last_volume(system, work):
    return work.trouble[VOLUME]


@answers(weakest_row, CartesianI, CartesianII, CartesianIII)
def weakest_group(system, work):
    return work.trouble[WEAKEST_ROW]


@answers(normalise_quaternions, CartesianI, CartesianII, CartesianIII)
def normalise_parameters(system, y):
    """‖p‖ = 1 and pᵀṗ = 0 at the same ω'. No constraint residual depends on either, but Φ_p p,
    which I and II use, does.
    """
    for i in range(system.body.shape[0]):
        w = body_angular_velocity(system, y, i)
        normalise_quaternion(y, i)
        store_angular_velocity(system, y, i, w)


@answers(apply_least_change, CartesianI, CartesianII, CartesianIII)
def apply_cartesian_change(system, work, y, values, is_position):
    """Correct y by the least change with B δ = −values, by the factors in work."""
    for i in range(system.body.shape[0]):
        projection_right_side(system, work, y, i, is_position)
    for row in range(system.rows.row.shape[0]):
        store(work.solution, multiplier_index(system, row), -load(values, row))
    solve_blocks(system.plan, work.blocks, work.solution)
    for i in range(system.body.shape[0]):
        if is_position:
            correct_position(system, work, y, i)
        else:
            correct_velocity(system, work, y, i)


@answers(factor_constraint_matrix, CartesianI, CartesianII, CartesianIII)
def factor_cartesian_matrix(system, work, t, y):
    """The matrix of the formulation; its right-hand sides are not used."""
    assemble_and_factor_matrix(system, work, t, y)


# ---- projection ----------------------------------------------------------------------------------
@outlined
def project_positions(system, work, t, y):
    """Newton's method for Φ = 0 with the least change in the metric of the masses, until the
    residual stops falling.
    """
    least = np.inf
    normalise_quaternions(system, y)
    for _ in range(MAX_NEWTON_ITERATIONS):
        compute_body_frames(system, work, y)
        evaluate_rows(system.rows, work.rows, work.bodies, t)
        worst = largest_residual(system, work.rows.value)
        if worst <= position_rounding(system, work) or not worst < 0.5 * least:
            return worst < MAX_RESIDUAL
        least = worst
        factor_constraint_matrix(system, work, t, y)
        apply_least_change(system, work, y, work.rows.value, True)
    return False


@outlined
def project_velocities(system, work, t, y):
    """Speeds with Φ̇ = 0 and the least change, after `project_positions`."""
    n, least = system.rows.row.shape[0], np.inf
    normalise_quaternions(system, y)
    compute_body_frames(system, work, y)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    factor_constraint_matrix(system, work, t, y)
    is_regular = record_weakest_rows(system, work)
    for _ in range(4):
        for row in range(n):
            evaluate_row_rate(system.rows, work.rows, work.bodies, row)
        worst = largest_residual(system, work.rows.rate)
        if worst <= rate_rounding(system, work) or not worst < 0.5 * least:
            return is_regular and worst == worst
        least = worst
        apply_least_change(system, work, y, work.rows.rate, False)
        compute_body_frames(system, work, y)
    return is_regular


@answers(project, CartesianI, CartesianII, CartesianIII)
@inlined
def project_state(system, work, t, y, compensation):
    """Positions with Φ = 0 and unit quaternions, then speeds with Φ̇ = 0: the least change in the
    metric of the masses.
    """
    if not system.facts.projects:
        record_weakest_rows(system, work)  # as the last rates have left them
        return True
    for k in range(compensation.shape[0]):
        compensation[k] = 0.0
    clear_wrenches(system, work.bodies)
    if not project_positions(system, work, t, y):
        work.trouble[INDEPENDENCE] = -1.0
        return False
    return project_velocities(system, work, t, y)
