"""Bodies in absolute coordinates with Euler parameters: Systems, workspace, frames and loads of
formulations I, II and III of "Spatial Dynamics".

The three share one set of tables and differ by type: what depends on the formulation is asked for
through the generic functions below.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Sym3
from hamiltree.algebra.quat import rotation_matrix
from hamiltree.algebra.rows import quat_at, store_quat, store_vector, vector_at
from hamiltree.algebra.spatial import Twist, Wrench
from hamiltree.algebra.values import dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.assembly.independence import new_independence_record
from hamiltree.assembly.rows import (
    Rows,
    RowsWork,
    add_row_wrenches,
    evaluate_row_rate,
    evaluate_rows,
    rows_workspace,
)
from hamiltree.assembly.windings import FollowedAngles
from hamiltree.compiled.kernel import Generic, inlined, outlined
from hamiltree.compiled.number import fma, load, rows, store
from hamiltree.forces.dispatch import (
    BodyLawDispatch,
    JointLawDispatch,
    add_all_generalised_forces,
    add_all_wrenches,
    potential_energy_of_bodies,
    potential_energy_of_joints,
)
from hamiltree.forces.laws import Bodies
from hamiltree.formulations.absolute.quaternions import angular_velocity_of_rate, l_transpose_times
from hamiltree.formulations.absolute.sparse_block_lu import workspace as block_workspace
from hamiltree.formulations.absolute.sparse_block_plan import BlockPlan
from hamiltree.formulations.absolute.world_frames import (
    bodies_workspace,
    clear_wrenches,
    store_frame,
)
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
    followed: FollowedAngles
    stabilisation: np.ndarray  # Stabilisation, one row
    row_size: np.ndarray  # (rows,) 1 rad, or the length of the mechanism: residuals are parts of it
    length: np.ndarray  # (1,) m: that length


# The same tables; their types choose the methods.
CartesianII = NamedTuple("CartesianII", list(CartesianI.__annotations__.items()))
CartesianIII = NamedTuple("CartesianIII", list(CartesianI.__annotations__.items()))


class CartesianWork(NamedTuple):
    bodies: Bodies  # the ground is the last row
    rows: RowsWork
    coordinates: RowsWork
    blocks: np.ndarray
    solution: np.ndarray  # accelerations, then −λ; of a projection, the change
    along: np.ndarray  # joint coordinates                     evaluate_joint_coordinates
    rate: np.ndarray  # their rates, then the generalised forces
    total: np.ndarray  # one number: energy or power of laws
    trouble: np.ndarray  # (5,) of floats: how independent rows are (independence.py)
    windings: np.ndarray  # of floats: angles with their turns                follow_angles


def cartesian_workspace(system, width: int = 1) -> CartesianWork:
    """Scratch of I, II, III and cartesian_hamiltonian."""
    windings = system.followed.start.copy()
    return CartesianWork(
        bodies_workspace(system, width),
        rows_workspace(system.rows, width, windings),
        rows_workspace(system.coordinates, width, windings),
        *block_workspace(system.plan, width),
        *joint_laws_workspace(system.coordinates, width),
        new_independence_record(),
        windings,
    )


def joint_laws_workspace(coordinates: Rows, width: int) -> tuple[np.ndarray, ...]:
    """Joint coordinates, their rates followed by the generalised forces, and a sum over laws."""
    n = max(1, len(coordinates.row))
    return rows(float, n, width), rows(float, 2 * n, width), rows(float, 1, width)


@inlined
def body_constants(system, i):
    """Mass, inertia and centre of mass of body i."""
    return load(system.body, i, BodyConstants)


# ---- what depends on the formulation -------------------------------------------------------------
compute_body_frames = Generic(
    "compute_body_frames",
    "compute_body_frames(system, work, y): frames and twists of all bodies",
    leading=1,
).call
body_angular_velocity = Generic(
    "body_angular_velocity", "body_angular_velocity(system, y, i): ω' of body i", leading=1
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
    positions = system.layout.positions
    speeds_per_body = system.layout.momenta // len(system.body)
    body = row // 7 if row < positions else (row - positions) // speeds_per_body
    return model.bodies[body].name


@compute_body_frames.method(CartesianI)
@compute_body_frames.method(CartesianII)
@compute_body_frames.method(CartesianIII)
def compute_cartesian_frames(system, work, y):
    """World frames and twists of all bodies from their positions and speeds."""
    for i in range(system.body.shape[0]):
        R = rotation_matrix(quat_at(y, 7 * i + 3))
        w = R @ body_angular_velocity(system, y, i)
        v = vector_at(y, speed_offset(system, i))
        store_frame(work.bodies, i, R, vector_at(y, 7 * i), Twist(w, v))


@body_angular_velocity.method(CartesianI)
@body_angular_velocity.method(CartesianII)
def angular_velocity_1_and_2(system, y, i):
    """ω' = 2 L ṗ / ‖p‖²"""
    rate = quat_at(y, speed_offset(system, i) + 3)
    return angular_velocity_of_rate(quat_at(y, 7 * i + 3), rate)


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
def evaluate_joint_coordinates(system, work, t):
    """Joint coordinates and their rates, for the laws along joints."""
    evaluate_rows(system.coordinates, work.coordinates, work.bodies, t)
    for k in range(system.coordinates.row.shape[0]):
        evaluate_row_rate(system.coordinates, work.coordinates, work.bodies, k)
        store(work.along, k, load(work.coordinates.value, k))
        store(work.rate, k, load(work.coordinates.rate, k))


@outlined
def add_joint_law_wrenches(system, work, t):
    """Generalised forces along joint coordinates as wrenches on both bodies: gradient of the
    coordinate times force.
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
    clear_wrenches(system, work.bodies)
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
def potential_energy(system, work, t):
    """V of gravity, of the laws along joints and between bodies, at the frames in work."""
    potential = 0.0 * t
    gravity = load(system.gravity, 0, Vec3)
    for i in range(system.body.shape[0]):
        position = load(work.bodies.position, i, Vec3)
        potential = fma(-body_constants(system, i).mass, dot(gravity, position), potential)
    if system.joint_laws.has_any:
        evaluate_joint_coordinates(system, work, t)
        potential = potential + potential_energy_of_joints(
            system.joint_laws, t, work.along, work.total
        )
    if system.body_laws.has_any:
        potential = potential + potential_energy_of_bodies(
            system.body_laws, t, work.bodies, work.total
        )
    return potential
