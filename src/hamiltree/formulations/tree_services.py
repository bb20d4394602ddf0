"""What roboticists ask of a tree, in speeds: inverse and forward dynamics, the mass matrix and its factor, momenta, Jacobians, derivatives.

A task is a NamedTuple whose type says what is asked; `serve(task, services, work, t, y, out)` answers it in O(N) (matrices O(N depth)).
y holds q, then the speeds u, then a third vector (accelerations, forces); out is flat. World axes; six-vectors with the angular part first.
A column is one speed as it moves one link: an axis has one, a ball three. Couplings add columns of several links into one speed.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.handle import opened
from hamiltree.algebra.mat3 import Mat3, Sym3, full
from hamiltree.algebra.number import WIDTH, add, alike, blocks, fma, load, load_block, padded, rows, sincos, store, store_block
from hamiltree.algebra.quat import quaternion_of, rotation_matrix
from hamiltree.algebra.spatial import NO_MOMENTUM, NO_TWIST, NO_WRENCH, Momentum, Twist, Wrench, momentum_about, twist_at, wrench_about
from hamiltree.algebra.values import cross, dot, plus_cross, plus_scaled, transpose
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.forces.laws import Bodies
from hamiltree.forces.packed import act_on_bodies, act_on_joints, energy_of_bodies, energy_of_joints
from hamiltree.formulations.entries import give_lanes, take_lanes
from hamiltree.formulations.formulation import read_only
from hamiltree.formulations.hamiltonian_tree import HamiltonianTree, Pose, tabulated
from hamiltree.formulations.hamiltonian_tree import workspace as tree_workspace
from hamiltree.formulations.links import links_of
from hamiltree.formulations.tree_sweeps import (
    TreeWork,
    ball_quaternion,
    frame_of,
    gather_branches,
    link,
    place_frames,
    place_links,
    place_origins,
    screw,
    solve_coupled,
    spread_twists,
    spread_velocities,
)
from hamiltree.kernel import Generic, guarded_kernel, inlined, outlined

serve = Generic("serve", "serve(task, services, work, t, y, out): the answer to a task, flat", leading=1).call


class Services(NamedTuple):
    tree: HamiltonianTree
    speeds: int
    stride: int  # of the rows of three matrices beside each other
    column_link: np.ndarray  # (columns,) the link that a column moves
    column_row: np.ndarray  # (columns,) its speed
    first_column: np.ndarray  # (links + 1,) of each link
    row_order: np.ndarray  # (speeds,) outward
    row_parent: np.ndarray  # (speeds,) the next one inward, −1 at a root


class ServiceWork(NamedTuple):
    tree: TreeWork
    G: np.ndarray  # Twist of each column about the origin of its link             place_columns
    a: np.ndarray  # Twist: acceleration of each link                              spread_accelerations
    f: np.ndarray  # Wrench on each branch about the link's origin                 spread_accelerations, gather_wrenches
    ydot: np.ndarray  # rates and efforts of joint laws                            find_efforts
    third: np.ndarray  # (speeds,)                                                 forward derivatives
    slope: np.ndarray  # one number
    S: np.ndarray  # Twist of each column about the world's origin                 and so on: see differentiate
    turning: np.ndarray
    psi: np.ndarray
    psidot: np.ndarray
    twist: np.ndarray
    acceleration: np.ndarray
    inertia: np.ndarray  # Sym3 of the branch about the world's origin
    moment: np.ndarray  # Vec3
    N: np.ndarray  # Mat3
    linear: np.ndarray  # Vec3, linear momentum of the branch
    wrench: np.ndarray
    wide: np.ndarray  # matrices beside each other, rows of `stride` numbers
    square: np.ndarray  # the mass matrix, then its factor


# ---- assembly ------------------------------------------------------------------------------------------------------------------
def assemble_services(model) -> Services:
    links = links_of(model, "services")
    tree = tabulated(model, links)
    n, count = len(links.parent), np.where(links.is_ball, 3, 1)
    first = np.concatenate([[0], np.cumsum(count)])
    column_link = np.repeat(np.arange(n), count)
    column_row = links.speed[column_link] + (np.arange(first[-1]) - first[column_link])
    order, parent = row_tree(links, first, column_row, len(model.speeds))
    return Services(
        tree,
        len(model.speeds),
        padded(3 * len(model.speeds)),
        read_only(column_link),
        read_only(column_row),
        read_only(first),
        read_only(order),
        read_only(parent),
    )


def row_tree(links, first, column_row, speeds) -> tuple[np.ndarray, np.ndarray]:
    """Speeds outward and the tree that the mass matrix has as its sparsity; with couplings it may be full."""
    order = np.array(list(dict.fromkeys(column_row.tolist())), dtype=np.int64).reshape(-1)
    parent = np.full(speeds, -1, dtype=np.int64)
    if (links.leader != np.arange(len(links.parent))).any():
        parent[order[1:]] = order[:-1]
        return order, parent
    for i, inner in enumerate(links.parent):
        own = column_row[first[i] : first[i + 1]]
        parent[own[1:]] = own[:-1]
        parent[own[0]] = column_row[first[inner + 1] - 1] if inner < len(links.parent) else -1
    return order, parent


def service_workspace(services: Services, width: int) -> ServiceWork:
    n, columns, size = len(services.tree.parent) + 1, max(1, len(services.column_link)), sum(services.tree.layout)
    tree = tree_workspace(services.tree._replace(body_laws=services.tree.body_laws._replace(has_any=True)), width)
    return ServiceWork(
        tree,
        rows(Twist, columns, width),
        rows(Twist, n, width),
        rows(Wrench, n, width),
        rows(float, max(1, size), width),
        rows(float, max(1, services.speeds), width),
        rows(float, 1, width),
        *(rows(Twist, columns, width) for _ in range(4)),
        *(rows(Twist, n, width) for _ in range(2)),
        rows(Sym3, n, width),
        rows(Vec3, n, width),
        rows(Mat3, n, width),
        rows(Vec3, n, width),
        rows(Wrench, n, width),
        rows(float, max(WIDTH, services.speeds * services.stride), width),
        rows(float, max(1, services.speeds**2), width),
    )


# ---- entries -------------------------------------------------------------------------------------------------------------------
@guarded_kernel
def serve_one(handle, t, q, u, x, out):
    """One state; handle = (task, services, work, y). Says whether all of the answer is finite."""
    task, services, work, y = opened(handle)
    positions, speeds = q.shape[0], u.shape[0]
    for i in range(positions):
        y[i] = q[i]
    for i in range(speeds):
        y[positions + i] = u[i]
    for i in range(x.shape[0]):
        y[positions + speeds + i] = x[i]
    serve(task, services, work, t, y, out)
    check = 0.0  # stays zero while all is finite
    for i in range(out.shape[0]):
        check += 0.0 * out[i]
    return check == 0.0


@guarded_kernel
def serve_many(handle, t, q, u, x, out):
    """Many states, four at a time; handle = (task, services, work, y, answer) with lanes."""
    task, services, work, y, answer = opened(handle)
    for first in range(0, q.shape[0], WIDTH):
        take_lanes(q, first, y, 0)
        take_lanes(u, first, y, q.shape[1])
        take_lanes(x, first, y, q.shape[1] + u.shape[1])
        serve(task, services, work, alike(t, load(y, 0)), y, answer)
        give_lanes(answer, 0, first, out)


# ---- between speeds and links ----------------------------------------------------------------------------------------------------
@inlined
def ball_axes(tree, work, y, b):
    """The axes in which the speeds of a ball are given, so that ω = axes u, world: the child's joint axes."""
    R = load(work.R, tree.ball_link[b], Mat3)
    if tree.ball_sign[b] > 0.0:
        return R
    return (R @ transpose(rotation_matrix(ball_quaternion(tree, y, b, 0)))) * -1.0


