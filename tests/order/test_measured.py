"""Every integrator of the catalogue is what it claims to be, and nothing more: order, structure,
invariants, energy.
"""

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from hamiltree.analysis import verification as m
from hamiltree.analysis.table import BEGIN, CLOSE, COLUMNS, MARK, as_markdown, cells, write_table
from hamiltree.cli import app as cli
from hamiltree.errors import FileError, OptionError
from hamiltree.integrators import INTEGRATORS, find_integrator
from hamiltree.integrators.tableau import order_by_conditions, simplifying_assumptions

GENERATED = (
    "gauss14",
    "radau_iia9",
    "lobatto_pair8",
    "lobatto_iiic8",
    "sun(radau_iia7)",
    "triple_jump(gauss4)",
    "suzuki(stormer_verlet)",
    "avf5",
)
MEASURED = [integrator.name for integrator in m.verifiable_integrators()]
EXPLICIT = tuple(f"explicit {name}" for name in MEASURED if INTEGRATORS[name].separable_variant)
NAMES = (*MEASURED, *GENERATED, *EXPLICIT)
PAGE = Path(__file__).parents[2] / "docs" / "integrators.md"


@cache
def measured(name):
    """`explicit name` is the form that a method takes where H is separable."""
    form = name.removeprefix("explicit ")
    return m.measure(
        find_integrator(form).separable_variant if form != name else find_integrator(name)
    )


