"""Hamilton's equations of bodies in absolute coordinates, with the rows of seed 001 and ‖q‖ = 1 as
constraints: METHODS 4.

Canonical pairs r, p = m ṙ and q, g = 2 L(q)ᵀ J' ω': T = p²/2m + ⅛ (Lg)ᵀ J'⁻¹ Lg + (q·g)²/8J₀,
J₀ = ½ tr J'
  ṙ = p/m      q̇ = ¼ (Lᵀ J'⁻¹ L g + q (q·g)/J₀)
  ṗ = f        ġ = −¼ (L(g)ᵀ J'⁻¹ L(g) q + g (q·g)/J₀) + 2 Lᵀ n'/‖q‖²
Rotations are A(q)/‖q‖², so that forces and rows have no part along q. G M⁻¹ Gᵀ falls apart into
that of the rows, B M⁻¹ Bᵀ of formulation III, which its block factors solve, and 1/4J₀ for each
norm.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import inverted
from hamiltree.algebra.quat import rotation_matrix
from hamiltree.algebra.spatial import Twist, Wrench
from hamiltree.algebra.values import dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.assembly.rows import (
    Rows,
    add_row_wrenches,
    becomes_dependent,
    evaluate_row_rate,
    evaluate_rows,
)
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, fma, load, read_only, store
from hamiltree.forces.packed import LawsOfBodies, LawsOfJoints, energy_of_bodies, energy_of_joints
from hamiltree.formulations.absolute.augmented_matrix import fill_modified as fill_by_turning
from hamiltree.formulations.absolute.augmented_matrix import (
    fill_rows,
    put_diagonal,
    put_symmetric,
    unknown_of,
)
from hamiltree.formulations.absolute.bodies import (
    add_vector,
    body_constants,
    cartesian_workspace,
    clear_wrenches,
    dot4,
    fill_side,
    find_coordinates,
    force_on,
    gathered,
    load_all,
    owner,
    put_quat,
    put_vector,
    quat_at,
    spread,
    torque_on,
    vector_at,
)
from hamiltree.formulations.absolute.cartesian import cartesian_poses, load_power
from hamiltree.formulations.absolute.projection import note_weakest_group
from hamiltree.formulations.absolute.sparse_block_lu import (
    BlockPlan,
    clear_blocks,
    factor_blocks,
    solve_blocks,
    symmetric_plan,
)
from hamiltree.formulations.absolute.tables import Placed, Tables, constraint_names, winding_angles
from hamiltree.formulations.absolute.tables import spread as spread_rows
from hamiltree.formulations.formulation import (
    JOINTS,
    ROWS,
    Coordinates,
    Formulation,
    Traits,
    feature_set,
)
from hamiltree.verbs import (
    Energies,
    Facts,
    Layout,
    constrain,
    constraint,
    constraint_rate,
    energies,
    factor_multipliers,
    force,
    poses,
    power,
    rates,
    solve_multipliers,
    stays_regular,
    velocity,
)


class CartesianHamiltonian(NamedTuple):
    layout: Layout
    facts: Facts
    body: np.ndarray  # BodyConstants
    gravity: np.ndarray
    rows: Rows
    group: np.ndarray
    place: np.ndarray
    slot: np.ndarray
    plan: BlockPlan
    coordinates: Rows
    joint_laws: LawsOfJoints
    body_laws: LawsOfBodies


fill_side.method(CartesianHamiltonian)(fill_by_turning)


@inlined
def momenta_at(system, i):
    return system.layout.positions + 7 * i


@inlined
def spare_inertia(J):
    """J₀, which no motion feels."""
    return 0.5 * (J.xx + J.yy + J.zz)


@inlined
def place_frame(system, work, y, i, w, v):
    R = rotation_matrix(quat_at(y, 7 * i + 3))
    store(work.bodies.rotation, i, R)
    store(work.bodies.position, i, vector_at(y, 7 * i))
    store(work.bodies.twist, i, Twist(R @ w, v))


@inlined
def place_by_momenta(system, work, y):
    """Frames, and twists from momenta: ω' = 2 L q̇ / ‖q‖² = ½ J'⁻¹ L g."""
    for i in range(system.body.shape[0]):
        body, at = body_constants(system, i), momenta_at(system, i)
        w = inverted(body.inertia) @ (gathered(quat_at(y, 7 * i + 3), quat_at(y, at + 3)) * 0.5)
        place_frame(system, work, y, i, w, vector_at(y, at) * (1.0 / body.mass))


@inlined
def place_by_rates(system, work, y, ydot):
    """Frames, and twists from q̇."""
    for i in range(system.body.shape[0]):
        q = quat_at(y, 7 * i + 3)
        w = gathered(q, quat_at(ydot, 7 * i + 3)) * (2.0 / dot4(q, q))
        place_frame(system, work, y, i, w, vector_at(ydot, 7 * i))


@inlined
def give_velocity(system, y, ydot, i):
    body, q, g = (
        body_constants(system, i),
        quat_at(y, 7 * i + 3),
        quat_at(y, momenta_at(system, i) + 3),
    )
    put_vector(ydot, 7 * i, vector_at(y, momenta_at(system, i)) * (1.0 / body.mass))
    turn = spread(q, inverted(body.inertia) @ (gathered(q, g) * 0.25))
    put_quat(ydot, 7 * i + 3, turn + q * (0.25 * dot4(q, g) / spare_inertia(body.inertia)))


@inlined
def give_force(system, work, y, ydot, i):
    body, q, g, at = (
        body_constants(system, i),
        quat_at(y, 7 * i + 3),
        quat_at(y, momenta_at(system, i) + 3),
        momenta_at(system, i),
    )
    put_vector(ydot, at, force_on(system, work, i))
    turn = spread(g, inverted(body.inertia) @ (gathered(g, q) * -0.25))
    moment = spread(q, torque_on(work, i) * (2.0 / dot4(q, q)))
    put_quat(ydot, at + 3, (turn + g * (-0.25 * dot4(q, g) / spare_inertia(body.inertia))) + moment)


@rates.method(CartesianHamiltonian)
def canonical_rates(system, work, t, y, ydot):
    place_by_momenta(system, work, y)
    load_all(system, work, t)
    for i in range(system.body.shape[0]):
        give_velocity(system, y, ydot, i)
        give_force(system, work, y, ydot, i)


@velocity.method(CartesianHamiltonian)
def canonical_velocity(system, work, t, y, ydot):
    for i in range(system.body.shape[0]):
        give_velocity(system, y, ydot, i)


@force.method(CartesianHamiltonian)
def canonical_force(system, work, t, y, ydot):
    rates(system, work, t, y, ydot)


@energies.method(CartesianHamiltonian)
def canonical_energies(system, work, t, y):
    """T = p²/2m + ⅛ (Lg)ᵀ J'⁻¹ Lg + (q·g)²/8J₀"""
    place_by_momenta(system, work, y)
    kinetic, potential, gravity = 0.0 * t, 0.0 * t, load(system.gravity, 0, Vec3)
    for i in range(system.body.shape[0]):
        body, at, q = body_constants(system, i), momenta_at(system, i), quat_at(y, 7 * i + 3)
        p, g = vector_at(y, at), quat_at(y, at + 3)
        turn, along = gathered(q, g), dot4(q, g)
        kinetic = fma(
            0.5 / body.mass,
            dot(p, p),
            fma(0.125, dot(turn, inverted(body.inertia) @ turn), kinetic),
        )
        kinetic = fma(0.125 * along, along / spare_inertia(body.inertia), kinetic)
        potential = fma(-body.mass, dot(gravity, vector_at(y, 7 * i)), potential)
    if system.joint_laws.has_any:
        find_coordinates(system, work, t)
        potential = potential + energy_of_joints(system.joint_laws, t, work.along, work.total)
    if system.body_laws.has_any:
        potential = potential + energy_of_bodies(system.body_laws, t, work.bodies, work.total)
    return Energies(kinetic, potential)


