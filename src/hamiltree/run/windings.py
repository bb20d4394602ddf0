"""Winding numbers: whole turns of hinges, counted beside the state so that angles stay small."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from hamiltree.integrators.integrator import State

# steps after which whole turns are taken out of angles: rounding and the end of iterations are
# relative to the largest angle
UNWIND_EVERY = 200
# 2π = high + low; the product of the first with a few thousand turns is exact
TWO_PI_HIGH = 6.283185307169333
TWO_PI_LOW = 1.0253376606378076e-11


def take_out_turns(state: State, rows: Iterable[int], turns: np.ndarray) -> None:
    """Move whole turns from the angles at `rows` to the count `turns`, both in place.

    2π is subtracted in two parts, with the compensation of the state's sum, so that nothing is
    lost to rounding.
    """
    for row in rows:
        whole = round(state.y[row] / (2 * math.pi))
        if whole:
            rest = state.y[row] - whole * TWO_PI_HIGH
            low = state.compensation[row] - whole * TWO_PI_LOW
            state.y[row] = rest + low
            state.compensation[row] = (rest - state.y[row]) + low
            turns[row] += whole
