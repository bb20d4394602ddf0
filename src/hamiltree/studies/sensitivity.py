"""Which of the varied numbers a result depends on: rank correlations, and Sobol's indices.

Sobol's indices are the parts of the variance that a number explains by itself (first) and with all
others (total). They need a design of their own: two independent sets of points A and B, and for
each number a set that is A with the column of B (Saltelli 2010; the estimators of Jansen 1999).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import OptionError, suggest
from hamiltree.studies.design import Design, check_room, is_whole
from hamiltree.studies.results import MEMBER, TIME
from hamiltree.studies.sampling import SAMPLERS, Distribution, Values, check_seed, values_from
from hamiltree.studies.sobol import MAX_DIMENSIONS

if TYPE_CHECKING:
    import xarray as xr

LEAST_MEMBERS = 8  # of a rank correlation, or of each set of points


def rank_correlations(data: xr.Dataset, names: list[str], variable: str) -> dict[str, float]:
    """Spearman's coefficient of a variable with each number that varies; members without a value
    are left out.
    """
    values = numbers_of(data, variable)
    found = {}
    for name in names:
        column = data[name].values
        if column.dtype.kind not in "iuf":
            continue
        is_known = np.isfinite(values)
        if is_known.sum() < LEAST_MEMBERS:
            raise OptionError(
                f"rank correlations of {variable!r}: {int(is_known.sum())} members have a value; "
                f"at least {LEAST_MEMBERS} are needed"
            )
        found[name] = correlation(ranks(column[is_known]), ranks(values[is_known]))
    return found


def numbers_of(data: xr.Dataset, variable: str) -> np.ndarray:
    """One number for each member: a variable, the part of one (q_end.elbow), or its only part."""
    values = values_of(data, variable)
    if values.size != len(values) or values.dtype.kind not in "iuf":
        raise OptionError(
            f"{variable!r} is no single number of each member; {remedy(data, variable)}"
        )
    return values.reshape(len(values)).astype(float)


def remedy(data: xr.Dataset, variable: str) -> str:
    """What to ask for in the place of a variable of many numbers."""
    if variable not in data.data_vars or TIME in data[variable].dims:
        return "it is sampled: draw it by fan, or keep={'x': 'end(elbow)'}"
    parts = parts_of(data, variable)
    return f"name one of its parts: {parts[0]!r}" if parts[0] != variable else "it is a text"


def values_of(data: xr.Dataset, name: str) -> np.ndarray:
    """(members, …) of a variable, or of a part of it: q_end.elbow."""
    if name in data.data_vars or name in data.coords:
        return data[name].values
    for variable in data.data_vars:
        parts = parts_of(data, str(variable))
        if name in parts:
            return data[variable].values[..., parts.index(name)]
    known = [part for variable in data.data_vars for part in parts_of(data, str(variable))]
    raise OptionError(f"the study has no variable {name!r}; {suggest(name, known)}")


def parts_of(data: xr.Dataset, variable: str) -> list[str]:
    """Names of the parts of a variable: q_end.elbow; itself if it has none."""
    dimensions = [name for name in data[variable].dims if name not in (MEMBER, TIME)]
    if not dimensions:
        return [variable]
    labels = data[dimensions[0]].values if dimensions[0] in data.coords else None
    names = range(data.sizes[dimensions[0]]) if labels is None else labels
    return [f"{variable}.{name}" for name in names]


def ranks(values: np.ndarray) -> np.ndarray:
    """From 1 on; equal values share their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - 0.5 * (counts - 1.0))[place]


def correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's; not a number where one of them is constant."""
    dx, dy = x - x.mean(), y - y.mean()
    size = float(np.sqrt((dx @ dx) * (dy @ dy)))
    return float(dx @ dy) / size if size > 0.0 else float("nan")


# ---- Sobol's indices -----------------------------------------------------------------------------
@dataclass(frozen=True)
class SensitivityPlan:
    """The members of a study of Sobol's indices before anything is sampled."""

    spread: dict[str, Distribution]
    points: int

    @property
    def axes(self) -> dict[str, int]:
        return {"set": len(self.spread) + 2, "point": self.points}

    @property
    def count(self) -> int:
        return math.prod(self.axes.values())

    def make(self, seed: int) -> Design:
        """A, B, then A with one column of B for each number."""
        count = len(self.spread)
        sampler = "sobol" if 2 * count <= MAX_DIMENSIONS else "random"
        both = SAMPLERS[sampler](self.points, 2 * count, seed)
        columns = {}
        for k, (name, value) in enumerate(self.spread.items()):
            sets = [both[:, count + k if j in (1, k + 2) else k] for j in range(count + 2)]
            columns[name] = value.quantile(np.concatenate(sets))
        return Design(columns, self.axes)

    def outline(self) -> Design:
        """One member, by which can be told what a study keeps of each."""
        middle = np.array([0.5])
        columns = {name: each.quantile(middle) for name, each in self.spread.items()}
        return Design(columns, {"set": 1, "point": 1})


def sensitivity_design(vary: Mapping[str, Any], points: int, seed: Any) -> Design:
    """`points` × (numbers + 2) members."""
    return plan_sensitivity(vary, points).make(check_seed(seed))


def plan_sensitivity(vary: Mapping[str, Any], points: int) -> SensitivityPlan:
    """Sobol's points for Sobol's indices of what varies: members × (numbers + 2) of them (Saltelli
    2010).
    """
    given = {str(name): values_from(str(name), value) for name, value in vary.items()}
    spread = {name: value for name, value in given.items() if not isinstance(value, Values)}
    listed = next((name for name in given if name not in spread), None)
    if listed is not None or not given:
        what = "nothing varies" if listed is None else f"{listed!r} is listed"
        raise OptionError(f"Sobol's indices are of distributed numbers, and {what}; use uniform(…)")
    if not is_whole(points) or points < LEAST_MEMBERS:
        raise OptionError(
            f"members = {points!r}; sensitivity takes a whole number, at least {LEAST_MEMBERS}"
        )
    plan = SensitivityPlan(spread, int(points))
    check_room(plan.axes, len(given))
    return plan


ALL_SAMPLERS: dict[str, Callable[..., Any]] = {**SAMPLERS, "sensitivity": plan_sensitivity}


def sobol_indices(
    data: xr.Dataset, names: list[str], variable: str
) -> dict[str, tuple[float, float]]:
    """First and total index of each number; points of which a member has no value are left out."""
    count = len(names)
    values = numbers_of(data, variable).reshape(count + 2, -1)
    values = values[:, np.isfinite(values).all(axis=0)]
    if values.shape[1] < LEAST_MEMBERS:
        raise OptionError(
            f"Sobol's indices of {variable!r}: {values.shape[1]} points have all their values; "
            f"at least {LEAST_MEMBERS} are needed"
        )
    first, second, *mixed = values
    variance = float(np.var(np.concatenate([first, second])))
    if not variance > 0.0:
        raise OptionError(f"Sobol's indices of {variable!r}: it is the same in all members")
    found = {}
    for name, one in zip(names, mixed, strict=True):
        alone = 1.0 - 0.5 * float(np.mean((second - one) ** 2)) / variance
        total = 0.5 * float(np.mean((first - one) ** 2)) / variance
        found[name] = (alone, total)
    return found
