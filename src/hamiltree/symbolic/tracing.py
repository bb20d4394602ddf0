"""A Python function of numbers as a formula: it is called once with names in place of numbers.

Arithmetic and NumPy's elementary functions of the arguments become trees (expression.py), through
NumPy's arrays of objects. What needs the value of a number, such as `if` or float(), has no tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hamiltree.symbolic.expression import (
    FUNCTIONS,
    Expression,
    ExpressionError,
    canonical_text,
    make_expression,
    make_tree,
    number,
)

MAX_NODES = 20_000  # of a tree: one that is longer takes SymPy minutes
# how NumPy calls functions that have another name in formulas
NUMPY_NAMES = {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "fabs": "abs",
}


class TraceError(Exception):
    """Why a function has no formula."""


class Traced:
    """A number that is not known yet: the tree that computes it, and how many nodes that has."""

    __slots__ = ("size", "tree")

    def __init__(self, tree: tuple, size: int = 1) -> None:
        self.tree = tree
        self.size = size

    def __add__(self, other: Any) -> Traced:
        return combine_scalars("+", self, other)

    def __radd__(self, other: Any) -> Traced:
        return combine("+", other, self)

    def __mul__(self, other: Any) -> Traced:
        return combine_scalars("*", self, other)

    def __rmul__(self, other: Any) -> Traced:
        return combine("*", other, self)

    def __neg__(self) -> Traced:
        return combine("*", -1, self)

    def __pos__(self) -> Traced:
        return self

    def __sub__(self, other: Any) -> Traced:
        return self + -1 * other

    def __rsub__(self, other: Any) -> Traced:
        return combine("+", other, -self)

    def __truediv__(self, other: Any) -> Traced:
        return combine_scalars("/", self, other)

    def __rtruediv__(self, other: Any) -> Traced:
        return combine("/", other, self)

    def __pow__(self, other: Any) -> Traced:
        return combine_scalars("**", self, other)

    def __rpow__(self, other: Any) -> Traced:
        return combine("**", other, self)

    def __abs__(self) -> Traced:
        return combine("abs", self)

    def __float__(self) -> float:
        raise TraceError("it needs the value of a number; take functions of numpy, not of math")

    def __bool__(self) -> bool:
        raise TraceError("it decides by the value of a number (if, max, a comparison)")

    def _compare(self, other: Any) -> bool:
        return bool(self)

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compare
    __hash__ = object.__hash__

    def conjugate(self) -> Traced:
        """All numbers are real."""
        return self

    def square(self) -> Traced:
        return self * self


def add_function(numpy_name: str, name: str) -> None:
    """The method by which NumPy's function of that name asks an object."""
    setattr(Traced, numpy_name, lambda self, *others: combine(name, self, *others))


for _name in FUNCTIONS:
    add_function(_name, _name)
for _name, _own in NUMPY_NAMES.items():
    add_function(_name, _own)


def as_traced(value: Any) -> Traced:
    """A number of the function's own as a leaf."""
    if isinstance(value, Traced):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return as_traced(value.item())
    if isinstance(value, (np.ndarray, list, tuple)):
        raise TraceError(f"it has an array of shape {np.shape(value)} where one number is needed")
    try:
        return Traced(number(value if isinstance(value, int) else float(value)))
    except (TypeError, ValueError, OverflowError):
        raise TraceError(f"it computes with {value!r}, which is no finite number") from None


def combine(operation: str, *values: Any) -> Traced:
    """The tree of an operation; sums and products of sums and products stay flat."""
    parts = [as_traced(value) for value in values]
    size = 1 + sum(part.size for part in parts)
    if size > MAX_NODES:
        raise TraceError(f"its formula has more than {MAX_NODES} parts")
    trees: list[tuple] = []
    for part in parts:
        is_same = operation in "+*" and part.tree[0] == operation
        trees += part.tree[1:] if is_same else [part.tree]
    try:
        return Traced(make_tree(operation, *trees), size)
    except (ZeroDivisionError, OverflowError, ValueError):
        raise TraceError(f"{operation} of its constants is not real and finite") from None


def combine_scalars(operation: str, a: Traced, b: Any) -> Any:
    """The same, unless b is an array, whose own operator then takes its entries one by one."""
    is_array = isinstance(b, np.ndarray) and b.ndim > 0
    return NotImplemented if is_array else combine(operation, a, b)


def trace(function: Callable[..., Any], arguments: list[Any], what: str) -> Expression:
    """The formula of function(*arguments); an argument is a name, or an array of names.

    ExpressionError says why it has none.
    """
    return call_with_names(function, arguments, what, lambda found: [found])[0]


def trace_rows(function: Callable[..., Any], arguments: list[Any], what: str) -> list[Expression]:
    """The formulas of a function that returns a list or an array of numbers."""
    return call_with_names(function, arguments, what, np.atleast_1d)


def call_with_names(
    function: Callable[..., Any], arguments: list[Any], what: str, split: Callable[[Any], Any]
) -> list[Expression]:
    """function(*arguments) of names, split into numbers, as formulas."""
    named = np.vectorize(lambda name: Traced(("name", str(name))), otypes=[object])
    try:
        given = [named(np.array(argument, dtype=object)) for argument in arguments]
        given = [one[()] if one.ndim == 0 else one for one in given]
        found = [as_traced(one) for one in split(function(*given))]
        return [make_expression(one.tree, canonical_text(one.tree), what) for one in found]
    except TraceError as reason:
        message = str(reason)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
    raise ExpressionError(f"{what}: {called(function)} has no formula: {message}") from None


def called(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)
