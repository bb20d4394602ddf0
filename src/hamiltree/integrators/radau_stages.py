"""The three stages of Radau IIA: coefficients, slopes, matrices of Newton's method, and steps of
given length.

In Z_i = Y_i − y: Z_i = h Σ_j a_ij f(Y_j), y⁺ = y + Z_3, by simplified Newton:
(1 − h A ⊗ J) ΔZ = h A f(y + Z) − Z. The three stages lie in lanes: one call of `rates` evaluates
all.
"""

from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import WIDTH, broadcast_like, fma, lane, load, part, rows, store
from hamiltree.integrators import adaptive_steps as own
from hamiltree.integrators import convergence
from hamiltree.integrators import implicit_solver as solver
from hamiltree.integrators import integrator as core
from hamiltree.integrators import radau_dense as dense
from hamiltree.integrators.compositions import Substeps, substeps_of
from hamiltree.integrators.integrator import CALLS, RUNNING, State
from hamiltree.integrators.newton import (
    JACOBIAN_STALE,
    NewtonScratch,
    difference_jacobian_in_lanes,
    factor,
    fill_block,
    newton_scratch,
    solve_scaled,
)
from hamiltree.integrators.quadrature_nodes import lagrange_basis
from hamiltree.integrators.radau_dense import STAGES
from hamiltree.integrators.tableau import DIGITS, Tableau
from hamiltree.verbs import power, rates

# Entries of RadauScratch.facts: how far Newton's error is above its last correction, the ratio of
# its corrections, whether the Jacobian is that of the present point, and whether there is a last
# step whose polynomial gives a first guess.
EXCESS, CONTRACTION, JACOBIAN_CURRENT, HAS_GUESS = range(4)


class RadauMethod(NamedTuple):
    substeps: Substeps
    limits: convergence.IterationLimits  # of steps of given length
    a: np.ndarray  # (3, 3)
    b: np.ndarray  # (3,)
    c: np.ndarray  # (1, 4) lanes; the fourth stays at the beginning
    error: np.ndarray  # (3,) e
    gamma: float
    max_node_polynomial: float  # max |θ (θ − c_1) (θ − c_2) (θ − c_3)| inside a step
    dense: np.ndarray  # (3, 3) Z(θ) = Σ_i Z_i Σ_k dense_ik θ^(k+1)
    dense_table: dense.DenseTable  # of the polynomial between the ends of a step
    control: own.StepControl


class RadauScratch(NamedTuple):
    z: np.ndarray  # (3, m)
    last: np.ndarray  # (3, m) Z of the last accepted step
    stages: np.ndarray  # (m, 4)
    slopes: np.ndarray  # (m, 4)
    first: np.ndarray  # (m,) f(y)
    error: np.ndarray  # (m,)
    moved: np.ndarray  # (m,)
    work: np.ndarray  # (3,) h times the power at the nodes of the last step
    dense: dense.DenseStep
    newton: NewtonScratch
    smoother: NewtonScratch  # 1 − h γ₀ J
    facts: np.ndarray
    last_step: own.LastStep


def error_weights(a: np.ndarray, b: np.ndarray, c: np.ndarray, gamma: float) -> np.ndarray:
    """e = (b̂ − b)ᵀ A⁻¹, where γ₀ f(y) + Σ b̂_i f(Y_i) integrates 1, t and t² exactly."""
    hat = np.linalg.solve(np.array([c**k for k in range(3)]), np.array([1 - gamma, 1 / 2, 1 / 3]))
    return np.linalg.solve(a.T, hat - b)


@inlined
def node_polynomial(c, x):
    """ω(θ) = θ (θ − c_1) (θ − c_2) (θ − c_3): the error of the polynomial is a multiple of it."""
    return x * (x - c[0]) * (x - c[1]) * (x - c[2])


def radau_method(tableau: Tableau) -> RadauMethod:
    """Radau IIA with error weights, dense output and γ₀, the real eigenvalue of A."""
    a, b, c = (np.array(values, dtype=float) for values in (tableau.a, tableau.b, tableau.c))
    with localcontext(prec=DIGITS):
        bases = [lagrange_basis([Decimal(0), *tableau.c], i + 1)[1:] for i in range(STAGES)]
    eigenvalues = np.linalg.eigvals(a)
    gamma = float(eigenvalues[np.argmin(np.abs(eigenvalues.imag))].real)
    error = error_weights(a, b, c, gamma)
    return RadauMethod(
        substeps=substeps_of(),
        limits=convergence.DEFAULT_LIMITS,
        a=a,
        b=b,
        c=np.array([[*c, 0.0]]),
        error=error,
        gamma=gamma,
        max_node_polynomial=float(np.abs(node_polynomial(c, np.linspace(0, 1, 1001))).max()),
        dense=np.array(bases, dtype=float),
        dense_table=dense.dense_table(tableau, error, gamma),
        control=own.StepControl(),
    )


def new_radau_state(y, method) -> State:
    """The state before the first step, with both matrices of Newton's method."""
    m = len(y)
    lanes = (rows(float, m, WIDTH) for _ in range(2))
    tables, vectors = np.zeros((2, STAGES, m)), np.zeros((3, m))
    matrices = (newton_scratch(m, size) for size in (STAGES * m, m))
    last = np.zeros(4), own.new_last_step(m)
    step = np.zeros(STAGES), dense.new_dense_step(m)
    return core.new_state(y, RadauScratch(*tables, *lanes, *vectors, *step, *matrices, *last))


