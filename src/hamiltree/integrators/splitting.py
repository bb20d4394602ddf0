"""Splittings of a separable H = T(t, p) + V(t, q): q += a h ∂T/∂p and p −= b h ∂V/∂q in turn, each
exact, explicit and symplectic.

Time is a coordinate: kicks see the time that the drifts have reached, drifts that of the kicks, so
that H may depend on it without loss of order (Yoshida 1990; Blanes, Moan 2002, for the extended
phase space). A force holds until the next drift, a velocity until the next kick: a splitting that
ends as it begins computes one less in a step. Forces are what counts as a call.
"""

from decimal import localcontext
from itertools import accumulate as running_sums
from typing import NamedTuple

import numpy as np

from hamiltree.algebra.summation import accumulate
from hamiltree.compiled.kernel import compiled_as, inlined
from hamiltree.compiled.number import broadcast_like, load, part, store
from hamiltree.errors import OptionError
from hamiltree.integrators.advance import advance
from hamiltree.integrators.integrator import (
    CALLS,
    FRESH,
    NOT_FINITE,
    RUNNING,
    WORST_ROW,
    Integrator,
    State,
    new_state,
    step,
)
from hamiltree.integrators.runge_kutta import first_nonfinite_row, nonfinite_row
from hamiltree.integrators.splittings import SPLITTINGS, Splitting
from hamiltree.integrators.tableau import DIGITS
from hamiltree.verbs import SEPARABLE, drift, kick, power

VELOCITY_VALID, FORCE_VALID = range(2)  # entries of SplittingScratch.facts


class SplittingMethod(NamedTuple):
    """Taken in this order: drift a_1, kick b_1, drift a_2, kick b_2, …"""

    drifts: np.ndarray  # a
    kicks: np.ndarray  # b
    drift_times: np.ndarray  # Σ b of the kicks before each drift
    kick_times: np.ndarray  # Σ a of the drifts before each kick


class SplittingScratch(NamedTuple):
    velocity: np.ndarray  # (m,) its position rows
    force: np.ndarray  # (m,) its momentum rows
    before: np.ndarray  # (2, m) y and its compensation, where the step began
    at_kick: np.ndarray  # (m,) q of the kick, p of the beginning
    at_drift: np.ndarray  # (m,) q of the beginning, p of the drift
    facts: np.ndarray


def splitting_method(splitting: Splitting) -> SplittingMethod:
    """Coefficients as floats, with the times that drifts and kicks read."""
    with localcontext(prec=DIGITS):
        drift_times = (0, *running_sums(splitting.kicks[:-1]))
        kick_times = running_sums(splitting.drifts)
        return SplittingMethod(
            *(
                np.array(list(row), dtype=float)
                for row in (splitting.drifts, splitting.kicks, drift_times, kick_times)
            )
        )


def new_splitting_state(y, method) -> State:
    """The state before the first step, with velocity and force to reuse."""
    before = np.zeros((2, *y.shape))
    single = (np.zeros_like(y) for _ in range(4))
    velocity, force, at_kick, at_drift = single
    facts = np.zeros(2, dtype=np.int64)
    return new_state(y, SplittingScratch(velocity, force, before, at_kick, at_drift, facts))


# ---- one step ------------------------------------------------------------------------------------
def copy_number(source, into, i):
    """into[i] = source[i], of floats by themselves: taken several at a time, they would wait until
    the sums that were just stored there have arrived.
    """
    store(into, i, load(source, i))


@compiled_as(copy_number)
def compiled_copy_number(source, into, i):
    def copy_lanes(source, into, i):
        store(into, i, load(source, i))

    def copy_float(source, into, i):
        into[i] = source[i]

    return copy_float if source.ndim == 1 else copy_lanes


@inlined
def save_state(state):
    """Where the step begins; nothing computed before holds if the state is fresh."""
    scratch = state.scratch
    y_before, compensation_before = part(scratch.before, 0), part(scratch.before, 1)
    for i in range(state.y.shape[0]):
        copy_number(state.y, y_before, i)
        copy_number(state.compensation, compensation_before, i)
        copy_number(state.y, scratch.at_kick, i)
        copy_number(state.y, scratch.at_drift, i)
    if state.counts[FRESH]:
        scratch.facts[VELOCITY_VALID], scratch.facts[FORCE_VALID], state.counts[FRESH] = 0, 0, 0


@inlined
def restore_state(state):
    for i in range(state.y.shape[0]):
        store(state.y, i, load(part(state.scratch.before, 0), i))
        store(state.compensation, i, load(part(state.scratch.before, 1), i))
    state.counts[FRESH] = 1


@inlined
def apply_drift(system, work, state, t, h):
    """q += h ∂T/∂p(t, p)"""
    scratch = state.scratch
    if scratch.facts[VELOCITY_VALID] == 0:
        drift(system, work, t, state.y, scratch.velocity)
    scratch.facts[VELOCITY_VALID], scratch.facts[FORCE_VALID] = 1, 0
    for i in range(system.layout.positions):
        accumulate(state.y, state.compensation, i, h * load(scratch.velocity, i))


