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

from hamiltree.algebra.quat import Quat
from hamiltree.algebra.rows import quat_at, store_quat, store_vector, vector_at
from hamiltree.algebra.summation import accumulate
from hamiltree.algebra.values import cross, dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import fma, maximum, root, sincos
from hamiltree.formulations.absolute.quaternions import l_times
from hamiltree.formulations.free_bodies.bodies import MAX_SERIES_TERMS, diagonal_product

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
def series_vector(series, k):
    """Term k of a."""
    return vector_at(series, 7 * k)


@inlined
def store_term(series, k, a, d):
    """Term k of a and d."""
    store_vector(series, 7 * k, a)
    store_quat(series, 7 * k + 3, d)


@inlined
def compute_next_term(series, k, kappa):
    """Store term k + 1 of a and d, by all terms before; returns that of d."""
    yz, zx, xy, w, x, y, z = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(k + 1):
        b, a, d = series_vector(series, j), series_vector(series, k - j), quat_at(series, 7 * j + 3)
        yz, zx, xy = fma(b.y, a.z, yz), fma(b.z, a.x, zx), fma(b.x, a.y, xy)
        # a sum of its own: the next one does not wait for all three products
        w -= fma(d.x, a.x, fma(d.y, a.y, d.z * a.z))
        x += fma(d.w, a.x, fma(d.y, a.z, -(d.z * a.y)))
        y += fma(d.w, a.y, fma(d.z, a.x, -(d.x * a.z)))
        z += fma(d.w, a.z, fma(d.x, a.y, -(d.y * a.x)))
    part = 1.0 / (k + 1)
    d = Quat(w * part, x * part, y * part, z * part)
    store_term(
        series, k + 1, Vec3(kappa.x * yz * part, kappa.y * zx * part, kappa.z * xy * part), d
    )
    return d


@inlined
def series_increment(series, a, kappa):
    """d after a unit of time, by its power series; |a| about ½ MAX_SUBSTEP_ANGLE at most."""
    store_term(series, 0, a, Quat(1.0, 0.0, 0.0, 0.0))
    v, has_converged, k = Vec3(0.0, 0.0, 0.0), False, 0
    while k < MAX_SERIES_TERMS - 1 and not has_converged:
        d = compute_next_term(series, k, kappa)
        v = v + Vec3(d.x, d.y, d.z)
        k += 1
        has_converged = k > 2 and abs(d.w) + abs(d.x) + abs(d.y) + abs(d.z) < SERIES_TOLERANCE
    square = dot(v, v)
    return RotationIncrement(-square / (1.0 + root(maximum(1.0 - square, 0.0))), v, has_converged)


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


@outlined
def rotate_by_substeps(series, y, compensation, at, momentum_at, inverse_moments, kappa, h):
    """Advance a body with three different moments, over as many substeps as the series needs."""
    a = diagonal_product(inverse_moments, angular_momentum_at(y, at, momentum_at)) * (0.5 * h)
    left, part = 1.0, 1.0
    while part > MIN_SUBSTEP and 2.0 * root(dot(a, a)) * part > MAX_SUBSTEP_ANGLE:
        part *= 0.5
    while left > 0.0:
        a = diagonal_product(inverse_moments, angular_momentum_at(y, at, momentum_at)) * (
            0.5 * h * part
        )
        increment = series_increment(series, a, kappa)
        if increment.has_converged:
            multiply_both(y, compensation, at, momentum_at, increment)
            left -= part
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
