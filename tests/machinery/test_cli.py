"""The command line: what it prints and writes, and how it refuses bad input."""

import importlib
import inspect
import json
import math
import re
import sys

import numpy as np
import pytest

from hamiltree.cli import app as cli
from hamiltree.cli.model_data import part_data
from hamiltree.cli.options import READER_OPTIONS
from hamiltree.errors import FitError, suggest
from hamiltree.files import READERS, function_of, load, save
from hamiltree.model import CONSTRAINTS, COUPLINGS, FORCES, JOINTS, JointActuator, library
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.version import __version__
from tests.machinery.conftest import SOURCES

ARM = """\
hamiltree = 1
name = "arm"

[[body]]
name = "upper"
mass = 1.0
com = [0, 0, -0.5]
inertia = [0.1, 0.1, 0.01]

[[body]]
name = "lower"
mass = 0.5
com = [0, 0, -0.4]
inertia = [0.05, 0.05, 0.004]

[[joint]]
kind = "revolute"
name = "shoulder"
parent = "ground"
child = "upper"
axis = [0, 1, 0]
q = 1.0

[[joint]]
kind = "revolute"
name = "elbow"
parent = "upper"
child = "lower"
on_parent = [0, 0, -1]
axis = [0, 1, 0]

[[force]]
kind = "joint_damper"
joint = "elbow"
damping = 0.1
"""
LOOP = ARM + '[[joint]]\nkind = "revolute"\nname = "closing"\nparent = "ground"\nchild = "lower"\n'


class Outcome:
    def __init__(self, code, printed):
        self.code, self.out, self.err = code, printed.out, printed.err


