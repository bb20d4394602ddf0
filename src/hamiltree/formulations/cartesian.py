"""Bodies in absolute coordinates with Euler parameters, joints as constraint rows: seed 001, chapter 11, formulations I, II and III.

r is the centre of mass, p the Euler parameters (scalar first, body to world), ω' = 2 L(p) ṗ the angular velocity in body axes.
  III  [M  Bᵀ; B  0] [ḣ; −λ] = [g − b; γ#],  h = (ṙ, ω'),  B = [Φ_r, ½ Φ_p Lᵀ]                                              (11.49)
  II   the same with q̈ = (r̈, p̈): 2 J' L p̈ for J' ω̇', pᵀp̈ = −ṗᵀṗ, the unmodified Φ_q below and γ                     (11.45, ERRATA 1-7)
  I    J* p̈ + p σ with J* = 4 Lᵀ J' L, moments n* = 2 Lᵀ n', Φ_q above and below                                              (11.42)
Systems are solved by blocks, a body or a joint at a time, from the leaves to the ground (blocks.py). To do without pivots, II takes its
rotational rows in the components of Lᵀ and p, and I adds κ p (pᵀp̈ + ṗᵀṗ) = 0; neither changes the solution.
Constraint forces are +Φ_qᵀ λ (ERRATA 1-15); the unknown of the systems is −λ.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3, Sym3
from hamiltree.algebra.number import add, alike, fma, load, root, rows, store
from hamiltree.algebra.quat import Quat, conjugate, quaternion_of, rotation_matrix
from hamiltree.algebra.spatial import NO_TWIST, NO_WRENCH, Twist, Wrench
from hamiltree.algebra.values import cross, dot, transpose
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.errors import OptionError
from hamiltree.forces.laws import Bodies
from hamiltree.forces.packed import (
    LawsOfBodies,
    LawsOfJoints,
    act_on_bodies,
    act_on_joints,
    energy_of_bodies,
    energy_of_joints,
    load_bodies,
    power_of_joints,
)
from hamiltree.formulations.blocks import (
    BlockPlan,
    clear_blocks,
    diagonal_entry,
    factor_blocks,
    lower_entry,
    smallest_pivot,
    solve_blocks,
    symmetric_plan,
    upper_entry,
)
from hamiltree.formulations.blocks import workspace as block_workspace
from hamiltree.formulations.cartesian_tables import Placed, Tables
from hamiltree.formulations.formulation import Formulation, read_only
from hamiltree.formulations.rows import (
    SHARE,
    WEAK,
    Drive,
    Pull,
    Rows,
    RowsWork,
    add_row_wrenches,
    grade_rows,
    no_trouble,
    rate_rows,
    row_rate,
    rows_workspace,
)
from hamiltree.kernel import Generic, inlined, outlined
from hamiltree.verbs import Energies, Layout, balance, constraint, constraint_rate, displace, energies, poses, power, project, rates


class Pose(NamedTuple):
    r: Vec3
    q: Quat


class BodyConstants(NamedTuple):
    mass: float
    inertia: Sym3  # about the centre of mass, body axes
    com: Vec3  # from the body's origin


class Stabilisation(NamedTuple):
    """γ − 2 α Φ̇ − β² Φ (Baumgarte); zero unless asked for."""

    alpha: float
    beta: float


class CartesianI(NamedTuple):
    layout: Layout
    constraints: int  # rows that are kept
    multipliers: int  # of the index-3 form
    balanced: int  # dynamic rows of the index-3 form
    body: np.ndarray  # BodyConstants
    gravity: np.ndarray  # Vec3, one row
    rows: Rows
    group: np.ndarray  # (rows,) of the block plan
    place: np.ndarray  # (rows,) in the group
    slot: np.ndarray  # (terms, 2) of the group, −1 for the ground
    plan: BlockPlan
    coordinates: Rows  # joint coordinates for the laws along joints
    joint_laws: LawsOfJoints
    body_laws: LawsOfBodies
    stabilisation: np.ndarray  # Stabilisation, one row
    projects: bool


class CartesianII(NamedTuple):
    layout: Layout
    constraints: int
    multipliers: int
    balanced: int
    body: np.ndarray
    gravity: np.ndarray
    rows: Rows
    group: np.ndarray
    place: np.ndarray
    slot: np.ndarray
    plan: BlockPlan
    coordinates: Rows
    joint_laws: LawsOfJoints
    body_laws: LawsOfBodies
    stabilisation: np.ndarray
    projects: bool


class CartesianIII(NamedTuple):
    layout: Layout
    constraints: int
    multipliers: int
    balanced: int
    body: np.ndarray
    gravity: np.ndarray
    rows: Rows
    group: np.ndarray
    place: np.ndarray
    slot: np.ndarray
    plan: BlockPlan
    coordinates: Rows
    joint_laws: LawsOfJoints
    body_laws: LawsOfBodies
    stabilisation: np.ndarray
    projects: bool


class CartesianWork(NamedTuple):
    bodies: Bodies  # the ground is the last row
    rows: RowsWork
    coordinates: RowsWork
    blocks: np.ndarray
    solution: np.ndarray  # accelerations, then −λ; of a projection, the change
    along: np.ndarray  # joint coordinates                     push_joints
    rate: np.ndarray  # their rates, then the efforts
    total: np.ndarray  # one number: energy or power of laws
    trouble: np.ndarray  # (3,) of floats: see rows.py


def cartesian_workspace(system, width: int = 1) -> CartesianWork:
    n, coordinates = len(system.body) + 1, max(1, len(system.coordinates.row))
    bodies = Bodies(*(rows(kind, n, width) for kind in (Mat3, Vec3, Twist, Wrench)))
    store(bodies.rotation, n - 1, Mat3(Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)))
    store(bodies.position, n - 1, ZERO)
    store(bodies.twist, n - 1, NO_TWIST)
    return CartesianWork(
        bodies,
        rows_workspace(system.rows, width),
        rows_workspace(system.coordinates, width),
        *block_workspace(system.plan, width),
        rows(float, coordinates, width),
        rows(float, 2 * coordinates, width),
        rows(float, 1, width),
        no_trouble(),
    )


# ---- Euler parameters --------------------------------------------------------------------------------------------------------------
@inlined
def vector_at(array, first):
    return Vec3(load(array, first), load(array, first + 1), load(array, first + 2))


@inlined
def put_vector(array, first, v):
    store(array, first, v.x)
    store(array, first + 1, v.y)
    store(array, first + 2, v.z)


@inlined
def add_vector(array, first, v):
    add(array, first, v.x)
    add(array, first + 1, v.y)
    add(array, first + 2, v.z)


@inlined
def quat_at(array, first):
    return Quat(load(array, first), load(array, first + 1), load(array, first + 2), load(array, first + 3))


@inlined
def put_quat(array, first, q):
    store(array, first, q.w)
    store(array, first + 1, q.x)
    store(array, first + 2, q.y)
    store(array, first + 3, q.z)


@inlined
def spread(p, v):
    """Lᵀ(p) v = p ∘ (0, v)"""
    return p @ Quat(0.0, v.x, v.y, v.z)


@inlined
def gathered(p, a):
    """L(p) a, the vector part of p̄ ∘ a"""
    product = conjugate(p) @ a
    return Vec3(product.x, product.y, product.z)


@inlined
def dot4(a, b):
    return fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, a.w * b.w)))


@inlined
def body_constants(system, i):
    return load(system.body, i, BodyConstants)


# ---- what the three have in common: seen through these -----------------------------------------------------------------------------
turning = Generic("turning", "turning(system, y, i): ω' of body i", leading=1).call
put_turning = Generic("put_turning", "put_turning(system, y, i, w): ω' into the speeds of body i", leading=1).call
fill_body = Generic("fill_body", "fill_body(system, work, y, i, force, torque): block, right side; torque in body axes", leading=1).call
fill_side = Generic("fill_side", "fill_side(system, work, y, row, side…): B and U of a row on one body", leading=1).call
give_body = Generic("give_body", "give_body(system, work, y, ydot, i): rates of body i from the solution", leading=1).call
move_body = Generic("move_body", "move_body(system, work, y, i): positions of body i changed by the solution", leading=1).call
speed_up = Generic("speed_up", "speed_up(system, work, y, i): speeds of body i changed by the solution", leading=1).call
rest_body = Generic("rest_body", "rest_body(system, work, y, i, is_position): right side of body i in a projection", leading=1).call


@inlined
def speeds_at(system, i):
    """First row of the speeds of body i: six of III, seven of I and II."""
    return system.layout.positions + i * (system.layout.momenta // system.body.shape[0])


@inlined
def place_bodies(system, work, y):
    """Frames and twists of all bodies."""
    for i in range(system.body.shape[0]):
        R = rotation_matrix(quat_at(y, 7 * i + 3))
        store(work.bodies.rotation, i, R)
        store(work.bodies.position, i, vector_at(y, 7 * i))
        store(work.bodies.twist, i, Twist(R @ turning(system, y, i), vector_at(y, speeds_at(system, i))))


@turning.method(CartesianI)
@turning.method(CartesianII)
def turning_of_parameters(system, y, i):
    """ω' = 2 L ṗ / ‖p‖²"""
    p = quat_at(y, 7 * i + 3)
    return gathered(p, quat_at(y, speeds_at(system, i) + 3)) * (2.0 / dot4(p, p))


