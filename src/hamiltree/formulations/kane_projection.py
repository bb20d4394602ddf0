"""Projection of a state of kane_absolute to where its constraints hold: positions by Newton's method, then speeds.

Both with the least change in the metric of the masses: δ = A⁻¹ Bᵀ W⁻¹ (−Φ), a turn of every body in its own axes and the change of slides.
"""

import numpy as np

from hamiltree.algebra.number import add, load, root, store
from hamiltree.formulations.cartesian_bodies import dot4, put_quat, quat_at, spread, vector_at
from hamiltree.formulations.cartesian_projection import OPEN, ROUNDING, ROUNDS, WEAKEST, worst_of
from hamiltree.formulations.kane_absolute import (
    KaneAbsolute,
    add_masses,
    place_bodies,
    slides_at,
    spread_columns,
)
from hamiltree.formulations.kane_columns import clear_columns
from hamiltree.formulations.kane_ties import pull_speeds, solve_ties, tie_rows
from hamiltree.formulations.rows import SHARE, WEAK, grade_rows, row_rate
from hamiltree.kernel import inlined, outlined
from hamiltree.verbs import project


@inlined
def make_unit(system, y):
    """‖ε‖ = 1"""
    for b in range(system.body.shape[0]):
        p = quat_at(y, 4 * b)
        put_quat(y, 4 * b, p * (1.0 / root(dot4(p, p))))


@inlined
def grade_all(system, work):
    """B and the factors of A and W where bodies are placed."""
    spread_columns(system, work)
    clear_columns(system.columns, work.columns)
    add_masses(system, work)
    tie_rows(system, work)


@inlined
def least_change(system, work, values):
    """A⁻¹ Bᵀ W⁻¹ (−values) into the side."""
    for row in range(system.rows.row.shape[0]):
        store(work.multipliers, row, -load(values, row))
    for i in range(system.layout.momenta):
        store(work.columns.side, i, 0.0)
    solve_ties(system, work)
    pull_speeds(system, work)


@inlined
def move_bodies(system, work, y):
    """ε + ½ ε ∘ (0, δ'), made a unit one; slides moved."""
    first, _ = slides_at(system)
    for b in range(system.body.shape[0]):
        p = quat_at(y, 4 * b)
        put_quat(y, 4 * b, p + spread(p, vector_at(work.columns.side, system.turn[b]) * 0.5))
        for k in range(system.first_slide[b], system.first_slide[b + 1]):
            add(y, first + k, load(work.columns.side, system.turn[b] + 3 + k - system.first_slide[b]))
    make_unit(system, y)


@inlined
def speed_up(system, work, y):
    _, first = slides_at(system)
    for b in range(system.body.shape[0]):
        for m in range(3):
            add(y, system.layout.positions + 3 * b + m, load(work.columns.side, system.turn[b] + m))
        for k in range(system.first_slide[b], system.first_slide[b + 1]):
            add(y, first + k, load(work.columns.side, system.turn[b] + 3 + k - system.first_slide[b]))


@inlined
def note_trouble(system, work):
    """The row that is most nearly dependent on those before it, and how nearly."""
    work.trouble[SHARE], m = 1.0, system.rows.row.shape[0]
    for row in range(m):
        share = load(work.tie, row * m + row) / load(work.size, row)
        if not share >= work.trouble[SHARE]:
            work.trouble[SHARE], work.trouble[WEAK] = share, system.group[row]
    return work.trouble[SHARE] > WEAKEST


@outlined
def close_rows(system, work, t, y):
    """Newton for Φ = 0, until it stops getting better."""
    n, least, smallest = system.rows.row.shape[0], np.inf, ROUNDING * (1.0 + worst_of(y, system.layout.positions))
    make_unit(system, y)
    for _ in range(ROUNDS):
        place_bodies(system, work, y)
        grade_rows(system.rows, work.rows, work.bodies, t)
        worst = worst_of(work.rows.value, n)
        if worst <= smallest or not worst < 0.5 * least:
            return worst < OPEN
        least = worst
        grade_all(system, work)
        least_change(system, work, work.rows.value)
        move_bodies(system, work, y)
    return False


@outlined
def steady_rows(system, work, t, y):
    """Speeds with Φ̇ = 0; the rows have been closed."""
    n, least, smallest = system.rows.row.shape[0], np.inf, ROUNDING * worst_of(y, y.shape[0])
    place_bodies(system, work, y)
    grade_rows(system.rows, work.rows, work.bodies, t)
    grade_all(system, work)
    is_regular = note_trouble(system, work)
    for _ in range(4):
        for row in range(n):
            row_rate(system.rows, work.rows, work.bodies, row)
        worst = worst_of(work.rows.rate, n)
        if worst <= smallest or not worst < 0.5 * least:
            return is_regular and worst == worst
        least = worst
        least_change(system, work, work.rows.rate)
        speed_up(system, work, y)
        place_bodies(system, work, y)
    return is_regular


@project.method(KaneAbsolute)
def absolute_project(system, work, t, y, lost):
    """Positions with Φ = 0, ‖ε‖ = 1, then speeds with Φ̇ = 0."""
    if not system.projects or system.constraints == 0:
        return True
    for k in range(lost.shape[0]):
        lost[k] = 0.0
    if not close_rows(system, work, t, y):
        work.trouble[SHARE] = -1.0
        return False
    return steady_rows(system, work, t, y)
