"""A run as a table, as spectra, and its particles as files and statistics."""

import numpy as np
import pytest
import xarray as xr

import hamiltree as ht
from hamiltree.analysis.motion import particles
from hamiltree.errors import FileError, FitError, OptionError


@pytest.fixture(scope="module")
def run():
    model = ht.library.n_pendulum(2, angles=[0.4, 1.0])
    return ht.simulate(model, until=0.5, step=0.01, save_every=1, progress=False)


@pytest.fixture(scope="module")
def fluid():
    return ht.simulate(
        ht.library.particle_box(2, seed=1),
        until=0.004,
        step=1e-3,
        save_every=1,
        formulation="free_bodies_quaternion",
        integrator="gauss4",
        progress=False,
    )


# ---- tables --------------------------------------------------------------------------------------
def test_a_csv_file_reads_back_to_the_bit(run, tmp_path):
    path = run.to_csv(tmp_path / "run.csv")
    header = path.read_text().splitlines()[0].split(",")
    numbers = np.loadtxt(path, delimiter=",", skiprows=1)
    columns = dict(zip(header, numbers.T, strict=True))
    assert np.array_equal(columns["t"], run.t.values)
    for k, name in enumerate(run.model.coordinates):
        assert np.array_equal(columns[f"q[{name}]"], run.q.values[:, k])
    assert np.array_equal(columns["twist[rod2.vz]"], run.twists.values[:, 1, 5])
    assert np.array_equal(columns["kinetic_energy"], run.kinetic_energy.values)


def test_a_file_is_kept_unless_forced_and_unknown_variables_are_refused(run, tmp_path):
    path = run.to_csv(tmp_path / "run.csv", "q")
    before = path.read_bytes()
    with pytest.raises(FileError, match="exists"):
        run.to_csv(path)
    assert path.read_bytes() == before
    run.to_csv(path, ["qdot", "work"], force=True)
    assert path.read_text().splitlines()[0].startswith("t,qdot[")
    with pytest.raises(OptionError, match="no variable 'qdots' by time; did you mean 'qdot'"):
        run.to_csv(tmp_path / "other.csv", "qdots")
    assert not (tmp_path / "other.csv").exists()


def test_a_data_frame_has_units_and_all_samples(run):
    frame = run.to_pandas()
    assert list(frame.index) == run.t.values.tolist() and frame.index.name == "t"
    assert np.array_equal(frame["pose[rod1.qw]"], run.poses.values[:, 0, 3])
    units = frame.attrs["units"]
    assert units["kinetic_energy"] == "J" and set(units) == {"t", *frame.columns}
    assert (units["pose[rod1.z]"], units["pose[rod1.qw]"]) == ("m", "1")
    assert (units["twist[rod1.wx]"], units["twist[rod1.vx]"]) == ("rad/s", "m/s")


def test_columns_of_joints_have_the_units_of_their_axes():
    run = ht.simulate(ht.library.slider_crank(), until=0.01, step=1e-3, progress=False)
    units = run.to_pandas(["q", "qdot", "p"]).attrs["units"]
    assert (units["q[crank_pivot]"], units["qdot[crank_pivot]"]) == ("rad", "rad/s")
    slider = next(joint.name for joint in run.model.tree_joints if joint.kind == "prismatic")
    assert (units[f"q[{slider}]"], units[f"qdot[{slider}]"]) == ("m", "m/s")
    assert (units["p[crank_pivot]"], units[f"p[{slider}]"]) == ("kg m²/s", "kg m/s")


def test_a_matlab_file_holds_arrays_labels_and_units(run, tmp_path):
    from scipy.io import loadmat

    found = loadmat(run.to_mat(tmp_path / "run.mat"), simplify_cells=True)
    assert np.array_equal(found["t"], run.t.values)
    assert np.array_equal(found["pose"], run.poses.values)
    assert list(found["coordinate"]) == list(run.model.coordinates)
    assert found["units"]["work"].startswith("J")


# ---- spectra -------------------------------------------------------------------------------------
@pytest.mark.parametrize("window", ["hann", "none"])
@pytest.mark.parametrize("count", [200, 201])
def test_a_spectrum_is_that_of_scipy(window, count):
    from scipy.signal import periodogram

    t = 0.01 * np.arange(count)
    values = np.random.default_rng(0).normal(size=(count, 2)) + t[:, None]
    from hamiltree.analysis.motion.spectra import spectrum

    found = spectrum(xr.DataArray(values, {"t": t}, ("t", "axis"), "x"), window)
    kind = "boxcar" if window == "none" else window
    f, wanted = periodogram(values, 100.0, kind, detrend="constant", axis=0)
    assert np.allclose(found["frequency"].values, f, rtol=1e-12)
    assert np.abs(found.values - wanted).max() < 1e-12 * wanted.max()


def test_the_spectrum_integrates_to_the_variance_and_peaks_at_the_frequency():
    run = ht.simulate(
        ht.library.pendulum(angle=1e-3), until=40, step=0.05, save_every=1, progress=False
    )
    found = run.spectrum("hinge", window="none")
    width = float(found["frequency"][1])
    assert float(found.sum()) * width == pytest.approx(run.q.values[:, 0].var(), rel=1e-12)
    peak = float(run.spectrum("hinge").idxmax())
    assert np.array_equal(run.spectrum("energy"), run.spectrum(run.energy))
    assert abs(peak - np.sqrt(9.81) / (2 * np.pi)) < width


