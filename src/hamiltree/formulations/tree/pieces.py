"""A tree cut into pieces that threads sweep at the same time.

A piece is all that lies beyond a link, or some whole trees side by side on the ground: links are
numbered depth first, so it is a range of them. What is left is the trunk, which one thread sweeps
before and after. Inside a piece and in the trunk children pass to their parent in the order in
which they do without pieces, so that the bits of a result do not depend on the cut.
"""

import heapq
from typing import NamedTuple

import numpy as np

from hamiltree.formulations.tree.link_rows import KEEPS_AXES
from hamiltree.formulations.tree.slots import fill_slots

SMALLEST_PIECE = 32  # links
SMALLEST_TREE = 2 * SMALLEST_PIECE
# in the time that a link takes:
PIECE_COST = 10  # to take a piece, and to begin its sweeps
SPAN_COST = 30  # of a range of the trunk: what is next to it comes from the caches of other cores
MEETING_COST = 100  # to publish pieces, and to wait for the last
LEAST_GAIN = 1.2  # below it a cut is not worth a thread


class Cut(NamedTuple):
    """Ranges of links: rows (first, past the last)."""

    trunk: np.ndarray
    pieces: np.ndarray  # thread by thread
    shares: np.ndarray  # rows (first, number) of the pieces of each thread
    cost: float  # of an evaluation, in the time that a link takes


def cut_tree(parent: np.ndarray, threads: int) -> Cut:
    """The cut that so many threads finish first: of larger pieces there are fewer, of smaller ones
    the trunk is longer.
    """
    n, sizes = len(parent), branch_sizes(parent)
    limits = n / 2.0 ** (np.arange(1, 2 * np.log2(max(2, n / SMALLEST_PIECE)) + 2) / 2 - 0.5)
    return min((cut_at(parent, sizes, limit, threads) for limit in limits), key=lambda c: c.cost)


def branch_sizes(parent: np.ndarray) -> np.ndarray:
    """How many links every branch has; plain numbers, faster one by one."""
    sizes, parents = [1] * (len(parent) + 1), parent.tolist()
    for i in range(len(parents) - 1, -1, -1):
        sizes[parents[i]] += sizes[i]
    return np.array(sizes[:-1])


def cut_at(parent: np.ndarray, sizes: np.ndarray, limit: float, threads: int) -> Cut:
    """Branches of more links than `limit` belong to the trunk as far as their first links do."""
    n = len(parent)
    in_trunk = np.append(sizes > limit, True)
    heads = np.flatnonzero(~in_trunk[:n] & in_trunk[parent])
    is_on_ground = parent[heads] == n
    first, last = heads + ~is_on_ground, heads + sizes[heads]
    begins = begins_of_groups(first, last, is_on_ground, limit)
    pieces = np.column_stack([first[begins], last[np.append(begins[1:], len(heads)) - 1]])
    lengths = pieces[:, 1] - pieces[:, 0]
    pieces, lengths = pieces[lengths >= SMALLEST_PIECE], lengths[lengths >= SMALLEST_PIECE]
    edges = np.concatenate([[0], pieces.ravel(), [n]]).reshape(-1, 2)
    trunk = edges[edges[:, 0] < edges[:, 1]]
    owner, longest = share_out(lengths + PIECE_COST, threads)
    cost = n - lengths.sum() + SPAN_COST * len(trunk) + longest + MEETING_COST
    counts = np.bincount(owner, minlength=threads)
    shares = np.column_stack([np.cumsum(counts) - counts, counts])
    return Cut(trunk, pieces[np.lexsort((-lengths, owner))], shares, float(cost))


def begins_of_groups(
    first: np.ndarray, last: np.ndarray, is_on_ground: np.ndarray, limit: float
) -> np.ndarray:
    """Which ranges do not go on with the one before: trees on the ground that stand side by side
    are one piece, up to the limit.
    """
    part = np.cumsum(last - first) // max(1.0, limit)
    goes_on = np.zeros(len(first), dtype=bool)
    goes_on[1:] = (
        (is_on_ground[1:] & is_on_ground[:-1]) & (first[1:] == last[:-1]) & (np.diff(part) == 0)
    )
    return np.flatnonzero(~goes_on)


def share_out(lengths: np.ndarray, threads: int) -> tuple[np.ndarray, int]:
    """The thread of each piece, and what the busiest has to do: the largest pieces first, to the
    one that has least.
    """
    owner = np.zeros(len(lengths), dtype=np.int64)
    shares = [(0, thread) for thread in range(threads)]
    for k in np.argsort(-lengths, kind="stable").tolist():
        done, owner[k] = shares[0]
        heapq.heapreplace(shares, (done + int(lengths[k]), int(owner[k])))
    return owner, max(done for done, _ in shares)


# ---- tables --------------------------------------------------------------------------------------
def spans(ranges: np.ndarray, ball: np.ndarray) -> np.ndarray:
    """Rows of Span: ranges of links with the balls among them, which are numbered in their order
    too.
    """
    before = np.concatenate([[0], np.cumsum(ball >= 0)])
    return np.ascontiguousarray(np.column_stack([ranges, before[ranges]]), dtype=np.int64)


def piece_slots(parent: np.ndarray, flags: np.ndarray, cut: Cut) -> np.ndarray:
    """The slot of every link's branch: those of a piece are its own, but for that of the link which
    carries it, where it leaves its sum. Between two pieces a slot is left out: both would be in a
    cache line.
    """
    slots, parents, all_flags = [-1] * (len(parent) + 1), parent.tolist(), flags.tolist()
    count = 0
    for first, last in cut.pieces.tolist():
        count = fill_slots(slots, range(last - 1, first - 1, -1), parents, all_flags, count) + 1
    trunk = [i for first, last in cut.trunk.tolist() for i in range(first, last)]
    fill_slots(slots, trunk[::-1], parents, all_flags, count)
    return np.array(slots[:-1], dtype=np.int64)


def piece_flags(parent: np.ndarray, flags: np.ndarray, cut: Cut) -> np.ndarray:
    """With the axes of links that carry pieces kept: the sweeps of a piece begin with them."""
    made = flags.copy()
    carriers = parent[cut.pieces[:, 0]]
    made[carriers[carriers < len(parent)]] |= KEEPS_AXES
    return made
