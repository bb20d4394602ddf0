"""λ of ‖q‖ = 1 and Λ, Λ_r, Λ_v of RᵀR = 1 (the thesis, (3.32), (3.10c), appendix B), against
derivatives of the compiled V, differences of a run, and Newton's method for a step.
"""

import numpy as np
import pytest
from scipy.optimize import fsolve

import hamiltree as ht
from hamiltree.analysis.attitude_multipliers import read_run, second_moments
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.formulations import find_formulation
from hamiltree.gallery.experiments.tetrahedra import chain
from hamiltree.rotations import skew
from hamiltree.verbs import energies

STEP = 1e-3
ROUNDING = 1e-9  # N m: that of D/h²


@pytest.fixture(scope="module")
def run():
    return ht.simulate(
        chain("c1c2"),
        until=0.02,
        step=STEP,
        formulation="free_bodies_rotation",
        integrator="rattle",
        save_every=1,
        progress=False,
    )


def test_lambda_is_minus_half_of_q_times_the_gradient_of_the_potential(run):
    """By V of free_bodies_quaternion_thesis, interpreted, where q of one body grows by 1 + ε."""
    found = run.attitude_multipliers()["lambda"]
    form = find_formulation("free_bodies_quaternion_thesis")
    model = chain("c1c2")
    system = form.assemble(assemble_at_start(model))
    work = form.workspace(system, 1)
    start = form.initial_state(system, assemble_at_start(model))

    def potential(body, factor):
        y = start.copy()
        y[7 * body + 3 : 7 * body + 7] *= factor
        return energies(system, work, 0.0, y).potential

    for body in (1, 4, 7):
        by_growth = (potential(body, 1 + 1e-5) - potential(body, 1 - 1e-5)) / 2e-5
        assert found[0, body] == pytest.approx(-0.5 * by_growth, rel=1e-6)
    assert np.isnan(found[:, 0]).all()  # the first body is clamped
    assert float(found[0, 4]) == pytest.approx(-121.9806, abs=1e-4)  # N m: each is compressed


def test_big_lambda_closes_the_equation_of_momenta(run):
    """Ṗ = −V_R − 2RΛ with Ṗ by central differences of P = R[ω]×D, of a run of Gauss6."""
    model = chain("c1c2")
    h = 1e-4
    fine = ht.simulate(
        model,
        until=0.002,
        step=h,
        formulation="free_bodies_quaternion",
        integrator="gauss6",
        save_every=1,
        progress=False,
    )
    _, R, omega, V_R = read_run(fine)
    D = np.array([second_moments(body) for body in model.bodies])
    P = R @ skew(omega) @ D
    rate = (P[:-4] - 8 * P[1:-3] + 8 * P[3:-1] - P[4:]) / (12 * h)
    big = fine.attitude_multipliers()["Lambda"].values
    assert abs(big - np.swapaxes(big, 2, 3))[:, 1:].max() <= 1e-12
    error = rate + V_R[2:-2] + 2.0 * R[2:-2] @ big[2:-2]
    assert abs(error[:, 1:]).max() <= 1e-7 * abs(V_R).max()


def test_multipliers_of_rattle_are_symmetric_and_those_of_newtons_method(run):
    """Six equations for the six entries of Λ_r (B.16), solved by another program, and (B.28)."""
    found = run.rattle_multipliers()
    first, second = (found[name].values for name in ("Lambda_r", "Lambda_v"))
    for values in (first[:-1, 1:], second[1:, 1:]):
        assert abs(values - np.swapaxes(values, 2, 3)).max() <= ROUNDING
    _, R, omega, V_R = read_run(run)
    body, at = 3, 5
    D = second_moments(run.model.bodies[body])
    P = R[at, body] @ skew(omega[at, body]) @ D
    inverse = np.linalg.inv(D)
    rows = np.triu_indices(3)

    def next_rotation(entries):
        wanted = np.zeros((3, 3))
        wanted[rows] = entries
        wanted = wanted + np.triu(wanted, 1).T
        half = P - 0.5 * STEP * V_R[at, body] - STEP * R[at, body] @ wanted
        return R[at, body] + STEP * half @ inverse

    def residual(entries):
        after = next_rotation(entries)
        return (after.T @ after - np.eye(3))[rows] / STEP**2

    solved = fsolve(residual, np.zeros(6), xtol=1e-14)
    assert first[at, body][rows] == pytest.approx(solved, abs=1e-7)
    after = next_rotation(solved)
    half = (after - R[at, body]) @ D / STEP
    bar = half - 0.5 * STEP * V_R[at + 1, body]
    M = after.T @ bar @ inverse
    d = np.diag(D)
    by_formula = np.outer(d, d) / (STEP * np.add.outer(d, d)) * (M + M.T)
    assert second[at + 1, body] == pytest.approx(by_formula, abs=1e-7)


def test_multipliers_of_rattle_approach_those_of_the_motion_as_the_step_shrinks(run):
    """(Λ_r + Λ_v)/2 of one sample is Λ to second order."""
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        found = ht.simulate(
            chain("c1c2"),
            until=0.02,
            step=h,
            formulation="free_bodies_rotation",
            integrator="rattle",
            save_every=1,
            progress=False,
        )
        each = found.rattle_multipliers()
        mean = 0.5 * (each["Lambda_r"] + each["Lambda_v"])[1:-1, 1:]
        errors.append(float(abs(mean - found.attitude_multipliers()["Lambda"]).max()))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders == pytest.approx([2.0, 2.0], abs=0.15)


def test_runs_without_rattle_or_with_steps_left_out_are_refused(run):
    other = ht.simulate(
        chain("c1c2"),
        until=0.002,
        step=STEP,
        formulation="free_bodies_quaternion",
        integrator="gauss6",
        progress=False,
    )
    with pytest.raises(ht.OptionError, match="gauss6 with free_bodies_quaternion"):
        other.rattle_multipliers()
    sparse = ht.Trajectory(run.dataset.isel(t=slice(None, None, 2)), run.model)
    with pytest.raises(ht.OptionError, match="save_every=1"):
        sparse.rattle_multipliers()


def test_radial_momenta_of_a_symplectic_method_stay_at_rounding(run):
    """(3.25) q·g = 0 is recorded beside ‖q‖²."""
    other = ht.simulate(
        chain("c1c2"),
        until=0.02,
        step=STEP,
        formulation="free_bodies_quaternion",
        integrator="gauss6",
        progress=False,
    )
    assert abs(other.dataset["radial_momentum"]).max() <= 1e-15
    assert "radial_momentum" not in run.dataset  # rotation matrices have none
