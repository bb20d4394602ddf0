"""Inverse dynamics (RNEA) and forward dynamics (ABA) of a tree, in speeds."""

from typing import NamedTuple

from hamiltree.algebra.spatial import Wrench
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import add, fma, load, store
from hamiltree.compiled.triples import Triple, total, turn_back, zero_like
from hamiltree.forces.dispatch import add_all_generalised_forces, add_all_wrenches
from hamiltree.formulations.tree.algorithms import (
    ball_vector,
    read_forces,
    read_speeds,
    run_query,
    write_forces,
    write_speeds,
)
from hamiltree.formulations.tree.body_forces import clear_wrenches, links_as_bodies
from hamiltree.formulations.tree.couplings import solve_couplings
from hamiltree.formulations.tree.link_rows import (
    ARRIVES_FIRST,
    IS_HINGE,
    IS_LEAF,
    NEXT,
    FrameRow,
    InertiaRow,
    MomentumRow,
    PairRow,
    axes_in_registers,
    combine,
    link,
    plus_turned_cross,
    store_vector_row,
    times,
    to_triple,
    turned,
    turned_cross,
    vector_row,
)
from hamiltree.formulations.tree.regularity import largest_inertia_loss, mark_singular
from hamiltree.formulations.tree.sweeps import (
    along_screw,
    forward_kinematics,
    gather_articulated_inertias,
    place_links,
    place_twists,
    propagate_frames,
    propagate_twists,
    propagate_velocities,
)


# ---- inverse dynamics ----------------------------------------------------------------------------
@inlined
def store_inertial_wrench(tree, inner, i, w, alpha, acceleration):
    """The wrench that accelerates link i alone, about its origin:
    (I α + ω × I ω + S × a, m a + α × S + ω × (ω × S)).
    """
    own = load(inner.inertia, i, InertiaRow)
    S, A1, A2 = turned(own.S), own.A1, turn_back(own.A1)
    force = plus_turned_cross(acceleration * link(tree, i).mass, alpha, S)
    force = plus_turned_cross(force, w, turned(turned_cross(w, S)))
    torque = plus_turned_cross(times(own.A0, A1, A2, alpha), S, turned(acceleration))
    torque = plus_turned_cross(torque, w, turned(times(own.A0, A1, A2, w)))
    store(inner.bias, i, PairRow(torque, force))


@inlined
def propagate_accelerations(tree, work, y, third):
    """Outward, from rates: twists of links, their accelerations less gravity, with the
    accelerations of speeds that begin at row `third` of y (none if −1), and the inertial wrench of
    each link.
    """
    n, inner = tree.parent.shape[0], work.tree
    gravity = to_triple(load(tree.gravity, 0, Vec3))
    store(work.a, n, PairRow(zero_like(gravity), -gravity))
    ground, rest = load(inner.V, n, PairRow), load(work.a, n, PairRow)
    w, v, alpha, a = turned(ground.w), ground.v, turned(rest.w), rest.v
    for i in range(n):
        if tree.flags[i] & NEXT == 0:
            V, A = load(inner.V, tree.parent[i], PairRow), load(work.a, tree.parent[i], PairRow)
            w, v, alpha, a = turned(V.w), V.v, turned(A.w), A.v
        frame = load(inner.frame, i, FrameRow)
        swept = turned_cross(w, frame.d)
        v = v + swept
        a = plus_turned_cross(plus_turned_cross(a, alpha, frame.d), w, turned(swept))
        own, turning = w.a, alpha.a
        if tree.ball[i] < 0:
            spin, slide = link(tree, i).spin, link(tree, i).slide
            rate, g = load(inner.rate, i), frame.z.a
            across = turned_cross(w, frame.z)
            own = fma(g, rate * spin, own)
            turning = fma(across, rate * spin, turning)
            if tree.flags[i] & IS_HINGE == 0:
                v = fma(g, rate * slide, v)
                a = fma(across, 2.0 * (rate * slide), a)
            if third >= 0:
                second = load(y, third + tree.speed[i])
                turning, a = fma(g, second * spin, turning), fma(g, second * slide, a)
        else:
            ball_rate = load(inner.ball_rate, tree.ball[i], Triple)
            own = own + ball_rate
            turning = plus_turned_cross(turning, w, turned(ball_rate))
            if third >= 0:
                turning = turning + to_triple(ball_vector(tree, inner, y, third, tree.ball[i]))
        w, alpha = turned(own), turned(turning)
        store(inner.V, i, PairRow(own, v))
        store(work.a, i, PairRow(turning, a))
        store_inertial_wrench(tree, inner, i, w, alpha, a)


