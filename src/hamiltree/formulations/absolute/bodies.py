"""Bodies in absolute coordinates with Euler parameters: Systems, scratch, frames and loads of seed
001's three formulations.

The three share one set of tables and differ by type: what depends on the formulation is asked for
through the generic functions below.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3, Sym3
from hamiltree.algebra.quat import Quat, conjugate, rotation_matrix
from hamiltree.algebra.spatial import ZERO_TWIST, ZERO_WRENCH, Twist, Wrench
from hamiltree.algebra.values import transpose
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.assembly.rows import (
    Rows,
    RowsWork,
    add_row_wrenches,
    evaluate_row_rate,
    evaluate_rows,
    new_independence_record,
    rows_workspace,
)
from hamiltree.compiled.kernel import Generic, inlined, outlined
from hamiltree.compiled.number import add, fma, load, rows, store
from hamiltree.forces.dispatch import (
    BodyLawDispatch,
    JointLawDispatch,
    add_all_generalised_forces,
    add_all_wrenches,
    allocate_law_states,
)
from hamiltree.forces.laws import Bodies
from hamiltree.formulations.absolute.sparse_block_lu import workspace as block_workspace
from hamiltree.formulations.absolute.sparse_block_plan import BlockPlan
from hamiltree.verbs import Facts, Layout


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
    facts: Facts
    body: np.ndarray  # BodyConstants
    gravity: np.ndarray  # Vec3, one row
    rows: Rows
    group: np.ndarray  # (rows,) of the block plan
    place: np.ndarray  # (rows,) in the group
    slot: np.ndarray  # (terms, 2) of the group, −1 for the ground
    plan: BlockPlan
    coordinates: Rows  # joint coordinates for the laws along joints
    joint_laws: JointLawDispatch
    body_laws: BodyLawDispatch
    stabilisation: np.ndarray  # Stabilisation, one row


# The same tables; their types choose the methods.
CartesianII = NamedTuple("CartesianII", list(CartesianI.__annotations__.items()))
CartesianIII = NamedTuple("CartesianIII", list(CartesianI.__annotations__.items()))


class CartesianWork(NamedTuple):
    bodies: Bodies  # the ground is the last row
    rows: RowsWork
    coordinates: RowsWork
    blocks: np.ndarray
    solution: np.ndarray  # accelerations, then −λ; of a projection, the change
    along: np.ndarray  # joint coordinates                     add_joint_law_wrenches
    rate: np.ndarray  # their rates, then the efforts
    total: np.ndarray  # one number: energy or power of laws
    trouble: np.ndarray  # (3,) of floats: see rows.py


def cartesian_workspace(system, width: int = 1) -> CartesianWork:
    n, coordinates = len(system.body) + 1, max(1, len(system.coordinates.row))
    bodies = Bodies(
        *(rows(kind, n, width) for kind in (Mat3, Vec3, Twist, Wrench)),
        allocate_law_states(system.body_laws, width),
    )
    store(
        bodies.rotation, n - 1, Mat3(Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
    )
    store(bodies.position, n - 1, ZERO)
    store(bodies.twist, n - 1, ZERO_TWIST)
    return CartesianWork(
        bodies,
        rows_workspace(system.rows, width),
        rows_workspace(system.coordinates, width),
        *block_workspace(system.plan, width),
        rows(float, coordinates, width),
        rows(float, 2 * coordinates, width),
        rows(float, 1, width),
        new_independence_record(),
    )


# ---- Euler parameters ----------------------------------------------------------------------------
@inlined
def vector_at(array, first):
    return Vec3(load(array, first), load(array, first + 1), load(array, first + 2))


@inlined
def store_vector(array, first, v):
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
    return Quat(
        load(array, first), load(array, first + 1), load(array, first + 2), load(array, first + 3)
    )


@inlined
def store_quat(array, first, q):
    store(array, first, q.w)
    store(array, first + 1, q.x)
    store(array, first + 2, q.y)
    store(array, first + 3, q.z)


@inlined
def l_transpose_times(p, v):
    """Lᵀ(p) v = p ∘ (0, v)"""
    return p @ Quat(0.0, v.x, v.y, v.z)


@inlined
def l_times(p, a):
    """L(p) a, the vector part of p̄ ∘ a"""
    product = conjugate(p) @ a
    return Vec3(product.x, product.y, product.z)


@inlined
def quaternion_dot(a, b):
    return fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, a.w * b.w)))


@inlined
def body_constants(system, i):
    return load(system.body, i, BodyConstants)


# ---- what the three have in common: seen through these -------------------------------------------
compute_body_frames = Generic(
    "compute_body_frames",
    "compute_body_frames(system, work, y): frames and twists of all bodies",
    leading=1,
).call
body_angular_velocity = Generic(
    "body_angular_velocity", "turning(system, y, i): ω' of body i", leading=1
).call
store_angular_velocity = Generic(
    "store_angular_velocity",
    "store_angular_velocity(system, y, i, w): ω' into the speeds of body i",
    leading=1,
).call
fill_body = Generic(
    "fill_body",
    "fill_body(system, work, y, i, force, torque): block, right side; torque in body axes",
    leading=1,
).call
fill_constraint_block = Generic(
    "fill_constraint_block",
    "fill_constraint_block(system, work, y, row, side…): B and U of a row on one body",
    leading=1,
).call
write_body_rates = Generic(
    "write_body_rates",
    "write_body_rates(system, work, y, ydot, i): rates of body i from the solution",
    leading=1,
).call
correct_position = Generic(
    "correct_position",
    "correct_position(system, work, y, i): positions of body i changed by the solution",
    leading=1,
).call
correct_velocity = Generic(
    "correct_velocity",
    "correct_velocity(system, work, y, i): speeds of body i changed by the solution",
    leading=1,
).call
projection_right_side = Generic(
    "projection_right_side",
    "projection_right_side(system, work, y, i, is_position): right side of body i in a projection",
    leading=1,
).call


@inlined
def speed_offset(system, i):
    """First row of the speeds of body i: six of III, seven of I and II."""
    return system.layout.positions + i * (system.layout.momenta // system.body.shape[0])


def owner(system, model, row: int) -> str:
    """The body whose position or speed a row of the state is."""
    positions, n = system.layout.positions, len(system.body)
    return model.bodies[
        row // 7 if row < positions else (row - positions) // (system.layout.momenta // n)
    ].name


@compute_body_frames.method(CartesianI)
@compute_body_frames.method(CartesianII)
@compute_body_frames.method(CartesianIII)
def compute_cartesian_frames(system, work, y):
    for i in range(system.body.shape[0]):
        R = rotation_matrix(quat_at(y, 7 * i + 3))
        store(work.bodies.rotation, i, R)
        store(work.bodies.position, i, vector_at(y, 7 * i))
        store(
            work.bodies.twist,
            i,
            Twist(R @ body_angular_velocity(system, y, i), vector_at(y, speed_offset(system, i))),
        )


@body_angular_velocity.method(CartesianI)
@body_angular_velocity.method(CartesianII)
def angular_velocity_1_and_2(system, y, i):
    """ω' = 2 L ṗ / ‖p‖²"""
    p = quat_at(y, 7 * i + 3)
    return l_times(p, quat_at(y, speed_offset(system, i) + 3)) * (2.0 / quaternion_dot(p, p))


