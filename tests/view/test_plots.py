"""Plots: the right numbers in the lines, names in the labels, nothing hidden by thinning."""

from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest
import xarray as xr

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import hamiltree as ht
from hamiltree.model import library
from hamiltree.run.simulate import simulate
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view import accuracy_panels, plot_data
from hamiltree.view.page.arrays import decode, read_array
from hamiltree.view.page.view import Page
from hamiltree.view.picture import draw
from hamiltree.view.run_rows import report_rows


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
    start = run.potential_energy.values[0]
    assert_drawn(top, "kinetic", run.t, run.kinetic_energy)
    assert_drawn(top, "potential − start", run.t, run.potential_energy - start)
    assert_drawn(top, "total", run.t, run.energy - start)
    energy = run.energy.values
    assert_drawn(bottom, "error", run.t, (energy - energy[0]) / run.energy_scale)
    assert run.energy_scale == pytest.approx(run.kinetic_energy.values.max(), rel=1e-12)
    assert (top.get_ylabel(), bottom.get_ylabel(), bottom.get_xlabel()) == (
        "energy / J",
        "(H − H₀) / kinetic energy",
        "t / s",
    )


def assert_words_of_the_scale(*shown):
    """Of what the energy error is: never of the exchanged energy, which the report judges by."""
    for text in shown:
        assert ("of the kinetic energy" in text) != ("of the largest |p·∂H/∂p|/2" in text)
        assert "exchanged" not in text and "largest error" not in text


def largest_errors(run):
    """The largest energy error as the plots, the page, the table and the run itself have it."""
    axes = run.plot.energy_error().axes[0]
    document, arrays = Page(run).document
    channel = next(c for c in document["series"]["channels"] if c["plot"] == "error")
    shown = read_array(decode(arrays), channel["values"])
    (row,) = (row for row in report_rows(run) if row[0] == "energy error")
    assert_words_of_the_scale(axes.get_title(loc="right"), row[2])
    drawn, said = lines(axes)["error"][1], axes.get_title(loc="right").split()[2]
    return run.energy_error, np.abs(drawn).max(), np.abs(shown).max(), float(said), float(row[1])


def test_the_energy_error_is_one_number_everywhere(orbit):
    """A fall in which the peak kinetic energy is many times its mean, and rk4, which errs."""
    fall = simulate(library.pendulum(angle=3.1415), 6.0, 0.1, integrator="rk4", progress=False)
    assert fall.energy_scale < 0.99 * fall.peak_kinetic_energy
    for run in (fall, orbit):
        exact, drawn, shown, *said = largest_errors(run)
        assert exact > 1e-9
        assert (drawn, shown) == pytest.approx((exact, exact), rel=1e-14)
        assert said == [float(f"{exact:.1e}")] * 2


def test_potential_energy_does_not_hide_the_motion():
    """A chain that hangs: of its potential energy only the change is drawn."""
    high = library.n_pendulum(2, angles=[0.1, 0.1])
    far = high.with_(joints={"hinge1": {"on_parent": ht.Frame((0, 0, 3000.0))}})
    axes = simulate(far, 0.5, 1e-2, progress=False).plot.energy().axes[0]
    low, top = axes.get_ylim()
    assert top - low < 1.0


# ---- whose figures -------------------------------------------------------------------------------
WAYS = {
    "energy": (), "energy_error": (), "momenta": (), "invariants": (), "coordinates": (),
    "phase": ("hinge1",), "body": ("rod2",), "motion": (), "residuals": ("position",),
}  # fmt: skip


def test_no_plot_leaves_a_figure_open(run):
    loop = with_openings(run)
    for name, arguments in WAYS.items():
        getattr(loop.plot, name)(*arguments)
    loop.plot.summary()
    run.model.plot.tree()
    run.model.plot.frames()
    assert not plt.get_fignums()


def test_a_notebook_shows_a_plot(run):
    assert run.plot.energy_error()._repr_png_()[1:4] == b"PNG"


def test_every_plot_draws_on_axes_that_are_given_and_returns_them(run):
    loop = with_openings(run)
    for name, arguments in WAYS.items():
        figure, ax = plt.subplots()
        before = len(ax.get_children())
        assert getattr(loop.plot, name)(*arguments, ax=ax) is ax, name
        assert len(ax.get_children()) > before and plt.get_fignums() == [figure.number]
        plt.close(figure)
    for drawing in (run.model.plot.tree, run.model.plot.frames):
        _, ax = plt.subplots()
        assert drawing(ax=ax) is ax and ax.get_children()


