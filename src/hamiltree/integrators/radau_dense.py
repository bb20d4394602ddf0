"""Between the ends of a step of Radau IIA: a polynomial as good as the ends.

The collocation polynomial u has order 3 only: h⁴ where the ends are right to h⁶, a hundred times
the tolerance. Two things are missing in it.
Stages: Z_i integrates the polynomial through the slopes at c_1, c_2, c_3. With the slopes where
this step and the last began, r = −(last length)/h and 0, Newton's form adds ρ_i δ + ϱ_i ε to Z_i,
    δ = h f[0, c],  ρ_i = ∫₀^c_i ω(s) ds,  ε = h f[r, 0, c],  ϱ_i = ∫₀^c_i s ω(s) ds,
with ω(s) = (s − c_1) (s − c_2) (s − c_3): two steps' divided differences. The stages follow by
(1 − h A ⊗ J) ΔZ = ρ ⊗ δ + ϱ ⊗ ε, so stiff rows, whose stages are right already, stay as they are.
That inverse is replaced by S = (1 − h γ₀ J)⁻¹, whose factors the estimate of the error has:
    ΔZ_i = (ρ_i − κ_i) S δ + κ_i S² δ + ϱ_i S ε,  κ_i = (A ρ)_i / γ₀ − ρ_i,
which agrees with it to first order in h J. Z_3 stays: ρ_3 = ϱ_3 = 0.
Degree: the polynomial also passes through the beginning and the first stage of the last step. No
slope is used where a row is stiff, as f there magnifies what Newton's method has left.
"""

from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import fma
from hamiltree.integrators import adaptive_steps as own
from hamiltree.integrators.newton import solve_scaled
from hamiltree.integrators.quadrature_nodes import lagrange_basis
from hamiltree.integrators.tableau import DIGITS

STAGES = 3
POINTS = 6
# Rows of DenseStep.points and entries of DenseStep.nodes: the beginning and the first stage of the
# last step, the beginning of this one, its two inner stages and its end.
LAST_BEGIN, LAST_STAGE, BEGIN, FIRST, SECOND, END = range(POINTS)


class DenseTable(NamedTuple):
    per_estimate: float  # δ in parts of γ₀ h f(y) + Σ e_i Z_i
    smooth: np.ndarray  # (2,) ρ_i − κ_i
    smooth_twice: np.ndarray  # (2,) κ_i
    with_last: np.ndarray  # (2,) ϱ_i
    work: np.ndarray  # (4, 4) ∫₀^θ of a function given at 0, c_1, c_2 and 1: Σ_k work_ik θ^(k+1)


class DenseStep(NamedTuple):
    """The polynomial over the last accepted step."""

    nodes: np.ndarray  # (6,) in parts of the step
    points: np.ndarray  # (6, m) increments from the beginning of the step
    slope: np.ndarray  # (m,) f where it began
    power: np.ndarray  # (4,) h times the power of dampers and loads at 0, c_1, c_2, 1
    estimate: np.ndarray  # (m,) S (γ₀ h f(y) + Σ e_i Z_i)
    moved: np.ndarray  # (m,) scratch
    first_node: (
        np.ndarray
    )  # (1,) nodes from this one on are in use: BEGIN where no step came before


def new_dense_step(m: int) -> DenseStep:
    """Of m rows, before the first step."""
    vectors = (np.zeros(m) for _ in range(3))
    slope, estimate, moved = vectors
    return DenseStep(
        np.zeros(POINTS),
        np.zeros((POINTS, m)),
        slope,
        np.zeros(STAGES + 1),
        estimate,
        moved,
        np.full(1, BEGIN),
    )


def integrate_basis(nodes, count: int) -> np.ndarray:
    """(count, count) of ∫₀^θ of the Lagrange polynomials on nodes: coefficients of θ, θ², …"""
    rows = [[x / (k + 1) for k, x in enumerate(lagrange_basis(nodes, i))] for i in range(count)]
    return np.array(rows, dtype=float)


def dense_table(tableau, error: np.ndarray, gamma: float) -> DenseTable:
    """The coefficients above; `error` are the weights e of the estimate."""
    a, c = (np.array(values, dtype=float) for values in (tableau.a, tableau.c))
    omega = np.polynomial.Polynomial.fromroots(c)
    rho = omega.integ()(c)
    kappa = a @ rho / gamma - rho
    tilted = (np.polynomial.Polynomial([0.0, 1.0]) * omega).integ()(c)
    with localcontext(prec=DIGITS):
        work = integrate_basis([Decimal(0), *tableau.c], STAGES + 1)
    per_estimate = 1.0 / (gamma * omega(0.0) + (error @ a) @ omega(c))
    inner = slice(0, 2)
    return DenseTable(float(per_estimate), (rho - kappa)[inner], kappa[inner], tilted[inner], work)


