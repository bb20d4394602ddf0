"""Steps through positions where constraints lose rank, along the branch by which the motion came.

In a singular position the constraint Jacobian G loses rank, and several branches of the motion
meet. Along one of them, positions, speeds and constraint forces are smooth: only the multipliers
of the rows that vanish have a pole, and W = G M⁻¹ Gᵀ is singular. With W = L Lᵀ the rows

  N = D L⁻¹ G,   N M⁻¹ Nᵀ = 1,   D = diag(±1)

stay smooth if signs are chosen so that each row keeps its direction: it is G by its length, which
goes through zero. Near a singular position the impulses of a step are therefore corrected by

  δl_j = −(1/h) L_j⁻ᵀ D_j Σ_i (C⁻¹)_ji D_i L_i⁻¹ g(Q_i)

with factors of every stage. A substep that begins at a point of the grid is so long that the
position lies in the last of the largest gaps between its stages. It may go over several points of
the grid: the states there are the polynomial through its stages, and the step in which it ends goes
on from there. If the rows of a substep do not keep their directions, the motion has changed to
another branch, and it fails.

Rounding: a residual of ε moves a stage by ε/x where the sine is x, and momenta by ε/(x ẋ h) of
themselves. So the sine must change by enough in the substep.
"""

from typing import NamedTuple

import numpy as np

from hamiltree import verbs
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import fma, part
from hamiltree.integrators import implicit_solver as solver
from hamiltree.integrators import integrator as core
from hamiltree.integrators.adaptive_steps import dense_weight
from hamiltree.integrators.integrator import AHEAD, SINE, SINE_BEFORE, array
from hamiltree.integrators.regularity import NEAR, changes_much, time_to_singular

# rows of the constraints, more of which are not factored at every stage
MAX_ROWS = 128
MIN_PIVOT = 1e-13  # squared sine of a row below which a stage lies in the singular position
# cosine between a row and itself where the substep began: less is another branch
MIN_COSINE = 0.5
MAX_PROJECTIONS = 3  # of positions that are shown: Newton's method
# in parts of the way from the position to a stage: how far the motion may be from it
MAX_MISS = 1e-4
MIN_CHANGE = 2e-3  # of the sine in a substep through a singular position, for rounding
MAX_RECORDED = 1000  # positions whose times are kept
# Entries of SingularCrossing.facts: whether rows are normalised, whether the increments of a
# substep are wanted, the smallest cosine of the last substep, how many positions were passed, the
# length of the substep and when it ends
NORMALISED, WANTED, COSINE, PASSED, LENGTH, END_TIME = range(6)
# Rows of SingularCrossing.ahead: y where the substep began and has ended, the compensation there,
# and y as the last point of the grid shows it
BEGIN, END, COMPENSATION, SHOWN = range(4)
# Entries of SingularCrossing.ahead_work: where the substep began, has ended, and its compensation
WORK_BEGIN, WORK_END, WORK_COMPENSATION = range(3)


class SingularCrossing(NamedTuple):
    """The scratch of a step near a singular position."""

    factor: array("stages", "crossing", "crossing")  # L, below the diagonal
    sign: array("stages", "crossing")  # D
    first_row: array("crossing", "m")  # rows of N where the substep begins
    row: array("m")
    point: array("m")
    speeds: array(2, "m")  # M⁻¹ of a row, and of nothing
    unit: array("crossing")
    rate: array(2, "crossing")
    increments: array("stages", "m")  # of the stages of the substep
    works: array("stages")  # that each stage adds
    ahead: array(4, "m")
    ahead_work: array(3)
    times: array("recorded")
    rows: array("recorded")
    facts: array(6)
    before: array(6)  # clock[SINE] … clock[AHEAD] and PASSED where the step began


class Gap(NamedTuple):
    """The last of the largest gaps between the stages of a method."""

    place: float  # its middle
    # (stages, stages) of the increment of each stage in the state inside a step: a polynomial,
    # without a constant, the lowest power first
    weights: np.ndarray


