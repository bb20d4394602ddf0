"""Plan of the sparse LU of mechanisms: the order of elimination, the fill, and where blocks lie.

The symbolic part of sparse_block_lu.py, done once per model: nodes are bodies (6 to 8 unknowns) and
groups of constraint rows, eliminated from the leaves to the ground (Duff, Erisman and Reid 1986,
sections 3.2 and 10.2). Eliminating a node couples all its later neighbours (Parter 1961).
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations
from typing import NamedTuple

import numpy as np

from hamiltree.compiled.number import padded_length, read_only
from hamiltree.errors import OptionError

GROUND = -1

# Columns of BlockPlan.steps: diagonal block, size, first unknown; pairs and updates up to
# (excluding) which the step reaches.
STEP_DIAGONAL, STEP_SIZE, STEP_AT, STEP_PAIRS, STEP_UPDATES = range(5)
# Columns of BlockPlan.pairs: A_kl, A_lk transposed, diagonal block of l, size of l.
PAIR_ROWS, PAIR_COLUMNS, PAIR_DIAGONAL, PAIR_SIZE = range(4)
# Columns of BlockPlan.updates, target −= XᵀY: target, X, Y, rows and columns of the target.
UPDATE_TARGET, UPDATE_LEFT, UPDATE_RIGHT, UPDATE_ROWS, UPDATE_COLUMNS = range(5)


class BlockPlan(NamedTuple):
    """Where every block lies, and what is done to them in which order.

    Nodes: bodies, then groups; −1: no such block.
    """

    total: int  # numbers stored
    unknowns: int
    sizes: np.ndarray  # (nodes,)
    at: np.ndarray  # (nodes,) first unknown of a node
    diagonal: np.ndarray  # (nodes,) diagonal blocks, by rows; see `diagonal_entry`
    # (groups, slots) B; entry (row i of the group, column j of the body) at
    # lower + row_step i + column_step j
    lower: np.ndarray
    # (groups, slots) U; entry (row j of the body, column i of the group) at
    # upper + row_step i + column_step j
    upper: np.ndarray
    row_step: np.ndarray  # (groups, slots)
    column_step: np.ndarray  # (groups, slots)
    steps: np.ndarray  # (nodes, 5) in the order of elimination
    pairs: np.ndarray  # (pairs, 4) of a node and a later neighbour
    updates: np.ndarray  # (updates, 5) of blocks off the diagonal
    is_symmetric: bool  # A = Aᵀ; see `symmetric_plan`


# ---- the order -----------------------------------------------------------------------------------
def elimination_order(
    parents: Sequence[int], tree_groups: Sequence, closing: Sequence[int], touched: Sequence
) -> list[int]:
    """From the leaves to the ground: a body, the groups of its joint to its parent, then the groups
    whose loop is complete.

    Every pivot block is regular if M is positive definite (or close to it) and all rows are
    independent:
    a body's is its articulated inertia, with all bodies outward of it: positive definite;
    a tree joint's is −G M⁻¹ Gᵀ, with G its rows on the outer body, which have full rank by
    themselves;
    a closing group's is −G M⁻¹ Gᵀ of its loop with the lowest common ancestor held. A rigid motion
    of the loop together with the ancestor changes no row, so holding it costs no rank. For the same
    reason no group may be eliminated before its loop is complete.

    `parents[b]` is a body or −1, the ground, in any numbering. `touched[k]` are bodies; a group
    that also touches the ground has −1 among them, or one body only: then its loop goes through the
    ground.
    """
    preorder = depth_first_order(parents)
    place = {body: i for i, body in enumerate(preorder)} | {GROUND: GROUND}
    completed: dict[int, list[int]] = {}
    for group in closing:
        last = last_eliminated_in_loop(touched[group], parents, place, preorder)
        completed.setdefault(last, []).append(group)
    order = [len(parents) + group for group in completed.get(GROUND, ())]
    for body in reversed(preorder):
        groups = (*tree_groups[body], *completed.get(body, ()))
        order += [body, *(len(parents) + group for group in groups)]
    return order


def depth_first_order(parents: Sequence[int]) -> list[int]:
    """Bodies with parents before children and every branch in one piece."""
    children: dict[int, list[int]] = {}
    for body, parent in enumerate(parents):
        children.setdefault(parent, []).append(body)
    preorder, waiting = [], children.get(GROUND, [])[::-1]
    while waiting:
        body = waiting.pop()
        preorder.append(body)
        waiting += children.get(body, [])[::-1]
    if len(preorder) < len(parents):
        unreachable = min(set(range(len(parents))) - set(preorder))
        raise OptionError(
            f"body {unreachable} is not connected to the ground; following `parents` from any "
            "body must end at -1"
        )
    return preorder


def last_eliminated_in_loop(
    bodies: Sequence[int], parents: Sequence[int], place: dict[int, int], preorder: list[int]
) -> int:
    """The body eliminated last on the paths down to, and without, the lowest common ancestor: the
    deepest end moves to its parent until all ends meet.
    """
    ends = {place[body] for body in bodies}
    ends |= {GROUND} if len(ends) < 2 else set()
    last = GROUND
    while len(ends) > 1:
        deepest = max(ends)
        last = preorder[deepest]
        ends.remove(deepest)
        ends.add(place[parents[last]])
    return last


# ---- the plan ------------------------------------------------------------------------------------
def plan_blocks(
    body_sizes: Sequence[int], groups: Sequence[int], touched: Sequence, order: Sequence[int]
) -> BlockPlan:
    """Fill and storage of an order; `touched[k]` lists the bodies of group k, the ground as −1 or
    not at all.
    """
    sizes = [*map(int, body_sizes), *map(int, groups)]
    check_graph(len(body_sizes), len(groups), touched, order)
    later = later_neighbours(len(body_sizes), sizes, touched, order)
    layout = BlockLayout(sizes, order, later)
    at = [0, *accumulate(sizes)]
    inputs = input_block_offsets(layout, len(body_sizes), touched)
    nodes = integer_table(sizes), integer_table(at[:-1]), integer_table(layout.diagonal)
    return BlockPlan(
        layout.total, at[-1], *nodes, *inputs, *elimination_program(layout, order, later, at), False
    )


def symmetric_plan(plan: BlockPlan) -> BlockPlan:
    """For A = Aᵀ: of a pair only A_kl is filled, as B and as U, and updated; C = diag(1/û) R,
    because Û = diag(û) L̂ᵀ.
    """
    first, steps = read_only(np.minimum(plan.lower, plan.upper)), plan.steps.copy()
    steps[:, STEP_UPDATES] //= 2
    return plan._replace(
        lower=first,
        upper=first,
        steps=read_only(steps),
        updates=read_only(plan.updates[::2]),
        is_symmetric=True,
    )


def check_graph(bodies: int, groups: int, touched: Sequence, order: Sequence[int]) -> None:
    """Refuse an order that is no permutation of the nodes, and groups that touch unknown bodies."""
    if sorted(order) != list(range(bodies + groups)):
        raise OptionError(
            f"an order of elimination names each of the {bodies} bodies and {groups} groups once, "
            f"not {len(order)} nodes"
        )
    if len(touched) != groups:
        raise OptionError(
            f"`touched` lists the bodies of each of the {groups} groups, not of {len(touched)}"
        )
    for k, near in enumerate(touched):
        if len(set(near)) != len(near) or not all(GROUND <= body < bodies for body in near):
            raise OptionError(
                f"group {k} touches {list(near)}; name each body once, by its number below {bodies}"
            )


def later_neighbours(
    bodies: int, sizes: list[int], touched: Sequence, order: Sequence[int]
) -> list[list[int]]:
    """For each node those that it is still coupled with when it is eliminated: each elimination
    couples all remaining neighbours with each other (Parter 1961).
    """
    step = {node: i for i, node in enumerate(order)}
    around: list[set[int]] = [set() for _ in sizes]
    for k, near in enumerate(touched):
        for body in near if sizes[bodies + k] else ():
            if body != GROUND:
                first, second = sorted((body, bodies + k), key=step.__getitem__)
                around[first].add(second)
    later = [[] for _ in sizes]
    for node in order:
        later[node] = sorted(around[node], key=step.__getitem__)
        for first, second in combinations(later[node], 2):
            around[first].add(second)
    return later


class BlockLayout:
    """Where blocks lie: for each node in order its diagonal (Û, L̂, a right-hand side, a row of
    sizes), then its pairs.
    """

    def __init__(self, sizes: list[int], order: Sequence[int], later: list[list[int]]):
        """Reserve all blocks, in the order of elimination."""
        self.sizes, self.total = sizes, 0
        self.diagonal = [0] * len(sizes)
        self.block: dict[tuple[int, int], int] = {}  # by (row, column) node
        for node in order:
            self.diagonal[node] = self.reserve(2 * sizes[node] + 2, sizes[node])
            for other in later[node]:
                self.block[node, other] = self.reserve(sizes[node], sizes[other])
                self.block[other, node] = self.reserve(sizes[node], sizes[other])

    def reserve(self, n: int, columns: int) -> int:
        """First number of a new block of n padded rows."""
        start = self.total
        self.total += n * padded_length(columns)
        return start


def input_block_offsets(
    layout: BlockLayout, bodies: int, touched: Sequence
) -> Iterator[np.ndarray]:
    """lower, upper, row_step and column_step of each group and slot."""
    shape = (len(touched), max(map(len, touched), default=0), 4)
    found = np.full(shape, -1, dtype=np.int64)
    for k, near in enumerate(touched):
        for slot, body in enumerate(near):
            if (group := bodies + k, body) in layout.block:
                lower, upper = layout.block[group, body], layout.block[body, group]
                if upper < lower:  # the body is eliminated first
                    steps = 1, padded_length(layout.sizes[group])
                else:
                    steps = padded_length(layout.sizes[body]), 1
                found[k, slot] = lower, upper, *steps
    return (read_only(found[..., i]) for i in range(4))


def elimination_program(
    layout: BlockLayout, order: Sequence[int], later: list[list[int]], at: list[int]
) -> tuple[np.ndarray, ...]:
    """steps, pairs and updates."""
    steps, pairs, updates = [], [], []
    sizes, block, diagonal = layout.sizes, layout.block, layout.diagonal
    for node in order:
        pairs += [
            (block[node, other], block[other, node], diagonal[other], sizes[other])
            for other in later[node]
        ]
        for first, second in combinations(later[node], 2):
            shape = sizes[first], sizes[second]
            updates += [
                (block[first, second], block[first, node], block[node, second], *shape),
                (block[second, first], block[node, first], block[second, node], *shape),
            ]
        steps.append((diagonal[node], sizes[node], at[node], len(pairs), len(updates)))
    return integer_table(steps, 5), integer_table(pairs, 4), integer_table(updates, 5)


def integer_table(numbers: Sequence, columns: int = 0) -> np.ndarray:
    """Read-only integers, in rows of this many columns if there are any."""
    array = np.array(numbers, dtype=np.int64)
    return read_only(array.reshape(-1, columns) if columns else array)
