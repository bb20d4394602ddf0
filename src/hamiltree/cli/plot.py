"""`hamiltree plot`: plots of a stored run, or of a study, by name, as a picture."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from hamiltree.cli.options import Force
from hamiltree.cli.output import (
    check_distinct_files,
    check_picture,
    list_console,
    plain_table,
    write_picture,
)
from hamiltree.cli.study_plots import default_plot, draw_study, load_study, print_study_plots
from hamiltree.errors import FileError, OptionError

MAX_LISTED = 40  # parts of one kind
Run = Annotated[Path, typer.Argument(help="A run or a study (.nc).")]
What = Annotated[
    list[str] | None,
    typer.Argument(
        help="What to draw: summary, energy, errors, ledger, residuals, momenta, … (see "
        "`hamiltree list plots`), or the name of a coordinate, joint, body or section of the run; "
        "phase:NAME is a phase portrait, path:NAME the path of a body. Several are drawn one below "
        "the other. Default: summary. Of a study: histogram:NAME, heat_map:NAME, "
        "response:NAME:NUMBER, fan:NAME, parallel:NAME, or NAME alone.",
        show_default=False,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="The picture to write: .png, .svg or .pdf. Default: a new one, RUN-WHAT.png.",
    ),
]
List = Annotated[
    bool, typer.Option("--list", help="List what this file has to plot, and draw nothing.")
]


def plot(
    run: Run,
    what: What = None,
    output: Output = None,
    force: Force = False,
    list: List = False,
) -> None:
    """Draw what a stored run is worth and how it moved: energies, errors, constraint residuals,
    momenta, energies by force element, coordinates, bodies. Of a study: what was kept of members.
    """
    from hamiltree.trajectory.netcdf import writable_path

    if run.suffix.lower() != ".nc":
        raise FileError(f"{run} is no run; use `hamiltree run {run}`, then `hamiltree plot RUN.nc`")
    if output is not None:
        check_picture(writable_path(output, force))
        check_distinct_files({"the run": run, "--output": output})
    study = load_study(run)
    if list:
        refuse_drawing(what, output)
        print_plots(load_run(run)) if study is None else print_study_plots(study)
        return
    if study is None:
        names = what or ["summary"]
        figure = draw(sampled_run(run), names)
    else:
        names = what or [default_plot(study)]
        figure = draw_study(study, names)
    target = output if output is not None else new_picture(run, names)
    write_picture(lambda: figure, target)
    print(f"wrote {target}")


def load_run(path: Path) -> Any:
    from hamiltree.trajectory.trajectory import Trajectory

    return Trajectory.load(path)


def sampled_run(path: Path) -> Any:
    """A run that has something to draw."""
    found = load_run(path)
    if not found.t.size:
        raise FileError(f"{path} holds no samples: the run was stopped before its first one")
    return found


def refuse_drawing(what: list[str] | None, output: Path | None) -> None:
    if what or output is not None:
        raise OptionError("--list draws nothing; leave out names of plots and --output")


def draw(run: Any, names: list[str]) -> Any:
    """The figure of these names."""
    if names in (["summary"], ["motion"]):
        return getattr(run.plot, names[0])()
    return run.plot(*names)


def new_picture(run: Path, names: list[str]) -> Path:
    """RUN-WHAT.png in this folder, with a number if there is one already."""
    words = [re.sub(r"[^\w.-]+", "-", name).strip("-.") or "plot" for name in names]
    stem = f"{run.stem}-{'-'.join(words)}"[:120]
    for number in range(1, 10_000):
        found = Path(f"{stem}.png" if number == 1 else f"{stem}-{number}.png")
        if not (found.exists() or found.is_symlink()):
            return found
    raise OptionError(f"ten thousand pictures {stem}-… exist here; remove some, or give --output")


def print_plots(run: Any) -> None:
    """The plots that a run has, and the parts that have one."""
    from hamiltree.view.plot_names import PART_KINDS, available_plots, names_of

    table = plain_table("hamiltree plot RUN.nc WHAT …", "what", "what it shows")
    for name, summary in available_plots(run).items():
        table.add_row(name, summary)
    for kind, summary in PART_KINDS.items():
        names = names_of(run, kind)
        if names:
            more = f", and {len(names) - MAX_LISTED} more" * (len(names) > MAX_LISTED)
            shown = f"{kind}:NAME" if kind in ("phase", "path") else "NAME"
            table.add_row(shown, f"{summary}: {', '.join(names[:MAX_LISTED])}{more}")
    list_console().print(table, markup=False)
