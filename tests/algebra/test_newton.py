"""The dense factorisation behind Newton's method, and Jacobians by differences."""

import numpy as np
import pytest

from hamiltree.integrators.newton import factor, solve


@pytest.mark.parametrize("n", [1, 2, 3, 5, 12, 30])
def test_a_system_that_needs_pivots_is_solved(n):
    rng = np.random.default_rng(n)
    matrix = rng.normal(size=(n, n)) + np.diag(np.full(n, 1e-3))
    matrix[0, 0] = 0.0 if n > 1 else 1.0  # no elimination without an exchange
    wanted = rng.normal(size=n)
    factors, pivots, x = matrix.copy(), np.zeros(n, dtype=np.int64), matrix @ wanted
    assert factor(factors, pivots)
    solve(factors, pivots, x)
    np.testing.assert_allclose(x, wanted, rtol=0, atol=1e-12 * np.linalg.cond(matrix))


@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_a_singular_matrix_is_told(bad):
    matrix = np.array([[1.0, 2.0], [2.0, 4.0 + bad]])
    assert not factor(matrix, np.zeros(2, dtype=np.int64))
