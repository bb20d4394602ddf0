"""Inverse dynamics (RNEA) and forward dynamics (ABA) of a tree, in speeds."""

from typing import NamedTuple

from hamiltree.algebra.mat3 import to_mat3
from hamiltree.algebra.rows import vector_at
from hamiltree.algebra.spatial import (
    ZERO_WRENCH,
    Twist,
    Wrench,
    wrench_about,
)
from hamiltree.algebra.values import cross, dot, plus_cross, plus_scaled
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import add, load, store
from hamiltree.forces.dispatch import add_all_generalised_forces, add_all_wrenches
from hamiltree.formulations.tree.algorithms import (
    ball_axes,
    ball_vector,
    read_forces,
    read_speeds,
    run_query,
    write_forces,
    write_speeds,
)
from hamiltree.formulations.tree.couplings import solve_couplings
from hamiltree.formulations.tree.link_rows import (
    PairRow,
    arm_of,
    axes_of,
    link,
    moment_of,
    rotational_inertia_of,
    screw,
    store_vector_row,
    to_triple,
    twist_of,
    vector_row,
)
from hamiltree.formulations.tree.regularity import largest_inertia_loss, mark_singular
from hamiltree.formulations.tree.sweeps import (
    clear_wrenches,
    forward_kinematics,
    gather_articulated_inertias,
    links_as_bodies,
    place_links,
    place_twists,
    propagate_frames,
    propagate_twists,
    propagate_velocities,
)


# ---- inverse dynamics ----------------------------------------------------------------------------
@inlined
def link_inertial_wrench(tree, work, i, V, a):
    """The wrench that accelerates link i alone: J a + v ×* J v about its origin."""
    inertia = to_mat3(rotational_inertia_of(work, i))
    S = moment_of(work, i)
    m = link(tree, i).mass
    force = plus_cross(plus_cross(a.v * m, a.w, S), V.w, cross(V.w, S))
    spin = inertia @ V.w
    return Wrench(plus_cross(plus_cross(inertia @ a.w, V.w, spin), S, a.v), force)


@inlined
def propagate_accelerations(tree, work, y, third):
    """Outward: accelerations of links, less gravity, with the accelerations of speeds that begin at
    row `third` of y (none if −1); the inertial wrench of each link.
    """
    n, inner = tree.parent.shape[0], work.tree
    store(work.a, n, Twist(ZERO, -load(tree.gravity, 0, Vec3)))
    for i in range(n):
        d = arm_of(inner, i)
        base = twist_of(inner, tree.parent[i])
        V = twist_of(inner, i)
        a, turn = load(work.a, tree.parent[i], Twist), V.w - base.w
        slid = V.v - plus_cross(base.v, base.w, d)
        linear = plus_cross(
            plus_cross(plus_cross(a.v, a.w, d), base.w, cross(base.w, d)), base.w * 2.0, slid
        )
        a = Twist(plus_cross(a.w, base.w, turn), linear)
        if third >= 0:
            a = add_joint_acceleration(tree, work, y, third, i, a)
        store(work.a, i, a)
        store(work.f, i, link_inertial_wrench(tree, inner, i, V, a))


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
    propagate_twists(tree, work.tree)
    propagate_accelerations(tree, work, y, third)


@inlined
def add_joint_acceleration(tree, work, y, third, i, a):
    """a + G ẍ."""
    if tree.ball[i] < 0:
        return plus_scaled(a, screw(tree, work.tree, i), load(y, third + tree.speed[i]))
    turn = ball_axes(tree, work.tree, y, tree.ball[i]) @ vector_at(y, third + tree.speed[i])
    return Twist(a.w + turn, a.v)


@inlined
def gather_wrenches(tree, work):
    """Inward: π = Gᵀ W of each link, and the wrench of its branch added to that of the parent."""
    for i in range(tree.parent.shape[0] - 1, -1, -1):
        W = load(work.f, i, Wrench)
        if tree.ball[i] < 0:
            store(work.tree.pi, i, dot(W, screw(tree, work.tree, i)))
        else:
            store_vector_row(work.tree.ball_pi, tree.ball[i], W.torque)
        add(work.f, tree.parent[i], wrench_about(W, arm_of(work.tree, i)))


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
        add(work.f, i, Wrench(-W.torque, -W.force))


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
    gather_wrenches(tree, work)
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
    gather_wrenches(tree, work)
    write_forces(tree, work.tree, y, out, 1.0)


@inlined
def gather_first_moments(tree, work):
    """Inward, from frames: first moment of each branch about its link's origin, into work.moment;
    the last row is that of all links about the world's origin.
    """
    n = tree.parent.shape[0]
    store(work.moment, n, ZERO)
    for i in range(n):
        store(work.moment, i, axes_of(work.tree, i) @ link(tree, i).moment)
    for i in range(n - 1, -1, -1):
        S = load(work.moment, i, Vec3)
        arm = arm_of(work.tree, i)
        add(work.moment, tree.parent[i], plus_scaled(S, arm, link(tree, i).branch_mass))


class GravityForces(NamedTuple):
    placeholder: bool


@run_query.method(GravityForces)
def gravity_forces(query, tables, work, t, y, out):
    """The τ that holds the tree at rest: −Gᵀ(first moment × gravity, mass gravity) of each
    branch.
    """
    tree = tables.tree
    inner = work.tree
    gravity = load(tables.tree.gravity, 0, Vec3)
    n = tree.parent.shape[0]
    propagate_frames(tree, inner, y)
    gather_first_moments(tree, work)
    for i in range(n):
        torque = cross(gravity, load(work.moment, i, Vec3))
        force = gravity * -link(tree, i).branch_mass
        if tree.ball[i] < 0:
            store(inner.pi, i, dot(Wrench(torque, force), screw(tree, inner, i)))
        else:
            store_vector_row(inner.ball_pi, tree.ball[i], torque)
    write_forces(tree, inner, y, out, 1.0)


class GeneralisedForces(NamedTuple):
    placeholder: bool


@run_query.method(GeneralisedForces)
def generalised_forces(query, tables, work, t, y, out):
    """Q(t, q, u): the model's forces along the speeds."""
    tree, n = tables.tree, tables.tree.parent.shape[0]
    propagate_frames(tree, work.tree, y)
    read_speeds(tree, work.tree, y, tree.layout.positions)
    propagate_twists(tree, work.tree)
    for i in range(n + 1):
        store(work.f, i, ZERO_WRENCH)
    subtract_body_laws(tree, work, t)
    gather_wrenches(tree, work)
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
    for i in range(tree.parent.shape[0]):
        W = load(work.f, i, Wrench)
        store(inner.bias, i, PairRow(to_triple(W.torque), to_triple(W.force)))
    if has_forces:
        subtract_joint_laws(tables, work, t, y, -1.0)
    gather_articulated_inertias(tree, inner, True)
    solve_couplings(tree, inner)
    propagate_velocities(tree, inner)


@outlined
def read_coupled_forces(tables, work, y, third):
    """π = τ − bias, link by link; no wrench is left."""
    tree, inner = tables.tree, work.tree
    gather_wrenches(tree, work)
    clear_wrenches(tree, work.f)
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
