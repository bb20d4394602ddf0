"""Table 11.1 of "Spatial Dynamics", in general and of a given model at a state, with the
corrections 1-1 to 1-5 of docs/references.md.

With s_i = A_i s'_i, the points s_i^B = A_i s'_i^B and d = r_j + s_j^B − r_i − s_i^B, every row has
Φ, its modified Jacobian Φ_r and ½Φ_pLᵀ on either body, and γ#. Body 0 is the ground.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hamiltree.analysis import euler_parameters
from hamiltree.analysis.cartesian.notation import kind_to_latex, to_latex
from hamiltree.analysis.cartesian.rows import SYMBOLS, Row, describe_rows, row_matrices
from hamiltree.analysis.cartesian.states import Situation, situation_at
from hamiltree.assembly.joint_rows import TermSpec
from hamiltree.assembly.rows import ANGLE, N1, N2, P1, P2, SS, S
from hamiltree.model import Model
from hamiltree.model.bodies import GROUND

Array = np.ndarray
ROUNDING = 1e-14  # of the largest number


class Columns(NamedTuple):
    """A row of the table in symbols; i and j stand for the two bodies."""

    Phi: str
    Phi_ri: str
    turn_i: str  # ½ Φ_p Lᵀ of body i
    Phi_rj: str
    turn_j: str
    gamma_sharp: str


HEADINGS = ("Φ", "Φ_r{i}", "½ Φ_p{i} L{i}ᵀ", "Φ_r{j}", "½ Φ_p{j} L{j}ᵀ", "γ#")
ROWS = {
    N1: Columns(
        "s{i}ᵀ s{j}",
        "0ᵀ",
        "− s{j}ᵀ s̃{i} A{i}",
        "0ᵀ",
        "− s{i}ᵀ s̃{j} A{j}",
        "− 2 ṡ{i}ᵀ ṡ{j} + ṡ{i}ᵀ ω̃{i} s{j} + ṡ{j}ᵀ ω̃{j} s{i}",
    ),
    N2: Columns(
        "s{i}ᵀ d",
        "− s{i}ᵀ",
        "− ( d + s{i}^B )ᵀ s̃{i} A{i}",
        "s{i}ᵀ",
        "− s{i}ᵀ s̃{j}^B A{j}",
        "− 2 ḋᵀ ṡ{i} − dᵀ ω̃{i} ṡ{i} + s{i}ᵀ ( ω̃{i} ṡ{i}^B − ω̃{j} ṡ{j}^B )",
    ),
    P1: Columns(
        "s̃{i} s{j}",
        "0",
        "s̃{j} s̃{i} A{i}",
        "0",
        "− s̃{i} s̃{j} A{j}",
        "− 2 ṡ̃{i} ṡ{j} + s̃{j} ω̃{i} ṡ{i} − s̃{i} ω̃{j} ṡ{j}",
    ),
    P2: Columns(
        "s̃{i} d",
        "− s̃{i}",
        "( s̃{i} s̃{i}^B + d̃ s̃{i} ) A{i}",
        "s̃{i}",
        "− s̃{i} s̃{j}^B A{j}",
        "− 2 ṡ̃{i} ḋ + s̃{i} ( ω̃{i} ṡ{i}^B − ω̃{j} ṡ{j}^B ) + d̃ ω̃{i} ṡ{i}",
    ),
    S: Columns(
        "r{i} + s{i}^P − r{j} − s{j}^P",
        "I",
        "− s̃{i}^P A{i}",
        "− I",
        "s̃{j}^P A{j}",
        "− ω̃{i} ṡ{i}^P + ω̃{j} ṡ{j}^P",
    ),
    SS: Columns(
        "dᵀ d − l l",
        "− 2 dᵀ",
        "2 dᵀ s̃{i}^P A{i}",
        "2 dᵀ",
        "− 2 dᵀ s̃{j}^P A{j}",
        "− 2 ḋᵀ ḋ + 2 dᵀ ( ω̃{i} ṡ{i}^P − ω̃{j} ṡ{j}^P )",
    ),
}
# Of an angle the table of the document has no row: n is the torque of a unit λ on body i.
ANGLE_ROW = Columns("θ", "0ᵀ", "nᵀ A{i}", "0ᵀ", "− nᵀ A{j}", "− θ̈")
POINTS = {N1: "", P1: "", N2: "B", P2: "B", S: "P", SS: "P", ANGLE: ""}


@dataclass(frozen=True, eq=False)
class TermEntry:
    """One term of a row in symbols, with the numbers of its four Jacobians and of every symbol.

    A row is the sum of its terms; `weight` (w in print) is part of the numbers and of the text.
    """

    kind: str
    i: int  # numbers of the bodies, 0 for the ground
    j: int
    weight: float
    text: Columns
    jacobians: tuple[Array, Array, Array, Array]  # Φ_r and ½Φ_pLᵀ on i, on j
    symbols: dict[str, Array]


@dataclass(frozen=True, eq=False)
class TableRow:
    """A row of the model: its terms, and Φ and γ# of the whole row."""

    row: Row
    terms: tuple[TermEntry, ...]
    Phi: float
    gamma_sharp: float

    @property
    def Phi_text(self) -> str:
        """Σ terms − constant − u(t); the constant of a rod is in its term, l² = l l."""
        spec = self.row.spec
        constant = 0.0 if spec.terms[0].kind == SS else spec.constant
        rest = f" − {constant!r}" if constant else ""
        return join_terms([term.text.Phi for term in self.terms]) + rest + " − u" * self.is_driven

    @property
    def gamma_text(self) -> str:
        return join_terms([term.text.gamma_sharp for term in self.terms]) + " + ü" * self.is_driven

    @property
    def is_driven(self) -> bool:
        return self.row.spec.drive is not None


