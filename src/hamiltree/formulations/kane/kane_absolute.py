"""Kane's equations with absolute orientations and relative translations: the second notes on Kane's
equations (docs/references.md), with the correction of ERRATA 4-1, for every joint.

State: Euler parameters of all bodies (scalar first, body to world), then the slides s of the
joints; ω' of all bodies in their own axes, then ṡ. A joint's point on J = L(K) and its point on K
lie apart by the joint's slides, so with vectors ρ fixed but for these
  p_K = p_J + R_J ρ_J + R_K ρ_K
        p: centres of mass, inertial axes, and so [v_K,y], which needs no ω × v in f
  A = Σ m [v_K,y]ᵀ[v_K,y] + I',   f = Σ [v_K,y]ᵀ (F − m a) + M' − ω' × I' ω',
        a at ẏ = 0: Σ R (ω' × (ω' × ρ) + 2 ω' × ρ̇)
Joints that leave all rotations free need no more: translations that they forbid have no column.
Rotations that a joint forbids, and whatever closes loops, are constraint rows Φ with multipliers:
A ẏ = f + Bᵀλ, B ẏ = γ, solved by W = B A⁻¹ Bᵀ. The matrix is dense: O(N³).
"""

from typing import NamedTuple

import numpy as np

from hamiltree import verbs
from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.quat import rotation_matrix
from hamiltree.algebra.rows import quat_at, store_quat, store_vector, vector_at
from hamiltree.algebra.spatial import Twist
from hamiltree.algebra.values import cross, dot, plus_cross, plus_scaled
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.assembly.independence import new_independence_record, see_volume
from hamiltree.assembly.rows import (
    Drive,
    Rows,
    RowsWork,
    evaluate_row_rates,
    evaluate_rows,
    rows_workspace,
)
from hamiltree.assembly.windings import FollowedAngles
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import add, broadcast_like, fma, load, rows, store
from hamiltree.compiled.user_code import HAS_CODE
from hamiltree.forces.dispatch import BodyLawDispatch, JointLawDispatch
from hamiltree.forces.laws import Bodies
from hamiltree.formulations.absolute.bodies import (
    apply_force_laws,
    body_constants,
    compute_body_frames,
    force_on,
    joint_laws_workspace,
    potential_energy,
)
from hamiltree.formulations.absolute.cartesian import (
    STABILISATION_OPTIONS,
    cartesian_constraint,
    cartesian_constraint_rate,
    cartesian_poses,
    follow_cartesian_angles,
    nonconservative_power,
)
from hamiltree.formulations.absolute.quaternions import l_transpose_times
from hamiltree.formulations.absolute.record import absolute_formulation
from hamiltree.formulations.absolute.world_frames import bodies_workspace, store_frame, torque_on
from hamiltree.formulations.formulation import Traits
from hamiltree.formulations.kane.constraint_rows import (
    add_moment,
    assemble_and_factor_rows,
    impose_constraints,
    row_volume,
)
from hamiltree.formulations.kane.partial_velocities import (
    MassMatrixWork,
    PartialVelocityColumns,
    clear_equations,
    factor_mass_matrix,
    mass_matrix_workspace,
    matrix_index,
    solve_mass_matrix,
)
from hamiltree.formulations.kane.tables import (
    assemble_absolute,
    body_quaternions,
    kane_initial_state,
    kane_row_scales,
    owner,
)
from hamiltree.verbs import Energies, Facts, Layout


class KaneAbsolute(NamedTuple):
    layout: Layout
    facts: Facts
    order: np.ndarray  # (bodies,) outwards
    parent: np.ndarray  # (bodies,) L(K); the number of bodies for the ground
    body: np.ndarray  # BodyConstants
    lower: np.ndarray  # Vec3: ρ_J without slides, in J
    upper: np.ndarray  # Vec3: ρ_K without slides, in K
    first_slide: np.ndarray  # (bodies + 1,)
    slide: np.ndarray  # Vec3 of each slide, in the axes of the body that carries it
    slides_on_upper: np.ndarray  # (bodies,) the slides are fixed to K, not to J
    # (bodies,) number of the first of its three ω'; its slides come after them
    first_angular_speed: np.ndarray
    columns: PartialVelocityColumns
    gravity: np.ndarray  # Vec3, one row
    rows: Rows
    group: np.ndarray  # (rows,) joint or constraint that a row belongs to
    extent: np.ndarray  # (rows,) one more than the number of the last speed that a row depends on
    coordinates: Rows  # joint coordinates for the laws along joints
    joint_laws: JointLawDispatch
    body_laws: BodyLawDispatch
    followed: FollowedAngles
    stabilisation: np.ndarray  # Stabilisation, one row
    row_size: np.ndarray  # (rows,) 1 rad, or the length of the mechanism: residuals are parts of it
    length: np.ndarray  # (1,) m: that length


