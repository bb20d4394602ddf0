"""XML of unknown origin as a tree of elements with line numbers, by the standard library's expat.

Nothing but elements and attributes is kept. A document type is refused outright, and with it every
entity: no bombs, nothing read from elsewhere. Size, depth, elements and attributes are limited; a
limit is met while reading, so that a bad file costs no more than a good one.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import NoReturn
from xml.parsers import expat

from hamiltree.errors import FileError
from hamiltree.files.missing import describe_unreadable
from hamiltree.files.text import decode_utf8

SIZE_LIMIT = 32 * 2**20  # bytes
SPELLING = 0.75  # share of letters that a misspelt word has in common with the right one
LONGEST_WORD = 40  # that may be a misspelt one
DEPTH_LIMIT = 512  # bodies of an MJCF file are nested in each other
ELEMENT_LIMIT = 300_000
ATTRIBUTE_LIMIT = 256  # of one element
LENGTH_LIMIT = 100_000  # characters of one attribute
TOKEN_LIMIT = 2**20  # bytes of one tag or comment
CHUNK = 2**16  # bytes: expat runs on to the end of what it was given, even after an error
MAX_SHOWN = 60  # characters of a foreign name in a message


@dataclass(slots=True)
class Element:
    """One element: its tag, its attributes, where it begins, what it holds."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Element]:
        return (child for child in self.children if child.tag == tag)


def quote(text: str) -> str:
    """A foreign text for a message: on one line, not too long."""
    return repr(text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…")


def read_xml(path: str | os.PathLike[str]) -> Element:
    """The root of an XML file."""
    source = os.fspath(path)
    try:
        check_regular(path)
        with open(path, "rb") as file:
            content = file.read(SIZE_LIMIT + 1)
    except (OSError, ValueError) as error:
        raise FileError(describe_unreadable(path, error)) from error
    return parse_xml(content, source)


def check_regular(path: str | os.PathLike[str]) -> None:
    """Refuse what is no plain file: reading a pipe would wait for ever."""
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, "it is not a plain file")


def parse_xml(content: bytes, source: str = "<text>") -> Element:
    """The root of an XML text; `source` is how errors call it."""
    if len(content) > SIZE_LIMIT:
        raise FileError(
            f"{source}:1: larger than {SIZE_LIMIT // 2**20} MB; no description of a robot is"
        )
    decode_utf8(content, source)
    return _Builder(source).build(_blank_late_declaration(content))


def _blank_late_declaration(content: bytes) -> bytes:
    """An XML declaration after blank lines, which many readers forgive, overwritten with blanks: no
    line moves.
    """
    begin = len(content) - len(content.lstrip())
    if begin == 0 or not content.startswith(b"<?xml ", begin):
        return content
    end = content.find(b"?>", begin) + 2
    if end < 2:
        return content
    declaration = content[begin:end]
    blank = re.sub(rb"[^\n]", b" ", declaration)
    return content[:begin] + blank + content[end:]


class _Builder:
    """Handlers of expat, and the elements that are still open."""

    def __init__(self, source: str) -> None:
        """A parser whose handlers refuse document types and entities."""
        self.source = source
        self.open: list[Element] = []
        self.root: Element | None = None
        self.count = 0
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.EntityDeclHandler = self._refuse_doctype
        self.parser.ExternalEntityRefHandler = self._refuse_doctype

    def build(self, content: bytes) -> Element:
        """The root element; the text is parsed in chunks, so that limits are met early."""
        try:
            for begin in range(0, len(content), CHUNK):
                self.parser.Parse(content[begin : begin + CHUNK], False)
                self._check_progress(begin + CHUNK)
            self.parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise FileError(
                f"{self.source}:{error.lineno}: not valid XML: "
                f"{expat.ErrorString(error.code)}{self._inside()}"
            ) from None
        assert self.root is not None  # expat has seen an element, or has complained
        return self.root

    def _check_progress(self, given: int) -> None:
        """expat begins an unfinished tag anew with every chunk: quadratic in its length."""
        if given - self.parser.CurrentByteIndex > TOKEN_LIMIT:
            raise self._error(
                f"a tag or a comment of more than {TOKEN_LIMIT} bytes; no description of a robot "
                "has that"
            )

    def _inside(self) -> str:
        """The element that was open, which is often the one not closed."""
        if not self.open:
            return ""
        innermost = self.open[-1]
        return f"; inside <{quote(innermost.tag)[1:-1]}> of line {innermost.line}"

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        """Append a new element to the one that is open."""
        element = Element(tag, attributes, self.parser.CurrentLineNumber)
        self.count += 1
        self._check_limits(element)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, _: str) -> None:
        self.open.pop()

    def _check_limits(self, element: Element) -> None:
        """Refuse what is nested too deeply, has too many elements, or too large attributes."""
        if len(self.open) >= DEPTH_LIMIT:
            raise self._error(
                f"elements nested more than {DEPTH_LIMIT} deep; no description of a robot is"
            )
        if self.count > ELEMENT_LIMIT:
            raise self._error(
                f"more than {ELEMENT_LIMIT} elements; build a model of this size in Python"
            )
        if len(element.attributes) > ATTRIBUTE_LIMIT:
            raise self._error(
                f"<{quote(element.tag)[1:-1]}> has more than {ATTRIBUTE_LIMIT} attributes"
            )
        if any(len(value) > LENGTH_LIMIT for value in element.attributes.values()):
            raise self._error(
                f"<{quote(element.tag)[1:-1]}> has an attribute of more than {LENGTH_LIMIT} "
                "characters"
            )

    def _refuse_doctype(self, *_: object) -> NoReturn:
        raise self._error(
            "a document type or an entity is declared (<!DOCTYPE …>), which is not read; remove it"
        )

    def _error(self, message: str) -> FileError:
        return FileError(f"{self.source}:{self.parser.CurrentLineNumber}: {message}")


@lru_cache(maxsize=1024)
def suggest_spelling(word: str, known: tuple[str, ...], cutoff: float = SPELLING) -> str | None:
    """The known word that an unknown one probably stands for; words with a namespace stand for
    themselves.
    """
    if ":" in word or word in known or len(word) > LONGEST_WORD:
        return None
    close = get_close_matches(word.lower(), known, n=1, cutoff=cutoff)
    return close[0] if close else None
