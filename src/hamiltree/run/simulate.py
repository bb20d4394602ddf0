"""simulate and simulator: the ways in.

A model that was seen before is bound to its equations already.
"""

from __future__ import annotations

import os
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from hamiltree.model import Model
from hamiltree.problems.hamiltonian import Hamiltonian
from hamiltree.run.simulator import Simulator, refuse_misnamed
from hamiltree.trajectory.trajectory import Trajectory

MAX_CACHED = 32  # simulators that are kept for models that are simulated again
MAX_CACHED_BODIES = 1000  # of a model for which one is kept: a larger one takes much room


def simulator(
    problem: Model | Hamiltonian,
    step: float | None = None,
    formulation: str | None = None,
    integrator: str | None = None,
    save_every: int = 1,
    **options: Any,
) -> Simulator:
    """A Model or a Hamiltonian bound to its equations and its method, to be run many times or
    stepped by hand.

    step, formulation, integrator, options   as of simulate
    save_every                               record every so many of the steps that are taken by
                                             hand (`step`)
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
    **options: Any,
) -> Trajectory:
    """Run a Model or a Hamiltonian and return its Trajectory.

    until, step       end and length of a step (10, 1e-3; seconds of a model); an end between two
                      steps is met by a shorter last step. An adaptive integrator chooses its own
                      steps; then `step` is the spacing of the samples
    formulation       the equations of motion (of a model hamiltonian_tree; with loops or
                      constraints hamiltonian_loops)
    integrator        the method (gauss8; with loops spark6, in absolute coordinates dop853);
                      `hamiltree list integrators` shows all
    save_every        record every so many steps, and the end (about 2000 samples in all)
    t, q, qdot, p     start time (0) and start values, by name or in order; what is not given comes
                      from the problem. A model takes q and qdot or p, an H(q, p) takes q and p.
                      `until` is the time of the end, not a length
    assemble          move the start to where loops close and joints fit: True, or names of joints
                      that keep their values meanwhile
    sections, events  zero crossings to collect: expressions as text or
                      Event(expression, direction, where, terminal); both mean the same. The points
                      are in `sections` of the trajectory; a terminal event ends the run
    inputs            constant values of the inputs of a model (JointInput, BodyInput) by name; zero
                      if not given
    resume            the Trajectory of an earlier run of this model with this method: go on where
                      it ended
    progress          say what was chosen, and show a bar if it takes more than two seconds
    output, force     a netCDF file to write to while running; an existing one is overwritten only
                      if forced
    options           of the integrator: solver="newton", rtol=1e-10, rho=0.5,
                      step_function="(x**2 + y**2)**0.75", … or of the formulation: baumgarte=10,
                      projection=False

    Ctrl-C ends the run with the trajectory so far. A run that fails raises StepError, whose
    `trajectory` holds what was good.
    """
    if options:
        refuse_misnamed(options, "simulate")
    kept = SimulatorCache(problem, (step, formulation, integrator), options)
    made = kept.take() or Simulator(problem, step, formulation, integrator, 1, **options)
    try:
        return made.run(
            until, t, q, qdot, p, save_every, sections, events, inputs, assemble, resume, progress,
            output, force,
        )  # fmt: skip
    finally:
        kept.put_back(made)


# ---- simulators of models that were seen before --------------------------------------------------
RECENTLY_CACHED: deque[tuple[weakref.ref, tuple]] = deque()


class SimulatorCache:
    """The simulator of a model and a method. It lives in the model itself, and goes with it.

    It is taken out while it runs: another thread that simulates the same model makes its own.
    """

    def __init__(self, problem: Any, method: tuple, options: Mapping[str, Any]):
        self.problem = problem
        own = (
            (tuple(problem.parameters.items()), tuple(problem.start.items()))
            if isinstance(problem, Hamiltonian)
            else ()
        )
        self.key: tuple | None = (
            tuple((type(value), value) for value in (*method, own, *options.values())),
            tuple(options),
        )
        size = len(problem.bodies) if isinstance(problem, Model) else 0
        if (
            not isinstance(problem, (Model, Hamiltonian))
            or size > MAX_CACHED_BODIES
            or not is_hashable(self.key)
        ):
            self.key = None

    def take(self) -> Simulator | None:
        kept = {} if self.key is None else self.problem.__dict__.get("_simulators", {})
        found = kept.get(self.key)
        if found is not None:
            kept[self.key] = None
        return found

    def put_back(self, made: Simulator) -> None:
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


def is_hashable(key: Any) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True
