"""Splittings, Tao's doubled phase space and the discrete gradient: order, structure, what they
keep, and how they fail.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import root

from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.errors import FitError, OptionError
from hamiltree.formulations import phase_space
from hamiltree.formulations.tree import hamiltonian_tree
from hamiltree.formulations.verb_pointers import indirect
from hamiltree.integrators import discrete_gradient, splitting, tao
from hamiltree.integrators.event_monitor import empty_monitor
from hamiltree.integrators.integrator import (
    CALLS,
    FRESH,
    NEEDS_MATRIX,
    RUNNING,
    STATUS,
    STEPS,
    step,
)
from hamiltree.integrators.splittings import SPLITTINGS
from hamiltree.model import JointDamper, library
from hamiltree.symbolic.calculus import compile_hamiltonian
from hamiltree.symbolic.grammar import parse
from hamiltree.verbs import missing_verbs

SPLIT = {
    coefficients.name: splitting.splitting_integrator(coefficients) for coefficients in SPLITTINGS
}
TAO = {integrator.name: integrator for integrator in tao.INTEGRATORS}
GRADIENT = {integrator.name: integrator for integrator in discrete_gradient.INTEGRATORS}
NYSTROM = {coefficients.name for coefficients in SPLITTINGS if coefficients.is_nystrom}
GENERAL = {**TAO, **GRADIENT}
ALL = {**SPLIT, **GENERAL}


def system_of(text):
    """A Hamiltonian that is typed in, of q and p or of q1, q2, p1, p2."""
    q, p = (("q1", "q2"), ("p1", "p2")) if "q1" in text else (("q",), ("p",))
    compiled = compile_hamiltonian(parse(text, (*q, *p, "t"), "H"), q, p, ())
    problem = SimpleNamespace(
        is_separable=compiled.is_separable,
        coordinates=q,
        code=compiled.code,
        parameters={},
        is_autonomous=compiled.is_autonomous,
    )
    return phase_space.assemble(phase_space.PhaseStart(problem))


class Problem:
    """H as text with its derivatives written by hand, for references that share nothing with the
    kernels.
    """

    def __init__(self, text, energy, slope, start, end=2.0):
        self.text, self.energy, self.slope, self.y, self.end = (
            text,
            energy,
            slope,
            np.array(start),
            end,
        )

    def exact(self, t0=0.0):
        return solve_ivp(
            self.slope, (t0, t0 + self.end), self.y, method="DOP853", rtol=1e-13, atol=1e-15
        ).y[:, -1]


THESIS = Problem(
    "p**2/2 - cos(q)*(1 - p/6)",
    lambda t, y: y[1] ** 2 / 2 - np.cos(y[0]) * (1 - y[1] / 6),
    lambda t, y: [y[1] + np.cos(y[0]) / 6, -np.sin(y[0]) * (1 - y[1] / 6)],
    [-np.arccos(-0.8), 0.0],
)
PENDULUM = Problem("p**2/2 - cos(q)", None, lambda t, y: [y[1], -np.sin(y[0])], [1.0, 0.7])
FAST = Problem(
    "sqrt(1 + p**2) - cos(q)",
    None,
    lambda t, y: [y[1] / np.sqrt(1 + y[1] ** 2), -np.sin(y[0])],
    [1.0, 0.7],
)
KEPLER = Problem(  # half an ellipse of eccentricity 0.6, from where it is nearest
    "(p1**2 + p2**2)/2 - 1/sqrt(q1**2 + q2**2)",
    None,
    lambda t, y: [*y[2:], *(-y[:2] / np.linalg.norm(y[:2]) ** 3)],
    [0.4, 0.0, 0.0, 2.0],
    3.0,
)
DRIVEN = Problem(  # both parts depend on time
    "(1 + sin(3*t)/3)*p**2/2 - (1 + cos(2*t)/2)*cos(q)",
    lambda t, y: (1 + np.sin(3 * t) / 3) * y[1] ** 2 / 2 - (1 + np.cos(2 * t) / 2) * np.cos(y[0]),
    lambda t, y: [(1 + np.sin(3 * t) / 3) * y[1], -(1 + np.cos(2 * t) / 2) * np.sin(y[0])],
    [1.0, 0.7],
)
DRIVEN_THESIS = Problem(
    "p**2/2 - (1 + cos(2*t)/2)*cos(q)*(1 - p/6)",
    lambda t, y: y[1] ** 2 / 2 - (1 + np.cos(2 * t) / 2) * np.cos(y[0]) * (1 - y[1] / 6),
    lambda t, y: [
        y[1] + (1 + np.cos(2 * t) / 2) * np.cos(y[0]) / 6,
        -(1 + np.cos(2 * t) / 2) * np.sin(y[0]) * (1 - y[1] / 6),
    ],
    [1.0, 0.7],
)


class Stepper:
    """A system and an integrator, to take steps of any length and sign from any state."""

    def __init__(self, integrator, system, workspace=phase_space.workspace):
        self.integrator, self.system, self.workspace = integrator, system, workspace
        works = workspace(system, integrator.width), workspace(system, 1)
        self.handle = indirect(system, *works, integrator.needs, integrator.width)

    def start(self, y):
        return self.integrator.initial_state(np.asarray(y, dtype=float), self.integrator.method)

    def go(self, state, h, steps, t0=0.0):
        """As the driver does: a method that asks for a matrix is given one."""
        first, last = int(state.counts[STEPS]), int(state.counts[STEPS]) + steps
        while state.counts[STEPS] < last and state.counts[STATUS] == RUNNING:
            done, samples = int(state.counts[STEPS]), np.zeros((0, len(state.y) + 2))
            self.integrator.advance(
                self.handle,
                self.integrator.method,
                state,
                empty_monitor(len(state.y)),
                t0,
                done - first,
                h,
                last - done,
                last + 1,
                samples,
            )
            if state.counts[STATUS] == NEEDS_MATRIX:
                state = self.integrator.allocate_newton(state, self.integrator.method)
                state.counts[STATUS] = RUNNING
        return state

    def after(self, y, h, steps, t0=0.0):
        state = self.go(self.start(y), h, steps, t0)
        assert state.counts[STATUS] == RUNNING
        return state.y.copy()


def of(name, problem):
    return Stepper(ALL[name], system_of(problem.text))


# ---- order ---------------------------------------------------------------------------------------
def slope_of(error, end, floor=2e-13):
    """d log(error) / d log(step) over the finest steps that are clear of rounding: up to five, each
    1.4 times the next.
    """
    counts, errors = [round(5 * 2 ** (k / 2)) for k in range(18)], []
    for n in counts:
        errors.append(error(end / n, n))
        if errors[-1] < floor:
            break
    clear = [(end / n, e) for n, e in zip(counts, errors, strict=False) if e > floor][-5:]
    assert len(clear) >= 3
    return np.polyfit(*np.log(np.array(clear)).T, 1)[0]


def assert_order(order, slope):
    assert order - 0.15 < slope < order + 0.5, f"slope {slope:.2f}, claimed {order}"


@pytest.mark.parametrize("name", GENERAL)
def test_the_order_is_the_claimed_one_where_h_is_not_separable(name):
    stepper, exact = of(name, THESIS), THESIS.exact()
    assert_order(
        GENERAL[name].order,
        slope_of(lambda h, n: np.abs(stepper.after(THESIS.y, h, n) - exact).max(), THESIS.end),
    )


@pytest.mark.parametrize("name", SPLIT)
def test_the_order_of_a_splitting_is_the_claimed_one(name):
    """Where T is not quadratic in p, except for those that say they need it, and those whose errors
    would drown in rounding.
    """
    order = SPLIT[name].order
    problem = KEPLER if order >= 8 else PENDULUM if name in NYSTROM else FAST
    stepper, exact = of(name, problem), problem.exact()
    assert_order(
        order,
        slope_of(
            lambda h, n: np.abs(stepper.after(problem.y, h, n) - exact).max(), problem.end, 1e-12
        ),
    )


def test_the_splittings_that_need_a_quadratic_t_are_not_offered_for_every_separable_h():
    """Where T is not quadratic they lose their order."""
    assert not NYSTROM & {integrator.name for integrator in splitting.INTEGRATORS}
    for name in NYSTROM:
        stepper, exact = of(name, FAST), FAST.exact()
        assert (
            slope_of(
                lambda h, n, s=stepper, e=exact: np.abs(s.after(FAST.y, h, n) - e).max(), FAST.end
            )
            < SPLIT[name].order - 0.5
        )


@pytest.mark.parametrize("name", ["stormer_verlet", "leapfrog_dkd", "ruth3", "pefrl", "kahan_li6"])
def test_a_splitting_keeps_its_order_where_both_parts_depend_on_time(name):
    """Of the motion, and of the work ∫∂H/∂t dt: H changes by it."""
    stepper, began, t0 = of(name, DRIVEN), DRIVEN.energy(0.4, DRIVEN.y), 0.4
    exact = DRIVEN.exact(t0)
    gained = DRIVEN.energy(t0 + DRIVEN.end, exact) - began

    def motion(h, n):
        return np.abs(stepper.after(DRIVEN.y, h, n, t0) - exact).max()

    def work(h, n):
        return abs(stepper.go(stepper.start(DRIVEN.y), h, n, t0).work[0] - gained)

    assert_order(SPLIT[name].order, slope_of(motion, DRIVEN.end))
    assert slope_of(work, DRIVEN.end) > SPLIT[name].order - 0.15


@pytest.mark.parametrize("name", ["tao2", "tao4", "discrete_gradient", "discrete_gradient4"])
def test_the_order_holds_where_h_depends_on_time_and_is_not_separable(name):
    stepper, exact = of(name, DRIVEN_THESIS), DRIVEN_THESIS.exact()
    gained = DRIVEN_THESIS.energy(DRIVEN_THESIS.end, exact) - DRIVEN_THESIS.energy(
        0.0, DRIVEN_THESIS.y
    )
    end = DRIVEN_THESIS.end
    assert_order(
        GENERAL[name].order,
        slope_of(lambda h, n: np.abs(stepper.after(DRIVEN_THESIS.y, h, n) - exact).max(), end),
    )
    slope = slope_of(
        lambda h, n: abs(stepper.go(stepper.start(DRIVEN_THESIS.y), h, n).work[0] - gained), end
    )
    assert slope > GENERAL[name].order - 0.15


# ---- structure -----------------------------------------------------------------------------------
def defect(map_, z, omega, d=1e-5):
    """‖DᵀΩD − Ω‖ of a map, D by central differences."""
    D = np.array([(map_(z + d * e) - map_(z - d * e)) / (2 * d) for e in np.eye(len(z))]).T
    return np.linalg.norm(D.T @ omega @ D - omega)


def canonical(n):
    return np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])


@pytest.mark.parametrize("name", SPLIT)
def test_a_splitting_is_symplectic(name):
    stepper = of(name, KEPLER)
    assert (
        defect(lambda y: stepper.after(y, 0.3, 2), np.array([0.8, 0.1, -0.2, 1.1]), canonical(2))
        < 1e-8
    )


def doubled(stepper, z, h, steps):
    """(q, p, x, y) after some steps of the doubled map."""
    half = len(z) // 2
    state = stepper.go(
        tao.new_doubled_state(z[:half], z[half:], stepper.integrator.method), h, steps
    )
    return np.concatenate([state.y, tao.twin_of(state)])


@pytest.mark.parametrize("name", TAO)
def test_tao_is_symplectic_in_the_doubled_space_and_not_in_the_plain_one(name):
    stepper, z = of(name, THESIS), np.array([1.0, 0.7, 1.2, 0.4])
    assert defect(lambda z: doubled(stepper, z, 0.3, 2), z, np.kron(np.eye(2), canonical(1))) < 1e-8
    assert defect(lambda y: stepper.after(y, 0.3, 2), z[:2], canonical(1)) > 1e-6


def test_the_discrete_gradient_is_not_symplectic():
    stepper = of("discrete_gradient", THESIS)
    assert defect(lambda y: stepper.after(y, 0.3, 2), np.array([1.0, 0.7]), canonical(1)) > 1e-6


@pytest.mark.parametrize("name", [*SPLIT, *GRADIENT])
def test_a_step_back_undoes_a_step_forth_if_and_only_if_the_method_is_symmetric(name):
    problem = FAST if name in SPLIT else THESIS
    stepper = of(name, problem)
    state = stepper.go(stepper.start(problem.y), 0.2, 1)
    state.counts[FRESH] = 1
    apart = np.abs(stepper.go(state, -0.2, 1).y - problem.y).max()
    assert apart < 1e-14 if ALL[name].is_symmetric else apart > 1e-8


@pytest.mark.parametrize("name", TAO)
def test_the_doubled_map_of_tao_undoes_itself(name):
    stepper, z = of(name, THESIS), np.array([1.0, 0.7, 1.2, 0.4])
    moved = doubled(stepper, z, 0.2, 1)
    assert np.abs(moved - z).max() > 0.05
    np.testing.assert_allclose(doubled(stepper, moved, -0.2, 1), z, rtol=0, atol=1e-14)


# ---- against the definitions ---------------------------------------------------------------------
def test_a_step_of_tao_is_the_product_of_the_flows_of_its_three_parts():
    """A and B by the gradient written by hand, C by the exponential of the matrix of
    ω(‖q − x‖² + ‖p − y‖²)/2; order q, p, x, y.
    """
    stepper, omega, h = (
        Stepper(TAO["tao2"].with_options({"omega": 3.0}), system_of(THESIS.text)),
        3.0,
        0.2,
    )
    z = np.array([1.0, 0.7, 1.2, 0.4])

    def a(z, h):
        xdot, pdot = THESIS.slope(0.0, z[[0, 3]])
        return z + h * np.array([0.0, pdot, xdot, 0.0])

    def b(z, h):
        qdot, ydot = THESIS.slope(0.0, z[[2, 1]])
        return z + h * np.array([qdot, 0.0, 0.0, ydot])

    hessian = omega * np.kron([[1, -1], [-1, 1]], np.eye(2))
    turn = expm(h * np.kron(np.eye(2), canonical(1)) @ hessian)
    expected = a(b(turn @ b(a(z, h / 2), h / 2), h / 2), h / 2)
    np.testing.assert_allclose(doubled(stepper, z, h, 1), expected, rtol=0, atol=2e-15)


def test_a_step_of_the_discrete_gradient_solves_the_equation_of_gonzalez():
    h, y = 0.3, THESIS.y

    def residual(end):
        move, (qdot, pdot) = end - y, THESIS.slope(0.0, (y + end) / 2)
        gradient = np.array([-pdot, qdot])
        gradient = (
            gradient
            + (THESIS.energy(0.0, end) - THESIS.energy(0.0, y) - gradient @ move)
            / (move @ move)
            * move
        )
        return move - h * canonical(1) @ gradient

    found = root(residual, y + h * np.array(THESIS.slope(0.0, y)), tol=1e-14).x
    np.testing.assert_allclose(
        of("discrete_gradient", THESIS).after(y, h, 1), found, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("name", ["stormer_verlet", "leapfrog_dkd", "tao4", "discrete_gradient4"])
def test_compiled_and_interpreted_steps_agree(name):
    problem = DRIVEN if name in SPLIT else DRIVEN_THESIS
    stepper, h = of(name, problem), 0.1
    compiled, plain = stepper.go(stepper.start(problem.y), h, 4), stepper.start(problem.y)
    for k in range(4):
        work = stepper.workspace(stepper.system, 1)
        assert step(stepper.integrator.method, stepper.system, work, plain, k * h, h) == RUNNING
    np.testing.assert_allclose(plain.y, compiled.y, rtol=0, atol=1e-14)
    assert plain.work[0] == pytest.approx(compiled.work[0], abs=1e-14)


# ---- what is kept --------------------------------------------------------------------------------
@pytest.mark.parametrize("name", GRADIENT)
def test_a_discrete_gradient_keeps_the_energy_for_ten_thousand_steps(name):
    stepper = of(name, THESIS)
    state, worst = stepper.start(THESIS.y), 0.0
    for _ in range(100):
        state = stepper.go(state, 0.2, 100)
        worst = max(worst, abs(THESIS.energy(0.0, state.y) - THESIS.energy(0.0, THESIS.y)))
    assert state.counts[STEPS] == 10_000
    assert worst < 2e-15


@pytest.mark.parametrize("name", GRADIENT)
def test_energy_and_work_of_a_driven_system_balance_exactly(name):
    stepper, h = of(name, DRIVEN_THESIS), 0.1
    state = stepper.go(stepper.start(DRIVEN_THESIS.y), h, 1000)
    gained = DRIVEN_THESIS.energy(1000 * h, state.y) - DRIVEN_THESIS.energy(0.0, DRIVEN_THESIS.y)
    assert abs(state.work[0]) > 1e-2
    assert abs(gained - state.work[0]) < 1e-13


@pytest.mark.parametrize("name", ["discrete_gradient", "discrete_gradient4"])
def test_the_energy_lost_in_a_damper_is_its_work_exactly(name):
    """H of a pendulum by hand: p²/2 − g cos q, unit mass and length."""
    model = library.pendulum(angle=2.0).with_(forces=[JointDamper("hinge", 0.2)])
    gravity = np.linalg.norm(model.gravity)
    stepper = Stepper(
        GRADIENT[name],
        hamiltonian_tree.assemble(assemble_at_start(model)),
        hamiltonian_tree.workspace,
    )
    state = stepper.go(stepper.start([2.0, 0.0]), 0.05, 400)
    lost = gravity * np.cos(2.0) + state.y[1] ** 2 / 2 - gravity * np.cos(state.y[0])
    assert state.work[0] < -5.0
    assert abs(lost - state.work[0]) < 2e-14


def test_a_resting_discrete_gradient_stays():
    stepper = of("discrete_gradient", PENDULUM)
    np.testing.assert_array_equal(stepper.after([0.0, 0.0], 0.1, 10), [0.0, 0.0])


def test_a_discrete_gradient_beside_a_hilltop_converges():
    """Where the motion nearly stops the quotient is rounding alone."""
    stepper = of("discrete_gradient", PENDULUM)
    for offset in 10.0 ** np.arange(-14, -3):
        y = stepper.after([np.pi - offset, 0.0], 0.01, 20)
        assert abs(y[1]) < offset


def test_a_stiff_spring_makes_the_discrete_gradient_ask_for_a_matrix_and_keep_the_energy():
    system = system_of("p**2/2 + 5000*q**2 + 100*q**4")
    stepper = Stepper(GRADIENT["discrete_gradient"], system)
    state = stepper.go(stepper.start([1.0, 0.0]), 0.1, 200)
    assert state.counts[STATUS] == RUNNING
    assert len(state.scratch.newton.factors) == 2
    q, p = state.y
    assert p**2 / 2 + 5000 * q**2 + 100 * q**4 == pytest.approx(5100.0, rel=1e-14)
    fixed = Stepper(GRADIENT["discrete_gradient"].with_options({"solver": "fixed_point"}), system)
    failed = fixed.go(fixed.start([1.0, 0.0]), 0.1, 1)
    assert failed.counts[STATUS] != RUNNING


def test_newton_and_fixed_point_find_the_same_discrete_gradient():
    ends = []
    for solver in ("fixed_point", "newton"):
        stepper = Stepper(
            GRADIENT["discrete_gradient4"].with_options({"solver": solver}), system_of(THESIS.text)
        )
        ends.append(stepper.after(THESIS.y, 0.2, 50))
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-12)


def test_the_gap_of_the_copies_is_reported_and_grows_where_they_are_bound_too_weakly():
    gaps = []
    for omega in (0.1, 5.0):
        stepper = Stepper(TAO["tao4"].with_options({"omega": omega}), system_of(THESIS.text))
        state = stepper.go(stepper.start(THESIS.y), 0.05, 4000)
        gaps.append(TAO["tao4"].statistics(state)["copy_gap"])
        assert gaps[-1] >= np.abs(state.y - tao.twin_of(state)).max()
    assert gaps[0] > 1.0
    assert 0.0 < gaps[1] < 1e-5


def test_the_energy_error_of_tao_stays_bounded():
    stepper = of("tao4", THESIS)
    state, worst = stepper.start(THESIS.y), []
    for _ in range(200):
        state = stepper.go(state, 0.1, 100)
        worst.append(abs(THESIS.energy(0.0, state.y) - THESIS.energy(0.0, THESIS.y)))
    assert max(worst[100:]) < 2 * max(worst[:100]) < 4e-4


def test_tao_balances_the_energy_that_a_damper_takes():
    model = library.pendulum(angle=2.0).with_(forces=[JointDamper("hinge", 0.2)])
    gravity = np.linalg.norm(model.gravity)
    stepper = Stepper(
        TAO["tao4"], hamiltonian_tree.assemble(assemble_at_start(model)), hamiltonian_tree.workspace
    )
    state = stepper.go(stepper.start([2.0, 0.0]), 0.002, 5000)
    lost = gravity * np.cos(2.0) + state.y[1] ** 2 / 2 - gravity * np.cos(state.y[0])
    assert state.work[0] < -5.0
    assert lost == pytest.approx(state.work[0], abs=1e-7)


# ---- economy, cuts, failures ---------------------------------------------------------------------
@pytest.mark.parametrize("name", SPLIT)
def test_a_force_is_computed_once_where_two_kicks_meet(name):
    stepper, coefficients, n = of(name, PENDULUM), SPLIT[name].coefficients, 10
    kicks = sum(share != 0 for share in coefficients.kicks)
    shared = coefficients.drifts[0] == 0 and coefficients.kicks[-1] != 0
    assert (
        stepper.go(stepper.start(PENDULUM.y), 0.1, n).counts[CALLS] == n * (kicks - shared) + shared
    )


@pytest.mark.parametrize(("name", "substeps"), [("tao2", 1), ("tao4", 5), ("tao6", 9)])
def test_tao_asks_for_three_rates_a_substep(name, substeps):
    stepper = of(name, THESIS)
    assert stepper.go(stepper.start(THESIS.y), 0.1, 10).counts[CALLS] == 10 * 3 * substeps + 1


@pytest.mark.parametrize(
    "name",
    [
        "stormer_verlet",
        "leapfrog_dkd",
        "blanes_moan4",
        "tao4",
        "discrete_gradient",
        "discrete_gradient4",
    ],
)
def test_a_run_cut_into_pieces_is_the_same_to_the_bit(name):
    problem = FAST if name in SPLIT else THESIS
    stepper = of(name, problem)
    state = stepper.start(problem.y)
    for piece in (1, 5, 14):
        state = stepper.go(state, 0.1, piece)
    np.testing.assert_array_equal(state.y, stepper.after(problem.y, 0.1, 20))


@pytest.mark.parametrize("name", ["stormer_verlet", "leapfrog_dkd", "pefrl"])
def test_a_force_kept_from_another_state_is_not_used_where_the_state_is_fresh(name):
    stepper = of(name, FAST)
    state = stepper.go(stepper.start(FAST.y), 0.1, 3)
    state.y[:], state.compensation[:], state.counts[FRESH] = [-0.4, 1.2], 0.0, 1
    np.testing.assert_array_equal(stepper.go(state, 0.1, 3).y, stepper.after([-0.4, 1.2], 0.1, 3))


@pytest.mark.parametrize(
    "name",
    ["stormer_verlet", "blanes_moan6", "tao2", "tao6", "discrete_gradient", "discrete_gradient4"],
)
def test_a_failed_step_leaves_the_state_as_it_was(name):
    """√q ends at q = 0, which the motion crosses."""
    stepper = Stepper(
        ALL[name],
        system_of("p**2/2 + 2*q*sqrt(q)" if name in SPLIT else "p**2/2 + 2*q*sqrt(q) + q*p/10"),
    )
    state = stepper.go(stepper.start([0.5, -1.0]), 0.1, 100)
    steps = int(state.counts[STEPS])
    assert state.counts[STATUS] != RUNNING
    assert 0 < steps < 100
    np.testing.assert_allclose(state.y, stepper.after([0.5, -1.0], 0.1, steps), rtol=0, atol=1e-14)


# ---- fit and options -----------------------------------------------------------------------------
def test_a_splitting_does_not_fit_a_system_that_is_not_separable():
    needs = SPLIT["stormer_verlet"].needs
    assert missing_verbs(type(system_of(THESIS.text)), needs) == ["drift", "kick"]
    assert missing_verbs(hamiltonian_tree.HamiltonianTree, needs) == ["drift", "kick"]
    assert missing_verbs(type(system_of(PENDULUM.text)), needs) == []


@pytest.mark.parametrize("name", GENERAL)
def test_the_general_methods_fit_trees_and_every_hamiltonian(name):
    for system in (
        hamiltonian_tree.HamiltonianTree,
        phase_space.PhaseSpace,
        phase_space.SeparablePhaseSpace,
    ):
        assert missing_verbs(system, GENERAL[name].needs) == []


@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, "5", None, True])
def test_an_omega_that_binds_nothing_is_refused(value):
    with pytest.raises(OptionError, match="tao4: omega = "):
        TAO["tao4"].with_options({"omega": value})


def test_an_unknown_solver_of_the_discrete_gradient_is_refused():
    with pytest.raises(OptionError, match="did you mean 'newton'"):
        GRADIENT["discrete_gradient"].with_options({"solver": "newtn"})


def test_a_discrete_gradient_of_an_odd_state_is_refused():
    with pytest.raises(FitError, match="3 rows"):
        discrete_gradient.new_gradient_state(np.zeros(3), GRADIENT["discrete_gradient"].method)
