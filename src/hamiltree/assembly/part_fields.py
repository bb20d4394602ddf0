"""Fields of very many parts of a model as arrays."""

from collections.abc import Iterable
from itertools import chain

import numpy as np

from hamiltree.model.values import IDENTITY, Frame


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


def collect_frames(frames: list[Frame]) -> tuple[np.ndarray, np.ndarray]:
    """Quaternions and positions of frames; where all are the default, that is read once."""
    if all(frame is IDENTITY for frame in frames):
        return tuple(
            np.tile(np.array(part), (len(frames), 1))
            for part in (IDENTITY.rotation, IDENTITY.position)
        )
    return collect_field(frames, "rotation", (4,)), collect_field(frames, "position", (3,))
