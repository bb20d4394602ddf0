"""Explicit Runge–Kutta methods with compensated summation."""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.handle import opened
from hamiltree.algebra.number import absolute, fma, load, maximum, store
from hamiltree.integrators.integrator import CALLS, NOT_FINITE, STATUS, STEPS, WORST, State, counters, from_tableau
from hamiltree.integrators.summation import accumulate, save_sample
from hamiltree.integrators.tableaus import EXPLICIT_EULER, RK4, Tableau
from hamiltree.kernel import inlined, kernel
from hamiltree.verbs import FIRST_ORDER, rates


class ExplicitMethod(NamedTuple):
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray


def explicit_method(tableau: Tableau) -> ExplicitMethod:
    return ExplicitMethod(*(np.array(part, dtype=float) for part in (tableau.a, tableau.b, tableau.c)))


def start_explicit(y, method) -> State:
    stages = len(method.b)
    return State(y.copy(), np.zeros_like(y), np.zeros((stages, len(y))), np.zeros_like(y), np.zeros_like(y), np.zeros(1), counters())


@inlined
def form_stage(state, method, h, s):
    """Y_s = y + h Σ a_sj K_j"""
    for i in range(state.y.shape[0]):
        total = 0.0
        for j in range(s):
            total = fma(method.a[s, j], state.slopes[j, i], total)
        store(state.stages, i, fma(h, total, load(state.y, i)))


@inlined
def keep_slope(state, s):
    """The slope of stage s, and the largest number seen: NaN or infinity if there is one."""
    largest = 0.0
    for i in range(state.y.shape[0]):
        state.slopes[s, i] = state.fresh_slopes[i]
        largest = maximum(largest, absolute(state.fresh_slopes[i]))
    return largest


@inlined
def finish_step(state, method, h):
    """y⁺ = y + h Σ b_j K_j"""
    for i in range(state.y.shape[0]):
        total = 0.0
        for j in range(method.b.shape[0]):
            total = fma(method.b[j], state.slopes[j, i], total)
        accumulate(state.y, state.lost, i, h * total)


@inlined
def first_bad_row(slopes, s):
    for i in range(slopes.shape[1]):
        if not np.isfinite(slopes[s, i]):
            return i
    return -1


@kernel
def advance_explicit(handle, method, state, t0, first, h, steps, save_every, samples):
    """Steps first … first + steps of the grid t0 + k h; every save_every-th state goes into samples. Returns how many."""
    system, work = opened(handle)
    saved = 0
    for k in range(first, first + steps):
        for s in range(method.b.shape[0]):
            form_stage(state, method, h, s)
            rates(system, work, t0 + (k + method.c[s]) * h, state.stages, state.fresh_slopes)
            state.counts[CALLS] += 1
            if not np.isfinite(keep_slope(state, s)):
                state.counts[STATUS], state.counts[WORST] = NOT_FINITE, first_bad_row(state.slopes, s)
                return saved
        finish_step(state, method, h)
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
