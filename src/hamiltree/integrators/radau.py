"""Radau IIA of three stages with control of the error: order 5, L-stable, for stiff problems;
Hairer, Wanner, IV.8.

In Z_i = Y_i − y: Z_i = h Σ_j a_ij f(Y_j), y⁺ = y + Z_3, by simplified Newton:
(1 − h A ⊗ J) ΔZ = h A f(y + Z) − Z. The three stages lie in lanes: one call of `rates` evaluates
all. The error is that of a formula of order 3 that also uses f(y), smoothed:
(1 − h γ₀ J)⁻¹ (γ₀ h f(y) + Σ e_i Z_i); γ₀ is the real eigenvalue of A. As it falls more slowly than
the true error, it is held against 0.1 rtol^(2/3) (and atol in proportion), as in Hairer's RADAU5.
It says little of stiff rows, whose ends of a step are right however long the step: so the
collocation polynomial between the ends is held against the same tolerance. Samples are those of a
better one (radau_dense.py).
Adaptive steps have their own loop: Newton's method ends at the tolerance and not at rounding, and
where it is slow the step is shortened, so that length, error and iteration are one decision. A step
of given length, the matrices and the corrections are those of radau_stages.py and
implicit_solver.py.
"""

import numpy as np

from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import WIDTH, fma, part
from hamiltree.integrators import adaptive_steps as own
from hamiltree.integrators import implicit_solver as solver
from hamiltree.integrators import integrator as core
from hamiltree.integrators import radau_stages as stages
from hamiltree.integrators.event_search import probe_step
from hamiltree.integrators.integrator import RUNNING, TIME
from hamiltree.integrators.newton import JACOBIAN_STALE, solve_scaled
from hamiltree.integrators.radau_dense import STAGES, form_dense_step, interpolate_dense_step
from hamiltree.integrators.radau_stages import HAS_GUESS, RadauMethod, evaluate_point
from hamiltree.integrators.tableaus import radau_iia

MAX_ITERATIONS = 7
SAFETY, MIN_FACTOR, MAX_FACTOR = 0.9, 0.2, 8.0  # and the factors between two steps, as in RADAU5
# of Newton's corrections: with such a Jacobian the next step does without another
GOOD_RATIO = 1e-3
REUSE_FACTOR = 1.2  # a next step of up to this factor is not worth another factorisation
MIN_ERROR_MEMORY, MIN_ERROR = 1e-2, 1e-10
ESTIMATE_ORDER = 3


# ---- adaptive steps ------------------------------------------------------------------------------
@inlined
def estimate_tolerances(control):
    """The tolerances that the estimate of order 3 is held against."""
    rtol = 0.1 * control.rtol ** (2.0 / 3.0)
    return rtol, rtol * (control.atol / control.rtol)


@own.begin_adaptive.method(RadauMethod)
def begin_radau(method, system, work, state):
    """The length of the first step only if there is none to try."""
    scratch, moved = state.scratch, state.scratch.moved
    tolerances = estimate_tolerances(method.control)
    evaluate_point(method, system, work, state, state.clock[TIME], state.y, scratch.first)
    scratch.newton.facts[JACOBIAN_STALE] = 1.0
    scratch.facts[HAS_GUESS], scratch.facts[stages.EXCESS] = 0.0, 1.0
    return own.begin_length(
        method, system, work, state, scratch.first, moved, moved, ESTIMATE_ORDER, *tolerances
    )


@outlined
def guess_stages(method, state, h):
    """Z from the polynomial of the last step, continued; zero if there is none."""
    scratch = state.scratch
    scratch.z[:] = 0.0
    if scratch.facts[HAS_GUESS] != 0.0:
        ratio = h / scratch.last_step.facts[own.LENGTH]
        for k in range(STAGES):
            for j in range(STAGES):
                last = 1.0 if j == STAGES - 1 else 0.0
                weight = own.dense_weight(method.dense, j, 1.0 + method.c[0, k] * ratio) - last
                for i in range(state.y.shape[0]):
                    scratch.z[k, i] = fma(weight, scratch.last[j, i], scratch.z[k, i])


