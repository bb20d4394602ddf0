"""Coefficients are what they claim: order conditions, closed forms, and local errors measured in
sixty-digit arithmetic.
"""

from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce
from math import log2, sqrt

import numpy as np
import pytest
from scipy.integrate import RK45

from hamiltree.errors import OptionError
from hamiltree.integrators import INTEGRATORS, compositions, embedded, splittings, tableaus
from hamiltree.integrators.compositions import COMPOSITIONS, Composition, suzuki, triple_jump
from hamiltree.integrators.embedded import PAIRS
from hamiltree.integrators.splittings import KICK, SPLITTINGS, Splitting, compose
from hamiltree.integrators.tableau import (
    DIGITS,
    EXACT_TOLERANCE,
    PartitionedTableau,
    Tableau,
    order_by_conditions,
    simplifying_assumptions,
)

EXPLICIT = tableaus.EXPLICIT
PARTITIONED = [*tableaus.PARTITIONED, tableaus.lobatto_pair(3), tableaus.lobatto_pair(4)]
Z = [0.3, -0.7, 0.5j, -1 + 0.8j]


def named(things):
    return [pytest.param(thing, id=thing.name) for thing in things]


@pytest.fixture(autouse=True)
def sixty_digits():
    with localcontext(prec=DIGITS):
        yield


# ---- an exact solution to compare with: Taylor series of polynomial H ----------------------------
TERMS = 40


class Series:
    """A power series in t, cut after TERMS: enough arithmetic to write a right-hand side once for
    numbers and series.
    """

    def __init__(self, coefficients):
        self.coefficients = [*coefficients, *[Decimal(0)] * (TERMS - len(coefficients))]

    def __add__(self, other):
        return Series([x + y for x, y in zip(self.coefficients, other.coefficients, strict=True)])

    def __neg__(self):
        return Series([-x for x in self.coefficients])

    def __mul__(self, other):
        return Series(
            [
                sum(self.coefficients[k] * other.coefficients[n - k] for k in range(n + 1))
                for n in range(TERMS)
            ]
        )

    def integral(self, start):
        return Series([start, *(x / (n + 1) for n, x in enumerate(self.coefficients[:-1]))])

    def at(self, t):
        return reduce(lambda total, x: total * t + x, reversed(self.coefficients))


class Problem:
    """q̇ = H_p, ṗ = −H_q from one fixed start, with its Taylor series by Picard iteration."""

    start = (Decimal("0.3"), Decimal("0.5"))

    def __init__(self, rates):
        self.rates = rates
        with localcontext(prec=DIGITS):
            q, p = (Series([x]) for x in self.start)
            for _ in range(TERMS):
                q_rate, p_rate = rates(q, p)
                q, p = q_rate.integral(self.start[0]), p_rate.integral(self.start[1])
        self.series = q, p

    def at(self, t):
        return [x.at(t) for x in self.series]


SEPARABLE = Problem(lambda q, p: (p + p * p * p, -(q + q * q)))  # T = p²/2 + p⁴/4, V = q²/2 + q³/3
NYSTROM = Problem(lambda q, p: (p, -(q + q * q)))
# H = p²(1 + q²)/2 + q²/2 + q³/3
COUPLED = Problem(lambda q, p: (p + p * q * q, -(p * p * q + q + q * q)))


def coupled_energy(q, p):
    return p * p * (1 + q * q) / 2 + q * q / 2 + q * q * q / 3


def distance(x, y):
    return max(abs(a - b) for a, b in zip(x, y, strict=True))


def local_slope(error_of, h):
    return log2(error_of(h) / error_of(h / 2))


def test_the_reference_solution_keeps_the_energy():
    """Taylor coefficients are checked by an identity that they do not know."""
    t = Decimal(1) / 32
    assert abs(coupled_energy(*COUPLED.at(t)) - coupled_energy(*COUPLED.start)) < Decimal("1e-50")
    assert distance(COUPLED.at(t), COUPLED.start) > Decimal("1e-3")


