"""Forward dynamics of a tree whose loops are closed by constraint rows, in speeds.

  M a = τ + Q − bias + Gᵀλ,   G a = γ,   so that  G M⁻¹ Gᵀ λ = γ − G a₀  with the tree's own a₀
a₀ is that of articulated inertias (ABA); each column of the Delassus matrix W = G M⁻¹ Gᵀ is one
more solve of the tree: O(N m + m³). Rows may repeat each other: `kept` are solved for.
An answer has no number in its first place where rows do not hold at q, their rates at the speeds,
or where a kept row depends on the others.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.spatial import Twist
from hamiltree.assembly.rows import add_row_wrenches, evaluate_row_rates, evaluate_rows
from hamiltree.assembly.rows import evaluate_undriven_rate as evaluate_row_along
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import (
    absolute,
    add,
    broadcast_like,
    load,
    maximum,
    rows,
    store,
    where_less,
)
from hamiltree.compiled.triples import Triple
from hamiltree.forces.dispatch import (
    dissipated_power_of_joints,
    potential_energy_of_joints,
)
from hamiltree.forces.laws import Bodies
from hamiltree.formulations.tree.algorithms import (
    AlgorithmTables,
    AlgorithmWork,
    algorithm_workspace,
    read_forces,
    read_speeds,
    run_query,
    write_forces,
    write_speeds,
)
from hamiltree.formulations.tree.body_forces import clear_wrenches
from hamiltree.formulations.tree.couplings import solve_couplings
from hamiltree.formulations.tree.dynamics import propagate_accelerations, solve_accelerations
from hamiltree.formulations.tree.hamiltonian_loops import (
    HamiltonianLoops,
    LoopsWork,
    add_closing_wrenches,
    constrained_links,
    evaluate_closing_coordinates,
    evaluate_generalised_forces,
)
from hamiltree.formulations.tree.hamiltonian_loops import workspace as loops_workspace
from hamiltree.formulations.tree.link_rows import PairRow, to_twist
from hamiltree.formulations.tree.regularity import largest_inertia_loss, mark_singular
from hamiltree.formulations.tree.sweeps import (
    forward_kinematics,
    gather_articulated_inertias,
    gather_bias_momenta,
    place_links,
    place_twists,
    propagate_twists,
    propagate_velocities,
)


class ConstrainedTables(NamedTuple):
    base: AlgorithmTables
    loops: HamiltonianLoops  # with all rows, also those that repeat others
    kept: np.ndarray  # (m,) rows that are solved for
    value_weight: np.ndarray  # (rows,) residual by the largest allowed one; 0: any is
    rate_weight: np.ndarray  # (rows,) rate of the residual without its length
    speed_weight: np.ndarray  # (speeds,) speed without its length
    rate_tolerance: np.ndarray  # (2,) of the fastest speed; and the slowest that counts, 1/s
    least_independence: np.ndarray  # (1,) squared sine between a kept row and the others


class ConstrainedWork(NamedTuple):
    base: AlgorithmWork
    loops: LoopsWork  # shares the tree of base
    matrix: np.ndarray  # (m m,) W, then L and D of W = L D Lᵀ           fill_delassus_matrix
    multipliers: np.ndarray  # (rows,)                                  solve_multipliers
    wanted: np.ndarray  # (rows,) γ, then γ − G a₀                       fill_wanted_accelerations
    along: np.ndarray  # (speeds,) forces or rates
    acceleration: np.ndarray  # Twist of each link: a of base            fill_wanted_accelerations


def constrained_workspace(tables: ConstrainedTables, width: int) -> ConstrainedWork:
    """For one state (width 1) or four."""
    base = algorithm_workspace(tables.base, width, False)
    loops = loops_workspace(tables.loops, width)._replace(tree=base.tree)
    count = max(1, tables.loops.facts.constraints)
    return ConstrainedWork(
        base,
        loops,
        rows(float, max(1, len(tables.kept) ** 2), width),
        rows(float, count, width),
        rows(float, count, width),
        rows(float, max(1, tables.base.speeds), width),
        rows(Twist, len(tables.base.tree.parent) + 1, width),
    )


# ---- rows ----------------------------------------------------------------------------------------
@inlined
def evaluate_rows_at_state(tables, work, t, y):
    """Φ, Φ̇ and γ# of all rows, from q and the speeds in y."""
    tree, inner = tables.base.tree, work.base.tree
    forward_kinematics(tree, inner, y)
    place_links(tree, inner)
    read_speeds(tree, inner, y, tree.layout.positions)
    propagate_twists(tree, inner)
    place_twists(tree, inner)
    links = constrained_links(work.loops)
    evaluate_rows(tables.loops.rows, work.loops.rows, links, t)
    evaluate_row_rates(tables.loops.rows, work.loops.rows, links)


