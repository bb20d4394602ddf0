"""Compensated summation, as the steps of integrators use it."""

from hamiltree.algebra.summation import accumulate, two_sum

__all__ = ["accumulate", "two_sum"]
