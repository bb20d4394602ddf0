"""Arguments and options that several commands share, and the options of the file readers."""

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

Source = Annotated[
    Path,
    typer.Argument(
        help="A model file (.toml, .urdf, .xml, .mjcf), a file with a Hamiltonian or an "
        "ode (.toml), "
        "or the name of a library model (see `hamiltree list models`)."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no plan and no progress.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing output.")]

READERS = "Reading model files"  # the panel of the help text
FloatingBase = Annotated[
    bool,
    typer.Option(
        "--floating-base",
        help="URDF files: let the root link move freely.",
        rich_help_panel=READERS,
    ),
]
MergeFixed = Annotated[
    bool,
    typer.Option(
        "--merge-fixed",
        help="URDF files: merge links connected by fixed joints into one body.",
        rich_help_panel=READERS,
    ),
]
IgnoreMimic = Annotated[
    bool,
    typer.Option(
        "--ignore-mimic",
        help="URDF files: let mimic joints move independently.",
        rich_help_panel=READERS,
    ),
]
RepairInertia = Annotated[
    bool,
    typer.Option(
        "--repair-inertia",
        help="URDF files: replace inertias that are physically impossible.",
        rich_help_panel=READERS,
    ),
]
Drop = Annotated[
    str,
    typer.Option(
        "--drop",
        help="Leave out these features, separated by commas, or all. MJCF files: contact, limits, "
        "…; converting to URDF: forces, couplings, start, armature (reflected rotor "
        "inertia), particles.",
        rich_help_panel=READERS,
    ),
]
Root = Annotated[
    str,
    typer.Option(
        "--root",
        help="MJCF files: the folder around the file from which it may read, by .. too.",
        rich_help_panel=READERS,
    ),
]
# name of the parameter -> its type and default
READER_OPTIONS = {
    "floating_base": (FloatingBase, False),
    "merge_fixed": (MergeFixed, False),
    "ignore_mimic": (IgnoreMimic, False),
    "repair_inertia": (RepairInertia, False),
    "drop": (Drop, ""),
    "root": (Root, ""),
}


def takes_reader_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add READER_OPTIONS to a command, which gets those that were given as `reading`."""

    @wraps(command)
    def with_reading(**given: Any) -> None:
        wanted = {name: given.pop(name) for name in READER_OPTIONS}
        command(reading=reader_options(**wanted), **given)

    own = inspect.signature(command, eval_str=True).parameters
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
        for name, (kind, default) in READER_OPTIONS.items()
    ]
    kept = [parameter for name, parameter in own.items() if name != "reading"]
    with_reading.__signature__ = inspect.Signature([*kept, *added])  # type: ignore[attr-defined]
    with_reading.__annotations__ = {p.name: p.annotation for p in (*kept, *added)}
    return with_reading


def reader_options(
    floating_base: bool,
    merge_fixed: bool,
    ignore_mimic: bool,
    repair_inertia: bool,
    drop: str,
    root: str,
) -> dict[str, Any]:
    """The options of a reader that were given, and only those: no format knows all of them."""
    options = {
        "floating_base": floating_base,
        "merge_fixed": merge_fixed,
        "drop": split_words(drop),
        "mimic": ignore_mimic and "ignore",
        "inertia": repair_inertia and "repair",
        "root": root,
    }
    return {name: value for name, value in options.items() if value}


def split_words(text: str) -> list[str]:
    """The words of a list that is separated by commas."""
    return [word.strip() for word in text.split(",") if word.strip()]
