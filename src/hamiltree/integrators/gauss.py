"""Implicit Runge–Kutta methods of up to four stages: the stages are the four lanes, so one call of `rates` evaluates them all.

In increments L_i = h b_i f(Y_i):  Y_i = y + (lost + Σ_j μ_ij L_j),  y⁺ = y + Σ L_i,  μ_ij = a_ij / b_j.
A symplectic method has μ_ij + μ_ji = 1. Rounded coefficients that break it make energy drift linearly; here it holds exactly: of each pair
the larger is rounded and the other is one minus it, which is a float (METHODS, "Round-off").
The stages are iterated until the increment, relative to the size of the state, stops decreasing.
"""

from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np

from hamiltree.algebra.handle import opened
from hamiltree.algebra.number import WIDTH, absolute, alike, fma, lane, load, maximum, rows, store
from hamiltree.integrators.integrator import CALLS, FRESH, NOT_CONVERGED, NOT_FINITE, STATUS, STEPS, WORST, State, from_tableau, new_state
from hamiltree.integrators.summation import accumulate, save_sample
from hamiltree.integrators.tableaus import DIGITS, Tableau, gauss, lagrange_basis, value_at
from hamiltree.kernel import inlined, kernel
from hamiltree.verbs import FIRST_ORDER, power, rates

ITERATION_LIMIT = 100
PATIENCE = 2  # iterations without a new smallest increment: one alone may be a hesitation far from convergence
SETTLED = 1e-8  # an increment that stops decreasing above this, relative to the state, is no convergence


class StageMethod(NamedTuple):
    """Row j: what the increment of stage j contributes to every stage, one lane a stage; lanes past the last stage stay at y."""

    mu: np.ndarray  # (4, 4) to the stage values
    guess: np.ndarray  # (4, 4) to the first guess of the next step's increments
    b: np.ndarray  # (1, 4)
    c: np.ndarray  # (1, 4)


def exact_mu(tableau: Tableau) -> np.ndarray:
    """μ[i, j] = a_ij / b_j, with μ_ij + μ_ji = 1 exactly if the method is symplectic."""
    s = tableau.stages
    exact = [[tableau.a[i][j] / tableau.b[j] for j in range(s)] for i in range(s)]
    mu = np.array(exact, dtype=float)
    if tableau.is_symplectic:
        for i in range(s):
            mu[i, i] = 0.5
            for j in range(i):
                large, small = ((i, j), (j, i)) if abs(exact[i][j]) > abs(exact[j][i]) else ((j, i), (i, j))
                mu[small] = 1.0 - mu[large]
    return mu


def stage_method(tableau: Tableau) -> StageMethod:
    s = tableau.stages
    method = StageMethod(np.zeros((WIDTH, WIDTH)), np.zeros((WIDTH, WIDTH)), np.zeros((1, WIDTH)), np.zeros((1, WIDTH)))
    with localcontext() as context:
        context.prec = DIGITS
        method.mu[:s, :s] = exact_mu(tableau).T
        method.b[0, :s], method.c[0, :s] = tableau.b, tableau.c
        for j in range(s):
            basis = lagrange_basis(tableau.c, j)
            method.guess[j, :s] = [b * value_at(basis, Decimal(1) + c) / tableau.b[j] for b, c in zip(tableau.b, tableau.c, strict=True)]
    return method


def start_stages(y, method) -> State:
    lanes = [rows(float, len(y), WIDTH) for _ in range(3)]
    return new_state(y, *lanes)


# ---- one step -----------------------------------------------------------------------------------------------------------
@inlined
def mixed(coefficients, increments):
    """Σ_j coefficients[j] · (lane j of the increments): lanes again, one a stage."""
    pair = fma(load(coefficients, 1), lane(increments, 1), load(coefficients, 0) * lane(increments, 0))
    return fma(load(coefficients, 3), lane(increments, 3), fma(load(coefficients, 2), lane(increments, 2), pair))


@inlined
def largest_lane(x):
    return max(max(lane(x, 0), lane(x, 1)), max(lane(x, 2), lane(x, 3)))


@inlined
def sum_of_lanes(x):
    return (lane(x, 0) + lane(x, 3)) + (lane(x, 1) + lane(x, 2))


@inlined
def begin(system, work, method, state, t, h):
    """First guess where there is no earlier step: the slope at the beginning, in every stage."""
    for i in range(state.y.shape[0]):
        store(state.stages, i, load(state.y, i))
    rates(system, work, t, state.stages, state.slopes)
    for i in range(state.y.shape[0]):
        store(state.slopes, i, load(state.slopes, i) * (load(method.b, 0) * h))
    state.counts[CALLS] += 1
    state.counts[FRESH] = 0


