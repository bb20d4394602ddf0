"""Catalogues of the kinds of parts that a model can have: a class enters one by `register`.

Whatever is in a catalogue is known to TOML files, to `hamiltree list`, to the units and as `ht.…`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from hamiltree.errors import suggest

Kind = TypeVar("Kind")
# how the form of a constructor calls the types that only this package knows
PLAIN_TYPES = {"Vector": "(x, y, z)", "SixOrMatrix": "six numbers"}


def register(catalogue: dict[str, Any]) -> Callable[[type[Kind]], type[Kind]]:
    """Decorator: put a class into a catalogue by its `kind`, and explain wrong arguments of it."""

    def add(part: type[Kind]) -> type[Kind]:
        catalogue[part.kind] = explain_arguments(part)  # type: ignore[attr-defined]
        return part

    return add


def explain_arguments(part: type[Kind]) -> type[Kind]:
    """Decorator: a call with wrong arguments names the right form, `Box(size: (x, y, z), …)`."""
    make = part.__init__

    @wraps(make)
    def initialise(self: Any, *args: Any, **kwargs: Any) -> None:
        """The constructor; a TypeError of the arguments themselves gets the form."""
        try:
            make(self, *args, **kwargs)
        except TypeError as error:
            signature = inspect.signature(make)
            try:
                signature.bind(self, *args, **kwargs)
            except TypeError as reason:
                hint = suggest_argument(signature, kwargs)
                raise TypeError(
                    f"{part.__name__}: {reason}; {hint}write {constructor_form(part)}"
                ) from None
            raise error

    part.__init__ = initialise
    return part


def suggest_argument(signature: inspect.Signature, given: dict[str, Any]) -> str:
    """ "did you mean 'stiffness'? " for the first unknown argument, if one is near."""
    known = [name for name in signature.parameters if name != "self"]
    unknown = next((name for name in given if name not in known), None)
    hint = "" if unknown is None else suggest(unknown, known)
    return f"{hint} " if hint.startswith("did you mean") else ""


def constructor_form(part: type) -> str:
    """How a part is made: required arguments with their types, the others by name."""
    words = []
    for name, parameter in list(inspect.signature(part.__init__).parameters.items())[1:]:
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in words:
            words.append("*")
        if parameter.default is parameter.empty:
            annotation = str(parameter.annotation)
            words.append(f"{name}: {PLAIN_TYPES.get(annotation, annotation)}")
        else:
            words.append(f"{name}=…")
    return f"{part.__name__}({', '.join(words)})"
