"""The language of formulas: which texts are expressions, and what is said of those that are not.

    expression = number | name | pi | -e | e + e | e - e | e * e | e / e | e ** e | (e)
               | function(e, …)

Python's parser finds the structure, and only what is listed here is taken from it; nothing is ever
evaluated as Python. A tree is a tuple (operation, parts…): ("number", Fraction or float),
("name", word), ("+", …), ("*", …), ("/", a, b), ("**", a, b), ("sin", a), and so on.
"""

import ast
import keyword
import math
import operator
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from numbers import Real

from hamiltree.errors import MAX_LISTED, OptionError

MAX_TEXT_LENGTH = 10_000  # characters
MAX_DEPTH = 200  # parts within parts
MAX_EXACT_INTEGER = 2**53  # integers up to here are doubles
# a float that is a fraction of such integers (0.5, 0.375) is meant as that fraction
MAX_EXACT_FRACTION_TERM = 2**20
MAX_EXACT_POWER = 64  # of exact numbers; beyond, floats
CONTEXT_CHARACTERS = 60  # characters of a long text on either side of the fault
ONE, MAX_ARGUMENTS = 1, 99

# name -> fewest and most arguments, and the function of floats
FUNCTIONS = {
    "sin": (1, ONE, math.sin),
    "cos": (1, ONE, math.cos),
    "tan": (1, ONE, math.tan),
    "asin": (1, ONE, math.asin),
    "acos": (1, ONE, math.acos),
    "atan": (1, ONE, math.atan),
    "atan2": (2, 2, math.atan2),
    "sinh": (1, ONE, math.sinh),
    "cosh": (1, ONE, math.cosh),
    "tanh": (1, ONE, math.tanh),
    "asinh": (1, ONE, math.asinh),
    "acosh": (1, ONE, math.acosh),
    "atanh": (1, ONE, math.atanh),
    "exp": (1, ONE, math.exp),
    "log": (1, ONE, math.log),
    "log10": (1, ONE, math.log10),
    "log2": (1, ONE, math.log2),
    "sqrt": (1, ONE, math.sqrt),
    "abs": (1, ONE, abs),
    "sign": (1, ONE, lambda x: math.copysign(1.0, x) if x else 0.0),
    "erf": (1, ONE, math.erf),
    "min": (2, MAX_ARGUMENTS, min),
    "max": (2, MAX_ARGUMENTS, max),
    "hypot": (2, MAX_ARGUMENTS, math.hypot),
}
CONSTANTS = {"pi": math.pi}
TIME = "t"


class ExpressionError(OptionError):
    """A text that is no formula, or a name that cannot stand in one."""


# ---- expressions ---------------------------------------------------------------------------------
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


# ---- numbers -------------------------------------------------------------------------------------
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


# ---- texts ---------------------------------------------------------------------------------------
CHARACTER_HINTS = {
    "^": "write ** for a power",
    "#": "a formula has no comments",
    "=": "a formula is no equation and assigns nothing",
    "[": "a formula has no subscripts; give every coordinate a name of its own",
    "'": "a formula has no strings",
    '"': "a formula has no strings",
    "<": "a formula has no comparisons",
    ">": "a formula has no comparisons",
    ".": "a formula has no attributes",
}
ALLOWED_CHARACTER = re.compile(r"[A-Za-z0-9_.+\-*/(), ]")
COMPARISON_CHARACTER = re.compile(r"[<>=]")


