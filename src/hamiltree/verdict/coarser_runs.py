"""Runs with longer steps beside a run, at common times, and how far they are from it.

A run is made in pieces, so that one that goes wrong altogether early costs less, and one that turns
out to be dear ends where the cost does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from hamiltree.errors import StepError
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.verdict.compared_run import ComparedRun
from hamiltree.verdict.differences import (
    Differences,
    Kinds,
    Samples,
    Scales,
    differences,
    kinds_of,
    path_of,
    samples_of,
    scales_of,
)
from hamiltree.verdict.growth import NONLINEAR
from hamiltree.verdict.repetition import Repetition, matching_samples

COST = 0.72  # of the evaluations of the run, at most: with what else is computed, 0.75 of its time
# evaluations times numbers of a sample that a short run may cost beside: some milliseconds
FREE = 2**20
ROWS_COST = 4  # evaluations with rows of constraints take so many times as long, and longer
SPARE = 1.02  # what a piece may cost more than the ones before it
MOST_SCALED = 2**24  # numbers of the samples from which ranges of motion are taken
MOST_BETWEEN = 2**17  # numbers of all samples at which a run is compared, if not only on the grid
MOST_SAMPLES = 2**12  # the same, samples
COARSEST = 4  # times the step: all coarser runs are compared at ends of such steps
FIRST_PIECE, PIECE = 1 / 4, 1 / 8  # of a run
SMALL = 1e-6  # of the motion: a difference that is still far from going wrong
FEWEST_IN_PIECES = 64  # steps of a run that is made in pieces


class Motion(NamedTuple):
    """What errors of a run are measured by."""

    kinds: Kinds
    scales: Scales
    path: np.ndarray  # at every sample
    rows: int  # numbers of a sample


def motion_of(run: Trajectory) -> Motion:
    """Ranges of motion, and the path at every sample."""
    kinds, t = kinds_of(run), run._values("t")
    numbers = sum(values.size for values in samples_of(run, slice(0, 1)))
    stride = max(1, -(-len(t) * numbers // MOST_SCALED))
    places = np.unique(np.append(np.arange(0, len(t), stride), len(t) - 1))
    samples = samples_of(run, places)
    scales = scales_of(samples, kinds)
    path = np.interp(t, t[places], path_of(samples, kinds, scales))
    return Motion(kinds, scales, path, numbers)


class Piece(NamedTuple):
    """A part of a run made again with another step, and its difference from the run."""

    places: np.ndarray  # samples of the run at the common times
    samples: Samples
    found: Differences
    relative: np.ndarray  # the worst, in parts of the motion
    peak: np.ndarray  # the same, of all times since the one before that were compared

    @property
    def worst(self) -> float:
        """The largest difference; infinite where one is not a number."""
        worst = float(self.relative.max(initial=0.0))
        return worst if math.isfinite(worst) else math.inf


class Other(NamedTuple):
    """All of such a run."""

    places: np.ndarray
    samples: Samples
    found: Differences
    relative: np.ndarray
    peak: np.ndarray
    evaluations: int
    length: float  # of time


class CoarserRuns:
    """Runs with other steps, and what they have cost."""

    def __init__(self, run: Trajectory, most: float = COST, free: int = FREE):
        """`most`: evaluations in parts of those of the run; `free`: evaluations times numbers of a
        sample beside. Refused (NotRepeatable) where the run cannot be made again.
        """
        self.run = run
        self.repetition = Repetition(run, is_shared=True)
        self.motion = motion_of(run)
        counted = run.statistics
        self.steps = max(1, int(counted.get("steps", 1)))
        self.evaluations = max(1, int(counted.get("evaluations", 1)))
        self.spent = 0  # evaluations
        length = self.repetition.end - self.repetition.begin
        self.prices = {1.0: self.evaluations / length}  # per time, by the length of steps
        self.most = most
        self.free = free // max(1, self.motion.rows)
        if self.repetition.has_rows:
            self.free //= ROWS_COST
        self.grid, self.every = self.repetition.common_samples(COARSEST)
        self.compared = self.grid  # those of the grid, and maybe some between
        self.passed = 0.0  # the worst since the last one on the grid, where pieces meet between

    @property
    def cost(self) -> float:
        """In parts of the evaluations of the run."""
        return self.spent / self.evaluations

    @property
    def left(self) -> float:
        """Evaluations that may still be made."""
        return self.most * self.evaluations + self.free - self.spent

    def coarser(
        self,
        factor: float,
        place: int = 0,
        length: float | None = None,
        is_limited: bool = True,
        is_dense: bool = False,
    ) -> Other | None:
        """Steps that are `factor` times as long, from a sample, over a length of time or to the
        end, or until the run has gone wrong altogether; None if it failed at once. `is_dense`: it
        is also compared between the points of the grid, for the peaks of differences.
        """
        again = self.repetition
        every, steps, self.compared, self.passed = self.every, COARSEST, self.grid, 0.0
        if is_dense and not again.integrator.samples_at_steps:
            steps = next((n for n in (1, 2) if (n / factor).is_integer()), COARSEST)
            most = min(MOST_SAMPLES, MOST_BETWEEN // max(1, self.motion.rows))
            self.compared, every = again.samples_between(self.grid, steps, most)
        if not again.is_controlled:
            every = min(2**40, round(every * steps / factor))
        about = factor, place, length, is_limited
        try:
            return again.beside(factor, every, place, lambda other: self.advance(other, *about))
        except StepError:  # it has no start
            return None

    def advance(
        self, other: ComparedRun, factor: float, place: int, length: float | None, is_limited: bool
    ) -> Other | None:
        """Piece by piece, up to where it fails, has gone wrong altogether, or the cost does not
        reach any further.
        """
        times, before = self.repetition.times, self.spent
        begin = now = float(times[place])
        last, worst, price = self.end_on_grid(place, length), 0.0, self.price(factor)
        pieces: list[Piece] = []
        while now < last and worst < NONLINEAR:
            planned = self.end_of_piece(begin, now, last, worst)
            until = self.affordable(planned, now, price) if is_limited else planned
            if not until > now:
                break
            piece = other.go_on(until)
            self.spent = before + other.evaluations
            if other.has_failed:
                break
            pieces.append(self.match(*piece, place))
            worst = pieces[-1].worst
            now = until
            price = self.prices[factor] = (self.spent - before) / (now - begin)
            if until < planned:
                break
        return self.join(pieces, self.spent - before)

    def price(self, factor: float) -> float:
        """Evaluations per time that steps `factor` times as long will take: as many per step as
        the most that are known.
        """
        return max(known * of / factor for of, known in self.prices.items())

    def end_on_grid(self, place: int, length: float | None) -> float:
        """The end of a run from a sample over a length of time; the end of all if none is given."""
        again = self.repetition
        begin, spacing = float(again.times[place]), again.spacing(COARSEST)
        if length is None or length >= again.end - begin:
            return again.end
        return begin + max(1, round(length / spacing)) * spacing

    def end_of_piece(self, begin: float, now: float, last: float, worst: float) -> float:
        """A quarter of the whole, then twice as much as long as the difference is small; eighths
        where it is not.
        """
        again = self.repetition
        if again.integrator.samples_at_steps or self.steps < FEWEST_IN_PIECES:
            return last
        spacing = again.spacing(COARSEST)
        length = PIECE * (last - begin)
        if worst < SMALL:
            length = max(FIRST_PIECE * (last - begin), now - begin)
        until = now + max(1, round(length / spacing)) * spacing
        return until if until + 0.5 * length < last else last

    def affordable(self, until: float, now: float, price: float) -> float:
        """The end of a piece, or an earlier point of the grid if the cost does not reach so far."""
        if (
            price * SPARE * (until - now) <= self.left
            or self.repetition.integrator.samples_at_steps
        ):
            return until
        spacing = self.repetition.spacing(COARSEST)
        return now + math.floor(max(0.0, self.left) / (SPARE * price) / spacing) * spacing

    def match(self, t: np.ndarray, samples: Samples, place: int) -> Piece:
        """The common samples of the run and another one."""
        times = self.repetition.times
        compared = self.compared[self.compared >= place]
        mine, theirs = matching_samples(times[compared], t, self.repetition.step)
        places, samples = compared[mine], samples.at(theirs)
        apart = differences(samples_of(self.run, places), samples, self.motion.kinds)
        relative = self.motion.scales.relative(apart)
        on_grid = np.flatnonzero(np.isin(places, self.grid))
        peak = relative[on_grid]
        if len(on_grid):
            since = np.append(0, on_grid[:-1] + 1)
            peak = np.maximum.reduceat(relative[: on_grid[-1] + 1], since)
            peak[0] = max(peak[0], self.passed)
        after = relative[on_grid[-1] + 1 :] if len(on_grid) else relative
        self.passed = float(after.max(initial=0.0 if len(on_grid) else self.passed))
        parts = places[on_grid], samples.at(on_grid), apart.at(on_grid), relative[on_grid]
        return Piece(*parts, peak)

    def join(self, pieces: list[Piece], evaluations: int) -> Other | None:
        """The pieces as one."""
        if not pieces:
            return None
        joined = np.concatenate([piece.places for piece in pieces])
        places, first = np.unique(joined, return_index=True)
        samples = Samples(
            *(np.concatenate(parts)[first] for parts in each(p.samples for p in pieces))
        )
        found = Differences(
            *(np.concatenate(parts)[first] for parts in each(p.found for p in pieces))
        )
        relative = np.concatenate([piece.relative for piece in pieces])[first]
        peak = np.concatenate([piece.peak for piece in pieces])[first]
        times = self.repetition.times[places]
        length = float(times[-1] - times[0]) if len(times) else 0.0
        return Other(places, samples, found, relative, peak, evaluations, length)

    def finer(self, length: float) -> Other | None:
        """Half the step over the beginning; None if that fails."""
        again = self.repetition
        self.grid, every = again.common_samples(1)
        self.compared = self.grid
        until = again.begin + max(1, round(length / again.step)) * again.step
        every = every if again.is_controlled else min(2**40, 2 * every)

        def advance(other: ComparedRun) -> Other | None:
            times, samples = other.go_on(min(until, again.end))
            self.spent += other.evaluations
            if other.has_failed:
                return None
            return self.join([self.match(times, samples, 0)], other.evaluations)

        return again.beside(0.5, every, 0, advance)

    def between(self, one: Other, other: Other) -> tuple[np.ndarray, np.ndarray]:
        """The difference of two other runs, and where the first has those samples."""
        _, mine, theirs = np.intersect1d(one.places, other.places, return_indices=True)
        found = differences(one.samples.at(mine), other.samples.at(theirs), self.motion.kinds)
        return self.motion.scales.relative(found), mine


def each(parts: Iterable[tuple[np.ndarray, ...]]) -> Iterable[tuple[np.ndarray, ...]]:
    """The same field of every part, field by field."""
    return zip(*parts, strict=True)
