"""Fields of very many parts of a model as arrays."""

from collections.abc import Iterable
from itertools import chain

import numpy as np


def collect_field(parts, field: str, shape: tuple[int, ...]) -> np.ndarray:
    """A field of every part, (parts, *shape)."""
    return collect_numbers([getattr(part, field) for part in parts], shape)


def collect_numbers(values: list, shape: tuple[int, ...]) -> np.ndarray:
    """Nested tuples of this shape as an array (len(values), *shape): a fraction of what numpy.array
    takes for many small tuples.
    """
    numbers: Iterable = values
    for _ in shape:
        numbers = chain.from_iterable(numbers)
    size = len(values) * int(np.prod(shape))
    return np.fromiter(numbers, dtype=float, count=size).reshape(len(values), *shape)
