"""A file that is not there: which model file in the same folder was probably meant."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from hamiltree.errors import find_similar

ENDINGS = (".toml", ".urdf", ".xml", ".mjcf")
MAX_SEEN = 10_000  # entries of a folder


def model_files_beside(path: Path) -> list[str]:
    """Names of the model files in the folder of a path; none if the folder cannot be read."""
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry in islice(entries, MAX_SEEN)]
    except OSError:
        return []
    return sorted(name for name in names if Path(name).suffix.lower() in ENDINGS)


def suggest_file(path: str | os.PathLike[str]) -> str:
    """'; did you mean crane.toml?' if the folder has a model file of a similar name, else ''."""
    missing = Path(path)
    names = model_files_beside(missing)
    same_stem = [name for name in names if Path(name).stem == missing.stem]
    stems = {Path(name).stem: name for name in names}
    same_ending = [name for name in names if Path(name).suffix == missing.suffix]
    stems |= {Path(name).stem: name for name in same_ending}  # the same ending goes first
    similar = same_stem[0] if same_stem else stems.get(find_similar(missing.stem, stems) or "")
    return f"; did you mean {missing.with_name(similar)}?" if similar else ""


def describe_unreadable(path: str | os.PathLike[str], error: Exception) -> str:
    """Why a file cannot be read, with the name that was probably meant."""
    reason = getattr(error, "strerror", None) or error
    hint = suggest_file(path) if isinstance(error, FileNotFoundError) else ""
    return f"{os.fspath(path)}: cannot be read: {reason}{hint}"
