"""Compensated summation, as the steps of integrators use it."""

from hamiltree.algebra.summation import accumulate, two_sum
from hamiltree.compiled.kernel import inlined

__all__ = ["accumulate", "step_forward", "two_sum"]


@inlined
def step_forward(state, increment, done):
    """y⁺ = y + increment, and the work of dampers and loads, in sums that keep what they lose."""
    for i in range(state.y.shape[0]):
        accumulate(state.y, state.lost, i, increment[i])
    accumulate(state.work, state.work_lost, 0, done)
