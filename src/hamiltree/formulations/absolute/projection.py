"""Projection of a state in absolute coordinates to where its constraints hold: positions by
Newton's method, then speeds.

Both with the least change in the metric of the masses, by the factors of the matrix of the
formulation.
"""

import numpy as np

from hamiltree.algebra.vec3 import ZERO
from hamiltree.assembly.rows import (
    INDEPENDENCE,
    WEAKEST_ROW,
    evaluate_row_rate,
    evaluate_rows,
)
from hamiltree.compiled.kernel import Generic, inlined, outlined
from hamiltree.compiled.number import add, load, root, store
from hamiltree.formulations.absolute.augmented_matrix import assemble_matrix, unknown_of
from hamiltree.formulations.absolute.bodies import (
    CartesianI,
    CartesianII,
    CartesianIII,
    add_vector,
    body_constants,
    clear_wrenches,
    dot4,
    move_body,
    place_bodies,
    put_quat,
    put_turning,
    put_vector,
    quat_at,
    rest_body,
    speed_up,
    speeds_at,
    spread,
    turning,
    vector_at,
)
from hamiltree.formulations.absolute.sparse_block_lu import (
    smallest_pivot,
    solve_blocks,
)
from hamiltree.verbs import project

ROUNDS = 12
ROUNDING = 1.1e-16
OPEN = 1e-6  # m or rad: what Newton's method has not closed to this it does not close
WEAKEST = 1e-11  # pivot of a row beside the others, below which it counts as dependent


@rest_body.method(CartesianIII)
def rest_modified(system, work, y, i, is_position):
    for k in range(6):
        store(work.solution, system.plan.at[i] + k, 0.0)


@rest_body.method(CartesianII)
def rest_mixed(system, work, y, i, is_position):
    """Rows of p: p pᵀ δ = p (1 − pᵀp)/2, or −p pᵀṗ."""
    p = quat_at(y, 7 * i + 3)
    wanted = (
        0.5 * (1.0 - dot4(p, p)) if is_position else -dot4(p, quat_at(y, speeds_at(system, i) + 3))
    )
    put_vector(work.solution, system.plan.at[i], ZERO)
    put_quat(work.solution, system.plan.at[i] + 3, p * wanted)


@rest_body.method(CartesianI)
def rest_unmodified(system, work, y, i, is_position):
    p, J = quat_at(y, 7 * i + 3), body_constants(system, i).inertia
    wanted = (
        0.5 * (1.0 - dot4(p, p)) if is_position else -dot4(p, quat_at(y, speeds_at(system, i) + 3))
    )
    put_vector(work.solution, system.plan.at[i], ZERO)
    put_quat(work.solution, system.plan.at[i] + 3, p * (wanted * (J.xx + J.yy + J.zz)))
    store(work.solution, system.plan.at[i] + 7, wanted)


@inlined
def normalised(y, i):
    """‖p‖ = 1"""
    p = quat_at(y, 7 * i + 3)
    put_quat(y, 7 * i + 3, p * (1.0 / root(dot4(p, p))))


@move_body.method(CartesianIII)
def move_modified(system, work, y, i):
    """p + ½ Lᵀ δ', made a unit one"""
    at = system.plan.at[i]
    add_vector(y, 7 * i, vector_at(work.solution, at))
    p = quat_at(y, 7 * i + 3)
    put_quat(y, 7 * i + 3, p + spread(p, vector_at(work.solution, at + 3) * 0.5))
    normalised(y, i)


@move_body.method(CartesianI)
@move_body.method(CartesianII)
def move_parameters(system, work, y, i):
    for k in range(7):
        add(y, 7 * i + k, load(work.solution, system.plan.at[i] + k))
    normalised(y, i)


@speed_up.method(CartesianIII)
def speed_up_modified(system, work, y, i):
    for k in range(6):
        add(y, speeds_at(system, i) + k, load(work.solution, system.plan.at[i] + k))


@speed_up.method(CartesianI)
@speed_up.method(CartesianII)
def speed_up_parameters(system, work, y, i):
    at = speeds_at(system, i)
    for k in range(7):
        add(y, at + k, load(work.solution, system.plan.at[i] + k))
    p, rate = quat_at(y, 7 * i + 3), quat_at(y, at + 3)
    put_quat(y, at + 3, rate + p * -dot4(p, rate))


@inlined
def worst_of(values, n):
    """The largest magnitude; NaN if there is one."""
    worst = 0.0
    for row in range(n):
        size = abs(load(values, row))
        worst = size if size > worst or size != size else worst
    return worst


