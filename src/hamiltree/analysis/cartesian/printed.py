"""The systems (11.42), (11.45) and (11.49) in the document's symbols: text, LaTeX, and the numbers
of every symbol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hamiltree.analysis import euler_parameters
from hamiltree.analysis.cartesian.notation import kind_to_latex, to_latex
from hamiltree.analysis.cartesian.rows import Row
from hamiltree.errors import OptionError, suggest

if TYPE_CHECKING:
    from hamiltree.analysis.cartesian.matrices import CartesianMatrices

Array = np.ndarray


class Form(NamedTuple):
    """One formulation in blocks; {k} stands for the number of a body."""

    roman: str
    number: str  # of the equation
    size: str
    is_symmetric: bool
    matrix: tuple[tuple[str, ...], ...]
    unknowns: tuple[str, ...]
    bias: tuple[str, ...]
    right: tuple[str, ...]
    # name, equation number, blocks of body k, whether they stand along the diagonal
    parts: tuple[tuple[str, str, tuple[str, ...]], ...]


JACOBIAN = ("Φ_r{k}", "Φ_p{k}")
MODIFIED = ("Φ_r{k}", "½ Φ_p{k} L{k}ᵀ")
NORMS = (
    ("P", "11.27", ("0ᵀ", "p{k}ᵀ")),
    ("c", "11.31", ("ṗ{k}ᵀ ṗ{k}",)),
)
SECOND_RATES = ("r̈{k}", "p̈{k}")
FORMS = {
    1: Form(
        "I",
        "11.42",
        "8b + m",
        True,
        (("M*", "Pᵀ", "Bᵀ"), ("P", "0", "0"), ("B", "0", "0")),
        ("q̈", "σ", "− λ"),
        ("b*", "c", "0"),
        ("g*", "0", "γ"),
        (
            ("M*", "11.26", ("N{k}", "J*{k}")),
            *NORMS,
            ("q̈", "11.28", SECOND_RATES),
            ("σ", "11.29", ("σ{k}",)),
            ("b*", "11.30", ("0", "2 H{k} ṗ{k}")),
            ("g*", "11.32", ("f{k}", "n*{k}")),
            ("B", "11.43", JACOBIAN),
        ),
    ),
    2: Form(
        "II",
        "11.45",
        "7b + m",
        False,
        (("M", "Bᵀ"), ("P", "0"), ("Φ_q", "0")),
        ("q̈", "− λ"),
        ("b", "c", "0"),
        ("g", "0", "γ"),
        (
            ("M", "11.34", ("N{k}", "2 J'{k} L{k}")),
            *NORMS,
            ("q̈", "11.28", SECOND_RATES),
            ("b", "11.35", ("0", "L{k} H{k} ṗ{k}")),
            ("g", "11.36", ("f{k}", "n'{k}")),
            ("B", "11.46", MODIFIED),
            ("Φ_q", "11.43", JACOBIAN),
        ),
    ),
    3: Form(
        "III",
        "11.49",
        "6b + m",
        True,
        (("M", "Bᵀ"), ("B", "0")),
        ("ḣ", "− λ"),
        ("b", "0"),
        ("g", "γ#"),
        (
            ("M", "11.38", ("N{k}", "J'{k}")),
            ("ḣ", "11.39", ("r̈{k}", "ω̇'{k}")),
            ("b", "11.40", ("0", "ω̃'{k} J'{k} ω'{k}")),
            ("g", "11.36", ("f{k}", "n'{k}")),
            ("B", "11.46", MODIFIED),
        ),
    ),
}
DIAGONAL = ("M*", "M", "P")  # blocks of bodies along the diagonal
BESIDE = ("B", "Φ_q")  # blocks of bodies beside each other; the others stand below each other
ARRAYS = (
    *("M", "P", "b", "c", "g", "B", "Phi", "Phi_rate", "Phi_q", "modified_jacobian"),
    *("gamma", "gamma_sharp", "matrix", "right_side"),
)


def blocks_of(part: tuple[str, str, tuple[str, ...]], bodies: int) -> list[str]:
    """The blocks of all bodies, in order."""
    return [block.format(k=k) for k in range(1, bodies + 1) for block in part[2]]


# ---- symbols -------------------------------------------------------------------------------------
def symbols_of(found: CartesianMatrices) -> dict[str, Array]:
    """Every symbol of the blocks with its numbers; unknowns are not among them."""
    state = found.state
    each = {
        "N": found.N,
        "J'": found.J,
        "J*": found.J_star,
        "H": found.H,
        "A": found.A,
        "L": found.L,
        "G": found.G,
        "r": state.r,
        "p": state.p,
        "ṗ": state.pdot,
        "ω'": state.w,
        "ω̃'": euler_parameters.skew(state.w),
        "f": found.force,
        "n'": found.moment,
        "n*": found.starred_moment,
    }
    by_body = {f"{name}{k}": part[k - 1] for name, part in each.items() for k in numbers(found)}
    for name, part in (("Φ_r", found.Phi_r), ("Φ_p", found.Phi_p)):
        by_body |= {f"{name}{k}": part[:, k - 1] for k in numbers(found)}
    star = "*" * (found.formulation == 1)
    whole = {f"M{star}": found.M, f"b{star}": found.b, f"g{star}": found.g, "B": found.B}
    norms = {} if found.P is None else {"P": found.P, "c": found.c}
    rows = {"Φ_q": found.Phi_q, "γ": found.gamma, "γ#": found.gamma_sharp}
    return {**by_body, **whole, **norms, **rows}  # type: ignore[dict-item]


def numbers(found: CartesianMatrices) -> range:
    return range(1, len(found.bodies) + 1)


def unknown_names(formulation: int, bodies: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Names of the unknowns: accelerations of bodies, σ, and −λ of rows."""
    turning = ["ω̇'x", "ω̇'y", "ω̇'z"] if formulation == 3 else ["ë0", "ë1", "ë2", "ë3"]
    names = [f"{body}: {what}" for body in bodies for what in ("r̈x", "r̈y", "r̈z", *turning)]
    names += [f"{body}: σ" for body in bodies] if formulation == 1 else []
    return names + [f"−λ{row.number} {row.name}" for row in rows]


