"""Sparse systems of mechanisms: LU by blocks without pivots, in an order and with a fill that are
found once.

    [ M  U ] [v̇]   [f]
    [ B  0 ] [λ] = [c]

A node is a body (6 to 8 unknowns) or a group of constraint rows; M has one dense block a body, B
and U one a group and a body that it touches. Eliminating node k, with D = A_kk = L̂ Û and its later
neighbours l, m (Duff, Erisman and Reid 1986, sections 3.2 and 10.2):

    R_l = L̂⁻¹ A_kl,   C_lᵀ = A_lk Û⁻¹,   A_lm ← A_lm − C_lᵀ R_m.

Blocks of a pair lie by the rows of the node that goes first: A_kl as it is, A_lk transposed. So
every update is XᵀY, with whole rows of Y.
Rows are padded with zeros to four numbers: floats are taken four at a time, lanes one by one, and
both round alike.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations
from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import (
    WIDTH,
    absolute,
    fma,
    load,
    load_block,
    maximum,
    padded_length,
    read_only,
    rows,
    store,
    store_block,
    where_less,
)
from hamiltree.errors import OptionError

GROUND = -1
# k >> SHIFT is k // WIDTH: for integers with a sign the latter is six instructions
LOG2_WIDTH = WIDTH.bit_length() - 1

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
    # (groups, slots) B; entry (row of the group, column of the body) at lower + down row + across
    # column
    lower: np.ndarray
    # (groups, slots) U; entry (row of the body, column of the group) at upper + across row + down
    # column
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
    a body's is its inertia and that of all that hangs on it, positive definite;
    a tree joint's is −G M⁻¹ Gᵀ, with G its rows on the outer body, which have full rank by
    themselves;
    a closing group's is −G M⁻¹ Gᵀ of its loop with the lowest common ancestor held. Carrying a loop
    along with the ancestor changes no row, so holding it costs no rank. For the same reason no
    group may go before its loop is complete.

    `parents[b]` is a body or −1, the ground, in any numbering. `touched[k]` are bodies; a group
    that also touches the ground has −1 among them, or one body only: then its loop goes through the
    ground.
    """
    preorder = depth_first_order(parents)
    place = {body: i for i, body in enumerate(preorder)} | {GROUND: GROUND}
    completed: dict[int, list[int]] = {}
    for group in closing:
        completed.setdefault(
            last_eliminated_in_loop(touched[group], parents, place, preorder), []
        ).append(group)
    order = [len(parents) + group for group in completed.get(GROUND, ())]
    for body in reversed(preorder):
        order += [
            body,
            *(len(parents) + group for group in (*tree_groups[body], *completed.get(body, ()))),
        ]
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
            f"body {unreachable} does not hang on the ground; following `parents` from any body "
            "must end "
            "at -1"
        )
    return preorder


def last_eliminated_in_loop(
    bodies: Sequence[int], parents: Sequence[int], place: dict[int, int], preorder: list[int]
) -> int:
    """The body that goes last on the paths down to, and without, the lowest common ancestor: the
    deepest end steps down until all meet.
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
    """For each node those that it is still coupled with when it goes: each elimination couples all
    that remain around it (Parter 1961).
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
        self.sizes, self.total = sizes, 0
        self.diagonal = [0] * len(sizes)
        self.block: dict[tuple[int, int], int] = {}  # by (row, column) node
        for node in order:
            self.diagonal[node] = self.reserve(2 * sizes[node] + 2, sizes[node])
            for other in later[node]:
                self.block[node, other] = self.reserve(sizes[node], sizes[other])
                self.block[other, node] = self.reserve(sizes[node], sizes[other])

    def reserve(self, n: int, columns: int) -> int:
        start = self.total
        self.total += n * padded_length(columns)
        return start


