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

from hamiltree.algebra.mat3 import invert_symmetric
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
from hamiltree.forces.dispatch import (
    BodyLawDispatch,
    JointLawDispatch,
    potential_energy_of_bodies,
    potential_energy_of_joints,
)
from hamiltree.formulations.absolute.augmented_matrix import (
    fill_constraint_block_3 as fill_row_by_angular_velocity,
)
from hamiltree.formulations.absolute.augmented_matrix import (
    fill_rows,
    multiplier_index,
    store_diagonal,
    store_inertia,
)
from hamiltree.formulations.absolute.bodies import (
    add_vector,
    apply_force_laws,
    body_constants,
    cartesian_workspace,
    clear_wrenches,
    evaluate_joint_coordinates,
    fill_constraint_block,
    force_on,
    l_times,
    l_transpose_times,
    owner,
    quat_at,
    quaternion_dot,
    store_quat,
    store_vector,
    torque_on,
    vector_at,
)
from hamiltree.formulations.absolute.cartesian import cartesian_poses, nonconservative_power
from hamiltree.formulations.absolute.projection import record_weakest_group
from hamiltree.formulations.absolute.sparse_block_lu import (
    clear_blocks,
    factor_blocks,
    solve_blocks,
)
from hamiltree.formulations.absolute.sparse_block_plan import BlockPlan, symmetric_plan
from hamiltree.formulations.absolute.tables import (
    BodyStates,
    CartesianTables,
    constraint_names,
    winding_angles,
)
from hamiltree.formulations.absolute.tables import l_transpose_times as l_transpose_rows
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
    add_multiplier_forces,
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
    joint_laws: JointLawDispatch
    body_laws: BodyLawDispatch


fill_constraint_block.method(CartesianHamiltonian)(fill_row_by_angular_velocity)


@inlined
def momentum_offset(system, i):
    return system.layout.positions + 7 * i


@inlined
def fictitious_inertia(J):
    """J₀, which no motion feels."""
    return 0.5 * (J.xx + J.yy + J.zz)


@inlined
def store_body_frame(system, work, y, i, w, v):
    R = rotation_matrix(quat_at(y, 7 * i + 3))
    store(work.bodies.rotation, i, R)
    store(work.bodies.position, i, vector_at(y, 7 * i))
    store(work.bodies.twist, i, Twist(R @ w, v))


@inlined
def compute_frames_from_momenta(system, work, y):
    """Frames, and twists from momenta: ω' = 2 L q̇ / ‖q‖² = ½ J'⁻¹ L g."""
    for i in range(system.body.shape[0]):
        body, at = body_constants(system, i), momentum_offset(system, i)
        w = invert_symmetric(body.inertia) @ (
            l_times(quat_at(y, 7 * i + 3), quat_at(y, at + 3)) * 0.5
        )
        store_body_frame(system, work, y, i, w, vector_at(y, at) * (1.0 / body.mass))


@inlined
def compute_frames_from_rates(system, work, y, ydot):
    """Frames, and twists from q̇."""
    for i in range(system.body.shape[0]):
        q = quat_at(y, 7 * i + 3)
        w = l_times(q, quat_at(ydot, 7 * i + 3)) * (2.0 / quaternion_dot(q, q))
        store_body_frame(system, work, y, i, w, vector_at(ydot, 7 * i))


@inlined
def write_velocity(system, y, ydot, i):
    body, q, g = (
        body_constants(system, i),
        quat_at(y, 7 * i + 3),
        quat_at(y, momentum_offset(system, i) + 3),
    )
    store_vector(ydot, 7 * i, vector_at(y, momentum_offset(system, i)) * (1.0 / body.mass))
    turn = l_transpose_times(q, invert_symmetric(body.inertia) @ (l_times(q, g) * 0.25))
    store_quat(
        ydot, 7 * i + 3, turn + q * (0.25 * quaternion_dot(q, g) / fictitious_inertia(body.inertia))
    )


@inlined
def write_force(system, work, y, ydot, i):
    body, q, g, at = (
        body_constants(system, i),
        quat_at(y, 7 * i + 3),
        quat_at(y, momentum_offset(system, i) + 3),
        momentum_offset(system, i),
    )
    store_vector(ydot, at, force_on(system, work, i))
    turn = l_transpose_times(g, invert_symmetric(body.inertia) @ (l_times(g, q) * -0.25))
    moment = l_transpose_times(q, torque_on(work, i) * (2.0 / quaternion_dot(q, q)))
    store_quat(
        ydot,
        at + 3,
        (turn + g * (-0.25 * quaternion_dot(q, g) / fictitious_inertia(body.inertia))) + moment,
    )


@rates.method(CartesianHamiltonian)
def canonical_rates(system, work, t, y, ydot):
    compute_frames_from_momenta(system, work, y)
    apply_force_laws(system, work, t)
    for i in range(system.body.shape[0]):
        write_velocity(system, y, ydot, i)
        write_force(system, work, y, ydot, i)


@velocity.method(CartesianHamiltonian)
def canonical_velocity(system, work, t, y, ydot):
    for i in range(system.body.shape[0]):
        write_velocity(system, y, ydot, i)


@force.method(CartesianHamiltonian)
def canonical_force(system, work, t, y, ydot):
    rates(system, work, t, y, ydot)


