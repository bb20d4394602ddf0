"""Derivatives of inverse and forward dynamics, analytic: Singh, Russell and Wensing 2022, about the
world's origin.
"""

from typing import NamedTuple

from hamiltree.algebra.spatial import Twist
from hamiltree.algebra.values import cross, plus_cross
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, block_count, fma, load, load_block, store, store_block
from hamiltree.compiled.triples import (
    total,
    turn,
    turn_back,
    zero_like,
)
from hamiltree.formulations.tree.algorithms import (
    evaluate_column_screws,
    read_speeds,
    run_query,
    write_speeds,
)
from hamiltree.formulations.tree.dynamics import solve_accelerations
from hamiltree.formulations.tree.link_rows import (
    ColumnRow,
    InertiaRow,
    OriginRow,
    PairRow,
    TurnedPair,
    link,
    plus_turned_cross,
    times,
    to_triple,
    transpose_times,
    turned,
    turned_cross,
)
from hamiltree.formulations.tree.mass_matrix import factor_ltdl
from hamiltree.formulations.tree.regularity import largest_inertia_loss, mark_singular
from hamiltree.formulations.tree.sweeps import forward_kinematics, propagate_positions


# ---- motions and wrenches about one point --------------------------------------------------------
@inlined
def twist_cross(a, b):
    """a × b of motions."""
    return Twist(cross(a.w, b.w), plus_cross(cross(a.w, b.v), a.v, b.w))


@inlined
def turned_pair(a):
    return TurnedPair(turned(a.w), turned(a.v))


@inlined
def plus_motion_cross(c, a, b):
    """c + a × b"""
    v = plus_turned_cross(plus_turned_cross(c.v, a.w, b.v), a.v, b.w)
    return PairRow(plus_turned_cross(c.w, a.w, b.w), v)


@inlined
def plus_motion(a, b, s):
    """a + b s"""
    return PairRow(fma(b.w, s, a.w), fma(b.v, s, a.v))


@inlined
def inertia_times(A0, A1, h, m, a):
    """(A, h, m) times a motion with its turns."""
    torque = plus_turned_cross(times(A0, A1, turn_back(A1), a.w), h, a.v)
    return PairRow(torque, plus_turned_cross(a.v.a * m, a.w, h))


@inlined
def no_motion(like):
    """Zero, of floats or lanes as the triple is."""
    zero = zero_like(like)
    return PairRow(zero, zero)


# ---- derivatives ---------------------------------------------------------------------------------
@inlined
def differentiate_inverse_dynamics(tables, work, y, third):
    """∂τ/∂q and ∂τ/∂u of inverse dynamics beside each other in work.wide, M in work.square; rows of
    τ, columns of speeds. The frames are known.

    About the world's origin: rows of columns; twists and accelerations of links; of each link
    alone its inertia, wrench, and 2B = (2N ω', 2 ω' × P) with N = −(ω̃ E + h̃ ũ), E the second moment
    (Singh, Russell & Wensing 2022; that B acts on ω' alone is what is left of its 36 entries).
    Springs and dampers of joints are included.
    """
    prepare_columns(tables, work, y)
    accelerate_links(tables, work, y, third, False)
    clear_matrices(work)
    add_derivatives(tables, work)


@inlined
def prepare_columns(tables, work, y):
    """From frames, what does not know the accelerations: S, ψ, turning, and twists."""
    tree, inner = tables.tree, work.tree
    n = tree.parent.shape[0]
    evaluate_column_screws(tables, work, y)
    propagate_positions(tree, inner)
    store(work.twist, n, no_motion(to_triple(load(tree.gravity, 0, Vec3))))
    for i in range(n):
        at = turned(to_triple(load(inner.position, i, Vec3)))
        V = load(work.twist, tree.parent[i], PairRow)
        store(work.twist, i, place_columns(tables, work, y, i, at, V))


@inlined
def place_columns(tables, work, y, i, at, V):
    """The rows of the columns of link i, and its twist from that of its parent, V. One column
    alone: its turning is 2ψ, because S × S = 0.
    """
    speeds, first = tables.tree.layout.positions, tables.first_column[i]
    last = tables.first_column[i + 1]
    base, nothing = turned_pair(V), no_motion(V.w)
    own = nothing
    for c in range(first, last):
        G = load(work.G, c, PairRow)
        w = turned(G.w)
        S = PairRow(w.a, plus_turned_cross(G.v, at, w))
        psi = plus_motion_cross(nothing, base, TurnedPair(w, turned(S.v)))
        store(work.column, c, ColumnRow(S, psi, nothing, PairRow(psi.w + psi.w, psi.v + psi.v)))
        own = plus_motion(own, S, load(y, speeds + tables.column_row[c]))
    if last - first > 1:
        step = turned_pair(own)
        for c in range(first, last):
            row = load(work.column, c, ColumnRow)
            turning = plus_motion_cross(row.turning, step, turned_pair(row.S))
            store(work.column, c, ColumnRow(row.S, row.psi, nothing, turning))
    return PairRow(V.w + own.w, V.v + own.v)


@inlined
def accelerate_links(tables, work, y, third, has_loads):
    """The rest of it, at the accelerations that begin at row `third` of y; loads are the wrenches
    that work.origin holds already.
    """
    tree = tables.tree
    n = tree.parent.shape[0]
    read_speeds(tree, work.tree, y, tree.layout.positions)
    gravity = to_triple(load(tree.gravity, 0, Vec3))
    store(work.acceleration, n, PairRow(zero_like(gravity), -gravity))
    for i in range(n):
        V, base = load(work.twist, i, PairRow), load(work.twist, tree.parent[i], PairRow)
        a = load(work.acceleration, tree.parent[i], PairRow)
        a = accelerate_columns(tables, work, y, third, i, turned_pair(base), a)
        store(work.acceleration, i, a)
        at = turned(to_triple(load(work.tree.position, i, Vec3)))
        store_link_about_origin(tree, work, i, turned_pair(V), turned_pair(a), at, has_loads)