@inlined
def largest_residual(tables, work):
    """In parts of the largest allowed one."""
    worst = broadcast_like(0.0, load(work.loops.rows.value, 0))
    for row in range(tables.loops.rows.row.shape[0]):
        value = load(work.loops.rows.value, row) * load(tables.value_weight, row)
        worst = maximum(worst, absolute(value))
    return worst


@inlined
def largest_residual_rate(tables, work, y):
    """The same of rates, which are compared with the fastest speed."""
    first = tables.base.tree.layout.positions
    fastest = broadcast_like(tables.rate_tolerance[1], load(work.loops.rows.rate, 0))
    for i in range(tables.base.speeds):
        fastest = maximum(fastest, absolute(load(y, first + i) * load(tables.speed_weight, i)))
    worst = 0.0 * fastest
    for row in range(tables.loops.rows.row.shape[0]):
        rate = load(work.loops.rows.rate, row) * load(tables.rate_weight, row)
        worst = maximum(worst, absolute(rate))
    return worst / (fastest * tables.rate_tolerance[0])


@inlined
def fill_wanted_accelerations(tables, work, y):
    """γ of all rows: G a = γ keeps their rates. The twists of links are those of the speeds."""
    tree = tables.base.tree
    table, row_work = tables.loops.rows, work.loops.rows
    propagate_accelerations(tree, work.base, y, -1)  # less gravity, the ground too
    inner = work.base.tree
    for i in range(tree.parent.shape[0] + 1):
        store(work.acceleration, i, to_twist(load(work.base.a, i, PairRow)))
    links = Bodies(
        inner.rotation, inner.position, work.acceleration, work.loops.wrench, inner.law_state
    )
    for row in range(table.row.shape[0]):
        evaluate_row_along(table, row_work, links, row)
        store(work.wanted, row, load(row_work.gamma, row) - load(row_work.rate, row))


@inlined
def gather_forces_of_rows(tables, work):
    """Generalised forces of the wrenches of rows on links, as π."""
    tree, inner = tables.base.tree, work.base.tree
    evaluate_generalised_forces(tables.loops, work.loops)
    for i in range(tree.parent.shape[0]):
        store(inner.pi, i, load(inner.generalised_force, i))
    for b in range(tree.ball_link.shape[0]):
        store(inner.ball_pi, b, load(inner.ball_torque, b, Triple))


@outlined
def gather_multiplier_forces(tables, work):
    """π = Gᵀλ of the multipliers in work."""
    clear_wrenches(tables.base.tree, work.loops.wrench)
    links = constrained_links(work.loops)
    add_row_wrenches(tables.loops.rows, work.loops.rows, links, work.multipliers, 0)
    gather_forces_of_rows(tables, work)


@outlined
def gather_closing_forces(tables, work, t):
    """π of the laws along joints that close loops; links and their twists are placed."""
    add_closing_wrenches(tables.loops, work.loops, t)
    gather_forces_of_rows(tables, work)


