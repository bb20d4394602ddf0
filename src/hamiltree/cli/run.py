"""`hamiltree demo` and `hamiltree run`: simulate, write the trajectory, report."""

from pathlib import Path
from typing import Annotated, Any

import typer

from hamiltree.cli.options import Force, Quiet, Source, takes_reader_options
from hamiltree.cli.output import (
    check_distinct_files,
    check_picture,
    draw,
    new_folder,
    remove_if_empty,
)
from hamiltree.cli.report import Detail, Format, check_report_options, print_report
from hamiltree.cli.sources import load_source, located_errors, plain_warnings
from hamiltree.errors import OptionError

# arguments of simulate that are not options of a method: the command has its own options for them
RESERVED = (
    *("problem", "until", "step", "formulation", "integrator", "save_every"),
    *("q", "qdot", "p", "y", "sections", "events"),
    *("progress", "output", "force", "assemble"),
)
Until = Annotated[
    float | None,
    typer.Option("--until", "-u", help="End time (in seconds for a model). Default: 10."),
]
Step = Annotated[
    float | None,
    typer.Option("--step", "-s", help="Step size (in seconds for a model). Default: 1e-3."),
]
Integrator = Annotated[
    str | None,
    typer.Option(
        "--integrator",
        "-i",
        help="Integrator (see `hamiltree list integrators`). Default: the formulation's own "
        "(gauss8; spark6 where the integrator imposes constraints, as with hamiltonian_loops; "
        "dop853 where states are projected, as with cartesian_3 and kane_absolute).",
    ),
]
Formulation = Annotated[
    str | None,
    typer.Option(
        "--formulation",
        "-f",
        help="Equations of motion of a model (see `hamiltree list formulations`). "
        "Default: hamiltonian_tree, or hamiltonian_loops for a model with loops, constraints or "
        "drives.",
    ),
]
SaveEvery = Annotated[
    int | None,
    typer.Option("--save-every", help="Save every n-th step. Default: about 2000 samples."),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="The netCDF file to write. Default: the name of the model with the ending .nc, in "
        "the current folder.",
    ),
]
Picture = Annotated[
    Path | None,
    typer.Option("--picture", "-p", help="Also write a picture of the run (.png, .pdf, .svg)."),
]
Sections = Annotated[
    list[str] | None,
    typer.Option(
        "--section",
        help="Collect the points where this expression crosses zero. May be repeated.",
    ),
]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-O",
        help="An option of the integrator or formulation, e.g. rtol=1e-10 or projection=false. "
        "May be repeated.",
    ),
]
Assemble = Annotated[
    bool,
    typer.Option(
        "--assemble", help="Correct the start values so that all loops and constraints are closed."
    ),
]
Hold = Annotated[
    list[str] | None,
    typer.Option(
        "--hold", help="Assemble, but keep the start value of this joint. May be repeated."
    ),
]


def demo(quiet: Quiet = False) -> None:
    """Simulate ten bodies on random hinges for 100 s, report the accuracy, and write the
    trajectory, a picture and a page to look at into a new folder.
    """
    from hamiltree.model import library
    from hamiltree.run.simulate import simulate

    folder = new_folder("hamiltree-demo")
    try:
        trajectory = simulate(
            library.chain(10),
            until=100.0,
            step=1e-3,
            save_every=5,
            output=folder / "run.nc",
            progress=not quiet,
        )
    except BaseException:
        remove_if_empty(folder)
        raise
    draw(trajectory, folder / "run.png")
    page = trajectory.view(html=folder / "run.html", open=False)
    print_report(trajectory, [folder / "run.nc", folder / "run.png", folder / "run.html"])
    if not page.open():
        print(f"Open {folder / 'run.html'} in a browser to see it move; it needs no network.")
    exit_if_interrupted(trajectory)


@takes_reader_options
def run(
    model: Source,
    reading: dict[str, Any],
    until: Until = None,
    step: Step = None,
    integrator: Integrator = None,
    formulation: Formulation = None,
    save_every: SaveEvery = None,
    output: Output = None,
    picture: Picture = None,
    section: Sections = None,
    option: Options = None,
    force: Force = False,
    assemble: Assemble = False,
    hold: Hold = None,
    report: Detail = "plain",
    report_format: Format = "text",
    quiet: Quiet = False,
) -> None:
    """Simulate a model file, a file of a Hamiltonian or an ode, or a library model, and write its
    trajectory.
    """
    from hamiltree.run.simulate import simulate
    from hamiltree.trajectory.netcdf import writable_path

    check_report_options(report, report_format)
    problem, sections = load_source(model, reading)
    target = output or Path(model.with_suffix(".nc").name)
    if picture is not None:
        check_picture(writable_path(picture, force))
    check_distinct_files({"the model": model, "--output": target, "--picture": picture})
    with located_errors(model), plain_warnings():
        trajectory = simulate(
            problem,
            until,
            step,
            formulation,
            integrator,
            save_every,
            assemble=list(hold) if hold else assemble,
            sections=[*sections, *(section or ())],
            progress=not quiet,
            output=target,
            force=force,
            **dict(map(parse_option, option or ())),
        )
    if picture is not None:
        draw(trajectory, picture)
    print_report(trajectory, [target, picture], report, report_format)
    exit_if_interrupted(trajectory)


def parse_option(text: str) -> tuple[str, Any]:
    """The name and the value of "name=value": a number, true or false, several numbers separated
    by commas, or a text.
    """
    left, equals, right = text.partition("=")
    name, value = left.strip(), right.strip()
    if not (name.isidentifier() and equals and value):
        raise OptionError(f"--option {text!r}; write name=value, e.g. rtol=1e-10")
    if name in RESERVED:
        raise OptionError(
            f"--option {text!r}: {name} is not an option of a method; see hamiltree run --help"
        )
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    try:
        numbers = [float(part) for part in value.split(",")]
    except ValueError:
        return name, value
    return name, numbers[0] if len(numbers) == 1 else numbers


def exit_if_interrupted(trajectory: Any) -> None:
    if trajectory.status.startswith("interrupted"):
        raise typer.Exit(130)