@inlined
def accelerate_columns(tables, work, y, third, i, base, a):
    """ψ̇ of the columns of link i, and its acceleration from that of its parent, a; `base` is the
    twist of the parent.
    """
    carried, nothing = turned_pair(a), no_motion(a.w)
    for c in range(tables.first_column[i], tables.first_column[i + 1]):
        row, k = load(work.column, c, ColumnRow), tables.column_row[c]
        psidot = plus_motion_cross(nothing, carried, turned_pair(row.S))
        psidot = plus_motion_cross(psidot, base, turned_pair(row.psi))
        store(work.column, c, ColumnRow(row.S, row.psi, psidot, row.turning))
        a = plus_motion(a, row.psi, load(y, tables.tree.layout.positions + k))
        a = plus_motion(a, row.S, load(y, third + k))
    return a


@inlined
def store_link_about_origin(tree, work, i, V, a, at, has_loads):
    """Link i alone, about the world's origin; its wrench in addition to what is there, if that is a
    load.
    """
    m, own = link(tree, i).mass, load(work.tree.inertia, i, InertiaRow)
    # A + 2 (S·d) 1 − S dᵀ − d Sᵀ + m (d² 1 − d dᵀ)
    h = fma(at.a, m, own.S)
    product = (own.S + h) * at.a
    A0 = own.A0 + (total(product) - product)
    A1 = fma(-at.a, turn(h), fma(-own.S, at.next, own.A1))
    A2, hh = turn_back(A1), turned(h)
    half = 0.5 * total(A0)
    E0 = half - A0
    # ω̃ E + h̃ ũ, E = half − A, h̃ ũ = u hᵀ − (h·u) 1
    N0 = fma(V.w.last, A1, -(V.w.next * A2)) + (V.v.a * h - total(V.v.a * h))
    N1 = fma(V.v.a, hh.next, -fma(V.w.next, turn(A1), V.w.last * turn(E0)))
    N2 = fma(V.v.a, hh.last, fma(V.w.last, turn(A1), V.w.next * turn_back(E0)))
    Z = turned_pair(inertia_times(A0, A1, hh, m, V))
    f = inertia_times(A0, A1, hh, m, a)
    if has_loads:
        there = load(work.origin, i, OriginRow)
        f = PairRow(f.w + there.torque, f.v + there.force)
    torque = plus_turned_cross(plus_turned_cross(f.w, V.w, Z.w), V.v, Z.v)
    force = plus_turned_cross(f.v, V.w, Z.v)
    store(work.origin, i, OriginRow(A0, A1, h, -N0, -N1, -N2, Z.v.a, torque, force))


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
        if tree.parent[i] < n:
            add(work.origin, tree.parent[i], load(work.origin, i, OriginRow))
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
    branch, m = load(work.origin, i, OriginRow), link(tree, i).branch_mass
    A0, A1, h, P = branch.A0, branch.A1, turned(branch.h), turned(branch.P)
    own = load(work.column, c, ColumnRow)
    S = turned_pair(own.S)
    weight = inertia_times(A0, A1, h, m, S)
    by_speed = plus_velocity_part(
        branch, P, S.w, inertia_times(A0, A1, h, m, turned_pair(own.turning))
    )
    inside = plus_velocity_part(
        branch, P, turned(own.psi.w), inertia_times(A0, A1, h, m, turned_pair(own.psidot))
    )
    force = turned(branch.force)
    by_position = PairRow(
        plus_turned_cross(plus_turned_cross(inside.w, S.w, turned(branch.torque)), S.v, force),
        plus_turned_cross(inside.v, S.w, force),
    )
    back = plus_turned_cross(transpose_times(branch.N0, branch.N1, branch.N2, S.w.a), P, S.v) * 2.0
    j = i
    while j < tree.parent.shape[0]:
        for e in range(tables.first_column[j], tables.first_column[j + 1]):
            column, other = tables.column_row[e], load(work.column, e, ColumnRow)
            G, place, across = other.S, row * stride + column, column * stride + row
            add(work.wide, place, fma_of_pairs(weight, other.psidot, back * other.psi.w))
            add(work.wide, place + size, fma_of_pairs(weight, other.turning, back * G.w))
            inner = total(fma(weight.v, G.v, weight.w * G.w))
            add(work.square, row * size + column, inner)
            if j != i:
                add(work.wide, across, total(fma(by_position.v, G.v, by_position.w * G.w)))
                add(work.wide, across + size, total(fma(by_speed.v, G.v, by_speed.w * G.w)))
                add(work.square, column * size + row, inner)
        j = tree.parent[j]
    if tree.ball[i] < 0:
        add(work.square, row * size + row, link(tree, i).armature)


@inlined
def fma_of_pairs(a, b, c):
    """a · b + the sum of c"""
    return total(fma(a.v, b.v, fma(a.w, b.w, c)))


@inlined
def plus_velocity_part(branch, P, w, W):
    """W + (2N ω', 2 ω' × P)"""
    torque = fma(times(branch.N0, branch.N1, branch.N2, w), 2.0, W.w)
    return PairRow(torque, fma(turned_cross(w, P), 2.0, W.v))


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
    size, length = tables.speeds, work.wide.shape[0]
    per_row = tables.stride // (length // block_count(work.wide, length))
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
