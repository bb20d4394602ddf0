"""The page on equilibria and linear equations, their commands and pictures."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.cli.app import main

PAGE = (Path(__file__).parents[2] / "docs" / "linearisation.md").read_text(encoding="utf-8")


@pytest.fixture
def shell(monkeypatch, tmp_path, capsys):
    """shell(*arguments): exit code, standard output and error, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "150")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["hamiltree", *arguments])
        with pytest.raises(SystemExit) as done:
            main()
        return done.value.code or 0, *capsys.readouterr()

    return call


@pytest.mark.filterwarnings("ignore::hamiltree.errors.AccuracyWarning")
def test_the_code_of_the_page_runs(capsys):
    names = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(code, names)
    assert names["upright"].unstable == 1 and len(names["figure"].axes) == 2
    moved = np.abs(names["run_at_rest"].q.values - names["rest"].q.values).max()
    assert moved < 1e-10
    wanted = (np.sqrt(5.0) - 3.0) / 2.0 * 2.0 / 0.5
    assert names["buckling"].parameter == pytest.approx(wanted, rel=1e-10)
    assert names["bent"].unstable.values[1:].max() == 0 and names["diagram"].axes
    assert names["governor"].is_stable and names["run_of_mode"].constraint_error < 1e-14
    omega = names["spinning"].qdot.values[3:]
    assert np.linalg.norm(np.cross(omega, np.array(names["inertia"]) @ omega)) < 1e-10


@pytest.mark.parametrize("line", re.findall(r"^    hamiltree (.*)$", PAGE, re.M))
def test_the_lines_of_the_page_run(shell, tmp_path, line):
    import shlex

    code, out, _ = shell(*shlex.split(line))
    assert code == 0 and out
    for name in re.findall(r"\w+\.(?:json|png|html)", line):
        assert (tmp_path / name).stat().st_size > 100


def test_the_commands_print_what_python_finds(shell):
    code, out, _ = shell("equilibrium", "four_bar", "--json", "-")
    rest = ht.equilibrium(ht.library.four_bar())
    assert code == 0 and json.loads(out)["q"] == rest.to_dict()["q"]
    code, out, _ = shell("linearise", "pendulum", "--json", "-")
    found = json.loads(out)
    assert found["states"] == ["hinge", "hinge_dot"]
    assert found["A"][1][0] == pytest.approx(-9.81, rel=1e-10)
    code, out, _ = shell("modes", "pendulum", "--at-start", "--picture", "modes.pdf")
    assert code == 0 and "3.13209" in out and Path("modes.pdf").exists()
    code, out, _ = shell("linearise", "pendulum", "--any", "--q", "hinge=3", "-p", "values.png")
    assert code == 0 and "+3.132" in out and Path("values.png").exists()


def test_inputs_and_outputs_are_named_in_the_shell(shell):
    names = {"inputs": ["crank_pivot"], "outputs": ["crank_pin", "crank_pivot"]}
    wanted = ht.linearise(ht.equilibrium(ht.library.four_bar()), **names)
    options = ("--input", "crank_pivot", "--output", "crank_pin", "--output", "crank_pivot")
    code, out, _ = shell("linearise", "four_bar", *options, "--json", "-")
    found = json.loads(out)
    assert code == 0 and {name: found[name] for name in names} == names
    assert found["B"] == wanted.B.values.tolist() and found["C"] == wanted.C.values.tolist()
    _, out, _ = shell("linearise", "four_bar", *options)
    ratio = wanted.C.values[0, 0]
    assert f"{wanted.B.values[1, 0]:.8g}" in out and f"{ratio * wanted.B.values[1, 0]:.8g}" in out


