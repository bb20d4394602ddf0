"""One solver for the equations of every implicit step, whatever the family (decision 29).

A step is a sequence of substeps. Each has a first guess, sweeps until only rounding is left,
Newton's method where they are slow, and an end.
A family says what is its own by answering the functions below for its type of method, which has
`substeps` and `limits`:
    always           accept, and sweep or correct (or both: then Newton's method takes over where
                     sweeps are slow, as the method's `solver` says)
    where it must    initial_guess, prepare_substep, accelerate_sweeps, finish_substep, worst_row
    with `correct`   factor_newton_matrix, and linearise, restart where it must; the scratch has a
                     NewtonScratch `newton`
All have the arguments of `step`. Statuses are those of integrator.py; after a failure y is as
before and the state FRESH. When iterations end is in convergence.py.
"""

from dataclasses import replace

import numpy as np

from hamiltree.compiled.kernel import Generic, inlined, outlined
from hamiltree.errors import OptionError, suggest
from hamiltree.integrators.advance import advance
from hamiltree.integrators.compositions import Composition
from hamiltree.integrators.convergence import (
    CONTINUE,
    CONVERGED_BELOW,
    DEFAULT_LIMITS,
    NO_PROGRESS,
    check_newton_convergence,
    check_sweep_convergence,
    update_progress,
)
from hamiltree.integrators.integrator import (
    FRESH,
    NEEDS_MATRIX,
    NOT_CONVERGED,
    POSITION_RATE,
    RUNNING,
    WORST_ROW,
    Integrator,
    step,
)
from hamiltree.integrators.newton import FACTORED_STEP, JACOBIAN_STALE

SLOW_RATIO = 0.5  # mean ratio of changes of sweeps from which on Newton's method costs less
TRIAL_SWEEPS = 8  # sweeps over which that mean is taken
AUTOMATIC, FIXED_POINT, NEWTON = range(3)
SOLVERS = {"automatic": AUTOMATIC, "auto": AUTOMATIC, "fixed_point": FIXED_POINT, "newton": NEWTON}
MAX_MATRICES = 10  # of Newton's method in one substep
# A state that is smaller than this part of what natural forces change in a step is at rest: its
# changes are compared with that part, for they are roundings of forces in equilibrium, and as large
# as what they change.
AT_REST = 1e-5


def implicit_integrator(name: str, order: int, reference: str, **rest) -> Integrator:
    """The record of a family that evaluates one point at a time and is solved here; of claims it
    has none that are not given.
    """
    claims = {"is_explicit": False, "is_symplectic": False, "is_symmetric": False}
    own = {"width": 1, "evaluations_per_call": 1, "compares_rows": True, "advance": advance}
    return Integrator(name, order, reference, **{**claims, **own, **rest})


def compose(made: Composition, base: Integrator, method, factors: tuple) -> Integrator:
    """The record of a method over substeps of the lengths that a composition gives."""
    name, reference = f"{made.name}({base.name})", f"{made.reference}; of {base.name}"
    claims = {"order": made.order, "is_symmetric": made.is_symmetric, "reference": reference}
    return replace(base, name=name, method=method, substeps=factors, **claims)


def fit_constraints(integrator: Integrator, system, **fields) -> Integrator:
    """With the number of constraints of a system; if it has some, the first sweep finds impulses,
    by which nothing has moved yet.
    """
    count = int(system.facts.constraints)
    limits = integrator.method.limits._replace(ignored_sweeps=int(count > 0))
    return integrator.with_method(constraints=count, limits=limits, **fields)


def set_solver(integrator: Integrator, value) -> Integrator:
    """Option `solver`: how the equations of a step are solved."""
    if value not in SOLVERS:
        raise OptionError(f"solver = {value!r}; {suggest(str(value), list(SOLVERS))}")
    return integrator.with_method(solver=SOLVERS[value])


# ---- what a family answers -----------------------------------------------------------------------
def declare_hook(name: str, doc: str):
    return Generic(name, doc, leading=1).call


initial_guess = declare_hook(
    "initial_guess", "All that is kept from step to step, where there is no earlier step."
)
prepare_substep = declare_hook(
    "prepare_substep", "What every substep starts with: RUNNING, or a failure."
)
sweep = declare_hook(
    "sweep", "The unknowns once more from the equations: the largest change, relative to the state."
)
accelerate_sweeps = declare_hook(
    "accelerate_sweeps", "Where sweeps are slow, what may make them quicker: RUNNING, or a failure."
)
linearise = declare_hook(
    "linearise", "The Jacobian of the rates where the substep begins, for Newton's matrix."
)
factor_newton_matrix = declare_hook(
    "factor_newton_matrix", "Newton's matrix for this length of step: RUNNING, or a failure."
)
correct = declare_hook(
    "correct", "The unknowns once more by Newton's method: the largest correction, as in `sweep`."
)
restart = declare_hook(
    "restart", "A first guess where Newton's method has failed with that of the last step."
)
finish_substep = declare_hook(
    "finish_substep", "What is left to do when the equations are solved: RUNNING, or a failure."
)
accept = declare_hook(
    "accept", "y⁺, the work, and the first guess of what follows substep k: the last argument."
)
worst_row = declare_hook("worst_row", "The row of the state behind a failure.")
solve_equations = declare_hook(
    "solve_equations", "The equations of one substep: RUNNING, NEEDS_MATRIX or a failure."
)


