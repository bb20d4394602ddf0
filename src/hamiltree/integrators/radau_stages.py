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
from hamiltree.integrators.compositions import Substeps, substeps_of
from hamiltree.integrators.integrator import (
    CALLS,
    NOT_CONVERGED,
    RUNNING,
    State,
    add_increment,
    new_state,
)
from hamiltree.integrators.newton import (
    JACOBIAN_STALE,
    NewtonScratch,
    difference_jacobian_in_lanes,
    factor,
    newton_scratch,
    solve_scaled,
)
from hamiltree.integrators.quadrature_nodes import lagrange_basis
from hamiltree.integrators.radau_dense import (
    STAGES,
    DenseStep,
    DenseTable,
    dense_table,
    new_dense_step,
)
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
    dense_table: DenseTable  # of the polynomial between the ends of a step
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
    dense: DenseStep
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
    """ω(θ) = θ (θ − c_1) (θ − c_2) (θ − c_3): the error of the polynomial is some multiple of
    it.
    """
    return x * (x - c[0]) * (x - c[1]) * (x - c[2])


def radau_method(tableau: Tableau) -> RadauMethod:
    """Radau IIA with error weights, dense output and γ₀, the real eigenvalue of A."""
    a, b, c = (np.array(values, dtype=float) for values in (tableau.a, tableau.b, tableau.c))
    with localcontext(prec=DIGITS):
        dense = [lagrange_basis([Decimal(0), *tableau.c], i + 1)[1:] for i in range(STAGES)]
    eigenvalues = np.linalg.eigvals(a)
    max_node_polynomial = np.abs(node_polynomial(c, np.linspace(0, 1, 1001))).max()
    gamma = float(eigenvalues[np.argmin(np.abs(eigenvalues.imag))].real)
    lanes = np.array([[*c, 0.0]])
    error = error_weights(a, b, c, gamma)
    return RadauMethod(
        substeps_of(),
        convergence.DEFAULT_LIMITS,
        a,
        b,
        lanes,
        error,
        gamma,
        float(max_node_polynomial),
        np.array(dense, dtype=float),
        dense_table(tableau, error, gamma),
        own.StepControl(),
    )


def new_radau_state(y, method) -> State:
    """The state before the first step, with both matrices of Newton's method."""
    m = len(y)
    tables = (np.zeros((STAGES, m)) for _ in range(2))
    lanes = (rows(float, m, WIDTH) for _ in range(2))
    vectors = (np.zeros(m) for _ in range(3))
    matrices = (newton_scratch(m, STAGES * m), newton_scratch(m, m))
    return new_state(
        y,
        RadauScratch(
            *tables,
            *lanes,
            *vectors,
            np.zeros(STAGES),
            new_dense_step(m),
            *matrices,
            np.zeros(4),
            own.new_last_step(m),
        ),
    )


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
    difference_jacobian_in_lanes(
        system,
        work,
        state,
        broadcast_like(t, load(method.c, 0)),
        state.scratch.stages,
        state.scratch.slopes,
    )
    state.scratch.facts[JACOBIAN_CURRENT] = 1.0


@solver.factor_newton_matrix.method(RadauMethod)
def factor_radau_matrices(method, system, work, state, t, h):
    """1 − h A ⊗ J and 1 − h γ₀ J, of rows in parts of their natural sizes."""
    newton = state.scratch.newton
    smoother = state.scratch.smoother
    m = state.y.shape[0]
    for r in range(m):
        for c in range(m):
            one = 1.0 if r == c else 0.0
            slope = newton.jacobian[r, c] * (state.scale[c] / state.scale[r])
            smoother.factors[r, c] = one - h * method.gamma * slope
            for i in range(STAGES):
                for j in range(STAGES):
                    diagonal = one if i == j else 0.0
                    newton.factors[i * m + r, j * m + c] = diagonal - h * method.a[i, j] * slope
    is_regular = factor(newton.factors, newton.pivots) and factor(smoother.factors, smoother.pivots)
    return RUNNING if is_regular else NOT_CONVERGED


@outlined
def correct_stages(method, system, work, state, t, h):
    """Z += (1 − h A ⊗ J)⁻¹ (h A f(Y) − Z)"""
    scratch = state.scratch
    newton = state.scratch.newton
    m = state.y.shape[0]
    evaluate_stages(method, system, work, state, t, h)
    for k in range(STAGES):
        for i in range(m):
            total = -scratch.z[k, i]
            for j in range(STAGES):
                total = fma(h * method.a[k, j], scratch.slopes[i, j], total)
            newton.unknowns[k * m + i] = total
    solve_scaled(newton.factors, newton.pivots, newton.unknowns, state.scale)
    for k in range(STAGES):
        for i in range(m):
            scratch.z[k, i] += newton.unknowns[k * m + i]


@solver.prepare_substep.method(RadauMethod)
@solver.restart.method(RadauMethod)
def prepare_fixed_step(method, system, work, state, t, h):
    """Every step by itself: with no guess and a Jacobian of its own."""
    state.scratch.z[:] = 0.0
    state.scratch.newton.facts[JACOBIAN_STALE] = 1.0
    return RUNNING


@solver.correct.method(RadauMethod)
def correct_fixed_step(method, system, work, state, t, h):
    """The largest correction, relative to the size of the state, both in natural sizes of their
    rows; not a number if one is not.
    """
    m, most, size = state.y.shape[0], 0.0, 1e-300
    correct_stages(method, system, work, state, t, h)
    for i in range(m):
        state.change[i], largest = 0.0, abs(state.y[i])
        for k in range(STAGES):
            state.change[i] = solver.max_or_nan(
                state.change[i], abs(state.scratch.newton.unknowns[k * m + i])
            )
            largest = max(largest, abs(state.scratch.z[k, i]))
        most = solver.max_or_nan(most, state.change[i] / state.scale[i])
        size = max(size, largest / state.scale[i])
    state.sizes[0], state.sizes[1] = size, size
    return most / size


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
            return NOT_CONVERGED
    return RUNNING


@solver.accept.method(RadauMethod)
@inlined
def accept_last_stage(method, system, work, state, t, h, k):
    """y⁺ = y + Z_3, and the work of dampers and loads."""
    work_done = 0.0
    for i in range(STAGES):
        work_done = fma(method.b[i], state.scratch.work[i], work_done)
    add_increment(state, part(state.scratch.z, STAGES - 1), work_done)
