"""When the equations of an implicit step are solved: an iteration ends where its changes stop shrinking, and there at rounding.

Sweeps that shrink too slowly hand over to Newton's method; a Jacobian that has become bad is measured anew.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined
from hamiltree.errors import OptionError, nearest
from hamiltree.integrators.integrator import NEEDS_MATRIX, NOT_CONVERGED, NOT_FINITE, RUNNING, Integrator
from hamiltree.integrators.newton import STALE

SETTLED = 1e-8  # a change that stops decreasing above this, relative to the state, is no convergence
SHAKEN = 1e-13  # changes are below where only rounding is left, in parts of the state
NOISY = 1e-13  # changes below may be rounding: no ratio is read from them
NEGLIGIBLE = 1e-18  # an error of the stages, in parts of the state, that does not add up to anything in 10⁹ steps
NO_HOPE = 20  # sweeps without a smaller change, far above rounding of the state
SLOW = 0.5  # mean ratio of changes of sweeps from which on Newton's method costs less
TRIED = 8  # sweeps over which that mean is taken
GOOD_RATIO = 0.05  # of Newton's corrections: above it the Jacobian is measured anew for the next step
HOPELESS = 2.0  # ratio of Newton's corrections from which on it is given up
AUTOMATIC, FIXED_POINT, NEWTON = range(3)
SOLVERS = {"automatic": AUTOMATIC, "auto": AUTOMATIC, "fixed_point": FIXED_POINT, "newton": NEWTON}
GO_ON = -1  # no status: iterate once more


class Limits(NamedTuple):
    """When the iterations of a family end."""

    iterations: int = 100
    patience: int = 2  # iterations without a new smallest change: one alone may be a hesitation far from convergence
    settled: float = SETTLED  # a change that has not shrunk for so long is rounding if it is below
    is_forgiving: bool = False  # whether sweeps that end too slowly are taken as they are, below SETTLED
    foresees: bool = False  # whether sweeps also end where the ratio of their changes promises rounding
    unheard: int = 0  # first sweeps whose change says nothing yet
    rounded: float = 0.0  # a correction of Newton's method below it that does not shrink to half of the one before is rounding
    renewed: float = np.inf  # ratio of Newton's corrections from which on it goes on with a fresh matrix


ORDINARY = Limits()
FORESEEING = Limits(foresees=True)
TO_ROUNDING = Limits(iterations=200, patience=4, settled=SHAKEN, is_forgiving=True)  # where an end further up would cost energy
FORESEEN_ROUNDING = TO_ROUNDING._replace(foresees=True)


class Progress(NamedTuple):
    """Of an iteration: its changes relative to the state, and how they shrink."""

    first: float
    before: float  # the last but one
    last: float
    least: float
    stalled: int  # iterations without a smaller one
    worst_ratio: float  # of changes above SETTLED
    ratio: float  # of the last two changes above rounding
    earlier: float  # the ratio before that
    bound: float  # on what is left beside rounding


@inlined
def largest_of(a, b):
    """The larger; a NaN stays a NaN."""
    return a if a > b or a != a else b


@inlined
def no_progress():
    return Progress(0.0, np.inf, np.inf, np.inf, 0, 0.0, 1.0, 1.0, np.inf)


@inlined
def progressed(progress, iteration, change):
    """With one more change; the two last ratios above rounding carry the bound on where rounding hides the changes."""
    first = change if iteration == 0 else progress.first
    stalled = progress.stalled + 1 if change >= progress.least else 0
    worst = change / progress.last if change > SETTLED and progress.last < np.inf else 0.0
    ratio, earlier = progress.ratio, progress.earlier
    if iteration > 0 and change > NOISY:
        ratio, earlier = change / progress.last, ratio
    bound = min(change, progress.bound * max(ratio, earlier))
    return Progress(
        first, progress.last, change, min(progress.least, change), stalled, max(progress.worst_ratio, worst), ratio, earlier, bound
    )


@inlined
def verdict_on_sweeps(progress, iteration, limits):
    """RUNNING where they are done, GO_ON, or a failure."""
    if not np.isfinite(progress.last):
        return NOT_FINITE if iteration == 0 else NOT_CONVERGED
    if iteration < limits.unheard:
        return GO_ON
    if progress.last == 0.0 or (progress.stalled >= limits.patience and progress.last < limits.settled):
        return RUNNING
    if limits.foresees and progress.bound * max(progress.ratio, progress.earlier) < NEGLIGIBLE:
        return RUNNING  # the next would change nothing but rounding
    is_over = progress.stalled >= NO_HOPE or iteration == limits.iterations - 1
    if limits.is_forgiving and is_over and progress.last < SETTLED:
        return RUNNING  # rounding of V, which is more than that of the state where little moves, or an end that comes too slowly
    return GO_ON


@inlined
def verdict_on_newton(progress, limits, newton):
    """RUNNING, GO_ON, NOT_CONVERGED, or NEEDS_MATRIX for a fresh one; a Jacobian that took many iterations is marked stale."""
    if not np.isfinite(progress.last) or progress.worst_ratio > HOPELESS:
        return NOT_CONVERGED
    is_settled = progress.last == 0.0 or (progress.stalled >= limits.patience and progress.last < limits.settled)
    if is_settled or (progress.before < limits.rounded and progress.last > 0.5 * progress.before):
        if progress.worst_ratio > GOOD_RATIO:
            newton.facts[STALE] = 1.0
        return RUNNING
    return NEEDS_MATRIX if progress.worst_ratio > limits.renewed and progress.last > SETTLED else GO_ON


def choose_solver(integrator: Integrator, value) -> Integrator:
    """Option `solver`: how the equations of a step are solved."""
    if value not in SOLVERS:
        raise OptionError(f"solver = {value!r}; {nearest(str(value), list(SOLVERS))}")
    return integrator.with_method(solver=SOLVERS[value])