@inlined
def vector_at(array, first):
    return Vec3(load(array, first), load(array, first + 1), load(array, first + 2))


@inlined
def put_vector(array, first, v):
    store(array, first, v.x)
    store(array, first + 1, v.y)
    store(array, first + 2, v.z)


@inlined
def take_speeds(tree, work, y, first):
    """Rates of links from the speeds that begin at row `first` of y."""
    for i in range(tree.parent.shape[0]):
        store(work.rate, i, load(y, first + tree.speed[i]))
    for b in range(tree.ball_link.shape[0]):
        store(work.ball_rate, b, ball_axes(tree, work, y, b) @ vector_at(y, first + tree.speed[tree.ball_link[b]]))


@inlined
def take_forces(tree, work, y, first):
    """π of links from forces along speeds; a follower has none of its own."""
    for i in range(tree.parent.shape[0]):
        store(work.pi, i, load(y, first + tree.speed[i]))
    for k in range(tree.follower.shape[0]):
        store(work.pi, tree.follower[k], 0.0)
    for b in range(tree.ball_link.shape[0]):
        store(work.ball_pi, b, ball_axes(tree, work, y, b) @ vector_at(y, first + tree.speed[tree.ball_link[b]]))


@inlined
def give_speeds(tree, work, y, out):
    for i in range(tree.parent.shape[0]):
        if tree.ball[i] < 0:
            store(out, tree.speed[i], load(work.rate, i))
    for b in range(tree.ball_link.shape[0]):
        w = transpose(ball_axes(tree, work, y, b)) @ load(work.ball_rate, b, Vec3)
        put_vector(out, tree.speed[tree.ball_link[b]], w)


@inlined
def give_forces(tree, work, y, out, sign):
    """sign·π of links into forces along speeds; those of a follower add to its leader's."""
    for i in range(tree.parent.shape[0]):
        if tree.ball[i] < 0:
            store(out, tree.speed[i], 0.0)
    for i in range(tree.parent.shape[0]):
        if tree.ball[i] < 0:
            add(out, tree.speed[i], load(work.pi, i) * sign)
    for b in range(tree.ball_link.shape[0]):
        torque = transpose(ball_axes(tree, work, y, b)) @ load(work.ball_pi, b, Vec3)
        put_vector(out, tree.speed[tree.ball_link[b]], torque * sign)


@inlined
def place_columns(services, work, y):
    """G of every column, about the origin of its link. After the frames are placed."""
    tree = services.tree
    for i in range(tree.parent.shape[0]):
        if tree.ball[i] < 0:
            store(work.G, services.first_column[i], screw(tree, work.tree, i))
        else:
            axes = ball_axes(tree, work.tree, y, tree.ball[i])
            store(work.G, services.first_column[i], Twist(axes.x, ZERO))
            store(work.G, services.first_column[i] + 1, Twist(axes.y, ZERO))
            store(work.G, services.first_column[i] + 2, Twist(axes.z, ZERO))


# ---- inverse dynamics --------------------------------------------------------------------------------------------------------------
@inlined
def own_wrench(tree, work, i, V, a):
    """The wrench that accelerates link i alone: J a + v ×* J v about its origin."""
    inertia, S, m = full(load(work.A, i, Sym3)), load(work.S, i, Vec3), link(tree, i).mass
    force = plus_cross(plus_cross(a.v * m, a.w, S), V.w, cross(V.w, S))
    spin = inertia @ V.w
    return Wrench(plus_cross(plus_cross(inertia @ a.w, V.w, spin), S, a.v), force)


