"""Warnings of runs that end well and are not worth much."""

import math
import warnings

import pytest

import hamiltree as ht


def mass_above_a_stop(stiffness):
    body = ht.Body("mass", mass=1.0, inertia=(1, 1, 1))
    slider = ht.Prismatic("slider", "ground", "mass", axis=(0, 0, 1), q=1.0)
    stop = ht.JointLimit("slider", lower=0.0, stiffness=stiffness)
    return ht.Model([body], [slider], forces=[stop], gravity=(0, 0, -9.81))


def test_a_body_thrown_by_a_stop_that_is_too_stiff_is_reported():
    with pytest.warns(ht.AccuracyWarning, match="energy balance is bad"):
        run = ht.simulate(mass_above_a_stop(1e8), 2.0, 1e-3, integrator="rk4", progress=False)
    assert run.energy_error > 10


def test_a_fall_into_a_singularity_is_not_measured_by_its_own_explosion():
    fall = ht.hamiltonian("p**2/2 - 1/q")
    with pytest.warns(ht.AccuracyWarning, match="energy balance is bad"):
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


def test_a_satellite_with_the_default_step_is_told_of_its_period():
    body = ht.Body("b", mass=2.0, inertia=(1, 1, 1))
    free = ht.Free("f", "ground", "b", q=(7e6, 0, 0, 1, 0, 0, 0), qdot=(0, 7546.0, 0, 0, 0, 0))
    field = ht.CentralGravity("b", mu=3.986e14)
    model = ht.Model([body], [free], forces=[field], gravity=(0, 0, 0))
    with pytest.warns(ht.AccuracyWarning, match=r"very short.*about 5.8\de\+03 s"):
        ht.simulate(model, 0.01, integrator="rk4", progress=False)


def test_a_body_that_does_not_turn_is_measured_by_its_own_fall():
    body = ht.Body("b", mass=2.0, inertia=(1, 1, 1))
    model = ht.Model([body], [ht.Free("f", "ground", "b", qdot=(3.0, 0, 0, 0, 0, 0))])
    with pytest.warns(ht.AccuracyWarning, match="energy balance is bad, 9.9e-03 of 97.2 J"):
        run = ht.simulate(model, 1.0, 1e-2, integrator="symplectic_euler", progress=False)
    assert 1e-4 < run.energy_error < 0.1


@pytest.mark.parametrize("formulation", ["hamiltonian_tree", "cartesian_1", "kane_absolute"])
def test_a_model_at_rest_is_not_said_to_be_wrong(formulation):
    rod = ht.Body("rod", mass=3.1, com=(0, 0, -0.5), inertia=(0.3, 0.2, 0.1))
    hinge = ht.Revolute("hinge", "ground", "rod", axis=(1, 0, 0), q=0.3)
    down = (0.0, 9.81 * math.sin(0.3), -9.81 * math.cos(0.3))
    model = ht.Model([rod], [hinge], gravity=down)
    with pytest.warns(ht.AccuracyWarning, match="^model: Nothing moves: [^;]*; give start values"):
        run = ht.simulate(model, 0.5, 1e-3, formulation, "rk4", progress=False)
    assert run.energy_error < 0.1
    assert run.verdict == "good"


def test_a_warning_names_the_line_that_asked_for_the_run():
    simulator = ht.simulator(mass_above_a_stop(1e8), integrator="rk4")
    with pytest.warns(ht.AccuracyWarning) as caught:
        simulator.run(0.01)
    assert caught[0].filename == __file__


def test_comparisons_do_not_warn_of_their_own_runs():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ht.AccuracyWarning)
        ht.compare(
            ht.library.pendulum(angle=1.0), formulations=["hamiltonian_tree", "kane_relative"]
        )


@pytest.mark.parametrize(("rate", "is_dense"), [(18, False), (38, True)])
def test_an_event_that_is_faster_than_the_steps_is_reported(rate, is_dense):
    swing = ht.hamiltonian("p**2/2 + q**2/2", q={"q": 1.0}, p={"p": 0.0})
    options = {"integrator": "rk4", "sections": [f"sin({rate}*t)"], "progress": False}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = ht.simulate(swing, 10.0, 0.5, **options)
    dense = [text for one in caught if "crosses zero" in (text := str(one.message))]
    assert len(dense) == is_dense and all(f"event 'sin({rate}*t)'" in text for text in dense)
    (points,) = run.sections.values()
    assert len(points.t) == math.floor(10.0 * rate / math.pi) + 1


def test_a_run_is_kept_where_it_cannot_be_judged(monkeypatch):
    def fail(run, thresholds):
        raise ValueError("no verdict today")

    monkeypatch.setattr("hamiltree.run.judgement.recorded_lines", fail)
    with pytest.warns(ht.AccuracyWarning, match="cannot be judged: ValueError: no verdict today"):
        run = ht.simulate(ht.library.chain(2), 0.05, progress=False)
    assert run.status == "complete"


def test_a_run_is_kept_where_no_remedy_can_be_tried(monkeypatch):
    def fail(*arguments, **options):
        raise ValueError("no remedy today")

    monkeypatch.setattr("hamiltree.verdict.remedy.tried_remedy", fail)
    with pytest.warns(ht.AccuracyWarning, match="no remedy could be tried"):
        run = ht.simulate(mass_above_a_stop(1e8), 2.0, 1e-3, integrator="rk4", progress=False)
    assert run.verdict == "bad"
