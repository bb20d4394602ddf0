"""A study in a few lines: how its members ended, and of every number that was kept the least, the
median and the largest value, and what it depends on most.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hamiltree.studies.results import MISSING, STATUS, TIME
from hamiltree.studies.sensitivity import LEAST_MEMBERS, parts_of, rank_correlations, values_of

if TYPE_CHECKING:
    from hamiltree.studies.study import Study

MOST_RANKED = 100_000  # members of which ranks are computed
SHOWN_INFLUENCES = 2
NUMBER = re.compile(r"-?\d[\d.]*(e[+-]?\d+)?")


class Spread(NamedTuple):
    """Of one number of each member."""

    name: str
    members: int  # that have a value
    least: float
    median: float
    largest: float
    influences: dict[str, float]  # the largest ones: by Sobol's total index, or rank correlation


def is_for_sobol(study: Study) -> bool:
    return list(study.axes) == ["set", "point"]


def kept_numbers(study: Study) -> list[str]:
    """All that was kept as one number of each member, or its parts: q_end.elbow."""
    data = study.data
    plain = [
        str(name)
        for name, each in data.data_vars.items()
        if name != STATUS and TIME not in each.dims and each.dtype.kind in "iuf"
    ]
    return [part for name in plain for part in parts_of(data, name)]


def spread_of(study: Study, name: str) -> Spread:
    """Least, median and largest value of what is known."""
    values = values_of(study.data, name).astype(float)
    known = values[np.isfinite(values)]
    if not len(known):
        return Spread(name, 0, np.nan, np.nan, np.nan, {})
    sizes = float(known.min()), float(np.median(known)), float(known.max())
    return Spread(name, len(known), *sizes, influences_on(study, name, known))


def influences_on(study: Study, name: str, known: np.ndarray) -> dict[str, float]:
    """The numbers that matter most; none where there are too few members, or very many."""
    if not LEAST_MEMBERS <= len(known) <= MOST_RANKED or known.min() == known.max():
        return {}
    if is_for_sobol(study):
        if len(known) < len(study.data[STATUS]):
            return {}
        found = {key: total for key, (_, total) in study.sobol_indices(name).items()}
    else:
        found = rank_correlations(study.data, study.names, name)
    sure = {key: value for key, value in found.items() if np.isfinite(value)}
    order = sorted(sure, key=lambda key: -abs(sure[key]))
    return {key: sure[key] for key in order[:SHOWN_INFLUENCES]}


def endings_of(study: Study) -> str:
    """How many members there are, and how they ended."""
    states = study.data[STATUS].values.astype(str)
    failed, missing = len(study.failed), int((states == MISSING).sum())
    ended = int(np.char.startswith(states, "ended by").sum())
    complete = len(states) - ended - failed - missing
    counts = {
        "complete": complete,
        "ended by an event": ended,
        "failed": failed,
        "missing": missing,
    }
    words = [f"{count} {what}" for what, count in counts.items() if count]
    return f"{len(states)} members: {', '.join(words)}"


def reasons_of(study: Study) -> list[tuple[int, str]]:
    """(members, why) of those that failed, the most frequent first; reasons that differ in their
    numbers alone are one, told by the first.
    """
    groups: dict[str, list[str]] = {}
    for member, reason in study.failed.items():
        kind = NUMBER.sub("#", reason)
        groups.setdefault(kind, []).append(f"{reason} (member {member})")
    found: list[tuple[int, str]] = [(len(group), group[0]) for group in groups.values()]
    return sorted(found, key=lambda pair: -pair[0])


def verdicts_of(study: Study) -> dict[str, dict[str, int]]:
    """How often which verdict was given, by the name of the variable."""
    found: dict[str, dict[str, int]] = {}
    for name, each in study.data.data_vars.items():
        values: Any = each.values
        if name != STATUS and each.dtype.kind not in "iuf":
            words, counts = np.unique(values.astype(str), return_counts=True)
            found[str(name)] = {str(w): int(n) for w, n in zip(words, counts, strict=True) if w}
    return found
