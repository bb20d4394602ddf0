"""Verification of what integrators claim: order, symplecticity, symmetry, invariants and energy are
measured on Hamiltonians.

Steps of h = order/20 distinguish a trait from its absence: what a method keeps is kept to rounding,
what it loses is lost by 1e-10 or more.
A method for any H is measured where H is not separable, a splitting where it is. A method that
chooses its own steps is measured by its main formula at fixed steps, and by its error against its
tolerance; one of reversible steps by the map of (y, ρ) with ε for h.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from hamiltree.formulations import phase_space
from hamiltree.formulations.verb_pointers import indirect
from hamiltree.integrators import INTEGRATORS, find_integrator, tao
from hamiltree.integrators.adaptive_steps import with_fixed_step
from hamiltree.integrators.event_monitor import empty_monitor
from hamiltree.integrators.integrator import (
    END_TIME,
    FRESH,
    NEEDS_MATRIX,
    RUNNING,
    STATUS,
    STEPS,
    Integrator,
    State,
)
from hamiltree.integrators.reversible import ReversibleMethod
from hamiltree.integrators.tableau import Tableau, order_by_conditions
from hamiltree.problems.hamiltonian import hamiltonian
from hamiltree.run.observer import HamiltonianObserver
from hamiltree.verbs import missing_verbs

ROUNDING_DEFECT, CLEAR_DEFECT = 2e-12, 5e-11  # below: to rounding; above: not at all
# how far a slope may be from its order (METHODS 6); of a high order this part of it
SLOPE_BELOW, SLOPE_ABOVE, SLOPE_SHARE = 0.15, 0.5, 0.015
# a slope is measured between; rounding makes some 3e-15
LARGEST_ERROR, SMALLEST_ERROR, SMALLEST_HIGH = 1e-3, 1e-13, 3e-14
FITTED_POINTS = 5  # the finest of them count
HIGH_ORDER = 8  # orders above: on a problem whose errors reach their asymptotic law before rounding
STEP_PER_ORDER = 1 / 20
MAX_STEPS = {1: 2**16, 2: 2**13}  # in a run of the order; 2**12 where no other is given
SHORT_RUN_STEPS, LONG_RUN_STEPS = 1000, 10_000  # for invariants, for energy
TOLERANCES = tuple(10.0**-k for k in range(5, 12))
BOUNDED_DRIFT = 0.1  # drift in parts of the amplitude
NO_END = 1e6  # an end of a run that is not met


# ---- problems ------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Problem:
    """H with a start; `invariant` is what the motion keeps.

    The order is that of errors at the end, from all starts.
    """

    text: str
    start: tuple[float, ...]
    invariant: str = ""
    # further starts: one alone may lie where the leading error changes sign
    others: tuple[tuple[float, ...], ...] = ()
    end: float = 3.0


@dataclass(frozen=True)
class Problems:
    """`turning` has a bilinear invariant, the angular momentum; `rotating` a quadratic one that is
    not bilinear in q and p.
    """

    order: Problem
    high_order: Problem
    structure: Problem
    turning: Problem
    rotating: Problem
    energy: Problem
    rough: Problem  # a part of H that no quadrature of few nodes resolves
    polynomial: Problem  # of degree four


MOMENT, NUMBER = "q1*p2 - q2*p1", "(q1**2 + p1**2 + q2**2 + p2**2)/2"
# of the thesis
PENDULUM = Problem(
    "p**2/2 - cos(q)*(1 - p/6)", (-math.acos(-0.8), 0.0), others=((1.0, 0.7), (0.3, -1.2))
)
STARTS = ((0.9, -0.3, 0.2, 0.5), (0.3, 0.9, -0.5, 0.4), (-0.8, 0.1, 0.7, -0.6))
# Two coupled oscillators whose frequencies depend on their amplitudes: turning both phases alike
# leaves H as it is.
DIMER = Problem(
    "(q1**2 + p1**2)**2/4 + (q2**2 + p2**2)**2/8 + (q1*q2 + p1*p2)/2",
    STARTS[0],
    NUMBER,
    STARTS[1:],
    8.0,
)
SOFT = Problem(
    "cosh(p1) + cosh(p2) + (q1**2 + q2**2)/2 + q1**2*q2/8", STARTS[0], others=STARTS[1:], end=5.0
)
GENERAL = Problems(
    order=PENDULUM,
    high_order=DIMER,
    structure=Problem(
        "(p1**2 + p2**2)*(1 + q1**2/4)/2 - cos(q1)*(1 - p2/6) + q1*q2**2/3 + q2**2/2",
        (0.8, 0.4, -0.3, 0.9),
    ),
    turning=Problem(
        "(p1**2 + p2**2)*(1 + (q1**2 + q2**2)/4)/2 + (q1**2 + q2**2)/2",
        (1.2, 0.6, -0.4, 1.3),
        MOMENT,
    ),
    rotating=DIMER,
    energy=PENDULUM,
    rough=Problem("p**2/2 - cos(q)*(1 - p/6) + cos(20*q)/100", PENDULUM.start),
    polynomial=Problem(DIMER.text, (1.4, -0.5, 0.3, 0.8)),
)
# T(p) + V(q) that keeps Σ (q² + p²)/2 is itself quadratic: q·∇T(p) = p·∇V(q) for all q and p leaves
# no other.
SEPARATE = Problems(
    order=SOFT,
    high_order=SOFT,
    structure=Problem(
        "sqrt(1 + p1**2 + p2**2) + (q1**2 + q2**2)/2 + q1**2*q2/3", (0.8, 0.4, -0.3, 0.9)
    ),
    turning=Problem(
        "(p1**2 + p2**2)/2 + (q1**2 + q2**2)/2 + (q1**2 + q2**2)**2/4",
        (0.8, 0.4, -0.3, 0.9),
        MOMENT,
    ),
    rotating=Problem("p1**2 + p2**2 + q1**2 + q2**2", (0.9, -0.3, 0.2, 0.5), NUMBER),
    energy=Problem("p**2/2 - cos(q)", PENDULUM.start),
    rough=Problem("p**2/2 - cos(q) + cos(20*q)/100", PENDULUM.start),
    polynomial=Problem("p**2/2 + q**4/4", (1.6, 0.8)),
)


def problems_for(integrator: Integrator) -> Problems:
    return GENERAL if not missing_verbs(phase_space.PhaseSpace, integrator.needs) else SEPARATE


@lru_cache(maxsize=64)
def assemble_problem(problem: Problem) -> tuple:
    """The System, and what computes H and the invariant of many states."""
    made = hamiltonian(
        problem.text, invariants={"kept": problem.invariant} if problem.invariant else None
    )
    system = phase_space.assemble(phase_space.PhaseStart(made))
    return system, HamiltonianObserver(made, system, phase_space.workspace(system, 1))


# ---- steps ---------------------------------------------------------------------------------------
class Flow:
    """An integrator on a System, to take steps of any length and sign from any state."""

    def __init__(self, integrator: Integrator, system):
        self.integrator, self.system = integrator, system
        works = phase_space.workspace(system, integrator.width), phase_space.workspace(system, 1)
        self.handle = indirect(system, *works, integrator.needs, integrator.width)
        self.monitor = empty_monitor(sum(system.layout))

    def start_state(self, y, end: float = NO_END) -> State:
        state = self.integrator.initial_state(np.array(y, dtype=float), self.integrator.method)
        state.clock[END_TIME] = end
        return state

    def take_steps(self, state: State, h: float, steps: int, kept: list | None = None) -> State:
        """Take steps as a run does: memory for Newton's method is allocated when it is asked for.

        The states after the steps go into `kept`.
        """
        method = self.integrator.method
        first = int(state.counts[STEPS])
        while True:
            done = int(state.counts[STEPS]) - first
            samples = np.empty((0 if kept is None else steps - done, len(state.y) + 2))
            every = steps + 1 if kept is None else 1
            saved = self.integrator.advance(
                self.handle, method, state, self.monitor, 0.0, done, h, steps - done, every, samples
            )
            if kept is not None:
                kept.extend(samples[:saved, 1:-1])
            if state.counts[STATUS] != NEEDS_MATRIX:
                return state
            state = self.integrator.allocate_newton(state, method)  # type: ignore[misc]
            state.counts[STATUS] = RUNNING

    def after(self, y, h: float, steps: int, end: float = NO_END) -> np.ndarray:
        """The state after some steps, or at the end if that comes before; not a number if one
        failed.
        """
        state = self.take_steps(self.start_state(y, end), h, steps)
        return state.y.copy() if state.counts[STATUS] == RUNNING else np.full(len(state.y), np.nan)

    def states(self, y, h: float, steps: int) -> np.ndarray:
        """All states of a run, the start included; not a number where it failed."""
        kept = [np.array(y, dtype=float)]
        self.take_steps(self.start_state(y), h, steps, kept)
        return np.vstack([*kept, *[np.full(len(y), np.nan)] * (len(kept) <= steps)])


def make_flow(integrator: Integrator, problem: Problem) -> Flow:
    return Flow(integrator, assemble_problem(problem)[0])


# ---- order ---------------------------------------------------------------------------------------
@lru_cache(maxsize=16)
def exact_ends(problem: Problem) -> list[np.ndarray]:
    """The end of every start, by gauss12 in 800 steps, whose error is rounding; a separable H is
    treated as any H.
    """
    flow = Flow(find_integrator("gauss12"), phase_space.PhaseSpace(*assemble_problem(problem)[0]))
    return [flow.after(start, problem.end / 800, 800) for start in (problem.start, *problem.others)]


def end_error(flow: Flow, problem: Problem, steps: int) -> float:
    """Error of the states at the end, over all starts; a method of reversible steps takes as many
    as it needs.
    """
    is_reversible = isinstance(flow.integrator.method, ReversibleMethod)
    length = problem.end / steps
    most, end = (100 * steps, problem.end) if is_reversible else (steps, NO_END)
    ends = [flow.after(start, length, most, end) for start in (problem.start, *problem.others)]
    return finite_or_inf(np.linalg.norm(np.subtract(ends, exact_ends(problem))))


def errors_by_step(integrator: Integrator, problem: Problem) -> list[tuple[float, float]]:
    """(step, error at the end) of the FITTED_POINTS finest steps whose errors can be used, each √2
    times the next, or ⁴√2 of higher orders.
    """
    order = integrator.order
    flow = make_flow(integrator, problem)
    most = MAX_STEPS.get(order, 2**12)
    smallest = SMALLEST_ERROR if order <= HIGH_ORDER else SMALLEST_HIGH
    quarters = range(4, 64, 2 if order < HIGH_ORDER - 1 else 1)
    counts = (round(2 ** (k / 4)) for k in quarters)
    points = []
    for steps in dict.fromkeys(n for n in counts if n <= most):
        error = end_error(flow, problem, steps)
        if error < smallest:
            break
        points.append((problem.end / steps, error))
    return [point for point in points if point[1] < LARGEST_ERROR][-FITTED_POINTS:]


def fit_slope(points: Sequence[tuple[float, float]]) -> float:
    """d log(error) / d log(step) by least squares; not a number without three points."""
    if len(points) < 3:
        return math.nan
    steps, errors = np.log(np.array(points)).T
    return float(np.polyfit(steps, errors, 1)[0])


def tolerance_slope(integrator: Integrator, problem: Problem) -> float:
    """d log(error) / d log(tolerance): 1 if the error is proportional to what was asked for."""
    points = []
    for tolerance in TOLERANCES:
        flow = make_flow(integrator.with_options({"tolerance": tolerance}), problem)
        ends = [
            flow.take_steps(flow.start_state(start, problem.end), problem.end, 1).y
            for start in (problem.start, *problem.others)
        ]
        error = finite_or_inf(np.linalg.norm(np.subtract(ends, exact_ends(problem))))
        points.append((tolerance, error))
    return fit_slope(points)


def order_from_conditions(integrator: Integrator) -> int | None:
    """The order that B, C and D guarantee to fifty digits, of a method that is one tableau."""
    is_composed = np.size(getattr(integrator.method, "factors", 1)) > 1
    if is_composed or not isinstance(integrator.coefficients, Tableau):
        return None
    return order_by_conditions(integrator.coefficients)


# ---- structure -----------------------------------------------------------------------------------
# central, of order eight: Fornberg 1988
DIFFERENCES = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
SPACING = 1 / 128


def jacobian(move: Callable[[np.ndarray], np.ndarray], z: np.ndarray) -> np.ndarray:
    def column(e):
        return (
            sum(w * (move(z + k * SPACING * e) - move(z - k * SPACING * e)) for k, w in DIFFERENCES)
            / SPACING
        )

    return np.array([column(e) for e in np.eye(len(z))]).T


def canonical_matrix(n: int) -> np.ndarray:
    return np.kron([[0, 1], [-1, 0]], np.eye(n))


def symplectic_defect(
    move: Callable[[np.ndarray], np.ndarray], z: np.ndarray, omega: np.ndarray
) -> float:
    """‖DᵀΩD − Ω‖ / ‖D‖²"""
    D = jacobian(move, z)
    return finite_or_inf(np.linalg.norm(D.T @ omega @ D - omega) / np.linalg.norm(D, 2) ** 2)


def doubled_defect(flow: Flow, y: np.ndarray, h: float) -> float:
    """The same for (q, p, x, y) of Tao's doubled space, with a twin that is not the state."""

    def move(z):
        state = flow.take_steps(
            tao.new_doubled_state(z[: len(y)], z[len(y) :], flow.integrator.method), h, 1
        )
        return np.concatenate([state.y, tao.twin_of(state)])

    return symplectic_defect(
        move, np.concatenate([y, y + 0.1]), np.kron(np.eye(2), canonical_matrix(len(y) // 2))
    )


def symmetry_defect(flow: Flow, y: np.ndarray, h: float) -> float:
    """‖Φ₋ₕ∘Φₕ(y) − y‖; the twin of Tao's methods and the density of reversible steps are part of
    the state that is stepped back.
    """
    state = flow.take_steps(flow.start_state(y), h, 1)
    state.counts[FRESH] = 0 if isinstance(flow.integrator.method, tao.TaoMethod) else 1
    return finite_or_inf(np.linalg.norm(flow.take_steps(state, -h, 1).y - y))


def finite_or_inf(value) -> float:
    return float(value) if math.isfinite(value) else math.inf


# ---- what is kept --------------------------------------------------------------------------------
def drift_of_invariant(integrator: Integrator, problem: Problem, h: float) -> float:
    """The largest change of the problem's invariant in SHORT_RUN_STEPS steps."""
    values = observe_run(integrator, problem, h, SHORT_RUN_STEPS)["invariants"][:, 0]
    return finite_or_inf(np.abs(values - values[0]).max())


def energy_errors(
    integrator: Integrator, problem: Problem, h: float, steps: int
) -> tuple[float, float]:
    """Amplitude, and drift: the mean error of the last tenth of a run against that of the first."""
    errors = observe_run(integrator, problem, h, steps)["energy"]
    errors = errors - errors[0]
    tenth = steps // 10
    drift = abs(errors[-tenth:].mean() - errors[:tenth].mean())
    return finite_or_inf(np.abs(errors).max()), finite_or_inf(drift)


def observe_run(
    integrator: Integrator, problem: Problem, h: float, steps: int
) -> dict[str, np.ndarray]:
    """H and the invariant along a run; where a step fails, of a run with half as long ones, twice
    at most.
    """
    system, observe = assemble_problem(problem)
    for length in (h, h / 2, h / 4):
        states = Flow(integrator, system).states(problem.start, length, steps)
        if np.isfinite(states).all():
            break
    with np.errstate(all="ignore"):
        return observe(np.zeros(len(states)), states, np.zeros(len(states)))


# ---- all of it -----------------------------------------------------------------------------------
@dataclass(frozen=True)
class Measured:
    """Measured traits of one integrator. A defect below ROUNDING_DEFECT is rounding, one above
    CLEAR_DEFECT is not.
    """

    integrator: Integrator
    slope: float  # of the error against the step
    points: tuple[tuple[float, float], ...] = field(repr=False)  # (step, error) behind it
    tolerance_slope: float | None  # of the error against the tolerance, if there is one
    conditions: int | None  # order guaranteed by B, C, D
    symplectic: float  # ‖DᵀΩD − Ω‖ / ‖D‖² of a step
    doubled: float | None  # the same in Tao's doubled space
    symmetric: float  # ‖Φ₋ₕ∘Φₕ(y) − y‖
    bilinear: float  # change of the angular momentum
    quadratic: float  # change of Σ (q² + p²)/2
    energy: float  # amplitude of the error of H
    drift: float  # its drift
    rough: float  # amplitude where H has a part that changes within a step
    polynomial: float  # amplitude where H is a polynomial of degree four

    @property
    def order_agrees(self) -> bool:
        """Of high orders the conditions decide where rounding comes before the asymptotic law, or
        before any slope.
        """
        order = self.integrator.order
        is_guaranteed = (
            order > HIGH_ORDER and self.conditions == order and not self.slope < 0.9 * order
        )
        return (
            is_guaranteed
            or order - max(SLOPE_BELOW, SLOPE_SHARE * order) < self.slope < order + SLOPE_ABOVE
        )

    @property
    def is_bounded(self) -> bool:
        """Whether the error of H stays where it is from the beginning."""
        return self.energy < ROUNDING_DEFECT or self.drift < BOUNDED_DRIFT * self.energy

    @property
    def keeps_polynomials(self) -> bool:
        """Whether H is kept where it is a polynomial of degree four; of a symplectic method it only
        seems so (Ge, Marsden 1988).
        """
        return self.polynomial < ROUNDING_DEFECT and self.symplectic > CLEAR_DEFECT

    @property
    def defects(self) -> dict[str, tuple[bool, float]]:
        """What is claimed of each trait, and how far the method is from it."""
        claims = self.integrator
        return {
            "symplectic": (claims.is_symplectic, self.symplectic),
            "symmetric": (claims.is_symmetric, self.symmetric),
            "quadratic": (claims.conserves_quadratic, max(self.bilinear, self.quadratic)),
            "energy": (claims.conserves_energy, max(self.energy, self.rough)),
        }

    @property
    def disagreements(self) -> tuple[str, ...]:
        """Claims that the measurement does not confirm, and traits that are not claimed."""
        wrong = [
            name
            for name, (claim, defect) in self.defects.items()
            if not (defect < ROUNDING_DEFECT if claim else defect > CLEAR_DEFECT)
        ]
        return (*(["order"] if not self.order_agrees else []), *wrong)


def measure(integrator: Integrator | str) -> Measured:
    """All traits of one integrator, given by itself or by its name."""
    chosen = find_integrator(integrator) if isinstance(integrator, str) else integrator
    chooses = chosen.is_adaptive and not chosen.samples_at_steps
    main = with_fixed_step(chosen) if chooses else chosen
    on = problems_for(chosen)
    h = chosen.order * STEP_PER_ORDER
    flow = make_flow(main, on.structure)
    y = np.array(on.structure.start)
    points = errors_by_step(main, on.high_order if chosen.order > HIGH_ORDER else on.order)
    amplitude, drift = energy_errors(main, on.energy, h, LONG_RUN_STEPS)
    is_doubled = isinstance(main.method, tao.TaoMethod)
    omega = canonical_matrix(len(y) // 2)
    return Measured(
        integrator=chosen,
        slope=fit_slope(points),
        points=tuple(points),
        tolerance_slope=tolerance_slope(chosen, on.order) if chooses else None,
        conditions=order_from_conditions(chosen),
        symplectic=symplectic_defect(lambda z: flow.after(z, h, 1), y, omega),
        doubled=doubled_defect(flow, y, h) if is_doubled else None,
        symmetric=symmetry_defect(flow, y, h),
        bilinear=drift_of_invariant(main, on.turning, h),
        quadratic=drift_of_invariant(main, on.rotating, h),
        energy=amplitude,
        drift=drift,
        rough=energy_errors(main, on.rough, max(0.1, h / 2), SHORT_RUN_STEPS)[0],
        polynomial=energy_errors(main, on.polynomial, h, SHORT_RUN_STEPS)[0],
    )


def verifiable_integrators() -> list[Integrator]:
    """Integrators that fit an H(q, p); those for constraints are measured on mechanisms
    (tests/order).
    """
    kinds = phase_space.PhaseSpace, phase_space.SeparablePhaseSpace
    return [
        made
        for made in INTEGRATORS.values()
        if not all(missing_verbs(kind, made.needs) for kind in kinds)
    ]


def measure_all(
    integrators: Iterable[Integrator] | None = None,
    on_progress: Callable[[int, str], None] | None = None,
) -> list[Measured]:
    """Measure the whole catalogue, or some; on_progress(how many are done, which is next) is called
    before each.
    """
    found = []
    for integrator in verifiable_integrators() if integrators is None else integrators:
        if on_progress is not None:
            on_progress(len(found), integrator.name)
        found.append(measure(integrator))
    return found
