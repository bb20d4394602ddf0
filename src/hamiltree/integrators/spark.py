"""RATTLE, SHAKE and SPARK: symplectic integration of H(t, q, p) on g(t, q) = 0 by partitioned
Lobatto IIIA–IIIB methods (Jay, SIAM J. Numer. Anal. 33, 368, 1996).

  Q_i = q + h Σ_j a_ij V_j,   P_i = p + h Σ_j â_ij (F_j + G(Q_j)ᵀ Λ_j),
  V_j = q̇, F_j = ṗ at (t + c_j h, Q_j, P_j)
  g(t + c_i h, Q_i) = 0 for i = 2 … s fixes Λ_1 … Λ_(s−1);   q⁺ = Q_s
  p⁺ = p + h Σ_j b_j (F_j + G(Q_j)ᵀ Λ_j),   G(q⁺) q̇(q⁺, p⁺) + ∂g/∂t = 0 fixes Λ_s,
  which no stage sees because â_is = 0
Two stages are RATTLE (Andersen 1983). SHAKE (Ryckaert, Ciccotti, Berendsen 1977) has the same
positions: Λ_s is left out, and the Λ_1 of the next step, which acts along the same G(q)ᵀ, makes up
for it; its momenta lie beside the tangent space by h/2 Gᵀλ.

In increments as in implicit.py: L_j = h b_j (V_j, F_j + GᵀΛ_j), impulses l_j = h b_j Λ_j,
Y_i = y + Σ_j μ_ij L_j, exactly μ_ij + μ̂_ji = 1.
Each sweep but the first corrects the impulses by δl = −(1/h) C⁻¹ ⊗ W⁻¹ g(Q),
C_ij = Σ_k a_ik μ̂_kj, forms P, takes rates at the stages and forms Q, with the factors of
W = G (∂²H/∂p²) Gᵀ where the step began. They are those of the last projection of momenta: one
factorisation per step. Q and p⁺ have the same impulses: their rounding, ε|q|/h, then cancels in
the energy (decision 6).
Work of dampers, loads and drives: h Σ_j b_j (power − Λ_jᵀ ∂g/∂t), of the order of the method,
because time and energy are one more pair.
"""

from dataclasses import replace

import numpy as np

from hamiltree import verbs
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import fma, part
from hamiltree.integrators import constraint_impulses as impulses
from hamiltree.integrators import convergence, regularity
from hamiltree.integrators import implicit_solver as solver
from hamiltree.integrators import integrator as core
from hamiltree.integrators import singular_crossing as crossing
from hamiltree.integrators.compositions import YOSHIDA_6, Composition, suzuki, triple_jump
from hamiltree.integrators.integrator import Integrator
from hamiltree.integrators.spark_method import SparkMethod, SparkScratch, spark_method
from hamiltree.integrators.tableaus import lobatto_pair


@solver.accelerate_sweeps.method(SparkMethod)
def factor_between_stages(method, system, work, state, t, h):
    """Factors of W in the middle between the first and the last stage; a singular position may be
    there where rows are normalised.
    """
    if crossing.is_normalised(state):
        return core.RUNNING
    first, end = part(state.scratch.stages, 0), part(state.scratch.stages, method.stages - 1)
    return impulses.factor_at_midpoint(system, work, state, t + 0.5 * h, first, end)


# ---- stages and impulses -------------------------------------------------------------------------
@solver.initial_guess.method(SparkMethod)
def guess_increments(method, system, work, state, t, h):
    """First guess where there is no earlier step: the slope at the beginning in every stage, and no
    impulses.
    """
    scratch = state.scratch
    verbs.rates(system, work, t, state.y, scratch.total)
    for j in range(method.stages):
        for i in range(state.y.shape[0]):
            scratch.increments[j, i] = scratch.forces[j, i] = h * method.b[j] * scratch.total[i]
        solver.clear(part(scratch.impulses, j), 0, scratch.impulses.shape[1])
    state.counts[core.CALLS] += 1
    scratch.factors.facts[impulses.FACTORS_VALID] = 0.0