@initial_guess.fallback()
@prepare_substep.fallback()
@accelerate_sweeps.fallback()
@linearise.fallback()
@finish_substep.fallback()
def do_nothing(method, system, work, state, t, h):
    return RUNNING


@worst_row.fallback()
@inlined
def row_of_largest_change(method, system, work, state, t, h):
    return largest_change(system, state)[0]


@restart.fallback()
@outlined
def initialise_guess(method, system, work, state, t, h):
    state.sizes[0], state.sizes[1] = size_at_rest(state, 0, h), size_at_rest(state, 1, h)
    initial_guess(method, system, work, state, t, h)
    state.counts[FRESH] = 0


# ---- one step ------------------------------------------------------------------------------------
@step.fallback(accept)
def implicit_step(method, system, work, state, t, h):
    """The substeps one after the other."""
    parts = method.substeps
    if parts.factors.shape[0] > 1:
        save_state(state)
    for k in range(parts.factors.shape[0]):
        status = substep(
            method, system, work, state, t + parts.starts[k] * h, parts.factors[k] * h, k
        )
        if status != RUNNING:
            if k > 0:
                restore_state(state)
            return status
    return RUNNING


@inlined
def save_state(state):
    m = state.y.shape[0]
    for i in range(m):
        state.before[0, i], state.before[1, i] = state.y[i], state.compensation[i]
    state.before[0, m], state.before[1, m] = state.work[0], state.work_compensation[0]


@inlined
def restore_state(state):
    """To where the step began."""
    m = state.y.shape[0]
    for i in range(m):
        state.y[i], state.compensation[i] = state.before[0, i], state.before[1, i]
    state.work[0], state.work_compensation[0] = state.before[0, m], state.before[1, m]


@inlined
def substep(method, system, work, state, t, h, k):
    """Guess, prepare, solve, finish and accept one substep: RUNNING, NEEDS_MATRIX or a failure."""
    if state.counts[FRESH]:
        initialise_guess(method, system, work, state, t, h)
    status = prepare_substep(method, system, work, state, t, h)
    if status == RUNNING:
        status = solve_equations(method, system, work, state, t, h)
    if status == RUNNING:
        status = finish_substep(method, system, work, state, t, h)
    if status == RUNNING:
        accept(method, system, work, state, t, h, k)
        return RUNNING
    state.counts[FRESH] = 1  # iterates that did not converge are no first guess
    if status != NEEDS_MATRIX:
        record_worst_row(method, system, work, state, t, h)
    return status


@outlined
def record_worst_row(method, system, work, state, t, h):
    state.counts[WORST_ROW] = worst_row(method, system, work, state, t, h)


# ---- sweeps --------------------------------------------------------------------------------------
@inlined
def iterate_sweeps(method, system, work, state, t, h, limit, solver):
    """Sweeps to where rounding stops them: RUNNING, NEEDS_MATRIX where Newton's method costs less,
    or a failure.
    """
    progress = NO_PROGRESS
    for iteration in range(limit.max_iterations):
        progress = update_progress(
            progress, iteration, sweep(method, system, work, state, t, h), limit
        )
        verdict = check_sweep_convergence(progress, iteration, limit)
        if verdict != CONTINUE:
            return verdict
        if iteration == TRIAL_SWEEPS and progress.last > CONVERGED_BELOW:
            if solver == AUTOMATIC and progress.last > progress.first * SLOW_RATIO**TRIAL_SWEEPS:
                return NEEDS_MATRIX
            if accelerate_sweeps(method, system, work, state, t, h) != RUNNING:
                return NOT_CONVERGED
    return NOT_CONVERGED


@solve_equations.fallback(sweep, correct)
def solve_by_both(method, system, work, state, t, h):
    return sweep_then_newton(method, system, work, state, t, h, DEFAULT_LIMITS)


