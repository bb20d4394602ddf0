"""Rows of several files as one array of xarray, which reads them when they are asked for.

A file is open only while it is read: HDF5 does not survive all orders in which several files are
opened twice and closed again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from xarray.backends import BackendArray
from xarray.core import indexing

from hamiltree.trajectory.netcdf_calls import netcdf_calls


class FileRows:
    """The first rows of a variable of a file."""

    def __init__(self, path: Path, name: str, count: int):
        self.path = path
        self.name = name
        self.count = count

    def __getitem__(self, rows: slice) -> np.ndarray:
        import netCDF4

        with netcdf_calls(), netCDF4.Dataset(self.path, "r") as file:
            file.set_auto_mask(False)
            return np.asarray(file[self.name][rows])


class JoinedRows(BackendArray):
    """A variable of several files, row after row."""

    def __init__(self, sources: list[Any], counts: list[int], like: xr.Variable):
        """`sources`: FileRows or arrays, with so many rows; `like`: the variable of one file."""
        self.sources = sources
        self.counts = counts
        self.ends = np.cumsum(counts)
        self.shape = (int(self.ends[-1]), *like.shape[1:])
        self.dtype = like.dtype

    def __getitem__(self, key: Any) -> Any:
        support = indexing.IndexingSupport.OUTER
        return indexing.explicit_indexing_adapter(key, self.shape, support, self.read)

    def read(self, key: tuple) -> np.ndarray:
        """Rows and columns by numbers, slices or arrays of numbers, each by itself."""
        wanted = np.arange(self.shape[0])[key[0]]
        rows = np.atleast_1d(wanted)
        where = np.searchsorted(self.ends, rows, side="right")
        found = np.empty((len(rows), *self.shape[1:]), self.dtype)
        for number in np.unique(where):
            places = np.flatnonzero(where == number)
            own = rows[places] - (self.ends[number] - self.counts[number])
            slab = self.sources[number][slice(own.min(), own.max() + 1)]
            found[places] = slab[own - own.min()]
        found = found if np.ndim(wanted) else found[0]
        lost = 1 - np.ndim(wanted)
        for axis in range(len(key) - 1, 0, -1):  # from the last: one number takes its axis away
            columns = np.arange(self.shape[axis])[key[axis]]
            found = np.take(found, columns, axis=axis - lost)
        return found


def join_datasets(files: list[Path], parts: list[xr.Dataset]) -> xr.Dataset:
    """Files of one run as one: rows after rows, and the attributes of the last; they are closed,
    and opened again when their rows are asked for.
    """
    first, last = parts[0], parts[-1]
    made = {}
    for name, variable in first.variables.items():
        dimension = str((*variable.dims, "")[0])
        if dimension != "t" and not dimension.startswith("point"):
            made[name] = variable.load()
            continue
        counts = [part.sizes[dimension] for part in parts]
        sources = [
            FileRows(file, str(name), part.sizes[dimension])
            if part.encoding.get("source")
            else part[name].values
            for file, part in zip(files, parts, strict=True)
        ]
        rows = JoinedRows(sources, counts, variable)
        lazy = indexing.LazilyIndexedArray(rows)
        made[name] = xr.Variable(variable.dims, lazy, variable.attrs)
    coords = {name: made.pop(name) for name in list(made) if name in first.coords}
    attributes = {**last.attrs, "begin": first.attrs["begin"]}
    for part in parts:
        part.close()
    return xr.Dataset(made, coords=coords, attrs=attributes)
