"""Many parts of one kind at once, for models of up to millions of bodies that a program makes."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, fields
from itertools import repeat
from typing import Any, TypeVar

Kind = TypeVar("Kind")
BLOCK = 2048  # parts that are made at once, so that they stay in the processor's cache
MANY_OBJECTS = 10_000  # fewer are walked over in a fraction of a millisecond


def make_many(kind: type[Kind], count: int, **columns: Iterable[Any]) -> list[Kind]:
    """`count` parts from columns of their fields; other fields are at their defaults.

    The values must be what the part's own checks would leave as they are: no check is made again.
    """
    puts = []
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name not in columns and field.default is MISSING:
            raise TypeError(f"{kind.__name__} needs a column {field.name!r}")
        put = getattr(kind, field.name).__set__  # the slot itself: parts are frozen
        puts.append((put, iter(columns.get(field.name, repeat(field.default)))))
    parts: list[Kind] = []
    for begin in range(0, count, BLOCK):
        some = list(map(object.__new__, repeat(kind, min(BLOCK, count - begin))))
        for put, values in puts:
            deque(map(put, some, values), maxlen=0)
        parts += some
    return parts


@contextmanager
def collect_garbage_later() -> Iterator[None]:
    """Pause Python's garbage collector where many parts are made: none of them is garbage, and it
    would walk over all of them again and again. Then they count as old, as if it had, if they are
    many; to ask whether anything is frozen, Python counts all that is.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        is_many = was_on and gc.get_count()[0] > MANY_OBJECTS
        if is_many and gc.get_freeze_count() == 0:  # else somebody has frozen what is to stay so
            gc.freeze()
            gc.unfreeze()  # to the oldest generation
        if was_on:
            gc.enable()