# ---- text ----------------------------------------------------------------------------------------
def system_text(found: CartesianMatrices) -> str:
    """The heading, the system in blocks, its parts, and the rows by name."""
    form, b, m = FORMS[found.formulation], len(found.bodies), len(found.rows)
    symmetry = "symmetric" if form.is_symmetric else "nonsymmetric"
    lines = [
        f"Formulation {form.roman} of '{found.model.name}', ({form.number}): {form.size} = "
        f"{found.size} equations, b = {b}, m = {m}, {symmetry}",
        "bodies: " + ", ".join(f"{k} {name}" for k, name in enumerate(found.bodies, 1)),
        "",
        *block_lines(form),
        "",
        *(f"{part_text(part, b)}   ({part[1]})" for part in form.parts),
    ]
    if m:
        lines += ["", "rows, with the direction in which a positive λ acts on the second body:"]
        lines += [row_line(found, k) for k in range(m)]
    return "\n".join(lines)


def block_lines(form: Form) -> list[str]:
    """[ M Bᵀ ] [ ḣ ] + [ b ] = [ g ], row by row."""
    count = len(form.matrix)
    unknowns = [*form.unknowns, *[""] * (count - len(form.unknowns))]
    columns = [*zip(*form.matrix, strict=True), unknowns, form.bias, form.right]
    wide = [max(len(cell) for cell in column) + 1 for column in columns]
    lines = []
    for k, row in enumerate(form.matrix):
        cells = [cell.ljust(width) for cell, width in zip(row, wide, strict=False)]
        rest = zip((unknowns[k], form.bias[k], form.right[k]), wide[len(row) :], strict=True)
        x, bias, right = (cell.ljust(width) for cell, width in rest)
        shown = f"[ {x}]" if unknowns[k] else " " * (len(x) + 3)
        between = ("+", "=") if k == count // 2 else (" ", " ")
        lines.append(f"[ {''.join(cells)}] {shown} {between[0]} [ {bias}] {between[1]} [ {right}]")
    return lines