# ---- steps in Decimals ---------------------------------------------------------------------------
def weighted(start, h, weights, slopes):
    return [
        x + h * sum(w * k[i] for w, k in zip(weights, slopes, strict=False))
        for i, x in enumerate(start)
    ]


def explicit_slopes(a, problem, h):
    slopes = []
    for row in a:
        slopes.append(problem.rates(*weighted(problem.start, h, row, slopes)))
    return slopes


def implicit_slopes(q_rows, p_rows, problem, h):
    """Fixed point to sixty digits."""
    slopes = [problem.rates(*problem.start)] * len(q_rows)
    for _ in range(90):
        stages = [
            (weighted(problem.start, h, q, slopes)[0], weighted(problem.start, h, p, slopes)[1])
            for q, p in zip(q_rows, p_rows, strict=True)
        ]
        slopes = [problem.rates(*stage) for stage in stages]
    return slopes


def split_step(splitting, problem, h, start=Problem.start):
    q, p = start
    for drift, kick in zip(splitting.drifts, splitting.kicks, strict=True):
        q = q + drift * h * problem.rates(q, p)[0]
        p = p + kick * h * problem.rates(q, p)[1]
    return q, p


# ---- families of implicit methods ----------------------------------------------------------------
EXPECTED = {  # B, C, D of s stages: Hairer, Wanner, IV.5, tables 5.1 and 5.13
    tableaus.gauss: lambda s: (2 * s, s, s),
    tableaus.radau_iia: lambda s: (2 * s - 1, s, s - 1),
    tableaus.lobatto_iiia: lambda s: (2 * s - 2, s, s - 2),
    tableaus.lobatto_iiib: lambda s: (2 * s - 2, s - 2, s),
    tableaus.lobatto_iiic: lambda s: (2 * s - 2, s - 1, s - 1),
}
FAMILIES = [
    (family, s)
    for family in EXPECTED
    for s in range(1, 9)
    if s > 2 or family in (tableaus.gauss, tableaus.radau_iia)
]


@pytest.mark.parametrize(("family", "stages"), FAMILIES)
def test_the_simplifying_assumptions_hold_as_far_as_theory_says_and_no_further(family, stages):
    tableau = family(stages)
    assert simplifying_assumptions(tableau) == EXPECTED[family](stages)
    assert order_by_conditions(tableau) == tableau.order


@pytest.mark.parametrize(
    "family", [tableaus.gauss, tableaus.radau_iia, tableaus.lobatto_iiib, tableaus.lobatto_iiic]
)
def test_twenty_stages_are_as_exact_as_two(family):
    assert simplifying_assumptions(family(20)) == EXPECTED[family](20)


