"""Plots: the right numbers in the lines, names in the labels, nothing hidden by thinning."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import hamiltree as ht
from hamiltree.driver import simulate
from hamiltree.model import library
from hamiltree.trajectory import Trajectory
from hamiltree.view import plots


@pytest.fixture(scope="module")
def run():
    return simulate(library.n_pendulum(3, angles=[0.5, 1.0, 1.5]), 2.0, 5e-3, save_every=1, progress=False)


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def lines(axes):
    return {line.get_label(): line.get_xydata().T for line in axes.get_lines()}


def assert_drawn(axes, label, t, values):
    x, y = lines(axes)[label]
    np.testing.assert_array_equal(x, t)
    np.testing.assert_array_equal(y, values)


# ---- energy -----------------------------------------------------------------------------------------------------------------
def test_energies_and_their_error_are_drawn(run):
    top, bottom = run.plot.energy().axes
    assert_drawn(top, "kinetic", run.t, run.kinetic_energy)
    assert_drawn(top, "potential", run.t, run.potential_energy)
    assert_drawn(top, "total", run.t, run.energy)
    energy = run.energy.values
    assert_drawn(bottom, "error", run.t, (energy - energy[0]) / run.kinetic_energy.values.max())
    assert (top.get_ylabel(), bottom.get_ylabel(), bottom.get_xlabel()) == ("energy / J", "(H − H₀) / peak kinetic", "t / s")
    assert bottom.get_title(loc="right") == f"largest error {run.energy_error:.1e}"


def test_a_figure_says_what_was_run(run):
    assert run.plot.energy().get_suptitle() == "n_pendulum(3) · gauss8 · step 0.005 s"


def test_the_legend_does_not_cover_the_curves(run):
    figure = run.plot.energy()
    figure.canvas.draw()
    axes = figure.axes[0]
    assert axes.get_legend().get_window_extent().y0 >= axes.get_window_extent().y1 - 1


def test_an_error_without_motion_is_in_joules():
    still = simulate(library.pendulum(), 0.1, 0.01, progress=False)
    bottom = still.plot.energy().axes[1]
    assert bottom.get_ylabel() == "(H − H₀) / J"
    assert not lines(bottom)["error"][1].any()


# ---- phase ------------------------------------------------------------------------------------------------------------------
def test_the_phase_of_a_joint_is_its_momentum_over_its_position(run):
    axes = run.plot.phase("hinge2").axes[0]
    expected = np.stack([run.q.sel(coordinate="hinge2"), run.p.sel(coordinate="hinge2")], axis=1)
    np.testing.assert_array_equal(axes.collections[0].get_offsets(), expected)
    np.testing.assert_array_equal(axes.collections[0].get_array(), run.t)
    np.testing.assert_array_equal(axes.get_lines()[0].get_xydata(), expected)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("q of hinge2 / rad", "p of hinge2 / N m s")


def test_a_slider_has_the_units_of_a_slider():
    cart = ht.Model(bodies=[ht.Body("cart", 1.0)], joints=[ht.Prismatic("rail", "ground", "cart", axis=(1, 0, 0), qdot=1.0)])
    axes = simulate(cart, 0.1, 0.01, progress=False).plot.phase("rail").axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("q of rail / m", "p of rail / N s")


def test_an_unknown_joint_is_refused_with_the_nearest(run):
    with pytest.raises(ht.OptionError, match=r"no joint 'hing2' with a coordinate in this run; did you mean 'hinge2'\?"):
        run.plot.phase("hing2")
    assert not plt.get_fignums()


# ---- summary ----------------------------------------------------------------------------------------------------------------
def rod_centres(run):
    """Centres of the rods from the angles alone: 1 m rods that hang along −z and turn about y."""
    angles = np.cumsum(run.q.values, axis=1)
    rods = np.stack([-np.sin(angles), -np.cos(angles)], axis=-1)
    ends = np.cumsum(rods, axis=1)
    return ends - 0.5 * rods


def test_a_summary_shows_energies_error_and_paths(run):
    figure = run.plot.summary()
    energies, paths, error = figure.axes
    assert_drawn(energies, "total", run.t, run.energy)
    assert set(lines(error)) >= {"error"}
    assert (paths.get_xlabel(), paths.get_ylabel()) == ("x / m", "z / m")


def test_paths_are_those_of_the_centres_of_mass(run):
    paths = run.plot.summary().axes[1]
    for line, expected in zip(paths.get_lines()[:3], np.swapaxes(rod_centres(run), 0, 1), strict=True):
        np.testing.assert_allclose(line.get_xydata(), expected, atol=1e-13)
    np.testing.assert_allclose(paths.get_lines()[-1].get_xydata(), rod_centres(run)[-1], atol=1e-13)


def test_sticks_join_the_centres_over_the_joints(run):
    """Ground, joint, centre; then parent's centre, joint, centre."""
    points = plots.sticks(run)[:, [0, 2]]
    centres = rod_centres(run)[-1]
    angle = run.q.values[-1, 0]
    elbow = [-np.sin(angle), -np.cos(angle)]
    gap = [np.nan, np.nan]
    np.testing.assert_allclose(points[:9], [[0, 0], [0, 0], centres[0], gap, centres[0], elbow, elbow, centres[1], gap], atol=1e-13)


