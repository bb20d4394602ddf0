"""Kane's equations in symbols, as the notes print them: what all lines have in common.

A product is a tuple of factors by the names they are printed with; a block, one for a body's part
of {y1} or {y2}, is a sum of products; a row is blocks beside each other, by the number of their
group of speeds; what is zero has no block. `Printed.symbols` holds the matrix of every name, so
that whatever is printed can be computed.

Nothing here recurses: a line that is written out follows the path from the ground body by body, and
a body with more than `WRITTEN_OUT` lower bodies has the recursion by name only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from hamiltree.analysis.kane.connections import Array, Speed
from hamiltree.analysis.kane.equations import RelativeEquations
from hamiltree.analysis.kane.matrices import Matrices, lower_bodies

ONE = "[I]"
HALVES = ("y1", "y2")
WRITTEN_OUT = 12  # lower bodies of a body, or bodies of a sum, that are written out
MAX_ZEROS = 8  # zero blocks beside each other; more are one with its size
Product = tuple[int, tuple[str, ...]]  # sign, factors
Block = list[Product]
Row = dict[int, Block]
Sum = list[tuple[int, str]]  # sign, text
Line = tuple[str, list[str]]  # left side, right sides that are equal


class Group(NamedTuple):
    """The speeds of one body in one half of {y}: a column of blocks."""

    half: int
    body: int
    columns: slice


class Term(NamedTuple):
    """± factors · row; without a row the last factor is a whole matrix itself."""

    sign: int
    factors: tuple[str, ...]
    row: Row | None = None


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
    return [term for term in terms if term.row is None or term.row]


def multiply_terms(factor: str, terms: list[Term]) -> list[Term]:
    """[factor] times every term."""
    return [term._replace(factors=(factor, *term.factors)) for term in terms]


def multiply_row(factors: tuple[str, ...], row: Row) -> Row:
    """Factors taken into the blocks of a row."""
    return {
        group: [(sign, product(*factors, *own)) for sign, own in block]
        for group, block in row.items()
    }


def add_rows(one: Row, other: Row) -> Row:
    return {group: one.get(group, []) + other.get(group, []) for group in {**one, **other}}


def fold_factors(term: Term) -> Term:
    """Factors taken into the row where it has one block only, as in the notes."""
    if term.row is None or len(term.row) != 1:
        return term
    return Term(term.sign, (), multiply_row(term.factors, term.row))


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
    """A sum of products."""
    full_text = join_signed([(sign, "".join(factors)) for sign, factors in block])
    return f"({full_text})" if len(block) > 1 else full_text


def text_of_lines(lines: Iterable[Line]) -> str:
    """Equal right sides below each other, further terms of one under its equals sign."""
    found = []
    for left, rights in lines:
        pad = " " * printed_width(left)
        texts = (right.replace("\n", f"\n{pad} ") for right in rights)
        found += [f"{left if k == 0 else pad} = {text}" for k, text in enumerate(texts)]
    return "\n".join(found)


class Printed:
    """The equations of one state in symbols; the formulations differ in the lines of matrices and
    vectors.
    """

    headings: ClassVar[dict[str, str]] = {}  # of matrices
    vector_headings: ClassVar[dict[str, str]] = {}
    hat: ClassVar[str] = ""  # of Euler parameters and angular velocities that are relative

    def __init__(self, equations: RelativeEquations):
        """Groups of speeds, lower bodies, and where each speed stands."""
        self.equations = equations
        self.names, self.speeds = equations.names, equations.speeds
        self.lower = [link.lower for link in equations.links]
        self.groups = groups_of(self.speeds)
        self.group_of = {group[:2]: number for number, group in enumerate(self.groups)}
        self.column_group = [
            number
            for number, group in enumerate(self.groups)
            for _ in range(group.columns.start, group.columns.stop)
        ]
        self.slide_group = sum(group.half == 0 for group in self.groups)  # the first of {y2}
        self.columns_of_half = [sum(speed.half == half for speed in self.speeds) for half in (0, 1)]
        self.steps: list[int] = []
        for lower in self.lower:
            self.steps.append(self.steps[lower - 1] + 1 if lower else 0)
        self.factors: dict[str, Array] = {ONE: np.eye(3)}

    def path(self, body: int) -> list[int]:
        """From the body on the ground outwards to K."""
        return lower_bodies(self.lower, body)[::-1]

    def is_written_out(self, body: int) -> bool:
        return self.steps[body - 1] <= WRITTEN_OUT

    def register(self, name: str, value: Array) -> str:
        """Keep the number, vector or matrix of a name."""
        self.factors[name] = value
        return name

    def name(self, what: str, body: int | str, half: str = "y") -> str:
        """How a matrix or vector of a body is printed."""
        if what in self.vector_headings:
            return self.vector_headings[what].format(body)
        return self.headings[what].format(body, half)

    def spin_matrix(self, body: int | str) -> str:
        """[ω̃'_K] of the body itself; the underscore tells it from that of a connection."""
        return f"[ω̃'{'_' if self.equations.is_relative else ''}{body}]"

    def matrix_lines(self, body: int, what: str) -> list[Line]:
        """(left side, right sides that are equal) of a matrix."""
        raise NotImplementedError

    def vector_line(self, body: int, what: str) -> Line:
        """(left side, right sides that are equal) of a vector."""
        raise NotImplementedError

    def matrices_by_name(self) -> dict[str, Array]:
        """The partial velocities and their rates themselves, whole and by halves of {y}."""
        first = self.columns_of_half[0]
        halves = {"y": slice(None), "y1": slice(first), "y2": slice(first, None)}
        return {
            self.name(what, k + 1, half): matrix[:, columns]
            for what, part in zip(Matrices._fields, self.equations.matrices, strict=True)
            for k, matrix in enumerate(part)
            for half, columns in halves.items()
        }

    def header(self) -> str:
        """Numbers and names, L(K), its powers, u_K, and which speeds stand in which block."""
        lines = ["bodies: " + ", ".join(f"{k + 1} {name}" for k, name in enumerate(self.names))]
        lines.append(f"L(K) = ({', '.join(map(str, self.lower))})")
        power = self.lower
        for u in range(2, max(self.steps) + 1 if max(self.steps) <= WRITTEN_OUT else 2):
            power = [self.lower[k - 1] if k else 0 for k in power]
            lines.append(f"L^{u}(K) = ({', '.join(map(str, power))})")
        lines.append(f"(u_K) = ({', '.join(map(str, self.steps))})")
        for half, name in enumerate(HALVES):
            blocks = [
                f"{g.body}: {' '.join(s.label for s in self.speeds[g.columns])}"
                for g in self.groups
                if g.half == half
            ]
            lines.append(f"{{{name}}} = {{{' | '.join(blocks)}}}")
        return "\n".join(lines)

    # ---- rows ------------------------------------------------------------------------------------
    def half_groups(self, half: int) -> tuple[int, int]:
        """Numbers of the first group of a half, and of the first after it."""
        first = self.slide_group
        return (0, first) if half == 0 else (first, len(self.groups))

    def zeros(self, first: int, last: int) -> list[str]:
        """Zero blocks of groups first … last − 1."""
        if last - first <= MAX_ZEROS:
            return ["[0]"] * (last - first)
        columns = self.groups[last - 1].columns.stop - self.groups[first].columns.start
        return [f"[0]3×{columns}"]

    def row_text(self, row: Row, halves: Sequence[int] = (0, 1)) -> str:
        """[ block, block, … ]; a half without blocks is one zero with its size."""
        texts: list[str] = []
        for half in halves:
            first, last = self.half_groups(half)
            own = sorted(group for group in row if first <= group < last)
            if not own and first < last:
                texts.append(f"[0]3×{self.columns_of_half[half]}")
            for group in own:
                texts += [*self.zeros(first, group), block_text(row[group])]
                first = group + 1
            if own:
                texts += self.zeros(first, last)
        return f"[ {', '.join(texts)} ]"

    def has_visible_blocks(self, term: Term, halves: Sequence[int]) -> bool:
        """Whether a term is printed in these halves of {y}."""
        return term.row is None or any(self.groups[group].half in halves for group in term.row)

    def sum_text(self, terms: list[Term], halves: Sequence[int] = (0, 1)) -> str:
        """A sum of terms, one per line where all have rows of blocks."""
        if not any(self.has_visible_blocks(term, halves) for term in terms):
            return f"[0]3×{sum(self.columns_of_half[half] for half in halves)}"
        texts = []
        for sign, factors, row in terms:
            before = product(*factors) if row is None or product(*factors) != (ONE,) else ()
            after = "" if row is None else self.row_text(row, halves)
            texts.append((sign, "".join(before) + after))
        has_rows_only = not any(term.row is None for term in terms)
        return join_signed(texts, "\n" if len(texts) > 1 and has_rows_only else " ")


# ---- numbers -------------------------------------------------------------------------------------
def table(name: str, matrix: Array, rows: Sequence[str], columns: Sequence[str]) -> str:
    """A matrix in numbers, one column per speed; columns of zeros are left out."""
    moving = np.flatnonzero(matrix.any(axis=0)).tolist()
    if not len(moving):
        return f"{name} = [0]{matrix.shape[0]}×{matrix.shape[1]}"
    wide = max(13, *(len(columns[k]) + 2 for k in moving))
    first = max(printed_width(name), *map(len, rows)) + 1
    head = name + " " * (first - printed_width(name))
    lines = [head + "".join(f"{columns[k]:>{wide}}" for k in moving)]
    for label, row in zip(rows, matrix, strict=True):
        numbers = "".join(f"{row[k]:{wide}.6g}" for k in moving)
        lines.append(f"{label:>{first - 1}} {numbers}")
    return "\n".join(lines)


def column_table(name: str, values: Array, labels: Sequence[str]) -> str:
    """A column of numbers with their labels."""
    wide = max(map(len, labels))
    pad = " " * printed_width(name)
    pairs = zip(labels, values.tolist(), strict=True)
    return "\n".join(
        f"{pad if k else name} {label:<{wide}} {value:13.6g}"
        for k, (label, value) in enumerate(pairs)
    )
