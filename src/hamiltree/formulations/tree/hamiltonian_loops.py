"""Hamilton's equations of a tree with loops: the O(N) tree of "EOM with Hamilton's Equations", and
Lagrange multipliers for the rows of the joints that close loops.

  q̇ = ∂H/∂p,   ṗ = −∂H/∂q + Q + Gᵀλ,   g(t, q) = 0,   G q̇ + ∂g/∂t = 0
A row is a pair of wrenches on links; inward, like every load, they become Gᵀλ in O(N), and outward
a twist becomes G q̇. The Delassus matrix W = G M⁻¹ Gᵀ takes one such solve of the tree per row:
O(N m + m³). RATTLE, SPARK and the energy–momentum scheme keep g and its rate at rounding.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.spatial import Wrench
from hamiltree.algebra.values import transpose
from hamiltree.assembly.independence import (
    INDEPENDENCE,
    WEAKEST_ROW,
    new_independence_record,
    sine_of_weakest_row,
)
from hamiltree.assembly.links import build_links
from hamiltree.assembly.row_tables import owner_of
from hamiltree.assembly.rows import (
    Rows,
    RowsWork,
    add_row_wrenches,
    evaluate_row_rate,
    evaluate_rows,
    evaluate_undriven_rate,
    has_drives,
    rows_workspace,
)
from hamiltree.assembly.windings import FollowedAngles, follow_angles_of_bodies
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import add, fma, load, read_only, rows, store
from hamiltree.compiled.triples import Triple, triple
from hamiltree.forces.dispatch import (
    JointLawDispatch,
    add_all_generalised_forces,
    dissipated_power_of_joints,
    potential_energy_of_joints,
)
from hamiltree.forces.laws import Bodies, check_laws
from hamiltree.formulations.formulation import (
    JOINTS,
    ROWS,
    Coordinates,
    Formulation,
    Traits,
    feature_set,
    joint_of_row,
)
from hamiltree.formulations.initial_states import canonical_state
from hamiltree.formulations.tree.balls import ball_quaternion
from hamiltree.formulations.tree.body_forces import clear_wrenches, gather_generalised_forces
from hamiltree.formulations.tree.canonical_variables import read_rates, times_vector
from hamiltree.formulations.tree.couplings import clear_momenta, solve_couplings
from hamiltree.formulations.tree.hamiltonian_tree import HamiltonianTree, check_articulated_inertias
from hamiltree.formulations.tree.hamiltonian_tree import make_tree_tables as tree_tables
from hamiltree.formulations.tree.hamiltonian_tree import workspace as tree_workspace
from hamiltree.formulations.tree.link_rows import TreeWork, axes_of, vector_row
from hamiltree.formulations.tree.loop_tables import LoopTables
from hamiltree.formulations.tree.sweeps import (
    forward_kinematics,
    gather_articulated_inertias,
    gather_bias_momenta,
    place_links,
    place_twists,
    propagate_frames,
    propagate_twists,
    propagate_velocities,
)
from hamiltree.verbs import (
    Energies,
    Facts,
    Layout,
    add_multiplier_forces,
    constraint,
    constraint_rate,
    energies,
    factor_multipliers,
    follow_angles,
    force,
    independence,
    momentum,
    poses,
    power,
    rates,
    solve_multipliers,
    velocity,
    weakest_row,
)

MIN_ROW_INDEPENDENCE = (
    1e-13  # squared cosine between a row and the others below which it counts as dependent
)


class HamiltonianLoops(NamedTuple):
    layout: Layout
    facts: Facts
    tree: HamiltonianTree
    rows: Rows  # on links
    coordinates: Rows  # of closing joints, for the laws along them
    closing_laws: JointLawDispatch
    followed: FollowedAngles  # of closing joints and gears
    row_size: np.ndarray  # (m,) natural size of each diagonal entry of W


class LoopsWork(NamedTuple):
    tree: TreeWork
    rows: RowsWork
    coordinates: RowsWork
    wrench: np.ndarray  # Wrench of constraints on each link: evaluate_generalised_forces
    # factor_multipliers
    matrix: np.ndarray  # (m, m) W, then its Cholesky factor below the diagonal
    column: np.ndarray  # (m,)
    largest: np.ndarray  # (m,) that each diagonal entry of W has been
    rate_scratch: np.ndarray  # a rate of the state
    # add_closing_joint_forces
    closing_coordinate: np.ndarray  # coordinates of closing joints
    rate: np.ndarray  # their rates, then the generalised forces along them
    total: np.ndarray
    trouble: np.ndarray  # (5,) see independence.py
    windings: np.ndarray  # of floats: angles with their turns: follow_angles


def workspace(system: HamiltonianLoops, width: int = 1) -> LoopsWork:
    """The workspace of one run or thread: of floats (width 1) or lanes (width 4)."""
    n = len(system.tree.parent) + 1
    m = max(1, system.facts.constraints)
    length = sum(system.layout)
    closing = max(1, len(system.coordinates.row))
    windings = system.followed.start.copy()
    return LoopsWork(
        tree_workspace(system.tree, width, is_placed=True),
        rows_workspace(system.rows, width, windings),
        rows_workspace(system.coordinates, width, windings),
        rows(Wrench, n, width),
        np.zeros((m, m)),
        np.zeros(m),
        system.row_size.copy(),
        np.zeros(length),
        rows(float, closing, width),
        rows(float, 2 * closing, width),
        rows(float, 1, width),
        new_independence_record(),
        windings,
    )


# ---- rows on links -------------------------------------------------------------------------------
@inlined
def constrained_links(work):
    """The links as Bodies, with the wrenches of constraints."""
    inner = work.tree
    return Bodies(inner.rotation, inner.position, inner.twist, work.wrench, inner.law_state)


@inlined
def evaluate_rows_on_links(system, work, t, y):
    """Frames, then Φ and its Jacobian by the twists of links."""
    propagate_frames(system.tree, work.tree, y)
    place_links(system.tree, work.tree)
    evaluate_rows(system.rows, work.rows, constrained_links(work), t)


@inlined
def evaluate_generalised_forces(system, work):
    """Generalised force Gᵀ W of each joint from the wrenches on links, and nothing else."""
    tree, inner = system.tree, work.tree
    for i in range(tree.parent.shape[0]):
        store(inner.generalised_force, i, 0.0)
    for b in range(tree.ball_link.shape[0]):
        store(inner.ball_torque, b, triple(0.0, 0.0, 0.0))
    gather_generalised_forces(tree, inner, work.wrench)


@inlined
def add_generalised_forces(system, work, y, ydot):
    """Gᵀλ into the momentum rows: of a ball 2 L(q)ᵀ τ / ‖q‖²; a follower's part goes to the row
    that it shares.
    """
    tree = system.tree
    inner = work.tree
    first = system.layout.positions
    for i in range(tree.parent.shape[0]):
        if tree.ball[i] < 0:
            add(ydot, first + tree.coordinate[i], load(inner.generalised_force, i))
    for b in range(tree.ball_link.shape[0]):
        add_ball_torque(tree, inner, y, ydot, b)


@inlined
def add_ball_torque(tree, work, y, ydot, b):
    """ġ += 2 L(q)ᵀ τ / ‖q‖², τ in the axes of the link."""
    q = ball_quaternion(tree, y, b, 0)
    torque = transpose(axes_of(work, tree.ball_link[b])) @ vector_row(work.ball_torque, b)
    g = times_vector(q, torque * (2.0 / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z)))
    at, sign = tree.layout.positions + tree.ball_coordinate[b], load(tree.ball_sign, b)
    add(ydot, at, g.w)
    add(ydot, at + 1, g.x * sign)
    add(ydot, at + 2, g.y * sign)
    add(ydot, at + 3, g.z * sign)


# ---- laws along the joints that close loops ------------------------------------------------------
@inlined
def evaluate_closing_coordinates(system, work, t):
    """Coordinates of closing joints and their rates, as rows on links."""
    evaluate_rows(system.coordinates, work.coordinates, constrained_links(work), t)
    for k in range(system.coordinates.row.shape[0]):
        evaluate_row_rate(system.coordinates, work.coordinates, constrained_links(work), k)
        store(work.closing_coordinate, k, load(work.coordinates.value, k))
        store(work.rate, k, load(work.coordinates.rate, k))


@inlined
def add_closing_wrenches(system, work, t):
    """Wrenches of the laws along closing joints, on links that are placed with their twists."""
    clear_wrenches(system.tree, work.wrench)
    evaluate_closing_coordinates(system, work, t)
    n = system.coordinates.row.shape[0]
    for k in range(n):
        store(work.rate, n + k, 0.0)
    add_all_generalised_forces(system.closing_laws, t, work.closing_coordinate, work.rate, n)
    add_row_wrenches(system.coordinates, work.coordinates, constrained_links(work), work.rate, n)


@outlined
def add_closing_joint_forces(system, work, t, y, ydot):
    """Generalised forces along closing joints, as wrenches on links; frames and twists are those
    that `rates` of the tree left.
    """
    place_links(system.tree, work.tree)
    place_twists(system.tree, work.tree)
    add_closing_wrenches(system, work, t)
    evaluate_generalised_forces(system, work)
    add_generalised_forces(system, work, y, ydot)


# ---- verbs ---------------------------------------------------------------------------------------
@rates.method(HamiltonianLoops)
def loops_rates(system, work, t, y, ydot):
    """Of the tree, without multipliers."""
    rates(system.tree, work.tree, t, y, ydot)
    if system.closing_laws.has_any:
        add_closing_joint_forces(system, work, t, y, ydot)


@velocity.method(HamiltonianLoops)
def loops_velocity(system, work, t, y, ydot):
    velocity(system.tree, work.tree, t, y, ydot)


@force.method(HamiltonianLoops)
def loops_force(system, work, t, y, ydot):
    rates(system, work, t, y, ydot)


@energies.method(HamiltonianLoops)
def loops_energies(system, work, t, y):
    """Of the tree, and the potential energy of laws along closing joints."""
    parts = energies(system.tree, work.tree, t, y)
    potential = parts.potential
    if system.closing_laws.has_any:
        place_links(system.tree, work.tree)
        evaluate_rows(system.coordinates, work.coordinates, constrained_links(work), t)
        for k in range(system.coordinates.row.shape[0]):
            store(work.closing_coordinate, k, load(work.coordinates.value, k))
        potential = potential + potential_energy_of_joints(
            system.closing_laws, t, work.closing_coordinate, work.total
        )
    return Energies(parts.kinetic, potential)


@power.method(HamiltonianLoops)
def loops_power(system, work, t, y, ydot):
    total = power(system.tree, work.tree, t, y, ydot)
    if system.closing_laws.has_any:
        total = total + dissipated_power_of_joints(
            system.closing_laws, t, work.closing_coordinate, work.rate, work.total
        )
    return total


@momentum.method(HamiltonianLoops)
def loops_momentum(system, work, t, y, ydot):
    momentum(system.tree, work.tree, t, y, ydot)


@follow_angles.method(HamiltonianLoops)
def follow_closing_angles(system, work, t, y):
    """Angles of closing joints and gears from the frames and twists of links."""
    velocity(system.tree, work.tree, t, y, work.rate_scratch)
    place_links(system.tree, work.tree)
    place_twists(system.tree, work.tree)
    follow_angles_of_bodies(system.followed, work.windings, constrained_links(work), t)


@poses.method(HamiltonianLoops)
def loops_poses(system, work, t, y, pose, twist):
    poses(system.tree, work.tree, t, y, pose, twist)


@constraint.method(HamiltonianLoops)
def loops_constraint(system, work, t, y, out):
    evaluate_rows_on_links(system, work, t, y)
    for row in range(system.facts.constraints):
        store(out, row, load(work.rows.value, row))


@constraint_rate.method(HamiltonianLoops)
def loops_constraint_rate(system, work, t, y, ydot, out):
    """Φ̇ at the rates in ydot."""
    evaluate_rows_on_links(system, work, t, y)
    read_rates(system.tree, work.tree, y, ydot)
    propagate_twists(system.tree, work.tree)
    place_twists(system.tree, work.tree)
    for row in range(system.facts.constraints):
        evaluate_row_rate(system.rows, work.rows, constrained_links(work), row)
        store(out, row, load(work.rows.rate, row))


@add_multiplier_forces.method(HamiltonianLoops)
def loops_constrain(system, work, t, y, multipliers, ydot):
    """ṗ += Gᵀλ."""
    evaluate_rows_on_links(system, work, t, y)
    clear_wrenches(system.tree, work.wrench)
    add_row_wrenches(system.rows, work.rows, constrained_links(work), multipliers, 0)
    evaluate_generalised_forces(system, work)
    add_generalised_forces(system, work, y, ydot)


# ---- Delassus matrix W = G M⁻¹ Gᵀ ----------------------------------------------------------------
@outlined
def fill_delassus_column(system, work, t, k):
    """Column k of the Delassus matrix, G M⁻¹ Gᵀ e_k: a wrench inward, rates outward."""
    tree = system.tree
    inner = work.tree
    m = system.facts.constraints
    for row in range(m):
        work.column[row] = 1.0 if row == k else 0.0
    clear_wrenches(system.tree, work.wrench)
    add_row_wrenches(system.rows, work.rows, constrained_links(work), work.column, 0)
    evaluate_generalised_forces(system, work)
    for i in range(tree.parent.shape[0]):
        store(inner.pi, i, load(inner.generalised_force, i))
    for b in range(tree.ball_link.shape[0]):
        store(inner.ball_pi, b, load(inner.ball_torque, b, Triple))
    gather_bias_momenta(tree, inner)
    solve_couplings(tree, inner)
    propagate_velocities(tree, inner)
    place_twists(tree, inner)
    for row in range(m):
        evaluate_undriven_rate(system.rows, work.rows, constrained_links(work), row)
        work.matrix[row, k] = load(work.rows.rate, row)


@factor_multipliers.method(HamiltonianLoops)
def loops_factor_multipliers(system, work, t, y):
    """The Delassus matrix W = G M⁻¹ Gᵀ by columns, then its Cholesky factor; False where a row
    depends on the others.
    """
    forward_kinematics(system.tree, work.tree, y)
    clear_momenta(system.tree, work.tree)
    gather_articulated_inertias(system.tree, work.tree, False)
    place_links(system.tree, work.tree)
    evaluate_rows(system.rows, work.rows, constrained_links(work), t)
    for k in range(system.facts.constraints):
        fill_delassus_column(system, work, t, k)
    return factor_cholesky(work.matrix, system.facts.constraints, work.largest, work.trouble)


@inlined
def factor_cholesky(W, m, largest, trouble):
    """W = L Lᵀ, L below the diagonal. A pivot is compared with the largest entry that its row has
    had: a row may also vanish by itself.
    """
    trouble[INDEPENDENCE] = 1.0
    for k in range(m):
        rest = W[k, k]
        for j in range(k):
            rest = fma(-W[k, j], W[k, j], rest)
        largest[k] = max(largest[k], W[k, k])
        share = rest / largest[k]
        if not share >= trouble[INDEPENDENCE]:
            trouble[INDEPENDENCE], trouble[WEAKEST_ROW] = share, k
        if not share > MIN_ROW_INDEPENDENCE:
            return False
        W[k, k] = np.sqrt(rest)
        for i in range(k + 1, m):
            rest = W[i, k]
            for j in range(k):
                rest = fma(-W[i, j], W[k, j], rest)
            W[i, k] = rest / W[k, k]
    return True


@independence.method(HamiltonianLoops)
def loops_independence(system, work):
    return sine_of_weakest_row(work.trouble)


@weakest_row.method(HamiltonianLoops)
def loops_weakest_row(system, work):
    return work.trouble[WEAKEST_ROW]


@solve_multipliers.method(HamiltonianLoops)
def loops_solve_multipliers(system, work, x):
    """x ← W⁻¹ x by the Cholesky factor, in place."""
    W, m = work.matrix, system.facts.constraints
    for i in range(m):
        rest = x[i]
        for j in range(i):
            rest = fma(-W[i, j], x[j], rest)
        x[i] = rest / W[i, i]
    for i in range(m - 1, -1, -1):
        rest = x[i]
        for j in range(i + 1, m):
            rest = fma(-W[j, i], x[j], rest)
        x[i] = rest / W[i, i]


def assemble(assembly) -> HamiltonianLoops:
    """The tables of a mechanism at its start."""
    check_laws(assembly.model.forces)
    tables = LoopTables(assembly)
    links = build_links(tables.tree_model, "hamiltonian_loops")
    tree = tree_tables(tables.tree_model, links)
    check_articulated_inertias(tables.tree_model, links, tree, assembly.q)
    rows, coordinates, laws, followed = tables.tabulate_on_links(links)
    facts = Facts(
        len(tables.specs),
        is_conservative=tree.facts.is_conservative and not laws.has_any and not has_drives(rows),
        rows_count_windings=bool((rows.winding >= 0).any()),
        laws_count_windings=bool((coordinates.winding >= 0).any()),
        followed=len(tables.followed.scales),
    )
    sizes = natural_row_sizes(assembly)
    return HamiltonianLoops(tree.layout, facts, tree, rows, coordinates, laws, followed, sizes)


def natural_row_sizes(assembly) -> np.ndarray:
    """Of the diagonal of W: 1/M of a row in m, 1/(M L²) of an angle. Rows that begin smaller are
    near to vanishing.
    """
    mass, square = assembly.scales.mass, assembly.scales.length**2
    specs = assembly.mechanism.independent_specs
    return read_only(
        np.array([1.0 / (mass * square if spec.is_angle else mass) for spec in specs] or [0.0])
    )


def constraint_names(assembly) -> list[str]:
    """The part that each independent row belongs to."""
    return [owner_of(spec) for spec in assembly.mechanism.independent_specs]


def winding_angles(assembly) -> list[tuple[str, float]]:
    """Of closing joints, which have no coordinate in q, and of gears."""
    return LoopTables(assembly).winding_angles()


FORMULATION = Formulation(
    name="hamiltonian_loops",
    system=HamiltonianLoops,
    coordinates=Coordinates.JOINTS_AND_MOMENTA,
    supports=feature_set(JOINTS, ROWS),
    assemble=assemble,
    workspace=workspace,
    initial_state=canonical_state,
    owner=joint_of_row,
    reference="EOM with Hamilton's Equations, P.2–P.5; Jay 1996",
    summary=(
        "Hamilton's equations of a tree in O(N) with multipliers for the joints that close "
        "loops, constraints and drives"
    ),
    traits=Traits(
        "loops, constraints, drives; the default of a model that has any",
        "q and p of the tree that is left without the closing joints",
        "joints of the tree, by its coordinates; closing joints and constraints to rounding, "
        "without drift of the energy (RATTLE, SPARK)",
        "O(N): 0.17 µs per body, and the cube of the rows that close loops",
    ),
    is_default_candidate=True,
    default_integrator="spark6",
    trouble=lambda work: work.trouble,
    constraint_names=constraint_names,
    winding_angles=winding_angles,
)
