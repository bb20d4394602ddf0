"""A run beside another one, of which only coordinates and poses are wanted, piece by piece."""

from __future__ import annotations

import numpy as np

from hamiltree.console import Interruption
from hamiltree.integrators.integrator import CALLS, END_TIME, NOT_FINITE, STATUS
from hamiltree.run.loop import Run
from hamiltree.run.plan import whole_steps
from hamiltree.verdict.differences import Samples


class ComparedRun(Run):
    """A run that keeps its states at the samples and observes them at the end of a piece, all at
    once; nothing else is recorded.
    """

    kept: tuple[np.ndarray, ...] = ()  # states since the last piece

    @property
    def has_failed(self) -> bool:
        """Whether a step failed, or an event of the model has ended it."""
        return not self.is_running

    @property
    def evaluations(self) -> int:
        """Since its start."""
        calls = int(self.state.counts[CALLS] - self.before[CALLS])
        return calls * self.method.evaluations_per_call

    def record(self, samples: np.ndarray) -> int:
        """Keep samples up to the first that is not finite, which ends the run; how many."""
        is_finite = np.isfinite(samples).all(axis=1)
        good = len(samples) if is_finite.all() else int(is_finite.argmin())
        if good < len(samples):
            self.is_sound = False
            self.state.counts[STATUS] = NOT_FINITE
        if good:
            self.kept += (samples[:good],)
            self.saved_time = float(samples[good - 1, 0])
        return good

    def write_samples(self, chunk: dict[str, np.ndarray], good: int) -> int:
        """Nothing is written."""
        return good

    def go_on(self, until: float) -> tuple[np.ndarray, Samples]:
        """Advance to a time; the times that were sampled on the way, and what is compared there."""
        plan = self.plan
        if not self.kept:
            self.kept = (self.present(self.time),)
        steps, rest = whole_steps(until - plan.origin, plan.step)
        self.plan = plan._replace(until=until, steps=steps, rest=rest)
        self.last = steps + (rest > 0)
        self.state.clock[END_TIME] = until
        with Interruption() as interruption:
            self.advance_to_end(False, interruption)
        if interruption.is_requested:
            raise KeyboardInterrupt
        samples, self.kept = np.concatenate(self.kept), ()
        return samples[:, 0], compared_samples(self, samples)


def compared_samples(run: Run, samples: np.ndarray) -> Samples:
    """What is compared of the states of a run."""
    times, work = samples[:, 0].copy(), len(run.state.y) + 1
    states, windings = samples[:, 1:work].copy(), samples[:, work + 1 :].copy()
    return Samples(*run.observe.coordinates_and_poses(times, states, windings))
