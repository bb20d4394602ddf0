"""simulate and simulator: the functions that users call.

A model that was simulated before keeps its simulator: its equations are bound already.
"""

from __future__ import annotations

import os
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from hamiltree.model import Model
from hamiltree.problems.typed_problem import TypedProblem
from hamiltree.run.judgement import judge
from hamiltree.run.simulator import Simulator, refuse_misnamed
from hamiltree.trajectory.trajectory import Trajectory

MAX_CACHED = 32  # simulators that are kept for models that are simulated again
MAX_CACHED_BODIES = 1000  # of a model for which one is kept: a larger one takes much memory


def simulator(
    problem: Model | TypedProblem,
    step: float | None = None,
    formulation: str | None = None,
    integrator: str | None = None,
    save_every: int = 1,
    **options: Any,
) -> Simulator:
    """Bind a Model, a Hamiltonian or an Ode to its equations and its method, to be run many times
    or stepped by hand.

    step, formulation, integrator, options   as in simulate, threads among them
    save_every                               record every so many steps taken by hand (`step`)
    """
    return Simulator(problem, step, formulation, integrator, save_every, **options)


def simulate(
    problem: Any,
    until: float | None = None,
    step: float | None = None,
    formulation: str | None = None,
    integrator: str | None = None,
    save_every: int | None = None,
    q: Mapping[str, float] | Any = None,
    qdot: Mapping[str, float] | Any = None,
    p: Mapping[str, float] | Any = None,
    assemble: bool | str | Sequence[str] | None = None,
    sections: Sequence[Any] | None = None,
    events: Sequence[Any] | None = None,
    progress: bool = True,
    output: str | os.PathLike | None = None,
    force: bool = False,
    t: float | None = None,
    inputs: Mapping[str, Any] | None = None,
    resume: Trajectory | None = None,
    y: Mapping[str, float] | Any = None,
    checkpoint: float | None = None,
    split: int | str | None = None,
    **options: Any,
) -> Trajectory:
    """Run a Model, a Hamiltonian or an Ode and return its Trajectory.

    until, step       time of the end and length of a step (those of the model, else 10 s, 1e-3 s);
                      the last one is shorter if need be. Adaptive methods: spacing of samples
    formulation       equations of motion (hamiltonian_tree; hamiltonian_loops with loops)
    integrator        method (gauss8; with loops spark6, in absolute coordinates dop853)
    save_every        record every so many steps, and the end (about 2000 samples in all)
    t, q, qdot, p, y  start time (0) and start values, by name or in order, else the problem's own;
                      a model takes q and qdot or p, an H(q, p) takes q and p, an ode takes y
    assemble          move the start to where loops close: True, or names of joints to hold
    sections, events  zero crossings to collect in `sections`: texts, Event(expression, …)
    inputs            constant values of JointInput and BodyInput by name; zero if not given
    resume            Trajectory of a run with this method: go on where it ended
    progress          print what was chosen, and a bar if it takes more than two seconds
    output, force     a netCDF file to write while running; an existing one only if forced
    checkpoint, split seconds between checkpoints (10), for ht.resume; samples or size of a file
    options           of the integrator (rtol=1e-10), of the formulation (baumgarte=9); threads (1)
                      that compute one large tree together: they change no bit
    AccuracyWarning: what the run has recorded is not good; see `report` of the trajectory. Ctrl-C
    ends it with the trajectory so far; a failure raises StepError, whose `trajectory` is kept.
    """
    with SimulatorCache(problem, (step, formulation, integrator), options) as made:
        return judge(made.run(
            until, t, q, qdot, p, save_every, sections, events, inputs, assemble, resume, progress,
            output, force, y, checkpoint, split,
        ), output)  # fmt: skip


# ---- simulators of models that were seen before --------------------------------------------------
RECENTLY_CACHED: deque[tuple[weakref.ref, tuple]] = deque()


class SimulatorCache:
    """The simulator of a model and a method, to be used in a `with` block. It is kept in the model
    itself, and goes with it.

    It is taken out while it runs: another thread that simulates the same model makes its own.
    """

    def __init__(self, problem: Any, method: tuple, options: Mapping[str, Any]):
        """The key of the simulator; None if it cannot be kept: no problem, a large model, an option
        that cannot be hashed.
        """
        if options:
            refuse_misnamed(options, "simulate")
        self.problem = problem
        self.method = method
        self.options = options
        own = ()
        if isinstance(problem, TypedProblem):
            own = tuple(problem.parameters.items()), tuple(problem.start.items())
        self.key: tuple | None = (
            tuple((type(value), value) for value in (*method, own, *options.values())),
            tuple(options),
        )
        is_problem = isinstance(problem, (Model, TypedProblem))
        size = len(problem.bodies) if isinstance(problem, Model) else 0
        if not is_problem or size > MAX_CACHED_BODIES or not is_hashable(self.key):
            self.key = None

    def __enter__(self) -> Simulator:
        step, formulation, integrator = self.method
        self.simulator = self.take() or Simulator(
            self.problem, step, formulation, integrator, 1, **self.options
        )
        return self.simulator

    def __exit__(self, *error: Any) -> None:
        self.put_back(self.simulator)

    def take(self) -> Simulator | None:
        """The simulator that was kept, if there is one; it is then in use."""
        kept = {} if self.key is None else self.problem.__dict__.get("_simulators", {})
        found = kept.get(self.key)
        if found is not None:
            kept[self.key] = None
        return found

    def put_back(self, made: Simulator) -> None:
        """Keep a simulator for the next run; beyond MAX_CACHED the oldest are dropped."""
        if self.key is None:
            return
        if "_simulators" not in self.problem.__dict__:
            object.__setattr__(self.problem, "_simulators", {})
        if self.key not in self.problem._simulators:
            RECENTLY_CACHED.append((weakref.ref(self.problem), self.key))
        self.problem._simulators[self.key] = made
        while len(RECENTLY_CACHED) > MAX_CACHED:
            model, key = RECENTLY_CACHED.popleft()
            if model() is not None:
                model().__dict__["_simulators"].pop(key, None)  # type: ignore[union-attr]


def find_kept_simulator(
    problem: Model | TypedProblem, formulation: str, integrator: str, options: Mapping[str, Any]
) -> Simulator | None:
    """A simulator that was kept for this model, with these equations and this method, whatever its
    step; None if there is none, or it is in use. What was typed may have changed meanwhile.
    """
    if not isinstance(problem, Model):
        return None
    for kept in [*problem.__dict__.get("_simulators", {}).values()]:
        if kept is not None:
            setup = kept.setup
            names = setup.equations.formulation.name, setup.integrator.name
            if names == (formulation, integrator) and setup.options == options:
                return kept
    return None


def is_hashable(key: Any) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True
