"""Steps taken by hand (Simulator.step): a compiled call per step, samples in a buffer, observed
when they are asked for.

The state is that of a run that has no end. A step that fails leaves it where it was.
"""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any, NoReturn

import numpy as np

from hamiltree.assembly.drive_jumps import FoundJump, find_jump
from hamiltree.compiled.pointer import StructPointer, compile_for, type_of
from hamiltree.errors import OptionError, StepError
from hamiltree.integrators.event_monitor import (
    BEGIN,
    CROSSED,
    EVALUATED,
    EVENT,
    HEADER_SIZE,
    LEAVES_PAIRS,
    TERMINAL,
    WORK,
)
from hamiltree.integrators.integrator import (
    FRESH,
    RUNNING,
    STATUS,
    STEPS,
    TIME,
    UNANSWERED_VERB,
    Integrator,
)
from hamiltree.integrators.newton import can_allocate_newton
from hamiltree.integrators.stepping import INDEX, ROW, STEPPERS, Grid
from hamiltree.run.engine import loop_example
from hamiltree.run.equations import Equations, ModelEquations, Start
from hamiltree.run.loop import CHUNK_NUMBERS, Run
from hamiltree.run.plan import GRID_TOLERANCE, MAX_STEPS, check_finite_number
from hamiltree.run.recording import make_recorder
from hamiltree.run.typed_equations import HamiltonianEquations
from hamiltree.run.windings import UNWIND_EVERY
from hamiltree.trajectory.recorders import MemoryRecorder
from hamiltree.trajectory.speeds import quaternion_rows_of, speeds_of
from hamiltree.trajectory.trajectory import Trajectory

FIRST_ROWS = 4096  # samples that the buffer takes at first
LOOK_AHEAD = 1024  # steps in which drives are looked at before they are taken
MAX_STEPS_PER_CALL = 10_000  # steps of one compiled call, which nothing can interrupt


class SimulatorState:
    """Where a simulator is: t, q, qdot, speeds, p (None where the equations have none), poses and
    twists by body, energies.

    Numbers are in the order of the model's coordinates and speeds; poses and twists as in a
    Trajectory.
    """

    __slots__ = ("_labels", "_row")

    def __init__(self, row: dict[str, np.ndarray], labels: dict[str, list[str]]):
        self._row, self._labels = row, labels

    def __repr__(self) -> str:
        return f"<SimulatorState t = {self.t:g}, q = {self.q}, qdot = {self.qdot}>"

    @property
    def t(self) -> float:
        return float(self._row["t"])

    @property
    def q(self) -> np.ndarray:
        return self._row["q"].copy()

    @property
    def qdot(self) -> np.ndarray:
        return self._row["qdot"].copy()

    @property
    def y(self) -> np.ndarray:
        """Of an ode."""
        if "y" not in self._row:
            raise OptionError("y is of an ode; a model and an H(q, p) have q and p")
        return self._row["y"].copy()

    @property
    def p(self) -> np.ndarray | None:
        return self._row["p"].copy() if "p" in self._row else None

    @property
    def speeds(self) -> np.ndarray:
        """qdot, but of a ball its angular velocity in the child's joint axes; in the order of
        model.speeds.
        """
        names = self._labels["coordinate"]
        rows = quaternion_rows_of(names) if "pose" in self._row else []
        return speeds_of(names, rows, self._row["q"][None], self._row["qdot"][None])[0][0]

    @property
    def poses(self) -> dict[str, np.ndarray]:
        """Position of the origin and unit quaternion (scalar first), body to world, by body."""
        return self._by_body("pose")

    @property
    def twists(self) -> dict[str, np.ndarray]:
        """Angular velocity and velocity of the origin, world axes, by body."""
        return self._by_body("twist")

    def _by_body(self, name: str) -> dict[str, np.ndarray]:
        if name not in self._row:
            raise OptionError("an H(q, p) or an ode has no bodies")
        return dict(zip(self._labels["body"], self._row[name].copy(), strict=True))

    @property
    def energy(self) -> float:
        """H; of a model T + V, J."""
        return (
            float(self._row["energy"])
            if "energy" in self._row
            else self.kinetic_energy + self.potential_energy
        )

    @property
    def kinetic_energy(self) -> float:
        return float(self._row["kinetic_energy"])

    @property
    def potential_energy(self) -> float:
        return float(self._row["potential_energy"])

    @property
    def work(self) -> float:
        """Of dampers, loads and inputs since the start of the record, J."""
        return float(self._row["work"])