@inlined
def spread_accelerations(tree, work, y, third):
    """Outward: accelerations of links, those of speeds beginning at row `third` of y (none if −1), against gravity; the wrench of each."""
    n, inner = tree.parent.shape[0], work.tree
    store(work.a, n, Twist(ZERO, -load(tree.gravity, 0, Vec3)))
    for i in range(n):
        d, base, V = load(inner.d, i, Vec3), load(inner.V, tree.parent[i], Twist), load(inner.V, i, Twist)
        a, turn = load(work.a, tree.parent[i], Twist), V.w - base.w
        slid = V.v - plus_cross(base.v, base.w, d)
        linear = plus_cross(plus_cross(plus_cross(a.v, a.w, d), base.w, cross(base.w, d)), base.w * 2.0, slid)
        a = Twist(plus_cross(a.w, base.w, turn), linear)
        if third >= 0:
            a = asked_acceleration(tree, work, y, third, i, a)
        store(work.a, i, a)
        store(work.f, i, own_wrench(tree, inner, i, V, a))


@inlined
def asked_acceleration(tree, work, y, third, i, a):
    if tree.ball[i] < 0:
        return plus_scaled(a, screw(tree, work.tree, i), load(y, third + tree.speed[i]))
    turn = ball_axes(tree, work.tree, y, tree.ball[i]) @ vector_at(y, third + tree.speed[i])
    return Twist(a.w + turn, a.v)


@inlined
def gather_wrenches(tree, work):
    """Inward: π of each link, and the branch's wrench handed to the parent."""
    for i in range(tree.parent.shape[0] - 1, -1, -1):
        W = load(work.f, i, Wrench)
        if tree.ball[i] < 0:
            store(work.tree.pi, i, dot(W, screw(tree, work.tree, i)))
        else:
            store(work.tree.ball_pi, tree.ball[i], W.torque)
        add(work.f, tree.parent[i], wrench_about(W, load(work.tree.d, i, Vec3)))


@inlined
def add_armatures(tree, work, y, third):
    for i in range(tree.parent.shape[0]):
        if tree.ball[i] < 0:
            add(work.tree.pi, i, link(tree, i).armature * load(y, third + tree.speed[i]))


@inlined
def subtract_body_laws(tree, work, t):
    """What body laws do needs no other force: taken off the wrenches of links."""
    if tree.body_laws.has_any:
        n, inner = tree.parent.shape[0], work.tree
        place_origins(tree, inner)
        for i in range(n + 1):
            store(inner.wrench, i, NO_WRENCH)
        act_on_bodies(tree.body_laws, t, Bodies(inner.R, inner.position, inner.V, inner.wrench))
        for i in range(n):
            W = load(inner.wrench, i, Wrench)
            add(work.f, i, Wrench(-W.torque, -W.force))


@inlined
def find_efforts(services, work, t, y):
    """Efforts of the joint laws into the momentum rows of work.ydot; rates are in work."""
    tree = services.tree
    first = tree.layout.positions
    for i in range(2 * first):
        store(work.ydot, i, 0.0)
    for i in range(tree.parent.shape[0]):
        if tree.ball[i] < 0:
            store(work.ydot, tree.coordinate[i], load(work.tree.rate, i))
    act_on_joints(tree.joint_laws, t, y, work.ydot, first)


@inlined
def subtract_joint_laws(services, work, t, y, sign):
    """π −= sign · effort, of links that are no followers."""
    if services.tree.joint_laws.has_any:
        tree = services.tree
        find_efforts(services, work, t, y)
        for i in range(tree.parent.shape[0]):
            if tree.ball[i] < 0:
                add(work.tree.pi, i, load(work.ydot, tree.layout.positions + tree.coordinate[i]) * -sign)
        for k in range(tree.follower.shape[0]):
            i = tree.follower[k]
            add(work.tree.pi, i, load(work.ydot, tree.layout.positions + tree.coordinate[i]) * sign)


class InverseDynamics(NamedTuple):
    has_forces: bool  # whether the model's forces act


@serve.method(InverseDynamics)
def inverse_dynamics(task, services, work, t, y, out):
    """τ = M(q) a + bias(q, u) − Q: Newton–Euler outward and inward."""
    tree, third = services.tree, services.tree.layout.positions + services.speeds
    place_links(tree, work.tree, y)
    take_speeds(tree, work.tree, y, tree.layout.positions)
    spread_twists(tree, work.tree)
    spread_accelerations(tree, work, y, third)
    if task.has_forces:
        subtract_body_laws(tree, work, t)
    gather_wrenches(tree, work)
    add_armatures(tree, work, y, third)
    if task.has_forces:
        subtract_joint_laws(services, work, t, y, 1.0)
    give_forces(tree, work.tree, y, out, 1.0)


class BiasForces(NamedTuple):
    has_gravity: bool


@serve.method(BiasForces)
def bias_forces(task, services, work, t, y, out):
    """C(q, u) u + gravity: the τ that keeps the speeds constant without the model's forces."""
    tree = services.tree
    place_links(tree, work.tree, y)
    take_speeds(tree, work.tree, y, tree.layout.positions)
    spread_twists(tree, work.tree)
    spread_accelerations(tree, work, y, -1)
    gather_wrenches(tree, work)
    give_forces(tree, work.tree, y, out, 1.0)


class GravityForces(NamedTuple):
    is_task: bool


