"""Messages advise an option as the reader of the message gives it: in a shell or in Python."""

import math
import re
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

import hamiltree as ht
from hamiltree.cli import app as cli
from hamiltree.errors import HamiltreeError, as_read, call_for_shell, spell_both, spell_option
from hamiltree.verdict.remedy import Candidate, Tries
from hamiltree.verdict.report import not_estimated

URDF = """<robot name="r"><link name="base"/>
<joint name="hinge" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/>{in_joint}</joint>
<link name="tip"><inertial><mass value="1"/><inertia ixx="{ixx}" iyy="1" izz="1" ixy="0" ixz="0"
iyz="0"/></inertial>{in_link}</link></robot>"""
MESH = '<visual><geometry><mesh filename="package://p/m.stl"/></geometry></visual>'
MJCF = """<mujoco><worldbody><body name="b"><joint name="j" {joint}/><geom size="1"/></body>
</worldbody>{more}</mujoco>"""
NO_MUJOCO = pytest.mark.skipif(find_spec("mujoco") is None, reason="mujoco is not installed")


def urdf(in_joint="", ixx=1, in_link=""):
    return URDF.format(in_joint=in_joint, ixx=ixx, in_link=in_link)


CASES = {  # what is in the file -> the options given, the advice in Python and in a shell
    "damping": (
        ("r.urdf", urdf('<dynamics damping="-1"/>')),
        {},
        "load with dynamics='drop'",
        "load with --dynamics drop",
    ),
    "mimic": (
        ("r.urdf", urdf('<mimic joint="none"/>')),
        {},
        "load with mimic='ignore'",
        "load with --mimic ignore",
    ),
    "inertia": (
        ("r.urdf", urdf(ixx=9)),
        {},
        "load with inertia='repair'",
        "load with --inertia repair",
    ),
    "mesh": (
        ("r.urdf", urdf(in_link=MESH)),
        {},
        "by packages={'NAME': 'FOLDER'}",
        "by --packages NAME=FOLDER",
    ),
    "stiffness": (
        ("r.urdf", urdf()),
        {"limits": "spring"},
        "limit_stiffness=10000.0",
        "--limit-stiffness 10000.0",
    ),
    "friction": (
        ("r.xml", MJCF.format(joint='frictionloss="1"', more="")),
        {},
        "drop=['frictionloss'] or drop='all'",
        "--drop frictionloss or --drop all",
    ),
    "folder": (
        ("r.xml", MJCF.format(joint="", more='<asset><mesh file="../m.stl"/></asset>')),
        {},
        "load with root='FOLDER'",
        "load with --root FOLDER",
    ),
}
MARKS = {"friction": [NO_MUJOCO], "folder": [NO_MUJOCO]}


@pytest.fixture(params=[pytest.param(name, marks=MARKS.get(name, [])) for name in CASES])
def case(request, tmp_path, monkeypatch):
    (name, text), options, in_python, in_shell = CASES[request.param]
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text, encoding="utf-8")
    return name, options, in_python, in_shell


def test_in_python_the_argument_is_advised(case, recwarn):
    name, options, in_python, _ = case
    told = ""
    try:
        ht.load(name, **options)
    except HamiltreeError as error:
        told = str(error)
    told += " ".join(str(warning.message) for warning in recwarn)
    assert in_python in told and "--" not in told


def test_in_a_shell_the_option_is_advised(case, monkeypatch, capsys):
    name, options, in_python, in_shell = case
    given = [word for key, value in options.items() for word in (f"--{key}", value)]
    monkeypatch.setattr(sys, "argv", ["hamiltree", "info", name, *given])
    with pytest.raises(SystemExit):
        cli.main()
    told = capsys.readouterr().err
    assert in_shell in told and in_python not in told
    assert spell_option("drop", "all") == "drop='all'"  # for Python again


def test_what_is_advised_in_a_shell_is_an_option_of_its_commands(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["hamiltree", "run", "--help"])
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit):
        cli.main()
    known = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    source = Path(ht.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in source.rglob("*.py")]
    advised = {name for text in texts for name in re.findall(r"spell_option\(['\"](\w+)", text)}
    assert len(advised) > 8
    assert {f"--{name.replace('_', '-')}" for name in advised} <= known
    assert not [text for text in texts if re.search(r"\w=\S+ \(--", text)]  # both in one message


POOR = ht.library.pendulum(angle=2.0)
SETTINGS = {"until": 100.0, "step": 0.05, "integrator": "rk4"}


def test_a_remedy_is_an_argument_in_python_and_an_option_in_the_shell(shell):
    with pytest.warns(ht.AccuracyWarning, match=r"; step=0\.00625 brings "):
        run = ht.simulate(POOR, **SETTINGS, progress=False)
    assert run.remedy.words.startswith("step=0.00625 brings ")
    given = [word for name, value in SETTINGS.items() for word in (f"--{name}", value)]
    done = shell("run", "pendulum(angle=2.0)", *given, "-o", "a.nc", "-q")
    assert "; --step 0.00625 brings " in done.error and "step=" not in done.error
    (line,) = [line for line in done.out.splitlines() if line.startswith("remedy")]
    assert " --" in line and "=" not in line


def test_the_file_keeps_what_is_advised_for_python(shell):
    given = [word for name, value in SETTINGS.items() for word in (f"--{name}", value)]
    done = shell("run", "pendulum(angle=2.0)", *given, "-o", "a.nc", "-q", "--report-format=md")
    assert "--integrator gauss8 brings " in done.out
    kept = ht.load("a.nc").provenance["report"]
    assert "integrator='gauss8' brings " in kept and "--" not in kept


def test_what_was_tried_in_vain_is_spelled_for_its_reader():
    window = SimpleNamespace(window=2.0, unit=" s")
    given = {"integrator": "gauss8", "step": 0.005}, {"rtol": 1e-8}
    tried = [Candidate(arguments, 0.5, 2.0) for arguments in given]
    words = [Tries.describe(window, one, 0.1, math.inf) for one in tried]
    assert words == ["integrator='gauss8', step=0.005 (fails)", "rtol=1e-08 (fails)"]
    in_shell = ["--integrator gauss8 --step 0.005 (fails)", "--option rtol=1e-08 (fails)"]
    assert [call_for_shell(partial(as_read, each)) for each in words] == in_shell


def test_a_stop_that_is_too_stiff_is_answered_by_an_option(shell):
    body = ht.Body("mass", mass=1.0, inertia=(1, 1, 1))
    slider = ht.Prismatic("slider", "ground", "mass", axis=(0, 0, 1), q=1.0)
    stop = ht.JointLimit("slider", lower=0.0, stiffness=1e8)
    ht.save(ht.Model([body], [slider], forces=[stop], gravity=(0, 0, -9.81)), "stop.toml")
    done = shell("run", "stop.toml", "--until", "0.05", "-q", "-o", "a.nc")
    advice = "take --step 1e-05, or --integrator radau5, which chooses its steps"
    assert advice in done.error and "take --step 1e-05." in done.out
    assert "take step=1e-05." in ht.load("a.nc").provenance["report"]


@pytest.mark.parametrize("is_long", [True, False])
def test_what_estimates_the_error_of_a_long_run_is_said_for_the_reader(is_long):
    told = spell_both(partial(not_estimated, is_long))
    assert "run.report(error=True) does" in told
    assert "--report full does" in told.in_shell and "run." not in told.in_shell
