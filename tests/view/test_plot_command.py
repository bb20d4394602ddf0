"""`hamiltree plot`: pictures of stored runs by name; what is wrong is refused by name."""

import sys
from xml.etree import ElementTree

import pytest

import hamiltree as ht
from hamiltree.cli import app
from hamiltree.cli.plot import draw
from hamiltree.view.plot_names import PLOTS, available_plots

QUIET = {"progress": False}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tree whose names collide with those of plots, a loop, an H(q, p) and an ode."""
    made = tmp_path_factory.mktemp("runs")
    bodies = [ht.Body("energy", 1.0, (0, 0, -0.5), 0.1), ht.Body("tip", 1.0, (0, 0, -0.5), 0.1)]
    joints = [
        ht.Revolute("hinge", "ground", "energy", axis=(0, 1, 0), q=1.0),
        ht.Universal("wrist", "energy", "tip", (0, 0, -1), (0, 0, 0)),
    ]
    arm = ht.Model(bodies, joints, forces=[ht.JointDamper("hinge", 0.1)], name="arm")
    ht.simulate(arm, 0.5, 0.01, **QUIET).save(made / "arm.nc")
    ht.simulate(ht.library.four_bar(), 0.2, 0.01, **QUIET).save(made / "four_bar.nc")
    swing = ht.hamiltonian("p**2/2 - cos(q)", q={"q": 1.0}, p={"p": 0.0})
    ht.simulate(swing, 5.0, 0.1, sections=[ht.Event("p", 1, name="rest")], **QUIET).save(
        made / "swing.nc"
    )
    ht.simulate(ht.ode("-x", {"x": 1.0}), 1.0, 0.1, **QUIET).save(made / "decay.nc")
    return made


@pytest.fixture
def call(folder, tmp_path, monkeypatch, capsys):
    """Calls the command in an empty folder; exit code, what it printed, the files that it wrote."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def answer(run, *arguments):
        monkeypatch.setattr(sys, "argv", ["hamiltree", "plot", str(folder / run), *arguments])
        with pytest.raises(SystemExit) as left:
            app.main()
        printed = capsys.readouterr()
        return left.value.code or 0, printed.out + printed.err

    return answer


def written(tmp_path):
    return sorted(path.name for path in tmp_path.iterdir())


def labels(path):
    """The texts of an SVG, which Matplotlib writes as comments beside their glyphs."""
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    tree = ElementTree.parse(path, parser)
    return {node.text.strip() for node in tree.iter() if node.tag is ElementTree.Comment}


def test_pictures_are_what_their_names_say(call, tmp_path):
    for name, begin in (("a.png", b"\x89PNG"), ("a.pdf", b"%PDF"), ("a.svg", b"<?xml")):
        code, said = call("arm.nc", "ledger", "-o", name)
        assert (code, said) == (0, f"wrote {name}\n")
        assert (tmp_path / name).read_bytes().startswith(begin)
    assert labels(tmp_path / "a.svg") >= {"remainder / J", "joint_damper hinge", "gravity", "t / s"}


def test_without_a_name_a_new_picture_is_written_and_said(call, tmp_path):
    assert call("arm.nc")[1] == "wrote arm-summary.png\n"
    assert call("decay.nc", "x", "coordinate:x")[1] == "wrote decay-x-coordinate-x.png\n"
    assert call("decay.nc", "x", "coordinate:x")[1] == "wrote decay-x-coordinate-x-2.png\n"


def test_parts_with_the_name_of_a_plot_are_asked_for_by_their_kind(call, tmp_path):
    call("arm.nc", "energy", "-o", "plot.svg")
    call("arm.nc", "body:energy", "-o", "body.svg")
    call("arm.nc", "wrist", "-o", "joint.svg")
    assert "kinetic" in labels(tmp_path / "plot.svg")
    assert {"vx", "vy", "vz", "energy / m"} <= labels(tmp_path / "body.svg")
    assert {"wrist.1", "wrist.2", "coordinates / rad"} <= labels(tmp_path / "joint.svg")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("arm.nc", "enrgy"), "this run has no plot 'enrgy'; did you mean 'energy'?"),
        (("arm.nc", "energy", "hing"), "did you mean 'hinge'?"),
        (("arm.nc", "body:tipp"), "no body 'tipp' in this run; did you mean 'tip'?"),
        (("arm.nc", "phase:tip"), "no phase 'tip' in this run"),
        (("arm.nc", "residuals"), "no loops and no constraints"),
        (("arm.nc", "energy", "motion"), "motion is a figure of its own"),
        (("arm.nc", "-o", "a.jpg"), "a picture ends in .png, .pdf or .svg"),
        (("arm.nc", "-o", "no/a.png"), "the folder no does not exist"),
        (("arm.nc", "--list", "energy"), "--list draws nothing"),
        (("arm.toml", "energy"), "is no run; use `hamiltree run"),
        (("gone.nc", "energy"), "no such file"),
        (("swing.nc", "ledger"), "has no ledger"),
        (("decay.nc", "energy"), "an ode has no energy"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_nothing_is_written(call, tmp_path, arguments, message):
    code, said = call(*arguments)
    assert code == 2 and message in said and said.count("\n") == 1
    assert not written(tmp_path)


def test_a_file_is_kept_unless_forced(call, tmp_path):
    (tmp_path / "a.png").write_text("mine")
    assert call("arm.nc", "energy", "-o", "a.png")[0] == 2
    assert (tmp_path / "a.png").read_text() == "mine"
    assert call("arm.nc", "energy", "-o", "a.png", "--force")[0] == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["arm.nc", "four_bar.nc", "swing.nc", "decay.nc"])
def test_what_is_listed_can_be_drawn(call, folder, tmp_path, name):
    code, said = call(name, "--list")
    listed = [line.split()[0] for line in said.splitlines()[2:]]
    run = ht.Trajectory.load(folder / name)
    plots = available_plots(run)
    assert code == 0 and set(plots) == set(listed) & set(PLOTS) and not written(tmp_path)
    for plot in set(plots) - {"errors"}:  # for errors another run is made
        figure = draw(run, [plot])
        assert any(axes.has_data() for axes in figure.axes), plot


def test_other_letters_and_dashes_name_the_same_plot(call):
    assert call("swing.nc", "Energy-Error")[0] == 0
