"""The mechanisms of the gallery: their numbers beside those of their sources, and that wrong ones
would show.
"""

import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from hamiltree import gallery
from hamiltree.gallery.experiments import chapter11, mechanisms, space_mechanisms
from hamiltree.trajectory.trajectory import Trajectory

DATA = Path(__file__).parents[1] / "data"


def numbers(name, quick=True):
    experiment = gallery.find_experiment(name)
    return {row.what: row for row in experiment.numbers(experiment.run(quick, False))}


def test_andrews_meets_the_published_angles_to_nine_digits_and_the_converged_ones_to_eleven():
    source = json.loads((DATA / "andrews.json").read_text(encoding="utf-8"))
    assert tuple(source["published"]["q"]) == mechanisms.PUBLISHED
    rows = numbers("andrews")
    ours = [rows[f"{name} at t = 0.03 s, rad"].ours for name in mechanisms.ANGLES]
    assert rows["digits of the worst angle that agree"].ours > 9
    assert ours == pytest.approx(source["converged"]["q"], rel=2e-11, abs=2e-11)


def test_the_moments_of_problem_11_6_are_those_of_another_program():
    source = json.loads((DATA / "seed001_problem11_6.json").read_text(encoding="utf-8"))
    for way, key in (
        ("body axes", "n_local"),
        ("world axes", "n_global"),
        ("Euler parameters", "n_star"),
    ):
        assert chapter11.EXPECTED[way] == pytest.approx(source[key], abs=1e-12)
    assert all(abs(row.difference) < 1e-14 for row in numbers("problem_11_6").values())


def test_problems_11_1_to_11_5_are_solved_to_rounding():
    rows = numbers("euler_parameters")
    asked = {what[:4] for what in rows if what[:2] == "11"}
    assert asked == {"11.1", "11.2", "11.3", "11.4", "11.5"}
    assert all(abs(row.difference) < 2e-14 for row in rows.values())


def test_the_work_of_figure_11_1_is_that_of_the_point():
    """(11.7) against differences along the motion of the point."""
    rows = numbers("figure_11_1").values()
    assert all(abs(row.difference) < 1e-11 for row in rows) and any(
        abs(row.ours) > 1 for row in rows
    )


def test_the_systems_of_the_three_formulations_are_as_large_and_symmetric_as_is_said():
    rows = numbers("spatial_systems")
    assert [rows[f"{name}: equations"].ours for name in ("I", "II", "III")] == [40, 37, 34]
    assert all(abs(row.difference) < 1e-14 for row in rows.values())


@pytest.mark.parametrize("name", ["four_bar", "bricard", "problem_11_7"])
def test_what_is_exact_is_kept_to_rounding(name):
    for row in numbers(name).values():
        assert row.whose == "exact" and abs(row.difference) < 3e-11, row


def test_the_hinge_of_the_slider_crank_holds_what_newton_asks_of_it():
    rows = numbers("slider_crank")
    assert (
        rows["hinge + slide + weight − rate of momentum, N"].ours
        < 1e-3 * rows["largest force of the crank's hinge, N"].ours
    )


def test_a_foot_that_leaves_its_curve_and_a_linkage_that_opens_would_show():
    run = mechanisms.run_strandbeest(quick=True, progress=False)
    moved = run.dataset.copy(deep=True)
    moved["pose"].loc[{"body": "lower7", "pose_part": "x"}][3:] += 1e-6
    gap = "largest distance of a foot from Jansen's construction, m"
    found, shifted = (
        {row.what: row.ours for row in mechanisms.strandbeest_numbers(Trajectory(x, run.model))}
        for x in (run.dataset, moved)
    )
    assert found[gap] < 1e-14 < 0.9e-6 < shifted[gap]


def test_a_left_wheel_leans_inwards_and_toes_in_by_the_signs_of_its_axle():
    """Outer end of the axle up: the wheel's top goes inwards, negative camber; outer end to the
    front: toe-in.
    """

    def angles(quaternion):
        pose = np.array([[0.0, 0.0, 0.31, *quaternion]])
        dataset = {"pose": (("t", "body", "pose_part"), np.stack([pose, pose], axis=1))}
        found = space_mechanisms.travel_camber_toe(
            Trajectory(xr.Dataset(dataset, coords={"body": ["wheel", "upright"]}))
        )
        return [float(value[0]) for value in found]

    tilt = 0.01
    about_x, about_z = (
        (np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0),
        (np.cos(tilt / 2), 0.0, 0.0, -np.sin(tilt / 2)),
    )
    assert angles(about_x) == pytest.approx([0.0, -np.degrees(tilt), 0.0], abs=1e-12)
    assert angles(about_z) == pytest.approx([0.0, 0.0, np.degrees(tilt)], abs=1e-12)