def part_text(part: tuple[str, str, tuple[str, ...]], bodies: int) -> str:
    """M = diag(N1, J'1, …), b = [0; …], B = [Φ_r1, …]."""
    name, blocks = part[0], blocks_of(part, bodies)
    if name == "P":
        pairs = [f"[{blocks[k]}, {blocks[k + 1]}]" for k in range(0, len(blocks), 2)]
        return f"P = diag({', '.join(pairs)})"
    if name in DIAGONAL:
        return f"{name} = diag({', '.join(blocks)})"
    return f"{name} = [{(', ' if name in BESIDE else '; ').join(blocks)}]"


def row_line(found: CartesianMatrices, k: int) -> str:
    """λ of a row: unit, name, kind, bodies, and the force or torque of λ = 1 on the second one."""
    row = found.rows[k]
    what, direction = axis_of_row(found, k)
    shown = ", ".join(f"{x:.4g}" for x in direction + 0.0)
    return (
        f"  λ{row.number} ({row.unit}) {row.name}: {row.kind} of {row.i} and {row.j}, "
        f"{what} [{shown}]"
    )


def axis_of_row(found: CartesianMatrices, k: int) -> tuple[str, Array]:
    """What λ = 1 does to the second body of a row, world axes: a force, or a torque alone."""
    wrench = sum((force_and_torque(term) for term in found.table.rows[k].terms), np.zeros(6))
    has_force = bool(wrench[:3].any())
    return ("force", wrench[:3]) if has_force else ("torque", wrench[3:])


def force_and_torque(term) -> Array:
    """On body j of a term, world axes."""
    return np.concatenate([term.jacobians[2], term.symbols[f"A{term.j}"] @ term.jacobians[3]])


# ---- LaTeX ---------------------------------------------------------------------------------------
def matrix_latex(rows: Sequence[Sequence[str]]) -> str:
    body = r" \\ ".join(" & ".join(row) for row in rows)
    return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"


def column_latex(cells: Sequence[str]) -> str:
    return matrix_latex([[to_latex(cell)] for cell in cells])


def system_latex(found: CartesianMatrices) -> str:
    """The system in blocks, then its parts, as a LaTeX align."""
    form, b = FORMS[found.formulation], len(found.bodies)
    system = (
        f"{matrix_latex([[to_latex(cell) for cell in row] for row in form.matrix])} "
        f"{column_latex(form.unknowns)} + {column_latex(form.bias)} &= {column_latex(form.right)}"
    )
    parts = [f"{to_latex(part[0])} &= {part_latex(part, b)}" for part in form.parts]
    rows = [
        rf"\lambda_{{{row.number}}} &: {kind_to_latex(row.kind)} \text{{ {escape(row.name)}}}"
        for row in found.rows
    ]
    return "\\begin{align}\n" + " \\\\\n".join([system, *parts, *rows]) + "\n\\end{align}"


def escape(name: str) -> str:
    return name.replace("_", r"\_")


def part_latex(part: tuple[str, str, tuple[str, ...]], bodies: int) -> str:
    """One part of a system, block by block."""
    name, blocks = part[0], [to_latex(block) for block in blocks_of(part, bodies)]
    if name == "P":
        pairs = [matrix_latex([blocks[k : k + 2]]) for k in range(0, len(blocks), 2)]
        return rf"\operatorname{{diag}}\left({', '.join(pairs)}\right)"
    if name in DIAGONAL:
        return rf"\operatorname{{diag}}\left({', '.join(blocks)}\right)"
    return matrix_latex([blocks] if name in BESIDE else [[block] for block in blocks])


def array_latex(found: CartesianMatrices, name: str) -> str:
    """One quantity in numbers, a vector as a column."""
    if name not in ARRAYS:
        raise OptionError(f"name = {name!r}; {suggest(str(name), list(ARRAYS))}")
    values = getattr(found, name)
    if values is None:
        raise OptionError(
            f"formulation III has no {name}; it has no Euler parameters' accelerations"
        )
    rows = values[:, None] if values.ndim == 1 else values
    return matrix_latex([[f"{x:.6g}" for x in row + 0.0] for row in rows])
