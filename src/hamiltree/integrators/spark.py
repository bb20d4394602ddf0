"""Symplectic integration of H(t, q, p) on g(t, q) = 0: partitioned Lobatto IIIA–IIIB (Jay, SIAM J. Numer. Anal. 33, 368, 1996).

  Q_i = q + h Σ_j a_ij V_j,   P_i = p + h Σ_j â_ij (F_j + G(Q_j)ᵀ Λ_j),   V_j = q̇, F_j = ṗ at (t + c_j h, Q_j, P_j)
  g(t + c_i h, Q_i) = 0 for i = 2 … s fixes Λ_1 … Λ_(s−1);   q⁺ = Q_s
  p⁺ = p + h Σ_j b_j (F_j + G(Q_j)ᵀ Λ_j),   G(q⁺) q̇(q⁺, p⁺) + ∂g/∂t = 0 fixes Λ_s, which no stage sees because â_is = 0
Two stages are RATTLE (Andersen 1983). SHAKE (Ryckaert, Ciccotti, Berendsen 1977) has the same positions: Λ_s is left out, and the Λ_1 of
the next step, which acts along the same G(q)ᵀ, makes up for it; its momenta lie beside the tangent space by h/2 Gᵀλ.

In increments as in implicit.py: L_j = h b_j (V_j, F_j + GᵀΛ_j), impulses l_j = h b_j Λ_j, Y_i = y + Σ_j μ_ij L_j, exactly μ_ij + μ̂_ji = 1.
Each sweep takes rates at the stages, forms Q, and corrects the impulses by  δl = −(1/h) C⁻¹ ⊗ W⁻¹ g(Q),  C_ij = Σ_k a_ik μ̂_kj,  with the
factors of W = G (∂²H/∂p²) Gᵀ where the step began. They are those of the last projection of momenta: one factorisation a step.
Work of dampers, loads and drivers: h Σ_j b_j (power − Λ_jᵀ ∂g/∂t), of the order of the method, because time and energy are one more pair.
"""

from dataclasses import replace
from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import fma, part
from hamiltree.integrators.advance import advance
from hamiltree.integrators.compositions import YOSHIDA_6, Composition, suzuki, triple_jump
from hamiltree.integrators.integrator import (
    CALLS,
    FRESH,
    NOT_CONVERGED,
    NOT_FINITE,
    RUNNING,
    SINGULAR,
    WORST,
    Integrator,
    State,
    new_state,
    step,
)
from hamiltree.integrators.iteration import (
    FIXED_POINT,
    GO_ON,
    ITERATION_LIMIT,
    SETTLED,
    TRIED,
    largest_of,
    no_progress,
    progressed,
    verdict_on_fixed_point,
)
from hamiltree.integrators.stages import exact_mu, guess_matrix
from hamiltree.integrators.summation import accumulate
from hamiltree.integrators.tableaus import DIGITS, PartitionedTableau, lobatto_pair
from hamiltree.verbs import (
    CONSTRAINED,
    constrain,
    constraint,
    constraint_rate,
    factor_multipliers,
    power,
    rates,
    solve_multipliers,
    velocity,
)

ROUNDING = 4e-16  # a correction of momenta below this part of them is the last
NOISY = 1e-13  # changes below may be rounding: no ratio is read from them
NEGLIGIBLE = 1e-18  # an error of the stages, in parts of the state, that does not add up to anything in 10⁹ steps
MOST_ROUNDS = 20  # of the projection of momenta; a kinetic energy quadratic in p takes two
HOLDS, TIME = range(2)  # entries of SparkScratch.facts: whether work should hold factors, and of which time


class SparkMethod(NamedTuple):
    mu_q: np.ndarray  # (stages, stages) a / b
    mu_p: np.ndarray  # (stages, stages) â / b
    correction: np.ndarray  # (stages, stages) C⁻¹: to the impulse of a stage from the residual of a stage
    guess: np.ndarray  # (substeps, stages, stages) to the first guess of the next substep's increments
    b: np.ndarray  # (stages,)
    c: np.ndarray  # (stages,)
    factors: np.ndarray  # (substeps,) γ
    starts: np.ndarray  # (substeps,) where each substep begins, in parts of the step
    constraints: int
    has_projection: bool  # of the momenta at the end; SHAKE has none


