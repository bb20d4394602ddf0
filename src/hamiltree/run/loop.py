"""One run: it advances in compiled chunks, records, and says how it ended."""

from __future__ import annotations

import json
import math
import sys
import time
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hamiltree.console import Interruption, ProgressBar
from hamiltree.errors import OptionError, StepError
from hamiltree.integrators.event_monitor import (
    BEGIN,
    CROSSED,
    EVENT,
    NOT_REAL,
    EventMonitor,
    LocatedCrossings,
    evaluate_samples,
    locate_crossings,
)
from hamiltree.integrators.integrator import (
    CALLS,
    END_TIME,
    FRESH,
    GRID_INDEX,
    NOT_FINITE,
    REJECTED,
    RUNNING,
    SINGULAR,
    STATUS,
    STEPS,
    STIFF,
    TIME,
    UNANSWERED_VERB,
    WORST_ROW,
    State,
)
from hamiltree.integrators.newton import can_allocate_newton
from hamiltree.run.diagnosis import (
    ConstraintViolation,
    FailureContext,
    describe_failure,
    ended_by,
    event_not_real,
    interruption_message,
    lock_message,
    nonfinite_start_error,
    stiff,
    violated_start_error,
)
from hamiltree.run.engine import Engine
from hamiltree.run.plan import Plan, provenance
from hamiltree.run.workspaces import SideState, arrays_in, copy_arrays
from hamiltree.trajectory.recorders import FileRecorder, MemoryRecorder
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.trajectory.variables import Schema

CHUNK_SECONDS = 0.2  # aim of one compiled chunk
FIRST_CHUNK = 16  # steps; nothing is known of the speed yet
UNWIND_EVERY = 1000  # steps after which whole turns are taken out of angles
# 2π = high + low; the product of the first with a few thousand turns is exact
TWO_PI_HIGH = 6.283185307169333
TWO_PI_LOW = 1.0253376606378076e-11
CHUNK_NUMBERS = 2**22  # the most numbers that one chunk may record
# bytes of a state that are kept with a trajectory, so that a run may go on from there
MAX_CHECKPOINT_BYTES = 2**26


class Checkpoint(NamedTuple):
    """All that the next step depends on: plain arrays, which a later run copies."""

    state: State
    turns: np.ndarray  # whole turns that were taken out of the state
    memory: Any  # Engine.memory
    assembly: Any  # the start at which the System was assembled
    inputs: np.ndarray
    origin: float  # of the grid
    time: float
    run_identity: tuple  # formulation, integrator, options, step, rows of the state
    problem: Any  # the Model or Hamiltonian


def make_recorder(plan: Plan, assembly: Any, target: Path | None) -> MemoryRecorder | FileRecorder:
    created, equations = time.time(), plan.equations
    schema = Schema(
        equations.problem,
        equations.variables,
        equations.labels(assembly),
        tuple(event.name for event in plan.events),
    )

    def attributes() -> dict[str, Any]:
        return provenance(plan, created)

    if target is None:
        return MemoryRecorder(schema, attributes)
    return FileRecorder(schema, attributes, target)