# ---- after a step --------------------------------------------------------------------------------
@inlined
def shift_points(dense, length, h):
    """What the last step leaves to this one of length h, which is the first where length is zero:
    its beginning and its first stage, as increments from its end.
    """
    dense.first_node[0] = LAST_BEGIN if length > 0.0 else BEGIN
    ratio = length / h
    dense.nodes[LAST_BEGIN] = -ratio
    dense.nodes[LAST_STAGE] = ratio * (dense.nodes[FIRST] - 1.0)
    for i in range(dense.slope.shape[0]):
        dense.points[LAST_BEGIN, i] = -dense.points[END, i]
        dense.points[LAST_STAGE, i] = dense.points[FIRST, i] - dense.points[END, i]


@inlined
def divided_difference_weight(nodes, j):
    """What f at node j contributes to f[r, 0, c_1, c_2, c_3]; r is LAST_BEGIN, 0 is BEGIN."""
    product = 1.0
    for k in range(POINTS):
        if k not in (j, LAST_STAGE):
            product *= nodes[j] - nodes[k]
    return 1.0 / product


@outlined
def add_last_slope(dense, table, scratch, scale, h):
    """ϱ_i S ε to both inner stages; `dense.slope` is still that of the last step."""
    m = dense.slope.shape[0]
    last = h * divided_difference_weight(dense.nodes, LAST_BEGIN)
    begin = h * divided_difference_weight(dense.nodes, BEGIN)
    for i in range(m):
        dense.moved[i] = fma(last, dense.slope[i], begin * scratch.first[i])
    for k in range(STAGES):
        weight = h * divided_difference_weight(dense.nodes, FIRST + k)
        for i in range(m):
            dense.moved[i] = fma(weight, scratch.slopes[i, k], dense.moved[i])
    solve_scaled(scratch.smoother.factors, scratch.smoother.pivots, dense.moved, scale)
    for i in range(m):
        dense.points[FIRST, i] = fma(table.with_last[0], dense.moved[i], dense.points[FIRST, i])
        dense.points[SECOND, i] = fma(table.with_last[1], dense.moved[i], dense.points[SECOND, i])


@outlined
def add_defects(dense, table, scratch, scale):
    """(ρ_i − κ_i) S δ + κ_i S² δ to both inner stages."""
    m = dense.slope.shape[0]
    for i in range(m):
        dense.moved[i] = table.per_estimate * dense.estimate[i]
    for k in range(2):
        for i in range(m):
            dense.points[FIRST + k, i] = fma(
                table.smooth[k], dense.moved[i], dense.points[FIRST + k, i]
            )
    solve_scaled(scratch.smoother.factors, scratch.smoother.pivots, dense.moved, scale)
    for k in range(2):
        for i in range(m):
            dense.points[FIRST + k, i] = fma(
                table.smooth_twice[k], dense.moved[i], dense.points[FIRST + k, i]
            )


@outlined
def form_dense_step(method, scratch, scale, length, h):
    """The polynomial over a step of length h, after one of another length (0: none), of the stages
    Z, f at them and f(y). scale are the natural sizes of rows.
    """
    dense, table = scratch.dense, method.dense_table
    shift_points(dense, length, h)
    dense.nodes[BEGIN] = 0.0
    dense.power[0] = dense.power[STAGES] * h / length if length > 0.0 else scratch.work[0]
    for k in range(STAGES):
        dense.nodes[FIRST + k] = method.c[0, k]
        dense.power[1 + k] = scratch.work[k]
        for i in range(dense.slope.shape[0]):
            dense.points[FIRST + k, i] = scratch.z[k, i]
    if length > 0.0:
        add_last_slope(dense, table, scratch, scale, h)
    add_defects(dense, table, scratch, scale)
    for i in range(dense.slope.shape[0]):
        dense.slope[i] = scratch.first[i]


# ---- between the ends ----------------------------------------------------------------------------
@inlined
def lagrange_weight(nodes, first, j, x):
    """Of node j among those from `first` on, at x."""
    product = 1.0
    for k in range(first, POINTS):
        if k != j:
            product *= (x - nodes[k]) / (nodes[j] - nodes[k])
    return product


@outlined
def interpolate_dense_step(method, system, work, state, x, samples, row):
    """Increments of y and of the work, from the beginning of the step to a part of it."""
    dense = state.scratch.dense
    n = dense.slope.shape[0]
    first = dense.first_node[0]
    for i in range(n + 1):
        samples[row, 1 + i] = 0.0
    for j in range(first, POINTS):
        weight = lagrange_weight(dense.nodes, first, j, x)
        if j != BEGIN:
            for i in range(n):
                samples[row, 1 + i] = fma(weight, dense.points[j, i], samples[row, 1 + i])
    for j in range(STAGES + 1):
        weight = own.dense_weight(method.dense_table.work, j, x)
        samples[row, 1 + n] = fma(weight, dense.power[j], samples[row, 1 + n])
