"""`hamiltree demo` and `hamiltree run`: simulate, write the trajectory, report."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from hamiltree.cli.options import Force, MaybeSource, Quiet, takes_reader_options
from hamiltree.cli.output import (
    NumberedFile,
    check_distinct_files,
    check_picture,
    draw,
    new_folder,
    remove_if_empty,
    unused_names,
)
from hamiltree.cli.report import Detail, Format, check_report_options, make_report, print_report
from hamiltree.cli.sources import load_source, located_errors, plain_warnings
from hamiltree.cli.start_values import (
    Qdot,
    StartMomenta,
    StartPositions,
    StartVariables,
    start_values,
)
from hamiltree.console import Activity, last_words, tell
from hamiltree.errors import OptionError
from hamiltree.model.library_calls import file_stem
from hamiltree.trajectory.kept_file import NO_REPORT, describe_file

# arguments of simulate that are not options of a method: the command has its own options for them
RESERVED = (
    *("problem", "until", "step", "formulation", "integrator", "save_every"),
    *("q", "qdot", "p", "y", "sections", "events"),
    *("progress", "output", "force", "assemble", "checkpoint", "split", "threads"),
)
Until = Annotated[
    float | None,
    typer.Option(
        "--until",
        "-u",
        help="End time (in seconds for a model). Default: that of the model, else 10.",
    ),
]
Step = Annotated[
    float | None,
    typer.Option(
        "--step",
        "-s",
        help="Step size (in seconds for a model). Default: that of the model, else 1e-3.",
    ),
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
Resume = Annotated[
    Path | None,
    typer.Option(
        "--resume",
        metavar="FILE",
        help="Go on with the run of this file: one that was killed or interrupted, to its end; one "
        "that is complete, to a later --until.",
    ),
]
Checkpoint = Annotated[
    float | None,
    typer.Option(
        "--checkpoint",
        metavar="SECONDS",
        help="Seconds from one checkpoint to the next, from which --resume goes on. Default: 10.",
    ),
]
Split = Annotated[
    str | None,
    typer.Option(
        "--split",
        metavar="SIZE",
        help="Samples (100000) or size (500MB) of one file; a longer run has several, run.nc, "
        "run.0001.nc, …, which are read as one. Default: 1GB.",
    ),
]
Threads = Annotated[
    int,
    typer.Option(
        "--threads",
        metavar="N",
        help="Threads that compute the branches of one large tree at the same time; the result has "
        "the same bits. For 10,000 bodies and more, where cores are free.",
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
    with last_words(f"{describe_file(trajectory, folder / 'run.nc')}{NO_REPORT}"):
        with Activity(not quiet, "making the report"):
            report = make_report(trajectory)  # first: the page shows it
            draw(trajectory, folder / "run.png")
            page = trajectory.view(html=folder / "run.html", open=False)
        names = ("run.nc", "run.png", "run.html")
        print_report(trajectory, report, [folder / name for name in names])
    if not page.open():
        print(f"Open {folder / 'run.html'} in a browser to see it move; it needs no network.")
    exit_if_interrupted(trajectory, folder / "run.nc")


@takes_reader_options
def run(
    reading: dict[str, Any],
    model: MaybeSource = None,
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
    q: StartPositions = None,
    qdot: Qdot = None,
    p: StartMomenta = None,
    y: StartVariables = None,
    resume: Resume = None,
    checkpoint: Checkpoint = None,
    split: Split = None,
    threads: Threads = 1,
    report: Detail = "plain",
    report_format: Format = "text",
    quiet: Quiet = False,
) -> None:
    """Simulate a model file, a file of a Hamiltonian or an ode, or a library model, and write its
    trajectory; or go on with a run that was killed or interrupted, or to a later time.
    """
    check_report_options(report, report_format)
    survives = {"checkpoint": checkpoint, "split": split, "threads": threads, "progress": not quiet}
    choices = dict(integrator=integrator, formulation=formulation, step=step, save_every=save_every)
    start = {"q": q, "qdot": qdot, "p": p, "y": y, "assemble": assemble, "hold": hold}
    start |= {"section": section, "option": option}
    if resume is not None:
        others = {"MODEL": model, "output": output, "force": force, **choices, **start, **reading}
        files = {"--output": resume, "--picture": picture_name(picture, force)}
        with Activity(not quiet, f"reading {resume}"):
            trajectory = resume_run(resume, until, others, survives)
    elif model is None:
        raise OptionError("give a model to run, or --resume FILE to go on with a run")
    else:
        about = choices | survives | {"until": until, "force": force}
        with Activity(not quiet, f"reading {model}"):
            source = load_source(model, reading)
            files, note = files_of_run(model, output, picture, force)
            about["output"] = NumberedFile(files["--output"], note)
            trajectory = simulate_source(model, source, start, about)
    tell_of_run(trajectory, files, report, report_format, not quiet)


def tell_of_run(
    trajectory: Any, files: dict[str, Any], report: str, report_format: str, progress: bool
) -> None:
    """Draw the picture that was asked for, print the report."""
    with last_words(f"{describe_file(trajectory, files['--output'])}{NO_REPORT}"):
        with Activity(progress, "making the report"):
            if files["--picture"] is not None:
                draw(trajectory, files["--picture"])
            made = make_report(trajectory, report)
        print_report(trajectory, made, list(files.values()), report_format, progress)
    exit_if_interrupted(trajectory, files["--output"])


def files_of_run(
    model: Path, output: Path | None, picture: Path | None, force: bool
) -> tuple[dict[str, Any], str]:
    """What a run writes, where a file exists that may not be overwritten under another name; and a
    note about that.
    """
    from hamiltree.trajectory.netcdf import writable_path

    target = output or Path(f"{file_stem(model)}.nc")
    if picture is not None:
        check_picture(writable_path(picture, True))
    check_distinct_files({"the model": model, "--output": target, "--picture": picture})
    files = {"--output": target, "--picture": picture}
    return (files, "") if force else unused_names(files)


def picture_name(picture: Path | None, force: bool) -> Path | None:
    """The picture of a run that goes on; where it exists under another name, unless forced."""
    from hamiltree.trajectory.netcdf import writable_path

    if picture is None:
        return None
    check_picture(writable_path(picture, True))
    return picture if force else unused_names({"--picture": picture})[0]["--picture"]


def simulate_source(
    model: Path, source: tuple[Any, list[Any]], start: dict[str, Any], about: dict[str, Any]
) -> Any:
    """Run the problem of a file or of the library."""
    from hamiltree.run.simulate import simulate

    problem, sections = source
    hold = start["hold"]
    with located_errors(model), plain_warnings():
        return simulate(
            problem,
            assemble=list(hold) if hold else start["assemble"],
            sections=[*sections, *(start["section"] or ())],
            **start_values(start),
            **about,
            **dict(map(parse_option, start["option"] or ())),
        )


def resume_run(
    path: Path, until: float | None, others: dict[str, Any], survives: dict[str, Any]
) -> Any:
    """Go on with a run; what its file says already is refused."""
    from hamiltree.run.resume import resume

    for name, value in others.items():
        if value:
            shown = name if name == "MODEL" else f"--{name.replace('_', '-')}"
            raise OptionError(
                f"--resume goes on with the run as it was begun; leave out {shown} (--until, "
                "--checkpoint, --split, --threads and --picture may be given)"
            )
    with plain_warnings():
        return resume(path, until, **survives)


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


def exit_if_interrupted(trajectory: Any, path: Path) -> None:
    """End the command, after a last line about what was kept; the report above it is long."""
    if trajectory.status.startswith("interrupted"):
        sys.stdout.flush()
        tell(f"hamiltree: {describe_file(trajectory, path)}")
        raise typer.Exit(130)