@inlined
def evaluate_inertial_wrenches(tree, work, y, third):
    """The outward half of RNEA: frames, twists, accelerations, and the inertial wrench of each
    link.
    """
    forward_kinematics(tree, work.tree, y)
    propagate_inertial_wrenches(tree, work, y, third)


@inlined
def propagate_inertial_wrenches(tree, work, y, third):
    """The same, where the frames are known."""
    read_speeds(tree, work.tree, y, tree.layout.positions)
    propagate_accelerations(tree, work, y, third)


@inlined
def gather_wrenches(tree, work):
    """Inward: π = Gᵀ W of each link, and the wrench of its branch added to that of the parent,
    which is in registers where the parent is the link before.
    """
    n = tree.parent.shape[0]
    nothing = zero_like(load(work.V, n, PairRow).w)
    H, P = nothing, nothing
    for i in range(n - 1, -1, -1):
        W, frame = load(work.bias, i, PairRow), load(work.frame, i, FrameRow)
        H, P = W.w + H, W.v + P
        if tree.ball[i] < 0:
            store(work.pi, i, along_screw(tree, i, H, P, frame.z))
        else:
            store(work.ball_pi, tree.ball[i], H)
        H = plus_turned_cross(H, frame.d, turned(P))
        if tree.flags[i] & NEXT == 0:
            add(work.bias, tree.parent[i], PairRow(H, P))
            H, P = nothing, nothing


@inlined
def clear_pairs(pairs):
    nothing = zero_like(load(pairs, 0, PairRow).w)
    for i in range(pairs.shape[0]):
        store(pairs, i, PairRow(nothing, nothing))


@inlined
def add_armatures(tree, work, y, third):
    """π += armature · ẍ."""
    for i in range(tree.parent.shape[0]):
        if tree.ball[i] < 0:
            add(work.tree.pi, i, link(tree, i).armature * load(y, third + tree.speed[i]))


@inlined
def subtract_body_laws(tree, work, t):
    """W −= wrench of the body laws, link by link."""
    if tree.body_laws.has_any:
        clear_wrenches(tree, work.tree.wrench)
        evaluate_body_laws(tree, work, tree.body_laws, t)
        subtract_wrenches(tree, work)


@inlined
def evaluate_body_laws(tree, work, laws, t):
    """Wrenches of laws on the links, added to what is there."""
    inner = work.tree
    place_links(tree, inner)
    place_twists(tree, inner)
    add_all_wrenches(laws, t, links_as_bodies(inner))


@inlined
def subtract_wrenches(tree, work):
    for i in range(tree.parent.shape[0]):
        W = load(work.tree.wrench, i, Wrench)
        add(work.tree.bias, i, PairRow(to_triple(-W.torque), to_triple(-W.force)))


@inlined
def evaluate_joint_forces(tables, work, t, y):
    """Generalised forces of the joint laws into the momentum rows of work.ydot; rates are in
    work.
    """
    tree = tables.tree
    first = tree.layout.positions
    for i in range(2 * first):
        store(work.ydot, i, 0.0)
    for i in range(tree.parent.shape[0]):
        if tree.ball[i] < 0:
            store(work.ydot, tree.coordinate[i], load(work.tree.rate, i))
    add_all_generalised_forces(tree.joint_laws, t, y, work.ydot, first)


