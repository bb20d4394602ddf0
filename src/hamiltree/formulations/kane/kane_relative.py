"""Kane's equations of a tree in relative coordinates: the notes "… Relative Coordinates with Euler
Parameters" (docs/references.md), with ERRATA 3-1 to 3-8, for every joint of a tree.

State (q, u): positions of the joints as the model has them (a ball's are the Euler parameters of
the notes, scalar first, a slide's its s'), and their speeds. Vectors of body K, partial velocities
too, are resolved in body K; those of a connection in J = L(K).
  [ω_K,y] = ᴶR_K [ω_J,y] + [ω̂_K,y]
  [v_O,y] = ᴶR_K ([v_OJ,y] − (q̃_K + s̃_K) [ω_J,y] + [ṡ_K,y])      [v_G,y] = [v_O,y] − r̃_K [ω_K,y]
  A = Σ m [v_G,y]ᵀ[v_G,y] + [ω,y]ᵀ I [ω,y],
  f = Σ [v_G,y]ᵀ (F − m a) + [ω,y]ᵀ (M − I α − ω × I ω)                                 (40, 41)
with a and α the accelerations at ẏ = 0: the derivatives (18), (31), (32) of the partial velocities
enter f only times {y}, so that is what is carried outwards. An armature is an inertia of its speed
alone and adds to the diagonal of A.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3, Sym3
from hamiltree.algebra.rows import quat_at, store_quat, vector_at
from hamiltree.algebra.spatial import ZERO_TWIST, Twist, Wrench
from hamiltree.algebra.values import cross, dot, plus_cross, transpose
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.assembly.links import build_links
from hamiltree.assembly.placement import placement_of
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import add, fma, load, read_only, rows, store
from hamiltree.forces.dispatch import (
    BodyLawDispatch,
    JointLawDispatch,
    add_all_generalised_forces,
    add_all_wrenches,
    dissipated_power_of_joints,
    make_body_laws,
    make_joint_laws,
    potential_energy_of_bodies,
    potential_energy_of_joints,
)
from hamiltree.forces.laws import Bodies, Placement, check_laws
from hamiltree.formulations.absolute.quaternions import l_transpose_times
from hamiltree.formulations.absolute.tables import row_and_frame_of
from hamiltree.formulations.absolute.world_frames import (
    add_power_of_loads,
    bodies_workspace,
    clear_wrenches,
    store_frame,
    store_pose_of_origin,
)
from hamiltree.formulations.formulation import (
    JOINTS,
    Coordinates,
    Formulation,
    Traits,
    feature_set,
    joint_of_row,
    speed_state,
)
from hamiltree.formulations.kane.joints import (
    Connections,
    ConnectionsWork,
    axis_column,
    compute_connection,
    connections_of,
    connections_workspace,
    joint_axis,
)
from hamiltree.formulations.kane.partial_velocities import (
    MassMatrixWork,
    PartialVelocityColumns,
    clear_equations,
    factor_mass_matrix,
    find_columns,
    mass_matrix_workspace,
    matrix_index,
    solve_mass_matrix,
)
from hamiltree.formulations.kane.speed_numbering import (
    columns_of_axes,
    number_speeds,
    own_speed_numbers,
    speed_of_coordinates,
)
from hamiltree.formulations.tree import hamiltonian_tree
from hamiltree.model.topology import spanning_tree
from hamiltree.verbs import Energies, Facts, Layout, energies, poses, power, rates


class KaneBody(NamedTuple):
    mass: float
    inertia: Sym3  # about the centre of mass
    r: Vec3  # from O_K to the centre of mass


class KaneRelative(NamedTuple):
    layout: Layout
    facts: Facts
    order: np.ndarray  # (bodies,) outwards
    body: np.ndarray  # KaneBody
    joint: Connections
    columns: PartialVelocityColumns
    number: np.ndarray  # (speeds,) of the speed in each row of u, as columns count them
    column: np.ndarray  # (axes,) of the axis among those of its body; of a ball, the first of three
    # (positions,) number of the speed of each coordinate; −1 for those of a ball
    speed_of_coordinate: np.ndarray
    gravity: np.ndarray  # Vec3, one row
    joint_laws: JointLawDispatch
    body_laws: BodyLawDispatch


class KaneWork(NamedTuple):
    bodies: Bodies  # centres of mass, world axes; the ground is the last row
    origin: np.ndarray  # Vec3: O_K, world axes                      forward_kinematics
    relative_rotation: np.ndarray  # Mat3: axes of K in J            forward_kinematics
    arm: np.ndarray  # Vec3: q_K + s_K, in J                         forward_kinematics
    speed: np.ndarray  # Twist of O_K, in K                          forward_kinematics
    # Twist: α and a of O_K at ẏ = 0, in K                           forward_kinematics
    bias_acceleration: np.ndarray
    joint: ConnectionsWork
    s: np.ndarray  # Vec3                                            forward_kinematics
    partial: np.ndarray  # Twist of O_K for each column, in K        propagate_columns
    centre: np.ndarray  # Vec3: [v_G,y] of one body                  add_body_terms
    spin: np.ndarray  # Vec3: I [ω,y] of one body                    add_body_terms
    columns: MassMatrixWork
    rates_and_forces: np.ndarray  # rates of coordinates, then generalised forces along them
    total: np.ndarray  # one number: energy or power of laws


# ---- outwards ------------------------------------------------------------------------------------
@inlined
def kane_body(system, b):
    """Mass, inertia and centre of mass of body b."""
    return load(system.body, b, KaneBody)


@inlined
def forward_kinematics(system, work, y):
    """Frames, velocities (11, 23) and accelerations at ẏ = 0 (18, 32), outwards."""
    for k in range(system.order.shape[0]):
        b = system.order[k]
        below = system.joint.parent[b]
        joint = compute_connection(system.joint, work.joint, y, system.layout.positions, b)
        back, arm = transpose(joint.relative_rotation), load(system.joint.reach, b, Vec3) + joint.s
        V, A = load(work.speed, below, Twist), load(work.bias_acceleration, below, Twist)
        velocity = plus_cross(V.v + joint.v, V.w, arm)
        bias_acceleration = plus_cross(A.v + joint.a, A.w, arm) + cross(
            V.w, plus_cross(joint.v * 2.0, V.w, arm)
        )
        turning = back @ (V.w + joint.w)
        store(work.speed, b, Twist(turning + joint.spin, back @ velocity))
        store(
            work.bias_acceleration,
            b,
            Twist(
                plus_cross(back @ plus_cross(A.w + joint.alpha, V.w, joint.w), turning, joint.spin),
                back @ bias_acceleration,
            ),
        )
        store(work.relative_rotation, b, joint.relative_rotation)
        store(work.arm, b, arm)
        store(work.s, b, joint.s)
        store_world_frame(system, work, b, below)


@inlined
def store_world_frame(system, work, b, below):
    """Rotation, centre of mass and twist in world axes, for laws and poses."""
    base, V = load(work.bodies.rotation, below, Mat3), load(work.speed, b, Twist)
    R = base @ load(work.relative_rotation, b, Mat3)
    origin = load(work.origin, below, Vec3) + base @ load(work.arm, b, Vec3)
    r = kane_body(system, b).r
    store(work.origin, b, origin)
    twist = Twist(R @ V.w, R @ plus_cross(V.v, V.w, r))
    store_frame(work.bodies, b, R, origin + R @ r, twist)


@outlined
def propagate_columns(system, work):
    """[ω_K,y] by (14) and [v_O,y] by (26)."""
    for k in range(system.order.shape[0]):
        b = system.order[k]
        below = system.joint.parent[b]
        begin = system.columns.first[b]
        inherited = system.columns.first[below + 1] - system.columns.first[below]
        back, arm = transpose(load(work.relative_rotation, b, Mat3)), load(work.arm, b, Vec3)
        for c in range(inherited):
            P = load(work.partial, system.columns.first[below] + c, Twist)
            store(work.partial, begin + c, Twist(back @ P.w, back @ plus_cross(P.v, P.w, arm)))
        for c in range(begin + inherited, system.columns.first[b + 1]):
            store(work.partial, c, ZERO_TWIST)
        write_own_columns(system, work, b, begin, back)


@inlined
def write_own_columns(system, work, b, begin, back):
    """Columns of the joint's own speeds: S(q); [I] for a ball, in the axes of its frame in K."""
    s = load(work.s, b, Vec3)
    for e in range(system.joint.first[b], system.joint.first[b + 1]):
        at = begin + system.column[e]
        if not system.joint.is_ball[e]:
            P = axis_column(system.joint, work.joint, e, s)
            add(work.partial, at, Twist(back @ P.w, back @ P.v))
        elif system.joint.is_backwards[e]:
            write_reversed_ball_columns(system, work, b, e, at, back)
        else:
            for m in range(3):
                axis = joint_axis(load(system.joint.far_rotation, b, Mat3), m)
                store(work.partial, at + m, Twist(axis, ZERO))


