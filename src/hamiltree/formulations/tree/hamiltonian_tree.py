"""O(N) canonical equations of a tree of rigid bodies: "EOM with Hamilton's Equations" (P.2–P.5),
generalised from revolute to all joints of axes and to balls.

A link moves by G ẋ with G = [spin g; slide g], g its z axis. All vectors in world axes, momenta and
wrenches about the link's origin.
  outward  frames; each link alone                                              (D_i, M_i)
  inward   U = J G, 1/R = 1/(Gᵀ U), Ĵ = J − U Uᵀ/R, and the bias z of momenta
                                                        (articulated inertias; P.5b, first half)
  outward  ẋ = (p − Gᵀz)/R − Uᵀ D v_parent / R, v = D v_parent + G ẋ             (P.5b, second half)
           𝒦 = J v + z, so that ṗ = Gᵀ(−v × 𝒦 + gravity on the branch)           (P.2, P.3b)
Gravity enters once, by the first moment of each branch (ERRATA 0-5). Rows of links; the ground is
the last row of Work.
A ball has the canonical pair q, g = 2 L(q)ᵀπ (METHODS 2), in which symplectic Runge–Kutta methods
keep ‖q‖, q·g and angular momentum.
Coordinates that follow others share their row; one multiplier per coupling keeps their rates equal:
p = Σ π, C M⁻¹(π + Cᵀλ) = 0.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.quat import quaternion_from_matrix
from hamiltree.algebra.spatial import Pose, Twist, Wrench, twist_at
from hamiltree.algebra.values import dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.assembly.links import build_links, by_blocks
from hamiltree.assembly.placement import placement_of
from hamiltree.compiled.kernel import inlined, kernel
from hamiltree.compiled.number import fma, load, padded_length, read_only, rows, store
from hamiltree.compiled.pointer import StructPointer, unpack
from hamiltree.compiled.triples import Triple, Turned, total
from hamiltree.forces.dispatch import (
    BodyLawDispatch,
    JointLawDispatch,
    add_all_generalised_forces,
    add_all_load_wrenches,
    allocate_law_states,
    dissipated_power_of_joints,
    make_body_laws,
    make_joint_laws,
    potential_energy_of_bodies,
    potential_energy_of_joints,
)
from hamiltree.forces.laws import check_laws
from hamiltree.formulations.formulation import (
    JOINTS,
    Coordinates,
    Formulation,
    Traits,
    feature_set,
    joint_of_row,
)
from hamiltree.formulations.initial_states import canonical_state
from hamiltree.formulations.tree.articulated_inertias_numpy import (
    MAX_LINKS_IN_NUMPY,
    articulated_inertias_numpy,
)
from hamiltree.formulations.tree.body_forces import (
    clear_wrenches,
    gather_body_forces,
    links_as_bodies,
)
from hamiltree.formulations.tree.branches import COLUMNS
from hamiltree.formulations.tree.canonical_variables import (
    read_momenta,
    read_rates,
    write_momenta,
    write_rates,
)
from hamiltree.formulations.tree.couplings import solve_couplings
from hamiltree.formulations.tree.inertia_shifts import inertia_shifts
from hamiltree.formulations.tree.link_rows import (
    IS_HINGE,
    STRIP,
    AxesRow,
    FrameRow,
    InertiaRow,
    MatrixRow,
    MomentumRow,
    PairRow,
    QuaternionRow,
    RateRow,
    SymmetricRow,
    TreeWork,
    axes_of,
    to_vector,
    twist_of,
)
from hamiltree.formulations.tree.regularity import (
    LARGEST_INERTIA_LOSS,
    fill_inertia_losses,
    largest_inertia_loss,
    singular_joint_error,
)
from hamiltree.formulations.tree.shared_rates import share
from hamiltree.formulations.tree.slots import branch_slots, link_flags, link_kinds
from hamiltree.formulations.tree.sweeps import (
    first_moment,
    forward_kinematics,
    gather_articulated_inertias,
    gather_forces,
    gather_momenta,
    place_links,
    place_twists,
    propagate_frames,
    propagate_positions,
    propagate_twists,
    propagate_velocities,
)
from hamiltree.verbs import (
    Energies,
    Facts,
    Layout,
    energies,
    force,
    inertia_loss,
    momentum,
    poses,
    power,
    rates,
    velocity,
)


class HamiltonianTree(NamedTuple):
    layout: Layout
    facts: Facts
    parent: np.ndarray  # row of the parent link; the number of links for the ground
    coordinate: np.ndarray  # row of the link's coordinate in q, and of its momentum in p
    is_in_order: bool  # the row of every link's coordinate is the number of the link
    has_plain_angles: bool  # and every link is a hinge
    speed: np.ndarray  # row of the link's speed, or of the first of a ball's three
    flags: np.ndarray  # of each link: link_rows.py
    slot: np.ndarray  # of its branch in sweeps inward: slots.py
    slot_of_parent: np.ndarray  # of the branch of its parent
    ball: np.ndarray  # number of the ball that the link is; −1 for an axis
    ball_link: np.ndarray  # link of each ball
    ball_coordinate: np.ndarray  # first row of its quaternion in q
    # −1 where the joint is met from its child's side: the quaternion of the inverse rotation
    ball_sign: np.ndarray
    follower: np.ndarray  # link of each coupling
    leader: np.ndarray  # the link that it follows
    carrier: np.ndarray  # of shifts of inertia between coupled links; −1 if not coupled, or empty
    shift_floor: np.ndarray  # the least shift of each link, or empty
    inertia_bound: np.ndarray  # of what its pivot is summed from: with_inertia_bounds, or empty
    link_shape: np.ndarray  # LinkShape
    link_mass: np.ndarray  # LinkMass
    link_screw: np.ndarray  # LinkScrew
    gravity: np.ndarray  # Vec3, one row
    link_of_body: np.ndarray  # link of each body
    rotation_on_link: np.ndarray  # Mat3: body in its link
    position_on_link: np.ndarray  # Vec3
    joint_laws: JointLawDispatch
    body_laws: BodyLawDispatch


# ---- assembly ------------------------------------------------------------------------------------
def assemble(assembly) -> HamiltonianTree:
    """The tables of a tree, checked at its start."""
    model = assembly.model
    check_laws(model.forces)
    links = build_links(model, "hamiltonian_tree")
    system = make_tree_tables(model, links)
    check_articulated_inertias(model, links, system, assembly.q)
    return system


def check_start(assembly, system) -> None:
    """The same check at another start of the same tree."""
    check_articulated_inertias(
        assembly.model, build_links(assembly.model, "hamiltonian_tree"), system, assembly.q
    )


def make_tree_tables(model, links) -> HamiltonianTree:
    """The tables of a tree; inertia is shifted between coupled links where one has none."""
    system = make_system(model, links)
    if not model.followers:
        return system
    carrier, floor = inertia_shifts(links, model.start()[0])
    return system._replace(carrier=read_only(carrier), shift_floor=read_only(floor))


def make_system(model, links) -> HamiltonianTree:
    """The tables of links and laws; matrices by columns, symmetric ones by their upper triangle."""
    n = len(links.parent)
    placement = placement_of(model, links)
    rows = len(model.coordinates)
    balls, followers = np.flatnonzero(links.is_ball), np.flatnonzero(links.leader != np.arange(n))
    of_joints = make_joint_laws(model.forces, placement)
    of_bodies = make_body_laws(model.forces, placement)
    flags = link_flags(links.parent, link_kinds(links))
    slots = branch_slots(links.parent, flags)
    is_in_order = bool((links.coordinate == np.arange(n)).all())
    return HamiltonianTree(
        Layout(rows, rows),
        Facts(is_conservative=not (of_joints.has_any or of_bodies.has_any)),
        read_only(links.parent),
        read_only(links.coordinate),
        is_in_order,
        is_in_order and bool((flags & IS_HINGE).all()),
        read_only(links.speed),
        read_only(flags),
        read_only(slots),
        read_only(np.append(slots, 0)[links.parent]),
        read_only(np.where(links.is_ball, np.cumsum(links.is_ball) - 1, -1)),
        read_only(balls),
        read_only(links.coordinate[balls]),
        read_only(np.where(links.is_backwards[balls], -1.0, 1.0)),
        read_only(followers),
        read_only(links.leader[followers]),
        read_only(np.zeros(0, dtype=np.int64)),
        *(read_only(np.zeros(0)) for _ in range(2)),
        *map(read_only, link_tables(links).values()),
        read_only([model.gravity]),
        read_only(links.link_of_body),
        read_only(rotation_table(links)),
        read_only(links.position_on_link),
        of_joints,
        of_bodies,
    )


def link_tables(links) -> dict[str, np.ndarray]:
    """The constants of links, a row for each, by the name of the table."""
    (shape,) = by_blocks(shape_rows, links.rotation, links.offset, links.moment, links.inertia)
    return {
        "link_shape": shape,
        "link_mass": np.column_stack([links.mass, sum_branches(links), links.armature]),
        "link_screw": np.column_stack([links.spin, links.slide]),
    }


def rotation_table(links) -> np.ndarray:
    """The rotation of each body on its link, by columns."""
    return np.swapaxes(links.rotation_on_link, 1, 2).reshape(-1, 9)


def shape_rows(rotation, offset, moment, inertia) -> tuple[np.ndarray]:
    """Rows of LinkShape."""
    by_columns = np.swapaxes(rotation, 1, 2).reshape(-1, 9)
    upper = np.triu_indices(3)
    return (np.column_stack([by_columns, offset, moment, inertia[:, *upper]]),)


def sum_branches(links) -> np.ndarray:
    """The mass of every link with all that it carries; plain numbers, faster one by one."""
    mass = [*links.mass.tolist(), 0.0]
    parent = links.parent.tolist()
    for i in range(len(parent) - 1, -1, -1):
        mass[parent[i]] += mass[i]
    return np.array(mass[:-1])


def workspace(system: HamiltonianTree, width: int = 1, is_placed: bool = False) -> TreeWork:
    """The workspace of one run or thread: of floats (width 1) or lanes (width 4); with links as
    others see them where laws act on them, or if others ask for them.
    """
    n = len(system.parent) + 1
    balls = max(1, len(system.ball_link))
    couplings = len(system.follower)
    slots = 1 + system.slot.max(initial=0)
    placed = n if is_placed or system.body_laws.has_any else 1
    work = TreeWork(
        *(rows(float, padded_length(min(n, STRIP)), width) for _ in range(2)),
        rows(FrameRow, n, width),
        rows(AxesRow, n, width),
        rows(InertiaRow, n, width),
        rows(Triple, COLUMNS * slots, width),
        rows(PairRow, 1, width),
        rows(RateRow, n, width),
        rows(float, n, width),
        rows(float, n if len(system.carrier) else 1, width),
        np.zeros(1, dtype=np.int64),
        rows(float, 2 * n, width),
        rows(PairRow, n, width),
        rows(MomentumRow, slots, width),
        *(rows(float, n, width) for _ in range(3)),
        rows(float, balls, width),
        rows(QuaternionRow, balls, width),
        *(rows(Triple, balls, width) for _ in range(5)),
        rows(SymmetricRow, balls, width),
        rows(MatrixRow, balls, width),
        rows(float, n if couplings else 1, width),
        rows(Triple, balls, width),
        rows(float, max(1, couplings * couplings), width),
        rows(float, max(1, couplings), width),
        rows(Mat3, placed, width),
        rows(Vec3, n, width),
        rows(Twist, placed, width),
        rows(Wrench, n if system.body_laws.has_any else 1, width),
        rows(float, 1, width),
        allocate_law_states(system.body_laws, width),
        rows(float, n, width),
    )
    x, y, z = np.eye(3)[:, :, None]
    store(work.axes, n - 1, AxesRow(x, y))
    store(work.frame, n - 1, FrameRow(Turned(z, z, z), Turned(0 * z, 0 * z, 0 * z)))
    return work


def check_articulated_inertias(model, links, system, q) -> None:
    """Refuse a joint that moves no inertia at q, alone or with those that are coupled to it."""
    found = np.flatnonzero(~(inertia_losses(links, system, q) < LARGEST_INERTIA_LOSS))
    if len(found):
        raise singular_joint_error(model, links, found[-1], q)


BRANCH_MASS = 1  # column of HamiltonianTree.link_mass


def inertia_losses(links, system, q) -> np.ndarray:
    """Scale over articulated inertia of every link; for a small tree without couplings in NumPy, so
    that nothing is compiled.
    """
    if len(links.parent) > MAX_LINKS_IN_NUMPY or len(system.follower):
        return inertia_losses_compiled(system, q)
    with np.errstate(divide="ignore", invalid="ignore"):
        inertia, scale = articulated_inertias_numpy(
            links, links.armature, system.link_mass[:, BRANCH_MASS], np.asarray(q, dtype=float)
        )
        return scale / abs(inertia)


def inertia_losses_compiled(system, q) -> np.ndarray:
    """The same by the compiled sweeps; of floats, since a workspace of lanes takes four times the
    memory.
    """
    y, losses = np.zeros(sum(system.layout)), np.zeros(len(system.parent))
    y[: len(q)] = q
    evaluate_inertia_losses(StructPointer(system, workspace(system)), y, losses)
    return losses


@kernel
def evaluate_inertia_losses(pointer, y, losses):
    """Of every link, at the positions in y."""
    system, work = unpack(pointer)
    eliminate_joints(system, work, y)
    fill_inertia_losses(system, work)
    for i in range(system.parent.shape[0]):
        store(losses, i, load(work.inertia_loss, i))


# ---- verbs ---------------------------------------------------------------------------------------
@inlined
def eliminate_joints(system, work, y):
    """The inward half of M⁻¹p: frames, momenta, articulated inertias and multipliers of
    couplings.
    """
    forward_kinematics(system, work, y)
    read_momenta(system, work, y)
    gather_articulated_inertias(system, work, False)
    solve_couplings(system, work)


@rates.method(HamiltonianTree)
def tree_rates(system, work, t, y, ydot):
    """q̇ = M⁻¹p by (P.5b) and ṗ by (P.3b)."""
    eliminate_joints(system, work, y)
    propagate_velocities(system, work)
    gather_forces(system, work)
    if system.body_laws.has_any:
        place_links(system, work)
        place_twists(system, work)
        gather_body_forces(system, work, t)
    write_rates(system, work, y, ydot)
    if system.joint_laws.has_any:
        add_all_generalised_forces(system.joint_laws, t, y, ydot, system.layout.positions)


@inertia_loss.method(HamiltonianTree)
def tree_inertia_loss(system, work, t):
    return largest_inertia_loss(system, work)


@velocity.method(HamiltonianTree)
def tree_velocity(system, work, t, y, ydot):
    """q̇ = M⁻¹p by (P.5b)."""
    eliminate_joints(system, work, y)
    propagate_velocities(system, work)
    write_rates(system, work, y, ydot)


@force.method(HamiltonianTree)
def tree_force(system, work, t, y, ydot):
    """ṗ by (P.3b), which needs q̇: the position rows are filled on the way."""
    rates(system, work, t, y, ydot)


@energies.method(HamiltonianTree)
def tree_energies(system, work, t, y):
    """T = ½ pᵀ M⁻¹ p (11) = ½ Σ R ν² by the factors of (P.5b); V of gravity by the first moment
    about the world's origin, and of laws.
    """
    eliminate_joints(system, work, y)
    kinetic = kinetic_energy(system, work, 0.0 * t)
    potential = -dot(load(system.gravity, 0, Vec3), to_vector(first_moment(system, work)))
    if system.joint_laws.has_any:
        potential = potential + potential_energy_of_joints(system.joint_laws, t, y, work.total)
    if system.body_laws.has_any:
        place_links(system, work)
        potential = potential + potential_energy_of_bodies(
            system.body_laws, t, links_as_bodies(work), work.total
        )
    return Energies(kinetic, potential)


@inlined
def kinetic_energy(system, work, kinetic):
    """Σ ½ ν²/r of axes and ½ νᵀ A ν of balls, added to `kinetic`."""
    for i in range(system.parent.shape[0]):
        if system.ball[i] < 0:
            nu = load(work.U, i, RateRow).nu
            kinetic = fma(0.5 * nu, nu / load(work.r, i), kinetic)
        else:
            b = system.ball[i]
            work_of_ball = load(work.ball_nu, b, Triple) * load(work.ball_rest, b, Triple)
            kinetic = fma(0.5, total(work_of_ball), kinetic)
    return kinetic


@power.method(HamiltonianTree)
def tree_power(system, work, t, y, ydot):
    """Power of laws that are no change of their potential energy: joint laws, loads on bodies."""
    done = 0.0 * t
    if system.joint_laws.has_any:
        done = done + dissipated_power_of_joints(system.joint_laws, t, y, ydot, work.total)
    if system.body_laws.has_any:
        clear_wrenches(system, work.wrench)
        add_all_load_wrenches(system.body_laws, t, links_as_bodies(work))
        for i in range(system.parent.shape[0]):
            done = done + dot(load(work.wrench, i, Wrench), twist_of(work, i))
    return done


@momentum.method(HamiltonianTree)
def tree_momentum(system, work, t, y, ydot):
    """p = M(q) q̇ by (P.2), (P.3a), into the momentum rows of y."""
    forward_kinematics(system, work, y)
    read_rates(system, work, y, ydot)
    propagate_twists(system, work)
    gather_momenta(system, work)
    write_momenta(system, work, y)


@poses.method(HamiltonianTree)
def tree_poses(system, work, t, y, pose, twist):
    """From the twists that `rates` left in work."""
    propagate_frames(system, work, y)
    propagate_positions(system, work)
    for b in range(system.link_of_body.shape[0]):
        i = system.link_of_body[b]
        R = axes_of(work, i)
        arm = R @ load(system.position_on_link, b, Vec3)
        store(
            pose,
            b,
            Pose(
                load(work.position, i, Vec3) + arm,
                quaternion_from_matrix(R @ load(system.rotation_on_link, b, Mat3)),
            ),
        )
        store(twist, b, twist_at(twist_of(work, i), arm))


FORMULATION = Formulation(
    name="hamiltonian_tree",
    system=HamiltonianTree,
    coordinates=Coordinates.JOINTS_AND_MOMENTA,
    supports=feature_set(JOINTS),
    assemble=assemble,
    workspace=workspace,
    initial_state=canonical_state,
    owner=joint_of_row,
    reference="EOM with Hamilton's Equations, P.2–P.5",
    summary=(
        "Hamilton's equations of a tree in O(N): joint coordinates and their momenta; balls as "
        "canonical quaternions"
    ),
    traits=Traits(
        "trees of any size and long runs; the default of a model without loops",
        "q of the joints (a ball's is a quaternion) and the canonical momenta p",
        "joints, by its coordinates; with symplectic methods the energy has no drift, Gauss "
        "methods keep ‖q‖ of balls and momenta",
        "O(N): 0.08 µs per body",
    ),
    is_default_candidate=True,
    check_start=check_start,
    share=share,
)
