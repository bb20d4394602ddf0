"""Radau IIA of three stages with control of the error: order 5, L-stable, for stiff problems;
Hairer, Wanner, IV.8.

In Z_i = Y_i − y: Z_i = h Σ_j a_ij f(Y_j), y⁺ = y + Z_3, by simplified Newton:
(1 − h A ⊗ J) ΔZ = h A f(y + Z) − Z. The three stages lie in lanes: one call of `rates` evaluates
all. The error is that of a formula of order 3 that also uses f(y), smoothed:
(1 − h γ₀ J)⁻¹ (γ₀ h f(y) + Σ e_i Z_i); γ₀ is the real eigenvalue of A. As it falls more slowly than
the true error, it is held against 0.1 rtol^(2/3) (and atol in proportion), as in Hairer's RADAU5.
It says little of stiff rows, whose ends of a step are right however long the step: so the
polynomial between the ends is held against the same tolerance.
Own steps have their own loop: Newton's method ends at the tolerance and not at rounding, and where
it is slow the step is shortened, so that length, error and iteration are one decision. A step of
given length, the matrices and the corrections are those of solve.py.
"""

from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import WIDTH, broadcast_like, fma, lane, load, part, rows, store
from hamiltree.integrators import adaptive_steps as own
from hamiltree.integrators import solve as solver
from hamiltree.integrators.compositions import Substeps, substeps_of
from hamiltree.integrators.integrator import (
    CALLS,
    LAST,
    MEMORY,
    NEXT,
    NOT_CONVERGED,
    RUNNING,
    STEPS,
    TIME,
    WORST,
    State,
    new_state,
)
from hamiltree.integrators.newton import (
    STALE,
    NewtonScratch,
    factor,
    measure_jacobian_in_lanes,
    newton_scratch,
    solve,
)
from hamiltree.integrators.summation import step_forward
from hamiltree.integrators.tableaus import DIGITS, Tableau, lagrange_basis, radau_iia
from hamiltree.verbs import power, rates

STAGES = 3
MOST_ITERATIONS = 7
SAFETY, LEAST, MOST = 0.9, 0.2, 8.0  # and the factors between two steps, as in RADAU5
# of Newton's corrections: with such a Jacobian the next step does without another
GOOD_RATIO = 1e-3
KEPT_LENGTH = 1.2  # a next step of up to this factor is not worth another factorisation
LEAST_MEMORY, LEAST_ERROR = 1e-2, 1e-10
ESTIMATE_ORDER = 3
# Entries of RadauScratch.facts: how far Newton's error is above its last correction, the ratio of
# its corrections, whether the Jacobian is that of the present point, and whether there is a last
# step whose polynomial gives a first guess.
EXCESS, RATIO, PRESENT, GUESS = range(4)


class RadauMethod(NamedTuple):
    substeps: Substeps
    limits: solver.Limits  # of steps of given length
    a: np.ndarray  # (3, 3)
    b: np.ndarray  # (3,)
    c: np.ndarray  # (1, 4) lanes; the fourth stays at the beginning
    error: np.ndarray  # (3,) e
    gamma: float
    bump: float  # max |θ (θ − c_1) (θ − c_2) (θ − c_3)| inside a step
    dense: np.ndarray  # (3, 3) Z(θ) = Σ_i Z_i Σ_k dense_ik θ^(k+1)
    slopes: np.ndarray  # (3, 3) ∫₀^θ of a function given at the nodes, in the same form
    control: own.Control


class RadauScratch(NamedTuple):
    z: np.ndarray  # (3, m)
    last: np.ndarray  # (3, m) Z of the last accepted step
    stages: np.ndarray  # (m, 4)
    slopes: np.ndarray  # (m, 4)
    first: np.ndarray  # (m,) f(y)
    error: np.ndarray  # (m,)
    moved: np.ndarray  # (m,)
    work: np.ndarray  # (3,) h times the power at the nodes of the last step
    newton: NewtonScratch
    smoother: NewtonScratch  # 1 − h γ₀ J
    facts: np.ndarray
    span: own.Span


# ---- coefficients --------------------------------------------------------------------------------
def error_weights(a: np.ndarray, b: np.ndarray, c: np.ndarray, gamma: float) -> np.ndarray:
    """e = (b̂ − b)ᵀ A⁻¹, where γ₀ f(y) + Σ b̂_i f(Y_i) integrates 1, t and t² exactly."""
    hat = np.linalg.solve(np.array([c**k for k in range(3)]), np.array([1 - gamma, 1 / 2, 1 / 3]))
    return np.linalg.solve(a.T, hat - b)


