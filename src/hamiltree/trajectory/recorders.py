"""Recorders: where the chunks of a run go, arrays in memory or a netCDF file that grows.

A file is synced after each chunk, so that a run that is killed leaves a readable file.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from hamiltree.errors import FileError, StepError
from hamiltree.trajectory.netcdf import write_dataset
from hamiltree.trajectory.record import Record
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.trajectory.variables import Schema

# the most bytes of a run that are also kept in memory while it is written to a file
MAX_COPIED_BYTES = 2**28
SPARE_BYTES = 2**18  # of the disk, for what closes a file


class MemoryRecorder:
    """Keeps the chunks of a run until it ends."""

    place = " in memory (the error's `trajectory`)"

    def __init__(self, schema: Schema, attributes: Callable[[], dict[str, Any]]):
        self.schema = schema
        self.attributes = attributes
        self.chunks: list[dict[str, np.ndarray]] = []
        self.points: dict[str, list[np.ndarray]] = {
            name: [empty] for name, empty in schema.empty_sections().items()
        }

    def write(self, chunk: dict[str, np.ndarray]) -> None:
        self.chunks.append(chunk)

    def write_section(self, number: int, t: np.ndarray, y: np.ndarray) -> None:
        for name, values in self.schema.section_chunk(number, t, y).items():
            self.points[name].append(values)

    def abandon(self, status: str) -> None:
        """Nothing is left of a run that broke off."""

    def finish(self, outcome: dict[str, Any]) -> Trajectory:
        """Join the chunks to a Trajectory; `outcome` has its status and statistics."""
        values = {
            name: np.concatenate([chunk[name] for chunk in self.chunks])
            for name in self.schema.variables
        }
        values |= {name: np.concatenate(points) for name, points in self.points.items()}
        schema = self.schema
        attributes = self.attributes
        sections = json.dumps(schema.sections)
        record = Record(schema, values, lambda: {**attributes(), "sections": sections}, outcome)
        return Trajectory(record, schema.problem)


class FileRecorder:
    """Writes each chunk to a netCDF file and syncs it, so that the file is readable whatever
    happens next.
    """

    def __init__(self, schema: Schema, attributes: Callable[[], dict[str, Any]], path: Path):
        """Create the file with its dimensions, labels and empty variables; an older one of the same
        name is unlinked, so that a trajectory that still reads it keeps it.
        """
        import netCDF4

        self.schema = schema
        self.path = path
        self.place = f" in {path}"
        self.rows = 0  # samples that were written
        self.points = [0] * len(schema.sections)  # points that were written, per section
        known = attributes()
        # in case the disk fails; dropped when it grows large
        self.copy: MemoryRecorder | None = MemoryRecorder(schema, lambda: known)
        self.copied_bytes = 0
        self.chunk_bytes = 0  # of one netCDF chunk of every variable
        try:
            path.resolve().unlink(missing_ok=True)
            self.file = netCDF4.Dataset(path, "w", format="NETCDF4")
            self.create_variables({**known, "sections": json.dumps(schema.sections)})
        except (OSError, RuntimeError) as error:
            raise FileError(f"{path} cannot be written: {error}") from None

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

    def write(self, chunk: dict[str, np.ndarray]) -> None:
        """Append the samples of a chunk."""
        until = self.rows + len(chunk["t"])
        self.count_copied(chunk)
        if self.copy:
            self.copy.write(chunk)
        self.write_rows({name: chunk[name] for name in self.schema.variables}, self.rows, until)
        self.rows = until

    def write_section(self, number: int, t: np.ndarray, y: np.ndarray) -> None:
        """Append points to a section."""
        chunk = self.schema.section_chunk(number, t, y)
        first = self.points[number]
        self.count_copied(chunk)
        if self.copy:
            self.copy.write_section(number, t, y)
        self.write_rows(chunk, first, first + len(t))
        self.points[number] = first + len(t)

    def write_rows(self, chunk: dict[str, np.ndarray], first: int, until: int) -> None:
        """Write rows first … until of every variable of a chunk, and sync the file."""
        needed = sum(values.nbytes for values in chunk.values()) + self.chunk_bytes + SPARE_BYTES
        if shutil.disk_usage(self.path.resolve().parent).free < needed:
            self.end_at_full_disk()
        try:
            for name, values in chunk.items():
                if values.size:
                    self.file[name][first:until] = values
            self.file.sync()
        except (OSError, RuntimeError) as error:  # a disk or a quota that is full all the same
            self.raise_disk_error(error)

    def count_copied(self, chunk: dict[str, np.ndarray]) -> None:
        """Count what is kept in memory; too much drops the copy."""
        self.copied_bytes += sum(values.nbytes for values in chunk.values())
        if self.copied_bytes > MAX_COPIED_BYTES:
            self.copy = None

    def end_at_full_disk(self) -> NoReturn:
        """Close the file while there is still room to close it, and raise StepError."""
        message = (
            f"the disk of {self.path} is full; the file holds the {self.rows} samples up to there"
        )
        try:
            self.file.setncatts({"status": message})
            self.file.close()
        except (OSError, RuntimeError) as error:
            self.raise_disk_error(error)
        raise StepError(message + self.kept_words(), self.kept(message))

    def raise_disk_error(self, error: Exception) -> NoReturn:
        """Raise StepError with what was computed. The file, which is damaged now, is replaced by
        one of the samples that it held before, from memory.
        """
        problem = f"{self.path} can no longer be written: {error}"
        copy = self.copy
        if copy is None:
            raise StepError(f"{problem}. It held {self.rows} samples, and may be damaged now")
        with contextlib.suppress(OSError, RuntimeError):
            self.file.close()
        with contextlib.suppress(OSError):
            os.truncate(self.path, 0)  # it may still be open, and would keep its place on the disk
            self.path.resolve().unlink()
        message = f"{problem}. {self.rows} samples are in the file"
        try:
            write_dataset(self.written_part(copy, message), self.path)
        except FileError:
            message = f"{problem}. The damaged file was removed"
        if not self.rows:
            self.path.unlink(missing_ok=True)
            message = f"{problem}. Nothing was written"
        raise StepError(message + self.kept_words(), self.kept(message))

    def written_part(self, copy: MemoryRecorder, status: str) -> Any:
        """The labelled arrays of what the file held before the disk was full."""
        points = {f"point{number}": slice(0, count) for number, count in enumerate(self.points)}
        whole = copy.finish({"status": status, "statistics": "{}"}).dataset
        return whole.isel({"t": slice(0, self.rows), **points})

    def kept_words(self) -> str:
        return ". What was computed is kept in memory (StepError.trajectory)" if self.copy else ""

    def kept(self, status: str) -> Trajectory | None:
        return self.copy.finish({"status": status}) if self.copy and self.copy.chunks else None

    def abandon(self, status: str) -> None:
        """Close the file of a run that broke off, with this status."""
        with contextlib.suppress(OSError, RuntimeError):
            self.file.setncatts({"status": status})
            self.file.close()

    def finish(self, attributes: dict[str, Any]) -> Trajectory:
        """Close the file with its last attributes, and read it."""
        try:
            self.file.setncatts(attributes)
            self.file.close()
        except (OSError, RuntimeError) as error:
            self.raise_disk_error(error)
        trajectory = Trajectory.load(self.path)
        trajectory._problem = self.schema.problem
        return trajectory


Recorder = MemoryRecorder | FileRecorder