@turning.method(CartesianIII)
def turning_itself(system, y, i):
    return vector_at(y, speeds_at(system, i) + 3)


@put_turning.method(CartesianI)
@put_turning.method(CartesianII)
def put_parameters(system, y, i, w):
    """ṗ = ½ Lᵀ ω'"""
    put_quat(y, speeds_at(system, i) + 3, spread(quat_at(y, 7 * i + 3), w * 0.5))


@put_turning.method(CartesianIII)
def put_itself(system, y, i, w):
    put_vector(y, speeds_at(system, i) + 3, w)


# ---- loads -------------------------------------------------------------------------------------------------------------------------
@inlined
def clear_wrenches(system, work):
    for i in range(system.body.shape[0] + 1):
        store(work.bodies.wrench, i, NO_WRENCH)


@inlined
def find_coordinates(system, work, t):
    """Joint coordinates and their rates, for the laws along joints."""
    grade_rows(system.coordinates, work.coordinates, work.bodies, t)
    for k in range(system.coordinates.row.shape[0]):
        row_rate(system.coordinates, work.coordinates, work.bodies, k)
        store(work.along, k, load(work.coordinates.value, k))
        store(work.rate, k, load(work.coordinates.rate, k))


@outlined
def push_joints(system, work, t):
    """Efforts along joint coordinates: a coordinate's gradient times its effort is a wrench on either body."""
    find_coordinates(system, work, t)
    n = system.coordinates.row.shape[0]
    for k in range(n):
        store(work.rate, n + k, 0.0)
    act_on_joints(system.joint_laws, t, work.along, work.rate, n)
    add_row_wrenches(system.coordinates, work.coordinates, work.bodies, work.rate, n)


