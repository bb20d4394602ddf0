"""When the iterations of an implicit step end: limits of a family, progress of an iteration,
and what follows from both.

An iteration ends where its changes stop shrinking, and there at rounding (decision 6).
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined
from hamiltree.integrators.integrator import NEEDS_MATRIX, NOT_CONVERGED, NOT_FINITE, RUNNING
from hamiltree.integrators.newton import JACOBIAN_STALE

# a change that stops decreasing above this, relative to the state, is no convergence
CONVERGED_BELOW = 1e-8
ROUNDING_LEVEL = 1e-13  # changes below may be rounding
READ_ALWAYS = 3  # sweeps between which ratios are read in any case
HIDDEN_LEVEL = 1e-15  # a change after one that is below may be rounding alone
MAX_STALLED = 20  # sweeps without a smaller change, far above rounding of the state
# of Newton's corrections: above it the Jacobian is measured anew for the next step
GOOD_RATIO = 0.05
DIVERGENCE_RATIO = 2.0  # ratio of Newton's corrections from which on it is given up
CONTINUE = -1  # no status: iterate once more


class IterationLimits(NamedTuple):
    """When the iterations of a family end."""

    max_iterations: int = 100
    # iterations without a new smallest change: one alone may be a hesitation far from convergence
    patience: int = 2
    # the same where the last two changes are not yet at rounding: they may alternate
    far_patience: int = 0
    # a change that has not shrunk for so long is rounding if it is below
    converged_below: float = CONVERGED_BELOW
    # whether sweeps that end too slowly are taken as they are, below CONVERGED_BELOW
    accepts_slow_sweeps: bool = False
    # whether sweeps also end where the ratio of their changes promises rounding
    predicts_convergence: bool = False
    # then: an error of the stages, in parts of the state, that does not add up to anything
    negligible_error: float = 1e-18
    # and the first two ratios are read always: from a good guess there may be no others
    reads_first_ratios: bool = False
    ignored_sweeps: int = 0  # first sweeps whose change says nothing yet
    # a correction of Newton's method below it that does not shrink to half of the one before is
    # rounding
    rounding_below: float = 0.0
    # ratio of Newton's corrections from which on it goes on with a fresh matrix
    refactor_ratio: float = np.inf


DEFAULT_LIMITS = IterationLimits()
PREDICTIVE_LIMITS = IterationLimits(predicts_convergence=True)
# where an end further up would cost energy
ROUNDING_LIMITS = IterationLimits(
    max_iterations=200, patience=4, converged_below=ROUNDING_LEVEL, accepts_slow_sweeps=True
)
# of stages, whose errors keep the sign of the extrapolation that they begin with for many steps
STAGE_LIMITS = IterationLimits(
    far_patience=4, predicts_convergence=True, negligible_error=1e-20, reads_first_ratios=True
)
PREDICTIVE_ROUNDING_LIMITS = ROUNDING_LIMITS._replace(predicts_convergence=True)


class IterationProgress(NamedTuple):
    """Of an iteration: its changes relative to the state, and how they shrink."""

    first: float
    before: float  # the last but one
    last: float
    least: float
    stalled: int  # iterations without a smaller one
    worst_ratio: float  # of changes above CONVERGED_BELOW
    ratio: float  # of the last two changes above rounding
    earlier: float  # the ratio before that
    bound: float  # on what is left beside rounding


NO_PROGRESS = IterationProgress(0.0, np.inf, np.inf, np.inf, 0, 0.0, 1.0, 1.0, np.inf)


@inlined
def update_progress(progress, iteration, change, limits):
    """With one more change; the two last ratios above rounding carry the bound on where rounding
    hides the changes.
    """
    before, worst = progress.last, progress.worst_ratio
    ratio, earlier = progress.ratio, progress.earlier
    first = change if iteration == 0 else progress.first
    stalled = progress.stalled + 1 if change >= progress.least else 0
    if change > CONVERGED_BELOW and before < np.inf:
        worst = max(worst, change / before)
    if iteration > 0 and is_ratio_sound(progress, iteration, change, limits):
        ratio, earlier = change / before, ratio
    least, bound = min(progress.least, change), min(change, progress.bound * max(ratio, earlier))
    return IterationProgress(first, before, change, least, stalled, worst, ratio, earlier, bound)


@inlined
def is_ratio_sound(progress, iteration, change, limits):
    """Whether the ratio of the last two changes tells how they shrink, not how rounding hides
    them.
    """
    if limits.reads_first_ratios:
        return iteration < READ_ALWAYS or max(progress.last, change) > HIDDEN_LEVEL
    return change > ROUNDING_LEVEL


@inlined
def has_settled(progress, limits):
    """Whether changes are zero, or have stopped shrinking where only rounding is left."""
    is_near = max(progress.last, progress.before) < ROUNDING_LEVEL
    patience = limits.patience if is_near else max(limits.patience, limits.far_patience)
    is_stalled = progress.stalled >= patience and progress.last < limits.converged_below
    return progress.last == 0.0 or is_stalled


@inlined
def promises_rounding(progress, limits):
    """Whether the next iteration would change nothing but rounding, as the ratios tell."""
    left = progress.bound * max(progress.ratio, progress.earlier)
    return limits.predicts_convergence and left < limits.negligible_error


@inlined
def check_sweep_convergence(progress, iteration, limits):
    """RUNNING where they are done, CONTINUE, or a failure."""
    if not np.isfinite(progress.last):
        return NOT_FINITE if iteration == 0 else NOT_CONVERGED
    if iteration < limits.ignored_sweeps:
        return CONTINUE
    if has_settled(progress, limits):
        return RUNNING
    if promises_rounding(progress, limits):
        return RUNNING
    is_over = progress.stalled >= MAX_STALLED or iteration == limits.max_iterations - 1
    if limits.accepts_slow_sweeps and is_over and progress.last < CONVERGED_BELOW:
        # rounding of V, which is more than that of the state where little moves, or an end that
        # comes too slowly
        return RUNNING
    return CONTINUE


@inlined
def check_newton_convergence(progress, limits, newton):
    """RUNNING, CONTINUE, NOT_CONVERGED, or NEEDS_MATRIX for a fresh one; a Jacobian that took many
    iterations is marked stale.
    """
    if not np.isfinite(progress.last) or progress.worst_ratio > DIVERGENCE_RATIO:
        return NOT_CONVERGED
    is_rounding = progress.before < limits.rounding_below and progress.last > 0.5 * progress.before
    if has_settled(progress, limits) or is_rounding or promises_rounding(progress, limits):
        if progress.worst_ratio > GOOD_RATIO:
            newton.facts[JACOBIAN_STALE] = 1.0
        return RUNNING
    is_slow = progress.worst_ratio > limits.refactor_ratio and progress.last > CONVERGED_BELOW
    return NEEDS_MATRIX if is_slow else CONTINUE