@serve.method(GravityForces)
def gravity_forces(task, services, work, t, y, out):
    """The τ that holds the tree at rest: −Gᵀ(first moment × gravity, mass gravity) of each branch."""
    tree, inner, gravity = services.tree, work.tree, load(services.tree.gravity, 0, Vec3)
    n = tree.parent.shape[0]
    place_frames(tree, inner, y)
    for i in range(n):
        store(inner.S, i, load(inner.R, i, Mat3) @ link(tree, i).moment)
    for i in range(n - 1, -1, -1):
        S, m, d = load(inner.S, i, Vec3), link(tree, i).branch_mass, load(inner.d, i, Vec3)
        torque = cross(gravity, S)
        if tree.ball[i] < 0:
            store(inner.pi, i, dot(Wrench(torque, gravity * -m), screw(tree, inner, i)))
        else:
            store(inner.ball_pi, tree.ball[i], torque)
        add(inner.S, tree.parent[i], plus_scaled(S, d, m))
    give_forces(tree, inner, y, out, 1.0)


class GeneralisedForces(NamedTuple):
    is_task: bool


@serve.method(GeneralisedForces)
def generalised_forces(task, services, work, t, y, out):
    """Q(t, q, u): the model's forces along the speeds."""
    tree, n = services.tree, services.tree.parent.shape[0]
    place_frames(tree, work.tree, y)
    take_speeds(tree, work.tree, y, tree.layout.positions)
    spread_twists(tree, work.tree)
    for i in range(n + 1):
        store(work.f, i, NO_WRENCH)
    subtract_body_laws(tree, work, t)
    gather_wrenches(tree, work)
    subtract_joint_laws(services, work, t, y, 1.0)
    give_forces(tree, work.tree, y, out, -1.0)


# ---- forward dynamics --------------------------------------------------------------------------------------------------------------
class ForwardDynamics(NamedTuple):
    has_forces: bool


@serve.method(ForwardDynamics)
def forward_dynamics(task, services, work, t, y, out):
    """M(q) a = τ + Q − bias(q, u), solved by freeing one joint after the other."""
    accelerate(services, work, t, y, task.has_forces)
    give_speeds(services.tree, work.tree, y, out)


@inlined
def accelerate(services, work, t, y, has_forces):
    """Rates of links become their accelerations beyond those at constant speeds."""
    tree, inner, third = services.tree, work.tree, services.tree.layout.positions + services.speeds
    place_links(tree, inner, y)
    take_speeds(tree, inner, y, tree.layout.positions)
    spread_twists(tree, inner)
    spread_accelerations(tree, work, y, -1)
    if has_forces:
        subtract_body_laws(tree, work, t)
    if tree.follower.shape[0] > 0:
        ask_coupled(services, work, y, third)
    else:
        take_forces(tree, inner, y, third)
        for i in range(tree.parent.shape[0]):
            W = load(work.f, i, Wrench)
            store(inner.z, i, Momentum(W.torque, W.force))
    if has_forces:
        subtract_joint_laws(services, work, t, y, -1.0)
    gather_branches(tree, inner)
    solve_coupled(tree, inner)
    spread_velocities(tree, inner)


@outlined
def ask_coupled(services, work, y, third):
    """π = τ − bias, link by link."""
    tree, inner = services.tree, work.tree
    gather_wrenches(tree, work)
    for i in range(tree.parent.shape[0]):
        store(inner.pi, i, load(y, third + tree.speed[i]) - load(inner.pi, i))
    for k in range(tree.follower.shape[0]):
        i = tree.follower[k]
        add(inner.pi, i, -load(y, third + tree.speed[i]))
    for b in range(tree.ball_link.shape[0]):
        torque = ball_axes(tree, inner, y, b) @ vector_at(y, third + tree.speed[tree.ball_link[b]])
        store(inner.ball_pi, b, torque - load(inner.ball_pi, b, Vec3))


class Solve(NamedTuple):
    is_task: bool


@serve.method(Solve)
def solve(task, services, work, t, y, out):
    """M⁻¹ x in O(N); x stands where speeds do."""
    tree = services.tree
    place_links(tree, work.tree, y)
    take_forces(tree, work.tree, y, tree.layout.positions)
    gather_branches(tree, work.tree)
    solve_coupled(tree, work.tree)
    spread_velocities(tree, work.tree)
    give_speeds(tree, work.tree, y, out)


# ---- the mass matrix -----------------------------------------------------------------------------------------------------------------
@inlined
def gather_composites(tree, work):
    """Inward: inertia A and first moment S of each branch, rigid, about the link's origin."""
    for i in range(tree.parent.shape[0] - 1, -1, -1):
        A, S, d, m = load(work.A, i, Sym3), load(work.S, i, Vec3), load(work.d, i, Vec3), link(tree, i).branch_mass
        add(work.A, tree.parent[i], moved_inertia(A, S, d, m))
        add(work.S, tree.parent[i], plus_scaled(S, d, m))


@inlined
def moved_inertia(A, S, d, m):
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
    S = load(work.S, i, Vec3)
    return Momentum(plus_cross(load(work.A, i, Sym3) @ G.w, S, G.v), plus_cross(G.v * link(tree, i).branch_mass, G.w, S))


@inlined
def fill_mass_matrix(services, work, y, out):
    """M by composite inertias: U = J G of each column, taken up the tree; flat, rows of speeds."""
    tree, size = services.tree, services.speeds
    place_links(tree, work.tree, y)
    place_columns(services, work, y)
    gather_composites(tree, work.tree)
    for k in range(size * size):
        store(out, k, 0.0)
    for i in range(tree.parent.shape[0]):
        for c in range(services.first_column[i], services.first_column[i + 1]):
            fill_column(services, work, out, i, c)


