"""Compensated summation: what a sum loses to rounding is kept and added next time. Sums of zeros,
which tell whether all numbers of an array are finite.
"""

from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import (
    WIDTH,
    fma,
    lane,
    load,
    load_block,
    rows_after_blocks,
    store,
    store_block,
    whole_blocks,
)


@inlined
def two_sum(a, b):
    """a + b rounded, and exactly what the rounding lost (Knuth)."""
    total = a + b
    virtual = total - a
    return total, (a - (total - virtual)) + (b - virtual)


@inlined
def accumulate(y, compensation, i, increment):
    """y_i += increment, with the compensation of row i."""
    total, rest = two_sum(load(y, i), load(compensation, i) + increment)
    store(y, i, total)
    store(compensation, i, rest)


@inlined
def accumulate_rows(y, compensation, increment):
    """y += increment, row by row with its compensation; floats four at a time."""
    for k in range(whole_blocks(y)):
        added = load_block(compensation, k) + load_block(increment, k)
        total, rest = two_sum(load_block(y, k), added)
        store_block(y, k, total)
        store_block(compensation, k, rest)
    for k in range(rows_after_blocks(y)):
        i = y.shape[0] - 1 - k
        accumulate(y, compensation, i, load(increment, i))


@inlined
def are_finite(values):
    """Whether all numbers of an array of floats are finite: sums of zeros, in four blocks at a
    time, because one sum would wait for itself.
    """
    first = 0.0
    second = 0.0
    third = 0.0
    fourth = 0.0
    rest = 0.0
    count = values.shape[0] // (4 * WIDTH)
    for k in range(count):
        first = fma(load_block(values, 4 * k), 0.0, first)
        second = fma(load_block(values, 4 * k + 1), 0.0, second)
        third = fma(load_block(values, 4 * k + 2), 0.0, third)
        fourth = fma(load_block(values, 4 * k + 3), 0.0, fourth)
    for k in range(4 * count, values.shape[0] // WIDTH):
        first = fma(load_block(values, k), 0.0, first)
    for i in range(values.shape[0] & (WIDTH - 1)):
        rest += 0.0 * values[values.shape[0] - 1 - i]
    if values.shape[0] >= WIDTH:
        for k in range(WIDTH):
            rest += lane((first + second) + (third + fourth), k)
    return rest == 0.0
