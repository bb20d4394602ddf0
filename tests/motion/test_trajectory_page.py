"""The page on Trajectory: its code runs, and it names every attribute and every plot."""

import re
from pathlib import Path

import pytest

from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plot_names import PLOTS
from hamiltree.view.plots import Plots

PAGE = (Path(__file__).parents[2] / "docs" / "trajectory.md").read_text(encoding="utf-8")
WORDS = set(re.findall(r"\w+", PAGE))


def test_the_code_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(code, names)
    assert {path.name for path in tmp_path.iterdir()} == {
        "four_bar.csv",
        "four_bar.mat",
        "coupler.png",
    }
    exact, stored = (
        names["found"].sections["line"]["t"],
        names["run"].section(names["crossing"])["t"],
    )
    assert len(exact) and abs(exact.values - stored.values).max() < 1e-9
    assert capsys.readouterr().out.count("\n") >= 8


@pytest.mark.parametrize("kind", [Trajectory, Plots])
def test_the_page_names_every_attribute(kind):
    public = {name for name in vars(kind) if not name.startswith("_")}
    assert public and not public - WORDS


def test_the_page_names_every_plot():
    assert not set(PLOTS) - WORDS