@inlined
def fill_column(services, work, out, i, c):
    tree, size = services.tree, services.speeds
    U = composite_momentum(tree, work.tree, i, load(work.G, c, Twist))
    j, last, row = i, c + 1, services.column_row[c]
    while j < tree.parent.shape[0]:
        for e in range(services.first_column[j], last):
            value, column = dot(U, load(work.G, e, Twist)), services.column_row[e]
            add(out, row * size + column, value)
            if e != c:
                add(out, column * size + row, value)
        U = momentum_about(U, load(work.tree.d, j, Vec3))
        j = tree.parent[j]
        last = services.first_column[min(j, tree.parent.shape[0] - 1) + 1]
    if tree.ball[i] < 0:
        add(out, row * size + row, link(tree, i).armature)


class MassMatrix(NamedTuple):
    is_task: bool


@serve.method(MassMatrix)
def mass_matrix(task, services, work, t, y, out):
    fill_mass_matrix(services, work, y, out)


class Factor(NamedTuple):
    is_task: bool


@serve.method(Factor)
def factor(task, services, work, t, y, out):
    """M = U diag(d) Uᵀ: U flat, unit on its diagonal and with the sparsity of the tree, then d; what follows is scratch."""
    size = services.speeds
    square = size * size
    fill_mass_matrix(services, work, y, out)
    for k in range(square):
        store(out, square + size + k, load(out, k))
        store(out, k, 0.0)
    decompose(services, out, square + size)
    for k in range(size):
        store(out, square + k, load(out, square + size + k * size + k))
        store(out, k * size + k, 1.0)
        i = services.row_parent[k]
        while i >= 0:
            store(out, i * size + k, load(out, square + size + k * size + i))
            i = services.row_parent[i]


@inlined
def decompose(services, M, first):
    """The matrix that begins at row `first`, in place: Lᵀ D L, D on the diagonal, L(k, i) for every i inward of k
    (Featherstone 2008, section 6.3)."""
    size = services.speeds
    for place in range(size - 1, -1, -1):
        k = services.row_order[place]
        inverse = 1.0 / load(M, first + k * size + k)
        i = services.row_parent[k]
        while i >= 0:
            a = load(M, first + k * size + i) * inverse
            j = i
            while j >= 0:
                add(M, first + i * size + j, -a * load(M, first + k * size + j))
                j = services.row_parent[j]
            store(M, first + k * size + i, a)
            i = services.row_parent[i]


# ---- momenta and energies --------------------------------------------------------------------------------------------------------------
@inlined
def total_mass(tree):
    total = 0.0
    for i in range(tree.parent.shape[0]):
        total += link(tree, i).mass
    return total


@inlined
def centre_of_mass(tree, work):
    """From frames: the first moment about the world's origin over the mass; the mass of welded bodies on the ground is not counted."""
    n = tree.parent.shape[0]
    store(work.S, n, ZERO)
    for i in range(n):
        store(work.S, i, load(work.R, i, Mat3) @ link(tree, i).moment)
    for i in range(n - 1, -1, -1):
        add(work.S, tree.parent[i], plus_scaled(load(work.S, i, Vec3), load(work.d, i, Vec3), link(tree, i).branch_mass))
    return load(work.S, n, Vec3) * (1.0 / total_mass(tree))


class CentreOfMass(NamedTuple):
    is_task: bool


@serve.method(CentreOfMass)
def give_centre(task, services, work, t, y, out):
    place_frames(services.tree, work.tree, y)
    put_vector(out, 0, centre_of_mass(services.tree, work.tree))


class TotalMomentum(NamedTuple):
    is_task: bool


@serve.method(TotalMomentum)
def total_momentum(task, services, work, t, y, out):
    """Angular momentum about the world's origin, linear momentum, angular momentum about the centre of mass, centre of mass."""
    tree, inner = services.tree, work.tree
    n = tree.parent.shape[0]
    place_links(tree, inner, y)
    take_speeds(tree, inner, y, tree.layout.positions)
    spread_twists(tree, inner)
    place_origins(tree, inner)
    store(inner.z, n, NO_MOMENTUM)
    store(inner.S, n, ZERO)
    for i in range(n):
        V, S, m, at = load(inner.V, i, Twist), load(inner.S, i, Vec3), link(tree, i).mass, load(inner.position, i, Vec3)
        linear = plus_cross(V.v * m, V.w, S)
        angular = plus_cross(load(inner.A, i, Sym3) @ V.w, S, V.v)
        add(inner.z, n, Momentum(plus_cross(angular, at, linear), linear))
        add(inner.S, n, plus_scaled(S, at, m))
    Z = load(inner.z, n, Momentum)
    centre = load(inner.S, n, Vec3) * (1.0 / total_mass(tree))
    put_vector(out, 0, Z.H)
    put_vector(out, 3, Z.P)
    put_vector(out, 6, Z.H - cross(centre, Z.P))
    put_vector(out, 9, centre)


class MomentumMatrix(NamedTuple):
    is_task: bool


@serve.method(MomentumMatrix)
def momentum_matrix(task, services, work, t, y, out):
    """(angular momentum about the centre of mass, linear momentum) = A(q) u: six rows, flat."""
    tree, inner, size = services.tree, work.tree, services.speeds
    place_links(tree, inner, y)
    place_columns(services, work, y)
    place_origins(tree, inner)
    gather_composites(tree, inner)
    centre = load(inner.S, tree.parent.shape[0], Vec3) * (1.0 / total_mass(tree))
    for k in range(6 * size):
        store(out, k, 0.0)
    for c in range(services.column_link.shape[0]):
        i = services.column_link[c]
        U = composite_momentum(tree, inner, i, load(work.G, c, Twist))
        H = plus_cross(U.H, load(inner.position, i, Vec3) - centre, U.P)
        add_column(out, services.column_row[c], size, H, U.P)