@inlined
def write_reversed_ball_columns(system, work, b, e, at, back):
    """Of a ball that is met from its child's side: its speeds are those of J against K, in J; it is
    the first of its joint's motions.
    """
    arm = load(work.s, b, Vec3) - load(work.joint.point, e, Vec3)
    for m in range(3):
        turning = -joint_axis(load(system.joint.near_rotation, b, Mat3), m)
        store(work.partial, at + m, Twist(back @ turning, back @ cross(turning, arm)))


# ---- A and f -------------------------------------------------------------------------------------
@inlined
def apply_force_laws(system, work, t, y):
    """Wrenches of laws about the centres of mass, world axes; generalised forces of laws along
    joints into f.
    """
    clear_wrenches(system, work.bodies)
    if system.body_laws.has_any:
        add_all_wrenches(system.body_laws, t, work.bodies)
    if system.joint_laws.has_any:
        add_joint_law_forces(system, work, t, y)


@outlined
def add_joint_law_forces(system, work, t, y):
    """Generalised forces of the laws along joint coordinates, into f."""
    n = system.layout.positions
    for i in range(n):
        store(work.rates_and_forces, n + i, 0.0)
    add_all_generalised_forces(system.joint_laws, t, y, work.rates_and_forces, n)
    for i in range(n):
        number = system.speed_of_coordinate[i]
        if number >= 0:
            add(work.columns.side, number, load(work.rates_and_forces, n + i))