class Run:
    """One run: the compiled state, what is watched for, the observer and the recorder."""

    recorder: MemoryRecorder | FileRecorder
    first: dict[str, np.ndarray]  # the first sample

    def __init__(
        self,
        plan: Plan,
        engine: Engine,
        assembly: Any,
        y: np.ndarray,
        monitor: EventMonitor,
        resumed: Checkpoint | None = None,
    ):
        self.plan, self.engine, self.assembly, self.monitor = plan, engine, assembly, monitor
        self.method, self.handle, self.observe = (
            engine.integrator,
            engine.handle(bool(plan.monitored_events)),
            engine.observe,
        )
        self.handle.refusal.forget()
        self.state = engine.initial_state(y) if resumed is None else copy_arrays(resumed.state)
        self.state.clock[END_TIME] = plan.until
        self.trial: State = self.state  # steps are taken again with it
        if plan.monitored_events:
            self.trial, self.side_state = engine.initial_state(y), SideState(engine.works)
            if resumed is not None and self.lacks_newton_scratch(resumed.state):
                self.trial = self.allocate_newton(self.trial)
        self.last = plan.steps + (plan.rest > 0)  # steps in all, the shorter one included
        self.seconds, self.is_sound = 0.0, True  # sound: every sample so far was finite
        self.saved_time, self.ended_by, self.ended_at, self.ended_at_lock = (
            plan.begin,
            "",
            "",
            False,
        )
        self.winding_rows = (
            []
            if plan.monitored_events or plan.integrator.is_adaptive
            else plan.equations.winding_rows
        )
        self.turns = (
            np.zeros(len(plan.equations.problem.coordinates))
            if resumed is None
            else resumed.turns.copy()
        )
        self.residual_limit = plan.equations.residual_limit(assembly)
        self.violation: ConstraintViolation | None = None
        self.last_sound_time, self.last_q, self.last_qdot = math.inf, np.zeros(0), np.zeros(0)
        self.input = plan.equations.inputs.values if plan.equations.inputs.labels else None
        self.before = self.state.counts.copy()  # what an earlier run has counted
        self.end: Checkpoint | None = None
        if resumed is None:
            self.state.clock[TIME] = plan.begin
        elif self.has_dense_output:
            self.state.counts[GRID_INDEX] = point_before(plan, resumed.time)

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """Of what is recorded."""
        return self.plan.equations.labels(self.assembly)

    def lacks_newton_scratch(self, state: State) -> bool:
        """Whether a state has the scratch of Newton's method that a new one has not."""
        new = [array.shape for _, array in arrays_in(self.trial.scratch)]
        return self.method.allocate_newton is not None and new != [
            array.shape for _, array in arrays_in(state.scratch)
        ]

    def allocate_newton(self, state: State) -> State:
        method = self.method
        assert method.allocate_newton is not None
        return method.allocate_newton(state, method.method)

    def prepare(self, is_stepped: bool = False) -> None:
        """Compile, or load what was compiled, and look at the start, before anything is written.

        Steps by hand have a loop of their own.
        """
        if not (self.engine.is_compiled or is_stepped):
            self.advance(0.0, 0, self.plan.step, 0, self.new_sample_buffer(0))
            self.engine.is_compiled = True
        self.first = self.seen(self.present(self.plan.begin))
        if not all(np.isfinite(values).all() for values in self.first.values()):
            raise nonfinite_start_error(self.plan.equations, self.first)
        if self.count_before_violation(self.first, 1) < 1 and self.violation is not None:
            raise violated_start_error(self.violation)
        self.check_step_function()
        if self.plan.monitored_events:
            self.locate()

    def check_step_function(self) -> None:
        """A step that is not above zero leads nowhere."""
        method, rows = self.method.method, len(self.state.y)
        if "step_function" not in self.plan.options:
            return
        out, x = np.zeros((1, 1 + rows)), self.state.y.copy()
        evaluate_samples(
            method.code,
            0,
            method.parameters,
            np.zeros(1),
            x[None],
            x.copy(),
            np.zeros(1 + rows),
            out,
            np.zeros(2 + 2 * rows),
        )
        if not (np.isfinite(out).all() and out[0, 0] > 0):
            raise OptionError(
                f"step_function = {self.plan.options['step_function']!r} is {out[0, 0]:g} at the "
                "start; it must be above zero"
            )

    def new_sample_buffer(self, samples: int) -> np.ndarray:
        """Rows of time, state and work."""
        return np.empty((samples, len(self.state.y) + 2))

    def complete(self, recorder: MemoryRecorder | FileRecorder, progress: bool) -> Trajectory:
        """Advance to the end, or to where it stops; record; return or raise."""
        self.recorder, plan = recorder, self.plan
        with Interruption() as interruption:
            self.write_samples(self.first, 1)
            with (
                ProgressBar(plan.until, plan.equations.time_unit)
                if progress
                else nullcontext() as bar
            ):
                if plan.integrator.samples_at_steps:
                    self.run_adaptively(bar, interruption)
                else:
                    self.run_on_grid(bar, interruption)
            if (
                self.is_running
                and plan.rest
                and self.grid == plan.steps
                and not plan.integrator.samples_at_steps
            ):
                if not plan.integrator.is_adaptive:
                    # a longer run would not have taken the shorter step
                    self.save_checkpoint(is_copied=True)
                self.last_step()
            if self.is_sound and not self.ended_by and self.saved_time != self.time:
                self.record(self.present(self.time))
            return self.finish()

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
        return np.concatenate([[t], self.state.y, self.state.work])[None]

    def advance(self, t0: float, first: int, h: float, steps: int, samples: np.ndarray) -> int:
        """Through the compiled loop; where the method asks for the matrix of Newton's method, that
        is granted and it goes on.
        """
        method, began = self.method, time.perf_counter()
        saved = method.advance(
            self.handle,
            method.method,
            self.state,
            self.monitor,
            t0,
            first,
            h,
            steps,
            self.plan.save_every,
            samples,
        )
        if self.handle.refusal.sentence:
            self.state.counts[STATUS], self.is_sound = UNANSWERED_VERB, False
            return 0  # what was computed with it is worth nothing
        if can_allocate_newton(self.state, method):
            is_monitored = self.trial is not self.state
            self.state = self.allocate_newton(self.state)
            self.trial = self.allocate_newton(self.trial) if is_monitored else self.state
            self.state.counts[STATUS] = RUNNING
        if steps:
            self.seconds += time.perf_counter() - began
        return saved

    def run_on_grid(self, bar: ProgressBar | None, interruption: Interruption) -> None:
        """Chunks of about CHUNK_SECONDS along the grid; their length changes nothing in the
        result.
        """
        plan, chunk = self.plan, FIRST_CHUNK
        step_limit = max(1, CHUNK_NUMBERS // plan.equations.numbers_per_sample) * plan.save_every
        while self.grid < plan.steps and self.is_running and not interruption.is_requested:
            began, first = time.perf_counter(), self.grid
            steps = min(
                chunk,
                plan.steps - first,
                step_limit,
                UNWIND_EVERY - first % UNWIND_EVERY if self.winding_rows else step_limit,
            )
            samples = self.new_sample_buffer(
                (first + steps) // plan.save_every - first // plan.save_every
            )
            saved = self.advance(plan.origin, first, plan.step, steps, samples)
            if (
                plan.rest == 0
                and self.grid == plan.steps
                and saved
                and plan.steps % plan.save_every == 0
            ):
                samples[saved - 1, 0] = plan.until
            self.record_chunk(samples[:saved])
            if self.winding_rows and self.grid % UNWIND_EVERY == 0:
                self.unwind()
            chunk = next_chunk(max(1, self.grid - first), time.perf_counter() - began)
            if bar is not None:
                bar.show(self.time)

    def unwind(self) -> None:
        """Whole turns of hinges are taken out of the state and counted beside it: 2π in two parts,
        so that nothing is lost.
        """
        for row in self.winding_rows:
            turns = round(self.state.y[row] / (2 * math.pi))
            if turns:
                rest = self.state.y[row] - turns * TWO_PI_HIGH
                low = self.state.compensation[row] - turns * TWO_PI_LOW
                self.state.y[row] = rest + low
                self.state.compensation[row] = (rest - self.state.y[row]) + low
                self.turns[row] += turns

    def run_adaptively(self, bar: ProgressBar | None, interruption: Interruption) -> None:
        """Chunks of the method's own steps until the end of the run."""
        plan, chunk = self.plan, FIRST_CHUNK
        while (
            self.state.clock[TIME] < plan.until
            and self.is_running
            and not interruption.is_requested
        ):
            began, first = time.perf_counter(), int(self.state.counts[STEPS])
            steps = min(
                chunk, max(1, CHUNK_NUMBERS // plan.equations.numbers_per_sample) * plan.save_every
            )
            samples = self.new_sample_buffer(
                (first + steps) // plan.save_every - first // plan.save_every
            )
            saved = self.advance(plan.origin, first, plan.step, steps, samples)
            self.record_chunk(samples[:saved])
            chunk = next_chunk(
                max(1, int(self.state.counts[STEPS]) - first), time.perf_counter() - began
            )
            if bar is not None:
                bar.show(self.time)

    def last_step(self) -> None:
        """A shorter step that ends exactly at `until`; a method that chooses its own steps just
        goes on to there.
        """
        plan = self.plan
        # again if Newton's method is asked for, or an event did not end the run
        while self.is_running and self.time < plan.until:
            if self.has_dense_output:
                self.advance(plan.origin, plan.steps, plan.step, 1, self.new_sample_buffer(2))
            else:
                self.state.counts[FRESH] = 1  # increments of another step length are no first guess
                self.advance(
                    plan.origin + plan.steps * plan.step, 0, plan.rest, 1, self.new_sample_buffer(1)
                )
            self.record_chunk(self.new_sample_buffer(0))

    def record_chunk(self, samples: np.ndarray) -> None:
        """Samples of a chunk and its crossings; those behind a terminal event are dropped."""
        if self.monitor.counts[CROSSED]:
            samples = self.record_crossings(samples)
        self.record(samples)

    def record_crossings(self, samples: np.ndarray) -> np.ndarray:
        plan, found = self.plan, self.crossings()
        ends = np.array(
            [plan.monitored_events[event].terminal for event in found.event], dtype=bool
        ) & (found.t > plan.begin)  # a start may lie on an event
        count = int(ends.argmax()) + 1 if ends.any() else len(found.event)
        for number in range(len(plan.events)):
            chosen = found.event[:count] == number
            if chosen.any():
                self.recorder.write_section(
                    number, found.t[:count][chosen], found.y[:count][chosen]
                )
        if not ends.any():
            return samples[samples[:, 0] <= self.last_sound_time]
        self.ended_by = plan.monitored_events[found.event[count - 1]].name
        self.ended_at_lock = bool(found.event[count - 1] >= len(plan.events))
        t = found.t[count - 1]
        self.ended_at = f"at t = {t:.9g}"
        samples = np.concatenate([samples, self.samples_before(t)])
        end = np.concatenate([[t], found.y[count - 1], [found.work[count - 1]]])[None]
        return np.concatenate([samples[samples[:, 0] < t], end])

    def crossings(self) -> LocatedCrossings:
        """Where the events of a chunk lie; steps that are taken again may ask for Newton's method
        too.
        """
        first_guard = len(self.plan.events)
        seen = self.monitor.step_starts[: self.monitor.counts[CROSSED], [EVENT, BEGIN]].copy()
        found = self.locate()
        if can_allocate_newton(self.trial, self.method):
            self.trial = self.allocate_newton(self.trial)
            self.trial.counts[STATUS] = RUNNING
            found = self.locate()
        if self.trial.counts[STATUS] != RUNNING:
            self.state.counts[STATUS], self.state.counts[WORST_ROW] = (
                self.trial.counts[STATUS],
                self.trial.counts[WORST_ROW],
            )
            for event, t in seen[seen[:, 0] >= first_guard][:1]:
                self.ended_by, self.ended_at, self.ended_at_lock = (
                    self.plan.monitored_events[int(event)].name,
                    f"in the step after t = {t:.9g}",
                    True,
                )
                self.last_sound_time = float(t)
        return found

    def locate(self) -> LocatedCrossings:
        """By steps that are taken again, and leave no trace."""
        with self.engine.preserve_workspaces(), self.side_state:
            return locate_crossings(self.handle, self.method.method, self.trial, self.monitor)

    def samples_before(self, t: float) -> np.ndarray:
        """Samples of the grid inside the last step of a method's own choice, which an event has
        ended before they were served.
        """
        plan, first = self.plan, self.grid
        points = (
            min(plan.steps, math.ceil((t - plan.origin) / plan.step) - 1) - first
            if self.has_dense_output
            else 0
        )
        if points <= 0:
            return self.new_sample_buffer(0)
        samples = self.new_sample_buffer(
            (first + points) // plan.save_every - first // plan.save_every
        )
        return samples[: self.advance(plan.origin, first, plan.step, points, samples)]

    def seen(self, samples: np.ndarray) -> dict[str, np.ndarray]:
        """What follows from samples; copies, as a buffer of samples is used again."""
        return self.observe(samples[:, 0].copy(), samples[:, 1:-1].copy(), samples[:, -1].copy())

    def record(self, samples: np.ndarray) -> int:
        """Samples to the recorder; how many are kept.

        A state that overflows, or whose energy does, is not and ends the run.
        """
        if not len(samples):
            return 0
        chunk = self.seen(samples)
        is_finite = np.all(
            [
                np.isfinite(values).all(axis=tuple(range(1, values.ndim)))
                for values in chunk.values()
            ],
            axis=0,
        )
        good = len(samples) if is_finite.all() else int(is_finite.argmin())
        if good < len(samples):
            self.is_sound, self.state.counts[STATUS] = False, NOT_FINITE
        return self.write_samples(chunk, good)

    def write_samples(self, chunk: dict[str, np.ndarray], good: int) -> int:
        """The first samples of a chunk to the recorder, as far as no constraint has opened; how
        many.
        """
        good = self.count_before_violation(chunk, good)
        if self.turns.any():
            chunk["q"] = chunk["q"] + 2 * math.pi * self.turns
        if self.input is not None:
            chunk["input"] = np.tile(self.input, (len(chunk["t"]), 1))
        if good:
            self.recorder.write({name: values[:good] for name, values in chunk.items()})
            self.saved_time, self.last_q, self.last_qdot = (
                float(chunk["t"][good - 1]),
                chunk["q"][good - 1],
                chunk["qdot"][good - 1],
            )
        return good

    def count_before_violation(self, chunk: dict[str, np.ndarray], good: int) -> int:
        """How many of the samples come before a constraint has opened, if one has: one that was
        left out as redundant, and is not.
        """
        if "opening" not in chunk or not chunk["opening"].size:
            return good
        is_open = np.asarray(chunk["opening"].max(axis=1) > self.residual_limit)
        if not is_open[:good].any():
            return good
        first = int(is_open.argmax())
        place = int(chunk["opening"][first].argmax())
        name = self.labels["constraint"][place]
        self.violation = ConstraintViolation(
            name, float(chunk["opening"][first, place]), float(chunk["t"][first])
        )
        self.is_sound, self.state.counts[STATUS] = False, SINGULAR
        return first

    def finish(self) -> Trajectory:
        """Close the recorder, and say how it ended."""
        counts = self.state.counts
        failed, is_complete = counts[STATUS] != RUNNING, self.saved_time == self.plan.until
        unit = self.plan.equations.time_unit
        status = (
            self.describe_failure()
            if failed
            else "complete"
            if is_complete
            else interruption_message(self.saved_time, unit)
        )
        if self.ended_at_lock:  # also where the state at the very point is not finite
            failed, status = True, self.report_lock()
        elif self.ended_by and not failed:
            status = ended_by(self.ended_by, self.saved_time, unit)
        trajectory = self.recorder.finish(
            {"status": status, "statistics": json.dumps(self.statistics())}
        )
        if not failed and not self.ended_by:
            trajectory.end = self.end or self.save_checkpoint(is_copied=False)
        if failed:
            raise StepError(status, trajectory)
        if status.startswith("interrupted"):
            print(f"hamiltree: {status}; the trajectory up to there is kept", file=sys.stderr)
        return trajectory

    def save_checkpoint(self, is_copied: bool) -> Checkpoint | None:
        """What a later run needs to go on from here, if it is not too much to keep."""
        if sum(array.nbytes for _, array in arrays_in(self.state)) > MAX_CHECKPOINT_BYTES:
            return None
        state = copy_arrays(self.state) if is_copied else self.state
        inputs = self.plan.equations.inputs.values.copy()
        plan, grid = self.plan, self.grid
        t = self.time if plan.integrator.is_adaptive else plan.origin + grid * plan.step
        about = (
            self.engine.memory,
            self.assembly,
            inputs,
            plan.origin,
            t,
            run_identity(plan, state),
            plan.equations.problem,
        )
        self.end = Checkpoint(state, self.turns.copy(), *about)
        return self.end

    def statistics(self) -> dict[str, Any]:
        """Of this run alone."""
        counted = self.state.counts - self.before
        steps, calls = int(counted[STEPS]), int(counted[CALLS])
        return {
            "steps": steps,
            "calls": calls,
            "evaluations": calls * self.method.evaluations_per_call,
            "calls_per_step": calls / max(1, steps),
            "seconds": self.seconds,
            **self.further_statistics(),
        }

    def further_statistics(self) -> dict[str, Any]:
        """Of a method that chooses its steps, or solves by Newton, or has something of its own to
        say; a warning if it met stiffness.
        """
        method, counts, more = self.method, self.state.counts, {}
        if self.has_dense_output:
            more |= {
                "refused": int(counts[REJECTED] - self.before[REJECTED]),
                "stiff": bool(counts[STIFF]),
            }
            if counts[STIFF]:
                print(stiff(method.name), file=sys.stderr)
        unreal = int(self.monitor.counts[NOT_REAL])
        if unreal:
            name = self.plan.monitored_events[unreal - 1].name
            more["event_not_real"] = name
            print(event_not_real(name), file=sys.stderr)
        return more | (method.statistics(self.state) if method.statistics else {})

    def report_lock(self) -> str:
        return lock_message(
            self.ended_by, self.ended_at, self.plan.equations.time_unit, self.recorder.place
        )

    def describe_failure(self) -> str:
        engine = self.engine
        work = engine.single if engine.system.facts.projects else engine.work
        where = (
            self.saved_time,
            self.last_q,
            self.last_qdot,
            self.violation,
            self.handle.refusal.sentence,
            self.recorder.place,
        )
        return describe_failure(
            FailureContext(self.plan, self.assembly, engine.system, work, self.state, *where)
        )


def point_before(plan: Plan, t: float) -> int:
    """The last point of the grid that is not after t."""
    point = round((t - plan.origin) / plan.step)
    return point if plan.origin + point * plan.step <= t else point - 1


IDENTITY_LABELS = "model", "formulation", "integrator", "options", "step", "state of length"


def run_identity(plan: Plan, state: State) -> tuple:
    """A run may go on only with the same equations, method and grid."""
    options = json.dumps(plan.options, default=str, sort_keys=True)
    return (
        plan.equations.problem.name,
        plan.equations.formulation.name,
        plan.integrator.name,
        options,
        plan.step,
        len(state.y),
    )


def next_chunk(done: int, spent: float) -> int:
    return max(1, min(4 * done, int(done * CHUNK_SECONDS / max(spent, 1e-6))))
