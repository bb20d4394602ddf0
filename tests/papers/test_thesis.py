"""The thesis "On Hamiltonian Dynamics of a Chain of Rigid Bodies": equations that the page
docs/documents/chain-of-rigid-bodies.md names, and the experiments that measure its claims.
"""

import contextlib
import io
import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import hamiltree as ht
from hamiltree import gallery
from hamiltree.analysis.statics.pair_energy import PairEnergy
from hamiltree.analysis.statics.poses import Poses
from hamiltree.gallery.experiments import adaptive_energy, drawings, symplecticity, top
from hamiltree.model.nanotubes import BOND

PAGE = Path(__file__).parents[2] / "docs" / "documents" / "chain-of-rigid-bodies.md"
CLOSE = 1e-13
J = np.array([2.0, 3.0, 4.0])
J0 = 0.7


@pytest.fixture
def pair():
    """q of no unit length, and g."""
    return np.random.default_rng(3).normal(size=(2, 4))


def numbers(name):
    experiment = gallery.find_experiment(name)
    return {row.what: row for row in experiment.numbers(experiment.run(True, False))}


# ---- the page ------------------------------------------------------------------------------------
def assert_alike(found, expected):
    """The same words, and numbers to the last digit but one, or of the same size where they are
    small.
    """
    number = re.compile(r"-?\d+\.?\d*(?:e[-+]\d+)?")
    assert number.sub("#", found).split() == number.sub("#", expected).split()
    for one, other in zip(number.findall(found), number.findall(expected), strict=True):
        if abs(float(other)) < 1e-11:
            assert abs(float(one)) < 1e-10, (one, other)
        elif abs(float(other)) < 1e-6:
            assert 0.1 < float(one) / float(other) < 10.0, (one, other)
        else:
            assert abs(Decimal(one) - Decimal(other)) <= last_digit(other), (one, other)


def last_digit(text):
    """One unit of the last digit that is printed."""
    return Decimal(1).scaleb(Decimal(text).as_tuple().exponent)


def test_the_page_prints_what_it_says(tmp_path, monkeypatch):
    """Every python block that a text block follows."""
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", text, re.S | re.M)
    assert len(blocks) == sum(bool(expected) for _, expected in blocks) >= 9
    namespace = {"__name__": "page"}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, PAGE.name, "exec"), namespace)
        assert_alike(printed.getvalue(), expected)


# ---- §3.2, §3.3: kinetic energies ----------------------------------------------------------------
def mass_matrix(q):
    """μ(q) of (3.18)."""
    G = ht.rotations.augmented_rate_matrix(q)
    return 4.0 * G.T @ np.diag([J0, *J]) @ G


def inverse_mass_matrix(q):
    """μ⁻¹(q) of (3.19)."""
    G = ht.rotations.augmented_rate_matrix(q)
    return 0.25 * G.T @ np.diag(1.0 / np.array([J0, *J])) @ G


def test_the_rotational_mass_matrix_has_the_inverse_of_the_thesis_on_the_sphere(pair):
    """(3.18), (3.19), G q = 0, and ERRATA 2-22: elsewhere their product is ‖q‖⁴."""
    q = pair[0]
    square = q @ q
    assert abs(ht.rotations.rate_matrix(q) @ q).max() <= CLOSE
    product = mass_matrix(q) @ inverse_mass_matrix(q)
    assert product == pytest.approx(square**2 * np.eye(4), abs=1e-12)


def test_kinetic_energy_is_the_same_with_q_and_g_exchanged(pair):
    """(3.20) holds of three rows and has the other sign in the first (ERRATA 2-21); (3.21) holds;
    qᵀμ⁻¹g = ‖q‖² q·g/4J₀ (ERRATA 2-23).
    """
    q, g = pair
    one = ht.rotations.augmented_rate_matrix(q) @ g
    other = ht.rotations.augmented_rate_matrix(g) @ q
    assert one[1:] == pytest.approx(-other[1:], abs=CLOSE)
    assert one[0] == pytest.approx(other[0], abs=CLOSE)
    T = 0.5 * g @ inverse_mass_matrix(q) @ g
    assert 0.5 * q @ inverse_mass_matrix(g) @ q == pytest.approx(T, rel=1e-13)
    along = q @ inverse_mass_matrix(q) @ g
    assert along == pytest.approx((q @ q) * (q @ g) / (4.0 * J0), rel=1e-12)


