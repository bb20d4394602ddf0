"""Errors of a run over time where a run with twice the step is wrong altogether before the run is.

What is left of the cost is spent on runs whose differences say more: with a step as near to that of
the run as the cost allows; over the beginning, for the size of the errors; with twice the step from
later samples of the run, for their growth.
"""

from __future__ import annotations

import numpy as np

from hamiltree.verdict.coarser_runs import CoarserRuns, Other
from hamiltree.verdict.error_growth import OVERLAP, Errors
from hamiltree.verdict.growth import (
    FEWEST,
    FIRST_PATH,
    NONLINEAR,
    envelope,
    first_large,
    grows_exponentially,
    own_error,
)

MOST_ROUNDED = 0.5  # of a difference: more than that is rounding, which no step makes less
FINER, NEAR = 1 / 2, 4 / 3  # parts of the step, whose steps end where four steps do
# how much farther than to the expected time at which the run is wrong they must be affordable
NEARER = ((FINER, 1.4), (NEAR, 1.2))
LEAST_MEASURED = 0.25  # of the time in which errors are known
FOR_SIZE = 0.5  # of what is left of the cost, at most: for the size of errors before their growth
MAX_LATER = 8  # runs that begin later
LATER_LENGTH = 3.0  # of such a run, in times after which the one before was wrong


class ErrorsOverTime:
    """Makes them from a run with twice the step and from further runs."""

    def __init__(self, runs: CoarserRuns, order: float, is_seen: bool):
        """`order`: by which errors fall with the step; `is_seen`: longer steps show it clearly."""
        self.runs = runs
        self.is_seen = is_seen
        self.repetition, self.motion = runs.repetition, runs.motion
        self.order = order
        self.price = runs.evaluations / (self.repetition.end - self.repetition.begin)  # of the run

    def make(self, twice: Other, share: float, rounded: float) -> Errors:
        """That part of the differences; where the run with twice the step is wrong altogether
        before the run is, and not by rounding, by further runs.
        """
        grid, ratio = self.runs.grid, self.repetition.ratio
        errors = Errors(grid, self.repetition.times[grid], self.motion.path[grid])
        if rounded >= MOST_ROUNDED or first_large(twice.relative) is None:
            errors.begin(twice, share)
        else:
            usual = 1.0 / max(1.0, ratio**self.order - 1.0)
            errors.begin(twice, min(1.0, usual + rounded), is_small=True)
            errors.extrapolate()
            if not self.repetition.integrator.samples_at_steps:
                self.come_nearer(errors, twice)
        errors.extrapolate()
        return errors

    def come_nearer(self, errors: Errors, twice: Other) -> None:
        """By all further runs that the cost allows: with a nearer step; where errors grow
        exponentially, their size over the beginning if there is none such, and their growth by runs
        that begin later.
        """
        known = slice(0, errors.known + 1)
        is_exponential = grows_exponentially(errors.relative[known], errors.path[known])
        near = self.whole_run(errors, twice, NEARER if self.is_seen else NEARER[:1])
        if is_exponential:
            if near is None:
                self.measure(errors, twice, FOR_SIZE * self.runs.left)
            self.go_on(errors, near or twice)
        elif near is None:
            self.whole_run(errors, twice, ((NEAR, 0.0),))
        self.measure(errors, twice, self.runs.left)

    def whole_run(
        self, errors: Errors, twice: Other, steps: tuple[tuple[float, float], ...]
    ) -> Other | None:
        """Errors by a run whose difference is about as large as the error itself: with a step as
        near to that of the run as the cost allows up to where the run is expected to be wrong.
        None if the cost does not reach so far.
        """
        again, runs = self.repetition, self.runs
        reach = (errors.horizon or again.end) - again.begin
        for factor, farther in steps:
            needed = min(farther * reach, again.end - again.begin)
            if needed * self.price / factor > runs.left:
                continue
            near = runs.coarser(factor, is_dense=True)
            if near is None or len(near.places) < FEWEST:
                return None
            errors.begin(near, self.share(twice, near, factor), is_small=True)
            errors.finest = factor
            return near
        return None

    def measure(self, errors: Errors, twice: Other, most: float) -> Other | None:
        """Errors over the beginning by a finer step or a nearer one than has told them, as far as
        so many evaluations reach; those that follow are in proportion. The run that has told them.
        """
        again = self.repetition
        known = float(errors.t[errors.known]) - again.begin
        for factor in (FINER, NEAR):
            length = min(factor * most / self.price, known)
            if factor >= errors.finest or length < LEAST_MEASURED * known:
                continue
            near = self.runs.coarser(factor, 0, length, is_dense=True)
            if near is not None and len(near.places) >= FEWEST:
                errors.measure(near, self.share(twice, near, factor))
                errors.finest = factor
                return near
            return None
        return None

    def share(self, twice: Other, near: Other, factor: float) -> float:
        """What part of the difference from a run is the error: by the order at which the errors of
        three steps explain both differences, not below that of the method, and not above twice
        that.
        """
        _, far, there = np.intersect1d(twice.places, near.places, return_indices=True)
        path, order = self.motion.path[twice.places[far]], self.order
        larger, smaller = envelope(twice.relative[far]), envelope(near.relative[there])
        is_used = (larger < NONLINEAR) & (smaller > 0.0) & (path >= FIRST_PATH)
        if is_used.sum() >= FEWEST:
            orders = np.linspace(order, 2.0 * self.repetition.integrator.order, 64)
            expected = (self.repetition.ratio**orders - 1.0) / np.abs(factor**orders - 1.0)
            seen = np.median(larger[is_used] / smaller[is_used])
            order = float(np.interp(seen, expected, orders))
        return 1.0 / abs(factor**order - 1.0)

    def go_on(self, errors: Errors, other: Other | None) -> None:
        """By runs with twice the step that begin at later samples of the run, where errors grow
        exponentially. Errors of regular motion keep what they have gathered since the start.
        """
        for _ in range(MAX_LATER):
            if errors.is_large or errors.linear == len(errors.t) - 1 or other is None:
                break
            other = self.begin_later(errors, other)
            if other is None or not errors.extend(other):
                break

    def begin_later(self, errors: Errors, before: Other) -> Other | None:
        """Twice the step, from a sample of the run before another one went wrong: half way, in
        powers of ten, between its first errors and those that are large. Not beyond half of the
        way to where errors are known, so that it has turned into the direction that grows when
        both are compared; nearer to there if that is all that the cost allows.
        """
        large = first_large(before.relative)
        last = len(before.relative) if large is None else large
        if last < FEWEST:
            return None
        found = envelope(before.relative[:last])
        level = own_error(before.relative[:last], self.motion.path[before.places[:last]])
        start = int(np.searchsorted(found, np.sqrt(max(level, 1e-300) * NONLINEAR)))
        known = int(np.searchsorted(before.places, errors.places[errors.linear]))
        times, ratio = self.repetition.times, self.repetition.ratio
        affordable = self.runs.left / (1.1 * self.runs.price(ratio))
        for begin in (min(start, known // 2), min(start, known - OVERLAP), known - OVERLAP):
            place = int(before.places[min(max(begin, 1), last - 3)])
            wrong_after = float(times[before.places[last - 1]]) - float(times[place])
            if affordable > wrong_after:
                length = min(affordable, LATER_LENGTH * wrong_after)
                return self.runs.coarser(ratio, place, length, is_dense=True)
        return None
