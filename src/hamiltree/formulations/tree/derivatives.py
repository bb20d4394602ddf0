"""Derivatives of inverse and forward dynamics, analytic: Singh, Russell and Wensing 2022, about the
world's origin.
"""

from typing import NamedTuple

from hamiltree.algebra.mat3 import Mat3, Sym3
from hamiltree.algebra.spatial import ZERO_TWIST, Twist, Wrench
from hamiltree.algebra.values import cross, dot, plus_cross, plus_scaled, transpose
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, block_count, fma, load, load_block, store, store_block
from hamiltree.formulations.tree.algorithms import (
    evaluate_column_screws,
    read_speeds,
    run_query,
    write_speeds,
)
from hamiltree.formulations.tree.dynamics import solve_accelerations
from hamiltree.formulations.tree.link_rows import link, moment_of, rotational_inertia_of
from hamiltree.formulations.tree.mass_matrix import factor_ltdl, translate_inertia
from hamiltree.formulations.tree.regularity import largest_inertia_loss, mark_singular
from hamiltree.formulations.tree.sweeps import forward_kinematics, propagate_positions


# ---- derivatives ---------------------------------------------------------------------------------
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
def differentiate_inverse_dynamics(tables, work, y, third):
    """∂τ/∂q and ∂τ/∂u of inverse dynamics beside each other in work.wide, M in work.square; rows of
    τ, columns of speeds. The frames are known.

    About the world's origin, of columns: S, ψ = v_parent × S, turning = ψ + v × S,
    ψ̇ = a_parent × S + v_parent × ψ; twists and accelerations; of each link alone its inertia,
    wrench, and 2B = (2N ω', 2 ω' × P) with N = −(ω̃ E + h̃ ũ), E the second moment
    (Singh, Russell & Wensing 2022; that B acts on ω' alone is what is left of its 36 entries).
    Springs and dampers of joints are included.
    """
    prepare_columns(tables, work, y)
    accelerate_links(tables, work, y, third)
    clear_matrices(work)
    add_derivatives(tables, work)


@inlined
def prepare_columns(tables, work, y):
    """From frames, what does not know the accelerations: S, ψ, turning, and twists."""
    tree, inner = tables.tree, work.tree
    n = tree.parent.shape[0]
    evaluate_column_screws(tables, work, y)
    propagate_positions(tree, inner)
    store(work.twist, n, ZERO_TWIST)
    for i in range(n):
        at = load(inner.position, i, Vec3)
        V = load(work.twist, tree.parent[i], Twist)
        for c in range(tables.first_column[i], tables.first_column[i + 1]):
            G = load(work.G, c, Twist)
            S = Twist(G.w, plus_cross(G.v, at, G.w))
            store(work.S, c, S)
            store(work.psi, c, twist_cross(V, S))
        V = V + sum_columns(tables, work, y, tree.layout.positions, i)
        for c in range(tables.first_column[i], tables.first_column[i + 1]):
            store(
                work.turning, c, load(work.psi, c, Twist) + twist_cross(V, load(work.S, c, Twist))
            )
        store(work.twist, i, V)


@inlined
def sum_columns(tables, work, y, first, i):
    """Σ S x of the columns of link i, with the x that begin at row `first` of y."""
    store(work.acceleration, i, ZERO_TWIST)  # a variable keeps its kind, floats or lanes
    total = load(work.acceleration, i, Twist)
    for c in range(tables.first_column[i], tables.first_column[i + 1]):
        total = plus_scaled(total, load(work.S, c, Twist), load(y, first + tables.column_row[c]))
    return total


@inlined
def accelerate_links(tables, work, y, third):
    """The rest of it, at the accelerations that begin at row `third` of y."""
    tree = tables.tree
    n = tree.parent.shape[0]
    read_speeds(tree, work.tree, y, tree.layout.positions)
    store(work.acceleration, n, Twist(ZERO, -load(tree.gravity, 0, Vec3)))
    for i in range(n):
        base, V = load(work.twist, tree.parent[i], Twist), load(work.twist, i, Twist)
        a = load(work.acceleration, tree.parent[i], Twist)
        for c in range(tables.first_column[i], tables.first_column[i + 1]):
            S, psi = load(work.S, c, Twist), load(work.psi, c, Twist)
            store(work.psidot, c, twist_cross(a, S) + twist_cross(base, psi))
        own = sum_columns(tables, work, y, tree.layout.positions, i)
        a = a + sum_columns(tables, work, y, third, i) + twist_cross(V, own)
        store(work.acceleration, i, a)
        store_link_about_origin(tree, work, i, V, a, load(work.tree.position, i, Vec3))


