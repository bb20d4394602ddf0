"""MJCF files that name files outside their own folder: refused, unless the user names a folder
around both.
"""

import os
import sys

import pytest

import hamiltree as ht
from hamiltree.cli import app as cli
from hamiltree.errors import FileError, OptionError
from hamiltree.files.mjcf import features_of, read_mjcf

pytest.importorskip("mujoco", reason="the extra 'mjcf' is not installed")

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
BODY = '<body name="b"><joint/><geom type="mesh" mesh="m"/></body>'


@pytest.fixture
def package(tmp_path):
    """package/models, package/meshes/m.obj, and a file that no model may read."""
    for name in ("models/parts", "meshes"):
        (tmp_path / "package" / name).mkdir(parents=True)
    (tmp_path / "package" / "meshes" / "m.obj").write_text(TETRAHEDRON)
    (tmp_path / "secret.obj").write_text(TETRAHEDRON)
    return tmp_path / "package"


def written(package, text, name="models/model.xml"):
    path = package / name
    path.write_text(text)
    return path


def by_file(file, compiler=""):
    return (
        f'<mujoco>{compiler}<asset><mesh name="m" file="{file}"/></asset>'
        f"<worldbody>{BODY}</worldbody></mujoco>"
    )


@pytest.mark.parametrize(
    "text",
    [
        by_file("../meshes/m.obj"),
        by_file("m.obj", '<compiler meshdir="../meshes"/>'),
        by_file("m.obj", '<compiler assetdir="parts/../../meshes"/>'),
    ],
)
def test_a_file_beside_the_models_folder_is_read_with_a_root_around_both(package, text):
    path = written(package, text)
    with pytest.raises(
        FileError, match=r"leads out of .*models; keep .* or load with root=.FOLDER"
    ):
        read_mjcf(path)
    with pytest.raises(FileError, match="leads out of"):
        features_of(path)
    assert read_mjcf(path, root=package).bodies[0].mass == pytest.approx(1000 / 6, rel=1e-6)
    assert features_of(path, root=package) == {}


def test_an_included_file_beside_the_folder_brings_its_meshes(package):
    written(
        package, by_file("../meshes/m.obj").replace("mujoco>", "mujocoinclude>"), "meshes/a.xml"
    )
    path = written(package, '<mujoco><include file="../meshes/a.xml"/></mujoco>')
    with pytest.raises(FileError, match="<include file='../meshes/a.xml'> leads out of"):
        read_mjcf(path)
    assert len(read_mjcf(path, root=package).bodies) == 1


def test_a_path_that_comes_back_into_the_folder_needs_no_root(package):
    (package / "models" / "m.obj").write_text(TETRAHEDRON)
    assert len(read_mjcf(written(package, by_file("parts/../m.obj"))).bodies) == 1


@pytest.mark.parametrize("file", ["../../secret.obj", "../meshes/../../secret.obj"])
def test_a_root_does_not_open_what_lies_outside_it(package, file):
    path = written(package, by_file(file))
    with pytest.raises(FileError, match=r"<mesh file=.* leads out of .*package;"):
        read_mjcf(path, root=package)
    with pytest.raises(FileError, match="is not a path relative to the model"):
        written(package, by_file(package.parent / "secret.obj"))
        read_mjcf(path, root=package)


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_out_of_the_root_is_refused(package):
    (package / "meshes" / "link.obj").symlink_to(package.parent / "secret.obj")
    with pytest.raises(FileError, match="leads out of"):
        read_mjcf(written(package, by_file("../meshes/link.obj")), root=package)


def test_what_leads_out_is_told_even_if_nothing_is_there(package):
    with pytest.raises(FileError, match="leads out of"):
        read_mjcf(written(package, by_file("../nowhere/m.obj")))
    with pytest.raises(FileError, match="mujoco: Error opening file"):
        read_mjcf(written(package, by_file("../nowhere/m.obj")), root=package)


@pytest.mark.parametrize("name", ["meshes", "absent", "models/model.xml"])
def test_a_root_must_be_a_folder_around_the_model(package, name):
    path = written(package, by_file("../meshes/m.obj"))
    with pytest.raises(OptionError, match="is no folder that holds the model; give one above it"):
        read_mjcf(path, root=package / name)


def test_the_shell_takes_a_root_as_well(package, monkeypatch, capsys):
    written(package, by_file("../meshes/m.obj"))
    monkeypatch.chdir(package)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["hamiltree", "convert", "models/model.xml", *arguments])
        with pytest.raises(SystemExit) as done:
            cli.main()
        return done.value.code or 0, capsys.readouterr().err

    code, told = run("out.toml")
    assert code == 2 and "load with --root FOLDER" in told and not (package / "out.toml").exists()
    assert run("out.toml", "--root", ".", "--drop", "all") == (0, "")
    assert ht.load("out.toml") == read_mjcf("models/model.xml", root=".")