@energies.method(CartesianHamiltonian)
def canonical_energies(system, work, t, y):
    """T = p²/2m + ⅛ (Lg)ᵀ J'⁻¹ Lg + (q·g)²/8J₀"""
    compute_frames_from_momenta(system, work, y)
    kinetic, potential, gravity = 0.0 * t, 0.0 * t, load(system.gravity, 0, Vec3)
    for i in range(system.body.shape[0]):
        body, at, q = body_constants(system, i), momentum_offset(system, i), quat_at(y, 7 * i + 3)
        p, g = vector_at(y, at), quat_at(y, at + 3)
        turn, along = l_times(q, g), quaternion_dot(q, g)
        kinetic = fma(
            0.5 / body.mass,
            dot(p, p),
            fma(0.125, dot(turn, invert_symmetric(body.inertia) @ turn), kinetic),
        )
        kinetic = fma(0.125 * along, along / fictitious_inertia(body.inertia), kinetic)
        potential = fma(-body.mass, dot(gravity, vector_at(y, 7 * i)), potential)
    if system.joint_laws.has_any:
        evaluate_joint_coordinates(system, work, t)
        potential = potential + potential_energy_of_joints(
            system.joint_laws, t, work.along, work.total
        )
    if system.body_laws.has_any:
        potential = potential + potential_energy_of_bodies(
            system.body_laws, t, work.bodies, work.total
        )
    return Energies(kinetic, potential)


# ---- constraints ---------------------------------------------------------------------------------
@constraint.method(CartesianHamiltonian)
def canonical_constraint(system, work, t, y, out):
    """Φ, then (‖q‖² − 1)/2."""
    compute_frames_from_momenta(system, work, y)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    m = system.rows.row.shape[0]
    for row in range(m):
        store(out, row, load(work.rows.value, row))
    for i in range(system.body.shape[0]):
        q = quat_at(y, 7 * i + 3)
        store(out, m + i, 0.5 * quaternion_dot(q, q) - 0.5)


@constraint_rate.method(CartesianHamiltonian)
def canonical_constraint_rate(system, work, t, y, ydot, out):
    compute_frames_from_rates(system, work, y, ydot)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    m = system.rows.row.shape[0]
    for row in range(m):
        evaluate_row_rate(system.rows, work.rows, work.bodies, row)
        store(out, row, load(work.rows.rate, row))
    for i in range(system.body.shape[0]):
        store(out, m + i, quaternion_dot(quat_at(y, 7 * i + 3), quat_at(ydot, 7 * i + 3)))


@add_multiplier_forces.method(CartesianHamiltonian)
def canonical_constrain(system, work, t, y, multipliers, ydot):
    """Φ_qᵀλ = (f, 2 Lᵀ n'/‖q‖²), and q times the multiplier of the norm."""
    compute_frames_from_momenta(system, work, y)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    clear_wrenches(system, work)
    add_row_wrenches(system.rows, work.rows, work.bodies, multipliers, 0)
    m = system.rows.row.shape[0]
    for i in range(system.body.shape[0]):
        q, at = quat_at(y, 7 * i + 3), momentum_offset(system, i)
        add_vector(ydot, at, load(work.bodies.wrench, i, Wrench).force)
        moment = l_transpose_times(q, torque_on(work, i) * (2.0 / quaternion_dot(q, q))) + q * load(
            multipliers, m + i
        )
        add(ydot, at + 3, moment.w)
        add_vector(ydot, at + 4, Vec3(moment.x, moment.y, moment.z))


@factor_multipliers.method(CartesianHamiltonian)
def canonical_factor(system, work, t, y):
    """The matrix of formulation III at these positions."""
    compute_frames_from_momenta(system, work, y)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    clear_blocks(system.plan, work.blocks)
    for i in range(system.body.shape[0]):
        body = body_constants(system, i)
        for k in range(3):
            store_diagonal(system, work, i, k, body.mass)
        store_inertia(system, work, i, body.inertia, 0.0)
    fill_rows(system, work, y)
    factor_blocks(system.plan, work.blocks)
    return record_weakest_group(system, work)


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
        work.solution[multiplier_index(system, row)] = x[row]
    solve_blocks(system.plan, work.blocks, work.solution)
    for row in range(m):
        x[row] = -work.solution[multiplier_index(system, row)]
    for i in range(system.body.shape[0]):
        x[m + i] *= 4.0 * fictitious_inertia(body_constants(system, i).inertia)


poses.method(CartesianHamiltonian)(cartesian_poses)


@power.method(CartesianHamiltonian)
def canonical_power(system, work, t, y, ydot):
    """Of dampers and loads; a drive's is that of its multiplier, which the integrator knows."""
    return nonconservative_power(system, work, t)


def assemble(assembly) -> CartesianHamiltonian:
    """The tables of a mechanism at its start."""
    model, tables = assembly.model, CartesianTables(assembly, "cartesian_hamiltonian")
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


def canonical_state(system, assembly, pointer=None) -> np.ndarray:
    """(r, q; m v, 2 Lᵀ J' ω')."""
    body_states, model = BodyStates(assembly), assembly.model
    mass, inertia = (
        np.array([body.mass for body in model.bodies]),
        np.array([body.inertia for body in model.bodies]),
    )
    g = 2.0 * l_transpose_rows(body_states.p, np.einsum("kij,kj->ki", inertia, body_states.w))
    return np.concatenate(
        [
            np.column_stack([body_states.r, body_states.p]).ravel(),
            np.column_stack([mass[:, None] * body_states.v, g]).ravel(),
        ]
    )


FORMULATION = Formulation(
    name="cartesian_hamiltonian",
    system=CartesianHamiltonian,
    coordinates=Coordinates.BODIES,
    supports=feature_set(JOINTS, ROWS),
    assemble=assemble,
    workspace=cartesian_workspace,
    initial_state=canonical_state,
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
