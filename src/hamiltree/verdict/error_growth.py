"""Errors of a run over time, pieced together from differences that began at several times.

A difference from a coarser run is a small error only until it is large. The difference from
another such run that began later, at a sample of the run, is still small then; where both are
known, they differ by a factor that no longer changes: both have turned into the direction that
grows fastest.
"""

from __future__ import annotations

import numpy as np

from hamiltree.verdict.coarser_runs import Other
from hamiltree.verdict.differences import Differences
from hamiltree.verdict.growth import (
    FEWEST,
    LARGE,
    envelope,
    first_large,
    first_time,
    grows_exponentially,
    growth_rate,
)

REGULAR_POWER = 2.0  # of the path, at most: errors of regular motion grow as t or t²
GOOD_TO = 3.0  # a factor: estimates are right within it
OVERLAP = 12  # samples by which a run that began later is matched


def last_linear(differences: np.ndarray) -> int:
    """The last place before a difference becomes large; the first one if there is none."""
    return max(0, int((envelope(differences) < LARGE).sum()) - 1)


class Errors:
    """Errors at common times, as far as they are known.

    relative   the worst, in parts of the motion
    found      by coordinate and body; not a number where it is not known
    """

    def __init__(self, places: np.ndarray, t: np.ndarray, path: np.ndarray):
        self.places, self.t, self.path = places, t, path
        self.relative = np.zeros(len(places))
        self.finest = np.inf  # parts of the step, of the runs by which they are known
        self.known = 0  # the last place at which errors are known
        self.largest_difference = 0.0
        self.linear = 0  # the last place at which they are in proportion to a difference
        self.found: Differences

    def begin(self, other: Other, share: float, is_small: bool | None = None) -> None:
        """That share of the differences from another run, up to where they are large unless they
        are the error themselves.
        """
        large = first_large(other.relative)
        is_small = share < 1.0 if is_small is None else is_small
        end = len(other.places) if large is None or not is_small else max(1, large)
        there = np.searchsorted(self.places, other.places[:end])
        self.relative[:] = 0.0
        self.relative[there] = share * other.peak[:end]
        blank = (np.full((len(self.places), v.shape[1]), np.nan) for v in other.found)
        self.found = Differences(*blank)
        self.keep(there, other, slice(0, end), share)
        self.linear = int(there[last_linear(other.relative[:end])])
        self.largest_difference = max(self.largest_difference, float(other.relative.max()))

    def keep(self, there: np.ndarray, other: Other, part: slice, share: float) -> None:
        """Errors by coordinate and body at some places."""
        for values, found in zip(self.found, other.found, strict=True):
            values[there] = share * found[part]
        self.known = int(there[-1])

    @property
    def horizon(self) -> float | None:
        """When errors become large."""
        return self.first_time(LARGE)

    @property
    def horizon_range(self) -> tuple[float | None, float | None]:
        """When they become large if they are larger or smaller than the estimate by a factor that
        estimates are good to.
        """
        return self.first_time(LARGE / GOOD_TO), self.first_time(GOOD_TO * LARGE)

    @property
    def extrapolated_from(self) -> float | None:
        """The time up to which errors were seen, if they become large later or not at all."""
        horizon, seen = self.horizon, float(self.t[self.known])
        is_seen = self.known == len(self.t) - 1 or (horizon is not None and horizon <= seen)
        return None if is_seen else seen

    def first_time(self, limit: float) -> float | None:
        """When errors first reach a limit; None: not by the end."""
        return first_time(self.t, envelope(self.relative), limit)

    @property
    def is_large(self) -> bool:
        """Whether they become large where the differences that tell them are still small."""
        return bool(self.relative[: self.linear + 2].max() >= LARGE)

    def extend(self, later: Other) -> bool:
        """Go on by the difference from a run that began later, as far as that is small; False if
        it leads no further.
        """
        large = first_large(later.relative)
        end = len(later.places) if large is None else large
        if end < FEWEST or later.places[end - 1] <= self.places[self.known]:
            return False
        there = np.searchsorted(self.places, later.places[:end])
        relative = later.peak[:end]
        both = np.flatnonzero((there <= self.linear) & (relative > 0.0))[1:][-OVERLAP:]
        if not len(both):
            return False
        # of the largest: a difference that has just begun is not yet in proportion
        share = float(self.relative[there[both]].max() / relative[both].max())
        beyond = there > self.linear
        first = int(np.flatnonzero(beyond)[0])
        self.relative[there[beyond]] = share * relative[beyond]
        self.keep(there[beyond], later, slice(first, end), share)
        self.linear = max(self.linear, int(there[last_linear(relative)]))
        self.largest_difference = max(self.largest_difference, float(later.relative.max()))
        return True

    def measure(self, finer: Other, share: float) -> None:
        """Errors by the difference from a finer run, as far as that goes; those that follow are in
        proportion to it.
        """
        large = first_large(finer.relative)
        end = len(finer.places) if large is None else large
        there = np.searchsorted(self.places, finer.places[:end])
        known, measured = self.relative[there], share * finer.peak[:end]
        both = np.flatnonzero((there <= self.known) & (known > 0.0) & (measured > 0.0))[-OVERLAP:]
        if not len(both):
            return
        ratio = float(np.median(measured[both] / known[both]))
        last, rest = self.known, slice(int(there[-1]) + 1, self.known + 1)
        self.relative[rest] *= ratio
        for values in self.found:
            values[rest] *= ratio
        self.relative[there] = measured
        self.keep(there, finer, slice(0, end), share)
        self.known = max(last, self.known)
        self.linear = max(self.linear, int(there[last_linear(finer.relative[:end])]))

    def extrapolate(self) -> None:
        """Beyond what is known errors go on to grow as before; not above the largest difference
        that was seen.
        """
        known = self.known
        relative, path = self.relative[: known + 1], self.path[: known + 1]
        ahead, worst = self.path[known + 1 :], envelope(relative)[-1]
        if grows_exponentially(relative, path):
            rate = growth_rate(relative, path)
            grown = np.exp(np.minimum(rate * (ahead - path[-1]), 700.0))
        else:
            grown = (ahead / max(path[-1], 1e-300)) ** REGULAR_POWER
        self.relative[known + 1 :] = worst * grown
        limit = max(self.largest_difference, worst)
        self.relative = np.minimum(self.relative, limit)
