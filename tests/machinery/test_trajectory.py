"""Trajectories: labels, energies, poses and twists, provenance, and files that outlive the process
that writes them.
"""

import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.model import Revolute, library
from hamiltree.run.simulate import simulate
from hamiltree.trajectory.missing_attributes import RENAMED
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.version import __version__, source_hash

STEP = 1e-3


@pytest.fixture(scope="module")
def model():
    """A tree of every kind of joint, a spring and a damper, in motion."""
    tree = library.tree(9, branching=2, seed=4, joints=("revolute", "prismatic", "screw", "weld"))
    first = tree.coordinates[0]
    return tree.with_(forces=[ht.JointSpring(first, 20.0, 0.1), ht.JointDamper(first, 0.2)])


@pytest.fixture(scope="module")
def run(model):
    return simulate(model, 0.1005, STEP, save_every=1, progress=False)


@pytest.fixture(scope="module")
def saved(run, tmp_path_factory):
    return run.save(tmp_path_factory.mktemp("runs") / "run.nc")


# ---- labels and what they label ------------------------------------------------------------------
def test_joints_are_found_by_name_and_time(run, model):
    for k, name in enumerate(model.coordinates):
        np.testing.assert_array_equal(run.q.sel(coordinate=name), run.q.values[:, k])
    assert (
        float(run.p.sel(momentum=model.coordinates[2], t=0.05, method=None)) == run.p.values[50, 2]
    )
    assert float(run.t.sel(t=0.0503, method="nearest")) == 0.05


def test_bodies_are_found_by_name(run, model):
    for k, body in enumerate(model.bodies):
        np.testing.assert_array_equal(
            run.poses.sel(body=body.name, pose_part="z"), run.poses.values[:, k, 2]
        )
        np.testing.assert_array_equal(
            run.twists.sel(body=body.name, twist_part="vx"), run.twists.values[:, k, 3]
        )


def test_an_unknown_label_is_a_key_error(run):
    with pytest.raises(KeyError):
        run.q.sel(coordinate="elbow")


def test_the_energy_is_kinetic_plus_potential(run):
    np.testing.assert_array_equal(
        run.energy, run.kinetic_energy.values + run.potential_energy.values
    )
    assert run.energy.dims == ("t",)


def test_the_kinetic_energy_is_half_of_p_times_qdot(run):
    np.testing.assert_allclose(
        run.kinetic_energy, 0.5 * (run.p.values * run.qdot.values).sum(1), rtol=1e-13
    )


def test_energies_and_poses_agree_with_the_geometry_of_the_model(run, model, geometry):
    for k in (0, 50, -1):
        there = geometry(model, run.q.values[k])
        qdot = run.qdot.values[k]
        assert float(run.kinetic_energy[k]) == pytest.approx(
            0.5 * qdot @ there.mass_matrix() @ qdot, rel=1e-12
        )
        for body in model.bodies:
            np.testing.assert_allclose(
                run.poses.sel(body=body.name)[k, :3], there.pose[body.name][:3, 3], atol=1e-13
            )
            np.testing.assert_allclose(
                run.twists.sel(body=body.name)[k], there.jacobian[body.name] @ qdot, atol=1e-12
            )


