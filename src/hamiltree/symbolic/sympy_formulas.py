"""From a SymPy expression to the tree of a formula, with the same functions allowed as in texts."""

from fractions import Fraction

from hamiltree.symbolic.expression import (
    FUNCTIONS,
    MAX_DEPTH,
    ExpressionError,
    make_tree,
    number,
)

SYMPY_FUNCTIONS = {
    **{
        name: name
        for name in FUNCTIONS
        if name not in ("abs", "min", "max", "log10", "log2", "sqrt", "hypot")
    }
}
SYMPY_FUNCTIONS |= {"Abs": "abs", "Min": "min", "Max": "max"}


def from_sympy(value, names, what, depth: int = 0) -> tuple:
    """The same whitelist for a SymPy tree; its structure is kept."""
    if depth > MAX_DEPTH:
        raise ExpressionError(f"{what}: nested more than {MAX_DEPTH} deep")
    if getattr(value, "is_Symbol", False):
        return sympy_symbol(value.name, names, what)
    if getattr(value, "is_number", False) and not value.args:
        return sympy_number(value, what)
    operation = sympy_operation(value, what)
    parts = [from_sympy(part, names, what, depth + 1) for part in value.args]
    try:
        return (
            parts[0]
            if len(parts) == 1 and operation in ("+", "*")
            else make_tree(operation, *parts)
        )
    except (ZeroDivisionError, OverflowError, ValueError):
        raise ExpressionError(f"{what}: {value} is not real and finite") from None


def sympy_symbol(name, names, what) -> tuple:
    """A name, if it is one of those known."""
    if name not in names:
        raise ExpressionError(f"{what}: unknown symbol {name!r}; known: {', '.join(names)}")
    return ("name", name)


def sympy_number(value, what) -> tuple:
    try:
        return number(Fraction(value.p, value.q) if value.is_Rational else float(value))
    except (TypeError, OverflowError, ValueError, AttributeError):
        raise ExpressionError(f"{what}: {value} is not real and finite") from None


def sympy_operation(value, what) -> str:
    """The operation or function of a SymPy node, if formulas know it."""
    for flag, operation in (("is_Add", "+"), ("is_Mul", "*"), ("is_Pow", "**")):
        if getattr(value, flag, False):
            return operation
    name = type(value).__name__
    if name not in SYMPY_FUNCTIONS or len(value.args) < FUNCTIONS[SYMPY_FUNCTIONS[name]][0]:
        raise ExpressionError(
            f"{what}: SymPy's {name} is not known in formulas; known: {', '.join(FUNCTIONS)}"
        )
    return SYMPY_FUNCTIONS[name]
