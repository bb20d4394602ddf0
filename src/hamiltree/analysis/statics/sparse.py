"""Sparse symmetric matrices: factors that count negative eigenvalues, and the lowest eigenpairs.

With pivots taken from the diagonal alone, P A Pᵀ = L D Lᵀ, and D has as many negative entries as A
has negative eigenvalues (Sylvester).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from hamiltree.errors import MissingPackage

__all__ = ["Factor", "diagonal", "lowest", "sp", "spatial"]


class LazyModule:
    """A module of SciPy, imported when it is first used: models with joints alone do without."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, name: str) -> Any:
        """The attribute of the module, or a MissingPackage."""
        try:
            module = import_module(self.name)
        except ImportError:
            raise MissingPackage(
                "equilibria and modes of particles, and rods, are found with SciPy, which is not "
                "installed; pip install 'hamiltree[modes]'"
            ) from None
        return getattr(module, name)


sp: Any = LazyModule("scipy.sparse")
linalg: Any = LazyModule("scipy.sparse.linalg")
spatial: Any = LazyModule("scipy.spatial")
DENSE_LIMIT = 400  # rows; up to here LAPACK finds all eigenpairs faster than Lanczos finds a few
CLUSTER_TOLERANCE = 1e-7  # relative: eigenvalues nearer than that are counted as one group
EXTRA_EIGENPAIRS = 4  # eigenpairs that are sought beyond those asked for


def diagonal(values: np.ndarray) -> Any:
    return sp.diags_array(values).tocsc()


class Factor:
    """L D Lᵀ of a symmetric matrix, or none where a pivot is zero."""

    def __init__(self, matrix: Any) -> None:
        """Factor with pivots from the diagonal alone, and count the negative ones."""
        self.negative: int | None = None  # eigenvalues below zero; None if the factorisation failed
        try:
            self.lu = linalg.splu(
                matrix.tocsc(),
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
        except RuntimeError:  # exactly singular
            return
        pivots = self.lu.U.diagonal()
        if np.array_equal(self.lu.perm_r, self.lu.perm_c) and np.isfinite(pivots).all():
            self.negative = int(np.count_nonzero(pivots < 0.0))

    @property
    def is_positive(self) -> bool:
        return self.negative == 0

    def solve(self, b: np.ndarray) -> np.ndarray:
        return self.lu.solve(b)


def lowest(matrix: Any, count: int, floor: float) -> tuple[np.ndarray, np.ndarray]:
    """The `count` lowest eigenvalues, ascending, with orthonormal eigenvectors as columns; shift
    and invert below `floor`, where none is.

    Lanczos may miss one of several equal eigenvalues: the number of those found below a point is
    compared with the signs of the pivots there, and the search goes on in a larger space where one
    is missing.
    """
    n = matrix.shape[0]
    if n <= DENSE_LIMIT or count + 2 * EXTRA_EIGENPAIRS >= n:
        values, vectors = np.linalg.eigh(matrix.toarray())
        return values[:count], vectors[:, :count]
    one = sp.eye_array(n, format="csc")
    shift = shift_below_spectrum(matrix, floor)
    factor = Factor(matrix - shift * one)
    inverse = linalg.LinearOperator((n, n), factor.solve)
    wanted = count + EXTRA_EIGENPAIRS
    rng = np.random.default_rng(1)
    while True:
        space = min(n - 1, max(2 * wanted + 1, 40))
        values, vectors = linalg.eigsh(
            matrix, wanted, sigma=shift, OPinv=inverse, ncv=space, v0=rng.standard_normal(n), tol=0
        )
        order = np.argsort(values)
        values, vectors = values[order], vectors[:, order]
        if wanted + 2 * EXTRA_EIGENPAIRS >= n // 2 or is_complete(
            matrix, one, values, count, shift
        ):
            return values[:count], vectors[:, :count]
        wanted += max(EXTRA_EIGENPAIRS, wanted // 2)


def shift_below_spectrum(matrix: Any, floor: float) -> float:
    """A point below all eigenvalues, near the lowest if that is above `floor`."""
    one = sp.eye_array(matrix.shape[0], format="csc")
    while not Factor(matrix - floor * one).is_positive:
        floor *= 4.0
    return floor


def is_complete(matrix: Any, one: Any, values: np.ndarray, count: int, shift: float) -> bool:
    """Whether as many eigenvalues lie below a gap beyond the first `count` as were found there."""
    gaps = np.diff(values - shift)[count - 1 :]
    if not len(gaps):
        return False
    k = count - 1 + int(np.argmax(gaps))
    if gaps[k - count + 1] <= CLUSTER_TOLERANCE * (values[k] - shift):
        return False
    found = Factor(matrix - 0.5 * (values[k] + values[k + 1]) * one).negative
    return found is None or found == k + 1
