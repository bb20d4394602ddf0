"""Generalised-α: order in positions, speeds and multipliers, what it keeps, what it damps, how it
fails.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from hamiltree.errors import FitError, OptionError
from hamiltree.formulations.verb_pointers import indirect
from hamiltree.integrators.event_monitor import empty_monitor
from hamiltree.integrators.generalised_alpha import INTEGRATORS, alpha_method
from hamiltree.integrators.integrator import (
    CALLS,
    FRESH,
    NOT_CONVERGED,
    NOT_FINITE,
    RUNNING,
    SINGULAR,
    STATUS,
    STEPS,
    WORST_ROW,
)
from tests.order import alpha_systems as mechanisms

chain, top, spring, chain_at, top_at = (
    mechanisms.chain,
    mechanisms.top,
    mechanisms.spring,
    mechanisms.chain_at,
    mechanisms.top_at,
)
ALPHA = INTEGRATORS[0]
ANGLES = [0.9, 0.3, 0.5, -0.4]
SPIN = [1.0, 3.0, -2.0]


class Running:
    """A mechanism under the method, from t = 0."""

    def __init__(self, system, y, rho, h):
        n = system.layout.momenta
        # also rho = 1, which `bind` may refuse
        self.method = alpha_method(rho, n, n + system.facts.multipliers)
        works = np.zeros(1), np.zeros(1)
        self.handle = indirect(system, *works, ALPHA.needs, ALPHA.width)
        self.h, self.rows = h, len(y)
        self.state = ALPHA.initial_state(np.array(y, dtype=float), self.method)

    def go(self, steps):
        """States after each step, then the work."""
        samples, done = np.zeros((steps, self.rows + 2)), int(self.state.counts[STEPS])
        monitor = empty_monitor(self.rows)
        return samples[
            : ALPHA.advance(
                self.handle, self.method, self.state, monitor, 0.0, done, self.h, steps, 1, samples
            ),
            1:,
        ]

    def done(self, steps):
        samples = self.go(steps)
        assert self.state.counts[STATUS] == RUNNING
        return samples


def chain_errors(rho, n, until=1.0):
    running, exact = (
        Running(chain(), chain_at(0.0, ANGLES).y, rho, until / n),
        chain_at(until, ANGLES),
    )
    y = running.done(n)[-1]
    return [
        np.abs(y[:4] - exact.y[:4]).max(),
        np.abs(y[4:8] - exact.y[4:]).max(),
        errors_in_multipliers(running, exact.multipliers),
    ]


def errors_in_multipliers(running, exact):
    return np.abs(running.state.scratch.held[running.method.speeds :] - exact).max()


def top_start():
    _, y, _ = top_at(0.0, SPIN)
    return [*y[:3], 1.0, 0.0, 0.0, 0.0, *y[3:]]


def top_errors(rho, n, until=1.0):
    running, (R, exact, push) = Running(top(), top_start(), rho, until / n), top_at(until, SPIN)
    y = running.done(n)[-1]
    turned = Rotation.from_quat(y[3:7], scalar_first=True).as_matrix()
    return [
        np.abs(turned - R).max(),
        np.abs(y[7:13] - exact[3:]).max(),
        errors_in_multipliers(running, push),
    ]


# ---- order ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("errors", [chain_errors, top_errors])
@pytest.mark.parametrize("rho", [0.8, 0.0])
def test_positions_speeds_and_multipliers_are_of_order_two(errors, rho):
    found = np.array([errors(rho, n) for n in (200, 400, 800)])
    slopes = np.log2(found[:-1] / found[1:])
    assert np.abs(slopes - 2.0).max() < 0.2, f"{slopes}"


@pytest.mark.parametrize("errors", [chain_errors, top_errors])
def test_without_damping_positions_and_speeds_are_of_order_two_but_multipliers_do_not_converge(
    errors,
):
    found = np.array([errors(1.0, n) for n in (100, 200, 400)])
    slopes = np.log2(found[:-1] / found[1:])
    assert np.abs(slopes[:, :2] - 2.0).max() < 0.1
    assert np.abs(slopes[:, 2]).max() < 0.1


def test_the_work_of_drag_balances_the_energy_to_order_two():
    def imbalance(n):
        samples = Running(chain(drag=0.6), chain_at(0.0, ANGLES).y, 0.8, 1.0 / n).done(n)
        assert samples[-1, -1] < -1.0
        return (
            energy_of_chain(samples[-1])
            - energy_of_chain(chain_at(0.0, ANGLES).y)
            - samples[-1, -1]
        )

    found = np.array([imbalance(n) for n in (200, 400, 800)])
    assert np.abs(np.log2(found[:-1] / found[1:]) - 2.0).max() < 0.2


def energy_of_chain(y):
    return sum(
        mass * (0.5 * y[4 + k : 6 + k] @ y[4 + k : 6 + k] + 9.81 * y[1 + k])
        for mass, k in ((mechanisms.M1, 0), (mechanisms.M2, 2))
    )


# ---- constraints ---------------------------------------------------------------------------------
def gaps_of_chain(samples):
    near, far = samples[:, :2], samples[:, 2:4] - samples[:, :2]
    return np.abs(
        [np.linalg.norm(near, axis=1) - mechanisms.L1, np.linalg.norm(far, axis=1) - mechanisms.L2]
    ).max()


def slips_of_chain(samples):
    near, far = samples[:, :2], samples[:, 2:4] - samples[:, :2]
    return np.abs(
        [(near * samples[:, 4:6]).sum(1), (far * (samples[:, 6:8] - samples[:, 4:6])).sum(1)]
    ).max()


def test_positions_meet_their_constraints_to_rounding():
    assert gaps_of_chain(Running(chain(), chain_at(0.0, ANGLES).y, 0.8, 0.01).done(1000)) < 2e-15
    samples = Running(top(), top_start(), 0.8, 0.01).done(1000)
    places = Rotation.from_quat(samples[:, 3:7], scalar_first=True).apply(
        [0.0, mechanisms.ARM, 0.0]
    )
    # the norm of the quaternion drifts by rounding
    assert np.abs(samples[:, :3] - places).max() < 2e-14


def test_speeds_miss_their_constraints_by_order_two_without_growing():
    coarse, fine = (
        Running(chain(), chain_at(0.0, ANGLES).y, 0.8, 0.01 / n).done(2000 * n) for n in (1, 2)
    )
    assert slips_of_chain(coarse[1000:]) < 2.0 * slips_of_chain(coarse[:1000])
    assert 3.0 < slips_of_chain(coarse[:500]) / slips_of_chain(fine[:1000]) < 5.0


def test_steps_of_a_microsecond_are_solved():
    """Rounding of positions over h² is what multipliers keep of it: 1e-16 / 1e-12 a unit of
    mass.
    """
    running = Running(chain(), chain_at(0.0, ANGLES).y, 0.8, 1e-6)
    assert gaps_of_chain(running.done(200)) < 2e-15
    assert errors_in_multipliers(running, chain_at(2e-4, ANGLES).multipliers) < 0.1


# ---- damping -------------------------------------------------------------------------------------
@pytest.mark.parametrize("rho", [1.0, 0.8, 0.4, 0.0])
def test_what_is_infinitely_fast_shrinks_by_rho_in_a_step(rho):
    """The largest eigenvalue of one step as a map of (x − 1, v, a), for h ω = 1e3."""
    columns = []
    for x, v, a in np.diag([1e-7, 0.1, 0.1]):
        running = Running(spring(1e6), [1.0 + x, 0.0, v, 0.0], rho, 1.0)
        scratch, running.state.counts[FRESH] = running.state.scratch, 0
        scratch.held[:], scratch.auxiliary[:] = [-1e6 * x, 0.0], [a, 0.0]
        y = running.done(1)[-1]
        columns.append([(y[0] - 1.0) / 1e-7, y[2] / 0.1, scratch.auxiliary[0] / 0.1])
    assert np.abs(np.linalg.eigvals(np.array(columns))).max() == pytest.approx(rho, abs=0.02)


def spring_energy(y, stiffness):
    return 0.5 * (y[2:4] @ y[2:4]) + 0.5 * stiffness * (np.hypot(y[0], y[1]) - 1.0) ** 2


def test_rho_one_keeps_a_fast_oscillation_and_rho_zero_damps_it_away():
    stiffness = 1e8  # a period of 0.6 ms
    start = np.array([1.001, 0.0, 0.0, 0.0])
    kept, damped = (Running(spring(stiffness), start, rho, 0.01).done(50)[-1] for rho in (1.0, 0.0))
    assert spring_energy(kept, stiffness) == pytest.approx(
        spring_energy(start, stiffness), rel=1e-7
    )
    assert spring_energy(damped, stiffness) < 1e-12 * spring_energy(start, stiffness)


def test_a_stiff_spring_swings_like_a_rod_in_steps_far_above_its_period():
    exact = solve_ivp(
        lambda t, z: [z[1], -9.81 * np.sin(z[0])],
        (0.0, 2.0),
        [1.0, 0.0],
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
    ).y[0, -1]
    y = Running(spring(1e8, 9.81), [np.sin(1.0), -np.cos(1.0), 0.0, 0.0], 0.8, 0.01).done(200)[-1]
    assert np.abs(y[:2] - [np.sin(exact), -np.cos(exact)]).max() < 2e-3


# ---- machinery -----------------------------------------------------------------------------------
def test_a_run_may_be_cut_anywhere():
    whole, parts = (Running(chain(drag=0.1), chain_at(0.0, ANGLES).y, 0.8, 0.01) for _ in range(2))
    samples = whole.done(120)
    assert np.array_equal(samples, np.concatenate([parts.done(n) for n in (1, 2, 57, 60)]))


def test_the_matrix_is_kept_over_steps():
    running = Running(chain(), chain_at(0.0, ANGLES).y, 0.8, 1e-3)
    running.done(200)
    # measured in every step: 8 to begin with, then the iterations
    assert running.state.counts[CALLS] < 200 * 10


def test_constraints_that_depend_on_each_other_are_noticed():
    running = Running(chain(multipliers=3), chain_at(0.0, ANGLES).y, 0.8, 0.01)
    assert len(running.go(3)) == 0
    assert running.state.counts[STATUS] == SINGULAR


@pytest.mark.parametrize(
    ("system", "y", "h", "status"),
    [
        (chain(), chain_at(0.0, ANGLES).y, 1.5, NOT_CONVERGED),
        (spring(1.0), np.array([0.0, 0.0, 1.0, 0.0]), 0.1, NOT_FINITE),
    ],
)
def test_a_step_that_fails_leaves_the_state_and_names_a_speed(system, y, h, status):
    running = Running(system, y, 0.8, h)
    assert len(running.go(1)) == 0
    assert running.state.counts[STATUS] == status
    assert np.array_equal(running.state.y, y)
    assert running.state.work[0] == 0.0
    assert system.layout.positions <= running.state.counts[WORST_ROW] < len(y)


def test_damping_is_one_minus_rho():
    assert (
        ALPHA.with_options({"damping": 0.25}).method
        == ALPHA.with_options({"rho": 0.75}).method
        == alpha_method(0.75)
    )
    assert ALPHA.with_options({"damping": 0.25, "rho": 0.75}).method == alpha_method(0.75)


@pytest.mark.parametrize(
    "options",
    [
        {"rho": 1.1},
        {"rho": -0.1},
        {"rho": "high"},
        {"rho": np.nan},
        {"damping": 2},
        {"rho": 0.5, "damping": 0.2},
    ],
)
def test_options_out_of_range_or_at_odds_are_refused(options):
    with pytest.raises(OptionError, match="rho|damping"):
        ALPHA.with_options(options)


def test_it_must_be_fitted_to_the_unknowns_of_a_system():
    with pytest.raises(FitError, match="bind"):
        ALPHA.initial_state(np.array(top_start()), ALPHA.method)
    fitted = ALPHA.bind(ALPHA, top())
    assert (fitted.method.speeds, fitted.method.unknowns, fitted.method.rho) == (6, 9, 0.8)


def test_rho_one_is_refused_only_where_there_are_constraints():
    undamped = ALPHA.with_options({"rho": 1.0})
    assert undamped.bind(undamped, spring(1.0)).method.unknowns == 2
    with pytest.raises(FitError, match="rho = 0.95"):
        undamped.bind(undamped, chain())
