"""Compensated summation: what a sum loses to rounding is kept and added next time."""

from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import load, store


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
