"""Rows of variables that stay in their files until they are asked for, of one file or of several as
one.

A file is open only while it is read. HDF5 keeps with a variable of strings, for all who have the
same file open, the handle by which they were read last; when that one is closed, whoever opens the
file next reads freed memory (github.com/HDFGroup/hdf5/issues/3649). So nobody may open a file, read
its labels and close it again while somebody else has it open.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from xarray.backends import BackendArray
from xarray.core import indexing

from hamiltree.errors import FileError
from hamiltree.trajectory.netcdf_calls import netcdf_calls
from hamiltree.trajectory.parts import RUN_ID, SLAB_NUMBERS


class RowsOnDisk(BackendArray):
    """Rows of variables that are read when they are asked for: `read_rows(rows)`."""

    def __init__(self, count: int, like: xr.Variable):
        """So many rows, of the kind of this variable."""
        self.shape = (count, *like.shape[1:])
        self.dtype = like.dtype

    def __getitem__(self, key: Any) -> Any:
        support = indexing.IndexingSupport.OUTER
        return indexing.explicit_indexing_adapter(key, self.shape, support, self.read)

    def read(self, key: tuple) -> np.ndarray:
        """Rows and columns by numbers, slices or arrays of numbers, each by itself."""
        wanted = np.arange(self.shape[0])[key[0]]
        found = self.read_rows(np.atleast_1d(wanted))
        found = found if np.ndim(wanted) else found[0]
        lost = 1 - np.ndim(wanted)
        for axis in range(len(key) - 1, 0, -1):  # from the last: one number takes its axis away
            columns = np.arange(self.shape[axis])[key[axis]]
            found = np.take(found, columns, axis=axis - lost)
        return found

    def read_rows(self, rows: np.ndarray) -> np.ndarray:
        raise NotImplementedError


class FileRows(RowsOnDisk):
    """The first rows of a variable of a file."""

    def __init__(self, path: Path, run_id: str | None, name: str, count: int, like: xr.Variable):
        super().__init__(count, like)
        self.path = path.absolute()
        self.run_id = run_id
        self.name = name

    def read_rows(self, rows: np.ndarray) -> np.ndarray:
        """Some at a time: no more is held than what is asked for and a slab of the file."""
        import netCDF4

        found = np.empty((len(rows), *self.shape[1:]), self.dtype)
        length = max(1, SLAB_NUMBERS // max(1, int(np.prod(self.shape[1:]))))
        try:
            with netcdf_calls(), netCDF4.Dataset(self.path, "r") as file:
                file.set_auto_mask(False)
                self.check_same_run(file)
                for slab in np.unique(rows // length):
                    places = np.flatnonzero(rows // length == slab)
                    own = rows[places]
                    first = own.min()
                    found[places] = file[self.name][first : own.max() + 1][own - first]
        except (OSError, RuntimeError, IndexError) as error:
            raise FileError(f"{self.path} can no longer be read: {error}") from None
        return found

    def check_same_run(self, file: Any) -> None:
        """Refuse another run under the same name, or one that was cut short."""
        is_same = getattr(file, RUN_ID, None) == self.run_id
        if not is_same or len(file[self.name]) < self.shape[0]:
            raise FileError(
                f"{self.path} holds another run than when it was loaded; load it again, or give "
                "the new run another name"
            )


class JoinedRows(RowsOnDisk):
    """A variable of several files, row after row."""

    def __init__(self, parts: Sequence[xr.Variable]):
        """The variable of each file."""
        self.parts = parts
        self.counts = [len(part) for part in parts]
        self.ends = np.cumsum(self.counts)
        super().__init__(int(self.ends[-1]), parts[0])

    def read_rows(self, rows: np.ndarray) -> np.ndarray:
        where = np.searchsorted(self.ends, rows, side="right")
        found = np.empty((len(rows), *self.shape[1:]), self.dtype)
        for number in np.unique(where):
            places = np.flatnonzero(where == number)
            own = rows[places] - (self.ends[number] - self.counts[number])
            found[places] = self.parts[number][own].values
        return found


def grows(variable: xr.Variable) -> bool:
    """Whether a variable has a row per sample or per point of a section."""
    dimension = str((*variable.dims, "")[0])
    return dimension == "t" or dimension.startswith("point")


def leave_in_file(path: Path, opened: xr.Dataset) -> xr.Dataset:
    """What an open file holds, which may then be closed: labels and times are read, all other rows
    when they are asked for.
    """
    run_id = opened.attrs.get(RUN_ID)
    made = {}
    for name, variable in opened.variables.items():
        if not grows(variable) or name == "t":
            made[name] = variable.load()
            continue
        rows = FileRows(path, run_id, str(name), len(variable), variable)
        made[name] = lazy_variable(rows, variable)
    return labelled(made, opened, opened.attrs)


def join_datasets(parts: Sequence[xr.Dataset]) -> xr.Dataset:
    """Files of one run as one: rows after rows, and the attributes of the last."""
    first, last = parts[0], parts[-1]
    made = {}
    for name, variable in first.variables.items():
        if not grows(variable):
            made[name] = variable
            continue
        made[name] = lazy_variable(JoinedRows([part.variables[name] for part in parts]), variable)
    return labelled(made, first, {**last.attrs, "begin": first.attrs["begin"]})


def lazy_variable(rows: RowsOnDisk, like: xr.Variable) -> xr.Variable:
    """Once it was read whole it stays in memory."""
    kept = indexing.MemoryCachedArray(indexing.LazilyIndexedArray(rows))
    return xr.Variable(like.dims, kept, like.attrs)


def labelled(made: dict[Any, xr.Variable], like: xr.Dataset, attributes: Any) -> xr.Dataset:
    coords = {name: made.pop(name) for name in list(made) if name in like.coords}
    return xr.Dataset(made, coords=coords, attrs=attributes)