@inlined
def apply_kick(system, work, state, t, h):
    """p −= h ∂V/∂q(t, q)"""
    scratch = state.scratch
    if scratch.facts[FORCE_VALID] == 0:
        kick(system, work, t, state.y, scratch.force)
        state.counts[CALLS] += 1
    scratch.facts[VELOCITY_VALID], scratch.facts[FORCE_VALID] = 0, 1
    for i in range(system.layout.positions, state.y.shape[0]):
        accumulate(state.y, state.compensation, i, h * load(scratch.force, i))


@inlined
def work_in_drift(system, work, state, t, h):
    """h ∂H/∂t at p of the drift and q of the beginning: what kicks take off again with q of the
    beginning is that of V.
    """
    at = state.scratch.at_drift
    for i in range(system.layout.positions, state.y.shape[0]):
        copy_number(state.y, at, i)
    return h * power(system, work, t, at, state.scratch.velocity)


@inlined
def work_in_kick(system, work, state, t, h):
    """h (∂V/∂t(q) − ∂V/∂t(q of the beginning)): T, seen at one p, cancels."""
    at, began = state.scratch.at_kick, part(state.scratch.before, 0)
    for i in range(system.layout.positions):
        copy_number(state.y, at, i)
    return h * (
        power(system, work, t, at, state.scratch.force)
        - power(system, work, t, began, state.scratch.force)
    )


def nonfinite_sum(y):
    """The first row that is not finite, −1 if all are: of floats one by one, see copy_number."""
    return nonfinite_row(y)


@compiled_as(nonfinite_sum)
def compiled_nonfinite_sum(y):
    if y.ndim > 1:
        return lambda y: nonfinite_row(y)
    return lambda y: find_nonfinite_sum(y)


@inlined
def find_nonfinite_sum(y):
    check = 0.0  # stays zero while all is finite
    for i in range(y.shape[0]):
        check += 0.0 * y[i]
    return -1 if check == 0.0 else first_nonfinite_row(y)


@inlined
def finish_step(state, work_done):
    """Add the work of the step, or go back to its beginning if a row is not finite: its status."""
    bad = nonfinite_sum(state.y)
    if bad >= 0:
        state.counts[WORST_ROW] = bad
        restore_state(state)
        return NOT_FINITE
    accumulate(state.work, state.work_compensation, 0, work_done)
    return RUNNING


@step.method(SplittingMethod)
def splitting_step(method, system, work, state, t, h):
    """∫∂H/∂t dt is a further unknown of the split equations, T and V distinguished by points that
    share q or p: of the same order.
    """
    save_state(state)
    work_done = broadcast_like(0.0, load(state.y, 0))
    for i in range(method.kicks.shape[0]):
        if method.drifts[i] != 0.0:
            time, length = t + method.drift_times[i] * h, method.drifts[i] * h
            work_done += work_in_drift(system, work, state, time, length)
            apply_drift(system, work, state, time, length)
        if method.kicks[i] != 0.0:
            time, length = t + method.kick_times[i] * h, method.kicks[i] * h
            work_done += work_in_kick(system, work, state, time, length)
            apply_kick(system, work, state, time, length)
    return finish_step(state, work_done)


def refuse_solver(integrator: Integrator, value) -> Integrator:
    """A method with stages that has become explicit, because H is separable, is asked how to solve
    them.
    """
    raise OptionError(
        f"solver = {value!r}: H is separable, so {integrator.name} is explicit and solves nothing; "
        "leave it out"
    )


# ---- records -------------------------------------------------------------------------------------
def explicit_symplectic_integrator(
    splitting: Splitting, name: str, reference: str, **rest
) -> Integrator:
    """The record of a splitting: explicit, symplectic, one point per evaluation."""
    return Integrator(
        name,
        splitting.order,
        reference,
        is_explicit=True,
        is_symplectic=True,
        is_symmetric=splitting.is_symmetric,
        width=1,
        evaluations_per_call=1,
        advance=advance,
        options={"solver": refuse_solver},
        coefficients=splitting,
        **rest,
    )


def splitting_integrator(splitting: Splitting) -> Integrator:
    """The integrator of a splitting of a separable H."""
    nystrom = f"of order {splitting.order} where T is quadratic in p with constant coefficients"
    return explicit_symplectic_integrator(
        splitting,
        splitting.name,
        splitting.reference,
        needs=SEPARABLE,
        method=splitting_method(splitting),
        initial_state=new_splitting_state,
        remark=nystrom if splitting.is_nystrom else "",
    )


# Nyström splittings reach their order only where T is quadratic in p, which is more than being
# separable: they are data, not listed.
INTEGRATORS = tuple(
    splitting_integrator(splitting) for splitting in SPLITTINGS if not splitting.is_nystrom
)
