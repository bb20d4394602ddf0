"""Studies of methods: orders of known methods, errors against exact solutions, the command."""

import json
import re
import sys
from dataclasses import replace
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.cli.app import main

PAGE = (Path(__file__).parents[2] / "docs" / "integrators.md").read_text(encoding="utf-8")
CLAIMED = {"rk4": 4, "gauss4": 4, "implicit_midpoint": 2}


def test_orders_of_a_pendulum_are_those_that_are_claimed():
    model = ht.library.n_pendulum(2, angles=[1.0, 2.0])
    found = ht.convergence(model, list(CLAIMED), [0.02, 0.01, 0.005], until=1.6)
    for name, order in CLAIMED.items():
        assert found.orders[name] == pytest.approx(order, abs=0.05)
    assert (found.evaluations.sel(integrator="rk4").values == [320, 640, 1280]).all()
    assert found.floor < 1e-12


def test_errors_are_those_against_the_exact_solution():
    oscillator = ht.hamiltonian("p**2/2 + q**2/2")
    steps = [0.1, 0.05]
    found = ht.convergence(oscillator, "rk4", steps, until=1.0, q=[1.0], p=[0.0])
    exact = np.array([np.cos(1.0), -np.sin(1.0)])
    moved = np.abs(exact - [1.0, 0.0])  # both change in one direction only
    for k, step in enumerate(steps):
        z = 1j * step  # q − i p turns by e^{iz}, of which RK4 has the series to z⁴
        factor = (1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24) ** round(1 / step)
        parts = (np.array([factor.real, -factor.imag]) - exact) / moved
        wanted = np.sqrt(np.mean(parts**2))
        assert found.errors.values[0, k] == pytest.approx(wanted, rel=1e-6)


def test_errors_do_not_depend_on_units():
    """Of mass: p and H are 2²⁰ times as large, q is the same."""
    found = [
        ht.convergence(
            ht.hamiltonian(f"p**2/{2 * mass} - {mass}*cos(q)"), "rk4", [0.1, 0.05], q=[1.0], p=[0.0]
        )
        for mass in (1, 2**20)
    ]
    assert np.array_equal(*(each.errors.values for each in found))


def test_the_error_of_the_reference_is_that_of_the_reference():
    """Of an ode, whose default method chooses its own steps, against the exact end."""
    problem = ht.ode({"x": "v", "v": "-x"}, y={"x": 1.0, "v": 0.0})
    steps = [1.0, 0.5]
    found = ht.convergence(problem, ["rk4", "fixed(dop853)"], steps, until=8.0)
    fine = ht.simulate(problem, 8.0, 0.5 / 4, integrator="fixed(dop853)", progress=False)
    off = np.linalg.norm(fine.y.values[-1] - [np.cos(8.0), -np.sin(8.0)])
    assert found.floor == pytest.approx(off / np.sqrt(8.0), rel=0.1)  # both move by 2
    assert found.orders["fixed(dop853)"] == pytest.approx(8, abs=0.5)


def test_a_run_that_fails_leaves_the_others():
    problem = ht.ode({"x": "-x**3"}, y={"x": 10.0})
    found = ht.convergence(problem, "rk4", [0.25, 0.0005, 0.00025])
    assert np.isnan(found.errors.values[0]).tolist() == [True, False, False]
    assert found.orders["rk4"] == pytest.approx(4, abs=0.5)
    assert found.to_dict()["errors"][0][0] is None and "nan" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_end_is_the_model_s_own_and_steps_count_from_the_start():
    model = ht.library.pendulum(angle=1.0)
    own = replace(model, until=0.5)
    found, wanted = (ht.convergence(own, "rk4", [0.1, 0.05], until=u) for u in (None, 0.5))
    assert np.array_equal(found.errors.values, wanted.errors.values)
    assert (found.evaluations.values == [[20, 40]]).all()
    later = ht.convergence(model, "rk4", [0.1, 0.05], until=1.55, t=1.05)
    assert (later.evaluations.values == [[20, 40]]).all()
    with pytest.raises(ht.OptionError, match="0.1 does not divide until = 1.6 − 1.05"):
        ht.convergence(model, "rk4", [0.1, 0.05], until=1.6, t=1.05)


def test_a_study_that_cannot_be_is_refused():
    model = ht.library.pendulum(angle=1.0)
    for steps, message in (
        ([0.1], "at least two different"),
        (0.1, "at least two different"),
        ([0.1, 0.03], "0.03 does not divide until = 1"),
        ([0.1, -0.1], "-0.1 is no step"),
    ):
        with pytest.raises(ht.OptionError, match=message):
            ht.convergence(model, "rk4", steps)
    with pytest.raises(ht.OptionError, match="unknown integrator 'rk5'"):
        ht.convergence(model, "rk5", [0.1, 0.05])
    with pytest.raises(ht.OptionError, match="integrators: dop853 chooses its own steps"):
        ht.convergence(model, ["rk4", "dop853"], [0.1, 0.05])
    with pytest.raises(ht.OptionError, match="reference: dop853 chooses its own steps"):
        ht.convergence(model, "rk4", [0.1, 0.05], reference="dop853")
    with pytest.raises(ht.OptionError, match="nothing moves"):
        ht.convergence(ht.library.pendulum(), "rk4", [0.1, 0.05])


def test_a_method_with_a_long_name_leaves_room_for_the_errors():
    with localcontext(prec=40):
        own = ht.Composition([Decimal(1) / 7, Decimal(5) / 7, Decimal(1) / 7], "implicit_midpoint")
    found = ht.convergence(ht.library.pendulum(angle=1.0), ["rk4", own], [0.1, 0.05])
    _, head, *rows = str(found).splitlines()
    assert len(own) > 100 and {len(row) for row in (head, *rows)} == {len(head)} and len(head) < 90
    assert list(found.orders) == ["rk4", own]
    axes = found.plot.work().axes[0]
    axes.figure.canvas.draw()
    assert axes.get_position().width > 0.5
    assert all(len(text.get_text()) < 60 for text in axes.get_legend().get_texts())


def test_the_page_and_the_command(monkeypatch, tmp_path, capsys):
    names = {}
    (code,) = re.findall(r"## Studies of methods\n\n```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code, names)
    assert names["figure"].axes
    monkeypatch.chdir(tmp_path)
    (line,) = re.findall(r"^    hamiltree (convergence .*)$", PAGE, re.M)
    import shlex

    capsys.readouterr()
    words = [*shlex.split(line), "--json", "-", "--picture", "work.png"]
    monkeypatch.setattr(sys, "argv", ["hamiltree", *words])
    with pytest.raises(SystemExit) as done:
        main()
    found = json.loads(capsys.readouterr().out)
    assert not done.value.code and found["orders"]["rk4"] == pytest.approx(4, abs=0.3)
    assert (tmp_path / "work.png").exists()