@inlined
def form_stages(method, state):
    """Y_i = y + (lost + Σ_j μ_ij L_j)"""
    for i in range(state.y.shape[0]):
        store(state.stages, i, load(state.y, i) + (load(state.lost, i) + mixed(method.mu, load(state.slopes, i))))


@inlined
def renew(state, weights, first, last):
    """L = h b f(Y) in some rows: the largest change, relative to the size of the state in these rows."""
    change, size = 0.0 * weights, 0.0 * weights
    for i in range(first, last):
        increment = load(state.fresh_slopes, i) * weights
        change = maximum(change, absolute(increment - load(state.slopes, i)))
        size = maximum(size, maximum(absolute(load(state.y, i)), absolute(increment)))
        store(state.slopes, i, increment)
    return largest_lane(change) / (largest_lane(size) + 1e-300)


@inlined
def step_forward(method, state):
    """y⁺ = y + Σ L_i; the increments extrapolated become the first guess of the next step."""
    for i in range(state.y.shape[0]):
        L = load(state.slopes, i)
        accumulate(state.y, state.lost, i, sum_of_lanes(L))
        store(state.slopes, i, mixed(method.guess, L))


@inlined
def solve_stages(system, work, method, state, t, h):
    """Iterate to where rounding stops it; RUNNING if it got there."""
    positions, weights, least, stalled = system.layout.positions, load(method.b, 0) * h, np.inf, 0
    for iteration in range(ITERATION_LIMIT):
        form_stages(method, state)
        rates(system, work, t, state.stages, state.fresh_slopes)
        state.counts[CALLS] += 1
        change = max(renew(state, weights, 0, positions), renew(state, weights, positions, state.y.shape[0]))
        if not np.isfinite(change):
            return NOT_FINITE if iteration == 0 else NOT_CONVERGED
        stalled = stalled + 1 if change >= least else 0
        if change == 0.0 or (stalled == PATIENCE and change < SETTLED):
            return 0
        least = min(least, change)
    return NOT_CONVERGED


@inlined
def worst_row(system, work, method, state, t, h):
    """The row whose increments change most in one more iteration, relative to its part of the state; the first that is not finite."""
    form_stages(method, state)
    rates(system, work, t, state.stages, state.fresh_slopes)
    weights, positions, n = load(method.b, 0) * h, system.layout.positions, state.y.shape[0]
    sizes = part_size(state, 0, positions), part_size(state, positions, n)
    worst, most = 0, -1.0
    for i in range(n):
        increment = load(state.fresh_slopes, i) * weights
        change = largest_lane(absolute(increment - load(state.slopes, i))) / sizes[0 if i < positions else 1]
        if not np.isfinite(change):
            return i
        if change > most:
            worst, most = i, change
    return worst


@inlined
def part_size(state, first, last):
    """The largest number of some rows of the state and of their increments."""
    size = 1e-300
    for i in range(first, last):
        size = max(size, max(abs(load(state.y, i)), largest_lane(absolute(load(state.slopes, i)))))
    return size


@kernel
def advance_stages(handle, method, state, t0, first, h, steps, save_every, samples):
    """Steps first … first + steps of the grid t0 + k h; every save_every-th state goes into samples. Returns how many."""
    system, work = opened(handle)
    saved = 0
    for k in range(first, first + steps):
        if state.counts[FRESH]:
            begin(system, work, method, state, alike(t0 + k * h, load(method.c, 0)), h)
        times = (load(method.c, 0) + k) * h + t0
        status = solve_stages(system, work, method, state, times, h)
        if status != 0:
            state.counts[STATUS], state.counts[WORST] = status, worst_row(system, work, method, state, times, h)
            return saved
        done = power(system, work, times, state.stages, state.fresh_slopes) * (load(method.b, 0) * h)
        accumulate(state.work, state.work_lost, 0, sum_of_lanes(done))
        step_forward(method, state)
        state.counts[STEPS] += 1
        if (k + 1) % save_every == 0:
            save_sample(state, samples, saved)
            saved += 1
    return saved


def stage_integrator(tableau: Tableau):
    return from_tableau(
        tableau,
        needs=FIRST_ORDER,
        width=WIDTH,
        evaluations_per_call=tableau.stages,
        method=stage_method(tableau),
        advance=advance_stages,
        start=start_stages,
    )


INTEGRATORS = tuple(stage_integrator(gauss(s, name)) for s, name in ((1, "implicit_midpoint"), (2, ""), (3, ""), (4, "")))
