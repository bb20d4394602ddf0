"""The exact rotation of a free rigid body over a time h, to rounding: q and g = 2 q ∘ (0, J'ω') are
both multiplied by one quaternion.

The body turns by d (in its own axes) and m = J'ω' goes with it, d̄ ∘ m ∘ d: q⁺ = q ∘ d and
g⁺ = 2 q ∘ d ∘ (d̄ ∘ m ∘ d) = g ∘ d, so that the spin in space, the norms and q · g are kept by the
form of the step. With a = ½ h ω' and the time in parts of h
  d' = d ∘ (0, a),  a_x' = 2 κ_x a_y a_z …,  κ_x = (J_y − J_z)/J_x
as power series, over as many substeps as make them end below rounding. Two equal moments:
d = exp(½ h m/J₁) ∘ exp(½ h m₃ (1/J₃ − 1/J₁) e₃).
Chooses by its numbers: for floats, not for lanes.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.rows import quat_at
from hamiltree.algebra.summation import accumulate
from hamiltree.algebra.values import cross, dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import fma, load, maximum, root, sincos, store
from hamiltree.compiled.triples import (
    first,
    second,
    third,
    total,
    turn,
    turn_back,
    zero_like,
)
from hamiltree.formulations.absolute.quaternions import l_times
from hamiltree.formulations.free_bodies.bodies import MAX_SERIES_TERMS, SeriesRow, diagonal_product
from hamiltree.formulations.tree.link_rows import to_triple, to_vector

# which two moments are equal; of a sphere any two
NOT_ROTATING, ABOUT_X, ABOUT_Y, ABOUT_Z, ASYMMETRIC = range(5)
SERIES_TOLERANCE = 1e-18  # a term of d below it is the last
MAX_SUBSTEP_ANGLE = 0.5  # |h ω'| of a substep
MIN_SUBSTEP = 2.0**-20  # part of a step: what has not converged there never will
TINY = 1e-300


def symmetry_classes(inverse_moments: np.ndarray) -> np.ndarray:
    """(n,) NOT_ROTATING, ABOUT_X, … of inverse moments (n, 3) in which equal ones are equal to the
    last digit.
    """
    x, y, z = inverse_moments.T
    shape = np.full(len(inverse_moments), ASYMMETRIC, dtype=np.int64)
    for kind, is_equal in ((ABOUT_X, y == z), (ABOUT_Y, x == z), (ABOUT_Z, x == y)):
        shape[is_equal] = kind
    shape[~inverse_moments.any(axis=1)] = NOT_ROTATING
    return shape


def euler_couplings(inverse_moments: np.ndarray) -> np.ndarray:
    """(n, 3) 2 κ of Euler's equations by inverse moments; 0 where one of them is zero."""
    moments = np.divide(
        1.0, inverse_moments, out=np.zeros_like(inverse_moments), where=inverse_moments != 0.0
    )
    differences = np.roll(moments, -1, axis=1) - np.roll(moments, -2, axis=1)
    has_all = inverse_moments.all(axis=1, keepdims=True)
    return 2.0 * inverse_moments * differences * has_all


class RotationIncrement(NamedTuple):
    """d = (1 + scalar_minus_one, v), and whether its series has converged."""

    scalar_minus_one: float
    v: Vec3
    has_converged: bool


# ---- two equal moments ---------------------------------------------------------------------------
@inlined
def exponential(v):
    """(cos x, v sin x / x) with the length x of v: the quaternion exp(v)."""
    x = maximum(root(dot(v, v)), TINY)
    sine, cosine = sincos(x)
    return cosine, v * (sine / x)


@inlined
def symmetric_top_increment(inverse_moments, m, axis, h):
    """d of a body with two equal moments, whose symmetry axis is `axis`, over a time h."""
    across = inverse_moments.y if axis == ABOUT_X else inverse_moments.x
    # along the axis alone, because across it both factors are equal
    spin = diagonal_product(inverse_moments, m) - m * across
    c1, v1 = exponential(m * (0.5 * h * across))
    c2, v2 = exponential(spin * (0.5 * h))
    w, v = fma(c1, c2, -dot(v1, v2)), (v2 * c1 + v1 * c2) + cross(v1, v2)
    return RotationIncrement(-dot(v, v) / (1.0 + w) if w > 0.0 else w - 1.0, v, True)


# ---- three moments -------------------------------------------------------------------------------
@inlined
def store_term(series, k, a, v, w):
    """Term k of a and d."""
    row = SeriesRow(a, turn(a), turn_back(a), v, turn(v), turn_back(v), w)
    store(series, k, row)