def test_kinetic_energies_by_quaternions_and_by_matrices_are_that_of_the_particles():
    """½ gᵀμ⁻¹g, ½ tr(ṘDṘᵀ) and ½ Σ m v² (3.2); with the inertia in the place of D it is another
    number (ERRATA 2-11).
    """
    particles = ht.library.tetrahedron()
    points, inertia = np.array(particles.positions), np.array(particles.inertia)
    q = ht.rotations.normalise(np.array([0.8, 0.1, -0.4, 0.3]))
    omega = np.array([0.3, -1.1, 0.7])
    R_rate = ht.rotations.matrix_rate(ht.rotations.rotation_matrix(q), omega)
    by_particles = 0.5 * ((points @ R_rate.T) ** 2).sum()
    D = np.array(particles.second_moment)
    assert pytest.approx(0.5 * np.trace(inertia) * np.eye(3) - inertia, abs=CLOSE) == D
    assert 0.5 * np.trace(R_rate @ D @ R_rate.T) == pytest.approx(by_particles, rel=1e-13)
    assert abs(0.5 * np.trace(R_rate @ inertia @ R_rate.T) - by_particles) > 0.1
    g = 2.0 * ht.rotations.rate_matrix(q).T @ inertia @ omega
    G = ht.rotations.rate_matrix(q)
    assert 0.125 * g @ G.T @ np.linalg.inv(inertia) @ G @ g == pytest.approx(
        by_particles, rel=1e-13
    )
    assert abs(q @ g) <= CLOSE


# ---- §2.5 ----------------------------------------------------------------------------------------
def rates_of_top(t, y, is_printed=False):
    """The six first-order equations after (2.8), with ERRATA 2-4 … 2-6 or as printed."""
    n1, n2, _, theta, _, _ = y
    I, I3 = top.ACROSS, top.ALONG
    spin = top.PHI_RATE + top.PSI_RATE * np.cos(top.THETA)  # ω_z
    factor = 1.0 if is_printed else spin
    torque = top.MASS * top.GRAVITY * top.LENGTH * np.sin(theta) / I
    phi_rate = spin - n2 * np.cos(theta)
    first = torque - n2 * phi_rate * np.sin(theta) - (I3 / I - 1) * factor * n2 * np.sin(theta)
    second = n1 * (phi_rate - n2 * np.cos(theta)) + (I3 / I - 1) * factor * n1
    second /= np.sin(theta)
    third = n1 * n2 * np.sin(theta) - (0.0 if is_printed else second * np.cos(theta))
    return [first, second, third, n1, n2, phi_rate]


@pytest.mark.parametrize("is_printed", [False, True])
def test_the_six_equations_of_the_top_have_its_angles_once_they_are_corrected(is_printed):
    start = [top.THETA_RATE, top.PSI_RATE, top.PHI_RATE, top.THETA, top.PSI, top.PHI]
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12, "args": (is_printed,)}
    end = solve_ivp(rates_of_top, (0.0, 0.5), start, **options).y[:, -1]
    error = np.abs(end[3:] - top.SAMPLES[0.5]).max()
    assert error > 0.1 if is_printed else error < 1e-8
    if not is_printed:
        spin = top.PHI_RATE + top.PSI_RATE * np.cos(top.THETA)
        assert end[2] == pytest.approx(spin - end[1] * np.cos(end[3]), abs=1e-8)


def test_quat_em_takes_a_top_whose_pivot_is_not_its_centre_of_mass():
    """Energy, ‖q‖ and the vertical momentum to rounding, attitude of second order, against
    hamiltonian_tree.
    """
    model = ht.library.top()
    exact = ht.simulate(model, until=0.1, step=1e-3, progress=False)
    errors = []
    for step in (1e-3, 5e-4, 2.5e-4):
        run = ht.simulate(
            model,
            until=0.1,
            step=step,
            formulation="free_bodies_quaternion",
            integrator="quat_em",
            progress=False,
        )
        vertical = run.angular_momentum[:, 2]
        assert run.energy_error < 1e-13 and run.quaternion_error < 1e-14
        assert abs(vertical - vertical[0]).max() < 1e-11
        assert float(run.energy[0]) == pytest.approx(float(exact.energy[0]), rel=1e-14)
        errors.append(np.abs(run.poses.values[-1] - exact.poses.values[-1]).max())
    assert np.log2(np.array(errors[:-1]) / errors[1:]) == pytest.approx([2.0, 2.0], abs=0.1)


# ---- claims --------------------------------------------------------------------------------------
def test_a_step_of_euler_a_with_the_multiplier_put_in_is_not_symplectic():
    """(3.45), ERRATA 2-29: neither in R⁸ nor along the constraint; without a multiplier it is."""
    rows = {what.split(": ‖")[0]: row.ours for what, row in numbers("symplecticity").items()}
    assert rows["λ put in, Euler-A: R⁸"] == pytest.approx(1.17, rel=0.01)
    assert rows["λ put in, Euler-A: tangent space"] == pytest.approx(8.45e-4, rel=0.01)
    assert rows["λ put in, Gauss6: tangent space"] == pytest.approx(3e-11, rel=0.2)
    assert max(rows["no multiplier, Euler-A: R⁸"], rows["no multiplier, Gauss6: R⁸"]) < 1e-11
    assert rows["λ put in, Euler-A: tangent space: order in h"] == pytest.approx(3.0, abs=0.1)


