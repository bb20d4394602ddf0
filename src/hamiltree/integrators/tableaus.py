"""Runge–Kutta tableaus as exact data; a tableau checks itself and derives its traits.

Coefficients are Fractions or 60-digit Decimals, rounded to floats only where a method is made of
them.
Families are made for any number of stages: nodes by Newton, coefficients from the simplifying
assumptions B(p): Σ b_i c_i^(q−1) = 1/q, C(η): Σ_j a_ij c_j^(q−1) = c_i^q / q,
D(ζ): Σ_i b_i c_i^(q−1) a_ij = b_j (1 − c_j^q) / q.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import cos, pi

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
        a, b, indices = self.a, self.b, range(self.stages)
        with localcontext(prec=DIGITS):
            return all(
                abs(b[i] * a[i][j] + b[j] * a[j][i] - b[i] * b[j]) < EXACT_TOLERANCE
                for i in indices
                for j in indices
            )

    @cached_property
    def is_symmetric(self) -> bool:
        """a_(s+1−i)(s+1−j) + a_ij = b_j and b palindromic: a step back undoes a step forth."""
        a, b, s = self.a, self.b, self.stages
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
        a, b, hat_a, hat_b, indices = self.q.a, self.q.b, self.p.a, self.p.b, range(self.stages)
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


# ---- the simplifying assumptions -----------------------------------------------------------------
def decimal_power(x: Decimal, k: int) -> Decimal:
    """x^k with 0⁰ = 1, which Decimals refuse."""
    return x**k if k else Decimal(1)


def satisfies_b(tableau: Tableau, q: int) -> bool:
    return (
        abs(
            sum(b * decimal_power(c, q - 1) for b, c in zip(tableau.b, tableau.c, strict=True))
            - 1 / Decimal(q)
        )
        < EXACT_TOLERANCE
    )


def satisfies_c(tableau: Tableau, q: int) -> bool:
    powers = [decimal_power(c, q - 1) for c in tableau.c]
    sums = [sum(a * x for a, x in zip(row, powers, strict=True)) for row in tableau.a]
    return all(
        abs(found - c**q / q) < EXACT_TOLERANCE for found, c in zip(sums, tableau.c, strict=True)
    )


def satisfies_d(tableau: Tableau, q: int) -> bool:
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


# ---- nodes: zeros of Legendre polynomials and their kin ------------------------------------------
def extended_precision(stages: int):
    """A context of more digits than are kept: integrating Lagrange polynomials loses about one a
    stage.
    """
    return localcontext(prec=DIGITS + 10 + 2 * stages)


def check_stages(family: str, stages: int, least: int) -> None:
    if stages < least:
        raise OptionError(f"{family}: {stages} stages asked for; it has at least {least}")


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
    """On [0, 1]: one zero of a kindred polynomial between any two neighbouring zeros of P_s, where
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


# ---- families ------------------------------------------------------------------------------------
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


def collocation(name: str, order: int, nodes: Sequence[Decimal], reference: str) -> Tableau:
    """a_ij = ∫₀^{c_i} ℓ_j, b_j = ∫₀¹ ℓ_j."""
    bases = [lagrange_basis(nodes, j) for j in range(len(nodes))]
    a = tuple(tuple(integrate_polynomial(basis, c) for basis in bases) for c in nodes)
    return Tableau(
        name,
        order,
        a,
        tuple(integrate_polynomial(basis, Decimal(1)) for basis in bases),
        tuple(nodes),
        reference,
    )


def gauss(stages: int, name: str = "") -> Tableau:
    """Gauss–Legendre collocation: order 2s, symplectic, symmetric, keeps quadratic invariants."""
    check_stages("gauss", stages, 1)
    with extended_precision(stages):
        return collocation(
            name or f"gauss{2 * stages}",
            2 * stages,
            gauss_nodes(stages),
            "Butcher 1964; Hairer, Lubich, Wanner, II.1.3",
        )


def radau_iia(stages: int, name: str = "") -> Tableau:
    """Collocation with c_s = 1: order 2s − 1; damps what it cannot follow (stiffly accurate,
    L-stable).
    """
    check_stages("radau_iia", stages, 1)
    with extended_precision(stages):
        order = 2 * stages - 1
        return collocation(
            name or f"radau_iia{order}",
            order,
            radau_nodes(stages),
            "Ehle 1969; Hairer, Wanner, IV.5",
        )


def lobatto_iiia(stages: int, name: str = "") -> Tableau:
    """Collocation with c_1 = 0, c_s = 1: order 2s − 2, symmetric; C(s), D(s − 2)."""
    check_stages("lobatto_iiia", stages, 2)
    with extended_precision(stages):
        order = 2 * stages - 2
        return collocation(
            name or f"lobatto_iiia{order}",
            order,
            lobatto_nodes(stages),
            "Ehle 1969; Hairer, Wanner, IV.5",
        )


def symplectic_partner(a: Sequence, b: Sequence) -> tuple:
    """â_ij = b_j − b_j a_ji / b_i: the tableau of p that makes a pair with that of q symplectic;
    zeros come out as zeros.
    """
    indices = range(len(b))
    return tuple(tuple(b[j] * (1 - a[j][i] / b[i]) for j in indices) for i in indices)


def lobatto_iiib(stages: int, name: str = "") -> Tableau:
    """The symplectic partner of Lobatto IIIA, which has D(s), C(s − 2): order 2s − 2, symmetric.

    Two stages have no C(1): c, the row sums, is then (½, ½) and not the nodes (0, 1)."""
    check_stages("lobatto_iiib", stages, 2)
    nodes, order = lobatto_iiia(stages), 2 * stages - 2
    with localcontext(prec=DIGITS):
        a = symplectic_partner(nodes.a, nodes.b)
        c = nodes.c if stages > 2 else tuple(map(sum, a))
        return Tableau(
            name or f"lobatto_iiib{order}", order, a, nodes.b, c, "Ehle 1969; Hairer, Wanner, IV.5"
        )


