"""Implicit Runge–Kutta methods of four members side by side: a lane is a member, and its stages are
evaluated one after the other.

The sums are those of implicit.py, where the stages are the lanes, in the same order: a member has
the same bits. Members converge one by one. One that is done keeps its stages, so that it finds the
same slopes again while it waits for the others. One that needs Newton's method, or fails, is no
number from there on: it must run alone.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.summation import accumulate
from hamiltree.compiled.kernel import Generic, inlined
from hamiltree.compiled.number import (
    WIDTH,
    absolute,
    broadcast_like,
    fma,
    load,
    maximum,
    part,
    rows,
    store,
    where_less,
)
from hamiltree.integrators.compositions import Substeps
from hamiltree.integrators.convergence import (
    CONTINUE,
    CONVERGED_BELOW,
    NO_PROGRESS,
    STAGE_LIMITS,
    IterationProgress,
    check_sweep_convergence,
    update_progress,
)
from hamiltree.integrators.implicit_solver import (
    AT_REST,
    AUTOMATIC,
    NEWTON,
    SLOW_RATIO,
    TRIAL_SWEEPS,
)
from hamiltree.integrators.integrator import (
    CALLS,
    FRESH,
    NEEDS_MATRIX,
    NOT_CONVERGED,
    RUNNING,
    State,
    new_state,
    step,
)
from hamiltree.integrators.stages import StageMethod
from hamiltree.verbs import power, rates

PROGRESS_SIZE = len(NO_PROGRESS)


class MemberStages(NamedTuple):
    """The coefficients of a StageMethod without the lanes of its stages."""

    mu_q: np.ndarray  # (stages, stages) to the stage values of positions
    mu_p: np.ndarray  # (stages, stages) to those of momenta
    guess: np.ndarray  # (substeps, stages, stages) to the next first guess
    guess_from_two: np.ndarray  # (2, stages, stages) the same from two steps; none of substeps
    b: np.ndarray
    c: np.ndarray
    substeps: Substeps
    solver: int


class MemberScratch(NamedTuple):
    """Of four members."""

    increments: np.ndarray  # (stages, m, 4) L: the first guess of the next step
    earlier: np.ndarray  # (stages, m, 4) L of the step before
    guessed: np.ndarray  # (stages, m, 4)
    stages: np.ndarray  # (stages, m, 4) Y
    slopes: np.ndarray  # (stages, m, 4) f(Y)
    work: np.ndarray  # (stages, 1, 4) of dampers and loads in this step
    change: np.ndarray  # (1, 4) of the last sweep, relative to the state
    sizes: np.ndarray  # (2, 4) of positions and momenta, in natural sizes
    waits: np.ndarray  # (1, 4) 1 where a member is done with this step
    progress: np.ndarray  # (4, PROGRESS_SIZE)
    verdict: np.ndarray  # (4,) CONTINUE, RUNNING, or a failure
    natural_rates: np.ndarray  # (2, 4) of positions and momenta, as compared
    has_earlier: np.ndarray  # one integer


def member_stages(method: StageMethod) -> MemberStages | None:
    """The same method with members in the lanes; None where it solves by Newton's method."""
    s = method.stages
    if method.solver == NEWTON:
        return None

    def plain(packed: np.ndarray) -> np.ndarray:
        """[i, j] of (blocks, stages, 4)."""
        columns = packed.swapaxes(-1, -2)
        size = packed.shape[-3] * packed.shape[-1]
        square = columns.reshape(*packed.shape[:-3], size, packed.shape[-2])
        return np.ascontiguousarray(square[..., :s, :s])

    matrices = map(plain, (method.mu_q, method.mu_p, method.guess, method.guess_from_two))
    vectors = (each.ravel()[:s].copy() for each in (method.b, method.c))
    return MemberStages(*matrices, *vectors, method.substeps, method.solver)


def new_member_state(y: np.ndarray, method: MemberStages) -> State:
    """Of y in lanes."""
    s, m = len(method.b), len(y)

    def lanes(*shape: int) -> np.ndarray:
        return rows(float, int(np.prod(shape)), WIDTH).reshape(*shape, WIDTH)

    scratch = MemberScratch(
        *(lanes(s, m) for _ in range(5)),
        lanes(s, 1),
        lanes(1),
        lanes(2),
        lanes(1),
        np.zeros((WIDTH, PROGRESS_SIZE)),
        np.zeros(WIDTH, dtype=np.int64),
        lanes(2),
        np.zeros(1, dtype=np.int64),
    )
    return new_state(y, scratch)