def test_a_motion_in_the_horizontal_plane_is_seen_from_above():
    assert plots.view_axes(np.array([2.0, 1.0, 0.01])) == (0, 1)
    assert plots.view_axes(np.array([2.0, 1.0, 1.0])) == (0, 2)
    assert plots.view_axes(np.array([0.0, 1.0, 0.5])) == (1, 2)


def test_a_large_model_leaves_some_paths_and_no_sticks(monkeypatch):
    monkeypatch.setattr(plots, "MOST_PATHS", 5)
    monkeypatch.setattr(plots, "MOST_STICKS", 29)
    paths = simulate(library.chain(30), 0.01, 1e-3, progress=False).plot.summary().axes[1]
    assert len(paths.get_lines()) == 5 + 1  # and the last position
    assert len(paths.get_lines()[-1].get_xdata()) == 30


def test_a_run_whose_model_is_not_stored_can_be_drawn(run):
    unknown = Trajectory(run.dataset.assign_attrs(model=""))
    figure = unknown.plot.summary()
    np.testing.assert_array_equal(figure.axes[1].get_lines()[0].get_xydata(), run.poses.values[:, 0, [0, 2]])
    assert unknown.plot.phase("hinge1").axes[0].get_xlabel() == "q of hinge1"


@pytest.mark.parametrize("name", ["energy", "summary"])
def test_a_figure_of_a_file_equals_that_of_the_run(run, tmp_path, name):
    stored = Trajectory.load(run.save(tmp_path / "run.nc"))
    for one, two in zip(getattr(run.plot, name)().axes, getattr(stored.plot, name)().axes, strict=True):
        for a, b in zip(one.get_lines(), two.get_lines(), strict=True):
            np.testing.assert_array_equal(a.get_xydata(), b.get_xydata())


# ---- thinning ---------------------------------------------------------------------------------------------------------------
def test_a_thinned_line_keeps_samples_ends_and_extremes():
    t = np.arange(100_000.0)
    values = np.random.default_rng(0).normal(size=t.size)
    values[[31_415, 92_653]] = 50.0, -60.0
    kept_t, kept = plots.thinned(t, values)
    assert len(kept_t) <= plots.MOST_POINTS
    assert (kept_t[0], kept_t[-1]) == (t[0], t[-1])
    assert (kept.max(), kept.min()) == (50.0, -60.0)
    np.testing.assert_array_equal(kept, values[kept_t.astype(int)])
    assert (np.diff(kept_t) > 0).all()


def test_a_short_line_is_not_thinned():
    t = np.linspace(0, 1, plots.MOST_POINTS)
    np.testing.assert_array_equal(plots.thinned(t, t**2), (t, t**2))