@inlined
def write_coordinate_rates(system, work, y):
    """q̇ of every coordinate of one axis."""
    for e in range(system.joint.axis.shape[0]):
        if not system.joint.is_ball[e]:
            rate = load(y, system.layout.positions + system.joint.speed[e])
            store(work.rates_and_forces, system.joint.coordinate[e], rate)


@inlined
def add_body_terms(system, work, b):
    """Terms of body b in A (40) and f (41), gyroscopic and Coriolis terms included."""
    body, V = kane_body(system, b), load(work.speed, b, Twist)
    bias = load(work.bias_acceleration, b, Twist)
    back = transpose(load(work.bodies.rotation, b, Mat3))
    wrench = load(work.bodies.wrench, b, Wrench)
    acceleration = plus_cross(bias.v, bias.w, body.r) + cross(V.w, cross(V.w, body.r))
    weight = load(system.gravity, 0, Vec3) * body.mass
    force = back @ (wrench.force + weight) - acceleration * body.mass
    torque = back @ wrench.torque - body.inertia @ bias.w - cross(V.w, body.inertia @ V.w)
    begin, n = system.columns.first[b], system.layout.momenta
    for c in range(system.columns.first[b + 1] - begin):
        P = load(work.partial, begin + c, Twist)
        at_centre = plus_cross(P.v, P.w, body.r)
        store(work.centre, c, at_centre * body.mass)
        store(work.spin, c, body.inertia @ P.w)
        number = system.columns.speed[begin + c]
        add(work.columns.side, number, dot(at_centre, force) + dot(P.w, torque))
        for d in range(c + 1):
            Q = load(work.partial, begin + d, Twist)
            at = matrix_index(n, number, system.columns.speed[begin + d])
            found = dot(plus_cross(Q.v, Q.w, body.r), load(work.centre, c, Vec3)) + dot(
                Q.w, load(work.spin, c, Vec3)
            )
            add(work.columns.matrix, at, found)