@inlined
def subtract_joint_laws(tables, work, t, y, sign):
    """π −= sign · generalised force of the joint laws, of links that are no followers."""
    if tables.tree.joint_laws.has_any:
        tree = tables.tree
        evaluate_joint_forces(tables, work, t, y)
        for i in range(tree.parent.shape[0]):
            if tree.ball[i] < 0:
                add(
                    work.tree.pi,
                    i,
                    load(work.ydot, tree.layout.positions + tree.coordinate[i]) * -sign,
                )
        for k in range(tree.follower.shape[0]):
            i = tree.follower[k]
            add(work.tree.pi, i, load(work.ydot, tree.layout.positions + tree.coordinate[i]) * sign)


class InverseDynamics(NamedTuple):
    has_forces: bool  # whether the model's forces act


@run_query.method(InverseDynamics)
def inverse_dynamics(query, tables, work, t, y, out):
    """τ = M(q) a + bias(q, u) − Q: the recursive Newton–Euler algorithm (RNEA), accelerations
    outward, wrenches inward.
    """
    tree, third = tables.tree, tables.tree.layout.positions + tables.speeds
    evaluate_inertial_wrenches(tree, work, y, third)
    if query.has_forces:
        subtract_body_laws(tree, work, t)
    gather_wrenches(tree, work.tree)
    add_armatures(tree, work, y, third)
    if query.has_forces:
        subtract_joint_laws(tables, work, t, y, 1.0)
    write_forces(tree, work.tree, y, out, 1.0)


class BiasForces(NamedTuple):
    placeholder: bool


@run_query.method(BiasForces)
def bias_forces(query, tables, work, t, y, out):
    """C(q, u) u + gravity, Coriolis and centrifugal forces in C u: the τ that keeps the speeds
    constant without the model's forces.
    """
    tree = tables.tree
    evaluate_inertial_wrenches(tree, work, y, -1)
    gather_wrenches(tree, work.tree)
    write_forces(tree, work.tree, y, out, 1.0)


@inlined
def gather_first_moments(tree, work, has_forces):
    """Inward, from frames: the first moment of all links about the world's origin, and if asked
    for the forces that hold them: π = −Gᵀ(first moment × gravity, mass gravity) of each branch.
    """
    n, gravity = tree.parent.shape[0], turned(to_triple(load(tree.gravity, 0, Vec3)))
    whole = zero_like(load(work.V, n, PairRow).w)
    for i in range(n - 1, -1, -1):
        frame = load(work.frame, i, FrameRow)
        X, Y, Z = axes_in_registers(work, i)
        S = combine(X, Y, Z, link(tree, i).moment)
        if tree.flags[i] & IS_LEAF == 0:
            S = S + load(work.momentum, tree.slot[i], MomentumRow).S
        if has_forces:
            store_holding_force(tree, work, i, S, frame.z, gravity)
        S = fma(frame.d.a, link(tree, i).branch_mass, S)
        if tree.parent[i] == n:
            whole = whole + S
        else:
            if tree.flags[i] & ARRIVES_FIRST == 0:
                S = S + load(work.momentum, tree.slot_of_parent[i], MomentumRow).S
            store(work.momentum, tree.slot_of_parent[i], MomentumRow(S, S, S))
    return whole


@inlined
def store_holding_force(tree, work, i, S, g, gravity):
    """π of link i, the first moment S of its branch about its origin."""
    if tree.ball[i] < 0:
        along = S * turned_cross(g, gravity)
        if tree.flags[i] & IS_HINGE == 0:
            weight = g.a * gravity.a * link(tree, i).branch_mass
            along = fma(weight, -link(tree, i).slide, along * link(tree, i).spin)
        store(work.pi, i, total(along))
    else:
        store(work.ball_pi, tree.ball[i], turned_cross(gravity, turned(S)))


class GravityForces(NamedTuple):
    placeholder: bool


