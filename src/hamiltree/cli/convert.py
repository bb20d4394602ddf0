"""`hamiltree convert`: a model file in another format."""

from pathlib import Path
from typing import Annotated, Any

import typer

from hamiltree.cli.options import Force, takes_reader_options
from hamiltree.cli.output import check_distinct_files
from hamiltree.cli.sources import plain_warnings


@takes_reader_options
def convert(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="A model file (.toml, .urdf, .xml, .mjcf).")
    ],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The model file to write (.toml, .urdf).")
    ],
    reading: dict[str, Any],
    force: Force = False,
) -> None:
    """Write a model in another format, given by the ending of OUT, and list what is left out."""
    from hamiltree.files import load, save

    check_distinct_files({"IN": source, "OUT": target})
    for_reader, for_writer = divide_drops(reading.pop("drop", []), source, target)
    if for_reader:
        reading["drop"] = for_reader
    with plain_warnings():
        model = load(source, **reading)
    if for_reader:
        from hamiltree.files.mjcf import features_of

        for feature, what in features_of(source, root=reading.get("root")).items():
            print(f"left out: {feature}: {what}")
    for line in save(model, target, force, **({"drop": for_writer} if for_writer else {})):
        print(f"left out: {line}")
    print(f"wrote {target}")


def divide_drops(words: list[str], source: Path, target: Path) -> tuple[list[str], list[str]]:
    """What the reader leaves out, and what the writer leaves out; "all" is meant for both."""
    from hamiltree.files import format_of
    from hamiltree.files.mjcf_features import FEATURES, KEPT
    from hamiltree.files.urdf_writer import DROPPABLE

    if format_of(source) != "mjcf":
        return [], words
    is_urdf = target.suffix.lower() == ".urdf"
    of_reader = {*FEATURES, *KEPT}
    of_writer = {*DROPPABLE, "all"} if is_urdf else set(DROPPABLE) - of_reader
    for_reader = [word for word in words if word in of_reader or word not in DROPPABLE]
    return for_reader, [word for word in words if word in of_writer]
