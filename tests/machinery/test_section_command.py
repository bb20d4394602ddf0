"""`hamiltree section`: points where a motion crosses an expression."""

import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.cli.app import main

MOTION = ("--q", "hinge1=1", "--q", "hinge2=0.5", "--until", "5", "--quiet")


@pytest.fixture
def shell(monkeypatch, tmp_path, capsys):
    """shell(*arguments): exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["hamiltree", *arguments])
        with pytest.raises(SystemExit) as done:
            main()
        return done.value.code or 0, *capsys.readouterr()

    return call


def test_the_points_are_those_that_python_collects(shell, tmp_path):
    crossing = ("section", "n_pendulum(2)", "hinge1", "--direction", "rising")
    code, out, _ = shell(*crossing, *MOTION, "--json", "-", "--where", "hinge2 > 0")
    run = ht.simulate(
        ht.library.n_pendulum(2),
        5.0,
        q={"hinge1": 1.0, "hinge2": 0.5},
        sections=[ht.Event("hinge1", +1, "hinge2 > 0")],
        progress=False,
    )
    points, found = run.sections["hinge1"], json.loads(out)
    assert code == 0 and len(found["t"]) > 0
    np.testing.assert_array_equal(found["t"], points["t"].values)
    np.testing.assert_array_equal(found["p_hinge2"], points["p"].values[:, 1])
    assert not list(tmp_path.iterdir())  # the run itself is not kept


def test_the_page_and_the_picture(shell, tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "trajectory.md").read_text(encoding="utf-8")
    line, of_point = re.findall(r"^    hamiltree (section .*)$", page, re.M)
    assert re.search(r"of coupler: 2 points", shell(*shlex.split(of_point), "--quiet")[1])
    code, out, _ = shell(*shlex.split(line), "--quiet")
    assert code == 0 and re.search(r"section hinge1: \d+ points", out)
    assert (tmp_path / "section.png").stat().st_size > 1000


def test_a_section_that_is_not_crossed_has_no_table(shell):
    code, out, _ = shell("section", "n_pendulum(2)", "hinge1 - 9", *MOTION)
    assert code == 0 and out == "section hinge1 - 9: 0 points: the motion does not cross it\n"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("hinge7",), "hinge7"),
        (("z", "--point", "rod9"), "body 'rod9' is unknown"),
        (("z", "--at", "1,0,0"), "name that with --point"),
        (("z", "--point", "rod1", "--at", "1,a,0"), "--at 1,a,0: give numbers"),
        (("z", "--point", "rod1", "--at", "1,0"), "has 2 entries"),
        (("hinge1", "--direction", "sideways"), "direction = 'sideways'"),
        (("hinge1", "--picture", "x.png", "--across", "nothing"), "has no 'nothing'"),
    ],
)
def test_what_is_no_section_is_refused(shell, tmp_path, arguments, message):
    code, _, words = shell("section", "n_pendulum(2)", *arguments, *MOTION)
    assert code == 2 and message in words
    assert not list(tmp_path.iterdir())
