"""A quick reader of plain TOML: what the writer writes, and much of what people write by hand.

Plain is a text of whole lines: blank ones, comments, [[kind]] or [[kind.part]], and `key = value`,
where a value is what JSON has too (a string without escapes, a number, true, false, a list of
these) or an inline table of such values. Many tables at once are made JSON, of which Python has a
compiled reader: a tenth of the time of tomllib, and few tables in memory at once. All else is not
plain and is left to tomllib, which alone says what is wrong with a text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple, NoReturn

Table = dict[str, Any]

CHUNK = 1 << 18  # characters that are read at once, up to the end of a table
NEXT_TABLE = re.compile(r"\n\[\[[A-Za-z0-9_-]+\]\][ \t]*\n")
HEADER = re.compile(r"\n\[\[([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)?)\]\][ \t]*(?=\n|$)")
KEY = re.compile(r"\n([ \t]*[A-Za-z0-9_-]+[ \t]*)=")
AFTER_BRACE = re.compile(r"\{[^\n]*")
INLINE_KEY = re.compile(r"[{,][ \t]*[A-Za-z_][A-Za-z0-9_-]*[ \t]*=")
STRING = re.compile(r'"[^"\n]*"')
COMMENT = re.compile(r"^#[^\x00-\x1f\x7f]*$", re.MULTILINE)
BLANK = " \t"
NOT_SHARED = ("\\", "\x7f", "null")  # what JSON reads in another way than TOML


class NotPlain(Exception):
    """The text has something that only tomllib reads."""


class Signs(NamedTuple):
    """What the lines of a text begin with, and the keys of its inline tables, as they are written
    there.
    """

    keys: frozenset[str]
    headers: frozenset[str]
    inline_keys: frozenset[str]


NO_SIGNS = Signs(frozenset(), frozenset(), frozenset())


def plain_tables(text: str) -> Iterator[tuple[str, Table]]:
    """("", the keys above all tables), then (kind, table) of each [[kind]] with its parts, in the
    order of the text. NotPlain or a ValueError where it is not plain, also after some tables.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    begin, signs = 0, NO_SIGNS
    while begin < len(text):
        cut = NEXT_TABLE.search(text, begin + CHUNK)
        end = len(text) if cut is None else cut.start() + 1
        made, signs = _tables_of_chunk(_plain_lines(text[begin:end]), signs)
        yield from _with_parts(made if begin == 0 else made[1:])
        begin = end


def plain_data(text: str) -> Table:
    """The whole text as tomllib gives it."""
    groups: dict[str, list[Table]] = {}
    for kind, table in plain_tables(text):
        groups.setdefault(kind, []).append(table)
    (top,) = groups.pop("", [{}])
    if top.keys() & groups.keys():
        raise NotPlain
    return top | groups


def _tables_of_chunk(text: str, signs: Signs) -> tuple[list[Table], Signs]:
    """The tables of a part of the text, and what its lines begin with: most often the same as in
    the part before, so that it need not be looked for again.
    """
    if signs.headers:
        with suppress(NotPlain, ValueError):
            return _tables_by_signs(text, signs), signs
    signs = Signs(
        frozenset(KEY.findall(text)),
        frozenset(HEADER.findall(text)),
        frozenset(INLINE_KEY.findall("".join(AFTER_BRACE.findall(text)))),
    )
    return _tables_by_signs(text, signs), signs


def _tables_by_signs(text: str, signs: Signs) -> list[Table]:
    """The tables of lines that begin with these keys and headers.

    They are replaced in the whole text, once for each. In JSON a table begins with its header,
    under an empty key, and a comma precedes every other key.
    """
    lines, replaced, inline = text.count("\n"), 0, 0
    for found in signs.inline_keys:
        text, count = _replace(text, found, f'{found[0]}"{found[1:-1].strip(BLANK)}":')
        inline += count
    for key in signs.keys:
        text, count = _replace(text, f"\n{key}=", f'\n,"{key.strip(BLANK)}":')
        replaced += count
    for header in signs.headers:
        text, count = _replace(text, f"\n[[{header}]]", f'\n}},{{"":"{header}"')
        replaced += count
    if lines != replaced:
        raise NotPlain
    made = json.loads(f'[{{"":""{text}}}]', parse_constant=_refuse)
    if sum(map(len, made)) != lines + 1:
        raise NotPlain  # a key twice, which tomllib refuses
    if inline and inline != _count_inline_keys(made):
        raise NotPlain
    return made


def _replace(text: str, old: str, new: str) -> tuple[str, int]:
    """The text with every `old` replaced, and how many there were, by the lengths; JSON ignores a
    blank.
    """
    new += " " * (len(new) == len(old))
    changed = text.replace(old, new)
    return changed, (len(changed) - len(text)) // (len(new) - len(old))


def _plain_lines(text: str) -> str:
    """The lines without comments and blank ones, a line break before each."""
    if any(sign in text for sign in NOT_SHARED) or (":" in text and ":" in STRING.sub("", text)):
        raise NotPlain
    if "#" in text:
        text = COMMENT.sub("", text)
    text = f"\n{text}".rstrip("\n")
    while "\n\n" in text:
        text = text.replace("\n\n", "\n")
    return text


def _count_inline_keys(made: list[Table]) -> int:
    """Keys of tables within tables, but not of those within lists or further within."""
    return sum([len(x) for table in made for x in table.values() if x.__class__ is dict])


def _with_parts(made: list[Table]) -> list[tuple[str, Table]]:
    """(kind, table) of every table, with those of its parts in lists within it."""
    found: list[tuple[str, Table]] = []
    parts: dict[str, list[Table]] = {}  # of the last table
    for table in made:
        kind, part = table.pop(""), ""
        if "." in kind:
            kind, _, part = kind.partition(".")
        if not part:
            found.append((kind, table))
            parts = {}
            continue
        if not found or found[-1][0] != kind or part in found[-1][1].keys() - parts.keys():
            raise NotPlain
        parts.setdefault(part, found[-1][1].setdefault(part, [])).append(table)
    return found


def _refuse(_: str) -> NoReturn:
    raise NotPlain
