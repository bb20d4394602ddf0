"""The augmented linear systems of formulations I, II and III: blocks of bodies and constraint rows,
right-hand sides, accelerations and multipliers.

To do without pivots, II takes its rotational rows in the components of Lᵀ and p, and both I and II
add κ p (pᵀp̈ + ṗᵀṗ) = 0, κ = tr J'; neither changes the solution.
"""

from typing import NamedTuple

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.quat import Quat
from hamiltree.algebra.rows import quat_at, store_quat, store_vector
from hamiltree.algebra.spatial import Twist
from hamiltree.algebra.values import cross, dot, transpose
from hamiltree.algebra.vec3 import Vec3
from hamiltree.assembly.independence import multiply_volume, see_volume
from hamiltree.assembly.rows import RowJacobian, evaluate_row_rates, evaluate_rows
from hamiltree.compiled.kernel import Generic, inlined, outlined
from hamiltree.compiled.number import add, broadcast_like, fma, load, store
from hamiltree.formulations.absolute.bodies import (
    CartesianI,
    CartesianII,
    CartesianIII,
    Stabilisation,
    apply_force_laws,
    body_angular_velocity,
    body_constants,
    compute_body_frames,
    fill_body,
    fill_constraint_block,
    force_on,
    speed_offset,
)
from hamiltree.formulations.absolute.quaternions import l_times, l_transpose_times, quaternion_dot
from hamiltree.formulations.absolute.sparse_block_lu import (
    clear_blocks,
    diagonal_entry,
    factor_blocks,
    lower_entry,
    smallest_pivot,
    solve_blocks,
    upper_entry,
)
from hamiltree.formulations.absolute.world_frames import torque_on


@inlined
def store_diagonal(system, work, i, k, x):
    """Entry (k, k) of the block of body i."""
    store(work.blocks, diagonal_entry(system.plan, i, k, k), x)


@inlined
def fill_translation(system, work, i, force):
    """N r̈ = f"""
    mass = broadcast_like(body_constants(system, i).mass, load(work.solution, 0))
    for k in range(3):
        store_diagonal(system, work, i, k, mass)
    store_vector(work.solution, system.plan.at[i], force)


@fill_body.method(CartesianIII)
def fill_body_3(system, work, y, i, force, torque):
    """J' ω̇' = n' − ω' × J' ω'  (11.24)"""
    fill_translation(system, work, i, force)
    J, w = body_constants(system, i).inertia, body_angular_velocity(system, y, i)
    store_vector(work.solution, system.plan.at[i] + 3, torque - cross(w, J @ w))
    like = 0.0 * w.x
    store_inertia(system, work, i, J, like)


@inlined
def store_inertia(system, work, i, J, like):
    """J' into rows and columns 3 to 5 of the block of body i; `like`: a zero, float or lanes."""
    store(work.blocks, diagonal_entry(system.plan, i, 3, 3), J.xx + like)
    store(work.blocks, diagonal_entry(system.plan, i, 3, 4), J.xy + like)
    store(work.blocks, diagonal_entry(system.plan, i, 3, 5), J.xz + like)
    store(work.blocks, diagonal_entry(system.plan, i, 4, 3), J.xy + like)
    store(work.blocks, diagonal_entry(system.plan, i, 4, 4), J.yy + like)
    store(work.blocks, diagonal_entry(system.plan, i, 4, 5), J.yz + like)
    store(work.blocks, diagonal_entry(system.plan, i, 5, 3), J.xz + like)
    store(work.blocks, diagonal_entry(system.plan, i, 5, 4), J.yz + like)
    store(work.blocks, diagonal_entry(system.plan, i, 5, 5), J.zz + like)


@inlined
def quaternion_axis(k):
    """Unit quaternion along component k."""
    return Quat(
        1.0 if k == 0 else 0.0,
        1.0 if k == 1 else 0.0,
        1.0 if k == 2 else 0.0,
        1.0 if k == 3 else 0.0,
    )


@inlined
def store_column(system, work, i, k, column):
    """Column k of the block of p̈."""
    store(work.blocks, diagonal_entry(system.plan, i, 3, 3 + k), column.w)
    store(work.blocks, diagonal_entry(system.plan, i, 4, 3 + k), column.x)
    store(work.blocks, diagonal_entry(system.plan, i, 5, 3 + k), column.y)
    store(work.blocks, diagonal_entry(system.plan, i, 6, 3 + k), column.z)


@inlined
def component(a, k):
    """Component k of a quaternion."""
    return a.w if k == 0 else a.x if k == 1 else a.y if k == 2 else a.z