def largest_gap(c: np.ndarray, b: np.ndarray) -> Gap:
    """Weights ∫₀^x ℓ_j / b_j, ℓ_j Lagrange's polynomials."""
    widths = np.diff(c)
    k = int(np.flatnonzero(widths > 0.999 * widths.max())[-1])
    weights = np.zeros((len(c), len(c)))
    for j in range(len(c)):
        others = np.delete(c, j)
        basis = np.poly1d(others, r=True) / np.prod(c[j] - others)
        weights[j] = basis.integ().coeffs[-2::-1] / b[j]
    return Gap(0.5 * float(c[k] + c[k + 1]), weights)


# ---- rows of length one --------------------------------------------------------------------------
@inlined
def fill_delassus_column(system, work, state, t, stage, k, W):
    """Column k of W = G M⁻¹ Gᵀ, by verbs alone."""
    scratch = state.scratch.crossing
    first, last, m = system.layout.positions, state.y.shape[0], W.shape[0]
    solver.copy_rows(stage, scratch.point, 0, first)
    solver.clear(scratch.point, first, last)
    solver.clear(scratch.unit, 0, m)
    if k < 0:
        verbs.velocity(system, work, t, scratch.point, part(scratch.speeds, 1))
        verbs.constraint_rate(
            system, work, t, scratch.point, part(scratch.speeds, 1), part(scratch.rate, 1)
        )
        return
    scratch.unit[k] = 1.0
    verbs.add_multiplier_forces(system, work, t, stage, scratch.unit, scratch.point)
    verbs.velocity(system, work, t, scratch.point, part(scratch.speeds, 0))
    verbs.constraint_rate(
        system, work, t, scratch.point, part(scratch.speeds, 0), part(scratch.rate, 0)
    )
    for row in range(m):
        W[row, k] = scratch.rate[0, row] - scratch.rate[1, row]


@inlined
def factor_in_place(L):
    """W = L Lᵀ below the diagonal; False where a row depends on those before."""
    for k in range(L.shape[0]):
        rest = L[k, k]
        for j in range(k):
            rest = fma(-L[k, j], L[k, j], rest)
        if not rest > MIN_PIVOT * L[k, k]:
            return False
        L[k, k] = np.sqrt(rest)
        for i in range(k + 1, L.shape[0]):
            rest = L[i, k]
            for j in range(k):
                rest = fma(-L[i, j], L[k, j], rest)
            L[i, k] = rest / L[k, k]
    return True


@inlined
def solve_lower(L, x):
    """x ← L⁻¹ x"""
    for i in range(L.shape[0]):
        rest = x[i]
        for j in range(i):
            rest = fma(-L[i, j], x[j], rest)
        x[i] = rest / L[i, i]


@inlined
def solve_upper(L, x):
    """x ← L⁻ᵀ x"""
    for i in range(L.shape[0] - 1, -1, -1):
        rest = x[i]
        for j in range(i + 1, L.shape[0]):
            rest = fma(-L[j, i], x[j], rest)
        x[i] = rest / L[i, i]


@inlined
def normalised_row(system, work, state, t, stage, L, k, row):
    """Row k of L⁻¹ G, in the momentum rows."""
    scratch = state.scratch.crossing
    solver.clear(scratch.unit, 0, L.shape[0])
    scratch.unit[k] = 1.0
    solve_upper(L, scratch.unit)
    solver.clear(row, 0, row.shape[0])
    verbs.add_multiplier_forces(system, work, t, stage, scratch.unit, row)


@inlined
def cosine_of_rows(a, b, scale, first):
    """Of the angle between two rows, in natural sizes of momenta."""
    ab, aa, bb = 0.0, 0.0, 0.0
    for i in range(first, a.shape[0]):
        u, v = a[i] / scale[i], b[i] / scale[i]
        ab, aa, bb = fma(u, v, ab), fma(u, u, aa), fma(v, v, bb)
    return ab / np.sqrt(aa * bb)


