"""A run made again from its first sample, with another step, tolerance, method or formulation.

The equations are bound once; only the step or the tolerances differ from run to run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, reduce
from typing import Any, TypeVar

import numpy as np

from hamiltree.compiled.progress import CompileProgress
from hamiltree.errors import HamiltreeError
from hamiltree.formulations import find_formulation
from hamiltree.integrators.adaptive_steps import LARGEST_TOLERANCE, with_control
from hamiltree.integrators.integrator import Integrator
from hamiltree.model import Model
from hamiltree.model.forces import BodyInput
from hamiltree.problems.typed_problem import TypedProblem
from hamiltree.run.cautions import without_warnings
from hamiltree.run.engine import Engine, loop_requests
from hamiltree.run.plan import make_plan
from hamiltree.run.simulate import find_kept_simulator
from hamiltree.run.simulator import Simulator
from hamiltree.run.start import Start
from hamiltree.trajectory.speeds import speeds_of
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.verdict.compared_run import ComparedRun

Result = TypeVar("Result")
GRID_TOLERANCE = 1e-6  # of a step: times that are nearer are the same
MAX_COMPARED = 400  # samples at which two runs are compared
CONTROLLED_RATIO = 1.5
LARGEST_LOOSE_TOLERANCE = LARGEST_TOLERANCE / 10


class NotRepeatable(HamiltreeError):
    """Why a run cannot be made again; one plain sentence."""


class Repetition:
    """A run that can be made again.

    begin, end   of the samples
    step         length of a step, of an adaptive method the spacing of its samples
    """

    MOST_SPACINGS = 10  # samples by which their spacing is told

    def __init__(
        self,
        run: Trajectory,
        formulation: str | None = None,
        integrator: str | None = None,
        options: Mapping[str, Any] | None = None,
        is_shared: bool = False,
    ):
        """Bind the problem of the run to its equations and method, or to others by name; options
        are those of the run, as far as they belong to what is kept, unless they are given.
        `is_shared`: with the engine of the run itself, if that is kept; for `beside` alone.
        """
        about = run._settings
        self.run = run
        self.times = run._values("t")
        if not len(self.times):
            raise NotRepeatable("the run has no samples")
        self.begin, self.end = float(self.times[0]), float(self.times[-1])
        if not self.end > self.begin:
            raise NotRepeatable("the run has no steps")
        try:
            self.problem = problem_of(run)
        except HamiltreeError as error:
            raise NotRepeatable(f"the run cannot be made again: {error}") from None
        if options is None:
            kept = find_formulation(about["formulation"]).options if formulation is None else ()
            known = json.loads(about["options"])
            is_same = formulation is None and integrator is None
            options = {name: known[name] for name in known if is_same or name in kept}
        names = formulation or about["formulation"], integrator or about["integrator"]
        step = float(about["step"])
        kept = find_kept_simulator(self.problem, *names, options) if is_shared else None
        if kept is None:
            self.simulator = Simulator(self.problem, step, *names, **options)
            # runs of an analysis are not kept, and the text of a large model takes long
            vars(self.simulator.setup.equations)["provenance"] = dict
        else:
            self.simulator = kept.twin()
        self.setup = self.simulator.setup._replace(step=step)
        self.simulator.setup = self.setup
        own, end = self.simulator.own, run.end
        has_own_start = own is not None and end is not None and end.assembly is own.assembly
        if not (has_own_start and self.begin == 0.0) and self.first:
            self.simulator.own = None
        self.inputs = constant_inputs(run, self.setup.equations.inputs)

    @property
    def step(self) -> float:
        return self.setup.step

    @property
    def integrator(self) -> Integrator:
        return self.setup.integrator

    @property
    def has_rows(self) -> bool:
        return bool(getattr(self.setup.equations, "has_rows", False))

    @property
    def is_controlled(self) -> bool:
        """Whether tolerances choose the steps."""
        return self.integrator.is_adaptive and not self.integrator.samples_at_steps

    @property
    def tolerance_power(self) -> int:
        """Steps are proportional to a tolerance to the power of 1 over this: of explicit pairs the
        order; the estimate of Radau IIA 5 is held against rtol^(2/3) and falls as h⁴.
        """
        return self.integrator.order + (not self.integrator.is_explicit)

    @property
    def ratio(self) -> float:
        """How many times as long the steps of the next coarser run are. With tolerances less than
        two: a step that is chosen as long as possible is soon too long to show its order.
        """
        return CONTROLLED_RATIO if self.is_controlled else 2.0

    def coarsened(self, factor: float) -> dict[str, Any]:
        """What of the setup changes for steps that are so many times as long."""
        if not self.is_controlled:
            return {"step": factor * self.step}
        control = self.integrator.method.control
        most = LARGEST_LOOSE_TOLERANCE / max(control.rtol, control.atol)
        looser = min(factor**self.tolerance_power, max(1.0, most))
        wider = factor * control.largest_step
        tolerances = {"rtol": looser * control.rtol, "atol": looser * control.atol}
        return {"integrator": with_control(self.integrator, **tolerances, largest_step=wider)}

    def again(
        self,
        factor: float,
        until: float | None = None,
        every: int = 1,
        place: int = 0,
        resume: Trajectory | None = None,
    ) -> Trajectory:
        """The run with steps that are `factor` times as long, recorded every so many of them, from
        its first sample or another one, or from where such a run has ended. A failure raises.
        """
        until = self.end if until is None else until
        given: dict[str, Any] = {"resume": resume} if resume is not None else self.start_at(place)
        with self.steps_times(factor):
            made = self.simulator.run(until, save_every=every, progress=False, **given)
        if made.status.startswith("interrupted"):
            raise KeyboardInterrupt
        return made

    @contextmanager
    def steps_times(self, factor: float) -> Iterator[None]:
        """For a while, the simulator has steps that are so many times as long."""
        self.simulator.setup = self.setup._replace(**self.coarsened(factor))
        try:
            with without_warnings():
                self.bind()
                yield
        finally:
            self.simulator.setup = self.setup

    def beside(
        self, factor: float, every: int, place: int, use: Callable[[ComparedRun], Result]
    ) -> Result:
        """What is made of the same run, of which only positions are wanted, and which goes on
        piece by piece.
        """
        given, simulator = self.start_at(place), self.simulator
        values = simulator.input_values(given.pop("inputs"), None)
        begin = given.pop("t", 0.0)

        def make() -> Result:
            """Begin the run and use it."""
            with self.steps_times(factor):
                setup = simulator.setup
                plan = make_plan(setup, max(self.end, begin + setup.step), begin, every)
                start = Start(begin, **given)
                with CompileProgress():
                    simulator.compile_loops(loop_requests)
                    run = simulator.prepare_run(plan, start, None, ComparedRun)
                return use(run)

        return simulator.with_inputs(values, make)

    def at_times(self, until: float, part: float) -> Trajectory:
        """A run to be compared with the samples of the run: with this tolerance, or with a half or
        a quarter of the step.
        """
        spacing = float(np.diff(self.times[: self.MOST_SPACINGS]).min())
        factor, every = 1.0, 1
        setup = self.setup
        try:
            if self.is_controlled:
                method = with_control(self.integrator, rtol=part, atol=0.1 * part)
                self.setup = setup._replace(integrator=method, step=spacing)
            else:
                factor = 0.25 if part < 1e-12 else 0.5
                every = max(1, round(spacing / (factor * self.step)))
            return self.again(factor, until, every)
        finally:
            self.setup = setup

    def bind(self) -> None:
        """Make the first sample the own start of the simulator, which it analyses once; an engine
        knows the tolerances of its method.
        """
        simulator = self.simulator
        if self.is_controlled:
            simulator.shared = None
        if simulator.own is not None and self.is_controlled:
            setup, own = simulator.setup, simulator.own
            engine = Engine.of_setup(setup, own.engine.system)
            simulator.own = own._replace(engine=engine)
        if simulator.own is None and self.begin == 0.0:
            simulator.own = simulator.prepare_start(Start(0.0, **self.first))

    @cached_property
    def first(self) -> dict[str, Any]:
        """The first sample, as arguments of a run; none where it is the problem's own start."""
        return start_of(self.run, 0, self.problem, self.has_rows)

    def start_at(self, place: int) -> dict[str, Any]:
        """A sample of the run, as arguments of another run."""
        if place == 0 and self.begin == 0.0:
            return {"inputs": self.inputs}
        start = start_of(self.run, place, self.problem, self.has_rows)
        return {"t": float(self.times[place]), **start, "inputs": self.inputs}

    # ---- common times ----------------------------------------------------------------------------
    def common_samples(self, factor: int, until: float = math.inf) -> tuple[np.ndarray, int]:
        """Samples of the run up to a time that lie on a grid of steps `factor` times as long, about
        MAX_COMPARED of them, and the end of all; and how many such steps lie between them.
        """
        last = len(self.times) - 1
        if self.integrator.samples_at_steps:
            return np.array([0, last]), 2**40
        spacing = self.spacing(factor)
        periods = (self.times - self.begin) / spacing
        points = np.round(periods)
        is_common = np.abs(periods - points) <= GRID_TOLERANCE * self.step / spacing
        found = np.flatnonzero(is_common & (self.times <= until))
        found = found[:: max(1, math.ceil(len(found) / MAX_COMPARED))]
        every = reduce(math.gcd, (int(point) for point in points[found]), 0)
        return np.union1d(found, [last]), every or 2**40

    def samples_between(self, grid: np.ndarray, factor: int, most: int) -> tuple[np.ndarray, int]:
        """Further samples beside those of a grid, about so many in all, on a finer grid of steps
        `factor` times as long; and how many such steps lie between them.
        """
        periods = (self.times - self.begin) / self.spacing(factor)
        points = np.round(periods)
        is_common = np.abs(periods - points) <= GRID_TOLERANCE * self.step / self.spacing(factor)
        found = np.flatnonzero(is_common)
        apart = reduce(math.gcd, np.searchsorted(found, grid[:-1]).tolist(), 0)
        strides = [n for n in range(1, apart + 1) if apart % n == 0]
        stride = next((n for n in strides if len(found) <= n * most), apart or 1)
        found = found[::stride]
        every = reduce(math.gcd, (int(point) for point in points[found]), 0)
        return np.union1d(found, grid), every or 2**40

    def spacing(self, factor: int) -> float:
        """Between points of a grid on which steps that are `factor` times as long end."""
        return self.step if self.is_controlled else factor * self.step


