"""What Newton's method needs: a Jacobian of the rates by differences, and a dense factorisation
with partial pivoting.

Both are dense: a matrix that would fill the memory is refused before anything is allocated.
"""

import os
from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined
from hamiltree.errors import FitError, spell_method_option
from hamiltree.integrators.integrator import CALLS, NEEDS_MATRIX, STATUS, Integrator, State
from hamiltree.verbs import rates

# Entries of NewtonScratch.facts: the length of step that is factored (0: none), whether the
# Jacobian is wanted anew.
FACTORED_STEP, JACOBIAN_STALE = range(2)
SQRT_EPSILON = 1.5e-8
SMALL_ROW = 1e-3  # of its natural size: a row below it is shifted as if it were so large
MEMORY_FRACTION = 0.25  # that the matrices of a run may take
ASSUMED_MEMORY = 16 * 2**30  # bytes that a machine is taken to have which does not say


class NewtonScratch(NamedTuple):
    """Empty until it is asked for; `size` unknowns of a step, `rows` of the state."""

    jacobian: np.ndarray  # (rows, rows) ∂f/∂y
    factors: np.ndarray  # (size, size) L and U of the matrix of the step
    pivots: np.ndarray
    unknowns: np.ndarray  # right-hand side, then solution
    facts: np.ndarray


def newton_scratch(rows: int, size: int) -> NewtonScratch:
    """Arrays for a Jacobian of so many rows and a matrix of so many unknowns, if memory allows."""
    check_matrix_memory(rows, size)
    return NewtonScratch(
        np.zeros((rows, rows)),
        np.zeros((size, size)),
        np.zeros(size, dtype=np.int64),
        np.zeros(size),
        np.array([0.0, 1.0]),
    )


def no_newton(rows: int, size: int, is_certain: bool) -> NewtonScratch:
    """Empty; where the matrix is certain to be asked for, the memory for it is checked at once."""
    if is_certain:
        check_matrix_memory(rows, size)
    return newton_scratch(0, 0)


# ---- memory for the matrix -----------------------------------------------------------------------
def matrix_memory_limit() -> float:
    """Bytes, of the memory that this machine has."""
    names = getattr(os, "sysconf_names", {})
    is_said = "SC_PAGE_SIZE" in names and "SC_PHYS_PAGES" in names
    return MEMORY_FRACTION * (
        os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if is_said else ASSUMED_MEMORY
    )


def memory_shortage(rows: int, size: int) -> str:
    """What is said where a matrix of so many unknowns, with the Jacobian of so many rows, is too
    large; empty where it is not.
    """
    needed, limit = 8.0 * (float(rows) ** 2 + float(size) ** 2), matrix_memory_limit()
    if needed <= limit:
        return ""
    amounts = (
        f"{needed / 2**30:.3g} GiB where {limit / 2**30:.3g} GiB, "
        f"{MEMORY_FRACTION:.0%} of this machine's memory, are allowed"
    )
    return f"Newton's method would need a matrix of {size} unknowns: {amounts}"


def check_matrix_memory(rows: int, size: int) -> None:
    if lack := memory_shortage(rows, size):
        raise FitError(
            f"{lack}; take {spell_method_option('solver', 'fixed_point')} where there is that "
            "option, or an explicit integrator such as dop853"
        )


def newton_memory_shortage(state: State, method) -> str:
    """The message about too little memory for the matrix that a step has asked for; else empty."""
    m, inner = len(state.y), getattr(method, "inner", method)
    return memory_shortage(m, m * inner.stages)


def can_allocate_newton(state: State, integrator: Integrator) -> bool:
    """Whether a step has asked for the matrix of Newton's method, and memory allows it."""
    is_asked = state.counts[STATUS] == NEEDS_MATRIX and integrator.allocate_newton is not None
    return is_asked and not newton_memory_shortage(state, integrator.method)


def allocate_newton(state: State, method) -> State:
    """The same state with memory for the matrix of Newton's method."""
    m = len(state.y)
    return state._replace(
        scratch=state.scratch._replace(newton=newton_scratch(m, m * method.stages))
    )


