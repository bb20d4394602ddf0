"""Methods of a user's own: found to be what they are, measured as ours, refused where they are
none.
"""

import re
import shlex
import sys
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.analysis.verification import measure
from hamiltree.cli.app import main
from hamiltree.integrators import INTEGRATORS, find_integrator
from hamiltree.integrators.compositions import COMPOSITIONS
from hamiltree.integrators.order_conditions import (
    MOST_VERTICES,
    density,
    order_by_trees,
    order_of_composition,
    trees_with,
)
from hamiltree.integrators.tableau import Tableau

with localcontext(prec=40):
    QUARTER, ROOT = Decimal("0.25"), Decimal(3).sqrt() / 6
    GAUSS4_A = [[QUARTER, QUARTER - ROOT], [QUARTER + ROOT, QUARTER]]
RK4 = [[0, 0, 0, 0], [0.5, 0, 0, 0], [0, "1/2", 0, 0], [0, 0, 1, 0]], [1 / 6, 1 / 3, 1 / 3, 1 / 6]
GAUSS4 = GAUSS4_A, [Fraction(1, 2), 0.5]
PENDULUM = ht.hamiltonian("p**2/2 - cos(q)")
START = {"q": {"q": 1.0}, "p": {"p": 0.0}, "until": 1.0, "step": 0.05, "progress": False}


# ---- orders --------------------------------------------------------------------------------------
def test_rooted_trees_are_as_many_as_they_are():
    assert [len(trees_with(n)) for n in range(1, 11)] == [1, 1, 2, 4, 9, 20, 48, 115, 286, 719]
    # Σ over trees with n vertices of n! / (σ γ) is (n − 1)!: with four, γ = 24, 12, 8, 4
    assert sorted(map(density, trees_with(4))) == [4, 8, 12, 24]


def single_tableaus():
    return [
        made
        for made in INTEGRATORS.values()
        if isinstance(made.coefficients, Tableau) and len(made.substeps) == 1
    ]


@pytest.mark.parametrize("name", [made.name for made in single_tableaus()])
def test_trees_find_the_order_of_every_tableau_of_the_catalogue(name):
    made = INTEGRATORS[name]
    assert order_by_trees(made.coefficients) == min(made.order, MOST_VERTICES)


@pytest.mark.parametrize("made", COMPOSITIONS, ids=lambda made: made.name)
def test_words_find_the_order_of_every_composition_of_the_catalogue(made):
    assert order_of_composition(made.factors, 2) == min(made.order, 10)


# ---- as ours -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "own, ours",
    [
        (ht.Tableau(*RK4), "rk4"),
        (ht.Tableau(*GAUSS4), "gauss4"),
        (
            ht.Composition(
                [1 / (2 - 2 ** (1 / 3)), 1 - 2 / (2 - 2 ** (1 / 3)), 1 / (2 - 2 ** (1 / 3))]
            ),
            "triple_jump4(stormer_verlet)",
        ),
    ],
    ids=["rk4", "gauss4", "triple jump"],
)
def test_a_known_method_gives_the_known_run(own, ours):
    run, known = (ht.simulate(PENDULUM, integrator=name, **START) for name in (own, ours))
    np.testing.assert_allclose(run.p.values, known.p.values, rtol=0, atol=4e-15)
    made, claimed = find_integrator(own), find_integrator(ours)
    assert made.order == claimed.order and made.name == own
    assert made.is_symplectic == claimed.is_symplectic
    assert made.is_symmetric == claimed.is_symmetric and made.is_explicit == claimed.is_explicit
    for said in ("order", "is_explicit", "is_symplectic", "is_symmetric"):
        assert getattr(own, said) == getattr(claimed, said)


@pytest.mark.parametrize("own", [ht.Tableau(*RK4), ht.Tableau(*GAUSS4)], ids=["rk4", "gauss4"])
def test_it_is_measured_as_ours(own):
    found = measure(own)
    assert not found.disagreements
    assert found.slope == pytest.approx(4.0, abs=0.1)


