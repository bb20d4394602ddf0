"""Energy and momenta kept on constraints g = 0, by an increment Δ of the step and an impulse
l = h λ of the constraints, y⁺ = y + Δ.

`energy_momentum`: Gonzalez' discrete gradient on g(t, q) = 0 (Physica D 132, 165, 1999); H changes
by the work of forces and drives, exactly. As in discrete_gradient.py; f, G and ∂g/∂t at the middle
of the step:
  Δ = h (f + c J D Δ) + (0, Ḡᵀ l),   g(t + h, q⁺) = 0,
  Ḡ_k = G_k − (G_k Δq + h ∂g_k/∂t − g_k(t + h, q⁺)) (D Δq)ᵀ / Δq·DΔq
Ḡ is the discrete gradient of g between two points where g vanishes: Ḡ Δq = −h ∂g/∂t, so that
constraints at rest do no work, and H(y⁺) = H(y) + h P − lᵀ ∂g/∂t. While g(t + h, q⁺) is not yet
zero it keeps Ḡ − G small, whatever the direction of Δq.
What holds: g and H at every step, to rounding; linear and angular momenta that the motion keeps
too, where H and g are at most quadratic (then c = 0 and Ḡ = G). G q̇ + ∂g/∂t = 0 holds for the mean
of p and p⁺ only; p⁺ itself swings about it by O(h²), and projecting it would cost energy.

`quat_em`: rigid bodies, by a discrete gradient of their own, on quadratic constraints g(q) = 0
(METHODS 5); q̄ the middle of q and q⁺:
  Δ = h f̄(y, y⁺) + (0, G(q̄)ᵀ l),   g(q⁺) = 0
f̄, which the formulation gives (`discrete_rates`), is built on the invariants of H: quaternions
after Betsch and Siebert (Int. J. Numer. Methods Eng. 79, 444, 2009), directors with distances²
after Gonzalez (1996). So H changes by the work of loads, linear and angular momenta do not change,
and since g is quadratic G(q̄) Δq = g(q⁺) − g(q) = 0: constraints do no work and G needs no
correction, which would turn. It is iterated until rounding is all that changes, where that is slow
with W in the middle; its first guess goes on as the last two steps.

In both the impulse is corrected by δl = −(2/h) W⁻¹ g(q⁺) with the factors of W where the step
began.
"""

from typing import NamedTuple

from hamiltree import verbs
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, root
from hamiltree.errors import FitError
from hamiltree.integrators import constraint_impulses, convergence
from hamiltree.integrators import discrete_gradient as gradient
from hamiltree.integrators import implicit_solver as solver
from hamiltree.integrators import integrator as core
from hamiltree.integrators.compositions import Substeps, substeps_of
from hamiltree.integrators.integrator import Integrator, array

# Rounding of g makes Ḡᵀl uncertain by ε|q||Gᵀl| / |Δq|, all in natural sizes of rows. Where that is
# more than a 1e-4th part of p, G of the middle is taken: it keeps H there to |Δq|³, far below what
# H can show.
NOISE = 1e4 * 2.2e-16
# entries of EnergyMomentumScratch.facts: whether there is a step before the last, whether the
# impulse is held
HAS_PREVIOUS, IMPULSE_HELD = range(2)


class EnergyMomentumMethod(NamedTuple):
    substeps: Substeps
    constraints: int
    limits: convergence.IterationLimits


class DiscreteMethod(NamedTuple):
    substeps: Substeps
    constraints: int
    limits: convergence.IterationLimits
    counts_work: bool  # False where nothing does work, which then is not asked for


class EnergyMomentumScratch(NamedTuple):
    """Of both methods; the first nine fields are those of GradientScratch."""

    increment: array("m")  # Δ; after a step the first guess of the next
    middle: array("m")
    end: array("m")
    slope: array("m")  # f at the middle, then Δ as it follows from it
    energy: array(1)  # H at the start and the work since
    energy_compensation: array(1)  # its compensation
    work_done: array(1)  # h P of the last iteration; then with the work of drives
    per_size: array("m")  # 1 / natural size of each row
    action: array(1)  # the smallest product of the sizes of a position and its momentum
    unconstrained_increment: array("m")  # Δ of the last iteration without Ḡᵀ l
    previous: array("m")  # Δ of the last step
    constraint_impulse: array("m")  # Δq / h, and Ḡᵀ l in its momentum rows
    zero_velocity: array("m")  # zeros
    impulse: array("constraints")  # l: the first guess of the next step
    before: array("constraints")  # l of the last step
    residual: array("constraints")
    constraint_residual: array("constraints")  # at the end; of quat_em at the beginning
    multipliers: array("constraints")  # λ of the last step
    facts: array(2)  # HAS_PREVIOUS, IMPULSE_HELD


