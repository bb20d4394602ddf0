"""The generalised-α method for M(q) v̇ = F + Gᵀλ with g(t, q) = 0 as it stands (index 3), also
where positions lie on a Lie group.

Chung, Hulbert 1993; with constraints and on Lie groups Brüls, Cardona, Arnold 2012 (Mech. Mach.
Theory 48). From (q, v, v̇, a) to the end⁺:
    (1 − α_m) a⁺ + α_m a = (1 − α_f) v̇⁺ + α_f v̇,   Δ = h v + h² ((½ − β) a + β a⁺),
    q⁺ = q ∘ exp Δ,   v⁺ = v + h ((1 − γ) a + γ a⁺)
and v̇⁺, λ⁺ such that the equations of motion and g hold at the end. What oscillates far faster than
1/h shrinks by ρ in a step (`rho`).
Positions meet their constraints to rounding; speeds are left as the formulas give them,
G v + ∂g/∂t = O(h²) without growing.
At the start a = v̇: the error of λ that follows is O(h) and decays as n² ρⁿ. With constraints ρ = 1
is weakly unstable (Cardona, Géradin 1989): λ does not converge, and in the end the steps cannot be
solved; it is refused.
"""

from dataclasses import replace
from math import isclose
from typing import NamedTuple

import numpy as np

from hamiltree.algebra.summation import accumulate
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, part
from hamiltree.errors import FitError, OptionError
from hamiltree.integrators import convergence
from hamiltree.integrators import implicit_solver as solver
from hamiltree.integrators.adaptive_steps import check_number
from hamiltree.integrators.compositions import Substeps, substeps_of
from hamiltree.integrators.integrator import (
    CALLS,
    NOT_FINITE,
    RUNNING,
    SINGULAR,
    Integrator,
    State,
    new_state,
)
from hamiltree.integrators.newton import (
    SMALL_ROW,
    SQRT_EPSILON,
    NewtonScratch,
    factor,
    newton_scratch,
    solve,
)
from hamiltree.verbs import INDEX_THREE, displace, index3_residual, power, rates

DEFAULT_RHO = 0.8
# of the positions in parts of their natural sizes: a displacement by v̇ below it need not converge
# further, relative to itself
POSITION_RESOLUTION = 1e-5
LIMITS = convergence.IterationLimits(rounding_below=1e-10, refactor_ratio=solver.SLOW_RATIO)
MULTIPLIER_SHIFT = 2.0**30
# a pivot of a multiplier below it, in the equilibrated matrix, is rounding: constraints that depend
# on each other
DEPENDENT_PIVOT = 1e-13
ROW, COLUMN = range(2)  # of AlphaScratch.scales


class AlphaMethod(NamedTuple):
    substeps: Substeps
    limits: convergence.IterationLimits
    rho: float  # spectral radius at infinity
    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    speeds: int  # n, of the system that it is fitted to
    unknowns: int  # n + multipliers


class AlphaScratch(NamedTuple):
    acceleration: np.ndarray  # (n,) v̇ where the step begins
    auxiliary: np.ndarray  # (n,) a
    multipliers: np.ndarray
    changes: np.ndarray  # (unknowns,) of v̇ and λ in the last step
    power: np.ndarray  # (2,) of dampers and loads where the step begins, and at its end
    unknowns: np.ndarray  # v̇⁺ and λ⁺
    end_auxiliary: np.ndarray
    end: np.ndarray  # (m,) q⁺, v⁺
    increment: np.ndarray  # (n,) Δ
    slope: np.ndarray  # (m,) ẏ
    residual: np.ndarray  # of the equations at the end
    moved: np.ndarray  # the same with one unknown moved
    scales: np.ndarray  # (2, unknowns) of the rows and columns of the matrix
    newton: NewtonScratch


def alpha_method(rho: float, speeds: int = 0, unknowns: int = 0) -> AlphaMethod:
    """Order 2, the least damping of slow motion for this ρ (Chung, Hulbert 1993)."""
    alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    return AlphaMethod(
        substeps_of(),
        LIMITS,
        rho,
        alpha_m,
        alpha_f,
        0.25 * (gamma + 0.5) ** 2,
        gamma,
        speeds,
        unknowns,
    )


