"""In the gallery the energy balance calls those methods bad that the source shows to be."""

import pytest

from hamiltree.gallery.experiments import kepler, oscillator, pendulum
from hamiltree.run.cautions import without_warnings


@pytest.mark.parametrize(
    ("experiment", "bad"),
    [
        (oscillator, {"explicit_euler", "implicit_euler"}),  # the thesis, fig. 2.1
        (pendulum, {"radau_iia3"}),  # fig. 2.2: a spiral; the midpoint rule stays on its curve
        (kepler, {"explicit_euler"}),  # figs. 2.6–2.9
    ],
    ids=["oscillator", "pendulum", "kepler"],
)
def test_those_methods_are_bad_whose_energy_drifts_in_the_source(experiment, bad):
    with without_warnings():
        runs = experiment.run(quick=True, progress=False)
    assert len(runs) > len(bad)
    reports = {
        name: run.report(error=False, ledger=False)["energy balance"] for name, run in runs.items()
    }
    assert {name for name, line in reports.items() if line.verdict == "bad"} == bad
