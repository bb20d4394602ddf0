"""simulate: the one driver. It assembles, advances in compiled chunks, records, and says how it ended."""

import json
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hamiltree.algebra.handle import Handle
from hamiltree.algebra.number import WIDTH
from hamiltree.errors import FileError, FitError, ModelError, OptionError, StepError
from hamiltree.files.toml import model_to_toml
from hamiltree.formulations import FORMULATIONS, find_formulation
from hamiltree.formulations.entries import momentum_of_state, observe
from hamiltree.formulations.formulation import Formulation
from hamiltree.integrators import INTEGRATORS, find_integrator
from hamiltree.integrators.integrator import CALLS, FRESH, NOT_CONVERGED, STATUS, STEPS, WORST, Integrator
from hamiltree.kernel import SOURCE_HASH
from hamiltree.model import Model
from hamiltree.trajectory import FORMAT, FileRecorder, MemoryRecorder, Trajectory, new_file
from hamiltree.verbs import missing
from hamiltree.version import __version__

DEFAULT_FORMULATION, DEFAULT_INTEGRATOR = "hamiltonian_tree", "gauss8"
DEFAULT_UNTIL, DEFAULT_STEP, DEFAULT_SAMPLES = 10.0, 1e-3, 2000
CHUNK_SECONDS, PATIENCE = 0.2, 2.0  # aim of one compiled chunk; wall time before a progress bar appears
SAME = 1e-9  # an end nearer than this to a whole number of steps is on it
CHUNK_NUMBERS = 2**22  # the most numbers that one chunk may record


class Plan(NamedTuple):
    """What will be done, with every default filled in."""

    model: Model
    formulation: Formulation
    integrator: Integrator
    until: float
    step: float
    steps: int  # whole steps; a shorter last one follows if they end before `until`
    save_every: int

    @property
    def rest(self) -> float:
        """Length of the last, shorter step; 0 if there is none."""
        rest = self.until - self.steps * self.step
        return rest if rest > SAME * self.step else 0.0

    def __str__(self) -> str:
        every = "every step" if self.save_every == 1 else f"every {self.save_every} steps"
        return (
            f"{self.model.name}: {self.formulation.name}, {self.integrator.name}, step {self.step:g} s, "
            f"until {self.until:g} s ({self.steps + (self.rest > 0)} steps), saved {every}"
        )


def simulate(
    model: Model,
    until: float | None = None,
    step: float | None = None,
    formulation: str | None = None,
    integrator: str | None = None,
    save_every: int | None = None,
    q: Mapping[str, float] | Any = None,
    qdot: Mapping[str, float] | Any = None,
    progress: bool = True,
    output: str | os.PathLike | None = None,
    force: bool = False,
) -> Trajectory:
    """Run a model and return its Trajectory.

    until, step     seconds (10, 1e-3); an end between two steps is met by a shorter last step
    formulation     the equations of motion (hamiltonian_tree)
    integrator      the method (gauss8)
    save_every      record every so many steps, and the end (about 2000 samples in all)
    q, qdot         start values, by joint name or in the order of model.coordinates; what is not given comes from the model
    progress        say what was chosen, and show a bar if it takes more than two seconds
    output, force   a netCDF file to write to while running; an existing one is overwritten only if forced

    Ctrl-C ends the run with the trajectory so far. A run that fails raises StepError, whose `trajectory` holds what was good.
    """
    plan = planned(model, until, step, formulation, integrator, save_every)
    start_q, start_qdot = model.q_from(q), model.qdot_from(qdot)
    system = plan.formulation.assemble(model, start_q)
    target = None if output is None else new_file(output, force)
    y = start_state(plan, system, start_q, start_qdot)
    if progress:
        print(plan, file=sys.stderr)
    attributes = provenance(plan)
    recorder = MemoryRecorder(model, attributes) if target is None else opened_file(model, attributes, target)
    return Run(plan, system, y, recorder).complete(progress)


def opened_file(model: Model, attributes: dict, target: Path) -> FileRecorder:
    try:
        return FileRecorder(model, attributes, target)
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error}") from None


# ---- before the run ------------------------------------------------------------------------------------------------------
def planned(model, until, step, formulation, integrator, save_every) -> Plan:
    """Check the options and fill in the defaults."""
    if not isinstance(model, Model):
        raise OptionError(f"simulate takes a Model, not {type(model).__name__}; read a file with hamiltree.load(path)")
    chosen = find_formulation(formulation or DEFAULT_FORMULATION)
    method = find_integrator(integrator or DEFAULT_INTEGRATOR)
    check_fit(chosen, method)
    until = positive(DEFAULT_UNTIL if until is None else until, "until", "s")
    step = positive(DEFAULT_STEP if step is None else step, "step", "s")
    nearest_steps = round(until / step)
    steps = nearest_steps if abs(nearest_steps * step - until) <= SAME * step else math.floor(until / step)
    if save_every is None:
        save_every = max(1, math.ceil(steps / DEFAULT_SAMPLES))
    if isinstance(save_every, bool) or not isinstance(save_every, (int, np.integer)) or save_every < 1:
        raise OptionError(f"save_every = {save_every!r}; it must be a whole number of steps, 1 or more")
    return Plan(model, chosen, method, until, step, steps, int(save_every))


