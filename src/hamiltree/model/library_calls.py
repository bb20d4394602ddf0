"""A library model with arguments, as typed in the shell: 'n_pendulum(5)', 'chain(10, seed=3)'.

Arguments are literals (numbers, texts, true and false, lists, tuples); nothing is evaluated.
"""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any, NamedTuple

from hamiltree.errors import OptionError, suggest

CALL = re.compile(r"\s*([A-Za-z][\w-]*)\s*\((.*)\)\s*", re.DOTALL)
MAX_TEXT_LENGTH = 1000
WORDS = {"true": True, "false": False, "none": None}


class LibraryCall(NamedTuple):
    """The name of a library model as it was typed, and its arguments."""

    name: str
    arguments: list[Any]
    options: dict[str, Any]


def is_library_call(source: Path) -> bool:
    """Whether this is a name with brackets, and no file."""
    text = str(source)
    return bool(CALL.fullmatch(text)) and len(text) <= MAX_TEXT_LENGTH and not source.exists()


def parse_library_call(text: str) -> LibraryCall:
    """The parts of "name(literals)"; what is no literal is refused."""
    found = CALL.fullmatch(text)
    assert found is not None
    try:
        call = ast.parse(f"f({found[2]})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise OptionError(f"{text!r} is not name(arguments), e.g. 'n_pendulum(5)'") from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise OptionError(f"{text!r} is not name(arguments), e.g. 'n_pendulum(5)'")
    arguments = [literal(node, text) for node in call.args]
    options: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise OptionError(f"{text!r}: give arguments one by one, without **")
        if keyword.arg in options:
            raise OptionError(f"{text!r}: {keyword.arg} is given twice")
        options[keyword.arg] = literal(keyword.value, text)
    return LibraryCall(found[1], arguments, options)


def literal(node: ast.expr, text: str) -> Any:
    """The value of a literal; a bare word other than true, false, none is refused."""
    if isinstance(node, ast.Name) and node.id.lower() in WORDS:
        return WORDS[node.id.lower()]
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError):
        shown = ast.get_source_segment(f"f({CALL.fullmatch(text)[2]})", node)  # type: ignore[index]
        raise OptionError(
            f"{text!r}: {shown!r} is no literal; give numbers, texts in quotes, true, false, or "
            "lists of them"
        ) from None


def check_arguments(function: Any, call: LibraryCall, name: str) -> None:
    """Refuse arguments that a library model does not have, and those that lack."""
    signature = inspect.signature(function)
    unknown = next((key for key in call.options if key not in signature.parameters), None)
    if unknown is not None:
        known = suggest(unknown, signature.parameters)
        raise OptionError(f"the library's {name} has no argument {unknown!r}; {known}")
    try:
        signature.bind(*call.arguments, **call.options)
    except TypeError as error:
        given = f"{name}{signature}".partition(" ->")[0]
        raise OptionError(f"the library's {name}: {error}; it is {given}") from None


def file_stem(source: Path) -> str:
    """What files of a run are called: n_pendulum_5 of 'n_pendulum(5)'."""
    if not is_library_call(source):
        return source.stem
    return re.sub(r"[^\w.=-]+", "_", str(source)).strip("_")
