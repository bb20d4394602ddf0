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
HEADER = re.compile(r"\[\[([A-Za-z0-9_-]+)(?:\.([A-Za-z0-9_-]+))?\]\][ \t]*")
NEXT_TABLE = re.compile(r"\n\[\[[A-Za-z0-9_-]+\]\][ \t]*\n")
KEY = re.compile("[A-Za-z0-9_-]+")
INLINE_KEY = re.compile(r"(?<=[{,])[ \t]*([A-Za-z0-9_-]+)[ \t]*=")
STRING = re.compile(r'[ \t]*"[^"]*"[ \t]*')
TABLE = re.compile(r'[ \t]*\{[^"{}:]*\}[ \t]*')
ODD = re.compile("[{:]")
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
    """The tables of a part of the text, each with the tables of its parts."""
    if any(sign in text for sign in NOT_SHARED):
        raise NotPlain
    headers, tables = ([("", "")], [[]]) if is_first else ([], [])
    pairs: list[str] = tables[-1] if is_first else []
    prefixes: dict[str, str] = {}  # the key of a line, up to the equals sign, in JSON
    odd = ":" if ":" in text else "{"
    for line in text.split("\n"):
        if not line:
            continue
        key, _, value = line.partition("=")
        prefix = prefixes.get(key)
        if prefix is not None:
            pairs.append(prefix + (_odd_value(value) if "{" in value or odd in value else value))
        elif line[:2] == "[[":
            headers.append(_header(line))
            pairs = []
            tables.append(pairs)
        elif not _is_blank(line):
            prefixes[key] = _json_key(key)
            pairs.append(prefixes[key] + (_odd_value(value) if ODD.search(value) else value))
    joined = "},{".join([",".join(pairs) for pairs in tables])
    made = json.loads(f"[{{{joined}}}]", parse_constant=_refuse)
    if list(map(len, made)) != list(map(len, tables)):
        raise NotPlain  # a key twice, which tomllib refuses
    return _with_parts(headers, made)


def _header(line: str) -> tuple[str, str]:
    """(kind, part) of [[kind.part]], (kind, "") of [[kind]]."""
    found = HEADER.fullmatch(line)
    if found is None:
        raise NotPlain
    return found[1], found[2] or ""


def _is_blank(line: str) -> bool:
    """Whether a line is empty or a comment."""
    return not line.strip(" \t") or (line[0] == "#" and line.isprintable())


def _json_key(text: str) -> str:
    """The bare key before an equals sign, with a colon."""
    key = text.strip(" \t")
    if not KEY.fullmatch(key):
        raise NotPlain
    return f'"{key}":'


def _odd_value(value: str) -> str:
    """A value with a brace or a colon in it, as JSON: a string, or an inline table that holds no
    string and no other table.
    """
    if STRING.fullmatch(value):
        return value
    if not TABLE.fullmatch(value):
        raise NotPlain
    keys = INLINE_KEY.findall(value)
    if len(set(keys)) != len(keys):
        raise NotPlain
    return INLINE_KEY.sub(lambda found: f'"{found[1]}":', value)


def _with_parts(headers: list[tuple[str, str]], made: list[Table]) -> list[tuple[str, Table]]:
    """(kind, table) of every table, with those of its parts in lists within it."""
    found: list[tuple[str, Table]] = []
    parts: dict[str, list[Table]] = {}  # of the last table
    for (kind, part), table in zip(headers, made, strict=True):
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
