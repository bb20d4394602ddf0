"""`hamiltree view`: the page of a run or of a model, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hamiltree.cli.options import Force, takes_reader_options
from hamiltree.cli.sources import load_source
from hamiltree.errors import FileError

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
    float,
    typer.Option("--max-megabytes", help="Leave out frames of a run beyond this size of the file."),
]


@takes_reader_options
def view(
    source: Viewed,
    reading: dict[str, Any],
    html: Html = None,
    open: Open = False,
    force: Force = False,
    reactions: Reactions = False,
    max_megabytes: MaxMegabytes = 20.0,
) -> None:
    """Show a run or a model: moving picture, plots and figures in one HTML file that needs no
    network.
    """
    from hamiltree.trajectory.netcdf import writable_path
    from hamiltree.view.page.view import Page

    if html is not None:
        writable_path(html, force)
    shown = load_viewed(source, reading)
    page = Page(shown, reactions, max_megabytes)
    if html is not None:
        page.save(html, force)
    is_open = page.open() if open or html is None else False
    print(f"wrote {page.path}" + ("" if is_open else "; open it in a browser"))


def load_viewed(source: Path, reading: dict[str, Any]) -> Any:
    """A Trajectory or a Model."""
    from hamiltree.model.model import Model
    from hamiltree.trajectory.trajectory import Trajectory

    if source.suffix.lower() == ".nc":
        return Trajectory.load(source)
    problem, _ = load_source(source, reading)
    if not isinstance(problem, Model):
        name = source.with_suffix(".nc").name
        raise FileError(
            f"{source} has an H(q, p), which shows itself only in a run; use `hamiltree run "
            f"{source}`, then `hamiltree view {name}`"
        )
    return problem
