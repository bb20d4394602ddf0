"""Integrators on g(t, q) = 0: order, structure, what they keep, and how they fail.

The reference takes λ from the second derivative of g, which no integrator here looks at, and shares
no code with the kernels.
"""

from functools import lru_cache
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import null_space
from scipy.optimize import root

from hamiltree.errors import FitError
from hamiltree.formulations.verb_pointers import indirect
from hamiltree.integrators import energy_momentum, spark
from hamiltree.integrators.compositions import YOSHIDA_8
from hamiltree.integrators.event_monitor import empty_monitor
from hamiltree.integrators.integrator import NOT_CONVERGED, RUNNING, SINGULAR, STATUS, STEPS
from hamiltree.integrators.tableaus import lobatto_pair
from hamiltree.verbs import Facts, missing_verbs
from tests.order import constrained_systems as systems

rods = systems.rods
LISTED = (*spark.INTEGRATORS, energy_momentum.ENERGY_MOMENTUM)
ALL = {integrator.name: integrator for integrator in (*LISTED, spark.compose_rattle(YOSHIDA_8))}
SYMPLECTIC = [name for name, integrator in ALL.items() if integrator.is_symplectic]
SYMMETRIC = [name for name, integrator in ALL.items() if integrator.is_symmetric]
PENDULUM, METRIC = rods(), rods(metric=0.2)
DRIVEN = rods(metric=0.2, amplitude=0.3, damping=0.1, spring=0.5)
FREE = rods(metric=0.2, constraints=0)


# ---- the same rods by NumPy ----------------------------------------------------------------------
class Reference:
    """q̇ = ∂H/∂p, ṗ = −∂H/∂q − d p + Gᵀλ, with λ from the rate of G q̇ + ∂g/∂t.

    Time and state may be complex.
    """

    def __init__(self, system):
        self.system, self.masses = system, np.repeat(system.masses, 3)

    def compliance(self, y):
        return (1 + self.system.metric * (y[:6] @ y[:6])) / self.masses

    def pivot(self, t):
        angle = self.system.frequency * t
        return self.system.amplitude * np.array([np.sin(angle), 0 * t, np.cos(angle) - 1])

    def pivot_velocity(self, t):
        angle = self.system.frequency * t
        return (
            self.system.amplitude
            * self.system.frequency
            * np.array([np.cos(angle), 0 * t, -np.sin(angle)])
        )

    def stiffness(self, t):
        return self.system.spring * (1 + np.cos(2 * t) / 2)

    def energy(self, t, y):
        potential = (
            self.system.gravity * (self.system.masses @ y[[2, 5]])
            + self.stiffness(t) * y[5] ** 2 / 2
        )
        return (self.compliance(y) * y[6:]) @ y[6:] / 2 + potential

    def free(self, t, y):
        """Without constraints."""
        force = (
            -self.system.metric * y[:6] * (y[6:] @ (y[6:] / self.masses))
            - self.system.damping * y[6:]
        )
        force[[2, 5]] -= self.system.gravity * self.system.masses
        force[5] -= self.stiffness(t) * y[5]
        return np.concatenate([self.compliance(y) * y[6:], force])

    def ends(self, t, y):
        return y[:3] - self.pivot(t), y[3:6] - y[:3]

    def jacobian(self, t, y):
        inner, outer = self.ends(t, y)
        return np.array([[*inner, 0, 0, 0], [*-outer, *outer]])

    def constraint(self, t, y):
        return np.array(
            [
                (rod @ rod - length**2) / 2
                for rod, length in zip(self.ends(t, y), self.system.lengths, strict=True)
            ]
        )

    def rate(self, t, y):
        inner, _ = self.ends(t, y)
        return self.jacobian(t, y) @ (self.compliance(y) * y[6:]) - np.array(
            [inner @ self.pivot_velocity(t), 0]
        )

    def weights(self, t, y):
        G = self.jacobian(t, y)
        return (G * self.compliance(y)) @ G.T

    def multipliers(self, t, y, tiny=1e-30):
        """W λ = −d/dt (G q̇ + ∂g/∂t) without constraints: a complex step."""
        return -np.linalg.solve(
            self.weights(t, y),
            self.rate(t + 1j * tiny, y + 1j * tiny * self.free(t, y)).imag / tiny,
        )

    def slope(self, t, y):
        pull = self.jacobian(t, y).T @ self.multipliers(t, y)
        return self.free(t, y) + np.concatenate([np.zeros(6), pull])

    def start(self, turn=0.0):
        """On the constraints, momenta too."""
        inner, outer = np.array([1.0, 0.4, -0.5]), np.array([0.3, -1.0, -0.6 + turn])
        inner, outer = inner / np.linalg.norm(inner), 0.8 * outer / np.linalg.norm(outer)
        y = np.concatenate([inner, inner + outer, [0.3, 0.9, 0.4, -0.5, 0.2, 0.6]])
        y[6:] -= self.jacobian(0.0, y).T @ np.linalg.solve(self.weights(0.0, y), self.rate(0.0, y))
        return y

    def exact(self, end):
        return solve_ivp(
            self.slope, (0, end), self.start(), method="DOP853", rtol=1e-13, atol=1e-14
        ).y[:, -1]