def input_block_offsets(
    layout: BlockLayout, bodies: int, touched: Sequence
) -> Iterator[np.ndarray]:
    """lower, upper, down, across of each group and slot."""
    shape = (len(touched), max(map(len, touched), default=0), 4)
    found = np.full(shape, -1, dtype=np.int64)
    for k, near in enumerate(touched):
        for slot, body in enumerate(near):
            if (group := bodies + k, body) in layout.block:
                lower, upper = layout.block[group, body], layout.block[body, group]
                body_first = upper < lower
                row_step, column_step = (
                    (1, padded_length(layout.sizes[group]))
                    if body_first
                    else (padded_length(layout.sizes[body]), 1)
                )
                found[k, slot] = lower, upper, row_step, column_step
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
            updates.append(
                (
                    block[first, second],
                    block[first, node],
                    block[node, second],
                    sizes[first],
                    sizes[second],
                )
            )
            updates.append(
                (
                    block[second, first],
                    block[node, first],
                    block[second, node],
                    sizes[first],
                    sizes[second],
                )
            )
        steps.append((diagonal[node], sizes[node], at[node], len(pairs), len(updates)))
    return integer_table(steps, 5), integer_table(pairs, 4), integer_table(updates, 5)


def integer_table(numbers: Sequence, columns: int = 0) -> np.ndarray:
    array = np.array(numbers, dtype=np.int64)
    return read_only(array.reshape(-1, columns) if columns else array)