# ---- what a member carries from call to call -----------------------------------------------------
enter_guess = Generic(
    "enter_guess",
    "enter_guess(method, state, members, row, k, first): the first guess of a member into lane k, "
    "unless `first` is its first step, and what its changes are compared with",
    leading=1,
).call
leave_guess = Generic(
    "leave_guess", "leave_guess(method, state, carried, row, k): out of lane k", leading=1
).call


@enter_guess.fallback()
def enter_nothing(method, state, members, row, k, first):
    """Explicit methods need none."""


@leave_guess.fallback()
def leave_nothing(method, state, carried, row, k):
    """Explicit methods need none."""


@enter_guess.method(MemberStages)
def enter_increments(method, state, members, row, k, first):
    """Those of the next step and of the step before."""
    for which in range(2):
        state.scratch.natural_rates[which, k] = members.natural_rates[row, which]
    if first == 0:
        return
    carried = members.carried
    state.counts[FRESH], state.scratch.has_earlier[0] = 0, 1
    increments, earlier = state.scratch.increments, state.scratch.earlier
    size = increments.shape[0] * increments.shape[1]
    for s in range(increments.shape[0]):
        for i in range(increments.shape[1]):
            at = s * increments.shape[1] + i
            increments[s, i, k], earlier[s, i, k] = carried[row, at], carried[row, size + at]


@leave_guess.method(MemberStages)
def leave_increments(method, state, carried, row, k):
    increments, earlier = state.scratch.increments, state.scratch.earlier
    size = increments.shape[0] * increments.shape[1]
    for s in range(increments.shape[0]):
        for i in range(increments.shape[1]):
            at = s * increments.shape[1] + i
            carried[row, at], carried[row, size + at] = increments[s, i, k], earlier[s, i, k]


# ---- sums over stages ----------------------------------------------------------------------------
@inlined
def sum_of_products(coefficients, i, increments, row, first, last):
    """Σ_j coefficients[i, j] L_j over the stages of a block; a product by itself is rounded as the
    sum of several is.
    """
    total = fma(load(part(increments, first), row), coefficients[i, first], 0.0)
    for j in range(first + 1, last):
        total = fma(load(part(increments, j), row), coefficients[i, j], total)
    return total


@inlined
def weighted_sum(coefficients, i, increments, row):
    """The same over all stages, block by block."""
    count = increments.shape[0]
    total = sum_of_products(coefficients, i, increments, row, 0, min(WIDTH, count))
    for first in range(WIDTH, count, WIDTH):
        last = min(first + WIDTH, count)
        total = total + sum_of_products(coefficients, i, increments, row, first, last)
    return total


@inlined
def block_sum(values, row, first, last):
    """As lanes are summed: the outer ones, the inner ones, both."""
    total = load(part(values, first), row)
    if last - first == 4:
        total = total + load(part(values, first + 3), row)
    if last - first == 2:
        total = total + load(part(values, first + 1), row)
    if last - first > 2:
        total = total + (load(part(values, first + 1), row) + load(part(values, first + 2), row))
    return total


@inlined
def sum_of_stages(values, row):
    """Σ_j values[j, row], block by block."""
    count = values.shape[0]
    total = block_sum(values, row, 0, min(WIDTH, count))
    for first in range(WIDTH, count, WIDTH):
        total = total + block_sum(values, row, first, min(first + WIDTH, count))
    return total


# ---- sweeps --------------------------------------------------------------------------------------
@inlined
def form_stage_rows(mu, state, s, first, last):
    """Y_s = y + (compensation + Σ_j μ_sj L_j) in some rows; who waits keeps his."""
    stage, waits = part(state.scratch.stages, s), load(state.scratch.waits, 0)
    for i in range(first, last):
        moved = load(state.compensation, i) + weighted_sum(mu, s, state.scratch.increments, i)
        store(stage, i, where_less(waits, 0.5, load(state.y, i) + moved, load(stage, i)))


