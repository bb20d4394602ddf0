"""Nodes of Gauss, Radau and Lobatto quadrature, and polynomials through nodes, in 60 digits.

Nodes are zeros of Legendre polynomials and their relatives, found by Newton's method.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from itertools import pairwise
from math import cos, pi

from hamiltree.integrators.tableau import DIGITS


def extended_precision(stages: int):
    """A context of more digits than are kept: integrating Lagrange polynomials loses about one a
    stage.
    """
    return localcontext(prec=DIGITS + 10 + 2 * stages)


def legendre(s: int, x: Decimal) -> tuple[Decimal, Decimal]:
    """P_s(x) and its derivative, by the three-term recurrence."""
    before, value = Decimal(1), x
    for k in range(2, s + 1):
        before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
    return value, s * (x * value - before) / (x * x - 1)


def gauss_nodes(s: int) -> list[Decimal]:
    """Zeros of the Legendre polynomial on [0, 1], ascending, by Newton from Tricomi's estimate."""
    nodes = []
    for k in range(s, 0, -1):
        x = Decimal(cos(pi * (k - 0.25) / (s + 0.5)))
        for _ in range(8):
            value, slope = legendre(s, x)
            x -= value / slope
        nodes.append((1 + x) / 2)
    return nodes


def radau_difference(s: int, x: Decimal) -> tuple[Decimal, Decimal]:
    """P_s − P_(s−1), zero at the right end and at the inner Radau nodes, and its derivative."""
    (high, high_slope), (low, low_slope) = legendre(s, x), legendre(s - 1, x)
    return high - low, high_slope - low_slope


def legendre_slope(n: int, x: Decimal) -> tuple[Decimal, Decimal]:
    """P_n′, zero at the inner Lobatto nodes, and P_n″ from (1 − x²) P″ = 2x P′ − n(n + 1) P."""
    value, slope = legendre(n, x)
    return slope, (2 * x * slope - n * (n + 1) * value) / (1 - x * x)


def find_zero(function: Callable, low: Decimal, high: Decimal) -> Decimal:
    """The one zero between two points of opposite sign: halving until Newton is safe, then
    Newton.
    """
    sign = function(low)[0] > 0
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if (function(middle)[0] > 0) == sign else (low, middle)
    x = (low + high) / 2
    for _ in range(8):
        value, slope = function(x)
        x -= value / slope
    return x


def zeros_between_gauss_nodes(function: Callable, s: int) -> list[Decimal]:
    """On [0, 1]: one zero of a related polynomial between any two neighbouring zeros of P_s, where
    P_(s−1) and P_s′ alternate in sign.
    """
    separators = [2 * c - 1 for c in gauss_nodes(s)]
    return [(1 + find_zero(function, low, high)) / 2 for low, high in pairwise(separators)]


def radau_nodes(s: int) -> list[Decimal]:
    return [*zeros_between_gauss_nodes(lambda x: radau_difference(s, x), s), Decimal(1)]


def lobatto_nodes(s: int) -> list[Decimal]:
    return [
        Decimal(0),
        *zeros_between_gauss_nodes(lambda x: legendre_slope(s - 1, x), s - 1),
        Decimal(1),
    ]


def inverse(matrix: list[list[Decimal]]) -> list[list[Decimal]]:
    """By elimination with the largest pivot, in the digits of the context."""
    n = len(matrix)
    rows = [[*row, *(Decimal(i == k) for k in range(n))] for i, row in enumerate(matrix)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in set(range(n)) - {k}:
            rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[n:] for row in rows]


def lagrange_basis(nodes: Sequence[Decimal], j: int) -> list[Decimal]:
    """Coefficients, lowest power first, of the polynomial that is one at node j and zero at the
    others.
    """
    polynomial = [Decimal(1)]
    for k, node in enumerate(nodes):
        if k != j:
            scale = nodes[j] - node
            shifted = [Decimal(0), *polynomial]
            polynomial = [
                (up - node * same) / scale
                for up, same in zip(shifted, [*polynomial, Decimal(0)], strict=True)
            ]
    return polynomial


def integrate_polynomial(polynomial: Sequence[Decimal], x) -> Decimal:
    """∫ from 0 to x."""
    return sum((p * x ** (k + 1) / (k + 1) for k, p in enumerate(polynomial)), Decimal(0))


def evaluate_polynomial(polynomial: Sequence[Decimal], x) -> Decimal:
    return sum((p * x**k for k, p in enumerate(polynomial)), Decimal(0))
