"""Runge–Kutta tableaus as exact data; a tableau checks itself and derives its traits.

Coefficients are Fractions or 60-digit Decimals, rounded to floats only where a method is made of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property

DIGITS = 60
EXACT = Decimal("1e-50")


def decimal(x) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator) if isinstance(x, Fraction) else Decimal(x)


@dataclass(frozen=True)
class Tableau:
    """Y_i = y + h Σ a_ij f(Y_j), y⁺ = y + h Σ b_i f(Y_i), at times t + c_i h."""

    name: str
    order: int
    a: tuple
    b: tuple
    c: tuple
    reference: str

    def __post_init__(self):
        with localcontext() as context:
            context.prec = DIGITS
            for field in ("b", "c"):
                object.__setattr__(self, field, tuple(map(decimal, getattr(self, field))))
            object.__setattr__(self, "a", tuple(tuple(map(decimal, row)) for row in self.a))
            if abs(sum(self.b) - 1) > EXACT:
                raise ValueError(f"{self.name}: the weights do not sum to one")
            if any(abs(sum(row) - c) > EXACT for row, c in zip(self.a, self.c, strict=True)):
                raise ValueError(f"{self.name}: a row of a does not sum to its c")

    @property
    def stages(self) -> int:
        return len(self.b)

    @cached_property
    def is_explicit(self) -> bool:
        return all(self.a[i][j] == 0 for i in range(self.stages) for j in range(i, self.stages))

    @cached_property
    def is_symplectic(self) -> bool:
        """b_i a_ij + b_j a_ji = b_i b_j: quadratic invariants are kept."""
        a, b, indices = self.a, self.b, range(self.stages)
        with localcontext() as context:
            context.prec = DIGITS
            return all(abs(b[i] * a[i][j] + b[j] * a[j][i] - b[i] * b[j]) < EXACT for i in indices for j in indices)

    @cached_property
    def is_symmetric(self) -> bool:
        """a_(s+1−i)(s+1−j) + a_ij = b_j and b palindromic: a step back undoes a step forth."""
        a, b, s = self.a, self.b, self.stages
        with localcontext() as context:
            context.prec = DIGITS
            turned = all(abs(a[s - 1 - i][s - 1 - j] + a[i][j] - b[j]) < EXACT for i in range(s) for j in range(s))
            return turned and all(abs(b[i] - b[s - 1 - i]) < EXACT for i in range(s))


# ---- Gauss: collocation at the zeros of the Legendre polynomial -------------------------------------------------------
def legendre(s: int, x: Decimal) -> tuple[Decimal, Decimal]:
    """P_s(x) and its derivative, by the three-term recurrence."""
    before, value = Decimal(1), x
    for k in range(2, s + 1):
        before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
    return value, s * (x * value - before) / (x * x - 1)


def gauss_nodes(s: int) -> list[Decimal]:
    """Zeros of the Legendre polynomial on [0, 1], ascending, by Newton from Tricomi's estimate."""
    from math import cos, pi

    nodes = []
    for k in range(s, 0, -1):
        x = Decimal(cos(pi * (k - 0.25) / (s + 0.5)))
        for _ in range(8):
            value, slope = legendre(s, x)
            x -= value / slope
        nodes.append((1 + x) / 2)
    return nodes


def lagrange_basis(nodes: Sequence[Decimal], j: int) -> list[Decimal]:
    """Coefficients, lowest power first, of the polynomial that is one at node j and zero at the others."""
    polynomial = [Decimal(1)]
    for k, node in enumerate(nodes):
        if k != j:
            scale = nodes[j] - node
            shifted = [Decimal(0), *polynomial]
            polynomial = [(up - node * same) / scale for up, same in zip(shifted, [*polynomial, Decimal(0)], strict=True)]
    return polynomial


def integral(polynomial: Sequence[Decimal], x) -> Decimal:
    """∫ from 0 to x."""
    return sum((p * x ** (k + 1) / (k + 1) for k, p in enumerate(polynomial)), Decimal(0))


def value_at(polynomial: Sequence[Decimal], x) -> Decimal:
    return sum((p * x**k for k, p in enumerate(polynomial)), Decimal(0))


def collocation(name: str, order: int, nodes: Sequence[Decimal], reference: str) -> Tableau:
    """a_ij = ∫₀^{c_i} ℓ_j, b_j = ∫₀¹ ℓ_j."""
    bases = [lagrange_basis(nodes, j) for j in range(len(nodes))]
    a = tuple(tuple(integral(basis, c) for basis in bases) for c in nodes)
    return Tableau(name, order, a, tuple(integral(basis, Decimal(1)) for basis in bases), tuple(nodes), reference)


def gauss(stages: int, name: str = "") -> Tableau:
    """Gauss–Legendre collocation: order 2s, symplectic, symmetric, keeps quadratic invariants."""
    with localcontext() as context:
        context.prec = DIGITS + 10
        return collocation(name or f"gauss{2 * stages}", 2 * stages, gauss_nodes(stages), "Butcher 1964; Hairer, Lubich, Wanner, II.1.3")


EXPLICIT_EULER = Tableau("explicit_euler", 1, ((0,),), (1,), (0,), "Euler 1768")
HALF, SIXTH, THIRD = Fraction(1, 2), Fraction(1, 6), Fraction(1, 3)
RK4 = Tableau(
    "rk4", 4, ((0, 0, 0, 0), (HALF, 0, 0, 0), (0, HALF, 0, 0), (0, 0, 1, 0)), (SIXTH, THIRD, THIRD, SIXTH), (0, HALF, HALF, 1), "Kutta 1901"
)
