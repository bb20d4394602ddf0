"""Sparse linear systems of mechanisms: LU by blocks without pivots, in an order and with a fill
that sparse_block_plan.py finds once per model.

    [ M  U ] [v̇]   [f]
    [ B  0 ] [λ] = [c]

A node is a body (6 to 8 unknowns) or a group of constraint rows; M has one dense block per body, B
and U one per group and body that it touches. Eliminating node k, with D = A_kk = L̂ Û and its later
neighbours l, m (Duff, Erisman and Reid 1986, sections 3.2 and 10.2):

    R_l = L̂⁻¹ A_kl,   C_lᵀ = A_lk Û⁻¹,   A_lm ← A_lm − C_lᵀ R_m.

Blocks of a pair lie by the rows of the node that goes first: A_kl as it is, A_lk transposed. So
every update is XᵀY, with whole rows of Y.
Rows are padded with zeros to four numbers: floats are taken four at a time, lanes one by one, and
both round alike.
"""

import numpy as np

from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import (
    WIDTH,
    absolute,
    broadcast_like,
    fma,
    load,
    load_block,
    rows,
    store,
    store_block,
    where_less,
)
from hamiltree.formulations.absolute.sparse_block_plan import (
    PAIR_COLUMNS,
    PAIR_DIAGONAL,
    PAIR_ROWS,
    PAIR_SIZE,
    STEP_AT,
    STEP_DIAGONAL,
    STEP_PAIRS,
    STEP_SIZE,
    STEP_UPDATES,
    UPDATE_COLUMNS,
    UPDATE_LEFT,
    UPDATE_RIGHT,
    UPDATE_ROWS,
    UPDATE_TARGET,
    BlockPlan,
)

# k >> LOG2_WIDTH is k // WIDTH, which takes six instructions for signed integers
LOG2_WIDTH = WIDTH.bit_length() - 1


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
                here = simd_index(blocks, start + wide * i) + u
                there = simd_index(blocks, start + wide * k) + u
                rest = fma(-ratio, load_block(blocks, there), load_block(blocks, here))
                store_block(blocks, here, rest)


@inlined
def record_pivot_scale(blocks, start, n):
    """Record the largest |d_ii| so far, with which pivots are compared."""
    wide = row_stride(n)
    sizes = start + (2 * n + 1) * wide
    for i in range(n):
        size, largest = absolute(load(blocks, start + wide * i + i)), load(blocks, sizes + i)
        store(blocks, sizes + i, where_less(largest, size, size, largest))


@inlined
def factor_pair(plan, blocks, diagonal, n, pair):
    """R = L̂⁻¹ A_kl, C = Û⁻ᵀ A_lkᵀ, D_l −= CᵀR."""
    ahead = plan.pairs[pair, PAIR_ROWS]
    behind = plan.pairs[pair, PAIR_COLUMNS]
    m = plan.pairs[pair, PAIR_SIZE]
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
    """y_i − Σ_{k<i} l_k y_k of the rows of a block, in SIMD unit u."""
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
    """A_lm −= C_lᵀ R_m of one pair of later neighbours."""
    target = plan.updates[update, UPDATE_TARGET]
    left = plan.updates[update, UPDATE_LEFT]
    right = plan.updates[update, UPDATE_RIGHT]
    height = plan.updates[update, UPDATE_ROWS]
    columns = plan.updates[update, UPDATE_COLUMNS]
    subtract_product(blocks, target, left, right, n, height, columns)


@inlined
def subtract_product(blocks, target, left, right, n, height, columns):
    """Z −= XᵀY with X (n, height) and Y (n, columns)."""
    wide, tall = row_stride(columns), row_stride(height)
    # by two rows, which share what is read of Y; an odd last one is its own neighbour
    for i in range(0, height, 2):
        j = min(i + 1, height - 1)
        for u in range(simd_count(blocks, columns)):
            here = simd_index(blocks, target + wide * i) + u
            there = simd_index(blocks, target + wide * j) + u
            rest, other = load_block(blocks, here), load_block(blocks, there)
            for k in range(n):
                y = load_block(blocks, simd_index(blocks, right + wide * k) + u)
                rest = fma(-load(blocks, left + tall * k + i), y, rest)
                other = fma(-load(blocks, left + tall * k + j), y, other)
            store_block(blocks, here, rest)
            store_block(blocks, there, other)


@inlined
def smallest_pivot(plan, blocks, node):
    """min |û_ii| / max |d_ii| of a factored node, d_ii at its largest during the elimination; 0 or
    NaN if it is singular.

    It measures how independent the weakest row is of all rows before it, whatever their units: 1 at
    best. Fractions are compared as products: a division per row would be felt in every evaluation.
    """
    n, start = plan.sizes[node], plan.diagonal[node]
    wide = row_stride(n)
    sizes = start + (2 * n + 1) * wide
    pivot = load(blocks, start)
    weakest = largest = broadcast_like(1.0, pivot)
    for i in range(n):
        pivot, size = absolute(load(blocks, start + wide * i + i)), load(blocks, sizes + i)
        here, least = pivot * largest, weakest * size
        weakest = where_less(here, least, pivot, weakest)
        largest = where_less(here, least, size, largest)
    return weakest / largest + 0.0 * pivot  # a NaN is in the last pivot too


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
    """x into the places beside the diagonal blocks."""
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
        start, n = plan.steps[k, STEP_DIAGONAL], plan.steps[k, STEP_SIZE]
        lower, vector = start + n * row_stride(n), right_side_offset(start, n)
        for i in range(n):
            rest = load(blocks, vector + i)
            for j in range(i):
                factor = load(blocks, lower + row_stride(n) * i + j)
                rest = fma(-factor, load(blocks, vector + j), rest)
            store(blocks, vector + i, rest)
        while pair < plan.steps[k, STEP_PAIRS]:
            subtract_forward(plan, blocks, vector, n, pair)
            pair += 1


@inlined
def subtract_forward(plan, blocks, vector, n, pair):
    """b_l −= C_lᵀ y_k"""
    m = plan.pairs[pair, PAIR_SIZE]
    target = right_side_offset(plan.pairs[pair, PAIR_DIAGONAL], m)
    for u in range(simd_count(blocks, m)):
        rest = load_block(blocks, simd_index(blocks, target) + u)
        for i in range(n):
            row = plan.pairs[pair, PAIR_COLUMNS] + row_stride(m) * i
            column = load_block(blocks, simd_index(blocks, row) + u)
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
    """y_k −= R_l x_l"""
    m = plan.pairs[pair, PAIR_SIZE]
    known = right_side_offset(plan.pairs[pair, PAIR_DIAGONAL], m)
    for i in range(n):
        rest = load(blocks, vector + i)
        for j in range(m):
            factor = load(blocks, plan.pairs[pair, PAIR_ROWS] + row_stride(m) * i + j)
            rest = fma(-factor, load(blocks, known + j), rest)
        store(blocks, vector + i, rest)


@inlined
def solve_upper(blocks, start, n, x, at):
    """x_k = Û⁻¹ y_k, into the rows of x from `at` on and beside the diagonal block."""
    wide, vector = row_stride(n), right_side_offset(start, n)
    for i in range(n - 1, -1, -1):
        rest = load(blocks, vector + i)
        for j in range(i + 1, n):
            rest = fma(-load(blocks, start + wide * i + j), load(blocks, vector + j), rest)
        rest = rest * load(blocks, start + (n + i) * wide + i)
        store(blocks, vector + i, rest)
        store(x, at + i, rest)
