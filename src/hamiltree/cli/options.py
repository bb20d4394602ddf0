"""Arguments and options that several commands share, and the options of the file readers."""

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from hamiltree.errors import OptionError

Source = Annotated[
    Path,
    typer.Argument(
        help="A model file (.toml, .urdf, .xml, .mjcf), a file with a Hamiltonian or an "
        "ode (.toml), "
        "or a library model: four_bar, 'chain(10)' (see `hamiltree list models`)."
    ),
]
MaybeSource = Annotated[
    Path | None,
    typer.Argument(
        help="A model file (.toml, .urdf, .xml, .mjcf), a file with a Hamiltonian or an "
        "ode (.toml), "
        "or a library model: four_bar, 'chain(10)' (see `hamiltree list models`). None with "
        "--resume."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no plan and no progress.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing output.")]

READERS = "Reading model files"  # the panel of the help text


def reader_option(name: str, help: str, **more: Any) -> Any:
    """An option of the file readers, in their own panel of the help text."""
    return typer.Option(f"--{name}", help=help, rich_help_panel=READERS, **more)


# keyword argument of `load` -> the type of the option; what is not given is left to the reader
READER_OPTIONS: dict[str, Any] = {
    "floating_base": Annotated[
        bool | None, reader_option("floating-base", "URDF files: let the root link move freely.")
    ],
    "merge_fixed": Annotated[
        bool | None,
        reader_option(
            "merge-fixed", "URDF files: merge links connected by fixed joints into one body."
        ),
    ],
    "mimic": Annotated[
        str | None,
        reader_option(
            "mimic",
            "URDF files: follow or ignore mimic joints; ignored, they move independently. "
            "Default: follow.",
            metavar="WORD",
        ),
    ],
    "dynamics": Annotated[
        str | None,
        reader_option(
            "dynamics",
            "URDF files: keep or drop damping and friction of joints. Default: keep.",
            metavar="WORD",
        ),
    ],
    "limits": Annotated[
        str | None,
        reader_option(
            "limits",
            "URDF files: keep limits of joints as data, spring: also as stops (give "
            "--limit-stiffness), or drop them. Default: keep.",
            metavar="WORD",
        ),
    ],
    "limit_stiffness": Annotated[
        float | None,
        reader_option(
            "limit-stiffness", "Stiffness of the stops of --limits spring, N m/rad or N/m."
        ),
    ],
    "inertia": Annotated[
        str | None,
        reader_option(
            "inertia",
            "URDF files: check inertias, or repair those that are physically impossible. "
            "Default: check.",
            metavar="WORD",
        ),
    ],
    "packages": Annotated[
        list[str] | None,
        reader_option(
            "packages",
            "URDF files: the folder of a ROS package, as NAME=FOLDER. May be repeated.",
            metavar="NAME=FOLDER",
        ),
    ],
    "root": Annotated[
        str | None,
        reader_option(
            "root",
            "MJCF files: the folder around the file from which it may read, by .. too.",
            metavar="FOLDER",
        ),
    ],
    "keyframe": Annotated[
        str | None,
        reader_option("keyframe", "MJCF files: start at this keyframe, by name or number."),
    ],
    "drop": Annotated[
        str | None,
        reader_option(
            "drop",
            "Leave out these features, separated by commas, or all. MJCF files: contact, limits, "
            "…; converting to URDF: forces, couplings, start, armature (reflected rotor "
            "inertia), limits, particles.",
        ),
    ],
}


def takes_reader_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add READER_OPTIONS to a command, which gets those that were given as `reading`."""

    @wraps(command)
    def with_reading(**given: Any) -> None:
        wanted = {name: given.pop(name) for name in READER_OPTIONS}
        command(reading=reader_options(**wanted), **given)

    own = inspect.signature(command, eval_str=True).parameters
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=None)
        for name, kind in READER_OPTIONS.items()
    ]
    kept = [parameter for name, parameter in own.items() if name != "reading"]
    with_reading.__signature__ = inspect.Signature([*kept, *added])  # type: ignore[attr-defined]
    with_reading.__annotations__ = {p.name: p.annotation for p in (*kept, *added)}
    return with_reading


def reader_options(**given: Any) -> dict[str, Any]:
    """The options of a reader that were given, and only those: no format knows all of them."""
    options = {name: value for name, value in given.items() if not is_missing(value)}
    if "packages" in options:
        options["packages"] = dict(map(parse_package, options["packages"]))
    if "drop" in options:
        options["drop"] = split_words(options["drop"])
    if options.get("keyframe", "").isdecimal():
        options["keyframe"] = int(options["keyframe"])
    return options


def is_missing(value: Any) -> bool:
    """Whether an option was not given; zero is a value."""
    return value is None or value is False or value == [] or value == ""


def parse_package(text: str) -> tuple[str, str]:
    """The name and the folder of "name=folder"."""
    name, equals, folder = text.partition("=")
    if not (name.strip() and equals and folder.strip()):
        raise OptionError(f"--packages {text!r}; write NAME=FOLDER, e.g. robot_meshes=./meshes")
    return name.strip(), folder.strip()


def split_words(text: str) -> list[str]:
    """The words of a list that is separated by commas."""
    return [word.strip() for word in text.split(",") if word.strip()]
