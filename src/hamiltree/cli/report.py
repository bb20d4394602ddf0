"""What a run prints at its end: the rows of `view/run_rows.py`, advice, the files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.table import Table

from hamiltree.cli.output import report_console
from hamiltree.view.run_rows import chooses_steps, report_rows

LARGE_ERROR = 1e-3  # of the energy, relative to the peak kinetic energy: the report advises
ADVISED = "gauss8"


def report(run: Any, written: list[Path]) -> None:
    """Print the table of a run, advice where the energy error is large, and the written files."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_column(style="dim")
    for row in report_rows(run):
        table.add_row(*row)
    console = report_console()
    console.print(table)
    if run.has_energy and run.energy_error > LARGE_ERROR:
        console.print(f"The energy error is large: {accuracy_advice(run)}.")
    if run.provenance["status"] != "complete":
        console.print(f"status: {run.provenance['status']}")
    for path in written:
        print(f"wrote {path}")


def accuracy_advice(run: Any) -> str:
    """What makes the run more accurate: a smaller tolerance or step, or an integrator of higher
    order that fits the formulation.
    """
    from hamiltree.formulations import FORMULATIONS
    from hamiltree.integrators import find_integrator
    from hamiltree.run.choices import is_compatible

    if chooses_steps(run):
        return "take a smaller tolerance (--option rtol=…)"
    used = find_integrator(run.provenance["integrator"])
    advised = find_integrator(ADVISED)
    formulation = FORMULATIONS[run.provenance["formulation"]]
    is_better = advised.order > used.order and is_compatible(formulation, advised)
    return "take a shorter step" + (f", or {ADVISED}" if is_better else "")