@inlined
def store_link_about_origin(tree, work, i, V, a, at):
    """Link i alone, about the world's origin."""
    m, S = link(tree, i).mass, moment_of(work.tree, i)
    inertia = translate_inertia(rotational_inertia_of(work.tree, i), S, at, m)
    h = plus_scaled(S, at, m)
    half = 0.5 * (inertia.xx + inertia.yy + inertia.zz)
    E = Mat3(
        Vec3(half - inertia.xx, -inertia.xy, -inertia.xz),
        Vec3(-inertia.xy, half - inertia.yy, -inertia.yz),
        Vec3(-inertia.xz, -inertia.yz, half - inertia.zz),
    )
    u = skew_matrix(V.v)
    N = cross(V.w, E) + cross(h, u)
    Z = inertia_times(inertia, h, m, V)
    f = inertia_times(inertia, h, m, a) + wrench_cross(V, Z)
    store(work.inertia, i, inertia)
    store(work.moment, i, h)
    store(work.N, i, N * -1.0)
    store(work.linear, i, Z.force)
    store(work.wrench, i, f)


@inlined
def skew_matrix(v):
    """ṽ by columns."""
    return Mat3(Vec3(0.0 * v.x, v.z, -v.y), Vec3(-v.z, 0.0 * v.x, v.x), Vec3(v.y, -v.x, 0.0 * v.x))


@inlined
def clear_matrices(work):
    for k in range(work.wide.shape[0]):
        store(work.wide, k, 0.0)
    for k in range(work.square.shape[0]):
        store(work.square, k, 0.0)


@inlined
def add_derivatives(tables, work):
    """To the matrices, inward, from what was prepared."""
    tree, n = tables.tree, tables.tree.parent.shape[0]
    for i in range(n - 1, -1, -1):
        for c in range(tables.first_column[i], tables.first_column[i + 1]):
            differentiate_column(tables, work, i, c)
        j = tree.parent[i]
        if j < n:
            add(work.inertia, j, load(work.inertia, i, Sym3))
            add(work.moment, j, load(work.moment, i, Vec3))
            add(work.N, j, load(work.N, i, Mat3))
            add(work.linear, j, load(work.linear, i, Vec3))
            add(work.wrench, j, load(work.wrench, i, Wrench))
    for k in range(tables.speeds):
        add(work.wide, k * tables.stride + k, load(tables.stiffness, k))
        add(work.wide, k * tables.stride + tables.speeds + k, load(tables.damping, k))


@inlined
def differentiate_column(tables, work, i, c):
    """Column c of link i against all columns inward of it (Singh, Russell & Wensing 2022)."""
    tree = tables.tree
    size = tables.speeds
    row = tables.column_row[c]
    stride = tables.stride
    inertia = load(work.inertia, i, Sym3)
    h = load(work.moment, i, Vec3)
    m = link(tree, i).branch_mass
    N = load(work.N, i, Mat3)
    P = load(work.linear, i, Vec3)
    S = load(work.S, c, Twist)
    psi = load(work.psi, c, Twist)
    weight = inertia_times(inertia, h, m, S)
    by_speed = Wrench((N @ S.w) * 2.0, cross(S.w, P) * 2.0) + inertia_times(
        inertia, h, m, load(work.turning, c, Twist)
    )
    inside = Wrench((N @ psi.w) * 2.0, cross(psi.w, P) * 2.0) + inertia_times(
        inertia, h, m, load(work.psidot, c, Twist)
    )
    by_position = inside + wrench_cross(S, load(work.wrench, i, Wrench))
    back = plus_cross(transpose(N) @ S.w, P, S.v) * 2.0
    j = i
    while j < tree.parent.shape[0]:
        for e in range(tables.first_column[j], tables.first_column[j + 1]):
            column, G = tables.column_row[e], load(work.S, e, Twist)
            place, across = row * stride + column, column * stride + row
            add(
                work.wide,
                place,
                dot(back, load(work.psi, e, Twist).w) + dot(weight, load(work.psidot, e, Twist)),
            )
            add(work.wide, place + size, dot(back, G.w) + dot(weight, load(work.turning, e, Twist)))
            inner = dot(weight, G)
            add(work.square, row * size + column, inner)
            if j != i:
                add(work.wide, across, dot(by_position, G))
                add(work.wide, across + size, dot(by_speed, G))
                add(work.square, column * size + row, inner)
        j = tree.parent[j]
    if tree.ball[i] < 0:
        add(work.square, row * size + row, link(tree, i).armature)