@inlined
def compute_next_term(series, k, kappa):
    """Store term k + 1 of a and d, by all terms before; returns that of d."""
    products = zero_like(kappa)  # a_y a_z, …
    along, v = products, products
    for j in range(k + 1):
        b, c = load(series, j, SeriesRow), load(series, k - j, SeriesRow)
        products = fma(b.a_next, c.a_last, products)
        along = fma(b.v, c.a, along)
        # a sum of its own: the next one does not wait for all three products
        v = v + fma(c.a, b.w, fma(b.v_next, c.a_last, -(b.v_last * c.a_next)))
    part = 1.0 / (k + 1)
    w, v = -total(along) * part, v * part
    store_term(series, k + 1, kappa * products * part, v, w)
    return w, v


@inlined
def series_increment(series, a, kappa):
    """d after a unit of time, by its power series; |a| about ½ MAX_SUBSTEP_ANGLE at most."""
    kappa, v = to_triple(kappa), to_triple(Vec3(0.0, 0.0, 0.0))
    store_term(series, 0, to_triple(a), v, 1.0)
    has_converged, k = False, 0
    while k < MAX_SERIES_TERMS - 1 and not has_converged:
        w, term = compute_next_term(series, k, kappa)
        v = v + term
        k += 1
        size = abs(first(term)) + abs(second(term)) + abs(third(term))
        has_converged = k > 2 and abs(w) + size < SERIES_TOLERANCE
    square = total(v * v)
    less = -square / (1.0 + root(maximum(1.0 - square, 0.0)))
    return RotationIncrement(less, to_vector(v), has_converged)


# ---- the step ------------------------------------------------------------------------------------
@inlined
def multiply_quaternion(y, compensation, at, increment):
    """The quaternion in the four rows from `at` on times d, in place, by compensated sums."""
    a, v = quat_at(y, at), increment.v
    less = increment.scalar_minus_one
    w = fma(a.w, less, -fma(a.z, v.z, fma(a.y, v.y, a.x * v.x)))
    x = fma(a.x, less, fma(a.w, v.x, fma(a.y, v.z, -(a.z * v.y))))
    y_part = fma(a.y, less, fma(a.w, v.y, fma(a.z, v.x, -(a.x * v.z))))
    z = fma(a.z, less, fma(a.w, v.z, fma(a.x, v.y, -(a.y * v.x))))
    accumulate(y, compensation, at, w)
    accumulate(y, compensation, at + 1, x)
    accumulate(y, compensation, at + 2, y_part)
    accumulate(y, compensation, at + 3, z)


@inlined
def angular_momentum_at(y, at, momentum_at):
    """m = ½ L(q) g"""
    return l_times(quat_at(y, at), quat_at(y, momentum_at)) * 0.5


@inlined
def multiply_both(y, compensation, at, momentum_at, increment):
    """q ∘ d and g ∘ d, in place."""
    multiply_quaternion(y, compensation, at, increment)
    multiply_quaternion(y, compensation, momentum_at, increment)


@inlined
def half_angle_at(y, at, momentum_at, inverse_moments, h):
    """½ h ω' = ½ h J'⁻¹ m"""
    return diagonal_product(inverse_moments, angular_momentum_at(y, at, momentum_at)) * (0.5 * h)


@outlined
def rotate_by_substeps(series, y, compensation, at, momentum_at, inverse_moments, kappa, h):
    """Advance a body with three different moments, over as many substeps as the series needs."""
    a = half_angle_at(y, at, momentum_at, inverse_moments, h)
    left, part = 1.0, 1.0
    while part > MIN_SUBSTEP and 2.0 * root(dot(a, a)) * part > MAX_SUBSTEP_ANGLE:
        part *= 0.5
    while left > 0.0:
        increment = series_increment(series, a * part, kappa)
        if increment.has_converged:
            multiply_both(y, compensation, at, momentum_at, increment)
            left -= part
            if left > 0.0:
                a = half_angle_at(y, at, momentum_at, inverse_moments, h)
        elif part > MIN_SUBSTEP:
            part *= 0.5
        else:
            # a step of very many revolutions, or a state that is not finite
            multiply_both(y, compensation, at, momentum_at, RotationIncrement(np.nan, a, False))
            left = 0.0


@inlined
def advance_free_rotation(
    series, y, compensation, at, momentum_at, inverse_moments, kappa, shape, h
):
    """Advance q in the rows from `at` on and g in those from `momentum_at` on by a time h."""
    if shape == ASYMMETRIC:
        rotate_by_substeps(series, y, compensation, at, momentum_at, inverse_moments, kappa, h)
    elif shape != NOT_ROTATING:
        m = angular_momentum_at(y, at, momentum_at)
        increment = symmetric_top_increment(inverse_moments, m, shape, h)
        multiply_both(y, compensation, at, momentum_at, increment)
