"""Principal directions of a stiffness, and which forces along them count as none.

Each direction is judged by itself, so that a stiff spring hides nothing of a soft one: where the
stiffness is known, by the Newton step force/stiffness; where it is zero to its error, by the
inertia force of the direction. Everything is scaled: torques, and forces times the size (J).
"""

from __future__ import annotations

import numpy as np

from hamiltree.analysis.linear.speed_equations import Chart

Array = np.ndarray
ERROR_FACTOR = 16.0  # of the estimated errors of K: a smaller stiffness is none
ROUNDING = 64.0 * float(np.finfo(float).eps)


def quadratic_forms(matrix: Array, vectors: Array) -> Array:
    """vᵀ A v of every column v."""
    return np.einsum("ik,ij,jk->k", vectors, matrix, vectors)


def uncertainty(K: Array, errors: Array, vectors: Array) -> Array:
    """By how much vᵀ K v may be wrong, for every column v: differences and rounding."""
    sizes = np.abs(vectors)
    by_differences = ERROR_FACTOR * quadratic_forms(errors, sizes)
    return by_differences + ROUNDING * quadratic_forms(np.abs(K), sizes)


class PrincipalDirections:
    """Stiffnesses of a chart and their directions."""

    def __init__(self, chart: Chart, K: Array, errors: Array, u: Array | None = None):
        """K with its errors, at speeds u of the tree (at rest if None)."""
        scale = chart.weights[chart.chosen]
        units = 1.0 / np.outer(scale, scale)
        symmetric = 0.5 * (K + K.T) * units
        self.vectors: Array = np.linalg.eigh(symmetric)[1]
        # more digits than the eigenvalues: their errors are parts of the largest
        self.values = quadratic_forms(symmetric, self.vectors)
        self.largest = float(np.abs(self.values).max(initial=0.0))
        limit = uncertainty(symmetric, errors * units, self.vectors)
        self.is_stiff = np.abs(self.values) > limit
        self.noise = ROUNDING * (np.abs(self.vectors).T @ np.abs(K * units).sum(axis=1))
        inertia = quadratic_forms(chart.mass() * units, self.vectors)
        self.inertia_force = np.abs(inertia) * square_rate(chart, u)

    def along(self, force: Array) -> Array:
        return self.vectors.T @ force

    def limits(self, tolerance: float) -> Array:
        """Forces along the directions that count as none."""
        stiff = tolerance * np.abs(self.values)
        neutral = tolerance * self.inertia_force + ROUNDING * self.largest
        noise = self.noise + ROUNDING * self.inertia_force
        return np.maximum(np.where(self.is_stiff, stiff, neutral), noise)

    def distance(self, force: Array) -> float:
        """The longest Newton step along a direction, rad or parts of the size."""
        sizes = np.where(self.is_stiff, np.abs(self.values), self.largest or 1.0)
        return float(np.abs(self.along(force) / sizes).max(initial=0.0))

    @property
    def unstable(self) -> int:
        return int(np.count_nonzero(self.is_stiff & (self.values < 0.0)))

    @property
    def lowest(self) -> float:
        return float(self.values.min()) if len(self.values) else 0.0


def square_rate(chart: Chart, u: Array | None) -> float:
    """g/size and the square of the fastest speed, 1/s²; springs have no part in it."""
    gravity = float(np.linalg.norm(chart.equations.model.gravity))
    fastest = 0.0 if u is None else float(np.abs(u * chart.weights).max(initial=0.0))
    return gravity / chart.place.size + fastest**2
