"""The netCDF files of one run: `run.nc`, and where it is very long `run.0001.nc`, `run.0002.nc`, …;
written row by row, and read as one.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import FileError
from hamiltree.files.durable import part_name, replace_durably
from hamiltree.trajectory.journal import (
    SAMPLES,
    Journal,
    JournalReader,
    Rows,
    is_being_written,
    journal_path,
    lock_path,
)
from hamiltree.trajectory.netcdf_calls import netcdf_calls
from hamiltree.trajectory.variables import Schema

if TYPE_CHECKING:
    import xarray as xr

RUN_ID, PART = "run_id", "part"  # attributes: the same for all files of a run; their number
CHECKPOINT = "checkpoint"  # a variable: where the run can go on
SLAB_NUMBERS = 2**21  # that are copied at once


def part_path(path: Path, number: int) -> Path:
    """run.nc, run.0001.nc, …"""
    return path if not number else path.with_name(f"{path.stem}.{number:04d}{path.suffix}")


def checkpoint_paths(path: Path) -> tuple[Path, Path]:
    """The last checkpoint of a run that is going on, and the one before it."""
    name = f"{path.name}.checkpoint"
    return path.with_name(name), path.with_name(f"{name}.before")


def remove_checkpoints(path: Path) -> None:
    newest, before = checkpoint_paths(path)
    for each in (newest, before, part_name(newest), lock_path(path)):
        each.unlink(missing_ok=True)


def is_run_being_written(path: Path) -> bool:
    """Whether a process writes the last file of the run of this name now."""
    return is_being_written(part_path(path, max(1, count_parts(path)) - 1))


def remove_run(path: Path) -> None:
    """All files of the run of this name: parts, journals, checkpoints."""
    remove_parts_after(path, -1)
    remove_checkpoints(path)


def remove_parts_after(path: Path, number: int) -> None:
    """The files of a run that come after this one, and their journals."""
    count = count_parts(path)
    for each in (part_path(path, k) for k in range(number + 1, max(count, number + 2))):
        each.unlink(missing_ok=True)
        journal_path(each).unlink(missing_ok=True)


def run_id_of(path: Path) -> str:
    """What all files of one run have in common; nothing if it cannot be read."""
    import netCDF4

    with contextlib.suppress(OSError, AttributeError, FileError):
        if journal_path(path).is_file():
            return str(JournalReader(journal_path(path)).attributes[RUN_ID])
        with netcdf_calls(), netCDF4.Dataset(path, "r") as file:
            return str(file.getncattr(RUN_ID))
    return ""


def count_parts(path: Path) -> int:
    """How many files the run of this name has: those that follow with its number and name."""
    if not (path.exists() or journal_path(path).exists()):
        return 0
    count = 1
    if part_path(path, 1).exists():
        own = run_id_of(path)
        while own and part_path(path, count).exists() and run_id_of(part_path(path, count)) == own:
            count += 1
    return count


class PartFile:
    """One netCDF file that grows: dimensions, labels, and rows of every variable."""

    def __init__(self, path: Path, schema: Schema, attributes: dict[str, Any]):
        """A new file with these attributes."""
        import netCDF4

        self.schema = schema
        self.chunk_bytes = 0  # of one netCDF chunk of every variable
        self.file = netCDF4.Dataset(path, "w", format="NETCDF4")
        self.create_variables({**attributes, "sections": json.dumps(schema.sections)})

    @classmethod
    def create(cls, path: Path, schema: Schema, attributes: dict[str, Any]) -> PartFile:
        """A new file, which has its name when its beginning is whole."""
        beside = part_name(path)
        try:
            made = cls(beside, schema, attributes)
            made.file.sync()
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
        return made

    def create_variables(self, attributes: dict[str, Any]) -> None:
        """Create dimensions (time and points of sections unlimited), labels, empty variables."""
        self.file.createDimension("t", None)
        for number in range(len(self.schema.sections)):
            self.file.createDimension(f"point{number}", None)
        for name, names in self.schema.labels.items():
            self.file.createDimension(name, len(names))
            self.file.createVariable(name, str, (name,))[:] = np.array(names, dtype=object)
        for name, (dimensions, units) in self.schema.variables.items():
            self.new_variable(name, dimensions).units = units
        for name, dimensions in self.schema.section_variables().items():
            self.new_variable(name, dimensions)
        self.file.setncatts(attributes)

    def new_variable(self, name: str, dimensions: tuple[str, ...]) -> Any:
        """A variable of floats in netCDF chunks of at most a megabyte and 1024 rows."""
        lengths = [len(self.file.dimensions[d]) for d in dimensions[1:]]
        rows = max(1, min(1024, 2**20 // (8 * max(1, int(np.prod(lengths))))))
        chunk = (rows, *(max(1, length) for length in lengths))
        self.chunk_bytes += 8 * int(np.prod(chunk))
        return self.file.createVariable(name, "f8", dimensions, chunksizes=chunk)

    def write(self, values: dict[str, np.ndarray], first: int, until: int) -> None:
        """Rows first … until of these variables."""
        for name, rows in values.items():
            if rows.size:
                self.file[name][first:until] = rows

    def close(self, attributes: dict[str, Any], checkpoint: bytes = b"") -> None:
        """Close it with its last attributes, and with where the run can go on."""
        self.file.setncatts(attributes)
        if checkpoint:
            name = f"{CHECKPOINT}_byte"
            self.file.createDimension(name, len(checkpoint))
            made = self.file.createVariable(CHECKPOINT, "u1", (name,))
            made[:] = np.frombuffer(checkpoint, np.uint8)
        self.file.close()


# ---- a file that is made again -------------------------------------------------------------------
class Cut:
    """Rows up to a number of samples and of points per section; the last sample may get another
    time.
    """

    def __init__(self, samples: int, points: list[int], last_time: float | None = None):
        self.left = {SAMPLES: samples, **dict(enumerate(points))}
        self.last_time = last_time

    def __call__(self, source: Iterable[Rows]) -> Iterator[Rows]:
        """As many rows of the source as are wanted."""
        for rows in source:
            kept = rows.first(self.left[rows.section])
            self.left[rows.section] -= kept.length
            is_last = rows.section == SAMPLES and kept.length and not self.left[SAMPLES]
            if is_last and self.last_time is not None:
                kept.values["t"] = kept.values["t"].copy()
                kept.values["t"][-1] = self.last_time
            if kept.length:
                yield kept

    @property
    def is_done(self) -> bool:
        return not any(self.left.values())


def write_journal(
    path: Path, schema: Schema, attributes: dict[str, Any], source: Iterable[Rows]
) -> None:
    """The journal of a file, whole or not at all."""
    target = journal_path(path)
    made = Journal(part_name(target), schema, attributes)
    try:
        for rows in source:
            made.write(rows)
        made.close()
        replace_durably(made.path, target)
    finally:
        made.remove()


def write_part(
    path: Path, about: JournalReader, source: Iterable[Rows], attributes: dict[str, Any]
) -> PartFile:
    """A netCDF file of these rows, whole or not at all; it is open, and may grow."""
    beside = part_name(path)
    try:
        made = PartFile(beside, about.schema, {**about.attributes, **attributes})
        at = dict.fromkeys(range(SAMPLES, len(about.schema.sections)), 0)
        for rows in source:
            first = at[rows.section]
            at[rows.section] += rows.length
            made.write(rows.values, first, at[rows.section])
        made.file.sync()
        replace_durably(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    return made


class PartReader:
    """The rows of a netCDF file, as a journal gives them."""

    def __init__(self, path: Path):
        """Read labels and attributes; OSError if it is no file of ours."""
        import netCDF4

        self.file = netCDF4.Dataset(path, "r")
        try:
            self.read_schema()
        except BaseException:
            self.file.close()
            raise

    def read_schema(self) -> None:
        """Labels, attributes, and what variables there are."""
        dataset = self.file
        dataset.set_auto_mask(False)
        attributes = {name: plain(dataset.getncattr(name)) for name in dataset.ncattrs()}
        if "hamiltree_format" not in attributes:
            raise OSError("it holds no run of hamiltree")
        sections = tuple(json.loads(attributes.pop("sections", "[]")))
        self.attributes: dict[str, Any] = attributes
        labels = {}
        variables = {}
        for name, variable in dataset.variables.items():
            if variable.dtype is str:
                labels[name] = [str(label) for label in variable[:]]
            elif name != CHECKPOINT and not name.startswith("section"):
                variables[name] = (variable.dimensions, variable.units)
        self.schema = Schema(None, variables, labels, sections)

    def __iter__(self) -> Iterator[Rows]:
        """Samples, then the points of every section, some at a time."""
        names = list(self.schema.variables)
        yield from self.slabs(SAMPLES, "t", names)
        known = self.schema.section_variables()
        for number in range(len(self.schema.sections)):
            own = [name for name in known if name.startswith(f"section{number}_")]
            yield from self.slabs(number, f"point{number}", own)

    def slabs(self, section: int, dimension: str, names: list[str]) -> Iterator[Rows]:
        count = len(self.file.dimensions[dimension])
        widths = (int(np.prod(self.file[name].shape[1:])) for name in names)
        rows = max(1, SLAB_NUMBERS // max(1, sum(widths)))
        for first in range(0, count, rows):
            until = min(count, first + rows)
            values = {name: np.asarray(self.file[name][first:until]) for name in names}
            yield Rows(section, until - first, values)

    @property
    def checkpoint(self) -> bytes:
        """Where the run can go on, if the file holds that."""
        if CHECKPOINT not in self.file.variables:
            return b""
        return np.asarray(self.file[CHECKPOINT][:]).tobytes()

    def __enter__(self) -> PartReader:
        return self

    def __exit__(self, *error: Any) -> None:
        self.file.close()


def plain(value: Any) -> Any:
    """A number of NumPy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value


# ---- read as one ---------------------------------------------------------------------------------
def dataset_from_journal(path: Path) -> xr.Dataset:
    """The labelled arrays that a journal holds, where its netCDF file is damaged."""
    from hamiltree.trajectory.record import Record

    reader = JournalReader(journal_path(path))
    kept = {name: [values] for name, values in reader.schema.empty_sections().items()}
    kept |= {name: [values] for name, values in reader.rows(SAMPLES, 0, b"").values.items()}
    for rows in reader:
        for name, values in rows.values.items():
            kept[name].append(values)
    found = {name: np.concatenate(values) for name, values in kept.items()}
    sections = json.dumps(reader.schema.sections)
    record = Record(reader.schema, found, lambda _: reader.attributes, {"sections": sections})
    return record.to_dataset()