@inlined
def load_all(system, work, t):
    """Wrenches of all laws about the centres of mass."""
    clear_wrenches(system, work)
    if system.joint_laws.has_any:
        push_joints(system, work, t)
    if system.body_laws.has_any:
        act_on_bodies(system.body_laws, t, work.bodies)


@inlined
def force_on(system, work, i):
    """g of (11.36), world axes: laws and gravity."""
    return load(work.bodies.wrench, i, Wrench).force + load(system.gravity, 0, Vec3) * body_constants(system, i).mass


@inlined
def torque_on(work, i):
    """n', body axes."""
    return transpose(load(work.bodies.rotation, i, Mat3)) @ load(work.bodies.wrench, i, Wrench).torque


# ---- the matrix --------------------------------------------------------------------------------------------------------------------
@inlined
def put_diagonal(system, work, i, k, x):
    store(work.blocks, diagonal_entry(system.plan, i, k, k), x)


@inlined
def fill_translation(system, work, i, force):
    """N r̈ = f"""
    for k in range(3):
        put_diagonal(system, work, i, k, alike(body_constants(system, i).mass, load(work.solution, 0)))
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
    return Quat(1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0, 1.0 if k == 3 else 0.0)


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
    J, w, p, rate = body_constants(system, i).inertia, turning(system, y, i), quat_at(y, 7 * i + 3), quat_at(y, speeds_at(system, i) + 3)
    for k in range(4):
        column = spread(p, J @ (gathered(p, quaternion_axis(k)) * 2.0)) + p * component(p, k)
        put_column(system, work, i, k, column)
    put_quat(work.solution, system.plan.at[i] + 3, spread(p, torque - cross(w, J @ w)) + p * -dot4(rate, rate))


