"""`hamiltree verify`: published problems, our digits beside theirs.

The exit code is 1 if a number differs or a run fails, 130 if Ctrl-C ended it.
"""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from hamiltree.cli.options import Force, Quiet
from hamiltree.cli.output import list_console, plain_table


def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Names of problems, or files of the same form (docs/verify.md). Without them, "
            "all problems; with them every number is printed.",
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="All runs: minutes instead of half a minute.")
    ] = False,
    list_problems: Annotated[bool, typer.Option("--list", help="List the problems.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write everything to this file: a page (.html), text (.md) or data (.json).",
        ),
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Run published problems and compare with their digits: benchmarks of the literature and the
    tables of the five documents. The exit code is 1 if a number differs.
    """
    if list_problems:
        list_console().print(problems_table())
        return
    raise typer.Exit(verify_and_print(tuple(names or ()), full, output, force, not quiet))


def verify_and_print(
    names: tuple[str, ...], full: bool, output: Path | None, force: bool, progress: bool
) -> int:
    """Print problem after problem as it is done, write the file, and return the exit code."""
    from hamiltree.published.tables import closing_line, heading_line, row_lines
    from hamiltree.published.verify import (
        Verification,
        check_output,
        choose_problems,
        verify_each,
    )

    problems = choose_problems(names)
    if output is not None:
        check_output(output, force)
    width = max(len(problem.name) for problem in problems)
    done = []
    is_complete = True
    try:
        for finding in verify_each(problems, full, progress):
            done.append(finding)
            print(heading_line(finding, width), flush=True)
            for line in row_lines(finding, only_bad=not names):
                print(line)
    except KeyboardInterrupt:
        is_complete = False
    found = Verification(tuple(done), full, is_complete)
    print(closing_line(found))
    if output is not None:
        found.write(output, force)
        print(f"wrote {output}")
    if not is_complete:
        return 130
    return 0 if found.agree else 1


def problems_table() -> Table:
    """The problems with their titles and whose digits they have."""
    from hamiltree.published.problem import published_problems

    table = plain_table(
        "published problems: run one with `hamiltree verify NAME`, or all without a name",
        *("name", "what it is", "digits"),
    )
    for name, problem in published_problems().items():
        table.add_row(name, problem.title, problem.digits)
    return table