@lru_cache
def exact_end(key):
    return Reference(SYSTEMS[key]).exact(1.0)


SYSTEMS = {"pendulum": PENDULUM, "metric": METRIC, "driven": DRIVEN}


class Stepper:
    """A System and an integrator, to take steps of any length and sign from any state."""

    def __init__(self, name, system):
        self.integrator = ALL[name].bind(ALL[name], system)
        works = systems.workspace(), systems.workspace()
        needs, width = self.integrator.needs, self.integrator.width
        self.handle = indirect(system, *works, needs, width)

    def start(self, y):
        return self.integrator.initial_state(np.asarray(y, dtype=float), self.integrator.method)

    def go(self, state, h, steps, t0=0.0, samples=0):
        """Steps on from where the state is, and samples of them: time, state, work."""
        first, out = int(state.counts[STEPS]), np.zeros((samples, 14))
        every = steps // samples if samples else first + steps + 1
        self.integrator.advance(
            self.handle,
            self.integrator.method,
            state,
            empty_monitor(12),
            t0,
            first,
            h,
            steps,
            every,
            out,
        )
        return out

    def after(self, y, h, steps, t0=0.0):
        state = self.start(y)
        self.go(state, h, steps, t0)
        assert state.counts[STATUS] == RUNNING
        return state


# ---- order ---------------------------------------------------------------------------------------
COUNTS = {
    2: (32, 48, 64, 96),
    4: (24, 32, 48, 64),
    6: (10, 14, 20, 28),
    8: (12, 16, 20, 24),
}  # steps to t = 1, clear of rounding


def fitted_slope(counts, errors):
    return -np.polyfit(np.log(counts), np.log(errors), 1)[0]


@pytest.mark.parametrize("key", SYSTEMS)
@pytest.mark.parametrize("name", ALL)
def test_errors_shrink_with_the_order_that_is_claimed(name, key):
    stepper, order = Stepper(name, SYSTEMS[key]), ALL[name].order
    rows = slice(0, 6) if name == "shake" else slice(0, 12)
    y = Reference(SYSTEMS[key]).start()
    errors = [
        np.abs(stepper.after(y, 1 / n, n).y - exact_end(key))[rows].max() for n in COUNTS[order]
    ]
    assert order - 0.15 < fitted_slope(COUNTS[order], errors) < order + 0.5


@pytest.mark.parametrize("name", [name for name in ALL if name not in ("shake", "energy_momentum")])
def test_energy_and_the_work_of_dampers_drivers_and_springs_balance_with_the_order(name):
    stepper, reference, order = Stepper(name, DRIVEN), Reference(DRIVEN), ALL[name].order
    y, defects = reference.start(), []
    for n in COUNTS[order]:
        state = stepper.after(y, 1 / n, n)
        defects.append(
            abs(reference.energy(1.0, state.y) - reference.energy(0.0, y) - state.work[0])
        )
    assert order - 0.3 < fitted_slope(COUNTS[order], defects) < order + 1.0
    assert abs(state.work[0]) > 0.05


@pytest.mark.parametrize("name", ["rattle", "shake", "spark4", "spark6", "energy_momentum"])
def test_multipliers_tend_to_those_of_the_accelerations(name):
    reference, errors = Reference(DRIVEN), []
    for n in (32, 64, 128):
        state = Stepper(name, DRIVEN).after(reference.start(), 1 / n, n)
        errors.append(np.abs(state.scratch.multipliers - reference.multipliers(1.0, state.y)).max())
    assert errors[2] < 0.3 * errors[0] < 0.1


# ---- structure -----------------------------------------------------------------------------------
H = 0.15  # a step that shows what is not kept


def tangents(reference, y, t=0.0, tiny=1e-30):
    """A basis of where g and G q̇ + ∂g/∂t stay zero, as columns."""
    both = [
        np.concatenate([reference.constraint(t, z), reference.rate(t, z)]).imag / tiny
        for z in y + 1j * tiny * np.eye(12)
    ]
    return null_space(np.transpose(both))


