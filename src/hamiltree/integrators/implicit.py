"""Implicit Runge–Kutta methods and partitioned pairs of them, of any number of stages: four stages
are the four lanes of one call.

In increments L_i = h b_i f(Y_i): Y_i = y + (compensation + Σ_j μ_ij L_j), y⁺ = y + Σ L_i,
μ_ij = a_ij / b_j; a pair has one μ for the rows of positions and one for those of momenta.
A symplectic method has μ_ij + μ_ji = 1 (of a pair: μ_ij + μ̂_ji = 1). Rounded coefficients that
break it make energy drift linearly; here it holds exactly: of each pair the larger is rounded and
the other is one minus it, which is a float (METHODS, "Round-off"). A step may be composed of
substeps of lengths γ_k h, each by the same tableau.
The stages are iterated until the increment, relative to the size of the state, stops decreasing: by
fixed point, or by simplified Newton where that converges too slowly.
"""

from dataclasses import replace
from decimal import localcontext

from hamiltree.algebra.summation import accumulate
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import (
    WIDTH,
    absolute,
    broadcast_like,
    fma,
    lane,
    load,
    maximum,
    part,
    store,
)
from hamiltree.integrators import implicit_solver as solver
from hamiltree.integrators import tableaus
from hamiltree.integrators.advance import advance
from hamiltree.integrators.compositions import Composition
from hamiltree.integrators.convergence import STAGE_LIMITS
from hamiltree.integrators.integrator import (
    CALLS,
    NOT_CONVERGED,
    RUNNING,
    Integrator,
    integrator_from_tableau,
)
from hamiltree.integrators.newton import (
    allocate_newton,
    difference_jacobian_in_lanes,
    factor,
    fill_block,
    solve_scaled,
)
from hamiltree.integrators.stages import StageMethod, new_stage_state, stage_method
from hamiltree.integrators.tableau import DIGITS, PartitionedTableau, Tableau
from hamiltree.verbs import CANONICAL, FIRST_ORDER, power, rates


# ---- one step ------------------------------------------------------------------------------------
@inlined
def lane_product(rows, j, increments):
    """Σ_k rows[j + k] · (lane k of the increments)"""
    pair = fma(load(rows, j + 1), lane(increments, 1), load(rows, j) * lane(increments, 0))
    three = fma(load(rows, j + 2), lane(increments, 2), pair)
    return fma(load(rows, j + 3), lane(increments, 3), three)


@inlined
def weighted_stage_sum(coefficients, b, increments, i):
    """Σ_j coefficients[b, j] · (increment of stage j in row i), in lanes: the stages of block b."""
    rows = part(coefficients, b)
    total = lane_product(rows, 0, load(part(increments, 0), i))
    for k in range(1, increments.shape[0]):
        total = total + lane_product(rows, WIDTH * k, load(part(increments, k), i))
    return total


@inlined
def largest_lane(x):
    return max(max(lane(x, 0), lane(x, 1)), max(lane(x, 2), lane(x, 3)))


@inlined
def sum_of_lanes(x):
    return (lane(x, 0) + lane(x, 3)) + (lane(x, 1) + lane(x, 2))


@solver.initial_guess.method(StageMethod)
def guess_increments(method, system, work, state, t, h):
    """First guess where there is no earlier step: the slope at the beginning, in every stage."""
    stages, slopes = part(state.scratch.stages, 0), part(state.scratch.slopes, 0)
    for i in range(state.y.shape[0]):
        store(stages, i, load(state.y, i))
    rates(system, work, broadcast_like(t, load(method.c, 0)), stages, slopes)
    for b in range(method.b.shape[0]):
        for i in range(state.y.shape[0]):
            store(part(state.scratch.increments, b), i, load(slopes, i) * (load(method.b, b) * h))
    state.scratch.has_earlier[0] = 0
    state.counts[CALLS] += 1


@inlined
def form_stage_rows(mu, state, b, first, last):
    """Y_i = y + (compensation + Σ_j μ_ij L_j) in some rows."""
    stages = part(state.scratch.stages, b)
    for i in range(first, last):
        moved = load(state.compensation, i) + weighted_stage_sum(mu, b, state.scratch.increments, i)
        store(stages, i, load(state.y, i) + moved)


@inlined
def evaluate_stages(method, system, work, state, t, h):
    """f(Y) of every stage."""
    positions, blocks = system.layout.positions, method.b.shape[0]
    for b in range(blocks):
        form_stage_rows(method.mu_q, state, b, 0, positions)
        form_stage_rows(method.mu_p, state, b, positions, state.y.shape[0])
        times = load(method.c, b) * h + t
        rates(system, work, times, part(state.scratch.stages, b), part(state.scratch.slopes, b))
    state.counts[CALLS] += blocks


@solver.prepare_substep.method(StageMethod)
def measure_rows(method, system, work, state, t, h):
    """Sizes of rows, which changes of sweeps are compared with."""
    for i in range(state.y.shape[0]):
        state.scratch.per_size[i] = 1.0 / state.scale[i]
    size_rows(state, h, 0, 0, system.layout.positions)
    size_rows(state, h, 1, system.layout.positions, state.y.shape[0])
    return RUNNING


