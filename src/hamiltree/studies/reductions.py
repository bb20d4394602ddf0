"""Reductions of a motion to a number, sample by sample: the least, the largest, means over time,
first passages; and a user's own.

Samples are taken one after the other, whatever the pieces in which they come, so a result does not
depend on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hamiltree.compiled.kernel import inlined, kernel
from hamiltree.compiled.number import part
from hamiltree.compiled.user_code import code_table, compile_update, run_code
from hamiltree.errors import OptionError

MINIMUM, MAXIMUM, MEAN, RMS, FIRST, COUNT, LAST = range(7)
REDUCTIONS = {
    "min": (MINIMUM, "the least value"),
    "max": (MAXIMUM, "the largest value"),
    "mean": (MEAN, "the mean over time (trapezoidal rule)"),
    "rms": (RMS, "the square root of the mean square over time"),
    "first": (FIRST, "the time at which it first is zero or more; a > b is a − b"),
    "count": (COUNT, "how often it rises through zero"),
    "end": (LAST, "the value at the end"),
}
# Numbers that a reduction carries: samples so far, its value, the last time and value, the time of
# the first sample.
SAMPLES, VALUE, LAST_TIME, LAST_VALUE, FIRST_TIME = range(5)
CARRIED = 5


@inlined
def update(kind, state, t, x):
    """One more sample of one number."""
    n = state[SAMPLES]
    before, value = state[LAST_VALUE], state[VALUE]
    if n == 0.0:
        state[FIRST_TIME] = t
        value = 0.0
        if kind in (MINIMUM, MAXIMUM):
            value = x
        if kind == FIRST:
            value = t if x >= 0.0 else np.nan
    elif kind == MINIMUM:
        value = min(value, x)
    elif kind == MAXIMUM:
        value = max(value, x)
    elif kind == MEAN:
        value += 0.5 * (t - state[LAST_TIME]) * (before + x)
    elif kind == RMS:
        value += 0.5 * (t - state[LAST_TIME]) * (before * before + x * x)
    elif kind == FIRST:
        if np.isnan(value) and x >= 0.0:
            value = state[LAST_TIME] + (t - state[LAST_TIME]) * (before / (before - x))
    elif kind == COUNT and before < 0.0 and x >= 0.0:
        value += 1.0
    state[SAMPLES] = n + 1.0
    state[VALUE] = value
    state[LAST_TIME] = t
    state[LAST_VALUE] = x


@kernel
def reduce_samples(kinds, times, values, states):
    """times (samples, members), values (samples, members, numbers), states (members, numbers,
    CARRIED); a time that is no number is no sample.
    """
    for m in range(values.shape[1]):
        for j in range(values.shape[2]):
            state = part(part(states, m), j)
            for s in range(values.shape[0]):
                if not np.isnan(times[s, m]):
                    update(kinds[j], state, times[s, m], values[s, m, j])


@kernel
def run_updates(code, parameters, scratch, times, values, x, states):
    """A user's update for every sample; x is scratch for one sample."""
    for m in range(values.shape[1]):
        own = part(states, m)
        for s in range(values.shape[0]):
            if not np.isnan(times[s, m]):
                for j in range(x.shape[0]):
                    x[j] = values[s, m, j]
                run_code(code, 0, scratch, 0, parameters, times[s, m], x, own, 0, own.shape[0])


def reduced_values(kinds: np.ndarray, states: np.ndarray) -> np.ndarray:
    """(members, numbers): what the reductions have come to."""
    value, last = states[:, :, VALUE].copy(), states[:, :, LAST_VALUE]
    length = states[:, :, LAST_TIME] - states[:, :, FIRST_TIME]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = value / length
        value = np.where(kinds == MEAN, np.where(length > 0, mean, last), value)
        value = np.where(kinds == RMS, np.where(length > 0, np.sqrt(mean), np.abs(last)), value)
    value = np.where(kinds == LAST, last, value)
    return np.where(states[:, :, SAMPLES] > 0, value, np.nan)


@dataclass(frozen=True)
class Reduction:
    """A user's own: `update(t, x, r)` changes r, which begins as `initial`, for every sample; x
    holds the numbers that `of` names, formulas as in events.

    It is compiled by Numba: floats, arrays, and what Numba knows of NumPy.
    """

    name: str
    of: Sequence[str]
    update: Callable[[float, np.ndarray, np.ndarray], None]
    initial: Sequence[float] = (0.0,)

    def __post_init__(self) -> None:
        """Check every field; texts and numbers become tuples."""
        if not isinstance(self.name, str) or not self.name:
            raise OptionError(f"a reduction needs a name, not {self.name!r}")
        of = (self.of,) if isinstance(self.of, str) else tuple(self.of)
        numbers = tuple(map(float, np.atleast_1d(self.initial)))
        if not of or not all(isinstance(text, str) for text in of):
            raise OptionError(f"reduction {self.name!r}: of = {self.of!r}; give formulas as texts")
        if not numbers or not all(map(math.isfinite, numbers)):
            raise OptionError(f"reduction {self.name!r}: initial = {self.initial!r}; give numbers")
        if not callable(self.update):
            raise OptionError(f"reduction {self.name!r}: update = {self.update!r} is no function")
        object.__setattr__(self, "of", of)
        object.__setattr__(self, "initial", numbers)


class CompiledUpdate:
    """The update of a user's reduction, and the numbers that it carries, per member."""

    def __init__(self, reduction: Reduction):
        """Compile the update; OptionError says what does not compile."""
        self.reduction = reduction
        sizes = len(reduction.of), len(reduction.initial)
        self.code = code_table([compile_update(reduction.update, *sizes, reduction.name)])

    def new_states(self, members: int) -> np.ndarray:
        return np.tile(np.array(self.reduction.initial), (members, 1))

    def __call__(self, times: np.ndarray, values: np.ndarray, states: np.ndarray) -> None:
        x = np.zeros(len(self.reduction.of))
        scratch: Any = np.zeros(1 + len(x) + states.shape[1])
        run_updates(self.code, np.zeros(1), scratch, times, values, x, states)
