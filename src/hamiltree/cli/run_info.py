"""`hamiltree info RUN.nc`: how a run ended, how far it has come, what it is worth, what made it,
and how it goes on.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from hamiltree.errors import FileError

DATE = "%Y-%m-%dT%H:%M:%SZ"


def is_run(path: Path) -> bool:
    from hamiltree.trajectory.netcdf import RUN_SUFFIXES

    return path.suffix.lower() in RUN_SUFFIXES


def run_facts(path: Path) -> dict[str, Any]:
    """What is known of the run of a file, in the order in which it is shown."""
    from hamiltree.run.saved_files import attributes_of
    from hamiltree.trajectory.journal import is_being_written
    from hamiltree.trajectory.parts import count_parts, part_path
    from hamiltree.trajectory.trajectory import Trajectory

    known = attributes_of(path)
    run = Trajectory.load(path)
    times = run.dataset["t"].values
    number = max(1, count_parts(path))
    is_written = is_being_written(part_path(path, number - 1).resolve())
    status = known["status"]
    if status == "running" and not is_written:
        status = "broken off: the process that wrote it is gone"
    found = {
        "status": status,
        "t": float(times[-1]) if times.size else None,
        "until": known["until"],
        "samples": int(times.size),
        "files": [str(part_path(path, each)) for each in range(number)],
        "verdict": known.get("verdict"),
        "not_good": lines_that_are_not_good(known),
        "problem": known["model_name"],
        **{name: known[name] for name in ("formulation", "integrator", "step", "save_every")},
        "options": json.loads(known["options"]),
        "events": [event["name"] for event in json.loads(known["events"])],
        "statistics": run.statistics,
        "version": f"{known['hamiltree_version']} ({known['source_hash']})",
        "created": known["created"],
        "machine": known.get("machine"),
        "resumed": json.loads(known.get("resumed", "[]")),
    }
    return found | checkpoint_facts(path, known, is_written)


def checkpoint_facts(path: Path, known: dict[str, Any], is_written: bool) -> dict[str, Any]:
    """The time and date of the last checkpoint, and the command that goes on from there."""
    from hamiltree.run.saved_files import find_saved
    from hamiltree.trajectory.kept_file import resume_command
    from hamiltree.trajectory.parts import RUN_ID

    try:
        header = find_saved(path.resolve(), known.get(RUN_ID, "")).header
    except FileError:
        return {"checkpoint": None, "resume": None}
    date = time.strftime(DATE, time.gmtime(header["written"]))
    command = resume_command(path)
    if known["status"] == "complete":
        command += " --until TIME"
    status = known["status"]  # a run whose steps fail would fail at the same place again
    has_ended = status.startswith("ended by event") or "; the last good time is t = " in status
    can_go_on = not is_written and not has_ended
    return {
        "checkpoint": {"t": header["t"], "written": date},
        "resume": command if can_go_on else None,
    }


def lines_that_are_not_good(known: dict[str, Any]) -> list[dict[str, Any]]:
    """Of the report that the file holds; a report that cannot be read has none."""
    from hamiltree.trajectory.lines import SEVERITY
    from hamiltree.verdict.stored_reports import stored_lines

    try:
        lines = stored_lines(known)
    except (TypeError, ValueError):
        return []
    return [line.as_dict() for line in lines if SEVERITY.get(line.verdict, 0)]


def show_run(path: Path) -> None:
    """Print the facts of a run, one in a line."""
    facts = run_facts(path)
    lines = {
        "status": facts["status"],
        "time": f"t = {facts['t']:.9g} of {facts['until']:.9g}" if facts["samples"] else "none",
        "samples": f"{facts['samples']} in {', '.join(facts['files'])}",
        "verdict": facts["verdict"] or "no report in the file (run.report() makes one)",
        "not good": "; ".join(map(line_words, facts["not_good"])),
        "run of": facts["problem"],
        "method": f"{facts['formulation']}, {facts['integrator']}, step {facts['step']:g}, "
        f"saved every {facts['save_every']} step{'s' * (facts['save_every'] > 1)}",
        "options": ", ".join(f"{name}={value}" for name, value in facts["options"].items()),
        "events": ", ".join(facts["events"]),
        "computing": computing(facts["statistics"]),
        "made by": f"hamiltree {facts['version']}",
        "on": f"{facts['created']}, {facts['machine'] or 'machine unknown'}",
        "resumed": "; ".join(
            f"at t = {each['at']:.9g} on {each['on']}" for each in facts["resumed"]
        ),
        "checkpoint": checkpoint_words(facts["checkpoint"]),
        "go on with": facts["resume"] or "",
    }
    for name, text in lines.items():
        if text:
            print(f"{name:10}  {text}")


def line_words(line: dict[str, Any]) -> str:
    """A line of the report in a few words."""
    number = "" if line["number"] is None else f", {line['number']:.2g} {line['scale']}"
    return f"{line['name']} ({line['verdict']}{number})"


def computing(statistics: dict[str, Any]) -> str:
    if "steps" not in statistics:
        return ""
    return f"{statistics['steps']} steps in {statistics['seconds']:.3g} s"


def checkpoint_words(found: dict[str, Any] | None) -> str:
    return "none" if found is None else f"t = {found['t']:.9g}, {found['written']}"
