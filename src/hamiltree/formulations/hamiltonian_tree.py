"""O(N) canonical equations of a tree of rigid bodies: seed 000, generalised from revolute to prismatic and screw joints.

A link moves by G ẋ with G = [spin g; slide g], g its z axis. All vectors in world axes, momenta and wrenches about the link's origin.
  outward  frames; each link alone                                              (D_i, M_i)
  inward   U = J G, 1/R = 1/(Gᵀ U), Ĵ = J − U Uᵀ/R, and the bias z of momenta     (branch inertias; P.5b, first half)
  outward  ẋ = (p − Gᵀz)/R − Uᵀ D v_parent / R, v = D v_parent + G ẋ             (P.5b, second half)
           𝒦 = J v + z, so that ṗ = Gᵀ(−v × 𝒦 + gravity on the branch)           (P.2, P.3b)
Gravity enters once, by the first moment of each branch (ERRATA 0-5). Rows of links; the ground is the last row of Work.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import IDENTITY, NO_MATRIX, NO_SYMMETRIC, Mat3, Sym3, full, rotated, symmetric, turned
from hamiltree.algebra.number import add, blocks, fma, load, load_block, padded, rows, sincos, store, store_block
from hamiltree.algebra.quat import Quat, quaternion_of
from hamiltree.algebra.spatial import (
    NO_MOMENTUM,
    NO_WRENCH,
    Inertia,
    Momentum,
    Twist,
    Wrench,
    gyroscopic,
    momentum_about,
    rigid,
    twist_at,
    wrench_about,
)
from hamiltree.algebra.values import cross, dot, plus_cross, plus_outer, plus_product, plus_scaled, transpose
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.errors import ModelError
from hamiltree.forces.laws import BODY_LAWS, JOINT_LAWS, Bodies, add_efforts, body_energy, joint_energy, push_bodies, tabulate
from hamiltree.formulations.formulation import Formulation, read_only
from hamiltree.formulations.links import links_of, placement_of
from hamiltree.kernel import inlined, kernel
from hamiltree.verbs import Energies, Layout, energies, force, momentum, poses, rates, velocity


class Pose(NamedTuple):
    r: Vec3
    q: Quat


class Link(NamedTuple):
    """The constants of a link: one row of a table."""

    turn: Mat3  # in its parent at q = 0
    offset: Vec3  # origin in the parent at q = 0
    moment: Vec3  # mass times centre of mass
    inertia: Sym3  # about the link's origin
    mass: float
    branch_mass: float  # of the link and all beyond it
    spin: float  # turn about z by unit coordinate
    slide: float  # advance along z by unit coordinate


class HamiltonianTree(NamedTuple):
    layout: Layout
    parent: np.ndarray  # row of the parent link; the number of links for the ground
    coordinate: np.ndarray  # row of the link's coordinate in q, and of its momentum in p
    link: np.ndarray  # Link
    gravity: np.ndarray  # Vec3, one row
    carrier: np.ndarray  # link of each body
    mount_turn: np.ndarray  # Mat3: body in its link
    mount_offset: np.ndarray  # Vec3
    joint_laws: tuple
    body_laws: tuple
    has_body_laws: bool


class TreeWork(NamedTuple):
    sine: np.ndarray  # of the angle of each joint                            turn_joints
    cosine: np.ndarray
    R: np.ndarray  # Mat3, frame of the link                                  place_links
    d: np.ndarray  # Vec3, from the parent's origin to this one               place_links
    S: np.ndarray  # Vec3, first moment of the branch                         place_links, gather_branches
    A: np.ndarray  # Sym3, inertia of the branch, its inner joints free       place_links, gather_branches
    B: np.ndarray  # Mat3
    C: np.ndarray  # Sym3
    z: np.ndarray  # Momentum of the branch while this joint is at rest       place_links, gather_branches
    U: np.ndarray  # Momentum of a unit rate, J G                             gather_branches
    r: np.ndarray  # 1 / (Gᵀ J G)                                             gather_branches
    nu: np.ndarray  # rate if the parent were at rest                         gather_branches
    V: np.ndarray  # Twist of the link                                        spread_rates
    position: np.ndarray  # Vec3, origin of the link                          place_origins
    wrench: np.ndarray  # Wrench of the body laws on the branch               load_links


# ---- assembly -------------------------------------------------------------------------------------------------------
def assemble(model, q=None) -> HamiltonianTree:
    """The tables of a tree, checked at the positions q (the model's start if None)."""
    links = links_of(model, "hamiltonian_tree")
    n, placement = len(links.parent), placement_of(model, links)
    branch_mass = links.mass.copy()
    for i in range(n - 1, -1, -1):
        if links.parent[i] < n:
            branch_mass[links.parent[i]] += branch_mass[i]
    body_laws = tabulate(BODY_LAWS, model.forces, placement)
    upper = np.triu_indices(3)
    by_columns = np.swapaxes(links.turn, 1, 2)
    columns = (by_columns, links.offset, links.moment, links.inertia[:, *upper], links.mass, branch_mass, links.spin, links.slide)
    system = HamiltonianTree(
        Layout(n, n),
        read_only(links.parent),
        read_only(links.coordinate),
        read_only(np.hstack([*(column.reshape(n, -1) for column in columns)])),
        read_only([model.gravity]),
        read_only(links.carrier),
        read_only(np.swapaxes(links.mount_turn, 1, 2).reshape(-1, 9)),
        read_only(links.mount_offset),
        tabulate(JOINT_LAWS, model.forces, placement),
        body_laws,
        any(len(table.row) for table in body_laws),
    )
    check_branch_inertias(model, system, model.start()[0] if q is None else q)
    return system


def workspace(system: HamiltonianTree, width: int = 1) -> TreeWork:
    """Scratch for one run or thread: of floats (width 1) or lanes (width 4)."""
    n = len(system.parent) + 1
    angles = (rows(float, padded(n), width) for _ in range(2))
    kinds = (Mat3, Vec3, Vec3, Sym3, Mat3, Sym3, Momentum, Momentum, float, float, Twist)
    work = TreeWork(*angles, *(rows(kind, n, width) for kind in kinds), rows(Vec3, n, width), rows(Wrench, n if system.has_body_laws else 1, width))
    store(work.R, n - 1, IDENTITY)
    return work


def check_branch_inertias(model, system, q) -> None:
    """Refuse a joint that moves no inertia: R_i = Gᵀ J G vanishes against the size of J."""
    n = len(system.parent)
    y, work = np.zeros(2 * n), workspace(system)
    y[:n] = q
    felt, size = np.zeros(n), np.zeros(n)
    measure_branches(system, work, y, felt, size)
    weak = np.flatnonzero(~(felt > 1e-13 * size))
    if len(weak):
        name = model.coordinates[system.coordinate[weak[-1]]]
        raise ModelError(
            f"joint '{name}': the inertia that it moves vanishes, so it has no equation of motion; give the bodies beyond it mass "
            "(or inertia about its axis), or weld it",
            part=("joint", name),
        )


@kernel
def measure_branches(system, work, y, felt, size):
    """R_i, and the largest it could be for an axis of any direction."""
    place_links(system, work, 0.0, y, y)
    gather_branches(system, work, 0.0, y, y)
    for i in range(system.parent.shape[0]):
        a, b, J = load(system.link, i, Link).spin, load(system.link, i, Link).slide, branch_inertia(work, i)
        store(felt, i, 1.0 / load(work.r, i))
        store(size, i, a * a * (J.A.xx + J.A.yy + J.A.zz) + b * b * (J.C.xx + J.C.yy + J.C.zz))


# ---- sweeps -----------------------------------------------------------------------------------------------------------
@inlined
def turn_joints(system, work, t, y, ydot):
    """Sine and cosine of every joint angle, four at a time also for floats."""
    for i in range(system.parent.shape[0]):
        store(work.sine, i, load(y, system.coordinate[i]) * load(system.link, i, Link).spin)
    for k in range(blocks(work.sine)):
        s, c = sincos(load_block(work.sine, k))
        store_block(work.sine, k, s)
        store_block(work.cosine, k, c)


@inlined
def place_links(system, work, t, y, ydot):
    """Outward: frames, and each link alone as the beginning of its branch."""
    n = system.parent.shape[0]
    turn_joints(system, work, t, y, ydot)
    store(work.S, n, ZERO)
    store(work.A, n, NO_SYMMETRIC)
    store(work.B, n, NO_MATRIX)
    store(work.C, n, NO_SYMMETRIC)
    store(work.z, n, NO_MOMENTUM)
    for i in range(n):
        base = load(work.R, system.parent[i], Mat3)
        R = turned(base @ load(system.link, i, Link).turn, load(work.sine, i), load(work.cosine, i))
        store(work.R, i, R)
        store(work.d, i, plus_scaled(base @ load(system.link, i, Link).offset, R.z, load(y, system.coordinate[i]) * load(system.link, i, Link).slide))
        S = R @ load(system.link, i, Link).moment
        store(work.S, i, S)
        M = rigid(rotated(load(system.link, i, Link).inertia, R), S, load(system.link, i, Link).mass)
        store(work.A, i, M.A)
        store(work.B, i, M.B)
        store(work.C, i, M.C)
        store(work.z, i, NO_MOMENTUM)


@inlined
def gather_branches(system, work, t, y, ydot):
    """Inward: free each joint and hand the branch to the parent."""
    n = system.parent.shape[0]
    for i in range(n - 1, -1, -1):
        parent, G, z = system.parent[i], screw(system, work, i), load(work.z, i, Momentum)
        U = unit_momentum(system, work, i, G)
        r = 1.0 / dot(U, G)
        nu = (load(y, n + system.coordinate[i]) - dot(z, G)) * r
        store(work.U, i, U)
        store(work.r, i, r)
        store(work.nu, i, nu)
        # Dᵀ(J − U Uᵀ r)D = DᵀJD − (DᵀU)(DᵀU)ᵀ r, block by block: few numbers are alive at a time
        d = load(work.d, i, Vec3)
        U = momentum_about(load(work.U, i, Momentum), d)
        P, C = U.P * -r, load(work.C, i, Sym3)
        add(work.C, parent, plus_outer(C, P, U.P))
        B = transpose(plus_cross(transpose(load(work.B, i, Mat3)), d, full(C)))
        add(work.B, parent, plus_outer(B, P, U.H))
        A = plus_cross(full(load(work.A, i, Sym3)), d, load(work.B, i, Mat3))
        add(work.A, parent, plus_outer(symmetric(transpose(plus_cross(transpose(A), d, B))), U.H * -r, U.H))
        add(work.z, parent, plus_scaled(momentum_about(load(work.z, i, Momentum), d), U, nu))
        add(work.S, parent, plus_scaled(load(work.S, i, Vec3), d, load(system.link, i, Link).branch_mass))


@inlined
def unit_momentum(system, work, i, G):
    """U = J G; a hinge needs only half of it."""
    if load(system.link, i, Link).slide == 0.0:
        return Momentum(load(work.A, i, Sym3) @ G.w, load(work.B, i, Mat3) @ G.w)
    return branch_inertia(work, i) @ G


@inlined
def pushed(K, V, S, m, gravity, G, slide):
    torque = plus_cross(plus_cross(cross(K.H, V.w), K.P, V.v), S, gravity)
    if slide == 0.0:
        return dot(torque, G.w)
    return dot(torque, G.w) + dot(plus_scaled(cross(K.P, V.w), gravity, m), G.v)


@inlined
def branch_inertia(work, i):
    return Inertia(load(work.A, i, Sym3), load(work.B, i, Mat3), load(work.C, i, Sym3))


@inlined
def screw(system, work, i):
    """G: the twist of a unit rate."""
    g = load(work.R, i, Mat3).z
    return Twist(g * load(system.link, i, Link).spin, g * load(system.link, i, Link).slide)


@inlined
def spread_rates(system, work, t, y, ydot):
    """Outward: rates, twists, and ṗ under gravity."""
    n, gravity = system.parent.shape[0], load(system.gravity, 0, Vec3)
    for i in range(n):
        G = screw(system, work, i)
        base = twist_at(load(work.V, system.parent[i], Twist), load(work.d, i, Vec3))
        rate = fma(-dot(load(work.U, i, Momentum), base), load(work.r, i), load(work.nu, i))
        V = plus_scaled(base, G, rate)
        K = plus_product(load(work.z, i, Momentum), branch_inertia(work, i), V)
        push = pushed(K, V, load(work.S, i, Vec3), load(system.link, i, Link).branch_mass, gravity, G, load(system.link, i, Link).slide)
        store(work.V, i, V)
        store(ydot, system.coordinate[i], rate)
        store(ydot, n + system.coordinate[i], push)


@inlined
def spread_velocities(system, work, t, y, ydot):
    """Outward: rates and twists alone."""
    for i in range(system.parent.shape[0]):
        base = twist_at(load(work.V, system.parent[i], Twist), load(work.d, i, Vec3))
        rate = fma(-dot(load(work.U, i, Momentum), base), load(work.r, i), load(work.nu, i))
        store(work.V, i, plus_scaled(base, screw(system, work, i), rate))
        store(ydot, system.coordinate[i], rate)


@inlined
def place_origins(system, work, t, y, ydot):
    """Outward: positions of the links."""
    n = system.parent.shape[0]
    store(work.position, n, ZERO)
    for i in range(n):
        store(work.position, i, load(work.position, system.parent[i], Vec3) + load(work.d, i, Vec3))


@inlined
def load_links(system, work, t, y, ydot):
    """The wrenches of the body laws, then inward: each joint takes its part and hands the rest to the parent (P.3b, the loads)."""
    n = system.parent.shape[0]
    for i in range(n + 1):
        store(work.wrench, i, NO_WRENCH)
    push_bodies(system.body_laws, t, Bodies(work.R, work.position, work.V, work.wrench))
    for i in range(n - 1, -1, -1):
        W = load(work.wrench, i, Wrench)
        add(ydot, n + system.coordinate[i], dot(W, screw(system, work, i)))
        add(work.wrench, system.parent[i], wrench_about(W, load(work.d, i, Vec3)))


@inlined
def spread_twists(system, work, t, y, ydot):
    """Outward: twists of given rates (V.2)."""
    for i in range(system.parent.shape[0]):
        base = twist_at(load(work.V, system.parent[i], Twist), load(work.d, i, Vec3))
        store(work.V, i, plus_scaled(base, screw(system, work, i), load(ydot, system.coordinate[i])))


@inlined
def gather_momenta(system, work, t, y, ydot):
    """Inward: 𝒦 = Ψ_Dᵀ M v (P.2) and p = Gᵀ 𝒦 (P.3a); J still holds each link alone."""
    n = system.parent.shape[0]
    for i in range(n - 1, -1, -1):
        K = plus_product(load(work.z, i, Momentum), branch_inertia(work, i), load(work.V, i, Twist))
        store(y, n + system.coordinate[i], dot(K, screw(system, work, i)))
        add(work.z, system.parent[i], momentum_about(K, load(work.d, i, Vec3)))


# ---- verbs --------------------------------------------------------------------------------------------------------------
@rates.method(HamiltonianTree)
def tree_rates(system, work, t, y, ydot):
    """q̇ = M⁻¹p by (P.5b) and ṗ by (P.3b)."""
    place_links(system, work, t, y, ydot)
    gather_branches(system, work, t, y, ydot)
    spread_rates(system, work, t, y, ydot)
    add_efforts(system.joint_laws, t, y, ydot, system.parent.shape[0])
    if system.has_body_laws:
        place_origins(system, work, t, y, ydot)
        load_links(system, work, t, y, ydot)


@velocity.method(HamiltonianTree)
def tree_velocity(system, work, t, y, ydot):
    """q̇ = M⁻¹p by (P.5b)."""
    place_links(system, work, t, y, ydot)
    gather_branches(system, work, t, y, ydot)
    spread_velocities(system, work, t, y, ydot)


@force.method(HamiltonianTree)
def tree_force(system, work, t, y, ydot):
    """ṗ by (P.3b), which needs q̇: the position rows are filled on the way."""
    rates(system, work, t, y, ydot)


@energies.method(HamiltonianTree)
def tree_energies(system, work, t, y):
    """T = ½ pᵀ M⁻¹ p (11) = ½ Σ R ν² by the factors of (P.5b); V of gravity by the first moment about the world's origin, and of the laws."""
    n, kinetic = system.parent.shape[0], 0.0 * t
    place_links(system, work, t, y, y)
    gather_branches(system, work, t, y, y)
    for i in range(n):
        nu = load(work.nu, i)
        kinetic = fma(0.5 * nu, nu / load(work.r, i), kinetic)
    potential = joint_energy(system.joint_laws, t, y) - dot(load(system.gravity, 0, Vec3), load(work.S, n, Vec3))
    if system.has_body_laws:
        place_origins(system, work, t, y, y)
        potential = potential + body_energy(system.body_laws, t, Bodies(work.R, work.position, work.V, work.wrench))
    return Energies(kinetic, potential)


@momentum.method(HamiltonianTree)
def tree_momentum(system, work, t, y, ydot):
    place_links(system, work, t, y, ydot)
    spread_twists(system, work, t, y, ydot)
    gather_momenta(system, work, t, y, ydot)


@poses.method(HamiltonianTree)
def tree_poses(system, work, t, y, pose, twist):
    """From the frames and twists that `rates` left in work."""
    place_origins(system, work, t, y, y)
    for b in range(system.carrier.shape[0]):
        i = system.carrier[b]
        R = load(work.R, i, Mat3)
        arm = R @ load(system.mount_offset, b, Vec3)
        store(pose, b, Pose(load(work.position, i, Vec3) + arm, quaternion_of(R @ load(system.mount_turn, b, Mat3))))
        store(twist, b, twist_at(load(work.V, i, Twist), arm))


FORMULATION = Formulation(
    name="hamiltonian_tree",
    system=HamiltonianTree,
    assemble=assemble,
    workspace=workspace,
    reference="seed 000, P.2–P.5",
    summary="Hamilton's equations of a tree in O(N): joint coordinates and their momenta",
)
