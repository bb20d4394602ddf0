"""Readers and writers of models. A new format is a file here and a line in each table."""

from os import PathLike
from pathlib import Path

from hamiltree.errors import FileError
from hamiltree.files.toml import model_from_toml, model_to_toml, read_model, write_model
from hamiltree.model import Model

__all__ = ["load", "model_from_toml", "model_to_toml", "read_model", "save", "write_model"]

READERS = {".toml": read_model}
WRITERS = {".toml": write_model}


def load(path: str | PathLike) -> Model:
    """The model of a file, by its ending."""
    return chosen(READERS, path)(path)


def save(model: Model, path: str | PathLike, force: bool = False) -> None:
    """Write a model to a file, by its ending; an existing file is kept unless forced."""
    chosen(WRITERS, path)(model, path, force=force)


def chosen(table, path):
    ending = Path(path).suffix.lower()
    if ending not in table:
        raise FileError(f"{path}: no model format has the ending {ending!r}; known: {', '.join(table)}")
    return table[ending]