def test_the_measure_of_symplecticity_is_zero_of_a_symplectic_matrix_and_not_of_another():
    shear = np.eye(8)
    shear[:4, 4:] = np.diag([1.0, 2.0, 3.0, 4.0])
    assert symplecticity.defect(shear, False) == 0.0
    assert symplecticity.defect(2.0 * np.eye(8), True) == pytest.approx(3.0, rel=1e-12)


def test_an_adaptive_method_with_the_tolerances_of_ode45_loses_energy_and_gauss6_does_not():
    rows = numbers("adaptive_energy")
    for name, lost in (("oscillator", 0.36), ("Kepler", 1.04), ("tetrahedra", 19.8)):
        of = {what.split(", ")[-1].split(":")[0]: row for what, row in rows.items() if name in what}
        assert of["as ode45"].ours == pytest.approx(-lost, rel=0.05)
        assert abs(of["tolerances / 1000"].ours) < 1e-2 * lost
        assert abs(of["Gauss6"].ours) < 1e-5


def test_another_program_with_the_same_tolerances_loses_energy_too():
    """SciPy's pair of Dormand and Prince on Kepler's orbit; its controller is another."""

    def rates(t, y):
        cube = np.hypot(y[0], y[1]) ** 3
        return [y[2], y[3], -y[0] / cube, -y[1] / cube]

    e = 0.6
    found = solve_ivp(
        rates,
        (0.0, 200.0),
        [1 - e, 0.0, 0.0, np.sqrt((1 + e) / (1 - e))],
        **adaptive_energy.DEFAULTS,
    ).y[:, -1]
    energy = 0.5 * (found[2] ** 2 + found[3] ** 2) - 1.0 / np.hypot(found[0], found[1])
    assert energy + 0.5 < -0.3


# ---- drawings, and the bearing -------------------------------------------------------------------
def test_the_drawings_show_the_angles_and_moments_that_they_name():
    rows = drawings.numbers(drawings.run())
    wrong = [row.what for row in rows if abs(row.difference) > 1e-12]
    assert wrong == ["fig. 3.4: I33 / ma²"]  # printed 5/6; ERRATA 2-33


def test_a_nanotube_is_graphite_rolled_up():
    """Three neighbours of every atom but at the ends, all atoms on a cylinder, bonds of one length
    but for the chord of those around.
    """
    tube = ht.library.nanotube(6, 4)
    atoms = np.array(tube.positions)
    assert len(atoms) == 4 * 6 * 4
    assert np.hypot(atoms[:, 0], atoms[:, 1]) == pytest.approx(3 * 6 * BOND / (2 * np.pi))
    apart = np.linalg.norm(atoms[:, None] - atoms[None], axis=2) + np.eye(len(atoms))
    neighbours = (apart < 1.05 * BOND).sum(axis=1)
    assert set(neighbours) == {2, 3} and (neighbours == 2).sum() == 4 * 6
    around = 2.0 * (3 * 6 * BOND / (2 * np.pi)) * np.sin(np.pi / 18)
    assert apart.min() == pytest.approx(around, rel=1e-12)


def test_the_bearing_turns_alike_in_two_formulations_and_keeps_what_it_should():
    rows = numbers("molecular_bearing")
    for what, row in rows.items():
        if row.theirs is not None:
            assert abs(row.difference) < 1e-9, what
    spin = next(row.ours for what, row in rows.items() if "spin" in what and "largest" in what)
    assert 0.0 < spin < 0.01
    assert rows["barrier of a turn on the axis, kJ/mol"].ours == pytest.approx(0.18, rel=0.02)


def test_the_energy_of_the_bearing_is_the_plain_sum_over_atoms():
    model = ht.library.molecular_bearing(3, 8, 2, 2, shift=(0.01, 0.02, 0.03))
    first, second = (np.array(body.particles.positions) for body in model.bodies)
    r = np.linalg.norm(first[:, None] + (0.01, 0.02, 0.03) - second[None], axis=2)
    expected = (4 * 0.2328 * ((0.34 / r) ** 12 - (0.34 / r) ** 6)).sum()
    poses = Poses(np.array([[0.01, 0.02, 0.03], [0.0, 0.0, 0.0]]), np.tile(np.eye(3), (2, 1, 1)))
    assert PairEnergy(model).energy(poses) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"held": "loose"}, '"clamped" or "free"'),
        ({"sleeve": 5}, "more than that of the shaft"),
        ({"shaft": 0}, "whole number"),
        ({"omega": (1.0, 2.0)}, "omega"),
    ],
)
def test_impossible_bearings_are_refused_by_name(options, message):
    with pytest.raises(ht.HamiltreeError, match=message):
        ht.library.molecular_bearing(**options)