@body_angular_velocity.method(CartesianIII)
def angular_velocity_3(system, y, i):
    return vector_at(y, speed_offset(system, i) + 3)


@store_angular_velocity.method(CartesianI)
@store_angular_velocity.method(CartesianII)
def store_angular_velocity_1_and_2(system, y, i, w):
    """ṗ = ½ Lᵀ ω'"""
    store_quat(y, speed_offset(system, i) + 3, l_transpose_times(quat_at(y, 7 * i + 3), w * 0.5))


@store_angular_velocity.method(CartesianIII)
def store_angular_velocity_3(system, y, i, w):
    store_vector(y, speed_offset(system, i) + 3, w)


# ---- loads ---------------------------------------------------------------------------------------
@inlined
def clear_wrenches(system, work):
    for i in range(system.body.shape[0] + 1):
        store(work.bodies.wrench, i, ZERO_WRENCH)


@inlined
def evaluate_joint_coordinates(system, work, t):
    """Joint coordinates and their rates, for the laws along joints."""
    evaluate_rows(system.coordinates, work.coordinates, work.bodies, t)
    for k in range(system.coordinates.row.shape[0]):
        evaluate_row_rate(system.coordinates, work.coordinates, work.bodies, k)
        store(work.along, k, load(work.coordinates.value, k))
        store(work.rate, k, load(work.coordinates.rate, k))


@outlined
def add_joint_law_wrenches(system, work, t):
    """Efforts along joint coordinates: a coordinate's gradient times its effort is a wrench on
    either body.
    """
    evaluate_joint_coordinates(system, work, t)
    n = system.coordinates.row.shape[0]
    for k in range(n):
        store(work.rate, n + k, 0.0)
    add_all_generalised_forces(system.joint_laws, t, work.along, work.rate, n)
    add_row_wrenches(system.coordinates, work.coordinates, work.bodies, work.rate, n)


@inlined
def apply_force_laws(system, work, t):
    """Wrenches of all laws about the centres of mass."""
    clear_wrenches(system, work)
    if system.joint_laws.has_any:
        add_joint_law_wrenches(system, work, t)
    if system.body_laws.has_any:
        add_all_wrenches(system.body_laws, t, work.bodies)


@inlined
def force_on(system, work, i):
    """g of (11.36), world axes: laws and gravity."""
    return (
        load(work.bodies.wrench, i, Wrench).force
        + load(system.gravity, 0, Vec3) * body_constants(system, i).mass
    )


@inlined
def torque_on(work, i):
    """n', body axes."""
    return (
        transpose(load(work.bodies.rotation, i, Mat3)) @ load(work.bodies.wrench, i, Wrench).torque
    )