def test_a_wrong_coefficient_costs_order():
    a = [list(row) for row in RK4[0]]
    a[2][1] = "0.50001"
    assert ht.Tableau(*RK4, order=4).order == 4 and ht.Tableau(a, RK4[1]).order == 1
    assert ht.Tableau(*GAUSS4).is_symplectic and not ht.Tableau(*RK4).is_symplectic
    assert ht.Tableau(*GAUSS4).is_symmetric and ht.Tableau(*RK4).is_explicit
    assert ht.Composition([0.28, 0.44, 0.28]).order == 2
    rounded = ht.Tableau([[0.25, 0.25 - 3**0.5 / 6], [0.25 + 3**0.5 / 6, 0.25]], [0.5, 0.5])
    assert rounded.order == 4
    assert not rounded.coefficients.is_symplectic  # to rounding only


def test_a_run_says_what_made_it_and_goes_on_from_its_file(tmp_path):
    own = ht.Tableau([[0, 0], [0.5, 0]], [0, 1])
    assert own == "tableau(0 0; 1/2 0 | 0 1)" and own.order == 2
    path = tmp_path / "run.nc"
    ht.simulate(PENDULUM, integrator=own, output=path, **START)
    kept = ht.load(path)
    assert kept.report().lines and own in repr(kept)
    same = ht.simulate(PENDULUM, integrator="Tableau(0 0; 1/2 0|0 1)", **START)
    np.testing.assert_array_equal(kept.p.values, same.p.values)


def test_the_page_and_the_command(monkeypatch, tmp_path, capsys):
    page = (Path(__file__).parents[2] / "docs" / "integrators.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"## Methods of your own\n.*?```python\n(.*?)```", page, re.DOTALL)
    names: dict = {}
    exec(code, names)
    assert "tableau(0 0; 2/3 0 | 1/4 3/4) 2" in capsys.readouterr().out
    assert names["run"].status == "complete"
    assert names["found"].orders[names["ralston"]] == pytest.approx(2, abs=0.2)
    (line,) = re.findall(r"^    hamiltree (run .*tableau.*)$", page, re.M)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["hamiltree", *shlex.split(line)])
    with pytest.raises(SystemExit) as done:
        main()
    assert not done.value.code and (tmp_path / "n_pendulum_2.nc").exists()


# ---- no methods ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: ht.Tableau([[0]], [0.9]), r"weights b sum to 0.9\b.*must sum to 1"),
        (lambda: ht.Tableau([[0, 0]], [0.5, 0.5]), "1 rows of a and 2 weights"),
        (lambda: ht.Tableau([[0], [0, 0]], [0.5, 0.5]), "row 0 of a has 1 numbers; give 2"),
        (lambda: ht.Tableau([[float("nan")]], [1]), r"a\[0\]\[0\] = nan is no finite number"),
        (lambda: ht.Tableau([["x"]], [1]), r"a\[0\]\[0\] = 'x' is no number"),
        (lambda: ht.Tableau([["1/0"]], [1]), "is no number"),
        (lambda: ht.Tableau([[1, 0], [0, 0]], [0, 1]), r"b\[0\] is zero; an implicit"),
        (lambda: ht.Tableau([[0] * 17] * 17, [1] * 17), "17 weights b; give 1 to 16"),
        (
            lambda: ht.Tableau([[0, 0], [1, 0]], [0.5, 0.5], order=3),
            r"its order is 2, not 3: Σ b A\(c\) = 0, which must be 1/6",
        ),
        (
            lambda: ht.Tableau([[0, 0], ["1/2", 0]], [0.5, 0.5], order=2),
            r"its order is 1, not 2: Σ b c = 0.25, which must be 1/2",
        ),
        (lambda: ht.Composition([0.5, 0.5], "rk4"), "compositions are of symmetric"),
        (lambda: ht.Composition([0.5, 0.5], "stormer_verlt"), "did you mean"),
        (lambda: ht.Composition([0.5, 0.4]), "parts sum to 0.9"),
        (lambda: find_integrator("composition(1/2 1/2 | rk4)"), "compositions are of symmetric"),
        (lambda: find_integrator("composition(1/2 1/2)"), "give 1 to 64 parts"),
        (lambda: find_integrator("tableau()"), "0 weights b"),
    ],
)
def test_what_is_no_method_is_refused_with_the_condition_it_breaks(make, message):
    with pytest.raises(ht.OptionError, match=message):
        make()
