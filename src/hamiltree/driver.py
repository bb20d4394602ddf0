"""simulate: the one driver. It assembles, advances in compiled chunks, records, and says how it ended."""

import json
import math
import os
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hamiltree.algebra.handle import Handle
from hamiltree.algebra.number import WIDTH
from hamiltree.cache import SOURCE_HASH
from hamiltree.console import Bar, Interruption, Spinner
from hamiltree.errors import FileError, FitError, ModelError, OptionError, StepError
from hamiltree.files.toml import model_to_toml
from hamiltree.formulations import FORMULATIONS, find_formulation
from hamiltree.formulations.entries import momentum_of_state, observe
from hamiltree.formulations.formulation import Formulation
from hamiltree.integrators import INTEGRATORS, find_integrator
from hamiltree.integrators.integrator import CALLS, FRESH, NOT_CONVERGED, NOT_FINITE, RUNNING, STATUS, STEPS, WORST, Integrator
from hamiltree.model import Model
from hamiltree.trajectory import FORMAT, FileRecorder, MemoryRecorder, Trajectory, new_file
from hamiltree.verbs import missing
from hamiltree.version import __version__

DEFAULT_FORMULATION, DEFAULT_INTEGRATOR = "hamiltonian_tree", "gauss8"
DEFAULT_UNTIL, DEFAULT_STEP, DEFAULT_SAMPLES = 10.0, 1e-3, 2000
DEFAULT_NUMBERS = 2**27  # what a run may record (a gigabyte) unless save_every says otherwise
CHUNK_SECONDS = 0.2  # aim of one compiled chunk
FIRST_CHUNK = 16  # steps; nothing is known of the speed yet
CHUNK_NUMBERS = 2**22  # the most numbers that one chunk may record
SAME = 1e-9  # an end nearer than this part of a step to a whole number of steps is on it
MOST_STEPS = 2**53
ENDINGS = (".nc", ".nc4")


