"""Sobol's sequence with the direction numbers of Joe and Kuo 2008, scrambled by a random lower
triangular matrix and a random shift of its digits (Matoušek 1998).

Point i is the exclusive or of the direction numbers at the ones of i's Gray code: it depends on i
and the seed alone.
"""

from __future__ import annotations

import numpy as np

from hamiltree.errors import OptionError

BITS = 52  # digits of a point: a float holds them exactly
# (degree s and coefficients a of a primitive polynomial over GF(2), first direction numbers m) of
# dimensions two and on: Joe, Kuo 2008, table new-joe-kuo-6
JOE_KUO = (
    (1, 0, (1,)),
    (2, 1, (1, 3)),
    (3, 1, (1, 3, 1)),
    (3, 2, (1, 1, 1)),
    (4, 1, (1, 1, 3, 3)),
    (4, 4, (1, 3, 5, 13)),
    (5, 2, (1, 1, 5, 5, 17)),
    (5, 4, (1, 1, 5, 5, 5)),
    (5, 7, (1, 1, 7, 11, 19)),
    (5, 11, (1, 1, 5, 1, 1)),
    (5, 13, (1, 1, 1, 3, 11)),
    (5, 14, (1, 3, 5, 5, 31)),
    (6, 1, (1, 3, 3, 9, 7, 49)),
    (6, 13, (1, 1, 1, 15, 21, 21)),
    (6, 16, (1, 3, 1, 13, 27, 49)),
    (6, 19, (1, 1, 1, 15, 7, 5)),
    (6, 22, (1, 3, 1, 15, 13, 25)),
    (6, 25, (1, 1, 5, 5, 19, 61)),
    (7, 1, (1, 3, 7, 11, 23, 15, 103)),
    (7, 4, (1, 3, 7, 13, 13, 15, 69)),
)
FEW = 2**16  # points that are computed at a time
MAX_DIMENSIONS = 1 + len(JOE_KUO)


def direction_numbers(dimension: int) -> list[int]:
    """v_1 … v_BITS of a dimension as integers of BITS binary digits."""
    if dimension == 0:
        return [1 << (BITS - 1 - k) for k in range(BITS)]
    degree, coefficients, first = JOE_KUO[dimension - 1]
    m = list(first)
    for k in range(degree, BITS):
        new = m[k - degree] ^ (m[k - degree] << degree)
        for j in range(1, degree):
            if coefficients >> (degree - 1 - j) & 1:
                new ^= m[k - j] << j
        m.append(new)
    return [number << (BITS - 1 - k) for k, number in enumerate(m)]


def scramble(numbers: list[int], stream: np.random.Generator) -> list[int]:
    """Every number times a random lower triangular matrix of bits with ones on its diagonal."""
    below = stream.integers(0, 2**BITS, BITS, dtype=np.int64).tolist()
    rows = []  # row r of the matrix: bit c counts from the most significant digit
    for r in range(BITS):
        diagonal = 1 << (BITS - 1 - r)
        higher = ((1 << BITS) - 1) ^ ((diagonal << 1) - 1)
        rows.append(diagonal | below[r] & higher)
    return [
        sum((row & number).bit_count() % 2 << (BITS - 1 - r) for r, row in enumerate(rows))
        for number in numbers
    ]


def sobol_points(count: int, dimensions: int, seed: int | None) -> np.ndarray:
    """(count, dimensions) points of the unit cube; without a seed those of Sobol himself."""
    if dimensions > MAX_DIMENSIONS:
        raise OptionError(
            f"sobol has {MAX_DIMENSIONS} dimensions at most, and {dimensions} numbers are "
            "distributed; take latin_hypercube"
        )
    found = np.zeros((count, dimensions))
    for dimension in range(dimensions):
        numbers, shift = direction_numbers(dimension), 0
        if seed is not None:
            stream = np.random.Generator(np.random.Philox(key=[seed, dimension]))
            numbers = scramble(numbers, stream)
            shift = int(stream.integers(0, 2**BITS))
        for first in range(0, count, FEW):
            index = np.arange(first, min(first + FEW, count), dtype=np.int64)
            found[first : first + FEW, dimension] = digits_of(index, numbers, shift) * 2.0**-BITS
    return found


def digits_of(index: np.ndarray, numbers: list[int], shift: int) -> np.ndarray:
    """The exclusive or of the direction numbers at the ones of the Gray codes of points."""
    gray = index ^ index >> 1
    digits = np.full(len(index), shift, dtype=np.int64)
    for k in range(int(index[-1]).bit_length()):
        digits ^= np.where(gray >> k & 1, np.int64(numbers[k]), np.int64(0))
    return digits
