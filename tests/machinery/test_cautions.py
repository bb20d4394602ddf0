"""Warnings of runs that end well and are not worth much."""

import warnings

import pytest

import hamiltree as ht


def mass_above_a_stop(stiffness):
    body = ht.Body("mass", mass=1.0, inertia=(1, 1, 1))
    slider = ht.Prismatic("slider", "ground", "mass", axis=(0, 0, 1), q=1.0)
    stop = ht.JointLimit("slider", lower=0.0, stiffness=stiffness)
    return ht.Model([body], [slider], forces=[stop], gravity=(0, 0, -9.81))


def test_a_body_thrown_by_a_stop_that_is_too_stiff_is_reported():
    with pytest.warns(ht.AccuracyWarning, match="the energy is off by"):
        run = ht.simulate(mass_above_a_stop(1e8), 2.0, 1e-3, integrator="rk4", progress=False)
    assert run.energy_error > 10


def test_a_fall_into_a_singularity_is_not_measured_by_its_own_explosion():
    fall = ht.hamiltonian("p**2/2 - 1/q")
    with pytest.warns(ht.AccuracyWarning, match="the energy is off by"):
        run = ht.simulate(fall, 2.0, 1e-3, integrator="rk4", q=[1.0], p=[0.0], progress=False)
    assert run.energy_error >= 100


@pytest.mark.parametrize(("stiffness", "word"), [(1e8, "too long"), (1e4, None), (1e-3, None)])
def test_a_default_step_is_reported_where_it_does_not_fit(stiffness, word):
    model = mass_above_a_stop(stiffness)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ht.simulate(model, 0.01, integrator="rk4", progress=False)
    texts = [str(warning.message) for warning in caught]
    assert any("default step" in text and word in text for text in texts) if word else not texts


def test_a_default_step_is_very_short_for_what_moves_slowly():
    body = ht.Body("planet", mass=1.0, inertia=(1, 1, 1))
    turning = ht.Free("free", "ground", "planet", qdot=(0, 0, 0, 0, 0, 1e-4))
    model = ht.Model([body], [turning], gravity=(0, 0, 0))
    with pytest.warns(ht.AccuracyWarning, match="very short for this model"):
        ht.simulate(model, 0.01, integrator="rk4", progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ht.simulate(model, 0.01, 1e-3, integrator="rk4", progress=False)
