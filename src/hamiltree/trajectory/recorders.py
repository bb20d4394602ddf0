"""Recorders: where the chunks of a run go, arrays in memory or a netCDF file that grows.

A file is synced after each chunk, so that a run that is killed leaves a readable file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from hamiltree.errors import FileError, StepError
from hamiltree.trajectory.record import Record
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.trajectory.variables import Schema

# the most bytes of a run that are also kept in memory while it is written to a file
MAX_COPIED_BYTES = 2**28


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
        record = Record(schema, values, lambda: {**attributes(), "sections": sections, **outcome})
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
        return self.file.createVariable(
            name, "f8", dimensions, chunksizes=(rows, *(max(1, length) for length in lengths))
        )

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
        try:
            for name, values in chunk.items():
                if values.size:
                    self.file[name][first:until] = values
            self.file.sync()
        except (OSError, RuntimeError) as error:  # a full disk
            self.raise_disk_error(error)

    def count_copied(self, chunk: dict[str, np.ndarray]) -> None:
        """Count what is kept in memory; too much drops the copy."""
        self.copied_bytes += sum(values.nbytes for values in chunk.values())
        if self.copied_bytes > MAX_COPIED_BYTES:
            self.copy = None

    def raise_disk_error(self, error: Exception) -> NoReturn:
        """Raise StepError with what was computed, from memory: after a disk error the file may be
        unreadable.
        """
        message = (
            f"{self.path} can no longer be written: {error}. {self.rows} samples were written; "
            "the file may be damaged."
        )
        kept = self.copy.finish({"status": message}) if self.copy and self.copy.chunks else None
        raise StepError(
            message
            + (" What was computed is kept in memory (StepError.trajectory)." if kept else ""),
            kept,
        )

    def finish(self, attributes: dict[str, Any]) -> Trajectory:
        self.file.setncatts(attributes)
        self.file.close()
        trajectory = Trajectory.load(self.path)
        trajectory._problem = self.schema.problem
        return trajectory
