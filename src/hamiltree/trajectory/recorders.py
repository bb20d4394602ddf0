"""Recorders: where the chunks of a run go, arrays in memory or a netCDF file that grows.

A file is synced after each chunk, so that a run that is killed leaves a readable file; a journal
beside it holds the same, in case that file is damaged.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from hamiltree.errors import FileError, StepError
from hamiltree.files.durable import sync_file
from hamiltree.trajectory.journal import SAMPLES, Journal, JournalReader, Rows, journal_path
from hamiltree.trajectory.kept_file import resume_command
from hamiltree.trajectory.netcdf_calls import netcdf_calls
from hamiltree.trajectory.parts import (
    PART,
    Cut,
    PartFile,
    is_run_being_written,
    part_path,
    remove_checkpoints,
    remove_run,
    write_part,
)
from hamiltree.trajectory.record import Record
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.trajectory.variables import Schema

# the most bytes of a run that are also kept in memory while it is written to a file
MAX_COPIED_BYTES = 2**28
SPARE_BYTES = 2**18  # of the disk, for what closes a file


class MemoryRecorder:
    """Keeps the chunks of a run until it ends."""

    place = " in memory (the error's `trajectory`)"
    resume_hint = ""

    def __init__(self, schema: Schema, attributes: Callable[[bool], dict[str, Any]]):
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
        record = Record(
            schema, values, lambda text: {**attributes(text), "sections": sections}, outcome
        )
        return Trajectory(record, schema.problem)


class Restored(NamedTuple):
    """Files of a run that goes on, cut back to where it does."""

    part: int  # the file that is written next
    rows: int  # samples in it
    points: list[int]  # per section, in it
    earlier: int  # samples in the files before it
    file: PartFile | None


class FileRecorder:
    """Writes each chunk to a journal and to a netCDF file and syncs it, so that what was written is
    there whatever happens next; after `rows_per_file` samples the next file begins.
    """

    def __init__(
        self,
        schema: Schema,
        attributes: Callable[[], dict[str, Any]],
        path: Path,
        rows_per_file: int = 2**62,
        restored: Restored | None = None,
    ):
        """Create the file with its dimensions, labels and empty variables, in place of an older one
        of the same name.
        """
        self.schema = schema
        self.first_path = path  # as it was given; what it leads to:
        self.first_target = path.resolve()
        self.rows_per_file = rows_per_file
        self.place = f" in {path}"
        self.resume_hint = f"; go on with: {resume_command(path)}"
        self.attributes = attributes()
        # where the run can go on, for the end of the file
        self.checkpoint: Callable[[], bytes] = bytes
        begin = restored or Restored(0, 0, [], 0, None)
        self.part, self.rows, points, self.earlier, opened = begin
        self.points = points or [0] * len(schema.sections)  # points that were written, per section
        # in case the disk fails; dropped when it grows large
        known = self.attributes
        copy = MemoryRecorder(schema, lambda _: known)
        self.copy: MemoryRecorder | None = None if restored else copy
        self.copied_bytes = 0
        try:
            if restored is None:
                if is_run_being_written(self.first_target):
                    raise FileError(f"{path}: another process is writing this run")
                remove_run(self.first_target)
            self.open_file(opened)
        except (OSError, RuntimeError) as error:
            raise FileError(f"{path} cannot be written: {error}") from None

    @property
    def path(self) -> Path:
        """The file that is written now, as it was named."""
        return part_path(self.first_path, self.part)

    @property
    def target(self) -> Path:
        return part_path(self.first_target, self.part)

    @property
    def samples(self) -> int:
        """In all files."""
        return self.earlier + self.rows

    @property
    def files(self) -> str:
        """For messages: what holds the samples."""
        return "files hold" if self.earlier else "file holds"

    def open_file(self, opened: PartFile | None = None) -> None:
        """The netCDF file and its journal: new, or those that were restored."""
        about = {**self.attributes, PART: self.part}
        journal = journal_path(self.target)
        if opened is not None:
            self.journal, self.file = Journal.reopen(journal), opened
            return
        self.journal = Journal.create(journal, self.schema, about)
        try:
            with netcdf_calls():
                self.file = PartFile.create(self.target, self.schema, about)
        except BaseException:  # a signal that ends the process too: nothing was written
            self.journal.remove()
            raise

    def write(self, chunk: dict[str, np.ndarray]) -> None:
        """Append the samples of a chunk."""
        self.count_copied(chunk)
        if self.copy:
            self.copy.write(chunk)
        first, count = 0, len(chunk["t"])
        while first < count:
            if self.rows >= self.rows_per_file:
                self.begin_next_file()
            until = min(count, first + self.rows_per_file - self.rows)
            own = {name: chunk[name][first:until] for name in self.schema.variables}
            self.write_rows(Rows(SAMPLES, until - first, own), self.rows)
            self.rows += until - first
            first = until

    def write_section(self, number: int, t: np.ndarray, y: np.ndarray) -> None:
        """Append points to a section."""
        chunk = self.schema.section_chunk(number, t, y)
        self.count_copied(chunk)
        if self.copy:
            self.copy.write_section(number, t, y)
        self.write_rows(Rows(number, len(t), chunk), self.points[number])
        self.points[number] += len(t)

    def write_rows(self, rows: Rows, first: int) -> None:
        """Write rows from `first` on to the journal and to the file, and sync that."""
        size = sum(values.nbytes for values in rows.values.values())
        needed = 2 * size + self.file.chunk_bytes + SPARE_BYTES
        if shutil.disk_usage(self.target.parent).free < needed:
            self.end_at_full_disk()
        try:
            with netcdf_calls():
                self.journal.write(rows)
                self.file.write(rows.values, first, first + rows.length)
                self.file.file.sync()
        except (OSError, RuntimeError) as error:  # a disk or a quota that is full all the same
            self.raise_disk_error(error)

    def begin_next_file(self) -> None:
        """Close the file that is full; the run goes on in the next one."""
        following = part_path(self.first_path, self.part + 1)
        try:
            self.close_file({"status": f"continued in {following.name}"})
            self.earlier += self.rows
            self.part += 1
            self.rows = 0
            self.points = [0] * len(self.points)
            self.open_file()
        except (OSError, RuntimeError) as error:
            self.raise_disk_error(error)

    def close_file(self, attributes: dict[str, Any], checkpoint: bytes = b"") -> None:
        """Close the netCDF file; when it is on the disk, its journal is not needed any more."""
        with netcdf_calls():
            self.file.close(attributes, checkpoint)
        sync_file(self.target)
        self.journal.remove()

    def count_copied(self, chunk: dict[str, np.ndarray]) -> None:
        """Count what is kept in memory; too much drops the copy."""
        self.copied_bytes += sum(values.nbytes for values in chunk.values())
        if self.copied_bytes > MAX_COPIED_BYTES:
            self.copy = None

    def end_at_full_disk(self) -> NoReturn:
        """Close the file while there is still room to close it, and raise StepError."""
        message = (
            f"the disk of {self.path} is full; the {self.files} the {self.samples} samples up to "
            "there"
        )
        try:
            self.finish_file({"status": message})
        except (OSError, RuntimeError) as error:
            self.raise_disk_error(error)
        words = self.kept_words() + self.hint_after_room
        raise StepError(message + words, self.kept(message))

    @property
    def hint_after_room(self) -> str:
        """How the run goes on, if it can."""
        return f". When there is room{self.resume_hint[1:]}" if self.checkpoint() else ""

    def raise_disk_error(self, error: Exception) -> NoReturn:
        """Raise StepError with what was computed. The file, which is damaged now, is made again of
        the samples that it held before, from its journal.
        """
        problem = f"{self.path} can no longer be written: {error}"
        with contextlib.suppress(OSError, RuntimeError), netcdf_calls():
            self.file.file.close()
        with contextlib.suppress(OSError):
            # it may still be open, and would keep its place on the disk
            os.truncate(self.target, 0)
            self.target.unlink()
        message = f"{problem}. {self.samples} samples are in the {self.files.split()[0]}"
        try:
            self.journal.close()
            self.make_again(message)
        except (OSError, RuntimeError, FileError):
            message = f"{problem}. The damaged file was removed; its journal holds the samples"
        if not self.rows:
            self.target.unlink(missing_ok=True)
            self.journal.remove()
            message = f"{problem}. Nothing was written"
            if self.earlier:
                message = f"{problem}. {self.earlier} samples are in the files before it"
        words = self.kept_words() + (self.hint_after_room if self.samples else "")
        raise StepError(message + words, self.kept(message))

    def make_again(self, status: str) -> None:
        """The file of the rows that were written, with where the run can go on."""
        source = JournalReader(journal_path(self.target))
        cut = Cut(self.rows, self.points)
        with netcdf_calls():
            made = write_part(self.target, source, cut(source), {"status": status})
            made.close({}, self.checkpoint())
        sync_file(self.target)
        self.journal.remove()
        remove_checkpoints(self.first_target)

    def kept_words(self) -> str:
        return ". What was computed is kept in memory (StepError.trajectory)" if self.copy else ""

    def kept(self, status: str) -> Trajectory | None:
        return self.copy.finish({"status": status}) if self.copy and self.copy.chunks else None

    def finish_file(self, attributes: dict[str, Any]) -> None:
        """Close the file with its last attributes; it holds what its checkpoint does."""
        self.close_file(attributes, self.checkpoint())
        remove_checkpoints(self.first_target)

    def abandon(self, status: str) -> None:
        """Close the file of a run that broke off, with this status."""
        with contextlib.suppress(OSError, RuntimeError):
            self.finish_file({"status": status})

    def finish(self, attributes: dict[str, Any]) -> Trajectory:
        """Close the file with its last attributes, and read it."""
        try:
            self.finish_file(attributes)
        except (OSError, RuntimeError) as error:
            self.raise_disk_error(error)
        trajectory = Trajectory.load(self.first_path)
        trajectory._problem = self.schema.problem
        return trajectory


Recorder = MemoryRecorder | FileRecorder
