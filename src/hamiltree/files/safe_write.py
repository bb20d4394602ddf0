"""Writing files: whole or not at all, and never over an existing file unless forced."""

import os
from pathlib import Path

from hamiltree.errors import FileError, spell_option
from hamiltree.files.durable import write_durably


def write_text(path: str | os.PathLike[str], text: str, force: bool = False) -> None:
    """Write text as UTF-8: the file is whole, or as before."""
    write_bytes(path, text.encode(), force)


def write_bytes(path: str | os.PathLike[str], content: bytes, force: bool = False) -> None:
    """Write to a temporary file, then rename it: the file is whole, or as before."""
    target = find_target(path)
    check_absent(path, force)
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        write_durably(target, content, beside)
    except OSError as error:
        raise FileError(
            f"{os.fspath(path)}: cannot be written: {error.strerror or error}"
        ) from error


def find_target(path: str | os.PathLike[str]) -> Path:
    """Where a name leads, all links followed."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        raise FileError(f"{os.fspath(path)}: cannot be written: {error}") from error


def check_absent(path: str | os.PathLike[str], force: bool) -> None:
    if not force and find_target(path).exists():
        raise FileError(
            f"{os.fspath(path)}: exists already; choose another name, or overwrite it with "
            f"{spell_option('force')}"
        )
