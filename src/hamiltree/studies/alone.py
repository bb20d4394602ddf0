"""Members one by one: each is a run as `simulate` makes it, whose samples are reduced as they come
and not kept.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from hamiltree.errors import CompileError, FileError, HamiltreeError
from hamiltree.run.cautions import without_warnings
from hamiltree.run.engine import Engine, loop_requests
from hamiltree.run.equations import ModelEquations
from hamiltree.run.plan import Plan, Setup
from hamiltree.run.recording import make_recorder
from hamiltree.run.refilled_engine import RefilledEngine
from hamiltree.run.simulator import Simulator
from hamiltree.studies.definition import Case, Definition
from hamiltree.studies.keeper import Keeper
from hamiltree.studies.stopwatch import Stopwatch
from hamiltree.trajectory.lines import Thresholds, worst_verdict
from hamiltree.trajectory.recorded_lines import recorded_lines

COMPLETE = "complete"
COMPILING = threading.Lock()  # the first run of each method compiles, or loads what is compiled


class Stopped(BaseException):
    """The study is to end: what this member has done is dropped."""


class Stop:
    """Whether a study is to end; threads look at it between pieces of work."""

    def __init__(self) -> None:
        self.is_requested = False

    def check(self) -> None:
        if self.is_requested:
            raise Stopped


class MemberRecorder:
    """Stands in the place of a run's recorder: gives its samples to a Keeper."""

    place = None  # nothing is kept of a member that fails
    resume_hint = ""

    def __init__(self, keeper: Keeper, plan: Plan, stop: Stop):
        self.keeper = keeper
        self.stop = stop
        parameters = getattr(plan.equations.problem, "parameters", {})
        self.parameters = np.array(list(parameters.values()), dtype=float)
        self.end: Any = None  # set by the run
        self.record: Any = None  # a recorder of the whole run, for its verdict

    def write(self, chunk: dict[str, np.ndarray]) -> None:
        self.stop.check()
        self.keeper.write(one_member(chunk), self.parameters)
        if self.record is not None:
            self.record.write(chunk)

    def write_section(self, number: int, t: np.ndarray, y: np.ndarray) -> None:
        self.keeper.write_section(0, number, t)
        if self.record is not None:
            self.record.write_section(number, t, y)

    def abandon(self, status: str) -> None:
        """Nothing was written."""

    def finish(self, outcome: dict[str, Any]) -> MemberRecorder:
        self.outcome = outcome
        return self

    @property
    def verdict(self) -> str:
        """What the whole run is worth by its record."""
        lines = recorded_lines(self.record.finish(self.outcome), Thresholds())
        return worst_verdict(lines)


def one_member(chunk: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """(samples, …) as (samples, 1, …), with the energy of a model."""
    found = {name: values[:, None] for name, values in chunk.items()}
    return with_energy(found)


def with_energy(chunk: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of a model T + V."""
    if "energy" not in chunk and "kinetic_energy" in chunk:
        chunk["energy"] = chunk["kinetic_energy"] + chunk["potential_energy"]
    return chunk


class MemberSimulator(Simulator):
    """Of members whose tables differ, by numbers or starts of their own: the engine of another
    member is filled with them, if nothing else differs.
    """

    engine: RefilledEngine | None = None  # of the last member

    def make_engine(self, setup: Setup, system: Any) -> Engine:
        """The engine of the last member if it fits, else one that the next may have."""
        equations, method = setup.equations, setup.integrator
        if not isinstance(equations, ModelEquations) or equations.inputs.labels:
            return Engine.of_setup(setup, system)
        self.own = None  # the engine of an earlier start is not what it was
        if self.shared is self.engine:
            self.shared = None
        if self.engine is None or not self.engine.refill(equations, method, system):
            self.engine = RefilledEngine(equations, method, system)
        return self.engine


class LoneRuns:
    """Runs members one by one, in one thread; a simulator is kept while the problem is the same."""

    def __init__(self, definition: Definition, stop: Stop, stopwatch: Stopwatch):
        self.definition = definition
        self.stop = stop
        self.stopwatch = stopwatch
        self.kept: dict[tuple, MemberSimulator] = {}
        self.last: RefilledEngine | None = None  # engine of a problem that was a member's own
        self.chunks: dict[tuple, int] = {}  # steps that one compiled call may take, by the method

    def __call__(self, member: int) -> tuple[dict[str, np.ndarray], str]:
        """The results of a member, and "complete" or why it is not."""
        keep = self.definition.keep_plan
        keeper = Keeper(keep, 1, len(self.definition.sample_times))
        try:
            with without_warnings(), np.errstate(all="ignore"):
                status, verdict = self.run(member, keeper)
        except (CompileError, FileError):
            raise
        except (HamiltreeError, ArithmeticError, np.linalg.LinAlgError, ValueError) as error:
            return {}, reason_of(error)
        found = keeper.results()
        if keep.needs_trajectory:
            found[keep.named["verdict"]] = np.array([verdict])
        return found, status

    def run(self, member: int, keeper: Keeper) -> tuple[str, str]:
        """One run; its status and verdict."""
        definition = self.definition
        case = definition.case(member)
        simulator = self.simulator_of(case)
        setup = simulator.setup
        plan = definition.plan_of(case, setup)
        if isinstance(plan.equations, ModelEquations) and plan.equations.problem.constraints:
            plan.equations.refuse_jumps(plan.begin, plan.until, plan.step)
        recorder = MemberRecorder(keeper, plan, self.stop)
        inputs = setup.equations.inputs.values
        inputs[:] = definition.inputs_of(case, setup)
        start = definition.start_of(case, plan)
        with COMPILING:
            simulator.compile_loops(loop_requests)
            run = simulator.prepare_run(plan, start, None)
        if case.is_changed:
            self.last = simulator.engine
        if definition.keep_plan.needs_trajectory:
            recorder.record = make_recorder(plan, run.assembly, None)
        run.chunk = self.chunks.get(case.method, 0)
        with self.stopwatch.compiled():
            run.complete(lambda: recorder, False)  # type: ignore[arg-type, return-value]
        self.chunks[case.method] = run.chunk
        verdict = recorder.verdict if recorder.record is not None else ""
        return str(recorder.outcome["status"]), verdict

    def simulator_of(self, case: Case) -> MemberSimulator:
        """A simulator of its own for a changed problem, else the one that is kept."""
        step, formulation, integrator = case.method
        if case.is_changed:
            own = MemberSimulator(case.problem, step, formulation, integrator, 1, **case.options)
            own.engine = self.last
            return own
        key = (*case.method, *sorted(case.options.items(), key=str))
        if key not in self.kept:
            made = MemberSimulator(case.problem, step, formulation, integrator, 1, **case.options)
            if len(self.kept) >= 8:
                self.kept.pop(next(iter(self.kept)))
            self.kept[key] = made
        return self.kept[key]


def reason_of(error: Exception) -> str:
    """Why a member failed, in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