@inlined
def node_polynomial(c, x):
    """ω(θ) = θ (θ − c_1) (θ − c_2) (θ − c_3): the error of the polynomial is some multiple of
    it.
    """
    return x * (x - c[0]) * (x - c[1]) * (x - c[2])


def radau_method(tableau: Tableau) -> RadauMethod:
    a, b, c = (np.array(values, dtype=float) for values in (tableau.a, tableau.b, tableau.c))
    with localcontext(prec=DIGITS):
        dense = [lagrange_basis([Decimal(0), *tableau.c], i + 1)[1:] for i in range(STAGES)]
        slopes = [
            [x / (k + 1) for k, x in enumerate(lagrange_basis(tableau.c, i))] for i in range(STAGES)
        ]
    eigenvalues, bump = (
        np.linalg.eigvals(a),
        np.abs(node_polynomial(c, np.linspace(0, 1, 1001))).max(),
    )
    gamma = float(eigenvalues[np.argmin(np.abs(eigenvalues.imag))].real)
    lanes, matrices = (
        np.array([[*c, 0.0]]),
        (np.array(values, dtype=float) for values in (dense, slopes)),
    )
    return RadauMethod(
        substeps_of(),
        solver.ORDINARY,
        a,
        b,
        lanes,
        error_weights(a, b, c, gamma),
        gamma,
        float(bump),
        *matrices,
        own.Control(),
    )


def start_radau(y, method) -> State:
    m = len(y)
    tables, lanes = (
        (np.zeros((STAGES, m)) for _ in range(2)),
        (rows(float, m, WIDTH) for _ in range(2)),
    )
    vectors, matrices = (
        (np.zeros(m) for _ in range(3)),
        (newton_scratch(m, STAGES * m), newton_scratch(m, m)),
    )
    return new_state(
        y,
        RadauScratch(
            *tables, *lanes, *vectors, np.zeros(STAGES), *matrices, np.zeros(4), own.new_span(m)
        ),
    )


# ---- slopes and matrices -------------------------------------------------------------------------
@own.slope_at.method(RadauMethod)
@inlined
def evaluate_at(method, system, work, state, t, y, out):
    """f(t, y) by the lanes, which are all alike; out may be y."""
    scratch = state.scratch
    for i in range(y.shape[0]):
        store(scratch.stages, i, load(y, i))
    rates(system, work, broadcast_like(t, load(method.c, 0)), scratch.stages, scratch.slopes)
    state.counts[CALLS] += 1
    for i in range(y.shape[0]):
        out[i] = scratch.slopes[i, 0]


@inlined
def evaluate_stages(method, system, work, state, t, h):
    """f(y + Z)"""
    scratch = state.scratch
    for i in range(state.y.shape[0]):
        scratch.stages[i, STAGES] = state.y[i]
        for k in range(STAGES):
            scratch.stages[i, k] = state.y[i] + (state.lost[i] + scratch.z[k, i])
    rates(system, work, load(method.c, 0) * h + t, scratch.stages, scratch.slopes)
    state.counts[CALLS] += 1


@solver.linearise.method(RadauMethod)
def linearise_rates(method, system, work, state, t, h):
    """J at the beginning of the step."""
    measure_jacobian_in_lanes(
        system,
        work,
        state,
        broadcast_like(t, load(method.c, 0)),
        state.scratch.stages,
        state.scratch.slopes,
    )
    state.scratch.facts[PRESENT] = 1.0


@solver.form_matrix.method(RadauMethod)
def form_matrices(method, system, work, state, t, h):
    """1 − h A ⊗ J and 1 − h γ₀ J."""
    newton, smoother, m = state.scratch.newton, state.scratch.smoother, state.y.shape[0]
    for r in range(m):
        for c in range(m):
            one, slope = 1.0 if r == c else 0.0, newton.jacobian[r, c]
            smoother.factors[r, c] = one - h * method.gamma * slope
            for i in range(STAGES):
                for j in range(STAGES):
                    newton.factors[i * m + r, j * m + c] = (one if i == j else 0.0) - h * method.a[
                        i, j
                    ] * slope
    is_regular = factor(newton.factors, newton.pivots) and factor(smoother.factors, smoother.pivots)
    return RUNNING if is_regular else NOT_CONVERGED