def merge_start(equations: Equations, now: SimulatorState, given: Start) -> Start:
    """A new start: what is given, and the rest as it is now."""
    t = now.t if given.t is None else check_finite_number(given.t, "t", equations.time_unit)
    if given.qdot is not None and given.p is not None:
        raise OptionError("give qdot or p, not both: each follows from the other")
    if isinstance(equations, HamiltonianEquations):
        problem, momenta = equations.problem, now.p
        q = problem.values_from(given.q, problem.coordinates, "q", now.q)
        p = problem.values_from(given.p, problem.momenta, "p", momenta)
        return given._replace(t=t, q=q, p=p)
    if not isinstance(equations, ModelEquations):
        problem = equations.problem
        y = problem.values_from(given.y, problem.coordinates, "y", now.q)
        return given._replace(t=t, y=y)
    q, p = equations.problem.q_from(given.q, now.q), given.p
    if p is not None:
        return given._replace(t=t, q=q, p=p if now.p is None else equations.momenta_from(p, now.p))
    if given.q is None and given.qdot is None and now.p is not None and not equations.has_rows:
        return given._replace(t=t, q=q, p=now.p)  # to the bit
    return given._replace(t=t, q=q, qdot=equations.problem.qdot_from(given.qdot, now.speeds))


def step_requests(method: Integrator) -> list[tuple[Any, tuple]]:
    """The kernel of a step, which is the same for every System: it and its signature."""
    if method.bind is not None:
        return []
    grid = Grid(np.zeros(3, dtype=np.int64), np.zeros(2))
    pointer = StructPointer(*loop_example(method), grid, np.zeros((0, 4)))
    return [(STEPPERS[method.advance], (type_of(pointer), type_of(1)))]


