"""RATTLE with one force per step is RATTLE: the map of spark.py, its order, its structure;
interpreted.
"""

from dataclasses import replace

import numpy as np
import pytest

from hamiltree.integrators import find_integrator
from hamiltree.integrators.integrator import CALLS, FRESH, NOT_CONVERGED, NOT_FINITE, RUNNING, step
from tests.order import constrained_systems as systems
from tests.order.test_constrained import Reference, defect_of_form, fitted_slope, tangents

NAMES = ("rattle", "triple_jump4(rattle)", "yoshida6(rattle)")
COUNTS = {2: (48, 72), 4: (24, 36), 6: (12, 17)}  # steps to t = 1, clear of rounding
STILL, DRIVEN = systems.rods(), systems.rods(amplitude=0.3, spring=0.5)


class Run:
    """Steps of RATTLE, in its separable form or in that for any H, taken by the interpreter."""

    def __init__(self, name, system, y=None, is_separable=True):
        integrator = (
            find_integrator(name).separable_variant
            if is_separable
            else replace(find_integrator(name), separable_variant=None)
        )
        self.system = systems.separable(system)
        self.method = integrator.bind(integrator, self.system).method
        self.work, self.status = systems.workspace(), RUNNING
        self.state = integrator.initial_state(
            Reference(system).start() if y is None else y, self.method
        )

    def go(self, h, steps, t=0.0):
        for k in range(steps):
            self.status = step(self.method, self.system, self.work, self.state, t + k * h, h)
            if self.status != RUNNING:
                break
        return self


@pytest.mark.parametrize("name", NAMES)
def test_it_takes_the_steps_of_rattle_for_any_h(name):
    one, other = (Run(name, DRIVEN, is_separable=chosen).go(0.05, 6) for chosen in (True, False))
    assert np.abs(one.state.y - other.state.y).max() < 1e-14
    assert abs(one.state.work[0] - other.state.work[0]) < 1e-14
    np.testing.assert_allclose(
        one.state.scratch.multipliers, other.state.scratch.multipliers, atol=1e-11
    )


@pytest.mark.parametrize("name", NAMES)
def test_errors_and_the_balance_of_energy_shrink_with_the_order(name):
    reference, order, errors, defects = Reference(DRIVEN), find_integrator(name).order, [], []
    end, y = reference.exact(1.0), reference.start()
    for n in COUNTS[order]:
        state = Run(name, DRIVEN).go(1 / n, n).state
        errors.append(np.abs(state.y - end).max())
        defects.append(
            abs(reference.energy(1.0, state.y) - reference.energy(0.0, y) - state.work[0])
        )
    assert order - 0.2 < fitted_slope(COUNTS[order], errors) < order + 0.6
    assert order - 0.4 < fitted_slope(COUNTS[order], defects) < order + 1.2


@pytest.mark.parametrize("name", NAMES)
def test_a_step_keeps_the_symplectic_form_of_the_constraint_manifold(name):
    reference = Reference(STILL)
    y = reference.start()
    assert (
        defect_of_form(lambda z: Run(name, STILL, z).go(0.15, 1).state.y, y, tangents(reference, y))
        < 1e-8
    )


@pytest.mark.parametrize("name", NAMES)
def test_steps_back_undo_steps_forth(name):
    y = Reference(DRIVEN).start()
    there = Run(name, DRIVEN).go(0.1, 3).state.y
    assert np.abs(there - y).max() > 0.1
    assert np.abs(Run(name, DRIVEN, there).go(-0.1, 3, t=0.1 * 3).state.y - y).max() < 1e-13


def test_constraints_and_their_rates_stay_at_rounding_with_one_force_a_step():
    run, reference = Run("rattle", DRIVEN), Reference(DRIVEN)
    run.go(0.02, 300)
    assert run.state.counts[CALLS] == 301
    assert np.abs(reference.constraint(6.0, run.state.y)).max() < 1e-15
    assert np.abs(reference.rate(6.0, run.state.y)).max() < 4e-15


def test_without_constraints_it_is_stormer_verlet():
    """Kick, drift, kick of two masses that fall."""
    system = systems.rods(constraints=0)
    y = Reference(system).start()
    p = y[6:] - 0.05 * np.tile([0, 0, 1], 2) * np.repeat(system.masses, 3)
    q = y[:6] + 0.1 * p / np.repeat(system.masses, 3)
    run = Run("rattle", system).go(0.1, 1)
    np.testing.assert_allclose(run.state.y, [*q, *(2 * p - y[6:])], rtol=0, atol=1e-15)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("h", "status"), [(40.0, NOT_CONVERGED), (1e200, NOT_FINITE)])
def test_a_step_that_fails_leaves_the_state_as_it_was(h, status):
    run = Run("triple_jump4(rattle)", DRIVEN).go(0.05, 1)
    before = run.state.y.copy()
    assert run.go(h, 1).status == status
    assert (run.state.y == before).all()
    assert run.state.counts[FRESH] == 1
