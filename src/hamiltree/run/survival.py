"""Runs that survive: checkpoints of a run while it is written to a file, and a run put back to one.

A checkpoint is all that the next step and the next sample depend on: the state with its
compensation, first guesses, controllers and counts, what workspaces and the observer carry, what
the monitor of events remembers, winding numbers, inputs; and how much of the run was written by
then. It lies beside the file (`run.nc.checkpoint`), the one before it too. A run that has ended
keeps it in the file itself.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hamiltree.compiled.callback import Addresses
from hamiltree.console import tell
from hamiltree.errors import FileError
from hamiltree.files.durable import pack, sync_folder, write_durably
from hamiltree.integrators.adaptive_steps import END_SEEN
from hamiltree.integrators.integrator import END_TIME, TIME, State
from hamiltree.run.identity import code_identity, fingerprint
from hamiltree.run.start import Start
from hamiltree.run.workspaces import arrays_in
from hamiltree.trajectory.parts import RUN_ID, checkpoint_paths

MAGIC = b"hamiltree checkpoint 1\n"
DEFAULT_EVERY = 10.0  # seconds from one checkpoint to the next
FIRST_AFTER = 1.0  # seconds until the first one: intervals then double
MOST_TIME = 0.02  # of a run that checkpoints may take: large ones are written less often
SMALL_BYTES = 2**22  # a state of which a copy is kept after every chunk
# Arrays of a monitor of events that hold addresses, constants, or nothing between chunks.
UNKEPT = ("code", "parameters", "direction", "is_terminal", "conditions", "step_starts", "brackets")


class Output(NamedTuple):
    """The file of a run, and how it survives."""

    path: Path
    every: float  # seconds from one checkpoint to the next
    rows_per_file: int
    run_id: str  # the same in all its files
    saved: SavedRun | None = None  # where a run goes on
    note: str = ""  # said when it begins to be written


class SavedRun(NamedTuple):
    """A checkpoint that was read."""

    header: dict[str, Any]
    arrays: list[np.ndarray]
    content: bytes  # as it was


# ---- nested tuples of arrays as JSON and a list of arrays ----------------------------------------
def flatten(part: Any, arrays: list[np.ndarray]) -> Any:
    """The same with the numbers of arrays in place of these, which are copied to the list."""
    if isinstance(part, np.ndarray):
        arrays.append(part.copy())
        return {"array": len(arrays) - 1}
    if isinstance(part, (tuple, list)):
        inner = [flatten(each, arrays) for each in part]
        return {"tuple" if isinstance(part, tuple) else "list": inner}
    return {"value": part.item() if isinstance(part, np.generic) else part}


def unflatten(part: Any, arrays: list[np.ndarray]) -> Any:
    """What `flatten` was given; tuples are plain ones."""
    ((kind, inner),) = part.items()
    if kind == "array":
        return arrays[inner].copy()
    if kind == "value":
        return inner
    made = (unflatten(each, arrays) for each in inner)
    return tuple(made) if kind == "tuple" else list(made)


def own_arrays(part: Any, unkept: tuple[str, ...] = ()) -> list[np.ndarray]:
    """Arrays of numbers of a state or a monitor, in order."""
    return [
        array
        for name, array in arrays_in(part)
        if name not in unkept and not isinstance(array, Addresses)
    ]


def plain_start(start: Start) -> dict[str, Any]:
    """What was given of a start as JSON; numbers keep all their bits."""

    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {str(name): plain(each) for name, each in value.items()}
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value):
            return list(value)
        return np.asarray(value, dtype=float).tolist()

    return {name: plain(value) for name, value in start._asdict().items()}


# ---- while a run goes on -------------------------------------------------------------------------
class Survival:
    """Takes checkpoints between the chunks of a run; to be used in the place of its progress
    bar.
    """

    def __init__(self, run: Any, start: Start, output: Output):
        """`start`: what was given of the start of the run, also of one that is resumed."""
        self.run = run
        self.output = output
        self.about = {**about_run(run.plan, output), "start": plain_start(start)}
        self.latest: tuple[dict[str, Any], list[np.ndarray]] | None = None
        self.wait = min(FIRST_AFTER, output.every)
        self.due = 0.0
        self.has_failed = False
        size = sum(array.nbytes for array in own_arrays(run.state))
        self.is_small = size <= SMALL_BYTES

    @property
    def is_resumed(self) -> bool:
        return self.output.saved is not None

    def around(self, bar: Any) -> Survival:
        self.bar_context = bar
        return self

    def __enter__(self) -> Survival:
        """The first checkpoint is the start: a run that is killed at once begins there again."""
        self.run.recorder.checkpoint = self.content
        self.bar = self.bar_context.__enter__()
        self.take()
        if not self.is_resumed:
            self.write(is_durable=False)
        self.due = time.perf_counter() + self.wait
        return self

    def show(self, t: float) -> None:
        """After a chunk."""
        if self.bar is not None:
            self.bar.show(t)
        is_due = time.perf_counter() >= self.due
        if is_due or self.is_small:
            self.take()
        if is_due:
            began = time.perf_counter()
            self.write()
            ended = time.perf_counter()
            self.wait = max(min(2 * self.wait, self.output.every), (ended - began) / MOST_TIME)
            self.due = ended + self.wait

    def __exit__(self, *error: Any) -> None:
        """What the run ends with: not what is done only because it ends."""
        if error[0] is None:
            self.take()
        self.bar_context.__exit__(*error)

    def take(self) -> None:
        """Keep where the run is, unless it has failed, or chooses its steps by its end already."""
        run = self.run
        if not (run.is_running and run.is_sound):
            return
        if self.latest is None or not has_seen_end(run.state):
            self.latest = snapshot(run)

    def content(self) -> bytes:
        """The last checkpoint as bytes."""
        if self.latest is None:
            return b""
        header, arrays = self.latest
        return pack(MAGIC, {**self.about, **header}, arrays)

    def write(self, is_durable: bool = True) -> None:
        """Write the checkpoint; what it counts on is on the disk before it is."""
        recorder = self.run.recorder
        newest, before = checkpoint_paths(recorder.first_target)
        try:
            if not is_durable:
                newest.write_bytes(self.content())
                return
            recorder.journal.sync()
            if newest.exists():
                os.replace(newest, before)
                sync_folder(newest)
            write_durably(newest, self.content())
        except OSError as error:
            if not self.has_failed:
                tell(f"hamiltree: {newest} cannot be written: {error.strerror}; the run goes on")
            self.has_failed = True


def has_seen_end(state: State) -> bool:
    """Whether an adaptive method has taken a step of another length because the run ends: one that
    ends later would not have.
    """
    last_step = getattr(state.scratch, "last_step", None)
    is_there = bool(state.clock[TIME] == state.clock[END_TIME])
    return is_there if last_step is None else bool(last_step.facts[END_SEEN])


def snapshot(run: Any) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Where a run is: a header and copies of arrays."""
    plan, recorder = run.plan, run.recorder
    arrays: list[np.ndarray] = []
    locator = None if run.locator is None else run.locator.side_state.own
    residuals = run.largest_residuals
    parts = {
        "state": own_arrays(run.state),
        "memory": run.engine.memory,
        "monitor": own_arrays(run.monitor, UNKEPT) if plan.monitored_events else [],
        "locator": locator,
        "turns": run.turns,
        "before": run.before,
        "inputs": plan.equations.inputs.values,
    }
    return {
        "t": run.time,
        "grid_time": plan.origin + run.grid * plan.step,
        "saved_time": run.saved_time,
        "seconds": run.seconds,
        "dense_events": sorted(run.dense_events),
        "newton_since": run.newton_since,
        "largest_residuals": None if residuals is None else residuals.found,
        "part": recorder.part,
        "rows": recorder.rows,
        "points": list(recorder.points),
        "earlier": recorder.earlier,
        "written": time.time(),
        "parts": {name: flatten(part, arrays) for name, part in parts.items()},
    }, arrays


