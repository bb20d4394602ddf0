"""The robot that comes with the package, and the example of the README that loads it."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.files.shipped import FOLDER, shipped_files

README = Path(__file__).parents[2] / "README.md"


def test_the_robot_example_of_the_readme_runs_as_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = (block for block in blocks if "six_axis_arm" in block)
    names = {"ht": ht}
    exec(compile(block, str(README), "exec"), names)
    assert names["J"].shape == (6, 7) and names["run"].energy_error < 1e-9
    said = capsys.readouterr().out
    assert "Limits(lower=-2.7" in said and " at t = " in said


def test_every_robot_loads_without_a_warning_and_is_found_by_name_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert shipped_files() == ["six_axis_arm.urdf"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = ht.load("six_axis_arm.urdf")
    assert robot == ht.load(FOLDER / "six_axis_arm.urdf")
    assert sum(body.mass for body in robot.bodies) == pytest.approx(21.96)
    assert robot.followers.keys() == {"right_finger"} and len(robot.limits) == 8
    with pytest.raises(ht.FileError, match="cannot be read"):
        ht.load("robots/six_axis_arm.urdf")
    text = (FOLDER / "six_axis_arm.urdf").read_text().replace("six_axis_arm", "mine")
    (tmp_path / "six_axis_arm.urdf").write_text(text)
    assert ht.load("six_axis_arm.urdf").name == "mine"


def test_merging_changes_no_motion_and_keeps_the_tool():
    whole, merged = (ht.load("six_axis_arm.urdf", merge_fixed=merge) for merge in (False, True))
    assert set(merged.frames) == {"gripper_link", "tool0"}
    rng = np.random.default_rng(0)
    q, qdot = rng.normal(size=(2, 4, 7))
    ours, theirs = ht.dynamics(whole), ht.dynamics(merged)
    assert theirs.mass_matrix(q) == pytest.approx(ours.mass_matrix(q), abs=1e-12)
    assert theirs.jacobian(q, "tool0") == pytest.approx(ours.jacobian(q, "tool0"), abs=1e-13)
    assert theirs.twist(q, qdot, "tool0") == pytest.approx(ours.twist(q, qdot, "tool0"), abs=1e-13)
