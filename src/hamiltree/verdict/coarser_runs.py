"""Runs with longer steps beside a run, at common times, and how far they are from it.

A run is made in pieces, so that one that goes wrong altogether early costs less, and one that turns
out to be dear ends where the cost does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hamiltree.errors import StepError
from hamiltree.trajectory.trajectory import Trajectory
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

COST = 0.75  # of the evaluations of the run, at most
SPARE = 1.02  # what a piece may cost more than the ones before it
MOST_SCALED = 2**24  # numbers of the samples from which ranges of motion are taken
COARSEST = 4  # times the step: all coarser runs are compared at ends of such steps
FIRST_PIECE, PIECE = 1 / 4, 1 / 8  # of a run
SMALL = 1e-6  # of the motion: a difference that is still far from going wrong
FEWEST_IN_PIECES = 64  # steps of a run that is made in pieces


class Motion(NamedTuple):
    """What errors of a run are measured by."""

    kinds: Kinds
    scales: Scales
    path: np.ndarray  # at every sample


def motion_of(run: Trajectory) -> Motion:
    """Ranges of motion, and the path at every sample."""
    kinds, t = kinds_of(run), run._values("t")
    numbers = sum(values.size for values in samples_of(run, slice(0, 1)))
    stride = max(1, -(-len(t) * numbers // MOST_SCALED))
    places = np.unique(np.append(np.arange(0, len(t), stride), len(t) - 1))
    samples = samples_of(run, places)
    scales = scales_of(samples, kinds)
    return Motion(kinds, scales, np.interp(t, t[places], path_of(samples, kinds, scales)))


class Other(NamedTuple):
    """The run made again with another step, and its difference from the run."""

    places: np.ndarray  # samples of the run at the common times
    samples: Samples
    found: Differences
    relative: np.ndarray  # the worst, in parts of the motion
    evaluations: int
    length: float  # of time


class CoarserRuns:
    """Runs with other steps, and what they have cost."""

    def __init__(self, run: Trajectory, most: float = COST):
        """`most`: evaluations in parts of those of the run. Refused (NotRepeatable) where the run
        cannot be made again.
        """
        self.run = run
        self.repetition = Repetition(run)
        self.motion = motion_of(run)
        counted = run.statistics
        self.steps = max(1, int(counted.get("steps", 1)))
        self.evaluations = max(1, int(counted.get("evaluations", 1)))
        self.spent = 0  # evaluations
        self.most = most
        self.grid, self.every = self.repetition.common_samples(COARSEST)

    @property
    def cost(self) -> float:
        """In parts of the evaluations of the run."""
        return self.spent / self.evaluations

    @property
    def left(self) -> float:
        """Evaluations that may still be made."""
        return self.most * self.evaluations - self.spent

    def coarser(
        self, factor: float, place: int = 0, length: float | None = None, is_limited: bool = True
    ) -> Other | None:
        """Steps that are `factor` times as long, from a sample, over a length of time or to the
        end, or until the run has gone wrong altogether; None if it failed at once.
        """
        again = self.repetition
        every = self.every
        if not again.is_controlled:
            every = min(2**40, round(every * COARSEST / factor))
        pieces: list[tuple[np.ndarray, Samples]] = []
        begin, made, before = float(again.times[place]), None, self.spent
        now, last, worst = begin, self.end_on_grid(place, length), 0.0
        price = self.evaluations / (again.end - again.begin) / factor
        while now < last and worst < NONLINEAR:
            planned = self.end_of_piece(begin, now, last, worst)
            if made is not None:
                price = (self.spent - before) / (now - begin)
            until = self.affordable(planned, now, price) if is_limited else planned
            if until > now:
                made = self.advance(factor, until, every, place, made)
            if not until > now or made is None:
                break
            pieces.append(self.match(made, place))
            worst = self.worst_difference(pieces[-1])
            now = until
            if until < planned or made.end is None:
                break
        return self.join(pieces, self.spent - before)

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

    def advance(
        self, factor: float, until: float, every: int, place: int, before: Trajectory | None
    ) -> Trajectory | None:
        """One piece; None if it failed."""
        try:
            made = self.repetition.again(factor, until, every, place, before)
        except StepError as error:
            made = error.trajectory
            self.spent += 0 if made is None else int(made.statistics.get("evaluations", 0))
            return None
        self.spent += int(made.statistics["evaluations"])
        return made

    def match(self, other: Trajectory, place: int) -> tuple[np.ndarray, Samples]:
        """The common samples of the run and another one."""
        times = self.repetition.times
        grid = self.grid[self.grid >= place]
        mine, theirs = matching_samples(times[grid], other._values("t"), self.repetition.step)
        return grid[mine], samples_of(other, theirs)

    def worst_difference(self, piece: tuple[np.ndarray, Samples]) -> float:
        """From the run, in parts of the motion; infinite where it is not a number."""
        places, samples = piece
        found = differences(samples_of(self.run, places), samples, self.motion.kinds)
        worst = float(self.motion.scales.relative(found).max(initial=0.0))
        return worst if math.isfinite(worst) else math.inf

    def join(self, pieces: list[tuple[np.ndarray, Samples]], evaluations: int) -> Other | None:
        """The pieces as one."""
        if not pieces:
            return None
        joined = np.concatenate([places for places, _ in pieces])
        places, first = np.unique(joined, return_index=True)
        samples = Samples(
            *(np.concatenate(parts)[first] for parts in zip(*(s for _, s in pieces), strict=True))
        )
        found = differences(samples_of(self.run, places), samples, self.motion.kinds)
        times = self.repetition.times[places]
        length = float(times[-1] - times[0]) if len(times) else 0.0
        relative = self.motion.scales.relative(found)
        return Other(places, samples, found, relative, evaluations, length)

    def finer(self, length: float) -> Other | None:
        """Half the step over the beginning; None if that fails."""
        again = self.repetition
        self.grid, every = again.common_samples(1)
        until = again.begin + max(1, round(length / again.step)) * again.step
        every = every if again.is_controlled else min(2**40, 2 * every)
        spent = self.spent
        made = self.advance(0.5, min(until, again.end), every, 0, None)
        return None if made is None else self.join([self.match(made, 0)], self.spent - spent)

    def between(self, one: Other, other: Other) -> tuple[np.ndarray, np.ndarray]:
        """The difference of two other runs, and where the first has those samples."""
        _, mine, theirs = np.intersect1d(one.places, other.places, return_indices=True)
        found = differences(one.samples.at(mine), other.samples.at(theirs), self.motion.kinds)
        return self.motion.scales.relative(found), mine