class AbsoluteWork(NamedTuple):
    bodies: Bodies  # centres of mass, world axes; the ground is the last row
    w: np.ndarray  # Vec3: ω' in body axes                           compute_body_frames
    lower: np.ndarray  # Vec3: ρ_J, in J                             compute_body_frames
    upper: np.ndarray  # Vec3: ρ_K, in K                             compute_body_frames
    # Vec3: acceleration of the centre of mass at ẏ = 0              compute_body_frames
    bias_acceleration: np.ndarray
    partial: np.ndarray  # Vec3: [v_K,y] of each column              propagate_columns
    columns: MassMatrixWork
    gradient: np.ndarray  # (rows × speeds) B
    half: np.ndarray  # (rows × speeds) B L⁻¹, of A = Lᵀ D L
    scaled: np.ndarray  # (speeds,) a row of it by D; Bᵀλ
    row_matrix: np.ndarray  # (rows²) W, then its factors
    largest: np.ndarray  # (rows,) that each diagonal entry of W has been
    per_first: np.ndarray  # (rows,) of floats: one by what it was at first
    multipliers: np.ndarray  # (rows,)
    rows: RowsWork
    coordinates: RowsWork
    along: np.ndarray  # joint coordinates
    rate: np.ndarray  # their rates, then the generalised forces
    total: np.ndarray  # one number: energy or power of laws
    trouble: np.ndarray  # of floats: how independent rows are (independence.py)
    windings: np.ndarray  # of floats: angles with their turns       follow_angles


def workspace(system: KaneAbsolute, width: int = 1) -> AbsoluteWork:
    """Scratch; the last row of each array of bodies is the ground, at rest."""
    n = len(system.body) + 1
    m = max(1, len(system.rows.row))
    speeds = max(1, system.layout.momenta)
    windings = system.followed.start.copy()
    work = AbsoluteWork(
        bodies_workspace(system, width),
        *(rows(Vec3, n, width) for _ in range(4)),
        rows(Vec3, max(1, len(system.columns.speed)), width),
        mass_matrix_workspace(system.columns, width),
        rows(float, m * speeds, width),
        rows(float, m * speeds, width),
        rows(float, speeds, width),
        rows(float, m * m, width),
        rows(float, m, width),
        np.zeros(m),
        rows(float, m, width),
        rows_workspace(system.rows, width, windings),
        rows_workspace(system.coordinates, width, windings),
        *joint_laws_workspace(system.coordinates, width),
        new_independence_record(),
        windings,
    )
    store(work.w, n - 1, ZERO)
    store(work.bias_acceleration, n - 1, ZERO)
    return work


# ---- outwards ------------------------------------------------------------------------------------
class SlideSum(NamedTuple):
    """The sum of a joint's slides, and its rate."""

    s: Vec3
    rate: Vec3


@inlined
def slide_offsets(system):
    """First row of the slides in the positions; of their rates, in the speeds."""
    return 4 * system.body.shape[0], system.layout.positions + 3 * system.body.shape[0]


@inlined
def sum_slides(system, y, b):
    """Displacement by the slides of the joint of body b, and its rate."""
    like = broadcast_like(0.0, load(y, 0))
    s, rate = Vec3(like, like, like), Vec3(like, like, like)
    position, speed = slide_offsets(system)
    for k in range(system.first_slide[b], system.first_slide[b + 1]):
        axis = load(system.slide, k, Vec3)
        s = plus_scaled(s, axis, load(y, position + k))
        rate = plus_scaled(rate, axis, load(y, speed + k))
    return SlideSum(s, rate)


@compute_body_frames.method(KaneAbsolute)
def call_forward_kinematics(system, work, y):
    """Frames by a function of their own, compiled once."""
    forward_kinematics(system, work, y)


