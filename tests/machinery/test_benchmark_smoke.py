"""Every benchmark at its smallest size: it runs, what it compares agrees, its rows have figures. No
time is asserted.
"""

import json
import math
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import lammps_box
from benchmarks.catalogue import BENCHMARKS, PARTS, Part, shrink
from benchmarks.measure import Disagreement

ROOT = Path(__file__).parents[2]
# what benchmarks are made of, and scripts with arguments of their own
OTHERS = {"__init__", "__main__", "catalogue", "measure", "peers", "lammps_box"}
SCRIPTS = {"robot_files", "robot_packages", "steps_between"}
OF_A_BROWSER = "page.browser_rows"
OF_SECONDS = "reports"  # searches for garbage before every measurement
PENDULUM = """<mujoco><worldbody><body name="rod"><joint name="hinge" axis="0 1 0"/>
<inertial pos="0 0 -0.5" mass="1" diaginertia="0.1 0.1 0.01"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("part", PARTS, ids=str)
def test_a_benchmark_runs_at_its_smallest_size(part, request):
    if part.missing:
        pytest.skip(f"{part} needs {part.missing}: not installed")
    if str(part) == OF_SECONDS:
        request.getfixturevalue("frozen_heap")
    rows = part.rows(is_small=True)
    if not rows and str(part) == OF_A_BROWSER:
        pytest.skip(f"{part} needs Chromium: not installed")
    assert rows
    assert len({row.what for row in rows}) == len(rows)
    for row in rows:
        assert row.what and math.isfinite(row.figure), row


def test_every_file_of_benchmarks_is_run_here():
    assert {path.stem for path in (ROOT / "benchmarks").glob("*.py")} == {
        *BENCHMARKS,
        *OTHERS,
        *SCRIPTS,
    }


def test_constants_have_their_sizes_again_after_a_small_run():
    """Also where it breaks off."""
    from benchmarks import cost

    sizes = cost.SIZES
    with pytest.raises(Disagreement), shrink(cost):
        assert cost.SIZES == cost.SMALL["SIZES"] != sizes
        raise Disagreement("of two computations")
    assert sizes == cost.SIZES


def test_a_package_that_is_not_installed_is_named():
    assert Part("cost", "run", ("numpy", "no-such-package")).missing == "no-such-package"
    assert Part("cost", "run", ("numpy",)).missing == ""


def test_every_formulation_of_joints_is_measured():
    from benchmarks.formulations import NAMES
    from hamiltree.formulations import FORMULATIONS

    assert {"hamiltonian_tree", "kane_relative", "cartesian_3"} <= {*NAMES} < {*FORMULATIONS}


def test_the_command_prints_and_saves_the_rows(tmp_path, monkeypatch, capsys):
    from benchmarks.__main__ import main

    saved = tmp_path / "rows.json"
    monkeypatch.setattr(sys, "argv", ["benchmarks", "cost", "--small", "--save", str(saved)])
    assert main() == 0
    assert "chain(3)" in capsys.readouterr().out
    record = json.loads(saved.read_text())
    assert record["wrong"] == {} and [*record["results"]] == ["cost"]
    assert all(math.isfinite(row["figure"]) for row in record["results"]["cost"])


def test_the_command_goes_on_without_a_part_that_disagrees_and_says_so(monkeypatch, capsys):
    from benchmarks import __main__ as command

    class Wrong(Part):
        def rows(self, is_small=False):
            raise Disagreement("two computations")

    parts = (Wrong("cost", "wrong", ()), Part("cost", "run", ("no-such-package",)))
    monkeypatch.setattr(command, "PARTS", parts)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "cost"])
    assert command.main() == 1
    told = capsys.readouterr()
    assert "WRONG  cost.wrong: two computations" in told.out
    assert "cost: left out, no-such-package not installed" in told.err


def test_the_command_refuses_a_benchmark_that_is_not_there(monkeypatch, capsys):
    from benchmarks.__main__ import main

    monkeypatch.setattr(sys, "argv", ["benchmarks", "no_such"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "there is no benchmark 'no_such'" in capsys.readouterr().err


def test_the_tables_of_robot_packages_are_made_of_a_folder(tmp_path, monkeypatch, capsys):
    """The robot that comes with hamiltree, and a pendulum as MJCF; nothing is downloaded."""
    needed = Part("robot_packages", "main", ("pin", "mujoco"))
    if needed.missing:
        pytest.skip(f"the tables of robots need {needed.missing}: not installed")
    from benchmarks import robot_packages

    folder = tmp_path / "robots"
    shutil.copytree(ROOT / "src" / "hamiltree" / "robots", folder)
    (folder / "pendulum.xml").write_text(PENDULUM)
    cache = tmp_path / "cache"
    monkeypatch.setattr(sys, "argv", ["robot_packages", str(cache), str(folder), "--files"])
    robot_packages.main()
    told = capsys.readouterr().out
    (arm,) = re.findall(r"^\| `six_axis_arm.urdf` \| (.*) \|$", told, re.M)
    (pendulum,) = re.findall(r"^\| `pendulum.xml` \| (.*) \|$", told, re.M)
    for row in (arm, pendulum):
        _, _, off, status = row.split(" | ")
        assert float(off) < 1e-12 and status.startswith("as given"), row
    assert not cache.exists()


def test_the_data_of_lammps_have_every_particle_in_the_box():
    places = np.array([[[0.5, 1.0, 1.5], [-0.25, 2.5, 0.0]]])
    text = lammps_box.data_text(places, 0.1 * places, 2.0)
    head, _, rest = text.partition("\nAtoms\n\n")
    atoms, _, speeds = rest.partition("\n\nVelocities\n\n")
    assert "2 atoms" in head and "0 2.0 xlo xhi" in head
    number, molecule, _, *numbers = np.array([line.split() for line in atoms.splitlines()]).T
    at, image = np.array(numbers, float).T.reshape(2, 2, 3).swapaxes(0, 1)
    assert [*number] == ["1", "2"] and [*molecule] == ["1", "1"]
    assert ((at >= 0.0) & (at < 2.0)).all()
    np.testing.assert_array_equal(at + 2.0 * image, places[0])
    found = np.array([line.split()[1:] for line in speeds.splitlines()], float)
    np.testing.assert_array_equal(found, 0.1 * places[0])


def test_steps_of_two_versions_are_compared(monkeypatch, capsys):
    from benchmarks import steps_between

    case = ["cos(q)  rk4", "--rounds", "1", "--processes", "3"]
    monkeypatch.setattr(sys, "argv", ["steps_between", str(steps_between.HERE), *case])
    steps_between.main()
    cells = capsys.readouterr().out.splitlines()[-1].split("|")
    assert float(cells[4]) > 0.0 and cells[5:7] == [" 4.00 ", " 4.00 "]