@pytest.fixture
def hamiltree(monkeypatch, capsys, tmp_path):
    """hamiltree(*arguments): the command line in this process, in an empty folder; an exception
    that it lets through fails the test.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["hamiltree", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        return Outcome(left.value.code or 0, capsys.readouterr())

    return call


@pytest.fixture
def arm(tmp_path):
    (tmp_path / "arm.toml").write_text(ARM)
    return tmp_path / "arm.toml"


def line_of(text, content):
    """The number of the last line that is, or begins with, the content."""
    return max(k for k, line in enumerate(text.splitlines(), 1) if line.startswith(content))


# ---- demo, in a process of its own as a person runs it -------------------------------------------
@pytest.fixture(scope="module")
def demo(python, tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    return folder, [python("-m", "hamiltree", "demo", cwd=folder) for _ in range(2)]


def test_each_demo_makes_a_new_numbered_folder(demo):
    folder, calls = demo
    assert [call.returncode for call in calls] == [0, 0]
    assert sorted(path.name for path in folder.iterdir()) == [
        "hamiltree-demo-001",
        "hamiltree-demo-002",
    ]
    for path in folder.iterdir():
        assert sorted(file.name for file in path.iterdir()) == ["run.html", "run.nc", "run.png"]
        assert (path / "run.png").read_bytes().startswith(b"\x89PNG")


def test_the_demo_prints_what_the_run_is_worth(demo):
    folder, calls = demo
    run = Trajectory.load(folder / "hamiltree-demo-001" / "run.nc")
    table = {line.split("  ")[0]: line for line in calls[0].stdout.splitlines()}
    assert f"{run.energy_error:.1e}" in table["energy error"]
    assert str(run.statistics["evaluations"]) in table["evaluations"]
    assert "ns" in table["cost"]
    assert re.search(r"\d s ", table["time"])
    assert "wrote hamiltree-demo-001/run.nc" in calls[0].stdout
    assert (
        "chain(10): hamiltonian_tree, gauss8, step 0.001 s, until 100 s (100000 steps)"
        in calls[0].stderr
    )


def test_the_page_of_the_demo_shows_the_report_that_its_file_keeps(demo):
    folder = demo[0] / "hamiltree-demo-001"
    lines = json.loads(Trajectory.load(folder / "run.nc").provenance["report"])
    assert "error of the answer" in [line["name"] for line in lines]
    page = (folder / "run.html").read_text(encoding="utf-8")
    assert [line["name"] for line in lines if line["sentence"] not in page] == []


def test_the_demo_keeps_its_energy(demo):
    """100 s of chain(10), looked at every fifth step: 2e-13 of the peak kinetic energy."""
    folder, _ = demo
    run = Trajectory.load(folder / "hamiltree-demo-001" / "run.nc")
    assert run.t.size == 20001
    assert run.energy_error <= 2e-13


def test_two_demos_agree_to_the_bit(demo):
    one, two = (Trajectory.load(path / "run.nc") for path in sorted(demo[0].iterdir()))
    np.testing.assert_array_equal(one.p, two.p)


# ---- run -----------------------------------------------------------------------------------------
def test_run_writes_the_trajectory_beside_the_caller(hamiltree, arm, tmp_path):
    done = hamiltree("run", arm, "--until", "0.5")
    assert done.code == 0
    assert (
        "arm: hamiltonian_tree, gauss8, step 0.001 s, until 0.5 s (500 steps), saved every step"
        in done.err
    )
    assert done.out.rstrip().endswith("wrote arm.nc")
    assert Trajectory.load(tmp_path / "arm.nc").model == load(arm)


def test_run_takes_all_options(hamiltree, arm, tmp_path):
    options = (
        "--until 0.5 --step 0.002 --integrator rk4 --formulation hamiltonian_tree --save-every 5 "
        "--output out.nc --picture out.png --quiet"
    )
    done = hamiltree("run", arm, *options.split())
    assert (done.code, done.err) == (0, "")
    run = Trajectory.load(tmp_path / "out.nc")
    assert [run.provenance[key] for key in ("until", "step", "integrator", "save_every")] == [
        0.5,
        0.002,
        "rk4",
        5,
    ]
    assert run.t.size == 51
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_short_options_mean_the_same(hamiltree, arm, tmp_path):
    assert (
        hamiltree(
            "run",
            arm,
            "-u",
            "0.1",
            "-s",
            "0.01",
            "-i",
            "gauss4",
            "-f",
            "hamiltonian_tree",
            "-o",
            "o.nc",
            "-p",
            "o.svg",
            "-q",
        ).code
        == 0
    )
    assert Trajectory.load(tmp_path / "o.nc").provenance["integrator"] == "gauss4"
    assert "<svg" in (tmp_path / "o.svg").read_text()


def test_an_existing_file_is_kept_and_the_run_gets_a_number_unless_forced(hamiltree, arm, tmp_path):
    (tmp_path / "arm.nc").write_text("mine")
    for number in (2, 3):
        done = hamiltree("run", arm, "--until", "0.1")
        assert done.code == 0
        said = f"hamiltree: arm.nc kept; writing arm-{number}.nc (--force overwrites)"
        assert done.err.splitlines()[0] == said
        assert done.out.endswith(f"wrote arm-{number}.nc\n")
        assert Trajectory.load(tmp_path / f"arm-{number}.nc").status == "complete"
    assert (tmp_path / "arm.nc").read_text() == "mine"
    assert hamiltree("run", arm, "--until", "0.1", "--force").code == 0
    assert Trajectory.load(tmp_path / "arm.nc").status == "complete"


def test_a_run_that_goes_wrong_exits_with_1_and_keeps_what_was_saved(hamiltree, tmp_path):
    save(library.chain(10), tmp_path / "chain.toml")
    done = hamiltree("run", "chain.toml", "-u", "30", "-s", "0.3", "-i", "rk4", "-q")
    assert done.code == 1
    assert done.err.startswith(
        "hamiltree: error: the state stopped being finite; the last good time is t = 0.6 s (step 2)"
    )
    assert done.err.count("\n") == 1
    assert Trajectory.load(tmp_path / "chain.nc").t.values[-1] == 0.6


# ---- models with loops ---------------------------------------------------------------------------
def test_a_run_with_a_loop_tells_how_well_it_was_kept_and_what_it_leaves(hamiltree, tmp_path):
    save(library.four_bar().with_(joints={"rocker_pivot": {"q": 1.5}}), tmp_path / "open.toml")
    refused = hamiltree("run", "open.toml", "--until", "0.02")
    assert refused.code == 2
    assert (
        "joint 'coupler_pin' has a constraint residual of" in refused.err
        and "--assemble" in refused.err
    )
    done = hamiltree("run", "open.toml", "--until", "0.02", "--hold", "crank_pivot", "--quiet")
    assert done.code == 0, done.err
    run = Trajectory.load(tmp_path / "open.nc")
    # there is one way to close it nearby
    assert run.q.values[0] == pytest.approx(library.four_bar().start()[0], abs=1e-12)
    table = {line.split("  ")[0]: line for line in done.out.splitlines()}
    assert f"{run.constraint_error:.1e}" in table["position constraints"]
    assert f"{run.velocity_constraint_error:.1e}" in table["velocity constraints"]
    assert re.search(
        r" 1 +by Jacobian rank; -2 by Grübler–Kutzbach; redundant rows: 3 of joint 'coupler_pin'",
        table["degrees of freedom"],
    )


def test_info_tells_parts_loops_freedoms_and_openings(hamiltree, tmp_path):
    save(library.double_wishbone(), tmp_path / "wheel.toml")
    done = hamiltree("info", "wheel.toml")
    assert done.code == 0
    for words in (
        r"^lower +4 +",
        r"^wheel +revolute +upright +wheel +0",
        r"^upper_ball +ball +upper +upright +closes a loop",
        r"^tie_rod +rod +",
    ):
        assert re.search(words, done.out, re.MULTILINE), words
    counted = "2 degrees of freedom by Jacobian rank, 2 by Grübler–Kutzbach"
    assert f"double_wishbone: {counted}" in done.out
    assert (
        "loop closed by joint 'upper_ball': upper_arm, lower_arm, lower_ball, upper_ball"
        in done.out
    )
    assert re.search(r"constraint 'tie_rod': 1 row, residual ", done.out)


def test_info_shows_the_topology_and_draws_it(hamiltree, tmp_path):
    done = hamiltree("info", "four_bar", "--tree", "--picture", "bars.png")
    assert done.code == 0 and "joints that close loops\n  coupler_pin  revolute" in done.out
    assert (tmp_path / "bars.png").read_bytes().startswith(b"\x89PNG")
    assert (
        "exists; choose another name" in hamiltree("info", "four_bar", "--picture", "bars.png").err
    )
    refused = hamiltree("info", "four_bar", "--tree", "--picture", "bars.gif")
    assert refused.code == 2 and "a picture ends in .png, .pdf or .svg" in refused.err
    assert not refused.out and [path.name for path in tmp_path.iterdir()] == ["bars.png"]


def test_info_shows_masses_inertias_axes_and_the_total_mass(hamiltree, tmp_path):
    model = library.double_wishbone()
    save(model, tmp_path / "wheel.toml")
    said = hamiltree("info", "wheel.toml").out
    total = sum(body.mass for body in model.bodies)
    assert f"\ntotal mass {total:.6g} kg\n" in said
    body = model.body("upright")
    xx, yy, zz = (f"{body.inertia[k][k]:.4g}" for k in range(3))
    assert re.search(rf"^upright +{body.mass:.6g} .*{xx}, {yy}, {zz}", said, re.MULTILINE)
    assert re.search(r"^wheel +revolute +upright +wheel +0, 1, 0 ", said, re.MULTILINE)


def test_info_writes_all_numbers_as_json(hamiltree, tmp_path):
    model = library.chain(300)
    save(model, tmp_path / "chain.toml")
    tables = hamiltree("info", "chain.toml").out
    assert "… and 100 more" in tables and len(tables.splitlines()) < 420
    printed = json.loads(hamiltree("info", "chain.toml", "--json", "-").out)
    assert hamiltree("info", "chain.toml", "--json", "chain.json").code == 0
    assert json.loads((tmp_path / "chain.json").read_text()) == printed
    assert printed["total_mass"] == math.fsum(body.mass for body in model.bodies)
    assert [part["inertia"][0] for part in printed["bodies"]] == [
        list(body.inertia[0]) for body in model.bodies
    ]
    assert printed["joints"][7]["screws"][0]["angular"] == list(model.joints[7].axis)
    again = hamiltree("info", "chain.toml", "--json", "chain.json")
    assert again.code == 2 and "exists; choose another name" in again.err


def test_json_of_an_actuator_has_the_keys_of_its_table_alone():
    data = part_data(JointActuator("j", name="motor"))
    assert not {"own_joint", "ratio"} & data.keys() and data["joint"] == "j"


def test_options_of_readers_are_those_of_load_in_every_command(hamiltree, tmp_path):
    readers = [inspect.signature(function_of(*reader)).parameters for reader in READERS.values()]
    known = {name for parameters in readers for name in parameters} - {"path", "gravity"}
    assert set(READER_OPTIONS) == known
    (tmp_path / "arm.toml").write_text(ARM)
    for command in ("run", "info", "view", "compare"):
        for option in ("--inertia", "--mimic", "--limits"):
            done = hamiltree(command, "arm.toml", option, "repair")
            assert done.code == 2 and f"there is no option {option[2:]!r}" in done.err
    refused = hamiltree("info", "arm.toml", "--packages", "meshes")
    assert refused.code == 2 and "write NAME=FOLDER" in refused.err


def test_a_library_model_takes_numbers_in_brackets(hamiltree, tmp_path):
    assert "chain(4): 4 degrees of freedom" in hamiltree("info", "chain(4)").out
    assert hamiltree("run", "n_pendulum(2, angles=0.5)", "--until", "0.01").code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["n_pendulum_2_angles=0.5.nc"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("chain(ten)", "'chain(ten)': 'ten' is no literal"),
        ("chain(4, 1, 2)", "the library's chain: too many positional arguments"),
        ("chain(4, sed=1)", "the library's chain has no argument 'sed'; did you mean 'seed'?"),
        ("chain(seed=1, 4)", "'chain(seed=1, 4)' is not name(arguments)"),
        ("chain(4, seed=1, seed=1)", "seed is given twice"),
        ("chain(4, n=4)", "the library's chain: multiple values for argument 'n'"),
        ("chain(1.5)", "give a whole number"),
    ],
)
def test_wrong_numbers_of_a_library_model_are_refused(hamiltree, tmp_path, source, message):
    refused = hamiltree("run", source)
    assert refused.code == 2 and message in refused.err
    assert not list(tmp_path.iterdir())


def test_a_library_model_is_known_by_its_name_unless_it_needs_a_size(hamiltree, tmp_path):
    assert "pendulum: 1 degree of freedom\n" in hamiltree("info", "pendulum").out
    assert hamiltree("info", "pendulun").err == (
        "hamiltree: error: pendulun: no such file, and the library has no model of this name; did "
        "you mean 'pendulum'? (`hamiltree list models` shows all)\n"
    )
    assert "four_bar: 1 degree of freedom" in hamiltree("info", "four-bar").out
    assert "the library's chain needs n; give it in brackets" in hamiltree("run", "chain").err
    assert "floating_base is for files" in hamiltree("run", "pendulum", "--floating-base").err
    assert not list(tmp_path.iterdir())


def test_a_misspelt_file_is_answered_with_a_similar_one_of_the_folder(hamiltree, tmp_path):
    (tmp_path / "crane.toml").write_text(ARM)
    (tmp_path / "crate.txt").write_text("no model")
    assert hamiltree("run", "crain.toml").err.endswith("; did you mean crane.toml?\n")
    assert hamiltree("run", "crane.urdf").err.endswith("; did you mean crane.toml?\n")
    assert "did you mean 'crane.toml'?" in hamiltree("run", "crane_").err
    assert "did you mean" not in hamiltree("run", "wheel.toml").err


def test_what_only_shares_some_letters_is_not_suggested(hamiltree):
    assert suggest("amr", ["car"]) == "known: 'car'"
    assert suggest("amr", ["car", "arm"]) == "did you mean 'arm'?"
    assert suggest("Four-Bra", ["four_bar"]) == "did you mean 'four_bar'?"
    assert "did you mean" not in hamiltree("run", "amr").err


def test_an_unknown_experiment_is_answered_with_the_command_that_lists_them(hamiltree):
    said = hamiltree("gallery", "keppler").err
    assert "did you mean 'kepler'? (`hamiltree gallery` shows all)" in said


def test_a_run_with_a_large_energy_error_is_called_bad(hamiltree, arm):
    said = hamiltree("run", arm, "-u", "3", "-s", "0.2", "-i", "rk4", "-q").out
    assert re.search(r"energy balance .* bad ", said)
    assert "verdict: bad" in said


def test_the_report_of_a_run_is_printed_as_asked_and_kept_in_its_file(hamiltree, tmp_path):
    done = hamiltree("run", "four_bar", "-u", "0.05", "-q", "--report-format", "json")
    printed = json.loads(done.out)
    run = Trajectory.load(tmp_path / "four_bar.nc")
    assert printed["verdict"] == run.verdict == "good"
    assert run.provenance["verdict"] == "good"
    kept = json.loads(run.provenance["report"])
    assert kept == printed["lines"]
    assert {"energy balance", "constraints, position"} <= {line["name"] for line in kept}
    assert "wrote four_bar.nc" in done.err
    html = hamiltree("run", "four_bar", "-u", "0.05", "-q", "--report-format", "html", "--force")
    assert html.out.startswith("<!doctype html>") and "energy balance" in html.out
    assert "did you mean 'json'?" in hamiltree("run", "four_bar", "--report-format", "jso").err


def test_a_report_that_is_not_made_cannot_be_printed(hamiltree, tmp_path):
    done = hamiltree("run", "four_bar", "--report", "none", "--report-format", "json")
    assert done.code == 2 and "--report none has nothing to print as json" in done.err
    assert not list(tmp_path.glob("*.nc"))


@pytest.mark.parametrize("command", ["dynamics", "equilibrium", "linearise"])
def test_what_is_no_model_of_bodies_is_said_in_words_that_fit_every_command(hamiltree, command):
    kepler = SOURCES.parent / "examples" / "kepler.toml"
    done = hamiltree(command, kepler)
    assert done.code == 2 and "holds an H(q, p), and this command is for models" in done.err


def test_help_has_a_short_name(hamiltree):
    assert hamiltree("-h").out == hamiltree("--help").out
    short = hamiltree("convert", "-h")
    assert short.code == 0 and short.out == hamiltree("convert", "--help").out


# ---- list, warm, version -------------------------------------------------------------------------
def test_list_shows_everything_there_is(hamiltree):
    from hamiltree.formulations import FORMULATIONS
    from hamiltree.gallery import EXPERIMENTS
    from hamiltree.integrators import INTEGRATORS

    done = hamiltree("list", "all")
    assert done.code == 0
    for name in (
        *JOINTS,
        *COUPLINGS,
        *CONSTRAINTS,
        *FORCES,
        *FORMULATIONS,
        *INTEGRATORS,
        *library.LIBRARY,
        *EXPERIMENTS,
    ):
        assert re.search(rf"^{re.escape(name)}(?!\w)", done.out, re.MULTILINE), name


def test_every_integrator_is_listed_under_formulations_that_it_fits(hamiltree):
    from hamiltree.formulations import FORMULATIONS
    from hamiltree.integrators import INTEGRATORS
    from hamiltree.run.choices import is_compatible

    groups = hamiltree("list", "integrators").out.split("integrators that fit ")[1:]
    listed = set()
    for group in groups:
        title, _, rows = group.partition(":\n")
        fitting = title.replace("cartesian_1…3", "cartesian_1, cartesian_2, cartesian_3").split(
            ", "
        )
        for name in re.findall(r"^(\S+) +\d+ ", rows, re.MULTILINE):
            listed.add(name)
            fits = [f for f in FORMULATIONS if is_compatible(FORMULATIONS[f], INTEGRATORS[name])]
            assert fits == fitting, f"{name} fits {fits or 'nothing'}"
    assert listed == set(INTEGRATORS)


def test_list_alone_counts_the_parts_and_names_their_commands(hamiltree):
    done = hamiltree("list")
    assert done.code == 0
    assert re.search(rf"^joints +{len(JOINTS)} .* hamiltree list joints *$", done.out, re.MULTILINE)
    for part in ("couplings", "forces", "models", "formulations", "integrators", "experiments"):
        assert re.search(rf"^{part} +\d+ .* hamiltree list {part} *$", done.out, re.MULTILINE)
    assert "revolute" not in done.out and "gauss8" not in done.out


@pytest.mark.parametrize("arguments", [(), ("all",)])
def test_a_list_fits_80_columns(hamiltree, monkeypatch, arguments):
    monkeypatch.setenv("COLUMNS", "80")
    done = hamiltree("list", *arguments)
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    monkeypatch.delenv("COLUMNS")  # piped, without a width
    assert max(map(len, hamiltree("list", *arguments).out.splitlines())) <= 80


def test_list_shows_one_table(hamiltree):
    done = hamiltree("list", "joints")
    assert "revolute" in done.out
    assert "gauss8" not in done.out


def test_list_refuses_an_unknown_table_with_the_nearest(hamiltree):
    done = hamiltree("list", "joint")
    assert done.code == 2
    assert "unknown list 'joint'; did you mean 'joints'?" in done.err


def test_warm_takes_one_of_every_family_that_fits(hamiltree):
    done = hamiltree("warm", "separable phase space")
    assert done.code == 0
    pairs = {tuple(line.split()[:2]) for line in done.out.splitlines()}
    taken = {
        "explicit_euler",
        "implicit_euler",
        "euler_a",
        "tao2",
        "discrete_gradient",
        "dormand_prince5",
        "radau5",
    }
    assert {("separable_phase_space", name) for name in taken} <= pairs
    assert ("separable_phase_space", "gauss8") not in pairs
    assert re.search(r"^ready in .* s; compiled code is in ", done.out, re.MULTILINE)


def test_the_version_is_printed(hamiltree):
    done = hamiltree("--version")
    assert (done.code, done.out) == (0, f"hamiltree {__version__}\n")


def test_the_module_runs_as_the_command_does(python, tmp_path):
    """`python -m hamiltree` and its exit codes, without a traceback."""
    (tmp_path / "bad.toml").write_text(ARM.replace("mass = 0.5", "mass = -0.5"))
    done = python("-m", "hamiltree", "run", "bad.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(
        r"hamiltree: error: bad\.toml:\d+: body 'lower': mass = -0\.5 .*\n", done.stderr
    )


# ---- bad input -----------------------------------------------------------------------------------
def changed(old, new, text=ARM):
    assert old in text
    return text.replace(old, new)


# what is wrong: (the file, the beginning of the line at fault, what the message says of it)
BAD_MODELS = {
    "unknown parent": (
        changed('parent = "upper"', 'parent = "uper"'),
        'parent = "uper"',
        "joint 'elbow': parent = 'uper' .*'upper'",
    ),
    "unknown child": (
        changed('child = "lower"', 'child = "hand"'),
        'child = "hand"',
        "joint 'elbow': child = 'hand' is not a body",
    ),
    "unknown joint of a force": (
        changed('joint = "elbow"', 'joint = "elbo"'),
        'joint = "elbo"',
        "force 1 .*joint = 'elbo' .*'elbow'",
    ),
    "two bodies of one name": (
        changed('name = "lower"', 'name = "upper"'),
        'name = "upper"',
        "body 'upper': the name is used twice",
    ),
    "two joints of one name": (
        changed('name = "elbow"', 'name = "shoulder"'),
        'name = "shoulder"',
        "joint 'shoulder': the name is used twice",
    ),
    "loop": (
        LOOP,
        "[[joint]]",
        r"joint 'closing' has a constraint residual of 0.841 rad at the start",
    ),
    "loose body": (
        ARM + '[[body]]\nname = "ball"\nmass = 1.0\n',
        "[[body]]",
        "body 'ball': no joint holds it; weld it",
    ),
    "negative mass": (
        changed("mass = 0.5", "mass = -0.5"),
        "mass = -0.5",
        "body 'lower': mass = -0.5",
    ),
    "inertia without mass": (
        changed("mass = 0.5", "mass = 0.0"),
        "mass = 0.0|inertia = [0.05",
        "body 'lower': .*(mass|inertia)",
    ),
    "negative inertia": (
        changed("0.05, 0.05, 0.004", "0.05, 0.05, -0.004"),
        "inertia = [0.05",
        "body 'lower': inertia .*-0.004",
    ),
    "triangle inequality": (
        changed("0.05, 0.05, 0.004", "0.05, 0.01, 0.004"),
        "inertia = [0.05",
        "body 'lower': inertia .*sum of the other two",
    ),
    "no branch inertia": (
        changed("mass = 0.5\ncom = [0, 0, -0.4]\ninertia = [0.05, 0.05, 0.004]\n", "mass = 0.5\n"),
        "[[joint]]",
        "joint 'elbow': the inertia that it moves vanishes",
    ),
    "NaN": (changed("q = 1.0", "q = nan"), "q = nan", "joint 'shoulder': q = nan"),
    "infinity": (
        changed("damping = 0.1", "damping = inf"),
        "damping = inf",
        "force 1.*: damping = inf",
    ),
    "NaN in a vector": (
        changed("com = [0, 0, -0.4]", "com = [0, nan, -0.4]"),
        "com = [0, nan",
        "body 'lower': com",
    ),
    "zero axis": (
        changed("axis = [0, 1, 0]\n\n[[f", "axis = [0, 0, 0]\n\n[[f"),
        "axis = [0, 0, 0]",
        "joint 'elbow': axis .*zero",
    ),
    "wrong type": (
        changed("mass = 0.5", 'mass = "heavy"'),
        'mass = "heavy"',
        "body 'lower': mass = 'heavy' is not a number",
    ),
    "wrong length": (
        changed("com = [0, 0, -0.4]", "com = [0, 0]"),
        "com = [0, 0]",
        "body 'lower': com",
    ),
    "unknown key": (
        changed("mass = 0.5", "mas = 0.5"),
        "mas = 0.5",
        "body 'lower': unknown key 'mas'; did you mean 'mass'",
    ),
    "unknown kind": (
        changed('"joint_damper"', '"joint_dampr"'),
        'kind = "joint_dampr"',
        "'joint_dampr' is unknown; did you mean 'joint_damper'",
    ),
    "missing key": (
        changed('child = "lower"\n', ""),
        "[[joint]]",
        "joint 'elbow': the key 'child' is missing",
    ),
    "not TOML": (changed("mass = 0.5", "mass = "), "mass = ", "not valid TOML"),
    "another version": (
        changed("hamiltree = 1", "hamiltree = 9"),
        "hamiltree = 9",
        "needs a newer hamiltree",
    ),
}


@pytest.mark.parametrize("case", BAD_MODELS)
def test_a_bad_model_is_refused_with_its_part_and_line(hamiltree, tmp_path, case):
    text, at_fault, message = BAD_MODELS[case]
    (tmp_path / "bad.toml").write_text(text)
    done = hamiltree("run", "bad.toml", "--until", "0.1")
    lines = [line_of(text, start) for start in at_fault.split("|")]
    said = done.err.removeprefix(COMPILING)  # a machine that has compiled nothing yet says so
    assert done.code == 2
    assert done.out == ""
    assert said.count("\n") == 1
    assert re.match(
        rf"hamiltree: error: bad\.toml:({'|'.join(map(str, lines))}): .*{message}", said
    ), (lines, done.err)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.toml"]


COMPILING = (
    "hamiltree: compiling what this machine has not yet compiled "
    "(up to a minute, once for each family of methods) …\n"
)
BAD_OPTIONS = {
    "--step 0": "step = 0.0; it must be finite and above zero (s)",
    "--step -0.001": "step = -0.001; it must be finite and above zero (s)",
    "--step nan": "step = nan",
    "--until inf": "until = inf",
    "--until -1": "until = -1.0",
    "--until 1e300": "until = 1e+300 s in steps of 0.001 s are more than",
    "--save-every 0": "save_every = 0; it must be a whole number of steps from 1 to",
    "--integrator gaus8": "unknown integrator 'gaus8'; did you mean 'gauss8'?",
    "--formulation kane": "unknown formulation 'kane'",
    "--picture run.bmp": "run.bmp: a picture ends in .png, .pdf or .svg",
    "--picture nowhere/run.png": "nowhere/run.png: the folder nowhere does not exist",
    "--output nowhere/run.nc": "nowhere/run.nc: the folder nowhere does not exist",
    "--output .": ". is a folder",
    "--output arm.toml --force": "--output arm.toml is also the model; choose another name",
    "--output run.png --picture run.png": "--picture run.png is also --output; choose another name",
}


@pytest.mark.parametrize("options", BAD_OPTIONS)
def test_a_bad_option_is_refused_and_nothing_is_written(hamiltree, arm, tmp_path, options):
    done = hamiltree("run", "arm.toml", *options.split())
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith(f"hamiltree: error: {BAD_OPTIONS[options]}")
    assert done.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["arm.toml"]
    assert arm.read_text() == ARM


def test_an_existing_picture_is_kept_and_both_files_get_the_same_number(hamiltree, arm, tmp_path):
    (tmp_path / "run.png").write_text("mine")
    done = hamiltree("run", "arm.toml", "--until", "0.1", "--picture", "run.png")
    assert done.code == 0 and (tmp_path / "run.png").read_text() == "mine"
    assert done.out.endswith("wrote arm-2.nc\nwrote run-2.png\n")


def test_a_pair_that_does_not_fit_is_refused_without_a_line(hamiltree, arm, monkeypatch):
    def refuse(*arguments):
        raise FitError("strang does not fit hamiltonian_tree")

    monkeypatch.setattr(importlib.import_module("hamiltree.run.choices"), "check_fit", refuse)
    done = hamiltree("run", "arm.toml")
    assert (done.code, done.err) == (2, "hamiltree: error: strang does not fit hamiltonian_tree\n")


@pytest.mark.parametrize(
    ("name", "message"),
    [("none.toml", "none.toml: cannot be read"), ("arm.urdf", "arm.urdf: cannot be read")],
)
def test_a_file_that_is_no_model_is_refused(hamiltree, name, message):
    done = hamiltree("run", name)
    assert done.code == 2
    assert done.err.startswith(f"hamiltree: error: {message}")


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "arm.toml", "--stp", "1"],
        ["run", "arm.toml", "--step", "short"],
        ["fly"],
        ["list", "a", "b"],
    ],
)
def test_a_wrong_usage_exits_with_2_and_shows_the_usage(hamiltree, arm, tmp_path, arguments):
    done = hamiltree(*arguments)
    assert done.code == 2
    assert "Usage: hamiltree" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["arm.toml"]


def test_help_names_the_commands(hamiltree):
    done = hamiltree("--help")
    assert done.code == 0
    assert "Simulate rigid bodies and mechanisms so that the answer can be trusted." in done.out
    assert all(command in done.out for command in ("demo", "run", "list", "warm", "--version"))
