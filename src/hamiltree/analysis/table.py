"""Table of measured traits of integrators: for the terminal, and for the page of the
documentation.

python -m hamiltree.analysis.table docs/integrators.md
    measures the catalogue and writes the table into that page
"""

import math
import sys
from collections.abc import Sequence
from pathlib import Path

from hamiltree.analysis.verification import (
    CLEAR_DEFECT,
    HIGH_ORDER,
    ROUNDING_DEFECT,
    Measured,
    measure_all,
)
from hamiltree.errors import FileError
from hamiltree.integrators.integrator import Integrator
from hamiltree.verbs import CANONICAL, FIRST_ORDER, SEPARABLE

COLUMNS = (
    "name",
    "fits",
    "order",
    "measured",
    "symplectic",
    "symmetric",
    "bilinear",
    "quadratic",
    "energy",
)
MARK = "≠"  # claim and measurement disagree
BEGIN, CLOSE = "<!-- measured: begin -->", "<!-- measured: end -->"


def cells(found: Measured) -> tuple[str, ...]:
    """One row of the table, one text per column."""
    wrong = {"measured" if trait == "order" else trait for trait in found.disagreements}
    texts = {
        "name": found.integrator.name,
        "fits": problems_that_fit(found.integrator),
        "order": str(found.integrator.order),
        "measured": order_text(found),
        "symplectic": verdict(found.symplectic)
        + ("" if found.doubled is None else f"; doubled {verdict(found.doubled)}"),
        "symmetric": verdict(found.symmetric),
        "bilinear": verdict(found.bilinear),
        "quadratic": verdict(found.quadratic),
        "energy": energy_text(found),
    }
    return tuple(f"{text} {MARK}" if column in wrong else text for column, text in texts.items())


def verdict(defect: float) -> str:
    return (
        f"{'yes' if defect < ROUNDING_DEFECT else 'no' if defect > CLEAR_DEFECT else 'unclear'} "
        f"{defect:.0e}"
    )


def order_text(found: Measured) -> str:
    notes = ["none" if math.isnan(found.slope) else f"{found.slope:.2f}"]
    if found.conditions is not None and found.integrator.order > HIGH_ORDER:
        notes.append(f"B, C, D: {found.conditions}")
    if found.tolerance_slope is not None:
        notes.append(f"tolerance {found.tolerance_slope:.2f}")
    return "; ".join(notes)


def energy_text(found: Measured) -> str:
    """Exact on any H, bounded or drifting, with the number that says so."""
    if max(found.energy, found.rough) < ROUNDING_DEFECT:
        return f"exact {max(found.energy, found.rough):.0e}"
    how = f"bounded {found.energy:.0e}" if found.is_bounded else f"drifts {found.drift:.0e}"
    return how + ("; exact on polynomials" if found.keeps_polynomials else "")


def problems_that_fit(integrator: Integrator) -> str:
    """By the verbs that it asks for."""
    asks = set(integrator.needs)
    if asks >= set(SEPARABLE):
        return "separable"
    if asks >= set(CANONICAL):
        return "canonical"
    return "any" if asks == set(FIRST_ORDER) else "any with H"


def as_markdown(found: Sequence[Measured]) -> str:
    """The table in Markdown."""
    lines = [COLUMNS, ("---",) * len(COLUMNS), *map(cells, found)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def write_table(path: Path, found: Sequence[Measured]) -> None:
    """Into a page, between the two comments that enclose it."""
    text = path.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(CLOSE) != 1:
        raise FileError(
            f"{path}: no place for the table; write {BEGIN} and {CLOSE} on lines of their own "
            "where it should stand"
        )
    before, rest = text.split(BEGIN)
    path.write_text(
        f"{before}{BEGIN}\n{as_markdown(found)}{CLOSE}{rest.split(CLOSE)[1]}", encoding="utf-8"
    )


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_file():
        sys.exit(
            "give the page to write into: python -m hamiltree.analysis.table docs/integrators.md"
        )
    write_table(Path(sys.argv[1]), measure_all())