def new_alpha_state(y, method) -> State:
    """The state before the first step; the method must be bound to a system."""
    n, size = method.speeds, method.unknowns
    if n == 0 and len(y) > 0:
        raise FitError(
            "generalised_alpha does not know yet how many unknowns a step has; call its `bind` "
            "with "
            "the system first"
        )
    shapes = (n, n, size - n, size, 2, size, n, len(y), n, len(y), size, size)
    return new_state(
        y, AlphaScratch(*map(np.zeros, shapes), np.ones((2, size)), newton_scratch(0, size))
    )


# ---- the equations of a step ---------------------------------------------------------------------
@inlined
def form_end(method, system, work, state, h):
    """a⁺, Δ, q⁺ and v⁺ that belong to v̇⁺."""
    scratch, first = state.scratch, system.layout.positions
    for i in range(system.layout.momenta):
        a, v = scratch.auxiliary[i], state.y[first + i]
        mean = fma(
            1.0 - method.alpha_f, scratch.unknowns[i], method.alpha_f * scratch.acceleration[i]
        )
        a_end = fma(-method.alpha_m, a, mean) / (1.0 - method.alpha_m)
        scratch.end_auxiliary[i] = a_end
        scratch.increment[i] = h * fma(h, fma(method.beta, a_end, (0.5 - method.beta) * a), v)
        scratch.end[first + i] = fma(h, fma(method.gamma, a_end, (1.0 - method.gamma) * a), v)
    displace(system, work, state.y, scratch.increment, scratch.end)


@inlined
def evaluate_residual(method, system, work, state, t, h, out):
    """What is left of the equations at the end."""
    x, n = state.scratch.unknowns, method.speeds
    form_end(method, system, work, state, h)
    index3_residual(system, work, t + h, state.scratch.end, x[:n], x[n:], out)
    state.counts[CALLS] += 1


@inlined
def displacement_factor(method, h):
    """∂Δ/∂v̇⁺ = β h² (1 − α_f) / (1 − α_m)"""
    return method.beta * h * h * (1.0 - method.alpha_f) / (1.0 - method.alpha_m)


@inlined
def natural_displacement(system, state, i):
    """The natural size of what speed i displaces: that of the speed by the unit of time, which the
    first position has over the first speed.
    """
    first = system.layout.positions
    return state.scale[first + i] * (state.scale[0] / state.scale[first])


@inlined
def largest_displacement(method, system, state, h, x):
    """The most that accelerations x displace in a step, in parts of the natural size."""
    most = 0.0
    for i in range(method.speeds):
        most = solver.max_or_nan(most, abs(x[i] / natural_displacement(system, state, i)))
    return displacement_factor(method, h) * most


@inlined
def largest_position(system, state):
    """Of the positions at the end, in parts of their natural sizes; never below SMALL_ROW."""
    most = SMALL_ROW
    for i in range(system.layout.positions):
        most = solver.max_or_nan(most, abs(state.scratch.end[i] / state.scale[i]))
    return most


@solver.prepare_substep.method(AlphaMethod)
@solver.restart.method(AlphaMethod)
def guess_end(method, system, work, state, t, h):
    """v̇⁺ if it changes once more as it did.

    Where v̇ changes fast it predicts nothing, and h² v̇ would lead far away: those speeds stay
    constant.
    """
    scratch, n = state.scratch, method.speeds
    for i in range(n):
        v_dot = scratch.acceleration[i]
        a = scratch.auxiliary[i]
        change = scratch.changes[i]
        a_end = a * (method.beta - 0.5) / method.beta  # with which Δ = h v
        coasting = (
            (1.0 - method.alpha_m) * a_end + method.alpha_m * a - method.alpha_f * v_dot
        ) / (1.0 - method.alpha_f)
        scratch.unknowns[i] = v_dot + change if abs(change) < 0.5 * abs(v_dot) else coasting
    for k in range(method.unknowns - n):
        scratch.unknowns[n + k] = scratch.multipliers[k] + scratch.changes[n + k]
    return RUNNING


