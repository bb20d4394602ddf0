"""A study as a TOML file.

[study]
problem = "arm.toml"                   # a file beside this one, or "n_pendulum(5)" of the library
until = 2.0                            # and the other arguments of ht.study
members = 1000
sampler = "sobol"
keep = ["end", "max(elbow)"]           # or a table [keep]: swing = "max(elbow)"

[vary]
"bodies.upper.mass" = {normal = [1.0, 0.02]}
"q.elbow" = {grid = [0.0, 1.5, 16]}
integrator = ["rk4", "gauss8"]

[options]                              # of the integrator or the formulation
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hamiltree.errors import FileError, FitError, ModelError, OptionError, find_similar
from hamiltree.files.missing import model_files_beside
from hamiltree.files.shipped import find_file
from hamiltree.files.text import read_text
from hamiltree.files.toml_lines import check_keys, error_at, line_numbers
from hamiltree.files.toml_source import parse
from hamiltree.model.library import LIBRARY, build
from hamiltree.model.library_calls import check_arguments, is_library_call, parse_library_call
from hamiltree.problems.events import EVENT_FIELDS, event_from
from hamiltree.run.problem_files import load_problem
from hamiltree.studies.study import Study, study

TABLES = ("study", "vary", "keep", "options", "event", "hamiltree")
ARGUMENTS = (
    *("problem", "keep", "members", "sampler", "seed", "until", "step", "formulation"),
    *("integrator", "save_every", "t", "q", "qdot", "p", "y", "assemble", "inputs", "threads"),
    *("cluster", "output"),
)


def library_model(text: str) -> Any:
    """A model of the library with arguments: "n_pendulum(5)"."""
    call = parse_library_call(text)
    if call.name in LIBRARY:
        check_arguments(LIBRARY[call.name], call, call.name)
    return build(call.name, *call.arguments, **call.options)


class StudyFile:
    """The arguments of a study, read and checked for their keys; errors name file and line."""

    def __init__(self, path: str | os.PathLike[str]):
        """Read the file; what has the wrong form is refused."""
        self.path = os.fspath(path)
        self.text = read_text(path)
        self.data = parse(self.text, self.path)
        self.lines = line_numbers(self.text)
        if "study" not in self.data and "hamiltree" in self.data:
            raise self.error((), f"this is a model; run it with: hamiltree run {self.path}")
        check_keys(self.data, TABLES, self.path, self.lines, ())
        table = self.data.get("study")
        if not isinstance(table, dict) or "problem" not in table:
            raise self.error(("study",), 'a study has a table [study] with problem = "…"')
        check_keys(table, ARGUMENTS, self.path, self.lines, ("study",))
        for name in ("vary", "keep", "options"):
            if name in self.data and not isinstance(self.data[name], dict):
                raise self.error((name,), f"{name} is a table: [{name}]")
        self.check_events(self.data.get("event", []))
        if "keep" in self.data and "keep" in table:
            raise self.error(("keep",), "keep is there twice: in [study] and as a table [keep]")
        self.table = table

    def check_events(self, entries: Any) -> None:
        """Tables with the fields of an event."""
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise self.error(("event",), "event is an array of tables: [[event]]")
        for number, entry in enumerate(entries):
            check_keys(entry, EVENT_FIELDS, self.path, self.lines, ("event", number))
            try:
                event_from(entry)
            except OptionError as error:
                raise self.error(("event", number), str(error)) from None

    def error(self, place: tuple, message: str) -> FileError:
        return error_at(self.path, self.lines, place, message)

    def problem(self) -> tuple[Any, list[Any]]:
        """What is run, and the events that stand in its file."""
        name = self.table["problem"]
        if not isinstance(name, str):
            raise self.error(("study", "problem"), f"problem = {name!r}; give the name of a file")
        beside = Path(self.path).parent / name
        try:
            if name in LIBRARY and not beside.exists():
                return build(name), []
            if is_library_call(Path(name)) and not beside.exists():
                return library_model(name), []
            shipped = find_file(name)  # a robot that comes with the package
            if not beside.exists() and shipped == name:
                raise OptionError(
                    f"problem = {name!r}: there is no such file beside this one, and no model of "
                    f"the library has this name; {self.similar_problems(name)}"
                )
            return load_problem(beside if beside.exists() else shipped)
        except (OptionError, TypeError) as error:
            raise self.error(("study", "problem"), str(error)) from None

    def similar_problems(self, name: str) -> str:
        """What was probably meant: a model file of the same folder, or a model of the library."""
        similar = find_similar(name, [*model_files_beside(Path(self.path)), *LIBRARY])
        return f"did you mean {similar!r}?" if similar else "`hamiltree list models` shows those"

    def arguments(self) -> dict[str, Any]:
        """All arguments of ht.study but the problem; a file is written beside this one."""
        found = {name: value for name, value in self.table.items() if name != "problem"}
        for name in ("vary", "keep"):
            if name in self.data:
                found[name] = self.data[name]
        if "event" in self.data:
            found["events"] = self.data["event"]
        twice = next((name for name in self.data.get("options", {}) if name in found), None)
        if twice is not None:
            raise self.error(("options", twice), f"{twice!r} is an argument; it stands in [study]")
        found |= self.data.get("options", {})
        if "output" in found:
            found["output"] = Path(self.path).parent / str(found["output"])
        return found

    def place_of(self, message: str) -> tuple:
        """The key that a message is about: it names what is at fault."""
        for name in self.data.get("vary", {}):
            if repr(name) in message:
                return ("vary", name)
        for number, entry in enumerate(self.data.get("event", ())):
            if message.removeprefix("where of ").startswith(f"event {event_from(entry).name!r}"):
                return ("event", number)
        asked = re.match(r"keep:? '(.*?)'", message)
        for name, text in keep_items(self.data.get("keep", self.table.get("keep", ()))):
            if asked and (asked[1] == name or asked[1] in str(text)):
                return ("keep", name) if "keep" in self.data else ("study", "keep")
        word = subject_of(message)
        if word is None:
            return ("study",)
        return ("keep",) if word in self.data else ("study", word)


def subject_of(message: str) -> str | None:
    """The argument that a message is about: "step = 0; …", "unknown sampler 'sobl'; …"."""
    found = re.match(r"unknown (\w+) |(\w+)(?: =|:| needs | are )", message)
    return None if found is None else found[1] or found[2]


def keep_items(keep: Any) -> list[tuple[Any, Any]]:
    if isinstance(keep, Mapping):
        return list(keep.items())
    return [(text, text) for text in ([keep] if isinstance(keep, str) else keep)]


def run_study_file(path: str | os.PathLike[str], **given: Any) -> Study:
    """Run the study of a file; `given` are arguments that override its own."""
    file = StudyFile(path)
    problem, events = file.problem()
    arguments = file.arguments()
    if events and "events" not in arguments:
        arguments["events"] = events
    arguments |= {name: value for name, value in given.items() if value is not None}
    try:
        return study(problem, **arguments)
    except (OptionError, FitError, ModelError) as error:
        if given.get(subject_of(str(error)) or "") is not None:
            raise  # it is not in the file
        raise file.error(file.place_of(str(error)), str(error)) from None
