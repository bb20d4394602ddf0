"""In the gallery the energy balance calls those methods bad that the source shows to be."""

import pytest

from hamiltree.gallery.experiments import (
    adaptive_energy,
    kepler,
    norm_per_body,
    oscillator,
    pendulum,
)
from hamiltree.run.cautions import without_warnings


@pytest.mark.parametrize(
    ("experiment", "bad"),
    [
        (oscillator, {"explicit_euler", "implicit_euler"}),  # the thesis, fig. 2.1
        (pendulum, {"radau_iia3"}),  # fig. 2.2: a spiral; the midpoint rule stays on its curve
        (kepler, {"explicit_euler"}),  # figs. 2.6–2.9
        (norm_per_body, set()),  # fig. 3.9: norms, which no quick run loses
    ],
    ids=["oscillator", "pendulum", "kepler", "norms"],
)
def test_those_methods_are_bad_whose_energy_drifts_in_the_source(experiment, bad):
    with without_warnings():
        runs = experiment.run(quick=True, progress=False)
    assert len(runs) > len(bad)
    reports = {
        name: run.report(error=False, ledger=False)["energy balance"] for name, run in runs.items()
    }
    assert {name for name, line in reports.items() if line.verdict == "bad"} == bad


def test_an_adaptive_method_at_the_tolerances_of_the_source_is_bad_and_at_less_is_not():
    """The thesis, §1.2: H blows up in long runs of ode45."""
    with without_warnings():
        runs = adaptive_energy.run(quick=True, progress=False)
    for problem, made in runs.items():
        found = {
            name: run.report(error=False, ledger=False)["energy balance"].verdict
            for name, run in made.items()
        }
        assert {name for name, word in found.items() if word == "bad"} == {"as ode45"}, problem