@fill_body.method(CartesianI)
def fill_starred(system, work, y, i, force, torque):
    """(J* + κ p pᵀ) p̈ + p σ = n* − 2 H ṗ − κ p ṗᵀṗ and pᵀp̈ = −ṗᵀṗ, H ṗ = 2 L̇ᵀ J' ω'  (11.22, 11.15)"""
    fill_translation(system, work, i, force)
    J, w, p, rate = body_constants(system, i).inertia, turning(system, y, i), quat_at(y, 7 * i + 3), quat_at(y, speeds_at(system, i) + 3)
    kappa, shrink = J.xx + J.yy + J.zz, -dot4(rate, rate)
    for k in range(4):
        put_column(system, work, i, k, spread(p, J @ (gathered(p, quaternion_axis(k)) * 4.0)) + p * (component(p, k) * kappa))
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
    fill_quaternion(system, work, half, by_parameters(y, half), spread(quat_at(y, 7 * half.body + 3), half.torque))


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
            pull = load(work.rows.pull, k, Pull)
            if system.slot[k, 0] >= 0:
                fill_side(system, work, y, half_of(system, work, row, k, 0, pull.i))
            if system.slot[k, 1] >= 0:
                fill_side(system, work, y, half_of(system, work, row, k, 1, pull.j))


@inlined
def half_of(system, work, row, k, side, wrench):
    """Of term k, on the body of one side."""
    plan, group, place, slot, body = system.plan, system.group[row], system.place[row], system.slot[k, side], system.rows.ends[k, side]
    below, above = lower_entry(plan, group, slot, place, 0), upper_entry(plan, group, slot, 0, place)
    torque = transpose(load(work.bodies.rotation, body, Mat3)) @ wrench.torque
    return Half(below, above, plan.across[group, slot], body, wrench.force, torque, load(work.rows.stretch, 2 * k + side))


right_side = Generic("right_side", "right_side(system, work, y, row): γ of the formulation", leading=1).call


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
    grade_rows(system.rows, work.rows, work.bodies, t)
    rate_rows(system.rows, work.rows, work.bodies)
    assemble_matrix(system, work, t, y)
    steady = load(system.stabilisation, 0, Stabilisation)
    for row in range(system.rows.row.shape[0]):
        wanted = right_side(system, work, y, row)
        wanted = fma(-2.0 * steady.alpha, load(work.rows.rate, row), wanted)
        store(work.solution, unknown_of(system, row), fma(-steady.beta * steady.beta, load(work.rows.value, row), wanted))
    solve_blocks(system.plan, work.blocks, work.solution)


# ---- verbs -------------------------------------------------------------------------------------------------------------------------
def cartesian_rates(system, work, t, y, ydot):
    """ẏ by the system of the formulation."""
    solve_accelerations(system, work, t, y)
    for i in range(system.body.shape[0]):
        give_body(system, work, y, ydot, i)


