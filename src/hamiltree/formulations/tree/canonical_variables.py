"""States (q, p) of a tree to numbers per link and back.

A one-axis link has its coordinate and momentum as they are. A ball has a quaternion q and its
canonical momentum g: π = ½ L(q) g and g = 2 L(q)ᵀπ, π in world axes inside the sweeps (METHODS 2).
"""

from hamiltree.algebra.quat import Quat
from hamiltree.algebra.rows import store_vector, vector_at
from hamiltree.algebra.values import transpose
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, fma, load, store
from hamiltree.compiled.triples import Triple, total
from hamiltree.formulations.tree.balls import ball_quaternion
from hamiltree.formulations.tree.link_rows import (
    QuaternionRow,
    axes_in_registers,
    axes_of,
    combine,
    diagonals,
    plus_turned_cross,
    store_vector_row,
    to_vector,
    transpose_times,
    turned,
    vector_row,
)


@inlined
def read_momenta(system, work, y):
    """π of every link from the momenta of a state; a follower has none of its own.

    After forward_kinematics.
    """
    n, first = system.parent.shape[0], system.layout.positions
    if system.is_in_order:
        for i in range(n):
            store(work.pi, i, load(y, first + i))
    elif system.ball_link.shape[0] < n:
        for i in range(n):
            store(work.pi, i, load(y, first + system.coordinate[i]))
    for k in range(system.follower.shape[0]):
        store(work.pi, system.follower[k], 0.0)
    for b in range(system.ball_link.shape[0]):
        read_ball_momentum(system, work, y, b)


@inlined
def left_product(a, b):
    """L(a) b: the vector part of (conjugate of a) ∘ b."""
    return Vec3(
        fma(a.z, b.y, fma(-a.y, b.z, fma(a.w, b.x, -(a.x * b.w)))),
        fma(a.x, b.z, fma(-a.z, b.x, fma(a.w, b.y, -(a.y * b.w)))),
        fma(a.y, b.x, fma(-a.x, b.y, fma(a.w, b.z, -(a.z * b.w)))),
    )


@inlined
def times_vector(a, w):
    """a ∘ (0, w) = L(a)ᵀ w"""
    return Quat(
        fma(-a.z, w.z, fma(-a.y, w.y, -(a.x * w.x))),
        fma(-a.z, w.y, fma(a.y, w.z, a.w * w.x)),
        fma(-a.x, w.z, fma(a.z, w.x, a.w * w.y)),
        fma(-a.y, w.x, fma(a.x, w.y, a.w * w.z)),
    )


@inlined
def read_ball_momentum(system, work, y, b):
    """π = ½ L(q) g = ½ (q₀ v − g₀ u − u × v) of the vector parts u of q and v of g, world axes."""
    q_row = system.ball_coordinate[b]
    g_row = system.layout.positions + q_row
    X, Y, Z = axes_in_registers(work, system.ball_link[b])
    sign = load(system.ball_sign, b)
    u = turned(combine(X, Y, Z, vector_at(y, q_row + 1)) * sign)
    v = turned(combine(X, Y, Z, vector_at(y, g_row + 1)) * sign)
    pi = plus_turned_cross(fma(v.a, load(y, q_row), -(u.a * load(y, g_row))), v, u)
    store(work.ball_vectors, b, QuaternionRow(u, v))
    store(work.ball_pi, b, pi * 0.5)


@inlined
def write_rates(system, work, y, ydot):
    """Rates and generalised forces of links into (q̇, ṗ)."""
    first = system.layout.positions
    n = system.parent.shape[0]
    if system.is_in_order:
        for i in range(n):
            store(ydot, i, load(work.rate, i))
        for i in range(n):
            store(ydot, first + i, load(work.generalised_force, i))
    elif system.ball_link.shape[0] < n:
        for i in range(n):
            store(ydot, system.coordinate[i], load(work.rate, i))
            store(ydot, first + system.coordinate[i], load(work.generalised_force, i))
    for k in range(system.follower.shape[0]):
        write_shared_row(system, work, ydot, k, first)
    for b in range(system.ball_link.shape[0]):
        write_ball_rates(system, work, y, ydot, b)


