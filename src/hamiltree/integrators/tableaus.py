"""Runge–Kutta tableaus: families of any number of stages, and methods with a name.

A method with a name is a constant of this module and needs no other line: explicit ones become
integrators in runge_kutta.py, implicit ones and pairs in implicit.py.
Families take their nodes from quadrature_nodes.py, and their coefficients from the simplifying
assumptions (tableau.py).
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

from hamiltree.errors import OptionError
from hamiltree.integrators.quadrature_nodes import (
    extended_precision,
    gauss_nodes,
    integrate_polynomial,
    lagrange_basis,
    lobatto_nodes,
    radau_nodes,
)
from hamiltree.integrators.tableau import DIGITS, PartitionedTableau, Tableau, order_by_conditions


# ---- families ------------------------------------------------------------------------------------
def check_stages(family: str, stages: int, least: int) -> None:
    if stages < least:
        raise OptionError(f"{family}: {stages} stages asked for; it has at least {least}")


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
    order, reference = 2 * stages, "Butcher 1964; Hairer, Lubich, Wanner, II.1.3"
    with extended_precision(stages):
        return collocation(name or f"gauss{order}", order, gauss_nodes(stages), reference)


def radau_iia(stages: int, name: str = "") -> Tableau:
    """Collocation with c_s = 1: order 2s − 1; damps what it cannot follow (stiffly accurate,
    L-stable).
    """
    check_stages("radau_iia", stages, 1)
    order, reference = 2 * stages - 1, "Ehle 1969; Hairer, Wanner, IV.5"
    with extended_precision(stages):
        return collocation(name or f"radau_iia{order}", order, radau_nodes(stages), reference)


def lobatto_iiia(stages: int, name: str = "") -> Tableau:
    """Collocation with c_1 = 0, c_s = 1: order 2s − 2, symmetric; C(s), D(s − 2)."""
    check_stages("lobatto_iiia", stages, 2)
    order, reference = 2 * stages - 2, "Ehle 1969; Hairer, Wanner, IV.5"
    with extended_precision(stages):
        return collocation(name or f"lobatto_iiia{order}", order, lobatto_nodes(stages), reference)


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
HALF = Fraction(1, 2)
THIRD = Fraction(1, 3)
SIXTH = Fraction(1, 6)
EIGHTH = Fraction(1, 8)
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


# ---- the catalogue: a method with a name needs no other line -------------------------------------
NAMED = [value for value in globals().values() if isinstance(value, Tableau | PartitionedTableau)]
PARTITIONED = tuple(pair for pair in NAMED if isinstance(pair, PartitionedTableau))
EXPLICIT = tuple(one for one in NAMED if isinstance(one, Tableau) and one.is_explicit)
IMPLICIT = tuple(one for one in NAMED if isinstance(one, Tableau) and not one.is_explicit)