def test_an_input_of_the_model_is_not_named_among_speeds():
    model = ht.library.pendulum()
    model = model.with_(forces=[*model.forces, ht.JointInput("hinge", name="motor")])
    assert ht.linearise(model).input_names == ["motor"]
    with pytest.raises(ht.OptionError, match="input 'motor' is one of the model; these are taken"):
        ht.linearise(model, inputs=["motor"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("equilibrium", "car_axis"), "'road' moves at t = 0"),
        (("linearise", "car_axis", "--at-start"), "'road' moves at t = 0"),
        (("equilibrium", "pendulum", "--along", "gravity.x"), "give a name and two numbers"),
        (
            ("equilibrium", "pendulum", "--along", "gravity.v=0:1"),
            "no number 'gravity.v'; did you mean",
        ),
        (("equilibrium", "pendulum", "--switch"), "--switch follows other branches"),
        (("equilibrium", "pendulum", "--spin", "hing=5"), "no speed 'hing'; did you mean 'hinge'"),
        (("equilibrium", "pendulum", "--spin", "hinge=5", "--along", "gravity.x=0:1"), "contra"),
        (("linearise", "pendulum", "--spin", "5"), "give NAME=SPEED"),
        (("modes", "pendulum", "--view", "mode.txt"), "a page ends in .html"),
        (("modes", "pendulum", "--view", "mode.html", "--mode", "2"), "there are 1 modes"),
        (("modes", "pendulum", "--at-start", "--q", "1"), "contradict each other"),
        (("modes", "pendulum(angle=1.0)", "--at-start"), "does not rest there"),
        (("modes", "pendulum", "--count", "2"), "count = 2; the model has 1 modes"),
        (("linearise", "pendulum", "--input", "hing"), "input: there is no speed 'hing'; did you"),
        (("linearise", "pendulum", "--output", "hing"), "output: there is no speed 'hing'; did"),
        (("linearise", "pendulum", "--output", "a.json"), "--json and --picture write files"),
        (("linearise", "particle_chain"), "joined to the ground alone"),
        (("linearise", "pendulum", "--picture", "a.bmp"), "a picture ends in"),
        (("equilibrium", "pendulum", "--q", "hing=1"), "no joint 'hing'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_and_nothing_is_written(
    shell, tmp_path, arguments, message
):
    code, out, said = shell(*arguments)
    assert code in (1, 2) and message in said and said.count("\n") == 1 and not out
    assert not list(tmp_path.iterdir())


def test_a_console_shows_a_short_table_of_every_answer():
    rest = ht.equilibrium(ht.library.four_bar())
    found = ht.modes(rest)
    assert "Equilibrium of 'four_bar': stable" in repr(rest)
    assert f"{float(rest.q.sel(coordinate='crank_pin')):.6g}" in repr(rest)
    assert f"{found.frequencies[0]:.6g}" in repr(found)
    assert f"{abs(found.linear.eigenvalues[0].imag):.6g}" in repr(found.linear)
    assert all(len(line) < 100 for each in (rest, found) for line in repr(each).splitlines())
    governor = ht.steady_motion(ht.library.governor(), {"spindle": 12.0})
    rows = [line.split() for line in repr(governor).splitlines()]
    assert [next(row for row in rows if row[0] == "spindle")[k] for k in (0, 2)] == [
        "spindle",
        "12",
    ]
    branch = ht.continuation(ht.library.pendulum(), "gravity.x", (0.0, 10.0), step=1.0)
    assert "no special points" in repr(branch)
    unstable = ht.equilibrium(ht.library.pendulum(angle=3.0), kind="any")
    assert "unstable in 1 direction," in repr(unstable) and "grows" in repr(ht.modes(unstable))


def test_a_long_table_is_cut_and_says_so():
    lines = repr(ht.modes(ht.library.n_pendulum(20))).splitlines()
    assert lines[-1].split() == ["…", "8", "more"] and len(lines) == 15


def test_the_page_of_a_mode_does_not_call_it_good():
    from hamiltree.view.page.report_data import report_data

    run = ht.modes(ht.library.pendulum()).trajectory(0)
    assert report_data(run)["verdict"] == "nothing judged"


def test_rounding_is_drawn_on_the_axis_without_growth():
    linear = ht.linearise(ht.steady_motion(ht.library.governor(), {"spindle": 12.0}))
    (axes,) = linear.plot.eigenvalues().axes
    left, right = axes.get_xlim()
    width = 0.05 * abs(linear.eigenvalues).max()
    assert left <= -width and right >= width


def test_a_wheel_that_turns_freely_has_the_frequency_zero():
    found = ht.modes(ht.equilibrium(ht.library.double_wishbone()))
    assert found.frequencies[0] == 0.0 and "costs nothing" in repr(found)


def test_the_table_of_a_branch_has_its_title(shell):
    _, out, _ = shell("equilibrium", "pendulum", "--along", "gravity.x=0:10")
    shown = " ".join(out.split())
    assert shown.startswith("Branch of 'pendulum': ") and "stopped by the end " in shown
