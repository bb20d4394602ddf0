"""`hamiltree gallery`: experiments of the literature, our numbers beside those of the source."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from hamiltree.cli.options import Quiet
from hamiltree.cli.output import (
    list_console,
    make_folder,
    new_folder,
    plain_table,
    remove_if_empty,
    report_console,
)
from hamiltree.errors import MissingPackage


def gallery(
    name: Annotated[
        str | None,
        typer.Argument(help="The name of an experiment, or all. Without it they are listed."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The folder to make. Default: hamiltree-gallery-001, -002, … in the current "
            "folder.",
        ),
    ] = None,
    document: Annotated[
        str | None,
        typer.Option(
            "--document",
            help="Redraw all figures of one of the five documents that hamiltree grew from; "
            "`list` shows them.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Shorter runs: seconds instead of minutes.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Repeat experiments of the literature: print our numbers beside those of the source, and
    write numbers and figures into a new folder.
    """
    if name is None and document is None:
        list_console().print(experiments_table())
        return
    if document == "list":
        list_console().print(documents_table())
        return
    chosen = choose_experiments(name, document)
    folder = new_folder("hamiltree-gallery") if output is None else make_folder(output)
    try:
        perform_all(chosen, folder, quick, not quiet)
    except BaseException:
        remove_if_empty(folder)
        raise


def perform_all(chosen: list[Any], folder: Path, quick: bool, progress: bool) -> None:
    """Run the experiments one after the other. Of several, those that need a package which is not
    installed are left out, and the last line names them.
    """
    left_out, why = [], ""
    for experiment in chosen:
        try:
            perform_and_print(experiment, folder, quick, progress)
        except MissingPackage as error:
            if len(chosen) == 1:
                raise
            left_out.append(experiment.name)
            why = str(error)
    if left_out:
        print(f"left out: {', '.join(left_out)}: {why}")


def choose_experiments(name: str | None, document: str | None) -> list[Any]:
    """One experiment by name, those of a document, or all."""
    from hamiltree.errors import OptionError
    from hamiltree.gallery import EXPERIMENTS, experiments_of, find_experiment

    if name is not None and document is not None:
        raise OptionError("give the name of an experiment or --document, not both")
    if document is not None:
        return experiments_of(document)
    assert name is not None
    return list(EXPERIMENTS.values()) if name == "all" else [find_experiment(name)]


def perform_and_print(experiment: Any, folder: Path, quick: bool, progress: bool) -> None:
    """Run one experiment, print its numbers with their notes, and name the written files."""
    import matplotlib

    from hamiltree.gallery import perform

    matplotlib.use("Agg")
    rows, written = perform(experiment, folder, quick, progress=progress)
    report_console().print(numbers_table(experiment, rows))
    for row in rows:
        if row.note:
            print(f"{row.what}: {row.note}")
    for path in written:
        print(f"wrote {path}")


def experiments_table() -> Table:
    """The experiments with their sources."""
    from hamiltree.gallery import EXPERIMENTS

    table = plain_table(
        "experiments: run one with `hamiltree gallery NAME`, or all",
        *("name", "what it shows", "source"),
    )
    for name, experiment in EXPERIMENTS.items():
        table.add_row(name, experiment.title, experiment.source)
    return table


def documents_table() -> Table:
    """The five documents with the experiments that redraw their figures."""
    from hamiltree.gallery import DOCUMENTS, experiments_of

    table = plain_table(
        "documents: redraw one with `hamiltree gallery --document NAME`",
        *("name", "title", "experiments"),
    )
    for name, document in DOCUMENTS.items():
        experiments = ", ".join(experiment.name for experiment in experiments_of(name))
        table.add_row(name, document.title, experiments)
    return table


def numbers_table(experiment: Any, rows: list[Any]) -> Table:
    """Our numbers, those of the source, and the differences (whole numbers for counts)."""
    table = plain_table(
        f"\n{experiment.title} ({experiment.source})",
        *("what", "ours", "source's", "difference", "whose"),
        steady=(1, 2, 3),
    )
    for column in table.columns[1:4]:
        column.justify = "right"
        column.no_wrap = True
    for row in rows:
        theirs = "" if row.theirs is None else f"{row.theirs:.8g}"
        difference = "" if row.theirs is None else f"{row.difference:+.2g}"
        if isinstance(row.difference, int):
            difference = f"{row.difference:+d}"
        table.add_row(row.what, f"{row.ours:.8g}", theirs, difference, row.whose)
    return table