@solver.prepare_substep.method(SparkMethod)
def prepare_stages(method, system, work, state, t, h):
    """The factors of W, and the stages that the first guess leads to."""
    if not impulses.ensure_factors(system, work, state, t):
        return core.SINGULAR
    form_stage_rows(method.mu_q, state, 0, system.layout.positions)
    form_stage_rows(method.mu_p, state, system.layout.positions, state.y.shape[0])
    state.scratch.factors.facts[impulses.HAS_RESIDUALS] = 0.0
    return core.RUNNING


@inlined
def weighted_sum(weights, s, first, values, i):
    """Σ_j weights[s, j] values[j, i], j from the first"""
    total = 0.0
    for j in range(first, values.shape[0]):
        total = fma(weights[s, j], values[j, i], total)
    return total


@inlined
def form_stage_rows(mu, state, first, last):
    """Y_i = y + (compensation + Σ_j μ_ij L_j) in some rows."""
    for s in range(mu.shape[0]):
        for i in range(first, last):
            state.scratch.stages[s, i] = state.y[i] + (
                state.compensation[i] + weighted_sum(mu, s, 0, state.scratch.increments, i)
            )


@inlined
def evaluate_stages(method, system, work, state, t, h):
    """h b f(Y) and the power of every stage."""
    for j in range(method.stages):
        time, weight = t + method.c[j] * h, h * method.b[j]
        stage, slope = part(state.scratch.stages, j), part(state.scratch.slopes, j)
        verbs.rates(system, work, time, stage, slope)
        state.scratch.powers[j] = verbs.power(system, work, time, stage, slope)
        for i in range(slope.shape[0]):
            slope[i] *= weight
    state.counts[core.CALLS] += method.stages


@inlined
def correct_impulses(method, system, work, state, t, h):
    """δl_j = −(1/h) Σ_i (C⁻¹)_ji W⁻¹ g(t + c_i h, Q_i)"""
    scratch, s = state.scratch, method.stages
    for i in range(1, s):
        time, residual = t + method.c[i] * h, part(scratch.residuals, i)
        verbs.constraint(system, work, time, part(scratch.stages, i), residual)
        verbs.solve_multipliers(system, work, residual)
    for j in range(s - 1):
        for k in range(method.constraints):
            correction = weighted_sum(method.correction, j, 1, scratch.residuals, k)
            scratch.impulses[j, k] -= correction / h


@inlined
def add_impulses(method, system, work, state, t, h):
    """L_j = h b_j F_j + G(Q_j)ᵀ l_j in the momentum rows of every stage."""
    scratch, positions = state.scratch, system.layout.positions
    for j in range(method.stages):
        slope, impulse = part(scratch.slopes, j), part(scratch.impulses, j)
        if method.constraints > 0:
            time, stage = t + method.c[j] * h, part(scratch.stages, j)
            verbs.add_multiplier_forces(system, work, time, stage, impulse, slope)
        solver.copy_rows(slope, part(scratch.increments, j), positions, state.y.shape[0])


@inlined
def update_increments(state, kept, which, first, last):
    """Slopes into what is kept of some rows: the largest change, as `solver.update_rows`. Where
    nothing moves, momenta are the rounding of impulses, and forces its square, which never settles:
    impulses count a little.
    """
    slopes, most = state.scratch.slopes, 0.0
    size = state.sizes[which]
    for i in range(first, last):
        per_size = 1.0 / state.scale[i]
        state.change[i], largest = 0.0, abs(state.y[i])
        for j in range(kept.shape[0]):
            state.change[i] = solver.max_or_nan(state.change[i], abs(slopes[j, i] - kept[j, i]))
            largest = solver.max_or_nan(largest, abs(slopes[j, i]))
            impulse = impulses.SUDDEN * abs(state.scratch.increments[j, i])
            largest = solver.max_or_nan(largest, impulse)
            kept[j, i] = slopes[j, i]
        most = solver.max_or_nan(most, state.change[i] * per_size)
        size = solver.max_or_nan(size, largest * per_size)
    state.sizes[which] = size
    return most / size


