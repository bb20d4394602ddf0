"""Integrators that choose their own steps: what their estimates promise is measured against exact
solutions.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.compiled.number import fma, load, root, sincos, store
from hamiltree.compiled.user_code import code_table, compile_law_function
from hamiltree.errors import OptionError
from hamiltree.formulations.tree import hamiltonian_tree
from hamiltree.formulations.verb_pointers import indirect
from hamiltree.integrators import adaptive, implicit, radau, runge_kutta
from hamiltree.integrators.adaptive_steps import LENGTH, interpolate_increments, with_fixed_step
from hamiltree.integrators.crossing_location import locate_crossings
from hamiltree.integrators.embedded import PAIRS
from hamiltree.integrators.event_monitor import empty_monitor, new_monitor
from hamiltree.integrators.implicit_solver import NEWTON
from hamiltree.integrators.integrator import (
    CALLS,
    CONTROLLER_MEMORY,
    END_TIME,
    FRESH,
    GRID_INDEX,
    NOT_CONVERGED,
    NOT_FINITE,
    REJECTED,
    RUNNING,
    STATUS,
    STEP_TOO_SMALL,
    STEPS,
    STIFF,
    TIME,
    WORST_ROW,
)
from hamiltree.integrators.radau_dense import form_dense_step
from hamiltree.integrators.reversible import reversible, with_density
from hamiltree.model import JointDamper, library
from hamiltree.verbs import Facts, Layout, rates

METHODS = {
    integrator.name: integrator for integrator in (*adaptive.INTEGRATORS, *radau.INTEGRATORS)
}
PAIR_NAMES = [pair.name for pair in PAIRS]
GAUSS = next(integrator for integrator in implicit.INTEGRATORS if integrator.name == "gauss4")
TURN = 0.5  # rad/s of the frame


# ---- problems with exact solutions ---------------------------------------------------------------
ORBIT, RELAXATION, POLE = range(3)


class Toy(NamedTuple):
    """One type for all, so that its verbs are compiled once."""

    layout: Layout
    kind: int
    number: float
    facts: Facts = Facts()


@rates.method(Toy)
def toy_rates(system, work, t, y, ydot):
    # H = p²/2 − 1/r − number (x p_y − y p_x): Kepler's problem in a turning frame, not separable
    if system.kind == ORBIT:
        x, z, u, v, turn = load(y, 0), load(y, 1), load(y, 2), load(y, 3), system.number
        squared = fma(x, x, z * z)
        pull = 1.0 / (squared * root(squared))
        store(ydot, 0, fma(turn, z, u))
        store(ydot, 1, fma(-turn, x, v))
        store(ydot, 2, fma(-pull, x, turn * v))
        store(ydot, 3, fma(-pull, z, -turn * u))
    elif system.kind == RELAXATION:  # to cos t
        _, cosine = sincos(t)
        store(ydot, 0, (load(y, 0) - cosine) * -system.number)
    else:  # H = p q²: q = q₀ / (1 − q₀ t)
        q, p = load(y, 0), load(y, 1)
        store(ydot, 0, q * q)
        store(ydot, 1, -2.0 * p * q)


def orbit_start(e):
    return np.array([1 - e, 0.0, 0.0, np.sqrt((1 + e) / (1 - e))])


def orbit_at(e, t, turn=TURN):
    """By Kepler's equation, then into the turning frame."""
    t = np.asarray(t, dtype=float)
    E = t.copy()
    for _ in range(100):
        E -= (E - e * np.sin(E) - t) / (1 - e * np.cos(E))
    b, rate = np.sqrt(1 - e * e), 1 / (1 - e * np.cos(E))
    position, momentum = (
        (np.cos(E) - e) + 1j * b * np.sin(E),
        (-np.sin(E) + 1j * b * np.cos(E)) * rate,
    )
    position, momentum = position * np.exp(-1j * turn * t), momentum * np.exp(-1j * turn * t)
    return np.stack([position.real, position.imag, momentum.real, momentum.imag], axis=-1)


