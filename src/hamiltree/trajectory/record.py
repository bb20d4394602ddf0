"""Record: the plain arrays of a run in memory, and their labels (xarray) on request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.trajectory.variables import Schema

if TYPE_CHECKING:
    import xarray as xr


@dataclass(eq=False)
class Record:
    """Plain arrays of one run by name, with their schema; its attributes (provenance) are computed
    on first use, with the text of the model or without, its outcome (status, statistics) is known.
    """

    schema: Schema
    values: dict[str, np.ndarray]
    make_attributes: Callable[[bool], dict[str, Any]]  # of whether with the text
    outcome: dict[str, Any]

    def __getstate__(self) -> dict[str, Any]:
        known = {"attributes": self.attributes, "outcome": self.outcome}
        return {"schema": self.schema, "values": self.values, **known}

    @cached_property
    def attributes(self) -> dict[str, Any]:
        return {**self.make_attributes(True), **self.outcome}

    @property
    def settings(self) -> dict[str, Any]:
        """Attributes, but no text of a model that nobody has asked for."""
        if "attributes" in self.__dict__:
            return self.attributes
        return {**self.make_attributes(False), **self.outcome}

    def up_to(self, last: float) -> Record:
        """The samples up to a time."""
        count = int(np.searchsorted(self.values["t"], last, side="right"))
        shorter = {name: self.values[name][:count] for name in self.schema.variables}
        return replace(self, values=self.values | shorter)

    def to_dataset(self) -> xr.Dataset:
        """The same arrays with their dimensions, labels and units."""
        import xarray as xr

        known = {
            name: (dims, {"units": unit}) for name, (dims, unit) in self.schema.variables.items()
        }
        known |= {name: (dims, {}) for name, dims in self.schema.section_variables().items()}
        variables = {
            name: (dims, self.values[name], units) for name, (dims, units) in known.items()
        }
        coords = {"t": variables.pop("t"), **self.schema.labels}
        return xr.Dataset(variables, coords=coords, attrs=dict(self.attributes))
