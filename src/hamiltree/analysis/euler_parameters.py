"""Euler parameters p = (e₀, e) as "Spatial Dynamics" uses them: G, L, A, rates, moments (11.1–11.4)
and inertias (11.11, 11.12), in NumPy.

p is a unit quaternion, scalar first, body → world: x = A(p) x'. A primed quantity is in body axes.
Every function takes arrays of any leading shape, (…, 4) of Euler parameters and (…, 3) of vectors;
`axes` says whether a vector is in "body" or in "world" axes. Formulas are evaluated as they stand,
also where ‖p‖ ≠ 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.rotations import skew as skew_of_vectors

Array = np.ndarray
AXES = ("body", "world")
SYMMETRY_TOLERANCE = 1e-9  # of the largest entry


# ---- arguments -----------------------------------------------------------------------------------
def numbers(value: Any, length: int, name: str) -> Array:
    """An array whose last axis has `length` finite numbers."""
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise OptionError(f"{name} = {value!r} is no array of numbers") from None
    if found.ndim == 0 or found.shape[-1] != length:
        raise OptionError(
            f"{name} has shape {found.shape}; its last axis must have {length} numbers"
        )
    if not np.isfinite(found).all():
        raise OptionError(f"{name} is not finite; give finite numbers")
    return found


def transformation(p: Any, axes: str) -> Array:
    """L for body axes, G for world axes."""
    if axes not in AXES:
        raise OptionError(f"axes = {axes!r} is unknown; give 'body' or 'world'")
    return L(p) if axes == "body" else G(p)


def apply(matrix: Array, vector: Array) -> Array:
    return np.einsum("...ij,...j->...i", matrix, vector)


def apply_transpose(matrix: Array, vector: Array) -> Array:
    return np.einsum("...ji,...j->...i", matrix, vector)


# ---- matrices ------------------------------------------------------------------------------------
def skew(s: Any) -> Array:
    """s̃ (…, 3, 3): s̃ v = s × v."""
    return skew_of_vectors(numbers(s, 3, "s"))


def bar(s: Any) -> Array:
    """s̄' = [[0, −s'ᵀ], [s', −s̃']] (…, 4, 4): p ∘ (0, s') = s̄' p (ERRATA 1-6)."""
    s = numbers(s, 3, "s")
    out = np.zeros((*s.shape[:-1], 4, 4))
    out[..., 0, 1:] = -s
    out[..., 1:, 0] = s
    out[..., 1:, 1:] = -skew_of_vectors(s)
    return out


def plus(s: Any) -> Array:
    """[[0, −sᵀ], [s, s̃]] (…, 4, 4): (0, s) ∘ p = plus(s) p; the same of a vector in world axes."""
    out = bar(s)
    out[..., 1:, 1:] *= -1.0
    return out


def G(p: Any) -> Array:
    """G = [−e, ẽ + e₀ 1] (…, 3, 4): ω = 2 G ṗ in world axes."""
    p = numbers(p, 4, "p")
    turned = skew_of_vectors(p[..., 1:]) + p[..., :1, None] * np.eye(3)
    return np.concatenate([-p[..., 1:, None], turned], axis=-1)


def L(p: Any) -> Array:
    """L = [−e, −ẽ + e₀ 1] (…, 3, 4): ω' = 2 L ṗ in body axes."""
    p = numbers(p, 4, "p")
    turned = p[..., :1, None] * np.eye(3) - skew_of_vectors(p[..., 1:])
    return np.concatenate([-p[..., 1:, None], turned], axis=-1)


def E(p: Any) -> Array:
    """The matrix that other books call E: ω = 2 E ṗ. It is G of the document."""
    return G(p)


def orthogonal(p: Any) -> Array:
    """[pᵀ; L] (…, 4, 4): its rows are orthonormal where ‖p‖ = 1."""
    p = numbers(p, 4, "p")
    return np.concatenate([p[..., None, :], L(p)], axis=-2)


def A(p: Any) -> Array:
    """A = G Lᵀ (…, 3, 3), body → world; of degree two in p."""
    return G(p) @ np.swapaxes(L(p), -1, -2)


def point_jacobian(p: Any, s: Any) -> Array:
    """∂(A s')/∂p = 2 G s̄' (…, 3, 4), for any p (equation b with ERRATA 1-6)."""
    return 2.0 * G(p) @ bar(s)


# ---- rates ---------------------------------------------------------------------------------------
def angular_velocity(p: Any, pdot: Any, axes: str = "body") -> Array:
    """ω' = 2 L ṗ, or ω = 2 G ṗ."""
    return 2.0 * apply(transformation(p, axes), numbers(pdot, 4, "pdot"))


def rate(p: Any, omega: Any, axes: str = "body") -> Array:
    """ṗ = ½ Lᵀ ω' = ½ Gᵀ ω."""
    return 0.5 * apply_transpose(transformation(p, axes), numbers(omega, 3, "omega"))


def angular_acceleration(p: Any, pddot: Any, axes: str = "body") -> Array:
    """ω̇' = 2 L p̈, or ω̇ = 2 G p̈."""
    return 2.0 * apply(transformation(p, axes), numbers(pddot, 4, "pddot"))


def second_rate(p: Any, omega: Any, alpha: Any, axes: str = "body") -> Array:
    """p̈ = ½ Lᵀ ω̇' − ¼ ω² p (before 11.48); `alpha` is the rate of `omega`, in the same axes."""
    omega = numbers(omega, 3, "omega")
    turned = 0.5 * apply_transpose(transformation(p, axes), numbers(alpha, 3, "alpha"))
    return turned - 0.25 * (omega**2).sum(-1, keepdims=True) * numbers(p, 4, "p")


# ---- moments and inertias ------------------------------------------------------------------------
def starred_moment(p: Any, n: Any, axes: str = "body") -> Array:
    """n* = 2 Lᵀ n' = 2 Gᵀ n (11.1, 11.2): ṗᵀ n* = ω'ᵀ n'."""
    return 2.0 * apply_transpose(transformation(p, axes), numbers(n, 3, "n"))


def moment(p: Any, n_star: Any, axes: str = "body") -> Array:
    """n' = ½ L n*, or n = ½ G n* (11.3, 11.4)."""
    return 0.5 * apply(transformation(p, axes), numbers(n_star, 4, "n_star"))


def inertia_matrix(J: Any) -> Array:
    """J' (…, 3, 3), checked for its shape and symmetry."""
    found = numbers(J, 3, "J")
    if found.ndim < 2 or found.shape[-2] != 3:
        raise OptionError(f"J has shape {found.shape}; give 3 × 3 matrices, np.diag of moments")
    if np.abs(found - np.swapaxes(found, -1, -2)).max() > SYMMETRY_TOLERANCE * np.abs(found).max():
        raise OptionError("J is not symmetric; an inertia matrix is")
    return found


def J_star(p: Any, J: Any) -> Array:
    """J* = 4 Lᵀ J' L (…, 4, 4) (11.11); J' about the centre of mass, body axes."""
    matrix = L(p)
    found = 2.0 * np.swapaxes(matrix, -1, -2) @ inertia_matrix(J) @ matrix
    return found + np.swapaxes(found, -1, -2)  # symmetric to the last bit


def H(p: Any, pdot: Any, J: Any) -> Array:
    """H = 4 L̇ᵀ J' L (…, 4, 4) (11.12), L̇ = L(ṗ)."""
    return 4.0 * np.swapaxes(L(pdot), -1, -2) @ inertia_matrix(J) @ L(p)


# ---- identities ----------------------------------------------------------------------------------
def identities(p: Any, pdot: Any, s: Any = (1.0, -2.0, 3.0)) -> dict[str, float]:
    """The identities of chapter 6 that chapter 11 uses, each with its largest residual, for one
    unit p, one ṗ with pᵀṗ = 0 and one vector s.
    """
    p, pdot, s = numbers(p, 4, "p"), numbers(pdot, 4, "pdot"), numbers(s, 3, "s")
    one, four = np.eye(3), np.eye(4) - np.outer(p, p)
    g, l, turn, g_dot, l_dot = G(p), L(p), A(p), G(pdot), L(pdot)
    omega, omega_body = skew(2.0 * g @ pdot), skew(2.0 * l @ pdot)
    left_and_right = {
        "pᵀp = 1": (p @ p, 1.0),
        "pᵀṗ = 0": (p @ pdot, 0.0),
        "G p = 0": (g @ p, 0.0),
        "L p = 0": (l @ p, 0.0),
        "G Gᵀ = 1": (g @ g.T, one),
        "L Lᵀ = 1": (l @ l.T, one),
        "Gᵀ G = 1 − p pᵀ": (g.T @ g, four),
        "Lᵀ L = 1 − p pᵀ": (l.T @ l, four),
        "A = G Lᵀ, A Aᵀ = 1": (turn @ turn.T, one),
        "A L = G": (turn @ l, g),
        "G L̇ᵀ = Ġ Lᵀ": (g @ l_dot.T, g_dot @ l.T),
        "Ȧ = 2 G L̇ᵀ = ω̃ A = A ω̃'": (
            np.stack([2 * g @ l_dot.T] * 2),
            np.stack([omega @ turn, turn @ omega_body]),
        ),
        "ω̃ = 2 Ġ Gᵀ": (2 * g_dot @ g.T, omega),
        "ω̃' = 2 L L̇ᵀ = −2 L̇ Lᵀ": (
            np.stack([2 * l @ l_dot.T, -2 * l_dot @ l.T]),
            np.stack([omega_body] * 2),
        ),
        "L̇ ṗ = 0, Ġ ṗ = 0": (np.stack([l_dot @ pdot, g_dot @ pdot]), 0.0),
        "ω² = 4 ṗᵀṗ": ((2.0 * l @ pdot) @ (2.0 * l @ pdot), 4.0 * pdot @ pdot),
        "L s̄' = −s̃' L + s' pᵀ": (l @ bar(s), np.outer(s, p) - skew(s) @ l),
        "G s̄' = −s̃ G + s pᵀ, s = A s'": (
            g @ bar(s),
            np.outer(turn @ s, p) - skew(turn @ s) @ g,
        ),
    }
    return {
        name: float(np.abs(np.asarray(left) - right).max())
        for name, (left, right) in left_and_right.items()
    }
