"""Compensated summation, as the steps of integrators use it."""

from hamiltree.algebra.summation import accumulate, two_sum
from hamiltree.compiled.kernel import inlined

__all__ = ["accumulate", "add_increment", "two_sum"]


@inlined
def add_increment(state, increment, work_done):
    """y⁺ = y + increment, and the work of dampers and loads, in sums that keep what they lose."""
    for i in range(state.y.shape[0]):
        accumulate(state.y, state.compensation, i, increment[i])
    accumulate(state.work, state.work_compensation, 0, work_done)
