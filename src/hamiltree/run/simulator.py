"""Simulator: a model bound to its equations and its method, to be run many times or stepped by
hand.

What depends on the model and the method alone is made once. `run` starts where the model starts, or
where it is told to; `step` moves a state of its own, which `set` changes and `state` shows. The two
are independent of each other.
"""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from hamiltree.compiled import worker
from hamiltree.compiled.internals import is_interpreted
from hamiltree.compiled.progress import CompileProgress
from hamiltree.console import doing, tell
from hamiltree.errors import OptionError, suggest
from hamiltree.integrators.event_monitor import EventMonitor
from hamiltree.integrators.integrator import FRESH, Integrator
from hamiltree.model import Model
from hamiltree.problems.events import (
    CompiledEvents,
    Event,
    compile_events,
    empty_monitor,
    monitor_from,
)
from hamiltree.problems.typed_problem import TypedProblem
from hamiltree.run.cautions import warn_at_start
from hamiltree.run.checkpoint import IDENTITY_LABELS, Checkpoint, point_before, run_identity
from hamiltree.run.engine import Engine, loop_requests, observer_requests
from hamiltree.run.equations import ModelEquations, Start
from hamiltree.run.loop import Run
from hamiltree.run.observer import ModelObserver
from hamiltree.run.plan import Plan, check_finite_number, check_save_every, make_plan, set_up
from hamiltree.run.recording import make_recorder
from hamiltree.run.settings import inputs_from
from hamiltree.run.stepper import SimulatorState, Stepper, merge_start, step_requests
from hamiltree.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from hamiltree.run.survival import Output

# What people type for an argument.
COMMON_MISNAMES = {
    **dict.fromkeys(("dt", "h", "timestep", "time_step", "step_size", "stepsize"), "step"),
    **dict.fromkeys(("T", "tf", "t_end", "tend", "duration", "end", "time"), "until"),
    **dict.fromkeys(("method", "scheme"), "integrator"),
    **dict.fromkeys(("quiet", "verbose", "silent"), "progress"),
    **dict.fromkeys(("v", "velocity", "speeds", "qvel"), "qdot"),
    **dict.fromkeys(("x0", "q0"), "q"),
    **dict.fromkeys(("t0", "t_start", "begin"), "t"),
    **dict.fromkeys(("file", "filename", "out", "path"), "output"),
}


def refuse_misnamed(names: Mapping[str, Any], who: str) -> None:
    """An argument that people call otherwise is refused with the name that it has here."""
    for name in names:
        if name in COMMON_MISNAMES:
            raise OptionError(
                f"{who} has no argument {name!r}; it is called {COMMON_MISNAMES[name]!r}"
            )


RUN_ARGUMENTS = (
    *("until", "t", "q", "qdot", "p", "save_every", "sections", "events", "inputs", "assemble"),
    *("resume", "progress", "output", "force", "y", "checkpoint", "split"),
)
SET_ARGUMENTS = ("t", "q", "qdot", "p", "inputs", "assemble", "y")


def refuse_unknown(unknown: Mapping[str, Any], who: str, known: Sequence[str]) -> None:
    """An argument that a method of a simulator does not have."""
    for name in unknown:
        meant = COMMON_MISNAMES.get(name)
        if meant == "step":
            raise OptionError(
                f"{who} has no argument {name!r}: the step belongs to the simulator, "
                "ht.simulator(model, step=…)"
            )
        if meant in known:
            raise OptionError(f"{who} has no argument {name!r}; it is called {meant!r}")
        raise OptionError(f"{who} has no argument {name!r}; {suggest(name, known)}")


MAX_COMPILED_EVENTS = 16  # sets of events whose code a simulator keeps
Kind = TypeVar("Kind", bound=Run)
Result = TypeVar("Result")
LOOPS: set[tuple] = set()  # those that this process has compiled, or has asked for


class PreparedStart(NamedTuple):
    """What a run begins with."""

    engine: Engine
    assembly: Any
    y: np.ndarray


