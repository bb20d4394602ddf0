"""`run.view`, `model.view` and `hamiltree view`: which files they write, what they refuse."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import hamiltree as ht
from hamiltree.cli.app import app
from hamiltree.errors import FileError, OptionError
from hamiltree.view.page.arrays import ArrayBlock, decode, read_array
from hamiltree.view.page.html import bundle
from hamiltree.view.page.kinematics_data import loop_positions
from hamiltree.view.page.view import Page
from hamiltree.view.scene.motion import Motion
from tests.view.front_end_sample import PLACE

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"


@pytest.fixture(scope="module")
def run():
    return ht.simulate(ht.library.n_pendulum(3, angles=2.0), until=3.0, step=1e-3, progress=False)


# ---- files ---------------------------------------------------------------------------------------
def test_a_run_that_was_loaded_gives_the_same_page_as_the_run_itself(run, tmp_path):
    loaded = ht.Trajectory.load(run.save(tmp_path / "run.nc"))
    one = run.view(html=tmp_path / "a.html").path.read_text(encoding="utf-8")
    other = loaded.view(html=tmp_path / "b.html").path.read_text(encoding="utf-8")
    assert one == other


def test_a_page_is_not_written_over_a_file_unless_forced(run, tmp_path):
    place = tmp_path / "page.html"
    place.write_text("mine")
    with pytest.raises(FileError, match="exists"):
        run.view(html=place)
    assert place.read_text() == "mine"
    run.view(html=place, force=True)
    assert place.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"html": "page.txt"}, "ends in .html"),
        ({"html": "page.html", "max_megabytes": 0.2}, "at least 1.1"),
        ({"html": "page.html", "max_megabytes": "large"}, "at least 1.1"),
    ],
)
def test_wrong_options_are_refused_by_name(run, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError, match=re.escape(message)):
        run.view(**options)
    assert list(tmp_path.iterdir()) == []


def test_a_page_stays_below_the_size_that_was_asked_for(run, tmp_path):
    whole = Page(run, False, 20.0)
    assert len(whole.html) < 1.1e6
    noisy = ht.simulate(ht.library.chain(10), until=60.0, step=1e-2, save_every=1, progress=False)
    page = Page(noisy, False, 1.6)
    assert len(page.html.encode()) < 1.6e6
    (note,) = page.document[0]["notes"]
    assert float(re.search(r"within (\S+) %", note)[1]) > 0.1  # it says what that costs


@pytest.mark.parametrize("option", [{"reactions": True}, {"max_megabytes": 3.0}])
def test_options_of_runs_are_refused_for_a_model_before_any_run(tmp_path, option):
    with pytest.raises(OptionError, match=f"{next(iter(option))} is for the page of a run"):
        ht.library.chain(3).view(html=tmp_path / "page.html", **option)
    assert list(tmp_path.iterdir()) == []


def test_the_names_in_a_page_count_for_its_size():
    """A hundred thousand letters of names leave less room for frames."""
    frames = []
    for letters in (1, 20_000):
        model = ht.library.chain(5)
        bodies = [replace(body, name=body.name + "x" * letters) for body in model.bodies]
        known = {old.name: new.name for old, new in zip(model.bodies, bodies, strict=True)}
        joints = [
            replace(
                joint,
                parent=known.get(joint.parent, joint.parent),
                child=known.get(joint.child, joint.child),
            )
            for joint in model.joints
        ]
        run = ht.simulate(ht.Model(bodies, joints), until=60.0, step=1e-2, save_every=1,
                          progress=False)  # fmt: skip
        page = Page(run, False, 1.5)
        assert len(page.html.encode()) < 1.5e6
        frames.append(page.document[0]["motion"]["t"]["shape"][0])
    assert frames[0] > frames[1]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_leaves_the_others_of_its_channel(bad):
    values = np.sin(np.arange(24.0)).reshape(8, 3)
    values[5, 1] = bad
    block = ArrayBlock()
    about = block.add_rounded(values)
    np.testing.assert_array_equal(read_array(decode(block.encode()), about), values)


@pytest.fixture(scope="module")
def planets():
    """A planet in kg, m and s, for a million seconds."""
    body = ht.Body("planet", 1.9e27, inertia=(2.4e42, 2.4e42, 2.5e42))
    start = {"q": (7.8e11, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), "qdot": (0.0, 1.3e4, 0.0, 0.0, 0.0, 1e-4)}
    free = ht.Free("free", "ground", "planet", **start)
    model = ht.Model([body], [free], gravity=(0.0, 0.0, 0.0))
    return ht.simulate(model, until=1e6, step=1e4, progress=False)


def test_momenta_of_planets_in_si_units_are_in_the_page(planets):
    document, arrays = Page(planets, False, 20.0).document
    about = {channel["name"]: channel["values"] for channel in document["series"]["channels"]}
    found = read_array(decode(arrays), about["Lz"])
    np.testing.assert_allclose(found, 1.9e27 * 7.8e11 * 1.3e4 + 2.5e42 * 1e-4, rtol=1e-12)


def test_a_model_of_free_bodies_has_a_page_without_reactions(planets):
    assert Page(planets, True, 20.0).document[0]["reactions"] is None


def test_the_page_of_an_ode_shows_its_variables_rates_invariants_and_sections():
    spring = ht.ode(
        "x' = v; v' = -k*x", y={"x": 1.0, "v": 0.0}, k=4.0, invariants={"E": "v**2 + k*x**2"}
    )
    run = ht.simulate(spring, until=6.0, step=1e-2, sections=[ht.Event("v", +1)], progress=False)
    document, arrays = Page(run, False, 20.0).document
    content = decode(arrays)
    assert [channel["plot"] for channel in document["series"]["channels"]] == ["invariants"]
    about = document["coordinates"]
    assert (about["names"], about["momentumNames"]) == (["x", "v"], ["rate of x", "rate of v"])
    np.testing.assert_allclose(read_array(content, about["q"]), run.y.values, atol=1e-4)
    np.testing.assert_allclose(read_array(content, about["p"]), run.ydot.values, atol=1e-3)
    (section,) = document["sections"]
    assert section["columns"] == ["x", "v"]
    np.testing.assert_allclose(read_array(content, section["values"])[:, 0], -1.0, atol=1e-5)
    with pytest.raises(OptionError, match="a run of an ode has no bodies to film"):
        run.film("motion.gif")
    bare = ht.simulate(ht.ode("x' = -x", y={"x": 1.0}), until=1.0, step=0.1, progress=False)
    assert Page(bare, False, 20.0).document[0]["series"]["channels"] == []


def test_reactions_are_in_the_page_where_they_are_asked_for():
    run = ht.simulate(ht.library.chain(3), until=0.5, step=1e-2, progress=False)
    document, arrays = Page(run, True, 20.0).document
    content = decode(arrays)
    force = read_array(content, document["reactions"]["force"])
    sample = np.searchsorted(run.t.values, read_array(content, document["reactions"]["t"]))
    wanted = run.reactions("j2")["force"].values[sample]
    assert np.abs(force[:, 1] - wanted).max() < 1e-4 * np.abs(wanted).max()


def test_a_run_whose_model_was_not_stored_is_drawn_as_balls(run, tmp_path):
    dataset = run.dataset.copy()
    dataset.attrs = {**dataset.attrs, "model": ""}
    bare = ht.Trajectory(dataset)
    document, _ = Page(bare, False, 20.0).document
    assert "not stored" in document["notes"][0]
    assert document["scene"]["bodies"] == ["rod1", "rod2", "rod3"]


def test_the_page_about_pages_runs_as_it_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "view.md").read_text(encoding="utf-8")
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(code, names)
    written = {"chain.html", "crank.html", "energy.png", "several.svg", "both.png"}
    written |= {"instants.png", "sides.png", "summary.png"}
    assert {path.name for path in tmp_path.iterdir()} == written
    for picture in re.findall(r"\((figures/[^)]*)\)", text):
        assert (ROOT / "docs" / picture).is_file(), picture


# ---- mechanisms ----------------------------------------------------------------------------------
def test_positions_of_a_mechanism_keep_its_loops_closed():
    model = ht.library.four_bar()
    positions = loop_positions(model)
    assert positions is not None and len(positions) > 20
    for q in positions[::7]:
        report = ht.mechanism(model, q)
        assert max(report.constraint_residuals.values()) < 1e-5


# ---- the shell -----------------------------------------------------------------------------------
def test_the_shell_views_a_run_and_a_model(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISPLAY", raising=False)
    run.save("run.nc")
    for source in ("run.nc", "slider_crank"):
        done = CliRunner().invoke(app, ["view", source, "--html", f"{source}.html"])
        assert done.exit_code == 0, done.output
        assert f"wrote {source}.html; open it in a browser" in done.output
        assert Path(f"{source}.html").stat().st_size > 5e5


def test_the_shell_says_how_to_see_a_hamiltonian(tmp_path):
    source = ROOT / "examples" / "kepler.toml"
    done = CliRunner().invoke(app, ["view", str(source), "--html", str(tmp_path / "k.html")])
    assert isinstance(done.exception, FileError)
    assert "hamiltree run" in str(done.exception)
    assert list(tmp_path.iterdir()) == []


# ---- the front end -------------------------------------------------------------------------------
def test_python_reads_the_sample_of_the_front_end_as_the_page_does():
    """web/test reads the same file; here the bound holds by Python's own decoding."""
    sample = json.loads(PLACE.read_text(encoding="utf-8"))["run"]
    content = decode(sample["arrays"])
    about = sample["document"]["motion"]
    parts = {
        name: read_array(content, about[name])
        for name in ("t", "position", "quaternion", "velocity", "omega")
    }
    motion = Motion(**parts, sample=np.arange(0), is_smooth=about["smooth"], error=0.0)
    x, _ = motion.at(np.array(sample["t"]))
    error = np.abs(x - np.array(sample["poses"])[:, :, :3]).max()
    assert error <= 1e-3 * sample["document"]["scene"]["size"]


def test_the_bundle_is_what_a_rebuild_gives(tmp_path):
    if shutil.which("node") is None or not (WEB / "node_modules").is_dir():
        pytest.skip("no Node, or packages of web/ are not installed (make web); .ci/run checks it")
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=WEB, check=True)
    for name in ("page.js", "page.css", "widget.js", "LICENCES.txt"):
        assert (tmp_path / name).read_text(encoding="utf-8") == bundle(name), name


def test_the_lock_file_names_no_registry():
    lock = json.loads((WEB / "package-lock.json").read_text())
    parts = [part for name, part in lock["packages"].items() if name]
    assert all("resolved" not in part for part in parts)
    assert all("integrity" in part for part in parts)


def test_licences_of_all_that_the_page_contains_are_listed():
    named = json.loads((WEB / "package.json").read_text())["dependencies"]
    for name, version in named.items():
        assert f"{name} {version}\n" in bundle("LICENCES.txt")