def positive(value, name: str, unit: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise OptionError(f"{name} = {value!r}; it must be a number ({unit})")
    if not (math.isfinite(value) and value > 0):
        raise OptionError(f"{name} = {value!r}; it must be finite and above zero ({unit})")
    return float(value)


def fits(formulation: Formulation, integrator: Integrator) -> bool:
    return not missing(formulation.system, integrator.needs)


def check_fit(formulation: Formulation, integrator: Integrator) -> None:
    """Refuse a pair whose verbs do not meet, with those that do."""
    lacking = missing(formulation.system, integrator.needs)
    if lacking:
        integrators = [other.name for other in INTEGRATORS.values() if fits(formulation, other)]
        formulations = [other.name for other in FORMULATIONS.values() if fits(other, integrator)]
        raise FitError(
            f"{integrator.name} does not fit {formulation.name}, which does not answer {', '.join(lacking)}; "
            f"integrators that fit {formulation.name}: {', '.join(integrators) or 'none'}; "
            f"formulations that fit {integrator.name}: {', '.join(formulations) or 'none'}"
        )


def start_state(plan: Plan, system, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """y = (q, p) with p = ∂L/∂q̇."""
    y, ydot = np.zeros(sum(system.layout)), np.zeros(sum(system.layout))
    y[: len(q)], ydot[: len(qdot)] = q, qdot
    momentum_of_state(Handle(system, plan.formulation.workspace(system, 1)), 0.0, y, ydot)
    if not np.isfinite(y).all():
        name = row_name(plan.model, system, int(np.flatnonzero(~np.isfinite(y))[0]))
        raise ModelError(f"the start is not finite: {name}; check the start values of the model")
    return y


def row_name(model: Model, system, row: int) -> str:
    """Which joint's position or momentum a row of the state is."""
    positions = system.layout.positions
    kind, place = ("position", row) if row < positions else ("momentum", row - positions)
    return f"the {kind} of joint '{model.coordinates[place]}'"


def provenance(plan: Plan) -> dict[str, Any]:
    """All that is needed to run it again. Strings and numbers only: they go into a file."""
    try:
        text = model_to_toml(plan.model)
    except ModelError:
        text = ""  # a part that holds a Python function has no text
    return {
        "hamiltree_format": FORMAT,
        "hamiltree_version": __version__,
        "source_hash": SOURCE_HASH,
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "model_name": plan.model.name,
        "model": text,
        "formulation": plan.formulation.name,
        "integrator": plan.integrator.name,
        "until": plan.until,
        "step": plan.step,
        "save_every": plan.save_every,
        "status": "running",
    }


# ---- the run ----------------------------------------------------------------------------------------------------------------
class Run:
    """One run: the compiled state, the observer's scratch and the recorder."""

    def __init__(self, plan: Plan, system, y: np.ndarray, recorder):
        self.plan, self.system, self.recorder = plan, system, recorder
        self.state = plan.integrator.start(y, plan.integrator.method)
        self.handle = Handle(system, plan.formulation.workspace(system, plan.integrator.width))
        self.observer = Handle(system, plan.formulation.workspace(system, WIDTH))
        rows, bodies = len(y), len(plan.model.bodies)
        shapes = ((1,), (rows,), (rows,), (bodies, 7), (bodies, 6))
        self.scratch = tuple(np.zeros((*shape, WIDTH)) for shape in shapes)
        self.seconds, self.saved_step = 0.0, -1

    def complete(self, progress: bool) -> Trajectory:
        """Advance to the end, or to where it stops; record; return or raise."""
        self.advance(0.0, 0, self.plan.step, 0, np.zeros((0, len(self.state.y))))  # compiles, or loads what was compiled
        self.record(np.zeros(1), self.state.y[None].copy())
        self.saved_step = 0
        with Bar(progress, self.plan.until) as bar, Interruption() as interruption:
            self.whole_steps(bar, interruption)
            done, status = self.state.counts[STEPS], self.state.counts[STATUS]
            if status == 0 and done == self.plan.steps and self.plan.rest:
                self.last_step()
        return self.finish(interruption)

    def advance(self, t0: float, first: int, h: float, steps: int, samples: np.ndarray) -> int:
        began = time.perf_counter()
        method = self.plan.integrator
        saved = method.advance(self.handle, method.method, self.state, t0, first, h, steps, self.plan.save_every, samples)
        if steps:
            self.seconds += time.perf_counter() - began
        return saved

    def whole_steps(self, bar: "Bar", interruption: "Interruption") -> None:
        """Chunks of about CHUNK_SECONDS; their length changes nothing in the result."""
        plan, counts, chunk = self.plan, self.state.counts, 16
        room = max(1, CHUNK_NUMBERS // (len(self.state.y) * 2 + 13 * len(plan.model.bodies) + 3))
        while counts[STEPS] < plan.steps and counts[STATUS] == 0 and not interruption.asked:
            began, first = time.perf_counter(), int(counts[STEPS])
            steps = min(chunk, plan.steps - first, room * plan.save_every)
            samples = np.empty(((first + steps) // plan.save_every - first // plan.save_every, len(self.state.y)))
            saved = self.advance(0.0, first, plan.step, steps, samples)
            if saved:
                before = first // plan.save_every
                indices = (np.arange(before + 1, before + saved + 1)) * plan.save_every
                self.record(indices * plan.step, samples[:saved])
                self.saved_step = int(indices[-1])
            spent = time.perf_counter() - began
            chunk = max(1, min(4 * chunk, int(chunk * CHUNK_SECONDS / max(spent, 1e-6))))
            bar.show(counts[STEPS] * plan.step)

    def last_step(self) -> None:
        """A shorter step that ends exactly at `until`."""
        self.state.counts[FRESH] = 1  # increments of another step length are no first guess
        self.advance(self.plan.steps * self.plan.step, 0, self.plan.rest, 1, np.empty((1, len(self.state.y))))

    def record(self, times: np.ndarray, states: np.ndarray) -> None:
        """States and what follows from them, to the recorder."""
        positions, bodies = self.system.layout.positions, len(self.plan.model.bodies)
        slopes, energy = np.empty_like(states), np.empty((len(states), 2))
        pose, twist = np.empty((len(states), bodies, 7)), np.empty((len(states), bodies, 6))
        observe(self.observer, times, states, self.scratch, slopes, energy, pose, twist)
        self.recorder.write(
            {
                "t": times,
                "q": states[:, :positions],
                "p": states[:, positions:],
                "qdot": slopes[:, :positions],
                "kinetic_energy": energy[:, 0],
                "potential_energy": energy[:, 1],
                "pose": pose,
                "twist": twist,
            }
        )

    def finish(self, interruption: "Interruption") -> Trajectory:
        """Record the last good state, close the recorder, and say how it ended."""
        plan, counts = self.plan, self.state.counts
        reached_end = counts[STEPS] == plan.steps + (plan.rest > 0)
        t = plan.until if reached_end else int(min(counts[STEPS], plan.steps)) * plan.step
        if self.saved_step != counts[STEPS]:
            self.record(np.array([t]), self.state.y[None].copy())
        status = "complete" if reached_end else "failed" if counts[STATUS] else f"interrupted at t = {t:.9g} s"
        message = self.failure(t) if counts[STATUS] else ""
        calls = int(counts[CALLS])
        statistics = {
            "steps": int(counts[STEPS]),
            "calls": calls,
            "evaluations": calls * plan.integrator.evaluations_per_call,
            "calls_per_step": calls / max(1, int(counts[STEPS])),
            "seconds": self.seconds,
        }
        trajectory = self.recorder.finish({"status": message or status, "statistics": json.dumps(statistics)})
        if message:
            raise StepError(message, trajectory)
        if not reached_end:
            print(f"hamiltree: {status}; the trajectory up to there is kept", file=sys.stderr)
        return trajectory

    def failure(self, t: float) -> str:
        plan, counts = self.plan, self.state.counts
        where = row_name(plan.model, self.system, int(counts[WORST]))
        if counts[STATUS] == NOT_CONVERGED:
            what = f"the stages of {plan.integrator.name} did not converge; the worst equation is that of {where}"
        else:
            what = f"the state stopped being finite; the first to go was {where}"
        return f"{what}. Last good time t = {t:.9g} s (step {int(counts[STEPS])}); what was saved up to there is kept. Try a step below {plan.step / 2:g} s."


class Interruption:
    """Ctrl-C asks the run to end at the next chunk; a second Ctrl-C ends it at once."""

    asked = False

    def __enter__(self) -> "Interruption":
        self.is_main = threading.current_thread() is threading.main_thread()
        if self.is_main:
            self.before = signal.signal(signal.SIGINT, self.ask)
        return self

    def ask(self, number, frame) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def __exit__(self, *error) -> None:
        if self.is_main:
            signal.signal(signal.SIGINT, self.before)


class Bar:
    """A progress bar that appears only when a run takes longer than PATIENCE."""

    def __init__(self, wanted: bool, until: float):
        self.wanted, self.until, self.began, self.bar = wanted, until, time.perf_counter(), None

    def __enter__(self) -> "Bar":
        return self

    def show(self, t: float) -> None:
        if not self.wanted or time.perf_counter() - self.began < PATIENCE:
            return
        if self.bar is None:
            self.bar = self.appear()
        self.bar.update(self.task, completed=t)

    def appear(self):
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (BarColumn(), TextColumn("t = {task.completed:.4g} of {task.total:g} s"), TimeElapsedColumn(), TimeRemainingColumn())
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.start()
        self.task = bar.add_task("simulate", total=self.until)
        return bar

    def __exit__(self, *error) -> None:
        if self.bar is not None:
            self.bar.stop()
