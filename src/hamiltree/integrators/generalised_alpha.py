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
from hamiltree.integrators import integrator as core
from hamiltree.integrators.adaptive_steps import check_number
from hamiltree.integrators.compositions import Substeps, substeps_of
from hamiltree.integrators.integrator import Integrator, State, array
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
MULTIPLIER_SHIFT = 2.0**60  # in natural sizes: far above all forces
# a pivot of a multiplier below it, in the equilibrated matrix, is rounding: constraints that depend
# on each other
DEPENDENT_PIVOT = 1e-13
ROW, COLUMN = range(2)  # of AlphaScratch.scales
START, END = range(2)  # of AlphaScratch.power


class AlphaMethod(NamedTuple):
    substeps: Substeps
    limits: convergence.IterationLimits
    rho: float  # spectral radius at infinity
    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    reach: float  # ∂Δ/∂v̇⁺ = β h² (1 − α_f) / (1 − α_m), over h²
    speeds: int  # n, of the system that it is fitted to
    unknowns: int  # n + multipliers


class AlphaScratch(NamedTuple):
    held: array("unknowns")  # v̇ and λ where the step begins
    changes: array("unknowns")  # of them in the last step
    unknowns: array("unknowns")  # v̇⁺ and λ⁺
    residual: array("unknowns")  # of the equations at the end
    moved: array("unknowns")  # the same with one unknown moved
    auxiliary: array("speeds")  # a
    end_auxiliary: array("speeds")  # a⁺
    increment: array("speeds")  # Δ
    end: array("m")  # q⁺, v⁺
    slope: array("m")  # ẏ
    power: array(2)  # of dampers and loads where the step begins, and at its end
    scales: array(2, "unknowns")  # of the rows and columns of the matrix
    newton: NewtonScratch


def alpha_method(rho: float, speeds: int = 0, unknowns: int = 0) -> AlphaMethod:
    """Order 2, the least damping of slow motion for this ρ (Chung, Hulbert 1993)."""
    alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    beta = 0.25 * (gamma + 0.5) ** 2
    reach = beta * (1.0 - alpha_f) / (1.0 - alpha_m)
    coefficients = rho, alpha_m, alpha_f, beta, gamma, reach
    return AlphaMethod(substeps_of(), LIMITS, *coefficients, speeds, unknowns)


def new_alpha_state(y, method) -> State:
    """The state before the first step; the method must be bound to a system."""
    if method.speeds == 0 and len(y) > 0:
        raise FitError(
            "generalised_alpha does not know yet how many unknowns a step has; call its `bind` "
            "with the system first"
        )
    sizes, newton = {"m": len(y), **method._asdict()}, newton_scratch(0, method.unknowns)
    return core.new_state(y, core.zero_scratch(AlphaScratch, sizes, newton=newton))


# ---- the equations of a step ---------------------------------------------------------------------
@inlined
def form_end(method, system, work, state, h):
    """a⁺, Δ, q⁺ and v⁺ that belong to v̇⁺."""
    scratch, first = state.scratch, system.layout.positions
    for i in range(system.layout.momenta):
        a, v = scratch.auxiliary[i], state.y[first + i]
        mean = fma(1.0 - method.alpha_f, scratch.unknowns[i], method.alpha_f * scratch.held[i])
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
    state.counts[core.CALLS] += 1


@inlined
def natural_acceleration(method, system, state, h, i):
    """The v̇⁺ that displaces in a step as much as a speed of natural size in the natural time."""
    size = state.scale[system.layout.positions + i] * state.clock[core.NATURAL_TIME]
    return size / (method.reach * h * h)


