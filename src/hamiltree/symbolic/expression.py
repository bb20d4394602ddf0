"""Expressions as trees: numbers, names, operations and functions.

A tree is a tuple (operation, parts…): ("number", Fraction or float), ("name", word), ("+", …),
("*", …), ("/", a, b), ("**", a, b), ("sin", a), and so on. Operations on numbers are computed at
once, exactly where that stays short.
"""

import math
import operator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce

from hamiltree.errors import OptionError

MAX_DEPTH = 200  # parts within parts
MAX_EXACT_INTEGER = 2**53  # integers up to here are doubles
# a float that is a fraction of such integers (0.5, 0.375) is meant as that fraction
MAX_EXACT_FRACTION_TERM = 2**20
MAX_EXACT_POWER = 64  # of exact numbers; beyond, floats
ONE, MAX_ARGUMENTS = 1, 99


def of_one_argument(*names: str) -> dict:
    """Entries of FUNCTIONS for functions of the C library."""
    return {name: (1, ONE, getattr(math, name)) for name in names}


# name -> fewest and most arguments, and the function of floats
FUNCTIONS = {
    **of_one_argument("sin", "cos", "tan", "asin", "acos", "atan"),
    "atan2": (2, 2, math.atan2),
    **of_one_argument("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    **of_one_argument("exp", "log", "log10", "log2", "sqrt"),
    "abs": (1, ONE, abs),
    "sign": (1, ONE, lambda x: math.copysign(1.0, x) if x else 0.0),
    **of_one_argument("erf"),
    "min": (2, MAX_ARGUMENTS, min),
    "max": (2, MAX_ARGUMENTS, max),
    "hypot": (2, MAX_ARGUMENTS, math.hypot),
}
CONSTANTS = {"pi": math.pi}
TIME = "t"


class ExpressionError(OptionError):
    """A text that is no formula, or a name that cannot stand in one."""


@dataclass(frozen=True)
class Expression:
    """A formula that has passed the whitelist. Two are equal if their canonical texts are."""

    canonical: str
    text: str = field(compare=False)
    symbols: frozenset[str] = field(compare=False)
    tree: tuple = field(compare=False, repr=False)
    what: str = field(compare=False, default="expression")


def make_expression(tree, text, what) -> Expression:
    return Expression(canonical_text(tree), text, frozenset(names_in(tree)), tree, what)


def names_in(tree) -> set[str]:
    if tree[0] in ("name", "number"):
        return {tree[1]} if tree[0] == "name" else set()
    return set().union(*map(names_in, tree[1:]))


def canonical_text(tree) -> str:
    """The tree as text, every pair of parentheses written, numbers with all their digits."""
    operation, *parts = tree
    if operation == "name":
        return parts[0]
    if operation == "number":
        return f"({parts[0]!s})" if isinstance(parts[0], Fraction) else f"({parts[0]!r})"
    inner = list(map(canonical_text, parts))
    return (
        f"{operation}({', '.join(inner)})"
        if operation in FUNCTIONS
        else f"({f' {operation} '.join(inner)})"
    )


def number(value) -> tuple:
    """A leaf: integers and short binary fractions exactly, every other float as it is.

    Raises OverflowError if it is not finite.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise OverflowError
    exact = Fraction(value)
    largest = max(abs(exact.numerator), exact.denominator)
    if largest < (MAX_EXACT_FRACTION_TERM if isinstance(value, float) else MAX_EXACT_INTEGER):
        return ("number", exact)
    return ("number", float(value))


def exact_power(base, exponent):
    """Only small powers: 9**9**9 must not be tried with integers."""
    if (
        not isinstance(exponent, Fraction)
        or exponent.denominator != 1
        or abs(exponent) > MAX_EXACT_POWER
    ):
        raise TypeError
    return base ** int(exponent)


def float_power(base, exponent):
    """A negative base has no real fractional power: math.pow says so, ** would give a complex
    number.
    """
    return math.pow(base, exponent)


EXACT = {"+": operator.add, "*": operator.mul, "/": operator.truediv, "**": exact_power}
ROUNDED = {**EXACT, "**": float_power}


def fold_constants(operation, values):
    """The value of an operation on numbers: exactly if the numbers are exact and stay short, else
    in floats.
    """
    if operation in FUNCTIONS:
        return number(float(FUNCTIONS[operation][2](*map(float, values))))
    if all(isinstance(value, Fraction) for value in values):
        try:
            return number(reduce(EXACT[operation], values))
        except TypeError:
            pass
    return number(float(reduce(ROUNDED[operation], map(float, values))))


def make_tree(operation, *parts) -> tuple:
    """A tree of an operation on trees; of numbers, their value."""
    if all(part[0] == "number" for part in parts):
        return fold_constants(operation, [part[1] for part in parts])
    return (operation, *parts)
