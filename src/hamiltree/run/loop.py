"""One run: it advances in compiled chunks, records, and says how it ended."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cached_property
from typing import Any

import numpy as np

from hamiltree.assembly.residuals import RELATIVE_RATE, RELATIVE_RESIDUAL
from hamiltree.console import Interruption, ProgressBar, delayed_signals
from hamiltree.errors import StepError
from hamiltree.integrators.advance import follow_start
from hamiltree.integrators.event_monitor import CROSSED, EventMonitor
from hamiltree.integrators.integrator import (
    END_TIME,
    FRESH,
    GRID_INDEX,
    NATURAL_TIME,
    NEEDS_MATRIX,
    NOT_FINITE,
    POSITION_RATE,
    RUNNING,
    SINE,
    SINGULAR,
    STATUS,
    STEPS,
    TIME,
    UNANSWERED_VERB,
)
from hamiltree.integrators.newton import can_allocate_newton
from hamiltree.integrators.singular_crossing import forget_passages
from hamiltree.run.checkpoint import Checkpoint, make_checkpoint, point_before
from hamiltree.run.crossing_records import record_crossings, record_events_at_end
from hamiltree.run.crossings import CrossingLocator, allocate_newton
from hamiltree.run.diagnosis import (
    ConstraintViolation,
    describe_failure,
    ended_by,
    failure_context,
    interruption_message,
    lock_message,
    nonfinite_start_error,
    violated_start_error,
)
from hamiltree.run.engine import Engine
from hamiltree.run.interruptions import answer_signal, break_off
from hamiltree.run.plan import Plan
from hamiltree.run.recording import LargestResiduals, find_violation
from hamiltree.run.singular_start import leave_singular_start
from hamiltree.run.start import Start
from hamiltree.run.statistics import event_statistics, regularity_statistics, run_statistics
from hamiltree.run.step_function import check_step_function
from hamiltree.run.windings import UNWIND_EVERY, take_out_turns
from hamiltree.run.workspaces import copy_arrays
from hamiltree.trajectory.recorders import Recorder
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.trajectory.variables import RESIDUAL

CHUNK_SECONDS = 0.2  # aim of one compiled chunk
FIRST_CHUNK = 16  # steps; nothing is known of the speed yet
CHUNK_NUMBERS = 2**22  # the most numbers that one chunk may record


class Run:
    """One run: the compiled state, the event monitor, the observer and the recorder."""

    recorder: Recorder
    first: dict[str, np.ndarray]  # the first sample
    start: Start | None = None  # what was given of it
    survival: Any = None  # of a run that is written to a file: its checkpoints
    chunk = 0  # steps of the next chunk, if their speed is known

    def __init__(
        self,
        plan: Plan,
        engine: Engine,
        assembly: Any,
        y: np.ndarray,
        monitor: EventMonitor,
        resumed: Checkpoint | None = None,
    ):
        """A run at its start y, or where the run ended that it resumes."""
        self.plan = plan
        self.engine = engine
        self.assembly = assembly
        self.monitor = monitor
        self.method = engine.integrator
        self.observe = engine.observe
        self.handle = engine.handle(bool(plan.monitored_events))
        self.handle.refusal.forget()
        self.last = plan.steps + (plan.rest > 0)  # steps in all, the shorter one included
        self.seconds = 0.0
        self.residual_limit = plan.equations.residual_limit
        self.input = plan.equations.inputs.values if plan.equations.inputs.labels else None
        self.is_resumed = resumed is not None
        self.end: Checkpoint | None = None
        # rows of the state whose whole turns are counted beside it
        counts_windings = not (plan.monitored_events or plan.integrator.is_adaptive)
        self.winding_rows: Sequence[int] = plan.equations.winding_rows if counts_windings else ()
        compares, equations = plan.integrator.compares_rows, plan.equations
        is_mixed = compares and not equations.has_one_unit
        self.needs_row_scales = plan.integrator.uses_row_scales or is_mixed
        is_told = compares and not self.needs_row_scales
        self.rates_in_one_unit = equations.natural_rates(False) if is_told else (0.0, 0.0)
        self.forget_end()
        self.set_state(y, resumed)

    def forget_end(self) -> None:
        """Nothing is known yet of how the run ends."""
        self.is_sound = True  # every sample so far was finite
        self.violation: ConstraintViolation | None = None
        self.newton_since: float | None = None  # when a step first asked for Newton's method
        self.largest_residuals: LargestResiduals | None = None  # with constraints
        self.ended_by = ""
        self.ended_at = ""
        self.ended_at_lock = False
        self.dense_events: set[int] = set()  # that cross zero more often than steps can show
        self.saved_time = self.plan.begin
        self.last_sound_time = math.inf
        self.last_q = np.zeros(0)
        self.last_qdot = np.zeros(0)

    def set_state(self, y: np.ndarray, resumed: Checkpoint | None) -> None:
        """The state at the start y, or a copy of the resumed one; with events, a trial state to
        locate them.
        """
        plan = self.plan
        state = self.engine.initial_state(y) if resumed is None else copy_arrays(resumed.state)
        self.state = state._replace(windings=self.engine.windings)
        if self.needs_row_scales:
            self.set_row_scales()
        elif resumed is None:
            self.state.clock[POSITION_RATE:SINE] = self.rates_in_one_unit
        self.state.clock[END_TIME] = plan.until
        self.locator: CrossingLocator | None = None
        if plan.monitored_events:
            self.locator = CrossingLocator(self.engine, self.handle, self.monitor, y)
            self.locator.share_scales(self.state)
            if resumed is not None:
                self.locator.match_scratch(resumed.state)
        self.before = self.state.counts.copy()  # what an earlier run has counted
        if resumed is None:
            self.turns = np.zeros(len(plan.equations.problem.coordinates))
            self.state.clock[TIME] = plan.begin
            if len(self.state.windings):
                self.state.windings[0] = plan.begin
                follow_start(self.handle, plan.begin, self.state.y)
            return
        self.turns = resumed.turns.copy()
        forget_passages(self.state)
        if self.has_dense_output:
            self.state.counts[GRID_INDEX] = point_before(plan, resumed.time)

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """Labels of the dimensions of what is recorded."""
        return self.plan.equations.labels(self.assembly)

    def prepare(self, is_stepped: bool = False) -> None:
        """Compile, or load what was compiled, and look at the start, before anything is written."""
        if not (self.engine.is_compiled or is_stepped):  # steps by hand have a loop of their own
            self.advance(0.0, self.grid, self.plan.step, 0, self.new_sample_buffer(0))
            self.engine.is_compiled = True
        facts = self.engine.system.facts
        if not self.is_resumed and (facts.constraints or facts.projects):
            leave_singular_start(self)
        self.first = self.observe_samples(self.present(self.plan.begin))
        if not all(np.isfinite(values).all() for values in self.first.values()):
            raise nonfinite_start_error(self.plan.equations, self.first)
        if self.count_before_violation(self.first, 1) < 1 and self.violation is not None:
            raise violated_start_error(self.plan.equations, self.assembly, self.violation)
        if "step_function" in self.plan.options:
            check_step_function(self.plan.options, self.method, self.state.y)
        if self.locator is not None:
            self.locator.locate()

    def new_sample_buffer(self, samples: int) -> np.ndarray:
        """An array for samples: per row time, state, work and windings."""
        return np.empty((samples, len(self.state.y) + 2 + len(self.state.windings)))

    def complete(self, make_recorder: Callable[[], Recorder], progress: bool) -> Trajectory:
        """Advance to where it stops, and return or raise; whatever ends it, the file says so."""
        with Interruption() as interruption:
            recorder = None
            try:
                with nullcontext() if self.survival is None else delayed_signals():
                    self.recorder = recorder = make_recorder()
                self.advance_to_end(progress, interruption)
                trajectory = self.finish()
                if interruption.is_requested:
                    answer_signal(interruption, trajectory.status, recorder)
                return trajectory
            except StepError:
                raise
            except BaseException as error:
                if recorder is not None:
                    break_off(recorder, error, self.describe_break(error))
                raise

    def advance_to_end(self, progress: bool, interruption: Interruption) -> None:
        """Advance and record until the end, an event, a failure or a signal."""
        plan = self.plan
        if self.survival is None or not self.survival.is_resumed:
            self.write_samples(self.first, 1)
        shown = ProgressBar(plan.until, plan.equations.time_unit) if progress else nullcontext()
        with shown if self.survival is None else self.survival.around(shown) as bar:
            if plan.integrator.samples_at_steps:
                self.run_adaptively(bar, interruption)
            else:
                self.run_on_grid(bar, interruption)
        if self.needs_last_step:
            if not plan.integrator.is_adaptive:  # a longer run would not take the shorter step
                self.save_checkpoint(is_copied=True)
            self.last_step(interruption)
        if self.is_sound and not self.ended_by and self.saved_time != self.time:
            self.record(self.present(self.time))
        if self.locator is not None:
            record_events_at_end(self)

    @property
    def needs_last_step(self) -> bool:
        """Whether the grid is done, and the end lies behind its last point."""
        plan = self.plan
        is_on_grid = not plan.integrator.samples_at_steps
        return bool(is_on_grid and self.is_running and plan.rest and self.grid == plan.steps)

    @property
    def is_running(self) -> bool:
        return self.state.counts[STATUS] == RUNNING and not self.ended_by

    @property
    def has_dense_output(self) -> bool:
        """Whether samples are interpolated between steps of the method's own choice."""
        return self.method.is_adaptive and not self.method.samples_at_steps

    @property
    def grid(self) -> int:
        """The last point of the grid of samples that was reached."""
        return int(self.state.counts[GRID_INDEX if self.has_dense_output else STEPS])

    @property
    def time(self) -> float:
        """How far the state has come."""
        plan = self.plan
        if plan.integrator.is_adaptive:
            return float(self.state.clock[TIME])
        return plan.until if self.grid == self.last else plan.origin + self.grid * plan.step

    def present(self, t: float) -> np.ndarray:
        """The state as one row of samples."""
        return np.concatenate([[t], self.state.y, self.state.work, self.state.windings])[None]

    def advance(self, t0: float, first: int, h: float, steps: int, samples: np.ndarray) -> int:
        """Take steps in the compiled loop; how many samples it wrote. The run may go on where the
        method asks for the matrix of Newton's method: memory for it is allocated.
        """
        began, method, state = time.perf_counter(), self.method, self.state
        about = self.handle, method.method, state, self.monitor
        asked = t0, first, h, steps, self.plan.save_every, samples
        advance, team = method.advance, self.engine.team
        saved = advance(*about, *asked) if team is None else team.call(advance, *about, *asked)
        if self.handle.refusal.sentence:
            state.counts[STATUS] = UNANSWERED_VERB
            self.is_sound = False
            return 0  # what was computed with it is worth nothing
        if state.counts[STATUS] == NEEDS_MATRIX and can_allocate_newton(state, method):
            self.allocate_newton()
            if self.locator is not None:
                self.locator.allocate_newton()
                self.locator.share_scales(self.state)
        if steps:
            self.seconds += time.perf_counter() - began
        return saved

    def set_row_scales(self) -> None:
        """Tell the state the natural sizes of its rows, and what else is natural."""
        equations = self.plan.equations
        sizes, rates = equations.natural_sizes(self.assembly), equations.natural_rates(True)
        self.state.scale[...] = equations.row_scales(self.engine.system, self.assembly)
        self.state.clock[NATURAL_TIME:SINE] = *sizes, *rates

    def allocate_newton(self) -> None:
        """Memory for the matrix of Newton's method, for which a step has stopped."""
        self.newton_since = self.time
        self.set_row_scales()
        self.state = allocate_newton(self.method, self.state)
        self.state.counts[STATUS] = RUNNING

    def run_on_grid(self, bar: ProgressBar | None, interruption: Interruption) -> None:
        """Advance by chunks of about CHUNK_SECONDS along the grid; their length changes nothing in
        the result.
        """
        plan = self.plan
        chunk = self.chunk or FIRST_CHUNK
        step_limit = self.step_limit()
        is_end_sampled = plan.rest == 0 and plan.steps % plan.save_every == 0
        while self.grid < plan.steps and self.is_running and not interruption.is_requested:
            began = time.perf_counter()
            first = self.grid
            steps = min(chunk, plan.steps - first, step_limit)
            if self.winding_rows:
                # before the next step, not after the last: no sample must depend on where it is cut
                if first and first % UNWIND_EVERY == 0:
                    self.unwind()
                steps = min(steps, UNWIND_EVERY - first % UNWIND_EVERY)
            samples = self.advance_chunk(first, steps)
            if is_end_sampled and len(samples) and self.grid == plan.steps:
                samples[-1, 0] = plan.until
            self.record_chunk(samples)
            self.chunk = chunk = next_chunk(max(1, self.grid - first), time.perf_counter() - began)
            if bar is not None:
                bar.show(self.time)

    def step_limit(self) -> int:
        """The most steps of one chunk, so that its samples stay within CHUNK_NUMBERS."""
        plan = self.plan
        return max(1, CHUNK_NUMBERS // plan.equations.numbers_per_sample) * plan.save_every

    def advance_chunk(self, first: int, steps: int) -> np.ndarray:
        """Take steps from the point `first` of the grid; their samples."""
        plan = self.plan
        count = (first + steps) // plan.save_every - first // plan.save_every
        samples = self.new_sample_buffer(count)
        return samples[: self.advance(plan.origin, first, plan.step, steps, samples)]

    def unwind(self) -> None:
        """Whole turns of hinges are taken out of the state and counted beside it."""
        take_out_turns(self.state, self.winding_rows, self.turns)

    def run_adaptively(self, bar: ProgressBar | None, interruption: Interruption) -> None:
        """Advance by chunks of the method's own steps until the end of the run."""
        plan = self.plan
        chunk = self.chunk or FIRST_CHUNK
        counts, clock = self.state.counts, self.state.clock
        while clock[TIME] < plan.until and self.is_running and not interruption.is_requested:
            began = time.perf_counter()
            first = int(counts[STEPS])
            self.record_chunk(self.advance_chunk(first, min(chunk, self.step_limit())))
            counts, clock = self.state.counts, self.state.clock
            done = max(1, int(counts[STEPS]) - first)
            self.chunk = chunk = next_chunk(done, time.perf_counter() - began)
            if bar is not None:
                bar.show(self.time)

    def last_step(self, interruption: Interruption) -> None:
        """Take a shorter step that ends exactly at `until`; an adaptive method goes on to there."""
        plan = self.plan
        # again if Newton's method is asked for, or an event did not end the run
        while self.is_running and self.time < plan.until and not interruption.is_requested:
            if self.has_dense_output:
                self.advance(plan.origin, plan.steps, plan.step, 1, self.new_sample_buffer(2))
            else:
                self.state.counts[FRESH] = 1  # increments of another step length are no first guess
                t = plan.origin + plan.steps * plan.step
                self.advance(t, 0, plan.rest, 1, self.new_sample_buffer(1))
            self.record_chunk(self.new_sample_buffer(0))

    def record_chunk(self, samples: np.ndarray) -> None:
        """Record the samples of a chunk and its crossings; samples after a terminal event are
        dropped.
        """
        if self.monitor.counts[CROSSED]:
            samples = record_crossings(self, samples)
        self.record(samples)

    def observe_samples(self, samples: np.ndarray) -> dict[str, np.ndarray]:
        """What is recorded of samples: energies, poses, …; copies, as a buffer is used again."""
        work = len(self.state.y) + 1
        parts = samples[:, 0], samples[:, 1:work], samples[:, work], samples[:, work + 1 :]
        return self.observe(*(part.copy() for part in parts))

    def record(self, samples: np.ndarray) -> int:
        """Record samples, up to the first whose state or energy is not finite, which ends the run;
        how many were kept.
        """
        if not len(samples):
            return 0
        chunk = self.observe_samples(samples)
        good = count_finite(chunk)
        if good < len(samples):
            self.is_sound = False
            self.state.counts[STATUS] = NOT_FINITE
        return self.write_samples(chunk, good)

    def write_samples(self, chunk: dict[str, np.ndarray], good: int) -> int:
        """Write the first samples of a chunk, up to the first whose constraint residual is too
        large; how many.
        """
        good = self.count_before_violation(chunk, good)
        if self.turns.any():
            chunk["q"] = chunk["q"] + 2 * math.pi * self.turns
        if self.input is not None:
            chunk["input"] = np.tile(self.input, (len(chunk["t"]), 1))
        if good:
            self.recorder.write({name: values[:good] for name, values in chunk.items()})
            self.saved_time = float(chunk["t"][good - 1])
            self.last_q = chunk["q"][good - 1]
            self.last_qdot = chunk["qdot"][good - 1]
        return good

    def count_before_violation(self, chunk: dict[str, np.ndarray], good: int) -> int:
        """How many of the samples come before one with a constraint residual beyond the limit: of a
        row that was left out as redundant, and is not.
        """
        relative = chunk.pop(RELATIVE_RESIDUAL, None)
        if relative is None:
            return good
        self.largest_residuals = largest = self.largest_residuals or LargestResiduals()
        largest.look_at("position", relative[:good], chunk["t"])
        largest.look_at("speed", chunk.pop(RELATIVE_RATE)[:good], chunk["t"])
        found = find_violation(chunk[RESIDUAL], relative, good, self.residual_limit)
        if found is None:
            return good
        sample, place, amount = found
        name = self.labels["constraint"][place]
        self.violation = ConstraintViolation(name, amount, float(chunk["t"][sample]))
        self.is_sound = False
        self.state.counts[STATUS] = SINGULAR
        return sample

    def finish(self) -> Trajectory:
        """Close the recorder with the status of the run; its Trajectory, or StepError with that."""
        failed = self.ended_at_lock or self.state.counts[STATUS] != RUNNING
        status = self.status()
        about = {"status": status, "statistics": json.dumps(self.statistics())}
        trajectory = self.recorder.finish(about)
        if not failed and not self.ended_by:
            trajectory.end = self.end or self.save_checkpoint(is_copied=False)
        if failed:
            raise StepError(status, trajectory)
        return trajectory

    def status(self) -> str:
        """How the run ended: "complete", or why earlier."""
        unit = self.plan.equations.time_unit
        if self.ended_at_lock:  # also where the state at the very point is not finite
            return self.report_lock()
        if self.state.counts[STATUS] != RUNNING:
            return self.describe_failure()
        if self.ended_by:
            return ended_by(self.ended_by, self.saved_time, unit)
        if self.saved_time == self.plan.until:
            return "complete"
        return interruption_message(self.saved_time, unit)

    def describe_break(self, error: BaseException) -> str:
        """The status of a run that an exception broke off."""
        message = interruption_message(self.saved_time, self.plan.equations.time_unit)
        is_signal = isinstance(error, KeyboardInterrupt | SystemExit)
        return message if is_signal else f"{message} by {type(error).__name__}"

    def save_checkpoint(self, is_copied: bool) -> Checkpoint | None:
        """What a later run needs to go on from here, if it is not too much to keep."""
        plan = self.plan
        t = self.time if plan.integrator.is_adaptive else plan.origin + self.grid * plan.step
        self.end = make_checkpoint(self, t, is_copied)
        return self.end

    def statistics(self) -> dict[str, Any]:
        """Of this run alone; warnings about stiffness and events that were not real numbers."""
        method = self.method
        return (
            run_statistics(method, self.state, self.before, self.seconds, self.newton_since)
            | event_statistics(self.plan.monitored_events, self.monitor.counts)
            | regularity_statistics(self.plan.equations, self.assembly, self.state)
            | self.residual_statistics()
            | (method.statistics(self.state) if method.statistics else {})
        )

    def residual_statistics(self) -> dict[str, Any]:
        """The largest constraint residuals, if there are constraints."""
        largest = self.largest_residuals
        return largest.statistics(self.plan.equations, self.assembly) if largest else {}

    def report_lock(self) -> str:
        """The message about a run that ended at a gimbal lock."""
        unit = self.plan.equations.time_unit
        return lock_message(self.ended_by, self.ended_at, unit, self.recorder.place)

    def describe_failure(self) -> str:
        """What went wrong, where, and what may help."""
        return describe_failure(failure_context(self))


def count_finite(chunk: dict[str, np.ndarray]) -> int:
    """How many samples come before the first that is not finite in some variable."""
    each = [np.isfinite(x).all(axis=tuple(range(1, x.ndim))) for x in chunk.values()]
    is_finite = np.all(each, axis=0)
    return len(is_finite) if is_finite.all() else int(is_finite.argmin())


def next_chunk(done: int, spent: float) -> int:
    """Steps of the next chunk, from the seconds that the last one took."""
    return max(1, min(4 * done, int(done * CHUNK_SECONDS / max(spent, 1e-6))))