class SparkScratch(NamedTuple):
    increments: np.ndarray  # (stages, m) L: the first guess of the next step
    impulses: np.ndarray  # (stages, constraints) l: the first guess of the next step
    guessed: np.ndarray  # (stages, m)
    guessed_impulses: np.ndarray  # (stages, constraints)
    stages: np.ndarray  # (stages, m) Y
    slopes: np.ndarray  # (stages, m) h b f(Y), then the increments that follow from it
    forces: np.ndarray  # (stages, m) h b F of the last sweep, in its momentum rows
    powers: np.ndarray  # (stages,) of dampers and loads
    residuals: np.ndarray  # (stages, constraints) of the constraints, then what they change
    change: np.ndarray  # (m,) the largest of the last sweep
    total: np.ndarray  # (m,) Σ L
    end: np.ndarray  # (m,) y + Σ L
    pull: np.ndarray  # (m,) Gᵀ δl of the projection, and velocities at the end
    still: np.ndarray  # (m,) zeros
    multipliers: np.ndarray  # (constraints,) Λ_s of the last step; of SHAKE that at its beginning
    before: np.ndarray  # (2, m) y and what its sum had lost, where a step of several substeps began
    began: np.ndarray  # (2,) the same of the work
    factored: np.ndarray  # (m,) where W was factored
    probe: np.ndarray  # (2, constraints) W⁻¹ (1, 1, …) by the factors that this state counts on, and by those that are there
    facts: np.ndarray  # HOLDS, TIME
    sizes: np.ndarray  # (2,) the largest that positions and momenta, or what a step adds to them, have been


class Pace(NamedTuple):
    """Of the sweeps: by how much the last two changes above rounding shrank, and a bound on what is left beside rounding."""

    ratio: float
    earlier: float
    bound: float


# ---- coefficients ----------------------------------------------------------------------------------------------------------------
def inverse(matrix: list[list[Decimal]]) -> list[list[Decimal]]:
    """By elimination with the largest pivot, in the digits of the context."""
    n = len(matrix)
    rows = [[*row, *(Decimal(i == k) for k in range(n))] for i, row in enumerate(matrix)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in set(range(n)) - {k}:
            rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[n:] for row in rows]


def correction_matrix(pair: PartitionedTableau) -> np.ndarray:
    """C⁻¹ of C_ij = Σ_k a_ik â_kj / b_j (i = 2 … s, j = 1 … s − 1), in rows j and columns i of a matrix of all stages."""
    a, hat_a, b, s = pair.q.a, pair.p.a, pair.q.b, pair.stages
    moved = [[sum(a[i][k] * hat_a[k][j] for k in range(s)) / b[j] for j in range(s - 1)] for i in range(1, s)]
    out = np.zeros((s, s))
    out[: s - 1, 1:] = inverse(moved)
    return out


def scaled(stages: int, ratio: Decimal) -> list:
    """A first guess that takes each stage for the same stage of the next substep: Λ_s of SHAKE stays zero."""
    return [[ratio * (i == j) for j in range(stages)] for i in range(stages)]


def spark_method(stages: int, factors=(1,), has_projection: bool = True) -> SparkMethod:
    """Lobatto IIIA–IIIB over substeps of these parts of a step; `fitted` adds how many constraints there are."""
    with localcontext(prec=DIGITS):
        pair, gamma = lobatto_pair(stages), [Decimal(factor) for factor in factors]
        ratios = [after / this for this, after in zip(gamma, [*gamma[1:], gamma[0]], strict=True)]
        guesses = [guess_matrix(pair.q, ratio) if has_projection else scaled(stages, ratio) for ratio in ratios]
        starts = [sum(gamma[:k]) for k in range(len(gamma))]
        mu, correction = exact_mu(pair.q, pair.p), correction_matrix(pair)
    arrays = (np.array(values, dtype=float) for values in (guesses, pair.q.b, pair.q.c, gamma, starts))
    return SparkMethod(*mu, correction, *arrays, 0, has_projection)


def start_spark(y, method) -> State:
    s, m, n = len(method.b), len(y), method.constraints
    shapes = ((s, m), (s, n), (s, m), (s, n), (s, m), (s, m), (s, m), s, (s, n), m, m, m, m, m, n, (2, m), 2, m, (2, n), 2, 2)
    return new_state(y, SparkScratch(*map(np.zeros, shapes)))