@solver.sweep.method(SparkMethod)
def sweep_stages(method, system, work, state, t, h):
    """Impulses, momenta, rates, positions, in this order: the largest relative change.

    The first sweep has no positions yet from which impulses could be corrected. The last ends with
    the positions that its impulses lead to, and p⁺ takes the same: one more correction would
    change momenta and no position, which made the energy drift. Impulses count by the positions
    that they move: their own rounding, ε|q|/h, may be all of the momenta where forces balance.
    Nor does the first change say how far there is to go: a drive that begins to move is seen in
    the second.
    """
    scratch, positions = state.scratch, system.layout.positions
    m = state.y.shape[0]
    is_first = scratch.factors.facts[impulses.HAS_RESIDUALS] == 0.0
    if not is_first:
        if crossing.is_normalised(state):
            if not crossing.correct_normalised_impulses(method, system, work, state, t, h):
                return np.nan
        elif method.constraints > 0:
            correct_impulses(method, system, work, state, t, h)
        add_impulses(method, system, work, state, t, h)
        form_stage_rows(method.mu_p, state, positions, m)
    evaluate_stages(method, system, work, state, t, h)
    change = solver.max_or_nan(
        update_increments(state, scratch.increments, 0, 0, positions),
        update_increments(state, scratch.forces, 1, positions, m),
    )
    form_stage_rows(method.mu_q, state, 0, positions)
    scratch.factors.facts[impulses.HAS_RESIDUALS] = 1.0
    return solver.max_or_nan(change, convergence.CONVERGED_BELOW) if is_first else change


# ---- the end of a step ---------------------------------------------------------------------------
@impulses.project_once.method(SparkMethod)
def project_last_stage(method, system, work, state, t, h):
    """δl_s"""
    scratch, last = state.scratch, method.stages - 1
    speeds, impulse = scratch.constraint_impulse, part(scratch.impulses, last)
    verbs.velocity(system, work, t + h, scratch.end, speeds)
    state.counts[core.CALLS] += 1
    delta = part(scratch.residuals, last)
    change = impulses.correct_momenta(
        system, work, state, t + h, speeds, impulse, scratch.total, delta
    )
    for i in range(system.layout.positions, state.y.shape[0]):
        scratch.increments[last, i] += scratch.constraint_impulse[i]
    return change


@solver.finish_substep.method(SparkMethod)
def finish_stages(method, system, work, state, t, h):
    """Σ L, y⁺ as the sum will round, and the momenta projected."""
    scratch, m = state.scratch, state.y.shape[0]
    add_impulses(method, system, work, state, t, h)
    solver.clear(scratch.total, 0, m)
    for j in range(method.stages):
        for i in range(m):
            scratch.total[i] += scratch.increments[j, i]
    solver.add_rows(state, scratch.total, scratch.end, 0, m)
    if method.constraints > 0 and method.has_projection:
        return impulses.project_momenta(method, system, work, state, t, h)
    scratch.factors.facts[impulses.FACTORS_VALID] = 0.0
    return core.RUNNING


@inlined
def extrapolate_stages(guess, values, guessed):
    """The polynomial through the stages of this substep, at those of the next; `guessed` is
    scratch.
    """
    stages, rows = values.shape
    for s in range(stages):
        for i in range(rows):
            guessed[s, i] = weighted_sum(guess, s, 0, values, i)
    for s in range(stages):
        solver.copy_rows(part(guessed, s), part(values, s), 0, rows)


