"""The mass matrix of a tree (CRBA) and its factor (LTDL), in speeds."""

from typing import NamedTuple

from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import absolute, add, broadcast_like, fma, load, maximum, store
from hamiltree.compiled.triples import total, turn, turn_back, zero_like
from hamiltree.formulations.tree.algorithms import evaluate_column_screws, run_query
from hamiltree.formulations.tree.link_rows import (
    FrameRow,
    InertiaRow,
    PairRow,
    TurnedPair,
    link,
    plus_turned_cross,
    times,
    turned,
)
from hamiltree.formulations.tree.regularity import mark_singular
from hamiltree.formulations.tree.sweeps import forward_kinematics


@inlined
def gather_composite_inertias(tree, work):
    """Inward: composite inertia and first moment of each branch, all its joints locked, about the
    link's origin, into work.inertia; the last row is that of the whole tree.
    """
    n, inner = tree.parent.shape[0], work.tree
    zero = zero_like(load(inner.frame, n, FrameRow).z.a)
    store(work.inertia, n, InertiaRow(zero, zero, zero))
    for i in range(n):
        store(work.inertia, i, load(inner.inertia, i, InertiaRow))
    for i in range(n - 1, -1, -1):
        J, d = load(work.inertia, i, InertiaRow), load(inner.frame, i, FrameRow).d
        add(work.inertia, tree.parent[i], translate_inertia(J, d, link(tree, i).branch_mass))


@inlined
def translate_inertia(J, d, m):
    """A + 2 (S·d) 1 − S dᵀ − d Sᵀ + m (d² 1 − d dᵀ) and S + m d: about the point at −d."""
    moment = fma(d.a, m, J.S)
    along = d.a * (J.S + moment)
    A1 = fma(-d.a, turn(moment), fma(-J.S, d.next, J.A1))
    return InertiaRow(J.A0 - along + total(along), A1, moment)


@inlined
def composite_momentum(tree, work, i, G):
    """J G of a rigid branch about the link's origin, with its turns."""
    J = load(work.inertia, i, InertiaRow)
    S = turned(J.S)
    H = plus_turned_cross(times(J.A0, J.A1, turn_back(J.A1), G.w), S, G.v)
    P = plus_turned_cross(G.v.a * link(tree, i).branch_mass, G.w, S)
    return H, turned(P)


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
    H, P = composite_momentum(tree, work, i, load(work.G, c, TurnedPair))
    j = i
    last = c + 1
    row = tables.column_row[c]
    is_coupled = tree.follower.shape[0] > 0
    while j < tree.parent.shape[0]:
        for e in range(tables.first_column[j], last):
            G, column = load(work.G, e, PairRow), tables.column_row[e]
            value = total(fma(P.a, G.v, H * G.w))
            if not is_coupled:  # every entry comes once
                store(out, row * size + column, value)
                store(out, column * size + row, value)
                continue
            add(out, row * size + column, value)
            if e != c:
                add(out, column * size + row, value)
        H = plus_turned_cross(H, load(work.tree.frame, j, FrameRow).d, P)
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
        spin = link(tree, i).spin
        slide = link(tree, i).slide
        turning = total(load(work.inertia, i, InertiaRow).A0)
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
