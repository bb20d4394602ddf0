"""Functions of one variable with their first two derivatives: (f, f', f'') through sums, products
and (g∘f)'' = g''(f) f'² + g'(f) f''.

The arithmetic is NumPy's, so that a jet holds as many points as its arrays. A formula of the
grammar becomes a jet without SymPy:
what the compiled code differentiates by symbols is found here in a second, independent way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np

Array = Any  # a NumPy array, or a number


class Jet:
    """f, f' and f'' at many points."""

    __slots__ = ("bend", "slope", "value")
    __array_ufunc__ = None  # NumPy's numbers leave their products with a jet to it

    def __init__(self, value: Array, slope: Array = 0.0, bend: Array = 0.0) -> None:
        self.value, self.slope, self.bend = value, slope, bend

    def chain_rule(self, value: Array, slope: Array, bend: Array) -> Jet:
        """g∘f from g, g' and g'' at f."""
        return Jet(value, slope * self.slope, bend * self.slope * self.slope + slope * self.bend)

    def __add__(self, other: Jet | Array) -> Jet:
        b = as_jet(other)
        return Jet(self.value + b.value, self.slope + b.slope, self.bend + b.bend)

    def __mul__(self, other: Jet | Array) -> Jet:
        b = as_jet(other)
        bend = self.bend * b.value + 2.0 * self.slope * b.slope + self.value * b.bend
        return Jet(self.value * b.value, self.slope * b.value + self.value * b.slope, bend)

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.slope, -self.bend)

    def __sub__(self, other: Jet | Array) -> Jet:
        return self + -as_jet(other)

    def __rsub__(self, other: Array) -> Jet:
        return as_jet(other) - self

    def __truediv__(self, other: Jet | Array) -> Jet:
        return self * as_jet(other) ** -1

    def __rtruediv__(self, other: Array) -> Jet:
        return as_jet(other) * self**-1

    def __pow__(self, n: float) -> Jet:
        """fⁿ of a constant n; fⁿ⁻² is not divided out, so that it is right at f = 0 as well."""
        x = self.value
        return self.chain_rule(
            x**n,
            n * x ** (n - 1) if n else 0.0 * x,
            n * (n - 1) * x ** (n - 2) if n not in (0, 1) else 0.0 * x,
        )

    __radd__ = __add__
    __rmul__ = __mul__


def as_jet(value: Jet | Array) -> Jet:
    return value if isinstance(value, Jet) else Jet(value)


# ---- elementary functions: g, g', g'' ------------------------------------------------------------
def exp(x: Array) -> tuple[Array, ...]:
    e = np.exp(x)
    return e, e, e


def log(x: Array, factor: float = 1.0) -> tuple[Array, ...]:
    return factor * np.log(x), factor / x, -factor / x**2


def sin(x: Array) -> tuple[Array, ...]:
    return np.sin(x), np.cos(x), -np.sin(x)


def cos(x: Array) -> tuple[Array, ...]:
    return np.cos(x), -np.sin(x), -np.cos(x)


def tan(x: Array) -> tuple[Array, ...]:
    t = np.tan(x)
    return t, 1 + t * t, 2 * t * (1 + t * t)


def sinh(x: Array) -> tuple[Array, ...]:
    return np.sinh(x), np.cosh(x), np.sinh(x)


def cosh(x: Array) -> tuple[Array, ...]:
    return np.cosh(x), np.sinh(x), np.cosh(x)


def tanh(x: Array) -> tuple[Array, ...]:
    t = np.tanh(x)
    return t, 1 - t * t, -2 * t * (1 - t * t)


def asin(x: Array) -> tuple[Array, ...]:
    return np.arcsin(x), (1 - x * x) ** -0.5, x * (1 - x * x) ** -1.5


def acos(x: Array) -> tuple[Array, ...]:
    return np.arccos(x), -((1 - x * x) ** -0.5), -x * (1 - x * x) ** -1.5


def atan(x: Array) -> tuple[Array, ...]:
    return np.arctan(x), 1 / (1 + x * x), -2 * x / (1 + x * x) ** 2