def defect_of_form(flow, y, basis, epsilon=1e-5):
    """max |Ω(Dξ, Dη) − Ω(ξ, η)| / ‖D‖² over tangent vectors, D by central differences."""
    J = np.block([[np.zeros((6, 6)), np.eye(6)], [-np.eye(6), np.zeros((6, 6))]])
    D = np.transpose(
        [(flow(y + epsilon * x) - flow(y - epsilon * x)) / (2 * epsilon) for x in basis.T]
    )
    return np.abs(D.T @ J @ D - basis.T @ J @ basis).max() / np.linalg.norm(D, 2) ** 2


def runge_kutta_4(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(t + h, y + h * k3))


@pytest.mark.parametrize("name", SYMPLECTIC)
def test_a_step_keeps_the_symplectic_form_of_the_constraint_manifold(name):
    stepper, reference = Stepper(name, METRIC), Reference(METRIC)
    y = reference.start()
    assert defect_of_form(lambda z: stepper.after(z, H, 2).y, y, tangents(reference, y)) < 1e-8


def test_the_measure_of_symplecticity_sees_methods_that_are_not():
    reference, gradient = Reference(METRIC), Stepper("energy_momentum", METRIC)
    y = reference.start()
    basis = tangents(reference, y)
    assert defect_of_form(lambda z: runge_kutta_4(reference.slope, 0.0, z, H), y, basis) > 1e-6
    assert defect_of_form(lambda z: gradient.after(z, H, 2).y, y, basis) > 1e-6


@pytest.mark.parametrize("name", SYMMETRIC)
def test_a_step_back_undoes_a_step_forth(name):
    stepper, y = (
        Stepper(name, rods(metric=0.2, amplitude=0.3, spring=0.5)),
        Reference(rods(amplitude=0.3, metric=0.2)).start(),
    )
    there = stepper.after(y, 0.1, 3).y
    assert np.abs(there - y).max() > 0.1
    assert np.abs(stepper.after(there, -0.1, 3, t0=0.1 * 3).y - y).max() < 1e-12


def test_shake_has_the_positions_of_rattle_but_not_its_momenta():
    y = Reference(DRIVEN).start()
    rattle, shake = (Stepper(name, DRIVEN).after(y, 0.05, 40).y for name in ("rattle", "shake"))
    assert np.abs(rattle - shake)[:6].max() < 1e-12
    assert np.abs(rattle - shake)[6:].max() > 1e-3


# ---- what is kept --------------------------------------------------------------------------------
@pytest.mark.parametrize("amplitude", [0.0, 0.3])
@pytest.mark.parametrize(
    "name", ["rattle", "spark4", "spark6", "suzuki4(rattle)", "energy_momentum"]
)
def test_constraints_hold_to_rounding_over_ten_thousand_steps(name, amplitude):
    """The rounding of the time t = 200 moves a driven pivot by 1.5e-14."""
    system = rods(metric=0.2, amplitude=amplitude)
    stepper, reference = Stepper(name, system), Reference(system)
    state = stepper.start(reference.start())
    samples = stepper.go(state, 0.02, 10_000, samples=200)
    assert state.counts[STATUS] == RUNNING
    assert max(np.abs(reference.constraint(row[0], row[1:13])).max() for row in samples) < (
        5e-14 if amplitude else 2e-15
    )
    swing = max(np.abs(reference.rate(row[0], row[1:13])).max() for row in samples)
    assert (
        1e-6 < swing < 0.02
        if name == "energy_momentum"
        else swing < (2e-13 if amplitude else 1e-14)
    )


@pytest.mark.parametrize("name", ["rattle", "spark4", "spark6"])
def test_energy_errors_do_not_grow_and_the_angular_momentum_is_kept(name):
    stepper, reference, y = Stepper(name, METRIC), Reference(METRIC), Reference(METRIC).start()
    samples = stepper.go(stepper.start(y), 0.02, 10_000, samples=400)
    errors = np.array(
        [reference.energy(0.0, row[1:13]) - reference.energy(0.0, y) for row in samples]
    )
    assert (
        np.abs(errors[300:]).max()
        < 2 * np.abs(errors[:100]).max()
        < {"rattle": 1e-2, "spark4": 1e-5, "spark6": 1e-8}[name]
    )
    turning = [about_the_vertical(row[1:13]) - about_the_vertical(y) for row in samples]
    assert np.abs(turning).max() < 1e-13


def about_the_vertical(y):
    return y[0] * y[7] - y[1] * y[6] + y[3] * y[10] - y[4] * y[9]


