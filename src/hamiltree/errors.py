"""What can go wrong, one class a stage, and how a message finds the word that was probably
meant.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Any

# difflib needs some 10 us a candidate: a model of a million parts must not wait for its error
# message
MAX_COMPARED = 20_000
MAX_LISTED = 12


class HamiltreeError(Exception):
    """Every error that hamiltree raises on purpose."""


class PartError(HamiltreeError):
    """An error about a part of a model: `part` is (kind, name), e.g. ("joint", "elbow"), `field`
    the field at fault; both may be None.
    """

    def __init__(
        self, message: str, part: tuple[str, str | int] | None = None, field: str | None = None
    ) -> None:
        super().__init__(message)
        self.part = part
        self.field = field


class ModelError(PartError, ValueError):
    """A model that cannot exist."""


class FitError(PartError):
    """A formulation or integrator that does not fit the model or each other."""


class OptionError(HamiltreeError, ValueError):
    """An argument out of range or unknown: a step that is not positive, an integrator that does not
    exist.
    """


class FileError(HamiltreeError):
    """A file that cannot be read, is malformed, or would be overwritten."""


class StepError(HamiltreeError):
    """A run that went wrong; `trajectory` holds what was computed before, if anything."""

    def __init__(self, message: str, trajectory: Any = None) -> None:
        super().__init__(message)
        self.trajectory = trajectory


def suggest(name: object, known: Iterable[str]) -> str:
    """The remedy for an unknown name: the nearest known one, else the list of what is known."""
    names = list(islice(known, MAX_COMPARED))
    close = get_close_matches(str(name), names, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    if not names:
        return "there are none"
    listed = ", ".join(repr(n) for n in names[:MAX_LISTED])
    return f"known: {listed}" + (", ..." if len(names) > MAX_LISTED else "")