@give_body.method(CartesianIII)
def give_modified(system, work, y, ydot, i):
    """ṗ = ½ Lᵀ ω'"""
    at, from_row = speeds_at(system, i), system.plan.at[i]
    put_vector(ydot, 7 * i, vector_at(y, at))
    put_quat(ydot, 7 * i + 3, spread(quat_at(y, 7 * i + 3), vector_at(y, at + 3) * 0.5))
    for k in range(6):
        store(ydot, at + k, load(work.solution, from_row + k))


@give_body.method(CartesianI)
@give_body.method(CartesianII)
def give_parameters(system, work, y, ydot, i):
    at, from_row = speeds_at(system, i), system.plan.at[i]
    for k in range(7):
        store(ydot, 7 * i + k, load(y, at + k))
        store(ydot, at + k, load(work.solution, from_row + k))


def cartesian_energies(system, work, t, y):
    """T = ½ Σ m v² + ω'ᵀ J' ω'; V of gravity and laws."""
    place_bodies(system, work, y)
    kinetic, potential, gravity = 0.0 * t, 0.0 * t, load(system.gravity, 0, Vec3)
    for i in range(system.body.shape[0]):
        body, w, v = body_constants(system, i), turning(system, y, i), vector_at(y, speeds_at(system, i))
        kinetic = fma(0.5, fma(body.mass, dot(v, v), dot(w, body.inertia @ w)), kinetic)
        potential = fma(-body.mass, dot(gravity, vector_at(y, 7 * i)), potential)
    if system.joint_laws.has_any:
        find_coordinates(system, work, t)
        potential = potential + energy_of_joints(system.joint_laws, t, work.along, work.total)
    if system.body_laws.has_any:
        potential = potential + energy_of_bodies(system.body_laws, t, work.bodies, work.total)
    return Energies(kinetic, potential)


@inlined
def load_power(system, work, t):
    """Of dampers and loads."""
    total = 0.0 * t
    if system.joint_laws.has_any:
        total = total + power_of_joints(system.joint_laws, t, work.along, work.rate, work.total)
    if system.body_laws.has_any:
        clear_wrenches(system, work)
        load_bodies(system.body_laws, t, work.bodies)
        for i in range(system.body.shape[0]):
            total = total + dot(load(work.bodies.wrench, i, Wrench), load(work.bodies.twist, i, Twist))
    return total


def cartesian_power(system, work, t, y, ydot):
    """Of dampers and loads, and of drives: λ f'(t)."""
    total = load_power(system, work, t)
    for row in range(system.rows.row.shape[0]):
        if system.rows.code[row, 0] != 0:
            total = fma(-load(work.solution, unknown_of(system, row)), load(work.rows.drive, row, Drive).rate, total)
    return total


def cartesian_poses(system, work, t, y, pose, twist):
    """Of the bodies' origins, from the frames that `rates` left in work."""
    for i in range(system.body.shape[0]):
        R, V = load(work.bodies.rotation, i, Mat3), load(work.bodies.twist, i, Twist)
        arm = R @ body_constants(system, i).com
        store(pose, i, Pose(load(work.bodies.position, i, Vec3) - arm, quaternion_of(R)))
        store(twist, i, Twist(V.w, V.v - cross(V.w, arm)))


def cartesian_constraint(system, work, t, y, out):
    place_bodies(system, work, y)
    grade_rows(system.rows, work.rows, work.bodies, t)
    for row in range(system.rows.row.shape[0]):
        store(out, row, load(work.rows.value, row))


def cartesian_constraint_rate(system, work, t, y, ydot, out):
    """Φ̇ at the speeds of y."""
    place_bodies(system, work, y)
    grade_rows(system.rows, work.rows, work.bodies, t)
    for row in range(system.rows.row.shape[0]):
        row_rate(system.rows, work.rows, work.bodies, row)
        store(out, row, load(work.rows.rate, row))


