"""Which laws are asked along which directions, for the derivatives of a tree with forces."""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.number import WIDTH, read_only
from hamiltree.forces.derivatives import LawSlopes, needs_direction, tables_on_bodies
from hamiltree.formulations.tree.algorithms import AlgorithmTables

POSITIONS, SPEEDS = range(2)  # along which directions change something
AGAIN, FIRST = 1, 2  # how a law is asked: its wrenches are known, or not yet


class Passes(NamedTuple):
    """Which laws and links are asked along each four directions."""

    # (passes, 2, laws): how a law is asked, for changes of position and of speed; 0 not at all
    asked: np.ndarray
    first: np.ndarray  # (passes, 2, 2): where the links of these laws begin and end in `links`
    links: np.ndarray
    inward: np.ndarray  # all links that carry one of these, outward


def make_passes(tables: AlgorithmTables, laws: LawSlopes) -> Passes:
    """A law is left out where none of the directions changes its wrenches."""
    tree, n = tables.tree, len(tables.tree.parent)
    moves = np.zeros((n + 1, len(tables.column_link)), dtype=bool)  # column moves link
    for i in range(n):
        moves[i] = moves[tree.parent[i]]
        moves[i, tables.first_column[i] : tables.first_column[i + 1]] = True
    own = tables_on_bodies(laws)
    count = -(-tables.speeds // WIDTH)
    asked = np.zeros((count, 2, len(own)), dtype=np.int64)
    touched, first = [], np.zeros((count, 2, 2), dtype=np.int64)
    for p in range(count):
        along = moves[:, tables.column_row // WIDTH == p]
        asked[p, 0] = [needs_direction(table, along) for table in own]
        asked[p, 1] = asked[p, 0] * laws.by_speed
        asked[p, 0] *= np.where(asked[:p, 0].any(0), AGAIN, FIRST)
        for side in range(2):
            found = [np.ravel(own[k].row) for k in np.flatnonzero(asked[p, side])]
            links = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found]))
            first[p, side] = len(touched), len(touched) + np.count_nonzero(links < n)
            touched += links[links < n].tolist()
    is_inward = np.zeros(n + 1, dtype=bool)
    is_inward[touched] = True
    for i in range(n - 1, -1, -1):
        is_inward[tree.parent[i]] |= is_inward[i]
    inward = np.flatnonzero(is_inward[:n])
    return Passes(*map(read_only, (asked, first, np.array(touched, dtype=np.int64), inward)))