# ---- the catalogue -------------------------------------------------------------------------------
@pytest.mark.parametrize("name", NAMES)
def test_the_order_is_the_claimed_one(name):
    found = measured(name)
    order, least = found.integrator.order, 4 if found.integrator.order <= 8 else 3
    assert len(found.points) >= least, "too few errors between the largest and rounding"
    assert all((1e-13 if order <= 8 else 3e-14) < error < 1e-3 for _, error in found.points)
    below = 0.15 if order <= 12 else 0.35  # rounding comes before the asymptotic law
    assert order - below < found.slope < order + 0.5, (
        f"slope {found.slope:.2f}, claimed {order}; {found.points}"
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_step_is_symplectic_if_and_only_if_the_method_claims_it(name):
    found = measured(name)
    assert found.symplectic < 1e-12 if found.integrator.is_symplectic else found.symplectic > 1e-10


@pytest.mark.parametrize("name", NAMES)
def test_a_step_back_undoes_a_step_forth_if_and_only_if_the_method_claims_it(name):
    found = measured(name)
    assert found.symmetric < 1e-14 if found.integrator.is_symmetric else found.symmetric > 1e-10


@pytest.mark.parametrize("name", NAMES)
def test_a_quadratic_invariant_is_kept_if_and_only_if_the_method_claims_it(name):
    """Σ (q² + p²)/2 tells from the bilinear ones, which more methods keep."""
    found = measured(name)
    assert (
        found.quadratic < 1e-13 if found.integrator.conserves_quadratic else found.quadratic > 1e-10
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_angular_momentum_is_kept_by_symplectic_methods_and_by_reversible_steps_of_them_alone(
    name,
):
    """A step of any length keeps it, so that varying steps do too."""
    found = measured(name)
    keeps = found.integrator.is_symplectic or found.integrator.samples_at_steps
    assert found.bilinear < 1e-13 if keeps else found.bilinear > 1e-10


@pytest.mark.parametrize("name", NAMES)
def test_energy_is_kept_on_any_h_if_and_only_if_the_method_claims_it(name):
    found = measured(name)
    worst = max(found.energy, found.rough)
    assert worst < 1e-14 if found.integrator.conserves_energy else worst > 1e-10


@pytest.mark.parametrize("name", NAMES)
def test_energy_of_degree_four_is_kept_by_the_averaged_field_and_the_discrete_gradient_alone(name):
    found = measured(name)
    keeps = name.startswith("avf") or found.integrator.conserves_energy
    assert found.polynomial < 1e-13 if keeps else found.polynomial > 1e-10


@pytest.mark.parametrize("name", NAMES)
def test_the_energy_error_is_bounded_if_and_only_if_the_method_is_symplectic_or_symmetric(name):
    """The pendulum turned in time and q → −q is itself, so that symmetry is enough."""
    found = measured(name)
    bounded = found.integrator.is_symplectic or found.integrator.is_symmetric
    assert found.is_bounded == bounded, f"drift {found.drift:.1e}, amplitude {found.energy:.1e}"


@pytest.mark.parametrize("name", NAMES)
def test_the_table_marks_no_disagreement(name):
    found = measured(name)
    assert found.disagreements == ()
    assert not any(MARK in cell for cell in cells(found))


@pytest.mark.parametrize("name", [name for name in INTEGRATORS if name.startswith("tao")])
def test_tao_is_symplectic_in_the_doubled_space(name):
    assert measured(name).doubled < 1e-12


@pytest.mark.parametrize(
    "name",
    [name for name, one in INTEGRATORS.items() if one.is_adaptive and not one.samples_at_steps],
)
def test_the_error_of_an_adaptive_method_is_proportional_to_its_tolerance(name):
    assert 0.8 < measured(name).tolerance_slope < 1.2


@pytest.mark.parametrize(
    "name", ["gauss10", "gauss12", "gauss14", "radau_iia9", "lobatto_iiic8", "sun(radau_iia7)"]
)
def test_the_order_of_a_family_follows_from_b_c_and_d(name):
    """min(p, 2η + 2, η + ζ + 1), to fifty digits: where rounding leaves little room for a slope,
    this decides.
    """
    integrator = find_integrator(name)
    p, eta, zeta = simplifying_assumptions(integrator.coefficients)
    assert p >= integrator.order
    assert (
        measured(name).conditions
        == order_by_conditions(integrator.coefficients)
        == min(p, 2 * eta + 2, eta + zeta + 1)
    )
    assert measured(name).conditions == integrator.order


# ---- the measurement itself ----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("problem", "slope"),
    [
        (m.PENDULUM, lambda t, y: [y[1] + np.cos(y[0]) / 6, -np.sin(y[0]) * (1 - y[1] / 6)]),
        (
            m.SOFT,
            lambda t, y: [
                np.sinh(y[2]),
                np.sinh(y[3]),
                -y[0] - y[0] * y[1] / 4,
                -y[1] - y[0] ** 2 / 8,
            ],
        ),
    ],
)
def test_the_ends_that_errors_are_measured_from_are_those_of_another_integrator(problem, slope):
    for start, end in zip((problem.start, *problem.others), m.exact_ends(problem), strict=True):
        other = solve_ivp(
            slope, (0, problem.end), start, method="DOP853", rtol=1e-13, atol=1e-15
        ).y[:, -1]
        np.testing.assert_allclose(end, other, rtol=0, atol=2e-12)


@pytest.mark.parametrize(
    "problem", [m.GENERAL.turning, m.GENERAL.rotating, m.SEPARATE.turning, m.SEPARATE.rotating]
)
def test_the_named_invariant_is_one(problem):
    """Poisson bracket {invariant, H} by central differences, at random points."""
    _, observe = m.assemble_problem(problem)
    d, omega = 1e-4, np.kron([[0, 1], [-1, 0]], np.eye(2))
    for y in np.random.default_rng(3).normal(size=(5, 4)):
        states = np.array([y + sign * d * e for e in np.eye(4) for sign in (1, -1)])
        seen = observe(np.zeros(8), states, np.zeros(8))
        gradients = [
            (values[::2] - values[1::2]) / (2 * d)
            for values in (seen["invariants"][:, 0], seen["energy"])
        ]
        assert abs(gradients[0] @ omega @ gradients[1]) < 1e-6
        assert np.linalg.norm(gradients[1]) > 0.01


def test_the_invariant_that_rotates_is_not_bilinear_and_h_is_not_quadratic():
    """Second differences: ∂²/∂q² of the invariant is one; ∂²H/∂q1² depends on where."""
    _, observe = m.assemble_problem(m.GENERAL.rotating)
    e = np.array([1.0, 0, 0, 0])

    def second(values, key):
        seen = observe(
            np.zeros(3), np.array([values - 0.1 * e, values, values + 0.1 * e]), np.zeros(3)
        )[key].reshape(3, -1)[:, 0]
        return (seen[0] - 2 * seen[1] + seen[2]) / 0.01

    a, b = np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.0, 0.2, 0.3, 0.4])
    assert second(a, "invariants") == pytest.approx(1.0) == second(b, "invariants")
    assert abs(second(a, "energy") - second(b, "energy")) > 1.0