class FormulaParser:
    """One text on its way to a tree; knows what it is called and where a fault lies."""

    def __init__(self, text: str, names: Iterable[str], what: str):
        self.text = re.sub(r"\s", " ", text).strip()
        self.names = tuple(names)
        self.what = what

    # ---- faults
    def error(self, reason: str, at: int | None = None) -> ExpressionError:
        """The reason, the text, and a caret under the fault."""
        if at is None:
            return ExpressionError(
                f"{self.what}: {reason}\n    {self.text[: 2 * CONTEXT_CHARACTERS]}"
            )
        start = max(0, at - CONTEXT_CHARACTERS)
        shown = self.text[start : at + CONTEXT_CHARACTERS]
        return ExpressionError(f"{self.what}: {reason}\n    {shown}\n    {' ' * (at - start)}^")

    def place(self, node) -> int:
        """Python counts bytes, people characters."""
        return len(self.text.encode()[: node.col_offset].decode(errors="ignore"))

    def too_deep(self) -> ExpressionError:
        return self.error(
            f"nested too deeply; at most {MAX_DEPTH} parts may stand within each other"
        )

    def refuse(self, node, reason: str):
        raise self.error(f"{reason} at column {self.place(node) + 1}", self.place(node))

    def unknown(self, node, kind: str, name: str, known):
        listed = ", ".join(known[:MAX_LISTED]) + (", ..." if len(known) > MAX_LISTED else "")
        close = get_close_matches(name, known, n=1)
        remedy = f"known: {listed or 'none'}" + (f" — did you mean {close[0]!r}?" if close else "")
        at = self.place(node)
        raise self.error(f"unknown {kind} {name!r} at column {at + 1}; {remedy}", at)

    # ---- from characters to Python's tree
    def check_characters(self, allows_comparisons: bool):
        if not self.text.strip():
            raise self.error("the text is empty; write a formula such as p**2/2 - cos(q)")
        if len(self.text) > MAX_TEXT_LENGTH:
            raise self.error(
                f"the text has {len(self.text)} characters; at most {MAX_TEXT_LENGTH} are read"
            )
        for at, character in enumerate(self.text):
            if not self.is_allowed(character, allows_comparisons):
                reason = CHARACTER_HINTS.get(
                    character, "only numbers, names, + - * / ** ( ) and commas can stand here"
                )
                raise self.error(f"{character!r} at column {at + 1}: {reason}", at)

    def is_allowed(self, character: str, allows_comparisons: bool) -> bool:
        """Letters of other alphabets only in the one form that Python keeps, so that a name is what
        it looks like to Python.
        """
        if character.isascii():
            return bool(
                ALLOWED_CHARACTER.match(character)
                or (allows_comparisons and COMPARISON_CHARACTER.match(character))
            )
        return character.isalpha() and unicodedata.normalize("NFKC", character) == character

    def parse_text(self, allows_comparisons: bool = False):
        self.check_characters(allows_comparisons)
        try:
            return ast.parse(self.text, mode="eval").body
        except SyntaxError as error:
            at = min(len(self.text) - 1, max(0, (error.offset or 1) - 1))
            raise self.error(f"not a formula at column {at + 1}: {error.msg}", at) from None
        except (RecursionError, MemoryError):
            raise self.too_deep() from None

    # ---- from Python's tree to ours
    def tree(self, node, depth: int = 0) -> tuple:
        if depth > MAX_DEPTH:
            self.refuse(node, f"nested more than {MAX_DEPTH} deep")
        for kind, read in NODE_PARSERS.items():
            if isinstance(node, kind):
                return read(self, node, depth + 1)
        self.refuse(
            node, f"{REFUSED_NODES.get(type(node), type(node).__name__)} cannot stand in a formula"
        )

    def combine(self, node, operation, *parts) -> tuple:
        try:
            return make_tree(operation, *parts)
        except ZeroDivisionError:
            self.refuse(node, "divides by zero")
        except OverflowError:
            self.refuse(node, "a number that is too large for a double")
        except ValueError:
            self.refuse(node, "a number that is not real")

    def constant(self, node, depth):
        if type(node.value) not in (int, float):
            self.refuse(
                node,
                f"{'an imaginary number' if isinstance(node.value, complex) else repr(node.value)} "
                "cannot stand in a formula",
            )
        try:
            return number(node.value)
        except OverflowError:
            self.refuse(node, "a number that is too large for a double")

    def name(self, node, depth):
        if node.id in self.names:
            return ("name", node.id)
        if node.id in CONSTANTS:
            return number(CONSTANTS[node.id])
        if node.id in FUNCTIONS:
            self.refuse(node, f"{node.id} is a function; write {node.id}(...)")
        self.unknown(node, "symbol", node.id, self.names)

    def sign(self, node, depth):
        if not isinstance(node.op, (ast.UAdd, ast.USub)):
            self.refuse(node, "only + and - can stand before a number")
        inner = self.tree(node.operand, depth)
        return (
            inner if isinstance(node.op, ast.UAdd) else self.combine(node, "*", number(-1), inner)
        )

    def binary(self, node, depth):
        if type(node.op) not in OPERATORS:
            self.refuse(node, f"the operator {type(node.op).__name__} is not known; + - * / ** are")
        if isinstance(node.op, ast.Add | ast.Sub):
            return self.chain(node, (ast.Add, ast.Sub), depth)
        if isinstance(node.op, ast.Mult):
            return self.chain(node, (ast.Mult,), depth)
        left, right = self.tree(node.left, depth), self.tree(node.right, depth)
        if isinstance(node.op, ast.Div) and right == number(0):
            self.refuse(node, "divides by zero")
        return self.combine(node, OPERATORS[type(node.op)], left, right)

    def chain(self, node, kinds, depth):
        """a + b - c + …: as one operation of many parts, so that a long sum is not a deep one."""
        parts, here = [], node
        while isinstance(here, ast.BinOp) and isinstance(here.op, kinds):
            right = self.tree(here.right, depth)
            parts.append(
                self.combine(here, "*", number(-1), right)
                if isinstance(here.op, ast.Sub)
                else right
            )
            here = here.left
        return self.combine(node, OPERATORS[kinds[0]], self.tree(here, depth), *reversed(parts))

    def call(self, node, depth):
        if not isinstance(node.func, ast.Name):
            self.refuse(
                node, "only a function's name can stand before parentheses; write * for a product"
            )
        name = node.func.id
        if name not in FUNCTIONS:
            if name in self.names or name in CONSTANTS:
                self.refuse(node, f"{name} is no function; write {name}*(...) for a product")
            self.unknown(node, "function", name, tuple(FUNCTIONS))
        fewest, most, _ = FUNCTIONS[name]
        if node.keywords or not fewest <= len(node.args) <= most:
            count = fewest if fewest == most else f"{fewest} or more"
            self.refuse(node, f"{name} takes {count} argument{'s' * (most > 1)}, without names")
        return self.combine(node, name, *(self.tree(part, depth) for part in node.args))

    # ---- comparisons
    def comparisons(self, node) -> list:
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            return [margin for part in node.values for margin in self.comparisons(part)]
        if not isinstance(node, ast.Compare):
            self.refuse(
                node, "a condition is a comparison such as q > 0, or several joined by 'and'"
            )
        sides = [self.tree(side) for side in (node.left, *node.comparators)]
        return [
            self.margin(node, sign, *pair)
            for sign, pair in zip(node.ops, pairwise(sides), strict=True)
        ]

    def margin(self, node, sign, left, right) -> tuple:
        if not isinstance(sign, ast.Gt | ast.GtE | ast.Lt | ast.LtE):
            self.refuse(node, "only <, <=, > and >= compare numbers")
        large, small = (left, right) if isinstance(sign, ast.Gt | ast.GtE) else (right, left)
        return self.combine(node, "+", large, self.combine(node, "*", number(-1), small))