def matching_samples(times: np.ndarray, others: np.ndarray, step: float) -> tuple[Any, Any]:
    """Where two lists of times have the same time: places in the one and in the other."""
    places = np.clip(np.searchsorted(others, times), 0, len(others) - 1)
    before = np.maximum(places - 1, 0)
    is_before = np.abs(others[before] - times) < np.abs(others[places] - times)
    places = np.where(is_before, before, places)
    mine = np.flatnonzero(np.abs(others[places] - times) <= GRID_TOLERANCE * step)
    return mine, places[mine]


# ---- what a run began with -----------------------------------------------------------------------
def problem_of(run: Trajectory) -> Model | TypedProblem:
    """The model, H(q, p) or ode of a run, made again from its file if need be."""
    if run.has_bodies:
        return run.model
    return run.hamiltonian if run.has_energy else run.ode


def start_of(run: Trajectory, place: int, problem: Any, has_rows: bool) -> dict[str, Any]:
    """A sample, as arguments of a run: momenta where they make the state to the bit; none at all
    where it is the problem's own start.
    """
    if not run.has_energy:
        return {"y": run._rows("y", place)}
    q = run._rows("q", place)
    if not run.has_bodies:
        return {"q": q, "p": run._rows("p", place)}
    names, rows = run._names("coordinate"), run.quaternion_rows
    speeds = speeds_of(names, rows, q[None], run._rows("qdot", place)[None])[0][0]
    own_speeds = problem.start()[1]
    if np.array_equal(problem.q_from(None), q) and np.array_equal(own_speeds, speeds):
        return {}
    is_anchored = not any(joint.is_unanchored for joint in problem.joints)
    if run._has("p") and is_anchored and not has_rows:
        return {"q": q, "p": run._rows("p", place)}
    return {"q": q, "qdot": speeds}


def constant_inputs(run: Trajectory, inputs: Any) -> dict[str, Any] | None:
    """The inputs of a run by name; refused where they were changed on the way."""
    if not run._has("input"):
        return None
    recorded = run._values("input")
    if len(recorded) > 1 and (recorded[:-1] != recorded[0]).any():
        raise NotRepeatable("its inputs were changed on the way, so it cannot be made again")
    given: dict[str, Any] = {}
    for name, place in inputs.places.items():
        values = recorded[0][place]
        is_wrench = isinstance(inputs.parts[name], BodyInput)
        given[name] = {"force": values[:3], "torque": values[3:]} if is_wrench else values
    return given
