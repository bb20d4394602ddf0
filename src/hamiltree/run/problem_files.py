"""A file that is run: a model, or a Hamiltonian with its sections, as TOML.

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
"""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

from hamiltree.errors import FileError, OptionError, suggest
from hamiltree.files import FORMATS
from hamiltree.files import load as load_model
from hamiltree.files import save as save_model
from hamiltree.files.safe_write import write_text
from hamiltree.files.toml_lines import line_numbers
from hamiltree.model import Model
from hamiltree.problems.events import Event, event_from
from hamiltree.problems.hamiltonian import Hamiltonian, hamiltonian
from hamiltree.symbolic.grammar import parse, parse_conditions
from hamiltree.trajectory.netcdf import writable_path

EVENT_FIELDS = ("expression", "direction", "where", "terminal", "name")
FIELDS = ("H", "q", "p", "parameters", "invariants", "name")


def load(path: str | os.PathLike, **options: Any) -> Model | Hamiltonian:
    """The model or the Hamiltonian of a file (.toml), or a robot's model (.urdf, .xml); options are
    those of the format:
    load("robot.urdf", floating_base=True). Sections that stand in a file are for the shell
    (load_problem gives them too).
    """
    return load_problem(path, **options)[0]


def save(
    problem: Model | Hamiltonian, path: str | os.PathLike, force: bool = False, **options: Any
) -> tuple[str, ...]:
    """Write a model (.toml, .urdf) or a Hamiltonian (.toml) to a file; an existing file is kept
    unless forced.

    save(model, "robot.urdf", drop="all") leaves out what URDF cannot hold, and returns a line for
    each.
    """
    if not isinstance(problem, Hamiltonian):
        return save_model(problem, path, force, **options)
    if Path(path).suffix.lower() != ".toml":
        raise FileError(f"{path}: a Hamiltonian is written as TOML; end the name in .toml")
    refuse_options(options, path)
    write_text(writable_path(path, force), hamiltonian_to_toml(problem), force)
    return ()


def hamiltonian_to_toml(problem: Hamiltonian) -> str:
    """The table [hamiltonian]; one that was made of Python functions has no text."""
    if not problem.to_json():
        raise FileError(
            f"{problem.name} was made of Python functions and has no text; write it as an "
            "expression to save it"
        )

    def rows(names: tuple[str, ...]) -> str:
        if all(name in problem.start for name in names):
            return inline_table({name: problem.start[name] for name in names})
        return json.dumps(list(names), ensure_ascii=False)

    lines = [
        "hamiltree = 1",
        "",
        "[hamiltonian]",
        f"name = {toml_value(problem.name)}",
        f"H = {toml_value(problem.formula)}",
    ]
    lines += [f"q = {rows(problem.coordinates)}", f"p = {rows(problem.momenta)}"]
    lines += [f"parameters = {inline_table(problem.parameters)}"] if problem.parameters else []
    lines += [f"invariants = {inline_table(problem.invariants)}"] if problem.invariants else []
    return "\n".join(lines) + "\n"


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
) -> tuple[Model | Hamiltonian, list[Event]]:
    """What a file describes, and the sections that stand in it."""
    if FORMATS.get(Path(path).suffix.lower(), "toml") != "toml":
        return load_model(path, **options), []
    text = read_text_or_empty(path)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        data = {}
    if "hamiltonian" not in data:
        return load_model(path, **options), []
    refuse_options(options, path)
    return read_hamiltonian(data, text, os.fspath(path))


def refuse_options(options: dict[str, Any], path: str | os.PathLike) -> None:
    if options:
        raise OptionError(
            f"{os.fspath(path)}: there is no option {next(iter(options))!r} for the file of a "
            "Hamiltonian"
        )


def read_text_or_empty(path: str | os.PathLike) -> str:
    """Empty where the reader of models will say better what is wrong."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return ""


def read_hamiltonian(data: dict[str, Any], text: str, path: str) -> tuple[Hamiltonian, list[Event]]:
    """The tables [hamiltonian], [[section]] and [[event]]; errors name file and line."""
    lines = line_numbers(text)
    table = data["hamiltonian"]
    if not isinstance(table, dict):
        raise error_at(path, lines, ("hamiltonian",), "hamiltonian is a table: [hamiltonian]")
    check_keys(data, ("hamiltree", "hamiltonian", "section", "event"), path, lines, ())
    if data.get("hamiltree", 1) != 1:
        raise error_at(
            path, lines, ("hamiltree",), f"hamiltree = {data['hamiltree']!r}; this version reads 1"
        )
    check_keys(table, FIELDS, path, lines, ("hamiltonian",))
    if "H" not in table:
        raise error_at(path, lines, ("hamiltonian",), "the table [hamiltonian] has no H")
    try:
        made = hamiltonian(**table)
    except OptionError as error:
        raise error_at(path, lines, find_key(str(error), table), str(error)) from None
    return made, [
        *read_events(data, "section", made, path, lines),
        *read_events(data, "event", made, path, lines),
    ]


def find_key(message: str, table: dict[str, Any]) -> tuple:
    """The key that a message is about: it begins with what is at fault."""
    invariants = table.get("invariants")
    for name in invariants if isinstance(invariants, dict) else ():
        if message.startswith(f"invariant {name!r}"):
            return ("hamiltonian", "invariants", name)
    for group, key in (
        ("invariants", "invariants"),
        ("coordinate", "q"),
        ("momentum", "p"),
        ("parameter", "parameters"),
    ):
        if message.startswith(group) and key in table:
            return ("hamiltonian", key)
    for key in ("q", "p", "parameters"):
        inner = table.get(key)
        for name in inner if isinstance(inner, dict) else ():
            if message.startswith(f"{name} "):
                return ("hamiltonian", key, name)
    return ("hamiltonian", "H")


def read_events(
    data: dict[str, Any], kind: str, made: Hamiltonian, path: str, lines
) -> list[Event]:
    """The events of the tables [[section]] or [[event]]; errors name file and line."""
    rows = (*made.coordinates, *made.momenta)
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


def check_keys(
    table: dict[str, Any], known: tuple[str, ...], path: str, lines, place: tuple
) -> None:
    for key in table:
        if key not in known:
            raise error_at(
                path, lines, (*place, key), f"unknown key {key!r}; {suggest(key, list(known))}"
            )


def error_at(path: str, lines, place: tuple, message: str) -> FileError:
    """An error that begins with file and line; a place without a line of its own has that of what
    contains it.
    """
    while place and place not in lines:
        place = place[:-1]
    return FileError(f"{path}:{lines.get(place, 1)}: {message}")
