"""Arrays of very many parts: their fields as numbers, and arithmetic some rows at a time."""

from collections.abc import Callable, Iterable
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np

BLOCK = 8192  # rows; some matrices of each fit into a cache


def collect_field(parts: Any, field: str, shape: tuple[int, ...]) -> np.ndarray:
    """A field of every part, (parts, *shape)."""
    return collect_numbers(map(attrgetter(field), parts), len(parts), shape)


def collect_numbers(values: Iterable, count: int, shape: tuple[int, ...]) -> np.ndarray:
    """Nested tuples of this shape as an array (count, *shape): a fraction of what numpy.array takes
    for many small tuples.
    """
    for _ in shape:
        values = chain.from_iterable(values)
    size = count * int(np.prod(shape))
    return np.fromiter(values, dtype=float, count=size).reshape(count, *shape)


def by_blocks(function: Callable[..., tuple], *rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays function(*rows), each row of which follows from the same row of all arguments.

    Of very many rows some at a time: what is made on the way then stays small, where fresh memory
    for all rows takes longer than the arithmetic.
    """
    n = len(rows[0])
    if n <= BLOCK:
        return function(*rows)
    whole: list[np.ndarray] = []
    for some in blocks(n):
        found = function(*(array[some] for array in rows))
        whole = whole or [np.empty((n, *part.shape[1:]), part.dtype) for part in found]
        for array, part in zip(whole, found, strict=True):
            array[some] = part
    return tuple(whole)


def blocks(n: int) -> list[slice]:
    """n rows, some at a time."""
    return [slice(start, start + BLOCK) for start in range(0, n, BLOCK)]