# ---- the matrix of Newton's method ---------------------------------------------------------------
@inlined
def equilibrate(matrix, scales):
    """Columns, then rows, scaled to a largest entry of 1: as well conditioned in a short step as in
    a long one, as the scaling by h² of Bottasso, Bauchau, Cardona 2007 (SIAM J. Sci. Comput. 29),
    and whatever the units of masses and lengths.
    """
    n = matrix.shape[0]
    for c in range(n):
        most = 0.0
        for r in range(n):
            most = solver.max_or_nan(most, abs(matrix[r, c]))
        scales[COLUMN, c] = 1.0 / most if most > 0.0 else 1.0
    for r in range(n):
        for c in range(n):
            matrix[r, c] *= scales[COLUMN, c]
        most = solver.max_abs(part(matrix, r), 0, n)
        scales[ROW, r] = 1.0 / most if most > 0.0 else 1.0
        for c in range(n):
            matrix[r, c] *= scales[ROW, r]


@solver.factor_newton_matrix.method(AlphaMethod)
def factor_alpha_matrix(method, system, work, state, t, h):
    """∂r/∂(v̇⁺, λ⁺), column c as (r(x + d e_c) − r(x)) / d, with shifts of v̇⁺ that change
    positions noticeably, however short the step. In λ the equations are linear: a shift far above
    all other forces loses the fewest digits, and dependent columns are dependent to rounding.
    RUNNING, NOT_FINITE or SINGULAR.
    """
    scratch = state.scratch
    newton = state.scratch.newton
    n = method.speeds
    least = 1.0
    evaluate_residual(method, system, work, state, t, h, scratch.residual)
    if not np.isfinite(solver.max_abs(scratch.residual, 0, method.unknowns)):
        return NOT_FINITE
    acceleration_part = largest_position(system, state) / displacement_factor(method, h)
    forces = solver.max_or_nan(
        solver.max_abs(scratch.unknowns, n, method.unknowns),
        solver.max_abs(scratch.residual, 0, n),  # what multipliers have to balance
    )
    multiplier_shift = MULTIPLIER_SHIFT * forces if forces > 0.0 else 1.0
    for c in range(method.unknowns):
        kept = scratch.unknowns[c]
        shift = multiplier_shift
        if c < n:
            least_shift = acceleration_part * natural_displacement(system, state, c)
            shift = SQRT_EPSILON * max(least_shift, abs(kept))
        scratch.unknowns[c] = kept + shift
        moved_by = scratch.unknowns[c] - kept
        evaluate_residual(method, system, work, state, t, h, scratch.moved)
        scratch.unknowns[c] = kept
        for r in range(method.unknowns):
            newton.factors[r, c] = (scratch.moved[r] - scratch.residual[r]) / moved_by
    equilibrate(newton.factors, scratch.scales)
    is_regular = factor(newton.factors, newton.pivots)
    for k in range(n, method.unknowns):
        least = min(least, abs(newton.factors[k, k]))
    return RUNNING if is_regular and least >= DEPENDENT_PIVOT else SINGULAR


# ---- one step ------------------------------------------------------------------------------------
@solver.correct.method(AlphaMethod)
def correct_end(method, system, work, state, t, h):
    """(v̇⁺, λ⁺) −= matrix⁻¹ r: the largest correction of a displacement, relative to the
    displacements by v̇⁺ or to what positions resolve. λ follows v̇ linearly.
    """
    scratch = state.scratch
    x = state.scratch.newton.unknowns
    n = method.speeds
    evaluate_residual(method, system, work, state, t, h, scratch.residual)
    for r in range(method.unknowns):
        x[r] = -scratch.scales[ROW, r] * scratch.residual[r]
    solve(scratch.newton.factors, scratch.newton.pivots, x)
    for c in range(method.unknowns):
        x[c] *= scratch.scales[COLUMN, c]
        scratch.unknowns[c] += x[c]
    for i in range(n):
        state.change[system.layout.positions + i] = x[i]
    moved = largest_displacement(method, system, state, h, scratch.unknowns)
    size = max(moved, POSITION_RESOLUTION * largest_position(system, state))
    return largest_displacement(method, system, state, h, x) / size


@solver.initial_guess.method(AlphaMethod)
def begin_alpha(method, system, work, state, t, h):
    """v̇ of the equations of motion and a = v̇, of which it is not known how fast they change;
    λ = 0 is only a first guess.
    """
    scratch = state.scratch
    rates(system, work, t, state.y, scratch.slope)
    scratch.power[0] = power(system, work, t, state.y, scratch.slope)
    for i in range(system.layout.momenta):
        scratch.acceleration[i] = scratch.slope[system.layout.positions + i]
        scratch.auxiliary[i], scratch.changes[i] = scratch.acceleration[i], scratch.acceleration[i]
    for k in range(scratch.multipliers.shape[0]):
        scratch.multipliers[k], scratch.changes[system.layout.momenta + k] = 0.0, 0.0
    state.sizes[0], state.sizes[1] = 1.0, 1.0  # corrections of v̇ are compared as they are
    state.counts[CALLS] += 1


