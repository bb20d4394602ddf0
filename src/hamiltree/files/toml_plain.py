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
from typing import Any, NoReturn

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


def plain_tables(text: str) -> Iterator[tuple[str, Table]]:
    """("", the keys above all tables), then (kind, table) of each [[kind]] with its parts, in the
    order of the text. NotPlain or a ValueError where it is not plain, also after some tables.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    begin = 0
    while begin < len(text):
        cut = NEXT_TABLE.search(text, begin + CHUNK)
        end = len(text) if cut is None else cut.start() + 1
        yield from _tables_of_chunk(text[begin:end], is_first=begin == 0)
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


def _tables_of_chunk(text: str, is_first: bool) -> list[tuple[str, Table]]:
    """The tables of a part of the text, each with the tables of its parts.

    What the lines begin with is replaced in the whole text, once for each key and header. In JSON a
    table begins with its header, under an empty key, and a comma precedes every other key.
    """
    text = _plain_lines(text)
    keys, headers = KEY.findall(text), HEADER.findall(text)
    if text.count("\n") != len(keys) + len(headers):
        raise NotPlain
    inline_keys = INLINE_KEY.findall("".join(AFTER_BRACE.findall(text)))
    for found in set(inline_keys):
        text = text.replace(found, f'{found[0]}"{found[1:-1].strip(BLANK)}":')
    for key in set(keys):
        text = text.replace(f"\n{key}=", f'\n,"{key.strip(BLANK)}":')
    for header in set(headers):
        text = text.replace(f"\n[[{header}]]", f'\n}},{{"":"{header}"')
    made = json.loads(f'[{{"":""{text}}}]', parse_constant=_refuse)
    if sum(map(len, made)) != len(keys) + len(headers) + 1:
        raise NotPlain  # a key twice, which tomllib refuses
    if inline_keys and len(inline_keys) != _count_inline_keys(made):
        raise NotPlain
    return _with_parts(made if is_first else made[1:])


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
        kind, _, part = table.pop("").partition(".")
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