@inlined
def add_column(out, row, size, a, b):
    add(out, row, a.x)
    add(out, size + row, a.y)
    add(out, 2 * size + row, a.z)
    add(out, 3 * size + row, b.x)
    add(out, 4 * size + row, b.y)
    add(out, 5 * size + row, b.z)


class EnergiesOfState(NamedTuple):
    is_task: bool


@serve.method(EnergiesOfState)
def energies_of_state(task, services, work, t, y, out):
    """Kinetic energy, potential energy (gravity and forces that have one)."""
    tree, inner = services.tree, work.tree
    n = tree.parent.shape[0]
    place_links(tree, inner, y)
    take_speeds(tree, inner, y, tree.layout.positions)
    spread_twists(tree, inner)
    place_origins(tree, inner)
    store(inner.S, n, ZERO)
    store(work.slope, 0, 0.0)
    for i in range(n):
        V, S, m, at = load(inner.V, i, Twist), load(inner.S, i, Vec3), link(tree, i).mass, load(inner.position, i, Vec3)
        add(work.slope, 0, 0.5 * dot(load(inner.A, i, Sym3) @ V.w, V.w) + dot(V.v, cross(V.w, S)) + 0.5 * m * dot(V.v, V.v))
        add(inner.S, n, plus_scaled(S, at, m))
        if tree.ball[i] < 0:
            add(work.slope, 0, 0.5 * link(tree, i).armature * load(inner.rate, i) * load(inner.rate, i))
    potential = -dot(load(tree.gravity, 0, Vec3), load(inner.S, n, Vec3))
    if tree.joint_laws.has_any:
        potential = potential + energy_of_joints(tree.joint_laws, t, y, inner.total)
    if tree.body_laws.has_any:
        potential = potential + energy_of_bodies(tree.body_laws, t, Bodies(inner.R, inner.position, inner.V, inner.wrench), inner.total)
    store(out, 0, load(work.slope, 0))
    store(out, 1, potential)


# ---- frames ----------------------------------------------------------------------------------------------------------------------------
class Poses(NamedTuple):
    has_twists: bool


@serve.method(Poses)
def poses_and_twists(task, services, work, t, y, out):
    """Pose (position, unit quaternion) of every body, seven numbers each; then, if asked, its twist (ω, velocity of the origin)."""
    tree, inner = services.tree, work.tree
    place_frames(tree, inner, y)
    place_origins(tree, inner)
    if task.has_twists:
        take_speeds(tree, inner, y, tree.layout.positions)
        spread_twists(tree, inner)
    bodies = tree.carrier.shape[0]
    for b in range(bodies):
        i = tree.carrier[b]
        R = load(inner.R, i, Mat3)
        arm = R @ load(tree.mount_offset, b, Vec3)
        pose = Pose(load(inner.position, i, Vec3) + arm, quaternion_of(R @ load(tree.mount_turn, b, Mat3)))
        put_vector(out, 7 * b, pose.r)
        store(out, 7 * b + 3, pose.q.w)
        store(out, 7 * b + 4, pose.q.x)
        store(out, 7 * b + 5, pose.q.y)
        store(out, 7 * b + 6, pose.q.z)
        if task.has_twists:
            V = twist_at(load(inner.V, i, Twist), arm)
            put_vector(out, 7 * bodies + 6 * b, V.w)
            put_vector(out, 7 * bodies + 6 * b + 3, V.v)


class Jacobian(NamedTuple):
    """Of the point `at` of a link (its axes); in the world's axes, or in those of the body, whose columns in the link are `turn`."""

    carrier: int
    path: np.ndarray  # links from the ground to it
    at: np.ndarray  # Vec3, one row
    turn: np.ndarray  # Mat3, one row
    in_body: bool
    has_rate: bool


@serve.method(Jacobian)
def jacobian(task, services, work, t, y, out):
    """(ω, v) = J(q) u, six rows, flat; or J̇(q, u) in its place."""
    tree, inner, size = services.tree, work.tree, services.speeds
    for k in range(6 * size):
        store(out, k, 0.0)
    if task.carrier < tree.parent.shape[0]:
        if task.has_rate:
            place_frames(tree, inner, y)
            place_origins(tree, inner)
            take_speeds(tree, inner, y, tree.layout.positions)
            spread_twists(tree, inner)
        else:
            place_path(tree, inner, y, task.path)
        R = load(inner.R, task.carrier, Mat3)
        arm = R @ load(task.at, 0, Vec3)
        point, axes = load(inner.position, task.carrier, Vec3) + arm, R @ load(task.turn, 0, Mat3)
        i = task.carrier
        while i < tree.parent.shape[0]:
            for c in range(services.first_column[i], services.first_column[i + 1]):
                w, v = jacobian_column(task, services, work, y, i, c, point, arm)
                if task.in_body:
                    w, v = transpose(axes) @ w, transpose(axes) @ v
                add_column(out, services.column_row[c], size, w, v)
            i = tree.parent[i]


@inlined
def place_path(tree, work, y, path):
    """Frames and origins of some links, outward."""
    store(work.position, tree.parent.shape[0], ZERO)
    for k in range(path.shape[0]):
        i = path[k]
        s, c = sincos(load(y, tree.coordinate[i]) * link(tree, i).spin)
        store(work.sine, i, s)
        store(work.cosine, i, c)
        R, base = frame_of(tree, work, y, i), load(work.R, tree.parent[i], Mat3)
        d = plus_scaled(base @ link(tree, i).offset, R.z, load(y, tree.coordinate[i]) * link(tree, i).slide)
        store(work.R, i, R)
        store(work.position, i, load(work.position, tree.parent[i], Vec3) + d)