def bind_energy_momentum(integrator: Integrator, system) -> Integrator:
    """With the number of constraints that a system has; a discrete gradient pairs positions and
    momenta.
    """
    positions, momenta = system.layout
    if positions != momenta:
        raise FitError(
            f"{integrator.name} pairs every position with a momentum; this formulation has "
            f"{positions} positions and {momenta} momenta: take spark4, or a formulation with as "
            "many of both"
        )
    return solver.fit_constraints(integrator, system)


def bind_rigid_bodies(integrator: Integrator, system) -> Integrator:
    """With the number of constraints; without the sum of work where a System says that it is
    conservative.
    """
    if not system.facts.has_discrete_forces:
        raise FitError(
            f"{integrator.name} in director coordinates takes forces from distances: some force of "
            "this model has a potential of another kind, lists of neighbours, or a cut-off where "
            "it jumps (give switch or shift); use free_bodies_quaternion with it, or rattle"
        )
    return solver.fit_constraints(integrator, system, counts_work=not system.facts.is_conservative)


# ---- a sweep of both -----------------------------------------------------------------------------
find_slope = solver.declare_hook(
    "find_slope", "h (f + c J Δ) into `slope`, and its work into `work_done`."
)
find_residual = solver.declare_hook(
    "find_residual", "g at the end that `slope` leads to, into `residual`."
)
find_constraint_impulse = solver.declare_hook(
    "find_constraint_impulse", "Ḡᵀ l into the momentum rows of `constraint_impulse`."
)


@solver.sweep.fallback(find_slope)
def sweep_increment(method, system, work, state, t, h):
    """Positions, the impulse that they ask for unless it is held, δl = −(2/h) W⁻¹ g at the end, and
    momenta: the largest change of Δ without Ḡᵀ l.
    """
    scratch, n = state.scratch, system.layout.positions
    m = state.y.shape[0]
    kept = scratch.unconstrained_increment
    gradient.form_points(state)
    find_slope(method, system, work, state, t, h)
    of_positions = solver.update_rows(state, kept, scratch.slope, 0, 0, n)
    of_momenta = solver.update_rows(state, kept, scratch.slope, 1, n, m)
    if method.constraints > 0:
        if scratch.facts[IMPULSE_HELD] == 0.0:
            find_residual(method, system, work, state, t, h)
            verbs.solve_multipliers(system, work, scratch.residual)
            for k in range(method.constraints):
                scratch.impulse[k] = fma(-2.0 / h, scratch.residual[k], scratch.impulse[k])
        find_constraint_impulse(method, system, work, state, t, h)
        for i in range(n, m):
            scratch.slope[i] += scratch.constraint_impulse[i]
    solver.copy_rows(scratch.slope, scratch.increment, 0, m)
    return solver.max_or_nan(of_positions, of_momenta)


@inlined
def add_work_of_drivers(method, system, work, state, t, h):
    """−lᵀ ∂g/∂t at the middle, and λ."""
    scratch, time = state.scratch, t + 0.5 * h
    point, impulse = scratch.middle, scratch.impulse
    rate = scratch.residual
    scratch.work_done[0] = constraint_impulses.add_work_of_drivers(
        system, work, state, time, point, impulse, rate, scratch.work_done[0]
    )
    for k in range(method.constraints):
        scratch.multipliers[k] = impulse[k] / h


@inlined
def clear_impulses(state):
    scratch = state.scratch
    solver.copy_rows(scratch.increment, scratch.unconstrained_increment, 0, state.y.shape[0])
    solver.clear(scratch.impulse, 0, scratch.impulse.shape[0])
    scratch.facts[HAS_PREVIOUS] = 0.0


# ---- the equation of energy_momentum -------------------------------------------------------------
@find_slope.method(EnergyMomentumMethod)
def find_corrected_slope(method, system, work, state, t, h):
    """Without c where rounding of H would move q by it more than its own rounding, which g answers
    with 1/h; H cannot show |Δ|³ there.
    """
    scratch, n = state.scratch, system.layout.positions
    c, square = gradient.gradient_correction(system, work, state, t, h)
    energy = abs(h * scratch.energy[0]) / scratch.action[0]
    moved = energy * largest_part(scratch, scratch.increment, n, 2 * n)
    is_within = 10.0 * square * largest_part(scratch, state.y, 0, n) < moved
    c = 0.0 if square * root(square) <= NOISE * energy and is_within else c
    for i in range(2 * n):
        tilted = fma(c, gradient.scaled_symplectic_row(scratch, n, i), scratch.slope[i])
        scratch.slope[i] = h * tilted


