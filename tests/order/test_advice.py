"""Advice on method and step: what it recommends does what was asked."""

import re
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht

PENDULUM = ht.hamiltonian("p**2/2 - cos(q)")
START = {"q": {"q": 1.0}, "p": {"p": 0.0}}


def error_of(problem, until, **options):
    """At the end, in parts of the motion, against a precise run."""
    run = ht.simulate(problem, until, save_every=10**6, progress=False, **options)
    start = {key: options[key] for key in ("q", "p") if key in options}
    fine = ht.simulate(
        problem,
        until,
        options["step"] / 8,
        integrator="gauss12",
        save_every=8,
        progress=False,
        **start,
    )
    parts = [(run.q, fine.q), (run.p, fine.p)]
    off = [abs(float(a[-1, 0] - b[-1, 0])) / float(np.ptp(b.values)) for a, b in parts]
    return np.sqrt(np.mean(np.square(off)))


@pytest.mark.filterwarnings("ignore::hamiltree.AccuracyWarning")
@pytest.mark.parametrize("accuracy", [1e-3, 1e-5, 1e-9])
def test_what_is_recommended_is_as_accurate_as_asked(accuracy):
    advice = ht.advise(PENDULUM, accuracy, until=16.0, **START)
    assert error_of(PENDULUM, 16.0, **advice.options, **START) < 2 * accuracy
    good = [t for t in advice.trials if t.integrator == advice.integrator and t.step < advice.step]
    assert all(trial.error <= accuracy for trial in good) and good
    assert advice.evaluations == pytest.approx(
        8 * next(t.evaluations for t in advice.trials if t[:2] == advice[:2])
    )


@pytest.mark.filterwarnings("ignore::hamiltree.AccuracyWarning")
def test_of_two_it_is_the_one_with_fewer_evaluations():
    advice = ht.advise(PENDULUM, 1e-8, until=8.0, integrators=["stormer_verlet", "gauss6"], **START)
    assert advice.integrator == "gauss6" and "its energy does not drift" in advice.reason
    coarse = ht.advise(PENDULUM, 0.05, until=8.0, integrators=["stormer_verlet", "gauss6"], **START)
    assert coarse.integrator == "stormer_verlet"


@pytest.mark.parametrize(
    "options, message",
    [
        ({"accuracy": 0.0}, "accuracy = 0.0; give"),
        ({"window": 20.0}, "window = 20.0 is no part of a run until 10.0"),
        ({"integrators": []}, "integrators is empty"),
        ({"integrators": ["gaus8"]}, "did you mean 'gauss8'"),
        ({"integrators": "gaus8"}, "did you mean 'gauss8'"),
        ({"integrators": ["rk4", "dop853"]}, "dop853 chooses its own steps"),
        ({"q": {"q": 0.0}}, "nothing moves"),
        ({"integrators": ["rattle"]}, "no method reached"),
    ],
)
def test_what_cannot_be_advised_is_refused(options, message):
    with pytest.raises(ht.OptionError, match=message):
        ht.advise(PENDULUM, **{**START, **options})


def test_of_an_ode_nothing_is_said_about_its_energy():
    advice = ht.advise(ht.ode({"x": "-x"}), 1e-4, until=2.0, integrators="rk4", y=1.0)
    assert advice.integrator == "rk4" and "energy" not in advice.reason
    assert "no other method got there" in advice.reason


def test_the_page():
    page = (Path(__file__).parents[2] / "docs" / "integrators.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"## Advice\n.*?```python\n(.*?)```", page, re.DOTALL)
    names: dict = {}
    exec(code, names)
    assert names["run"].status == "complete" and "evaluations" in str(names["advice"])