def test_quaternions_are_unit_and_turn_at_the_angular_velocity_of_the_twist(run):
    """q̇ = ½ ω q (world axes) and ẋ = v, by central differences."""
    inner = slice(1, -2)  # the last step is a shorter one
    pose, twist = run.poses.values, run.twists.values[inner]
    np.testing.assert_allclose(np.linalg.norm(pose[..., 3:], axis=-1), 1.0, rtol=0, atol=1e-14)
    slope = (pose[2:-1] - pose[:-3]) / (2 * STEP)
    w, a = pose[inner, :, 3:4], pose[inner, :, 4:]
    omega = twist[..., :3]
    turning = 0.5 * np.concatenate(
        [-(omega * a).sum(-1, keepdims=True), w * omega + np.cross(omega, a)], axis=-1
    )
    expected = np.concatenate([twist[..., 3:], turning], axis=-1)
    np.testing.assert_allclose(slope, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


def test_rates_are_the_slopes_of_the_positions(run):
    slope = (run.q.values[2:-1] - run.q.values[:-3]) / (2 * STEP)
    np.testing.assert_allclose(
        slope, run.qdot.values[1:-2], rtol=0, atol=1e-4 * np.abs(slope).max()
    )


def test_the_energy_error_is_relative_to_the_peak_of_the_kinetic_energy():
    swing = simulate(library.pendulum(angle=1.0), 2.0, 0.05, integrator="rk4", progress=False)
    off = np.abs(swing.energy.values - swing.energy.values[0])
    # of the kinetic energy what the swing would have without the error
    assert swing.energy_error == off.max() / (swing.kinetic_energy.values - off).max()
    assert 1e-9 < swing.energy_error < 1e-3
    # nothing moves: no division by zero
    assert simulate(library.pendulum(), 0.1, 0.01, progress=False).energy_error == 0.0


def test_what_a_trajectory_has_not_is_an_attribute_error(run):
    with pytest.raises(AttributeError, match="a Trajectory has no 'positions'"):
        _ = run.positions
    assert (
        repr(run) == "<Trajectory of 'tree(9)': 102 samples to t = 0.1005, gauss8, complete, good>"
    )


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("enrgy", "did you mean 'energy'?"),
        ("constraint_eror", "did you mean 'constraint_error'?"),
        ("plots", "did you mean 'plot'?"),
        ("openings", "any more; use 'constraint_residuals'"),
    ],
)
def test_an_attribute_that_does_not_exist_names_the_one_that_was_meant(run, name, advice):
    with pytest.raises(AttributeError) as caught:
        getattr(run, name)
    assert name in str(caught.value) and str(caught.value).endswith(advice)


def test_every_attribute_that_was_renamed_has_its_new_name():
    assert all(hasattr(Trajectory, new) for new in RENAMED.values())
    assert not any(hasattr(Trajectory, old) for old in RENAMED)


# ---- provenance ----------------------------------------------------------------------------------
def test_the_provenance_says_what_was_run_and_with_what(run, model):
    about = run.provenance
    assert about["hamiltree_version"] == __version__
    assert about["source_hash"] == source_hash()
    assert about["model_name"] == model.name
    options = {
        key: about[key]
        for key in ("formulation", "integrator", "until", "step", "save_every", "status")
    }
    assert options == {
        "formulation": "hamiltonian_tree",
        "integrator": "gauss8",
        "until": 0.1005,
        "step": STEP,
        "save_every": 1,
        "status": "complete",
    }
    assert time.strptime(about["created"], "%Y-%m-%dT%H:%M:%SZ")


def test_the_model_of_a_file_equals_the_one_that_was_run(saved, model):
    assert Trajectory.load(saved).model == model


def test_a_run_can_be_repeated_to_the_bit_from_its_file_alone(saved, run):
    stored = Trajectory.load(saved)
    about = stored.provenance
    again = simulate(
        stored.model,
        about["until"],
        about["step"],
        about["formulation"],
        about["integrator"],
        int(about["save_every"]),
        progress=False,
    )
    np.testing.assert_array_equal(again.q, run.q)
    np.testing.assert_array_equal(again.p, run.p)


@dataclass(frozen=True)
class Labelled(Revolute):
    """A hinge that holds a Python function, so no file can hold the model."""

    kind: ClassVar[str] = "labelled"
    label: object = None


def test_a_model_with_a_python_function_runs_but_its_file_does_not_hold_it(tmp_path):
    model = library.pendulum(angle=1.0)
    hinge = Labelled("hinge", "ground", "bob", axis=(0, 1, 0), q=1.0, label=lambda q: f"{q:g} rad")
    special = model.with_(joints=[hinge])
    run = simulate(special, 0.1, 0.01, progress=False, output=tmp_path / "run.nc")
    np.testing.assert_array_equal(run.q, simulate(model, 0.1, 0.01, progress=False).q)
    assert run.model is special
    with pytest.raises(ht.FileError, match="the model of this run holds Python functions"):
        _ = Trajectory.load(tmp_path / "run.nc").model


# ---- files ---------------------------------------------------------------------------------------
def test_saving_and_loading_changes_nothing(saved, run):
    stored = Trajectory.load(saved)
    assert stored.dataset.identical(run.dataset)
    assert stored.provenance == run.provenance
    assert stored.statistics == run.statistics


def test_a_run_written_while_it_ran_equals_one_that_was_saved(run, model, tmp_path):
    streamed = simulate(
        model, 0.1005, STEP, save_every=1, progress=False, output=tmp_path / "run.nc"
    )
    for name in run.dataset.variables:
        np.testing.assert_array_equal(
            streamed.dataset[name].values, run.dataset[name].values, err_msg=name
        )
        assert streamed.dataset[name].attrs == run.dataset[name].attrs
    assert Trajectory.load(tmp_path / "run.nc").dataset.identical(streamed.dataset)