@inlined
def largest_part(scratch, values, first, last):
    """The largest of some rows, in parts of the natural size of its row."""
    most = 0.0
    for i in range(first, last):
        most = solver.max_or_nan(most, abs(values[i]) * scratch.per_size[i])
    return most


@find_residual.method(EnergyMomentumMethod)
def find_residual_at_end(method, system, work, state, t, h):
    """g(t + h, q⁺)"""
    scratch = state.scratch
    solver.add_rows(state, scratch.slope, scratch.end, 0, system.layout.positions)
    verbs.constraint(system, work, t + h, scratch.end, scratch.constraint_residual)
    solver.copy_rows(scratch.constraint_residual, scratch.residual, 0, method.constraints)


@find_constraint_impulse.method(EnergyMomentumMethod)
def find_corrected_impulse(method, system, work, state, t, h):
    """Gᵀ l − lᵀ (G Δq + h ∂g/∂t − g(t + h, q⁺)) DΔq / Δq·DΔq at the middle; Gᵀ l where rounding
    is all there is to see.
    """
    scratch, n = state.scratch, system.layout.positions
    product, square = 0.0, 0.0
    time, force = t + 0.5 * h, scratch.constraint_impulse
    for i in range(n):
        force[i], force[n + i] = scratch.slope[i] / h, 0.0
        scaled = scratch.slope[i] * scratch.per_size[i]
        square = fma(scaled, scaled, square)
    verbs.constraint_rate(system, work, time, scratch.middle, force, scratch.residual)
    verbs.add_multiplier_forces(system, work, time, scratch.middle, scratch.impulse, force)
    for k in range(method.constraints):
        missed = fma(h, scratch.residual[k], -scratch.constraint_residual[k])
        product = fma(scratch.impulse[k], missed, product)
    impulse = largest_part(scratch, force, n, 2 * n)
    rounding = NOISE * largest_part(scratch, state.y, 0, n) * impulse
    is_noise = root(square) * largest_part(scratch, scratch.middle, n, 2 * n) <= rounding
    tilt = 0.0 if is_noise else product / square
    for i in range(n):
        per_size = scratch.per_size[i]
        force[n + i] = fma(-tilt * per_size * per_size, scratch.slope[i], force[n + i])


# ---- its solution --------------------------------------------------------------------------------
@solver.initial_guess.method(EnergyMomentumMethod)
def guess_energy_momentum(method, system, work, state, t, h):
    """H at the start, h f(y) and no impulse."""
    gradient.guess_gradient(method, system, work, state, t, h)
    clear_impulses(state)


@solver.prepare_substep.method(EnergyMomentumMethod)
@inlined
def factor_at_start(method, system, work, state, t, h):
    """W where the step begins."""
    if method.constraints == 0 or verbs.factor_multipliers(system, work, t, state.y):
        return core.RUNNING
    return core.SINGULAR


@solver.accept.method(EnergyMomentumMethod)
def accept_energy_momentum(method, system, work, state, t, h, k):
    add_work_of_drivers(method, system, work, state, t, h)
    gradient.accept_gradient(method, system, work, state, t, h, k)


# ---- the equation of quat_em ---------------------------------------------------------------------
@find_slope.method(DiscreteMethod)
def find_discrete_slope(method, system, work, state, t, h):
    """h f̄ between y and the end that Δ leads to, the work of loads, and q̄ that follows."""
    scratch, time = state.scratch, t + 0.5 * h
    work_done = 0.0
    verbs.discrete_rates(system, work, time, state.y, scratch.end, scratch.slope)
    if method.counts_work:
        work_done = h * verbs.power(system, work, time, scratch.middle, scratch.slope)
    scratch.work_done[0] = work_done
    state.counts[core.CALLS] += 1
    for i in range(state.y.shape[0]):
        scratch.slope[i] *= h
    for i in range(system.layout.positions):
        scratch.middle[i] = state.y[i] + fma(0.5, scratch.slope[i], state.compensation[i])


@find_residual.method(DiscreteMethod)
def find_discrete_residual(method, system, work, state, t, h):
    """g(q) + G(q̄) Δq, which is g(q⁺) and rounds as the increment does."""
    middle, slope = state.scratch.middle, state.scratch.slope
    residual = state.scratch.residual
    verbs.constraint_rate(system, work, t + 0.5 * h, middle, slope, residual)
    for k in range(method.constraints):
        residual[k] += state.scratch.constraint_residual[k]


