"""What a Runge–Kutta tableau is: exact data that checks itself and derives its traits.

Coefficients are Fractions or 60-digit Decimals, rounded to floats only where a method is made of
them. The simplifying assumptions are
B(p): Σ b_i c_i^(q−1) = 1/q, C(η): Σ_j a_ij c_j^(q−1) = c_i^q / q,
D(ζ): Σ_i b_i c_i^(q−1) a_ij = b_j (1 − c_j^q) / q.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property

from hamiltree.errors import OptionError

DIGITS = 60
EXACT_TOLERANCE = Decimal("1e-50")
PUBLISHED_ACCURACY = Decimal("1e-14")  # published coefficients have fifteen digits or more


def decimal(x) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator) if isinstance(x, Fraction) else Decimal(x)


def scale_to_sum(values: Sequence, total, owner: str) -> tuple[Decimal, ...]:
    """Published, rounded coefficients scaled to the sum that they must have; zeros and palindromes
    stay what they are.
    """
    with localcontext(prec=DIGITS):
        exact = tuple(map(decimal, values))
        total, found = decimal(total), sum(exact, Decimal(0))
        if abs(found - total) > PUBLISHED_ACCURACY * max(1, *map(abs, exact)):
            raise OptionError(
                f"{owner}: coefficients sum to {found:.17f} where they must to {total:.17f}; look "
                "for a wrong digit"
            )
        return tuple(x * total / found for x in exact) if found else exact


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
        """Coefficients as Decimals; weights must sum to one and the rows of a to c."""
        with localcontext(prec=DIGITS):
            for field in ("b", "c"):
                object.__setattr__(self, field, tuple(+decimal(x) for x in getattr(self, field)))
            object.__setattr__(self, "a", tuple(tuple(+decimal(x) for x in row) for row in self.a))
            if abs(sum(self.b) - 1) > EXACT_TOLERANCE:
                raise ValueError(f"{self.name}: the weights do not sum to one")
            if any(
                abs(sum(row) - c) > EXACT_TOLERANCE for row, c in zip(self.a, self.c, strict=True)
            ):
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
        a = self.a
        b = self.b
        indices = range(self.stages)
        with localcontext(prec=DIGITS):
            return all(
                abs(b[i] * a[i][j] + b[j] * a[j][i] - b[i] * b[j]) < EXACT_TOLERANCE
                for i in indices
                for j in indices
            )

    @cached_property
    def is_symmetric(self) -> bool:
        """a_(s+1−i)(s+1−j) + a_ij = b_j and b palindromic: a step back undoes a step forth."""
        a = self.a
        b = self.b
        s = self.stages
        with localcontext(prec=DIGITS):
            turned = all(
                abs(a[s - 1 - i][s - 1 - j] + a[i][j] - b[j]) < EXACT_TOLERANCE
                for i in range(s)
                for j in range(s)
            )
            return turned and all(abs(b[i] - b[s - 1 - i]) < EXACT_TOLERANCE for i in range(s))


@dataclass(frozen=True)
class PartitionedTableau:
    """Q_i = q + h Σ a_ij H_p(Q_j, P_j), P_i = p − h Σ â_ij H_q(Q_j, P_j): one tableau for q, one
    for p, at the times of q's.
    """

    name: str
    order: int
    q: Tableau
    p: Tableau
    reference: str
    is_explicit = False

    def __post_init__(self):
        if self.q.stages != self.p.stages:
            raise OptionError(
                f"{self.name}: q has {self.q.stages} stages and p has {self.p.stages}; a pair "
                "needs equally many"
            )

    @property
    def stages(self) -> int:
        return self.q.stages

    @property
    def c(self) -> tuple:
        return self.q.c

    @cached_property
    def is_symplectic(self) -> bool:
        """b = b̂ and b_i â_ij + b̂_j a_ji = b_i b̂_j: bilinear invariants qᵀSp are kept."""
        a = self.q.a
        b = self.q.b
        hat_a = self.p.a
        hat_b = self.p.b
        indices = range(self.stages)
        with localcontext(prec=DIGITS):
            same = all(abs(b[i] - hat_b[i]) < EXACT_TOLERANCE for i in indices)
            return same and all(
                abs(b[i] * hat_a[i][j] + hat_b[j] * a[j][i] - b[i] * hat_b[j]) < EXACT_TOLERANCE
                for i in indices
                for j in indices
            )

    @property
    def is_symmetric(self) -> bool:
        """A step back undoes a step forth if it does in each part."""
        return self.q.is_symmetric and self.p.is_symmetric


def decimal_power(x: Decimal, k: int) -> Decimal:
    """x^k with 0⁰ = 1, which Decimals refuse."""
    return x**k if k else Decimal(1)


def satisfies_b(tableau: Tableau, q: int) -> bool:
    """Whether B holds for this q: Σ b_i c_i^(q−1) = 1/q."""
    return (
        abs(
            sum(b * decimal_power(c, q - 1) for b, c in zip(tableau.b, tableau.c, strict=True))
            - 1 / Decimal(q)
        )
        < EXACT_TOLERANCE
    )


def satisfies_c(tableau: Tableau, q: int) -> bool:
    """Whether C holds for this q: Σ_j a_ij c_j^(q−1) = c_i^q / q for every i."""
    powers = [decimal_power(c, q - 1) for c in tableau.c]
    sums = [sum(a * x for a, x in zip(row, powers, strict=True)) for row in tableau.a]
    return all(
        abs(found - c**q / q) < EXACT_TOLERANCE for found, c in zip(sums, tableau.c, strict=True)
    )


def satisfies_d(tableau: Tableau, q: int) -> bool:
    """Whether D holds for this q: Σ_i b_i c_i^(q−1) a_ij = b_j (1 − c_j^q) / q for every j."""
    weights = [b * decimal_power(c, q - 1) for b, c in zip(tableau.b, tableau.c, strict=True)]
    sums = [
        sum(w * a for w, a in zip(weights, column, strict=True))
        for column in zip(*tableau.a, strict=True)
    ]
    return all(
        abs(found - b * (1 - c**q) / q) < EXACT_TOLERANCE
        for found, b, c in zip(sums, tableau.b, tableau.c, strict=True)
    )


def largest_true(claim: Callable, tableau: Tableau, limit: int) -> int:
    """The largest q up to a limit for which the claim is true of 1 … q."""
    q = 0
    while q < limit and claim(tableau, q + 1):
        q += 1
    return q


def simplifying_assumptions(tableau: Tableau) -> tuple[int, int, int]:
    """The largest p, η ≤ s, ζ ≤ s for which B(p), C(η), D(ζ) hold."""
    s = tableau.stages
    with localcontext(prec=DIGITS):
        return (
            largest_true(satisfies_b, tableau, 2 * s),
            largest_true(satisfies_c, tableau, s),
            largest_true(satisfies_d, tableau, s),
        )


def order_by_conditions(tableau: Tableau) -> int:
    """The order is at least min(p, 2η + 2, η + ζ + 1): Butcher 1964; Hairer, Nørsett, Wanner,
    II.7.4.
    """
    p, eta, zeta = simplifying_assumptions(tableau)
    return min(p, 2 * eta + 2, eta + zeta + 1)
