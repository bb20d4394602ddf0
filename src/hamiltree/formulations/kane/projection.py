"""Projection of a state of kane_absolute to where its constraints hold, as cartesian_projection.py
does it.

The least change in the metric of the masses is δ = A⁻¹ Bᵀ W⁻¹ (−Φ), a turn of every body in its own
axes and the change of slides.
"""

from hamiltree.assembly.rows import INDEPENDENCE, WEAKEST_ROW
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, load, root, store
from hamiltree.formulations.absolute.bodies import dot4, put_quat, quat_at, spread, vector_at
from hamiltree.formulations.absolute.projection import (
    WEAKEST,
    change_by,
    factor_rows,
    make_unit,
    note_trouble,
    project_on_rows,
)
from hamiltree.formulations.kane.constraint_rows import pull_speeds, solve_ties, tie_rows

# the whole of it, with this file
from hamiltree.formulations.kane.kane_absolute import FORMULATION as FORMULATION
from hamiltree.formulations.kane.kane_absolute import (
    KaneAbsolute,
    add_masses,
    slides_at,
    spread_columns,
)
from hamiltree.formulations.kane.partial_velocities import clear_columns
from hamiltree.verbs import project


@make_unit.method(KaneAbsolute)
def make_all_unit(system, y):
    for b in range(system.body.shape[0]):
        p = quat_at(y, 4 * b)
        put_quat(y, 4 * b, p * (1.0 / root(dot4(p, p))))


@factor_rows.method(KaneAbsolute)
def factor_columns_and_ties(system, work, t, y):
    """A, B and W."""
    spread_columns(system, work)
    clear_columns(system.columns, work.columns)
    add_masses(system, work)
    tie_rows(system, work)


@change_by.method(KaneAbsolute)
def change_absolute(system, work, y, values, is_position):
    """A⁻¹ Bᵀ W⁻¹ (−values)"""
    for row in range(system.rows.row.shape[0]):
        store(work.multipliers, row, -load(values, row))
    for i in range(system.layout.momenta):
        store(work.columns.side, i, 0.0)
    solve_ties(system, work)
    pull_speeds(system, work)
    if is_position:
        move_bodies(system, work, y)
    else:
        speed_up(system, work, y)


@inlined
def add_slides(system, work, y, first, b):
    for k in range(system.first_slide[b], system.first_slide[b + 1]):
        add(y, first + k, load(work.columns.side, system.turn[b] + 3 + k - system.first_slide[b]))


@inlined
def move_bodies(system, work, y):
    """ε + ½ ε ∘ (0, δ'), made a unit one; slides moved."""
    first, _ = slides_at(system)
    for b in range(system.body.shape[0]):
        p = quat_at(y, 4 * b)
        put_quat(y, 4 * b, p + spread(p, vector_at(work.columns.side, system.turn[b]) * 0.5))
        add_slides(system, work, y, first, b)
    make_unit(system, y)


@inlined
def speed_up(system, work, y):
    _, first = slides_at(system)
    for b in range(system.body.shape[0]):
        for m in range(3):
            add(y, system.layout.positions + 3 * b + m, load(work.columns.side, system.turn[b] + m))
        add_slides(system, work, y, first, b)


@note_trouble.method(KaneAbsolute)
def note_weakest_row(system, work):
    """The row that is most nearly dependent on those before it, and how nearly."""
    work.trouble[INDEPENDENCE], m = 1.0, system.rows.row.shape[0]
    for row in range(m):
        share = load(work.tie, row * m + row) / load(work.size, row)
        if not share >= work.trouble[INDEPENDENCE]:
            work.trouble[INDEPENDENCE], work.trouble[WEAKEST_ROW] = share, system.group[row]
    return work.trouble[INDEPENDENCE] > WEAKEST


@project.method(KaneAbsolute)
def project_absolute(system, work, t, y, lost):
    """Where joints lock no rotation there is nothing to project on: attitudes do not depend on
    ‖ε‖.
    """
    return system.facts.constraints == 0 or project_on_rows(system, work, t, y, lost)