def about_run(plan: Any, output: Output) -> dict[str, Any]:
    """What the checkpoints of a run say of it, whatever its time."""
    return {
        RUN_ID: output.run_id,
        "fingerprint": fingerprint(plan.equations.problem),
        "code": code_identity(),
        "rows_per_file": output.rows_per_file,
        "origin": plan.origin,
        "begin": plan.begin,
        "until": plan.until,
        "step": plan.step,
        "save_every": plan.save_every,
    }


def make_survive(run: Any, output: Output) -> None:
    """Let a run that is ready to begin take checkpoints; one that goes on is put back to its
    last.
    """
    if output.note:
        tell(f"hamiltree: {output.note}")
    if run.start is None:  # of steps by hand: nobody knows how it began
        return
    run.survival = Survival(run, run.start, output)
    if output.saved is not None:
        restore(run, output.saved)


# ---- a run is put back ---------------------------------------------------------------------------
def inputs_of(saved: SavedRun) -> np.ndarray:
    return unflatten(saved.header["parts"]["inputs"], saved.arrays)


def restore(run: Any, saved: SavedRun) -> None:
    """Put a run that is ready to begin back to where it was."""
    header = saved.header
    parts = {name: unflatten(part, saved.arrays) for name, part in header["parts"].items()}
    shapes = [array.shape for array in parts["state"]]
    if shapes != [array.shape for array in own_arrays(run.state)] and run.method.allocate_newton:
        run.set_row_scales()
        run.state = run.method.allocate_newton(run.state, run.method.method)
    fill(own_arrays(run.state), parts["state"], "state")
    run.state.clock[END_TIME] = run.plan.until
    if hasattr(run.state.scratch, "last_step"):
        run.state.scratch.last_step.facts[END_SEEN] = 0.0
    run.engine.memory = parts["memory"]
    if run.locator is not None:
        fill(own_arrays(run.monitor, UNKEPT), parts["monitor"], "events")
        run.locator.match_scratch(run.state)
        run.locator.share_scales(run.state)
        run.locator.side_state.own = parts["locator"]
    run.turns = parts["turns"]
    run.before = parts["before"]
    run.seconds = header["seconds"]
    is_at_old_end = run.plan.until != header["until"] == header["saved_time"]
    run.saved_time = header["grid_time" if is_at_old_end else "saved_time"]
    run.dense_events = set(header["dense_events"])
    run.newton_since = header["newton_since"]
    if run.largest_residuals is not None and header["largest_residuals"] is not None:
        found = header["largest_residuals"]
        run.largest_residuals.found = {kind: tuple(each) for kind, each in found.items()}


def fill(arrays: list[np.ndarray], kept: list[np.ndarray], what: str) -> None:
    """Copy what was kept into the arrays of a run; FileError if it is not of their shape."""
    about = [(array.shape, array.dtype) for array in arrays]
    if about != [(array.shape, array.dtype) for array in kept]:
        raise FileError(
            f"the checkpoint does not fit this version of hamiltree: its {what} has other parts; "
            "resume it with the version that made it, or run it again"
        )
    for array, found in zip(arrays, kept, strict=True):
        if array.flags.writeable:
            array[...] = found
