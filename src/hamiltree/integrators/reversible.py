"""Steps of varying length that keep time symmetry: the step density of Hairer and Söderlind 2005
(SIAM J. Sci. Comput. 26, 1838).

The wanted step is ε σ(y). Along a solution in the time τ with dt = σ dτ, the density ρ = 1/σ obeys
ρ′ = G(y) = −∇σ(y)·f(y) / σ(y), so
    ρ_(n+1/2) = ρ_n + ½ ε G(y_n),   y_(n+1) = Φ_h(y_n) with h = ε / ρ_(n+1/2),
    ρ_(n+1) = ρ_(n+1/2) + ½ ε G(y_(n+1)),
a symmetric map of (y, ρ) if Φ is symmetric: as with constant steps, energy does not drift on the
closed orbits of a reversible system.
σ is normalised by its start: `step` is ε, the length of the first step. Default:
σ = |f(y₀)| / |f(y)|, steps of equal length in phase space; its G = d log|f| / dt is a central
difference along f, which changes sign exactly where the motion is turned round.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, kernel, outlined
from hamiltree.compiled.number import fma
from hamiltree.compiled.pointer import in_memory, unpack
from hamiltree.compiled.user_code import UserCallback, code_table, run_code
from hamiltree.errors import OptionError
from hamiltree.integrators.advance import save_sample
from hamiltree.integrators.event_monitor import HALT, begin_watch, end_watch, is_full
from hamiltree.integrators.integrator import (
    CALLS,
    END,
    FRESH,
    LAST,
    MEMORY,
    NEXT,
    NOT_CONVERGED,
    RUNNING,
    STATUS,
    STEPS,
    TIME,
    TOO_SMALL,
    WORST,
    Integrator,
    State,
    new_state,
    step,
)
from hamiltree.integrators.summation import two_sum
from hamiltree.verbs import FIRST_ORDER, rates

SIGMA = 0  # the block of a user's code: σ, then its gradient
REACH = 2.0**-4  # of the difference along f, in parts of the wanted step
SMALLEST = 16 * 2.0**-52  # of a step, in parts of the time
SLIVER = 1.1  # a rest of up to 1.1 steps is taken whole
# Entries of ReversibleScratch.facts: |f| at the start, and what the time has lost to rounding.
SPEED, TIME_LOST = range(2)


class ReversibleMethod(NamedTuple):
    """clock[MEMORY] is ρ_n, clock[LAST] is G(y_n), clock[NEXT] the last length."""

    inner: Any  # a symmetric method
    has_code: bool
    code: np.ndarray  # one Code
    parameters: np.ndarray


class ReversibleScratch(NamedTuple):
    inner: Any
    slope: np.ndarray
    point: np.ndarray
    moved: np.ndarray
    sigma: np.ndarray  # (1 + m,) σ and its gradient
    room: np.ndarray  # of code that knows no lanes
    facts: np.ndarray


# ---- the density of steps ------------------------------------------------------------------------
@inlined
def size_of(values):
    total = 0.0
    for i in range(values.shape[0]):
        total = fma(values[i], values[i], total)
    return np.sqrt(total)


@inlined
def speed_beside(system, single, state, t, d):
    """|f(t + d, y + d f)|"""
    scratch = state.scratch
    for i in range(state.y.shape[0]):
        scratch.point[i] = state.y[i] + d * scratch.slope[i]
    rates(system, single, t + d, scratch.point, scratch.moved)
    return size_of(scratch.moved)


@inlined
def rate_by_difference(system, single, state, t, epsilon):
    """d log|f| / dt; zero at an equilibrium."""
    scratch, speed = state.scratch, size_of(state.scratch.slope)
    if scratch.facts[SPEED] == 0.0:
        scratch.facts[SPEED] = speed
    if speed == 0.0:
        return 0.0
    d = REACH * abs(epsilon) * (scratch.facts[SPEED] / speed)
    ahead, behind = (
        speed_beside(system, single, state, t, d),
        speed_beside(system, single, state, t, -d),
    )
    state.counts[CALLS] += 2
    return (np.log(ahead) - np.log(behind)) / (2.0 * d)


@inlined
def rate_by_code(method, state, t):
    """−∇σ·f / σ of what the user gave."""
    sigma, total = state.scratch.sigma, 0.0
    run_code(
        method.code,
        0,
        state.scratch.room,
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
    state.counts[CALLS] += 1
    return (
        rate_by_code(method, state, t)
        if method.has_code
        else rate_by_difference(system, single, state, t, epsilon)
    )


# ---- steps ---------------------------------------------------------------------------------------
@inlined
def of_inner(state):
    """The same state, as the inner method knows it."""
    kept = (
        state.y,
        state.lost,
        state.work,
        state.work_lost,
        state.counts,
        state.clock,
        state.before,
        state.change,
        state.sizes,
    )
    return State(*kept, state.scratch.inner)


@step.method(ReversibleMethod)
def reversible_step(method, system, work, state, t, h):
    """One step of the inner method."""
    return step(method.inner, system, work, of_inner(state), t, h)


@inlined
def begin(method, system, single, state, epsilon):
    """G at the present state, and ρ = 1 at the start of a run."""
    if state.counts[FRESH]:
        state.clock[LAST] = rate_of_density(
            method, system, single, state, state.clock[TIME], epsilon
        )
    if state.clock[MEMORY] == 0.0:
        state.clock[MEMORY] = 1.0


@inlined
def clipped(state, h):
    """The step, or what is left of the run; ends alike in both directions of time."""
    rest = (state.clock[END] - state.clock[TIME]) - state.scratch.facts[TIME_LOST]
    return rest if abs(rest) <= SLIVER * abs(h) else h


@inlined
def is_too_small(state, h):
    """Whether time would hardly move; the last step may be as short as it must."""
    rest = (state.clock[END] - state.clock[TIME]) - state.scratch.facts[TIME_LOST]
    return abs(h) < abs(rest) and abs(h) <= SMALLEST * abs(state.clock[TIME])


@inlined
def move_clock(state, h):
    facts, rest = (
        state.scratch.facts,
        (state.clock[END] - state.clock[TIME]) - state.scratch.facts[TIME_LOST],
    )
    total, lost = two_sum(state.clock[TIME], facts[TIME_LOST] + h)
    state.clock[TIME], facts[TIME_LOST] = (state.clock[END], 0.0) if h == rest else (total, lost)


@inlined
def fastest_row(values):
    row = 0
    for i in range(values.shape[0]):
        if not abs(values[i]) <= abs(values[row]):
            row = i
    return row


@inlined
def density_step(method, system, work, single, state, epsilon):
    """One step of the map of (y, ρ); its status.

    A density that is not above zero has no step: ε is too long for how fast σ changes.
    """
    clock = state.clock
    begin(method, system, single, state, epsilon)
    density, t = clock[MEMORY] + 0.5 * epsilon * clock[LAST], clock[TIME]
    if not density > 0.0:
        state.counts[WORST] = fastest_row(state.scratch.slope)
        return NOT_CONVERGED
    h = clipped(state, epsilon / density)
    if is_too_small(state, h):
        state.counts[WORST] = fastest_row(state.scratch.slope)
        return TOO_SMALL
    status = step(method, system, work, state, t, h)
    if status == RUNNING:
        state.counts[FRESH], clock[NEXT] = 0, h
        move_clock(state, h)
        clock[LAST] = rate_of_density(method, system, single, state, clock[TIME], epsilon)
        clock[MEMORY] = density + 0.5 * epsilon * clock[LAST]
    return status


@outlined
def take_reversible_steps(handle, method, state, watch, t0, first, h, steps, save_every, samples):
    """See `advance_reversibly`: also a part of other kernels, where steps are taken one by one."""
    system, work, single = unpack(handle)
    saved = 0
    for k in range(first, first + steps):
        if is_full(watch) or state.clock[TIME] == state.clock[END]:
            return saved
        t = state.clock[TIME]
        begin_watch(system, single, watch, state, t)
        status = density_step(method, system, work, single, state, h)
        if status != RUNNING:
            state.counts[STATUS] = status
            return saved
        state.counts[STEPS] += 1
        end_watch(system, single, watch, state, t, state.clock[NEXT], state.clock[TIME])
        if (k + 1) % save_every == 0:
            save_sample(state, samples, saved, state.clock[TIME])
            saved += 1
        if watch.counts[HALT] != 0:
            return saved
    return saved


@kernel
def advance_reversibly(handle, method, state, watch, t0, first, h, steps, save_every, samples):
    """Own steps first … first + steps from clock[TIME], up to clock[END]; every save_every-th goes
    into samples, at its own time.

    h is ε. The caller sets clock[END] before the first call; the last step ends there exactly and
    then clock[TIME] == clock[END]. t0 is not used: the clock knows the time. It returns early at
    the end, and where `advance` does.
    """
    parts = in_memory(method), in_memory(state), in_memory(watch)
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
    return {"last_step": float(state.clock[NEXT]), "step_density": float(state.clock[MEMORY])}


def check_inner(inner: Integrator) -> None:
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

    def start(y, method) -> State:
        """The scratch of the inner method beside that of the density."""
        vectors = (np.zeros(len(y)) for _ in range(3))
        room = np.zeros(2 + 2 * len(y))
        return new_state(
            y,
            ReversibleScratch(
                inner.start(y, method.inner).scratch,
                *vectors,
                np.zeros(1 + len(y)),
                room,
                np.zeros(2),
            ),
        )

    def grant(state: State, method: ReversibleMethod) -> State:
        """The inner method's matrix."""
        granted = inner.grant(of_inner(state), method.inner).scratch  # type: ignore[misc]
        return state._replace(scratch=state.scratch._replace(inner=granted))

    return replace(
        inner,
        name=f"reversible({inner.name})",
        reference=f"Hairer, Söderlind 2005; {inner.reference}",
        is_symplectic=False,
        keeps_quadratic=inner.keeps_quadratic,
        needs=tuple(dict.fromkeys((*inner.needs, *FIRST_ORDER))),
        method=ReversibleMethod(inner.method, False, code_table([None]), np.zeros(0)),
        advance=advance_reversibly,
        start=start,
        grant=grant if inner.grant else None,
        explicit_form=reversible(inner.explicit_form) if inner.explicit_form else None,
        is_adaptive=True,
        counts_own_steps=True,
        options={name: on_inner(option, inner) for name, option in inner.options.items()},
        says=statistics,
        remark=(
            "its steps vary with the speed of the motion and keep time symmetry; `step` is the "
            "first, samples are at its own times"
        ),
    )


def on_inner(option, inner: Integrator):
    """An option of the inner method, set on the method inside."""

    def choose(integrator: Integrator, value) -> Integrator:
        chosen = option(replace(inner, method=integrator.method.inner), value)
        return integrator.with_method(inner=chosen.method)

    return choose