def test_as_many_axes_as_panels_get_all_panels(run):
    _, axes = plt.subplots(2)
    given = run.plot.energy(ax=axes)
    assert given == list(axes) and set(lines(axes[1])) >= {"error"}
    _, three = plt.subplots(1, 3)
    run.plot.summary(ax=three)
    assert three[2].get_xlabel() == "x / m"
    with pytest.raises(ht.OptionError, match="ax has 3 Axes; this plot has 2 panels"):
        run.plot.energy(ax=three)
    with pytest.raises(ht.OptionError, match="give Axes of Matplotlib"):
        run.plot.energy(ax="top")


def test_lines_of_a_panel_differ_without_their_colours(run):
    for axes in (run.plot.energy().axes[0], *run.plot.momenta().axes[:2]):
        named = [line for line in axes.get_lines() if not line.get_label().startswith("_")]
        styles = {str(line._unscaled_dash_pattern) for line in named}
        assert len(styles) == len(named) == 3


# ---- the motion ----------------------------------------------------------------------------------
def test_momenta_are_drawn_less_those_of_the_start(run):
    linear, angular = run.plot.momenta().axes
    for axes, values, name in (
        (linear, run.linear_momentum, "p"),
        (angular, run.angular_momentum, "L"),
    ):
        for k, axis in enumerate("xyz"):
            assert_drawn(axes, f"{name}{axis}", run.t, values[:, k] - values[0, k])


def test_momenta_that_a_model_keeps_are_drawn_in_parts_of_what_is_moved():
    """A satellite keeps all six; a spherical pendulum the one about the vertical; a planar one
    none.
    """
    free = simulate(library.satellite(), 1.0, 0.05, integrator="rk4", progress=False)
    kept = free.plot.momenta().axes[2]
    names = [line.get_label() for line in kept.get_lines()[1:]]
    assert names[:3] == ["p x", "p y", "p z"] and names[3:] == ["L x", "L y", "L z"]
    change = free.linear_momentum.values - free.linear_momentum.values[0]
    drawn = lines(kept)["p x"][1]
    ratio = drawn[-1] / change[-1, 0]
    np.testing.assert_allclose(drawn, ratio * change[:, 0], atol=1e-9 * np.abs(drawn).max())
    top = simulate(library.top(), 0.1, 1e-2, progress=False).plot.momenta().axes
    assert [line.get_label() for line in top[2].get_lines()[1:]] == ["L z at (0, 0, 0)"]
    flat = simulate(library.n_pendulum(1, angles=[1.0]), 0.1, 1e-2, progress=False)
    assert len(flat.plot.momenta().axes) == 2


def test_a_ledger_of_what_only_stores_has_no_panel_of_losses():
    """Work less what is stored is rounding there."""
    run = simulate(library.n_pendulum(2, angles=2.0), 2.0, 1e-2, progress=False)
    labels = [axes.get_ylabel() for axes in run.plot.ledger().axes]
    assert labels == ["stored since\nthe start / J", "remainder / J"]


def test_a_ledger_shows_stores_losses_and_the_remainder():
    model = library.n_pendulum(1, angles=[1.0]).with_(
        forces=[ht.JointDamper("hinge1", 0.3), ht.JointSpring("hinge1", 2.0)]
    )
    run = simulate(model, 2.0, 1e-2, save_every=1, progress=False)
    stored, work, remainder = run.plot.ledger().axes
    angle = run.q.values[:, 0]
    spring = angle**2 - angle[0] ** 2
    np.testing.assert_allclose(lines(stored)["joint_spring hinge1"][1], spring, atol=1e-12)
    lost = lines(work)["joint_damper hinge1"][1]
    np.testing.assert_allclose(lost, run.work.values, atol=1e-6)
    kinetic = run.kinetic_energy.values
    held = [y for name, (_, y) in lines(stored).items() if not name.startswith("_")]
    sums = kinetic - kinetic[0] + sum(held)
    left = remainder.get_lines()[-1].get_ydata()
    np.testing.assert_allclose(sums - lost, left, atol=1e-12)


def errors_of(run, horizon=None):
    """An estimate as `run.error_estimate()` makes it, with errors of a known growth."""
    t, names = run.t.values, list(run.q.coordinate.values)
    by_coordinate = 1e-9 * np.exp(t)[:, None] * np.arange(1.0, 1 + len(names))
    errors = {
        "coordinate_error": (("t", "coordinate"), by_coordinate),
        "relative_error": ("t", by_coordinate.max(axis=1)),
        "position_error": (("t", "body"), by_coordinate),
        "angle_error": (("t", "body"), by_coordinate),
    }
    coords = {"t": t, "coordinate": names, "body": run.dataset["body"].values}
    coords["unit"] = ("coordinate", ["rad"] * len(names))
    made = xr.Dataset(errors, coords)
    return SimpleNamespace(
        dataset=made, number=float(by_coordinate.max()), reason="", horizon=horizon
    )