# ---- constraints ---------------------------------------------------------------------------------
@constraint.method(CartesianHamiltonian)
def canonical_constraint(system, work, t, y, out):
    """Φ, then (‖q‖² − 1)/2."""
    place_by_momenta(system, work, y)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    m = system.rows.row.shape[0]
    for row in range(m):
        store(out, row, load(work.rows.value, row))
    for i in range(system.body.shape[0]):
        q = quat_at(y, 7 * i + 3)
        store(out, m + i, 0.5 * dot4(q, q) - 0.5)


@constraint_rate.method(CartesianHamiltonian)
def canonical_constraint_rate(system, work, t, y, ydot, out):
    place_by_rates(system, work, y, ydot)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    m = system.rows.row.shape[0]
    for row in range(m):
        evaluate_row_rate(system.rows, work.rows, work.bodies, row)
        store(out, row, load(work.rows.rate, row))
    for i in range(system.body.shape[0]):
        store(out, m + i, dot4(quat_at(y, 7 * i + 3), quat_at(ydot, 7 * i + 3)))


@constrain.method(CartesianHamiltonian)
def canonical_constrain(system, work, t, y, multipliers, ydot):
    """Φ_qᵀλ = (f, 2 Lᵀ n'/‖q‖²), and q times the multiplier of the norm."""
    place_by_momenta(system, work, y)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    clear_wrenches(system, work)
    add_row_wrenches(system.rows, work.rows, work.bodies, multipliers, 0)
    m = system.rows.row.shape[0]
    for i in range(system.body.shape[0]):
        q, at = quat_at(y, 7 * i + 3), momenta_at(system, i)
        add_vector(ydot, at, load(work.bodies.wrench, i, Wrench).force)
        moment = spread(q, torque_on(work, i) * (2.0 / dot4(q, q))) + q * load(multipliers, m + i)
        add(ydot, at + 3, moment.w)
        add_vector(ydot, at + 4, Vec3(moment.x, moment.y, moment.z))


