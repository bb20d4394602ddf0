"""Benchmarks at their smallest sizes: they run and give rows. No time is asserted."""

from importlib import import_module
from importlib.util import find_spec

import pytest

from benchmarks.measure import Row

# benchmark -> (packages of peers, constants that make it small, what is called)
SMALL = {
    "evaluation": (("pinocchio", "mujoco"), {"GOALS": {2: None}, "STATES": 20}, "run"),
    "trajectories": (("pinocchio", "mujoco"), {"GOALS": {2: 1}, "COMPARED": 0.01}, "run"),
    "cost": ((), {"SIZES": (2, 3)}, "run"),
    "formulations": ((), {"SIZES": (2, 10, 11)}, "sizes"),
}


def call(module, what):
    """The rows of a benchmark, or of the part of it that can be made small."""
    if what == "sizes":
        return module.size_rows(module.seconds_by_size(sizes=module.SIZES, rounds=1))
    return module.run()


@pytest.mark.parametrize("name", SMALL)
def test_a_benchmark_runs_at_its_smallest_size(name, monkeypatch):
    peers, constants, what = SMALL[name]
    for peer in peers:
        if find_spec(peer) is None:
            pytest.skip(f"the benchmark {name} compares with {peer}, which is not installed")
    module = import_module(f"benchmarks.{name}")
    for constant, value in constants.items():
        monkeypatch.setattr(module, constant, value)
    rows = call(module, what)
    assert rows and all(isinstance(row, Row) for row in rows)


def test_every_formulation_of_joints_is_measured():
    from benchmarks.formulations import NAMES
    from hamiltree.formulations import FORMULATIONS

    assert {"hamiltonian_tree", "kane_relative", "cartesian_3"} <= {*NAMES} < {*FORMULATIONS}