@run_query.method(GravityForces)
def gravity_forces(query, tables, work, t, y, out):
    """The τ that holds the tree at rest."""
    propagate_frames(tables.tree, work.tree, y)
    gather_first_moments(tables.tree, work.tree, True)
    write_forces(tables.tree, work.tree, y, out, 1.0)


class GeneralisedForces(NamedTuple):
    placeholder: bool


@run_query.method(GeneralisedForces)
def generalised_forces(query, tables, work, t, y, out):
    """Q(t, q, u): the model's forces along the speeds."""
    tree = tables.tree
    propagate_frames(tree, work.tree, y)
    read_speeds(tree, work.tree, y, tree.layout.positions)
    propagate_twists(tree, work.tree)
    clear_pairs(work.tree.bias)
    subtract_body_laws(tree, work, t)
    gather_wrenches(tree, work.tree)
    subtract_joint_laws(tables, work, t, y, 1.0)
    write_forces(tree, work.tree, y, out, -1.0)


# ---- forward dynamics ----------------------------------------------------------------------------
class ForwardDynamics(NamedTuple):
    has_forces: bool


@run_query.method(ForwardDynamics)
def forward_dynamics(query, tables, work, t, y, out):
    """M(q) a = τ + Q − bias(q, u), solved by articulated inertias (articulated-body algorithm,
    ABA).
    """
    solve_accelerations(tables, work, t, y, query.has_forces)
    write_speeds(tables.tree, work.tree, y, out)
    mark_singular(out, largest_inertia_loss(tables.tree, work.tree))


@inlined
def solve_accelerations(tables, work, t, y, has_forces):
    """Rates of links become their accelerations beyond those at constant speeds."""
    evaluate_inertial_wrenches(tables.tree, work, y, -1)
    if has_forces:
        subtract_body_laws(tables.tree, work, t)
    solve_under_wrenches(tables, work, t, y, has_forces)


@inlined
def solve_under_wrenches(tables, work, t, y, has_forces):
    """The same, where the wrench of each link less those of the body laws is known."""
    tree = tables.tree
    inner = work.tree
    third = tables.tree.layout.positions + tables.speeds
    if tree.follower.shape[0] > 0:
        read_coupled_forces(tables, work, y, third)
    else:
        read_forces(tree, inner, y, third)
    if has_forces:
        subtract_joint_laws(tables, work, t, y, -1.0)
    gather_articulated_inertias(tree, inner, True)
    solve_couplings(tree, inner)
    propagate_velocities(tree, inner)


@outlined
def read_coupled_forces(tables, work, y, third):
    """π = τ − bias, link by link; no wrench is left."""
    tree, inner = tables.tree, work.tree
    gather_wrenches(tree, work.tree)
    clear_pairs(inner.bias)
    for i in range(tree.parent.shape[0]):
        store(inner.pi, i, load(y, third + tree.speed[i]) - load(inner.pi, i))
    for k in range(tree.follower.shape[0]):
        i = tree.follower[k]
        add(inner.pi, i, -load(y, third + tree.speed[i]))
    for b in range(tree.ball_link.shape[0]):
        torque = ball_vector(tree, inner, y, third, b)
        store_vector_row(inner.ball_pi, b, torque - vector_row(inner.ball_pi, b))


class SolveMassMatrix(NamedTuple):
    placeholder: bool


@run_query.method(SolveMassMatrix)
def solve_mass_matrix(query, tables, work, t, y, out):
    """M⁻¹ x in O(N) by articulated inertias; x stands where speeds do."""
    tree = tables.tree
    forward_kinematics(tree, work.tree, y)
    read_forces(tree, work.tree, y, tree.layout.positions)
    gather_articulated_inertias(tree, work.tree, False)
    solve_couplings(tree, work.tree)
    propagate_velocities(tree, work.tree)
    write_speeds(tree, work.tree, y, out)
    mark_singular(out, largest_inertia_loss(tree, work.tree))
