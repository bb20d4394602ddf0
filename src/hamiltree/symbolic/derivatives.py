"""Gradients by SymPy, kept from doing what would harm: numbers stay the user's, and what has
corners or branches stays whole.

A float such as 0.1 is a symbol to SymPy, so it can be neither rounded nor turned into a fraction of
large integers. Powers with other exponents than halves, min, max, abs and atan2 are functions of
our own with their derivatives, because SymPy knows them for complex arguments only in pieces. SymPy
is imported here and nowhere else, and only when an expression is met for the first time.
"""

import sys
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache, reduce
from math import comb

import sympy
from sympy import Function, Integer, Rational, Symbol

from hamiltree.symbolic.expression import MAX_EXACT_POWER, TIME, Expression, ExpressionError

# terms; beyond, an expression is not multiplied out to see whether something cancels
MAX_EXPANDED_TERMS = 1000
TOO_MANY = MAX_EXPANDED_TERMS + 1
MAX_EXPANSION_WORK = 100_000  # terms times nodes: some seconds
RECURSION_LIMIT = 20_000  # SymPy walks trees by recursion, several calls per level


# ---- functions that SymPy leaves alone -----------------------------------------------------------
class where_less(Function):
    """x where a < b, else y."""

    nargs = 4

    def _eval_derivative(self, s):
        a, b, x, y = self.args
        dx, dy = x.diff(s), y.diff(s)
        return dx if dx == dy else where_less(a, b, dx, dy)


class maximum(Function):
    nargs = 2

    def _eval_derivative(self, s):
        a, b = self.args
        return where_less(a, b, b.diff(s), a.diff(s))


class minimum(Function):
    nargs = 2

    def _eval_derivative(self, s):
        a, b = self.args
        return where_less(b, a, b.diff(s), a.diff(s))


class sign(Function):
    nargs = 1

    def fdiff(self, argindex=1):
        return Integer(0)


class absolute(Function):
    nargs = 1

    def fdiff(self, argindex=1):
        return sign(self.args[0])


class atan2(Function):
    nargs = 2

    def fdiff(self, argindex=1):
        y, x = self.args
        return (x if argindex == 1 else -y) / (x**2 + y**2)


class power(Function):
    """xʸ; its slope y xʸ⁻¹ is right at x = 0 too, where y xʸ/x is not."""

    nargs = 2

    def fdiff(self, argindex=1):
        x, y = self.args
        return y * power(x, y - 1) if argindex == 1 else sympy.log(x) * self


# ---- from our trees to SymPy's -------------------------------------------------------------------
def hypot(*parts):
    return sympy.sqrt(sympy.Add(*(part**2 for part in parts)))


def make_power(base, exponent):
    """SymPy's own power only for halves of small integers."""
    if exponent.is_Rational and exponent.q <= 2 and abs(exponent) <= MAX_EXACT_POWER:
        return base**exponent
    return power(base, exponent)


SYMPY_OPERATIONS = {
    "+": sympy.Add,
    "*": sympy.Mul,
    "/": lambda a, b: a / b,
    "**": make_power,
    "sqrt": sympy.sqrt,
    "hypot": hypot,
    "abs": absolute,
    "sign": sign,
    "atan2": atan2,
    "min": lambda *parts: reduce(minimum, parts),
    "max": lambda *parts: reduce(maximum, parts),
}


class Translator:
    """Symbols of names and of floats; the same float is the same symbol."""

    def __init__(self):
        self.symbols: dict[str, Symbol] = {}
        self.floats: dict[Symbol, float] = {}

    def symbol(self, name: str) -> Symbol:
        return self.symbols.setdefault(name, Symbol(name))

    def float_symbol(self, value: float):
        size = Symbol(f"0#{abs(value)!r}")  # no user's name looks like this
        self.floats[size] = abs(value)
        return size if value > 0 else -size

    def number(self, value):
        return (
            Rational(value.numerator, value.denominator)
            if isinstance(value, Fraction)
            else self.float_symbol(value)
        )

    def logarithm(self, argument, base: int):
        return sympy.log(argument) / self.float_symbol(float(sympy.log(base).evalf(30)))

    def translate(self, tree):
        """The SymPy expression of a tree."""
        operation, *parts = tree
        if operation == "name":
            return self.symbol(parts[0])
        if operation == "number":
            return self.number(parts[0])
        parts = list(map(self.translate, parts))
        if operation in ("log10", "log2"):
            return self.logarithm(*parts, int(operation[3:]))
        return (
            SYMPY_OPERATIONS[operation](*parts)
            if operation in SYMPY_OPERATIONS
            else getattr(sympy, operation)(*parts)
        )

    def with_exact_floats(self, expression):
        """With every float as the fraction that it is, so that sums of them can cancel."""
        fractions = {
            symbol: Rational(*value.as_integer_ratio()) for symbol, value in self.floats.items()
        }
        return expression.xreplace(fractions)


