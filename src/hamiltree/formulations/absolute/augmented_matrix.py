"""The linear systems of formulations I, II and III: blocks of bodies and rows, right-hand sides,
accelerations and multipliers.

To do without pivots, II takes its rotational rows in the components of Lᵀ and p, and I adds κ p
(pᵀp̈ + ṗᵀṗ) = 0; neither changes the solution.
"""

from typing import NamedTuple

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.quat import Quat
from hamiltree.algebra.spatial import Twist
from hamiltree.algebra.values import cross, dot, transpose
from hamiltree.algebra.vec3 import Vec3
from hamiltree.assembly.rows import (
    RowJacobian,
    evaluate_row_rates,
    evaluate_rows,
)
from hamiltree.compiled.kernel import Generic, inlined, outlined
from hamiltree.compiled.number import add, alike, fma, load, store
from hamiltree.formulations.absolute.bodies import (
    CartesianI,
    CartesianII,
    CartesianIII,
    Stabilisation,
    body_constants,
    dot4,
    fill_body,
    fill_side,
    force_on,
    gathered,
    load_all,
    place_bodies,
    put_quat,
    put_vector,
    quat_at,
    speeds_at,
    spread,
    torque_on,
    turning,
)
from hamiltree.formulations.absolute.sparse_block_lu import (
    clear_blocks,
    diagonal_entry,
    factor_blocks,
    lower_entry,
    solve_blocks,
    upper_entry,
)


@inlined
def put_diagonal(system, work, i, k, x):
    store(work.blocks, diagonal_entry(system.plan, i, k, k), x)


@inlined
def fill_translation(system, work, i, force):
    """N r̈ = f"""
    for k in range(3):
        put_diagonal(
            system, work, i, k, alike(body_constants(system, i).mass, load(work.solution, 0))
        )
    put_vector(work.solution, system.plan.at[i], force)


@fill_body.method(CartesianIII)
def fill_rotation(system, work, y, i, force, torque):
    """J' ω̇' = n' − ω' × J' ω'  (11.24)"""
    fill_translation(system, work, i, force)
    J, w = body_constants(system, i).inertia, turning(system, y, i)
    put_vector(work.solution, system.plan.at[i] + 3, torque - cross(w, J @ w))
    like = 0.0 * w.x
    put_symmetric(system, work, i, J, like)


@inlined
def put_symmetric(system, work, i, J, like):
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
    return Quat(
        1.0 if k == 0 else 0.0,
        1.0 if k == 1 else 0.0,
        1.0 if k == 2 else 0.0,
        1.0 if k == 3 else 0.0,
    )


@inlined
def put_column(system, work, i, k, column):
    """Of the block of p̈."""
    store(work.blocks, diagonal_entry(system.plan, i, 3, 3 + k), column.w)
    store(work.blocks, diagonal_entry(system.plan, i, 4, 3 + k), column.x)
    store(work.blocks, diagonal_entry(system.plan, i, 5, 3 + k), column.y)
    store(work.blocks, diagonal_entry(system.plan, i, 6, 3 + k), column.z)


@inlined
def component(a, k):
    return a.w if k == 0 else a.x if k == 1 else a.y if k == 2 else a.z


@fill_body.method(CartesianII)
def fill_parameters(system, work, y, i, force, torque):
    """Lᵀ(2 J' L p̈ + ω' × J' ω') + p (pᵀp̈ + ṗᵀṗ) = Lᵀ n'  (11.23, 11.15)"""
    fill_translation(system, work, i, force)
    J, w, p, rate = (
        body_constants(system, i).inertia,
        turning(system, y, i),
        quat_at(y, 7 * i + 3),
        quat_at(y, speeds_at(system, i) + 3),
    )
    for k in range(4):
        column = spread(p, J @ (gathered(p, quaternion_axis(k)) * 2.0)) + p * component(p, k)
        put_column(system, work, i, k, column)
    put_quat(
        work.solution,
        system.plan.at[i] + 3,
        spread(p, torque - cross(w, J @ w)) + p * -dot4(rate, rate),
    )


@fill_body.method(CartesianI)
def fill_starred(system, work, y, i, force, torque):
    """(J* + κ p pᵀ) p̈ + p σ = n* − 2 H ṗ − κ p ṗᵀṗ and pᵀp̈ = −ṗᵀṗ, H ṗ = 2 L̇ᵀ J' ω'
    (11.22, 11.15)
    """
    fill_translation(system, work, i, force)
    J, w, p, rate = (
        body_constants(system, i).inertia,
        turning(system, y, i),
        quat_at(y, 7 * i + 3),
        quat_at(y, speeds_at(system, i) + 3),
    )
    kappa, shrink = J.xx + J.yy + J.zz, -dot4(rate, rate)
    for k in range(4):
        put_column(
            system,
            work,
            i,
            k,
            spread(p, J @ (gathered(p, quaternion_axis(k)) * 4.0)) + p * (component(p, k) * kappa),
        )
        store(work.blocks, diagonal_entry(system.plan, i, 3 + k, 7), component(p, k))
        store(work.blocks, diagonal_entry(system.plan, i, 7, 3 + k), component(p, k))
    moment = spread(p, torque * 2.0) + spread(rate, (J @ w) * -4.0)
    put_quat(work.solution, system.plan.at[i] + 3, moment + p * (kappa * shrink))
    store(work.solution, system.plan.at[i] + 7, shrink)


