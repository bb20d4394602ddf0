"""Single steps of a run's own method and equations, forward and back, from any state."""

from __future__ import annotations

import numpy as np

from hamiltree.errors import HamiltreeError
from hamiltree.integrators.integrator import FRESH, RUNNING, STATUS
from hamiltree.run.cautions import without_warnings
from hamiltree.run.loop import Run
from hamiltree.run.plan import make_plan
from hamiltree.run.start import Start
from hamiltree.verdict.compared_run import compared_samples
from hamiltree.verdict.differences import Samples
from hamiltree.verdict.repetition import Repetition

NO_SAMPLES = 2**40
# central, of order eight: Fornberg 1988
DIFFERENCES = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
SPACINGS = (2.0**-7, 2.0**-10, 2.0**-13)  # of the natural size of a row


class StepFailed(HamiltreeError):
    """A step did not converge, or was not finite."""


class StepMap:
    """The state at the start of a run, and the steps that lead from it."""

    def __init__(self, repetition: Repetition):
        """Bind the method to the equations at the first sample of the run."""
        self.repetition = repetition
        simulator, begin = repetition.simulator, repetition.begin
        plan = make_plan(repetition.setup, repetition.end, begin, NO_SAMPLES)
        start = repetition.start_at(0)
        inputs = start.pop("inputs")
        simulator.setup.equations.inputs.values[:] = simulator.input_values(inputs, None)
        with without_warnings():
            repetition.bind()
            given = Start(begin, **{name: start[name] for name in start if name != "t"})
            self.run: Run = simulator.prepare_run(plan, given, None)
        self.start = self.run.state.y.copy()

    @property
    def system(self):
        return self.run.engine.system

    def begin_at(self, y: np.ndarray) -> None:
        """Put the state to y, without a memory of steps before."""
        state = self.run.state
        state.y[:] = y
        state.compensation[:] = 0.0
        self.forget_guesses()

    def forget_guesses(self) -> None:
        counts = self.run.state.counts
        counts[FRESH], counts[STATUS] = 1, RUNNING

    def take(self, t: float, h: float, steps: int) -> None:
        """Steps of length h, which may be negative, from time t."""
        run, done = self.run, 0
        while done < steps:
            before = int(run.state.counts[0])
            run.advance(t, done, h, steps - done, run.new_sample_buffer(0))
            taken = int(run.state.counts[0]) - before
            done += taken
            if run.state.counts[STATUS] != RUNNING or not np.isfinite(run.state.y).all():
                raise StepFailed("a step did not converge or was not finite")
            if not taken and done < steps and not run.state.counts[FRESH]:
                raise StepFailed("no step was taken")

    def samples(self, t: float) -> Samples:
        """What is compared of the present state."""
        return compared_samples(self.run, self.run.present(t))

    def row_scales(self) -> np.ndarray:
        """The natural size of each row of the state."""
        return self.repetition.setup.equations.row_scales(self.system, self.run.assembly)

    def jacobian(self, h: float, spacing: float) -> np.ndarray:
        """∂y⁺/∂y of one step from the start; `spacing` is in parts of the size of a row."""
        scale, t = self.row_scales(), self.repetition.begin
        columns = []
        for row in range(len(self.start)):
            column = np.zeros_like(self.start)
            for k, weight in DIFFERENCES:
                for sign in (1, -1):
                    moved = self.start.copy()
                    moved[row] += sign * k * spacing * scale[row]
                    self.begin_at(moved)
                    self.take(t, h, 1)
                    column += sign * weight * self.run.state.y
            columns.append(column / (spacing * scale[row]))
        return np.array(columns).T
