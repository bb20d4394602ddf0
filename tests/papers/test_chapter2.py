"""Seed 002, chapter 2: oscillator, Kepler, galactic orbit and top against numbers of another
program; and the gallery that shows them.

The numbers in data/ch2_*.json are good to 1e-14 (oscillator), 1e-11 (Kepler after 100 steps), 1e-10
(galactic orbit), 1e-12 (top).
"""

import json
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest
import xarray as xr

matplotlib.use("Agg")

from typer.testing import CliRunner

from hamiltree import gallery
from hamiltree.cli import app as cli
from hamiltree.cli.gallery import numbers_table
from hamiltree.errors import FileError, OptionError
from hamiltree.gallery import experiment
from hamiltree.gallery.experiments import galactic, kepler, oscillator, pendulum, top
from hamiltree.problems.events import Event
from hamiltree.run.simulate import simulate


def numbers_of(name):
    return json.loads(
        (Path(__file__).parents[1] / "data" / f"ch2_{name}.json").read_text(encoding="utf-8")
    )


SHO, KEPLER, GALACTIC, TOP = (
    numbers_of(name) for name in ("sho", "kepler", "galactic", "top_thesis_ic")
)
NAMES = {
    "ExplicitEuler": "explicit_euler",
    "ImplicitEuler": "implicit_euler",
    "EulerA": "euler_a",
    "EulerB": "euler_b",
    "ImplicitMidpoint": "implicit_midpoint",
    "RK4": "rk4",
    "RadauIIA3": "radau_iia3",
    "RadauIIA5": "radau_iia5",
    "Gauss6": "gauss6",
    "SunGeng5": "sun_geng5",
    "StormerVerlet_KDK": "stormer_verlet",
    "StormerVerlet_kick_drift_kick": "stormer_verlet",
    "StormerVerlet_drift_kick_drift": "leapfrog_dkd",
}


def states(run):
    return np.concatenate([run.q.values, run.p.values], axis=1)


def end_of(problem, method, step, until, **more):
    return states(
        simulate(problem, until, step, integrator=method, progress=False, save_every=10**9, **more)
    )[-1]


# ---- oscillator ----------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def spring():
    return oscillator.problem()


@pytest.mark.parametrize("name", SHO["values"])
def test_a_method_takes_the_steps_of_the_oscillator(spring, name):
    run = simulate(spring, 100.0, 0.01, integrator=NAMES[name], save_every=1, progress=False)
    for steps, expected in SHO["values"][name].items():
        found = [*states(run)[int(steps)], run.energy.values[int(steps)]]
        np.testing.assert_allclose(
            found,
            [expected["q"], expected["p"], expected["H"]],
            rtol=1e-12,
            err_msg=f"after {steps} steps",
        )


@pytest.mark.parametrize("method", oscillator.LABELS)
def test_step_matrices_of_the_gallery_give_the_same_numbers(method):
    """They come from the definition of each method, the stored numbers from another program."""
    name = next(key for key, value in NAMES.items() if value == method and key in SHO["values"])
    for steps in (1, 100, 1000, 10_000):
        expected = SHO["values"][name][str(steps)]
        q, p, drift = oscillator.exact_steps(method, steps)
        np.testing.assert_allclose(
            [q, p, 2.0 + drift], [expected["q"], expected["p"], expected["H"]], rtol=1e-14
        )


# ---- pendulum ------------------------------------------------------------------------------------
def test_radau_damps_the_pendulum_and_the_midpoint_rule_does_not():
    rows = {row.what: row.ours for row in pendulum.numbers(pendulum.run(progress=False))}
    radau, midpoint = (label for label in pendulum.METHODS.values())
    lost = rows[f"{radau}: mean of H, last tenth − first tenth"]
    assert lost < -0.1
    # a tenth is no whole number of periods
    assert abs(rows[f"{midpoint}: mean of H, last tenth − first tenth"]) < 0.01 * abs(lost)
    assert rows[f"{midpoint}: largest |H − H₀|"] < 0.02


# ---- Kepler --------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def orbit():
    return kepler.problem()


@pytest.mark.parametrize("name", KEPLER["values"])
def test_a_method_takes_a_hundred_steps_of_kepler(orbit, name):
    expected = KEPLER["values"][name]
    found = end_of(orbit, NAMES[name], expected["h"], 100 * expected["h"])
    np.testing.assert_allclose(found, expected["after_100_steps"], rtol=0, atol=1e-11)


def test_keplers_equation_gives_the_exact_states():
    t, *expected = np.array(KEPLER["exact"]).T
    np.testing.assert_allclose(kepler.exact(t).T, expected, rtol=0, atol=1e-12)


def test_a_fine_run_meets_keplers_equation(orbit):
    run = simulate(orbit, 10.0, 0.01, integrator="gauss12", save_every=1, progress=False)
    assert kepler.error(run).max() < 1e-11


# ---- galactic orbit ------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def galaxy():
    return galactic.problem()


