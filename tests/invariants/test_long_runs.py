"""Energy over long runs: bounded at round-off for symplectic methods, drifting for the others."""

from dataclasses import replace

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.integrators import INTEGRATORS


@pytest.fixture(scope="module")
def chain_run():
    """Ten bodies from rest at q = 0, 100 s, looked at every fifth step."""
    return ht.simulate(ht.library.chain(10), until=100.0, step=1e-3, save_every=5, progress=False)


def test_gauss8_keeps_the_energy_of_a_chain_of_ten_to_2e_13_of_the_peak_kinetic_energy(chain_run):
    assert chain_run.kinetic_energy.max() > 10.0
    assert chain_run.energy_error <= 2e-13


def test_gauss8_keeps_the_energy_of_a_double_pendulum_without_a_trend():
    """10⁶ steps of h = 5e-3; 10⁷ steps are in docs/accuracy.md.

    A linear trend of 1e-13 J a million steps would be seen.
    """
    model = ht.library.n_pendulum(2, angles=(0.3, 0.7))
    run = ht.simulate(model, until=5e3, step=5e-3, save_every=1000, progress=False)
    error = run.energy.values - run.energy.values[0]
    trend = np.polyfit(run.t.values, error, 1)[0] * 5e3
    assert np.abs(error).max() <= 5e-14
    assert abs(trend) <= 3e-14


def test_coefficients_that_are_off_by_1e_15_drift_where_exact_ones_do_not(monkeypatch):
    """So the exact symplecticity of the coefficients is what keeps the energy in the test above."""
    exact = INTEGRATORS["gauss8"]
    signs = np.where(np.arange(16).reshape(4, 4) < 8, 1.0, -1.0)
    mu = np.ascontiguousarray(exact.method.mu_q * (1 - 1e-15 * signs.T))
    method = exact.method._replace(mu_q=mu, mu_p=mu)
    monkeypatch.setitem(INTEGRATORS, "rounded", replace(exact, name="rounded", method=method))
    model = ht.library.n_pendulum(2, angles=(0.3, 0.7))
    run = ht.simulate(
        model, until=5e3, step=5e-3, save_every=1000, progress=False, integrator="rounded"
    )
    trend = np.polyfit(run.t.values, run.energy.values - run.energy.values[0], 1)[0] * 5e3
    assert abs(trend) > 1e-13


@pytest.mark.parametrize("integrator", ["gauss6", "gauss8"])
def test_stages_are_solved_to_round_off_also_where_the_iteration_hesitates(integrator):
    """At h = 0.01 the increment rises once before it falls: stopping there made energy drift by
    3e-10 J in 10⁶ steps.
    """
    model = ht.library.n_pendulum(2, angles=(0.3, 0.7))
    run = ht.simulate(
        model, until=2e3, step=1e-2, save_every=1, progress=False, integrator=integrator
    )
    error = run.energy.values - run.energy.values[0]
    trend = np.polyfit(run.t.values, error, 1)[0] * 2e3
    assert abs(trend) <= 2e-14 + 1e-3 * np.abs(error).max()


def test_midpoint_keeps_energy_within_bounds_that_do_not_grow():
    model = ht.library.n_pendulum(2, angles=(0.3, 0.7))
    run = ht.simulate(
        model, until=1e3, step=5e-3, save_every=1, progress=False, integrator="midpoint"
    )
    error = np.abs(run.energy.values - run.energy.values[0])
    half = len(error) // 2
    assert error[half:].max() <= 1.05 * error[:half].max()


def test_rk4_drifts_where_gauss_does_not():
    model = ht.library.n_pendulum(2, angles=(0.3, 0.7))
    run = ht.simulate(model, until=1e3, step=5e-3, save_every=100, progress=False, integrator="rk4")
    error = run.energy.values - run.energy.values[0]
    assert abs(error[-1]) > 1e-9
    assert abs(error[-1]) > 1.8 * abs(error[len(error) // 2])


@pytest.mark.parametrize("integrator", ["midpoint", "gauss4", "gauss6", "gauss8"])
def test_gauss_keeps_quadratic_invariants(integrator):
    """A mass on a slider with a spring: H is quadratic, so even a coarse step keeps it to
    round-off.
    """
    mass = ht.Body("mass", 2.0, inertia=1.0)
    slider = ht.Prismatic("slider", "ground", "mass", axis=(1, 0, 0), q=0.7)
    model = ht.Model(
        bodies=[mass], joints=[slider], forces=[ht.JointSpring("slider", stiffness=8.0)]
    )
    run = ht.simulate(
        model, until=1e3, step=0.1, save_every=1, progress=False, integrator=integrator
    )
    assert np.abs(run.energy.values / run.energy.values[0] - 1).max() <= 2e-14


def test_the_angular_momentum_about_a_vertical_hinge_is_kept():
    """The first joint turns about the vertical, so its momentum is an invariant linear in p; energy
    alone would not show a wrong sign.
    """
    hub = ht.Body("hub", 1.0, (0.1, 0.0, 0.0), 0.1)
    arm = ht.Body("arm", 0.7, (0.2, 0.1, -0.1), 0.02)
    tip = ht.Body("tip", 0.3, (0.0, 0.1, 0.2), 0.01)
    joints = [
        ht.Revolute("pan", "ground", "hub", qdot=1.0),
        ht.Revolute("tilt", "hub", "arm", on_parent=(0.3, 0, 0), axis=(0, 1, 0), q=0.4, qdot=-2.0),
        ht.Screw(
            "drill", "arm", "tip", on_parent=(0.1, 0.2, 0), axis=(1, 1, 0), pitch=0.3, qdot=3.0
        ),
    ]
    run = ht.simulate(
        ht.Model(bodies=[hub, arm, tip], joints=joints), until=50, step=2e-3, progress=False
    )
    momentum = run.p.sel(momentum="pan").values
    assert np.abs(run.p.sel(momentum="tilt").values).max() > 0.1
    assert np.abs(momentum - momentum[0]).max() <= 1e-13 * np.abs(momentum[0])


def test_a_damped_model_loses_exactly_what_its_damper_takes():
    model = ht.library.n_pendulum(2, angles=(1.0, 2.0))
    model = model.with_(forces=[ht.JointDamper("hinge2", 0.2)])
    run = ht.simulate(model, until=5.0, step=1e-3, save_every=1, progress=False)
    taken = 0.2 * run.qdot.sel(coordinate="hinge2").values ** 2
    h = 1e-3  # Simpson's rule over pairs of steps
    work = h / 3 * (taken[0:-1:2] + 4 * taken[1::2] + taken[2::2]).sum()
    assert run.energy.values[0] - run.energy.values[-1] == pytest.approx(work, rel=1e-9)
