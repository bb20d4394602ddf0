"""Plots: the right numbers in the lines, names in the labels, nothing hidden by thinning."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import hamiltree as ht
from hamiltree.model import library
from hamiltree.run.simulate import simulate
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view import panels, plot_data
from hamiltree.view.picture import draw


@pytest.fixture(scope="module")
def run():
    return simulate(
        library.n_pendulum(3, angles=[0.5, 1.0, 1.5]), 2.0, 5e-3, save_every=1, progress=False
    )


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


# ---- energy --------------------------------------------------------------------------------------
def test_energies_and_their_error_are_drawn(run):
    top, bottom = run.plot.energy().axes
    assert_drawn(top, "kinetic", run.t, run.kinetic_energy)
    assert_drawn(top, "potential", run.t, run.potential_energy)
    assert_drawn(top, "total", run.t, run.energy)
    energy = run.energy.values
    assert_drawn(bottom, "error", run.t, (energy - energy[0]) / run.kinetic_energy.values.max())
    assert (top.get_ylabel(), bottom.get_ylabel(), bottom.get_xlabel()) == (
        "energy / J",
        "(H − H₀) / peak kinetic",
        "t / s",
    )
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


# ---- phase ---------------------------------------------------------------------------------------
def test_the_phase_of_a_joint_is_its_momentum_over_its_position(run):
    axes = run.plot.phase("hinge2").axes[0]
    expected = np.stack([run.q.sel(coordinate="hinge2"), run.p.sel(momentum="hinge2")], axis=1)
    np.testing.assert_array_equal(axes.collections[0].get_offsets(), expected)
    np.testing.assert_array_equal(axes.collections[0].get_array(), run.t)
    np.testing.assert_array_equal(axes.get_lines()[0].get_xydata(), expected)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("q of hinge2 / rad", "p of hinge2 / N m s")


def test_a_slider_has_the_units_of_a_slider():
    cart = ht.Model(
        bodies=[ht.Body("cart", 1.0)],
        joints=[ht.Prismatic("rail", "ground", "cart", axis=(1, 0, 0), qdot=1.0)],
    )
    axes = simulate(cart, 0.1, 0.01, progress=False).plot.phase("rail").axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("q of rail / m", "p of rail / N s")


def test_an_unknown_joint_is_refused_with_the_nearest(run):
    with pytest.raises(
        ht.OptionError,
        match=r"no joint 'hing2' with a coordinate in this run; did you mean 'hinge2'\?",
    ):
        run.plot.phase("hing2")
    assert not plt.get_fignums()


# ---- constraints ---------------------------------------------------------------------------------
def with_openings(run):
    """The run as if it had eight constraints, the last the worst; the second is exact."""
    values = np.outer(
        np.linspace(1.0, 2.0, run.t.size), 1e-15 * np.arange(1, 9) * (np.arange(8) != 1)
    )
    parts = {"opening": (("t", "constraint"), values), "slip": (("t", "constraint"), 3 * values)}
    return Trajectory(
        run.dataset.assign(parts).assign_coords(constraint=[f"c{k}" for k in range(1, 9)]),
        run.model,
    )


def test_openings_are_drawn_for_every_part_and_the_worst_are_named(run):
    loop = with_openings(run)
    top, bottom = loop.plot.constraints().axes
    for axes, variable in ((top, "opening"), (bottom, "slip")):
        assert_drawn(axes, "c8", run.t, loop.dataset[variable].sel(constraint="c8"))
        assert {label for label in lines(axes) if label.startswith("c")} == {
            "c8",
            "c7",
            "c6",
            "c5",
            "c4",
            "c3",
        }
        assert len(axes.get_lines()) == 8 and axes.get_yscale() == "log"
        # zero has no logarithm
        floor = panels.SMALLEST_DRAWN * float(loop.dataset[variable].max())
        assert min(line.get_ydata().min() for line in axes.get_lines()) == floor
    assert top.get_title(loc="right") == "largest 1.6e-14"


def test_a_run_without_constraints_has_no_openings_to_draw(run):
    with pytest.raises(ht.OptionError, match="no loops and no constraints"):
        run.plot.constraints()


# ---- summary -------------------------------------------------------------------------------------
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
    for line, expected in zip(
        paths.get_lines()[:3], np.swapaxes(rod_centres(run), 0, 1), strict=True
    ):
        np.testing.assert_allclose(line.get_xydata(), expected, atol=1e-13)


def test_a_large_model_leaves_some_paths(monkeypatch):
    monkeypatch.setattr(draw, "MOST_PATHS", 5)
    axes = simulate(library.chain(30), 0.01, 1e-3, progress=False).plot.summary().axes[1]
    assert len(axes.get_lines()) == 5 + 1  # and the scale


def test_a_run_whose_model_is_not_stored_can_be_drawn(run):
    unknown = Trajectory(run.dataset.assign_attrs(model=""))
    figure = unknown.plot.summary()
    np.testing.assert_array_equal(
        figure.axes[1].get_lines()[0].get_xydata(), run.poses.values[:, 0, [0, 2]]
    )
    assert unknown.plot.phase("hinge1").axes[0].get_xlabel() == "q of hinge1"


@pytest.mark.parametrize("name", ["energy", "summary"])
def test_a_figure_of_a_file_equals_that_of_the_run(run, tmp_path, name):
    stored = Trajectory.load(run.save(tmp_path / "run.nc"))
    for one, two in zip(
        getattr(run.plot, name)().axes, getattr(stored.plot, name)().axes, strict=True
    ):
        for a, b in zip(one.get_lines(), two.get_lines(), strict=True):
            np.testing.assert_array_equal(a.get_xydata(), b.get_xydata())


# ---- an H(q, p): no bodies, no units, the user's names -------------------------------------------
@pytest.fixture(scope="module")
def orbit():
    kepler = ht.hamiltonian(
        "(px**2 + py**2)/2 - 1/sqrt(x**2 + y**2)",
        q={"x": 0.4, "y": 0.0},
        p={"px": 0.0, "py": 2.0},
        invariants={"L": "x*py - y*px"},
        name="orbit",
    )
    rises, falls = ht.Event("y", +1, name="rises"), ht.Event("y", -1, name="falls")
    return simulate(
        kepler, 20.0, 0.05, integrator="rk4", sections=[rises, falls], save_every=1, progress=False
    )


@pytest.fixture(scope="module")
def swing():
    return simulate(
        ht.hamiltonian("p**2/2 - cos(q)", q={"q": 1.0}, p={"p": 0.0}),
        5.0,
        0.1,
        integrator="rk4",
        progress=False,
    )


def test_the_energy_of_an_h_is_h_and_its_change(orbit):
    top, bottom = orbit.plot.energy().axes
    assert_drawn(top, "H", orbit.t, orbit.energy)
    assert_drawn(bottom, "error", orbit.t, orbit.energy.values - orbit.energy.values[0])
    assert (top.get_ylabel(), bottom.get_ylabel(), bottom.get_xlabel()) == ("H", "H − H₀", "t")
    assert (
        bottom.get_title(loc="right")
        == f"largest error {np.abs(orbit.energy - orbit.energy[0]).max():.1e}"
    )


def test_a_figure_of_an_h_names_it_without_units(orbit):
    assert orbit.plot.energy().get_suptitle() == "orbit · rk4 · step 0.05"


def test_an_h_that_depends_on_time_is_drawn_less_its_work():
    driven = ht.hamiltonian("p**2/2 + q**2/2 - q*sin(2*t)", q={"q": 1.0}, p={"p": 0.0})
    run = simulate(driven, 5.0, 0.01, progress=False)
    bottom = run.plot.energy().axes[1]
    assert bottom.get_ylabel() == "H − H₀ − work"
    assert np.abs(lines(bottom)["error"][1]).max() < 1e-12 < np.ptp(run.energy.values)


def test_the_phase_of_a_coordinate_has_the_names_of_the_user(orbit):
    figure = orbit.plot.phase("y")
    axes = figure.axes[0]
    np.testing.assert_array_equal(
        axes.collections[0].get_offsets(), np.stack([orbit.q[:, 1], orbit.p[:, 1]], axis=1)
    )
    assert (axes.get_xlabel(), axes.get_ylabel(), figure.axes[1].get_ylabel()) == ("y", "py", "t")


def test_an_unknown_coordinate_is_refused_with_the_known_ones(orbit):
    with pytest.raises(ht.OptionError, match=r"no coordinate 'xx' in this run; did you mean 'x'\?"):
        orbit.plot.phase("xx")
    assert not plt.get_fignums()


def test_a_section_draws_its_points_in_the_plane_asked_for(orbit):
    axes = orbit.plot.section("falls", x="px", y="x").axes[0]
    points = orbit.sections["falls"]
    np.testing.assert_array_equal(
        axes.get_lines()[0].get_xydata(),
        np.stack([points["p"].values[:, 0], points["q"].values[:, 0]], axis=1),
    )
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("px", "x")
    assert axes.get_title(loc="right") == f"section falls: {points.sizes['point']} points"
    assert points.sizes["point"] >= 3


def test_a_section_shows_the_first_coordinate_and_its_momentum_unless_told(orbit):
    axes = orbit.plot.section("rises").axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x", "px")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("rise",), r"no section 'rise' in this run; did you mean 'rises'\?"),
        ((), "which section\\? known: 'rises', 'falls'"),
        (("rises", "pxx"), r"a point of section 'rises' has no 'pxx'; did you mean 'px'\?"),
        (("rises", "x", "x"), "'x' over itself is a line"),
    ],
)
def test_a_section_that_cannot_be_drawn_is_refused_by_name(orbit, arguments, message):
    with pytest.raises(ht.OptionError, match=message):
        orbit.plot.section(*arguments)
    assert not plt.get_fignums()


def test_a_run_without_sections_says_how_to_collect_one(swing):
    with pytest.raises(ht.OptionError, match="ask for it before"):
        swing.plot.section("rises")


def test_changes_of_h_and_of_each_invariant_are_drawn(orbit):
    h, momentum = orbit.plot.invariants().axes
    assert_drawn(h, "H", orbit.t, orbit.energy - orbit.energy[0])
    expected = (
        orbit.q[:, 0].values * orbit.p[:, 1].values - orbit.q[:, 1].values * orbit.p[:, 0].values
    )
    _, y = lines(momentum)["L"]
    np.testing.assert_allclose(y, expected - expected[0], atol=1e-15)
    assert np.ptp(y) > 1e-6  # RK4 does not keep it
    assert (h.get_ylabel(), momentum.get_ylabel(), momentum.get_xlabel()) == (
        "change of H",
        "change of L",
        "t",
    )


def test_the_invariant_of_a_model_is_its_energy(run):
    (axes,) = run.plot.invariants().axes
    assert_drawn(axes, "H", run.t, run.energy_balance)


def test_a_summary_of_an_h_shows_a_portrait_of_each_of_two_coordinates(orbit):
    labels = {axes.get_xlabel(): axes.get_ylabel() for axes in orbit.plot.summary().axes}
    assert labels.items() >= {"x": "px", "y": "py", "t": "H − H₀"}.items()


def test_a_summary_of_one_coordinate_has_one_portrait(swing):
    figure = swing.plot.summary()
    assert [axes.get_ylabel() for axes in figure.axes] == ["H", "p", "H − H₀", "t"]


# ---- thinning ------------------------------------------------------------------------------------
def test_a_thinned_line_keeps_samples_ends_and_extremes():
    t = np.arange(100_000.0)
    values = np.random.default_rng(0).normal(size=t.size)
    values[[31_415, 92_653]] = 50.0, -60.0
    kept_t, kept = plot_data.thin_samples(t, values)
    assert len(kept_t) <= plot_data.MAX_POINTS
    assert (kept_t[0], kept_t[-1]) == (t[0], t[-1])
    assert (kept.max(), kept.min()) == (50.0, -60.0)
    np.testing.assert_array_equal(kept, values[kept_t.astype(int)])
    assert (np.diff(kept_t) > 0).all()


def test_a_short_line_is_not_thinned():
    t = np.linspace(0, 1, plot_data.MAX_POINTS)
    np.testing.assert_array_equal(plot_data.thin_samples(t, t**2), (t, t**2))
