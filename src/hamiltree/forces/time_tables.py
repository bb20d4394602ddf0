"""Loads given as tables in time: piecewise cubic polynomials (de Boor, A Practical Guide to
Splines, ch. IV), looked up lane by lane.

Between knots i and i + 1 a value is c₀ + d (c₁ + d (c₂ + d c₃)), d = t − knot i. Linear tables have
c₂ = c₃ = 0.
Cubic splines have two continuous derivatives; the ends are not-a-knot, or periodic where the table
is.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import floor, fma, lane, load
from hamiltree.compiled.stack import lane_count, stack_array, store_lane
from hamiltree.forces import laws
from hamiltree.forces.laws import body_law, column, coordinate_column, joint_law
from hamiltree.forces.points_of_application import Point, add_wrench_at_point, points_of
from hamiltree.model.time_tables import EXTRAPOLATIONS, BodyTable, JointTable

ZERO_OUTSIDE, PERIODIC = EXTRAPOLATIONS.index("zero"), EXTRAPOLATIONS.index("periodic")


# ---- splines -------------------------------------------------------------------------------------
def solve_tridiagonal(lower, diagonal, upper, right) -> np.ndarray:
    """x of lowerₖ xₖ₋₁ + diagonalₖ xₖ + upperₖ xₖ₊₁ = rightₖ, columns at once (Thomas); needs no
    exchange of rows for splines.
    """
    diagonal, right = diagonal.copy(), right.copy()
    for k in range(1, len(right)):
        factor = lower[k] / diagonal[k - 1]
        diagonal[k] -= factor * upper[k - 1]
        right[k] -= factor * right[k - 1]
    right[-1] /= diagonal[-1]
    for k in range(len(right) - 2, -1, -1):
        right[k] = (right[k] - upper[k] * right[k + 1]) / diagonal[k]
    return right


def not_a_knot_slopes(h, secants) -> np.ndarray:
    """First derivatives at the knots where the third is continuous at the second knot and at the
    last but one (not-a-knot).
    """
    diagonal = np.array([h[1], *2 * (h[:-1] + h[1:]), h[-2]])
    lower, upper = np.array([0.0, *h[1:], h[-1] + h[-2]]), np.array([h[0] + h[1], *h[:-1], 0.0])
    inner = 3 * (h[1:, None] * secants[:-1] + h[:-1, None] * secants[1:])
    first = ((h[0] + 2 * upper[0]) * h[1] * secants[0] + h[0] ** 2 * secants[1]) / upper[0]
    last = (h[-1] ** 2 * secants[-2] + (2 * lower[-1] + h[-1]) * h[-2] * secants[-1]) / lower[-1]
    return solve_tridiagonal(lower, diagonal, upper, np.vstack([first, inner, last]))


def periodic_slopes(h, secants) -> np.ndarray:
    """First derivatives of a periodic spline: a cyclic system, made tridiagonal by a correction of
    rank one (Sherman, Morrison).
    """
    before, secants_before = np.roll(h, 1), np.roll(secants, 1, axis=0)
    lower = h.copy()
    diagonal = 2 * (before + h)
    upper = before.copy()
    right = 3 * (h[:, None] * secants_before + before[:, None] * secants)
    gamma = -diagonal[0]
    changed = diagonal.copy()
    changed[0] -= gamma
    changed[-1] -= upper[-1] * lower[0] / gamma
    corner = np.zeros((len(h), 1))
    corner[0], corner[-1] = gamma, upper[-1]
    x = solve_tridiagonal(lower, changed, upper, right)
    z = solve_tridiagonal(lower, changed, upper, corner)
    share = (x[0] + lower[0] * x[-1] / gamma) / (1.0 + z[0] + lower[0] * z[-1] / gamma)
    slopes = x - z * share
    return np.vstack([slopes, slopes[:1]])


def pieces(table, values) -> np.ndarray:
    """(knots, columns, 4): c₀ … c₃ from every knot on; at the last only the value."""
    times, values = np.array(table.times), np.array(values, dtype=float)
    h = np.diff(times)
    secants = np.diff(values, axis=0) / h[:, None]
    coefficients = np.zeros((*values.shape, 4))
    coefficients[:, :, 0] = values
    coefficients[:-1, :, 1] = secants
    if table.interpolation == "cubic":
        slopes = (periodic_slopes if table.outside == "periodic" else not_a_knot_slopes)(h, secants)
        bend = (slopes[:-1] + slopes[1:] - 2 * secants) / h[:, None]
        coefficients[:-1, :, 1] = slopes[:-1]
        coefficients[:-1, :, 2] = (secants - slopes[:-1]) / h[:, None] - bend
        coefficients[:-1, :, 3] = bend / h[:, None]
    return coefficients


# ---- tables of tables ----------------------------------------------------------------------------
class Pieces(NamedTuple):
    """The knots of all elements one behind the other."""

    first: np.ndarray  # (n + 1,) where the knots of each element begin
    outside: np.ndarray  # index in OUTSIDE
    knot: np.ndarray  # time
    coefficient: np.ndarray  # (knots, 4 columns): c₀ … c₃ of each column


def make_pieces(parts, values_of, columns: int) -> Pieces:
    """`values_of(part)` has one row per time."""
    computed = [
        pieces(part, values_of(part)).reshape(len(part.times), 4 * columns) for part in parts
    ]
    return Pieces(
        column(np.cumsum([0, *(len(part.times) for part in parts)]), int),
        column((EXTRAPOLATIONS.index(part.outside) for part in parts), int),
        column(time for part in parts for time in part.times),
        column(np.vstack([np.zeros((0, 4 * columns)), *computed]), width=4 * columns),
    )


@inlined
def time_within(pieces, k, t):
    """The time in the table that stands for t, a float; a NaN where there is none."""
    first, last = pieces.knot[pieces.first[k]], pieces.knot[pieces.first[k + 1] - 1]
    if first <= t <= last:
        return t
    if pieces.outside[k] == ZERO_OUTSIDE:
        return np.nan
    if pieces.outside[k] == PERIODIC:
        t = t - floor((t - first) / (last - first)) * (last - first)
    if t < first:
        return first
    return last if t > last else t


@inlined
def knot_before(pieces, k, t):
    """The last knot of element k that is not after t, by halving."""
    low, high = pieces.first[k], pieces.first[k + 1]
    while high - low > 1:
        middle = (low + high) // 2
        if pieces.knot[middle] <= t:
            low = middle
        else:
            high = middle
    return low


@inlined
def polynomial(pieces, i, c, d):
    """Column c from knot i on."""
    a = pieces.coefficient
    return fma(d, fma(d, fma(d, a[i, 4 * c + 3], a[i, 4 * c + 2]), a[i, 4 * c + 1]), a[i, 4 * c])


@outlined
def interpolate_table(pieces, k, t, out):
    """Every column of element k at the time t, each lane in its own piece."""
    for l in range(lane_count(t)):
        time = lane(t, l)
        within = time_within(pieces, k, time)
        i = knot_before(pieces, k, within)
        for c in range(out.shape[0]):
            value = (
                0.0
                if within != within and time == time
                else polynomial(pieces, i, c, within - pieces.knot[i])
            )
            store_lane(out, c, l, value)


# ---- along joints --------------------------------------------------------------------------------
class JointTables(NamedTuple):
    at: np.ndarray  # coordinate
    pieces: Pieces


@joint_law(JointTable, JointTables)
def tabulate_joint_tables(parts, placement):
    at = coordinate_column(parts, placement)
    return JointTables(at, make_pieces(parts, lambda part: [[value] for value in part.values], 1))


@laws.generalised_force.method(JointTables)
def table_generalised_force(tables, k, t, x, v):
    out = stack_array(t, 1)
    interpolate_table(tables.pieces, k, t, out)
    return load(out, 0)


@laws.joint_potential_energy.method(JointTables)
def no_energy_of_joint_tables(tables, k, t, x):
    return 0.0 * x


# ---- on bodies -----------------------------------------------------------------------------------
class BodyTables(NamedTuple):
    row: np.ndarray
    point: np.ndarray  # Point
    pieces: Pieces  # force, torque


def forces_and_torques(part):
    nothing = ((0.0, 0.0, 0.0),) * len(part.times)
    return [
        [*force, *torque]
        for force, torque in zip(part.forces or nothing, part.torques or nothing, strict=True)
    ]


@body_law(BodyTable, BodyTables)
def tabulate_body_tables(parts, placement):
    return BodyTables(*points_of(parts, placement), make_pieces(parts, forces_and_torques, 6))


@laws.add_element_wrench.method(BodyTables)
def add_body_table_wrench(tables, k, t, bodies):
    out = stack_array(t, 6)
    interpolate_table(tables.pieces, k, t, out)
    add_wrench_at_point(load(tables.point, k, Point), tables.row[k], bodies, out)


@laws.body_potential_energy.method(BodyTables)
def no_energy_of_body_tables(tables, t, bodies):
    return 0.0 * t