@outlined
def forward_kinematics(system, work, y):
    """Frames, velocities and accelerations at ẏ = 0."""
    for k in range(system.order.shape[0]):
        b = system.order[k]
        below, moved = system.parent[b], sum_slides(system, y, b)
        R, w = rotation_matrix(quat_at(y, 4 * b)), vector_at(y, system.layout.positions + 3 * b)
        base = load(work.bodies.rotation, below, Mat3)
        spin, V = load(work.w, below, Vec3), load(work.bodies.twist, below, Twist)
        on_upper = -1.0 if system.slides_on_upper[b] else 0.0
        on_lower = 0.0 if system.slides_on_upper[b] else 1.0
        lower = load(system.lower, b, Vec3) + moved.s * on_lower
        upper = load(system.upper, b, Vec3) + moved.s * on_upper
        lower_rate, upper_rate = moved.rate * on_lower, moved.rate * on_upper
        velocity = (
            V.v + base @ plus_cross(lower_rate, spin, lower) + R @ plus_cross(upper_rate, w, upper)
        )
        inner = cross(spin, plus_cross(lower_rate * 2.0, spin, lower))
        outer = cross(w, plus_cross(upper_rate * 2.0, w, upper))
        bias = load(work.bias_acceleration, below, Vec3) + base @ inner + R @ outer
        r = load(work.bodies.position, below, Vec3) + base @ lower + R @ upper
        store_frame(work.bodies, b, R, r, Twist(R @ w, velocity))
        store(work.bias_acceleration, b, bias)
        store(work.w, b, w)
        store(work.lower, b, lower)
        store(work.upper, b, upper)


@inlined
def add_rotation_columns(work, at, R, arm, is_first):
    """R (e × ρ) for the three ω' of a body."""
    zero = 0.0 * arm.x
    for m in range(3):
        about = (
            Vec3(zero, -arm.z, arm.y)
            if m == 0
            else Vec3(arm.z, zero, -arm.x)
            if m == 1
            else Vec3(-arm.y, arm.x, zero)
        )
        if is_first:
            store(work.partial, at + m, R @ about)
        else:
            add(work.partial, at + m, R @ about)


@outlined
def propagate_columns(system, work):
    """[v_K,y] of every body."""
    n = system.body.shape[0]
    for k in range(n):
        b = system.order[k]
        below, begin = system.parent[b], system.columns.first[b]
        from_row = system.columns.first[below]
        count = system.columns.first[below + 1] - from_row
        for c in range(count):
            store(work.partial, begin + c, load(work.partial, from_row + c, Vec3))
        if below < n:
            own = 3 + system.first_slide[below + 1] - system.first_slide[below]
            base, lower = load(work.bodies.rotation, below, Mat3), load(work.lower, b, Vec3)
            add_rotation_columns(work, begin + count - own, base, lower, False)
        R, upper = load(work.bodies.rotation, b, Mat3), load(work.upper, b, Vec3)
        add_rotation_columns(work, begin + count, R, upper, True)
        slide_body, sign = (b, -1.0) if system.slides_on_upper[b] else (below, 1.0)
        for m in range(system.first_slide[b], system.first_slide[b + 1]):
            axis = load(work.bodies.rotation, slide_body, Mat3) @ load(system.slide, m, Vec3)
            store(work.partial, begin + count + 3 + m - system.first_slide[b], axis * sign)


# ---- A, f, B -------------------------------------------------------------------------------------
@inlined
def add_inertia(system, work, b, J, n):
    """I' of body b to the lower triangle of A."""
    at = system.first_angular_speed[b]
    add(work.columns.matrix, at * n + at, J.xx)
    add(work.columns.matrix, (at + 1) * n + at, J.xy)
    add(work.columns.matrix, (at + 1) * n + at + 1, J.yy)
    add(work.columns.matrix, (at + 2) * n + at, J.xz)
    add(work.columns.matrix, (at + 2) * n + at + 1, J.yz)
    add(work.columns.matrix, (at + 2) * n + at + 2, J.zz)


@outlined
def assemble_mass_matrix(system, work):
    """Mass matrix A = Σ m [v_K,y]ᵀ[v_K,y] + I', and its factors."""
    n = system.layout.momenta
    for b in range(system.body.shape[0]):
        begin, body = system.columns.first[b], body_constants(system, b)
        for c in range(begin, system.columns.first[b + 1]):
            v = load(work.partial, c, Vec3) * body.mass
            for d in range(begin, c + 1):
                at = matrix_index(n, system.columns.speed[c], system.columns.speed[d])
                add(work.columns.matrix, at, dot(v, load(work.partial, d, Vec3)))
        add_inertia(system, work, b, body.inertia, n)
    factor_mass_matrix(system.columns, work.columns.matrix)


@outlined
def add_generalised_forces(system, work):
    """f = Σ [v_K,y]ᵀ (F − m a) + M' − ω' × I' ω', gyroscopic and Coriolis terms included."""
    for b in range(system.body.shape[0]):
        body, w = body_constants(system, b), load(work.w, b, Vec3)
        force = force_on(system, work, b) - load(work.bias_acceleration, b, Vec3) * body.mass
        for c in range(system.columns.first[b], system.columns.first[b + 1]):
            add(work.columns.side, system.columns.speed[c], dot(load(work.partial, c, Vec3), force))
        add_moment(system, b, torque_on(work, b) - cross(w, body.inertia @ w), 0, work.columns.side)