def fitted(integrator: Integrator, system) -> Integrator:
    """With the number of constraints that a system has."""
    return integrator.with_method(constraints=int(system.facts.constraints))


# ---- factors of W ------------------------------------------------------------------------------------------------------------------
@inlined
def try_probe(system, work, state, row):
    """W⁻¹ (1, 1, …) by the factors in work."""
    x = part(state.scratch.probe, row)
    for k in range(x.shape[0]):
        x[k] = 1.0
    solve_multipliers(system, work, x)


@inlined
def is_probe_met(state):
    probe, differing = state.scratch.probe, 0
    for k in range(probe.shape[1]):
        differing += probe[0, k] != probe[1, k]
    return differing == 0


@inlined
def factor_at(system, work, state, t, point):
    """Factors at a point into work, and into the state where they are from; False where W is singular."""
    scratch = state.scratch
    for i in range(point.shape[0]):
        scratch.factored[i] = point[i]
    scratch.facts[HOLDS], scratch.facts[TIME] = 0.0, t
    if not factor_multipliers(system, work, t, scratch.factored):
        return False
    try_probe(system, work, state, 0)
    scratch.facts[HOLDS] = 1.0
    return True


@inlined
def has_factors(system, work, state, t):
    """Those of the last projection. If another state has used work since, they are made again, the same to the bit."""
    scratch = state.scratch
    if scratch.facts[HOLDS] == 0.0:
        return factor_at(system, work, state, t, state.y)
    try_probe(system, work, state, 1)
    return is_probe_met(state) or factor_multipliers(system, work, scratch.facts[TIME], scratch.factored)


@outlined
def factor_in_the_middle(system, work, state, t, h):
    """Of the chord: where the positions turn fast, W there is closer to G(Q_s) (∂²H/∂p²) G(Q_1)ᵀ."""
    scratch, last = state.scratch, state.scratch.stages.shape[0] - 1
    for i in range(state.y.shape[0]):
        scratch.end[i] = 0.5 * (scratch.stages[0, i] + scratch.stages[last, i])
    return factor_at(system, work, state, t + 0.5 * h, scratch.end)


# ---- stages and impulses -----------------------------------------------------------------------------------------------------------
@outlined
def begin(system, work, method, state, t, h):
    """First guess where there is no earlier step: the slope at the beginning in every stage, and no impulses."""
    scratch = state.scratch
    rates(system, work, t, state.y, scratch.total)
    for j in range(method.b.shape[0]):
        for i in range(state.y.shape[0]):
            scratch.increments[j, i] = scratch.forces[j, i] = h * method.b[j] * scratch.total[i]
        for k in range(scratch.impulses.shape[1]):
            scratch.impulses[j, k] = 0.0
    state.counts[CALLS] += 1
    scratch.sizes[0], scratch.sizes[1] = 1e-300, 1e-300
    state.counts[FRESH], scratch.facts[HOLDS] = 0, 0.0


@inlined
def form_rows(mu, state, first, last):
    """Y_i = y + (lost + Σ_j μ_ij L_j) in some rows."""
    increments = state.scratch.increments
    for s in range(mu.shape[0]):
        for i in range(first, last):
            total = 0.0
            for j in range(mu.shape[1]):
                total = fma(mu[s, j], increments[j, i], total)
            state.scratch.stages[s, i] = state.y[i] + (state.lost[i] + total)


@inlined
def evaluate_stages(system, work, method, state, t, h):
    """h b f(Y) and the power of every stage."""
    scratch = state.scratch
    for j in range(method.b.shape[0]):
        time, stage, slope, weight = t + method.c[j] * h, part(scratch.stages, j), part(scratch.slopes, j), h * method.b[j]
        rates(system, work, time, stage, slope)
        scratch.powers[j] = power(system, work, time, stage, slope)
        for i in range(slope.shape[0]):
            slope[i] *= weight
    state.counts[CALLS] += method.b.shape[0]


