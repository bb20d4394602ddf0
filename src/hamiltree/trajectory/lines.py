"""A line of a run's report: a number, what it is measured by, a verdict, a plain sentence.

Thresholds are pure numbers, so that they mean the same for a watch and for a crane.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from hamiltree.errors import OptionError, suggest

GOOD, DOUBTFUL, BAD = "good", "doubtful", "bad"
NOTE = "note"  # a line that judges nothing
# an answer that is good until a time that the sentence and details["horizon"] name: chaotic motion
DETERMINED = "determined"
SEVERITY = {NOTE: 0, GOOD: 0, DETERMINED: 0, DOUBTFUL: 1, BAD: 2}


@dataclass(frozen=True)
class Line:
    """One line of a report.

    number   what is judged, dimensionless; None where a sentence says why there is none
    scale    what the number is measured by, in words: "of 3.21 J exchanged"
    details  further numbers by name: plain values, lists and mappings of them (JSON)
    """

    name: str
    number: float | None
    scale: str
    verdict: str
    sentence: str
    details: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON and for the file of a run."""
        return asdict(self)


@dataclass(frozen=True)
class Thresholds:
    """Where good ends and where bad begins, of each number that is judged."""

    energy: tuple[float, float] = (1e-6, 1e-3)  # of the exchanged energy
    momentum: tuple[float, float] = (1e-6, 1e-3)  # of the momentum that is moved
    invariant: tuple[float, float] = (1e-6, 1e-3)  # of the value or the sum of its parts
    constraint: tuple[float, float] = (1e-9, 1e-5)  # of the size of the mechanism
    independence: tuple[float, float] = (1e-6, 1e-10)  # sine: smaller is worse
    quaternion: tuple[float, float] = (1e-9, 1e-5)  # of the norm
    step: tuple[float, float] = (0.5, 2.0)  # rad that the fastest motion turns in a step
    answer: tuple[float, float] = (1e-6, 1e-3)  # of the motion
    reversal: tuple[float, float] = (1e-9, 1e-5)  # of the motion
    symplecticity: tuple[float, float] = (1e-9, 1e-5)
    agreement: tuple[float, float] = (1e-6, 1e-3)  # of the motion

    def __post_init__(self) -> None:
        """Refuse what is not two positive numbers, by name."""
        for name, pair in asdict(self).items():
            try:
                first, second = map(float, pair)
            except (TypeError, ValueError):
                first = second = math.nan
            if not (first > 0 and second > 0):
                raise OptionError(
                    f"thresholds: {name} = {pair!r}; give two numbers above zero: where good ends, "
                    "where bad begins"
                )

    def judge(self, name: str, number: float) -> str:
        """The verdict on a number."""
        good, bad = getattr(self, name)
        if not math.isfinite(number):
            return BAD
        if good > bad:  # smaller is worse
            return GOOD if number > good else BAD if number <= bad else DOUBTFUL
        return GOOD if number < good else BAD if number >= bad else DOUBTFUL


def as_sentence(words: str) -> str:
    """Words with a capital and a full stop."""
    return f"{words[:1].upper()}{words[1:]}."


def thresholds_from(given: Thresholds | Mapping[str, Any] | None) -> Thresholds:
    """Thresholds, or the usual ones with some changed by name."""
    if given is None:
        return Thresholds()
    if isinstance(given, Thresholds):
        return given
    known = [each.name for each in fields(Thresholds)]
    for name in given:
        if name not in known:
            raise OptionError(f"thresholds has no {name!r}{suggest(str(name), known)}")
    return Thresholds(**given)


def worst_verdict(lines: Iterable[Line]) -> str:
    """The worst verdict of all lines; good if none judges anything."""
    worst = max((SEVERITY[line.verdict] for line in lines), default=0)
    return (GOOD, DOUBTFUL, BAD)[worst]