@pytest.mark.parametrize("stages", [10, 20])
def test_gauss_nodes_and_weights_are_those_of_numpy(stages):
    x, w = np.polynomial.legendre.leggauss(stages)
    tableau = tableaus.gauss(stages)
    np.testing.assert_allclose(np.array(tableau.c, float), (1 + x) / 2, rtol=0, atol=1e-15)
    np.testing.assert_allclose(np.array(tableau.b, float), w / 2, rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", ["lobatto_iiia", "lobatto_iiib", "lobatto_iiic"])
def test_two_stages_of_lobatto_are_those_of_the_books(name):
    """Hairer, Wanner, IV.5, tables 5.7, 5.9, 5.11."""
    half = Fraction(1, 2)
    books = {
        "lobatto_iiia": [[0, 0], [half, half]],
        "lobatto_iiib": [[half, 0], [half, 0]],
        "lobatto_iiic": [[half, -half], [half, half]],
    }
    tableau = getattr(tableaus, name)(2)
    np.testing.assert_array_equal(np.array(tableau.a, float), np.array(books[name], float))
    assert tableau.order == order_by_conditions(tableau) == 2


def test_three_stages_of_lobatto_are_those_of_methods_4():
    a = [[0, 0, 0], [5 / 24, 1 / 3, -1 / 24], [1 / 6, 2 / 3, 1 / 6]]
    hat = [[1 / 6, -1 / 6, 0], [1 / 6, 1 / 3, 0], [1 / 6, 5 / 6, 0]]
    pair = tableaus.lobatto_pair(3)
    np.testing.assert_allclose(np.array(pair.q.a, float), a, rtol=0, atol=1e-16)
    np.testing.assert_allclose(np.array(pair.p.a, float), hat, rtol=0, atol=1e-16)


def methods_section_1():
    r6, r15 = sqrt(6), sqrt(15)
    radau = [
        [(88 - 7 * r6) / 360, (296 - 169 * r6) / 1800, (-2 + 3 * r6) / 225],
        [(296 + 169 * r6) / 1800, (88 + 7 * r6) / 360, (-2 - 3 * r6) / 225],
        [(16 - r6) / 36, (16 + r6) / 36, 1 / 9],
    ]
    sun = [
        [(16 - r6) / 72, (328 - 167 * r6) / 1800, (-2 + 3 * r6) / 450],
        [(328 + 167 * r6) / 1800, (16 + r6) / 72, (-2 - 3 * r6) / 450],
        [(85 - 10 * r6) / 180, (85 + 10 * r6) / 180, 1 / 18],
    ]
    gauss = [
        [5 / 36, 2 / 9 - r15 / 15, 5 / 36 - r15 / 30],
        [5 / 36 + r15 / 24, 2 / 9, 5 / 36 - r15 / 24],
        [5 / 36 + r15 / 30, 2 / 9 + r15 / 15, 5 / 36],
    ]
    return [(tableaus.radau_iia(3), radau), (tableaus.SUN_GENG_5, sun), (tableaus.gauss(3), gauss)]


@pytest.mark.parametrize(
    ("tableau", "a"), [pytest.param(t, a, id=t.name) for t, a in methods_section_1()]
)
def test_coefficients_are_the_closed_forms_of_methods_1(tableau, a):
    np.testing.assert_allclose(np.array(tableau.a, float), a, rtol=0, atol=2e-16)


def test_the_order_of_sun_geng_follows_from_its_assumptions():
    assert simplifying_assumptions(tableaus.SUN_GENG_5) == (5, 2, 2)
    assert tableaus.SUN_GENG_5.order == 5


def test_every_tableau_with_a_name_is_an_integrator_of_the_catalogue():
    names = {tableau.name for tableau in tableaus.NAMED}
    assert {"rk4", "implicit_euler", "sun_geng5", "stormer_verlet"} <= names <= set(INTEGRATORS)


def test_suns_construction_makes_any_method_symplectic():
    for tableau in (tableaus.radau_iia(4), tableaus.lobatto_iiic(3), tableaus.RK4):
        made = tableaus.sun(tableau)
        assert made.is_symplectic and not tableau.is_symplectic
        assert made.order == order_by_conditions(made)


def stability(tableau, z):
    """R(z) = 1 + z bᵀ(1 − zA)⁻¹ e"""
    a, b = np.array(tableau.a, float), np.array(tableau.b, float)
    return 1 + z * b @ np.linalg.solve(np.eye(len(b)) - z * a, np.ones(len(b)))


STABILITY = [
    (tableaus.RK4, lambda z: 1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24),
    (tableaus.KUTTA38, lambda z: 1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24),
    (tableaus.IMPLICIT_EULER, lambda z: 1 / (1 - z)),
    (tableaus.radau_iia(2), lambda z: (1 + z / 3) / (1 - 2 * z / 3 + z**2 / 6)),
    (
        tableaus.radau_iia(3),
        lambda z: (1 + 2 * z / 5 + z**2 / 20) / (1 - 3 * z / 5 + 3 * z**2 / 20 - z**3 / 60),
    ),
    (
        tableaus.gauss(3),
        lambda z: (1 + z / 2 + z**2 / 10 + z**3 / 120) / (1 - z / 2 + z**2 / 10 - z**3 / 120),
    ),
    (
        tableaus.SUN_GENG_5,
        lambda z: (1 + z / 2 + z**2 / 10 + z**3 / 120) / (1 - z / 2 + z**2 / 10 - z**3 / 120),
    ),
    (tableaus.lobatto_iiia(2), lambda z: (1 + z / 2) / (1 - z / 2)),
    (tableaus.lobatto_iiic(2), lambda z: 1 / (1 - z + z**2 / 2)),
]


@pytest.mark.parametrize(
    ("tableau", "expected"), [pytest.param(t, r, id=t.name) for t, r in STABILITY]
)
def test_the_stability_function_is_that_of_theory(tableau, expected):
    assert [stability(tableau, z) for z in Z] == pytest.approx([expected(z) for z in Z], rel=1e-14)


@pytest.mark.parametrize(
    ("tableau", "symplectic", "symmetric"),
    [
        *((tableaus.gauss(s), True, True) for s in (1, 2, 5, 10)),
        (tableaus.SUN_GENG_5, True, False),
        (tableaus.radau_iia(3), False, False),
        (tableaus.lobatto_iiia(3), False, True),
        (tableaus.lobatto_iiib(3), False, True),
        (tableaus.lobatto_iiic(3), False, False),
        (tableaus.average_vector_field(2), False, True),
        (tableaus.RK4, False, False),
        (tableaus.EULER_A, True, False),
        (tableaus.EULER_B, True, False),
        *((tableaus.lobatto_pair(s), True, True) for s in (2, 3, 4, 5)),
    ],
    ids=lambda x: getattr(x, "name", None),
)
def test_traits_are_those_of_theory(tableau, symplectic, symmetric):
    assert (tableau.is_symplectic, tableau.is_symmetric) == (symplectic, symmetric)


def test_a_pair_of_a_method_with_itself_is_as_symplectic_as_the_method():
    for tableau in (tableaus.gauss(2), tableaus.radau_iia(2)):
        assert (
            PartitionedTableau("pair", 1, tableau, tableau, "").is_symplectic
            == tableau.is_symplectic
        )


@pytest.mark.parametrize("pair", named(PARTITIONED))
def test_a_partitioned_method_has_its_order_where_h_is_not_separable(pair):
    def error(h):
        slopes = implicit_slopes(pair.q.a, pair.p.a, COUPLED, h)
        return distance(weighted(COUPLED.start, h, pair.q.b, slopes), COUPLED.at(h))

    assert local_slope(error, Decimal(1) / 256) == pytest.approx(pair.order + 1, abs=0.05)


def test_the_two_stage_lobatto_pair_is_stormer_verlet():
    """METHODS 1: p½ = p − ½h H_q(q, p½), q⁺ = q + ½h (H_p(q, p½) + H_p(q⁺, p½)),
    p⁺ = p½ − ½h H_q(q⁺, p½).
    """
    h, (q, p), rates = Decimal("0.05"), COUPLED.start, COUPLED.rates
    middle, end = p, q
    for _ in range(90):
        middle = p + h / 2 * rates(q, middle)[1]
        end = q + h / 2 * (rates(q, middle)[0] + rates(end, middle)[0])
    pair = tableaus.STORMER_VERLET
    step = weighted(COUPLED.start, h, pair.q.b, implicit_slopes(pair.q.a, pair.p.a, COUPLED, h))
    assert distance(step, (end, middle + h / 2 * rates(end, middle)[1])) < Decimal("1e-55")


@pytest.mark.parametrize(
    ("pair", "implicit_in_q"), [(tableaus.EULER_A, True), (tableaus.EULER_B, False)]
)
def test_euler_a_is_implicit_in_q_and_euler_b_in_p(pair, implicit_in_q):
    """ERRATA 2-43."""
    h, (q, p) = Decimal("0.05"), COUPLED.start
    end_q, end_p = weighted(COUPLED.start, h, (1,), implicit_slopes(pair.q.a, pair.p.a, COUPLED, h))
    q_rate, p_rate = COUPLED.rates(end_q, p) if implicit_in_q else COUPLED.rates(q, end_p)
    assert distance((end_q, end_p), (q + h * q_rate, p + h * p_rate)) < Decimal("1e-55")


@pytest.mark.parametrize(("stages", "kept"), [(1, False), (2, True)])
def test_the_average_vector_field_keeps_a_quartic_energy_with_two_stages_and_not_with_one(
    stages, kept
):
    h, tableau = Decimal("0.05"), tableaus.average_vector_field(stages)
    end = weighted(COUPLED.start, h, tableau.b, implicit_slopes(tableau.a, tableau.a, COUPLED, h))
    drift = abs(coupled_energy(*end) - coupled_energy(*COUPLED.start))
    assert drift < Decimal("1e-55") if kept else drift > Decimal("1e-9")


# ---- explicit methods: rooted trees --------------------------------------------------------------
def grafted(tree):
    """The tree with one more leaf, in every place; a tree is the sorted tuple of its branches."""
    yield tuple(sorted((*tree, ())))
    for i, branch in enumerate(tree):
        for larger in grafted(branch):
            yield tuple(sorted((*tree[:i], larger, *tree[i + 1 :])))


def trees(order):
    return {()} if order == 1 else {larger for tree in trees(order - 1) for larger in grafted(tree)}


def size(tree):
    return 1 + sum(map(size, tree))


def density(tree):
    return reduce(lambda x, y: x * y, map(density, tree), size(tree))


def tree_weights(a, tree):
    """Φ_i = Π over the branches of Σ_j a_ij Φ_j"""
    products = [Decimal(1)] * len(a)
    for branch in tree:
        inner = tree_weights(a, branch)
        products = [
            x * sum(w * y for w, y in zip(row, inner, strict=True))
            for x, row in zip(products, a, strict=True)
        ]
    return products


def tree_defect(a, b, order):
    """The largest |Σ b_i Φ_i − 1/γ| over the trees of an order: Hairer, Nørsett, Wanner, II.2."""
    return max(
        abs(
            sum(w * x for w, x in zip(b, tree_weights(a, tree), strict=True))
            - 1 / Decimal(density(tree))
        )
        for tree in trees(order)
    )


def test_there_are_as_many_rooted_trees_as_cayley_counted():
    assert [len(trees(n)) for n in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


# of coefficients with sixteen and thirty digits
TOLERANCES = {
    "tsitouras5": Decimal("1e-14"),
    "dop853": Decimal("1e-26"),
}


@pytest.mark.parametrize(
    "method", named([*EXPLICIT, *PAIRS, tableaus.IMPLICIT_EULER, tableaus.SUN_GENG_5])
)
def test_order_conditions_hold_for_all_trees_up_to_the_order_and_not_beyond(method):
    defects = [tree_defect(method.a, method.b, n) for n in range(1, method.order + 2)]
    assert max(defects[:-1]) < TOLERANCES.get(method.name, EXACT_TOLERANCE)
    assert defects[-1] > Decimal("1e-7")


# ---- embedded pairs ------------------------------------------------------------------------------
STEPS = {"tsitouras5": Decimal(1) / 16}  # where sixteen digits of the coefficients leave room
DENSE_STEPS = {"tsitouras5": Decimal(1) / 64}


def dense_weights(pair, theta):
    return [sum(x * theta ** (k + 1) for k, x in enumerate(row)) for row in pair.dense]


@pytest.mark.parametrize("pair", named(PAIRS))
def test_the_main_formula_of_a_pair_has_its_order(pair):
    def error(h):
        tableau = pair.tableau
        return distance(
            weighted(COUPLED.start, h, tableau.b, explicit_slopes(tableau.a, COUPLED, h)),
            COUPLED.at(h),
        )

    assert local_slope(error, STEPS.get(pair.name, Decimal(1) / 64)) == pytest.approx(
        pair.order + 1, abs=0.15
    )


@pytest.mark.parametrize("theta", [Decimal("0.3"), Decimal("0.8")])
@pytest.mark.parametrize("pair", named(PAIRS))
def test_the_dense_output_has_its_order(pair, theta):
    def error(h):
        return distance(
            weighted(
                COUPLED.start, h, dense_weights(pair, theta), explicit_slopes(pair.a, COUPLED, h)
            ),
            COUPLED.at(theta * h),
        )

    assert local_slope(error, DENSE_STEPS.get(pair.name, Decimal(1) / 256)) == pytest.approx(
        pair.dense_order + 1, abs=0.15
    )


@pytest.mark.parametrize("pair", named(PAIRS))
def test_the_dense_output_fulfils_the_order_conditions_between_the_ends(pair):
    """Σ b_i(θ) Φ_i = θ^|tree| / γ: Hairer, Nørsett, Wanner, II.6."""
    theta = Decimal("0.37")
    weights = dense_weights(pair, theta)
    for n in range(1, pair.dense_order + 1):
        scaled = [w / theta**n for w in weights]
        assert tree_defect(pair.a, scaled, n) < TOLERANCES.get(pair.name, EXACT_TOLERANCE) * 100


@pytest.mark.parametrize("pair", named(PAIRS))
def test_the_dense_output_joins_the_steps_with_their_slopes(pair):
    """y(0) = y by form; y′(0) = K_1, y(1) = y⁺, y′(1) = f(y⁺)."""
    for i, row in enumerate(pair.dense):
        assert abs(row[0] - (i == 0)) < EXACT_TOLERANCE
        assert abs(sum(row) - pair.b[i]) < EXACT_TOLERANCE
        assert (
            abs(sum((k + 1) * x for k, x in enumerate(row)) - (i == pair.stages)) < EXACT_TOLERANCE
        )
    assert pair.is_fsal


@pytest.mark.parametrize(
    ("pair", "field", "order"),
    [
        (embedded.DORMAND_PRINCE_5, "error", 4),
        (embedded.TSITOURAS_5, "error", 4),
        (embedded.DOP853, "error", 5),
        (embedded.DOP853, "second_error", 3),
    ],
)
def test_the_error_estimate_falls_with_the_order_of_the_lower_formula(pair, field, order):
    def estimate(h):
        return distance(
            weighted(COUPLED.start, h, getattr(pair, field), explicit_slopes(pair.a, COUPLED, h)),
            COUPLED.start,
        )

    assert local_slope(estimate, Decimal(1) / 64) == pytest.approx(order + 1, abs=0.15)


def test_dormand_prince_agrees_with_scipy():
    pair = embedded.DORMAND_PRINCE_5
    np.testing.assert_array_equal(np.array(pair.dense, float), RK45.P)
    np.testing.assert_array_equal(np.array(pair.error, float), -RK45.E)  # scipy's is b̂ − b
    np.testing.assert_array_equal(np.array(pair.tableau.a, float)[:, :5], RK45.A)


def test_the_dense_output_of_tsitouras_is_the_published_one():
    """Tsitouras 2011: the coefficients of θ³ and θ⁴, which the pair computes from those of θ²."""
    third = [
        2.9132554618219126,
        -0.2234,
        -5.941033872131505,
        30.33818863028232,
        -88.1789048947664,
        65.09189467479366,
        -4,
    ]
    fourth = [
        -1.0530884977290216,
        0.1017,
        2.490627285651253,
        -16.548102889244902,
        47.37952196281928,
        -34.87065786149661,
        2.5,
    ]
    dense = np.array(embedded.TSITOURAS_5.dense, float)
    np.testing.assert_allclose(dense[:, 2:].T, [third, fourth], rtol=0, atol=1e-13)


def test_the_stages_of_a_pair_are_counted_from_its_data():
    counts = {pair.name: (pair.stages, pair.error_stages, pair.dense_stages) for pair in PAIRS}
    assert counts == {"dormand_prince5": (6, 7, 7), "tsitouras5": (6, 7, 7), "dop853": (12, 12, 16)}


def test_a_pair_without_the_row_of_the_weights_is_not_fsal():
    pair = embedded.DORMAND_PRINCE_5
    assert not replace(pair, a=(*pair.a[:-1], pair.a[5])).is_fsal


# ---- compositions and splittings: words in a free algebra ----------------------------------------
def weight(word):
    return sum(letter[1] for letter in word)


def times_exponential(words, element, limit):
    """A sum of words times exp(element), up to a weight; letters are (name, weight)."""
    total, term, n = dict(words), words, 0
    while term:
        n += 1
        longer = {}
        for word, x in term.items():
            for letter, y in element.items():
                if weight(word) + letter[1] <= limit:
                    longer[(*word, letter)] = longer.get((*word, letter), 0) + x * y / n
        for word, x in longer.items():
            total[word] = total.get(word, 0) + x
        term = longer
    return total


def word_defects(elements, exact, limit):
    """By weight, the largest difference between exp(element_1) exp(element_2) … and exp(exact)."""
    made = reduce(
        lambda words, element: times_exponential(words, element, limit), elements, {(): Decimal(1)}
    )
    wanted = times_exponential({(): Decimal(1)}, exact, limit)
    differences = [
        (weight(word), abs(made.get(word, 0) - wanted.get(word, 0))) for word in {*made, *wanted}
    ]
    return [max(x for n, x in differences if n == k) for k in range(1, limit + 1)]


def composition_defects(factors, limit):
    """A symmetric method is exp(h Y1 + h³ Y3 + h⁵ Y5 + …): Hairer, Lubich, Wanner, III.5."""
    elements = [{("Y", k): factor**k for k in range(1, limit + 1, 2)} for factor in factors]
    return word_defects(elements, {("Y", 1): Decimal(1)}, limit)


def splitting_defects(splitting, limit):
    elements = [{(kind, 1): share} for kind, share in splitting.flows]
    return word_defects(elements, {("drift", 1): Decimal(1), (KICK, 1): Decimal(1)}, limit)


@pytest.mark.parametrize("composition", named([*COMPOSITIONS, triple_jump(6), suzuki(6)]))
def test_a_composition_fulfils_all_order_conditions_up_to_its_order_and_not_beyond(composition):
    defects = composition_defects(composition.factors, composition.order + 1)
    assert max(defects[:-1]) < EXACT_TOLERANCE
    assert defects[-1] > Decimal("1e-8")


@pytest.mark.parametrize(
    "splitting", named(s for s in SPLITTINGS if s.order <= 6 and not s.is_nystrom)
)
def test_a_splitting_fulfils_all_order_conditions_up_to_its_order_and_not_beyond(splitting):
    defects = splitting_defects(splitting, splitting.order + 1)
    assert max(defects[:-1]) < EXACT_TOLERANCE
    assert defects[-1] > Decimal("1e-8")


@pytest.mark.parametrize("splitting", named(s for s in SPLITTINGS if s.is_nystrom))
def test_a_nystrom_splitting_does_not_have_its_order_for_every_t(splitting):
    assert max(splitting_defects(splitting, splitting.order)) > Decimal("1e-8")


def test_a_wrong_fifteenth_digit_shows_in_the_order_conditions():
    factors = list(compositions.KAHAN_LI_8.factors)
    factors[0], factors[1] = factors[0] + Decimal("1e-15"), factors[1] - Decimal("1e-15")
    assert max(composition_defects(factors, 8)) > Decimal("1e-17")


@pytest.mark.parametrize("splitting", named(SPLITTINGS))
def test_the_local_error_of_a_splitting_falls_with_its_order(splitting):
    problem = NYSTROM if splitting.is_nystrom else SEPARABLE

    def error(h):
        return distance(split_step(splitting, problem, h), problem.at(h))

    assert local_slope(error, Decimal(1) / 512) == pytest.approx(splitting.order + 1, abs=0.05)


@pytest.mark.parametrize("splitting", named(SPLITTINGS))
def test_a_symmetric_splitting_undoes_its_step_and_others_do_not(splitting):
    h = Decimal("0.1")
    returned = split_step(splitting, SEPARABLE, -h, split_step(splitting, SEPARABLE, h))
    assert (distance(returned, SEPARABLE.start) < Decimal("1e-50")) == splitting.is_symmetric


def test_only_ruth_and_mclachlan_atela_are_not_symmetric():
    assert {s.name for s in SPLITTINGS if not s.is_symmetric} == {"ruth3", "mclachlan_atela4"}
    assert all(c.is_symmetric for c in COMPOSITIONS)


def test_stormer_verlet_kicks_first_and_counts_one_force():
    verlet = splittings.STORMER_VERLET
    assert verlet.flows == ((KICK, Decimal("0.5")), ("drift", 1), (KICK, Decimal("0.5")))
    assert [(s.name, s.stages) for s in SPLITTINGS[:4]] == [
        ("stormer_verlet", 1),
        ("leapfrog_dkd", 1),
        ("ruth3", 3),
        ("forest_ruth", 3),
    ]


def test_a_composition_written_out_is_the_composition():
    """Flows merge where steps meet; the map must stay the same."""
    h, whole = Decimal("0.1"), compose(compositions.YOSHIDA_6, splittings.LEAPFROG_DKD)
    state = SEPARABLE.start
    for factor in compositions.YOSHIDA_6.factors:
        state = split_step(splittings.LEAPFROG_DKD, SEPARABLE, factor * h, state)
    assert distance(state, split_step(whole, SEPARABLE, h)) < Decimal("1e-55")


# ---- what is refused -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tableaus.gauss(0), "gauss: 0 stages"),
        (lambda: tableaus.lobatto_iiib(1), "lobatto_iiib: 1 stages"),
        (lambda: tableaus.lobatto_pair(1), "lobatto_pair: 1 stages"),
        (lambda: tableaus.sun(tableaus.EXPLICIT_MIDPOINT), "explicit_midpoint.*zero"),
        (
            lambda: PartitionedTableau("odd", 1, tableaus.RK4, tableaus.EXPLICIT_EULER, ""),
            "odd: q has 4 stages and p has 1",
        ),
        (lambda: triple_jump(5), "order 5"),
        (lambda: Composition("slip", 4, ("0.5", "0.50000000001"), ""), "slip.*wrong digit"),
        (lambda: Splitting("slip", 2, (0, 1), ("0.5", "0.4"), ""), "slip.kicks"),
        (lambda: Splitting("short", 2, (1,), ("0.5", "0.5"), ""), "short: 1 drifts and 2 kicks"),
        (lambda: compose(compositions.YOSHIDA_6, splittings.RUTH_3), "ruth3 is none"),
        (lambda: replace(embedded.DOP853, error=(1,)), "dop853.*error"),
        (
            lambda: replace(
                embedded.DORMAND_PRINCE_5, c=(0, "0.21", "0.3", "0.8", Fraction(8, 9), 1, 1)
            ),
            "dormand_prince5, stage 1",
        ),
    ],
)
def test_impossible_coefficients_are_refused_by_name(make, message):
    with pytest.raises(OptionError, match=message):
        make()


def test_rounded_coefficients_are_closed_to_the_exact_sum():
    third = "0.333333333333333"
    composition = Composition("thirds", 2, (third, third, third), "")
    assert abs(sum(composition.factors) - 1) < EXACT_TOLERANCE and composition.is_symmetric


def test_a_tableau_whose_row_misses_its_node_is_refused():
    with pytest.raises(ValueError, match="row of a"):
        Tableau("slip", 1, ((0, 0), (Fraction(1, 2), 0)), (0, 1), (0, Fraction(1, 3)), "")