@solver.accept.method(SparkMethod)
def accept_stages(method, system, work, state, t, h, k):
    """y⁺ = y + Σ L, the multipliers, and first guesses of what comes next."""
    scratch, last = state.scratch, method.stages - 1 if method.has_projection else 0
    weight = h * method.b[last] if method.has_projection else h
    work_done, driven = 0.0, 0.0  # h Σ_j b_j (power − Λ_jᵀ ∂g/∂t)
    for j in range(method.stages):
        time, stage = t + method.c[j] * h, part(scratch.stages, j)
        impulse, rate = part(scratch.impulses, j), part(scratch.residuals, j)
        before = work_done + driven
        work_done = fma(h * method.b[j], scratch.powers[j], work_done)
        driven = impulses.add_work_of_drivers(
            system, work, state, time, stage, impulse, rate, driven
        )
        crossing.keep_increment(state, j, work_done + driven - before)
    core.add_increment(state, scratch.total, work_done + driven)
    for i in range(method.constraints):
        scratch.multipliers[i] = scratch.impulses[last, i] / weight
    extrapolate_stages(part(method.guess, k), scratch.increments, scratch.slopes)
    extrapolate_stages(part(method.guess, k), scratch.impulses, scratch.residuals)


# ---- one step ------------------------------------------------------------------------------------
@outlined
def take_substep(method, system, work, state, t, h, k):
    return solver.substep(method, system, work, state, t, h, k)


@core.step.method(SparkMethod)
def spark_step(method, system, work, state, t, h):
    """The substeps of the method, or those that lead through a singular position; long steps near
    one may need normalised rows where the sine is not small yet.
    """
    if crossing.is_near_singular(method, state, h):
        return pass_singular_position(method, system, work, state, t, h)
    parts = method.substeps
    if parts.factors.shape[0] > 1:
        solver.save_state(state)
    for k in range(parts.factors.shape[0]):
        status = take_substep(
            method, system, work, state, t + parts.starts[k] * h, parts.factors[k] * h, k
        )
        if status != core.RUNNING:
            if k > 0:
                solver.restore_state(state)
            if method.crossing > 0 and regularity.changes_much(state, h):
                return pass_singular_position(method, system, work, state, t, h)
            return status
    return core.RUNNING


@outlined
def pass_singular_position(method, system, work, state, t, h):
    """A step with normalised rows, or through a singular position: RUNNING, or the state is as
    before, and the status SINGULAR where the branch is not determined.
    """
    facts = state.scratch.crossing.facts
    solver.save_state(state)
    crossing.save_record(state)
    facts[crossing.NORMALISED] = 1.0
    f = regularity.time_to_singular(state)
    status = take_normalised_substeps(method, system, work, state, t, h, f)
    facts[crossing.NORMALISED] = facts[crossing.WANTED] = 0.0
    state.counts[core.FRESH] = 1  # multipliers have a pole: no first guess
    if status == core.RUNNING:
        return core.RUNNING
    solver.restore_state(state)
    crossing.restore_record(state)
    if f > h and not crossing.is_ahead(state):  # it goes away from it, or may turn back before it
        status = take_substep(method, system, work, state, t, h, 0)
    return status if status == core.RUNNING or f == np.inf else core.SINGULAR


@outlined
def take_normalised_substeps(method, system, work, state, t, h, f):
    """Through a position that is f away, by a substep that may end in a later step; to the end of
    the step, or of what that substep shows of it.
    """
    is_again = state.clock[core.AHEAD] < 0.0  # a step that is taken again, to locate an event
    if is_again:
        state.clock[core.AHEAD] *= -1.0
        if not crossing.is_known(state, t):
            return core.SINGULAR
    elif not crossing.is_ahead(state) and f < np.inf:
        status = go_through(method, system, work, state, t, h, f)
        if status != core.RUNNING:
            return status
    if not crossing.is_ahead(state):
        return take_normalised_part(method, system, work, state, t, 0.0, h)
    if not is_again:
        crossing.follow_turns(state)
    if state.clock[core.AHEAD] > h * (1.0 - 1e-9):
        crossing.show_inside(method.gap, system, work, state, t, h)
        return core.RUNNING
    begin = crossing.go_ahead(state)
    return take_normalised_part(method, system, work, state, t, begin, h)