@factor_multipliers.method(CartesianHamiltonian)
def canonical_factor(system, work, t, y):
    """The matrix of formulation III at these positions."""
    place_by_momenta(system, work, y)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    clear_blocks(system.plan, work.blocks)
    for i in range(system.body.shape[0]):
        body = body_constants(system, i)
        for k in range(3):
            put_diagonal(system, work, i, k, body.mass)
        put_symmetric(system, work, i, body.inertia, 0.0)
    fill_rows(system, work, y)
    factor_blocks(system.plan, work.blocks)
    return note_weakest_group(system, work)


@stays_regular.method(CartesianHamiltonian)
def canonical_stays_regular(system, work):
    return not becomes_dependent(work.trouble)


@solve_multipliers.method(CartesianHamiltonian)
def canonical_solve(system, work, x):
    """[M Bᵀ; B 0] [·; −λ] = [0; x] gives B M⁻¹ Bᵀ λ = x; norms times 4 J₀."""
    m = system.rows.row.shape[0]
    for k in range(system.plan.unknowns):
        work.solution[k] = 0.0
    for row in range(m):
        work.solution[unknown_of(system, row)] = x[row]
    solve_blocks(system.plan, work.blocks, work.solution)
    for row in range(m):
        x[row] = -work.solution[unknown_of(system, row)]
    for i in range(system.body.shape[0]):
        x[m + i] *= 4.0 * spare_inertia(body_constants(system, i).inertia)


poses.method(CartesianHamiltonian)(cartesian_poses)


@power.method(CartesianHamiltonian)
def canonical_power(system, work, t, y, ydot):
    """Of dampers and loads; a drive's is that of its multiplier, which the integrator knows."""
    return load_power(system, work, t)


def assemble(assembly) -> CartesianHamiltonian:
    """The tables of a mechanism at its start."""
    model, tables = assembly.model, Tables(assembly, "cartesian_hamiltonian")
    n = len(model.bodies)
    coordinates, of_joints, of_bodies = tables.laws()
    plan, group, place, slot = tables.blocks(6)
    facts = tables.facts(coordinates, of_joints, of_bodies, constraints=len(tables.specs) + n)
    return CartesianHamiltonian(
        Layout(7 * n, 7 * n),
        facts,
        tables.body_table(),
        read_only([model.gravity]),
        tables.rows,
        group,
        place,
        slot,
        symmetric_plan(plan),
        coordinates,
        of_joints,
        of_bodies,
    )


def state(system, assembly, pointer=None) -> np.ndarray:
    """(r, q; m v, 2 Lᵀ J' ω')."""
    placed, model = Placed(assembly), assembly.model
    mass, inertia = (
        np.array([body.mass for body in model.bodies]),
        np.array([body.inertia for body in model.bodies]),
    )
    g = 2.0 * spread_rows(placed.p, np.einsum("kij,kj->ki", inertia, placed.w))
    return np.concatenate(
        [
            np.column_stack([placed.r, placed.p]).ravel(),
            np.column_stack([mass[:, None] * placed.v, g]).ravel(),
        ]
    )


FORMULATION = Formulation(
    name="cartesian_hamiltonian",
    system=CartesianHamiltonian,
    coordinates=Coordinates.BODIES,
    supports=feature_set(JOINTS, ROWS),
    assemble=assemble,
    workspace=cartesian_workspace,
    initial_state=state,
    owner=owner,
    reference="seed 001, Table 11.1; Jay 1996; METHODS 4",
    summary=(
        "canonical positions and quaternions of every body, joints and unit norms as "
        "constraints; loops"
    ),
    traits=Traits(
        "symplectic methods in absolute coordinates: an independent check of hamiltonian_loops, "
        "models of very many loops",
        "r and a unit quaternion of every body, and their canonical momenta",
        "joints, loops and ‖q‖ to rounding, without drift of the energy (RATTLE, SPARK)",
        "O(N): 1.1 to 1.3 µs a body",
    ),
    default_integrator="spark6",
    trouble=lambda work: work.trouble,
    constraint_names=constraint_names,
    winding_angles=winding_angles("cartesian_hamiltonian"),
)
