"""What is told of a finished study, its parts by name, and its pictures from the shell."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import hamiltree as ht
from hamiltree.cli.commands import app
from hamiltree.cli.study import describe_kept, print_spreads, summarise
from hamiltree.cli.study_plots import default_plot, draw_study
from hamiltree.errors import OptionError
from hamiltree.studies import Study, grid, uniform
from hamiltree.studies.results import MISSING
from hamiltree.studies.schedule import rate_text
from hamiltree.studies.summary import (
    endings_of,
    kept_numbers,
    reasons_of,
    spread_of,
    verdicts_of,
)

ESCAPE = ht.hamiltonian("p**2/2 - k*q**4/4", k=1.0, q={"q": 0.1}, p={"p": 0.0})
SETTINGS = {"until": 2.0, "step": 0.02, "integrator": "rk4", "progress": False}


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> Study:
    """Two of nine members escape to infinity."""
    starts = [*np.linspace(0.1, 0.7, 7), 5.0, 6.0]
    return ht.study(
        ESCAPE,
        {"q.q": starts},
        keep={"end": "end", "swing": "max(q)", "worth": "verdict"},
        output=tmp_path_factory.mktemp("summary") / "escape.nc",
        **SETTINGS,
    )


def test_endings_and_reasons_are_counted(found):
    assert endings_of(found) == "9 members: 7 complete, 2 failed"
    ((count, reason),) = reasons_of(found)  # they differ in their numbers alone
    assert count == 2 and reason.startswith("StepError") and reason.endswith("(member 7)")
    assert sum(verdicts_of(found)["worth"].values()) == 7


def test_a_spread_is_that_of_the_members_that_have_a_value(found):
    values = found.data["swing"].values[:7, 0]
    row = spread_of(found, "swing.q")
    assert row[:5] == ("swing.q", 7, values.min(), np.median(values), values.max())


def test_what_a_number_depends_on_most_comes_first():
    vary = {"q.q": uniform(0.1, 0.5), "k": uniform(1.0, 1.01)}
    keep = {"swing": "max(q*1)"}
    sampled = ht.study(ESCAPE, vary, members=16, keep=keep, **SETTINGS)
    assert list(spread_of(sampled, "swing").influences) == ["q.q", "k"]
    sobol = ht.study(ESCAPE, vary, members=16, sampler="sensitivity", keep=keep, **SETTINGS)
    influences = spread_of(sobol, "swing").influences
    totals = {name: total for name, (_, total) in sobol.sobol_indices("swing").items()}
    assert influences == totals and next(iter(influences)) == "q.q"


def test_parts_of_what_was_kept_have_names():
    model = ht.library.n_pendulum(2, angles=0.4)
    vary = {"q.hinge1": grid(0.1, 0.9, 9)}
    settings = {"until": 0.1, "step": 0.02, "integrator": "rk4", "progress": False}
    found = ht.study(model, vary, keep=["end", "samples"], **settings)
    assert {"q_end.hinge1", "q_end.hinge2"} <= set(kept_numbers(found))
    assert not any(name.startswith("q.") for name in kept_numbers(found))
    row = spread_of(found, "q_end.hinge2")
    assert row.largest == found.data["q_end"].values[:, 1].max()
    line = found.plot.response("q_end.hinge2").axes[0].lines[0]
    assert np.array_equal(line.get_ydata(), found.data["q_end"].values[:, 1])
    fan = found.plot.fan("q.hinge2").axes[0].lines[-1].get_ydata()
    assert np.allclose(fan, np.median(found.data["q"].values[:, :, 1], axis=0))
    with pytest.raises(OptionError, match=r"name one of its parts: 'q_end\.hinge1'"):
        found.plot.histogram("q_end")
    assert default_plot(found) == "response:q_end.hinge1:q.hinge1"


def test_a_picture_of_a_study_is_drawn_by_the_shell(found, tmp_path):
    path, picture = found.data.encoding["source"], tmp_path / "a.png"
    names = ["response:swing.q:q.q", "histogram:swing.q", "swing.q"]
    done = CliRunner().invoke(app, ["plot", path, *names, "-o", str(picture)])
    assert done.exit_code == 0 and picture.stat().st_size > 1000
    assert len(draw_study(found, names).axes) == 3
    listed = CliRunner().invoke(app, ["plot", path, "--list"])
    assert "heat_map" in listed.stdout and "swing.q" in listed.stdout
    for name, words in (("heatmap:swing.q", "did you mean 'heat_map'"), ("fan:a:b", "only resp")):
        with pytest.raises(OptionError, match=words):
            draw_study(found, [name])


def test_of_a_study_that_was_interrupted_at_once_no_numbers_are_shown(capsys):
    """The next command has the options of this one."""
    data = ht.study(ESCAPE, {"q.q": [0.1, 0.2]}, **SETTINGS).data
    nothing = data.assign({name: data[name] * np.nan for name in data if name != "status"})
    found = Study(nothing.assign(status=data["status"].where(False, MISSING)))
    summarise(found)
    assert capsys.readouterr().out == "hamiltonian, 2 members: 2 missing\n"
    options = {"-o": None, "--threads": None, "--cluster": "local:2"}
    place, file = Path("my results.nc"), Path("my sweep.toml")
    assert describe_kept(found, place, file, options) == (
        "my results.nc.parts holds 0 of 2 members; "
        "go on with: hamiltree study 'my sweep.toml' --cluster local:2 --resume"
    )


def test_of_a_number_that_no_member_has_no_value_is_shown(capsys):
    keep = {"never": "first(q > 9)", "swing": "max(q)"}
    print_spreads(ht.study(ESCAPE, {"q.q": [0.1, 0.2]}, keep=keep, **SETTINGS))
    out = capsys.readouterr().out
    assert "nan" not in out and "swing" in out and "never    0 " in out


@pytest.mark.parametrize(
    ("rate", "shown"), [(0.1234, "0.123"), (371.2, "371"), (37_123.0, "37,100"), (999.9, "1,000")]
)
def test_rates_are_written_as_people_write_them(rate, shown):
    assert rate_text(rate) == shown