@outlined
def add_all_bodies(system, work):
    """A and f of all bodies, then armatures on the diagonal of A."""
    for b in range(system.body.shape[0]):
        add_body_terms(system, work, b)
    n = system.layout.momenta
    for e in range(system.joint.axis.shape[0]):
        if not system.joint.is_ball[e]:
            number = system.number[system.joint.speed[e]]
            add(work.columns.matrix, number * n + number, system.joint.armature[e])


@inlined
def assemble_equations(system, work, t, y):
    """A and f."""
    forward_kinematics(system, work, y)
    propagate_columns(system, work)
    clear_equations(system.columns, work.columns)
    write_coordinate_rates(system, work, y)
    apply_force_laws(system, work, t, y)
    add_all_bodies(system, work)


# ---- verbs ---------------------------------------------------------------------------------------
@rates.method(KaneRelative)
def kane_rates(system, work, t, y, ydot):
    """ẏ = A⁻¹ f (39); Euler parameters by (42): ½ ε ∘ (0, ω̂)."""
    assemble_equations(system, work, t, y)
    factor_mass_matrix(system.columns, work.columns.matrix)
    solve_mass_matrix(system.columns, work.columns.matrix, work.columns.side)
    n = system.layout.positions
    for i in range(system.layout.momenta):
        store(ydot, n + i, load(work.columns.side, system.number[i]))
    for e in range(system.joint.axis.shape[0]):
        at, speed = system.joint.coordinate[e], n + system.joint.speed[e]
        if system.joint.is_ball[e]:
            store_quat(ydot, at, l_transpose_times(quat_at(y, at), vector_at(y, speed) * 0.5))
        else:
            store(ydot, at, load(y, speed))


@energies.method(KaneRelative)
def kane_energies(system, work, t, y):
    """T = ½ Σ m v_G² + ωᵀ I ω, and ½ armature u²; V of gravity and laws."""
    forward_kinematics(system, work, y)
    kinetic, potential = 0.0 * t, 0.0 * t
    gravity = load(system.gravity, 0, Vec3)
    for b in range(system.body.shape[0]):
        body, V = kane_body(system, b), load(work.speed, b, Twist)
        v = plus_cross(V.v, V.w, body.r)
        kinetic = fma(0.5, fma(body.mass, dot(v, v), dot(V.w, body.inertia @ V.w)), kinetic)
        potential = fma(-body.mass, dot(gravity, load(work.bodies.position, b, Vec3)), potential)
    for e in range(system.joint.axis.shape[0]):
        u = load(y, system.layout.positions + system.joint.speed[e])
        kinetic = fma(0.5 * system.joint.armature[e] * u, u, kinetic)
    if system.joint_laws.has_any:
        potential = potential + potential_energy_of_joints(system.joint_laws, t, y, work.total)
    if system.body_laws.has_any:
        potential = potential + potential_energy_of_bodies(
            system.body_laws, t, work.bodies, work.total
        )
    return Energies(kinetic, potential)


@power.method(KaneRelative)
def kane_power(system, work, t, y, ydot):
    """Power of dampers along joints and of loads on bodies."""
    total = 0.0 * t
    if system.joint_laws.has_any:
        total = total + dissipated_power_of_joints(
            system.joint_laws, t, y, work.rates_and_forces, work.total
        )
    return add_power_of_loads(system, work, t, total)


@poses.method(KaneRelative)
def kane_poses(system, work, t, y, pose, twist):
    """Poses and twists of the bodies' origins, from the frames that `rates` left in work."""
    for b in range(system.body.shape[0]):
        R = load(work.bodies.rotation, b, Mat3)
        arm = R @ (kane_body(system, b).r + load(system.joint.origin, b, Vec3))
        store_pose_of_origin(work.bodies, b, R, arm, pose, twist)