OPERATORS = {ast.Add: "+", ast.Sub: "+", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
NODE_PARSERS = {
    ast.Constant: FormulaParser.constant,
    ast.Name: FormulaParser.name,
    ast.UnaryOp: FormulaParser.sign,
    ast.BinOp: FormulaParser.binary,
    ast.Call: FormulaParser.call,
}
REFUSED_NODES = {
    ast.Attribute: "an attribute",
    ast.Lambda: "a lambda",
    ast.IfExp: "a choice (if)",
    ast.BoolOp: "and, or",
    ast.Compare: "a comparison",
    ast.Tuple: "a list of values",
    ast.Starred: "a star",
}


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
    if name not in names:
        raise ExpressionError(f"{what}: unknown symbol {name!r}; known: {', '.join(names)}")
    return ("name", name)


def sympy_number(value, what) -> tuple:
    try:
        return number(Fraction(value.p, value.q) if value.is_Rational else float(value))
    except (TypeError, OverflowError, ValueError, AttributeError):
        raise ExpressionError(f"{what}: {value} is not real and finite") from None


def sympy_operation(value, what) -> str:
    for flag, operation in (("is_Add", "+"), ("is_Mul", "*"), ("is_Pow", "**")):
        if getattr(value, flag, False):
            return operation
    name = type(value).__name__
    if name not in SYMPY_FUNCTIONS or len(value.args) < FUNCTIONS[SYMPY_FUNCTIONS[name]][0]:
        raise ExpressionError(
            f"{what}: SymPy's {name} is not known in formulas; known: {', '.join(FUNCTIONS)}"
        )
    return SYMPY_FUNCTIONS[name]


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
