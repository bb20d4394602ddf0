"""Numbers in files that no model has, in whatever units: products of a few of them overflow."""

from __future__ import annotations

import math
from typing import Any

LARGEST = 1e60  # the mass of all galaxies is 1e53 kg
DIGITS_ALIKE = bytes.maketrans(b"E123456789", b"e000000000")
REMEDY = f"is larger than {LARGEST:g}; check its units and digits"


def may_have_huge(text: str) -> bool:
    """False where no number of a text is beyond LARGEST: none has sixty digits, or an exponent of
    two. Much quicker than a search for patterns.
    """
    alike = text.encode(errors="replace").translate(DIGITS_ALIKE, b"+_")
    return b"e00" in alike or b"0" * 60 in alike


def is_huge(number: float) -> bool:
    """Whether a number is finite, and too large for a model."""
    return LARGEST < abs(number) < math.inf


def find_huge(data: Any) -> tuple[tuple[str | int, ...], float] | None:
    """The place and the value of a number in tables and arrays that is too large for a model."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), data)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [((*place, key), entry) for key, entry in value.items()]
        elif isinstance(value, list):
            waiting += [((*place, number), entry) for number, entry in enumerate(value)]
        elif isinstance(value, int | float) and is_huge(value):
            return place, value
    return None