@inlined
def column_screw(services, work, y, i, c):
    tree = services.tree
    if tree.ball[i] < 0:
        return screw(tree, work.tree, i)
    axes = ball_axes(tree, work.tree, y, tree.ball[i])
    k = c - services.first_column[i]
    if k == 0:
        return Twist(axes.x, ZERO * axes.x.x)
    if k == 1:
        return Twist(axes.y, ZERO * axes.x.x)
    return Twist(axes.z, ZERO * axes.x.x)


@inlined
def jacobian_column(task, services, work, y, i, c, point, arm):
    """The twist of the point for a unit speed, or its rate: d/dt in the axes in which it is asked for."""
    tree, inner = services.tree, work.tree
    G, away = column_screw(services, work, y, i, c), point - load(inner.position, i, Vec3)
    w, v = G.w, plus_cross(G.v, G.w, away)
    if not task.has_rate:
        return w, v
    carrying = load(inner.V, i, Twist)
    holder = carrying.w
    if tree.ball[i] >= 0 and tree.ball_sign[tree.ball[i]] < 0.0:
        holder = load(inner.V, tree.parent[i], Twist).w
    body = load(inner.V, task.carrier, Twist)
    moving = plus_cross(body.v, body.w, arm) - carrying.v
    wdot = cross(holder, G.w)
    vdot = plus_cross(plus_cross(cross(holder, G.v), wdot, away), G.w, moving)
    if task.in_body:
        return wdot - cross(body.w, w), vdot - cross(body.w, v)
    return wdot, vdot


# ---- derivatives -------------------------------------------------------------------------------------------------------------------------
@inlined
def twist_cross(a, b):
    """a × b of motions about one point."""
    return Twist(cross(a.w, b.w), plus_cross(cross(a.w, b.v), a.v, b.w))


@inlined
def wrench_cross(a, W):
    """a ×* W"""
    return Wrench(plus_cross(cross(a.w, W.torque), a.v, W.force), cross(a.w, W.force))


@inlined
def inertia_times(inertia, h, m, a):
    """(A, h, m) about the world's origin times a motion."""
    return Wrench(plus_cross(inertia @ a.w, h, a.v), plus_cross(a.v * m, a.w, h))


@inlined
def prepare_derivatives(services, work, y, third):
    """About the world's origin, of columns: S, ψ = v_parent × S, turning = ψ + v × S, ψ̇ = a_parent × S + v_parent × ψ; twists and
    accelerations; of each link alone its inertia, wrench, and 2B = (2N ω', 2 ω' × P) with N = −(ω̃ E + h̃ ũ), E the second moment
    (Singh, Russell & Wensing 2022; that B acts on ω' alone is what is left of its 36 entries)."""
    tree, inner = services.tree, work.tree
    n = tree.parent.shape[0]
    place_links(tree, inner, y)
    place_columns(services, work, y)
    place_origins(tree, inner)
    take_speeds(tree, inner, y, tree.layout.positions)
    store(work.twist, n, NO_TWIST)
    store(work.acceleration, n, Twist(ZERO, -load(tree.gravity, 0, Vec3)))
    for i in range(n):
        at, V, a = load(inner.position, i, Vec3), load(work.twist, tree.parent[i], Twist), load(work.acceleration, tree.parent[i], Twist)
        store(work.twist, i, NO_TWIST)  # a variable keeps its kind, floats or lanes
        own, asked = load(work.twist, i, Twist), load(work.twist, i, Twist)
        for c in range(services.first_column[i], services.first_column[i + 1]):
            G = load(work.G, c, Twist)
            S = Twist(G.w, plus_cross(G.v, at, G.w))
            psi = twist_cross(V, S)
            store(work.S, c, S)
            store(work.psi, c, psi)
            store(work.psidot, c, twist_cross(a, S) + twist_cross(V, psi))
            own = plus_scaled(own, S, load(y, tree.layout.positions + services.column_row[c]))
            asked = plus_scaled(asked, S, load(y, third + services.column_row[c]))
        V = V + own
        a = a + asked + twist_cross(V, own)
        for c in range(services.first_column[i], services.first_column[i + 1]):
            store(work.turning, c, load(work.psi, c, Twist) + twist_cross(V, load(work.S, c, Twist)))
        store(work.twist, i, V)
        store(work.acceleration, i, a)
        keep_link(tree, work, i, V, a, at)


@inlined
def keep_link(tree, work, i, V, a, at):
    """Link i alone, about the world's origin."""
    m, S = link(tree, i).mass, load(work.tree.S, i, Vec3)
    inertia = moved_inertia(load(work.tree.A, i, Sym3), S, at, m)
    h = plus_scaled(S, at, m)
    half = 0.5 * (inertia.xx + inertia.yy + inertia.zz)
    E = Mat3(
        Vec3(half - inertia.xx, -inertia.xy, -inertia.xz),
        Vec3(-inertia.xy, half - inertia.yy, -inertia.yz),
        Vec3(-inertia.xz, -inertia.yz, half - inertia.zz),
    )
    u = skewed(V.v)
    N = cross(V.w, E) + cross(h, u)
    Z = inertia_times(inertia, h, m, V)
    f = inertia_times(inertia, h, m, a) + wrench_cross(V, Z)
    store(work.inertia, i, inertia)
    store(work.moment, i, h)
    store(work.N, i, N * -1.0)
    store(work.linear, i, Z.force)
    store(work.wrench, i, f)


@inlined
def skewed(v):
    """ṽ by columns."""
    return Mat3(Vec3(0.0 * v.x, v.z, -v.y), Vec3(-v.z, 0.0 * v.x, v.x), Vec3(v.y, -v.x, 0.0 * v.x))