@own.evaluate_rates.method(RadauMethod)
@outlined
def evaluate_point(method, system, work, state, t, y, out):
    """f(t, y) by the lanes, which are all alike; out may be y."""
    scratch = state.scratch
    for i in range(y.shape[0]):
        store(scratch.stages, i, load(y, i))
    rates(system, work, broadcast_like(t, load(method.c, 0)), scratch.stages, scratch.slopes)
    state.counts[CALLS] += 1
    for i in range(y.shape[0]):
        out[i] = scratch.slopes[i, 0]


@outlined
def evaluate_stages(method, system, work, state, t, h):
    """f(y + Z)"""
    scratch = state.scratch
    for i in range(state.y.shape[0]):
        scratch.stages[i, STAGES] = state.y[i]
        for k in range(STAGES):
            scratch.stages[i, k] = state.y[i] + (state.compensation[i] + scratch.z[k, i])
    rates(system, work, load(method.c, 0) * h + t, scratch.stages, scratch.slopes)
    state.counts[CALLS] += 1


@solver.linearise.method(RadauMethod)
def difference_radau_jacobian(method, system, work, state, t, h):
    """J at the beginning of the step."""
    times = broadcast_like(t, load(method.c, 0))
    stages, slopes = state.scratch.stages, state.scratch.slopes
    difference_jacobian_in_lanes(system, work, state, times, stages, slopes)
    state.scratch.facts[JACOBIAN_CURRENT] = 1.0


@solver.factor_newton_matrix.method(RadauMethod)
def factor_radau_matrices(method, system, work, state, t, h):
    """1 − h A ⊗ J and 1 − h γ₀ J."""
    of_stages, smoother = state.scratch.newton, state.scratch.smoother
    m = state.y.shape[0]
    jacobian, scale = of_stages.jacobian, state.scale
    w = h * method.gamma
    fill_block(smoother.factors, jacobian, scale, 0, 0, w, w, m)
    for i in range(STAGES):
        for j in range(STAGES):
            w = h * method.a[i, j]
            fill_block(of_stages.factors, jacobian, scale, i, j, w, w, m)
    is_regular = factor(of_stages.factors, of_stages.pivots)
    is_regular = is_regular and factor(smoother.factors, smoother.pivots)
    return RUNNING if is_regular else core.NOT_CONVERGED


@outlined
def correct_stages(method, system, work, state, t, h):
    """Z += (1 − h A ⊗ J)⁻¹ (h A f(Y) − Z)"""
    scratch, x = state.scratch, state.scratch.newton.unknowns
    m = state.y.shape[0]
    evaluate_stages(method, system, work, state, t, h)
    for k in range(STAGES):
        for i in range(m):
            total = -scratch.z[k, i]
            for j in range(STAGES):
                total = fma(h * method.a[k, j], scratch.slopes[i, j], total)
            x[k * m + i] = total
    solve_scaled(scratch.newton.factors, scratch.newton.pivots, x, state.scale)
    for k in range(STAGES):
        for i in range(m):
            scratch.z[k, i] += x[k * m + i]


@solver.prepare_substep.method(RadauMethod)
@solver.restart.method(RadauMethod)
def prepare_fixed_step(method, system, work, state, t, h):
    """Every step by itself: with no guess and a Jacobian of its own."""
    state.scratch.z[:] = 0.0
    state.scratch.newton.facts[JACOBIAN_STALE] = 1.0
    return RUNNING


@solver.correct.method(RadauMethod)
def correct_fixed_step(method, system, work, state, t, h):
    """The largest correction, relative to the size of the state."""
    m, size = state.y.shape[0], solver.size_at_rest(state, 1, h)
    x = state.scratch.newton.unknowns
    correct_stages(method, system, work, state, t, h)
    for i in range(m):
        state.change[i], largest = 0.0, abs(state.y[i])
        for k in range(STAGES):
            state.change[i] = solver.max_or_nan(state.change[i], abs(x[k * m + i]))
            largest = max(largest, abs(state.scratch.z[k, i]))
        size = max(size, largest / state.scale[i])
    state.sizes[0], state.sizes[1] = size, size
    return solver.largest_change(system, state)[1]


@solver.finish_substep.method(RadauMethod)
@inlined
def compute_work(method, system, work, state, t, h):
    """f and h times the power at the stages as they are: RUNNING if all slopes are finite."""
    scratch = state.scratch
    evaluate_stages(method, system, work, state, t, h)
    work_done = power(system, work, load(method.c, 0) * h + t, scratch.stages, scratch.slopes) * h
    for k in range(STAGES):
        scratch.work[k] = lane(work_done, k)
    for i in range(state.y.shape[0]):
        if not np.isfinite(scratch.slopes[i, 0] + scratch.slopes[i, 1] + scratch.slopes[i, 2]):
            return core.NOT_CONVERGED
    return RUNNING


@solver.accept.method(RadauMethod)
@inlined
def accept_last_stage(method, system, work, state, t, h, k):
    """y⁺ = y + Z_3, and the work of dampers and loads."""
    work_done = 0.0
    for i in range(STAGES):
        work_done = fma(method.b[i], state.scratch.work[i], work_done)
    core.add_increment(state, part(state.scratch.z, STAGES - 1), work_done)
