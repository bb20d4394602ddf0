"""simulate: the one driver. It assembles, advances in compiled chunks, records, and says how it ended."""

import json
import math
import os
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hamiltree.console import Bar, Interruption, Spinner
from hamiltree.errors import FileError, OptionError, StepError
from hamiltree.events import Names, watch_for
from hamiltree.formulations.remote import remote_handle
from hamiltree.integrators.integrator import (
    CALLS,
    END,
    FRESH,
    GRID,
    NEEDS_MATRIX,
    NOT_CONVERGED,
    NOT_FINITE,
    REFUSED,
    RUNNING,
    SINGULAR,
    STATUS,
    STEPS,
    STIFF,
    TIME,
    TOO_SMALL,
    WORST,
    State,
)
from hamiltree.integrators.watch import BEGIN, EVENT, SEEN, UNREAL, Located, evaluate_samples, located
from hamiltree.plan import Plan, planned, provenance
from hamiltree.trajectory import FileRecorder, MemoryRecorder, Trajectory, new_file
from hamiltree.verbs import balance

CHUNK_SECONDS = 0.2  # aim of one compiled chunk
FIRST_CHUNK = 16  # steps; nothing is known of the speed yet
UNWIND = 1000  # steps after which whole turns are taken out of angles
TURN_HIGH = 6.283185307169333  # 2π = high + low; the product of the first with a few thousand turns is exact
TURN_LOW = 1.0253376606378076e-11
CHUNK_NUMBERS = 2**22  # the most numbers that one chunk may record
ENDINGS = (".nc", ".nc4")
# What people type for an argument of simulate.
MEANT = {
    **dict.fromkeys(("dt", "h", "timestep", "time_step", "step_size", "stepsize"), "step"),
    **dict.fromkeys(("T", "tf", "t_end", "tend", "duration", "end", "time"), "until"),
    **dict.fromkeys(("method", "scheme"), "integrator"),
    **dict.fromkeys(("quiet", "verbose", "silent"), "progress"),
    **dict.fromkeys(("v", "velocity", "speeds", "qvel"), "qdot"),
    **dict.fromkeys(("x0", "q0"), "q"),
    **dict.fromkeys(("file", "filename", "out", "path"), "output"),
}


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
    **options: Any,
) -> Trajectory:
    """Run a Model or a Hamiltonian and return its Trajectory.

    until, step       end and length of a step (10, 1e-3; seconds of a model); an end between two steps is met by a shorter last step.
                      An adaptive integrator chooses its own steps; then `step` is the spacing of the samples
    formulation       the equations of motion (of a model hamiltonian_tree; with loops or constraints hamiltonian_loops)
    integrator        the method (gauss8; with loops spark6, in absolute coordinates dop853); `hamiltree list integrators` shows all
    save_every        record every so many steps, and the end (about 2000 samples in all)
    q, qdot, p        start values, by name or in order; what is not given comes from the problem. A model takes q and qdot or p,
                      an H(q, p) takes q and p
    assemble          move the start to where loops close and joints fit: True, or names of joints that keep their values meanwhile
    sections, events  zero crossings to collect: expressions as text or Event(expression, direction, where, terminal); both mean the same.
                      The points are in `sections` of the trajectory; a terminal event ends the run
    progress          say what was chosen, and show a bar if it takes more than two seconds
    output, force     a netCDF file to write to while running; an existing one is overwritten only if forced
    options           of the integrator: solver="newton", rtol=1e-10, rho=0.5, step_function="(x**2 + y**2)**0.75", …
                      or of the formulation: baumgarte=10, projection=False

    Ctrl-C ends the run with the trajectory so far. A run that fails raises StepError, whose `trajectory` holds what was good.
    """
    for name in options:
        if name in MEANT:
            raise OptionError(f"simulate has no argument {name!r}; it is called {MEANT[name]!r}")
    plan = planned(problem, until, step, formulation, integrator, save_every, (sections, events), options)
    target = None if output is None else output_file(plan, output, force)
    with Spinner(progress, "compiling what this machine has not yet compiled (up to a minute, once for each family of methods)"):
        system, y = plan.subject.assembled(q, qdot, p, assemble)
        run = Run(plan, system, y)
        run.compile()
    if progress:
        print(plan, file=sys.stderr)
        for note in plan.subject.notes():
            print(f"hamiltree: {note}", file=sys.stderr)
    return run.complete(recorder(plan, target), progress)


