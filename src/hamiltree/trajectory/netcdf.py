"""The netCDF file of a trajectory: where it may be written, written whole, read again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hamiltree.errors import FileError

if TYPE_CHECKING:
    import xarray as xr

UNWRITTEN = 9.969209968386869e36  # what netCDF gives for numbers that were never written
FORMAT = 1  # attribute hamiltree_format of every file


def writable_path(path: str | os.PathLike, force: bool) -> Path:
    """The path of a file that may be written, or FileError: an existing file is kept unless
    forced.
    """
    target = Path(path)
    try:
        os.path.realpath(target, strict=False)  # Path.exists says nothing of a null character
        exists = target.exists()
        is_file = target.is_file()
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"{target} cannot be written: {reason}") from None
    if target.is_dir():
        raise FileError(f"{target} is a folder; give the name of a file")
    if exists and not is_file:
        raise FileError(f"{target} is no regular file; give another name")
    if exists and not force:
        raise FileError(
            f"{target} exists; choose another name, or overwrite it with force (--force)"
        )
    if not target.parent.is_dir():
        raise FileError(f"{target}: the folder {target.parent} does not exist")
    return target


def write_dataset(dataset: xr.Dataset, path: Path) -> Path:
    """Write a netCDF file, whole or not at all: it is written beside its place and then moved."""
    target = path.resolve()
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        dataset.to_netcdf(beside, engine="netcdf4")
        os.replace(beside, target)
    except (OSError, RuntimeError) as error:
        raise FileError(f"{path} cannot be written: {error}") from None
    finally:
        beside.unlink(missing_ok=True)
    return path


def add_attributes(path: str | os.PathLike, attributes: dict[str, str]) -> None:
    """Write attributes into a file that is complete and that nobody has open."""
    import netCDF4

    try:
        with netCDF4.Dataset(path, "a") as file:
            file.setncatts(attributes)
    except (OSError, RuntimeError) as error:
        raise FileError(f"{path}: {', '.join(attributes)} cannot be written: {error}") from None


def read_dataset(path: str | os.PathLike) -> xr.Dataset:
    """The labelled arrays of a file of this format, also of a run that was cut short."""
    import xarray as xr

    if not Path(path).is_file():
        what = "it is not a plain file" if Path(path).exists() else "no such file"
        raise FileError(f"{path}: {what}")
    try:
        dataset = xr.open_dataset(path, engine="netcdf4", decode_times=False)
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: not a readable netCDF file ({error})") from None
    found = dataset.attrs.get("hamiltree_format")
    if found != FORMAT:
        dataset.close()
        raise FileError(
            f"{path}: no trajectory of this version of hamiltree (format {found}, expected "
            f"{FORMAT})"
        )
    return without_unwritten_rows(dataset) if dataset.attrs.get("status") == "running" else dataset


def without_unwritten_rows(dataset: xr.Dataset) -> xr.Dataset:
    """What was written of a run that was killed: its file may have grown by rows of which not all
    variables were written; those are cut off.
    """
    growing = [name for name in dataset.sizes if name == "t" or str(name).startswith("point")]
    for dimension in growing:
        is_written = np.ones(dataset.sizes[dimension], dtype=bool)
        for variable in dataset.variables.values():
            if variable.dims[:1] == (dimension,) and variable.dtype.kind == "f":
                axes = tuple(range(1, variable.ndim))
                is_written &= (variable.values != UNWRITTEN).all(axis=axes)
        if not is_written.all():
            dataset = dataset.isel({dimension: slice(0, int(is_written.argmin()))})
    return dataset