def test_the_jacobian_is_that_of_a_known_map():
    """The map (x, y) → (sin x + x y², eʸ cos x), differentiated by hand."""
    z = np.array([0.7, -0.4])
    found = m.jacobian(
        lambda z: np.array([np.sin(z[0]) + z[0] * z[1] ** 2, np.exp(z[1]) * np.cos(z[0])]), z
    )
    x, y = z
    exact = [[np.cos(x) + y * y, 2 * x * y], [-np.exp(y) * np.sin(x), np.exp(y) * np.cos(x)]]
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-13)


def test_a_slope_is_the_exponent_of_a_power_law():
    steps = np.array([0.4, 0.2, 0.1, 0.05])
    assert m.fit_slope(list(zip(steps, 3.0 * steps**4.5, strict=True))) == pytest.approx(4.5)
    assert math.isnan(m.fit_slope([(0.1, 1e-3), (0.05, 1e-4)]))


@pytest.mark.parametrize(
    ("name", "lie", "what"),
    [
        ("rk4", {"order": 5}, "order"),
        ("gauss4", {"order": 3}, "order"),
        ("rk4", {"is_symplectic": True}, "symplectic"),
        ("gauss4", {"is_symplectic": False}, "symplectic"),
        ("radau_iia3", {"is_symmetric": True}, "symmetric"),
        ("stormer_verlet", {"conserves_quadratic": True}, "quadratic"),
        ("avf2", {"conserves_energy": True}, "energy"),
    ],
)
def test_a_false_claim_is_marked_in_its_column(name, lie, what):
    honest = measured(name)
    found = replace(honest, integrator=replace(honest.integrator, **lie))
    assert found.disagreements == (what,)
    marked = [column for column, cell in zip(COLUMNS, cells(found), strict=True) if MARK in cell]
    assert marked == ["measured" if what == "order" else what]


# ---- the command and the page --------------------------------------------------------------------
def test_the_command_prints_what_was_measured_and_refuses_to_measure_joints(monkeypatch, capsys):
    monkeypatch.setattr(m, "INTEGRATORS", {name: INTEGRATORS[name] for name in ("rk4", "gauss4")})
    monkeypatch.setattr(cli.out, "width", 200)
    cli.show("integrators", measured=True)
    printed = capsys.readouterr().out
    assert all(cell in printed for name in ("rk4", "gauss4") for cell in cells(measured(name)))
    with pytest.raises(OptionError, match="hamiltree list integrators --measured"):
        cli.show("joints", measured=True)


def test_the_page_shows_every_integrator_as_it_is_claimed_and_none_besides():
    rows = PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(CLOSE)[0].strip().splitlines()[2:]
    shown = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert [row[0] for row in shown] == MEASURED
    for row in shown:
        claims = INTEGRATORS[row[0]]
        assert int(row[COLUMNS.index("order")]) == claims.order
        assert row[COLUMNS.index("symplectic")].startswith("yes") == claims.is_symplectic
        assert row[COLUMNS.index("symmetric")].startswith("yes") == claims.is_symmetric
        assert row[COLUMNS.index("quadratic")].startswith("yes") == claims.conserves_quadratic
        assert row[COLUMNS.index("energy")].startswith("exact") == claims.conserves_energy


def test_a_table_goes_between_its_comments_and_leaves_the_rest(tmp_path):
    page, found = tmp_path / "page.md", [measured("rk4")]
    page.write_text(f"# A\n\n{BEGIN}\nold\n{CLOSE}\n\n## B\n", encoding="utf-8")
    write_table(page, found)
    assert (
        page.read_text(encoding="utf-8") == f"# A\n\n{BEGIN}\n{as_markdown(found)}{CLOSE}\n\n## B\n"
    )
    page.write_text("# A\n", encoding="utf-8")
    with pytest.raises(FileError, match="no place for the table"):
        write_table(page, found)