# ---- multipliers ---------------------------------------------------------------------------------
@outlined
def fill_delassus_matrix(tables, work):
    """The lower half of W = G M⁻¹ Gᵀ of the kept rows, after gather_articulated_inertias."""
    tree, inner = tables.base.tree, work.base.tree
    table, row_work, kept = tables.loops.rows, work.loops.rows, tables.kept
    m = kept.shape[0]
    for row in range(table.row.shape[0]):
        store(work.multipliers, row, 0.0)
    for k in range(m):
        store(work.multipliers, kept[k], 1.0)
        gather_multiplier_forces(tables, work)
        store(work.multipliers, kept[k], 0.0)
        gather_bias_momenta(tree, inner)
        solve_couplings(tree, inner)
        propagate_velocities(tree, inner)
        place_twists(tree, inner)
        for j in range(k, m):
            evaluate_row_along(table, row_work, constrained_links(work.loops), kept[j])
            store(work.matrix, j * m + k, load(row_work.rate, kept[j]))


@outlined
def factor_delassus_matrix(tables, work):
    """W = L D Lᵀ in place; the least squared sine between a row and those before it is returned."""
    W, m = work.matrix, tables.kept.shape[0]
    least = broadcast_like(1.0, load(W, 0))
    for k in range(m):
        size = maximum(load(W, k * m + k), load(tables.loops.row_size, tables.kept[k]))
        for j in range(k):
            product = load(W, k * m + j) * load(W, j * m + j)
            add(W, k * m + k, -(load(W, k * m + j) * product))
        pivot = load(W, k * m + k)
        least = where_less(pivot / size, least, pivot / size, least)
        for i in range(k + 1, m):
            for j in range(k):
                product = load(W, k * m + j) * load(W, j * m + j)
                add(W, i * m + k, -(load(W, i * m + j) * product))
            store(W, i * m + k, load(W, i * m + k) / pivot)
    return least


@inlined
def solve_multipliers(tables, work):
    """W λ = wanted of the kept rows; those of the others stay zero."""
    W, kept, x = work.matrix, tables.kept, work.multipliers
    m = kept.shape[0]
    for i in range(m):
        store(x, kept[i], load(work.wanted, kept[i]))
        for j in range(i):
            add(x, kept[i], -(load(W, i * m + j) * load(x, kept[j])))
    for i in range(m):
        store(x, kept[i], load(x, kept[i]) / load(W, i * m + i))
    for i in range(m - 1, -1, -1):
        for j in range(i + 1, m):
            add(x, kept[i], -(load(W, j * m + i) * load(x, kept[j])))


@inlined
def mark_above(out, value, limit):
    """Make the first number of an answer no number where a value is not below its limit."""
    if out.shape[0] > 0:
        add(out, 0, where_less(value, limit, 0.0 * value, np.nan))


@inlined
def constrain_accelerations(tables, work, y, out):
    """From the accelerations a₀ of links in work, after gather_articulated_inertias, and γ: writes
    a, then λ, then Gᵀλ.
    """
    tree, inner, n = tables.base.tree, work.base.tree, tables.base.speeds
    table, row_work = tables.loops.rows, work.loops.rows
    write_speeds(tree, inner, y, out)
    place_twists(tree, inner)
    for row in range(table.row.shape[0]):
        evaluate_row_along(table, row_work, constrained_links(work.loops), row)
        add(work.wanted, row, -load(row_work.rate, row))
    mark_singular(out, largest_inertia_loss(tree, inner))
    fill_delassus_matrix(tables, work)
    least = factor_delassus_matrix(tables, work)
    mark_above(out, -least, -tables.least_independence[0])
    solve_multipliers(tables, work)
    for row in range(table.row.shape[0]):
        store(out, n + row, load(work.multipliers, row))
    gather_multiplier_forces(tables, work)
    write_forces(tree, inner, y, work.along, 1.0)
    for i in range(n):
        store(out, n + table.row.shape[0] + i, load(work.along, i))
    gather_bias_momenta(tree, inner)
    solve_couplings(tree, inner)
    propagate_velocities(tree, inner)
    write_speeds(tree, inner, y, work.along)
    for i in range(n):
        add(out, i, load(work.along, i))


