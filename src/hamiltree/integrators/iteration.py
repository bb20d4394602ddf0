"""When the equations of an implicit step are solved: an iteration ends where its increments stop shrinking, and there at rounding.

A fixed point whose increments shrink too slowly hands over to Newton's method; a Jacobian that has become bad is measured anew.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined
from hamiltree.errors import OptionError, nearest
from hamiltree.integrators.integrator import NEEDS_MATRIX, NOT_CONVERGED, NOT_FINITE, RUNNING, Integrator
from hamiltree.integrators.newton import STALE

ITERATION_LIMIT = 100
PATIENCE = 2  # iterations without a new smallest increment: one alone may be a hesitation far from convergence
SETTLED = 1e-8  # an increment that stops decreasing above this, relative to the state, is no convergence
SLOW = 0.5  # mean ratio of increments of a fixed point from which on Newton's method costs less
TRIED = 8  # iterations over which that mean is taken
GOOD_RATIO = 0.05  # of Newton's increments: above it the Jacobian is measured anew for the next step
HOPELESS = 2.0  # ratio of Newton's increments from which on it is given up
LONG_LIMIT = 200  # iterations, where only rounding may end them
LONG_PATIENCE = 4  # iterations without a smaller change, which may turn as it shrinks
NO_HOPE = 20  # iterations without a smaller change, far above rounding of the state
SHAKEN = 1e-13  # changes are below where only rounding is left, in parts of the state
AUTOMATIC, FIXED_POINT, NEWTON = range(3)
SOLVERS = {"automatic": AUTOMATIC, "auto": AUTOMATIC, "fixed_point": FIXED_POINT, "newton": NEWTON}
GO_ON = -1  # no status: iterate once more


class Progress(NamedTuple):
    """Of an iteration: the first, the last and the smallest increment relative to the state, and how long there was no smaller one."""

    first: float
    last: float
    least: float
    stalled: int
    worst_ratio: float  # of increments above SETTLED


@inlined
def largest_of(a, b):
    """The larger; a NaN stays a NaN."""
    return a if a > b or a != a else b


@inlined
def no_progress():
    return Progress(0.0, np.inf, np.inf, 0, 0.0)


@inlined
def progressed(progress, iteration, change):
    """With one more increment."""
    first = change if iteration == 0 else progress.first
    stalled = progress.stalled + 1 if change >= progress.least else 0
    ratio = change / progress.last if change > SETTLED and progress.last < np.inf else 0.0
    return Progress(first, change, min(progress.least, change), stalled, max(progress.worst_ratio, ratio))


@inlined
def is_settled(progress):
    return progress.last == 0.0 or (progress.stalled >= PATIENCE and progress.last < SETTLED)


@inlined
def verdict_on_fixed_point(progress, iteration, solver):
    """RUNNING where it is solved, NEEDS_MATRIX where Newton's method should take over, GO_ON, or a failure."""
    failed = NEEDS_MATRIX if solver == AUTOMATIC else NOT_CONVERGED
    if not np.isfinite(progress.last):
        return NOT_FINITE if iteration == 0 else failed
    if is_settled(progress):
        return RUNNING
    is_slow = iteration == TRIED and progress.last > SETTLED and progress.last > progress.first * SLOW**TRIED
    if (is_slow and solver == AUTOMATIC) or iteration == ITERATION_LIMIT - 1:
        return failed
    return GO_ON


@inlined
def verdict_at_rounding(progress, iteration):
    """RUNNING where only rounding is left, GO_ON, or a failure: for methods that an iteration which hesitates further up costs energy."""
    if not np.isfinite(progress.last):
        return NOT_FINITE if iteration == 0 else NOT_CONVERGED
    if progress.last == 0.0 or (progress.stalled >= LONG_PATIENCE and progress.last < SHAKEN):
        return RUNNING
    if (progress.stalled >= NO_HOPE or iteration == LONG_LIMIT - 1) and progress.last < SETTLED:
        return RUNNING  # rounding of V, which is more than that of the state where little moves, or an end that comes too slowly
    return NOT_CONVERGED if iteration == LONG_LIMIT - 1 else GO_ON


@inlined
def verdict_on_newton(progress, iteration, newton):
    """RUNNING, GO_ON or NOT_CONVERGED; a Jacobian with which it took many iterations is marked stale."""
    if not np.isfinite(progress.last) or progress.worst_ratio > HOPELESS:
        return NOT_CONVERGED
    if is_settled(progress):
        if progress.worst_ratio > GOOD_RATIO:
            newton.facts[STALE] = 1.0
        return RUNNING
    return NOT_CONVERGED if iteration == ITERATION_LIMIT - 1 else GO_ON


def choose_solver(integrator: Integrator, value) -> Integrator:
    """Option `solver`: how the equations of a step are solved."""
    if value not in SOLVERS:
        raise OptionError(f"solver = {value!r}; {nearest(str(value), list(SOLVERS))}")
    return integrator.with_method(solver=SOLVERS[value])