class InverseDerivatives(NamedTuple):
    placeholder: bool


@run_query.method(InverseDerivatives)
def inverse_derivatives(query, tables, work, t, y, out):
    """∂τ/∂q (along the speeds), ∂τ/∂u, ∂τ/∂a = M."""
    forward_kinematics(tables.tree, work.tree, y)
    differentiate_inverse_dynamics(tables, work, y, tables.tree.layout.positions + tables.speeds)
    write_inverse_derivatives(tables, work, out)


@inlined
def write_inverse_derivatives(tables, work, out):
    size = tables.speeds
    write_blocks(tables, work, out, 2)
    for k in range(size * size):
        store(out, 2 * size * size + k, load(work.square, k))


@inlined
def write_blocks(tables, work, out, count):
    """Matrices that lie beside each other, one after the other."""
    size = tables.speeds
    for block in range(count):
        for k in range(size):
            for l in range(size):
                store(
                    out,
                    (block * size + k) * size + l,
                    load(work.wide, k * tables.stride + block * size + l),
                )


class ForwardDerivatives(NamedTuple):
    placeholder: bool


@run_query.method(ForwardDerivatives)
def forward_derivatives(query, tables, work, t, y, out):
    """∂a/∂q = −M⁻¹ ∂τ/∂q, ∂a/∂u = −M⁻¹ ∂τ/∂u, ∂a/∂τ = M⁻¹, at a = M⁻¹(τ − bias); y is left with a
    in the place of τ.
    """
    loss = accelerate(tables, work, t, y)
    differentiate_inverse_dynamics(tables, work, y, tables.tree.layout.positions + tables.speeds)
    solve_forward_derivatives(tables, work, out, loss)


@inlined
def accelerate(tables, work, t, y):
    """a in the place of τ; how much of an articulated inertia was lost."""
    solve_accelerations(tables, work, t, y, True)
    return keep_accelerations(tables, work, y)


@inlined
def keep_accelerations(tables, work, y):
    """Those that were solved for, in the place of τ; how much of an inertia was lost."""
    tree, size = tables.tree, tables.speeds
    third = tree.layout.positions + size
    loss = largest_inertia_loss(tree, work.tree)
    write_speeds(tree, work.tree, y, work.third)
    for k in range(size):
        store(y, third + k, load(work.third, k))
    return loss


@inlined
def solve_forward_derivatives(tables, work, out, loss):
    """−M⁻¹ (∂τ/∂q, ∂τ/∂u, −1)"""
    size = tables.speeds
    for k in range(size):
        store(work.wide, k * tables.stride + 2 * size + k, -1.0)
    factor_ltdl(tables, work.square, 0)
    solve_ltdl(tables, work)
    write_blocks(tables, work, out, 3)
    mark_singular(out, loss)


@inlined
def solve_ltdl(tables, work):
    """X ← −(Lᵀ D L)⁻¹ X, whole rows of work.wide at a time; the factor is in work.square."""
    size, per_row = tables.speeds, tables.stride // (work.wide.shape[0] // block_count(work.wide))
    for place in range(size - 1, -1, -1):  # Lᵀ
        k = tables.row_order[place]
        i = tables.row_parent[k]
        while i >= 0:
            subtract_row(
                work.wide, i * per_row, k * per_row, load(work.square, k * size + i), per_row
            )
            i = tables.row_parent[i]
    for k in range(size):
        inverse = -1.0 / load(work.square, k * size + k)
        for l in range(k * per_row, (k + 1) * per_row):
            store_block(work.wide, l, load_block(work.wide, l) * inverse)
    for place in range(size):  # L
        k = tables.row_order[place]
        i = tables.row_parent[k]
        while i >= 0:
            subtract_row(
                work.wide, k * per_row, i * per_row, load(work.square, k * size + i), per_row
            )
            i = tables.row_parent[i]


@inlined
def subtract_row(array, target, source, a, count):
    for l in range(count):
        store_block(
            array, target + l, fma(-a, load_block(array, source + l), load_block(array, target + l))
        )
