"""The articulated inertia of a branch, as sweeps inward gather it: in slots (slots.py), triple by
triple.
"""

from typing import NamedTuple

from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, fma, load, store
from hamiltree.compiled.triples import Triple, turn, turn_back, zero_like
from hamiltree.formulations.tree.link_rows import (
    ARRIVES_FIRST,
    BranchRow,
    FrameRow,
    InertiaRow,
    PairRow,
    link,
    plus_turned_cross,
    turned,
)

# places of triples in a slot
A0, A1, B0, B1, B2, C0, C1, H, P = range(9)
COLUMNS = 9


class BranchPlace(NamedTuple):
    """Where a link finds its branch and that of its parent: read once, before anything is written,
    since the compiler takes every array for one that may be written.
    """

    row: int  # of the first triple of its branch
    parent: int  # the link that carries it
    parent_row: int
    is_first: bool  # of the branches of its parent: nothing is in the slot yet


@inlined
def branch_place(system, i):
    return BranchPlace(
        COLUMNS * system.slot[i],
        system.parent[i],
        COLUMNS * system.slot_of_parent[i],
        system.flags[i] & ARRIVES_FIRST != 0,
    )


@inlined
def load_branch(work, row):
    """Articulated inertia and bias momentum of the branch whose triples begin at `row`."""
    return BranchRow(
        load(work.branch, row + A0, Triple),
        load(work.branch, row + A1, Triple),
        load(work.branch, row + B0, Triple),
        load(work.branch, row + B1, Triple),
        load(work.branch, row + B2, Triple),
        load(work.branch, row + C0, Triple),
        load(work.branch, row + C1, Triple),
        load(work.branch, row + H, Triple),
        load(work.branch, row + P, Triple),
    )


@inlined
def store_leaf(system, work, i, has_bias):
    """Link i alone as a branch: B = −[S]×, C = m 1."""
    row = COLUMNS * system.slot[i]
    own = load(work.inertia, i, InertiaRow)
    zero = zero_like(own.A0)
    store(work.branch, row + A0, own.A0)
    store(work.branch, row + A1, own.A1)
    store(work.branch, row + B0, zero)
    store(work.branch, row + B1, turn_back(own.S))
    store(work.branch, row + B2, -turn(own.S))
    store(work.branch, row + C0, zero + link(system, i).mass)
    store(work.branch, row + C1, zero)
    if has_bias:
        bias = load(work.bias, i, PairRow)
        store(work.branch, row + H, bias.w)
        store(work.branch, row + P, bias.v)
    else:
        store(work.branch, row + H, zero)
        store(work.branch, row + P, zero)


@inlined
def put(work, at, column, value):
    """A triple into the slot of the parent, or added to what others have left there."""
    if at.is_first:
        store(work.branch, at.parent_row + column, value)
    else:
        add(work.branch, at.parent_row + column, value)


@inlined
def parent_part(work, at, column, own):
    """What the branch of the parent has so far: the parent alone, if this branch is its first, or
    what others have left in its slot.
    """
    if not at.is_first:
        own = load(work.branch, at.parent_row + column, Triple)
    return own


@inlined
def plus_parent(work, at, column, own, value):
    """A triple and what the branch of the parent has so far."""
    if at.is_first:
        value = value + own
    else:
        value = value + load(work.branch, at.parent_row + column, Triple)
    return value


@inlined
def put_plus(work, at, column, own, value):
    """`put` of a triple of which the parent alone has a part."""
    store(work.branch, at.parent_row + column, plus_parent(work, at, column, own, value))