@contextmanager
def raised_recursion_limit(expressions: tuple[Expression, ...]):
    """Let SymPy recurse deeply; a formula that is still too deep is an ExpressionError."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        yield
    except RecursionError:
        raise ExpressionError(
            f"{expressions[0].what}: nested too deeply: {expressions[0].text[:120]}"
        ) from None
    finally:
        sys.setrecursionlimit(limit)


# ---- the gradient of a Hamiltonian ---------------------------------------------------------------
def gradient(expression, variables) -> list:
    return [expression.diff(variable) for variable in variables]


@lru_cache(maxsize=10_000)
def node_count(expression) -> int:
    """How many nodes the tree has."""
    return 1 + sum(map(node_count, expression.args))


@lru_cache(maxsize=10_000)
def expanded_term_count(expression) -> int:
    """At most so many terms if multiplied out, denominators and arguments too; a number above
    MAX_EXPANDED_TERMS says only: too many.
    """
    counts = [expanded_term_count(part) for part in expression.args]
    if expression.is_Add:
        return min(sum(counts), TOO_MANY)
    if expression.is_Mul:
        return reduce(lambda n, count: min(n * count, TOO_MANY), counts, 1)
    if expression.is_Pow and expression.exp.is_Integer:
        return expanded_power_term_count(counts[0], abs(int(expression.exp)))
    return TOO_MANY if TOO_MANY in counts else 1


def expanded_power_term_count(n: int, k: int) -> int:
    """The k-th power of a sum of n terms: C(n + k − 1, k)."""
    if n == 1:
        return 1
    return TOO_MANY if max(n, k) > MAX_EXPANDED_TERMS else min(comb(n + k - 1, k), TOO_MANY)


def eliminate_symbols(expression, forbidden: set, translator: Translator):
    """The expression in a form without these symbols, if multiplying out shows that it does not
    depend on them; else None.
    """
    if not expression.free_symbols & forbidden:
        return expression
    terms = expanded_term_count(expression)
    if terms > MAX_EXPANDED_TERMS or terms * node_count(expression) > MAX_EXPANSION_WORK:
        return None
    expanded = translator.with_exact_floats(expression).expand(
        log=False, power_base=False, power_exp=False
    )
    return None if expanded.free_symbols & forbidden else expanded


def eliminate_symbols_in_all(expressions, forbidden, translator) -> list | None:
    found = []
    for expression in expressions:
        found.append(eliminate_symbols(expression, forbidden, translator))
        if found[-1] is None:
            return None
    return found


class HamiltonianDerivatives:
    """∂H/∂p, −∂H/∂q, ∂H/∂t of H; separable if H = T(p, t) + V(q, t), and each gradient then is free
    of the other half.
    """

    def __init__(self, H: Expression, q, p):
        """Derive the gradients, and find out whether H is separable and autonomous."""
        self.translator = Translator()
        self.energy = self.translator.translate(H.tree)
        positions, momenta = ([self.translator.symbol(name) for name in names] for names in (q, p))
        self.velocity = gradient(self.energy, momenta)
        self.force = gradient(-self.energy, positions)
        self.power = self.energy.diff(self.translator.symbol(TIME))
        velocity = eliminate_symbols_in_all(self.velocity, set(positions), self.translator)
        force = (
            eliminate_symbols_in_all(self.force, set(momenta), self.translator)
            if velocity is not None
            else None
        )
        self.is_separable = force is not None
        if self.is_separable:
            self.velocity, self.force = velocity, force
        self.is_autonomous = self.power == 0