@inlined
def correct_stages(method, system, work, state, t, h):
    """Z += (1 − h A ⊗ J)⁻¹ (h A f(Y) − Z)"""
    scratch, newton, m = state.scratch, state.scratch.newton, state.y.shape[0]
    evaluate_stages(method, system, work, state, t, h)
    for k in range(STAGES):
        for i in range(m):
            total = -scratch.z[k, i]
            for j in range(STAGES):
                total = fma(h * method.a[k, j], scratch.slopes[i, j], total)
            newton.unknowns[k * m + i] = total
    solve(newton.factors, newton.pivots, newton.unknowns)
    for k in range(STAGES):
        for i in range(m):
            scratch.z[k, i] += newton.unknowns[k * m + i]


# ---- a step of given length ----------------------------------------------------------------------
@solver.prepare.method(RadauMethod)
@solver.restart.method(RadauMethod)
def begin_alone(method, system, work, state, t, h):
    """Every step by itself: with no guess and a Jacobian of its own."""
    state.scratch.z[:] = 0.0
    state.scratch.newton.facts[STALE] = 1.0
    return RUNNING


@solver.correct.method(RadauMethod)
def correct_all(method, system, work, state, t, h):
    """The largest correction, relative to the size of the state; not a number if one is not."""
    m, size = state.y.shape[0], 1e-300
    correct_stages(method, system, work, state, t, h)
    for i in range(m):
        state.change[i], size = 0.0, max(size, abs(state.y[i]))
        for k in range(STAGES):
            state.change[i] = solver.largest_of(
                state.change[i], abs(state.scratch.newton.unknowns[k * m + i])
            )
            size = max(size, abs(state.scratch.z[k, i]))
    state.sizes[0], state.sizes[1] = size, size
    return solver.largest_entry(state.change, 0, m) / size


@solver.finish.method(RadauMethod)
@inlined
def measure_work(method, system, work, state, t, h):
    """f and h times the power at the stages as they are: RUNNING if all slopes are finite."""
    scratch = state.scratch
    evaluate_stages(method, system, work, state, t, h)
    done = power(system, work, load(method.c, 0) * h + t, scratch.stages, scratch.slopes) * h
    for k in range(STAGES):
        scratch.work[k] = lane(done, k)
    for i in range(state.y.shape[0]):
        if not np.isfinite(scratch.slopes[i, 0] + scratch.slopes[i, 1] + scratch.slopes[i, 2]):
            return NOT_CONVERGED
    return RUNNING


@solver.accept.method(RadauMethod)
@inlined
def take_last_stage(method, system, work, state, t, h, k):
    """y⁺ = y + Z_3, and the work of dampers and loads."""
    done = 0.0
    for i in range(STAGES):
        done = fma(method.b[i], state.scratch.work[i], done)
    step_forward(state, part(state.scratch.z, STAGES - 1), done)


# ---- own steps -----------------------------------------------------------------------------------
@inlined
def held_against(control):
    """The tolerances that the estimate of order 3 is held against."""
    rtol = 0.1 * control.rtol ** (2.0 / 3.0)
    return rtol, rtol * (control.atol / control.rtol)


@own.begin_own.method(RadauMethod)
def begin_radau(method, system, work, state):
    """The length of the first step only if there is none to try."""
    scratch, t, (rtol, atol) = state.scratch, state.clock[TIME], held_against(method.control)
    evaluate_at(method, system, work, state, t, state.y, scratch.first)
    scratch.newton.facts[STALE], scratch.facts[GUESS], scratch.facts[EXCESS] = 1.0, 0.0, 1.0
    rooms = scratch.moved, scratch.moved
    return own.begin_length(
        method, system, work, state, scratch.first, *rooms, ESTIMATE_ORDER, rtol, atol
    )


@inlined
def guess_stages(method, state, h):
    """Z from the polynomial of the last step, continued; zero if there is none."""
    scratch, ratio = (
        state.scratch,
        h / state.scratch.span.facts[own.LENGTH] if state.scratch.facts[GUESS] != 0.0 else 0.0,
    )
    scratch.z[:] = 0.0
    if scratch.facts[GUESS] != 0.0:
        for k in range(STAGES):
            for j in range(STAGES):
                weight = own.dense_weight(method.dense, j, 1.0 + method.c[0, k] * ratio) - (
                    1.0 if j == STAGES - 1 else 0.0
                )
                for i in range(state.y.shape[0]):
                    scratch.z[k, i] = fma(weight, scratch.last[j, i], scratch.z[k, i])


