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

from hamiltree.algebra.mat3 import IDENTITY, Mat3, Sym3
from hamiltree.algebra.number import fma, load, padded, rows, store
from hamiltree.algebra.quat import Quat, quaternion_of
from hamiltree.algebra.spatial import NO_WRENCH, Momentum, Twist, Wrench, twist_at
from hamiltree.algebra.values import dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.errors import ModelError
from hamiltree.forces.laws import (
    BODY_LAWS,
    JOINT_LAWS,
    Bodies,
    add_efforts,
    body_energy,
    check_laws,
    joint_energy,
    joint_power,
    push_loads,
    tabulate,
)
from hamiltree.formulations.formulation import Formulation, read_only
from hamiltree.formulations.links import links_of, placement_of
from hamiltree.formulations.tree_sweeps import (
    TreeWork,
    branch_inertia,
    gather_branches,
    gather_momenta,
    link,
    load_links,
    place_links,
    place_origins,
    spread_rates,
    spread_twists,
    spread_velocities,
)
from hamiltree.kernel import kernel
from hamiltree.verbs import Energies, Layout, energies, force, momentum, poses, power, rates, velocity


class Pose(NamedTuple):
    r: Vec3
    q: Quat


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


# ---- assembly -------------------------------------------------------------------------------------------------------
def assemble(model, q=None) -> HamiltonianTree:
    """The tables of a tree, checked at the positions q (the model's start if None)."""
    check_laws(model.forces)
    links = links_of(model, "hamiltonian_tree")
    n, placement = len(links.parent), placement_of(model, links)
    branch_mass = links.mass.copy()
    for i in range(n - 1, -1, -1):
        if links.parent[i] < n:
            branch_mass[links.parent[i]] += branch_mass[i]
    body_laws = tabulate(BODY_LAWS, model.forces, placement)
    upper = np.triu_indices(3)
    by_columns = np.swapaxes(links.turn, 1, 2).reshape(n, 9)
    columns = (by_columns, links.offset, links.moment, links.inertia[:, *upper], links.mass, branch_mass, links.spin, links.slide)
    system = HamiltonianTree(
        Layout(n, n),
        read_only(links.parent),
        read_only(links.coordinate),
        read_only(np.column_stack([*columns])),
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
    work = TreeWork(
        *angles, *(rows(kind, n, width) for kind in kinds), rows(Vec3, n, width), rows(Wrench, n if system.has_body_laws else 1, width)
    )
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
        spin, slide, J = link(system, i).spin, link(system, i).slide, branch_inertia(work, i)
        turning, sliding = J.A.xx + J.A.yy + J.A.zz, J.C.xx + J.C.yy + J.C.zz
        store(felt, i, 1.0 / load(work.r, i))
        store(size, i, spin * spin * turning + slide * slide * sliding)


# ---- verbs --------------------------------------------------------------------------------------------------------------
@rates.method(HamiltonianTree)
def tree_rates(system, work, t, y, ydot):
    """q̇ = M⁻¹p by (P.5b) and ṗ by (P.3b)."""
    place_links(system, work, t, y, ydot)
    gather_branches(system, work, t, y, ydot)
    spread_rates(system, work, t, y, ydot)
    add_efforts(system.joint_laws, t, y, ydot, system.layout.positions)
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
    """T = ½ pᵀ M⁻¹ p (11) = ½ Σ R ν² by the factors of (P.5b); V of gravity by the first moment about the world's origin, and of laws."""
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


@power.method(HamiltonianTree)
def tree_power(system, work, t, y, ydot):
    total = joint_power(system.joint_laws, t, y, ydot)
    if system.has_body_laws:
        for i in range(system.parent.shape[0] + 1):
            store(work.wrench, i, NO_WRENCH)
        push_loads(system.body_laws, t, Bodies(work.R, work.position, work.V, work.wrench))
        for i in range(system.parent.shape[0]):
            total = total + dot(load(work.wrench, i, Wrench), load(work.V, i, Twist))
    return total


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