class Plan(NamedTuple):
    """What will be done, with every default filled in."""

    model: Model
    formulation: Formulation
    integrator: Integrator
    until: float
    step: float
    steps: int  # whole steps
    rest: float  # length of the shorter last step that follows them; 0 if there is none
    save_every: int

    @property
    def last(self) -> int:
        """How many steps there are in all, the shorter one included."""
        return self.steps + (self.rest > 0)

    def times(self, indices: np.ndarray) -> np.ndarray:
        """Times after so many steps; after the last it is `until`, to the bit."""
        return np.where(indices == self.last, self.until, indices * self.step)

    def __str__(self) -> str:
        every = "every step" if self.save_every == 1 else f"every {self.save_every} steps"
        return (
            f"{self.model.name}: {self.formulation.name}, {self.integrator.name}, step {self.step:g} s, "
            f"until {self.until:g} s ({self.last} step{'s' * (self.last > 1)}), saved {every}"
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
    target = None if output is None else output_file(plan, output, force)
    with Spinner(progress, "compiling what this machine has not yet compiled (half a minute, once)"):
        system = plan.formulation.assemble(model, start_q)
        run = Run(plan, system, start_state(plan, system, start_q, start_qdot))
        run.compile()
    if progress:
        print(plan, file=sys.stderr)
    return run.complete(recorder(plan, target), progress)


def output_file(plan: Plan, output: str | os.PathLike, force: bool) -> Path:
    """The file to write, if its name says what it will be and the disk has room for it."""
    target = new_file(output, force)
    if target.suffix.lower() not in ENDINGS:
        raise OptionError(f"{target}: a trajectory is a netCDF file; end its name in {' or '.join(ENDINGS)}")
    needed, free = 8 * numbers_a_sample(plan.model) * (plan.steps // plan.save_every + 2), shutil.disk_usage(target.parent).free
    if needed > free:
        raise FileError(
            f"{target}: the run would write {needed / 1e9:.3g} GB and the disk has {free / 1e9:.3g} GB left; save less often (save_every)"
        )
    return target


def recorder(plan: Plan, target: Path | None) -> MemoryRecorder | FileRecorder:
    attributes = provenance(plan)
    return MemoryRecorder(plan.model, attributes) if target is None else FileRecorder(plan.model, attributes, target)


# ---- before the run ------------------------------------------------------------------------------------------------------
def planned(model, until, step, formulation, integrator, save_every) -> Plan:
    """Check the options and fill in the defaults."""
    if not isinstance(model, Model):
        raise OptionError(f"simulate takes a Model, not {type(model).__name__}; read a file with hamiltree.load(path)")
    chosen = find_formulation(DEFAULT_FORMULATION if formulation is None else formulation)
    method = find_integrator(DEFAULT_INTEGRATOR if integrator is None else integrator)
    check_fit(chosen, method)
    until = positive(DEFAULT_UNTIL if until is None else until, "until", "s")
    step = positive(DEFAULT_STEP if step is None else step, "step", "s")
    steps, rest = divided(until, step)
    if save_every is None:
        save_every = max(1, math.ceil(steps / min(DEFAULT_SAMPLES, max(2, DEFAULT_NUMBERS // numbers_a_sample(model)))))
    if isinstance(save_every, bool) or not isinstance(save_every, (int, np.integer)) or not 1 <= save_every <= MOST_STEPS:
        raise OptionError(f"save_every = {save_every!r}; it must be a whole number of steps from 1 to {MOST_STEPS}")
    return Plan(model, chosen, method, until, step, steps, rest, int(save_every))


def numbers_a_sample(model: Model) -> int:
    """Of time, states and rates, energies and work, poses and twists."""
    return 4 + 3 * len(model.coordinates) + 13 * len(model.bodies)


def divided(until: float, step: float) -> tuple[int, float]:
    """Whole steps, and the rest that a shorter one covers: 0 where only rounding parts the end from a whole number of steps."""
    if until / step > MOST_STEPS:
        raise OptionError(
            f"until = {until:g} s in steps of {step:g} s are more than {MOST_STEPS} steps; choose a longer step or an earlier end"
        )
    whole = round(until / step)
    if whole >= 1 and abs(whole * step - until) <= max(SAME * step, 4 * math.ulp(until)):
        return whole, 0.0
    steps = math.floor(until / step)
    return steps, until - steps * step


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
    """All that is needed to run it again, with the first sample. Strings and numbers only: they go into a file."""
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

    recorder: MemoryRecorder | FileRecorder

    def __init__(self, plan: Plan, system, y: np.ndarray):
        self.plan, self.system = plan, system
        self.state = plan.integrator.start(y, plan.integrator.method)
        self.handle = Handle(system, plan.formulation.workspace(system, plan.integrator.width))
        self.observer = Handle(system, plan.formulation.workspace(system, WIDTH))
        rows, bodies = len(y), len(plan.model.bodies)
        shapes = ((1,), (rows,), (rows,), (bodies, 7), (bodies, 6))
        self.scratch = tuple(np.zeros((*shape, WIDTH)) for shape in shapes)
        self.seconds, self.is_sound = 0.0, True  # sound: every sample so far was finite
        self.saved_step, self.fastest = 0, ""  # of the last sample: how many steps it came after, and its fastest joint

    def compile(self) -> None:
        """Compile, or load what was compiled, and look at the start, before anything is written."""
        self.advance(0.0, 0, self.plan.step, 0, np.zeros((0, len(self.state.y) + 1)))
        start = self.observed(np.zeros(1), self.sample())
        if not all(np.isfinite(values).all() for values in start.values()):
            raise ModelError("the start is not finite: its energy or rates overflow; check the start values and the masses of the model")

    def complete(self, recorder: MemoryRecorder | FileRecorder, progress: bool) -> Trajectory:
        """Advance to the end, or to where it stops; record; return or raise."""
        self.recorder, counts = recorder, self.state.counts
        with Interruption() as interruption:
            self.record(np.zeros(1, dtype=np.int64), self.sample())
            with Bar(progress, self.plan.until) as bar:
                self.whole_steps(bar, interruption)
            if counts[STATUS] == RUNNING and counts[STEPS] == self.plan.steps and self.plan.rest:
                self.last_step()
            if self.is_sound and self.saved_step != counts[STEPS]:
                self.record(counts[STEPS : STEPS + 1].copy(), self.sample())
            return self.finish()

    def sample(self) -> np.ndarray:
        """The present state as one row of samples: y, and the work of dampers and loads."""
        return np.append(self.state.y, self.state.work)[None]

    def advance(self, t0: float, first: int, h: float, steps: int, samples: np.ndarray) -> int:
        began = time.perf_counter()
        method = self.plan.integrator
        saved = method.advance(self.handle, method.method, self.state, t0, first, h, steps, self.plan.save_every, samples)
        if steps:
            self.seconds += time.perf_counter() - began
        return saved

    def whole_steps(self, bar: Bar, interruption: Interruption) -> None:
        """Chunks of about CHUNK_SECONDS; their length changes nothing in the result."""
        plan, counts, chunk = self.plan, self.state.counts, FIRST_CHUNK
        room = max(1, CHUNK_NUMBERS // numbers_a_sample(plan.model)) * plan.save_every
        while counts[STEPS] < plan.steps and counts[STATUS] == RUNNING and not interruption.asked:
            began, first = time.perf_counter(), int(counts[STEPS])
            steps, before = min(chunk, plan.steps - first, room), first // plan.save_every
            samples = np.empty(((first + steps) // plan.save_every - before, len(self.state.y) + 1))
            saved = self.advance(0.0, first, plan.step, steps, samples)
            self.record(np.arange(before + 1, before + saved + 1) * plan.save_every, samples[:saved])
            spent = time.perf_counter() - began
            chunk = max(1, min(4 * steps, int(steps * CHUNK_SECONDS / max(spent, 1e-6))))
            bar.show(counts[STEPS] * plan.step)

    def last_step(self) -> None:
        """A shorter step that ends exactly at `until`."""
        self.state.counts[FRESH] = 1  # increments of another step length are no first guess
        self.advance(self.plan.steps * self.plan.step, 0, self.plan.rest, 1, np.empty((1, len(self.state.y) + 1)))

    def observed(self, times: np.ndarray, samples: np.ndarray) -> dict[str, np.ndarray]:
        """Samples and what follows from them."""
        states = np.ascontiguousarray(samples[:, :-1])
        positions, bodies = self.system.layout.positions, len(self.plan.model.bodies)
        slopes, energy = np.empty_like(states), np.empty((len(states), 2))
        pose, twist = np.empty((len(states), bodies, 7)), np.empty((len(states), bodies, 6))
        observe(self.observer, times, states, self.scratch, slopes, energy, pose, twist)
        return {
            "t": times,
            "q": states[:, :positions],
            "p": states[:, positions:],
            "qdot": slopes[:, :positions],
            "kinetic_energy": energy[:, 0],
            "potential_energy": energy[:, 1],
            "work": samples[:, -1],
            "pose": pose,
            "twist": twist,
        }

    def record(self, indices: np.ndarray, samples: np.ndarray) -> None:
        """The samples after so many steps, to the recorder. A state that overflows, or whose energy does, is not kept and ends the run."""
        chunk = self.observed(self.plan.times(indices), samples)
        is_finite = np.all([np.isfinite(values).all(axis=tuple(range(1, values.ndim))) for values in chunk.values()], axis=0)
        good = len(samples) if is_finite.all() else int(is_finite.argmin())
        if good < len(samples):
            self.is_sound, self.state.counts[STATUS] = False, NOT_FINITE
        if good:
            self.recorder.write({name: values[:good] for name, values in chunk.items()})
            self.saved_step, self.fastest = int(indices[good - 1]), self.fastest_joint(chunk["qdot"][good - 1])

    def fastest_joint(self, qdot: np.ndarray) -> str:
        if not qdot.any():
            return "at rest"
        at = int(np.abs(qdot).argmax())
        return f"when joint '{self.plan.model.coordinates[at]}' was the fastest (rate {abs(qdot[at]):.3g})"

    def finish(self) -> Trajectory:
        """Close the recorder, and say how it ended."""
        counts, calls = self.state.counts, int(self.state.counts[CALLS])
        t = float(self.plan.times(np.array(self.saved_step)))
        failed, is_complete = counts[STATUS] != RUNNING, self.saved_step == self.plan.last
        status = self.failure(t) if failed else "complete" if is_complete else f"interrupted at t = {t:.9g} s"
        statistics = {
            "steps": int(counts[STEPS]),
            "calls": calls,
            "evaluations": calls * self.plan.integrator.evaluations_per_call,
            "calls_per_step": calls / max(1, int(counts[STEPS])),
            "seconds": self.seconds,
        }
        trajectory = self.recorder.finish({"status": status, "statistics": json.dumps(statistics)})
        if failed:
            raise StepError(status, trajectory)
        if not is_complete:
            print(f"hamiltree: {status}; the trajectory up to there is kept", file=sys.stderr)
        return trajectory

    def failure(self, t: float) -> str:
        where = f"the last good time is t = {t:.9g} s (step {self.saved_step}), {self.fastest}"
        if self.state.counts[STATUS] == NOT_CONVERGED:
            worst = row_name(self.plan.model, self.system, int(self.state.counts[WORST]))
            what = f"the stages of {self.plan.integrator.name} did not converge, worst in {worst}"
        else:
            what = "the state stopped being finite"
        return f"{what}; {where}. What was saved up to there is kept{self.recorder.place}. Try a step of {self.plan.step / 10:g} s or less."
