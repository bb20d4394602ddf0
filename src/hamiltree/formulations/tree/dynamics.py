"""Inverse dynamics (RNEA), forward dynamics (ABA), mass matrix (CRBA) and its factor (LTDL) of a
tree, in speeds.
"""

from typing import NamedTuple

from hamiltree.algebra.mat3 import ZERO_SYMMETRIC, Sym3, to_mat3
from hamiltree.algebra.rows import vector_at
from hamiltree.algebra.spatial import (
    ZERO_WRENCH,
    Momentum,
    Twist,
    Wrench,
    momentum_about,
    wrench_about,
)
from hamiltree.algebra.values import cross, dot, plus_cross, plus_scaled
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import absolute, add, broadcast_like, load, maximum, store
from hamiltree.forces.dispatch import add_all_generalised_forces, add_all_wrenches
from hamiltree.formulations.tree.algorithms import (
    ball_axes,
    ball_vector,
    evaluate_column_screws,
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
        n, inner = tree.parent.shape[0], work.tree
        place_links(tree, inner)
        place_twists(tree, inner)
        clear_wrenches(tree, inner.wrench)
        add_all_wrenches(tree.body_laws, t, links_as_bodies(inner))
        for i in range(n):
            W = load(inner.wrench, i, Wrench)
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
    for i in range(n):
        store(work.moment, i, axes_of(inner, i) @ link(tree, i).moment)
    for i in range(n - 1, -1, -1):
        S = load(work.moment, i, Vec3)
        m = link(tree, i).branch_mass
        torque = cross(gravity, S)
        if tree.ball[i] < 0:
            store(inner.pi, i, dot(Wrench(torque, gravity * -m), screw(tree, inner, i)))
        else:
            store_vector_row(inner.ball_pi, tree.ball[i], torque)
        add(work.moment, tree.parent[i], plus_scaled(S, arm_of(inner, i), m))
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
    tree = tables.tree
    inner = work.tree
    third = tables.tree.layout.positions + tables.speeds
    evaluate_inertial_wrenches(tree, work, y, -1)
    if has_forces:
        subtract_body_laws(tree, work, t)
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


# ---- the mass matrix -----------------------------------------------------------------------------
@inlined
def gather_composite_inertias(tree, work):
    """Inward: composite inertia and first moment of each branch, all its joints locked, about the
    link's origin, into work.inertia and work.moment.
    """
    n, inner = tree.parent.shape[0], work.tree
    store(work.inertia, n, ZERO_SYMMETRIC)
    store(work.moment, n, ZERO)
    for i in range(n):
        store(work.inertia, i, rotational_inertia_of(inner, i))
        store(work.moment, i, moment_of(inner, i))
    for i in range(n - 1, -1, -1):
        A = load(work.inertia, i, Sym3)
        S = load(work.moment, i, Vec3)
        d = arm_of(inner, i)
        m = link(tree, i).branch_mass
        add(work.inertia, tree.parent[i], translate_inertia(A, S, d, m))
        add(work.moment, tree.parent[i], plus_scaled(S, d, m))


@inlined
def translate_inertia(A, S, d, m):
    """A + 2 (S·d) 1 − S dᵀ − d Sᵀ + m (d² 1 − d dᵀ): about the point at −d."""
    k, e = Vec3(S.x + d.x * m, S.y + d.y * m, S.z + d.z * m), dot(S, d) * 2.0 + dot(d, d) * m
    return Sym3(
        A.xx + e - S.x * d.x - d.x * k.x,
        A.xy - S.x * d.y - d.x * k.y,
        A.xz - S.x * d.z - d.x * k.z,
        A.yy + e - S.y * d.y - d.y * k.y,
        A.yz - S.y * d.z - d.y * k.z,
        A.zz + e - S.z * d.z - d.z * k.z,
    )


@inlined
def composite_momentum(tree, work, i, G):
    """J G of a rigid branch about the link's origin."""
    S = load(work.moment, i, Vec3)
    return Momentum(
        plus_cross(load(work.inertia, i, Sym3) @ G.w, S, G.v),
        plus_cross(G.v * link(tree, i).branch_mass, G.w, S),
    )


@inlined
def fill_mass_matrix(tables, work, y, out):
    """M by composite inertias (composite-rigid-body algorithm, CRBA): U = J G of each column, taken
    to every link inward; flat, rows of speeds.
    """
    tree, size = tables.tree, tables.speeds
    forward_kinematics(tree, work.tree, y)
    evaluate_column_screws(tables, work, y)
    gather_composite_inertias(tree, work)
    for k in range(size * size):
        store(out, k, 0.0)
    for i in range(tree.parent.shape[0]):
        for c in range(tables.first_column[i], tables.first_column[i + 1]):
            fill_mass_matrix_column(tables, work, out, i, c)


@inlined
def fill_mass_matrix_column(tables, work, out, i, c):
    """M(c, e) = Gₑᵀ U of column c of link i, for every column e inward of it; armature."""
    tree, size = tables.tree, tables.speeds
    U = composite_momentum(tree, work, i, load(work.G, c, Twist))
    j = i
    last = c + 1
    row = tables.column_row[c]
    is_coupled = tree.follower.shape[0] > 0
    while j < tree.parent.shape[0]:
        for e in range(tables.first_column[j], last):
            value, column = dot(U, load(work.G, e, Twist)), tables.column_row[e]
            if not is_coupled:  # every entry comes once
                store(out, row * size + column, value)
                store(out, column * size + row, value)
                continue
            add(out, row * size + column, value)
            if e != c:
                add(out, column * size + row, value)
        U = momentum_about(U, arm_of(work.tree, j))
        j = tree.parent[j]
        last = tables.first_column[min(j, tree.parent.shape[0] - 1) + 1]
    if tree.ball[i] < 0:
        add(out, row * size + row, link(tree, i).armature)


class MassMatrix(NamedTuple):
    placeholder: bool


@run_query.method(MassMatrix)
def mass_matrix(query, tables, work, t, y, out):
    """M(q), flat (CRBA)."""
    fill_mass_matrix(tables, work, y, out)


class Factor(NamedTuple):
    placeholder: bool


@run_query.method(Factor)
def factor(query, tables, work, t, y, out):
    """M = U diag(d) Uᵀ (the LTDL factorisation, U = Lᵀ): U flat, unit on its diagonal and with the
    sparsity of the tree, then d; what follows is workspace.
    """
    size = tables.speeds
    square = size * size
    fill_mass_matrix(tables, work, y, out)
    fill_composite_scales(tables, work)
    for k in range(square):
        store(out, square + size + k, load(out, k))
        store(out, k, 0.0)
    factor_ltdl(tables, out, square + size)
    for k in range(size):
        store(out, square + k, load(out, square + size + k * size + k))
        store(out, k * size + k, 1.0)
        i = tables.row_parent[k]
        while i >= 0:
            store(out, i * size + k, load(out, square + size + k * size + i))
            i = tables.row_parent[i]
    mark_singular(out, largest_pivot_loss(tables, work, out, square))


@outlined
def largest_pivot_loss(tables, work, out, first):
    """The largest scale over pivot of all speeds; the pivots begin at row `first` of out."""
    loss = broadcast_like(0.0, load(out, 0))
    for k in range(tables.speeds):
        loss = maximum(loss, load(work.third, k) / absolute(load(out, first + k)))
    return loss


@outlined
def fill_composite_scales(tables, work):
    """What each speed moves with all others locked, about any axis, into work.third: the scale of
    its pivot. After gather_composite_inertias.
    """
    tree = tables.tree
    for k in range(tables.speeds):
        store(work.third, k, 0.0)
    for i in range(tree.parent.shape[0]):
        A = load(work.inertia, i, Sym3)
        spin = link(tree, i).spin
        slide = link(tree, i).slide
        turning = A.xx + A.yy + A.zz
        if tree.ball[i] < 0:
            turning = spin * spin * turning + slide * slide * link(tree, i).branch_mass
        for c in range(tables.first_column[i], tables.first_column[i + 1]):
            add(work.third, tables.column_row[c], turning)


@inlined
def factor_ltdl(tables, M, first):
    """LTDL: the matrix that begins at row `first`, in place, as Lᵀ D L; D on the diagonal, L(k, i)
    for every i inward of k (Featherstone 2008, section 6.3).
    """
    size = tables.speeds
    for place in range(size - 1, -1, -1):
        k = tables.row_order[place]
        inverse = 1.0 / load(M, first + k * size + k)
        i = tables.row_parent[k]
        while i >= 0:
            a = load(M, first + k * size + i) * inverse
            j = i
            while j >= 0:
                add(M, first + i * size + j, -a * load(M, first + k * size + j))
                j = tables.row_parent[j]
            store(M, first + k * size + i, a)
            i = tables.row_parent[i]
