"""Hamilton's equations of bodies in absolute coordinates, with the constraint rows of "Spatial
Dynamics" and ‖q‖ = 1 as constraints: METHODS 4.

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

from hamiltree import verbs
from hamiltree.algebra.mat3 import invert_symmetric
from hamiltree.algebra.quat import rotation_matrix
from hamiltree.algebra.rows import (
    add_quat,
    add_vector,
    quat_at,
    store_quat,
    store_vector,
    vector_at,
)
from hamiltree.algebra.spatial import Twist, Wrench
from hamiltree.algebra.values import dot
from hamiltree.assembly.rows import (
    add_row_wrenches,
    becomes_dependent,
    evaluate_row_rate,
    evaluate_rows,
)
from hamiltree.assembly.scales import body_row_scales
from hamiltree.assembly.windings import follow_angles_of_bodies
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, load, store
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
    CartesianI,
    apply_force_laws,
    body_constants,
    cartesian_workspace,
    fill_constraint_block,
    force_on,
    owner,
    potential_energy,
)
from hamiltree.formulations.absolute.cartesian import cartesian_poses, nonconservative_power
from hamiltree.formulations.absolute.projection import record_weakest_group
from hamiltree.formulations.absolute.quaternions import (
    angular_velocity_of_rate,
    generalised_torque,
    l_times,
    l_transpose_times,
    momentum_offset,
    norm_residual,
    quaternion_dot,
)
from hamiltree.formulations.absolute.record import absolute_formulation
from hamiltree.formulations.absolute.sparse_block_lu import (
    clear_blocks,
    factor_blocks,
    solve_blocks,
)
from hamiltree.formulations.absolute.tables import BodyStates, CartesianTables, canonical_state
from hamiltree.formulations.absolute.world_frames import clear_wrenches, store_frame, torque_on
from hamiltree.formulations.formulation import Traits
from hamiltree.verbs import Energies, Layout, rates

PROJECTED = ("stabilisation", "row_size", "length")  # fields of Systems whose states are projected
# The other tables of I, II and III; the linear system has the blocks of III.
CartesianHamiltonian = NamedTuple(
    "CartesianHamiltonian",
    [(name, kind) for name, kind in CartesianI.__annotations__.items() if name not in PROJECTED],
)


fill_constraint_block.method(CartesianHamiltonian)(fill_row_by_angular_velocity)


@inlined
def fictitious_inertia(J):
    """J₀, which does not influence the motion."""
    return 0.5 * (J.xx + J.yy + J.zz)


@inlined
def store_body_frame(system, work, y, i, w, v):
    """Frame of body i from its positions, twist from ω' and v."""
    R = rotation_matrix(quat_at(y, 7 * i + 3))
    store_frame(work.bodies, i, R, vector_at(y, 7 * i), Twist(R @ w, v))


@inlined
def compute_frames_from_momenta(system, work, y):
    """Frames, and twists from momenta: ω' = 2 L q̇ / ‖q‖² = ½ J'⁻¹ L g."""
    for i in range(system.body.shape[0]):
        body, at = body_constants(system, i), momentum_offset(system, i)
        spin = l_times(quat_at(y, 7 * i + 3), quat_at(y, at + 3)) * 0.5
        w = invert_symmetric(body.inertia) @ spin
        store_body_frame(system, work, y, i, w, vector_at(y, at) * (1.0 / body.mass))


@inlined
def compute_frames_from_rates(system, work, y, ydot):
    """Frames, and twists from q̇."""
    for i in range(system.body.shape[0]):
        w = angular_velocity_of_rate(quat_at(y, 7 * i + 3), quat_at(ydot, 7 * i + 3))
        store_body_frame(system, work, y, i, w, vector_at(ydot, 7 * i))


@inlined
def write_velocity(system, y, ydot, i):
    """ṙ and q̇ of body i."""
    body, at = body_constants(system, i), momentum_offset(system, i)
    q, g = quat_at(y, 7 * i + 3), quat_at(y, at + 3)
    store_vector(ydot, 7 * i, vector_at(y, at) * (1.0 / body.mass))
    rotation = l_transpose_times(q, invert_symmetric(body.inertia) @ (l_times(q, g) * 0.25))
    along = 0.25 * quaternion_dot(q, g) / fictitious_inertia(body.inertia)
    store_quat(ydot, 7 * i + 3, rotation + q * along)


@inlined
def write_force(system, work, y, ydot, i):
    """ṗ and ġ of body i, without constraint forces."""
    body, at = body_constants(system, i), momentum_offset(system, i)
    q, g = quat_at(y, 7 * i + 3), quat_at(y, at + 3)
    store_vector(ydot, at, force_on(system, work, i))
    gyroscopic = l_transpose_times(g, invert_symmetric(body.inertia) @ (l_times(g, q) * -0.25))
    along = -0.25 * quaternion_dot(q, g) / fictitious_inertia(body.inertia)
    moment = generalised_torque(q, torque_on(work, i))
    store_quat(ydot, at + 3, (gyroscopic + g * along) + moment)


@verbs.rates.method(CartesianHamiltonian)
def canonical_rates(system, work, t, y, ydot):
    """(∂H/∂p, −∂H/∂q + loads)"""
    compute_frames_from_momenta(system, work, y)
    apply_force_laws(system, work, t)
    for i in range(system.body.shape[0]):
        write_velocity(system, y, ydot, i)
        write_force(system, work, y, ydot, i)


@verbs.velocity.method(CartesianHamiltonian)
def canonical_velocity(system, work, t, y, ydot):
    for i in range(system.body.shape[0]):
        write_velocity(system, y, ydot, i)


@verbs.force.method(CartesianHamiltonian)
def canonical_force(system, work, t, y, ydot):
    rates(system, work, t, y, ydot)


