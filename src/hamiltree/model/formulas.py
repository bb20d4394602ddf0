"""Formulas that a user writes, and numbers by name: fields of forces, constraints and potentials.

Formulas are kept as text; they are read when the model is assembled, because only then all names
are known.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from hamiltree.errors import ModelError
from hamiltree.model.values import Part, number, part_error, text

# ---- formulas, and numbers by name ---------------------------------------------------------------
Formula = str | float
Value = TypeVar("Value")


class FrozenMapping(Mapping[str, Value]):
    """Values by name that never change, so that what holds them can be hashed."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        return repr(self._values)


class NamedNumbers(FrozenMapping[float]):
    """Numbers by name."""

    __slots__ = ()


NO_PARAMETERS = NamedNumbers({})


def check_named_numbers(value: Any, part: Part, field: str) -> NamedNumbers:
    """{name: finite number}; a name is one that can stand in a formula."""
    if not isinstance(value, Mapping):
        raise part_error(part, field, value, "is no table of numbers; give {name: number}")
    for name in value:
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
            raise part_error(
                part,
                field,
                name,
                "cannot be a name in a formula; give a letter followed by letters, digits and _",
            )
    return NamedNumbers({name: _named_number(x, part, field, name) for name, x in value.items()})


def _named_number(value: Any, part: Part, field: str, name: str) -> float:
    """The message names the number, the error's field is that of the part."""
    try:
        return number(value, part, f"{field}.{name}")
    except ModelError as error:
        error.field = field
        raise


def formula(value: Any, part: Part, field: str, or_function: bool = False) -> Any:
    """A text, a number, or the text of a SymPy expression; a Python function as it is, if one may
    stand there.
    """
    if type(value).__module__.startswith("sympy.") and hasattr(value, "xreplace"):
        return text_of_sympy(value)
    if isinstance(value, str):
        return text(value, part, field)
    if or_function and callable(value):
        return value
    if type(value) is bool or not hasattr(value, "__float__"):
        raise part_error(
            part,
            field,
            value,
            "is no formula; give a text such as "
            f"'-3*q'{', or a function f(t, x, out)' if or_function else ''}",
        )
    return number(value, part, field)


def formulas(value: Any, length: int, part: Part, field: str) -> tuple[Formula, ...]:
    items = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(items, (tuple, list)) or len(items) != length:
        raise part_error(
            part, field, value, f"is no list of {length} formulas; give {length} texts or numbers"
        )
    return tuple(formula(item, part, field) for item in items)


def text_of_sympy(value: Any) -> str:
    """As SymPy prints it, but floats with all their digits and functions by our names."""
    import sympy

    printed = {
        x: sympy.Symbol(f"({float(x)!r})") for x in value.atoms(sympy.Float, sympy.NumberSymbol)
    }
    return re.sub(
        r"\b(Abs|Min|Max)\(", lambda found: found[0].lower(), str(value.xreplace(printed))
    )