@find_constraint_impulse.method(DiscreteMethod)
def find_impulse_at_middle(method, system, work, state, t, h):
    """G(q̄)ᵀ l into the momentum rows of `constraint_impulse`."""
    force, impulse = state.scratch.constraint_impulse, state.scratch.impulse
    time = t + 0.5 * h
    solver.clear(force, system.layout.positions, state.y.shape[0])
    verbs.add_multiplier_forces(system, work, time, state.scratch.middle, impulse, force)


# ---- its solution --------------------------------------------------------------------------------
@solver.initial_guess.method(DiscreteMethod)
def guess_discrete(method, system, work, state, t, h):
    """First guess h f(y), and no impulse."""
    gradient.guess_by_slope(system, work, state, t, h)
    clear_impulses(state)


@solver.prepare_substep.method(DiscreteMethod)
def find_start_residual(method, system, work, state, t, h):
    """g(q) with the compensation of q, and the factors of W."""
    scratch = state.scratch
    scratch.facts[IMPULSE_HELD] = 0.0
    if method.constraints > 0:
        verbs.constraint(system, work, t, state.y, scratch.constraint_residual)
        verbs.constraint_rate(system, work, t, state.y, state.compensation, scratch.residual)
    for k in range(method.constraints):
        scratch.constraint_residual[k] += scratch.residual[k]
    return factor_at_start(method, system, work, state, t, h)


@solver.accelerate_sweeps.method(DiscreteMethod)
def factor_at_middle(method, system, work, state, t, h):
    """W there instead, which was regular where the step began."""
    is_wanted = method.constraints > 0 and state.scratch.facts[IMPULSE_HELD] == 0.0
    middle, time = state.scratch.middle, t + 0.5 * h
    if is_wanted and not verbs.factor_multipliers(system, work, time, middle):
        return core.NOT_CONVERGED
    return core.RUNNING


@solver.finish_substep.method(DiscreteMethod)
def converge_with_held_impulse(method, system, work, state, t, h):
    """With the impulse held, whose rounding, ε|q|/h, would perturb the momenta of every iteration:
    H would drift by what is left over.
    """
    limits = convergence.ROUNDING_LIMITS
    state.scratch.facts[IMPULSE_HELD] = 1.0
    if method.constraints == 0:
        return core.RUNNING
    return solver.iterate_sweeps(method, system, work, state, t, h, limits, solver.FIXED_POINT)


@inlined
def extrapolate_guess(values, previous, is_known):
    """The first guess of the next step by the last two, or by the last alone."""
    for i in range(values.shape[0]):
        this = values[i]
        values[i] = 2.0 * this - previous[i] if is_known else this
        previous[i] = this


@solver.accept.method(DiscreteMethod)
def accept_discrete(method, system, work, state, t, h, k):
    scratch, is_known = state.scratch, state.scratch.facts[HAS_PREVIOUS] != 0.0
    add_work_of_drivers(method, system, work, state, t, h)
    core.add_increment(state, scratch.increment, scratch.work_done[0])
    extrapolate_guess(scratch.increment, scratch.previous, is_known)
    extrapolate_guess(scratch.impulse, scratch.before, is_known)
    scratch.facts[HAS_PREVIOUS] = 1.0


# ---- records -------------------------------------------------------------------------------------
GIVEN_BY_BODIES = verbs.rates, verbs.discrete_rates, verbs.hamiltonian, verbs.power
ENERGY_MOMENTUM = gradient.conserving_integrator(
    "energy_momentum",
    2,
    "Gonzalez 1996, 1999",
    needs=(*verbs.CONSTRAINED, verbs.hamiltonian),
    method=EnergyMomentumMethod(substeps_of(), 0, convergence.DEFAULT_LIMITS),
    initial_state=core.state_with(EnergyMomentumScratch),
    bind=bind_energy_momentum,
    remark="keeps H, or balances it with the work, and g(t, q) = 0; G q̇ + ∂g/∂t = 0 only to O(h²)",
)
QUAT_EM = gradient.conserving_integrator(
    "quat_em",
    2,
    "after Betsch, Siebert 2009; Gonzalez 1996",
    needs=(*GIVEN_BY_BODIES, *verbs.CONSTRAINT_VERBS),
    method=DiscreteMethod(substeps_of(), 0, convergence.PREDICTIVE_ROUNDING_LIMITS, True),
    initial_state=core.state_with(EnergyMomentumScratch),
    bind=bind_rigid_bodies,
    remark="keeps H, linear and angular momenta and the constraints to rounding",
)
INTEGRATORS = (ENERGY_MOMENTUM, QUAT_EM)