def orbit_energy(y, turn=TURN):
    x, z, u, v = np.moveaxis(y, -1, 0)
    return (u * u + v * v) / 2 - 1 / np.hypot(x, z) - turn * (x * v - z * u)


class Running:
    """A toy under an integrator, from t = 0 to `until` over a grid."""

    def __init__(
        self, integrator, y, until, points, kind=ORBIT, number=TURN, monitor=None, interpreted=False
    ):
        self.integrator, self.method = integrator, integrator.method
        self.system = Toy(Layout(len(y) - len(y) // 2, len(y) // 2), kind, number)
        parts = (self.system, np.zeros(1), np.zeros(1))
        self.handle, self.advance = (
            (parts, integrator.advance.py_func)
            if interpreted
            else (indirect(*parts, integrator.needs, integrator.width), integrator.advance)
        )
        self.state = integrator.initial_state(np.array(y, dtype=float), self.method)
        self.state.clock[END_TIME] = until
        self.monitor = empty_monitor(len(y)) if monitor is None else monitor
        self.h, self.points, self.served = until / points, points, 0

    def go(self, steps=None, save_every=1):
        steps = self.points - self.served if steps is None else steps
        samples = np.full((steps // save_every + 1, len(self.state.y) + 2), np.nan)
        saved = self.advance(
            self.handle,
            self.method,
            self.state,
            self.monitor,
            0.0,
            self.served,
            self.h,
            steps,
            save_every,
            samples,
        )
        self.served += steps
        return samples[:saved]

    def done(self):
        samples = self.go()
        assert self.state.counts[STATUS] == RUNNING
        return samples


def orbit_run(name, tolerance, e=0.5, until=20.0, points=97):
    running = Running(
        METHODS[name].with_options({"tolerance": tolerance}), orbit_start(e), until, points
    )
    return running, running.done()


# ---- order and error -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "coarse"),
    [("dormand_prince5", 80), ("tsitouras5", 80), ("dop853", 10), ("radau5", 20)],
)
def test_the_main_formula_has_the_claimed_order(name, coarse):
    """Over two halvings: the eighth order meets rounding in the third."""
    integrator, e, until = with_fixed_step(METHODS[name]), 0.3, 2.0
    steps = [coarse, 2 * coarse, 4 * coarse]
    errors = [
        np.abs(
            Running(integrator, orbit_start(e), until, n).done()[-1, 1:5] - orbit_at(e, until)
        ).max()
        for n in steps
    ]
    slope = -np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert errors[-1] > 1e-14, "the finest error must be above the round-off floor"
    assert integrator.order - 0.3 < slope < integrator.order + 0.5, (
        f"slope {slope:.2f}, errors {errors}"
    )


@pytest.mark.parametrize("name", METHODS)
def test_the_global_error_is_proportional_to_the_tolerance(name):
    tolerances = 10.0 ** -np.arange(6, 13)
    errors = []
    for tolerance in tolerances:
        _, samples = orbit_run(name, tolerance)
        errors.append(np.abs(samples[:, 1:5] - orbit_at(0.5, samples[:, 0])).max())
    slope = np.polyfit(np.log(tolerances), np.log(errors), 1)[0]
    assert 0.75 < slope < 1.25, f"slope {slope:.2f}, errors {errors}"


@pytest.mark.parametrize(
    ("name", "dense_order"), [("dormand_prince5", 4), ("tsitouras5", 4), ("dop853", 7)]
)
def test_the_dense_output_has_the_order_that_its_pair_claims(name, dense_order):
    """One step, seven points inside."""
    lengths, errors = [0.8, 0.4, 0.2], []
    for h in lengths:
        running = Running(
            METHODS[name].with_options({"rtol": 0.1, "atol": 0.1, "first_step": h}),
            orbit_start(0.2),
            h,
            8,
        )
        samples = running.done()
        assert running.state.counts[STEPS] == 1
        errors.append(np.abs(samples[:-1, 1:5] - orbit_at(0.2, samples[:-1, 0])).max())
    slope = np.polyfit(np.log(lengths), np.log(errors), 1)[0]
    assert dense_order + 0.7 < slope < dense_order + 2, f"slope {slope:.2f}, errors {errors}"


def errors_inside_and_at_ends(running, exact):
    """The largest error of samples from the third step on, and of the ends of all steps."""
    inside, ends, state = [0.0], [0.0], running.state
    while running.served < running.points:
        taken = state.counts[STEPS]
        (sample,) = running.go(1)
        if state.counts[STEPS] > taken:
            ends.append(np.abs(state.y - exact(state.clock[TIME])).max())
        if state.counts[STEPS] > 2:
            inside.append(np.abs(sample[1:-1] - exact(sample[0])).max())
    assert state.counts[STATUS] == RUNNING
    return max(inside), max(ends)


def test_the_dense_output_of_radau_has_order_four():
    """Of steps whose stages are iterated to rounding; interpreted. Its collocation
    polynomial would have order three.
    """
    lengths, errors, integrator = [0.1, 0.05, 0.025], [], METHODS["radau5"]
    for h in lengths:
        running = Running(with_fixed_step(integrator), orbit_start(0.2), 4 * h, 4)
        state, samples, inside, length = running.state, np.zeros((1, 6)), [], 0.0
        for k in range(4):
            begun, scratch = state.y.copy(), state.scratch
            scratch.first[:] = slope_of(running.system, begun)
            running.go(1)
            radau.smoothed_error(integrator.method, state, h, scratch.first, 1e-8, 1e-8)
            scratch.dense.estimate[:] = scratch.error
            form_dense_step(integrator.method, scratch, state.scale, length, h)
            length = h
            for x in (0.1, 0.3, 0.5, 0.8):
                interpolate_increments(
                    integrator.method, running.system, np.zeros(1), state, x, samples, 0
                )
                inside.append(np.abs(begun + samples[0, 1:5] - orbit_at(0.2, (k + x) * h)).max())
        errors.append(max(inside[8:]))
    slope = np.polyfit(np.log(lengths), np.log(errors), 1)[0]
    assert 4.7 < slope < 6.5, f"slope {slope:.2f}, errors {errors}"


def relaxation_at(k, start, t):
    """(k² cos t + k sin t) / (1 + k²), and what is left of the start."""
    settled = (k * k * np.cos(t) + k * np.sin(t)) / (1 + k * k)
    return settled + (start - k * k / (1 + k * k)) * np.exp(-k * t)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("k", [1.0, 30.0, 1e3, 1e6])
def test_radau_is_as_good_between_its_steps_as_at_their_ends(k, tolerance):
    """Of a relaxation, errors die out: those inside a step are not hidden by older ones."""
    integrator = METHODS["radau5"].with_options({"tolerance": tolerance})
    running = Running(integrator, [2.0], 10.0, 4001, kind=RELAXATION, number=k)
    inside, ends = errors_inside_and_at_ends(running, lambda t: relaxation_at(k, 2.0, t))
    assert inside < 3 * max(ends, tolerance), f"{inside:.1e} inside, {ends:.1e} at the ends"


# ---- the grid ------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("save_every", [1, 3])
def test_samples_do_not_depend_on_how_the_grid_is_cut(name, save_every):
    whole, cut = (Running(METHODS[name], orbit_start(0.5), 20.0, 97) for _ in range(2))
    samples = whole.go(save_every=save_every)
    pieces = [cut.go(steps, save_every) for steps in (1, 2, 0, 3, 40, 50, 1)]
    np.testing.assert_array_equal(np.concatenate(pieces), samples)
    np.testing.assert_array_equal(cut.state.counts, whole.state.counts)
    assert len(samples) == 97 // save_every
    assert whole.state.counts[GRID_INDEX] == 97


@pytest.mark.parametrize("name", METHODS)
def test_the_run_ends_at_its_end_exactly_and_the_last_sample_is_the_state(name):
    running, samples = orbit_run(name, 1e-7, until=7.3, points=13)
    assert running.state.clock[TIME] == 7.3
    np.testing.assert_array_equal(samples[-1, 1:5], running.state.y)


def test_a_dense_grid_costs_dop853_three_more_stages_a_step_and_the_others_none():
    for name, stages in (("dormand_prince5", 6), ("tsitouras5", 6), ("dop853", 12)):
        counts = [
            orbit_run(name, 1e-8, points=points)[0].state.counts.copy() for points in (1, 10_000)
        ]
        tried = counts[0][STEPS] + counts[0][REJECTED]
        assert counts[0][CALLS] == 2 + stages * tried
        assert counts[1][CALLS] - counts[0][CALLS] == (
            3 * counts[0][STEPS] if name == "dop853" else 0
        )


@pytest.mark.parametrize("name", METHODS)
def test_no_step_is_longer_than_the_largest_and_the_first_is_the_given(name):
    integrator = METHODS[name].with_options(
        {"largest_step": 0.05, "first_step": 1e-3, "rtol": 1e-3}
    )
    running = Running(integrator, orbit_start(0.1), 2.0, 2000)
    running.go(1)
    assert running.state.scratch.last_step.facts[LENGTH] == 1e-3
    lengths = []
    while running.state.clock[TIME] < 2.0:
        running.go(1)
        lengths.append(running.state.scratch.last_step.facts[LENGTH])
    assert 0.04 < max(lengths) <= 0.05 + 1e-15


def test_an_event_that_may_end_the_run_returns_at_once_and_the_points_before_it_can_be_served():
    """Half a period after the start z falls through zero, at t = π in the frame at rest."""

    def falls(t, x, out):
        out[0] = x[1]

    for name in METHODS:
        monitor = new_monitor(
            4, code_table([compile_law_function(falls, 8, 1)]), [], [-1], [1], [[0, 0]], 0, False
        )
        integrator = METHODS[name].with_options({"tolerance": 1e-10})
        running = Running(integrator, orbit_start(0.5), 20.0, 20_000, number=0.0, monitor=monitor)
        running.go()
        state, last = running.state, int(running.state.counts[GRID_INDEX])
        assert last * running.h <= state.scratch.last_step.facts[0] < np.pi <= state.clock[TIME]
        found = locate_crossings(
            running.handle,
            integrator.method,
            integrator.initial_state(state.y, integrator.method),
            monitor,
        )
        assert found.t == pytest.approx([np.pi], abs=1e-8)
        taken, running.served = state.counts[STEPS], last
        served = running.go(int(np.pi / running.h) - last)
        np.testing.assert_allclose(served[:, 1:5], orbit_at(0.5, served[:, 0], turn=0.0), atol=1e-7)
        assert len(served) > 0
        assert state.counts[STEPS] == taken


# ---- what goes wrong -----------------------------------------------------------------------------
@pytest.mark.parametrize("name", METHODS)
def test_a_pole_stops_the_run_there(name):
    """q = 1 / (1 − t)."""
    running = Running(METHODS[name], [1.0, 1.0], 2.0, 99, kind=POLE)
    samples = running.go()
    counts, t = running.state.counts, running.state.clock[TIME]
    assert counts[STATUS] == STEP_TOO_SMALL
    assert t == pytest.approx(1.0, abs=1e-6)
    assert counts[WORST_ROW] == 0
    assert len(samples) == counts[GRID_INDEX] == 49
    np.testing.assert_allclose(samples[:, 1], 1 / (1 - samples[:, 0]), rtol=1e-4)


@pytest.mark.parametrize("name", METHODS)
def test_a_start_without_a_finite_slope_is_named(name):
    running = Running(METHODS[name], [0.0, 0.0, 0.0, 1.0], 1.0, 10)
    running.go()
    assert running.state.counts[STATUS] == NOT_FINITE
    assert running.state.counts[WORST_ROW] in (2, 3)


@pytest.mark.parametrize("name", PAIR_NAMES)
def test_a_stiff_problem_is_seen_to_be_stiff_and_an_orbit_is_not(name):
    running = Running(METHODS[name], [1.0], 1.0, 10, kind=RELAXATION, number=1e5)
    running.done()
    assert running.state.counts[STIFF] > 0
    for tolerance in (1e-3, 1e-5, 1e-8, 1e-11):
        assert orbit_run(name, tolerance, e=0.7)[0].state.counts[STIFF] == 0


def test_radau_takes_few_steps_where_a_pair_needs_many():
    """To cos t with rate k: y = (k² cos t + k sin t) / (1 + k²) after the transient."""
    k, steps = 1e6, {}
    for name in ("radau5", "dormand_prince5"):
        running = Running(
            METHODS[name],
            [2.0],
            0.2 if name == "dormand_prince5" else 10.0,
            20,
            kind=RELAXATION,
            number=k,
        )
        samples = running.done()
        steps[name] = running.state.counts[STEPS]
        t = samples[:, 0]
        np.testing.assert_allclose(
            samples[:, 1], (k * k * np.cos(t) + k * np.sin(t)) / (1 + k * k), atol=3e-7
        )
    assert steps["radau5"] < 300
    assert steps["dormand_prince5"] > 10_000


@pytest.mark.parametrize("name", ["tolerance", "rtol", "atol", "first_step", "largest_step"])
@pytest.mark.parametrize("value", [0.0, -1e-3, np.nan, np.inf, "1e-6", True, None])
def test_options_out_of_range_are_refused_by_name(name, value):
    with pytest.raises(OptionError, match=f"^{name} = "):
        METHODS["dop853"].with_options({name: value})


def test_tolerances_below_rounding_and_unknown_options_are_refused():
    for name in ("tolerance", "rtol"):
        with pytest.raises(OptionError, match="from 1e-14 to 0.1"):
            METHODS["radau5"].with_options({name: 1e-15})
    with pytest.raises(
        OptionError, match="no option 'tolerence'; it takes tolerance, .* did you mean 'tolerance'"
    ):
        METHODS["radau5"].with_options({"tolerence": 1e-6})


# ---- trees ---------------------------------------------------------------------------------------
def tree_run(model, integrator, q, until, points):
    system = hamiltonian_tree.assemble(assemble_at_start(model))
    works = (
        hamiltonian_tree.workspace(system, integrator.width),
        hamiltonian_tree.workspace(system, 1),
    )
    handle = indirect(system, *works, integrator.needs, integrator.width)
    state = integrator.initial_state(np.concatenate([q, 0 * q]), integrator.method)
    state.clock[END_TIME] = until
    samples = np.zeros((points, 2 + 2 * len(q)))
    saved = integrator.advance(
        handle,
        integrator.method,
        state,
        empty_monitor(2 * len(q)),
        0.0,
        0,
        until / points,
        points,
        1,
        samples,
    )
    assert saved == points
    assert state.counts[STATUS] == RUNNING
    return state, samples


@pytest.mark.parametrize("name", ["dop853", "radau5"])
def test_the_energy_balance_holds_between_the_steps(name, bind, with_every_law):
    """H(t) − H(0) is the work of dampers and loads at every point of the grid."""
    model = with_every_law(library.tree(3, seed=4))
    q = model.start()[0]
    _, samples = tree_run(model, METHODS[name].with_options({"tolerance": 1e-9}), q, 1.0, 50)
    bound, n = bind(model), len(q)
    energies = np.array(
        [bound.hamiltonian(row[1 : 1 + n], row[1 + n : 1 + 2 * n]) for row in samples]
    )
    gained = energies - bound.hamiltonian(q, 0 * q)
    assert np.abs(samples[:, -1]).max() > 0.1, "there must be work"
    np.testing.assert_allclose(samples[:, -1], gained, atol=1e-5 * np.abs(gained).max())


def test_radau_follows_a_double_pendulum_in_honey(bind):
    """A damper of 1e6 in one joint; against SciPy's BDF on the same equations."""
    model = library.n_pendulum(2, angles=(1.0, 0.5))
    model = replace(model, forces=(JointDamper(model.coordinates[0], 1e6),))
    q, bound = model.start()[0], bind(model)
    state, samples = tree_run(model, METHODS["radau5"], q, 5.0, 25)

    def slope(t, y):
        return np.concatenate(bound.rates(y[:2], y[2:]))

    other = solve_ivp(
        slope,
        (0, 5.0),
        np.concatenate([q, 0 * q]),
        method="BDF",
        t_eval=samples[:, 0],
        rtol=1e-9,
        atol=1e-11,
    )
    np.testing.assert_allclose(samples[:, 1:5], other.y.T, atol=1e-5)
    assert state.counts[STEPS] < 2000


# ---- compiled and interpreted --------------------------------------------------------------------
@pytest.mark.parametrize("name", [*METHODS, "reversible"])
def test_compiled_equals_interpreted(name):
    integrator = (
        reversible(GAUSS)
        if name == "reversible"
        else METHODS[name].with_options({"tolerance": 1e-6})
    )
    runs = [
        Running(integrator, orbit_start(0.3), 0.6, 6, interpreted=interpreted)
        for interpreted in (False, True)
    ]
    compiled, interpreted = (running.done() for running in runs)
    np.testing.assert_allclose(interpreted, compiled, rtol=1e-11, atol=1e-12)
    np.testing.assert_array_equal(
        runs[0].state.counts[[STEPS, REJECTED]], runs[1].state.counts[[STEPS, REJECTED]]
    )


# ---- reversible steps ----------------------------------------------------------------------------
FLIP = np.array(
    [1.0, -1.0, -1.0, 1.0]
)  # z → −z, p_x → −p_x turns the motion round, in a turning frame too


def density_of_radius(t, x, out):
    """σ = r^(3/2) and its gradient."""
    r = np.sqrt(x[0] ** 2 + x[1] ** 2)
    out[0], out[1], out[2], out[3], out[4] = (
        r**1.5,
        1.5 * x[0] / np.sqrt(r),
        1.5 * x[1] / np.sqrt(r),
        0.0,
        0.0,
    )


def wanted_steps(kind):
    integrator = reversible(GAUSS)
    return (
        with_density(integrator, compile_law_function(density_of_radius, 4, 5))
        if kind == "code"
        else integrator
    )


def own_steps(running, epsilon, number):
    running.h = epsilon
    return running.go(number)


@pytest.mark.parametrize("kind", ["default", "code"])
@pytest.mark.parametrize("e", [0.6, 0.9])
def test_reversible_steps_forth_and_back_return(kind, e):
    """Turned round, the motion retraces its own steps of varying length."""
    y, number, epsilon = orbit_start(e), 1000, 0.02 * (1 - e)
    running = Running(wanted_steps(kind), y, 1e6, 1)
    forth = own_steps(running, epsilon, number)
    lengths = np.diff(forth[:, 0], prepend=0.0)
    assert lengths.max() > 4 * lengths.min()
    state = running.state
    state.y[:], state.compensation[:] = state.y * FLIP, state.compensation * FLIP
    state.counts[FRESH] = 1
    back = own_steps(running, epsilon, number)
    np.testing.assert_allclose(state.y * FLIP, y, rtol=0, atol=1e-11 if e < 0.8 else 5e-11)
    np.testing.assert_allclose(np.diff(back[:, 0], prepend=forth[-1, 0])[::-1], lengths, rtol=1e-9)
    assert state.clock[CONTROLLER_MEMORY] == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize("kind", ["default", "code"])
def test_the_density_follows_the_wanted_step(kind):
    """ρ σ stays near one along the orbit, and steps near the centre are as short as wanted."""
    y = orbit_start(0.8)
    samples = own_steps(Running(wanted_steps(kind), y, 1e6, 1), 0.002, 4000)
    lengths, states = np.diff(samples[:, 0]), samples[:-1, 1:5]
    system = Toy(Layout(2, 2), ORBIT, TURN)
    speed = np.array([np.linalg.norm(slope_of(system, state)) for state in states])
    radius = np.hypot(states[:, 0], states[:, 1])
    sigma = (
        np.linalg.norm(slope_of(system, y)) / speed if kind == "default" else (radius / 0.2) ** 1.5
    )
    np.testing.assert_allclose(lengths, 0.002 * sigma, rtol=0.05)


def slope_of(system, y):
    slope = np.zeros_like(y)
    rates(system, None, 0.0, y, slope)
    return slope


def test_energy_does_not_drift_with_reversible_steps_and_does_with_a_pair():
    """Some 600 periods: the largest error of the last tenth against that of the first."""
    e, until = 0.6, 4000.0
    y = orbit_start(e)
    running = Running(reversible(GAUSS), y, until, 1)
    samples = own_steps(running, 0.02, 400_000)
    assert running.state.clock[TIME] == until
    errors = np.abs(orbit_energy(samples[:, 1:5]) - orbit_energy(y))
    tenth = len(errors) // 10
    assert errors[-tenth:].max() < 1.05 * errors[:tenth].max()
    pair = Running(
        METHODS["dormand_prince5"].with_options({"tolerance": 1e-6}), y, until, 4000
    ).done()
    drift = np.abs(orbit_energy(pair[:, 1:5]) - orbit_energy(y))
    assert drift[-400:].max() > 5 * drift[:400].max()


def test_reversible_steps_converge_with_the_order_of_their_method():
    e, until = 0.6, 10.0
    lengths, errors = [0.02, 0.01, 0.005], []
    for epsilon in lengths:
        running = Running(reversible(GAUSS), orbit_start(e), until, 1)
        own_steps(running, epsilon, 100_000)
        assert running.state.clock[TIME] == until
        errors.append(np.abs(running.state.y - orbit_at(e, until)).max())
    slope = np.polyfit(np.log(lengths), np.log(errors), 1)[0]
    assert 3.8 < slope < 4.3, f"slope {slope:.2f}, errors {errors}"


def test_a_first_step_too_long_for_the_density_fails_with_a_status():
    """Just after the closest approach the density falls, by more in such a step than there is."""
    y = orbit_at(0.9, 0.05, turn=0.0)
    running = Running(reversible(GAUSS), y, 100.0, 1, number=0.0)
    own_steps(running, 1.0, 100)
    assert running.state.counts[STATUS] == NOT_CONVERGED
    np.testing.assert_array_equal(running.state.y, y)


def test_only_symmetric_methods_of_fixed_steps_can_be_made_reversible():
    rk4 = next(integrator for integrator in runge_kutta.INTEGRATORS if integrator.name == "rk4")
    with pytest.raises(OptionError, match="rk4 is not symmetric"):
        reversible(rk4)
    for integrator in (METHODS["dop853"], reversible(GAUSS)):
        with pytest.raises(OptionError, match="chooses its own steps"):
            reversible(integrator)


def test_a_reversible_method_claims_what_it_is():
    made = reversible(GAUSS)
    assert made.name == "reversible(gauss4)"
    assert made.is_symmetric and made.is_adaptive and not made.is_symplectic
    assert made.with_options({"solver": "newton"}).method.inner.solver == NEWTON
