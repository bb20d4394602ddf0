"""The sweeps of a tree of links, outward and inward, each once over all links: seed 000 in world axes.

Momenta, wrenches and inertias about the link's origin; `parent[i] < i` outward; the ground is row n, one past the last link.
Every sweep takes (system, work, t, y, ydot), also where it needs less.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import NO_MATRIX, NO_SYMMETRIC, Mat3, Sym3, full, rotated, symmetric, turned
from hamiltree.algebra.number import add, blocks, fma, load, load_block, sincos, store, store_block
from hamiltree.algebra.spatial import (
    NO_MOMENTUM,
    NO_WRENCH,
    Inertia,
    Momentum,
    Twist,
    Wrench,
    momentum_about,
    rigid,
    twist_at,
    wrench_about,
)
from hamiltree.algebra.values import cross, dot, plus_cross, plus_outer, plus_product, plus_scaled, transpose
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.forces.laws import Bodies, push_bodies
from hamiltree.kernel import inlined


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
    V: np.ndarray  # Twist of the link                                        spread_rates, spread_velocities, spread_twists
    position: np.ndarray  # Vec3, origin of the link                          place_origins
    wrench: np.ndarray  # Wrench of the body laws on the branch               load_links


@inlined
def link(system, i):
    """The constants of link i; asked for where they are used, so that few numbers are alive at a time."""
    return load(system.link, i, Link)


@inlined
def turn_joints(system, work, t, y, ydot):
    """Sine and cosine of every joint angle, four at a time also for floats."""
    for i in range(system.parent.shape[0]):
        store(work.sine, i, load(y, system.coordinate[i]) * link(system, i).spin)
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
        R = turned(base @ link(system, i).turn, load(work.sine, i), load(work.cosine, i))
        store(work.R, i, R)
        store(work.d, i, plus_scaled(base @ link(system, i).offset, R.z, load(y, system.coordinate[i]) * link(system, i).slide))
        S = R @ link(system, i).moment
        store(work.S, i, S)
        M = rigid(rotated(link(system, i).inertia, R), S, link(system, i).mass)
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
        nu = (load(y, system.layout.positions + system.coordinate[i]) - dot(z, G)) * r
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
        add(work.S, parent, plus_scaled(load(work.S, i, Vec3), d, link(system, i).branch_mass))


@inlined
def unit_momentum(system, work, i, G):
    """U = J G; a hinge needs only half of it."""
    if link(system, i).slide == 0.0:
        return Momentum(load(work.A, i, Sym3) @ G.w, load(work.B, i, Mat3) @ G.w)
    return branch_inertia(work, i) @ G


@inlined
def pushed(K, V, S, gravity, m, slide, G):
    """Gᵀ(−v × 𝒦 + gravity on the branch); a hinge needs only half of it."""
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
    return Twist(g * link(system, i).spin, g * link(system, i).slide)


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
        push = pushed(K, V, load(work.S, i, Vec3), gravity, link(system, i).branch_mass, link(system, i).slide, G)
        store(work.V, i, V)
        store(ydot, system.coordinate[i], rate)
        store(ydot, system.layout.positions + system.coordinate[i], push)


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
        add(ydot, system.layout.positions + system.coordinate[i], dot(W, screw(system, work, i)))
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
        store(y, system.layout.positions + system.coordinate[i], dot(K, screw(system, work, i)))
        add(work.z, system.parent[i], momentum_about(K, load(work.d, i, Vec3)))