def test_spectra_that_cannot_be_are_refused(run):
    with pytest.raises(OptionError, match="no coordinate 'hinge9'; did you mean"):
        run.spectrum("hinge9")
    with pytest.raises(OptionError, match="window = 'han'; did you mean 'hann'"):
        run.spectrum(run.model.coordinates[0], window="han")
    uneven = xr.DataArray(np.zeros(9), {"t": np.arange(9.0) ** 2}, ("t",))
    with pytest.raises(OptionError, match="not evenly spaced"):
        run.spectrum(uneven)
    with pytest.raises(OptionError, match="at least 4 samples"):
        run.spectrum(uneven[:3])


# ---- particles -----------------------------------------------------------------------------------
def test_an_extended_xyz_file_reads_back(fluid, tmp_path):
    path = fluid.to_xyz(tmp_path / "run.xyz", every=2)
    frames = range(0, fluid.t.size, 2)
    wanted = fluid.particle_positions()
    for number, sample in enumerate(frames):
        read = ht.read_particles(path, frame=number, masses=1.0)
        assert np.array_equal(read.positions, wanted.values[sample])
    line = path.read_text().splitlines()[1]
    assert 'Lattice="5.0 0.0 0.0 0.0 5.0 0.0 0.0 0.0 5.0"' in line and 'pbc="T T T"' in line
    assert f"Time={float(fluid.t[0])!r}" in line and "velo:R:3" in line
    plain = fluid.to_xyz(tmp_path / "plain.xyz", extended=False, unit=0.5)
    words = plain.read_text().splitlines()[2].split()
    assert len(words) == 4 and float(words[1]) == 2.0 * wanted.values[0, 0, 0]


def test_particle_velocities_are_the_kinetic_energy(fluid):
    from hamiltree.analysis.motion.particles import place_particles

    velocities = place_particles(fluid)[1]
    masses = np.concatenate([body.particles.masses for body in fluid.model.bodies])
    energy = 0.5 * np.einsum("p,tpi,tpi->t", masses, velocities, velocities)
    assert np.abs(energy - fluid.kinetic_energy.values).max() < 1e-12 * energy.max()
    # 8 bodies with 6 freedoms, less the motion of the whole
    found = fluid.temperature()
    assert found.attrs["freedoms"] == 45
    assert np.allclose(found.values, 2 * energy / 45, rtol=1e-9)
    argon = ht.units.Units.lennard_jones(sigma=3.405e-10, epsilon=1.654e-21, mass=6.634e-26)
    assert np.allclose(fluid.temperature(units=argon).values, found.values * argon.temperature)


def test_points_have_three_freedoms_each():
    atom = ht.Particles([(0.0, 0.0, 0.0)])
    model = ht.library.particle_box(2, particles=atom, seed=2)
    from hamiltree.analysis.motion.particles import count_freedoms

    assert count_freedoms(model, is_within=True) == 8 * 3 - 3
    assert count_freedoms(ht.library.four_bar(), is_within=False) == 1


def test_the_radial_distribution_counts_pairs_over_all_images(fluid):
    found = fluid.radial_distribution(bins=10)
    places = fluid.particle_positions()
    images = 5.0 * np.stack(np.meshgrid(*[[-1, 0, 1]] * 3), -1).reshape(-1, 3)
    counts = np.zeros(10)
    edges = np.linspace(0.0, 2.5, 11)
    owner = np.asarray(places["body"].values)
    for sample in places.values:
        gap = sample[:, None, None] - sample[None, :, None] - images
        r = np.linalg.norm(gap, axis=-1)[owner[:, None] != owner[None]]
        counts += np.histogram(r, edges)[0]
    pairs = np.count_nonzero(owner[:, None] != owner[None])
    shells = 4 / 3 * np.pi * (edges[1:] ** 3 - edges[:-1] ** 3)
    wanted = counts / (len(places) * pairs * shells / 125.0)
    assert np.abs(found.values - wanted).max() < 1e-12 * wanted.max()
    assert np.allclose(fluid.radial_distribution(bins=10, types=("A", "A")).values, found.values)


def test_pairs_in_pieces_are_all_pairs(fluid, monkeypatch):
    whole = fluid.radial_distribution(bins=10)
    monkeypatch.setattr(particles, "PAIRS_AT_ONCE", 1)
    pieces = fluid.radial_distribution(bins=10)
    assert np.array_equal(pieces.values, whole.values) and pieces.attrs == whole.attrs


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"cutoff": 2.6}, "more than half the shortest length of the periodic box, 2.5"),
        ({"cutoff": 0.0}, "cutoff = 0.0; give a positive"),
        ({"volume": 0.0}, "volume = 0.0; give a positive"),
        ({"bins": 0}, "bins = 0"),
        ({"every": 0}, "every = 0"),
    ],
)
def test_a_radial_distribution_that_makes_no_sense_is_refused(given, words, fluid):
    with pytest.raises(OptionError, match=words):
        fluid.radial_distribution(**given)


def test_particles_that_are_not_there_are_refused(run, fluid, tmp_path):
    with pytest.raises(FitError, match="has no particles"):
        run.to_xyz(tmp_path / "run.xyz")
    with pytest.raises(OptionError, match="no particle is of type 'B'"):
        fluid.radial_distribution(types=("A", "B"))
    with pytest.raises(OptionError, match="every = 0"):
        fluid.to_xyz(tmp_path / "run.xyz", every=0)
    assert not list(tmp_path.iterdir())


# ---- pictures ------------------------------------------------------------------------------------
def test_paths_and_spectra_are_drawn(run):
    import matplotlib

    matplotlib.use("Agg")
    figure = run.plot.path("rod2", (0, 0, -1.0))
    assert "x of rod2" in figure.axes[0].get_xlabel() and "z of rod2" in figure.axes[0].get_ylabel()
    assert run.plot("path:rod2", "spectrum") is not None
    with pytest.raises(OptionError, match="axes = 'zz'"):
        run.plot.path("rod2", axes="zz")
