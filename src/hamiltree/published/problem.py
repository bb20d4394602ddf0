"""A published problem as data: where it comes from, what is run, the digits that should come out.

title = "Free body"                    # problems/NAME.toml; docs/verify.md explains every key
source = "Hairer and Vilmart 2006, …"
digits = "published"                   # or "second program", "formula": whose the digits are
checked = "by elliptic functions"      # how the reference was checked

[parameters]                           # as the source has them: shown, not used
t = 10

[system.model]                         # library, hamiltonian, ode, experiment or constraint
library = "free_body"
arguments = { inertia = [0.6, 0.8, 1.0], omega = [3.0, 0.5, -0.9] }
read = { m1 = "Lx of body" }           # where a reference is found in a run (reading.py)

[[reference]]
values = { m1 = "1.76596251" }         # digits as printed
good_to = 5e-9                         # their error; without it, half of the last printed digit

[[run]]
system = "model"
until = 10.0
step = 0.02
integrator = "gauss8"
within = 1e-12                         # error of this run, in parts of the value
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from pathlib import Path
from typing import Any

from hamiltree.errors import FileError, suggest
from hamiltree.files.text import read_text
from hamiltree.files.toml_lines import check_keys, error_at, line_numbers
from hamiltree.files.toml_source import parse as parse_toml

FOLDER = Path(__file__).parent / "problems"
ORIGINS = ("published", "second program", "formula")
SYSTEM_KINDS = ("library", "hamiltonian", "ode", "experiment", "constraint")
TIMELESS = ("experiment", "constraint")
KEYS = ("title", "source", "digits", "checked", "note", "parameters", "system", "reference", "run")
SYSTEM_KEYS = (*SYSTEM_KINDS, "arguments", "read")
REFERENCE_KEYS = ("name", "values", "good_to", "scale", "by", "reason")
RUN_KEYS = (
    *("system", "until", "step", "formulation", "integrator", "options"),
    *("within", "full", "references", "rows", "floor", "reasons"),
)


KINDS_OF_VALUES: dict[str, Callable[[Any], bool]] = {
    "a text": lambda value: isinstance(value, str),
    "true or false": lambda value: isinstance(value, bool),
    "a table": lambda value: isinstance(value, dict),
    "a table of texts": lambda value: is_texts(value, dict),
    "a list of texts": lambda value: is_texts(value, list),
}
SYSTEM_VALUES = {
    "library": "a text",
    "experiment": "a text",
    "hamiltonian": "a table",
    "ode": "a table",
    "constraint": "a table",
    "arguments": "a table",
    "read": "a table of texts",
}
RUN_VALUES = {
    "formulation": "a text",
    "integrator": "a text",
    "options": "a table",
    "full": "true or false",
    "references": "a list of texts",
    "rows": "a list of texts",
    "reasons": "a table of texts",
}


def is_texts(value: Any, kind: type) -> bool:
    """Whether it is a list of texts, or a table of them."""
    entries = value.values() if isinstance(value, dict) else value
    return isinstance(value, kind) and all(isinstance(entry, str) for entry in entries)


@dataclass(frozen=True)
class Reference:
    """One number of a source.

    `good_to` is its error and `scale` what relative errors are measured by, both absolute;
    `group` is what runs call it by, `reason` why ours differs if it does.
    """

    what: str
    digits: str
    by: str
    good_to: float
    scale: float
    group: str = ""
    reason: str = ""

    @property
    def value(self) -> float:
        return float(self.digits)


@dataclass(frozen=True)
class System:
    """A model of the library, a Hamiltonian, an ode, an experiment of the gallery, or a constraint
    between two bodies in given motion.
    """

    name: str
    kind: str
    content: Any
    arguments: Mapping[str, Any] = field(default_factory=dict)
    read: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """One run of a system; `within` is its own error in parts of the scales.

    Of an experiment: which `rows`, `reasons` why some differ, and the `floor`: rounding of exact
    zeros, error of a second program's numbers.
    """

    system: str
    until: float = 0.0
    step: float = 0.0
    formulation: str = ""
    integrator: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    within: float = 0.0
    floor: float = 0.0
    full: bool = False
    references: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What tells it from the other runs of its problem."""
        words = [self.system, self.formulation, self.integrator]
        if self.step:
            words.append(f"h = {self.step:g}")
        words += [f"{name} = {value:g}" for name, value in self.options.items()]
        words += self.references
        return ", ".join(word for word in words if word)


