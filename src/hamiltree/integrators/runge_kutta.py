"""Explicit Runge–Kutta methods with compensated summation."""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.summation import accumulate, accumulate_rows, are_finite
from hamiltree.compiled.kernel import compiled_as, inlined
from hamiltree.compiled.number import (
    broadcast_like,
    fma,
    load,
    load_block,
    part,
    rows_after_blocks,
    store,
    store_block,
    whole_blocks,
)
from hamiltree.integrators.advance import advance
from hamiltree.integrators.integrator import (
    CALLS,
    NOT_FINITE,
    RUNNING,
    WORST_ROW,
    Integrator,
    State,
    integrator_from_tableau,
    new_state,
    step,
)
from hamiltree.integrators.tableau import Tableau
from hamiltree.integrators.tableaus import EXPLICIT
from hamiltree.verbs import FIRST_ORDER, power, rates


class ExplicitMethod(NamedTuple):
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray


class ExplicitScratch(NamedTuple):
    slopes: np.ndarray  # (stages, m), of floats or lanes
    stage: np.ndarray  # (m,)


def explicit_method(tableau: Tableau) -> ExplicitMethod:
    return ExplicitMethod(
        *(np.array(part, dtype=float) for part in (tableau.a, tableau.b, tableau.c))
    )


def new_explicit_state(y, method) -> State:
    return new_state(y, ExplicitScratch(np.zeros((len(method.b), *y.shape)), np.zeros_like(y)))


@inlined
def form_stage(state, method, h, s):
    """Y_s = y + h Σ a_sj K_j into the scratch stage; False where there is nothing to add, as in the
    first. Most tableaus have few entries in a row.
    """
    stage, is_begun = state.scratch.stage, False
    for j in range(s):
        scale = h * method.a[s, j]
        if scale != 0.0:
            begun = stage if is_begun else state.y
            is_begun = True
            add_scaled(begun, scale, part(state.scratch.slopes, j), stage)
    return is_begun


@inlined
def add_scaled(values, scale, slope, out):
    """out = values + scale slope, floats four at a time."""
    for k in range(whole_blocks(out)):
        store_block(out, k, fma(scale, load_block(slope, k), load_block(values, k)))
    for k in range(rows_after_blocks(out)):
        i = out.shape[0] - 1 - k
        store(out, i, fma(scale, load(slope, i), load(values, i)))


@inlined
def form_increment(state, b, h):
    """h Σ b_j K_j into the scratch stage, floats four at a time; the first row that is not finite,
    −1 if all are.
    """
    increment = state.scratch.stage
    for k in range(whole_blocks(increment)):
        block = broadcast_like(0.0, load_block(state.y, k))
        for j in range(b.shape[0]):
            scale = h * b[j]
            if scale != 0.0:
                block = fma(scale, load_block(part(state.scratch.slopes, j), k), block)
        store_block(increment, k, block)
    for k in range(rows_after_blocks(increment)):
        i = increment.shape[0] - 1 - k
        row = broadcast_like(0.0, load(state.y, i))
        for j in range(b.shape[0]):
            slope = part(state.scratch.slopes, j)
            row = fma(h * b[j], load(slope, i), row) if h * b[j] != 0.0 else row
        store(increment, i, row)
    return nonfinite_row(increment)


def nonfinite_row(values):
    """The first row of floats that is not finite, −1 if all are. Of lanes −1: a lane that is not
    finite stays so and disturbs no other, and whoever runs them looks at their end.
    """
    return -1 if values.ndim > 1 else find_nonfinite_row(values)


@compiled_as(nonfinite_row)
def compiled_nonfinite_row(values):
    if values.ndim > 1:
        return lambda values: -1
    return lambda values: find_nonfinite_row(values)


@inlined
def find_nonfinite_row(values):
    return -1 if are_finite(values) else first_nonfinite_row(values)


@inlined
def first_nonfinite_row(values):
    for i in range(values.shape[0]):
        if not np.isfinite(values[i]):
            return i
    return -1


@step.method(ExplicitMethod)
def explicit_step(method, system, work, state, t, h):
    """y⁺ = y + h Σ b_i f(Y_i), and the work of dampers and loads by the same weights."""
    work_done = broadcast_like(0.0, load(state.y, 0))
    for s in range(method.b.shape[0]):
        stage = state.scratch.stage if form_stage(state, method, h, s) else state.y
        slope, time = part(state.scratch.slopes, s), t + method.c[s] * h
        rates(system, work, time, stage, slope)
        work_done = fma(h * method.b[s], power(system, work, time, stage, slope), work_done)
    state.counts[CALLS] += method.b.shape[0]
    bad = form_increment(state, method.b, h)
    if bad >= 0:
        state.counts[WORST_ROW] = bad
        return NOT_FINITE
    accumulate_rows(state.y, state.compensation, state.scratch.stage)
    accumulate(state.work, state.work_compensation, 0, work_done)
    return RUNNING


def explicit_integrator(tableau: Tableau) -> Integrator:
    """The integrator of an explicit tableau."""
    return integrator_from_tableau(
        tableau,
        needs=FIRST_ORDER,
        width=1,
        evaluations_per_call=1,
        method=explicit_method(tableau),
        advance=advance,
        initial_state=new_explicit_state,
        coefficients=tableau,
    )


INTEGRATORS = tuple(map(explicit_integrator, EXPLICIT))