# ---- projection --------------------------------------------------------------------------------------------------------------------
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
    wanted = 0.5 * (1.0 - dot4(p, p)) if is_position else -dot4(p, quat_at(y, speeds_at(system, i) + 3))
    put_vector(work.solution, system.plan.at[i], ZERO)
    put_quat(work.solution, system.plan.at[i] + 3, p * wanted)


@rest_body.method(CartesianI)
def rest_unmodified(system, work, y, i, is_position):
    p, J = quat_at(y, 7 * i + 3), body_constants(system, i).inertia
    wanted = 0.5 * (1.0 - dot4(p, p)) if is_position else -dot4(p, quat_at(y, speeds_at(system, i) + 3))
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


@inlined
def note_trouble(system, work):
    """The weakest group of rows, and how weak it is."""
    bodies = system.body.shape[0]
    work.trouble[SHARE] = 1.0
    for group in range(system.plan.sizes.shape[0] - bodies):
        found = smallest_pivot(system.plan, work.blocks, bodies + group)
        if not found >= work.trouble[SHARE]:
            work.trouble[SHARE], work.trouble[WEAK] = found, group
    return work.trouble[SHARE] > WEAKEST


@inlined
def make_unit(system, y):
    """‖p‖ = 1 and pᵀṗ = 0 at the same ω': no row feels either, but by Φ_p p, which I and II solve with, it would."""
    for i in range(system.body.shape[0]):
        w = turning(system, y, i)
        normalised(y, i)
        put_turning(system, y, i, w)


@outlined
def close_rows(system, work, t, y):
    """Newton for Φ = 0 with the least change, weighted by the masses, until it stops getting better."""
    n, least, smallest = system.rows.row.shape[0], np.inf, ROUNDING * (1.0 + worst_of(y, system.layout.positions))
    make_unit(system, y)
    for _ in range(ROUNDS):
        place_bodies(system, work, y)
        grade_rows(system.rows, work.rows, work.bodies, t)
        worst = worst_of(work.rows.value, n)
        if worst <= smallest or not worst < 0.5 * least:
            return worst < OPEN
        least = worst
        assemble_matrix(system, work, t, y)
        for i in range(system.body.shape[0]):
            rest_body(system, work, y, i, True)
        for row in range(n):
            store(work.solution, unknown_of(system, row), -load(work.rows.value, row))
        solve_blocks(system.plan, work.blocks, work.solution)
        for i in range(system.body.shape[0]):
            move_body(system, work, y, i)
    return False


@outlined
def steady_rows(system, work, t, y):
    """Speeds with Φ̇ = 0 and the least change; the rows have been closed."""
    n, least, smallest = system.rows.row.shape[0], np.inf, ROUNDING * worst_of(y, y.shape[0])
    make_unit(system, y)
    place_bodies(system, work, y)
    grade_rows(system.rows, work.rows, work.bodies, t)
    assemble_matrix(system, work, t, y)
    is_regular = note_trouble(system, work)  # steps may differ in length, so nothing is foreseen
    for _ in range(4):
        for row in range(n):
            row_rate(system.rows, work.rows, work.bodies, row)
        worst = worst_of(work.rows.rate, n)
        if worst <= smallest or not worst < 0.5 * least:
            return is_regular and worst == worst
        least = worst
        for i in range(system.body.shape[0]):
            rest_body(system, work, y, i, False)
        for row in range(n):
            store(work.solution, unknown_of(system, row), -load(work.rows.rate, row))
        solve_blocks(system.plan, work.blocks, work.solution)
        for i in range(system.body.shape[0]):
            speed_up(system, work, y, i)
        place_bodies(system, work, y)
    return is_regular


def cartesian_project(system, work, t, y, lost):
    """Positions with Φ = 0, ‖p‖ = 1, then speeds with Φ̇ = 0, pᵀṗ = 0: the least change in the metric of the masses."""
    if not system.projects:
        return True
    for k in range(lost.shape[0]):
        lost[k] = 0.0
    clear_wrenches(system, work)
    if not close_rows(system, work, t, y):
        work.trouble[SHARE] = -1.0
        return False
    return steady_rows(system, work, t, y)


