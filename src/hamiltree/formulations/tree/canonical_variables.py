"""States (q, p) of a tree to numbers per link and back.

A one-axis link has its coordinate and momentum as they are. A ball has a quaternion q and its
canonical momentum g: π = ½ L(q) g and g = 2 L(q)ᵀπ, π in world axes inside the sweeps (METHODS 2).
"""

from hamiltree.algebra.quat import Quat
from hamiltree.algebra.values import transpose
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, fma, load, store
from hamiltree.formulations.tree.balls import ball_quaternion
from hamiltree.formulations.tree.link_rows import axes_of, store_vector_row, vector_row


@inlined
def read_momenta(system, work, y):
    """π of every link from the momenta of a state; a follower has none of its own.

    After forward_kinematics.
    """
    for i in range(system.parent.shape[0]):
        store(work.pi, i, load(y, system.layout.positions + system.coordinate[i]))
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
def plus_times_vector(c, a, w):
    """c + a ∘ (0, w)"""
    return Quat(
        fma(-a.z, w.z, fma(-a.y, w.y, fma(-a.x, w.x, c.w))),
        fma(-a.z, w.y, fma(a.y, w.z, fma(a.w, w.x, c.x))),
        fma(-a.x, w.z, fma(a.z, w.x, fma(a.w, w.y, c.y))),
        fma(-a.y, w.x, fma(a.x, w.y, fma(a.w, w.z, c.z))),
    )


@inlined
def read_ball_momentum(system, work, y, b):
    """π = ½ L(q) g, into world axes."""
    q, g = ball_quaternion(system, y, b, 0), ball_quaternion(system, y, b, system.layout.positions)
    R = axes_of(work, system.ball_link[b])
    store_vector_row(work.ball_pi, b, R @ (left_product(q, g) * 0.5))


@inlined
def write_rates(system, work, y, ydot):
    """Rates and generalised forces of links into (q̇, ṗ)."""
    first = system.layout.positions
    for i in range(system.parent.shape[0]):
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
    """q̇ = ½ L(q)ᵀω, ġ = ½ L(g)ᵀω + 2 L(q)ᵀτ / ‖q‖² (METHODS 2)."""
    q, g = ball_quaternion(system, y, b, 0), ball_quaternion(system, y, b, system.layout.positions)
    to_link = transpose(axes_of(work, system.ball_link[b]))
    w = to_link @ vector_row(work.ball_rate, b)
    torque = to_link @ vector_row(work.ball_torque, b)
    scale = 2.0 / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z)
    gdot = plus_times_vector(times_vector(g, w * 0.5), q, torque * scale)
    put_quaternion(
        ydot, system.ball_coordinate[b], times_vector(q, w * 0.5), load(system.ball_sign, b)
    )
    put_quaternion(
        ydot, system.layout.positions + system.ball_coordinate[b], gdot, load(system.ball_sign, b)
    )


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