class Half(NamedTuple):
    """Where a row stands in the matrix on one body, and its gradient."""

    below: int  # first entry in B
    above: int  # first entry in U
    across: int  # from an entry to the next
    body: int
    force: Vec3
    torque: Vec3  # body axes: ½ L Φ_pᵀ
    stretch: float  # Φ_p p


@inlined
def add_entry(system, work, half, j, below, above):
    add(work.blocks, half.above + half.across * j, above)
    if not system.plan.is_symmetric:
        add(work.blocks, half.below + half.across * j, below)


@inlined
def fill_force(system, work, half):
    add_entry(system, work, half, 0, half.force.x, half.force.x)
    add_entry(system, work, half, 1, half.force.y, half.force.y)
    add_entry(system, work, half, 2, half.force.z, half.force.z)


@fill_side.method(CartesianIII)
def fill_modified(system, work, y, half):
    fill_force(system, work, half)
    add_entry(system, work, half, 3, half.torque.x, half.torque.x)
    add_entry(system, work, half, 4, half.torque.y, half.torque.y)
    add_entry(system, work, half, 5, half.torque.z, half.torque.z)


@inlined
def fill_quaternion(system, work, half, below, above):
    add_entry(system, work, half, 3, below.w, above.w)
    add_entry(system, work, half, 4, below.x, above.x)
    add_entry(system, work, half, 5, below.y, above.y)
    add_entry(system, work, half, 6, below.z, above.z)


@inlined
def by_parameters(y, half):
    """Φ_p = 2 n'ᵀ L + (Φ_p p) pᵀ"""
    p = quat_at(y, 7 * half.body + 3)
    return spread(p, half.torque * 2.0) + p * half.stretch


@fill_side.method(CartesianII)
def fill_mixed(system, work, y, half):
    """Φ_p below, Lᵀ(½ L Φ_pᵀ) above (ERRATA 1-7)."""
    fill_force(system, work, half)
    fill_quaternion(
        system,
        work,
        half,
        by_parameters(y, half),
        spread(quat_at(y, 7 * half.body + 3), half.torque),
    )


@fill_side.method(CartesianI)
def fill_unmodified(system, work, y, half):
    fill_force(system, work, half)
    below = by_parameters(y, half)
    fill_quaternion(system, work, half, below, below)


@inlined
def fill_rows(system, work, y):
    """B and U from the gradients of the rows."""
    table = system.rows
    for row in range(table.row.shape[0]):
        for k in range(table.first[row], table.first[row + 1]):
            row_jacobian = load(work.rows.row_jacobian, k, RowJacobian)
            if system.slot[k, 0] >= 0:
                fill_side(system, work, y, half_of(system, work, row, k, 0, row_jacobian.i))
            if system.slot[k, 1] >= 0:
                fill_side(system, work, y, half_of(system, work, row, k, 1, row_jacobian.j))


@inlined
def half_of(system, work, row, k, side, wrench):
    """Of term k, on the body of one side."""
    plan, group, place, slot, body = (
        system.plan,
        system.group[row],
        system.place[row],
        system.slot[k, side],
        system.rows.ends[k, side],
    )
    below, above = (
        lower_entry(plan, group, slot, place, 0),
        upper_entry(plan, group, slot, 0, place),
    )
    torque = transpose(load(work.bodies.rotation, body, Mat3)) @ wrench.torque
    return Half(
        below,
        above,
        plan.across[group, slot],
        body,
        wrench.force,
        torque,
        load(work.rows.stretch, 2 * k + side),
    )


right_side = Generic(
    "right_side", "right_side(system, work, y, row): γ of the formulation", leading=1
).call


@right_side.method(CartesianIII)
def modified_gamma(system, work, y, row):
    return load(work.rows.gamma, row)


@right_side.method(CartesianI)
@right_side.method(CartesianII)
def unmodified_gamma(system, work, y, row):
    """γ = γ# − ¼ Σ ω² Φ_p p (ERRATA 1-9)"""
    table, found = system.rows, load(work.rows.gamma, row)
    for k in range(table.first[row], table.first[row + 1]):
        for side in range(2):
            w = load(work.bodies.twist, table.ends[k, side], Twist).w
            found = fma(-0.25 * dot(w, w), load(work.rows.stretch, 2 * k + side), found)
    return found


@inlined
def unknown_of(system, row):
    """Where −λ of a row stands in the solution."""
    return system.plan.at[system.body.shape[0] + system.group[row]] + system.place[row]


@outlined
def assemble_matrix(system, work, t, y):
    """Everything but the right side of the rows, and the factors."""
    clear_blocks(system.plan, work.blocks)
    for i in range(system.body.shape[0]):
        fill_body(system, work, y, i, force_on(system, work, i), torque_on(work, i))
    fill_rows(system, work, y)
    factor_blocks(system.plan, work.blocks)


@inlined
def solve_accelerations(system, work, t, y):
    """Accelerations and −λ into work.solution."""
    place_bodies(system, work, y)
    load_all(system, work, t)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    evaluate_row_rates(system.rows, work.rows, work.bodies)
    assemble_matrix(system, work, t, y)
    steady = load(system.stabilisation, 0, Stabilisation)
    for row in range(system.rows.row.shape[0]):
        wanted = right_side(system, work, y, row)
        wanted = fma(-2.0 * steady.alpha, load(work.rows.rate, row), wanted)
        store(
            work.solution,
            unknown_of(system, row),
            fma(-steady.beta * steady.beta, load(work.rows.value, row), wanted),
        )
    solve_blocks(system.plan, work.blocks, work.solution)