@inlined
def evaluate_stages(method, system, work, state, t, h):
    """f(Y) of every stage, and the work done at it."""
    positions, m = system.layout.positions, state.y.shape[0]
    scratch = state.scratch
    for s in range(method.b.shape[0]):
        form_stage_rows(method.mu_q, state, s, 0, positions)
        form_stage_rows(method.mu_p, state, s, positions, m)
        stage, slopes = part(scratch.stages, s), part(scratch.slopes, s)
        time = broadcast_like(method.c[s], load(state.y, 0)) * h + t
        rates(system, work, time, stage, slopes)
        powers = power(system, work, time, stage, slopes)
        store(part(scratch.work, s), 0, fma(powers, method.b[s] * h, 0.0))
    state.counts[CALLS] += method.b.shape[0]


@inlined
def measure_rows(state, h, which, first, last):
    """The largest that some rows of the state and their increments are, in natural sizes; as
    `size_at_rest` where they are at rest.
    """
    at_rest = AT_REST * abs(h) * load(state.scratch.natural_rates, which)
    size = maximum(broadcast_like(1e-300, load(state.y, 0)), at_rest)
    for i in range(first, last):
        row = absolute(load(state.y, i))
        for s in range(state.scratch.increments.shape[0]):
            row = maximum(row, absolute(load(part(state.scratch.increments, s), i)))
        size = maximum(size, row * (1.0 / load(state.scale, i)))
    store(state.scratch.sizes, which, size)


@inlined
def update_increments(method, state, h, which, first, last):
    """L = h b f(Y) in some rows: the largest change, relative to them, both in natural sizes."""
    change = broadcast_like(0.0, load(state.y, 0))
    for s in range(method.b.shape[0]):
        slopes, increments = part(state.scratch.slopes, s), part(state.scratch.increments, s)
        weight = method.b[s] * h
        for i in range(first, last):
            increment = load(slopes, i) * weight
            moved = absolute(increment - load(increments, i)) * (1.0 / load(state.scale, i))
            change = maximum(change, moved)
            store(increments, i, increment)
    store(state.scratch.change, 0, change)
    is_larger = False
    for k in range(WIDTH):
        is_larger |= state.scratch.change[0, k] > state.scratch.sizes[which, k]
    if is_larger:  # rows that were at zero
        sizes = load(state.scratch.sizes, which)
        measure_rows(state, h, which, first, last)
        measured = load(state.scratch.sizes, which)
        store(state.scratch.sizes, which, where_less(sizes, change, measured, sizes))
    return change / load(state.scratch.sizes, which)


@inlined
def sweep_members(method, system, work, state, t, h):
    """L = h b f(Y) of four members: the larger of the changes of positions and momenta."""
    positions = system.layout.positions
    evaluate_stages(method, system, work, state, t, h)
    of_positions = update_increments(method, state, h, 0, 0, positions)
    of_momenta = update_increments(method, state, h, 1, positions, state.y.shape[0])
    store(state.scratch.change, 0, maximum(of_positions, of_momenta))


@inlined
def keep_progress(kept, progress):
    """Of a member, as floats."""
    kept[0], kept[1], kept[2] = progress.first, progress.before, progress.last
    kept[3], kept[4], kept[5] = progress.least, progress.stalled, progress.worst_ratio
    kept[6], kept[7], kept[8] = progress.ratio, progress.earlier, progress.bound


@inlined
def judge_sweep(method, scratch, k, iteration):
    """How member k goes on after a sweep, as `iterate_sweeps` decides."""
    kept = part(scratch.progress, k)
    before = IterationProgress(
        kept[0], kept[1], kept[2], kept[3], kept[4], kept[5], kept[6], kept[7], kept[8]
    )
    now = update_progress(before, iteration, scratch.change[0, k], STAGE_LIMITS)
    keep_progress(kept, now)
    verdict = check_sweep_convergence(now, iteration, STAGE_LIMITS)
    is_slow = now.last > now.first * SLOW_RATIO**TRIAL_SWEEPS
    if verdict == CONTINUE and iteration == TRIAL_SWEEPS and now.last > CONVERGED_BELOW:
        verdict = NEEDS_MATRIX if is_slow and method.solver == AUTOMATIC else CONTINUE
    return verdict