def workspace(plan: BlockPlan, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Zeroed blocks and a right-hand side, for floats (width 1) or lanes (width 4)."""
    return rows(float, plan.total, width), rows(float, plan.unknowns, width)


# ---- addresses -----------------------------------------------------------------------------------
@inlined
def row_stride(columns):
    """Numbers from one row of a block to the next."""
    return (columns + WIDTH - 1) & -WIDTH


@inlined
def simd_index(blocks, k):
    """The unit that holds number k: four floats are one, lanes are one each."""
    return k >> LOG2_WIDTH if blocks.ndim == 1 else k


@inlined
def simd_count(blocks, columns):
    """How many units hold a row."""
    return (columns + WIDTH - 1) >> LOG2_WIDTH if blocks.ndim == 1 else columns


@inlined
def diagonal_entry(plan, node, i, j):
    """Where entry (i, j) of a diagonal block lies."""
    return plan.diagonal[node] + row_stride(plan.sizes[node]) * i + j


@inlined
def lower_entry(plan, group, slot, i, j):
    """Where B lies, for row i of a group and unknown j of the body in a slot."""
    return (
        plan.lower[group, slot] + plan.row_step[group, slot] * i + plan.column_step[group, slot] * j
    )


@inlined
def upper_entry(plan, group, slot, j, i):
    """Where U lies, for row j of the body in a slot and multiplier i of a group."""
    return (
        plan.upper[group, slot] + plan.row_step[group, slot] * i + plan.column_step[group, slot] * j
    )


# ---- factors -------------------------------------------------------------------------------------
@inlined
def clear_blocks(plan, blocks):
    """All blocks zero, fill too."""
    for i in range(plan.total):
        store(blocks, i, 0.0)


@outlined
def factor_blocks(plan, blocks):
    """A = L U in place."""
    pair, update = 0, 0
    for k in range(plan.steps.shape[0]):
        diagonal, n = plan.steps[k, STEP_DIAGONAL], plan.steps[k, STEP_SIZE]
        factor_diagonal(blocks, diagonal, n)
        while pair < plan.steps[k, STEP_PAIRS]:
            factor_pair(plan, blocks, diagonal, n, pair)
            pair += 1
        while update < plan.steps[k, STEP_UPDATES]:
            apply_update(plan, blocks, n, update)
            update += 1


@inlined
def factor_diagonal(blocks, start, n):
    """D = L̂ Û: Û stays, L̂ goes below it with 1/û on its diagonal. What is left under the diagonal
    of Û is never read.
    """
    wide = row_stride(n)
    lower = start + n * wide
    record_pivot_scale(blocks, start, n)
    for k in range(n):
        pivot = 1.0 / load(blocks, start + wide * k + k)
        store(blocks, lower + wide * k + k, pivot)
        for i in range(k + 1, n):
            ratio = load(blocks, start + wide * i + k) * pivot
            store(blocks, lower + wide * i + k, ratio)
            for u in range(simd_index(blocks, k + 1), simd_count(blocks, n)):
                here, there = (
                    simd_index(blocks, start + wide * i) + u,
                    simd_index(blocks, start + wide * k) + u,
                )
                store_block(
                    blocks, here, fma(-ratio, load_block(blocks, there), load_block(blocks, here))
                )


@inlined
def record_pivot_scale(blocks, start, n):
    """Remember the largest |d_ii| that there has been: what a pivot is measured against."""
    wide = row_stride(n)
    sizes = start + (2 * n + 1) * wide
    for i in range(n):
        size, largest = absolute(load(blocks, start + wide * i + i)), load(blocks, sizes + i)
        store(blocks, sizes + i, where_less(largest, size, size, largest))


@inlined
def factor_pair(plan, blocks, diagonal, n, pair):
    """R = L̂⁻¹ A_kl, C = Û⁻ᵀ A_lkᵀ, D_l −= CᵀR."""
    ahead, behind, m = (
        plan.pairs[pair, PAIR_ROWS],
        plan.pairs[pair, PAIR_COLUMNS],
        plan.pairs[pair, PAIR_SIZE],
    )
    wide = row_stride(n)
    lower = diagonal + n * wide
    for i in range(n):
        pivot = load(blocks, lower + wide * i + i)
        for u in range(simd_count(blocks, m)):
            rest = substitute_row(blocks, ahead, u, i, m, lower + wide * i, 1)
            store_block(blocks, simd_index(blocks, ahead + row_stride(m) * i) + u, rest)
            if not plan.is_symmetric:
                rest = substitute_row(blocks, behind, u, i, m, diagonal + i, wide)
            store_block(blocks, simd_index(blocks, behind + row_stride(m) * i) + u, rest * pivot)
    record_pivot_scale(blocks, plan.pairs[pair, PAIR_DIAGONAL], m)
    subtract_product(blocks, plan.pairs[pair, PAIR_DIAGONAL], behind, ahead, n, m, m)


@inlined
def substitute_row(blocks, block, u, i, columns, factors, step):
    """Row i of a block less what the rows before it take: y_i − Σ_{k<i} l_k y_k, in unit u."""
    rest = load_block(blocks, simd_index(blocks, block + row_stride(columns) * i) + u)
    for k in range(i):
        rest = fma(
            -load(blocks, factors + step * k),
            load_block(blocks, simd_index(blocks, block + row_stride(columns) * k) + u),
            rest,
        )
    return rest


@inlined
def apply_update(plan, blocks, n, update):
    target, left, right = (
        plan.updates[update, UPDATE_TARGET],
        plan.updates[update, UPDATE_LEFT],
        plan.updates[update, UPDATE_RIGHT],
    )
    subtract_product(
        blocks,
        target,
        left,
        right,
        n,
        plan.updates[update, UPDATE_ROWS],
        plan.updates[update, UPDATE_COLUMNS],
    )


@inlined
def subtract_product(blocks, target, left, right, n, height, columns):
    """Z −= XᵀY with X (n, height) and Y (n, columns)."""
    wide, tall = row_stride(columns), row_stride(height)
    # by two rows, which share what is read of Y; an odd last one is its own neighbour
    for i in range(0, height, 2):
        j = min(i + 1, height - 1)
        for u in range(simd_count(blocks, columns)):
            here, there = (
                simd_index(blocks, target + wide * i) + u,
                simd_index(blocks, target + wide * j) + u,
            )
            rest, other = load_block(blocks, here), load_block(blocks, there)
            for k in range(n):
                y = load_block(blocks, simd_index(blocks, right + wide * k) + u)
                rest = fma(-load(blocks, left + tall * k + i), y, rest)
                other = fma(-load(blocks, left + tall * k + j), y, other)
            store_block(blocks, here, rest)
            store_block(blocks, there, other)


@inlined
def smallest_pivot(plan, blocks, node):
    """min |û_ii| / max |d_ii| of a factored node, d_ii at its largest in the course of elimination;
    0 or NaN if it is singular.

    How independent the weakest row is of all that went before it, whatever the units of the rows: 1
    at best.
    """
    n, start = plan.sizes[node], plan.diagonal[node]
    wide = row_stride(n)
    smallest = 1.0
    for i in range(n):
        pivot, largest = (
            load(blocks, start + wide * i + i),
            load(blocks, start + (2 * n + 1) * wide + i),
        )
        smallest = -maximum(-smallest, -absolute(pivot) / largest)
    return smallest


# ---- solution ------------------------------------------------------------------------------------
@outlined
def solve_blocks(plan, blocks, x):
    """A x = b by the factors, b given in x."""
    copy_right_side(plan, blocks, x)
    substitute_forward(plan, blocks)
    substitute_backward(plan, blocks, x)


@inlined
def right_side_offset(start, n):
    """Where the right-hand side of a node lies, by its diagonal block."""
    return start + 2 * n * row_stride(n)


@inlined
def copy_right_side(plan, blocks, x):
    for k in range(plan.steps.shape[0]):
        n, at = plan.steps[k, STEP_SIZE], plan.steps[k, STEP_AT]
        vector = right_side_offset(plan.steps[k, STEP_DIAGONAL], n)
        for i in range(n):
            store(blocks, vector + i, load(x, at + i))


@inlined
def substitute_forward(plan, blocks):
    """y_k = L̂⁻¹ b_k, then b_l −= C_lᵀ y_k."""
    pair = 0
    for k in range(plan.steps.shape[0]):
        n = plan.steps[k, STEP_SIZE]
        lower, vector = (
            plan.steps[k, STEP_DIAGONAL] + n * row_stride(n),
            right_side_offset(plan.steps[k, STEP_DIAGONAL], n),
        )
        for i in range(n):
            rest = load(blocks, vector + i)
            for j in range(i):
                rest = fma(
                    -load(blocks, lower + row_stride(n) * i + j), load(blocks, vector + j), rest
                )
            store(blocks, vector + i, rest)
        while pair < plan.steps[k, STEP_PAIRS]:
            subtract_forward(plan, blocks, vector, n, pair)
            pair += 1


@inlined
def subtract_forward(plan, blocks, vector, n, pair):
    m = plan.pairs[pair, PAIR_SIZE]
    target = right_side_offset(plan.pairs[pair, PAIR_DIAGONAL], m)
    for u in range(simd_count(blocks, m)):
        rest = load_block(blocks, simd_index(blocks, target) + u)
        for i in range(n):
            column = load_block(
                blocks, simd_index(blocks, plan.pairs[pair, PAIR_COLUMNS] + row_stride(m) * i) + u
            )
            rest = fma(-load(blocks, vector + i), column, rest)
        store_block(blocks, simd_index(blocks, target) + u, rest)


@inlined
def substitute_backward(plan, blocks, x):
    """x_k = Û⁻¹ (y_k − Σ_l R_l x_l)."""
    pair = plan.pairs.shape[0] - 1
    for k in range(plan.steps.shape[0] - 1, -1, -1):
        start, n = plan.steps[k, STEP_DIAGONAL], plan.steps[k, STEP_SIZE]
        first = plan.steps[k - 1, STEP_PAIRS] if k > 0 else 0
        while pair >= first:
            subtract_backward(plan, blocks, right_side_offset(start, n), n, pair)
            pair -= 1
        solve_upper(blocks, start, n, x, plan.steps[k, STEP_AT])


@inlined
def subtract_backward(plan, blocks, vector, n, pair):
    m = plan.pairs[pair, PAIR_SIZE]
    known = right_side_offset(plan.pairs[pair, PAIR_DIAGONAL], m)
    for i in range(n):
        rest = load(blocks, vector + i)
        for j in range(m):
            rest = fma(
                -load(blocks, plan.pairs[pair, PAIR_ROWS] + row_stride(m) * i + j),
                load(blocks, known + j),
                rest,
            )
        store(blocks, vector + i, rest)


@inlined
def solve_upper(blocks, start, n, x, at):
    wide, vector = row_stride(n), right_side_offset(start, n)
    for i in range(n - 1, -1, -1):
        rest = load(blocks, vector + i)
        for j in range(i + 1, n):
            rest = fma(-load(blocks, start + wide * i + j), load(blocks, vector + j), rest)
        rest = rest * load(blocks, start + (n + i) * wide + i)
        store(blocks, vector + i, rest)
        store(x, at + i, rest)
