"""`hamiltree view`: the page of a run or of a model, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hamiltree.cli.options import Force, takes_reader_options
from hamiltree.cli.output import check_distinct_files
from hamiltree.cli.sources import load_source
from hamiltree.errors import FileError, OptionError
from hamiltree.model.library_calls import file_stem

Viewed = Annotated[
    Path,
    typer.Argument(
        help="A run (.nc), a model file (.toml, .urdf, .xml, .mjcf), or the name of a library "
        "model."
    ),
]
Html = Annotated[
    Path | None,
    typer.Option("--html", help="The file to write. Default: a temporary one, which is opened."),
]
Open = Annotated[bool, typer.Option("--open", help="Also open the file in the browser.")]
Reactions = Annotated[
    bool,
    typer.Option("--reactions", help="Compute forces and moments of all joints, for the arrows."),
]
MaxMegabytes = Annotated[
    float | None,
    typer.Option(
        "--max-megabytes",
        help="Leave out frames of a run beyond this size of the file. Default: 20.",
    ),
]

Gif = Annotated[
    Path | None, typer.Option("--gif", help="Write the motion of a run as a film (.gif).")
]
Mp4 = Annotated[
    Path | None,
    typer.Option("--mp4", help="Write the motion of a run as a film (.mp4; needs ffmpeg)."),
]
Fps = Annotated[
    float | None, typer.Option("--fps", help="Frames per second of a film. Default: 25.")
]
Speed = Annotated[
    float | None,
    typer.Option("--speed", help="How much faster a film is than the page at speed 1."),
]
Pixels = Annotated[
    str | None,
    typer.Option("--size", help="Width and height of a film in pixels. Default: 800x600."),
]
Renderer = Annotated[
    str | None,
    typer.Option(
        "--renderer",
        help="Who draws a film: chromium (the page) or matplotlib. Default: what is installed.",
    ),
]


@takes_reader_options
def view(
    source: Viewed,
    reading: dict[str, Any],
    html: Html = None,
    open: Open = False,
    force: Force = False,
    reactions: Reactions = False,
    max_megabytes: MaxMegabytes = None,
    gif: Gif = None,
    mp4: Mp4 = None,
    fps: Fps = None,
    speed: Speed = None,
    size: Pixels = None,
    renderer: Renderer = None,
) -> None:
    """Show a run or a model: moving picture, plots and figures in one HTML file that needs no
    network; or the motion of a run as a film.
    """
    from hamiltree.trajectory.netcdf import writable_path
    from hamiltree.view.page.view import Page

    films = check_films(gif, mp4, force)
    pixels = None if size is None else size.lower().split("x")
    wishes = {"fps": fps, "speed": speed, "size": pixels, "renderer": renderer}
    options = {name: value for name, value in wishes.items() if value is not None}
    if options and not films:
        raise OptionError(f"--{next(iter(options))} is for films; give --gif or --mp4 too")
    has_page = html is not None or open or not films
    if not has_page:
        refuse_options_of_pages(reactions, max_megabytes)
    check_distinct_files({"the run": source, "--html": html, "--gif": gif, "--mp4": mp4})
    if html is not None:
        writable_path(html, force)
    shown = load_viewed(source, reading)
    if films:
        write_films(shown, films, force=force, **options)
        if not has_page:
            return
    page = Page(shown, reactions, max_megabytes)
    if html is not None:
        page.save(html, force)
    is_open = page.open() if open or html is None else False
    print(f"wrote {page.path}" + ("" if is_open else "; open it in a browser"))


def refuse_options_of_pages(reactions: bool, max_megabytes: float | None) -> None:
    """Films have neither arrows of reactions nor a largest size."""
    given = {"--reactions": reactions, "--max-megabytes": max_megabytes is not None}
    for name in (name for name, is_given in given.items() if is_given):
        raise OptionError(f"{name} is for pages; give --html or --open too")


def check_films(gif: Path | None, mp4: Path | None, force: bool) -> list[Path]:
    """The films that are wanted, each in the format that its option says."""
    from hamiltree.view.film.film import check_film

    for path, ending in ((gif, ".gif"), (mp4, ".mp4")):
        if path is not None and path.suffix.lower() != ending:
            raise OptionError(f"{path}: the file of --{ending[1:]} ends in {ending}")
    return [check_film(path, force) for path in (gif, mp4) if path is not None]


def write_films(shown: Any, films: list[Path], **options: Any) -> None:
    """The films of a run; Ctrl-C leaves none of them half."""
    from hamiltree.trajectory.trajectory import Trajectory
    from hamiltree.view.film.film import write_film

    if not isinstance(shown, Trajectory):
        raise OptionError("a film shows a run; use `hamiltree run`, then `hamiltree view RUN.nc`")
    for path in films:
        print(f"wrote {write_film(shown, path, **options)}")


def load_viewed(source: Path, reading: dict[str, Any]) -> Any:
    """A Trajectory or a Model."""
    from hamiltree.model.model import Model
    from hamiltree.problems.ode import Ode
    from hamiltree.trajectory.trajectory import Trajectory

    if source.suffix.lower() == ".nc":
        return Trajectory.load(source)
    problem, _ = load_source(source, reading)
    if not isinstance(problem, Model):
        what = "an ode" if isinstance(problem, Ode) else "an H(q, p)"
        name = f"{file_stem(source)}.nc"
        raise FileError(
            f"{source} has {what}, which shows itself only in a run; use `hamiltree run "
            f"{source}`, then `hamiltree view {name}`"
        )
    return problem