@pytest.mark.parametrize("write", [lambda run, path, force: run.save(path, force), None])
def test_an_existing_file_is_kept_unless_forced(run, model, tmp_path, write):
    def simulated(run, path, force):
        simulate(model, 0.01, STEP, progress=False, output=path, force=force)

    path = tmp_path / "run.nc"
    path.write_text("mine")
    with pytest.raises(
        ht.FileError, match=r"run.nc exists; choose another name, or overwrite it with force"
    ):
        (write or simulated)(run, path, False)
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]
    (write or simulated)(run, path, True)
    assert Trajectory.load(path).status == "complete"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_a_trajectory_still_reads_may_be_overwritten(model, tmp_path):
    path = tmp_path / "run.nc"
    first = simulate(model, 0.01, STEP, progress=False, output=path)
    second = simulate(model, 0.02, STEP, progress=False, output=path, force=True)
    assert (first.q.values.shape[0], second.q.values.shape[0]) == (11, 21)
    second.save(path, force=True)
    assert Trajectory.load(path).dataset.identical(second.dataset)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere/run.nc", "the folder .*nowhere does not exist"),
        (".", "is a folder"),
        ("x" * 300, "cannot be written"),
        ("/dev/null", "no regular file"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_the_run(model, tmp_path, path, message):
    with pytest.raises(ht.FileError, match=message):
        simulate(model, 0.01, STEP, progress=False, output=tmp_path / path, force=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"", b"hello", "half"])
def test_a_file_that_is_no_trajectory_is_refused(saved, tmp_path, content):
    path = tmp_path / "run.nc"
    data = saved.read_bytes()
    path.write_bytes(data[: len(data) // 2] if content == "half" else content)
    with pytest.raises(ht.FileError, match=r"run.nc: not a readable netCDF file"):
        Trajectory.load(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ht.FileError, match=r"run.nc: no such file"):
        Trajectory.load(tmp_path / "run.nc")


def test_a_netcdf_file_of_another_program_is_refused(run, tmp_path):
    run.dataset.assign_attrs(hamiltree_format=99).to_netcdf(tmp_path / "run.nc")
    with pytest.raises(
        ht.FileError, match=r"no trajectory of this version of hamiltree \(format 99, expected 1\)"
    ):
        Trajectory.load(tmp_path / "run.nc")


ENDLESS = """
from hamiltree.model.library import chain
from hamiltree.run.simulate import simulate
simulate(chain(10), 1e4, 1e-3, save_every=10, output="run.nc")
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory, environment):
    """The file of a run that was killed while it was writing."""
    folder = tmp_path_factory.mktemp("killed")
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS], cwd=folder, env=environment(), stderr=subprocess.PIPE
    )
    try:
        end, path = time.monotonic() + 120, folder / "run.nc"
        while (
            time.monotonic() < end
            and process.poll() is None
            and not (path.exists() and path.stat().st_size > 2e6)
        ):
            time.sleep(0.02)
        assert process.poll() is None, process.stderr.read().decode()
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stderr.close()
    return path


def test_a_killed_run_leaves_a_readable_file(killed):
    left = Trajectory.load(killed)
    assert left.status == "running"
    assert left.t.size > 100
    np.testing.assert_array_equal(left.t, np.arange(left.t.size) * 10 * STEP)
    assert left.energy_error < 1e-12
    assert all(np.isfinite(values).all() for values in left.dataset.data_vars.values())
    assert left.model == library.chain(10)


FULL = """
import resource, signal
from hamiltree.errors import StepError
from hamiltree.model.library import chain
from hamiltree.run.simulate import simulate
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
try:
    simulate(chain(10), 100.0, 1e-3, save_every=1, output="run.nc", progress=False)
except StepError as error:
    print(error)
    print(len(error.trajectory.t), "samples", error.trajectory.energy_error < 1e-10)
"""


def test_a_disk_that_fills_up_ends_the_run_with_an_error(python, tmp_path):
    done = python("-c", FULL, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("run.nc can no longer be written: ")
    kept = done.stdout.splitlines()[-1].split()
    assert int(kept[0]) > 10 and kept[1:] == ["samples", "True"]