def output_file(plan: Plan, output: str | os.PathLike, force: bool) -> Path:
    """The file to write, if its name says what it will be and the disk has room for it."""
    target = new_file(output, force)
    if target.suffix.lower() not in ENDINGS:
        raise OptionError(f"{target}: a trajectory is a netCDF file; end its name in {' or '.join(ENDINGS)}")
    needed, free = 8 * plan.subject.numbers_a_sample * (plan.steps // plan.save_every + 2), shutil.disk_usage(target.parent).free
    if needed > free:
        raise FileError(
            f"{target}: the run would write {needed / 1e9:.3g} GB and the disk has {free / 1e9:.3g} GB left; save less often (save_every)"
        )
    return target


def recorder(plan: Plan, target: Path | None) -> MemoryRecorder | FileRecorder:
    attributes = provenance(plan)
    return MemoryRecorder(plan.schema, attributes) if target is None else FileRecorder(plan.schema, attributes, target)


# ---- the run ----------------------------------------------------------------------------------------------------------------
class Run:
    """One run: the compiled state, what is watched for, the observer and the recorder."""

    recorder: MemoryRecorder | FileRecorder

    def __init__(self, plan: Plan, system, y: np.ndarray):
        if plan.integrator.fit is not None:
            plan = plan._replace(integrator=plan.integrator.fit(plan.integrator, system))
        if balance in plan.integrator.needs and hasattr(system, "projects"):
            system = system._replace(projects=False)  # the method keeps positions by itself
        self.plan, self.system = plan, system
        self.state: State = plan.integrator.start(y, plan.integrator.method)
        self.state.clock[END] = plan.until
        workspace = plan.subject.formulation.workspace
        self.work, self.single = workspace(system, plan.integrator.width), workspace(system, 1)
        self.handle = remote_handle(system, self.work, self.single, plan.integrator.needs, plan.integrator.width)
        self.again = self.handle  # with scratch of its own, for steps that are taken again: they must leave no trace
        if plan.watched:
            again = workspace(system, plan.integrator.width), workspace(system, 1)
            self.again = remote_handle(system, *again, plan.integrator.needs, plan.integrator.width)
        self.observe = plan.subject.observer(system)
        self.watch = watch_for(plan.watched, plan.subject.names if plan.watched else unnamed(len(y)))
        self.trial: State = plan.integrator.start(y, plan.integrator.method)  # steps are taken again with it
        self.seconds, self.is_sound = 0.0, True  # sound: every sample so far was finite
        self.saved_time, self.fastest, self.ended_by, self.ended_at, self.is_guarded = 0.0, "", "", "", False
        self.turning = [] if plan.watched or plan.integrator.is_adaptive else plan.subject.turning_rows()
        self.turns = np.zeros(len(plan.subject.labels()["coordinate"]))  # whole turns that were taken out of the state
        self.opened: tuple[str, float, float] | None = None  # the constraint that came apart, how far and when
        self.last_sound, self.last_q, self.last_qdot = math.inf, np.zeros(0), np.zeros(0)

    def compile(self) -> None:
        """Compile, or load what was compiled, and look at the start, before anything is written."""
        self.advance(0.0, 0, self.plan.step, 0, self.room_for(0))
        start = self.observe(np.zeros(1), self.state.y[None].copy(), np.zeros(1))
        if not all(np.isfinite(values).all() for values in start.values()):
            raise self.plan.subject.bad_start(start)
        self.check_step_function()
        if self.plan.watched:
            located(self.again, self.plan.integrator.method, self.trial, self.watch)

    def check_step_function(self) -> None:
        """A step that is not above zero leads nowhere."""
        method, rows = self.plan.integrator.method, len(self.state.y)
        if not getattr(method, "has_code", False):
            return
        out, x = np.zeros((1, 1 + rows)), self.state.y.copy()
        evaluate_samples(method.code, 0, method.parameters, np.zeros(1), x[None], x.copy(), np.zeros(1 + rows), out, np.zeros(2 + 2 * rows))
        if not (np.isfinite(out).all() and out[0, 0] > 0):
            raise OptionError(
                f"step_function = {self.plan.options['step_function']!r} is {out[0, 0]:g} at the start; it must be above zero"
            )

    def room_for(self, samples: int) -> np.ndarray:
        """Rows of time, state and work."""
        return np.empty((samples, len(self.state.y) + 2))

    def complete(self, recorder: MemoryRecorder | FileRecorder, progress: bool) -> Trajectory:
        """Advance to the end, or to where it stops; record; return or raise."""
        self.recorder, plan = recorder, self.plan
        with Interruption() as interruption:
            self.record(self.present(0.0))
            with Bar(progress, plan.until, plan.subject.time_unit) as bar:
                if plan.integrator.counts_own_steps:
                    self.own_steps(bar, interruption)
                else:
                    self.whole_steps(bar, interruption)
            if self.is_running and plan.rest and self.grid == plan.steps and not plan.integrator.counts_own_steps:
                self.last_step()
            if self.is_sound and not self.ended_by and self.saved_time != self.time:
                self.record(self.present(self.time))
            return self.finish()

    @property
    def is_running(self) -> bool:
        return self.state.counts[STATUS] == RUNNING and not self.ended_by

    @property
    def serves_grid(self) -> bool:
        """Whether samples are interpolated between steps of the method's own choice."""
        return self.plan.integrator.is_adaptive and not self.plan.integrator.counts_own_steps

    @property
    def grid(self) -> int:
        """The last point of the grid of samples that was reached."""
        return int(self.state.counts[GRID if self.serves_grid else STEPS])

    @property
    def time(self) -> float:
        """How far the state has come."""
        plan = self.plan
        if plan.integrator.is_adaptive:
            return float(self.state.clock[TIME])
        return plan.until if self.grid == plan.last else self.grid * plan.step

    def present(self, t: float) -> np.ndarray:
        """The state as one row of samples."""
        return np.concatenate([[t], self.state.y, self.state.work])[None]

    def advance(self, t0: float, first: int, h: float, steps: int, samples: np.ndarray) -> int:
        """Through the compiled loop; where the method asks for the matrix of Newton's method, that is granted and it goes on."""
        method, began = self.plan.integrator, time.perf_counter()
        saved = method.advance(self.handle, method.method, self.state, self.watch, t0, first, h, steps, self.plan.save_every, samples)
        if self.state.counts[STATUS] == NEEDS_MATRIX and method.grant is not None:
            self.state, self.trial = method.grant(self.state, method.method), method.grant(self.trial, method.method)
            self.state.counts[STATUS] = RUNNING
        if steps:
            self.seconds += time.perf_counter() - began
        return saved

    def whole_steps(self, bar: Bar, interruption: Interruption) -> None:
        """Chunks of about CHUNK_SECONDS along the grid; their length changes nothing in the result."""
        plan, chunk = self.plan, FIRST_CHUNK
        room = max(1, CHUNK_NUMBERS // plan.subject.numbers_a_sample) * plan.save_every
        while self.grid < plan.steps and self.is_running and not interruption.asked:
            began, first = time.perf_counter(), self.grid
            steps = min(chunk, plan.steps - first, room, UNWIND - first % UNWIND if self.turning else room)
            samples = self.room_for((first + steps) // plan.save_every - first // plan.save_every)
            saved = self.advance(0.0, first, plan.step, steps, samples)
            if plan.rest == 0 and self.grid == plan.steps and saved and plan.steps % plan.save_every == 0:
                samples[saved - 1, 0] = plan.until
            self.take_in(samples[:saved])
            if self.turning and self.grid % UNWIND == 0:
                self.unwind()
            chunk = next_chunk(max(1, self.grid - first), time.perf_counter() - began)
            bar.show(self.time)

    def unwind(self) -> None:
        """Whole turns of hinges are taken out of the state and counted beside it: 2π in two parts, so that nothing is lost."""
        for row in self.turning:
            turns = round(self.state.y[row] / (2 * math.pi))
            if turns:
                rest = self.state.y[row] - turns * TURN_HIGH
                low = self.state.lost[row] - turns * TURN_LOW
                self.state.y[row] = rest + low
                self.state.lost[row] = (rest - self.state.y[row]) + low
                self.turns[row] += turns

    def own_steps(self, bar: Bar, interruption: Interruption) -> None:
        """Chunks of the method's own steps until the end of the run."""
        plan, chunk = self.plan, FIRST_CHUNK
        while self.state.clock[TIME] < plan.until and self.is_running and not interruption.asked:
            began, first = time.perf_counter(), int(self.state.counts[STEPS])
            steps = min(chunk, max(1, CHUNK_NUMBERS // plan.subject.numbers_a_sample) * plan.save_every)
            samples = self.room_for((first + steps) // plan.save_every - first // plan.save_every)
            saved = self.advance(0.0, first, plan.step, steps, samples)
            self.take_in(samples[:saved])
            chunk = next_chunk(max(1, int(self.state.counts[STEPS]) - first), time.perf_counter() - began)
            bar.show(self.time)

    def last_step(self) -> None:
        """A shorter step that ends exactly at `until`; a method that chooses its own steps just goes on to there."""
        plan = self.plan
        while self.is_running and self.time < plan.until:  # again if Newton's method is asked for, or an event did not end the run
            if self.serves_grid:
                self.advance(0.0, plan.steps, plan.step, 1, self.room_for(2))
            else:
                self.state.counts[FRESH] = 1  # increments of another step length are no first guess
                self.advance(plan.steps * plan.step, 0, plan.rest, 1, self.room_for(1))
            self.take_in(self.room_for(0))

    def take_in(self, samples: np.ndarray) -> None:
        """Samples of a chunk and its crossings; those behind a terminal event are dropped."""
        if self.watch.counts[SEEN]:
            samples = self.take_crossings(samples)
        self.record(samples)

    def take_crossings(self, samples: np.ndarray) -> np.ndarray:
        plan, found = self.plan, self.crossings()
        ends = np.array([plan.watched[event].terminal for event in found.event], dtype=bool) & (found.t > 0)  # a start may lie on an event
        count = int(ends.argmax()) + 1 if ends.any() else len(found.event)
        for number in range(len(plan.events)):
            chosen = found.event[:count] == number
            if chosen.any():
                self.recorder.write_section(number, found.t[:count][chosen], found.y[:count][chosen])
        if not ends.any():
            return samples[samples[:, 0] <= self.last_sound]
        self.ended_by = plan.watched[found.event[count - 1]].name
        self.is_guarded = bool(found.event[count - 1] >= len(plan.events))
        t = found.t[count - 1]
        self.ended_at = f"at t = {t:.9g}"
        samples = np.concatenate([samples, self.samples_before(t)])
        end = np.concatenate([[t], found.y[count - 1], [found.work[count - 1]]])[None]
        return np.concatenate([samples[samples[:, 0] < t], end])

    def crossings(self) -> Located:
        """Where the events of a chunk lie; steps that are taken again may ask for Newton's method too."""
        method, guards = self.plan.integrator, len(self.plan.events)
        seen = self.watch.kept[: self.watch.counts[SEEN], [EVENT, BEGIN]].copy()
        found = located(self.again, method.method, self.trial, self.watch)
        if self.trial.counts[STATUS] == NEEDS_MATRIX and method.grant is not None:
            self.trial = method.grant(self.trial, method.method)
            self.trial.counts[STATUS] = RUNNING
            found = located(self.again, method.method, self.trial, self.watch)
        if self.trial.counts[STATUS] != RUNNING:
            self.state.counts[STATUS], self.state.counts[WORST] = self.trial.counts[STATUS], self.trial.counts[WORST]
            for event, t in seen[seen[:, 0] >= guards][:1]:
                self.ended_by, self.ended_at, self.is_guarded = self.plan.watched[int(event)].name, f"in the step after t = {t:.9g}", True
                self.last_sound = float(t)
        return found

    def samples_before(self, t: float) -> np.ndarray:
        """Samples of the grid inside the last step of a method's own choice, which an event has ended before they were served."""
        plan, first = self.plan, self.grid
        points = min(plan.steps, math.ceil(t / plan.step) - 1) - first if self.serves_grid else 0
        if points <= 0:
            return self.room_for(0)
        samples = self.room_for((first + points) // plan.save_every - first // plan.save_every)
        return samples[: self.advance(0.0, first, plan.step, points, samples)]

    def record(self, samples: np.ndarray) -> None:
        """Samples to the recorder. A state that overflows, or whose energy does, is not kept and ends the run."""
        if not len(samples):
            return
        chunk = self.observe(samples[:, 0].copy(), np.ascontiguousarray(samples[:, 1:-1]), samples[:, -1].copy())
        is_finite = np.all([np.isfinite(values).all(axis=tuple(range(1, values.ndim))) for values in chunk.values()], axis=0)
        good = len(samples) if is_finite.all() else int(is_finite.argmin())
        if good < len(samples):
            self.is_sound, self.state.counts[STATUS] = False, NOT_FINITE
        good = self.still_together(chunk, good)
        if self.turns.any():
            chunk["q"] = chunk["q"] + 2 * math.pi * self.turns
        if good:
            self.recorder.write({name: values[:good] for name, values in chunk.items()})
            self.saved_time, self.fastest = float(chunk["t"][good - 1]), self.plan.subject.fastest(chunk["qdot"][good - 1])
            self.last_q, self.last_qdot = chunk["q"][good - 1], chunk["qdot"][good - 1]

    def still_together(self, chunk: dict[str, np.ndarray], good: int) -> int:
        """How many of the samples come before a constraint has opened, if one has: one that was left out as redundant, and is not."""
        if "opening" not in chunk or not chunk["opening"].size:
            return good
        subject = self.plan.subject
        is_open = np.asarray(chunk["opening"].max(axis=1) > subject.largest_opening)
        if not is_open[:good].any():
            return good
        first = int(is_open.argmax())
        place = int(chunk["opening"][first].argmax())
        self.opened = subject.labels()["constraint"][place], float(chunk["opening"][first, place]), float(chunk["t"][first])
        self.is_sound, self.state.counts[STATUS] = False, SINGULAR
        return first

    def finish(self) -> Trajectory:
        """Close the recorder, and say how it ended."""
        counts, calls = self.state.counts, int(self.state.counts[CALLS])
        failed, is_complete = counts[STATUS] != RUNNING, self.saved_time == self.plan.until
        unit = self.plan.subject.time_unit
        status = self.failure() if failed else "complete" if is_complete else f"interrupted at t = {self.saved_time:.9g}{unit}"
        if self.is_guarded:  # also where the state at the very point is not finite
            failed, status = True, self.guarded()
        elif self.ended_by and not failed:
            status = f"ended by event {self.ended_by!r} at t = {self.saved_time:.12g}{unit}"
        statistics = {
            "steps": int(counts[STEPS]),
            "calls": calls,
            "evaluations": calls * self.plan.integrator.evaluations_per_call,
            "calls_per_step": calls / max(1, int(counts[STEPS])),
            "seconds": self.seconds,
            **self.further_statistics(),
        }
        trajectory = self.recorder.finish({"status": status, "statistics": json.dumps(statistics)})
        if failed:
            raise StepError(status, trajectory)
        if status.startswith("interrupted"):
            print(f"hamiltree: {status}; the trajectory up to there is kept", file=sys.stderr)
        return trajectory

    def further_statistics(self) -> dict[str, Any]:
        """Of a method that chooses its steps, or solves by Newton, or has something of its own to say; a warning if it met stiffness."""
        method, counts, more = self.plan.integrator, self.state.counts, {}
        if self.serves_grid:
            more |= {"refused": int(counts[REFUSED]), "stiff": bool(counts[STIFF])}
            if counts[STIFF]:
                print(
                    f"hamiltree: the problem seems stiff for {method.name} (its steps are bounded by stability, not by accuracy); "
                    "radau5 should need fewer",
                    file=sys.stderr,
                )
        unreal = int(self.watch.counts[UNREAL])
        if unreal:
            name = self.plan.watched[unreal - 1].name
            more["event_not_real"] = name
            print(f"hamiltree: event {name!r} was not a real number at some steps, where it cannot cross zero", file=sys.stderr)
        return more | (method.says(self.state) if method.says else {})

    def guarded(self) -> str:
        unit = self.plan.subject.time_unit
        return (
            f"{self.ended_by} {self.ended_at}{unit}: its axes fall into one plane, where its rates are not defined. "
            f"What was saved up to there is kept{self.recorder.place}. A ball joint has no such place, another sequence has it elsewhere."
        )

    def failure(self) -> str:
        plan, unit, status = self.plan, self.plan.subject.time_unit, self.state.counts[STATUS]
        where = f"the last good time is t = {self.saved_time:.9g}{unit} (step {int(self.state.counts[STEPS])}), {self.fastest}"
        worst = plan.subject.row_name(self.system, int(self.state.counts[WORST]))
        remedy = f"Try a step of {plan.step / 10:g}{unit} or less."
        if status == NOT_CONVERGED:
            what = f"the stages of {plan.integrator.name} did not converge, worst in {worst}"
            remedy += plan.subject.weakness(self.system, self.work)
        elif status == SINGULAR:
            work = self.single if hasattr(self.system, "projects") else self.work
            what = plan.subject.singular(self.system, work)
            if self.opened is not None:
                name, amount, t = self.opened
                what = f"constraint '{name}' has opened by {amount:.3g} m or rad at t = {t:.9g}{unit}"
            elif getattr(work, "trouble", [0.0])[0] >= 0.0:
                remedy = "Let an event end the run before it, or remove what makes it singular."
        elif status == TOO_SMALL:
            what = f"the step of {plan.integrator.name} fell below the rounding of time, worst in {worst}"
            remedy = "There may be a singularity ahead; a larger tolerance, or an event that ends the run before it, may help."
        else:
            what = "the state stopped being finite"
            remedy += " If there is a singularity ahead, let an event end the run before it."
        if trouble := plan.subject.trouble(self.last_q, self.last_q + 2 * plan.step * plan.save_every * self.last_qdot):
            what, remedy = f"{trouble}: {what}", "A ball joint has no such place, another sequence of axes has it elsewhere."
        return f"{what}; {where}. What was saved up to there is kept{self.recorder.place}. {remedy}{plan.subject.hint()}"


def unnamed(rows: int) -> Names:
    """Names of the rows of a state that nothing is asked about."""
    return Names(("",) * rows, (), {})


def next_chunk(done: int, spent: float) -> int:
    return max(1, min(4 * done, int(done * CHUNK_SECONDS / max(spent, 1e-6))))
