"""A file that is run: a model, or a Hamiltonian or an ode with its sections, as TOML.

[hamiltonian]
H = "(px**2 + py**2)/2 - k/sqrt(x**2 + y**2)"
q = {x = 0.4, y = 0.0}                 # names and start values
p = {px = 0.0, py = 2.0}
parameters = {k = 1.0}
invariants = {L = "x*py - y*px"}

[[section]]
expression = "y"
direction = 1
where = "x > 0"

[ode]                                  # in place of [hamiltonian]
rates = {x = "v", v = "mu*(1 - x**2)*v - x"}
y = {x = 2.0, v = 0.0}
parameters = {mu = 1000.0}
"""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from hamiltree.errors import FileError, OptionError
from hamiltree.files import FORMATS
from hamiltree.files import load as load_model
from hamiltree.files import save as save_model
from hamiltree.files.safe_write import write_text
from hamiltree.files.text import read_text
from hamiltree.files.toml_lines import check_keys, error_at, line_numbers
from hamiltree.files.toml_source import parse as parse_toml
from hamiltree.model import Model
from hamiltree.problems.events import EVENT_FIELDS, Event, event_from
from hamiltree.problems.hamiltonian import Hamiltonian, hamiltonian
from hamiltree.problems.ode import Ode, ode
from hamiltree.problems.typed_problem import TypedProblem
from hamiltree.symbolic.grammar import parse, parse_conditions
from hamiltree.trajectory.netcdf import RUN_SUFFIXES, Paths, writable_path
from hamiltree.trajectory.trajectory import Trajectory

COMMON_FIELDS = ("parameters", "invariants", "name")


class Kind(NamedTuple):
    """A table of a file that is no model: how it is read, and the keys of its own."""

    make: Callable[..., TypedProblem]
    required: str
    rows: tuple[str, ...]  # names of rows, with or without start values
    title: str

    @property
    def fields(self) -> tuple[str, ...]:
        return (self.required, *self.rows, *COMMON_FIELDS)


KINDS = {
    "hamiltonian": Kind(hamiltonian, "H", ("q", "p"), "a Hamiltonian"),
    "ode": Kind(ode, "rates", ("y",), "an ode"),
}
# how a message begins that is about one of these keys
GROUP_KEYS = {
    "hamiltonian": (("coordinate", "q"), ("momentum", "p")),
    "ode": (("variable", "y"), ("rate", "rates")),
}


def load(path: Paths, **options: Any) -> Any:
    """The model, the Hamiltonian or the ode of a file (.toml), or a robot's model (.urdf, .xml);
    options are those of the format:
    load("robot.urdf", floating_base=True). Sections that stand in a file are for the shell
    (load_problem gives them too). Of a run (.nc) its Trajectory, from all its files; also from a
    list of files, or a pattern with *.
    """
    if not isinstance(path, (str, os.PathLike)) or Path(path).suffix.lower() in RUN_SUFFIXES:
        if options:
            raise OptionError(
                f"{path}: a run is read without options; leave out {', '.join(options)}"
            )
        return Trajectory.load(path)
    return load_problem(path, **options)[0]


def save(
    problem: Model | TypedProblem, path: str | os.PathLike, force: bool = False, **options: Any
) -> tuple[str, ...]:
    """Write a model (.toml, .urdf), a Hamiltonian or an ode (.toml) to a file; an existing file is
    kept unless forced.

    save(model, "robot.urdf", drop="all") leaves out what URDF cannot hold, and returns a line for
    each.
    """
    if isinstance(problem, Model) or not isinstance(problem, TypedProblem):
        return save_model(problem, path, force, **options)
    table = table_of(problem)
    if Path(path).suffix.lower() != ".toml":
        raise FileError(f"{path}: {KINDS[table].title} is written as TOML; end the name in .toml")
    refuse_options(options, path, table)
    write_text(writable_path(path, force), problem_to_toml(problem), force)
    return ()


def table_of(problem: TypedProblem) -> str:
    """The name of its table in a file."""
    return "ode" if isinstance(problem, Ode) else "hamiltonian"


def problem_to_toml(problem: TypedProblem) -> str:
    """The table [hamiltonian] or [ode]; one that was made of Python functions has no text."""
    lines = ["hamiltree = 1", "", f"[{table_of(problem)}]", f"name = {toml_value(problem.name)}"]
    if isinstance(problem, Hamiltonian) and problem.to_json():
        lines += [
            f"H = {toml_value(problem.formula)}",
            f"q = {rows_text(problem, problem.coordinates)}",
            f"p = {rows_text(problem, problem.momenta)}",
        ]
    elif isinstance(problem, Ode) and problem.formulas:
        rates = dict(zip(problem.coordinates, problem.formulas, strict=True))
        lines += [f"rates = {inline_table(rates)}"]
        lines += [f"y = {rows_text(problem, problem.coordinates)}"]
    else:
        raise FileError(
            f"{problem.name} was made of Python functions and has no text; write it as an "
            "expression to save it"
        )
    lines += [f"parameters = {inline_table(problem.parameters)}"] if problem.parameters else []
    lines += [f"invariants = {inline_table(problem.invariants)}"] if problem.invariants else []
    return "\n".join(lines) + "\n"