# ---- asked of every formulation with rows that are projected on ----------------------------------
make_unit = Generic(
    "make_unit", "make_unit(system, y): quaternions of norm one, at the same ω'", leading=1
).call
factor_rows = Generic(
    "factor_rows",
    "factor_rows(system, work, t, y): the matrix where bodies are placed and rows graded",
    leading=1,
).call
change_by = Generic(
    "change_by",
    "change_by(system, work, y, values, is_position): the least change of rows by −values",
    leading=1,
).call
note_trouble = Generic(
    "note_trouble",
    "note_trouble(system, work): the weakest rows; whether they are independent",
    leading=1,
).call


@inlined
def note_weakest_group(system, work):
    """Of rows, by the smallest pivot."""
    bodies = system.body.shape[0]
    work.trouble[INDEPENDENCE] = 1.0
    for group in range(system.plan.sizes.shape[0] - bodies):
        found = smallest_pivot(system.plan, work.blocks, bodies + group)
        if not found >= work.trouble[INDEPENDENCE]:
            work.trouble[INDEPENDENCE], work.trouble[WEAKEST_ROW] = found, group
    return work.trouble[INDEPENDENCE] > WEAKEST


def make_parameters_unit(system, y):
    """‖p‖ = 1 and pᵀṗ = 0 at the same ω': no row feels either, but by Φ_p p, which I and II solve
    with, it would.
    """
    for i in range(system.body.shape[0]):
        w = turning(system, y, i)
        normalised(y, i)
        put_turning(system, y, i, w)


def change_cartesian(system, work, y, values, is_position):
    for i in range(system.body.shape[0]):
        rest_body(system, work, y, i, is_position)
    for row in range(system.rows.row.shape[0]):
        store(work.solution, unknown_of(system, row), -load(values, row))
    solve_blocks(system.plan, work.blocks, work.solution)
    for i in range(system.body.shape[0]):
        if is_position:
            move_body(system, work, y, i)
        else:
            speed_up(system, work, y, i)


def factor_matrix(system, work, t, y):
    assemble_matrix(system, work, t, y)


# ---- projection ----------------------------------------------------------------------------------
@outlined
def close_rows(system, work, t, y):
    """Newton for Φ = 0 with the least change, weighted by the masses, until it stops getting
    better.
    """
    n, least, smallest = (
        system.rows.row.shape[0],
        np.inf,
        ROUNDING * (1.0 + worst_of(y, system.layout.positions)),
    )
    make_unit(system, y)
    for _ in range(ROUNDS):
        place_bodies(system, work, y)
        evaluate_rows(system.rows, work.rows, work.bodies, t)
        worst = worst_of(work.rows.value, n)
        if worst <= smallest or not worst < 0.5 * least:
            return worst < OPEN
        least = worst
        factor_rows(system, work, t, y)
        change_by(system, work, y, work.rows.value, True)
    return False


@outlined
def steady_rows(system, work, t, y):
    """Speeds with Φ̇ = 0 and the least change; the rows have been closed."""
    n, least, smallest = system.rows.row.shape[0], np.inf, ROUNDING * worst_of(y, y.shape[0])
    make_unit(system, y)
    place_bodies(system, work, y)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    factor_rows(system, work, t, y)
    is_regular = note_trouble(system, work)  # steps may differ in length, so nothing is foreseen
    for _ in range(4):
        for row in range(n):
            evaluate_row_rate(system.rows, work.rows, work.bodies, row)
        worst = worst_of(work.rows.rate, n)
        if worst <= smallest or not worst < 0.5 * least:
            return is_regular and worst == worst
        least = worst
        change_by(system, work, y, work.rows.rate, False)
        place_bodies(system, work, y)
    return is_regular


@inlined
def project_on_rows(system, work, t, y, lost):
    """Positions with Φ = 0 and unit quaternions, then speeds with Φ̇ = 0: the least change in the
    metric of the masses.
    """
    if not system.facts.projects:
        return True
    for k in range(lost.shape[0]):
        lost[k] = 0.0
    clear_wrenches(system, work)
    if not close_rows(system, work, t, y):
        work.trouble[INDEPENDENCE] = -1.0
        return False
    return steady_rows(system, work, t, y)


for _kind in (CartesianI, CartesianII, CartesianIII):
    make_unit.method(_kind)(make_parameters_unit)
    factor_rows.method(_kind)(factor_matrix)
    change_by.method(_kind)(change_cartesian)
    note_trouble.method(_kind)(note_weakest_group)
    project.method(_kind)(project_on_rows)
