"""The page on rigid-body algorithms: its code runs, and it names every call."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.algorithms.constrained import ConstrainedDynamics
from hamiltree.algorithms.rigid_body import Dynamics
from hamiltree.cli.app import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "dynamics.md").read_text(encoding="utf-8")
# what other modules ask of a Dynamics
INTERNAL = {
    *("workspace", "query", "dynamics_by_force", "find_jacobian", "natural_length"),
    *("describe_zero_quaternion", "check_mass", "check_derivatives", "find_rows", "rows_at"),
    *("binding_for", "constrained_query", "forward_query", "solve_multipliers"),
    *("closing_energies", "derivatives_query"),
}


def test_the_code_of_the_page_runs(capsys):
    names = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        robot = str(ROOT / "src" / "hamiltree" / "robots" / "six_axis_arm.urdf")
        exec(code.replace('"six_axis_arm.urdf"', repr(robot)), names)
    assert capsys.readouterr().out == "1 ('crank_pivot',)\n"
    assert names["crank"] == pytest.approx([0.5, 0.0, 0.0], abs=1e-12)
    assert np.flatnonzero(names["shared"]).tolist() == [0, 2]
    assert names["felt"].shape == (1, 1) and names["torque"].shape == (1,)


@pytest.mark.parametrize("kind", [Dynamics, ConstrainedDynamics])
def test_the_page_names_every_call(kind):
    words = set(re.findall(r"\w+", PAGE))
    public = {name for name in vars(kind) if not name.startswith("_")} - INTERNAL
    assert public and not public - words


def test_a_number_will_do_for_one_coordinate():
    d = ht.dynamics(ht.library.pendulum())
    assert np.array_equal(d.forward_dynamics(1.0, 0.5, 2), d.forward_dynamics([1.0], [0.5], [2.0]))
    assert d.mass_matrix(1.0).shape == (1, 1) and d.gravity([[1.0], [2.0]]).shape == (2, 1)
    with pytest.raises(ht.OptionError, match=r"q has shape \(\); expected \(3,\)"):
        ht.dynamics(ht.library.four_bar()).mass_matrix(1.0)


@pytest.fixture
def shell(monkeypatch, tmp_path, capsys):
    """shell(words): exit code, standard output and error, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(words):
        monkeypatch.setattr(sys, "argv", ["hamiltree", *words.split()])
        with pytest.raises(SystemExit) as done:
            main()
        return done.value.code or 0, *capsys.readouterr()

    return call


def test_the_command_prints_what_python_finds(shell):
    (line,) = re.findall(r"`hamiltree (dynamics .*?)`", PAGE)
    code, out, _ = shell(line)
    assert code == 0 and "f = 1 (crank_pivot)" in out and "constraints" in out
    found = json.loads(shell(f"{line} --json -")[1])
    d = ht.dynamics(ht.library.four_bar())
    q = d.close([1.0, *ht.library.four_bar().start()[0][1:]], hold="crank_pivot")
    u = d.speeds_from(q, [3.0])
    assert list(found["q"].values()) == pytest.approx(q, abs=1e-14)
    assert list(found["acceleration"].values()) == pytest.approx(
        d.forward_dynamics(q, u, [0.5, 0.0, 0.0]), rel=1e-12
    )
    assert found["projected_mass_matrix"] == [pytest.approx(d.projected_mass_matrix(q)[0])]


def test_the_command_shows_drives_and_refuses_names(shell):
    code, out, _ = shell("dynamics strandbeest(legs=1)")
    assert code == 0 and "motor" in out
    code, _, error = shell("dynamics pendulum --tau elbow=1")
    assert code == 2 and "tau: there is no joint 'elbow'" in error
    assert shell("dynamics pendulum --q 1")[0] == 0
