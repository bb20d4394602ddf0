"""resume: a run that was written to a file goes on where its last checkpoint is, to the bit as if
it had never stopped.
"""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

from hamiltree.errors import AccuracyWarning, FileError, OptionError, spell_option
from hamiltree.model import Model
from hamiltree.problems.typed_problem import TypedProblem
from hamiltree.run.identity import code_identity, differences, fingerprint
from hamiltree.run.judgement import judge
from hamiltree.run.output import check_seconds, rows_per_file
from hamiltree.run.plan import make_plan
from hamiltree.run.saved_files import attributes_of, find_saved
from hamiltree.run.simulator import Simulator
from hamiltree.run.start import Start
from hamiltree.run.survival import Output, SavedRun
from hamiltree.trajectory.journal import run_lock
from hamiltree.trajectory.parts import RUN_ID, is_run_being_written
from hamiltree.trajectory.stored_problems import stored_hamiltonian, stored_model, stored_ode
from hamiltree.trajectory.trajectory import Trajectory


def resume(
    path: str | os.PathLike,
    until: float | None = None,
    model: Model | TypedProblem | None = None,
    progress: bool = True,
    checkpoint: float | None = None,
    split: int | str | None = None,
    threads: int = 1,
) -> Trajectory:
    """Go on with a run of which `simulate(…, output=path)` has written a file: one that was killed
    or interrupted, or whose disk was full, to its end; one that is complete, to a later `until`.
    The samples are appended to the file.

    until        time of the end; that of the run if it is not given
    model        of a run whose Model, Hamiltonian or Ode holds Python functions, which no file can
                 hold: the same one again
    progress     print what is done, and a bar if it takes more than two seconds
    checkpoint   seconds from one checkpoint to the next (10)
    split        samples or size ("500MB") of a file, after which the next one begins; as before
    threads      that compute one large tree, as in simulate; they change no bit

    The result has the bits of an unbroken run if the same version of hamiltree computes on the same
    kind of machine; AccuracyWarning says what differs.
    """
    place = Path(path)
    attributes_of(place)
    with run_lock(place.resolve()):
        run = resume_alone(place, until, model, progress, checkpoint, split, threads)
        return judge(run, place)


def resume_alone(
    place: Path,
    until: Any,
    model: Any,
    progress: bool,
    checkpoint: Any,
    split: Any,
    threads: int,
) -> Trajectory:
    """Resume a run of which no other process is resuming the files."""
    known = attributes_of(place)
    if is_run_being_written(place.resolve()):
        raise FileError(f"{place}: another process is writing this run; wait for its end")
    saved = find_saved(place.resolve(), known.get(RUN_ID, ""))
    header = saved.header
    problem = stored_problem(known, saved, model, place)
    end = end_of(known, saved, until, place)
    options = json.loads(known["options"])
    names = known["formulation"], known["integrator"]
    made = Simulator(problem, header["step"], *names, 1, **options, threads=threads)
    plan = make_plan(
        made.setup,
        end,
        None,
        header["save_every"],
        (json.loads(known["events"]), None),
        (header["origin"], header["begin"], 0),
    )
    warn_of_differences(header)
    limit = header["rows_per_file"] if split is None else rows_per_file(split, plan)
    output = Output(place, check_seconds(checkpoint), limit, header[RUN_ID], saved)
    return made.continue_run(plan, Start(**header["start"]), output, progress)


def stored_problem(
    known: dict[str, Any], saved: SavedRun, given: Any, path: Path
) -> Model | TypedProblem:
    """The problem of a run: what was given, if it is the same, else what its file holds."""
    kinds = {"hamiltonian": stored_hamiltonian, "ode": stored_ode, "model": stored_model}
    kind = next(name for name in kinds if name in known)
    if given is None:
        if not known[kind]:
            raise FileError(
                f"{path}: its {kind} {known['model_name']!r} holds Python functions, which no file "
                "can hold; give it again: ht.resume(path, model=…)"
            )
        return kinds[kind](known)
    if not isinstance(given, (Model, TypedProblem)):
        raise OptionError(f"model = {given!r}; give the Model, Hamiltonian or Ode of the run")
    if fingerprint(given) != saved.header["fingerprint"]:
        raise OptionError(
            f"model: {given.name!r} is not the one of {path} ({known['model_name']!r}): a number, "
            "a name or a function differs; give the one that was run"
        )
    return given


def end_of(known: dict[str, Any], saved: SavedRun, until: Any, path: Path) -> float:
    """Where the run is to end; refused if it has come there already."""
    status, reached = known["status"], saved.header["t"]
    if status.startswith("ended by event"):
        raise FileError(f"{path}: this run has {status}; there is nothing to go on with")
    end = known["until"] if until is None else until
    is_done = status == "complete" and until is None
    if is_done or (isinstance(end, (int, float)) and end < reached):
        raise FileError(
            f"{path}: this run has come to t = {reached:g} ({status}); give a later end to go on: "
            f"{spell_option('until', ...)}"
        )
    if status == "complete" and end == known["until"]:
        raise FileError(f"{path}: this run is complete to t = {end:g}; give a later until")
    return end


def warn_of_differences(header: dict[str, Any]) -> None:
    """AccuracyWarning if something else computes the rest of a run than its beginning."""
    found = differences(header["code"], code_identity())
    if found:
        warnings.warn(
            "resume: the rest is not computed by what began this run, and may differ from an "
            f"unbroken run in its last digits: {'; '.join(found)}",
            AccuracyWarning,
            stacklevel=4,
        )
