"""Which URDF files of example-robot-data load, as a Markdown table:
python -m benchmarks.robot_table [folder].

pip install example-robot-data; the folder is found in the environment unless given.
"""

import re
import sys
import sysconfig
import warnings
from pathlib import Path

from hamiltree.errors import HamiltreeError
from hamiltree.files.urdf import read_urdf
from hamiltree.model import Model

INSTALLED = (
    Path(sysconfig.get_path("purelib")) / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
)
OPTIONS = {
    "as it is": {},
    "merged": {"merge_fixed": True},
    "repaired": {"inertia": "repair", "mimic": "ignore"},
}


def read(path: Path, **options) -> Model | str:
    """The model, or why there is none; the message begins with the path, of which the line is
    enough.
    """
    try:
        return read_urdf(path, **options)
    except HamiltreeError as error:
        message = re.sub(r"inertia = \[\[.*?\]\]", "inertia", str(error).removeprefix(f"{path}:"))
        return "line " + re.split(r"; |, but ", message)[0].replace("|", "\\|")


def row(path: Path, folder: Path) -> list[str]:
    """File, bodies, speeds on a fixed and on a floating base, how it loads; counts are of the first
    set of options with which it loads.
    """
    by_options = {name: read(path, **options) for name, options in OPTIONS.items()}
    first = next((name for name, found in by_options.items() if isinstance(found, Model)), None)
    cells = ["", "", ""]
    if first is not None:
        fixed, floating = by_options[first], read(path, floating_base=True, **OPTIONS[first])
        cells = [
            str(len(fixed.bodies)),
            str(len(fixed.speeds)),
            str(len(floating.speeds)) if isinstance(floating, Model) else floating,
        ]
    plain = by_options["as it is"]
    loads = [name for name, found in by_options.items() if isinstance(found, Model)]
    status = (
        "loaded"
        if isinstance(plain, Model)
        else f"refused: {plain}" + (f"; loads {' or '.join(loads)}" if loads else "")
    )
    return [f"`{path.relative_to(folder)}`", *cells, status]


def main() -> None:
    """Print the table of all URDF files in a folder, and how many load."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else INSTALLED
    warnings.simplefilter("ignore")
    paths = sorted(folder.rglob("*.urdf"))
    print("| file | bodies | speeds, fixed base | speeds, floating base | |")
    print("|---|---|---|---|---|")
    for path in paths:
        print("| " + " | ".join(row(path, folder)) + " |")
    counts = {
        name: sum(isinstance(read(path, **options), Model) for path in paths)
        for name, options in OPTIONS.items()
    }
    print(
        f"\n{len(paths)} files; "
        + ", ".join(f"{count} load {name}" for name, count in counts.items())
        + "."
    )


if __name__ == "__main__":
    main()
