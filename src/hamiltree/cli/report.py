"""What a run prints at its end: the rows of `view/run_rows.py`, its report, the files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hamiltree.cli.output import RowsWithWords, report_console
from hamiltree.console import Activity, tell
from hamiltree.errors import FileError, OptionError, as_read, suggest
from hamiltree.view.run_rows import report_rows

DETAILS = ("plain", "full", "none")
FORMATS = ("text", "json", "md", "html")
STYLES = {"good": "green", "doubtful": "yellow", "bad": "bold red"}
Detail = Annotated[
    str,
    typer.Option(
        "--report",
        metavar="WORD",
        help="What the run is worth: plain, full (also time reversal, symplecticity, a second "
        "formulation, convergence; takes several times the run), or none.",
    ),
]
Format = Annotated[
    str,
    typer.Option(
        "--report-format", metavar="WORD", help="Print the report as text, json, md or html."
    ),
]


def check_report_options(detail: str, form: str) -> None:
    """Refuse unknown words before anything is computed."""
    for option, given, known in (
        ("--report", detail, DETAILS),
        ("--report-format", form, FORMATS),
    ):
        if given not in known:
            raise OptionError(f"{option} {given!r}; {suggest(given, known)}")
    if detail == "none" and form != "text":
        raise OptionError(
            f"--report none has nothing to print as {form}; leave out --report none or "
            f"--report-format {form}"
        )


def make_report(run: Any, detail: str = "plain") -> Any:
    """The report of a run, or None if none is asked for; after Ctrl-C no more than the plain one,
    and nothing is tried.
    """
    if detail == "none":
        return None
    if not run.status.startswith("interrupted"):
        return run.report(full=detail == "full")
    if detail == "full":
        tell("hamiltree: the run was interrupted, so its report is the plain one")
    return run.report(remedy=False)


def print_report(
    run: Any,
    report: Any,
    files: Sequence[Path | None],
    form: str = "text",
    progress: bool = True,
) -> None:
    """Print what a run is worth, and the written files; the first, its netCDF file, keeps it."""
    from hamiltree.verdict.formats import format_report
    from hamiltree.verdict.stored_reports import store_report

    if report is not None and files[0] is not None:  # first: nobody may read what is printed
        try:
            with Activity(progress, "writing the report to the file"):
                store_report(run, report, files[0])
        except FileError as error:
            tell(f"hamiltree: the report is not kept in the file: {error}")
    report = None if report is None else spelled_for_shell(report)
    if form == "text":
        print_tables(run, report)
    elif report is not None:
        print(format_report(report, form))
    for path in filter(None, files):
        print(f"wrote {path}", file=sys.stdout if form == "text" else sys.stderr)


def spelled_for_shell(report: Any) -> Any:
    """The same report whose advice can be typed in a shell; the file keeps that for Python."""
    lines = tuple(replace(line, sentence=as_read(line.sentence)) for line in report.lines)
    return replace(report, lines=lines)


def print_tables(run: Any, report: Any) -> None:
    """What was run and what it cost, then the lines of the report."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_column(style="dim")
    for row in report_rows(run):
        table.add_row(*row)
    console = report_console()
    console.print(table)
    if run.provenance["status"] != "complete":
        console.print(f"status: {run.provenance['status']}")
    if report is not None:
        console.print()
        print_lines(report, console)
        if report.ledger is not None:
            console.print(f"\n{report.ledger.table(width=console.width)}", markup=False)
        console.print(f"\nverdict: {report.verdict}", style=STYLES[report.verdict])


def print_lines(report: Any, console: Console) -> None:
    """Name, number, scale, verdict and sentence of every line."""
    from hamiltree.verdict.formats import number_text

    rows = [(line.name, number_text(line), line.scale, line.verdict) for line in report.lines]
    table = RowsWithWords(("left", "right", "left", "left"), wrapped=2)
    for row, line in zip(rows, report.lines, strict=True):
        verdict = Text(line.verdict, STYLES.get(line.verdict, ""))
        table.add_row((Text(line.name, "bold"), *row[1:3], verdict), line.sentence)
    table.print(console)
