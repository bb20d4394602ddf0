"""What the rigid-body algorithms answer where one array is not enough."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.direct_calls import Part

Array = np.ndarray


class Factor(NamedTuple):
    """M = U diag(d) Uᵀ; U has ones on its diagonal and an entry (i, k) only where speed i moves
    what speed k moves.
    """

    U: Array
    d: Array


class TotalMomentum(NamedTuple):
    """World axes: angular momentum about the world's origin, linear, angular about the centre of
    mass; the centre of mass.
    """

    angular: Array
    linear: Array
    about_centre: Array
    centre: Array


class Derivatives(NamedTuple):
    """By position along the speeds (of a ball: turns about the child's axes), by speed, and by the
    third argument.
    """

    q: Array
    qdot: Array
    third: Array


def square_matrices(n: int, count: int) -> list[Part]:
    """Matrices of n rows, one after the other."""
    return [Part(k * n * n, (n, n)) for k in range(count)]