@inlined
def correct_impulses(system, work, method, state, t, h):
    """δl_j = −(1/h) Σ_i (C⁻¹)_ji W⁻¹ g(t + c_i h, Q_i)"""
    scratch, s = state.scratch, method.b.shape[0]
    for i in range(1, s):
        constraint(system, work, t + method.c[i] * h, part(scratch.stages, i), part(scratch.residuals, i))
        solve_multipliers(system, work, part(scratch.residuals, i))
    for j in range(s - 1):
        for k in range(method.constraints):
            total = 0.0
            for i in range(1, s):
                total = fma(method.correction[j, i], scratch.residuals[i, k], total)
            scratch.impulses[j, k] -= total / h


@inlined
def pull_stages(system, work, method, state, t, h):
    """h b F + G(Q)ᵀ l of every stage."""
    scratch = state.scratch
    for j in range(method.b.shape[0]):
        constrain(system, work, t + method.c[j] * h, part(scratch.stages, j), part(scratch.impulses, j), part(scratch.slopes, j))


@inlined
def renew(state, kept, which, first, last):
    """Slopes into what is kept of some rows: the largest change, in parts of the largest that these rows have been."""
    scratch, most, size = state.scratch, 0.0, state.scratch.sizes[which]
    for i in range(first, last):
        scratch.change[i], size = 0.0, largest_of(size, abs(state.y[i]))
        for j in range(kept.shape[0]):
            scratch.change[i] = largest_of(scratch.change[i], abs(scratch.slopes[j, i] - kept[j, i]))
            size = largest_of(size, abs(scratch.slopes[j, i]))
            kept[j, i] = scratch.slopes[j, i]
        most = largest_of(most, scratch.change[i])
    scratch.sizes[which] = size
    return most / size


@inlined
def take_momenta(state, first):
    for j in range(state.scratch.slopes.shape[0]):
        for i in range(first, state.y.shape[0]):
            state.scratch.increments[j, i] = state.scratch.slopes[j, i]


@inlined
def sweep(system, work, method, state, t, h):
    """Rates, positions, impulses, momenta, in this order: a correction acts through the next rates, once. The largest relative change.

    Impulses count by the positions that they move. Their own rounding, ε|q|/h, may be all that momenta are made of: where forces balance.
    """
    positions, m, scratch = system.layout.positions, state.y.shape[0], state.scratch
    evaluate_stages(system, work, method, state, t, h)
    change = largest_of(renew(state, scratch.increments, 0, 0, positions), renew(state, scratch.forces, 1, positions, m))
    form_rows(method.mu_q, state, 0, positions)
    if method.constraints > 0:
        correct_impulses(system, work, method, state, t, h)
        pull_stages(system, work, method, state, t, h)
    take_momenta(state, positions)
    form_rows(method.mu_p, state, positions, m)
    return change


@inlined
def paced(pace, iteration, change, last):
    """With one more change: the two last ratios above rounding carry the bound on where rounding hides the changes."""
    ratio, earlier = pace.ratio, pace.earlier
    if iteration > 0 and change > NOISY:
        ratio, earlier = change / last, ratio
    return Pace(ratio, earlier, min(change, pace.bound * max(ratio, earlier)))


@inlined
def is_exact(pace):
    """Whether the next sweep would change nothing but rounding."""
    return pace.bound * max(pace.ratio, pace.earlier) < NEGLIGIBLE


@inlined
def iterate(system, work, method, state, t, h):
    """Sweeps to where only rounding is left; with other factors of W where that is slow."""
    progress, pace, positions, m = no_progress(), Pace(1.0, 1.0, np.inf), system.layout.positions, state.y.shape[0]
    form_rows(method.mu_q, state, 0, positions)
    form_rows(method.mu_p, state, positions, m)
    for iteration in range(ITERATION_LIMIT):
        change = sweep(system, work, method, state, t, h)
        pace = paced(pace, iteration, change, progress.last)
        progress = progressed(progress, iteration, change)
        if iteration == 0 and method.constraints > 0 and np.isfinite(change):
            continue  # nothing has moved yet by the impulses that this sweep has found
        if is_exact(pace):
            return RUNNING
        verdict = verdict_on_fixed_point(progress, iteration, FIXED_POINT)
        if verdict != GO_ON:
            return verdict
        is_slow = iteration == TRIED and progress.last > SETTLED and method.constraints > 0
        if is_slow and not factor_in_the_middle(system, work, state, t, h):
            return NOT_CONVERGED  # W was regular where the step began
    return NOT_CONVERGED


