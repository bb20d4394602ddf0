"""The lines of a TOML text: where every table, key and array entry is.

tomllib keeps no lines, so a small scanner looks them up, and only once an error has happened.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NoReturn

from hamiltree.errors import FileError, suggest

Place = tuple[str | int, ...]  # e.g. ("body", 2, "visual", 0, "size")

TOKEN = re.compile(
    r'''
    (?P<string> """(?:[^\\]|\\.)*?"""(?:"{0,2}) | \'\'\'.*?\'\'\'(?:\'{0,2})
              | "(?:[^"\\\n]|\\.)*" | '[^'\n]*' )
  | (?P<newline> (?: \n [ \t\r]*+ (?:\#[^\n]*+)?+ )++ ) | (?P<skip> [ \t\r\ufeff]+ | \#[^\n]* )
  | (?P<mark> [\[\]{},=.] ) | (?P<bare> [^\s\[\]{},="'\#.]+ )
''',
    re.VERBOSE | re.DOTALL,
)


def line_numbers(text: str) -> dict[Place, int]:
    """The line of every table header, key and array entry of a valid TOML text, by its place, e.g.
    ("body", 2, "visual", 0, "size").
    """
    scanner = Scanner(text)
    # StopIteration is the end of the text; lines found before a RecursionError are good
    with suppress(StopIteration, RecursionError):
        scanner.document()
    return scanner.lines


def tokens_of(text: str) -> Iterator[tuple[str, int]]:
    """Every token that is no space or comment, with its line; blank lines and those of comments
    are one line break with the one before them.
    """
    line = 1
    for match in TOKEN.finditer(text):
        if match.lastgroup != "skip":
            yield "\n" if match.lastgroup == "newline" else match[0], line
        line += match[0].count("\n")


class Scanner:
    """Recursive descent over the tokens of valid TOML; keeps places, forgets values."""

    def __init__(self, text: str) -> None:
        self.tokens = tokens_of(text)
        self.lines: dict[Place, int] = {}
        self.counts: dict[Place, int] = {}  # entries so far of each array of tables
        self.token, self.at = "\n", 1

    def advance(self) -> None:
        self.token, self.at = next(self.tokens)

    def skip_newlines(self) -> None:
        while self.token == "\n":
            self.advance()

    def document(self) -> NoReturn:
        table: Place = ()
        while True:
            self.skip_newlines()
            if self.token == "[":
                table = self.header()
            else:
                self.pair(table)

    def header(self) -> Place:
        """[a.b] or [[a.b]]: the place of the table; outer arrays of tables mean their last
        entry.
        """
        line = self.at
        self.advance()
        is_array = self.token == "["
        if is_array:
            self.advance()
        *outer, last = self.key()
        place: Place = ()
        for step in outer:
            place = self.inside((*place, step), line)
        place = (*place, last)
        if is_array:
            self.counts[place] = self.counts.get(place, 0) + 1
        place = self.inside(place, line)
        while self.token == "]":
            self.advance()
        return place

    def inside(self, place: Place, line: int) -> Place:
        self.lines.setdefault(place, line)
        if place in self.counts:
            place = (*place, self.counts[place] - 1)
            self.lines.setdefault(place, line)
        return place

    def key(self) -> list[str]:
        steps = [unquote_key(self.token)]
        self.advance()
        while self.token == ".":
            self.advance()
            steps.append(unquote_key(self.token))
            self.advance()
        return steps

    def pair(self, place: Place) -> None:
        line = self.at
        for step in self.key():
            place = (*place, step)
            self.lines.setdefault(place, line)
        self.advance()  # the equals sign
        self.value(place)

    def value(self, place: Place) -> None:
        if self.token == "[":
            self.inner("]", lambda i: self.entry((*place, i)))
        elif self.token == "{":
            self.inner("}", lambda i: self.pair(place))
        else:
            while self.token not in ("\n", ",", "]", "}"):
                self.advance()

    def entry(self, place: Place) -> None:
        self.lines[place] = self.at
        self.value(place)

    def inner(self, end: str, item: Callable[[int], None]) -> None:
        """The items between brackets, separated by commas and any newlines."""
        self.advance()
        self.skip_newlines()
        i = 0
        while self.token != end:
            item(i)
            i += 1
            while self.token in ("\n", ","):
                self.advance()
        self.advance()


def unquote_key(key: str) -> str:
    """A key without its quotes."""
    return tomllib.loads(f"{key} = 0").popitem()[0] if key[0] in "\"'" else key


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
