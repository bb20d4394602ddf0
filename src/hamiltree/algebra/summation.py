"""Compensated summation: what a sum loses to rounding is kept and added next time. Sums of zeros,
which tell whether all numbers of an array are finite.
"""

from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import WIDTH, fma, lane, load, load_block, store


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
def are_finite(values):
    """Whether all numbers of an array of floats are finite: sums of zeros, in two blocks at a time,
    because one sum would wait for itself.
    """
    first = 0.0
    second = 0.0
    rest = 0.0
    pairs = values.shape[0] // (2 * WIDTH)
    for k in range(pairs):
        first = fma(load_block(values, 2 * k), 0.0, first)
        second = fma(load_block(values, 2 * k + 1), 0.0, second)
    for i in range(2 * WIDTH * pairs, values.shape[0]):
        rest += 0.0 * values[i]
    for k in range(WIDTH):
        rest += lane(first + second, k)
    return rest == 0.0