# ---- queries -------------------------------------------------------------------------------------
class ConstrainedForwardDynamics(NamedTuple):
    has_forces: bool  # whether the model's forces act


@run_query.method(ConstrainedForwardDynamics)
def constrained_forward_dynamics(query, tables, work, t, y, out):
    """a, λ and Gᵀλ under τ, which stands behind the speeds, and the model's forces."""
    tree, inner = tables.base.tree, work.base.tree
    third = tree.layout.positions + tables.base.speeds
    evaluate_rows_at_state(tables, work, t, y)
    residual, rate = largest_residual(tables, work), largest_residual_rate(tables, work, y)
    fill_wanted_accelerations(tables, work, y)
    if query.has_forces and tables.loops.closing_laws.has_any:
        gather_closing_forces(tables, work, t)
        write_forces(tree, inner, y, work.along, 1.0)
        for i in range(tables.base.speeds):
            add(y, third + i, load(work.along, i))
    solve_accelerations(tables.base, work.base, t, y, query.has_forces)
    constrain_accelerations(tables, work, y, out)
    mark_above(out, residual, 1.0)
    mark_above(out, rate, 1.0)


class ConstrainedSolve(NamedTuple):
    placeholder: bool


@run_query.method(ConstrainedSolve)
def constrained_solve(query, tables, work, t, y, out):
    """The accelerations that forces x alone give at rest: M a = x + Gᵀλ, G a = 0; x stands where
    speeds do.
    """
    tree, inner = tables.base.tree, work.base.tree
    forward_kinematics(tree, inner, y)
    place_links(tree, inner)
    evaluate_rows(tables.loops.rows, work.loops.rows, constrained_links(work.loops), t)
    residual = largest_residual(tables, work)
    for row in range(tables.loops.rows.row.shape[0]):
        store(work.wanted, row, 0.0)
    read_forces(tree, inner, y, tree.layout.positions)
    gather_articulated_inertias(tree, inner, False)
    solve_couplings(tree, inner)
    propagate_velocities(tree, inner)
    constrain_accelerations(tables, work, y, out)
    mark_above(out, residual, 1.0)


class ConstraintRows(NamedTuple):
    placeholder: bool


@run_query.method(ConstraintRows)
def constraint_rows(query, tables, work, t, y, out):
    """Φ, Φ̇ and γ of all rows, the forces along joints that close loops, and G."""
    tree, inner, n = tables.base.tree, work.base.tree, tables.base.speeds
    count = tables.loops.rows.row.shape[0]
    evaluate_rows_at_state(tables, work, t, y)
    for row in range(count):
        store(out, row, load(work.loops.rows.value, row))
        store(out, count + row, load(work.loops.rows.rate, row))
    fill_wanted_accelerations(tables, work, y)
    for row in range(count):
        store(out, 2 * count + row, load(work.wanted, row))
        store(work.multipliers, row, 0.0)
    gather_closing_forces(tables, work, t)
    write_forces(tree, inner, y, work.along, 1.0)
    for i in range(n):
        store(out, 3 * count + i, load(work.along, i))
    for row in range(count):
        store(work.multipliers, row, 1.0)
        gather_multiplier_forces(tables, work)
        store(work.multipliers, row, 0.0)
        write_forces(tree, inner, y, work.along, 1.0)
        for i in range(n):
            store(out, 3 * count + (row + 1) * n + i, load(work.along, i))


class ClosingEnergies(NamedTuple):
    placeholder: bool


@run_query.method(ClosingEnergies)
def closing_energies(query, tables, work, t, y, out):
    """Of laws along joints that close loops: potential energy, and power that is no change of
    it.
    """
    system, loops = tables.loops, work.loops
    evaluate_rows_at_state(tables, work, t, y)
    evaluate_closing_coordinates(system, loops, t)
    coordinate = loops.closing_coordinate
    store(out, 0, potential_energy_of_joints(system.closing_laws, t, coordinate, loops.total))
    store(
        out,
        1,
        dissipated_power_of_joints(system.closing_laws, t, coordinate, loops.rate, loops.total),
    )
