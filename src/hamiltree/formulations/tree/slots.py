"""Where sweeps inward keep what they have gathered of a branch until they meet its first link.

Only open branches need a place: those of which some but not all links were met. A chain has one at
a time, however long it is, so that its rows stay in the fastest memory. A slot is free again when
the branch has become a part of its parent's.
"""

from collections.abc import Iterable

import numpy as np

from hamiltree.formulations.tree.link_rows import (
    ARRIVES_FIRST,
    IS_ALIGNED,
    IS_BALL,
    IS_HINGE,
    IS_LEAF,
    KEEPS_AXES,
    NEXT,
)


def link_kinds(links) -> np.ndarray:
    """The flags of every link that say which code moves it (link_rows.py)."""
    is_hinge = (links.spin == 1.0) & (links.slide == 0.0)
    is_aligned = links.is_ball & (links.rotation == np.eye(3)).all(axis=(1, 2))
    return IS_HINGE * is_hinge + IS_BALL * links.is_ball + IS_ALIGNED * is_aligned


def link_flags(parent: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """All flags of every link, those of `link_kinds` among them."""
    n = len(parent)
    rows = np.arange(n)
    last_child = np.full(n + 1, -1, dtype=np.int64)
    np.maximum.at(last_child, parent, rows)
    is_next = (parent == rows - 1) & (rows > 0)
    keeps_axes = np.append((kinds & IS_BALL) != 0, False)
    keeps_axes[parent[~is_next]] = True
    return (
        NEXT * is_next
        + ARRIVES_FIRST * (last_child[parent] == rows)
        + IS_LEAF * (last_child[:n] < 0)
        + KEEPS_AXES * keeps_axes[:n]
        + kinds
    ).astype(np.int64)


def branch_slots(parent: np.ndarray, flags: np.ndarray) -> np.ndarray:
    """The slot of every link's branch, which takes over that of the first branch in it."""
    n = len(parent)
    if (flags & NEXT).sum() == NEXT * (n - 1):
        return np.zeros(n, dtype=np.int64)  # a chain
    slots = [-1] * (n + 1)
    fill_slots(slots, range(n - 1, -1, -1), parent.tolist(), flags.tolist(), 0)
    return np.array(slots[:n], dtype=np.int64)


def fill_slots(
    slots: list[int], links: Iterable[int], parents: list[int], flags: list[int], count: int
) -> int:
    """Slots from `count` on for the branches of links, which are met in this order; one has a slot
    already if the first branch in it has. How many slots there are then.
    """
    free: list[int] = []
    ground = len(parents)
    for i in links:
        if slots[i] < 0:
            if free:
                slots[i] = free.pop()
            else:
                slots[i], count = count, count + 1
        if parents[i] < ground and flags[i] & ARRIVES_FIRST:
            slots[parents[i]] = slots[i]
        else:
            free.append(slots[i])
    return count
