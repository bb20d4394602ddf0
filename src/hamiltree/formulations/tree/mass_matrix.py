"""The mass matrix of a tree (CRBA) and its factor (LTDL), in speeds."""

from typing import NamedTuple

from hamiltree.algebra.mat3 import ZERO_SYMMETRIC, Sym3
from hamiltree.algebra.spatial import Momentum, Twist, momentum_about
from hamiltree.algebra.values import dot, plus_cross, plus_scaled
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import absolute, add, broadcast_like, load, maximum, store
from hamiltree.formulations.tree.algorithms import evaluate_column_screws, run_query
from hamiltree.formulations.tree.link_rows import arm_of, link, moment_of, rotational_inertia_of
from hamiltree.formulations.tree.regularity import mark_singular
from hamiltree.formulations.tree.sweeps import forward_kinematics


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
