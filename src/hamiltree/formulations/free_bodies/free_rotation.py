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
from hamiltree.algebra.summation import accumulate
from hamiltree.algebra.values import cross, dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import fma, load, maximum, root, sincos, store
from hamiltree.formulations.absolute.bodies import gathered, quat_at
from hamiltree.formulations.free_bodies.bodies import ORDERS, scaled

# which two moments are equal; of a sphere any two
STILL, ABOUT_X, ABOUT_Y, ABOUT_Z, ASYMMETRIC = range(5)
LAST_TERM = 1e-18  # a term of d below it is the last
LONGEST = 0.5  # |h ω'| of a substep
SHORTEST = 2.0**-20  # part of a step: what has not converged there never will
TINY = 1e-300


def shapes_of(turn: np.ndarray) -> np.ndarray:
    """(n,) STILL, ABOUT_X, … of inverse moments (n, 3) in which equal ones are equal to the last
    digit.
    """
    x, y, z = turn.T
    shape = np.full(len(turn), ASYMMETRIC, dtype=np.int64)
    for kind, is_equal in ((ABOUT_X, y == z), (ABOUT_Y, x == z), (ABOUT_Z, x == y)):
        shape[is_equal] = kind
    shape[~turn.any(axis=1)] = STILL
    return shape


def couplings_of(turn: np.ndarray) -> np.ndarray:
    """(n, 3) 2 κ of inverse moments; 0 where one of them is."""
    moments = np.divide(1.0, turn, out=np.zeros_like(turn), where=turn != 0.0)
    return (
        2.0
        * turn
        * (np.roll(moments, -1, axis=1) - np.roll(moments, -2, axis=1))
        * turn.all(axis=1, keepdims=True)
    )


class Turned(NamedTuple):
    """d = (1 + less, v), and whether its series has ended."""

    less: float
    v: Vec3
    has_ended: bool


# ---- two equal moments ---------------------------------------------------------------------------
@inlined
def exponential(v):
    """(cos, sin/x) of the length x of v."""
    x = maximum(root(dot(v, v)), TINY)
    sine, cosine = sincos(x)
    return cosine, v * (sine / x)


@inlined
def turned_top(turn, m, axis, h):
    """The body's axis is that of the third moment."""
    across = turn.y if axis == ABOUT_X else turn.x
    # along the axis alone, because across it both factors are equal
    spin = scaled(turn, m) - m * across
    c1, v1 = exponential(m * (0.5 * h * across))
    c2, v2 = exponential(spin * (0.5 * h))
    w, v = fma(c1, c2, -dot(v1, v2)), (v2 * c1 + v1 * c2) + cross(v1, v2)
    return Turned(-dot(v, v) / (1.0 + w) if w > 0.0 else w - 1.0, v, True)


# ---- three moments -------------------------------------------------------------------------------
@inlined
def vector_in(series, k):
    return Vec3(load(series, 7 * k), load(series, 7 * k + 1), load(series, 7 * k + 2))


@inlined
def put_term(series, k, a, d):
    store(series, 7 * k, a.x)
    store(series, 7 * k + 1, a.y)
    store(series, 7 * k + 2, a.z)
    store(series, 7 * k + 3, d.w)
    store(series, 7 * k + 4, d.x)
    store(series, 7 * k + 5, d.y)
    store(series, 7 * k + 6, d.z)


@inlined
def next_term(series, k, kappa):
    """Term k + 1 of a and d from all before; returns that of d."""
    yz, zx, xy, w, x, y, z = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(k + 1):
        b, a, d = vector_in(series, j), vector_in(series, k - j), quat_at(series, 7 * j + 3)
        yz, zx, xy = fma(b.y, a.z, yz), fma(b.z, a.x, zx), fma(b.x, a.y, xy)
        # a sum of its own: the next one does not wait for all three products
        w -= fma(d.x, a.x, fma(d.y, a.y, d.z * a.z))
        x += fma(d.w, a.x, fma(d.y, a.z, -(d.z * a.y)))
        y += fma(d.w, a.y, fma(d.z, a.x, -(d.x * a.z)))
        z += fma(d.w, a.z, fma(d.x, a.y, -(d.y * a.x)))
    part = 1.0 / (k + 1)
    d = Quat(w * part, x * part, y * part, z * part)
    put_term(series, k + 1, Vec3(kappa.x * yz * part, kappa.y * zx * part, kappa.z * xy * part), d)
    return d


@inlined
def turned_by_series(series, a, kappa):
    """d after a unit of time, |a| at most ½ LONGEST or so."""
    put_term(series, 0, a, Quat(1.0, 0.0, 0.0, 0.0))
    v, has_ended, k = Vec3(0.0, 0.0, 0.0), False, 0
    while k < ORDERS - 1 and not has_ended:
        d = next_term(series, k, kappa)
        v = v + Vec3(d.x, d.y, d.z)
        k += 1
        has_ended = k > 2 and abs(d.w) + abs(d.x) + abs(d.y) + abs(d.z) < LAST_TERM
    square = dot(v, v)
    return Turned(-square / (1.0 + root(maximum(1.0 - square, 0.0))), v, has_ended)


# ---- the step ------------------------------------------------------------------------------------
@inlined
def multiply(y, lost, at, turned):
    """The quaternion in rows `at` and on times d."""
    a, v, less = quat_at(y, at), turned.v, turned.less
    accumulate(y, lost, at, fma(a.w, less, -fma(a.z, v.z, fma(a.y, v.y, a.x * v.x))))
    accumulate(y, lost, at + 1, fma(a.x, less, fma(a.w, v.x, fma(a.y, v.z, -(a.z * v.y)))))
    accumulate(y, lost, at + 2, fma(a.y, less, fma(a.w, v.y, fma(a.z, v.x, -(a.x * v.z)))))
    accumulate(y, lost, at + 3, fma(a.z, less, fma(a.w, v.z, fma(a.x, v.y, -(a.y * v.x)))))


@inlined
def spin_at(y, at, to):
    """m = ½ L(q) g"""
    return gathered(quat_at(y, at), quat_at(y, to)) * 0.5


@inlined
def multiply_both(y, lost, at, to, turned):
    multiply(y, lost, at, turned)
    multiply(y, lost, to, turned)


@outlined
def turn_in_parts(series, y, lost, at, to, turn, kappa, h):
    """Three moments: as many substeps as the series asks for."""
    a = scaled(turn, spin_at(y, at, to)) * (0.5 * h)
    left, part = 1.0, 1.0
    while part > SHORTEST and 2.0 * root(dot(a, a)) * part > LONGEST:
        part *= 0.5
    while left > 0.0:
        a = scaled(turn, spin_at(y, at, to)) * (0.5 * h * part)
        turned = turned_by_series(series, a, kappa)
        if turned.has_ended:
            multiply_both(y, lost, at, to, turned)
            left -= part
        elif part > SHORTEST:
            part *= 0.5
        else:
            # a step of very many turns, or a state that is not finite
            multiply_both(y, lost, at, to, Turned(np.nan, a, False))
            left = 0.0


@inlined
def turn_freely(series, y, lost, at, to, turn, kappa, shape, h):
    """q in rows `at` and on and g in rows `to` and on, a time h later."""
    if shape == ASYMMETRIC:
        turn_in_parts(series, y, lost, at, to, turn, kappa, h)
    elif shape != STILL:
        multiply_both(y, lost, at, to, turned_top(turn, spin_at(y, at, to), shape, h))
