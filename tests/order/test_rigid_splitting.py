"""Splittings with an exact flow of T(q, p): order, structure, work, and one force for two kicks
that meet; interpreted.

The reference is the same point in Cartesian coordinates, by DOP853.
"""

from functools import lru_cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from hamiltree.integrators import find_integrator
from hamiltree.integrators.integrator import CALLS, FRESH, NOT_FINITE, RUNNING, WORST_ROW, step
from hamiltree.integrators.rigid_body_splitting import INTEGRATORS
from hamiltree.verbs import hamiltonian
from tests.order.split_systems import polar

NAMES = [integrator.name for integrator in INTEGRATORS]
START = np.array([1.1, 0.4, -0.3, 0.9])
# steps to t = 1, clear of rounding
COUNTS = {
    2: (64, 96, 128),
    4: (12, 16, 24),
    6: (5, 7, 10),
    8: (4, 5, 6, 7),
}
FORCES = {"splitting2": 1, "splitting4": 6, "splitting6": 11, "splitting8": 17}


class Run:
    """Steps of a splitting, taken by the interpreter."""

    def __init__(self, name, system, y=START):
        integrator = find_integrator(name)
        self.method, self.system = integrator.bind(integrator, system).method, system
        self.state, self.status = (
            integrator.initial_state(np.array(y, dtype=float), self.method),
            RUNNING,
        )

    def go(self, h, steps, t=0.0):
        for k in range(steps):
            self.status = step(self.method, self.system, (), self.state, t + k * h, h)
            if self.status != RUNNING:
                break
        return self


@lru_cache
def exact_end(system):
    """(r, φ, p_r, p_φ) at t = 1."""

    def slope(t, y):
        swing = 2 * system.swing * (1 + np.cos(2 * t) / 2)
        return [y[2], y[3], -(1 + swing) * y[0] + system.gravity + system.load, -(1 - swing) * y[1]]

    r, phi, along, turn = START
    u, v = np.array([np.cos(phi), np.sin(phi)]), np.array([-np.sin(phi), np.cos(phi)])
    x, z, xdot, zdot = solve_ivp(
        slope,
        (0, 1),
        [*(r * u), *(along * u + turn / r * v)],
        method="DOP853",
        rtol=1e-13,
        atol=1e-14,
    ).y[:, -1]
    r = np.hypot(x, z)
    return np.array([r, np.arctan2(z, x), (x * xdot + z * zdot) / r, x * zdot - z * xdot])


def slope_of(counts, errors):
    return -np.polyfit(np.log(counts), np.log(errors), 1)[0]


@pytest.mark.parametrize("name", NAMES)
def test_a_splitting_has_its_order_where_t_depends_on_q_and_v_on_time(name):
    system, order = polar(swing=0.3, load=0.4), find_integrator(name).order
    errors = [
        np.abs(Run(name, system).go(1 / n, n).state.y - exact_end(system)).max()
        for n in COUNTS[order]
    ]
    assert order - 0.2 < slope_of(COUNTS[order], errors) < order + 0.7, errors


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("load", [0.0, 0.4])
def test_the_work_of_time_and_of_loads_balances_the_energy_with_the_order(name, load):
    """Nyström's kind gives the work of loads to order four."""
    system, integrator = polar(swing=0.3, load=load), find_integrator(name)
    order = (
        min(integrator.order, 4)
        if load and integrator.coefficients.is_nystrom
        else integrator.order
    )
    defects = []
    for n in COUNTS[integrator.order]:
        state = Run(name, system).go(1 / n, n).state
        defects.append(
            abs(
                hamiltonian(system, (), 1.0, state.y)
                - hamiltonian(system, (), 0.0, START)
                - state.work[0]
            )
        )
    assert order - 0.4 < slope_of(COUNTS[integrator.order], defects), defects
    assert defects[-1] < 0.01 * abs(state.work[0])


@pytest.mark.parametrize("name", NAMES)
def test_a_step_keeps_the_symplectic_form(name, epsilon=1e-5):
    system, J = polar(swing=0.3), np.kron([[0, 1], [-1, 0]], np.eye(2))
    ends = [
        [Run(name, system, START + s * epsilon * e).go(0.3, 1).state.y for s in (1, -1)]
        for e in np.eye(4)
    ]
    D = np.transpose([(ahead - behind) / (2 * epsilon) for ahead, behind in ends])
    assert np.abs(D.T @ J @ D - J).max() < 1e-8


@pytest.mark.parametrize("name", NAMES)
def test_steps_back_undo_steps_forth(name):
    system = polar(swing=0.3)
    there = Run(name, system).go(0.1, 3).state.y
    assert np.abs(there - START).max() > 0.1
    assert np.abs(Run(name, system, there).go(-0.1, 3, t=0.1 * 3).state.y - START).max() < 1e-13


@pytest.mark.parametrize("name", NAMES)
def test_a_step_that_follows_another_computes_one_force_less(name):
    run = Run(name, polar())
    calls = [run.go(0.1, 1).state.counts[CALLS] for _ in range(3)]
    assert np.diff([0, *calls]).tolist() == [FORCES[name] + 1, FORCES[name], FORCES[name]]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_step_that_is_not_finite_leaves_the_state_as_it_was():
    run = Run("splitting4", polar()).go(0.1, 1)
    run.state.y[3] = 1e200
    before = run.state.y.copy()
    assert run.go(1e200, 1).status == NOT_FINITE
    assert (run.state.y == before).all()
    assert run.state.counts[FRESH] == 1
    assert run.state.counts[WORST_ROW] in range(4)