@inlined
def factor(matrix, pivots):
    """P A = L U in place, by rows; False if a pivot vanishes or is not finite."""
    n = matrix.shape[0]
    for k in range(n):
        best, most = k, abs(matrix[k, k])
        for i in range(k + 1, n):
            if abs(matrix[i, k]) > most:
                best, most = i, abs(matrix[i, k])
        pivots[k] = best
        if not (most > 0.0 and most < np.inf):
            return False
        if best != k:
            for j in range(n):
                matrix[k, j], matrix[best, j] = matrix[best, j], matrix[k, j]
        scale = 1.0 / matrix[k, k]
        for i in range(k + 1, n):
            matrix[i, k] *= scale
            ratio = matrix[i, k]
            if ratio != 0.0:
                for j in range(k + 1, n):
                    matrix[i, j] -= ratio * matrix[k, j]
    return True


@inlined
def solve(matrix, pivots, x):
    """A x = b by the factors, b given in x."""
    n = matrix.shape[0]
    for k in range(n):  # all exchanges first: `factor` exchanges whole rows, those of L too
        x[k], x[pivots[k]] = x[pivots[k]], x[k]
    for k in range(n):
        for i in range(k + 1, n):
            x[i] -= matrix[i, k] * x[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[k] -= matrix[k, j] * x[j]
        x[k] /= matrix[k, k]


@inlined
def solve_scaled(matrix, pivots, x, scale):
    """The same in parts of the natural sizes of rows, for blocks of rows that were factored so:
    pivots then do not depend on units.
    """
    m = scale.shape[0]
    for k in range(x.shape[0] // max(1, m)):
        for i in range(m):
            x[k * m + i] /= scale[i]
    solve(matrix, pivots, x)
    for k in range(x.shape[0] // max(1, m)):
        for i in range(m):
            x[k * m + i] *= scale[i]


@inlined
def fill_block(matrix, jacobian, scale, i, j, in_q, in_p, positions):
    """Block (i, j) of δ − w ∂f/∂y, in parts of the natural sizes of the rows; w is one number for
    the columns of positions and one for those of momenta.
    """
    m = scale.shape[0]
    for r in range(m):
        for c in range(m):
            weighted = in_q if c < positions else in_p
            one = 1.0 if i == j and r == c else 0.0
            entry = jacobian[r, c] * (scale[c] / scale[r])
            matrix[i * m + r, j * m + c] = one - weighted * entry


@inlined
def difference_step(state, i):
    """Small against the row or its natural size, and such that y + d − y is exact."""
    y = state.y
    d = SQRT_EPSILON * max(abs(y[i]), SMALL_ROW * state.scale[i])
    return (y[i] + d) - y[i]


@inlined
def difference_jacobian(system, work, state, t, slope, shifted_slope):
    """Column i = (f(y + d e_i) − f(y)) / d, of floats; slope and shifted_slope are scratch."""
    y = state.y
    n = state.y.shape[0]
    jacobian = state.scratch.newton.jacobian
    state.counts[CALLS] += n + 1
    rates(system, work, t, y, slope)
    for i in range(n):
        kept, d = y[i], difference_step(state, i)
        y[i] = kept + d
        rates(system, work, t, y, shifted_slope)
        y[i] = kept
        for r in range(n):
            jacobian[r, i] = (shifted_slope[r] - slope[r]) / d


@inlined
def difference_jacobian_in_lanes(system, work, state, t, points, slopes):
    """The same by central differences, two columns in one call: t, points and slopes are lanes."""
    y = state.y
    n = state.y.shape[0]
    jacobian = state.scratch.newton.jacobian
    state.counts[CALLS] += (n + 1) // 2
    for first in range(0, n, 2):
        # lanes 0 and 1 at column `first`, 2 and 3 at the next: each column as a central difference.
        for r in range(n):
            for k in range(4):
                points[r, k] = y[r]
        for k in range(4):
            i = first + k // 2
            if i < n:
                d = difference_step(state, i)
                points[i, k] = y[i] + d if k % 2 == 0 else y[i] - d
        rates(system, work, t, points, slopes)
        for k in range(2):
            i = first + k
            if i < n:
                width = points[i, 2 * k] - points[i, 2 * k + 1]
                for r in range(n):
                    jacobian[r, i] = (slopes[r, 2 * k] - slopes[r, 2 * k + 1]) / width