@inlined
def correction_norm(state, rtol, atol):
    """The root of the mean square of ΔZ in units of the tolerance."""
    m, total = state.y.shape[0], 0.0
    for i in range(m):
        scale = atol * state.scale[i] + rtol * abs(state.y[i])
        for k in range(STAGES):
            ratio = state.scratch.newton.unknowns[k * m + i] / scale
            total += ratio * ratio
    return np.sqrt(total / max(1, STAGES * m))


@outlined
def iterate_to_tolerance(method, system, work, state, t, h, rtol, atol):
    """Newton until its error is small against the tolerance: (0, iterations), or a factor for h
    with which it may converge.
    """
    facts, wanted = state.scratch.facts, max(10.0 * 2.0**-52 / rtol, min(0.03, np.sqrt(rtol)))
    before, ratio_before = 0.0, 0.0
    excess = max(facts[stages.EXCESS], 2.0**-52) ** 0.8
    facts[stages.CONTRACTION] = GOOD_RATIO
    for iteration in range(1, MAX_ITERATIONS + 1):
        stages.correct_stages(method, system, work, state, t, h)
        change = correction_norm(state, rtol, atol)
        if not change < np.inf:
            return 0.5, iteration
        if iteration > 1:
            ratio = change / before
            facts[stages.CONTRACTION] = ratio if iteration == 2 else np.sqrt(ratio * ratio_before)
            if facts[stages.CONTRACTION] >= 0.99:
                return 0.5, iteration
            ratio_before, excess = (
                ratio,
                facts[stages.CONTRACTION] / (1.0 - facts[stages.CONTRACTION]),
            )
            left = MAX_ITERATIONS - 1 - iteration
            foreseen = excess * change * facts[stages.CONTRACTION] ** left / wanted
            if foreseen >= 1.0:
                return 0.8 * max(1e-4, min(20.0, foreseen)) ** (-1.0 / (4.0 + left)), iteration
        before = max(change, 2.0**-52)
        if excess * change <= wanted:
            facts[stages.EXCESS] = excess
            return 0.0, iteration
    return 0.5, MAX_ITERATIONS


@inlined
def smoothed_error(method, state, h, slope, rtol, atol):
    """(1 − h γ₀ J)⁻¹ (γ₀ h f + Σ e_i Z_i) into scratch.error, and its norm."""
    scratch = state.scratch
    for i in range(state.y.shape[0]):
        total = h * method.gamma * slope[i]
        for k in range(STAGES):
            total = fma(method.error[k], scratch.z[k, i], total)
        scratch.error[i] = total
    solve_scaled(scratch.smoother.factors, scratch.smoother.pivots, scratch.error, state.scale)
    return own.weighted_rms_norm(scratch.error, state, rtol, atol)


@inlined
def polynomial_error(method, state, h, rtol, atol):
    """The error inside the step into scratch.moved, and its norm: by how far the polynomial misses
    the point where the last step began.
    """
    scratch, m = state.scratch, state.y.shape[0]
    x = -scratch.last_step.facts[own.LENGTH] / h
    scale = method.max_node_polynomial / stages.node_polynomial(part(method.c, 0), x)
    for i in range(m):
        scratch.moved[i] = scale * scratch.last[STAGES - 1, i]
    for k in range(STAGES):
        weight = scale * own.dense_weight(method.dense, k, x)
        for i in range(m):
            scratch.moved[i] = fma(weight, scratch.z[k, i], scratch.moved[i])
    return own.weighted_rms_norm(scratch.moved, state, rtol, atol)


@outlined
def error_ratio(method, system, work, state, t, h, rtol, atol):
    """The larger of both errors; counts[WORST_ROW] is the row behind it. Where the first looks
    large after a rejected step or at the start, f(y + error) replaces f(y): stiff parts then count
    less.
    """
    scratch = state.scratch
    ratio = smoothed_error(method, state, h, scratch.first, rtol, atol)
    for i in range(state.y.shape[0]):
        scratch.dense.estimate[i] = scratch.error[i]
    if ratio >= 1.0 and (state.clock[core.CONTROLLER_LAST] != 0.0 or state.counts[core.STEPS] == 0):
        for i in range(state.y.shape[0]):
            scratch.moved[i] = state.y[i] + scratch.error[i]
        evaluate_point(method, system, work, state, t, scratch.moved, scratch.moved)
        ratio = smoothed_error(method, state, h, scratch.moved, rtol, atol)
    state.counts[core.WORST_ROW] = own.largest_weighted_row(scratch.error, state, rtol, atol)
    if scratch.facts[HAS_GUESS] != 0.0:
        inside = polynomial_error(method, state, h, rtol, atol)
        if inside > ratio:
            ratio = inside
            state.counts[core.WORST_ROW] = own.largest_weighted_row(
                scratch.moved, state, rtol, atol
            )
    return max(ratio, MIN_ERROR) if ratio == ratio else ratio


