"""Explicit integration of any H(t, q, p) in a doubled phase space:
Tao, Phys. Rev. E 94, 043303 (2016).

With a twin (x, y) of (q, p): H̄ = H(q, y) + H(x, p) + ω (‖q − x‖² + ‖p − y‖²)/2, where each q and
p is measured in its natural size (and H̄'s last term with their product), three parts with explicit
flows,
  A(δ): x += δ ∂H/∂p(q, y), p −= δ ∂H/∂q(q, y);   B(δ): q += δ ∂H/∂p(x, p), y −= δ ∂H/∂q(x, p);
  C(δ): q + x and p + y stay, (q − x, p − y) turns by the angle 2ωδ;
a step A(δ/2) B(δ/2) C(δ) B(δ/2) A(δ/2), and compositions of it. Symplectic in the doubled space,
for the pairs (q, p) and (x, y); the motion of (q, p) alone is close to that as long as the gap
between the copies is small, which the run reports (`copy_gap`).
A reads the time that B has reached and B that of A; C takes none. A force that is not conservative
enters with ∂H/∂q, at the same copy.
The twin is made equal to (q, p) wherever the state is fresh: at the start, after a failed step, in
each trial that locates an event (which begins from (q, p) alone, so that a located point differs
from the run's own by about the gap).
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.summation import accumulate
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, sincos
from hamiltree.errors import OptionError
from hamiltree.integrators import integrator as core
from hamiltree.integrators.advance import advance
from hamiltree.integrators.compositions import (
    KAHAN_LI_6,
    KAHAN_LI_8,
    Composition,
    substeps_of,
    suzuki,
)
from hamiltree.integrators.integrator import Integrator, State
from hamiltree.verbs import CANONICAL, power, rates

# Per natural time of the problem. On the thesis pendulum and the galactic orbit the copies diverge
# below about 1; with tao2 all from 5 to 100 do alike; the error of higher orders grows with it
# (tao4, step 0.05: 5e-7 at 1, 3e-6 at 5, 9e-6 at 10, 5e-4 at 50). 5 stands clear of where the
# copies diverge.
DEFAULT_OMEGA = 5.0
SLOPE_VALID, POWER, COPY_GAP = range(3)  # entries of TaoScratch.facts


class TaoMethod(NamedTuple):
    factors: np.ndarray  # (substeps,) δ / h
    starts: np.ndarray  # (substeps,) where each substep begins, in parts of the step
    omega: float  # per unit of time; 0: DEFAULT_OMEGA per natural time


class TaoScratch(NamedTuple):
    """The doubled state, by what A and B read: A reads `first` and moves `second`, B reads `second`
    and moves `first`.
    """

    first: np.ndarray  # (m,) (q, y)
    second: np.ndarray  # (m,) (x, p)
    first_compensation: np.ndarray  # (m,) of the sums
    second_compensation: np.ndarray
    slope: np.ndarray  # (m,) of B
    held_slope: np.ndarray  # (m,) of A: a step ends with the slope that the next begins with
    # whether `held_slope` holds, the power that belongs to it, the largest gap so far
    facts: np.ndarray


def tao_method(factors, omega: float = 0.0) -> TaoMethod:
    parts = substeps_of(factors)
    return TaoMethod(parts.factors, parts.starts, omega)


def new_tao_state(y, method) -> State:
    arrays = (np.zeros(len(y)) for _ in range(6))
    return core.new_state(y, TaoScratch(*arrays, np.zeros(3)))


# ---- the doubled space ---------------------------------------------------------------------------
def new_doubled_state(y, twin, method) -> State:
    """A state whose twin (x, y) is another point than (q, p)."""
    state, n = new_tao_state(y, method), len(y) // 2
    state.scratch.first[:], state.scratch.second[:] = [*y[:n], *twin[n:]], [*twin[:n], *y[n:]]
    state.counts[core.FRESH] = 0
    return state


def twin_of(state: State) -> np.ndarray:
    """(x, y)"""
    n = len(state.y) // 2
    return np.concatenate([state.scratch.second[:n], state.scratch.first[n:]])


def gap_statistics(state: State) -> dict[str, float]:
    """The largest distance of the copies after a step so far, in any coordinate or momentum, in
    parts of its natural size.
    """
    return {"copy_gap": float(state.scratch.facts[COPY_GAP])}


# ---- one step ------------------------------------------------------------------------------------
@inlined
def reset_twin(state):
    """The twin equal to the state."""
    scratch = state.scratch
    for i in range(state.y.shape[0]):
        scratch.first[i], scratch.first_compensation[i] = state.y[i], state.compensation[i]
        scratch.second[i], scratch.second_compensation[i] = state.y[i], state.compensation[i]
    scratch.facts[SLOPE_VALID], state.counts[core.FRESH] = 0.0, 0


@inlined
def flow_a(system, work, state, t, h):
    """(x, p) += h f(q, y); the work of this half of the forces."""
    scratch = state.scratch
    if scratch.facts[SLOPE_VALID] == 0.0:
        rates(system, work, t, scratch.first, scratch.held_slope)
        scratch.facts[POWER] = power(system, work, t, scratch.first, scratch.held_slope)
        scratch.facts[SLOPE_VALID] = 1.0
        state.counts[core.CALLS] += 1
    for i in range(state.y.shape[0]):
        accumulate(scratch.second, scratch.second_compensation, i, h * scratch.held_slope[i])
    return 0.5 * h * scratch.facts[POWER]


@inlined
def flow_b(system, work, state, t, h):
    """(q, y) += h f(x, p); the work of the other half."""
    scratch = state.scratch
    rates(system, work, t, scratch.second, scratch.slope)
    work_done = 0.5 * h * power(system, work, t, scratch.second, scratch.slope)
    scratch.facts[SLOPE_VALID] = 0.0
    state.counts[core.CALLS] += 1
    for i in range(state.y.shape[0]):
        accumulate(scratch.first, scratch.first_compensation, i, h * scratch.slope[i])
    return work_done


@inlined
def flow_c(system, state, sine, cosine):
    """(q − x, p − y), in natural sizes, turned by twice the angle of this sine and cosine: to q
    half the change, to x minus that.
    """
    scratch, n = state.scratch, system.layout.positions
    for i in range(n):
        dq = (scratch.first[i] - scratch.second[i]) + (
            scratch.first_compensation[i] - scratch.second_compensation[i]
        )
        dp = (scratch.second[n + i] - scratch.first[n + i]) + (
            scratch.second_compensation[n + i] - scratch.first_compensation[n + i]
        )
        ratio = state.scale[i] / state.scale[n + i]
        to_q = sine * fma(cosine * ratio, dp, -sine * dq)
        to_p = -sine * fma(cosine / ratio, dq, sine * dp)
        accumulate(scratch.first, scratch.first_compensation, i, to_q)
        accumulate(scratch.second, scratch.second_compensation, i, -to_q)
        accumulate(scratch.second, scratch.second_compensation, n + i, to_p)
        accumulate(scratch.first, scratch.first_compensation, n + i, -to_p)


@inlined
def substep(system, work, method, state, t, h):
    """A(h/2) B(h/2) C(h) B(h/2) A(h/2)"""
    half = 0.5 * h
    default = DEFAULT_OMEGA / state.clock[core.NATURAL_TIME]
    sine, cosine = sincos((method.omega if method.omega > 0.0 else default) * h)
    work_done = flow_a(system, work, state, t, half) + flow_b(system, work, state, t + half, half)
    flow_c(system, state, sine, cosine)
    work_done += flow_b(system, work, state, t + half, half)
    return work_done + flow_a(system, work, state, t + h, half)


@inlined
def measure_gap(state):
    """Keeps the largest gap; the first row that is not finite in one of the copies, −1 if there is
    none.
    """
    scratch = state.scratch
    largest = scratch.facts[COPY_GAP]
    for i in range(scratch.first.shape[0]):
        gap = abs(scratch.first[i] - scratch.second[i]) / state.scale[i]
        if not gap < np.inf:
            return i
        largest = max(largest, gap)
    scratch.facts[COPY_GAP] = largest
    return -1


@inlined
def write_state(system, state):
    """(q, p) of the doubled state."""
    scratch, n = state.scratch, system.layout.positions
    for i in range(n):
        state.y[i], state.compensation[i] = scratch.first[i], scratch.first_compensation[i]
        state.y[n + i] = scratch.second[n + i]
        state.compensation[n + i] = scratch.second_compensation[n + i]


@core.step.method(TaoMethod)
def tao_step(method, system, work, state, t, h):
    """The substeps in the doubled space; then (q, p) of it becomes the state."""
    if state.counts[core.FRESH]:
        reset_twin(state)
    work_done = 0.0
    for k in range(method.factors.shape[0]):
        work_done += substep(
            system, work, method, state, t + method.starts[k] * h, method.factors[k] * h
        )
    bad = measure_gap(state)
    if bad >= 0:
        # y is as before; the doubled state is lost
        state.counts[core.WORST_ROW], state.counts[core.FRESH] = bad, 1
        return core.NOT_FINITE
    write_state(system, state)
    accumulate(state.work, state.work_compensation, 0, work_done)
    return core.RUNNING


# ---- records -------------------------------------------------------------------------------------
def set_omega(integrator: Integrator, value) -> Integrator:
    """Option `omega`: how strongly the copies are bound to each other, per unit of time."""
    if not (core.is_finite_number(value) and value > 0):
        raise OptionError(
            f"{integrator.name}: omega = {value!r}; it must be a finite number above zero, such as "
            f"{DEFAULT_OMEGA:g}"
        )
    return integrator.with_method(omega=float(value))


def tao_integrator(order: int, factors=(1,), reference: str = "") -> Integrator:
    """Tao's method of an order, over substeps of these parts of a step."""
    return Integrator(
        f"tao{order}",
        order,
        "Tao 2016" + (f"; {reference}" if reference else ""),
        is_explicit=True,
        is_symplectic=False,
        is_symmetric=True,
        needs=CANONICAL,
        width=1,
        evaluations_per_call=1,
        method=tao_method(factors),
        advance=advance,
        initial_state=new_tao_state,
        uses_row_scales=True,
        options={"omega": set_omega},
        statistics=gap_statistics,
        remark="symplectic and symmetric in the doubled space",
    )


def compose(composition: Composition) -> Integrator:
    return tao_integrator(
        composition.order,
        composition.factors,
        f"composed by {composition.name}: {composition.reference}",
    )


# Of the compositions known, these have the smallest errors for the same number of calls (both
# problems above).
INTEGRATORS = (tao_integrator(2), *map(compose, (suzuki(4), KAHAN_LI_6, KAHAN_LI_8)))
