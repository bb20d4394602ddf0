"""Compensated summation: what a sum loses to rounding is kept and added next time."""

from hamiltree.algebra.number import load, store
from hamiltree.kernel import inlined


@inlined
def two_sum(a, b):
    """a + b rounded, and exactly what the rounding lost (Knuth)."""
    total = a + b
    virtual = total - a
    return total, (a - (total - virtual)) + (b - virtual)


@inlined
def accumulate(y, lost, i, increment):
    """y_i += increment, with the compensation of row i."""
    total, rest = two_sum(load(y, i), load(lost, i) + increment)
    store(y, i, total)
    store(lost, i, rest)