@solver.finish_substep.method(AlphaMethod)
def find_power(method, system, work, state, t, h):
    """At the end, which belongs to the last v̇⁺."""
    scratch = state.scratch
    form_end(method, system, work, state, h)
    rates(system, work, t + h, scratch.end, scratch.slope)
    scratch.power[1] = power(system, work, t + h, scratch.end, scratch.slope)
    state.counts[CALLS] += 1
    return RUNNING if np.isfinite(scratch.power[1]) else NOT_FINITE


@solver.accept.method(AlphaMethod)
def accept_end(method, system, work, state, t, h, k):
    """The end becomes the beginning.

    Work of dampers and loads by the trapezoidal rule, of order 2 as all.
    """
    scratch, n = state.scratch, method.speeds
    accumulate(
        state.work, state.work_compensation, 0, 0.5 * h * (scratch.power[0] + scratch.power[1])
    )
    scratch.power[0] = scratch.power[1]
    solver.copy_rows(scratch.end, state.y, 0, state.y.shape[0])
    for i in range(n):
        scratch.changes[i] = scratch.unknowns[i] - scratch.acceleration[i]
        scratch.acceleration[i] = scratch.unknowns[i]
        scratch.auxiliary[i] = scratch.end_auxiliary[i]
    for j in range(method.unknowns - n):
        scratch.changes[n + j] = scratch.unknowns[n + j] - scratch.multipliers[j]
        scratch.multipliers[j] = scratch.unknowns[n + j]


@solver.worst_row.method(AlphaMethod)
def worst_speed(method, system, work, state, t, h):
    """The speed whose v̇⁺ was corrected most in the end; the first where none was."""
    return max(
        solver.row_of_largest_change(method, system, work, state, t, h), system.layout.positions
    )


# ---- records -------------------------------------------------------------------------------------
def set_rho(integrator: Integrator, value) -> Integrator:
    """Option `rho`: by how much the fastest oscillations shrink in a step."""
    rho = check_number(
        value, "rho", 0.0, 1.0, "with 0 fast oscillations vanish at once, with 1 nothing is damped"
    )
    return replace(
        integrator, method=alpha_method(rho, integrator.method.speeds, integrator.method.unknowns)
    )


def set_damping(integrator: Integrator, value) -> Integrator:
    """Option `damping`: 1 − rho."""
    rho = 1.0 - check_number(
        value,
        "damping",
        0.0,
        1.0,
        "1 − rho: with 0 nothing is damped, with 1 fast oscillations vanish at once",
    )
    if integrator.method.rho != DEFAULT_RHO and not isclose(integrator.method.rho, rho):
        raise OptionError(
            f"damping = {value!r} contradicts rho = {integrator.method.rho:g}; it is 1 − rho: give "
            "one of them"
        )
    return set_rho(integrator, rho)


def bind(integrator: Integrator, system) -> Integrator:
    """The integrator that knows how many unknowns a step of this system has."""
    n, multipliers = system.layout.momenta, system.facts.multipliers
    if integrator.method.rho == 1.0 and n + multipliers > system.facts.balanced:
        raise FitError(
            f"{integrator.name} with rho = 1 is unstable where there are constraints; choose rho = "
            "0.95 or less"
        )
    return integrator.with_method(speeds=n, unknowns=n + multipliers)


INTEGRATORS = (
    solver.implicit_integrator(
        "generalised_alpha",
        2,
        "Chung, Hulbert 1993; Brüls, Cardona, Arnold 2012",
        needs=(rates, *INDEX_THREE),
        method=alpha_method(DEFAULT_RHO),
        initial_state=new_alpha_state,
        options={"rho": set_rho, "damping": set_damping},
        bind=bind,
        uses_row_scales=True,
        remark=(
            "damps oscillations that the step does not resolve; constraints hold in positions, "
            "and to O(h²) in speeds"
        ),
    ),
)
