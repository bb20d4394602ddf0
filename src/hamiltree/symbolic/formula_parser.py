"""From the text of a formula to its tree, or to an error with a caret under the fault.

Python's parser finds the structure, and only what is listed here is taken from it; nothing is ever
evaluated as Python.
"""

import ast
import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import pairwise

from hamiltree.errors import MAX_LISTED
from hamiltree.symbolic.expression import (
    CONSTANTS,
    FUNCTIONS,
    MAX_DEPTH,
    ExpressionError,
    make_tree,
    number,
)

MAX_TEXT_LENGTH = 10_000  # characters
CONTEXT_CHARACTERS = 60  # characters of a long text on either side of the fault
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
        """Refuse an empty or too long text, and the first character that no formula has."""
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
        """Python's syntax tree of the text."""
        self.check_characters(allows_comparisons)
        try:
            return ast.parse(self.text, mode="eval").body
        except SyntaxError as error:
            at, reason = min(len(self.text), error.offset or 0) - 1, error.msg
            if at < 0:  # Python has found the end where more should follow
                at, reason = len(self.text), "something is missing at its end"
            raise self.error(f"not a formula at column {at + 1}: {reason}", at) from None
        except (RecursionError, MemoryError):
            raise self.too_deep() from None

    # ---- from Python's tree to ours
    def tree(self, node, depth: int = 0) -> tuple:
        """Our tree of a node of Python's tree; what cannot stand in a formula is refused."""
        if depth > MAX_DEPTH:
            self.refuse(node, f"nested more than {MAX_DEPTH} deep")
        for kind, read in NODE_PARSERS.items():
            if isinstance(node, kind):
                return read(self, node, depth + 1)
        self.refuse(
            node, f"{REFUSED_NODES.get(type(node), type(node).__name__)} cannot stand in a formula"
        )

    def combine(self, node, operation, *parts) -> tuple:
        """A tree of an operation on parts, computed at once if all are numbers."""
        try:
            return make_tree(operation, *parts)
        except ZeroDivisionError:
            self.refuse(node, "divides by zero")
        except OverflowError:
            self.refuse(node, "a number that is too large for a double")
        except ValueError:
            self.refuse(node, "a number that is not real")

    def constant(self, node, depth):
        """A number as a leaf."""
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
        """a + b, a − b, a · b, a / b or aᵇ; long sums and products as one operation."""
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
        """A function of FUNCTIONS with as many arguments as it takes."""
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
        """Trees that are positive where the comparisons hold."""
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