@inlined
def update_increments(method, state, h, which, first, last):
    """L = h b f(Y) in some rows: the largest change, relative to them, both in natural sizes."""
    change = 0.0
    for b in range(method.b.shape[0]):
        weights = load(method.b, b) * h
        slopes = part(state.scratch.slopes, b)
        increments = part(state.scratch.increments, b)
        most = 0.0 * weights
        for i in range(first, last):
            increment = load(slopes, i) * weights
            by = absolute(increment - load(increments, i)) * load(state.scratch.per_size, i)
            most = maximum(most, by)
            store(increments, i, increment)
        change = solver.max_or_nan(change, largest_lane(most))
    if change > state.sizes[which]:  # rows that were at zero
        size_rows(state, h, which, first, last)
    return change / state.sizes[which]


@solver.sweep.method(StageMethod)
def sweep_stages(method, system, work, state, t, h):
    """L = h b f(Y): the larger of the changes of positions and momenta."""
    positions = system.layout.positions
    evaluate_stages(method, system, work, state, t, h)
    return solver.max_or_nan(
        update_increments(method, state, h, 0, 0, positions),
        update_increments(method, state, h, 1, positions, state.y.shape[0]),
    )


@solver.solve_equations.method(StageMethod)
def solve_stages(method, system, work, state, t, h):
    return solver.sweep_then_newton(method, system, work, state, t, h, STAGE_LIMITS)


@solver.accept.method(StageMethod)
def accept_stages(method, system, work, state, t, h, k):
    """y⁺ = y + Σ L_i; the increments extrapolated are the next first guess. Work of dampers and
    loads by the weights; of several blocks rates are asked again for it: `work` holds the last.
    """
    increments = state.scratch.increments
    blocks, work_done = method.b.shape[0], 0.0
    for b in range(blocks):
        times = load(method.c, b) * h + t
        stages, slopes = part(state.scratch.stages, b), part(state.scratch.slopes, b)
        if blocks > 1:
            rates(system, work, times, stages, slopes)
        powers = power(system, work, times, stages, slopes)
        work_done += sum_of_lanes(powers * (load(method.b, b) * h))
    accumulate(state.work, state.work_compensation, 0, work_done)
    for i in range(state.y.shape[0]):
        total = sum_of_lanes(load(part(increments, 0), i))
        for b in range(1, blocks):
            total += sum_of_lanes(load(part(increments, b), i))
        accumulate(state.y, state.compensation, i, total)
    extrapolate_increments(method, state, k)


@inlined
def extrapolate_increments(method, state, k):
    """The first guess of the increments after substep k: from this step and the one before, if
    both are known, or from this substep.
    """
    increments, guessed = state.scratch.increments, state.scratch.guessed
    earlier = state.scratch.earlier
    blocks = method.b.shape[0]
    is_from_two = method.guess_from_two.shape[0] > 0 and state.scratch.has_earlier[0] != 0
    for i in range(state.y.shape[0]):
        for b in range(blocks):
            if is_from_two:
                now = weighted_stage_sum(part(method.guess_from_two, 0), b, increments, i)
                before = weighted_stage_sum(part(method.guess_from_two, 1), b, earlier, i)
                store(part(guessed, b), i, now + before)
            else:
                found = weighted_stage_sum(part(method.guess, k), b, increments, i)
                store(part(guessed, b), i, found)
        for b in range(blocks):
            store(part(earlier, b), i, load(part(increments, b), i))
            store(part(increments, b), i, load(part(guessed, b), i))
    state.scratch.has_earlier[0] = 1


# ---- simplified Newton ---------------------------------------------------------------------------
@solver.linearise.method(StageMethod)
def linearise_stages(method, system, work, state, t, h):
    times = broadcast_like(t, load(method.c, 0))
    points, slopes = part(state.scratch.stages, 0), part(state.scratch.slopes, 0)
    difference_jacobian_in_lanes(system, work, state, times, points, slopes)


@solver.factor_newton_matrix.method(StageMethod)
def factor_stage_matrix(method, system, work, state, t, h):
    """δ − h b_i μ_ij J: blocks (stage i, stage j), of columns with the μ of their part."""
    newton, positions = state.scratch.newton, system.layout.positions
    for i in range(method.stages):
        b, k = i // WIDTH, i % WIDTH
        weight = h * method.b[b, k]
        for j in range(method.stages):
            in_q, in_p = weight * method.mu_q[b, j, k], weight * method.mu_p[b, j, k]
            fill_block(newton.factors, newton.jacobian, state.scale, i, j, in_q, in_p, positions)
    return RUNNING if factor(newton.factors, newton.pivots) else NOT_CONVERGED


@inlined
def size_rows(state, h, which, first, last):
    """The largest that some rows of the state and their increments are, in natural sizes."""
    size = solver.size_at_rest(state, which, h)
    for i in range(first, last):
        row = abs(load(state.y, i))
        for b in range(state.scratch.increments.shape[0]):
            row = max(row, largest_lane(absolute(load(part(state.scratch.increments, b), i))))
        size = max(size, row * state.scratch.per_size[i])
    state.sizes[which] = size


