"""The language of formulas: which texts are expressions, and what is said of those that are not.

    expression = number | name | pi | -e | e + e | e - e | e * e | e / e | e ** e | (e)
               | function(e, …)

Trees are those of expression.py; texts are read by formula_parser.py.
"""

import keyword
import math
import unicodedata
from collections.abc import Iterable, Mapping
from numbers import Real

from hamiltree.symbolic.expression import (
    CONSTANTS,
    FUNCTIONS,
    TIME,
    Expression,
    ExpressionError,
    make_expression,
    number,
)
from hamiltree.symbolic.formula_parser import FormulaParser
from hamiltree.symbolic.sympy_formulas import from_sympy


def parse(text: str, names: Iterable[str], what: str = "expression") -> Expression:
    """The formula in a text, of the given names (all of them: t too, if it may occur), or an
    ExpressionError that shows where it fails.
    """
    reader = FormulaParser(text, names, what)
    node = reader.parse_text()
    try:
        return make_expression(reader.tree(node), reader.text, what)
    except RecursionError:
        raise reader.too_deep() from None


def parse_conditions(
    text: str, names: Iterable[str], what: str = "condition"
) -> tuple[Expression, ...]:
    """`q1 > 0 and p2 <= 3` as expressions that must be positive: q1 − 0, 3 − p2.

    `<=` is read as `<`: the boundary is one point.
    """
    reader = FormulaParser(text, names, what)
    node = reader.parse_text(allows_comparisons=True)
    try:
        return tuple(
            make_expression(margin, reader.text, what) for margin in reader.comparisons(node)
        )
    except RecursionError:
        raise reader.too_deep() from None


# ---- what is not text ----------------------------------------------------------------------------
def to_expression(value, names: Iterable[str], what: str = "expression") -> Expression:
    """The formula that a text, a number, an Expression or a SymPy expression stands for."""
    names = tuple(names)
    if isinstance(value, Expression):
        return check_symbols(value, names, what)
    if isinstance(value, str):
        return parse(value, names, what)
    if isinstance(value, Real) and not isinstance(value, bool):
        return constant_expression(float(value), what)
    if is_sympy_object(value):
        return make_expression(from_sympy(value, names, what), str(value), what)
    raise ExpressionError(
        f"{what}: expected a formula as text, a number or a SymPy expression, not "
        f"{type(value).__name__}"
    )


def is_sympy_object(value) -> bool:
    """Without importing SymPy; a function that the user made with it has no module, its parents
    have.
    """
    return any((kind.__module__ or "").startswith("sympy.") for kind in type(value).__mro__)


def check_symbols(expression: Expression, names, what) -> Expression:
    for name in sorted(expression.symbols - set(names)):
        raise ExpressionError(
            f"{what}: unknown symbol {name!r} in {expression.text!r}; known: {', '.join(names)}"
        )
    return expression


def constant_expression(value: float, what) -> Expression:
    if not math.isfinite(value):
        raise ExpressionError(f"{what}: {value} is not a finite number")
    return make_expression(number(value), repr(value), what)


# ---- names ---------------------------------------------------------------------------------------
def check_names(groups: Mapping[str, Iterable[str]]) -> None:
    """Names of every group, e.g. {"coordinate": …, "parameter": …}, can stand in formulas and mean
    one thing each.
    """
    owners: dict[str, str] = {}
    for group, names in groups.items():
        for name in names:
            check_name(name, group)
            if name in owners:
                same = (
                    f"two are called {name!r}"
                    if owners[name] == group
                    else f"{name!r} is also a {owners[name]}"
                )
                raise ExpressionError(f"{group} {name!r}: {same}; every name means one thing")
            owners[name] = group


def check_name(name, group) -> None:
    """Refuse what is no identifier, is a word of Python, or means something in formulas already."""
    if (
        not isinstance(name, str)
        or not name.isidentifier()
        or unicodedata.normalize("NFKC", name) != name
    ):
        raise ExpressionError(
            f"{group} {name!r}: a name is a letter followed by letters, digits and _, e.g. q1"
        )
    if keyword.iskeyword(name):
        raise ExpressionError(
            f"{group} {name!r}: is a word of Python's grammar and cannot be a name; try {name}_"
        )
    if name in FUNCTIONS or name in CONSTANTS or name == TIME:
        meaning = (
            "the time" if name == TIME else "a constant" if name in CONSTANTS else "a function"
        )
        raise ExpressionError(
            f"{group} {name!r}: is {meaning} in formulas; choose another name, e.g. {name}_"
        )