@inlined
def largest_displacement(method, system, state, h, x):
    """The most that accelerations x displace in a step, in parts of the natural size."""
    most = 0.0
    for i in range(method.speeds):
        part_of_natural = x[i] / natural_acceleration(method, system, state, h, i)
        most = solver.max_or_nan(most, abs(part_of_natural))
    return most


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
    """v̇⁺ and λ⁺ if they change once more as they did. Where v̇ changes fast it predicts nothing, and
    h² v̇ would lead far away: those speeds stay constant.
    """
    scratch = state.scratch
    for i in range(method.unknowns):
        scratch.unknowns[i] = scratch.held[i] + scratch.changes[i]
    for i in range(method.speeds):
        v_dot, a = scratch.held[i], scratch.auxiliary[i]
        if not abs(scratch.changes[i]) < 0.5 * abs(v_dot):
            a_end = a * (method.beta - 0.5) / method.beta  # with which Δ = h v
            mean = (1.0 - method.alpha_m) * a_end + method.alpha_m * a
            scratch.unknowns[i] = (mean - method.alpha_f * v_dot) / (1.0 - method.alpha_f)
    return core.RUNNING


# ---- the matrix of Newton's method ---------------------------------------------------------------
@solver.factor_newton_matrix.method(AlphaMethod)
def factor_alpha_matrix(method, system, work, state, t, h):
    """∂r/∂(v̇⁺, λ⁺), column c as (r(x + d e_c) − r(x)) / d, with shifts of v̇⁺ that change
    positions noticeably, however short the step. In λ the equations are linear: a shift far above
    all other forces loses the fewest digits, and dependent columns are dependent to rounding.
    RUNNING, NOT_FINITE or SINGULAR.
    """
    scratch, newton = state.scratch, state.scratch.newton
    n = method.speeds
    sizes, least = scratch.scales[COLUMN], 1.0
    evaluate_residual(method, system, work, state, t, h, scratch.residual)
    if not np.isfinite(solver.max_abs(scratch.residual, 0, method.unknowns)):
        return core.NOT_FINITE
    position = largest_position(system, state)
    for c in range(method.unknowns):
        kept = scratch.unknowns[c]
        if c < n:
            sizes[c] = natural_acceleration(method, system, state, h, c)
            shift = SQRT_EPSILON * max(position * sizes[c], abs(kept))
        else:  # the natural energy over what natural accelerations change in this row of g
            sizes[c] = state.clock[core.NATURAL_ENERGY] / largest_entry(newton.factors, c, n)
            shift = MULTIPLIER_SHIFT * sizes[c]
        scratch.unknowns[c] = kept + shift
        moved_by = scratch.unknowns[c] - kept
        evaluate_residual(method, system, work, state, t, h, scratch.moved)
        scratch.unknowns[c] = kept
        for r in range(method.unknowns):
            newton.factors[r, c] = sizes[c] * ((scratch.moved[r] - scratch.residual[r]) / moved_by)
    equilibrate(newton.factors, scratch.scales, n)
    is_regular = factor(newton.factors, newton.pivots)
    for k in range(n, method.unknowns):
        least = min(least, abs(newton.factors[k, k]))
    return core.RUNNING if is_regular and least >= DEPENDENT_PIVOT else core.SINGULAR


@inlined
def largest_entry(matrix, r, last):
    """Of the first columns of a row; 1 if they are empty."""
    most = solver.max_abs(part(matrix, r), 0, last)
    return most if most > 0.0 else 1.0


@inlined
def equilibrate(matrix, scales, n):
    """Rows scaled to a largest entry of 1 in the columns of v̇⁺, which are in natural sizes, then
    the columns of λ⁺: as well conditioned in a short step as in a long one, as the scaling by h² of
    Bottasso, Bauchau, Cardona 2007 (SIAM J. Sci. Comput. 29), and the same in all units.
    """
    size = matrix.shape[0]
    for r in range(size):
        has_mass = solver.max_abs(part(matrix, r), 0, n) > 0.0
        scales[ROW, r] = 1.0 / largest_entry(matrix, r, n if has_mass else size)
        for c in range(size):
            matrix[r, c] *= scales[ROW, r]
    for c in range(n, size):
        most = solver.max_abs(matrix[:, c], 0, size)
        scale = 1.0 / most if most > 0.0 else 1.0
        scales[COLUMN, c] *= scale
        for r in range(size):
            matrix[r, c] *= scale