def rows_text(problem: TypedProblem, names: tuple[str, ...]) -> str:
    """Names with their start values, or without where one is missing."""
    if all(name in problem.start for name in names):
        return inline_table({name: problem.start[name] for name in names})
    return json.dumps(list(names), ensure_ascii=False)


def inline_table(values: dict[str, Any]) -> str:
    """{ "name" = value, … } of TOML."""
    pairs = [
        f"{json.dumps(key, ensure_ascii=False)} = {toml_value(value)}"
        for key, value in values.items()
    ]
    return "{ " + ", ".join(pairs) + " }"


def toml_value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(float(value))


def load_problem(
    path: str | os.PathLike, **options: Any
) -> tuple[Model | TypedProblem, list[Event]]:
    """What a file describes, and the sections that stand in it."""
    if FORMATS.get(Path(path).suffix.lower(), "toml") != "toml":
        return load_model(path, **options), []
    text, data = read_toml_or_nothing(path)
    kind = next((name for name in KINDS if name in data), None)
    if kind is None:
        return load_model(path, **options), []
    refuse_options(options, path, kind)
    return read_problem(kind, data, text, os.fspath(path))


def refuse_options(options: dict[str, Any], path: str | os.PathLike, kind: str) -> None:
    if options:
        raise OptionError(
            f"{os.fspath(path)}: there is no option {next(iter(options))!r} for the file of "
            f"{KINDS[kind].title}"
        )


def read_toml_or_nothing(path: str | os.PathLike) -> tuple[str, dict[str, Any]]:
    """The text of a file and its data; nothing where it is no such problem, or where the reader of
    models will say better what is wrong.
    """
    try:
        text = read_text(path)
        if not any(re.search(rf"{name}\b", text) for name in KINDS):
            return "", {}  # a large model is read by the reader of models alone
        return text, parse_toml(text, os.fspath(path))
    except FileError:
        return "", {}


def read_problem(
    kind: str, data: dict[str, Any], text: str, path: str
) -> tuple[TypedProblem, list[Event]]:
    """The table [hamiltonian] or [ode], [[section]] and [[event]]; errors name file and line."""
    lines = line_numbers(text)
    table = data[kind]
    about = KINDS[kind]
    if not isinstance(table, dict):
        raise error_at(path, lines, (kind,), f"{kind} is a table: [{kind}]")
    check_keys(data, ("hamiltree", kind, "section", "event"), path, lines, ())
    if data.get("hamiltree", 1) != 1:
        raise error_at(
            path, lines, ("hamiltree",), f"hamiltree = {data['hamiltree']!r}; this version reads 1"
        )
    check_keys(table, about.fields, path, lines, (kind,))
    if about.required not in table:
        raise error_at(path, lines, (kind,), f"the table [{kind}] has no {about.required}")
    try:
        made = about.make(**table)
    except OptionError as error:
        raise error_at(path, lines, find_key(kind, str(error), table), str(error)) from None
    return made, [
        *read_events(data, "section", made, path, lines),
        *read_events(data, "event", made, path, lines),
    ]


def find_key(kind: str, message: str, table: dict[str, Any]) -> tuple:
    """The key that a message is about: it begins with what is at fault."""
    about = KINDS[kind]
    for prefix, key in (("invariant", "invariants"), ("rate of", "rates")):
        inner = table.get(key)
        for name in inner if isinstance(inner, dict) else ():
            if message.startswith((f"{prefix} {name!r}", f"{prefix} {name}:")):
                return (kind, key, name)
    groups = ("invariants", "invariants"), *GROUP_KEYS[kind], ("parameter", "parameters")
    for group, key in groups:
        if message.startswith(group) and key in table:
            return (kind, key)
    for key in (*about.rows, "parameters"):
        inner = table.get(key)
        for name in inner if isinstance(inner, dict) else ():
            if message.startswith(f"{name} "):
                return (kind, key, name)
    return (kind, about.required)


def read_events(
    data: dict[str, Any], kind: str, made: TypedProblem, path: str, lines
) -> list[Event]:
    """The events of the tables [[section]] or [[event]]; errors name file and line."""
    rows = made.rows
    known = (*rows, *(f"{name}_dot" for name in rows), *made.parameters, "t")
    entries = data.get(kind, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise error_at(path, lines, (kind,), f"{kind} is an array of tables: [[{kind}]]")
    events = []
    for number, entry in enumerate(entries):
        check_keys(entry, EVENT_FIELDS, path, lines, (kind, number))
        try:
            event = event_from(entry)
            parse(event.expression, known, f"{kind} {event.name!r}")
            if event.where.strip():
                parse_conditions(event.where, known, f"where of {kind} {event.name!r}")
            events.append(event)
        except OptionError as error:
            raise error_at(path, lines, (kind, number), str(error)) from None
    return events