@fill_body.method(CartesianII)
def fill_body_2(system, work, y, i, force, torque):
    """Lᵀ(2 J' L p̈ + ω' × J' ω') + κ p (pᵀp̈ + ṗᵀṗ) = Lᵀ n'  (11.23, 11.15)"""
    fill_translation(system, work, i, force)
    J, w = body_constants(system, i).inertia, body_angular_velocity(system, y, i)
    p, rate = quat_at(y, 7 * i + 3), quat_at(y, speed_offset(system, i) + 3)
    kappa = J.xx + J.yy + J.zz
    for k in range(4):
        inertial = l_transpose_times(p, J @ (l_times(p, quaternion_axis(k)) * 2.0))
        store_column(system, work, i, k, inertial + p * (component(p, k) * kappa))
    moment = l_transpose_times(p, torque - cross(w, J @ w))
    store_quat(
        work.solution, system.plan.at[i] + 3, moment + p * (kappa * -quaternion_dot(rate, rate))
    )


@fill_body.method(CartesianI)
def fill_body_1(system, work, y, i, force, torque):
    """(J* + κ p pᵀ) p̈ + p σ = n* − 2 H ṗ − κ p ṗᵀṗ and pᵀp̈ = −ṗᵀṗ, H ṗ = 2 L̇ᵀ J' ω'
    (11.22, 11.15)
    """
    fill_translation(system, work, i, force)
    J, w = body_constants(system, i).inertia, body_angular_velocity(system, y, i)
    p, rate = quat_at(y, 7 * i + 3), quat_at(y, speed_offset(system, i) + 3)
    kappa, shrink = J.xx + J.yy + J.zz, -quaternion_dot(rate, rate)
    for k in range(4):
        inertial = l_transpose_times(p, J @ (l_times(p, quaternion_axis(k)) * 4.0))
        store_column(system, work, i, k, inertial + p * (component(p, k) * kappa))
        store(work.blocks, diagonal_entry(system.plan, i, 3 + k, 7), component(p, k))
        store(work.blocks, diagonal_entry(system.plan, i, 7, 3 + k), component(p, k))
    moment = l_transpose_times(p, torque * 2.0) + l_transpose_times(rate, (J @ w) * -4.0)
    store_quat(work.solution, system.plan.at[i] + 3, moment + p * (kappa * shrink))
    store(work.solution, system.plan.at[i] + 7, shrink)


class RowBlock(NamedTuple):
    """Where a row stands in the matrix on one body, and its gradient."""

    below: int  # first entry in B
    above: int  # first entry in U
    column_step: int  # from an entry to the next
    body: int
    force: Vec3
    torque: Vec3  # body axes: ½ L Φ_pᵀ
    stretch: float  # Φ_p p


@inlined
def add_entry(system, work, row_block, j, below, above):
    """Add to entry j of a row in B and in U; symmetric plans store U alone."""
    add(work.blocks, row_block.above + row_block.column_step * j, above)
    if not system.plan.is_symmetric:
        add(work.blocks, row_block.below + row_block.column_step * j, below)


@inlined
def fill_force(system, work, row_block):
    """Φ_r, in B and in U."""
    add_entry(system, work, row_block, 0, row_block.force.x, row_block.force.x)
    add_entry(system, work, row_block, 1, row_block.force.y, row_block.force.y)
    add_entry(system, work, row_block, 2, row_block.force.z, row_block.force.z)


@fill_constraint_block.method(CartesianIII)
def fill_constraint_block_3(system, work, y, row_block):
    """[Φ_r, ½ Φ_p Lᵀ] in B and in U."""
    fill_force(system, work, row_block)
    add_entry(system, work, row_block, 3, row_block.torque.x, row_block.torque.x)
    add_entry(system, work, row_block, 4, row_block.torque.y, row_block.torque.y)
    add_entry(system, work, row_block, 5, row_block.torque.z, row_block.torque.z)


@inlined
def fill_quaternion(system, work, row_block, below, above):
    """Entries of p̈: `below` in B, `above` in U."""
    add_entry(system, work, row_block, 3, below.w, above.w)
    add_entry(system, work, row_block, 4, below.x, above.x)
    add_entry(system, work, row_block, 5, below.y, above.y)
    add_entry(system, work, row_block, 6, below.z, above.z)


@inlined
def parameter_gradient(y, row_block):
    """Φ_p = 2 n'ᵀ L + (Φ_p p) pᵀ"""
    p = quat_at(y, 7 * row_block.body + 3)
    return l_transpose_times(p, row_block.torque * 2.0) + p * row_block.stretch


@fill_constraint_block.method(CartesianII)
def fill_constraint_block_2(system, work, y, row_block):
    """Φ_p below, Lᵀ(½ L Φ_pᵀ) above (ERRATA 1-7)."""
    fill_force(system, work, row_block)
    fill_quaternion(
        system,
        work,
        row_block,
        parameter_gradient(y, row_block),
        l_transpose_times(quat_at(y, 7 * row_block.body + 3), row_block.torque),
    )