class Stepper:
    """A run without an end, which is stepped by hand."""

    def __init__(self, run: Run, values: np.ndarray):
        """At the start of a run, with the input values that act there."""
        self.run = run
        self.every = run.plan.save_every
        run.monitor.counts[LEAVES_PAIRS] = 1  # a step that may pass a lock twice is no failure
        run.prepare(is_stepped=True)
        run.recorder = make_recorder(run.plan, run.assembly, None)
        run.write_samples(run.first, 1)
        self.grid = Grid(np.array([0, 0, self.every]), np.array([run.plan.origin, run.plan.step]))
        rows = max(1, min(FIRST_ROWS, CHUNK_NUMBERS // len(run.present(0.0)[0])))
        self.samples = run.new_sample_buffer(rows)
        self.recorded = 1
        self.last = run.present(run.plan.begin)[0]
        # from which sample on which inputs act
        self.changes: list[tuple[int, np.ndarray]] = [(0, values.copy())]
        self.last_turns = run.turns.copy()
        # up to where drives were looked at, and the jump of one that was found
        self.searched_until = run.plan.begin
        self.jump: FoundJump | None = None
        self.unwound_at = 0  # the point of the grid at which whole turns were last taken out
        self.bind()

    # ---- steps -----------------------------------------------------------------------------------
    def bind(self) -> None:
        """Put everything that a step needs behind one pointer."""
        run = self.run
        stepper = STEPPERS[run.method.advance]
        self.pointer = StructPointer(
            run.handle, run.method.method, run.state, run.monitor, self.grid, self.samples
        )
        kernel = compile_for(stepper, self.pointer, 1)
        team = run.engine.team
        self.call = kernel if team is None else partial(team.call, kernel)
        self.refusal = run.handle.refusal
        self.count_free_steps()

    @property
    def index(self) -> int:
        return int(self.grid.place[INDEX])

    def count_free_steps(self) -> None:
        """`left`: steps until the buffer is full or whole turns are to be taken out of angles."""
        index = self.index
        free_rows = len(self.samples) - int(self.grid.place[ROW])
        free_steps = min(free_rows * self.every, MAX_STEPS_PER_CALL)
        if self.run.winding_rows:
            since = index % UNWIND_EVERY
            is_unwound = since or self.unwound_at == index
            free_steps = min(free_steps, UNWIND_EVERY - since if is_unwound else 0)
        self.left = self.count_steps_without_jump(free_steps)
        self.goal = index + self.left  # where the grid will be when none is left

    def count_steps_without_jump(self, steps: int) -> int:
        """Of so many steps those that end before a drive jumps; it is looked for ahead of them."""
        plan = self.run.plan
        equations = plan.equations
        if not (isinstance(equations, ModelEquations) and equations.functions_that_may_jump):
            return steps
        is_on_grid = not plan.integrator.samples_at_steps
        now = plan.origin + self.index * plan.step if is_on_grid else self.run.state.clock[TIME]
        steps = min(steps, LOOK_AHEAD if is_on_grid else 1)
        ahead = now + LOOK_AHEAD * plan.step
        if self.jump is None and ahead > self.searched_until:
            functions = equations.functions_that_may_jump
            begin = self.searched_until
            self.searched_until = ahead + LOOK_AHEAD * plan.step
            self.jump = find_jump(functions, begin, self.searched_until, plan.step)
        if self.jump is None:
            return steps
        before = math.ceil((self.jump.jump.t - now) / plan.step - GRID_TOLERANCE) - 1
        return max(0, min(steps, before))

    def handle_stop(self, n: int) -> int:
        """Of n steps that were asked for and stopped, how many were not taken; what stopped them is
        dealt with.
        """
        wanted = self.goal - self.left
        left = wanted - self.index
        self.resolve_stop()
        return left

    def take_steps(self, n: int) -> None:
        """Take n steps; the buffer of samples is emptied or extended where needed."""
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 0 <= n <= MAX_STEPS:
            raise OptionError(f"step({n!r}): give a whole number of steps, zero or more")
        n = int(n)
        while n > 0:
            if self.left <= 0:
                self.extend_buffer()
                if self.left <= 0 and self.jump is not None:
                    raise self.jump.error(self.run.plan.equations.time_unit)
            part = min(n, self.left)
            self.left -= part
            n -= part
            if self.call(self.pointer, part) or self.refusal.sentence:
                n += self.handle_stop(part)

    def extend_buffer(self) -> None:
        """Take whole turns out of angles where a run would do so; extend a full buffer, or empty
        it.
        """
        run = self.run
        index = self.index
        if run.winding_rows and index and index % UNWIND_EVERY == 0 and self.unwound_at != index:
            self.flush()
            run.unwind()
            self.unwound_at = index
        elif int(self.grid.place[ROW]) < len(self.samples):
            pass
        elif 2 * self.samples.size <= CHUNK_NUMBERS:
            before = self.samples
            self.samples = run.new_sample_buffer(2 * len(before))
            self.samples[: len(before)] = before
            self.bind()
        else:
            self.flush()
        self.count_free_steps()

    # ---- what stops a step -----------------------------------------------------------------------
    def resolve_stop(self) -> None:
        """Allocate what the method asks for, or raise StepError; the state is then as before the
        step.
        """
        run = self.run
        if self.refusal.sentence:
            run.state.counts[STATUS] = UNANSWERED_VERB
            status, rows = run.describe_failure(), int(self.grid.place[ROW])
            self.grid.place[ROW] = 0  # what was computed with it is worth nothing
            self.restore_last_sample(rows)
            self.raise_step_error(status)
        if can_allocate_newton(run.state, run.method):
            run.allocate_newton()
            self.bind()
            return
        status = self.report_lock() if run.monitor.counts[TERMINAL] else ""
        self.flush()
        self.raise_step_error(status or run.describe_failure())

    def raise_step_error(self, status: str) -> NoReturn:
        """After a failure the next step begins where the state is, without a first guess."""
        run = self.run
        run.state.counts[STATUS] = RUNNING
        run.state.counts[FRESH] = 1
        run.monitor.counts[[CROSSED, TERMINAL, EVALUATED]] = 0
        run.is_sound = True
        run.violation = None
        self.count_free_steps()
        raise StepError(status, self.trajectory(status))

    def report_lock(self) -> str:
        """Put the state back to where the step began that went through a gimbal lock; the message
        about it.
        """
        run = self.run
        step_start = run.monitor.step_starts[0]
        t = float(step_start[BEGIN])
        after_y = HEADER_SIZE + len(run.state.y)
        run.state.y[:] = step_start[HEADER_SIZE:after_y]
        after_sum = after_y + len(run.state.y)
        run.state.compensation[:] = step_start[after_y:after_sum]
        run.state.windings[:] = step_start[after_sum:]
        run.state.work[0] = step_start[WORK]
        run.state.clock[TIME] = t
        if not run.plan.integrator.is_adaptive:
            self.grid.place[ROW] -= self.index % self.every == 0
            self.grid.place[INDEX] -= 1
            run.state.counts[STEPS] -= 1
        run.ended_by = run.plan.monitored_events[int(step_start[EVENT])].name
        run.ended_at = f"in the step after t = {t:.9g}"
        status = run.report_lock()
        run.ended_by = run.ended_at = ""
        return status

    # ---- samples ---------------------------------------------------------------------------------
    def flush(self) -> None:
        """Observe what is in the buffer.

        At a sample that is not finite, or whose constraint residual is too large, the state is put
        back.
        """
        run = self.run
        rows = int(self.grid.place[ROW])
        if not rows:
            return
        samples = self.samples[:rows]
        good = run.record(samples)
        self.recorded += good
        self.grid.place[ROW] = 0
        if good:
            self.last = samples[good - 1].copy()
            self.last_turns = run.turns.copy()
        if not run.is_sound:
            status = run.describe_failure()
            self.restore_last_sample(rows - good)
            self.raise_step_error(status)
        self.count_free_steps()

    def restore_last_sample(self, dropped: int) -> None:
        """Put the state back to the last good sample; the compensation of its sum is zero there."""
        run = self.run
        state = run.state
        index = self.index // self.every * self.every - dropped * self.every
        state.clock[TIME] = self.last[0]
        work = len(state.y) + 1
        state.y[:] = self.last[1:work]
        state.compensation[:] = 0.0
        state.work[0] = self.last[work]
        state.windings[:] = self.last[work + 1 :]
        run.turns[:] = self.last_turns
        state.counts[STEPS] -= 0 if run.has_dense_output else self.index - index
        self.grid.place[INDEX] = index

    @property
    def time(self) -> float:
        plan = self.run.plan
        return (
            float(self.run.state.clock[TIME])
            if plan.integrator.is_adaptive
            else plan.origin + self.index * plan.step
        )

    def present(self) -> tuple[dict[str, np.ndarray], bool]:
        """What follows from the present state, and whether that is the last sample of the
        record.
        """
        self.flush()
        run, t = self.run, self.time
        if self.last[0] == t and isinstance(run.recorder, MemoryRecorder):
            return {name: values[-1:] for name, values in run.recorder.chunks[-1].items()}, True
        chunk = run.observe_samples(run.present(t))
        if run.turns.any():
            chunk["q"] = chunk["q"] + 2 * math.pi * run.turns
        return chunk, False

    def current_state(self) -> SimulatorState:
        row = {name: values[0] for name, values in self.present()[0].items()}
        return SimulatorState(row, self.run.labels)

    def trajectory(self, status: str = "") -> Trajectory:
        """Of all steps so far, with the present state as its end."""
        run, (chunk, is_recorded) = self.run, self.present()
        assert isinstance(run.recorder, MemoryRecorder)
        whole = MemoryRecorder(run.recorder.schema, run.recorder.attributes)
        whole.chunks = [*run.recorder.chunks, *([] if is_recorded else [chunk])]
        if run.input is not None:
            whole.chunks = self.with_inputs(whole.chunks)
        counted = {name: value for name, value in run.statistics().items() if name != "seconds"}
        status = status or f"stepped to t = {self.time:.9g}{run.plan.equations.time_unit}"
        made = whole.finish(
            {"status": status, "until": self.time, "statistics": json.dumps(counted)}
        )
        made.end = run.save_checkpoint(is_copied=True)
        return made

    # ---- inputs ----------------------------------------------------------------------------------
    def set_inputs(self, values: np.ndarray) -> None:
        """Change the inputs from the present state on; first guesses of the next step go."""
        present = self.run.plan.equations.inputs.values
        if np.array_equal(present, values):
            return
        present[:] = values
        self.run.state.counts[FRESH] = 1
        is_sample = self.index % self.every == 0
        row = self.recorded + int(self.grid.place[ROW]) - is_sample
        if self.changes[-1][0] == row:
            self.changes.pop()
        self.changes.append((row, values.copy()))

    def with_inputs(self, chunks: list[dict[str, np.ndarray]]) -> list[dict[str, np.ndarray]]:
        """The chunks with the values of the inputs from every sample on."""
        first = [row for row, _ in self.changes]
        values = np.array([values for _, values in self.changes])
        lengths = np.cumsum([0, *(len(chunk["t"]) for chunk in chunks)])
        acting = values[np.searchsorted(first, np.arange(lengths[-1]), side="right") - 1]
        return [
            {**chunk, "input": acting[a:b]}
            for chunk, a, b in zip(chunks, lengths, lengths[1:], strict=False)
        ]
