"""The members of a study: which values every varied number has in each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.studies.room import MEMORY_SHARE, gigabytes, physical_memory
from hamiltree.studies.sampling import (
    Distribution,
    Values,
    check_seed,
    plain,
    sample,
    values_from,
)

MAX_MEMBERS = 10**9
DEFAULT_SAMPLES = 100  # members where something is distributed and nobody says how many
SAMPLE = "sample"  # the axis of what is sampled


@dataclass(frozen=True)
class Design:
    """Columns by name, one value per member; members in the order of the axes, the last changes
    fastest.
    """

    columns: dict[str, np.ndarray]
    axes: dict[str, int]  # length of each axis: varied numbers of a grid, then `sample`

    @property
    def count(self) -> int:
        return math.prod(self.axes.values())

    @property
    def grid_names(self) -> list[str]:
        """The varied numbers that are axes of a grid."""
        return [name for name in self.axes if name in self.columns]


@dataclass(frozen=True)
class DesignPlan:
    """The members of a study before anything is sampled."""

    listed: dict[str, Values]
    own: dict[str, np.ndarray]  # columns that a user has given
    spread: dict[str, Distribution]
    axes: dict[str, int]

    @property
    def count(self) -> int:
        return math.prod(self.axes.values())

    def make(self, sampler: str, seed: int) -> Design:
        """All members."""
        count = self.axes.get(SAMPLE, 1)
        points = sample(list(self.spread.values()), count, sampler, seed)
        sampled = dict(zip(self.spread, points, strict=True))
        return Design(fill_columns(self.listed, self.own | sampled, self.axes), self.axes)

    def outline(self) -> Design:
        """Few members, by which can be told what a study keeps of each: the first value of every
        number, and all that are names.
        """
        listed = {name: first_values(value) for name, value in self.listed.items()}
        few = {name: column[:1] for name, column in self.own.items()}
        few |= {name: each.quantile(np.array([0.5])) for name, each in self.spread.items()}
        axes = {name: len(listed[name].values) if name in listed else 1 for name in self.axes}
        return Design(fill_columns(listed, few, axes), axes)


def first_values(listed: Values) -> Values:
    values = listed.values
    return listed if any(isinstance(value, str) for value in values) else Values(values[:1])


def make_design(vary: Any, members: Any, sampler: str, seed: Any) -> Design:
    """Grids of what is listed, times samples of what is distributed, or a user's own members."""
    return plan_design(vary, members).make(sampler, check_seed(seed))


def plan_design(vary: Any, members: Any) -> DesignPlan:
    """What `make_design` makes, checked."""
    if vary is not None and not isinstance(vary, Mapping):
        raise OptionError(f"vary = {vary!r}; give {{name: values}}")
    given = {str(name): values_from(str(name), value) for name, value in (vary or {}).items()}
    own: dict[str, np.ndarray] = {}
    members = whole_if_it_is(members)
    if members is not None and not is_whole(members):
        own, members = own_members(members, given), None
    listed = {name: value for name, value in given.items() if isinstance(value, Values)}
    spread = {name: value for name, value in given.items() if not isinstance(value, Values)}
    if own and spread:
        raise OptionError(
            f"members are given one by one, and {next(iter(spread))!r} is distributed; give its "
            "values with the members"
        )
    count = sample_count(members, bool(spread))
    if own:
        count = len(next(iter(own.values())))
    axes = {name: len(value.values) for name, value in listed.items()}
    if is_whole(members) and not spread:
        raise OptionError(
            f"members = {members}, but nothing is sampled: give uniform(…) or normal(…), or leave "
            "members out"
        )
    if own or spread:
        axes[SAMPLE] = count
    if not axes:
        raise OptionError("nothing is varied: give vary={name: values}, or members")
    check_room(axes, len(given) + len(own))
    return DesignPlan(listed, own, spread, axes)


def check_room(axes: Mapping[str, int], numbers: int) -> None:
    """Refuse too many members, and those whose numbers alone, and a copy of them, do not fit into
    memory.
    """
    members = math.prod(axes.values())
    if members > MAX_MEMBERS:
        sizes = " × ".join(map(str, axes.values()))
        raise OptionError(f"{sizes} = {members} members are more than {MAX_MEMBERS}")
    needed, available = 16.0 * members * numbers, physical_memory()
    if available and needed > MEMORY_SHARE * available:
        raise OptionError(
            f"the numbers of {members} members take {gigabytes(needed)} and this machine has "
            f"{gigabytes(available)} of memory; make several studies of fewer members"
        )


def is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def whole_if_it_is(value: Any) -> Any:
    """1e3 is a whole number too."""
    is_float = isinstance(value, (float, np.floating))
    return int(value) if is_float and value.is_integer() else value


def shown(value: Any) -> str:
    """A number or a text as it is, of all else its type."""
    is_short = isinstance(value, (str, int, float, np.generic))
    return repr(plain(value)) if is_short else type(value).__name__


def sample_count(members: Any, is_sampled: bool) -> int:
    """How many members are sampled at every point of the grid."""
    if members is None:
        return DEFAULT_SAMPLES if is_sampled else 1
    if not 1 <= members <= MAX_MEMBERS:
        raise OptionError(f"members = {members}; give a whole number from 1 to {MAX_MEMBERS}")
    return int(members)


def own_members(given: Any, vary: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Columns that a user has given: a mapping, a table of pandas or of xarray."""
    try:
        columns = {str(name): column_of(given[name]) for name in given}
    except OptionError:
        raise
    except (TypeError, KeyError, IndexError, ValueError):
        raise OptionError(
            f"members = {shown(given)}; give a whole number, or {{name: values of all members}}"
        ) from None
    lengths = {name: len(column) for name, column in columns.items()}
    if not columns or 0 in lengths.values():
        raise OptionError("members: there are none")
    if len(set(lengths.values())) > 1:
        raise OptionError(f"members: the columns have different lengths: {lengths}")
    twice = next((name for name in columns if name in vary), None)
    if twice is not None:
        raise OptionError(f"{twice!r} is in vary and in members; leave one out")
    return columns


def column_of(values: Any) -> np.ndarray:
    if np.ma.is_masked(values):
        raise OptionError("members: numbers are masked; give all of them")
    column = np.asarray(values)
    if column.ndim != 1:
        raise ValueError
    return column.astype(float) if column.dtype.kind in "iuf" else column.astype(object)


def fill_columns(
    listed: Mapping[str, Values], sampled: Mapping[str, np.ndarray], axes: Mapping[str, int]
) -> dict[str, np.ndarray]:
    """The value of every number in each member."""
    total = math.prod(axes.values())
    columns = {}
    repeats = total
    for name, value in listed.items():
        repeats //= axes[name]
        column = column_of([plain(each) for each in value.values])
        columns[name] = np.tile(np.repeat(column, repeats), total // (repeats * axes[name]))
    for name, column in sampled.items():
        copies = total // len(column)
        columns[name] = np.tile(column, copies) if copies > 1 else column
    return columns
