"""Particles in `hamiltree equilibrium` and `modes`, start values of `hamiltree convergence`, the
path of a point in `hamiltree plot`.
"""

import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.cli.app import main

CHAIN = "particle_chain(4)"


@pytest.fixture
def shell(monkeypatch, tmp_path, capsys):
    """shell(words): exit code, standard output and error, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(words):
        monkeypatch.setattr(sys, "argv", ["hamiltree", *shlex.split(words)])
        with pytest.raises(SystemExit) as done:
            main()
        return done.value.code or 0, *capsys.readouterr()

    return call


def test_particles_rest_and_vibrate_in_the_shell_as_in_python(shell, tmp_path):
    rest = ht.equilibrium(ht.library.particle_chain(4))
    code, out, _ = shell(f"equilibrium {CHAIN} --json - --picture rest.png")
    found = json.loads(out)
    assert code == 0 and found["energy"] == rest.energy
    np.testing.assert_array_equal(list(found["centres_of_mass"].values()), rest.poses.positions)
    assert re.search(r"stable, V =\s+-\d", shell(f"equilibrium {CHAIN}")[1])
    modes = ht.modes(rest, 3)
    code, out, _ = shell(f"modes {CHAIN} --count 3 --json modes.json --picture modes.png")
    found = json.loads((tmp_path / "modes.json").read_text())
    assert code == 0 and "moves most" in out
    assert found["frequencies"] == modes.frequencies.tolist()
    assert np.shape(found["shapes"]) == (3, len(found["bodies"]), 6)
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("rest.png", "modes.png"))


def test_methods_are_compared_from_start_values(shell):
    code, _, error = shell("convergence pendulum -i rk4")
    assert code == 2 and "nothing moves" in error and "--q" in error
    code, out, _ = shell("convergence pendulum -i rk4 --steps 0.02,0.01 --q 1 --json -")
    wanted = ht.convergence(ht.library.pendulum(), "rk4", [0.02, 0.01], q=1.0)
    assert code == 0 and json.loads(out)["errors"] == wanted.to_dict()["errors"]


def test_a_coupler_curve_is_drawn(shell, tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "trajectory.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    hamiltree ((?:run|plot) .*)$", page, re.M)
    assert [shell(line)[0] for line in lines] == [0, 0]
    assert (tmp_path / "curve.png").stat().st_size > 1000
    for what, message in {
        "path:couplr@0,0,0": "there is no body 'couplr'",
        "path:coupler@0,0": "three numbers",
    }.items():
        code, _, error = shell(f"plot four_bar.nc {what} --output other.png")
        assert code == 2 and message in error