# ---- index 3 -----------------------------------------------------------------------------------------------------------------------
@displace.method(CartesianIII)
def displace_turning(system, work, y, increment, out):
    """r + δ, p ∘ exp(δ'/2)"""
    for i in range(system.body.shape[0]):
        put_vector(out, 7 * i, vector_at(y, 7 * i) + vector_at(increment, 6 * i))
        put_quat(out, 7 * i + 3, quat_at(y, 7 * i + 3) @ exponential(vector_at(increment, 6 * i + 3) * 0.5))


@inlined
def exponential(half):
    """cos |h|, sin |h| / |h| h; of floats."""
    size = np.sqrt(dot(half, half))
    share = np.sin(size) / size if size > 1e-9 else 1.0 - size * size / 6.0
    return Quat(np.cos(size), half.x * share, half.y * share, half.z * share)


def displace_parameters(system, work, y, increment, out):
    for k in range(system.layout.positions):
        store(out, k, load(y, k) + load(increment, k))


@inlined
def load_with_multipliers(system, work, t, y, multipliers, first):
    """Wrenches of laws and of constraints, and Φ."""
    place_bodies(system, work, y)
    load_all(system, work, t)
    grade_rows(system.rows, work.rows, work.bodies, t)
    add_row_wrenches(system.rows, work.rows, work.bodies, multipliers, first)


@inlined
def put_values(system, work, out, first):
    for row in range(system.rows.row.shape[0]):
        store(out, first + row, load(work.rows.value, row))


@balance.method(CartesianIII)
def balance_modified(system, work, t, y, acceleration, multipliers, out):
    load_with_multipliers(system, work, t, y, multipliers, 0)
    for i in range(system.body.shape[0]):
        body, w = body_constants(system, i), turning(system, y, i)
        put_vector(out, 6 * i, vector_at(acceleration, 6 * i) * body.mass - force_on(system, work, i))
        turned = body.inertia @ vector_at(acceleration, 6 * i + 3) + cross(w, body.inertia @ w)
        put_vector(out, 6 * i + 3, turned - torque_on(work, i))
    put_values(system, work, out, system.balanced)


@inlined
def put_norms(system, y, out, first):
    """(pᵀp − 1)/2"""
    for i in range(system.body.shape[0]):
        p = quat_at(y, 7 * i + 3)
        store(out, first + i, 0.5 * dot4(p, p) - 0.5)


@balance.method(CartesianII)
def balance_mixed(system, work, t, y, acceleration, multipliers, out):
    """Six rows a body, then the norms, then Φ."""
    load_with_multipliers(system, work, t, y, multipliers, 0)
    for i in range(system.body.shape[0]):
        body, w, p = body_constants(system, i), turning(system, y, i), quat_at(y, 7 * i + 3)
        put_vector(out, 6 * i, vector_at(acceleration, 7 * i) * body.mass - force_on(system, work, i))
        turned = body.inertia @ (gathered(p, quat_at(acceleration, 7 * i + 3)) * 2.0) + cross(w, body.inertia @ w)
        put_vector(out, 6 * i + 3, turned - torque_on(work, i))
    put_norms(system, y, out, system.balanced)
    put_values(system, work, out, system.balanced + system.body.shape[0])


@balance.method(CartesianI)
def balance_starred(system, work, t, y, acceleration, multipliers, out):
    """Seven rows a body with σ, then the norms, then Φ; multipliers are the σ, then λ."""
    n = system.body.shape[0]
    load_with_multipliers(system, work, t, y, multipliers, n)
    for i in range(n):
        body, w, p, rate = body_constants(system, i), turning(system, y, i), quat_at(y, 7 * i + 3), quat_at(y, speeds_at(system, i) + 3)
        put_vector(out, 7 * i, vector_at(acceleration, 7 * i) * body.mass - force_on(system, work, i))
        turned = spread(p, body.inertia @ (gathered(p, quat_at(acceleration, 7 * i + 3)) * 4.0)) + spread(rate, (body.inertia @ w) * 4.0)
        put_quat(out, 7 * i + 3, (turned + p * load(multipliers, i)) + spread(p, torque_on(work, i) * -2.0))
    put_norms(system, y, out, system.balanced)
    put_values(system, work, out, system.balanced + n)


