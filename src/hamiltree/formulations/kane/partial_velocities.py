"""[A]{ẏ} = {f} of Kane's equations: which speeds move which body, and A = Lᵀ D L from the leaves
inwards.

Every body has a list of columns, the speeds of its own connection and of all below it (L(K), L²(K),
…); its partial velocities have one vector for each. A couples two speeds only if some body has
both, so rows of L have entries at the speeds below alone: a tree costs O(N d²) with d the depth, a
chain O(N³).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import add, fma, load, read_only, rows, store


class PartialVelocityColumns(NamedTuple):
    """Speeds are numbered outwards, so that a connection's come after those of all connections
    below it.
    """

    # (bodies + 2,) first column of each body; the ground, which comes last, has none
    first: np.ndarray
    speed: np.ndarray  # (columns,) number of the speed
    below: np.ndarray  # (speeds + 1,) first entry of each row of L
    entry: np.ndarray  # (entries,) the speeds of that row
    longest: int  # list of columns


class MassMatrixWork(NamedTuple):
    matrix: np.ndarray  # (speeds²,) A, then D on the diagonal and L below it
    side: np.ndarray  # (speeds,) f, then ẏ


def find_columns(
    order: Sequence[int], parent: Sequence[int], own: Sequence[Sequence[int]], speeds: int
) -> PartialVelocityColumns:
    """Columns of every body, and the pattern of L.

    order: bodies outwards; parent: of each body, −1 for the ground; own: speeds of each body's
    connection, some of which bodies below may have already.
    """
    lists: list[list[int]] = [[] for _ in parent]
    pattern: list[set[int]] = [set() for _ in range(speeds)]
    for body in order:
        inherited = lists[parent[body]] if parent[body] >= 0 else []
        lists[body] = [*inherited, *dict.fromkeys(k for k in own[body] if k not in set(inherited))]
        for k in own[body]:
            add_couplings(pattern, k, lists[body])
    add_fill_in(pattern)
    first = np.cumsum([0, *map(len, lists), 0])
    below = np.cumsum([0, *map(len, pattern)])
    return PartialVelocityColumns(
        read_only(first),
        read_only(np.array([k for columns in lists for k in columns], dtype=np.int64)),
        read_only(below),
        read_only(np.array([j for row in pattern for j in sorted(row)], dtype=np.int64)),
        max(map(len, lists), default=0),
    )


def add_couplings(pattern: list[set[int]], k: int, columns: Sequence[int]) -> None:
    """Entries of A that couple speed k with all columns of a body, below the diagonal."""
    for j in columns:
        if j != k:
            pattern[max(j, k)].add(min(j, k))


def add_fill_in(pattern: list[set[int]]) -> None:
    """Fill-in of the elimination from the last row to the first: a row's entries, without the last
    of them, go into the row of that last one.
    """
    for row in reversed(pattern):
        if row:
            last = max(row)
            pattern[last] |= row - {last}


def mass_matrix_workspace(columns: PartialVelocityColumns, width: int) -> MassMatrixWork:
    """Scratch for A and f."""
    n = len(columns.below) - 1
    return MassMatrixWork(rows(float, max(1, n * n), width), rows(float, max(1, n), width))


@inlined
def matrix_index(n, i, j):
    """Index of A(i, j) or A(j, i), whichever is below the diagonal."""
    return max(i, j) * n + min(i, j)


@inlined
def clear_equations(columns, work):
    """A = 0 in its pattern, f = 0."""
    n = columns.below.shape[0] - 1
    for i in range(n):
        store(work.side, i, 0.0)
        store(work.matrix, i * n + i, 0.0)
        for e in range(columns.below[i], columns.below[i + 1]):
            store(work.matrix, i * n + columns.entry[e], 0.0)


@outlined
def factor_mass_matrix(columns, matrix):
    """A = Lᵀ D L, in place."""
    n = columns.below.shape[0] - 1
    for k in range(n - 1, -1, -1):
        begin, end = columns.below[k], columns.below[k + 1]
        pivot = 1.0 / load(matrix, k * n + k)
        for e in range(end - 1, begin - 1, -1):
            i = columns.entry[e]
            share = load(matrix, k * n + i) * pivot
            for d in range(begin, e + 1):
                at = i * n + columns.entry[d]
                rest = fma(-share, load(matrix, k * n + columns.entry[d]), load(matrix, at))
                store(matrix, at, rest)
            store(matrix, k * n + i, share)


@outlined
def solve_l_transpose(columns, matrix, x, start, count):
    """L⁻ᵀ x in the rows of x from `start` on; beyond the first `count` of them x is zero."""
    n = columns.below.shape[0] - 1
    for k in range(count - 1, -1, -1):
        here = load(x, start + k)
        for e in range(columns.below[k], columns.below[k + 1]):
            i = columns.entry[e]
            add(x, start + i, -load(matrix, k * n + i) * here)


@outlined
def solve_mass_matrix(columns, matrix, x):
    """A⁻¹ x, in place."""
    n = columns.below.shape[0] - 1
    solve_l_transpose(columns, matrix, x, 0, n)
    for k in range(n):
        found = load(x, k) / load(matrix, k * n + k)
        for e in range(columns.below[k], columns.below[k + 1]):
            i = columns.entry[e]
            found = fma(-load(matrix, k * n + i), load(x, i), found)
        store(x, k, found)
