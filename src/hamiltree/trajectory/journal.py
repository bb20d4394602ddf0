"""The journal of a file that is being written: every sample and every point of a section, appended
to a plain file with checksums.

A netCDF file that is killed while it is written may be damaged as a whole, since its tables are
changed in place. A journal only grows: all that was appended before can be read, whatever happens,
and the netCDF file can be made again from it. It holds what one file holds, and is removed when
that is closed.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hamiltree.errors import FileError
from hamiltree.files.durable import part_name
from hamiltree.trajectory.variables import Schema

MAGIC = b"hamiltree journal 2\n"
RECORD = struct.Struct("<qqq")  # section (SAMPLES: none), rows, bytes of what follows
CHECKSUM = struct.Struct("<I")  # CRC of both, behind them
SAMPLES, HEADER = -1, -2


def journal_path(path: Path) -> Path:
    return path.with_name(path.name + ".journal")


def lock(file: Any, path: Path) -> None:
    """Keep other processes from writing this run, where the system has such locks; FileError if one
    does.
    """
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise FileError(f"{path}: another process is writing this run; wait for its end") from None
    except OSError:  # a file system without locks
        return


@contextlib.contextmanager
def run_lock(path: Path) -> Iterator[None]:
    """Keep other processes from resuming the run of this file or adding to it meanwhile; FileError
    if one does.
    """
    place = lock_path(path)
    file = None
    while file is None or not is_same_file(file, place):  # the last one has removed it just now
        if file is not None:
            file.close()
        try:
            file = os.fdopen(os.open(place, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0)
        except OSError as error:
            words = f"{path}: cannot be changed there: {error.strerror or error}"
            raise FileError(words) from None
        lock(file, path)
    with file:
        try:
            yield
        finally:
            if is_same_file(file, place):
                with contextlib.suppress(OSError):  # some systems keep open files
                    place.unlink()


def lock_path(path: Path) -> Path:
    """A file that is there while a run is resumed or added to."""
    return path.with_name(f".{path.name}.lock")


def is_same_file(file: Any, path: Path) -> bool:
    """Whether an open file still has this name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def is_being_written(path: Path) -> bool:
    """Whether a process writes the run of this file now."""
    try:
        with open(journal_path(path), "rb") as file:
            lock(file, path)
    except OSError:
        return False
    except FileError:
        return True
    return False


class Rows(NamedTuple):
    """Samples, or points of one section, by the names of their variables."""

    section: int  # SAMPLES, or its number
    length: int
    values: dict[str, np.ndarray]

    def first(self, length: int) -> Rows:
        """The first of them alone."""
        kept = {name: values[:length] for name, values in self.values.items()}
        return Rows(self.section, min(length, self.length), kept)


class Journal:
    """Appends rows. What `sync` has seen is on the disk."""

    def __init__(self, path: Path, schema: Schema, attributes: dict[str, Any]):
        """A new journal, in place of an older one."""
        self.path = path
        self.file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0)
        lock(self.file, path)
        self.file.truncate(0)
        self.append_bytes(MAGIC)
        about = {
            "variables": schema.variables,
            "labels": schema.labels,
            "sections": schema.sections,
            "attributes": attributes,
        }
        text = json.dumps(about).encode()
        self.append_record(HEADER, 0, text)

    @classmethod
    def create(cls, path: Path, schema: Schema, attributes: dict[str, Any]) -> Journal:
        """A new journal, which has its name when its beginning is whole."""
        made = cls(part_name(path), schema, attributes)
        os.replace(made.path, path)
        made.path = path
        return made

    @classmethod
    def reopen(cls, path: Path) -> Journal:
        """A journal that is whole, to append to it."""
        made = cls.__new__(cls)
        made.path = path
        made.file = open(path, "r+b", buffering=0)  # noqa: SIM115
        lock(made.file, path)
        made.file.seek(0, os.SEEK_END)
        return made

    def write(self, rows: Rows) -> None:
        kept = (np.ascontiguousarray(values, dtype="<f8") for values in rows.values.values())
        self.append_record(rows.section, rows.length, b"".join(part.tobytes() for part in kept))

    def append_record(self, section: int, rows: int, content: bytes) -> None:
        record = RECORD.pack(section, rows, len(content)) + content
        self.append_bytes(record + CHECKSUM.pack(zlib.crc32(record)))

    def append_bytes(self, content: bytes) -> None:
        """All of it, or nothing: what a full disk has taken of it is cut off again."""
        begin, left = self.file.tell(), memoryview(content)
        try:
            while left:
                left = left[self.file.write(left) :]
        except OSError:
            with contextlib.suppress(OSError):
                self.file.seek(begin)
                self.file.truncate()
            raise

    def sync(self) -> None:
        os.fsync(self.file.fileno())

    def close(self) -> None:
        self.file.close()

    def remove(self) -> None:
        self.file.close()
        self.path.unlink(missing_ok=True)


class JournalReader:
    """What a journal holds, up to the first record that is torn."""

    def __init__(self, path: Path):
        """Read the header; FileError if there is none."""
        self.path = path
        try:
            with open(path, "rb") as file:
                is_journal = file.read(len(MAGIC)) == MAGIC
                record = next(read_records(file), None) if is_journal else None
        except OSError as error:
            raise FileError(f"{path} cannot be read: {error.strerror}") from None
        if record is None or record[0] != HEADER:
            raise FileError(f"{path} is no journal of hamiltree, or its beginning is torn")
        about = json.loads(record[2])
        variables = {name: (tuple(dims), unit) for name, (dims, unit) in about["variables"].items()}
        sections = tuple(about["sections"])
        self.schema = Schema(None, variables, about["labels"], sections)
        self.attributes: dict[str, Any] = about["attributes"]

    def __iter__(self) -> Iterator[Rows]:
        """Rows in the order in which they were written."""
        with open(self.path, "rb") as file:
            file.seek(len(MAGIC))
            for section, count, content in read_records(file):
                if section != HEADER:
                    yield self.rows(section, count, content)

    def __enter__(self) -> JournalReader:
        return self

    def __exit__(self, *error: Any) -> None:
        """Nothing is open between two readings."""

    @property
    def samples(self) -> int:
        """How many there are."""
        return sum(rows.length for rows in self if rows.section == SAMPLES)

    def rows(self, section: int, count: int, content: bytes) -> Rows:
        """The numbers of a record by the names of their variables."""
        schema, made, at = self.schema, {}, 0
        dimensions = {name: dims for name, (dims, _) in schema.variables.items()}
        if section != SAMPLES:
            own = f"section{section}_"
            known = schema.section_variables()
            dimensions = {name: dims for name, dims in known.items() if name.startswith(own)}
        for name, dims in dimensions.items():
            shape = (count, *(len(schema.labels[each]) for each in dims[1:]))
            size = int(np.prod(shape))
            made[name] = np.frombuffer(content, "<f8", size, at).reshape(shape)
            at += 8 * size
        return Rows(section, count, made)


def read_records(file: Any) -> Iterator[tuple[int, int, bytes]]:
    """Records that are whole."""
    size = os.fstat(file.fileno()).st_size
    while len(about := file.read(RECORD.size)) == RECORD.size:
        section, rows, length = RECORD.unpack(about)
        if not 0 <= length <= size - file.tell() - CHECKSUM.size:
            return
        content = file.read(length)
        if file.read(CHECKSUM.size) != CHECKSUM.pack(zlib.crc32(content, zlib.crc32(about))):
            return
        yield section, rows, content