@fill_constraint_block.method(CartesianI)
def fill_constraint_block_1(system, work, y, row_block):
    """[Φ_r, Φ_p] in B and in U."""
    fill_force(system, work, row_block)
    below = parameter_gradient(y, row_block)
    fill_quaternion(system, work, row_block, below, below)


@inlined
def fill_rows(system, work, y):
    """B and U from the gradients of the rows."""
    table = system.rows
    for row in range(table.row.shape[0]):
        for k in range(table.first[row], table.first[row + 1]):
            row_jacobian = load(work.rows.row_jacobian, k, RowJacobian)
            if system.slot[k, 0] >= 0:
                fill_constraint_block(
                    system, work, y, row_block_of(system, work, row, k, 0, row_jacobian.i)
                )
            if system.slot[k, 1] >= 0:
                fill_constraint_block(
                    system, work, y, row_block_of(system, work, row, k, 1, row_jacobian.j)
                )


@inlined
def row_block_of(system, work, row, k, side, wrench):
    """Where term k of a row stands on the body of one side, and its gradient."""
    plan, body = system.plan, system.rows.ends[k, side]
    group, place, slot = system.group[row], system.place[row], system.slot[k, side]
    below = lower_entry(plan, group, slot, place, 0)
    above = upper_entry(plan, group, slot, 0, place)
    torque = transpose(load(work.bodies.rotation, body, Mat3)) @ wrench.torque
    return RowBlock(
        below,
        above,
        plan.column_step[group, slot],
        body,
        wrench.force,
        torque,
        load(work.rows.stretch, 2 * k + side),
    )


constraint_right_side = Generic(
    "constraint_right_side",
    "constraint_right_side(system, work, y, row): γ of the formulation",
    leading=1,
).call


@constraint_right_side.method(CartesianIII)
def gamma_3(system, work, y, row):
    """γ#"""
    return load(work.rows.gamma, row)


@constraint_right_side.method(CartesianI)
@constraint_right_side.method(CartesianII)
def gamma_1_and_2(system, work, y, row):
    """γ = γ# − ¼ Σ ω² Φ_p p (ERRATA 1-9)"""
    table, found = system.rows, load(work.rows.gamma, row)
    for k in range(table.first[row], table.first[row + 1]):
        for side in range(2):
            w = load(work.bodies.twist, table.ends[k, side], Twist).w
            found = fma(-0.25 * dot(w, w), load(work.rows.stretch, 2 * k + side), found)
    return found


@inlined
def multiplier_index(system, row):
    """Where −λ of a row stands in the solution."""
    return system.plan.at[system.body.shape[0] + system.group[row]] + system.place[row]


@outlined
def assemble_and_factor_matrix(system, work, t, y):
    """Blocks of bodies and rows, right-hand sides of bodies, and the factors."""
    clear_blocks(system.plan, work.blocks)
    for i in range(system.body.shape[0]):
        fill_body(system, work, y, i, force_on(system, work, i), torque_on(work, i))
    fill_rows(system, work, y)
    factor_blocks(system.plan, work.blocks)


@inlined
def row_volume(system, work):
    """The product of the smallest pivots of all groups of constraint rows, and log₂ of what was
    split off.
    """
    bodies, volume, log_volume = system.body.shape[0], 1.0, 0.0
    for group in range(system.plan.sizes.shape[0] - bodies):
        share = smallest_pivot(system.plan, work.blocks, bodies + group)
        volume, log_volume = multiply_volume(volume, log_volume, share)
    return volume, log_volume


@inlined
def solve_accelerations(system, work, t, y):
    """Accelerations and −λ into work.solution."""
    compute_body_frames(system, work, y)
    apply_force_laws(system, work, t)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    evaluate_row_rates(system.rows, work.rows, work.bodies)
    assemble_and_factor_matrix(system, work, t, y)
    if y.ndim == 1 and system.facts.may_lose_rank:
        volume, log_volume = row_volume(system, work)
        see_volume(work.trouble, volume, log_volume)
    steady = load(system.stabilisation, 0, Stabilisation)
    for row in range(system.rows.row.shape[0]):
        wanted = constraint_right_side(system, work, y, row)
        wanted = fma(-2.0 * steady.alpha, load(work.rows.rate, row), wanted)
        wanted = fma(-steady.beta * steady.beta, load(work.rows.value, row), wanted)
        store(work.solution, multiplier_index(system, row), wanted)
    solve_blocks(system.plan, work.blocks, work.solution)
