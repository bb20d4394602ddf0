"""Results of members: blocks of them as they are computed, and all of them as one labelled data
set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hamiltree.studies.definition import Definition
from hamiltree.studies.keeping import Output

if TYPE_CHECKING:
    import xarray as xr

MISSING = "missing"  # status of a member that has not run
STATUS = "status"
MEMBER = "member"
TIME = "time"
ROW_OVERHEAD = 64  # bytes of a member beside its numbers: its status


class Block(NamedTuple):
    """Results of members first … first + len(status)."""

    first: int
    values: dict[str, np.ndarray]
    status: list[str]

    @property
    def last(self) -> int:
        """One past the last member."""
        return self.first + len(self.status)


@dataclass(frozen=True)
class ResultSchema:
    """Variables of the results with their dimensions."""

    outputs: dict[str, Output]
    sizes: dict[str, int]
    labels: dict[str, list[str]]
    times: np.ndarray
    event_names: list[str]

    def shape(self, name: str) -> tuple[int, ...]:
        """Of one member."""
        return tuple(self.sizes[dimension] for dimension in self.outputs[name].dimensions)

    @property
    def bytes_per_member(self) -> int:
        numbers = sum(int(np.prod(self.shape(name), dtype=np.int64)) for name in self.outputs)
        return 8 * numbers + ROW_OVERHEAD

    def empty(self, name: str, count: int) -> np.ndarray:
        """Not a number everywhere: what is missing is not zero."""
        if self.outputs[name].is_text:
            return np.full(count, "", dtype=object)
        return np.full((count, *self.shape(name)), np.nan)

    def block(self, first: int, rows: Sequence[tuple[Mapping[str, np.ndarray], str]]) -> Block:
        """Of members one by one: results of one row each, none of a member that failed."""
        values = {name: self.empty(name, len(rows)) for name in self.outputs}
        for row, (found, _) in enumerate(rows):
            for name, numbers in found.items():
                if name in values:
                    values[name][row] = numbers[0]
        return Block(first, values, [status for _, status in rows])

    def coordinates(self) -> dict[str, tuple[str, Any]]:
        """Labels of the dimensions that occur."""
        used = {dimension for each in self.outputs.values() for dimension in each.dimensions}
        found: dict[str, tuple[str, Any]] = {
            name: (name, labels) for name, labels in self.labels.items() if name in used
        }
        if "time" in used:
            found["time"] = ("time", self.times)
        if "event" in used:
            found["event"] = ("event", self.event_names)
        return found


def schema_of(definition: Definition) -> ResultSchema:
    """The variables of a study."""
    plan = definition.keep_plan
    times = definition.sample_times
    sizes = plan.sizes(len(times))
    names = [event.name for event in plan.events]
    return ResultSchema(plan.outputs(), sizes, plan.observables.labels, times, names)


def dataset_of(
    definition: Definition, blocks: Iterable[Block], attributes: dict[str, Any]
) -> xr.Dataset:
    """All members; those that no block holds are missing."""
    import xarray as xr

    schema, count = schema_of(definition), definition.count
    values = {name: schema.empty(name, count) for name in schema.outputs}
    status = np.full(count, MISSING, dtype=object)
    for block in blocks:
        rows = slice(block.first, block.last)
        status[rows] = block.status
        for name, numbers in block.values.items():
            values[name][rows] = numbers
    variables = {
        name: ((MEMBER, *schema.outputs[name].dimensions), numbers)
        for name, numbers in values.items()
    }
    columns = {name: (MEMBER, column) for name, column in definition.design.columns.items()}
    return xr.Dataset(
        {**variables, STATUS: (MEMBER, status)},
        coords={MEMBER: np.arange(count), **columns, **schema.coordinates()},
        attrs=attributes,
    )
