"""Methods of a user's own: a Runge–Kutta tableau, or a composition of a symmetric method.

Each is a text that says all there is to know: "tableau(0 0; 1/2 0 | 0 1)" has the rows of a, then
b; "composition(1/2 1/2 | stormer_verlet)" has the parts of a step, then the method. So it can be
given wherever the name of an integrator can, in the shell too, and a file of a run still knows
what made it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from hamiltree.errors import OptionError
from hamiltree.integrators.compositions import Composition as Substeps
from hamiltree.integrators.order_conditions import (
    first_broken_condition,
    order_by_trees,
    order_of_composition,
)
from hamiltree.integrators.tableau import DIGITS, PUBLISHED_ACCURACY, decimal
from hamiltree.integrators.tableau import Tableau as Coefficients

MOST_OWN_STAGES = 16
MOST_OWN_PARTS = 64
MOST_DIGITS = 80  # of one coefficient
SIMPLE = 10**6  # a float that is a fraction with a smaller denominator is meant to be that
NUMBER = re.compile(r"[+-]?(\d+(/\d+)?|(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?)")
OWN = "coefficients of the user"


class Tableau(str):
    """A Runge–Kutta method of one's own, for `integrator=`: the matrix a and the weights b.

    Coefficients are numbers, Fractions, Decimals or texts such as "1/3"; c are the sums of the rows
    of a. Irrational ones should have thirty digits or more (texts or Decimals): a method whose
    coefficients were rounded is symplectic to their rounding only, and is not called so.
    """

    def __new__(
        cls, a: Sequence[Sequence[Any]], b: Sequence[Any], order: int | None = None
    ) -> Tableau:
        """`order` is a claim: refused with the first condition that is broken, if one is."""
        rows = [[as_text(x, f"a[{i}][{j}]") for j, x in enumerate(row)] for i, row in enumerate(a)]
        weights = [as_text(x, f"b[{j}]") for j, x in enumerate(b)]
        inside = f"{'; '.join(map(' '.join, rows))} | {' '.join(weights)}"
        check_order(parse_tableau(inside), order)
        return super().__new__(cls, f"tableau({inside})")

    @property
    def coefficients(self) -> Coefficients:
        """Exactly, with what follows: order, is_explicit, is_symplectic, is_symmetric, c."""
        return parse_tableau(inside_of(self))

    @property
    def order(self) -> int:
        """By the order conditions."""
        return self.coefficients.order

    @property
    def is_explicit(self) -> bool:
        return self.coefficients.is_explicit

    @property
    def is_symplectic(self) -> bool:
        return self.coefficients.is_symplectic

    @property
    def is_symmetric(self) -> bool:
        return self.coefficients.is_symmetric


class Composition(str):
    """A composition of one's own, for `integrator=`: steps of these parts of h, which sum to one,
    one after the other by a symmetric method.
    """

    def __new__(cls, parts: Sequence[Any], base: str = "stormer_verlet") -> Composition:
        """`base` is the name of a symmetric method with stages."""
        texts = [as_text(x, f"parts[{j}]") for j, x in enumerate(parts)]
        inside = f"{' '.join(texts)} | {base}"
        parse_composition(inside)
        made = super().__new__(cls, f"composition({inside})")
        made.integrator()  # refuses an unknown base, and one that is not symmetric
        return made

    def integrator(self) -> Any:
        from hamiltree.integrators import find_integrator

        return find_integrator(self)

    @property
    def order(self) -> int:
        """By the conditions for words in generators that do not commute."""
        return self.integrator().order

    @property
    def is_explicit(self) -> bool:
        return self.integrator().is_explicit

    @property
    def is_symplectic(self) -> bool:
        """As the method that is composed."""
        return self.integrator().is_symplectic

    @property
    def is_symmetric(self) -> bool:
        """The same parts backwards."""
        return self.integrator().is_symmetric


def inside_of(name: str) -> str:
    """What is in the parentheses."""
    return name.partition("(")[2].removesuffix(")")


# ---- from numbers to text ------------------------------------------------------------------------
def as_text(value: Any, place: str) -> str:
    """A coefficient as text, exactly; a float as the simple fraction that it rounds, if there is
    one.
    """
    if isinstance(value, str):
        return str(check_number(value.strip().replace(" ", ""), place))
    if isinstance(value, Decimal) and value.is_finite():
        return str(check_number(str(value), place))
    if isinstance(value, Fraction):
        return str(value)
    try:
        number = float(value)
        fraction = Fraction(number)
    except (TypeError, ValueError, OverflowError):
        raise OptionError(f"{place} = {value!r} is no finite number") from None
    simple = fraction.limit_denominator(SIMPLE)
    return str(simple) if float(simple) == number else repr(number)


def check_number(text: str, place: str) -> str:
    if len(text) > MOST_DIGITS + 8 or not NUMBER.fullmatch(text) or re.search(r"/0+$", text):
        raise OptionError(f"{place} = {text[:40]!r} is no number such as 0.5, 1/3 or -2e-3")
    return text


def exact(text: str, place: str) -> Decimal:
    """The number of a text, to sixty digits."""
    with localcontext(prec=DIGITS):
        return +decimal(Fraction(check_number(text, place)))


# ---- from text to methods ------------------------------------------------------------------------
def parse_tableau(inside: str) -> Coefficients:
    """The tableau of "rows of a | b"; what makes it no method is said."""
    name = f"tableau({inside})"
    left, _, right = inside.partition("|")
    weights = [exact(text, f"b[{j}]") for j, text in enumerate(right.split())]
    rows = [
        tuple(exact(text, f"a[{i}][{j}]") for j, text in enumerate(row.split()))
        for i, row in enumerate(left.split(";"))
    ]
    check_shape(rows, weights)
    with localcontext(prec=DIGITS):
        total = sum(weights)
        if abs(total - 1) > PUBLISHED_ACCURACY:
            raise OptionError(
                f"tableau: the weights b sum to {float(total):.15g}; they must sum to 1, or it is "
                "no method (order one)"
            )
        b = tuple(weight / total for weight in weights)
        made = Coefficients(name, 1, tuple(rows), b, tuple(map(sum, rows)), OWN)
    if not made.is_explicit and 0 in made.b:
        raise OptionError(
            f"tableau: b[{made.b.index(Decimal(0))}] is zero; an implicit method here needs a "
            "weight for every stage"
        )
    order = order_by_trees(made)
    return Coefficients(name, order, made.a, made.b, made.c, OWN)


def check_order(made: Coefficients, claimed: int | None) -> None:
    """Refuse a claim that the order conditions do not confirm."""
    if claimed is None or made.order >= claimed:
        return
    raise OptionError(
        f"tableau: its order is {made.order}, not {claimed}: {first_broken_condition(made)}; "
        "correct a coefficient, or claim no order"
    )


def check_shape(rows: list[tuple], weights: list) -> None:
    """As many rows and columns as weights."""
    s = len(weights)
    if not 1 <= s <= MOST_OWN_STAGES:
        raise OptionError(f"tableau: {s} weights b; give 1 to {MOST_OWN_STAGES}")
    if len(rows) != s:
        raise OptionError(f"tableau: {len(rows)} rows of a and {s} weights b; give equally many")
    for i, row in enumerate(rows):
        if len(row) != s:
            raise OptionError(f"tableau: row {i} of a has {len(row)} numbers; give {s}")


def parse_composition(inside: str) -> tuple[tuple[Decimal, ...], str]:
    """The parts of "parts | method", and the method."""
    left, bar, base = inside.rpartition("|")
    parts = tuple(exact(text, f"parts[{j}]") for j, text in enumerate(left.split()))
    if not bar or not 1 <= len(parts) <= MOST_OWN_PARTS:
        raise OptionError(
            f"composition({inside[:60]}): give 1 to {MOST_OWN_PARTS} parts of a step and a "
            "symmetric method: composition(1/2 1/2 | stormer_verlet)"
        )
    total = sum(parts)
    if abs(total - 1) > PUBLISHED_ACCURACY * max(1, *map(abs, parts)):
        raise OptionError(
            f"composition: the parts sum to {float(total):.15g}; they must sum to 1, or it is no "
            "method (order one)"
        )
    return parts, base.strip()


def composition_of(inside: str, base_order: int) -> Substeps:
    """The composition of a text for a method of this order."""
    parts, _ = parse_composition(inside)
    made = Substeps("composition", 1, parts, OWN)
    order = order_of_composition(made.factors, base_order)
    return Substeps(f"composition({inside})", order, made.factors, OWN)