def test_the_galactic_orbit_starts_on_its_energy(galaxy):
    run = simulate(galaxy, 0.1, 0.1, integrator="gauss6", progress=False)
    assert abs(run.energy.values[0] - 2.0) < 1e-15
    assert galaxy.start["p2"] == GALACTIC["p2"]


def test_a_fine_run_meets_the_exact_galactic_states(galaxy):
    run = simulate(galaxy, 100.0, 0.1, integrator="gauss12", save_every=10, progress=False)
    for t, expected in zip(
        GALACTIC["exact_states"]["t"], GALACTIC["exact_states"]["y"], strict=True
    ):
        np.testing.assert_allclose(
            states(run)[t], expected, rtol=0, atol=1e-10, err_msg=f"at t = {t}"
        )


@pytest.mark.parametrize(
    "case", GALACTIC["short_runs"], ids=lambda case: f"{case['method']}-{case['h']}-{case['T']:g}"
)
def test_a_method_counts_the_points_of_the_section(galaxy, case):
    run = simulate(
        galaxy,
        case["T"],
        case["h"],
        integrator=NAMES[case["method"]],
        sections=[galactic.SECTION],
        progress=False,
    )
    assert run.sections["section"].sizes["point"] == case["count_incl_initial"]
    if case["final_state"]:
        np.testing.assert_allclose(states(run)[-1], case["final_state"], rtol=0, atol=1e-9)
        assert abs(run.energy_balance.values[-1] - case["dH_end"]) < 1e-10


def test_points_lie_on_the_section_where_they_should(galaxy):
    """q₂ = 0, q₁ > 0, q̇₂ = p₂ − Ωq₁ > 0; the first point is the start."""
    points = simulate(
        galaxy, 2000.0, 0.2, integrator="gauss6", sections=[galactic.SECTION], progress=False
    ).sections["section"]
    q, p = points["q"].values, points["p"].values
    assert np.abs(q[:, 1]).max() < 1e-12
    assert q[:, 0].min() > 0
    assert (p[:, 1] - 0.25 * q[:, 0]).min() > 0
    np.testing.assert_array_equal(q[0], [2.5, 0.0, 0.0])


def test_a_crossing_that_falls_is_no_point_of_the_section(galaxy):
    falls = Event("q2", direction=-1, where="q1 > 0", name="falls")
    run = simulate(
        galaxy, 2000.0, 0.2, integrator="gauss6", sections=[galactic.SECTION, falls], progress=False
    )
    rising, falling = run.sections["section"]["t"].values, run.sections["falls"]["t"].values
    assert len(falling)
    assert not set(rising) & set(falling)


# ---- top -----------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def spun():
    return simulate(top.problem(), 2.0, top.STEP, integrator="gauss6", save_every=1, progress=False)


def test_the_top_starts_with_the_momenta_of_its_rates(spun):
    found = {
        name: float(value)
        for name, value in zip(spun.dataset["momentum"].values, spun.p.values[0], strict=True)
    }
    assert found["p_phi"] == pytest.approx(TOP["p_phi"], rel=1e-14)
    assert found["p_psi"] == pytest.approx(TOP["Lz"], rel=1e-14)
    assert spun.energy.values[0] == pytest.approx(TOP["H0"], rel=1e-14)
    rates = dict(zip(("theta", "psi", "phi"), spun.qdot.values[0], strict=True))
    assert rates == pytest.approx({name: TOP["initial"][f"{name}dot"] for name in rates}, rel=1e-12)


@pytest.mark.parametrize("sample", TOP["samples"], ids=lambda sample: f"t={sample['t']:g}")
def test_the_top_is_where_another_program_has_it(spun, sample):
    row = round(sample["t"] / top.STEP)
    np.testing.assert_allclose(
        spun.q.values[row], [sample[name] for name in ("theta", "psi", "phi")], rtol=0, atol=1e-11
    )
    np.testing.assert_allclose(
        spun.qdot.values[row, :2], [sample["thetadot"], sample["psidot"]], rtol=0, atol=1e-11
    )
    np.testing.assert_allclose(
        top.centre_of_mass(*spun.q.values[row, :2]), sample["com"], rtol=0, atol=1e-11
    )


def test_the_top_keeps_its_energy_and_both_momenta(spun):
    assert max(spun.invariant_errors.values()) < 1e-14
    assert np.abs(spun.energy_balance.values).max() < 1e-12


def test_the_samples_in_the_gallery_are_those_of_the_other_program():
    assert {s["t"]: (s["theta"], s["psi"], s["phi"]) for s in TOP["samples"]} == top.SAMPLES


# ---- gallery -------------------------------------------------------------------------------------
FIGURES = {
    "galactic": {"galactic_section", "galactic_energy"},
    "drawings": {"drawings", "top_axes"},
    "problem_11_7": {"problem_11_7", "problem_11_7_bodies"},
    "eight_bodies": {"eight_bodies", "eight_bodies_matrix"},
    "ten_body_tree": {"ten_body_tree", "influence_matrices"},
}