@dataclass(frozen=True, eq=False)
class Table:
    """Table 11.1 of a model at a state, row by row in the order of λ."""

    bodies: tuple[str, ...]
    rows: tuple[TableRow, ...]

    def text(self) -> str:
        """Every row in symbols and numbers."""
        head = "bodies: 0 ground, " + ", ".join(f"{k} {x}" for k, x in enumerate(self.bodies, 1))
        return "\n\n".join([head, *map(row_text, self.rows)])

    def latex(self) -> str:
        """All rows in symbols, as a tabular."""
        lines = [
            " & ".join(
                [
                    row.row.name.replace("_", r"\_"),
                    f"${kind_to_latex(term.kind)}$",
                    *(f"${to_latex(column)}$" for column in term.text),
                ]
            )
            + r" \\"
            for row in self.rows
            for term in row.terms
        ]
        return "\n".join([*tabular_head("ll" + "l" * 6, "row & "), *lines, r"\end{tabular}"])

    def __str__(self) -> str:
        return self.text()


# ---- in general ----------------------------------------------------------------------------------
def table_11_1(latex: bool = False) -> str:
    """Table 11.1 as it should read, for bodies i and j."""
    rows = [
        (SYMBOLS[kind], *(column.format(i="i", j="j") for column in columns))
        for kind, columns in ROWS.items()
    ]
    if latex:
        lines = [
            " & ".join(
                f"${kind_to_latex(kind)}$" if k == 0 else f"${to_latex(kind)}$"
                for k, kind in enumerate(row)
            )
            + r" \\"
            for row in rows
        ]
        return "\n".join([*tabular_head("l" * 7, ""), *lines, r"\end{tabular}"])
    headings = [heading.format(i="i", j="j") for heading in HEADINGS]
    parts = [
        "\n".join([kind, *(f"  {name} = {text}" for name, text in zip(headings, row, strict=True))])
        for kind, *row in rows
    ]
    return "\n".join(parts)


def tabular_head(columns: str, first: str) -> list[str]:
    headings = " & ".join(f"${to_latex(x.format(i='i', j='j'))}$" for x in HEADINGS)
    return [rf"\begin{{tabular}}{{{columns}}}", rf"{first}kind & {headings} \\ \hline"]


# ---- of a model ----------------------------------------------------------------------------------
def table(model: Model, state: Any = None, t: float = 0.0) -> Table:
    """Φ, Φ_r, ½Φ_pLᵀ and γ# of every constraint row of a model at a state, in the document's
    symbols and in numbers.
    """
    return make_table(situation_at(model, state, float(t)))


def make_table(at: Situation) -> Table:
    """Rows by their terms; numbers from the rows that runs use."""
    whole = row_matrices(at)
    rows = []
    first = 0
    for k, row in enumerate(describe_rows(at.specs)):
        terms = tuple(make_entry(at, row, n, first + n) for n in range(len(row.spec.terms)))
        first += len(terms)
        rows.append(TableRow(row, terms, float(whole.Phi[k]), float(whole.gamma_sharp[k])))
    return Table(tuple(body.name for body in at.model.bodies), tuple(rows))