@inlined
def differentiate(services, work, y, third):
    """∂τ/∂q and ∂τ/∂u of inverse dynamics beside each other in work.wide, M in work.square; rows of τ, columns of speeds."""
    tree, n = services.tree, services.tree.parent.shape[0]
    prepare_derivatives(services, work, y, third)
    for k in range(work.wide.shape[0]):
        store(work.wide, k, 0.0)
    for k in range(work.square.shape[0]):
        store(work.square, k, 0.0)
    for i in range(n - 1, -1, -1):
        for c in range(services.first_column[i], services.first_column[i + 1]):
            differentiate_column(services, work, i, c)
        j = tree.parent[i]
        if j < n:
            add(work.inertia, j, load(work.inertia, i, Sym3))
            add(work.moment, j, load(work.moment, i, Vec3))
            add(work.N, j, load(work.N, i, Mat3))
            add(work.linear, j, load(work.linear, i, Vec3))
            add(work.wrench, j, load(work.wrench, i, Wrench))


@inlined
def differentiate_column(services, work, i, c):
    """Column c of link i against all columns inward of it (Singh, Russell & Wensing 2022)."""
    tree, size, row, stride = services.tree, services.speeds, services.column_row[c], services.stride
    inertia, h, m = load(work.inertia, i, Sym3), load(work.moment, i, Vec3), link(tree, i).branch_mass
    N, P, S, psi = load(work.N, i, Mat3), load(work.linear, i, Vec3), load(work.S, c, Twist), load(work.psi, c, Twist)
    weight = inertia_times(inertia, h, m, S)
    by_speed = Wrench((N @ S.w) * 2.0, cross(S.w, P) * 2.0) + inertia_times(inertia, h, m, load(work.turning, c, Twist))
    inside = Wrench((N @ psi.w) * 2.0, cross(psi.w, P) * 2.0) + inertia_times(inertia, h, m, load(work.psidot, c, Twist))
    by_place = inside + wrench_cross(S, load(work.wrench, i, Wrench))
    back = plus_cross(transpose(N) @ S.w, P, S.v) * 2.0
    j = i
    while j < tree.parent.shape[0]:
        for e in range(services.first_column[j], services.first_column[j + 1]):
            column, G = services.column_row[e], load(work.S, e, Twist)
            place, across = row * stride + column, column * stride + row
            add(work.wide, place, dot(back, load(work.psi, e, Twist).w) + dot(weight, load(work.psidot, e, Twist)))
            add(work.wide, place + size, dot(back, G.w) + dot(weight, load(work.turning, e, Twist)))
            inner = dot(weight, G)
            add(work.square, row * size + column, inner)
            if j != i:
                add(work.wide, across, dot(by_place, G))
                add(work.wide, across + size, dot(by_speed, G))
                add(work.square, column * size + row, inner)
        j = tree.parent[j]
    if tree.ball[i] < 0:
        add(work.square, row * size + row, link(tree, i).armature)


class InverseDerivatives(NamedTuple):
    is_task: bool


@serve.method(InverseDerivatives)
def inverse_derivatives(task, services, work, t, y, out):
    """∂τ/∂q (along the speeds), ∂τ/∂u, ∂τ/∂a = M; no forces of the model."""
    size = services.speeds
    differentiate(services, work, y, services.tree.layout.positions + size)
    give_blocks(services, work, out, 2)
    for k in range(size * size):
        store(out, 2 * size * size + k, load(work.square, k))


@inlined
def give_blocks(services, work, out, count):
    """Matrices that lie beside each other, one after the other."""
    size = services.speeds
    for block in range(count):
        for k in range(size):
            for l in range(size):
                store(out, (block * size + k) * size + l, load(work.wide, k * services.stride + block * size + l))


class ForwardDerivatives(NamedTuple):
    is_task: bool


@serve.method(ForwardDerivatives)
def forward_derivatives(task, services, work, t, y, out):
    """∂a/∂q = −M⁻¹ ∂τ/∂q, ∂a/∂u = −M⁻¹ ∂τ/∂u, ∂a/∂τ = M⁻¹, at a = M⁻¹(τ − bias); y is left with a in the place of τ."""
    tree, size = services.tree, services.speeds
    third = tree.layout.positions + size
    accelerate(services, work, t, y, False)
    give_speeds(tree, work.tree, y, work.third)
    for k in range(size):
        store(y, third + k, load(work.third, k))
    differentiate(services, work, y, third)
    for k in range(size):
        store(work.wide, k * services.stride + 2 * size + k, -1.0)
    decompose(services, work.square, 0)
    back_substitute(services, work)
    give_blocks(services, work, out, 3)


@inlined
def back_substitute(services, work):
    """X ← −(Lᵀ D L)⁻¹ X, whole rows of work.wide at a time; the factor is in work.square."""
    size, per_row = services.speeds, services.stride // (work.wide.shape[0] // blocks(work.wide))
    for place in range(size - 1, -1, -1):  # Lᵀ
        k = services.row_order[place]
        i = services.row_parent[k]
        while i >= 0:
            subtract_row(work.wide, i * per_row, k * per_row, load(work.square, k * size + i), per_row)
            i = services.row_parent[i]
    for k in range(size):
        inverse = -1.0 / load(work.square, k * size + k)
        for l in range(k * per_row, (k + 1) * per_row):
            store_block(work.wide, l, load_block(work.wide, l) * inverse)
    for place in range(size):  # L
        k = services.row_order[place]
        i = services.row_parent[k]
        while i >= 0:
            subtract_row(work.wide, k * per_row, i * per_row, load(work.square, k * size + i), per_row)
            i = services.row_parent[i]


@inlined
def subtract_row(array, target, source, a, count):
    for l in range(count):
        store_block(array, target + l, fma(-a, load_block(array, source + l), load_block(array, target + l)))