@pytest.mark.parametrize("name", gallery.EXPERIMENTS)
def test_an_experiment_writes_its_numbers_and_figures(name, tmp_path):
    rows, written = gallery.perform(
        gallery.find_experiment(name), tmp_path, quick=True, progress=False
    )
    stored = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
    assert [number["what"] for number in stored["numbers"]] == [row.what for row in rows]
    assert all(
        number["difference"] == row.difference
        for number, row in zip(stored["numbers"], rows, strict=True)
    )
    assert {path.stem for path in written if path.suffix == ".png"} == FIGURES.get(name, {name})
    assert sorted(tmp_path.iterdir()) == sorted(written)


def test_the_quick_table_of_the_galactic_orbit_is_that_of_the_other_program():
    rows = galactic.numbers(galactic.run(quick=True, progress=False))
    counts = [row for row in rows if row.whose == "other code"]
    assert [row.ours for row in counts] == [475, 475, 475, 475, 475, 470]
    assert all(row.difference == 0 for row in counts)


def test_a_rise_and_a_fall_within_one_step_are_a_crossing_that_signs_at_its_ends_do_not_show():
    """Steps of 1 that begin at 0, 1, 2 …: of the rises at 0.2, 1.5 and 3.5 the second has a fall in
    its step.
    """

    def section(times):
        return {"t": xr.DataArray(times), "q": xr.DataArray(np.ones((len(times), 3))),
                "p": xr.DataArray(np.ones((len(times), 3)))}  # fmt: skip

    samples = xr.DataArray(np.zeros(3))
    run = SimpleNamespace(
        sections={"section": section([0.2, 1.5, 3.5]), "falls": section([1.7, 2.5])},
        t=samples,
        energy_balance=samples,
    )
    found = galactic.section_points(run, 1.0)
    assert (len(found.q1), found.hidden, found.points) == (3, 1, 2)


def test_the_counts_beside_ours_are_the_printed_ones():
    printed = [(row["hairer"], row["thesis_calculated"]) for row in GALACTIC["table_T1e6"]]
    assert [(case.hairer, case.thesis) for case in galactic.CASES] == printed


def test_the_end_errors_of_kepler_are_those_of_the_other_program():
    rows = [row for row in kepler.numbers(kepler.run(progress=False)) if row.whose == "other code"]
    expected = [
        KEPLER["values"][name]["err_vs_exact"]
        for name in ("ExplicitEuler", "EulerA", "StormerVerlet_KDK", "Gauss6")
    ]
    assert [row.theirs for row in rows] == expected
    assert max(abs(row.difference) for row in rows) < 1e-9


@pytest.mark.parametrize("at_once", [1, 2])
def test_results_come_in_the_order_of_the_jobs(at_once):
    jobs = {name: lambda name=name: name.upper() for name in ("one", "two", "three")}
    assert list(experiment.run_jobs(jobs, "test", False, at_once).items()) == [
        ("one", "ONE"),
        ("two", "TWO"),
        ("three", "THREE"),
    ]


def test_a_job_that_fails_in_a_thread_is_not_lost():
    jobs = {"good": lambda: 1, "bad": lambda: 1 // 0}
    with pytest.raises(ZeroDivisionError):
        experiment.run_jobs(jobs, "test", False, at_once=2)


def test_an_unknown_experiment_is_refused_with_the_nearest():
    with pytest.raises(OptionError, match="did you mean 'kepler'"):
        gallery.find_experiment("keppler")


# ---- command -------------------------------------------------------------------------------------
def test_the_command_lists_the_experiments():
    result = CliRunner().invoke(cli.app, ["gallery"])
    assert result.exit_code == 0
    assert all(name in result.output for name in gallery.EXPERIMENTS)


def test_the_command_makes_a_folder_and_never_writes_into_an_existing_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli.app, ["gallery", "top", "--quick", "--quiet"])
    assert result.exit_code == 0, result.output
    assert {path.name for path in (tmp_path / "hamiltree-gallery-001").iterdir()} == {
        "top.json",
        "top.png",
    }
    with pytest.raises(FileError, match="hamiltree-gallery-001 exists"):
        CliRunner().invoke(
            cli.app,
            ["gallery", "top", "--quick", "-o", "hamiltree-gallery-001"],
            catch_exceptions=False,
        )


def test_a_table_puts_our_number_beside_that_of_the_source():
    rows = [
        experiment.Row("points", 46192, 46190, "the thesis"),
        experiment.Row("H", 1.5, None, ""),
    ]
    cells = [
        list(column.cells)
        for column in numbers_table(gallery.EXPERIMENTS["galactic"], rows).columns
    ]
    assert cells == [
        ["points", "H"],
        ["46192", "1.5"],
        ["46190", ""],
        ["+2", ""],
        ["the thesis", ""],
    ]