@verbs.energies.method(CartesianHamiltonian)
def canonical_energies(system, work, t, y):
    """T = p²/2m + ⅛ (Lg)ᵀ J'⁻¹ Lg + (q·g)²/8J₀"""
    compute_frames_from_momenta(system, work, y)
    kinetic = 0.0 * t
    for i in range(system.body.shape[0]):
        body, at = body_constants(system, i), momentum_offset(system, i)
        p, q, g = vector_at(y, at), quat_at(y, 7 * i + 3), quat_at(y, at + 3)
        spin, along = l_times(q, g), quaternion_dot(q, g)
        kinetic = fma(0.125, dot(spin, invert_symmetric(body.inertia) @ spin), kinetic)
        kinetic = fma(0.5 / body.mass, dot(p, p), kinetic)
        kinetic = fma(0.125 * along, along / fictitious_inertia(body.inertia), kinetic)
    return Energies(kinetic, potential_energy(system, work, t))


# ---- constraints ---------------------------------------------------------------------------------
@verbs.constraint.method(CartesianHamiltonian)
def canonical_constraint(system, work, t, y, out):
    """Φ, then (‖q‖² − 1)/2."""
    compute_frames_from_momenta(system, work, y)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    m = system.rows.row.shape[0]
    for row in range(m):
        store(out, row, load(work.rows.value, row))
    for i in range(system.body.shape[0]):
        store(out, m + i, norm_residual(quat_at(y, 7 * i + 3)))


@verbs.constraint_rate.method(CartesianHamiltonian)
def canonical_constraint_rate(system, work, t, y, ydot, out):
    """Residual rates Φ̇ at the velocities in ydot, then q · q̇."""
    compute_frames_from_rates(system, work, y, ydot)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    m = system.rows.row.shape[0]
    for row in range(m):
        evaluate_row_rate(system.rows, work.rows, work.bodies, row)
        store(out, row, load(work.rows.rate, row))
    for i in range(system.body.shape[0]):
        store(out, m + i, quaternion_dot(quat_at(y, 7 * i + 3), quat_at(ydot, 7 * i + 3)))


@verbs.add_multiplier_forces.method(CartesianHamiltonian)
def canonical_constrain(system, work, t, y, multipliers, ydot):
    """Φ_qᵀλ = (f, 2 Lᵀ n'/‖q‖²), and q times the multiplier of the norm."""
    compute_frames_from_momenta(system, work, y)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    clear_wrenches(system, work.bodies)
    add_row_wrenches(system.rows, work.rows, work.bodies, multipliers, 0)
    m = system.rows.row.shape[0]
    for i in range(system.body.shape[0]):
        q, at = quat_at(y, 7 * i + 3), momentum_offset(system, i)
        add_vector(ydot, at, load(work.bodies.wrench, i, Wrench).force)
        norm_force = q * load(multipliers, m + i)
        add_quat(ydot, at + 3, generalised_torque(q, torque_on(work, i)) + norm_force)


@verbs.factor_multipliers.method(CartesianHamiltonian)
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


@verbs.stays_regular.method(CartesianHamiltonian)
def canonical_stays_regular(system, work):
    """Whether the constraint rows stay independent."""
    return not becomes_dependent(work.trouble)


@verbs.solve_multipliers.method(CartesianHamiltonian)
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


verbs.poses.method(CartesianHamiltonian)(cartesian_poses)


@verbs.power.method(CartesianHamiltonian)
def canonical_power(system, work, t, y, ydot):
    """Of dampers and loads; a drive's is that of its multiplier, which the integrator knows."""
    return nonconservative_power(system, work, t)


@verbs.follow_angles.method(CartesianHamiltonian)
def follow_canonical_angles(system, work, t, y):
    """Joint angles from frames and twists."""
    compute_frames_from_momenta(system, work, y)
    follow_angles_of_bodies(system.followed, work.windings, work.bodies, t)


def assemble(assembly) -> CartesianHamiltonian:
    """The tables of a mechanism at its start."""
    tables = CartesianTables(assembly, "cartesian_hamiltonian")
    n = len(assembly.model.bodies)
    shared = tables.shared_fields(6, is_symmetric=True, constraints=len(tables.specs) + n)
    return CartesianHamiltonian(Layout(7 * n, 7 * n), *shared)


def initial_state(system, assembly, pointer=None) -> np.ndarray:
    """(r, q; m v, 2 Lᵀ J' ω')."""
    start, bodies = BodyStates(assembly), assembly.massive_bodies
    mass = np.array([body.mass for body in bodies])
    inertia = np.array([body.inertia for body in bodies])
    spin = np.einsum("kij,kj->ki", inertia, start.w)
    return canonical_state(start.r, start.p, mass[:, None] * start.v, spin)


FORMULATION = absolute_formulation(
    "cartesian_hamiltonian",
    reference="Spatial Dynamics, Table 11.1; Jay 1996; METHODS 4",
    system=CartesianHamiltonian,
    assemble=assemble,
    workspace=cartesian_workspace,
    initial_state=initial_state,
    row_scales=lambda system, assembly: body_row_scales(assembly, 4, 4, True),
    owner=owner,
    summary=(
        "canonical positions and quaternions of every body, joints and unit norms as "
        "constraints; loops"
    ),
    traits=Traits(
        "symplectic methods in absolute coordinates: an independent check of hamiltonian_loops, "
        "models of very many loops",
        "r and a unit quaternion of every body, and their canonical momenta",
        "joints, loops and ‖q‖ to rounding, without drift of the energy (RATTLE, SPARK)",
        "O(N): 1.1 to 1.3 µs per body",
    ),
    default_integrator="spark6",
)
