"""The sweeps of a tree of links, outward and inward, each once over all links: the recursions of
"EOM with Hamilton's Equations" in world axes.

Forward kinematics outward, articulated inertias inward, rates outward: M⁻¹p as in the
articulated-body algorithm (ABA), with momenta in the place of forces. Twists outward, momenta
inward: M q̇.
Momenta, wrenches and inertias about the link's origin; `parent[i] < i` outward; the ground is row
n, one past the last link.
Sweeps work on numbers by link: `pi` (conjugate to `rate`) and `generalised_force`; a ball has
vectors instead, world axes: METHODS 2.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import (
    ZERO_MATRIX,
    ZERO_SYMMETRIC,
    Mat3,
    Sym3,
    invert_symmetric,
    rotate_about_z,
    rotate_symmetric,
    to_mat3,
    to_sym3,
)
from hamiltree.algebra.quat import Quat, rotation_matrix
from hamiltree.algebra.spatial import (
    ZERO_MOMENTUM,
    ZERO_WRENCH,
    Inertia,
    Momentum,
    Twist,
    Wrench,
    momentum_about,
    rigid_inertia,
    twist_at,
    wrench_about,
)
from hamiltree.algebra.values import (
    cross,
    dot,
    plus_cross,
    plus_outer,
    plus_product,
    plus_scaled,
    transpose,
)
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import (
    add,
    block_count,
    fma,
    load,
    load_block,
    sincos,
    store,
    store_block,
)
from hamiltree.forces.dispatch import add_all_wrenches
from hamiltree.forces.laws import Bodies


class Link(NamedTuple):
    """The constants of a link: one row of a table."""

    rotation: Mat3  # in its parent at q = 0
    offset: Vec3  # origin in the parent at q = 0
    moment: Vec3  # mass times centre of mass
    inertia: Sym3  # about the link's origin
    mass: float
    branch_mass: float  # of the link and all beyond it
    spin: float  # turn about z by unit coordinate
    slide: float  # advance along z by unit coordinate
    armature: float  # inertia of the coordinate alone


class TreeWork(NamedTuple):
    """The workspace of a tree: arrays by link, each with the sweep that fills it."""

    # evaluate_sines_and_cosines
    sine: np.ndarray  # of the angle of each joint
    cosine: np.ndarray
    # forward_kinematics
    R: np.ndarray  # Mat3, frame of the link
    d: np.ndarray  # Vec3, from the parent's origin to this one
    # forward_kinematics (of the link alone), gather_articulated_inertias (of the branch)
    S: np.ndarray  # Vec3, first moment
    A: np.ndarray  # Sym3: articulated inertia [A Bᵀ; B C], the inner joints of the branch free
    B: np.ndarray  # Mat3
    C: np.ndarray  # Sym3
    z: np.ndarray  # bias Momentum of the branch, this joint at rest
    # gather_articulated_inertias
    U: np.ndarray  # Momentum of a unit rate, J G
    r: np.ndarray  # 1 / (Gᵀ J G)
    nu: np.ndarray  # rate if the parent were at rest
    shift: np.ndarray  # of inertia, to the carriers of coupled links
    # propagate_rates, propagate_velocities, propagate_twists
    V: np.ndarray  # Twist of the link
    position: np.ndarray  # Vec3, origin of the link: propagate_positions
    wrench: np.ndarray  # Wrench of the body laws on the branch: gather_body_forces
    pi: np.ndarray  # momentum of the link's coordinate: the caller, gather_momenta
    rate: np.ndarray  # propagate_rates, propagate_velocities
    generalised_force: np.ndarray  # rate of pi: propagate_rates, gather_body_forces
    # the same for balls, by number of the ball: Vec3, angular momentum about the joint, world axes
    ball_pi: np.ndarray
    ball_rate: np.ndarray  # Vec3, angular velocity against the parent
    ball_torque: np.ndarray  # Vec3, torque: the rate of ball_pi but for its turning with the parent
    ball_nu: np.ndarray  # Vec3
    ball_inverse: np.ndarray  # Sym3, A⁻¹
    # solve_couplings
    saved_pi: np.ndarray  # pi while couplings are solved
    saved_ball_pi: np.ndarray  # Vec3
    coupling_matrix: np.ndarray  # (m, m) flat, C M⁻¹ Cᵀ
    multiplier: np.ndarray  # (m,) λ
    total: np.ndarray  # one number: energy or power of laws
    law_state: np.ndarray  # of the body laws: Bodies.law_state
    inertia_loss: np.ndarray  # scale over pivot of each link: fill_inertia_losses


@inlined
def link(system, i):
    """The constants of link i; loaded where they are used, so that few registers are needed at a
    time.
    """
    return load(system.link, i, Link)


# ---- positions -----------------------------------------------------------------------------------
@inlined
def evaluate_sines_and_cosines(system, work, y):
    """Sine and cosine of every joint angle, four at a time also for floats."""
    for i in range(system.parent.shape[0]):
        store(work.sine, i, load(y, system.coordinate[i]) * link(system, i).spin)
    for k in range(block_count(work.sine)):
        s, c = sincos(load_block(work.sine, k))
        store_block(work.sine, k, s)
        store_block(work.cosine, k, c)


@inlined
def quaternion_at(array, first, sign):
    """Four numbers as a quaternion; of the inverse rotation if sign is −1."""
    return Quat(
        load(array, first),
        load(array, first + 1) * sign,
        load(array, first + 2) * sign,
        load(array, first + 3) * sign,
    )


@inlined
def ball_quaternion(system, y, b, first):
    """Of ball b, in the direction in which the tree meets it."""
    return quaternion_at(y, first + system.ball_coordinate[b], load(system.ball_sign, b))


@inlined
def link_rotation(system, work, y, i):
    """R_i = R_parent · rotation at zero · Rz(angle), or · R(quaternion) of a ball."""
    R = rotate_about_z(
        load(work.R, system.parent[i], Mat3) @ link(system, i).rotation,
        load(work.sine, i),
        load(work.cosine, i),
    )
    if system.ball[i] < 0:
        return R
    return R @ rotation_matrix(ball_quaternion(system, y, system.ball[i], 0))


@inlined
def store_link_frame(system, work, y, i):
    """R_i, which is returned, and d_i = R_parent offset + slide x z_i."""
    R = link_rotation(system, work, y, i)
    store(work.R, i, R)
    base = load(work.R, system.parent[i], Mat3)
    slide = load(y, system.coordinate[i]) * link(system, i).slide
    store(work.d, i, plus_scaled(base @ link(system, i).offset, R.z, slide))
    return R


@inlined
def forward_kinematics(system, work, y):
    """Outward: frames, and the inertia of each link alone, to which branches are added inward."""
    n = system.parent.shape[0]
    evaluate_sines_and_cosines(system, work, y)
    store(work.S, n, ZERO)
    store(work.A, n, ZERO_SYMMETRIC)
    store(work.B, n, ZERO_MATRIX)
    store(work.C, n, ZERO_SYMMETRIC)
    store(work.z, n, ZERO_MOMENTUM)
    for i in range(n):
        R = store_link_frame(system, work, y, i)
        S = R @ link(system, i).moment
        store(work.S, i, S)
        M = rigid_inertia(rotate_symmetric(link(system, i).inertia, R), S, link(system, i).mass)
        store(work.A, i, M.A)
        store(work.B, i, M.B)
        store(work.C, i, M.C)
        store(work.z, i, ZERO_MOMENTUM)


@inlined
def propagate_frames(system, work, y):
    """Outward: frames alone."""
    evaluate_sines_and_cosines(system, work, y)
    for i in range(system.parent.shape[0]):
        store_link_frame(system, work, y, i)


@inlined
def propagate_positions(system, work):
    """Outward: positions of the links."""
    n = system.parent.shape[0]
    store(work.position, n, ZERO)
    for i in range(n):
        store(work.position, i, load(work.position, system.parent[i], Vec3) + load(work.d, i, Vec3))


# ---- M⁻¹ -----------------------------------------------------------------------------------------
@inlined
def gather_articulated_inertias(system, work):
    """Inward (ABA, inward half): eliminate each joint and add the articulated inertia of its branch
    to the parent.
    """
    for i in range(system.carrier.shape[0]):
        store(work.shift, i, 0.0)
    for i in range(system.parent.shape[0] - 1, -1, -1):
        if system.ball[i] < 0:
            eliminate_axis(system, work, i)
        else:
            eliminate_ball(system, work, i)


@inlined
def eliminate_axis(system, work, i):
    """U = J G, r = 1/(Gᵀ U + armature), ν = (π − Gᵀz) r; J − U Uᵀ r and z + U ν to the parent."""
    parent = system.parent[i]
    G = screw(system, work, i)
    z = load(work.z, i, Momentum)
    U = unit_momentum(system, work, i, G)
    R = dot(U, G) + link(system, i).armature
    if system.carrier.shape[0] > 0:
        R = shift_inertia(system, work, i, R)
    r = 1.0 / R
    nu = (load(work.pi, i) - dot(z, G)) * r
    store(work.U, i, U)
    store(work.r, i, r)
    store(work.nu, i, nu)
    # Dᵀ(J − U Uᵀ r)D = DᵀJD − (DᵀU)(DᵀU)ᵀ r, block by block: few registers at a time
    d = load(work.d, i, Vec3)
    U = momentum_about(load(work.U, i, Momentum), d)
    P, C = U.P * -r, load(work.C, i, Sym3)
    add(work.C, parent, plus_outer(C, P, U.P))
    B = transpose(plus_cross(transpose(load(work.B, i, Mat3)), d, to_mat3(C)))
    add(work.B, parent, plus_outer(B, P, U.H))
    A = plus_cross(to_mat3(load(work.A, i, Sym3)), d, load(work.B, i, Mat3))
    add(
        work.A,
        parent,
        plus_outer(to_sym3(transpose(plus_cross(transpose(A), d, B))), U.H * -r, U.H),
    )
    add(work.z, parent, plus_scaled(momentum_about(load(work.z, i, Momentum), d), U, nu))
    add(work.S, parent, plus_scaled(load(work.S, i, Vec3), d, link(system, i).branch_mass))


@outlined
def shift_inertia(system, work, i, R):
    """R with what a coupled link gives to its carrier, or gets from the others: inertia_shifts."""
    carrier = system.carrier[i]
    if carrier < 0:
        return R
    if carrier == i:
        return R + load(work.shift, i)
    shift = 2.0 * R + load(system.shift_floor, i)
    add(work.shift, carrier, shift)
    return R - shift


@outlined
def eliminate_ball(system, work, i):
    """G = [1; 0], U = [A; B]: what is left of the branch is the point inertia C − B A⁻¹ Bᵀ, and its
    momentum.
    """
    parent = system.parent[i]
    b = system.ball[i]
    d = load(work.d, i, Vec3)
    inverse = invert_symmetric(load(work.A, i, Sym3))
    B = load(work.B, i, Mat3)
    z = load(work.z, i, Momentum)
    pi = load(work.ball_pi, b, Vec3)
    nu = inverse @ (pi - z.H)
    store(work.ball_inverse, b, inverse)
    store(work.ball_nu, b, nu)
    x, y, z_row = transpose(B)
    x = B @ (inverse @ x)
    y = B @ (inverse @ y)
    z_row = B @ (inverse @ z_row)
    C = load(work.C, i, Sym3) - to_sym3(Mat3(x, y, z_row))
    add(work.C, parent, C)
    shifted = transpose(cross(d, to_mat3(C)))
    add(work.B, parent, shifted)
    add(work.A, parent, to_sym3(transpose(cross(d, shifted))))
    add(work.z, parent, momentum_about(Momentum(pi, plus_product(z.P, B, nu)), d))
    add(work.S, parent, plus_scaled(load(work.S, i, Vec3), d, link(system, i).branch_mass))


@inlined
def gather_bias_momenta(system, work):
    """Inward: bias momenta of other π, with the articulated inertias that were gathered before."""
    for i in range(system.parent.shape[0] + 1):
        store(work.z, i, ZERO_MOMENTUM)
    for i in range(system.parent.shape[0] - 1, -1, -1):
        d = load(work.d, i, Vec3)
        z = load(work.z, i, Momentum)
        b = system.ball[i]
        if b < 0:
            nu = (load(work.pi, i) - dot(z, screw(system, work, i))) * load(work.r, i)
            store(work.nu, i, nu)
            add(
                work.z,
                system.parent[i],
                momentum_about(plus_scaled(z, load(work.U, i, Momentum), nu), d),
            )
        else:
            pi = load(work.ball_pi, b, Vec3)
            rotation = load(work.ball_inverse, b, Sym3) @ (pi - z.H)
            store(work.ball_nu, b, rotation)
            add(
                work.z,
                system.parent[i],
                momentum_about(Momentum(pi, plus_product(z.P, load(work.B, i, Mat3), rotation)), d),
            )


@inlined
def unit_momentum(system, work, i, G):
    """U = J G; a hinge needs only half of it."""
    if link(system, i).slide == 0.0:
        return Momentum(load(work.A, i, Sym3) @ G.w, load(work.B, i, Mat3) @ G.w)
    return load_inertia(work, i) @ G


@inlined
def momentum_rate(K, V, S, gravity, m, slide, G):
    """Gᵀ(−v × 𝒦 + gravity on the branch); a hinge needs only half of it."""
    torque = plus_cross(plus_cross(cross(K.H, V.w), K.P, V.v), S, gravity)
    if slide == 0.0:
        return dot(torque, G.w)
    return dot(torque, G.w) + dot(plus_scaled(cross(K.P, V.w), gravity, m), G.v)


@inlined
def load_inertia(work, i):
    return Inertia(load(work.A, i, Sym3), load(work.B, i, Mat3), load(work.C, i, Sym3))


@inlined
def screw(system, work, i):
    """G: the twist of a unit rate."""
    g = load(work.R, i, Mat3).z
    return Twist(g * link(system, i).spin, g * link(system, i).slide)


@inlined
def propagate_rates(system, work):
    """Outward: rates, twists, and ṗ under gravity."""
    n, gravity = system.parent.shape[0], load(system.gravity, 0, Vec3)
    for i in range(n):
        base = twist_at(load(work.V, system.parent[i], Twist), load(work.d, i, Vec3))
        if system.ball[i] < 0:
            G = screw(system, work, i)
            rate = fma(-dot(load(work.U, i, Momentum), base), load(work.r, i), load(work.nu, i))
            V = plus_scaled(base, G, rate)
            K = plus_product(load(work.z, i, Momentum), load_inertia(work, i), V)
            generalised_force = momentum_rate(
                K,
                V,
                load(work.S, i, Vec3),
                gravity,
                link(system, i).branch_mass,
                link(system, i).slide,
                G,
            )
            store(work.V, i, V)
            store(work.rate, i, rate)
            store(work.generalised_force, i, generalised_force)
        else:
            propagate_ball(system, work, i, base, gravity)


@outlined
def propagate_ball(system, work, i, base, gravity):
    """ω = ν − A⁻¹ Bᵀ v; the torque on the ball is H × ω_parent + P × v + S × gravity."""
    b, B = system.ball[i], load(work.B, i, Mat3)
    V = twist_beyond_ball(work, i, b, base)
    P = plus_product(
        plus_product(load(work.z, i, Momentum).P, B, V.w), to_mat3(load(work.C, i, Sym3)), V.v
    )
    torque = plus_cross(cross(load(work.ball_pi, b, Vec3), base.w), P, V.v)
    store(work.ball_torque, b, plus_cross(torque, load(work.S, i, Vec3), gravity))
    store(work.V, i, V)


@inlined
def twist_beyond_ball(work, i, b, base):
    """The twist of the link beyond ball b; its rate is stored."""
    rotation = transpose(load(work.B, i, Mat3)) @ base.v
    w = load(work.ball_nu, b, Vec3) - load(work.ball_inverse, b, Sym3) @ rotation
    store(work.ball_rate, b, w - base.w)
    return Twist(w, base.v)


@inlined
def propagate_velocities(system, work):
    """Outward: rates and twists alone."""
    for i in range(system.parent.shape[0]):
        base = twist_at(load(work.V, system.parent[i], Twist), load(work.d, i, Vec3))
        if system.ball[i] < 0:
            rate = fma(-dot(load(work.U, i, Momentum), base), load(work.r, i), load(work.nu, i))
            store(work.V, i, plus_scaled(base, screw(system, work, i), rate))
            store(work.rate, i, rate)
        else:
            store(work.V, i, twist_beyond_ball(work, i, system.ball[i], base))


@inlined
def gather_body_forces(system, work, t):
    """Generalised forces of the body laws (P.3b, the loads)."""
    clear_wrenches(system, work.wrench)
    add_all_wrenches(system.body_laws, t, links_as_bodies(work))
    gather_generalised_forces(system, work, work.wrench)


@inlined
def links_as_bodies(work):
    """The links as the body laws see them."""
    return Bodies(work.R, work.position, work.V, work.wrench, work.law_state)


@inlined
def clear_wrenches(system, wrench):
    """Zero wrenches on all links and on the ground."""
    for i in range(system.parent.shape[0] + 1):
        store(wrench, i, ZERO_WRENCH)


@inlined
def gather_generalised_forces(system, work, wrench):
    """Inward: Gᵀ W added to the generalised force of each joint, and the wrench W on its branch to
    that on the parent.
    """
    for i in range(system.parent.shape[0] - 1, -1, -1):
        W = load(wrench, i, Wrench)
        if system.ball[i] < 0:
            add(work.generalised_force, i, dot(W, screw(system, work, i)))
        else:
            add(work.ball_torque, system.ball[i], W.torque)
        add(wrench, system.parent[i], wrench_about(W, load(work.d, i, Vec3)))


# ---- M -------------------------------------------------------------------------------------------
@inlined
def propagate_twists(system, work):
    """Outward: twists of given rates (V.2)."""
    for i in range(system.parent.shape[0]):
        base = twist_at(load(work.V, system.parent[i], Twist), load(work.d, i, Vec3))
        if system.ball[i] < 0:
            store(work.V, i, plus_scaled(base, screw(system, work, i), load(work.rate, i)))
        else:
            store(work.V, i, Twist(base.w + load(work.ball_rate, system.ball[i], Vec3), base.v))


@inlined
def gather_momenta(system, work):
    """Inward: 𝒦 = Ψ_Dᵀ M v (P.2) and π = Gᵀ 𝒦 (P.3a); J still holds each link alone."""
    for i in range(system.parent.shape[0] - 1, -1, -1):
        K = plus_product(load(work.z, i, Momentum), load_inertia(work, i), load(work.V, i, Twist))
        if system.ball[i] < 0:
            store(
                work.pi,
                i,
                fma(link(system, i).armature, load(work.rate, i), dot(K, screw(system, work, i))),
            )
        else:
            store(work.ball_pi, system.ball[i], K.H)
        add(work.z, system.parent[i], momentum_about(K, load(work.d, i, Vec3)))
