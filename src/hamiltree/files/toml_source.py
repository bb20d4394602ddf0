"""The text and the data of a TOML model file: finds the line of a part and words errors."""

from __future__ import annotations

import os
import re
import reprlib
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import Any

from hamiltree.errors import FileError, ModelError, OptionError, PartError
from hamiltree.files.magnitudes import REMEDY, find_huge, may_have_huge
from hamiltree.files.text import read_text
from hamiltree.files.toml_lines import Place, line_numbers
from hamiltree.files.toml_plain import NotPlain, plain_data
from hamiltree.model.constraints import CONSTRAINTS
from hamiltree.model.couplings import COUPLINGS
from hamiltree.model.forces import FORCES
from hamiltree.model.joints import JOINTS

SCHEMA = 1
KEY_PARTS = 32
LONG_LINE = 8 * KEY_PARTS  # characters; the many short lines of a large model are not searched
# a.b.c.… from its first dot: tomllib needs time that grows with the square of its length
KEY_PART = r"""\.[ \t]*+(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
LONG_KEY = re.compile(f"(?:{KEY_PART}){{{KEY_PARTS}}}")
TABLE = re.compile(r"\n\[\[?[A-Za-z0-9_-]+\]")  # the line above a table that is in no other
Table = dict[str, Any]
PartName = tuple[str, str | int]  # (kind, name), or (kind, number from 1) of a part without a name
# key of the file -> field of the model and its kinds
GROUPS: dict[str, tuple[str, Mapping[str, type]]] = {
    "joint": ("joints", JOINTS),
    "force": ("forces", FORCES),
    "coupling": ("couplings", COUPLINGS),
    "constraint": ("constraints", CONSTRAINTS),
}


def parse(text: str, source: str) -> Table:
    """The data of a TOML text; an error says in which line the text is not TOML."""
    with suppress(NotPlain, ValueError, RecursionError):
        return plain_data(text)
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONG_LINE and LONG_KEY.search(line):
            message = f"a key of more than {KEY_PARTS} parts; no model has one"
            raise FileError(f"{source}:{number}: {message}")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise FileError(f"{source}:1: nested too deeply for a model") from None
    except ValueError as error:  # TOMLDecodeError, or a number with too many digits
        message = str(error).partition("; use sys.")[0]  # Python's own remedy
        found = re.search(r" \(at line (\d+), column \d+\)$", message)
        line = int(found[1]) if found else max(1, text.rstrip("\n").count("\n") + 1)
        raise FileError(f"{source}:{line}: not valid TOML: {message}") from None


def locate(error: PartError, path: str | os.PathLike[str]) -> str:
    """The message of an error about a part of a file's model that came up after reading, with
    "file:line: " in front.
    """
    if error.part is None:
        return str(error)
    text = read_text(path)
    data = parse(text, os.fspath(path))
    return str(TomlSource(os.fspath(path), text, data).error(place_of(error, data), str(error)))


def place_of(error: PartError, data: Table) -> Place:
    """Where the part that a Model complains about stands in the file; of equal names the last."""
    kind, name = error.part or ("model", "")
    entries = data.get(kind, []) if kind in ("body", *GROUPS) else []
    found = [i for i, entry in enumerate(entries) if name in (entry.get("name"), i + 1)]
    last = () if error.field is None else (error.field,)
    return (kind, found[-1], *last) if found else last


def lines_of_table(text: str, place: Place, data: Table) -> dict[Place, int]:
    """The lines of one [[kind]] of a text, or of the keys above all tables; nothing where what
    seems to be the table in the text does not read as in the data.
    """
    kind, index = str(place[0]), table_number(place, data)
    above, own = cut_table(text, kind, index)
    try:
        read = parse(own, "")
    except FileError:
        return {}
    if read.get(kind) != (data[kind] if index < 0 else [data[kind][index]]):
        return {}
    return {
        (kind, index, *at[2:]) if index >= 0 and at[0] == kind and len(at) > 1 else at: above + line
        for at, line in line_numbers(own).items()
    }


def table_number(place: Place, data: Table) -> int:
    """The number of the table that holds a place in an array of tables, from 0; -1 where the place
    is in none.
    """
    entries, index = data[str(place[0])], place[1] if len(place) > 1 else 0
    if not (isinstance(entries, list) and isinstance(index, int) and len(entries) > index):
        return -1
    return index if isinstance(entries[index], dict) else -1


def cut_table(text: str, kind: str, index: int) -> tuple[int, str]:
    """How many lines stand above the table [[kind]] of this number, from 0, and its own lines, as
    far as one can tell by the beginnings of lines; of -1 the lines above all tables.
    """
    text, begin = f"\n{text}", 0
    if index >= 0:
        headers = re.finditer(rf"\n\[\[{re.escape(kind)}\]\]", text)
        begin = next((found.start() for found in islice(headers, index, None)), 0)
    following = TABLE.search(text, begin + (index >= 0))
    end = len(text) if following is None else following.start() + 1
    return text.count("\n", 0, begin), text[begin + 1 : end]


class UnlocatedSource:
    """Stands for a TomlSource where a text is read for the first time: an error only says that it
    is to be read again, with care.
    """

    def error(self, *_: Any, **__: Any) -> Exception:
        return NotPlain()

    def guard(self, make: Callable[[], Any], *_: Any) -> Any:
        return make()


class TomlSource:
    """The text, its name and its data; finds lines and words errors."""

    def __init__(self, source: str, text: str, data: Table) -> None:
        self.source = source
        self.text = text
        self.data = data

    @cached_property
    def all_lines(self) -> dict[Place, int]:
        return line_numbers(self.text)

    def lines_around(self, place: Place) -> dict[Place, int]:
        """The lines of all places in the table that holds this one; of the whole text where the
        table is not found at once, which takes long for a long text.
        """
        lines = {}
        if place and place[0] in self.data:
            lines = lines_of_table(self.text, place, self.data)
        return lines or self.all_lines

    def line(self, place: Place) -> int:
        """The line of a place, else of the innermost known place around it."""
        if not place or place[0] not in self.data:  # nothing to look up in a long text
            return 1
        lines = self.lines_around(place)
        while place and place not in lines:
            place = place[:-1]
        return lines.get(place, 1)

    def error(
        self,
        place: Place,
        message: str,
        label: str = "",
        part: PartName | None = None,
        field: str | None = None,
    ) -> ModelError:
        """An error that begins with "file:line: label: "."""
        if label and not message.startswith(label):
            message = f"{label}: {message}"
        return ModelError(
            f"{self.source}:{self.line(place)}: {message}", part or self._part(place), field
        )

    def refuse_huge_numbers(self) -> None:
        """Refuse numbers that no model has; only a text that may have one is searched."""
        found = find_huge(self.data) if may_have_huge(self.text) else None
        if found is not None:
            place, number = found
            key = next((step for step in reversed(place) if isinstance(step, str)), "")
            raise self.error(place, f"{key} = {reprlib.repr(number)} {REMEDY}")

    def guard(
        self, make: Callable[[], Any], place: Place, label: str, key: str | None = None
    ) -> Any:
        """make(), with the errors of a part turned into errors of the file, at the field at fault
        or at `key`.
        """
        try:
            return make()
        except (ModelError, OptionError) as error:
            field = getattr(error, "field", None)
            # "positions[3]" is an entry of a field
            whole, _, index = (field or "").rstrip("]").partition("[")
            entry = (int(index),) if index.isdecimal() else ()
            steps = [step for step in (key, whole) if step]
            inner = [
                (*place, *steps, *entry),
                (*place, *steps),
                *((*place, step) for step in reversed(steps)),
                place,
            ]
            lines = self.lines_around(place)
            raise self.error(
                next((at for at in inner if at in lines), place),
                str(error),
                label,
                field=field,
            ) from None

    def _part(self, place: Place) -> PartName | None:
        """(kind, name), or (kind, number from 1) where there is no name."""
        if len(place) < 2 or not isinstance(place[1], int):
            return None
        kind, index = str(place[0]), place[1]
        entry = self.data[kind][index]
        if not isinstance(entry, dict):  # an entry of an array, as of gravity
            return None
        name = entry.get("name")
        return kind, name if name and isinstance(name, str) else index + 1
