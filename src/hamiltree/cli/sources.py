"""What a command works on: the problem of a file, or a model of the library by its name."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hamiltree.catalogue import normalise_name
from hamiltree.console import tell
from hamiltree.errors import (
    FileError,
    FitError,
    ModelError,
    OptionError,
    find_similar,
    shorten_message,
    suggest,
)

CALL = re.compile(r"([\w-]+)\((.*)\)")  # chain(10), as models of the library are called in Python


def load_source(model: Path, reading: dict[str, Any]) -> tuple[Any, list[Any]]:
    """The problem of a file with its sections, or the library model of this name where there is no
    such file.
    """
    from hamiltree.run.problem_files import load_problem

    called = CALL.fullmatch(str(model))
    if model.exists() or (not called and (model.suffix or len(model.parts) > 1)):
        with plain_warnings():
            return load_problem(model, **reading)
    typed, arguments = called.groups() if called else (model.name, "")
    name = find_library_name(typed)
    if reading:
        raise OptionError(f"{model} is a model of the library; {', '.join(reading)} is for files")
    return make_library_model(name, arguments), []


def name_of_run(model: Path) -> Path:
    """The file of a run of a model, in the current folder: crane.nc of crane.toml, chain.nc of
    chain(10).
    """
    called = None if model.exists() else CALL.fullmatch(str(model))
    return Path(f"{called[1]}.nc") if called else Path(model.with_suffix(".nc").name)


def find_library_name(typed: str) -> str:
    """The name in the library, whatever its case and dashes; else an error with what is similar,
    model files of this folder included.
    """
    from hamiltree.files.missing import model_files_beside
    from hamiltree.model.library import LIBRARY

    spelled = {normalise_name(name): name for name in LIBRARY}
    if normalise_name(typed) in spelled:
        return spelled[normalise_name(typed)]
    files = {Path(name).stem: name for name in model_files_beside(Path(typed))}
    similar = find_similar(typed, [*files, *LIBRARY])
    remedy = "`hamiltree list models` shows all"
    if similar is not None:
        remedy = f"did you mean {files.get(similar, similar)!r}? ({remedy})"
    raise FileError(f"{typed}: no such file, and the library has no model of this name; {remedy}")


def make_library_model(name: str, arguments: str = "") -> Any:
    """A library model with its defaults and the numbers that are given; one whose size has no
    default is refused without.
    """
    from hamiltree.model.library import LIBRARY, build

    given, named = numbers_of(name, arguments)
    parameters = inspect.signature(LIBRARY[name]).parameters
    for key in named:
        if key not in parameters:
            raise OptionError(f"the library's {name} has no {key!r}; {suggest(key, parameters)}")
    if len(given) > len(parameters):
        raise OptionError(f"the library's {name} takes {len(parameters)} numbers at most")
    twice = next((key for key in list(parameters)[: len(given)] if key in named), None)
    if twice is not None:
        raise OptionError(f"the library's {name} has {twice} twice")
    left = [p for p in list(parameters.values())[len(given) :] if p.name not in named]
    lacking = [p.name for p in left if p.default is p.empty]
    if lacking:
        raise OptionError(
            f"the library's {name} needs {', '.join(lacking)}; write it in brackets and quotes: "
            f"'{name}(10)'"
        )
    return build(name, *given, **named)


def numbers_of(name: str, arguments: str) -> tuple[list[float], dict[str, float]]:
    """Numbers in order and by name, as in "3, length=0.5"."""
    given: list[float] = []
    named: dict[str, float] = {}
    for text in filter(None, map(str.strip, arguments.split(","))):
        key, _, value = text.rpartition("=")
        try:
            number = int(value) if re.fullmatch(r"\s*[+-]?\d+\s*", value) else float(value)
        except ValueError:
            raise OptionError(
                f"{name}({arguments}): {text!r} is not a number; other arguments need Python: "
                f"hamiltree.library.{name}(…)"
            ) from None
        if key.strip() in named or (not key and named):
            what = "comes after one with a name" if not key else "is given twice"
            raise OptionError(f"{name}({arguments}): {text!r} {what}")
        if key:
            named[key.strip()] = number
        else:
            given.append(number)
    return given, named


@contextmanager
def located_errors(model: Path) -> Iterator[None]:
    """Add the file and the line to an error about a part of a file's model."""
    from hamiltree.files import located

    try:
        yield
    except (FitError, ModelError) as error:
        if not model.suffix:
            raise
        raise type(error)(located(error, model)) from None


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Print warnings at once as single lines, without their place in the code."""

    def show(message: Any, *_place: Any, **_more: Any) -> None:
        tell(shorten_message(f"hamiltree: warning: {message}"))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        yield