def asinh(x: Array) -> tuple[Array, ...]:
    return np.arcsinh(x), (1 + x * x) ** -0.5, -x * (1 + x * x) ** -1.5


def acosh(x: Array) -> tuple[Array, ...]:
    return np.arccosh(x), (x * x - 1) ** -0.5, -x * (x * x - 1) ** -1.5


def atanh(x: Array) -> tuple[Array, ...]:
    return np.arctanh(x), 1 / (1 - x * x), 2 * x / (1 - x * x) ** 2


def erf(x: Array) -> tuple[Array, ...]:
    slope = 2 / math.sqrt(math.pi) * np.exp(-x * x)
    return np.vectorize(math.erf, otypes=[float])(x), slope, -2 * x * slope


def absolute(x: Array) -> tuple[Array, ...]:
    return np.abs(x), np.sign(x), 0.0 * x


def sign(x: Array) -> tuple[Array, ...]:
    return np.sign(x), 0.0 * x, 0.0 * x


ELEMENTARY: dict[str, Callable[[Array], tuple[Array, ...]]] = {
    "exp": exp, "log": log, "sin": sin, "cos": cos, "tan": tan, "sinh": sinh, "cosh": cosh,
    "tanh": tanh, "asin": asin, "acos": acos, "atan": atan, "asinh": asinh, "acosh": acosh,
    "atanh": atanh, "erf": erf, "abs": absolute, "sign": sign,
    "log10": lambda x: log(x, 1 / math.log(10)), "log2": lambda x: log(x, 1 / math.log(2)),
}  # fmt: skip


def apply(name: str, x: Jet | Array) -> Jet:
    """An elementary function of a jet."""
    jet = as_jet(x)
    return jet.chain_rule(*ELEMENTARY[name](jet.value))


def select(condition: Array, a: Jet, b: Jet) -> Jet:
    """a where the condition holds, else b."""
    return Jet(
        *(
            np.where(condition, getattr(a, part), getattr(b, part))
            for part in ("value", "slope", "bend")
        )
    )


def power(a: Jet, b: Jet) -> Jet:
    """aᵇ; a constant exponent is a power, any other exp(b log a)."""
    is_constant = not np.any(b.slope) and not np.any(b.bend) and np.size(b.value) == 1
    return a ** float(b.value) if is_constant else apply("exp", b * apply("log", a))


def arctangent2(y: Jet, x: Jet) -> Jet:
    """atan2(y, x): the value by its quadrant, the derivatives by those of the tangent that is the
    smaller.
    """
    steep = np.abs(y.value) > np.abs(x.value)
    numerator, denominator = select(steep, -x, y), select(steep, y, x)
    found = apply("atan", numerator / denominator)
    return Jet(np.arctan2(y.value, x.value), found.slope, found.bend)


OPERATIONS: dict[str, Callable[..., Jet]] = {
    "+": lambda *parts: reduce(Jet.__add__, parts),
    "*": lambda *parts: reduce(Jet.__mul__, parts),
    "/": lambda a, b: a / b,
    "**": power,
    "sqrt": lambda a: a**0.5,
    "hypot": lambda *parts: reduce(Jet.__add__, [part * part for part in parts]) ** 0.5,
    "min": lambda *parts: reduce(lambda a, b: select(b.value < a.value, b, a), parts),
    "max": lambda *parts: reduce(lambda a, b: select(a.value < b.value, b, a), parts),
    "atan2": arctangent2,
}


def evaluate(tree: tuple, names: Mapping[str, Jet | Array]) -> Jet:
    """A tree of hamiltree.symbolic.grammar, with a jet or a number for every name."""
    operation, *parts = tree
    if operation == "number":
        return Jet(float(parts[0]))
    if operation == "name":
        return as_jet(names[parts[0]])
    values = [evaluate(part, names) for part in parts]
    return OPERATIONS[operation](*values) if operation in OPERATIONS else apply(operation, *values)
