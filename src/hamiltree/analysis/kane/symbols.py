"""Partial velocity matrices in symbols, block by block, as the notes on Kane's equations print
them.

A product is a tuple of factors by the names they are printed with; a block, one for a body's part
of {y1} or {y2}, is a sum of products; a row is blocks beside each other.
`PrintedMatrices.symbols` holds the matrix of every name, so that whatever is printed can be
computed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from hamiltree.analysis.kane.connections import Array, Connection, Speed
from hamiltree.analysis.kane.matrices import AbsoluteConnection, Matrices, lower_bodies

ONE = "[I]"
HALVES = ("y1", "y2")
BREAK = " " * 10  # under the equals sign
Product = tuple[int, tuple[str, ...]]  # sign, factors
Block = list[Product]
AnyConnection = TypeVar("AnyConnection", Connection, AbsoluteConnection)


class Group(NamedTuple):
    """The speeds of one body in one half of {y}: a column of blocks."""

    half: int
    body: int
    columns: slice


class Term(NamedTuple):
    """± factors · row; without a row the last factor is a whole matrix itself."""

    sign: int
    factors: tuple[str, ...]
    row: list[Block] | None = None


def groups_of(speeds: Sequence[Speed]) -> list[Group]:
    """Blocks, in the order of the speeds; a body without speeds in a half has none there."""
    found: list[Group] = []
    for column, speed in enumerate(speeds):
        if found and found[-1][:2] == (speed.half, speed.body):
            found[-1] = found[-1]._replace(columns=slice(found[-1].columns.start, column + 1))
        else:
            found.append(Group(speed.half, speed.body, slice(column, column + 1)))
    return found


def drop_zero_rows(terms: list[Term]) -> list[Term]:
    """Without rows of zeros."""
    return [term for term in terms if term.row is None or any(term.row)]


def fold_factors(term: Term) -> Term:
    """Factors taken into the row where it has one block only, as in the notes."""
    if term.row is None or sum(map(bool, term.row)) != 1:
        return term
    row = [
        [(sign, product(*term.factors, *factors)) for sign, factors in block] for block in term.row
    ]
    return Term(term.sign, (), row)


# ---- text ----------------------------------------------------------------------------------------
def product(*factors: str) -> tuple[str, ...]:
    """Factors without ones, unless nothing else is left."""
    return tuple(factor for factor in factors if factor != ONE) or (ONE,)


def join_signed(terms: Sequence[tuple[int, str]], between: str = " ") -> str:
    """a − b + c"""
    sign, text = terms[0]
    first = f"−{text}" if sign < 0 else text
    others = (f"{between}{'−' if sign < 0 else '+'} {text}" for sign, text in terms[1:])
    return first + "".join(others)


def printed_width(text: str) -> int:
    """Places on a line; accents take none."""
    return sum(not unicodedata.combining(letter) for letter in text)


def block_text(block: Block) -> str:
    """A sum of products; [0] where there is none."""
    if not block:
        return "[0]"
    full_text = join_signed([(sign, "".join(factors)) for sign, factors in block])
    return f"({full_text})" if len(block) > 1 else full_text


class PrintedMatrices(Generic[AnyConnection]):
    """All matrices of one state in symbols; the formulations differ in `lines`."""

    headings: ClassVar[dict[str, str]] = {}

    def __init__(
        self,
        names: Sequence[str],
        speeds: Sequence[Speed],
        connections: list[AnyConnection],
        matrices: Matrices,
    ):
        """Register the matrices themselves, by name and body."""
        self.names, self.speeds = names, speeds
        self.connections = connections
        self.lower = lower = [connection.lower for connection in connections]
        self.groups = groups_of(speeds)
        self.paths = [lower_bodies(lower, k + 1) for k in range(len(lower))]
        self.symbols: dict[str, Array] = {ONE: np.eye(3)}
        for what, part in matrices._asdict().items():
            for k in range(len(lower)):
                self.symbols[self.name(what, k + 1)] = part[k]

    def all_symbols(self) -> dict[str, Array]:
        """Every printed name with its matrix; names are registered as lines are made."""
        self.full_text()
        return dict(self.symbols)

    def register_symbol(self, name: str, matrix: Array) -> str:
        """Keep the matrix of a name."""
        self.symbols[name] = matrix
        return name

    def name(self, what: str, body: int, half: str = "y") -> str:
        """How the matrix `what` of a body is printed."""
        return self.headings[what].format(body, half)

    def lines(self, body: int, what: str) -> list[tuple[str, list[str]]]:
        """(left side, right sides that are equal) of a matrix."""
        raise NotImplementedError

    def text(self, body: int, what: str) -> str:
        """One matrix, equal right sides below each other."""
        lines = []
        for left, rights in self.lines(body, what):
            pad = " " * printed_width(left)
            lines += [f"{left if k == 0 else pad} = {right}" for k, right in enumerate(rights)]
        return "\n".join(lines)

    def full_text(self) -> str:
        """The header, then all matrices of all bodies."""
        parts = [self.header()]
        parts += [
            "\n".join(self.text(k + 1, what) for k in range(len(self.names)))
            for what in self.headings
        ]
        return "\n\n".join(parts)

    def header(self) -> str:
        """Numbers and names, L(K), its powers, u_K, and which speeds stand in which block."""
        steps = [len(path) - 1 for path in self.paths]
        lines = ["bodies: " + ", ".join(f"{k + 1} {name}" for k, name in enumerate(self.names))]
        lines.append(f"L(K) = ({', '.join(map(str, self.lower))})")
        for u in range(2, max(steps) + 1):
            powers = (path[u] if u < len(path) else 0 for path in self.paths)
            lines.append(f"L^{u}(K) = ({', '.join(map(str, powers))})")
        lines.append(f"(u_K) = ({', '.join(map(str, steps))})")
        for half, name in enumerate(HALVES):
            blocks = [
                f"{g.body}: {' '.join(s.label for s in self.speeds[g.columns])}"
                for g in self.groups
                if g.half == half
            ]
            lines.append(f"{{{name}}} = {{{' | '.join(blocks)}}}")
        return "\n".join(lines)

    # ---- rows ------------------------------------------------------------------------------------
    def row_text(self, row: list[Block], halves: Sequence[int] = (0, 1)) -> str:
        """[ block, block, … ]; a half without blocks is one zero with its size."""
        texts: list[str] = []
        for half in halves:
            own = [
                block for group, block in zip(self.groups, row, strict=True) if group.half == half
            ]
            count = sum(speed.half == half for speed in self.speeds)
            if any(own):
                texts += [block_text(block) for block in own]
            elif count:
                texts.append(f"[0]3×{count}")
        return f"[ {', '.join(texts)} ]"

    def has_visible_blocks(self, term: Term, halves: Sequence[int]) -> bool:
        """Whether a term is printed in these halves of {y}."""
        return term.row is None or any(
            block
            for group, block in zip(self.groups, term.row, strict=True)
            if group.half in halves
        )

    def sum_text(self, terms: list[Term], halves: Sequence[int] = (0, 1)) -> str:
        """A sum of terms, one per line where all have rows of blocks."""
        if not any(self.has_visible_blocks(term, halves) for term in terms):
            return f"[0]3×{sum(speed.half in halves for speed in self.speeds)}"
        texts = []
        for sign, factors, row in terms:
            before = product(*factors) if row is None or product(*factors) != (ONE,) else ()
            after = "" if row is None else self.row_text(row, halves)
            texts.append((sign, "".join(before) + after))
        has_rows_only = not any(term.row is None for term in terms)
        return join_signed(texts, "\n" + BREAK if len(texts) > 1 and has_rows_only else " ")


# ---- numbers -------------------------------------------------------------------------------------
def table(name: str, matrix: Array, speeds: Sequence[str]) -> str:
    """A matrix in numbers, one column per speed; columns of zeros are left out."""
    moving = np.flatnonzero(matrix.any(axis=0)).tolist()
    if not len(moving):
        return f"{name} = [0]3×{len(speeds)}"
    wide = max(13, *(len(speeds[k]) + 2 for k in moving))
    lines = [name + " " + "".join(f"{speeds[k]:>{wide}}" for k in moving)]
    indent = " " * (printed_width(name) - 1)
    for axis, row in zip("xyz", matrix, strict=True):
        numbers = "".join(f"{row[k]:{wide}.6g}" for k in moving)
        lines.append(f"{indent}{axis} {numbers}")
    return "\n".join(lines)