@solver.correct.method(StageMethod)
def correct_stages(method, system, work, state, t, h):
    """L += (matrix)⁻¹ (h b f(Y) − L): the larger of the corrections of positions and momenta."""
    newton, m = state.scratch.newton, state.y.shape[0]
    increments = state.scratch.increments
    evaluate_stages(method, system, work, state, t, h)
    for j in range(method.stages):
        b, k = j // WIDTH, j % WIDTH
        for i in range(m):
            found = h * method.b[b, k] * state.scratch.slopes[b, i, k]
            newton.unknowns[j * m + i] = found - increments[b, i, k]
    solve_scaled(newton.factors, newton.pivots, newton.unknowns, state.scale)
    solver.clear(state.change, 0, m)
    for j in range(method.stages):
        for i in range(m):
            correction = newton.unknowns[j * m + i]
            increments[j // WIDTH, i, j % WIDTH] += correction
            state.change[i] = solver.max_or_nan(state.change[i], abs(correction))
    size_rows(state, h, 0, 0, system.layout.positions)
    size_rows(state, h, 1, system.layout.positions, m)
    return solver.largest_change(system, state)[1]


@solver.worst_row.method(StageMethod)
def worst_row_of_stages(method, system, work, state, t, h):
    """The row whose increments change most in one more iteration."""
    evaluate_stages(method, system, work, state, t, h)
    size_rows(state, h, 0, 0, system.layout.positions)
    size_rows(state, h, 1, system.layout.positions, state.y.shape[0])
    solver.clear(state.change, 0, state.y.shape[0])
    for i in range(state.y.shape[0]):
        for b in range(method.b.shape[0]):
            found = load(part(state.scratch.slopes, b), i) * (load(method.b, b) * h)
            change = absolute(found - load(part(state.scratch.increments, b), i))
            state.change[i] = solver.max_or_nan(state.change[i], largest_lane(change))
    return solver.largest_change(system, state)[0]


# ---- records -------------------------------------------------------------------------------------
def stage_integrator(tableau: Tableau | PartitionedTableau, **rest) -> Integrator:
    """The integrator of an implicit tableau, or of a pair of them for q and p."""
    is_pair = isinstance(tableau, PartitionedTableau)
    stages = (tableau.q if is_pair else tableau).stages
    return integrator_from_tableau(
        tableau,
        needs=CANONICAL if is_pair else FIRST_ORDER,
        width=WIDTH,
        evaluations_per_call=min(stages, WIDTH),
        method=stage_method(tableau),
        advance=advance,
        initial_state=new_stage_state,
        conserves_quadratic=tableau.is_symplectic and not is_pair,
        options={"solver": solver.set_solver},
        allocate_newton=allocate_newton,
        compares_rows=True,
        coefficients=tableau,
        **rest,
    )


def average_vector_field_integrator(stages: int) -> Integrator:
    """The average vector field method with a Gauss quadrature: H is kept where it is a polynomial
    of degree 2 × stages or less.
    """
    return stage_integrator(
        tableaus.average_vector_field(stages),
        remark=f"keeps H that is a polynomial of degree {2 * stages} or less",
    )


def compose(composition: Composition, base: Integrator) -> Integrator:
    """A symmetric method over substeps of the lengths that a composition gives: symmetric again, of
    higher order.
    """
    with localcontext(prec=DIGITS):
        factors = tuple(outer * inner for outer in composition.factors for inner in base.substeps)
    method = stage_method(base.coefficients, factors, base.method.solver)
    return solver.compose(composition, base, method, factors)


# Two equal stages, each with half the weight: the condition on the coefficients, which takes stages
# to differ, does not see what it is.
DOUBLED_MIDPOINT = replace(
    stage_integrator(tableaus.lobatto_iiib(2)),
    is_symplectic=True,
    conserves_quadratic=True,
    remark="the implicit midpoint rule, its stage twice",
)
LISTED = (
    *map(stage_integrator, (tableaus.IMPLICIT_EULER, tableaus.gauss(1, "implicit_midpoint"))),
    *(stage_integrator(tableaus.gauss(s)) for s in (2, 3, 4, 5, 6)),
    *(stage_integrator(tableaus.radau_iia(s)) for s in (2, 3, 4)),
    stage_integrator(tableaus.SUN_GENG_5),
    *(stage_integrator(tableaus.lobatto_iiia(s)) for s in (2, 3, 4)),
    DOUBLED_MIDPOINT,
    *(stage_integrator(tableaus.lobatto_iiib(s)) for s in (3, 4)),
    *(stage_integrator(tableaus.lobatto_iiic(s)) for s in (2, 3, 4)),
    *(average_vector_field_integrator(s) for s in (2, 3, 4)),
)
INTEGRATORS = (
    *LISTED,
    *(
        stage_integrator(tableau)
        for tableau in tableaus.IMPLICIT
        if tableau.name not in {listed.name for listed in LISTED}
    ),
)
PAIRS = tuple(map(stage_integrator, (*tableaus.PARTITIONED, *map(tableaus.lobatto_pair, (3, 4)))))
