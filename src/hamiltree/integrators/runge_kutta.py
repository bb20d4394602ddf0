"""Explicit Runge–Kutta methods with compensated summation."""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.handle import opened
from hamiltree.algebra.number import fma
from hamiltree.integrators.integrator import CALLS, NOT_FINITE, STATUS, STEPS, WORST, State, from_tableau, new_state
from hamiltree.integrators.summation import accumulate, save_sample
from hamiltree.integrators.tableaus import EXPLICIT_EULER, RK4, Tableau
from hamiltree.kernel import inlined, kernel
from hamiltree.verbs import FIRST_ORDER, power, rates


class ExplicitMethod(NamedTuple):
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray


def explicit_method(tableau: Tableau) -> ExplicitMethod:
    return ExplicitMethod(*(np.array(part, dtype=float) for part in (tableau.a, tableau.b, tableau.c)))


def start_explicit(y, method) -> State:
    stages = len(method.b)
    return new_state(y, np.zeros((stages, len(y))), np.zeros_like(y), np.zeros_like(y))


@inlined
def form_stage(state, method, h, s):
    """Y_s = y + h Σ a_sj K_j; most tableaus have few entries in a row."""
    n = state.y.shape[0]
    for i in range(n):
        state.stages[i] = state.y[i]
    for j in range(s):
        scale = h * method.a[s, j]
        if scale != 0.0:
            for i in range(n):
                state.stages[i] = fma(scale, state.slopes[j, i], state.stages[i])


@inlined
def keep_slope(state, s):
    for i in range(state.y.shape[0]):
        state.slopes[s, i] = state.fresh_slopes[i]


@inlined
def finish_step(state, method, h):
    """y⁺ = y + h Σ b_j K_j, unless that is not finite: then y stays, and the first bad row is returned (−1 if all is well)."""
    n = state.y.shape[0]
    for i in range(n):
        state.stages[i] = 0.0
    for j in range(method.b.shape[0]):
        scale = h * method.b[j]
        for i in range(n):
            state.stages[i] = fma(scale, state.slopes[j, i], state.stages[i])
    bad = 0
    for i in range(n):
        bad += not abs(state.stages[i]) < np.inf
    if bad:
        return first_bad_row(state, method, h)
    for i in range(n):
        accumulate(state.y, state.lost, i, state.stages[i])
    return -1


@inlined
def first_bad_row(state, method, h):
    """The first row whose increment is not finite."""
    for i in range(state.y.shape[0]):
        if not np.isfinite(state.stages[i]):
            return i
    return -1


@kernel
def advance_explicit(handle, method, state, t0, first, h, steps, save_every, samples):
    """Steps first … first + steps of the grid t0 + k h; every save_every-th state goes into samples. Returns how many."""
    system, work = opened(handle)
    saved = 0
    for k in range(first, first + steps):
        done = 0.0
        for s in range(method.b.shape[0]):
            form_stage(state, method, h, s)
            t = t0 + (k + method.c[s]) * h
            rates(system, work, t, state.stages, state.fresh_slopes)
            done = fma(h * method.b[s], power(system, work, t, state.stages, state.fresh_slopes), done)
            state.counts[CALLS] += 1
            keep_slope(state, s)
        bad = finish_step(state, method, h)
        if bad >= 0:
            state.counts[STATUS], state.counts[WORST] = NOT_FINITE, bad
            return saved
        accumulate(state.work, state.work_lost, 0, done)
        state.counts[STEPS] += 1
        if (k + 1) % save_every == 0:
            save_sample(state, samples, saved)
            saved += 1
    return saved


def explicit_integrator(tableau: Tableau):
    return from_tableau(
        tableau,
        needs=FIRST_ORDER,
        width=1,
        evaluations_per_call=1,
        method=explicit_method(tableau),
        advance=advance_explicit,
        start=start_explicit,
    )


INTEGRATORS = tuple(map(explicit_integrator, (EXPLICIT_EULER, RK4)))