def test_the_discrete_gradient_keeps_energy_and_balances_it_with_all_work():
    for system in (METRIC, DRIVEN):
        stepper, reference, y = (
            Stepper("energy_momentum", system),
            Reference(system),
            Reference(system).start(),
        )
        samples = stepper.go(stepper.start(y), 0.02, 5_000, samples=100)
        gained = [
            reference.energy(row[0], row[1:13]) - reference.energy(0.0, y) - row[13]
            for row in samples
        ]
        assert np.abs(gained).max() < 1e-13
    assert np.ptp(samples[:, 13]) > 0.1


def test_the_discrete_gradient_keeps_angular_momentum_where_h_and_g_are_quadratic():
    stepper, y = Stepper("energy_momentum", PENDULUM), Reference(PENDULUM).start()
    samples = stepper.go(stepper.start(y), 0.02, 2_000, samples=100)
    assert (
        max(abs(about_the_vertical(row[1:13]) - about_the_vertical(y)) for row in samples) < 1e-12
    )


@pytest.mark.parametrize("h", [0.05, 1e-4])
@pytest.mark.parametrize("name", ALL)
def test_what_hangs_at_rest_stays_at_rest(name, h):
    """Momenta are then nothing but rounding, and relative changes of them never settle."""
    stepper = Stepper(name, rods(metric=0.2, damping=1.0))
    y = np.array([0, 0, -1.0, 0, 0, -1.8, *np.zeros(6)])
    state = stepper.after(y, h, 500)
    assert np.abs(state.y - y)[:6].max() < 1e-14
    assert name == "shake" or np.abs(state.y[6:]).max() < 1e-13 / h


# ---- the state carries everything ----------------------------------------------------------------
@pytest.mark.parametrize(
    "name", ["rattle", "shake", "spark6", "suzuki4(rattle)", "energy_momentum"]
)
def test_cutting_a_run_changes_no_bit_even_if_another_state_uses_the_same_work_between(name):
    stepper, reference = Stepper(name, DRIVEN), Reference(DRIVEN)
    whole, cut, other = (
        stepper.start(reference.start()),
        stepper.start(reference.start()),
        stepper.start(reference.start(0.5)),
    )
    stepper.go(whole, 0.05, 24)
    for steps in (1, 7, 16):
        stepper.go(cut, 0.05, steps)
        stepper.go(other, 0.03, 2)
    assert np.array_equal(whole.y, cut.y)
    assert np.array_equal(whole.compensation, cut.compensation)
    assert whole.work[0] == cut.work[0]
    assert not np.array_equal(whole.y, other.y)


# ---- no constraints, failures, fits --------------------------------------------------------------
def test_without_constraints_it_is_the_lobatto_pair():
    pair, reference, h = lobatto_pair(3), Reference(FREE), 0.1
    a, hat_a, b = (np.array(x, dtype=float) for x in (pair.q.a, pair.p.a, pair.q.b))
    y = reference.start()

    def defect(slopes):
        k = slopes.reshape(3, 12)
        stages = np.hstack([y[:6] + h * a @ k[:, :6], y[6:] + h * hat_a @ k[:, 6:]])
        return (k - [reference.free(0.0, stage) for stage in stages]).ravel()

    slopes = root(defect, np.tile(reference.free(0.0, y), 3), tol=1e-14).x.reshape(3, 12)
    assert np.abs(Stepper("spark4", FREE).after(y, h, 1).y - (y + h * b @ slopes)).max() < 1e-13


@pytest.mark.parametrize("name", ["rattle", "yoshida6(rattle)", "energy_momentum"])
@pytest.mark.parametrize(
    ("status", "h", "shrunk"), [(NOT_CONVERGED, 4.0, 1.0), (SINGULAR, 0.01, 0.0)]
)
def test_a_step_that_fails_says_why_and_leaves_the_state(name, status, h, shrunk):
    """A step too long; a rod of no length, which has no direction to pull in."""
    stepper, y = Stepper(name, PENDULUM), Reference(PENDULUM).start()
    y[:3] *= shrunk
    state = stepper.start(y)
    stepper.go(state, h, 1)
    assert state.counts[STATUS] == status
    assert np.array_equal(state.y, y)
    assert state.work[0] == 0.0


def test_a_discrete_gradient_refuses_positions_without_momenta():
    integrator = energy_momentum.ENERGY_MOMENTUM
    with pytest.raises(FitError, match="7 positions and 6 momenta"):
        integrator.bind(integrator, SimpleNamespace(layout=(7, 6), facts=Facts(constraints=1)))


def test_the_rods_answer_all_that_is_asked():
    assert not missing_verbs(type(PENDULUM), LISTED[0].needs)