@inlined
def next_step_length(state, h, ratio, iterations):
    """By the error, less boldly after many iterations; after an accepted step also by how the error
    grew: a predictive step-size controller (Gustafsson 1994).
    """
    safety = min(SAFETY, SAFETY * (1 + 2 * MAX_ITERATIONS) / (iterations + 2 * MAX_ITERATIONS))
    divisor = ratio**0.25 / safety
    before, memory = state.scratch.last_step.facts[own.LENGTH], state.clock[core.CONTROLLER_MEMORY]
    if ratio < 1.0 and memory > 0.0:
        divisor = max(divisor, before / h * (ratio * ratio / memory) ** 0.25 / SAFETY)
    return h / max(1.0 / MAX_FACTOR, min(1.0 / MIN_FACTOR, divisor))


@outlined
def accept_adaptive(method, system, work, state, t, h, ratio, following):
    """Take y⁺, and choose the next length and whether the Jacobian is kept."""
    clock, scratch = state.clock, state.scratch
    following = min(following, h) if clock[core.CONTROLLER_LAST] != 0.0 else following
    keeps_jacobian = scratch.facts[stages.CONTRACTION] <= GOOD_RATIO
    clock[core.NEXT_STEP] = (
        h if keeps_jacobian and h <= following <= REUSE_FACTOR * h else following
    )
    clock[core.CONTROLLER_MEMORY], clock[core.CONTROLLER_LAST] = max(ratio, MIN_ERROR_MEMORY), 0.0
    scratch.newton.facts[JACOBIAN_STALE] = 0.0 if keeps_jacobian else 1.0
    scratch.facts[stages.JACOBIAN_CURRENT] = 0.0
    length = scratch.last_step.facts[own.LENGTH] if scratch.facts[HAS_GUESS] != 0.0 else 0.0
    form_dense_step(method, scratch, state.scale, length, h)
    scratch.facts[HAS_GUESS] = 1.0
    own.record_last_step(state, h)
    stages.accept_last_stage(method, system, work, state, t, h, 0)
    for i in range(state.y.shape[0]):
        scratch.first[i] = scratch.slopes[i, STAGES - 1]
        for k in range(STAGES):
            scratch.last[k, i] = scratch.z[k, i]


@own.attempt_step.method(RadauMethod)
def attempt_radau(method, system, work, state, h):
    """A step of length h: ACCEPTED, or the length that the error or the iteration asks for."""
    t, (rtol, atol) = state.clock[TIME], estimate_tolerances(method.control)
    factor_of_h, ratio = 0.5, np.inf
    following = h
    if solver.update_newton_matrix(method, system, work, state, t, h) == RUNNING:
        guess_stages(method, state, h)
        factor_of_h, iterations = iterate_to_tolerance(
            method, system, work, state, t, h, rtol, atol
        )
        if factor_of_h == 0.0:
            ratio = error_ratio(method, system, work, state, t, h, rtol, atol)
            following = next_step_length(state, h, ratio, iterations)
            factor_of_h = following / h if ratio < np.inf else 0.5
    if ratio < 1.0 and stages.compute_work(method, system, work, state, t, h) == RUNNING:
        accept_adaptive(method, system, work, state, t, h, ratio, following)
        return own.ACCEPTED
    if state.scratch.facts[stages.JACOBIAN_CURRENT] == 0.0:
        state.scratch.newton.facts[JACOBIAN_STALE] = 1.0  # the Jacobian was an older one
    return min(factor_of_h, 0.9) * h


own.interpolate_increments.method(RadauMethod)(interpolate_dense_step)
probe_step.method(RadauMethod)(own.probe_dense_output)


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
        method=stages.radau_method(RADAU),
        initial_state=stages.new_radau_state,
        remark=f"for stiff problems; {own.REMARK}",
    ),
)