# ---- one step ------------------------------------------------------------------------------------
@solver.correct.method(AlphaMethod)
def correct_end(method, system, work, state, t, h):
    """(v̇⁺, λ⁺) −= matrix⁻¹ r: the largest correction of a displacement, relative to those by v̇⁺ or
    to what positions resolve. λ follows v̇ linearly.
    """
    scratch, x = state.scratch, state.scratch.newton.unknowns
    evaluate_residual(method, system, work, state, t, h, scratch.residual)
    for r in range(method.unknowns):
        x[r] = -scratch.scales[ROW, r] * scratch.residual[r]
    solve(scratch.newton.factors, scratch.newton.pivots, x)
    for c in range(method.unknowns):
        x[c] *= scratch.scales[COLUMN, c]
        scratch.unknowns[c] += x[c]
    for i in range(method.speeds):
        state.change[system.layout.positions + i] = x[i]
    moved = largest_displacement(method, system, state, h, scratch.unknowns)
    size = max(moved, POSITION_RESOLUTION * largest_position(system, state))
    return largest_displacement(method, system, state, h, x) / size


@solver.initial_guess.method(AlphaMethod)
def begin_alpha(method, system, work, state, t, h):
    """v̇ of the equations of motion, and a = v̇; λ = 0 is only a first guess."""
    scratch, n = state.scratch, method.speeds
    rates(system, work, t, state.y, scratch.slope)
    scratch.power[START] = power(system, work, t, state.y, scratch.slope)
    for i in range(n):
        v_dot = scratch.slope[system.layout.positions + i]
        scratch.held[i] = scratch.changes[i] = scratch.auxiliary[i] = v_dot
    solver.clear(scratch.held, n, method.unknowns)
    solver.clear(scratch.changes, n, method.unknowns)
    state.sizes[0], state.sizes[1] = 1.0, 1.0  # corrections of v̇ are compared as they are
    state.counts[core.CALLS] += 1


@solver.finish_substep.method(AlphaMethod)
def find_power(method, system, work, state, t, h):
    """At the end, which belongs to the last v̇⁺."""
    scratch = state.scratch
    form_end(method, system, work, state, h)
    rates(system, work, t + h, scratch.end, scratch.slope)
    scratch.power[END] = power(system, work, t + h, scratch.end, scratch.slope)
    state.counts[core.CALLS] += 1
    return core.RUNNING if np.isfinite(scratch.power[END]) else core.NOT_FINITE


@solver.accept.method(AlphaMethod)
def accept_end(method, system, work, state, t, h, k):
    """The end becomes the beginning. Work by the trapezoidal rule, of order 2 as all."""
    scratch = state.scratch
    powers = scratch.power[START] + scratch.power[END]
    accumulate(state.work, state.work_compensation, 0, 0.5 * h * powers)
    scratch.power[START] = scratch.power[END]
    solver.copy_rows(scratch.end, state.y, 0, state.y.shape[0])
    solver.copy_rows(scratch.end_auxiliary, scratch.auxiliary, 0, method.speeds)
    for i in range(method.unknowns):
        scratch.changes[i] = scratch.unknowns[i] - scratch.held[i]
        scratch.held[i] = scratch.unknowns[i]


@solver.worst_row.method(AlphaMethod)
def worst_speed(method, system, work, state, t, h):
    """The speed whose v̇⁺ was corrected most in the end; the first where none was."""
    row = solver.row_of_largest_change(method, system, work, state, t, h)
    return max(row, system.layout.positions)


# ---- records -------------------------------------------------------------------------------------
def set_rho(integrator: Integrator, value) -> Integrator:
    """Option `rho`: by how much the fastest oscillations shrink in a step."""
    meaning = "with 0 fast oscillations vanish at once, with 1 nothing is damped"
    old, rho = integrator.method, check_number(value, "rho", 0.0, 1.0, meaning)
    return replace(integrator, method=alpha_method(rho, old.speeds, old.unknowns))


def set_damping(integrator: Integrator, value) -> Integrator:
    """Option `damping`: 1 − rho."""
    meaning = "1 − rho: with 0 nothing is damped, with 1 fast oscillations vanish at once"
    rho, old = 1.0 - check_number(value, "damping", 0.0, 1.0, meaning), integrator.method.rho
    if old != DEFAULT_RHO and not isclose(old, rho):
        raise OptionError(
            f"damping = {value!r} contradicts rho = {old:g}; it is 1 − rho: give one of them"
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
