"""Readers and writers of models. A new format is a file here and a line in each table."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from hamiltree.errors import FileError, OptionError, PartError, suggest
from hamiltree.files import toml
from hamiltree.files.shipped import find_file
from hamiltree.files.toml import model_from_toml, model_to_toml, read_model, write_model
from hamiltree.model import Model

__all__ = [
    "load",
    "located",
    "model_from_toml",
    "model_to_toml",
    "read_model",
    "save",
    "write_model",
]

# ending -> format; XML files say by their outermost element what they are. A format's module is
# imported when it is needed.
FORMATS = {".toml": "toml", ".urdf": "urdf", ".xml": "xml", ".mjcf": "mjcf"}
ROOTS = {"robot": "urdf", "mujoco": "mjcf"}
READERS = {
    "toml": ("toml", "read_model"),
    "urdf": ("urdf", "read_urdf"),
    "mjcf": ("mjcf", "read_mjcf"),
}
WRITERS = {".toml": ("toml", "write_model"), ".urdf": ("urdf_writer", "write_urdf")}


def load(path: str | PathLike[str], **options: Any) -> Model:
    """The model of a file, by its ending, or by its outermost element; options are those of its
    reader. A file that comes with the package is found by its name alone.
    """
    path = find_file(path)
    read = function_of(*READERS[format_of(path)])
    check_options(options, read, path)
    try:
        return read(path, **options)
    except RecursionError:
        raise FileError(f"{os.fspath(path)}:1: nested too deeply for a model") from None


def save(
    model: Model, path: str | PathLike[str], force: bool = False, **options: Any
) -> tuple[str, ...]:
    """Write a model to a file, by its ending; an existing file is kept unless forced.

    What was left out on request, a line for each.
    """
    ending = Path(path).suffix.lower()
    if ending not in WRITERS:
        raise FileError(
            f"{os.fspath(path)}: no model format that is written has the ending {ending!r}; known: "
            f"{', '.join(WRITERS)}"
        )
    write = function_of(*WRITERS[ending])
    check_options(options, write, path)
    return write(model, path, force=force, **options) or ()


def located(error: PartError, path: str | PathLike[str]) -> str:
    """The message of an error about a part of a file's model that came up after reading, with
    "file:line: " where it is known.
    """
    path = find_file(path)
    if format_of(path) == "toml":
        return toml.locate(error, path)
    if format_of(path) == "urdf":
        return function_of("urdf", "urdf_located")(error, path)
    return f"{os.fspath(path)}: {error}"


def format_of(path: str | PathLike[str]) -> str:
    """The name of a file's format."""
    source = os.fspath(path)
    ending = Path(path).suffix.lower()
    if "\0" in source:
        raise FileError(f"{source}: no name of a file has a null character")
    if ending == ".xacro":
        raise FileError(
            f"{source}: a xacro file is a program that makes URDF; expand it first: xacro "
            "robot.xacro > robot.urdf"
        )
    if ending not in FORMATS:
        known = ", ".join(FORMATS)
        words = "; a run is shown by hamiltree view, and goes on by hamiltree run --resume"
        hint = words if ending == ".nc" else ""
        raise FileError(
            f"{source}: no model format has the ending {ending!r}; known: {known}{hint}"
        )
    return FORMATS[ending] if FORMATS[ending] != "xml" else format_of_root(source)


def format_of_root(source: str) -> str:
    """The format of an XML file, by its outermost element."""
    from hamiltree.files.xml_text import quote, read_xml

    root = read_xml(source)
    if root.tag not in ROOTS:
        known = " or ".join(f"<{tag}> ({name})" for tag, name in ROOTS.items())
        raise FileError(
            f"{source}:{root.line}: the outermost element is <{quote(root.tag)[1:-1]}>; that of a "
            f"model is {known}"
        )
    return ROOTS[root.tag]


def function_of(module: str, name: str) -> Callable[..., Any]:
    return getattr(import_module(f"hamiltree.files.{module}"), name)


def check_options(
    options: dict[str, Any], function: Callable[..., Any], path: str | PathLike[str]
) -> None:
    """Refuse an option that the reader or the writer of this format does not have."""
    known = [
        p.name
        for p in inspect.signature(function).parameters.values()
        if p.name not in ("path", "model", "force")
    ]
    for name in options:
        if name not in known:
            remedy = suggest(name, known) if known else "this format has no options"
            raise OptionError(
                f"{os.fspath(path)}: there is no option {name!r} for such a file; {remedy}"
            )