# ---- verbs ---------------------------------------------------------------------------------------
@verbs.rates.method(KaneAbsolute)
def absolute_rates(system, work, t, y, ydot):
    """A ẏ = f + Bᵀλ, B ẏ = γ; ε̇ = ½ ε ∘ (0, ω')."""
    compute_body_frames(system, work, y)
    propagate_columns(system, work)
    clear_equations(system.columns, work.columns)
    apply_force_laws(system, work, t)
    add_generalised_forces(system, work)
    assemble_mass_matrix(system, work)
    solve_mass_matrix(system.columns, work.columns.matrix, work.columns.side)
    if system.facts.constraints > 0:
        evaluate_rows(system.rows, work.rows, work.bodies, t)
        evaluate_row_rates(system.rows, work.rows, work.bodies)
        assemble_and_factor_rows(system, work)
        if y.ndim == 1 and system.facts.may_lose_rank:
            volume, log_volume = row_volume(system, work)
            see_volume(work.trouble, volume, log_volume)
        impose_constraints(system, work)
    write_rates(system, work, y, ydot)


@inlined
def write_rates(system, work, y, ydot):
    """Euler parameters' rates ½ ε ∘ (0, ω') and ṡ from the state, accelerations from the
    solution.
    """
    n, speeds = system.body.shape[0], system.layout.positions
    slide, slide_speed = slide_offsets(system)
    for b in range(n):
        w, at = vector_at(y, speeds + 3 * b), system.first_angular_speed[b]
        store_quat(ydot, 4 * b, l_transpose_times(quat_at(y, 4 * b), w * 0.5))
        store_vector(ydot, speeds + 3 * b, vector_at(work.columns.side, at))
        for k in range(system.first_slide[b], system.first_slide[b + 1]):
            acceleration = load(work.columns.side, at + 3 + k - system.first_slide[b])
            store(ydot, slide + k, load(y, slide_speed + k))
            store(ydot, slide_speed + k, acceleration)


@verbs.energies.method(KaneAbsolute)
def absolute_energies(system, work, t, y):
    """T = ½ Σ m v² + ω'ᵀ I' ω'; V of gravity and laws."""
    compute_body_frames(system, work, y)
    kinetic = 0.0 * t
    for b in range(system.body.shape[0]):
        body, w = body_constants(system, b), load(work.w, b, Vec3)
        v = load(work.bodies.twist, b, Twist).v
        kinetic = fma(0.5, fma(body.mass, dot(v, v), dot(w, body.inertia @ w)), kinetic)
    return Energies(kinetic, potential_energy(system, work, t))


@verbs.power.method(KaneAbsolute)
def absolute_power(system, work, t, y, ydot):
    """Power of dampers and loads, and of drives: λ f'(t)."""
    total = nonconservative_power(system, work, t)
    for row in range(system.rows.row.shape[0]):
        if system.rows.code[row, HAS_CODE] != 0:
            total = fma(load(work.multipliers, row), load(work.rows.drive, row, Drive).rate, total)
    return total


verbs.poses.method(KaneAbsolute)(cartesian_poses)
verbs.follow_angles.method(KaneAbsolute)(follow_cartesian_angles)
verbs.constraint.method(KaneAbsolute)(cartesian_constraint)
verbs.constraint_rate.method(KaneAbsolute)(cartesian_constraint_rate)


FORMULATION = absolute_formulation(
    "kane_absolute",
    system=KaneAbsolute,
    assemble=lambda assembly: assemble_absolute(KaneAbsolute, assembly),
    workspace=workspace,
    initial_state=kane_initial_state,
    row_scales=kane_row_scales,
    body_quaternions=body_quaternions,
    owner=owner,
    reference="Equations of Motion for an Unconstrained Multibody – Example (notes); ERRATA 4-1",
    summary=(
        "Kane's equations with absolute orientations, relative translations; constrained "
        "rotations and loops by multipliers"
    ),
    traits=Traits(
        "bodies on balls, or free, without chains of relative rotations; constrained rotations "
        "and loops too; an independent check",
        "a unit quaternion of every body and the sliding coordinates of joints; ω' in body axes, "
        "sliding speeds",
        "points of joints, by its coordinates; constrained rotations and loops to rounding "
        "by projection",
        "O(N³) of a chain: 19 µs of ten hinges, 12 ms of a hundred",
    ),
    default_integrator="dop853",
    options=STABILISATION_OPTIONS,
)