@inlined
def iterate_members(method, system, work, state, t, h):
    """Sweeps until all four members are done, or cannot be done by sweeps."""
    scratch, waiting = state.scratch, 0
    measure_rows(state, h, 0, 0, system.layout.positions)
    measure_rows(state, h, 1, system.layout.positions, state.y.shape[0])
    for k in range(WIDTH):
        scratch.verdict[k], scratch.waits[0, k] = CONTINUE, 0.0
        keep_progress(part(scratch.progress, k), NO_PROGRESS)
    for iteration in range(STAGE_LIMITS.max_iterations):
        sweep_members(method, system, work, state, t, h)
        for k in range(WIDTH):
            if scratch.verdict[k] == CONTINUE:
                scratch.verdict[k] = judge_sweep(method, scratch, k, iteration)
                if scratch.verdict[k] != CONTINUE:
                    scratch.waits[0, k] = 1.0
                    waiting += 1
        if waiting == WIDTH:
            break


# ---- one step ------------------------------------------------------------------------------------
@inlined
def guess_increments(method, system, work, state, t, h):
    """First guess where there is no earlier step: the slope at the beginning, in every stage."""
    slopes = part(state.scratch.slopes, 0)
    rates(system, work, broadcast_like(t, load(state.y, 0)), state.y, slopes)
    for s in range(method.b.shape[0]):
        for i in range(state.y.shape[0]):
            found = load(slopes, i) * (method.b[s] * h)
            store(part(state.scratch.increments, s), i, found)
    state.counts[CALLS] += 1
    state.counts[FRESH], state.scratch.has_earlier[0] = 0, 0


@inlined
def accept_members(method, state, k):
    """y⁺ = y + Σ L_i, the work, and the increments extrapolated: the next first guess."""
    increments = state.scratch.increments
    accumulate(state.work, state.work_compensation, 0, sum_of_stages(state.scratch.work, 0))
    for i in range(state.y.shape[0]):
        accumulate(state.y, state.compensation, i, sum_of_stages(increments, i))
    extrapolate_increments(method, state, k)


@inlined
def guess_of_stage(method, state, k, s, i, is_from_two):
    """Of stage s in row i."""
    if is_from_two:
        now = weighted_sum(part(method.guess_from_two, 0), s, state.scratch.increments, i)
        return now + weighted_sum(part(method.guess_from_two, 1), s, state.scratch.earlier, i)
    return weighted_sum(part(method.guess, k), s, state.scratch.increments, i)


@inlined
def extrapolate_increments(method, state, k):
    """The first guess of the increments after substep k: from this step and the one before, if
    both are known, or from this substep.
    """
    increments, guessed = state.scratch.increments, state.scratch.guessed
    earlier, stages = state.scratch.earlier, method.b.shape[0]
    is_from_two = method.guess_from_two.shape[0] > 0 and state.scratch.has_earlier[0] != 0
    for i in range(state.y.shape[0]):
        for s in range(stages):
            store(part(guessed, s), i, guess_of_stage(method, state, k, s, i, is_from_two))
        for s in range(stages):
            store(part(earlier, s), i, load(part(increments, s), i))
            store(part(increments, s), i, load(part(guessed, s), i))
    state.scratch.has_earlier[0] = 1


@inlined
def drop_failed(state):
    """A member that did not converge is no number from here on; how many have not."""
    failed = 0
    for k in range(WIDTH):
        if state.scratch.verdict[k] != RUNNING:
            failed += 1
            for i in range(state.y.shape[0]):
                state.y[i, k] = np.nan
    return failed


@step.method(MemberStages)
def step_members(method, system, work, state, t, h):
    """The substeps of four members: NOT_CONVERGED where all of them have failed."""
    parts = method.substeps
    for k in range(parts.factors.shape[0]):
        begin, length = t + parts.starts[k] * h, parts.factors[k] * h
        if state.counts[FRESH]:
            guess_increments(method, system, work, state, begin, length)
        iterate_members(method, system, work, state, begin, length)
        accept_members(method, state, k)
        if drop_failed(state) == WIDTH:
            return NOT_CONVERGED
    return RUNNING
