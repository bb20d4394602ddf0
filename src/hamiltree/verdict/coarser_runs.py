"""Runs with longer steps beside a run, at common times, and how far they are from it.

A run to the end is made in two pieces, so that one that goes wrong altogether early costs less.
"""

from __future__ import annotations

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

COST = 0.75  # of the evaluations of the run: what is planned
MOST_COST = 0.9  # where a piece turns out to be dearer
MOST_SCALED = 2**24  # numbers of the samples from which ranges of motion are taken
COARSEST = 4  # times the step: all coarser runs are compared at ends of such steps
FIRST_PIECE = 1 / 4  # of a run
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

    def __init__(self, run: Trajectory):
        """Refused (NotRepeatable) where the run cannot be made again."""
        self.run = run
        self.repetition = Repetition(run)
        self.motion = motion_of(run)
        counted = run.statistics
        self.steps = max(1, int(counted.get("steps", 1)))
        self.evaluations = max(1, int(counted.get("evaluations", 1)))
        self.spent = 0  # evaluations
        self.grid, self.every = self.repetition.common_samples(COARSEST)

    @property
    def cost(self) -> float:
        """In parts of the evaluations of the run."""
        return self.spent / self.evaluations

    @property
    def left(self) -> float:
        """Evaluations that may still be made."""
        return COST * self.evaluations - self.spent

    def coarser(self, factor: float, place: int = 0, length: float | None = None) -> Other | None:
        """Steps that are `factor` times as long, from a sample, over a length of time or to the
        end, or until the run has gone wrong altogether; None if it failed at once.
        """
        again = self.repetition
        every = self.every
        if not again.is_controlled:
            every = min(2**40, round(every * COARSEST / factor))
        pieces: list[tuple[np.ndarray, Samples]] = []
        made, spent = None, self.spent
        for until in self.ends_of_pieces(place, length):
            made = self.advance(factor, until, every, place, made)
            if made is None:
                break
            pieces.append(self.match(made, place))
            if self.is_wrong(pieces[-1]) or made.end is None or self.cost > MOST_COST:
                break
        return self.join(pieces, self.spent - spent)

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

    def ends_of_pieces(self, place: int, length: float | None) -> list[float]:
        """Times on the grid of all runs; the last is the end that was asked for."""
        again = self.repetition
        begin, spacing = float(again.times[place]), again.spacing(COARSEST)
        whole = again.end - begin
        points = whole / spacing if length is None else min(length, whole) / spacing
        last = again.end if length is None or length >= whole else begin + round(points) * spacing
        if length is not None or again.integrator.samples_at_steps:
            return [last]
        first = begin + round(FIRST_PIECE * points) * spacing
        return [first, last] if self.steps >= FEWEST_IN_PIECES else [last]

    def match(self, other: Trajectory, place: int) -> tuple[np.ndarray, Samples]:
        """The common samples of the run and another one."""
        times = self.repetition.times
        grid = self.grid[self.grid >= place]
        mine, theirs = matching_samples(times[grid], other._values("t"), self.repetition.step)
        return grid[mine], samples_of(other, theirs)

    def is_wrong(self, piece: tuple[np.ndarray, Samples]) -> bool:
        """Whether it is so far from the run that the difference says nothing of errors."""
        places, samples = piece
        found = differences(samples_of(self.run, places), samples, self.motion.kinds)
        return not bool((self.motion.scales.relative(found) < NONLINEAR).all())

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
