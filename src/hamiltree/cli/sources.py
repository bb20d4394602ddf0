"""What a command works on: the problem of a file, or a model of the library by its name."""

from __future__ import annotations

import inspect
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
)
from hamiltree.model.library_calls import (
    LibraryCall,
    check_arguments,
    is_library_call,
    parse_library_call,
)


def load_source(model: Path, reading: dict[str, Any]) -> tuple[Any, list[Any]]:
    """The problem of a file with its sections, or the library model of this name where there is no
    such file.
    """
    from hamiltree.run.problem_files import load_problem

    if is_file_name(model):
        with plain_warnings():
            return load_problem(model, **reading)
    call = LibraryCall(model.name, [], {})
    if is_library_call(model):
        call = parse_library_call(str(model))
    elif "(" in model.name:
        raise OptionError(f"{str(model)!r} is not name(arguments), e.g. 'n_pendulum(5)'")
    name = find_library_name(call.name)
    if reading:
        raise OptionError(f"{model} is a model of the library; {', '.join(reading)} is for files")
    return make_library_model(name, call), []


def is_file_name(model: Path) -> bool:
    """Whether a file is meant, not a model of the library."""
    is_path = bool(model.suffix) or model.exists() or len(model.parts) > 1
    return is_path and not is_library_call(model)


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


def make_library_model(name: str, call: LibraryCall) -> Any:
    """A library model with the arguments given; one whose size has no default needs it."""
    from hamiltree.model.library import LIBRARY, build

    parameters = inspect.signature(LIBRARY[name]).parameters.values()
    lacking = [p.name for p in parameters if p.default is p.empty]
    if lacking and not (call.arguments or call.options):
        raise OptionError(
            f"the library's {name} needs {', '.join(lacking)}; give it in brackets and quotes: "
            f"'{name}(10)'"
        )
    check_arguments(LIBRARY[name], call, name)
    return build(name, *call.arguments, **call.options)


@contextmanager
def located_errors(model: Path) -> Iterator[None]:
    """Add the file and the line to an error about a part of a file's model."""
    from hamiltree.files import located

    try:
        yield
    except (FitError, ModelError) as error:
        if not is_file_name(model):
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