def test_errors_of_the_answer_are_drawn_for_coordinates_and_bodies(run, monkeypatch):
    estimate = errors_of(run, horizon=1.5)
    monkeypatch.setattr(Trajectory, "error_estimate", lambda run: estimate, raising=False)
    relative, coordinate, place, angle = run.plot.errors().axes
    assert relative.get_title(loc="right") == f"largest {estimate.number:.1e} of the motion"
    assert lines(relative)["determined until here"][0][0] == 1.5
    assert_drawn(coordinate, "hinge3", run.t, estimate.dataset["coordinate_error"][:, 2])
    assert coordinate.get_ylabel() == "error of coordinates / rad"
    assert (place.get_ylabel(), angle.get_ylabel()) == (
        "error of positions / m",
        "error of angles / rad",
    )


def test_a_run_without_an_estimate_says_why_there_are_no_errors(run, monkeypatch):
    none = SimpleNamespace(dataset=None, reason="nothing moves")
    monkeypatch.setattr(Trajectory, "error_estimate", lambda run: none, raising=False)
    with pytest.raises(ht.OptionError, match="no estimate of the error of this run: nothing moves"):
        run.plot.errors()


def test_peaks_of_residuals_of_a_long_run_are_kept():
    values = np.random.default_rng(1).random((10_000, 2))
    t, kept = accuracy_panels.keep_peaks(np.arange(10_000.0), values)
    assert len(t) == accuracy_panels.MAX_PEAKS and (kept.max(axis=0) == values.max(axis=0)).all()
    assert kept.min() > 0.5  # of forty samples each


def test_a_body_is_drawn_by_its_centre_of_mass(run):
    position, velocity, spin = run.plot.body("rod2").axes
    expected = rod_centres(run)[:, 1]
    for name, k in (("x", 0), ("z", 1)):
        np.testing.assert_allclose(lines(position)[name][1], expected[:, k], atol=1e-13)
    slope = np.gradient(expected[:, 0], run.t.values, edge_order=2)
    np.testing.assert_allclose(lines(velocity)["vx"][1], slope, atol=2e-3)
    turning = run.qdot.values[:, :2].sum(axis=1)
    np.testing.assert_allclose(np.abs(lines(spin)["ωy"][1]), np.abs(turning), atol=1e-13)


def test_several_plots_by_name_are_one_figure(run):
    labels = [axes.get_ylabel() for axes in run.plot("hinge2", "energy_error").axes]
    assert labels == ["hinge2 / rad", "(H − H₀) / kinetic energy"]
    with pytest.raises(ht.OptionError, match="no plot 'enrgy'; did you mean 'energy'"):
        run.plot("enrgy")
    with pytest.raises(ht.OptionError, match="no body 'rod9' in this run; did you mean 'rod"):
        run.plot("body:rod9")
    with pytest.raises(ht.OptionError, match="summary is a figure of its own"):
        run.plot("energy", "summary")


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
        floor = accuracy_panels.SMALLEST_DRAWN * float(loop.dataset[variable].max())
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
    assert_drawn(energies, "total", run.t, run.energy - run.potential_energy[0])
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
    change = orbit.energy.values - orbit.energy.values[0]
    assert_drawn(bottom, "error", orbit.t, change / orbit.energy_scale)
    labels = (top.get_ylabel(), bottom.get_ylabel(), bottom.get_xlabel())
    assert labels == ("H", "relative H − H₀", "t")
    scale = f"of the largest |p·∂H/∂p|/2, {orbit.energy_scale:.3g}"
    note = f"energy error {orbit.energy_error:.1e} {scale}"
    assert bottom.get_title(loc="right") == note


def test_a_figure_of_an_h_names_it_without_units(orbit):
    assert orbit.plot.energy().get_suptitle() == "orbit · rk4 · step 0.05"


def test_an_h_that_depends_on_time_is_drawn_less_its_work():
    driven = ht.hamiltonian("p**2/2 + q**2/2 - q*sin(2*t)", q={"q": 1.0}, p={"p": 0.0})
    run = simulate(driven, 5.0, 0.01, progress=False)
    bottom = run.plot.energy().axes[1]
    assert bottom.get_ylabel() == "relative H − H₀ − work"
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
    assert axes.get_lines()[0].get_markersize() > 5  # a few points are seen


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
    assert labels.items() >= {"x": "px", "y": "py", "t": "relative H − H₀"}.items()


def test_a_summary_of_one_coordinate_has_one_portrait(swing):
    figure = swing.plot.summary()
    assert [axes.get_ylabel() for axes in figure.axes] == ["H", "p", "relative H − H₀", "t"]


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