class Simulator:
    """A Model, a Hamiltonian or an Ode with its formulation and integrator, ready to run.

    run(until, …)   one run from the model's start, or from the t, q, qdot or p that are given;
                    returns a Trajectory
    step(n)         n steps of the simulator's own state
    set(…)          change that state, or the inputs that act from now on
    state           where it is: t, q, qdot, speeds, p, poses by body, energies
    trajectory()    what was stepped since the start or the last `set` of t, q, qdot or p

    One thread at a time steps a simulator; runs of several threads wait for each other.
    """

    make_engine: Callable[..., Engine] = staticmethod(Engine.of_setup)  # of a Setup and a System

    def __init__(
        self,
        problem: Model | TypedProblem,
        step: float | None = None,
        formulation: str | None = None,
        integrator: str | None = None,
        save_every: int = 1,
        **options: Any,
    ):
        """Check the arguments and choose formulation and integrator; nothing is compiled yet."""
        refuse_misnamed(options, "simulator")
        self.setup = set_up(problem, step, formulation, integrator, options)
        self.save_every = check_save_every(save_every)  # of what is stepped by hand
        self.lock = threading.Lock()
        self.own: PreparedStart | None = None  # of the model's own start
        self.shared: Engine | None = None  # of any start, where the System is the same for all
        self.events: dict[tuple[Event, ...], CompiledEvents] = {}
        self.stepper: Stepper | None = None

    def __repr__(self) -> str:
        setup = self.setup
        names = setup.equations.formulation.name, setup.integrator.name
        return (
            f"<Simulator of {setup.equations.name!r}: {', '.join(names)}, step "
            f"{setup.step:g}{setup.equations.time_unit}>"
        )

    @property
    def model(self) -> Model | TypedProblem:
        return self.setup.equations.problem

    # ---- runs ------------------------------------------------------------------------------------
    def run(
        self,
        until: float | None = None,
        t: float | None = None,
        q: Mapping[str, float] | Any = None,
        qdot: Mapping[str, float] | Any = None,
        p: Mapping[str, float] | Any = None,
        save_every: int | None = None,
        sections: Sequence[Any] | None = None,
        events: Sequence[Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
        assemble: bool | str | Sequence[str] | None = None,
        resume: Trajectory | None = None,
        progress: bool = False,
        output: str | os.PathLike | None = None,
        force: bool = False,
        y: Mapping[str, float] | Any = None,
        checkpoint: float | None = None,
        split: int | str | None = None,
        **unknown: Any,
    ) -> Trajectory:
        """One run to the time `until`; the arguments are those of simulate.

        inputs   values of the inputs of the model, the same all the time; zero if not given
        resume   a Trajectory that this simulator has made: go on where it ended, as if it had never
                 stopped
        """
        refuse_unknown(unknown, "run", RUN_ARGUMENTS)
        end = None if resume is None else checkpoint_of(resume, (t, q, qdot, p, assemble, y))
        point = None if end is None else self.resume_point(end)
        plan = make_plan(self.setup, until, t, save_every, (sections, events), point)
        if isinstance(plan.equations, ModelEquations) and plan.equations.problem.constraints:
            plan.equations.refuse_jumps(plan.begin, plan.until, plan.step)
        target = None
        if output is not None:
            from hamiltree.run.output import output_of

            target = output_of(plan, output, force, checkpoint, split)
        values = self.input_values(inputs, None if end is None else end.inputs)
        start = self.start_of(plan, q, qdot, p, assemble, y)
        return self.with_inputs(values, lambda: self.make_run(plan, start, end, progress, target))

    def continue_run(self, plan: Plan, start: Start, output: Output, progress: bool) -> Trajectory:
        """Go on with a run that was written to a file, from its start and its checkpoint."""
        assert output.saved is not None
        from hamiltree.run.survival import inputs_of

        values = inputs_of(output.saved)
        return self.with_inputs(values, lambda: self.make_run(plan, start, None, progress, output))

    def start_of(self, plan: Plan, q: Any, qdot: Any, p: Any, assemble: Any, y: Any) -> Start:
        """What was given of the start of a run; with it whether its events are fixed in space."""
        is_anchored = bool(plan.events) and plan.equations.is_fixed_in_space(plan.events)
        return Start(plan.begin, q, qdot, p, assemble, is_anchored, y)

    def with_inputs(self, values: np.ndarray, do: Callable[[], Result]) -> Result:
        """What a run makes with these inputs, which no other run may join; afterwards those of the
        steps by hand are put back.
        """
        with self.lock:
            inputs = self.setup.equations.inputs.values
            before = inputs.copy()
            inputs[:] = values
            try:
                return do()
            finally:
                inputs[:] = before

    def make_run(
        self,
        plan: Plan,
        start: Start,
        end: Checkpoint | None,
        progress: bool,
        target: Output | None,
    ) -> Trajectory:
        """Compile, begin and complete a run."""
        if progress:
            doing("preparing the run")
        with CompileProgress(progress):
            self.compile_loops(loop_requests)
            run = self.prepare_run(plan, start, end)
        if target is not None:
            from hamiltree.run.survival import make_survive

            make_survive(run, target)
        warn_at_start(plan, run.assembly, run.first, self.setup.has_default_step)
        if progress:
            announce(plan, run.assembly)
            doing("beginning the file")
        return run.complete(lambda: make_recorder(plan, run.assembly, target), progress)

    def twin(self) -> Simulator:
        """Another simulator with the same equations and engines, whose step may become another: of
        both, one runs at a time.
        """
        made = copy.copy(self)
        made.events, made.stepper = dict(self.events), None
        return made

    def compile_loops(self, requests: Callable[[Integrator], list[tuple]]) -> None:
        """The loops of the integrator and of the observer, beside the equations, which this process
        compiles meanwhile.
        """
        method, equations = self.setup.integrator, self.setup.equations
        loop = requests, method.advance, type(method.method), type(equations)
        if loop not in LOOPS and not is_interpreted():
            LOOPS.add(loop)
            observers = observer_requests() if isinstance(equations, ModelEquations) else []
            worker.start([*requests(method), *observers])

    def prepare_run(
        self, plan: Plan, start: Start, end: Checkpoint | None, kind: type[Kind] = Run
    ) -> Kind:
        """A run that is ready to begin."""
        if end is None:
            ready = self.prepare_start(start)
        else:
            if start.is_anchored and end.assembly.origins:
                raise OptionError(
                    "resume: that run was followed from an origin that moves with its bodies, and "
                    "an event that is fixed in space cannot be watched from there; start a new run "
                    "with t, q and qdot of its last sample"
                )
            ready = PreparedStart(self.engine_of(end), end.assembly, end.state.y)
        monitor = self.make_monitor(plan, len(ready.y), len(ready.engine.windings))
        run = kind(plan, *ready, monitor, end)
        run.start = start if end is None else end.start
        if end is not None and not np.array_equal(end.inputs, self.setup.equations.inputs.values):
            run.state.counts[FRESH] = 1
        run.prepare()
        return run

    def make_monitor(self, plan: Plan, rows: int, windings: int) -> EventMonitor:
        """What the run looks for after each step; events are compiled once."""
        if not plan.monitored_events:
            return empty_monitor(rows)
        names = plan.equations.names
        if plan.monitored_events not in self.events:
            if len(self.events) == MAX_COMPILED_EVENTS:
                del self.events[next(iter(self.events))]
            self.events[plan.monitored_events] = compile_events(plan.monitored_events, names)
        made = self.events[plan.monitored_events]
        return monitor_from(made, plan.monitored_events, names, windings)

    def input_values(
        self, given: Mapping[str, Any] | None, present: np.ndarray | None
    ) -> np.ndarray:
        """What the inputs will be; refused by name if they cannot."""
        inputs = self.setup.equations.inputs
        if given is None and not inputs.labels:
            return inputs.values
        values = inputs_from(inputs, given, present)
        if given is not None:
            self.setup.equations.check_inputs(values)
        return values

    # ---- starts ----------------------------------------------------------------------------------
    def prepare_start(self, given: Start) -> PreparedStart:
        """An engine as new, and the state to begin with. The model's own start is analysed once."""
        is_default = given.t == 0.0 and all(x is None or x is False for x in given[1:])
        if is_default and self.own is not None:
            self.own.engine.begin(self.own.assembly)
            return self.own
        equations = self.setup.equations
        assembly: Any = equations.assembly_at(given)
        engine = self.engine_for(assembly)
        y = equations.state_of(engine.system, assembly, engine.observe.pointer, given)
        if given.p is not None and isinstance(equations, ModelEquations):
            assert isinstance(engine.observe, ModelObserver)
            rates = engine.observe.rates_at(given.t, y)
            moved = equations.assembly_of_momenta(assembly, rates, given)
            if moved is not None:
                assembly, engine = moved, self.engine_for(moved)
                by_speeds = given._replace(p=None)
                y = equations.state_of(engine.system, moved, engine.observe.pointer, by_speeds)
        engine.begin(assembly)
        ready = PreparedStart(engine, assembly, y)
        if is_default:
            self.own = ready
        return ready

    def engine_for(self, assembly: Any) -> Engine:
        """The shared engine where the System is the same for every start, else one of this
        start.
        """
        equations = self.setup.equations
        is_shared = equations.reuses_system(assembly)
        if is_shared and self.shared is not None:
            equations.check_start(assembly, self.shared.system)
            return self.shared
        made = self.make_engine(self.setup, equations.system_of(assembly))
        if is_shared:
            self.shared = made
        return made

    def engine_of(self, end: Checkpoint) -> Engine:
        """The engine of the run that ended there, with what it had counted."""
        is_default = self.own is not None and end.assembly is self.own.assembly
        if is_default and self.own is not None:
            engine = self.own.engine
        else:
            engine = self.engine_for(end.assembly)
        engine.begin(end.assembly)
        engine.memory = end.memory
        return engine

    def resume_point(self, end: Checkpoint) -> tuple[float, float, int]:
        """Origin of the grid, time and point at which a run goes on; refused if another simulator
        has made it.
        """
        setup = self.setup
        numbers = (end.origin, end.time, end.time, setup.step, 0, 0.0, 1)
        plan = Plan(setup.equations, setup.integrator, *numbers, (), (), setup.options)
        if end.problem is not self.model and end.problem != self.model:
            other = end.problem.name
            name = setup.equations.name
            what = f"of {other!r}, this is {name!r}" if other != name else f"of another {name!r}"
            raise OptionError(f"resume: that run was {what}; resume it with the model that made it")
        mine = run_identity(plan, end.state)
        if mine != end.run_identity:
            what, mine, other = next(
                (w, a, b)
                for w, a, b in zip(IDENTITY_LABELS, mine, end.run_identity, strict=True)
                if a != b
            )
            raise OptionError(
                f"resume: that run was made with {what} {other!r}, this one with {mine!r}; resume "
                "it with what made it"
            )
        return end.origin, end.time, point_before(plan, end.time)

    # ---- steps by hand ---------------------------------------------------------------------------
    def step(self, n: int = 1) -> None:
        """Take n steps with the inputs as they are.

        A step that fails raises StepError; the state stays at the last good one.
        """
        stepper = self.stepper
        if stepper is None:
            stepper = self.begin_stepping()
        if n.__class__ is int and 0 < n <= stepper.left:
            stepper.left -= n
            if not stepper.call(stepper.pointer, n) and not stepper.refusal.sentence:
                return
            n = stepper.handle_stop(n)
        stepper.take_steps(n)

    @property
    def state(self) -> SimulatorState:
        """Where the steps have come to."""
        return (self.stepper or self.begin_stepping()).current_state()

    def set(
        self,
        t: float | None = None,
        q: Mapping[str, float] | Any = None,
        qdot: Mapping[str, float] | Any = None,
        p: Mapping[str, float] | Any = None,
        inputs: Mapping[str, Any] | None = None,
        assemble: bool | str | Sequence[str] | None = None,
        y: Mapping[str, float] | Any = None,
        **unknown: Any,
    ) -> None:
        """Change the state that `step` moves, or the inputs that act from now on; what is not named
        stays as it is.

        A new t, q, qdot or p begins a new record: `trajectory()` starts there. Nothing changes if
        something is refused.
        """
        refuse_unknown(unknown, "set", SET_ARGUMENTS)
        equations = self.setup.equations
        values = self.input_values(inputs, equations.inputs.values)
        is_typed = not isinstance(equations, ModelEquations)
        is_whole = y is not None or (q is not None and p is not None)
        if self.stepper is None and is_typed and is_whole:
            begin = check_finite_number(0.0 if t is None else t, "t", equations.time_unit)
            # what was typed need not have a start of its own
            self.stepper = self.new_stepper(Start(begin, q, qdot, p, assemble, y=y), values)
            return
        stepper = self.stepper or self.begin_stepping()
        if any(given is not None for given in (t, q, qdot, p, assemble, y)):
            given = Start(t, q, qdot, p, assemble, y=y)  # type: ignore[arg-type]
            start = merge_start(equations, stepper.current_state(), given)
            stepper = self.stepper = self.new_stepper(start, values)
        if inputs is not None:
            stepper.set_inputs(values)

    def reset(self) -> None:
        """Back to the model's start, with all inputs zero."""
        self.stepper = None
        self.setup.equations.inputs.values[:] = 0.0

    def trajectory(self) -> Trajectory:
        """What was stepped since the start, or since t, q, qdot or p were last set."""
        return (self.stepper or self.begin_stepping()).trajectory()

    def begin_stepping(self) -> Stepper:
        """At the model's start."""
        self.stepper = self.new_stepper(Start(), self.setup.equations.inputs.values)
        return self.stepper

    def new_stepper(self, start: Start, values: np.ndarray) -> Stepper:
        """Steps from a start, with an engine of their own: no run may touch it."""
        setup, t = self.setup, start.t
        with self.lock, CompileProgress():
            self.compile_loops(step_requests)
            engine, assembly, y = self.prepare_start(start)
            is_kept = engine is self.shared or (self.own is not None and engine is self.own.engine)
            if is_kept:
                engine = Engine.of_setup(setup, engine.system)
                engine.begin(assembly)
            equations = setup.equations
            numbers = (t, t, np.inf, setup.step, 0, 0.0, self.save_every)
            plan = Plan(
                equations, setup.integrator, *numbers, (), equations.terminal_events, setup.options
            )
            monitor = self.make_monitor(plan, len(y), len(engine.windings))
            return Stepper(Run(plan, engine, assembly, y, monitor), values)


def announce(plan: Plan, assembly: Any) -> None:
    """Print what was chosen, and notes about it."""
    tell(plan)
    for note in plan.equations.notes(assembly):
        tell(f"hamiltree: {note}")


def checkpoint_of(run: Any, given: tuple) -> Checkpoint:
    """Where a run ended, if another may go on from there."""
    if not isinstance(run, Trajectory):
        raise OptionError(
            f"resume = {run!r}; give the Trajectory of a run that this process has made"
        )
    if any(value is not None for value in given):
        raise OptionError(
            "resume goes on where a run ended; leave out t, q, qdot, p, y and assemble"
        )
    if run.end is None:
        raise OptionError(
            f"resume: this run ({run.status}) cannot be resumed: it is from a file, or failed, or "
            "an event ended it, or its state was too large to keep; start a new run with t, q and "
            "qdot of its last sample"
        )
    return run.end
