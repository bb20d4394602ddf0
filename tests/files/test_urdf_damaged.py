"""Damaged URDF files are refused in one line that says where, or loaded as what they say; nothing
outside their folder is touched.
"""

import json
import math
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

from hamiltree.cli import app as cli
from hamiltree.errors import FileError, HamiltreeError
from hamiltree.files import xml_text
from hamiltree.files.urdf import read_urdf
from tests.files import urdf_mutator as mutator
from tests.files import urdf_reference as reference

DAMAGES = {damage.name: damage for damage in mutator.damages()}
SMALL = [name for name, damage in DAMAGES.items() if len(damage.content) < 100_000]


@pytest.fixture
def folder(tmp_path):
    """The model's folder, with a link in it that leads out."""
    inside = tmp_path / "robot"
    (inside / "meshes").mkdir(parents=True)
    (tmp_path / "secret.stl").write_text("secret")
    os.symlink("/etc", inside / "leak")
    return inside


def load_quietly(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_urdf(path)


def loaded(damage, folder):
    """(model, None) or (None, the error)."""
    path = folder / "robot.urdf"
    path.write_bytes(damage.content)
    try:
        return load_quietly(path), None
    except HamiltreeError as error:
        return None, error


def assert_one_line_with_a_place(message, path):
    assert message.startswith(f"{path}:")
    line, _, rest = message.removeprefix(f"{path}:").partition(": ")
    assert line.isdecimal() and len(rest) > 10
    assert len(message.splitlines()) == 1
    assert len(message) < 2500


def assert_same_masses(model, text):
    """By name, `ground` apart, which no body can be called."""
    ours, theirs = reference.masses_of_model(model), reference.masses_of_text(text)
    theirs = {"ground_link" if name == "ground" else name: value for name, value in theirs.items()}
    assert ours.keys() == theirs.keys()
    for name, (mass, com, tensor) in theirs.items():
        assert math.isclose(ours[name][0], mass)
        if mass:
            np.testing.assert_allclose(ours[name][1], com, atol=1e-12)
            np.testing.assert_allclose(ours[name][2], tensor, atol=1e-12)


def test_there_are_more_than_two_hundred_damages_of_every_outcome():
    assert len(DAMAGES) > 300
    assert {damage.outcome for damage in DAMAGES.values()} == {"refused", "same", "either"}


@pytest.mark.parametrize("name", mutator.GOOD)
def test_the_undamaged_files_hold_the_masses_of_an_independent_reader(folder, name):
    (folder / "robot.urdf").write_text(mutator.GOOD[name])
    assert_same_masses(load_quietly(folder / "robot.urdf"), mutator.GOOD[name])


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_file_is_refused_at_a_line_or_loaded_as_what_it_says(folder, name):
    damage = DAMAGES[name]
    model, error = loaded(damage, folder)
    if error is not None:
        assert damage.outcome != "same", error
        assert_one_line_with_a_place(str(error), folder / "robot.urdf")
        return
    assert damage.outcome != "refused"
    assert_same_masses(model, damage.content)
    if damage.outcome == "same":
        same = [sum(body.mass for body in model.bodies), len(model.coordinates)]
        (folder / "robot.urdf").write_text(mutator.GOOD[damage.of])
        whole = load_quietly(folder / "robot.urdf")
        assert same == [sum(body.mass for body in whole.bodies), len(whole.coordinates)]


def test_both_refusals_and_loads_occur_among_deleted_and_swapped_tags(folder):
    outcomes = {
        loaded(damage, folder)[1] is None
        for damage in DAMAGES.values()
        if damage.outcome == "either"
    }
    assert outcomes == {True, False}


@pytest.mark.parametrize("name", DAMAGES)
def test_the_shell_refuses_what_the_reader_refuses_with_exit_2_and_writes_nothing(
    folder, name, capsys, monkeypatch
):
    _, error = loaded(DAMAGES[name], folder)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["hamiltree", "convert", "robot.urdf", "out.toml"])
    before = sorted(os.listdir(folder))
    code = 0
    try:
        cli.main()
    except SystemExit as done:
        code = done.code or 0
    told = capsys.readouterr().err
    if error is None:
        assert code == 0 and (folder / "out.toml").exists()
        return
    assert code == 2 and sorted(os.listdir(folder)) == before
    assert told.startswith("hamiltree: error: robot.urdf:") and len(told.splitlines()) == 1


@pytest.mark.parametrize(
    "name", ["attack-billion-laughs", "attack-external", "structure-circle", "arm-cut-0"]
)
def test_the_installed_command_exits_with_2(folder, name):
    (folder / "robot.urdf").write_bytes(DAMAGES[name].content)
    done = subprocess.run(
        [sys.executable, "-m", "hamiltree", "run", "robot.urdf"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert os.listdir(folder).count("robot.nc") == 0


WATCHED = """
import json, os, sys, warnings
from hamiltree.errors import HamiltreeError
from hamiltree.files.urdf import read_urdf

warnings.simplefilter("ignore")
names = sorted(name for name in os.listdir(".") if name.endswith(".urdf"))

def read(name):
    try:
        read_urdf(name)
    except HamiltreeError:
        pass

for name in names:
    read(name)  # whatever is imported late is imported here
seen, watching = [], [True]

KINDS = ("open", "socket", "urllib", "subprocess", "os", "shutil", "import", "ctypes")

def watch(event, arguments):
    if watching[0] and event.split(".")[0] in KINDS:
        seen.append((event, str(arguments[0])))

sys.addaudithook(watch)
for name in names:
    read(name)
watching[0] = False
print(json.dumps(seen))
"""


def test_nothing_but_the_file_itself_is_opened(folder):
    """An audit hook sees every file, socket and process that Python opens."""
    for name in SMALL:
        (folder / f"{name}.urdf").write_bytes(DAMAGES[name].content)
    done = subprocess.run(
        [sys.executable, "-c", WATCHED], cwd=folder, capture_output=True, text=True, check=True
    )
    seen = json.loads(done.stdout)
    assert {event for event, _ in seen} == {"open"}
    assert sorted(path for _, path in seen) == sorted(f"{name}.urdf" for name in SMALL)


def test_reading_stops_at_the_depth_limit_whatever_follows():
    builder = xml_text._Builder("deep")
    with pytest.raises(FileError, match="deep:1: elements nested more than 512 deep"):
        builder.build(b"<a>" * 3_500_000)
    assert builder.count == xml_text.DEPTH_LIMIT + 1
    assert builder.parser.CurrentByteIndex <= xml_text.CHUNK


def test_reading_stops_at_the_limit_of_elements(monkeypatch):
    monkeypatch.setattr(xml_text, "ELEMENT_LIMIT", 1000)
    with pytest.raises(FileError, match="more than 1000 elements"):
        xml_text.parse_xml(b"<robot>" + b"<a/>" * 1000 + b"</robot>")
    xml_text.parse_xml(b"<robot>" + b"<a/>" * 999 + b"</robot>")