@outlined
def factor_stage(system, work, state, t, s):
    """L and D of a stage, the first of which sets the directions of rows; False where it lies in a
    singular position.
    """
    scratch, stage = state.scratch.crossing, part(state.scratch.stages, s)
    L, first = part(scratch.factor, s), system.layout.positions
    for k in range(-1, L.shape[0]):
        fill_delassus_column(system, work, state, t, stage, k, L)
    if not factor_in_place(L):
        return False
    least = 1.0
    for k in range(L.shape[0]):
        kept = part(scratch.first_row, k)
        row = kept if s == 0 else scratch.row
        normalised_row(system, work, state, t, stage, L, k, row)
        cosine = 1.0 if s == 0 else cosine_of_rows(row, kept, state.scale, first)
        scratch.sign[s, k] = -1.0 if cosine < 0.0 else 1.0
        least = min(least, abs(cosine))
    scratch.facts[COSINE] = least  # of the last stage in the end
    return True


# ---- what the steps of a method on constraints ask -----------------------------------------------
@inlined
def is_normalised(state):
    return state.scratch.crossing.facts[NORMALISED] != 0.0


@outlined
def correct_normalised_impulses(method, system, work, state, t, h):
    """δl_j = −(1/h) L_j⁻ᵀ D_j Σ_i (C⁻¹)_ji D_i L_i⁻¹ g(Q_i); False where a stage is singular."""
    scratch, crossing = state.scratch, state.scratch.crossing
    for i in range(method.stages):
        if not factor_stage(system, work, state, t + method.c[i] * h, i):
            return False
    for i in range(1, method.stages):
        time, residual = t + method.c[i] * h, part(scratch.residuals, i)
        verbs.constraint(system, work, time, part(scratch.stages, i), residual)
        solve_lower(part(crossing.factor, i), residual)
        for k in range(method.crossing):
            residual[k] *= crossing.sign[i, k]
    for j in range(method.stages - 1):
        for k in range(method.crossing):
            total = 0.0
            for i in range(1, method.stages):
                total = fma(method.correction[j, i], scratch.residuals[i, k], total)
            crossing.unit[k] = crossing.sign[j, k] * total
        solve_upper(part(crossing.factor, j), crossing.unit)
        for k in range(method.crossing):
            scratch.impulses[j, k] -= crossing.unit[k] / h
    return True


@inlined
def is_ahead(state):
    return state.clock[AHEAD] != 0.0


@inlined
def is_known(state, t):
    """Whether the substep that has gone ahead of time t is the last one."""
    facts = state.scratch.crossing.facts
    return abs(t + state.clock[AHEAD] - facts[END_TIME]) <= 1e-6 * facts[LENGTH]


@inlined
def keeps_directions(state):
    """Whether every row at the end of a substep points where it did at the beginning."""
    return state.scratch.crossing.facts[COSINE] >= MIN_COSINE


@inlined
def keep_increment(state, j, work_done):
    """Of a stage, if the substep is to be shown inside."""
    scratch = state.scratch.crossing
    if scratch.facts[WANTED] != 0.0:
        solver.copy_rows(
            part(state.scratch.increments, j), part(scratch.increments, j), 0, state.y.shape[0]
        )
        scratch.works[j] = work_done


# ---- one step ------------------------------------------------------------------------------------
@inlined
def length_through(gap, state, f, h):
    """Of a substep whose gap has the position in its middle, f from now; 0 where it can wait for
    the next step.
    """
    shortest = max(0.5 * h, MIN_CHANGE * f / state.clock[SINE])
    return f / gap.place if f < gap.place * shortest + h else 0.0


@inlined
def is_near_singular(method, state, h):
    """Whether a step must be taken with normalised rows: the sine is small and changes much in it,
    or it is the last that can begin before a singular position.
    """
    if method.crossing == 0:
        return False
    clock = state.clock
    if clock[AHEAD] != 0.0:
        return True
    if min(clock[SINE], clock[SINE_BEFORE]) < NEAR and changes_much(state, h):
        return True
    f = time_to_singular(state)
    return f < np.inf and length_through(method.gap, state, f, h) > 0.0


@inlined
def twice_kinetic_energy(system, work, state, t):
    """Σ p q̇ where the substep has ended."""
    scratch, total = state.scratch.crossing, 0.0
    verbs.velocity(system, work, t, state.y, part(scratch.speeds, 0))
    for i in range(system.layout.positions):
        total = fma(state.y[system.layout.positions + i], scratch.speeds[0, i], total)
    return total


