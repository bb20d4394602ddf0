"""quat_em on the heavy top in quaternions: the numbers of METHODS 2, energy to rounding over long
runs, symmetry, failure.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from hamiltree.formulations.verb_pointers import indirect
from hamiltree.integrators import find_integrator
from hamiltree.integrators.event_monitor import empty_monitor
from hamiltree.integrators.integrator import FRESH, NOT_CONVERGED, RUNNING, STATUS, step
from hamiltree.verbs import hamiltonian
from tests.order.top_system import Top, top, workspace

DATA = Path(__file__).parents[1] / "data"
ROWS = {
    "quat_em": "QUAT-EM",
    "rattle": "RATTLE quaternion (SPARK s=2)",
    "spark4": "SPARK Lobatto IIIA-IIIB s=3",
}


@cache
def stored(name):
    return json.loads((DATA / name).read_text())


def asymmetric() -> tuple[Top, np.ndarray]:
    data = stored("c_quaternion_top_asym.json")
    return top(data["I"], data["mgl"]), np.array([*data["q0"], *data["g0"]])


def symmetric() -> tuple[Top, np.ndarray]:
    """The top of the thesis, 100 rad/s about its axis."""
    data = stored("ch2_top_thesis_ic.json")
    numbers, start = data["params"], data["initial"]
    inertia = [numbers[name] for name in ("I1", "I2", "I3")]
    return top(inertia, numbers["m"] * numbers["g"] * numbers["l"]), np.array(
        [*start["quat"], *start["g_conj"]]
    )


def rotation(q):
    a, v = q[0], np.array(q[1:])
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return (a * a - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * a * cross


def moment_about_the_vertical(y):
    """½ G(q) g, its third component."""
    q, g = y[:4], y[4:]
    return 0.5 * (-q[3] * g[0] - q[2] * g[1] + q[1] * g[2] + q[0] * g[3])


class Run:
    """Steps taken by the interpreter."""

    def __init__(self, name, system, y):
        integrator = find_integrator(name)
        self.method, self.system, self.work = (
            integrator.bind(integrator, system).method,
            system,
            workspace(),
        )
        self.state, self.status = integrator.initial_state(y, self.method), RUNNING

    def go(self, h, steps):
        for k in range(steps):
            self.status = step(self.method, self.system, self.work, self.state, k * h, h)
        return self

    def energy(self):
        return hamiltonian(self.system, self.work, 0.0, self.state.y)


@pytest.mark.parametrize("name", ROWS)
def test_attitudes_after_one_second_are_those_of_an_independent_program(name):
    """METHODS 2: ‖R − R_exact‖ at N = 25 and 50, with a defect of 1e-13 of energy for quat_em."""
    data, (system, y) = stored("c_quaternion_top_asym.json"), asymmetric()
    exact = rotation(data["samples"][-1]["q"])
    expected = data["expected_behaviour_N_25_50_100_cols_attitude_err_normdrift_qg_dH_dLz"][
        ROWS[name]
    ]["rows"]
    for n, row in zip((25, 50), expected, strict=False):
        run = Run(name, system, y).go(1 / n, n)
        assert np.linalg.norm(rotation(run.state.y[:4]) - exact) == pytest.approx(row[0], rel=1e-8)
        assert abs(run.state.y[:4] @ run.state.y[:4] - 1) < 1e-15
        assert name != "quat_em" or abs(run.energy() - data["H0"]) < 1e-13


@pytest.mark.parametrize(("case", "h"), [(asymmetric, 0.01), (symmetric, 0.002)])
def test_ten_thousand_steps_keep_energy_norm_and_moment(case, h, steps=10_000, samples=100):
    """Compiled; a drift of one rounding a step would show 1e-12 of the energy."""
    system, y = case()
    integrator = find_integrator("quat_em")
    integrator, out = integrator.bind(integrator, system), np.zeros((samples, 10))
    state = integrator.initial_state(y, integrator.method)
    handle = indirect(system, workspace(), workspace(), integrator.needs, 1)
    integrator.advance(
        handle, integrator.method, state, empty_monitor(8), 0.0, 0, h, steps, steps // samples, out
    )
    assert state.counts[STATUS] == RUNNING
    energy = np.array([hamiltonian(system, workspace(), 0.0, row[1:9]) for row in out])
    began, moment = (
        hamiltonian(system, workspace(), 0.0, y),
        np.array([moment_about_the_vertical(row[1:9]) for row in out]),
    )
    assert np.abs(energy / began - 1).max() < 2e-14
    assert np.abs(moment / moment_about_the_vertical(y) - 1).max() < 2e-14
    assert np.abs((out[:, 1:5] ** 2).sum(axis=1) - 1).max() < 1e-15


def test_steps_back_undo_steps_forth():
    system, y = asymmetric()
    there = Run("quat_em", system, y).go(0.02, 5).state.y
    assert np.abs(there - y).max() > 0.1
    assert np.abs(Run("quat_em", system, there).go(-0.02, 5).state.y - y).max() < 1e-11


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_step_too_long_for_the_spin_fails_and_leaves_the_state_as_it_was():
    run = Run("quat_em", *symmetric()).go(0.001, 2)
    before = run.state.y.copy()
    assert run.go(0.1, 1).status == NOT_CONVERGED
    assert (run.state.y == before).all()
    assert run.state.counts[FRESH] == 1