# ---- the end of a step ---------------------------------------------------------------------------------------------------------------
@inlined
def sum_up(state):
    """Σ L, and y⁺ as the sum will round."""
    scratch = state.scratch
    for i in range(state.y.shape[0]):
        total = 0.0
        for j in range(scratch.increments.shape[0]):
            total += scratch.increments[j, i]
        scratch.total[i] = total
        scratch.end[i] = state.y[i] + (state.lost[i] + total)


@inlined
def add_pull(state, first):
    """p⁺ and the last increment with one more Gᵀ δl: the largest part of it, relative to the momenta."""
    scratch, last, most = state.scratch, state.scratch.increments.shape[0] - 1, 0.0
    for i in range(first, state.y.shape[0]):
        scratch.increments[last, i] += scratch.pull[i]
        scratch.total[i] += scratch.pull[i]
        scratch.end[i] = state.y[i] + (state.lost[i] + scratch.total[i])
        most = largest_of(most, abs(scratch.pull[i]))
    return most / scratch.sizes[1]


@inlined
def project_once(system, work, state, t, last):
    """δl_s = −W⁻¹ (G q̇ + ∂g/∂t) at the end: how much it moves the momenta."""
    scratch, delta = state.scratch, part(state.scratch.residuals, last)
    velocity(system, work, t, scratch.end, scratch.pull)
    constraint_rate(system, work, t, scratch.end, scratch.pull, delta)
    solve_multipliers(system, work, delta)
    for k in range(delta.shape[0]):
        delta[k] = -delta[k]
        scratch.impulses[last, k] += delta[k]
    for i in range(state.y.shape[0]):
        scratch.pull[i] = 0.0
    constrain(system, work, t, scratch.end, delta, scratch.pull)
    state.counts[CALLS] += 1
    return add_pull(state, system.layout.positions)


@inlined
def project_momenta(system, work, state, t):
    """G q̇ + ∂g/∂t = 0 at (q⁺, p⁺), to where rounding stops it; leaves the factors of W for the next step."""
    last, least = state.scratch.increments.shape[0] - 1, np.inf
    if not factor_at(system, work, state, t, state.scratch.end):
        return SINGULAR
    for _round in range(MOST_ROUNDS):
        change = project_once(system, work, state, t, last)
        if not np.isfinite(change):
            return NOT_FINITE
        if change <= ROUNDING or (change >= least and change < SETTLED):
            return RUNNING
        least = min(least, change)
    return NOT_CONVERGED


@inlined
def finish(system, work, method, state, t):
    """The sums, and the momenta projected."""
    sum_up(state)
    if method.constraints == 0:
        return RUNNING
    if method.has_projection:
        return project_momenta(system, work, state, t)
    state.scratch.facts[HOLDS] = 0.0
    return RUNNING


@inlined
def work_of_drivers(system, work, method, state, t, h):
    """−Σ_j l_jᵀ ∂g/∂t(t + c_j h, Q_j)"""
    scratch, done = state.scratch, 0.0
    for j in range(method.b.shape[0]):
        rate = part(scratch.residuals, j)
        constraint_rate(system, work, t + method.c[j] * h, part(scratch.stages, j), scratch.still, rate)
        for k in range(rate.shape[0]):
            done = fma(-scratch.impulses[j, k], rate[k], done)
    return done


@inlined
def add_work(system, work, method, state, t, h):
    done = 0.0
    for j in range(method.b.shape[0]):
        done = fma(h * method.b[j], state.scratch.powers[j], done)
    if method.constraints > 0:
        done += work_of_drivers(system, work, method, state, t, h)
    accumulate(state.work, state.work_lost, 0, done)


@inlined
def note_multipliers(method, state, h):
    scratch, j = state.scratch, method.b.shape[0] - 1 if method.has_projection else 0
    weight = h * method.b[j] if method.has_projection else h
    for k in range(scratch.multipliers.shape[0]):
        scratch.multipliers[k] = scratch.impulses[j, k] / weight


@inlined
def guess_next(guess, values, guessed):
    """The polynomial through the stages of this substep, at those of the next."""
    stages, rows = values.shape
    for s in range(stages):
        for i in range(rows):
            total = 0.0
            for j in range(stages):
                total = fma(guess[s, j], values[j, i], total)
            guessed[s, i] = total
    for s in range(stages):
        for i in range(rows):
            values[s, i] = guessed[s, i]