@inlined
def sweep_then_newton(method, system, work, state, t, h, limit):
    """By sweeps until they are too slow or fail; from then on by Newton's method, whose matrix is
    requested by NEEDS_MATRIX. `limit` is a constant: the compiler drops what it does not ask for.
    """
    if state.scratch.newton.factors.shape[0] > 0:
        return iterate_newton(method, system, work, state, t, h)
    if method.solver == NEWTON:
        return NEEDS_MATRIX
    status = iterate_sweeps(method, system, work, state, t, h, limit, method.solver)
    return NEEDS_MATRIX if status == NOT_CONVERGED and method.solver == AUTOMATIC else status


@solve_equations.fallback(sweep)
def sweep_only(method, system, work, state, t, h):
    return iterate_sweeps(method, system, work, state, t, h, method.limits, FIXED_POINT)


# ---- rows and their changes ----------------------------------------------------------------------
@inlined
def size_at_rest(state, which, h):
    """The least size that changes of positions, or of momenta, are compared with."""
    return max(1e-300, AT_REST * abs(h) * state.clock[POSITION_RATE + which])


@inlined
def max_or_nan(a, b):
    """The larger; a NaN stays a NaN."""
    return a if a > b or a != a else b


@inlined
def max_abs(values, first, last):
    most = 0.0
    for i in range(first, last):
        most = max_or_nan(most, abs(values[i]))
    return most


@inlined
def clear(values, first, last):
    for i in range(first, last):
        values[i] = 0.0


@inlined
def copy_rows(source, into, first, last):
    for i in range(first, last):
        into[i] = source[i]


@inlined
def add_rows(state, increment, into, first, last):
    """y and an increment of it, as their sum will round."""
    for i in range(first, last):
        into[i] = state.y[i] + (state.compensation[i] + increment[i])


@inlined
def update_rows(state, kept, found, which, first, last):
    """kept = found in some rows, each change into state.change: the largest, in parts of the
    largest that these rows have been, both in natural sizes.
    """
    most, size = 0.0, state.sizes[which]
    for i in range(first, last):
        per_size = 1.0 / state.scale[i]
        state.change[i] = abs(found[i] - kept[i])
        most = max_or_nan(most, state.change[i] * per_size)
        size = max_or_nan(size, max_or_nan(abs(state.y[i]), abs(found[i])) * per_size)
        kept[i] = found[i]
    state.sizes[which] = size
    return most / size


@inlined
def largest_change(system, state):
    """The row that changed most in the last iteration, in natural sizes and relative to its part of
    the state, and by how much; the first that is not finite.
    """
    worst, most = 0, 0.0
    for i in range(state.y.shape[0]):
        size = state.sizes[0 if i < system.layout.positions else 1]
        relative = abs(state.change[i]) / state.scale[i] / size
        if not np.isfinite(relative):
            return i, relative
        if relative > most:
            worst, most = i, relative
    return worst, most


# ---- Newton's method -----------------------------------------------------------------------------
@solve_equations.fallback(correct)
@outlined
def iterate_newton(method, system, work, state, t, h):
    """Where it is slow it goes on with a fresh matrix; where an old matrix fails, or the guess of
    the last step, it begins again.
    """
    facts = state.scratch.newton.facts
    for attempt in range(MAX_MATRICES):
        is_old = facts[JACOBIAN_STALE] == 0.0 and facts[FACTORED_STEP] == h
        status = update_newton_matrix(method, system, work, state, t, h)
        if status != RUNNING:
            return status
        status = iterate_newton_corrections(method, system, work, state, t, h)
        if status == RUNNING or (status == NOT_CONVERGED and attempt > 0 and not is_old):
            return status
        facts[JACOBIAN_STALE] = 1.0
        if status == NOT_CONVERGED:
            restart(method, system, work, state, t, h)
    return NOT_CONVERGED


@outlined
def update_newton_matrix(method, system, work, state, t, h):
    """The Jacobian if it is wanted anew, the factors if they are of another length: RUNNING, or a
    failure.
    """
    facts = state.scratch.newton.facts
    if facts[JACOBIAN_STALE] != 0.0:
        linearise(method, system, work, state, t, h)
        facts[JACOBIAN_STALE], facts[FACTORED_STEP] = 0.0, 0.0
    if facts[FACTORED_STEP] == h:
        return RUNNING
    status = factor_newton_matrix(method, system, work, state, t, h)
    facts[FACTORED_STEP] = h if status == RUNNING else 0.0
    return status


@inlined
def iterate_newton_corrections(method, system, work, state, t, h):
    """Corrections with these factors: RUNNING, NEEDS_MATRIX where a fresh one would be quicker, or
    NOT_CONVERGED.
    """
    progress, limit = NO_PROGRESS, method.limits
    for iteration in range(limit.max_iterations):
        progress = update_progress(
            progress, iteration, correct(method, system, work, state, t, h), limit
        )
        verdict = check_newton_convergence(progress, limit, state.scratch.newton)
        if verdict != CONTINUE:
            return verdict
    return NOT_CONVERGED