@dataclass(frozen=True)
class Problem:
    """A problem of the literature with its reference digits and the runs that should give them."""

    name: str
    title: str
    source: str
    digits: str
    checked: str = ""
    note: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    systems: Mapping[str, System] = field(default_factory=dict)
    references: tuple[Reference, ...] = ()
    runs: tuple[Run, ...] = ()

    def runs_of(self, full: bool) -> tuple[Run, ...]:
        """The runs of a quick verification, or all."""
        return tuple(run for run in self.runs if full or not run.full)


# ---- files ---------------------------------------------------------------------------------------
@lru_cache(maxsize=1)
def published_problems() -> dict[str, Problem]:
    """The problems that come with the package, by name."""
    return {path.stem: read_problem_file(path) for path in sorted(FOLDER.glob("*.toml"))}


def read_problem_file(path: str | os.PathLike[str]) -> Problem:
    """The problem of a TOML file; errors name file and line."""
    text = read_text(path)
    return Reader(os.fspath(path), text).problem()


class Reader:
    """One file, and errors that say where in it something is wrong."""

    def __init__(self, path: str, text: str):
        self.path = path
        self.text = text
        self.data = parse_toml(text, path)

    def fail(self, place: tuple, message: str) -> FileError:
        return error_at(self.path, line_numbers(self.text), place, message)

    def check_keys(self, table: dict[str, Any], known: tuple[str, ...], place: tuple) -> None:
        if not set(table) <= set(known):
            check_keys(table, known, self.path, line_numbers(self.text), place)

    def problem(self) -> Problem:
        """All of it, checked."""
        data = self.data
        self.check_keys(data, KEYS, ())
        self.check_kinds(data, {"checked": "a text", "note": "a text"}, ())
        for key in ("title", "source", "digits"):
            if not isinstance(data.get(key), str) or not data[key]:
                raise self.fail((key,), f"{key} is missing: a text in quotes")
        self.check_word(data["digits"], ORIGINS, ("digits",), "digits")
        systems = {name: self.system(name, table) for name, table in self.table("system").items()}
        references = tuple(
            reference
            for number, table in enumerate(self.tables("reference"))
            for reference in self.group(number, table)
        )
        runs = tuple(self.run(n, table, systems) for n, table in enumerate(self.tables("run")))
        if not runs:
            raise self.fail((), "there is no [[run]]: nothing would be compared")
        made = Problem(
            name=Path(self.path).stem,
            systems=systems,
            references=references,
            runs=runs,
            parameters=self.table("parameters"),
            **{key: data.get(key, "") for key in ("title", "source", "digits", "checked", "note")},
        )
        self.check_readings(made)
        return made

    def check_kinds(self, table: dict[str, Any], kinds: Mapping[str, str], place: tuple) -> None:
        """Every key that is there holds what it should: see KINDS_OF_VALUES."""
        for key, kind in kinds.items():
            if key in table and not KINDS_OF_VALUES[kind](table[key]):
                raise self.fail((*place, key), f"{key} = {table[key]!r}; give {kind}")

    def table(self, key: str) -> dict[str, Any]:
        found = self.data.get(key, {})
        if not isinstance(found, dict):
            raise self.fail((key,), f"{key} is a table: [{key}]")
        return found

    def tables(self, key: str) -> list[dict[str, Any]]:
        found = self.data.get(key, [])
        if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
            raise self.fail((key,), f"{key} is an array of tables: [[{key}]]")
        return found

    def check_word(self, word: Any, known: Any, place: tuple, what: str) -> None:
        if word not in known:
            raise self.fail(place, f"{what} = {word!r}; {suggest(str(word), list(known))}")

    def number(self, table: dict[str, Any], key: str, place: tuple, default: Any = None) -> Any:
        """A number of a table that is not negative."""
        value = table.get(key, default)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not default and not (is_number and 0 <= value < math.inf):
            raise self.fail((*place, key), f"{key} = {value!r}; give a number that is not negative")
        return value

    def system(self, name: str, table: Any) -> System:
        """One table [system.NAME]."""
        place = ("system", name)
        if not isinstance(table, dict):
            raise self.fail(place, f"system.{name} is a table: [system.{name}]")
        self.check_keys(table, SYSTEM_KEYS, place)
        self.check_kinds(table, SYSTEM_VALUES, place)
        kinds = [kind for kind in SYSTEM_KINDS if kind in table]
        if len(kinds) != 1:
            raise self.fail(place, f"give one of {', '.join(SYSTEM_KINDS)}")
        kind = kinds[0]
        return System(
            name, kind, table[kind], table.get("arguments", {}), dict(table.get("read", {}))
        )

    def group(self, number: int, table: dict[str, Any]) -> list[Reference]:
        """The values of one [[reference]]."""
        place = ("reference", number)
        self.check_keys(table, REFERENCE_KEYS, place)
        self.check_kinds(table, {"name": "a text", "reason": "a text"}, place)
        by = table.get("by", self.data["digits"])
        self.check_word(by, ORIGINS, (*place, "by"), "by")
        values = table.get("values")
        if not isinstance(values, dict) or not values:
            raise self.fail(place, 'values is a table of texts: values = { x = "1.25" }')
        made = []
        for what, digits in values.items():
            last = self.last_place(digits, (*place, "values", what))
            size = abs(float(digits))
            made.append(
                Reference(
                    what,
                    digits,
                    by,
                    self.number(table, "good_to", place, last / 2),
                    self.number(table, "scale", place, size if size else 1.0),
                    table.get("name", ""),
                    table.get("reason", ""),
                )
            )
        return made

    def last_place(self, digits: Any, place: tuple) -> float:
        """The unit of the last printed digit: 0.01 of "1.25"; none of a whole number."""
        try:
            if not isinstance(digits, str):
                raise InvalidOperation
            exponent = Decimal(digits).as_tuple().exponent
            if not isinstance(exponent, int):
                raise InvalidOperation
        except InvalidOperation:
            raise self.fail(place, f"{digits!r}; write the digits in quotes, as printed") from None
        is_whole = "." not in digits and "e" not in digits.lower()
        return 0.0 if is_whole else 10.0**exponent

    def run(self, number: int, table: dict[str, Any], systems: Mapping[str, System]) -> Run:
        """One [[run]]."""
        place = ("run", number)
        self.check_keys(table, RUN_KEYS, place)
        self.check_kinds(table, RUN_VALUES, place)
        self.check_word(table.get("system"), systems, (*place, "system"), "system")
        for key in ("until", "step", "within", "floor"):
            self.number(table, key, place)
        needed = (
            () if systems[table["system"]].kind in TIMELESS else ("until", "step", "integrator")
        )
        for key in needed:
            if not table.get(key):
                raise self.fail(place, f"{key} is missing")
        lists = {key: tuple(table.get(key, ())) for key in ("references", "rows")}
        return Run(**{**table, **lists})

    def check_readings(self, problem: Problem) -> None:
        """Every reference of a run has a reading in its system, and every group exists."""
        groups = {reference.group for reference in problem.references}
        for number, run in enumerate(problem.runs):
            place = ("run", number)
            for name in run.references:
                self.check_word(name, groups, (*place, "references"), "references")
            system = problem.systems[run.system]
            if system.kind == "experiment":
                continue
            wanted = references_of(problem, run)
            if not wanted:
                raise self.fail(place, f"system {run.system!r} reads none of the references")
            for reference in wanted:
                if run.references and reference.what not in system.read:
                    raise self.fail(
                        ("system", run.system),
                        f"read has no {reference.what!r}; "
                        f"{suggest(reference.what, list(system.read))}",
                    )


def references_of(problem: Problem, run: Run) -> list[Reference]:
    """What a run is compared with: the groups that it names, else all that its system reads."""
    read = problem.systems[run.system].read
    if run.references:
        return [one for one in problem.references if one.group in run.references]
    return [one for one in problem.references if one.what in read]