@inlined
def size_of_correction(state, rtol, atol):
    """The root of the mean square of ΔZ in units of the tolerance."""
    m, total = state.y.shape[0], 0.0
    for i in range(m):
        scale = atol + rtol * abs(state.y[i])
        for k in range(STAGES):
            ratio = state.scratch.newton.unknowns[k * m + i] / scale
            total += ratio * ratio
    return np.sqrt(total / max(1, STAGES * m))


@inlined
def iterate_own(method, system, work, state, t, h, rtol, atol):
    """Newton until its error is small against the tolerance: (0, iterations), or a factor for h
    with which it may converge.
    """
    facts, wanted = state.scratch.facts, max(10.0 * 2.0**-52 / rtol, min(0.03, np.sqrt(rtol)))
    before, ratio_before, excess = 0.0, 0.0, max(facts[EXCESS], 2.0**-52) ** 0.8
    facts[RATIO] = GOOD_RATIO
    for iteration in range(1, MOST_ITERATIONS + 1):
        correct_stages(method, system, work, state, t, h)
        change = size_of_correction(state, rtol, atol)
        if not change < np.inf:
            return 0.5, iteration
        if iteration > 1:
            ratio = change / before
            facts[RATIO] = ratio if iteration == 2 else np.sqrt(ratio * ratio_before)
            if facts[RATIO] >= 0.99:
                return 0.5, iteration
            ratio_before, excess = ratio, facts[RATIO] / (1.0 - facts[RATIO])
            left = MOST_ITERATIONS - 1 - iteration
            foreseen = excess * change * facts[RATIO] ** left / wanted
            if foreseen >= 1.0:
                return 0.8 * max(1e-4, min(20.0, foreseen)) ** (-1.0 / (4.0 + left)), iteration
        before = max(change, 2.0**-52)
        if excess * change <= wanted:
            facts[EXCESS] = excess
            return 0.0, iteration
    return 0.5, MOST_ITERATIONS


@inlined
def smoothed_error(method, state, h, slope, rtol, atol):
    """(1 − h γ₀ J)⁻¹ (γ₀ h f + Σ e_i Z_i) into scratch.error, and its norm."""
    scratch = state.scratch
    for i in range(state.y.shape[0]):
        total = h * method.gamma * slope[i]
        for k in range(STAGES):
            total = fma(method.error[k], scratch.z[k, i], total)
        scratch.error[i] = total
    solve(scratch.smoother.factors, scratch.smoother.pivots, scratch.error)
    return own.scaled_norm(scratch.error, state.y, rtol, atol)


@inlined
def polynomial_error(method, state, h, rtol, atol):
    """The error inside the step into scratch.moved, and its norm: by how far the polynomial misses
    the point where the last step began.
    """
    scratch, m = state.scratch, state.y.shape[0]
    x = -scratch.span.facts[own.LENGTH] / h
    scale = method.bump / node_polynomial(part(method.c, 0), x)
    for i in range(m):
        scratch.moved[i] = scale * scratch.last[STAGES - 1, i]
    for k in range(STAGES):
        weight = scale * own.dense_weight(method.dense, k, x)
        for i in range(m):
            scratch.moved[i] = fma(weight, scratch.z[k, i], scratch.moved[i])
    return own.scaled_norm(scratch.moved, state.y, rtol, atol)


@inlined
def error_ratio(method, system, work, state, t, h, rtol, atol):
    """The larger of both errors; counts[WORST] is the row behind it.

    Where the first looks large after a refused step or at the start, f(y + error) replaces f(y): a
    stiff part then counts less.
    """
    scratch = state.scratch
    ratio = smoothed_error(method, state, h, scratch.first, rtol, atol)
    if ratio >= 1.0 and (state.clock[LAST] != 0.0 or state.counts[STEPS] == 0):
        for i in range(state.y.shape[0]):
            scratch.moved[i] = state.y[i] + scratch.error[i]
        evaluate_at(method, system, work, state, t, scratch.moved, scratch.moved)
        ratio = smoothed_error(method, state, h, scratch.moved, rtol, atol)
    state.counts[WORST] = own.largest_row(scratch.error, state.y, rtol, atol)
    if scratch.facts[GUESS] != 0.0:
        inside = polynomial_error(method, state, h, rtol, atol)
        if inside > ratio:
            ratio, state.counts[WORST] = inside, own.largest_row(scratch.moved, state.y, rtol, atol)
    return max(ratio, LEAST_ERROR) if ratio == ratio else ratio