for _kind in (CartesianI, CartesianII):
    displace.method(_kind)(displace_parameters)
for _kind in (CartesianI, CartesianII, CartesianIII):
    rates.method(_kind)(cartesian_rates)
    energies.method(_kind)(cartesian_energies)
    power.method(_kind)(cartesian_power)
    poses.method(_kind)(cartesian_poses)
    constraint.method(_kind)(cartesian_constraint)
    constraint_rate.method(_kind)(cartesian_constraint_rate)
    project.method(_kind)(cartesian_project)


# ---- assembly ------------------------------------------------------------------------------------------------------------------------
KINDS = {1: (CartesianI, 8, 7), 2: (CartesianII, 7, 7), 3: (CartesianIII, 6, 6)}  # size of a body's block, speeds of a body


def assembled(number: int):
    kind, block, speeds = KINDS[number]

    def assemble(model, q=None):
        """The tables of a mechanism at the positions q of its tree (the model's start if None)."""
        tables = Tables(model, q, f"cartesian_{number}")
        n, m = len(model.bodies), len(tables.specs)
        coordinates, of_joints, of_bodies = tables.laws()
        plan, group, place, slot = tables.blocks(block)
        return kind(
            Layout(7 * n, speeds * n),
            m,
            m + n if number == 1 else m,
            7 * n if number == 1 else 6 * n,
            tables.body_table(),
            read_only([model.gravity]),
            tables.rows,
            group,
            place,
            slot,
            plan if number == 2 else symmetric_plan(plan),
            coordinates,
            of_joints,
            of_bodies,
            read_only([[0.0, 0.0]]),
            True,
        )

    return assemble


def state_of(number: int):
    """(system, model, rotations, origins, twists) -> y."""

    def state(system, model, turn, at, twist):
        placed = Placed(model, turn, at, twist)
        turning = placed.w if number == 3 else placed.rate
        return np.concatenate([np.column_stack([placed.r, placed.p]).ravel(), np.column_stack([placed.v, turning]).ravel()])

    return state


def formulation(number: int, summary: str) -> Formulation:
    return Formulation(
        name=f"cartesian_{number}",
        system=KINDS[number][0],
        assemble=assembled(number),
        workspace=cartesian_workspace,
        reference=f"seed 001, formulation {'I' * number} ({(0, '11.42', '11.45', '11.49')[number]})",
        summary=summary,
        state=state_of(number),
        options=STABILISATION,
        has_loops=True,
    )


def stabilised(system, value):
    """Option `baumgarte`: α = β, 1/s, instead of projections; γ − 2 α Φ̇ − β² Φ."""
    pair = (value, value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(x, (int, float)) and x >= 0 for x in pair):
        raise OptionError(f"baumgarte = {value!r}; give α = β in 1/s, or the two numbers (α, β)")
    return system._replace(stabilisation=read_only([[float(pair[0]), float(pair[1])]]), projects=False)


def projecting(system, value):
    """Option `projection`: whether each step ends on the constraints."""
    if not isinstance(value, bool):
        raise OptionError(f"projection = {value!r}; give True or False")
    return system._replace(projects=value)


STABILISATION = {"baumgarte": stabilised, "projection": projecting}
CARTESIAN_1 = formulation(1, "bodies in absolute coordinates: Euler parameters, their second derivatives, σ and λ; loops")
CARTESIAN_2 = formulation(2, "bodies in absolute coordinates: Euler parameters, moments in body axes, λ; loops")
CARTESIAN_3 = formulation(3, "bodies in absolute coordinates: Euler parameters and angular velocities, λ; loops; near O(N)")
FORMULATIONS = (CARTESIAN_1, CARTESIAN_2, CARTESIAN_3)