@inlined
def write_shared_row(system, work, ydot, k, first):
    """The row that a follower shares with its leader holds the sum of their forces."""
    row = first + system.coordinate[system.leader[k]]
    store(ydot, row, 0.0)
    for i in range(system.parent.shape[0]):
        if system.coordinate[i] == system.coordinate[system.leader[k]]:
            add(ydot, row, load(work.generalised_force, i))


@inlined
def write_ball_rates(system, work, y, ydot, b):
    """q̇ = ½ L(q)ᵀω, ġ = ½ L(g)ᵀω + 2 L(q)ᵀτ / ‖q‖² (METHODS 2): products of vector parts in world
    axes, then into those of the link. After read_momenta.
    """
    q_row = system.ball_coordinate[b]
    g_row = system.layout.positions + q_row
    q0, g0 = load(y, q_row), load(y, g_row)
    parts = load(work.ball_vectors, b, QuaternionRow)
    w = turned(load(work.ball_rate, b, Triple) * 0.5)
    torque = turned(load(work.ball_torque, b, Triple) * load(work.ball_scale, b))
    qdot = plus_turned_cross(w.a * q0, parts.q, w)
    gdot = plus_turned_cross(fma(torque.a, q0, w.a * g0), parts.g, w)
    gdot = plus_turned_cross(gdot, parts.q, torque)
    gdot_0 = -total(fma(parts.q.a, torque.a, parts.g.a * w.a))
    X, Y, Z = axes_in_registers(work, system.ball_link[b])
    R, sign = diagonals(X, Y, Z), load(system.ball_sign, b)
    put_turned(ydot, q_row, -total(parts.q.a * w.a), R, qdot * sign)
    put_turned(ydot, g_row, gdot_0, R, gdot * sign)


@inlined
def put_turned(array, first_row, scalar, R, v):
    """The quaternion (scalar, Rᵀv)."""
    store(array, first_row, scalar)
    store_vector(array, first_row + 1, to_vector(transpose_times(R.M0, R.M1, R.M2, v)))


@inlined
def put_quaternion(array, first, q, sign):
    store(array, first, q.w)
    store(array, first + 1, q.x * sign)
    store(array, first + 2, q.y * sign)
    store(array, first + 3, q.z * sign)


@inlined
def read_rates(system, work, y, ydot):
    """Rates of every link from the q̇ of a state: ω = 2 L(q) q̇ / ‖q‖² of a ball, into world
    axes.
    """
    for i in range(system.parent.shape[0]):
        store(work.rate, i, load(ydot, system.coordinate[i]))
    for b in range(system.ball_link.shape[0]):
        q, qdot = ball_quaternion(system, y, b, 0), ball_quaternion(system, ydot, b, 0)
        w = left_product(q, qdot) * (2.0 / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z))
        store_vector_row(work.ball_rate, b, axes_of(work, system.ball_link[b]) @ w)


@inlined
def write_momenta(system, work, y):
    """π of every link into the momenta of a state: g = 2 L(q)ᵀπ of a ball."""
    first = system.layout.positions
    for i in range(system.parent.shape[0]):
        store(y, first + system.coordinate[i], 0.0)
    for i in range(system.parent.shape[0]):
        add(y, first + system.coordinate[i], load(work.pi, i))
    for b in range(system.ball_link.shape[0]):
        pi = transpose(axes_of(work, system.ball_link[b])) @ vector_row(work.ball_pi, b)
        g = times_vector(ball_quaternion(system, y, b, 0), pi * 2.0)
        put_quaternion(y, first + system.ball_coordinate[b], g, load(system.ball_sign, b))