@inlined
def pass_to_parent(system, work, at, d, u, L, r, nu, has_bias):
    """Dᵀ(J − U Uᵀ r)D and Dᵀ(z + U ν) to the parent, U = (u, L) about its origin, block by block:
    few registers at a time, and a block is read before it is written, in the same slot.

    With B' = B + C [d]ᵀ: A' = A + [d] B' + ([d] B)ᵀ.
    """
    J, row = load_branch(work, at.row), at.parent_row
    own = load(work.inertia, at.parent, InertiaRow)
    mass = link(system, at.parent).mass
    C2 = turn_back(J.C1)
    N0 = J.B0 + fma(d.next, C2, -(d.last * J.C1))
    N1 = J.B1 + fma(d.last, J.C0, -(d.a * C2))
    N2 = J.B2 + fma(d.a, J.C1, -(d.next * J.C0))
    # what waits for r comes last
    rest = plus_parent(work, at, A0, own.A0, J.A0)
    rest = fma(-d.last, turn(J.B2 + N2), fma(d.next, turn_back(J.B1 + N1), rest))
    store(work.branch, row + A0, fma(-(u.a * u.a), r, rest))
    rest = plus_parent(work, at, A1, own.A1, J.A1)
    rest = fma(-d.last, turn(N0), fma(d.next, turn_back(N2), rest))
    rest = fma(-d.a, turn_back(J.B1), fma(d.last, J.B0, rest))
    store(work.branch, row + A1, fma(-(u.a * u.next), r, rest))
    m = -(L.a * r)
    put(work, at, B0, fma(m, u.a, N0))
    store(work.branch, row + B1, fma(m, u.next, plus_parent(work, at, B1, turn_back(own.S), N1)))
    store(work.branch, row + B2, fma(m, u.last, plus_parent(work, at, B2, -turn(own.S), N2)))
    rest = plus_parent(work, at, C0, mass, J.C0)
    store(work.branch, row + C0, fma(m, L.a, rest))
    put(work, at, C1, fma(m, L.next, J.C1))
    pass_bias(work, at, d, u.a, L.a, nu, has_bias)


@inlined
def pass_bias(work, at, d, u, L, nu, has_bias):
    """Dᵀ(z + U ν) to the parent."""
    own_H, own_P = load(work.branch, at.row + H, Triple), load(work.branch, at.row + P, Triple)
    momentum = fma(u, nu, plus_turned_cross(own_H, d, turned(own_P)))
    if has_bias:
        bias = load(work.bias, at.parent, PairRow)
        put_plus(work, at, H, bias.w, momentum)
        put_plus(work, at, P, bias.v, fma(L, nu, own_P))
    else:
        put(work, at, H, momentum)
        put(work, at, P, fma(L, nu, own_P))


@inlined
def pass_point_to_parent(system, work, i, at, own_C0, own_C1, own_H, own_P, has_bias):
    """The same of a point inertia C and a momentum (H, P), which are all that a ball lets through.

    The next link waits for A' = A + [d] C [d]ᵀ: products of d are there before C is.
    """
    d = load(work.frame, i, FrameRow).d
    own = load(work.inertia, at.parent, InertiaRow)
    next_last, next_next, last_last = d.next * d.last, d.next * d.next, d.last * d.last
    main, side = turned(own_C0), turned(own_C1)
    rest = fma(next_next, main.last, parent_part(work, at, A0, own.A0))
    rest = fma(last_last, main.next, rest)
    store(work.branch, at.parent_row + A0, fma(-(next_last + next_last), side.next, rest))
    rest = fma(-last_last, own_C1, parent_part(work, at, A1, own.A1))
    rest = fma(-(d.a * d.next), main.last, rest)
    rest = fma(d.a * d.last, side.next, rest)
    store(work.branch, at.parent_row + A1, fma(next_last, side.last, rest))
    N0 = fma(d.next, side.last, -(d.last * own_C1))
    N1 = fma(d.last, own_C0, -(d.a * side.last))
    N2 = fma(d.a, own_C1, -(d.next * own_C0))
    put(work, at, B0, N0)
    put_plus(work, at, B1, turn_back(own.S), N1)
    put_plus(work, at, B2, -turn(own.S), N2)
    put_plus(work, at, C0, link(system, at.parent).mass, own_C0)
    put(work, at, C1, own_C1)
    momentum = plus_turned_cross(own_H, d, turned(own_P))
    if has_bias:
        bias = load(work.bias, at.parent, PairRow)
        put_plus(work, at, H, bias.w, momentum)
        put_plus(work, at, P, bias.v, own_P)
    else:
        put(work, at, H, momentum)
        put(work, at, P, own_P)
