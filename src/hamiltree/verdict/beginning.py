"""The beginning of a long run that is chaotic: errors are large before it has been sampled often
enough to see how they grow, so that it is made again with more samples.
"""

from __future__ import annotations

import math

import numpy as np

from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.verdict.coarser_runs import COARSEST, CoarserRuns, Other
from hamiltree.verdict.growth import FEWEST, first_large
from hamiltree.verdict.repetition import Repetition

FEW = 2 * FEWEST  # samples before a difference is large: too few for a law of growth
LONGER = 3.0  # times that after which twice the step was wrong altogether
SAMPLES = 1000  # of the beginning
MOST_NUMBERS = 2**22  # of all its samples
CLOSER = 2.0  # times as close as before samples must be
ESTIMATED = 2.0  # the price of a run with the estimate of its error


def repeat_beginning(runs: CoarserRuns, twice: Other | None) -> Trajectory | None:
    """The run up to where it should have gone wrong altogether, by when twice the step has, with
    closer samples. None where it was sampled often enough, cannot be sampled more often, or that
    would cost too much.
    """
    again = runs.repetition
    wrong = None if twice is None else first_large(twice.relative)
    if twice is None or wrong is None or wrong >= FEW or again.integrator.samples_at_steps:
        return None
    apart = float(again.times[twice.places[wrong]]) - again.begin
    spacing = again.spacing(COARSEST)
    length = max(1, math.ceil(LONGER * apart / spacing)) * spacing
    count = min(SAMPLES, MOST_NUMBERS // max(1, runs.motion.rows))
    price = runs.evaluations / (again.end - again.begin)
    is_dear = ESTIMATED * price * length > runs.left
    if is_dear or length >= again.end - again.begin or not count:
        return None
    own = Repetition(runs.run)
    every = 1
    if own.is_controlled:
        own.setup = own.setup._replace(step=length / count)
    else:
        every = max(1, round(length / count / (COARSEST * own.step))) * COARSEST
    if CLOSER * every * own.step > apart / max(1, wrong):
        return None
    made = own.again(1.0, again.begin + length, every)
    runs.spent += int(made.statistics["evaluations"])
    return made


def times_after(runs: CoarserRuns, end: float) -> np.ndarray:
    """The compared times of the whole run that lie behind its beginning."""
    times = runs.repetition.times[runs.grid]
    return times[times > end]
