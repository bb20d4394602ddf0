"""The gallery's pages on chains, quaternions and molecules: numbers of quick runs beside those of
other programs.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from hamiltree import gallery
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.formulations import find_formulation
from hamiltree.gallery.experiments import (
    heavy_top,
    molecules,
    tetrahedra,
    top_by_quaternions,
    unit_norm,
)
from hamiltree.verbs import energies

DATA = Path(__file__).parents[1] / "data"
ASYMMETRIC, SYMMETRIC = (
    json.loads((DATA / f"{name}.json").read_text())
    for name in ("c_quaternion_top_asym", "ch2_top_thesis_ic")
)
EXPECTED = ASYMMETRIC["expected_behaviour_N_25_50_100_cols_attitude_err_normdrift_qg_dH_dLz"]


def numbers(name):
    experiment = gallery.find_experiment(name)
    return {row.what: row for row in experiment.numbers(experiment.run(True, False))}


# ---- stored numbers are those of their files -----------------------------------------------------
@pytest.mark.parametrize("ends", tetrahedra.ENDS)
def test_the_chains_in_the_gallery_are_those_of_the_other_program(ends):
    source, ours = (
        json.loads((DATA / f"chain_{ends}_a.json").read_text()),
        tetrahedra.load_reference()[ends],
    )
    model = tetrahedra.chain(ends)
    assert [ours["load"], ours["velocities"], ours["omegas"]] == [
        source["F"],
        source["v0"],
        source["omega0"],
    ]
    assert ours["samples"][:3] == source["samples"][:3]
    assert ours["samples"][3] == {"t": source["t_end"], "r": source["r_end"], "q": source["q_end"]}
    np.testing.assert_allclose(model.bodies[0].particles.positions, source["particles"], rtol=1e-15)
    np.testing.assert_allclose(np.diag(model.bodies[0].inertia), source["I_body"], rtol=1e-14)


def test_numbers_beside_ours_are_those_of_the_other_program():
    names = (
        "Gauss6 1/J0=0, V normalised",
        "Sun5 1/J0=0, V normalised",
        "Midpoint 1/J0=0, V normalised",
        "RATTLE quaternion (SPARK s=2)",
        "SPARK Lobatto IIIA-IIIB s=3",
        "QUAT-EM",
        "RATTLE rotation matrix",
    )
    assert [scheme.attitude for scheme in top_by_quaternions.SCHEMES] == [
        EXPECTED[name]["rows"][2][0] for name in names
    ]
    assert {
        sample["t"]: tuple(sample["com"]) for sample in SYMMETRIC["samples"]
    } == top_by_quaternions.SAMPLES
    drifts = {
        "implicit_midpoint": "Midpoint lam-formula",
        "stormer_verlet": "SV thesis lam-formula",
        "gauss6": "Gauss6 lam-formula (thesis)",
    }
    for method, name in drifts.items():
        assert unit_norm.METHODS[method].drifts == tuple(row[1] for row in EXPECTED[name]["rows"])
        assert unit_norm.METHODS[method].radials == tuple(row[2] for row in EXPECTED[name]["rows"])
    assert tuple(ASYMMETRIC["samples"][-1]["q"]) == heavy_top.ASYMMETRIC_END


@pytest.mark.parametrize(
    ("top", "source"),
    [(heavy_top.ASYMMETRIC, ASYMMETRIC), (heavy_top.SYMMETRIC, SYMMETRIC)],
    ids=lambda x: "",
)
def test_tops_on_a_pivot_and_with_a_spring_have_the_energy_of_the_other_program(top, source):
    """Interpreted: H of the model and of the other program differ by the same constant at all
    samples; a spring stands for mgl R₃₃, gravity has that itself.
    """
    form, model = find_formulation("free_bodies_quaternion"), heavy_top.model_of(top)
    system = form.assemble(assemble_at_start(model))
    work, constants = form.workspace(system, 1), []
    for sample in source["samples"]:
        q, g = (
            (sample["quat"], sample["g_conj"]) if "quat" in sample else (sample["q"], sample["g"])
        )
        parts = energies(system, work, 0.0, np.array([0.0, 0.0, 0.0, *q, 0.0, 0.0, 0.0, *g]))
        constants.append(parts.kinetic + parts.potential - source["H0"])
    assert np.ptp(constants) < 1e-9
    of_spring = 0.5 * top.moment / top.arm * (1.0 + top.arm**2)
    assert constants[0] == pytest.approx(0.0 if top.mass else of_spring, abs=1e-9)


# ---- runs ----------------------------------------------------------------------------------------
def test_tetrahedra_are_where_another_program_has_them():
    rows = numbers("tetrahedra")
    found = [row for row in rows.values() if row.whose == "other code"]
    assert len(found) == 24
    assert max(abs(row.difference) for row in found) < 1e-8
    # the load is a part of H, so that this is as exact as the energy is kept
    row = rows["c1–c2: change of T + V of the pairs, the load apart, J"]
    assert abs(row.ours) > 1.0 and row.difference == pytest.approx(0.0, abs=1e-8)
    limits = {"Gauss6": 1e-6, "Gauss8": 1e-8, "splitting4": 1e-8}
    for what, row in rows.items():
        method = next((name for name in limits if name in what), "")
        assert not method or row.ours < limits[method], row


def test_with_the_multiplier_put_in_norms_drift_at_the_order_of_the_method():
    rows = numbers("unit_norm")
    for method in unit_norm.METHODS.values():
        assert rows[f"λ put in, {method.label}: order of ‖q‖² − 1"].ours == pytest.approx(
            method.slope, abs=0.15
        )
        row = rows[f"λ put in, {method.label}: order of q·g"]
        assert row.ours == pytest.approx(row.theirs, abs=0.15)
    compared = [
        row
        for what, row in rows.items()
        if what.startswith("λ put in") and "steps" in what and "R_exact" not in what
    ]
    assert len(compared) == 18
    assert all(row.ours == pytest.approx(row.theirs, rel=1e-4) for row in compared)
    assert all(
        row.ours < 1e-14
        for what, row in rows.items()
        if what.startswith("no multiplier") and row.whose == "exact"
    )
    assert any(1e-3 < row.ours < 1.0 for what, row in rows.items() if "DOP853" in what)


def test_two_bodies_apart_do_not_pass_for_agreement():
    """The measures of the pages see a turn of 1e-6 and a push of 1e-6."""
    sample = tetrahedra.load_reference()["c1c2"]["samples"][0]
    poses = np.column_stack([np.array(sample["r"]), np.array(sample["q"])])
    assert tetrahedra.distances(poses, sample) == (0.0, 0.0)
    turned = poses.copy()
    turned[3, :3] += (0.0, 1e-6, 0.0)
    w, x, y, z = turned[5, 3:]
    turned[5, 3:] += 0.5e-6 * np.array([-x, w, z, -y])
    assert tetrahedra.distances(turned, sample) == pytest.approx((1e-6, 1e-6), rel=1e-6)
    flipped = np.column_stack([np.array(sample["r"]), -np.array(sample["q"])])
    assert tetrahedra.distances(flipped, sample)[1] == 0.0


@pytest.mark.parametrize("name", ["norm_per_body", "molecules", "top_by_quaternions"])
def test_what_is_exact_is_kept_to_rounding(name):
    limits = {"norm_per_body": 1e-13, "molecules": 1e-9, "top_by_quaternions": 1e-11}
    rows = [
        row
        for row in numbers(name).values()
        if row.whose in ("exact", *(m.other for m in molecules.MOLECULES.values()))
    ]
    assert rows
    of_the_order = "RATTLE: largest |H", "QUAT-EM: largest change"
    for row in rows:
        if not row.what.startswith(of_the_order):
            assert abs(row.difference) < limits[name], row
    if name == "top_by_quaternions":
        found = {row.what.split(", to")[0]: row.ours for row in rows}
        assert found["QUAT-EM: largest change of J₃, vertical"] < 1e-12
        assert found["QUAT-EM: largest change of J₃, body axis"] == pytest.approx(1.8e-4, rel=0.05)
        assert found["RATTLE: largest change of J₃, body axis"] < 1e-12