def lobatto_iiic(stages: int, name: str = "") -> Tableau:
    """a_i1 = b_1 and C(s − 1): order 2s − 2, L-stable.

    With ℓ_j over the nodes but the first, at 0:  a_ij = ∫₀^{c_i} ℓ_j − b_1 ℓ_j(0)."""
    order, reference = 2 * stages - 2, "Chipman 1971; Hairer, Wanner, IV.5"
    check_stages("lobatto_iiic", stages, 2)
    with extended_precision(stages):
        nodes = lobatto_nodes(stages)
        b = [integrate_polynomial(lagrange_basis(nodes, j), Decimal(1)) for j in range(stages)]
        bases = [lagrange_basis(nodes[1:], j) for j in range(stages - 1)]
        a = tuple(
            (b[0], *(integrate_polynomial(basis, c) - b[0] * basis[0] for basis in bases))
            for c in nodes
        )
        return Tableau(name or f"lobatto_iiic{order}", order, a, tuple(b), tuple(nodes), reference)


def average_vector_field(stages: int, name: str = "") -> Tableau:
    """y⁺ = y + h ∫₀¹ f((1 − θ) y + θ y⁺) dθ by Gauss quadrature: a_ij = c_i b_j, order 2,
    symmetric.

    Energy is exact if H is a polynomial of degree at most 2s.
    """
    nodes = gauss(stages)
    with localcontext(prec=DIGITS):
        a = tuple(tuple(c * b for b in nodes.b) for c in nodes.c)
        return Tableau(
            name or f"avf{stages}",
            2,
            a,
            nodes.b,
            nodes.c,
            "McLachlan, Quispel, Robidoux 1999; Quispel, McLaren 2008",
        )


def sun(tableau: Tableau, name: str = "", order: int | None = None) -> Tableau:
    """Sun's construction: ā_ij = ½ (a_ij + b_j − b_j a_ji / b_i) is symplectic; its order follows
    from what is left of B, C, D.
    """
    if not all(tableau.b):
        raise OptionError(
            f"{tableau.name}: Sun's construction divides by the weights, and one is zero; take a "
            "method without zero weights"
        )
    with localcontext(prec=DIGITS):
        pairs = zip(tableau.a, symplectic_partner(tableau.a, tableau.b), strict=True)
        a = tuple(
            tuple((x + y) / 2 for x, y in zip(row, other, strict=True)) for row, other in pairs
        )
        made = Tableau(
            name or f"sun_{tableau.name}", order or 1, a, tableau.b, tuple(map(sum, a)), "Sun 1993"
        )
    return made if order else replace(made, order=order_by_conditions(made))


def lobatto_pair(stages: int, name: str = "") -> PartitionedTableau:
    """Lobatto IIIA for q, IIIB for p: order 2s − 2, symplectic, symmetric; two stages are
    Störmer–Verlet for any H.
    """
    check_stages("lobatto_pair", stages, 2)
    order, reference = 2 * stages - 2, "Sun 1993; Jay 1996; Hairer, Lubich, Wanner, II.2.2"
    return PartitionedTableau(
        name or f"lobatto_pair{order}", order, lobatto_iiia(stages), lobatto_iiib(stages), reference
    )


# ---- methods with a name -------------------------------------------------------------------------
HALF, THIRD, SIXTH, EIGHTH = Fraction(1, 2), Fraction(1, 3), Fraction(1, 6), Fraction(1, 8)
EXPLICIT_EULER = Tableau("explicit_euler", 1, ((0,),), (1,), (0,), "Euler 1768")
IMPLICIT_EULER = Tableau(
    "implicit_euler", 1, ((1,),), (1,), (1,), "Euler 1768; Hairer, Wanner, IV.1"
)
EXPLICIT_MIDPOINT = Tableau(
    "explicit_midpoint", 2, ((0, 0), (HALF, 0)), (0, 1), (0, HALF), "Runge 1895"
)
HEUN3 = Tableau(
    "heun3",
    3,
    ((0, 0, 0), (THIRD, 0, 0), (0, 2 * THIRD, 0)),
    (Fraction(1, 4), 0, Fraction(3, 4)),
    (0, THIRD, 2 * THIRD),
    "Heun 1900",
)
RK4 = Tableau(
    "rk4",
    4,
    ((0, 0, 0, 0), (HALF, 0, 0, 0), (0, HALF, 0, 0), (0, 0, 1, 0)),
    (SIXTH, THIRD, THIRD, SIXTH),
    (0, HALF, HALF, 1),
    "Kutta 1901",
)
KUTTA38 = Tableau(
    "kutta38",
    4,
    ((0, 0, 0, 0), (THIRD, 0, 0, 0), (-THIRD, 1, 0, 0), (1, -1, 1, 0)),
    (EIGHTH, 3 * EIGHTH, 3 * EIGHTH, EIGHTH),
    (0, THIRD, 2 * THIRD, 1),
    "Kutta 1901",
)
SUN_GENG_5 = sun(radau_iia(3), "sun_geng5")
EULER_A = PartitionedTableau(
    "euler_a",
    1,
    IMPLICIT_EULER,
    EXPLICIT_EULER,
    "de Vogelaere 1956; q⁺ and p meet in H: implicit in q",
)
EULER_B = PartitionedTableau(
    "euler_b",
    1,
    EXPLICIT_EULER,
    IMPLICIT_EULER,
    "de Vogelaere 1956; q and p⁺ meet in H: implicit in p",
)
STORMER_VERLET = lobatto_pair(2, "stormer_verlet")