# ---- assembly ------------------------------------------------------------------------------------
def assemble(assembly) -> KaneRelative:
    """The tables of a tree, checked at its start."""
    model = assembly.model
    check_laws(model.forces)
    links = build_links(model, "kane_relative")
    hamiltonian_tree.check_articulated_inertias(
        model, links, hamiltonian_tree.make_tree_tables(model, links), assembly.q
    )
    topology = spanning_tree(model)
    joint = connections_of(model, topology)
    number = number_speeds(model, topology, joint)
    parent = np.where(joint.parent < len(model.bodies), joint.parent, -1)
    own = [own_speed_numbers(joint, number, b) for b in range(len(model.bodies))]
    columns = find_columns(topology.order, parent, own, len(number))
    placement: Placement = placement_of(model, links)._replace(
        link_of_body=row_and_frame_of(model.bodies), ground=len(model.bodies)
    )
    of_joints = make_joint_laws(model.forces, placement)
    of_bodies = make_body_laws(model.forces, placement)
    return KaneRelative(
        Layout(len(model.coordinates), len(model.speeds)),
        Facts(is_conservative=not (of_joints.has_any or of_bodies.has_any)),
        read_only(np.array(topology.order, dtype=np.int64)),
        body_table(model, joint),
        joint,
        columns,
        read_only(number),
        read_only(columns_of_axes(joint, columns, number)),
        read_only(speed_of_coordinates(model, joint, number)),
        read_only([model.gravity]),
        of_joints,
        of_bodies,
    )


def body_table(model, joint: Connections) -> np.ndarray:
    """KaneBody of all bodies."""
    upper = np.triu_indices(3)
    arms = [np.array(body.com) - joint.origin[b] for b, body in enumerate(model.bodies)]
    rows_of = [
        [body.mass, *np.array(body.inertia)[upper], *arm]
        for body, arm in zip(model.bodies, arms, strict=True)
    ]
    return read_only(np.array(rows_of, dtype=float).reshape(-1, 10))


def workspace(system: KaneRelative, width: int = 1) -> KaneWork:
    """Scratch; the last row of each array of bodies is the ground, at rest."""
    n, axes = len(system.body) + 1, max(1, system.columns.longest)
    work = KaneWork(
        bodies_workspace(system, width),
        *(rows(kind, n, width) for kind in (Vec3, Mat3, Vec3, Twist, Twist)),
        connections_workspace(system.joint, width),
        rows(Vec3, n, width),
        rows(Twist, max(1, len(system.columns.speed)), width),
        rows(Vec3, axes, width),
        rows(Vec3, axes, width),
        mass_matrix_workspace(system.columns, width),
        rows(float, max(1, 2 * system.layout.positions), width),
        rows(float, 1, width),
    )
    store(work.origin, n - 1, ZERO)
    store(work.speed, n - 1, ZERO_TWIST)
    store(work.bias_acceleration, n - 1, ZERO_TWIST)
    return work


FORMULATION = Formulation(
    name="kane_relative",
    reference=(
        "Equations of Motion … Using Relative Coordinates with Euler Parameters (notes), (5)–(44)"
    ),
    summary=(
        "Kane's equations of a tree: joint coordinates and speeds, partial velocities, a mass "
        "matrix; relative Euler parameters"
    ),
    system=KaneRelative,
    coordinates=Coordinates.JOINTS_AND_SPEEDS,
    supports=feature_set(JOINTS),
    traits=Traits(
        "small trees: speeds, partial velocities and a mass matrix to look at; an independent "
        "check of hamiltonian_tree",
        "q of the joints (a ball's is a quaternion) and their speeds u",
        "joints, by its coordinates; of a free body, Gauss methods keep energy, |J ω| and ‖q‖",
        "O(N³) of a chain: 2.7 µs of ten hinges, 0.63 ms of a hundred; O(N d²) of a tree of depth "
        "d",
    ),
    assemble=assemble,
    workspace=workspace,
    initial_state=speed_state,
    owner=joint_of_row,
)