@inlined
def following_length(state, h, ratio, iterations):
    """By the error, and less boldly after many iterations; after an accepted step also by how the
    error grew (Gustafsson 1994).
    """
    safety = min(SAFETY, SAFETY * (1 + 2 * MOST_ITERATIONS) / (iterations + 2 * MOST_ITERATIONS))
    divisor = ratio**0.25 / safety
    before, clock = state.scratch.span.facts[own.LENGTH], state.clock
    if ratio < 1.0 and clock[MEMORY] > 0.0:
        divisor = max(divisor, before / h * (ratio * ratio / clock[MEMORY]) ** 0.25 / SAFETY)
    return h / max(1.0 / MOST, min(1.0 / LEAST, divisor))


@inlined
def accept_own(method, system, work, state, t, h, ratio, following):
    clock, scratch = state.clock, state.scratch
    following = min(following, h) if clock[LAST] != 0.0 else following
    keeps_jacobian = scratch.facts[RATIO] <= GOOD_RATIO
    clock[NEXT] = h if keeps_jacobian and h <= following <= KEPT_LENGTH * h else following
    clock[MEMORY], clock[LAST] = max(ratio, LEAST_MEMORY), 0.0
    scratch.newton.facts[STALE], scratch.facts[PRESENT], scratch.facts[GUESS] = (
        0.0 if keeps_jacobian else 1.0,
        0.0,
        1.0,
    )
    own.keep_span(state, h)
    take_last_stage(method, system, work, state, t, h, 0)
    for i in range(state.y.shape[0]):
        scratch.first[i] = scratch.slopes[i, STAGES - 1]
        for k in range(STAGES):
            scratch.last[k, i] = scratch.z[k, i]


@own.attempt.method(RadauMethod)
def attempt_radau(method, system, work, state, h):
    t, (rtol, atol) = state.clock[TIME], held_against(method.control)
    factor_of_h, ratio, following = 0.5, np.inf, h
    if solver.prepare_matrix(method, system, work, state, t, h) == RUNNING:
        guess_stages(method, state, h)
        factor_of_h, iterations = iterate_own(method, system, work, state, t, h, rtol, atol)
        if factor_of_h == 0.0:
            ratio = error_ratio(method, system, work, state, t, h, rtol, atol)
            following = following_length(state, h, ratio, iterations)
            factor_of_h = following / h if ratio < np.inf else 0.5
    if ratio < 1.0 and measure_work(method, system, work, state, t, h) == RUNNING:
        accept_own(method, system, work, state, t, h, ratio, following)
        return own.ACCEPTED
    if state.scratch.facts[PRESENT] == 0.0:
        state.scratch.newton.facts[STALE] = 1.0  # the Jacobian was an older one
    return min(factor_of_h, 0.9) * h


@own.between.method(RadauMethod)
def radau_between(method, system, work, state, x, samples, row):
    """Z(θ), the collocation polynomial, and the integral of the power through its values at the
    nodes.
    """
    n, scratch = state.y.shape[0], state.scratch
    for i in range(n + 1):
        samples[row, 1 + i] = 0.0
    for k in range(STAGES):
        weight = own.dense_weight(method.dense, k, x)
        for i in range(n):
            samples[row, 1 + i] = fma(weight, scratch.last[k, i], samples[row, 1 + i])
        samples[row, 1 + n] = fma(
            own.dense_weight(method.slopes, k, x), scratch.work[k], samples[row, 1 + n]
        )


# ---- record --------------------------------------------------------------------------------------
RADAU = radau_iia(STAGES)
INTEGRATORS = (
    own.adaptive_integrator(
        "radau5",
        RADAU.order,
        "Hairer, Wanner, IV.8",
        is_explicit=False,
        width=WIDTH,
        evaluations_per_call=STAGES,
        method=radau_method(RADAU),
        start=start_radau,
        remark=f"for stiff problems; {own.REMARK}",
    ),
)
