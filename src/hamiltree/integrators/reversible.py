"""Steps of varying length that keep time symmetry: the step density of Hairer and Söderlind 2005
(SIAM J. Sci. Comput. 26, 1838).

The wanted step is ε σ(y). Along a solution in the time τ with dt = σ dτ, the density ρ = 1/σ obeys
ρ′ = G(y) = −∇σ(y)·f(y) / σ(y), so
    ρ_(n+1/2) = ρ_n + ½ ε G(y_n),   y_(n+1) = Φ_h(y_n) with h = ε / ρ_(n+1/2),
    ρ_(n+1) = ρ_(n+1/2) + ½ ε G(y_(n+1)),
a symmetric map of (y, ρ) if Φ is symmetric: as with constant steps, energy does not drift on the
closed orbits of a reversible system.
σ is normalised by its start: `step` is ε, the length of the first step. Default:
σ = |f(y₀)| / |f(y)|, steps of equal length in phase space, where each row is measured in its
natural size; its G = d log|f| / dt is a central difference along f, which changes sign exactly
where the motion is turned round.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hamiltree.algebra.summation import two_sum
from hamiltree.compiled.kernel import inlined, kernel, outlined
from hamiltree.compiled.number import fma
from hamiltree.compiled.pointer import in_memory, unpack
from hamiltree.compiled.user_code import UserCallback, code_table, run_code
from hamiltree.errors import OptionError
from hamiltree.integrators import integrator as core
from hamiltree.integrators.advance import save_sample
from hamiltree.integrators.event_monitor import (
    TERMINAL,
    is_full,
    monitor_step_end,
    monitor_step_start,
)
from hamiltree.integrators.integrator import Integrator, State
from hamiltree.verbs import FIRST_ORDER, follow_angles, rates

SIGMA = 0  # the block of a user's code: σ, then its gradient
DIFFERENCE_REACH = 2.0**-4  # of the difference along f, in parts of the wanted step
SMALLEST_STEP = 16 * 2.0**-52  # of a step, in parts of the time
LAST_STEP_STRETCH = 1.1  # a rest of up to 1.1 steps is taken whole
# Entries of ReversibleScratch.facts: |f| at the start, and the compensation of the time.
START_SPEED, TIME_COMPENSATION = range(2)


class ReversibleMethod(NamedTuple):
    """clock[CONTROLLER_MEMORY] is ρ_n, [CONTROLLER_LAST] is G(y_n), [NEXT_STEP] the last length."""

    inner: Any  # a symmetric method
    has_code: bool
    code: np.ndarray  # one Code
    parameters: np.ndarray


class ReversibleScratch(NamedTuple):
    inner: Any
    slope: np.ndarray
    point: np.ndarray
    shifted_slope: np.ndarray
    sigma: np.ndarray  # (1 + m,) σ and its gradient
    code_scratch: np.ndarray  # of code that knows no lanes
    facts: np.ndarray


# ---- the density of steps ------------------------------------------------------------------------
@inlined
def scaled_norm(state, values):
    """√(Σ v_i²), rows in parts of their natural sizes."""
    total = 0.0
    for i in range(values.shape[0]):
        part = values[i] / state.scale[i]
        total = fma(part, part, total)
    return np.sqrt(total)


@inlined
def speed_at_offset(system, single, state, t, d):
    """|f(t + d, y + d f)|"""
    scratch = state.scratch
    for i in range(state.y.shape[0]):
        scratch.point[i] = state.y[i] + d * scratch.slope[i]
    rates(system, single, t + d, scratch.point, scratch.shifted_slope)
    return scaled_norm(state, scratch.shifted_slope)


@inlined
def rate_by_difference(system, single, state, t, epsilon):
    """d log|f| / dt; zero at an equilibrium."""
    scratch, speed = state.scratch, scaled_norm(state, state.scratch.slope)
    if scratch.facts[START_SPEED] == 0.0:
        scratch.facts[START_SPEED] = speed
    if speed == 0.0:
        return 0.0
    d = DIFFERENCE_REACH * abs(epsilon) * (scratch.facts[START_SPEED] / speed)
    ahead = speed_at_offset(system, single, state, t, d)
    behind = speed_at_offset(system, single, state, t, -d)
    state.counts[core.CALLS] += 2
    return np.log(ahead / behind) / (2.0 * d)


@inlined
def rate_by_code(method, state, t):
    """−∇σ·f / σ of what the user gave."""
    sigma, total = state.scratch.sigma, 0.0
    run_code(
        method.code,
        0,
        state.scratch.code_scratch,
        SIGMA,
        method.parameters,
        t,
        state.y,
        sigma,
        0,
        sigma.shape[0],
    )
    for i in range(state.y.shape[0]):
        total = fma(sigma[1 + i], state.scratch.slope[i], total)
    return -total / sigma[0]


@inlined
def rate_of_density(method, system, single, state, t, epsilon):
    """G(y)"""
    rates(system, single, t, state.y, state.scratch.slope)
    state.counts[core.CALLS] += 1
    return (
        rate_by_code(method, state, t)
        if method.has_code
        else rate_by_difference(system, single, state, t, epsilon)
    )


# ---- steps ---------------------------------------------------------------------------------------
@inlined
def inner_state(state):
    """The same state, as the inner method knows it."""
    kept = (
        state.y,
        state.compensation,
        state.work,
        state.work_compensation,
        state.counts,
        state.clock,
        state.before,
        state.change,
        state.sizes,
        state.scale,
        state.windings,
    )
    return State(*kept, state.scratch.inner)


@core.step.method(ReversibleMethod)
def reversible_step(method, system, work, state, t, h):
    """One step of the inner method."""
    return core.step(method.inner, system, work, inner_state(state), t, h)


@inlined
def begin_density(method, system, single, state, epsilon):
    """G at the present state, and ρ = 1 at the start of a run."""
    if state.counts[core.FRESH]:
        state.clock[core.CONTROLLER_LAST] = rate_of_density(
            method, system, single, state, state.clock[core.TIME], epsilon
        )
    if state.clock[core.CONTROLLER_MEMORY] == 0.0:
        state.clock[core.CONTROLLER_MEMORY] = 1.0


@inlined
def remaining_time(state):
    clock = state.clock
    return (clock[core.END_TIME] - clock[core.TIME]) - state.scratch.facts[TIME_COMPENSATION]


@inlined
def clip_step(state, h):
    """The step, or what is left of the run; ends alike in both directions of time."""
    rest = remaining_time(state)
    return rest if abs(rest) <= LAST_STEP_STRETCH * abs(h) else h


@inlined
def is_step_too_small(state, h):
    """Whether time would hardly move; the last step may be as short as it must."""
    rest = remaining_time(state)
    return abs(h) < abs(rest) and abs(h) <= SMALLEST_STEP * abs(state.clock[core.TIME])


@inlined
def advance_clock(state, h):
    """t += h as a compensated sum; exactly the end of the run where h is what is left."""
    facts = state.scratch.facts
    rest = remaining_time(state)
    total, compensation = two_sum(state.clock[core.TIME], facts[TIME_COMPENSATION] + h)
    state.clock[core.TIME], facts[TIME_COMPENSATION] = (
        (state.clock[core.END_TIME], 0.0) if h == rest else (total, compensation)
    )


@inlined
def fastest_row(state, values):
    """The row that changes fastest, in parts of its natural size; the last that is no number."""
    row = 0
    for i in range(values.shape[0]):
        if not abs(values[i]) / state.scale[i] <= abs(values[row]) / state.scale[row]:
            row = i
    return row


@inlined
def density_step(method, system, work, single, state, epsilon):
    """One step of the map of (y, ρ); its status.

    A density that is not above zero has no step: ε is too long for how fast σ changes.
    """
    clock = state.clock
    begin_density(method, system, single, state, epsilon)
    density, t = (
        clock[core.CONTROLLER_MEMORY] + 0.5 * epsilon * clock[core.CONTROLLER_LAST],
        clock[core.TIME],
    )
    if not density > 0.0:
        state.counts[core.WORST_ROW] = fastest_row(state, state.scratch.slope)
        return core.NOT_CONVERGED
    h = clip_step(state, epsilon / density)
    if is_step_too_small(state, h):
        state.counts[core.WORST_ROW] = fastest_row(state, state.scratch.slope)
        return core.STEP_TOO_SMALL
    status = core.step(method, system, work, state, t, h)
    if status == core.RUNNING:
        state.counts[core.FRESH], clock[core.NEXT_STEP] = 0, h
        advance_clock(state, h)
        clock[core.CONTROLLER_LAST] = rate_of_density(
            method, system, single, state, clock[core.TIME], epsilon
        )
        clock[core.CONTROLLER_MEMORY] = density + 0.5 * epsilon * clock[core.CONTROLLER_LAST]
    return status


@outlined
def take_reversible_steps(handle, method, state, monitor, t0, first, h, steps, save_every, samples):
    """See `advance_reversibly`: also a part of other kernels, where steps are taken one by one."""
    system, work, single = unpack(handle)
    saved = 0
    for k in range(first, first + steps):
        if is_full(monitor) or state.clock[core.TIME] == state.clock[core.END_TIME]:
            return saved
        t = state.clock[core.TIME]
        monitor_step_start(system, single, monitor, state, t)
        status = density_step(method, system, work, single, state, h)
        if status != core.RUNNING:
            state.counts[core.STATUS] = status
            return saved
        state.counts[core.STEPS] += 1
        follow_angles(system, single, state.clock[core.TIME], state.y)
        monitor_step_end(
            system, single, monitor, state, t, state.clock[core.NEXT_STEP], state.clock[core.TIME]
        )
        if (k + 1) % save_every == 0:
            save_sample(state, samples, saved, state.clock[core.TIME])
            saved += 1
        if monitor.counts[TERMINAL] != 0:
            return saved
    return saved


@kernel
def advance_reversibly(handle, method, state, monitor, t0, first, h, steps, save_every, samples):
    """Steps first … first + steps from clock[TIME], up to clock[END_TIME]; every save_every-th goes
    into samples, at its own time.

    h is ε. The caller sets clock[END_TIME] before the first call; the last step ends there exactly
    and then clock[TIME] == clock[END_TIME]. t0 is not used: the clock knows the time. It returns
    early at the end, and where `advance` does.
    """
    parts = in_memory(method), in_memory(state), in_memory(monitor)
    return take_reversible_steps(handle, *parts, t0, first, h, steps, save_every, samples)


# ---- records -------------------------------------------------------------------------------------
def with_density(integrator: Integrator, code: UserCallback, parameters=()) -> Integrator:
    """A user's σ(t, y; parameters): block 0 of the code gives σ > 0 and its gradient, 1 + m
    numbers.
    """
    return integrator.with_method(
        has_code=True, code=code_table([code]), parameters=np.array(parameters, dtype=float)
    )


def statistics(state: State) -> dict:
    return {
        "last_step": float(state.clock[core.NEXT_STEP]),
        "step_density": float(state.clock[core.CONTROLLER_MEMORY]),
    }


def check_inner(inner: Integrator) -> None:
    """The inner method must be symmetric and have fixed steps; else OptionError."""
    if inner.is_adaptive:
        raise OptionError(
            f"reversible({inner.name}): {inner.name} chooses its own steps; take a method of fixed "
            "steps, such as gauss4"
        )
    if not inner.is_symmetric:
        raise OptionError(
            f"reversible({inner.name}): {inner.name} is not symmetric; take a symmetric one, such "
            "as stormer_verlet or gauss4"
        )


def reversible(inner: Integrator) -> Integrator:
    """A symmetric method with steps that follow the motion."""
    check_inner(inner)

    def initial_state(y, method) -> State:
        """The scratch of the inner method beside that of the density."""
        vectors = (np.zeros(len(y)) for _ in range(3))
        code_scratch = np.zeros(2 + 2 * len(y))
        return core.new_state(
            y,
            ReversibleScratch(
                inner.initial_state(y, method.inner).scratch,
                *vectors,
                np.zeros(1 + len(y)),
                code_scratch,
                np.zeros(2),
            ),
        )

    def allocate_newton(state: State, method: ReversibleMethod) -> State:
        """The inner method's matrix."""
        granted = inner.allocate_newton(inner_state(state), method.inner).scratch  # type: ignore[misc]
        return state._replace(scratch=state.scratch._replace(inner=granted))

    return replace(
        inner,
        name=f"reversible({inner.name})",
        reference=f"Hairer, Söderlind 2005; {inner.reference}",
        is_symplectic=False,
        conserves_quadratic=inner.conserves_quadratic,
        needs=tuple(dict.fromkeys((*inner.needs, *FIRST_ORDER))),
        method=ReversibleMethod(inner.method, False, code_table([None]), np.zeros(0)),
        advance=advance_reversibly,
        initial_state=initial_state,
        allocate_newton=allocate_newton if inner.allocate_newton else None,
        separable_variant=reversible(inner.separable_variant) if inner.separable_variant else None,
        is_adaptive=True,
        uses_row_scales=True,
        samples_at_steps=True,
        options={name: wrap_inner_option(option, inner) for name, option in inner.options.items()},
        statistics=statistics,
        remark=(
            "its steps vary with the speed of the motion and keep time symmetry; `step` is the "
            "first, samples are at its own times"
        ),
    )


def wrap_inner_option(option, inner: Integrator):
    """An option of the inner method, set on the method inside."""

    def choose(integrator: Integrator, value) -> Integrator:
        chosen = option(replace(inner, method=integrator.method.inner), value)
        return integrator.with_method(inner=chosen.method)

    return choose
