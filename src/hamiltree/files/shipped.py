"""Model files that come with the package: `six_axis_arm.urdf`.

They are found by their name alone where the current folder has no such file.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "robots"


def shipped_files() -> list[str]:
    """Their names."""
    return sorted(entry.name for entry in FOLDER.iterdir() if entry.suffix == ".urdf")


def find_file(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """The file, or the one of the package that has this name if there is no such file."""
    name = os.fspath(path)
    if os.path.basename(name) != name or os.path.lexists(name) or name not in shipped_files():
        return path
    return str(FOLDER / name)