@outlined
def misses_position(method, system, work, state, t, length):
    """Whether the constraints do not hold where the substep has passed the position: then the
    motion turns back before it, too near for the stages to see. What a row that went through zero
    lacks there, beside the rows before it, is compared with the way to the stage before the gap.
    """
    scratch, gap = state.scratch.crossing, method.gap
    last, s = method.stages - 1, 0
    while s < last and method.c[s + 1] < gap.place:
        s += 1
    for i in range(state.y.shape[0]):
        added = 0.0
        for j in range(method.stages):
            added = fma(dense_weight(gap.weights, j, gap.place), scratch.increments[j, i], added)
        scratch.point[i] = scratch.ahead[BEGIN, i] + added
    residual = part(scratch.rate, 0)
    verbs.constraint(system, work, t + gap.place * length, scratch.point, residual)
    solve_lower(part(scratch.factor, s), residual)
    speed = np.sqrt(abs(twice_kinetic_energy(system, work, state, t + length)))
    way = speed * (gap.place - method.c[s]) * abs(length)
    for k in range(residual.shape[0]):
        if scratch.sign[last, k] < 0.0 and not abs(residual[k]) <= MAX_MISS * way:
            return True
    return False


@inlined
def save_record(state):
    """What a step that fails puts back."""
    scratch = state.scratch.crossing
    for i in range(5):
        scratch.before[i] = state.clock[SINE + i]
    scratch.before[5] = scratch.facts[PASSED]


@inlined
def restore_record(state):
    scratch = state.scratch.crossing
    for i in range(5):
        state.clock[SINE + i] = scratch.before[i]
    scratch.facts[PASSED] = scratch.before[5]


@outlined
def record_passage(system, work, state, t):
    """The time of a singular position and its weakest row, if a row has gone through zero; the
    sine did too.
    """
    scratch = state.scratch.crossing
    last, count = scratch.sign.shape[0] - 1, int(scratch.facts[PASSED])
    for k in range(scratch.sign.shape[1]):
        if scratch.sign[last, k] < 0.0:
            if count < scratch.times.shape[0]:
                scratch.times[count] = t
                scratch.rows[count] = verbs.weakest_row(system, work)
            scratch.facts[PASSED] += 1.0
            state.clock[SINE_BEFORE] = -state.clock[SINE_BEFORE]
            return


@inlined
def keep_begin(state):
    """Where a substep through a singular position begins."""
    scratch = state.scratch.crossing
    for i in range(state.y.shape[0]):
        scratch.ahead[BEGIN, i] = state.y[i] + state.compensation[i]
    scratch.ahead_work[WORK_BEGIN] = state.work[0]


@inlined
def keep_end(state, t, length):
    """Where it has ended; the state is back at its beginning, at time t."""
    scratch = state.scratch.crossing
    scratch.facts[LENGTH] = state.clock[AHEAD] = length
    scratch.facts[END_TIME] = t + length
    for i in range(state.y.shape[0]):
        scratch.ahead[END, i], scratch.ahead[COMPENSATION, i] = state.y[i], state.compensation[i]
        scratch.ahead[SHOWN, i] = state.y[i] = scratch.ahead[BEGIN, i]
    scratch.ahead_work[WORK_END] = state.work[0]
    scratch.ahead_work[WORK_COMPENSATION] = state.work_compensation[0]


@inlined
def follow_turns(state):
    """Whole turns that were taken out of the state since."""
    scratch = state.scratch.crossing
    for i in range(state.y.shape[0]):
        turned = state.y[i] - scratch.ahead[SHOWN, i]
        scratch.ahead[BEGIN, i] += turned
        scratch.ahead[END, i] += turned


