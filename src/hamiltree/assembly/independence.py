"""How independent the rows of constraints are of each other, as formulations record it."""

from __future__ import annotations

import numpy as np

from hamiltree.compiled.kernel import inlined

# Entries of an array `trouble` in the work of a system: how independent the weakest row or group is
# of the others, as a squared sine (0: not known; below 0: positions could not be closed), which one
# it is; and the binary logarithm of the squared volume that rows of length one span (inf: not
# known), which is −∞ where the sine is zero but has no kinks elsewhere: where rows were factored
# last, and the least at evaluations of the rates since. Volumes of many rows are no floats; where
# they are, the least itself is kept too: a logarithm is taken only of what is less.
INDEPENDENCE, WEAKEST_ROW, VOLUME, LEAST_VOLUME, LEAST_PRODUCT = range(5)
SMALL_VOLUME = 2.0**-256  # of some rows: its logarithm is taken before the next ones'
LARGE_VOLUME = 2.0**256
NEARLY_DEPENDENT = 1e-3  # squared sine of the angle between a row and the others


def new_independence_record() -> np.ndarray:
    record = np.zeros(5)
    record[[VOLUME, LEAST_VOLUME, LEAST_PRODUCT]] = np.inf
    return record


@inlined
def multiply_volume(volume, log_volume, share):
    """(volume, log₂ of what was split off) of rows, with one more."""
    volume *= share
    if SMALL_VOLUME < volume < LARGE_VOLUME or not volume > 0.0:
        return volume, log_volume
    return 1.0, log_volume + np.log2(volume)


@inlined
def log_of_volume(volume, log_volume):
    """inf where rows are dependent or not numbers: nothing is known of them then."""
    return log_volume + np.log2(volume) if volume > 0.0 else np.inf


@inlined
def see_volume(trouble, volume, log_volume):
    """Of an evaluation of the rates: the least is kept."""
    if log_volume == 0.0:
        if volume >= trouble[LEAST_PRODUCT]:
            return
        if volume > 0.0:
            trouble[LEAST_PRODUCT] = volume
    trouble[LEAST_VOLUME] = min(log_of_volume(volume, log_volume), trouble[LEAST_VOLUME])


@inlined
def take_least_volume(trouble):
    """The least that rates have seen since this was asked last; inf: none."""
    least = trouble[LEAST_VOLUME]
    trouble[LEAST_VOLUME] = trouble[LEAST_PRODUCT] = np.inf
    return least


@inlined
def sine_of_weakest_row(trouble):
    """0 where it is not known, or not a number."""
    return np.sqrt(trouble[INDEPENDENCE]) if trouble[INDEPENDENCE] > 0.0 else 0.0