@outlined
def go_through(method, system, work, state, t, h, f):
    """A substep through the position that is f away, if this is the last step that can begin it."""
    length = crossing.length_through(method.gap, state, f, h)
    if length == 0.0:
        return core.RUNNING
    crossing.keep_begin(state)
    state.scratch.crossing.facts[crossing.WANTED] = 1.0
    status = take_normalised_part(method, system, work, state, t, 0.0, length)
    state.scratch.crossing.facts[crossing.WANTED] = 0.0
    if status != core.RUNNING:
        return status
    if crossing.misses_position(method, system, work, state, t, length):
        return core.SINGULAR
    crossing.record_passage(system, work, state, t + f)
    crossing.keep_end(state, t, length)
    return core.RUNNING


@outlined
def take_normalised_part(method, system, work, state, t, begin, end):
    """One substep from t + begin to t + end, if it is not empty."""
    length = end - begin
    if abs(length) <= 1e-9 * max(abs(begin), abs(end)):
        return core.RUNNING
    state.counts[core.FRESH] = 1  # increments of another length are no first guess
    status = take_substep(method, system, work, state, t + begin, length, 0)
    if status != core.RUNNING:
        return status
    regularity.record_independence(system, work, state, t + end)
    return core.RUNNING if crossing.keeps_directions(state) else core.SINGULAR


@regularity.stays_regular.method(SparkMethod)
def record_step(method, system, work, state, t, h):
    """What can go through a singular position goes on."""
    if method.crossing == 0:
        return regularity.ends_before_singular(method, system, work, state, t, h)
    if abs(t - state.clock[core.SINE_TIME]) > 0.01 * abs(h) and not crossing.is_ahead(state):
        regularity.record_independence(system, work, state, t)
    return True


# ---- records -------------------------------------------------------------------------------------
def fit_rows(integrator: Integrator, system) -> Integrator:
    """With the number of constraints, and how many rows are normalised near singular positions."""
    rows, method = int(system.facts.constraints), integrator.method
    is_able = method.has_projection and len(method.substeps.factors) == 1
    crossing_rows = rows if is_able and rows <= crossing.MAX_ROWS else 0
    recorded = crossing.MAX_RECORDED if crossing_rows else 0
    return solver.fit_constraints(integrator, system, crossing=crossing_rows, recorded=recorded)


def spark_integrator(name: str, stages: int, reference: str) -> Integrator:
    """Lobatto IIIA–IIIB of so many stages on constraints."""
    return solver.implicit_integrator(
        name,
        2 * stages - 2,
        reference,
        is_symplectic=True,
        is_symmetric=True,
        needs=verbs.CONSTRAINED,
        method=spark_method(stages),
        initial_state=core.state_with(SparkScratch),
        bind=fit_rows,
        coefficients=lobatto_pair(stages),
        remark="keeps g(t, q) = 0 and G q̇ + ∂g/∂t = 0 to rounding",
    )


RATTLE = spark_integrator("rattle", 2, "Andersen 1983; Leimkuhler, Skeel 1994; Jay 1996")
SHAKE = replace(
    RATTLE,
    name="shake",
    reference="Ryckaert, Ciccotti, Berendsen 1977",
    is_symplectic=False,
    is_symmetric=False,
    method=spark_method(2, has_projection=False),
    remark="the positions of rattle; momenta beside the tangent space by h/2 Gᵀλ",
)


def compose_rattle(composition: Composition) -> Integrator:
    """RATTLE over substeps of the lengths that a composition gives: symplectic and symmetric again,
    of higher order (Reich 1996).
    """
    method = spark_method(2, composition.factors)
    return solver.compose(composition, RATTLE, method, composition.factors)


INTEGRATORS = (
    RATTLE,
    SHAKE,
    *(spark_integrator(f"spark{2 * stages - 2}", stages, "Jay 1996") for stages in (3, 4)),
    *map(compose_rattle, (triple_jump(4), suzuki(4), YOSHIDA_6)),
)
