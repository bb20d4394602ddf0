"""The order that coefficients have, found from the order conditions themselves.

Of a Runge–Kutta tableau: Σ b_i Φ_i(τ) = 1/γ(τ) for every rooted tree τ with at most that many
vertices (Butcher). Of a composition of symmetric methods: a step of length γ h of the base is
exp(γ h X_1 + (γ h)^(p+1) X_(p+1) + (γ h)^(p+3) X_(p+3) + …) with X that do not commute; their
product is compared word by word with exp(h X_1).
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from functools import cache
from itertools import combinations_with_replacement
from typing import NamedTuple

from hamiltree.integrators.tableau import DIGITS, Tableau

MOST_VERTICES = 10  # 1205 trees; a method of higher order is said to have this one
LONGEST_WORD = 11  # in powers of h
CONDITION_TOLERANCE = Decimal("1e-13")  # coefficients may have been rounded to floats

Tree = tuple  # the subtrees of its root
Word = tuple[int, ...]
Series = dict[Word, Decimal]


# ---- rooted trees --------------------------------------------------------------------------------
@cache
def trees_with(vertices: int) -> tuple[Tree, ...]:
    """All rooted trees with so many vertices."""
    return tuple(forests_with(vertices - 1, vertices - 1))


def forests_with(vertices: int, largest: int) -> Iterator[Tree]:
    """All multisets of trees with so many vertices together, none with more than `largest`; larger
    trees first.
    """
    if vertices == 0:
        yield ()
    for size in range(min(vertices, largest), 0, -1):
        for count in range(1, vertices // size + 1):
            for chosen in combinations_with_replacement(trees_with(size), count):
                for rest in forests_with(vertices - size * count, size - 1):
                    yield (*chosen, *rest)


@cache
def vertices_of(tree: Tree) -> int:
    return 1 + sum(map(vertices_of, tree))


@cache
def density(tree: Tree) -> int:
    """γ(τ): the number of vertices times the densities of the subtrees."""
    product = vertices_of(tree)
    for subtree in tree:
        product *= density(subtree)
    return product


class BrokenCondition(NamedTuple):
    """Σ b Φ(τ) is `weight` and must be 1/γ(τ)."""

    tree: Tree
    weight: Decimal

    def __str__(self) -> str:
        return (
            f"Σ {formula_of(self.tree)} = {float(self.weight):.15g}, which must be "
            f"1/{density(self.tree)}"
        )


def formula_of(tree: Tree) -> str:
    """b Φ(τ) as it is written: b c^2, b A(c), …"""
    leaves = tree.count(())
    powers = ["c" if leaves == 1 else f"c^{leaves}"] if leaves else []
    return " ".join(["b", *powers, *(f"A({formula_of(each)[2:]})" for each in tree if each)])


def order_by_trees(tableau: Tableau) -> int:
    """The largest order of which all conditions hold, at most MOST_VERTICES."""
    broken = first_broken_condition(tableau)
    return MOST_VERTICES if broken is None else vertices_of(broken.tree) - 1


def first_broken_condition(tableau: Tableau) -> BrokenCondition | None:
    """Of the smallest tree whose condition does not hold."""
    with localcontext(prec=DIGITS):
        stages: dict[Tree, list[Decimal]] = {(): [Decimal(1)] * tableau.stages}
        for vertices in range(1, MOST_VERTICES + 1):
            for tree in trees_with(vertices):
                along = stage_weights(tableau, tree, stages)
                weight = sum((b * x for b, x in zip(tableau.b, along, strict=True)), Decimal(0))
                if abs(weight - 1 / Decimal(density(tree))) > CONDITION_TOLERANCE:
                    return BrokenCondition(tree, weight)
        return None


def stage_weights(tableau: Tableau, tree: Tree, known: dict[Tree, list[Decimal]]) -> list[Decimal]:
    """Φ_i(τ) = Π over subtrees of Σ_j a_ij Φ_j(subtree)."""
    if tree not in known:
        found = [Decimal(1)] * tableau.stages
        for subtree in tree:
            inner = stage_weights(tableau, subtree, known)
            for i, row in enumerate(tableau.a):
                found[i] *= sum((a * x for a, x in zip(row, inner, strict=True)), Decimal(0))
        known[tree] = found
    return known[tree]


# ---- compositions --------------------------------------------------------------------------------
def order_of_composition(factors: Sequence[Decimal], base_order: int) -> int:
    """Of a composition of a symmetric method of this order, at most LONGEST_WORD − 1."""
    letters = [1, *range(base_order + 1, LONGEST_WORD + 1, 2)]
    with localcontext(prec=DIGITS):
        product: Series = {(): Decimal(1)}
        for factor in factors:
            generator = {(power,): factor**power for power in letters}
            product = multiply(product, exponential(generator))
        exact = exponential({(1,): Decimal(1)})
        wrong = [
            sum(word)
            for word in {*product, *exact}
            if abs(product.get(word, Decimal(0)) - exact.get(word, Decimal(0)))
            > CONDITION_TOLERANCE
        ]
    return min(wrong, default=LONGEST_WORD) - 1


def multiply(left: Series, right: Series) -> Series:
    """The product of two series in letters that do not commute, up to LONGEST_WORD."""
    found: Series = {}
    for a, x in left.items():
        for b, y in right.items():
            if sum(a) + sum(b) <= LONGEST_WORD:
                found[a + b] = found.get(a + b, Decimal(0)) + x * y
    return found


def exponential(generator: Series) -> Series:
    """1 + g + g²/2! + …"""
    term: Series = {(): Decimal(1)}
    found = dict(term)
    for k in range(1, LONGEST_WORD + 1):
        term = {word: x / k for word, x in multiply(term, generator).items()}
        for word, x in term.items():
            found[word] = found.get(word, Decimal(0)) + x
    return found