@inlined
def show_inside(gap, system, work, state, t, h):
    """The state a step later, inside the substep that has gone ahead."""
    scratch = state.scratch.crossing
    state.clock[AHEAD] -= h
    x = 1.0 - state.clock[AHEAD] / scratch.facts[LENGTH]
    for i in range(state.y.shape[0]):
        added = 0.0
        for j in range(gap.weights.shape[0]):
            added = fma(dense_weight(gap.weights, j, x), scratch.increments[j, i], added)
        state.y[i], state.compensation[i] = scratch.ahead[BEGIN, i] + added, 0.0
    project_shown(system, work, state, t + h)
    solver.copy_rows(state.y, part(scratch.ahead, SHOWN), 0, state.y.shape[0])
    added = 0.0
    for j in range(gap.weights.shape[0]):
        added = fma(dense_weight(gap.weights, j, x), scratch.works[j], added)
    state.work[0], state.work_compensation[0] = scratch.ahead_work[WORK_BEGIN] + added, 0.0


@outlined
def project_shown(system, work, state, t):
    """Move the state that is shown to where the constraints hold, positions and then momenta, by
    the least change in the metric of the masses; not in the position itself.
    """
    scratch, first, last = state.scratch.crossing, system.layout.positions, state.y.shape[0]
    change = part(scratch.rate, 0)
    for _round in range(MAX_PROJECTIONS):
        if not verbs.factor_multipliers(system, work, t, state.y):
            return
        verbs.constraint(system, work, t, state.y, change)
        verbs.solve_multipliers(system, work, change)
        solver.copy_rows(state.y, scratch.point, 0, first)
        solver.clear(scratch.point, first, last)
        verbs.velocity(system, work, t, scratch.point, part(scratch.speeds, 1))
        verbs.add_multiplier_forces(system, work, t, state.y, change, scratch.point)
        verbs.velocity(system, work, t, scratch.point, part(scratch.speeds, 0))
        for i in range(first):
            state.y[i] -= scratch.speeds[0, i] - scratch.speeds[1, i]
    if not verbs.factor_multipliers(system, work, t, state.y):
        return
    for _round in range(2):
        verbs.velocity(system, work, t, state.y, part(scratch.speeds, 0))
        verbs.constraint_rate(system, work, t, state.y, part(scratch.speeds, 0), change)
        verbs.solve_multipliers(system, work, change)
        for k in range(change.shape[0]):
            change[k] = -change[k]
        verbs.add_multiplier_forces(system, work, t, state.y, change, state.y)


@inlined
def go_ahead(state):
    """To where the substep has ended; how far that is."""
    scratch, begin = state.scratch.crossing, state.clock[AHEAD]
    for i in range(state.y.shape[0]):
        state.y[i], state.compensation[i] = scratch.ahead[END, i], scratch.ahead[COMPENSATION, i]
    state.work[0] = scratch.ahead_work[WORK_END]
    state.work_compensation[0] = scratch.ahead_work[WORK_COMPENSATION]
    state.clock[AHEAD] = 0.0
    return begin


# ---- after a run ---------------------------------------------------------------------------------
def passages(state) -> tuple[int, list[tuple[float, int]]]:
    """How many singular positions were passed, and the first of them: time and weakest row."""
    scratch = getattr(state.scratch, "crossing", None)
    if scratch is None:
        return 0, []
    count = int(scratch.facts[PASSED])
    kept = zip(scratch.times[:count], scratch.rows[:count], strict=True)
    return count, [(float(t), int(row)) for t, row in kept]


def can_pass(state) -> bool:
    """Whether the method goes through singular positions of this system."""
    scratch = getattr(state.scratch, "crossing", None)
    return scratch is not None and scratch.unit.size > 0


def state_inside(state, gap: Gap, x: float) -> np.ndarray:
    """The state after a part x of the last substep through a singular position."""
    scratch = state.scratch.crossing
    weights = [np.polyval([*row[::-1], 0.0], x) for row in gap.weights]
    return scratch.ahead[BEGIN] + weights @ scratch.increments


def forget_passages(state) -> None:
    """A run that goes on from another counts its own."""
    state.clock[core.LEAST_SINE] = 0.0
    if can_pass(state):
        state.scratch.crossing.facts[PASSED] = 0.0


def share_passage(state, trial) -> None:
    """A trial state knows the last substep that has gone ahead, so that parts of it can be shown
    again.
    """
    if can_pass(state):
        for own, other in zip(trial.scratch.crossing, state.scratch.crossing, strict=True):
            own[...] = other