def make_entry(at: Situation, row: Row, n: int, place: int) -> TermEntry:
    """Term n of a row, number `place` of all terms."""
    term = row.spec.terms[n]
    number = {GROUND: 0} | {body.name: k for k, body in enumerate(at.model.bodies, 1)}
    i, j = number[term.i], number[term.j]
    symbols = vectors_of(at, term, i, j)
    wrench = at.rows.row_jacobian[place]
    if term.kind == ANGLE:
        symbols["n"] = wrench[:3] / term.weight
        symbols["θ"] = angle_of(symbols, term, i, j)
    if term.kind == SS:
        symbols["l"] = np.array(np.sqrt(row.spec.constant / term.weight))
    pattern = ANGLE_ROW if term.kind == ANGLE else ROWS[term.kind]
    columns = [text.format(i=i, j=j) for text in pattern]
    if term.weight != 1.0:
        symbols["w"] = np.array(term.weight)
        columns = [text if text == "0ᵀ" else f"w ( {text} )" for text in columns]
    sides = (wrench[3:6], wrench[:3] @ symbols[f"A{i}"], wrench[9:], wrench[6:9] @ symbols[f"A{j}"])
    return TermEntry(SYMBOLS[term.kind], i, j, term.weight, Columns(*columns), sides, symbols)


def angle_of(symbols: dict[str, Array], term: TermSpec, i: int, j: int) -> Array:
    """atan2(y_iᵀ s_j, s_iᵀ s_j), y_i = A_i e: how far s_j has turned from s_i."""
    across = symbols[f"A{i}"] @ np.array(term.e)
    s = symbols[f"s{j}"]
    return np.arctan2(across @ s, symbols[f"s{i}"] @ s)


def vectors_of(at: Situation, term: TermSpec, i: int, j: int) -> dict[str, Array]:
    """A, s, ṡ, the points, d, ω̃ of a term, by name."""
    centres = [np.array(body.com) for body in at.model.bodies]
    point = POINTS[term.kind]
    found: dict[str, Array] = {"I": np.eye(3)}
    ends = []
    for k, axis, place in ((i, term.a, term.at), (j, term.b, term.to)):
        turn, r, v, omega = frame_of(at, k)
        arm = turn @ (np.array(place) - (centres[k - 1] if k else 0.0))
        s = turn @ np.array(axis)
        found |= {f"A{k}": turn, f"ω̃{k}": euler_parameters.skew(omega), f"r{k}": r}
        found |= {f"s{k}": s, f"ṡ{k}": np.cross(omega, s)}
        if point:
            found |= {f"s{k}^{point}": arm, f"ṡ{k}^{point}": np.cross(omega, arm)}
        ends.append((r + arm, v + np.cross(omega, arm)))
    found |= {"d": ends[1][0] - ends[0][0], "ḋ": ends[1][1] - ends[0][1]}
    skews = {name: name[0] + "\u0303" + name[1:] for name in found if name[0] in "sṡd"}
    found |= {new: euler_parameters.skew(found[name]) for name, new in skews.items()}
    return found


def frame_of(at: Situation, k: int) -> tuple[Array, Array, Array, Array]:
    """A, r, ṙ and ω in world axes of body k, 0 for the ground."""
    if not k:
        return np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
    turn = euler_parameters.A(at.state.p[k - 1])
    return turn, at.state.r[k - 1], at.state.v[k - 1], turn @ at.state.w[k - 1]


# ---- printed -------------------------------------------------------------------------------------
def join_terms(texts: list[str]) -> str:
    """a + b − c"""
    first, *rest = texts
    return first + "".join(f" {x}" if x.startswith("−") else f" + {x}" for x in rest)


def number_text(value: Array) -> str:
    """Numbers of a column with six digits; what is rounding beside the largest is 0."""
    limit = ROUNDING * np.abs(value).max()
    return "[" + ", ".join(f"{x:.6g}" for x in np.where(np.abs(value) > limit, value, 0.0)) + "]"


def row_text(found: TableRow) -> str:
    """One row: its name, Φ, the Jacobians of its terms on bodies that move, γ#."""
    row = found.row
    lines = [f"λ{row.number} ({row.unit}) {row.name}: {row.kind}"]
    lines.append(f"  Φ = {found.Phi_text} = {found.Phi:.6g}")
    for term in found.terms:
        headings = [heading.format(i=term.i, j=term.j) for heading in HEADINGS[1:5]]
        moves = [bool(term.i)] * 2 + [bool(term.j)] * 2
        for name, text, value, is_moving in zip(
            headings, term.text[1:5], term.jacobians, moves, strict=True
        ):
            if is_moving and text != "0ᵀ":
                lines.append(f"  {name} = {text} = {number_text(value)}")
    lines.append(f"  γ# = {found.gamma_text} = {found.gamma_sharp:.6g}")
    return "\n".join(lines)
