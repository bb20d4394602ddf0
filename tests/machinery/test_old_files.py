"""Trajectories written before formulations and variables got their names of today still load.

The files were written by commit 62a974d: two steps of two bodies by chain_quaternion, and of a
four-bar linkage.
"""

from pathlib import Path

import numpy as np

import hamiltree as ht
from hamiltree.renamed import FORMULATIONS

DATA = Path(__file__).parents[1] / "data"


def test_a_run_of_a_renamed_formulation_loads():
    run = ht.Trajectory.load(DATA / "free_bodies_before_renaming.nc")
    assert FORMULATIONS[run.provenance["formulation"]] == "free_bodies_quaternion"
    assert run.t.values.tolist() == [0.0, 0.01, 0.02] and run.energy_error < 1e-6
    assert run.poses.shape == (3, 2, 7) and run.model.bodies[1].name == "b2"


def test_constraint_residuals_of_an_old_run_are_found():
    run = ht.Trajectory.load(DATA / "four_bar_before_renaming.nc")
    assert run.constraint_residuals.shape[0] == run.t.size
    assert run.constraint_error < 1e-9 and np.isfinite(run.twists.values).all()
    assert run.model.joints[0].name == "crank_pivot"
