"""The netCDF file of a trajectory: where it may be written, written whole, read again."""

from __future__ import annotations

import glob
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hamiltree.errors import FileError, spell_option
from hamiltree.files.durable import part_name, replace_durably
from hamiltree.trajectory.journal import journal_path, run_lock
from hamiltree.trajectory.netcdf_calls import LOCK, LibraryLock, netcdf_calls
from hamiltree.trajectory.parts import (
    CHECKPOINT,
    RUN_ID,
    count_parts,
    dataset_from_journal,
    is_run_being_written,
    part_path,
)

if TYPE_CHECKING:
    import xarray as xr

UNWRITTEN = 9.969209968386869e36  # what netCDF gives for numbers that were never written
FORMAT = 1  # attribute hamiltree_format of every file
RUN_SUFFIXES = (".nc", ".nc4")
MAX_LOADED_BYTES = 2**26  # of the files of a run that are read whole when it is loaded
Paths = str | os.PathLike | Iterable[str | os.PathLike]


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
            f"{target} exists; choose another name, or overwrite it with {spell_option('force')}"
        )
    if not target.parent.is_dir():
        raise FileError(f"{target}: the folder {target.parent} does not exist")
    return target


def write_dataset(dataset: xr.Dataset, path: Path) -> Path:
    """Write a netCDF file, whole or not at all: it is written beside its place and then moved."""
    target = path.resolve()
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with LOCK:  # that of xarray is taken within
            dataset.to_netcdf(beside, engine="netcdf4")
        os.replace(beside, target)
    except (OSError, RuntimeError) as error:
        raise FileError(f"{path} cannot be written: {error}") from None
    finally:
        beside.unlink(missing_ok=True)
    return path


def add_attributes(path: str | os.PathLike, attributes: dict[str, str]) -> None:
    """Write attributes into the last file of a run that is complete and that nobody has open. They
    are written into a copy, which then takes its place: a netCDF file is changed in places that
    belong together, and one whose writer is killed in between may be lost as a whole. Refused while
    another process resumes the run, whose samples the copy would take away.
    """
    first = Path(path).resolve()
    with run_lock(first):
        if is_run_being_written(first):
            raise FileError(f"{path}: another process is writing this run")
        add_to_last_file(first, attributes)


def add_to_last_file(path: Path, attributes: dict[str, str]) -> None:
    """Attributes, by a copy of the last file of a run."""
    import netCDF4

    last = part_path(path, max(1, count_parts(path)) - 1)
    beside = part_name(last)
    try:
        shutil.copy2(last, beside)
        with netcdf_calls(), netCDF4.Dataset(beside, "a") as file:
            file.setncatts(attributes)
        replace_durably(beside, last)
    except (OSError, RuntimeError) as error:
        raise FileError(f"{path}: {', '.join(attributes)} cannot be written: {error}") from None
    finally:
        beside.unlink(missing_ok=True)


def read_dataset(path: Paths) -> xr.Dataset:
    """The labelled arrays of files of this format, also of a run that was cut short; further files
    of the same run are read with its first. Several files, or a pattern with *, are joined.
    """
    files = files_of(path)
    if len(files) == 1:
        files = [files[0].resolve()] if files[0].is_symlink() else files
        count = count_parts(files[0]) if part_path(files[0], 1).exists() else 1
        files = [part_path(files[0], number) for number in range(max(1, count))]
    size = sum(file.stat().st_size for file in files if file.is_file())
    found = [read_file(file, size <= MAX_LOADED_BYTES) for file in files]
    if len(found) == 1:
        return found[0]
    from hamiltree.trajectory.file_rows import join_datasets

    check_same_run(files, found)
    return join_datasets(found)


def files_of(path: Paths) -> list[Path]:
    """The files that are meant, in order; FileError if there are none."""
    if isinstance(path, (str, os.PathLike)):
        pattern = Path(path)
        if not glob.has_magic(str(pattern)) or pattern.exists():
            return [pattern]
        files = sorted(Path(name) for name in glob.glob(str(pattern)))
        # run.0001.nc comes after run.nc
        files.sort(key=lambda file: (len(file.name), file.name))
    else:
        files = [Path(each) for each in path]
    if not files:
        raise FileError(f"{path}: no such files")
    return files


def check_same_run(files: list[Path], found: list[xr.Dataset]) -> None:
    """Refuse files of different runs, and files in another order than their times."""
    for file, before, after in zip(files[1:], found, found[1:], strict=False):
        if before.attrs.get(RUN_ID, file) != after.attrs.get(RUN_ID):
            raise FileError(f"{file} is not of the same run as {files[0]}; load each by itself")
        ends, begins = before["t"].values[-1:], after["t"].values[:1]
        if ends.size and begins.size and not ends[0] < begins[0]:
            raise FileError(f"{file} begins before the file before it ends; give them in order")


def read_file(path: Path, is_small: bool) -> xr.Dataset:
    """The labelled arrays of one file, which is closed again: read now if it is small. From its
    journal where there is one: the file was not closed, and may be damaged.
    """
    import xarray as xr

    from hamiltree.trajectory.file_rows import leave_in_file

    if journal_path(path).is_file():
        return dataset_from_journal(path)
    if not path.is_file():
        what = "it is not a plain file" if path.exists() else "no such file"
        raise FileError(f"{path}: {what}")
    try:
        with (
            netcdf_calls(),
            xr.open_dataset(
                path,
                engine="netcdf4",
                decode_times=False,
                drop_variables=[CHECKPOINT],
                lock=LibraryLock(),
            ) as opened,
        ):
            check_format(path, opened)
            dataset = opened.load() if is_small else leave_in_file(path, opened)
    except (OSError, RuntimeError, ValueError) as error:
        raise FileError(f"{path}: not a readable netCDF file ({error})") from None
    return without_unwritten_rows(dataset) if dataset.attrs.get("status") == "running" else dataset


def check_format(path: Path, dataset: xr.Dataset) -> None:
    """Refuse files of others."""
    found = dataset.attrs.get("hamiltree_format")
    if found != FORMAT:
        raise FileError(
            f"{path}: no trajectory of this version of hamiltree (format {found}, expected "
            f"{FORMAT})"
        )


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