@inlined
def step_forward(method, state, k):
    """y⁺ = y + Σ L, and first guesses of what comes next."""
    scratch = state.scratch
    for i in range(state.y.shape[0]):
        accumulate(state.y, state.lost, i, scratch.total[i])
    guess_next(part(method.guess, k), scratch.increments, scratch.guessed)
    guess_next(part(method.guess, k), scratch.impulses, scratch.guessed_impulses)


# ---- steps -----------------------------------------------------------------------------------------------------------------------------
@outlined
def worst_row(system, state):
    """The row that changed most in the last sweep, relative to its part of the state; the first that is not finite."""
    scratch, positions, worst, most = state.scratch, system.layout.positions, 0, -1.0
    for i in range(state.y.shape[0]):
        relative = scratch.change[i] / scratch.sizes[0 if i < positions else 1]
        if not np.isfinite(relative):
            return i
        if relative > most:
            worst, most = i, relative
    return worst


@inlined
def solved(system, work, method, state, t, h):
    """The equations of one substep: RUNNING, or how they failed."""
    if method.constraints > 0 and not has_factors(system, work, state, t):
        return SINGULAR
    status = iterate(system, work, method, state, t, h)
    return finish(system, work, method, state, t + h) if status == RUNNING else status


@inlined
def substep(system, work, method, state, t, h, k):
    if state.counts[FRESH]:
        begin(system, work, method, state, t, h)
    status = solved(system, work, method, state, t, h)
    if status != RUNNING:
        state.counts[WORST], state.counts[FRESH] = worst_row(system, state), 1
        return status
    add_work(system, work, method, state, t, h)
    note_multipliers(method, state, h)
    step_forward(method, state, k)
    return RUNNING


@inlined
def remember(state):
    before, began = state.scratch.before, state.scratch.began
    for i in range(state.y.shape[0]):
        before[0, i], before[1, i] = state.y[i], state.lost[i]
    began[0], began[1] = state.work[0], state.work_lost[0]


@inlined
def go_back(state):
    """To where the step began; what was guessed is of no use there."""
    before, began = state.scratch.before, state.scratch.began
    for i in range(state.y.shape[0]):
        state.y[i], state.lost[i] = before[0, i], before[1, i]
    state.work[0], state.work_lost[0] = began[0], began[1]
    state.counts[FRESH] = 1


@step.method(SparkMethod)
def spark_step(method, system, work, state, t, h):
    remember(state)
    for k in range(method.factors.shape[0]):
        status = substep(system, work, method, state, t + method.starts[k] * h, method.factors[k] * h, k)
        if status != RUNNING:
            go_back(state)
            return status
    return RUNNING


# ---- records -----------------------------------------------------------------------------------------------------------------------------
def spark_integrator(name: str, stages: int, reference: str, remark: str = "") -> Integrator:
    return Integrator(
        name,
        2 * stages - 2,
        reference,
        is_explicit=False,
        is_symplectic=True,
        is_symmetric=True,
        needs=CONSTRAINED,
        width=1,
        evaluations_per_call=1,
        method=spark_method(stages),
        advance=advance,
        start=start_spark,
        fit=fitted,
        coefficients=lobatto_pair(stages),
        remark=remark or "keeps g(t, q) = 0 and G q̇ + ∂g/∂t = 0 to rounding",
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


def composed_rattle(composition: Composition) -> Integrator:
    """RATTLE over substeps of the lengths that a composition gives: symplectic and symmetric again, of higher order (Reich 1996)."""
    return replace(
        RATTLE,
        name=f"{composition.name}(rattle)",
        order=composition.order,
        reference=f"{composition.reference}; of rattle",
        is_symmetric=composition.is_symmetric,
        method=spark_method(2, composition.factors),
        substeps=composition.factors,
    )


INTEGRATORS = (
    RATTLE,
    SHAKE,
    spark_integrator("spark4", 3, "Jay 1996"),
    spark_integrator("spark6", 4, "Jay 1996"),
    *map(composed_rattle, (triple_jump(4), suzuki(4), YOSHIDA_6)),
)
