"""Where results go: into memory, or into files that survive whatever happens.

Beside the file of a study, `study.nc`, is a folder `study.nc.parts` while it runs. Every block of
members that is finished is a file of it, whole and on the disk before it has its name: that name is
the mark. When all members are there, they are written into the netCDF file and the folder is
removed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hamiltree.console import delayed_signals
from hamiltree.errors import FileError, OptionError, spell_option
from hamiltree.files.durable import pack, replace_durably, unpack, write_durably
from hamiltree.studies.definition import Definition
from hamiltree.studies.results import MEMBER, STATUS, Block, schema_of
from hamiltree.studies.room import MEMORY_SHARE, gigabytes, physical_memory
from hamiltree.trajectory.netcdf import RUN_SUFFIXES, writable_path
from hamiltree.trajectory.netcdf_calls import LibraryLock, netcdf_calls

MAGIC = b"hamiltree study part 1\n"
PART = re.compile(r"(\d+)-(\d+)\.part")
MANIFEST = "study.json"
IDENTITY = "identity"
SPARE_BYTES = 2**24
ABOUT = {  # what a file says of its study
    "the version of hamiltree": "source_hash",
    "the problem": "model",
    "what varies": "names",
    "how many members there are": "axes",
    "a setting": "settings",
    "an input": "inputs",
    "an option": "options",
    "what is kept": "keep",
    "an event": "events",
}
FEW_MEMBERS = 4096  # rows that are written into the netCDF file at a time


# ---- whether there is room -----------------------------------------------------------------------
def check_room(definition: Definition, count: int, output: Any, is_allowed: bool) -> None:
    """Refuse a study of so many members like those of this one, where memory, or the disk of its
    file, is too small for it; whether the file may exist.
    """
    if output is None:
        check_memory(definition, count)
    else:
        check_disk(definition, count, writable_path(output, is_allowed))


def parts_folder(path: Path) -> Path:
    """The folder of the finished blocks of a study."""
    return path.with_name(path.name + ".parts")


def is_begun(output: Any) -> bool:
    """Whether there is something of a study that a file holds, or a folder beside it."""
    path = Path(output)
    return path.is_file() or parts_folder(path).is_dir()


def check_memory(definition: Definition, count: int) -> None:
    """Results, and the numbers that vary."""
    numbers = len(definition.design.columns)
    needed = count * (schema_of(definition).bytes_per_member + 8 * numbers)
    available = physical_memory()
    if available and needed > MEMORY_SHARE * available:
        raise OptionError(
            f"{count} members take {gigabytes(needed)} and this machine has "
            f"{gigabytes(available)} of memory; keep less, or give output, a file"
        )


def check_disk(definition: Definition, count: int, path: Path) -> None:
    """Members are there twice while the file is made."""
    needed = 2 * count * schema_of(definition).bytes_per_member
    free = shutil.disk_usage(path.resolve().parent).free
    if needed + SPARE_BYTES > free:
        raise FileError(
            f"{path}: {count} members take {gigabytes(needed)} while they are written, and the "
            f"disk has {gigabytes(free)}; keep less, or fewer members"
        )


# ---- results -------------------------------------------------------------------------------------
class MemoryStore:
    """Keeps blocks in memory."""

    path: Path | None = None
    folder: Path | None = None
    is_complete = False  # a file that holds all members

    def __init__(self, definition: Definition):
        """Refused where memory is too small."""
        check_memory(definition, definition.count)
        self.kept: dict[int, Block] = {}

    def add(self, block: Block) -> None:
        self.kept[block.first] = block

    def blocks(self) -> Iterator[Block]:
        yield from (self.kept[first] for first in sorted(self.kept))

    def done(self) -> list[tuple[int, int]]:
        return [(block.first, block.last) for block in self.blocks()]


class FileStore:
    """Keeps blocks in the folder beside the file of a study."""

    def __init__(self, definition: Definition, path: Any, force: bool, resume: bool):
        """A new folder, or that of a study which goes on; a file that exists is kept unless
        forced.
        """
        self.definition = definition
        self.path = Path(path)
        if self.path.suffix.lower() not in RUN_SUFFIXES:
            raise OptionError(
                f"{self.path}: a study is written to a netCDF file; end its name in "
                f"{' or '.join(RUN_SUFFIXES)}"
            )
        self.folder = parts_folder(self.path)
        self.check_names()
        if resume and not definition.about["model"]:
            raise FileError(
                f"{self.path}: a problem with Python functions has no text by which it could be "
                "known again; leave out resume"
            )
        self.is_complete = resume and self.path.is_file() and not self.folder.is_dir()
        target = writable_path(self.path, force or resume)
        if self.is_complete:
            self.check_identity(read_attributes(self.path))
            return
        check_disk(definition, definition.count, target)
        if resume and self.folder.is_dir():
            self.check_identity(self.read_manifest())
        elif resume:
            raise FileError(f"{self.path}: there is nothing to resume; leave out resume")
        elif self.folder.is_dir() and not force:
            raise FileError(
                f"{self.folder} holds members of a study that was not finished; go on with "
                f"{spell_option('resume')}, or remove it with {spell_option('force')}"
            )
        else:
            self.create_folder()

    def create_folder(self) -> None:
        """With its manifest at once: made beside its place and renamed, so that a process which is
        killed here leaves no folder that cannot be resumed.
        """
        about = {**self.definition.about, "members": self.definition.count}
        beside = self.folder.resolve().with_name(f".{self.folder.name}.{os.getpid()}")
        shutil.rmtree(beside, ignore_errors=True)
        try:
            beside.mkdir()
            write_durably(beside / MANIFEST, json.dumps(about, indent=1).encode())
            shutil.rmtree(self.folder, ignore_errors=True)
            beside.rename(self.folder)
        except OSError as error:
            raise FileError(f"{self.folder} cannot be made: {error.strerror or error}") from None
        finally:
            shutil.rmtree(beside, ignore_errors=True)

    def check_names(self) -> None:
        """A file has no names with a slash: it would hold a group."""
        wrong = next((name for name in self.definition.design.columns if "/" in name), None)
        if wrong is not None:
            raise OptionError(
                f"vary: {wrong!r} cannot be the name of a variable in a file, because of its /; "
                "leave out output"
            )

    def read_manifest(self) -> dict[str, Any]:
        try:
            found = json.loads((self.folder / MANIFEST).read_bytes())
            return {IDENTITY: found[IDENTITY], **found}
        except (OSError, ValueError, KeyError, TypeError):
            raise FileError(f"{self.folder} holds no study; remove it") from None

    def check_identity(self, found: dict[str, Any]) -> None:
        """Say what differs."""
        own = self.definition.about
        if found.get(IDENTITY) == own[IDENTITY]:
            return
        words = [word for word, key in ABOUT.items() if found.get(key) != own[key]]
        what = ", ".join(words) or "a number that varies or a reduction of yours"
        verb = "differs" if len(words) < 2 else "differ"
        raise FileError(
            f"{self.path} is of another study: {what} {verb}; give another file, or begin anew "
            f"with {spell_option('force')}"
        )

    # ---- parts -----------------------------------------------------------------------------------
    def add(self, block: Block) -> None:
        """Write a block; when this returns it is on the disk."""
        path = self.folder / f"{block.first:012d}-{block.last:012d}.part"
        names = list(block.values)
        arrays = [as_plain(block.values[name]) for name in names]
        header = {"names": names, IDENTITY: self.definition.about[IDENTITY]}
        content = pack(MAGIC, header, [*arrays, np.array(block.status, dtype=str)])
        beside = self.folder / f".{path.name}.{os.getpid()}"
        try:
            write_durably(path, content, beside)
        except OSError as error:
            raise FileError(f"{path} cannot be written: {error.strerror or error}") from None

    def parts(self) -> list[tuple[int, int, Path]]:
        """Range and file of every block, in order."""
        found = [(PART.fullmatch(path.name), path) for path in self.folder.iterdir()]
        return sorted((int(m[1]), int(m[2]), path) for m, path in found if m)

    def blocks(self) -> Iterator[Block]:
        """All that are whole and of this study; one that is damaged is missing."""
        for first, last, path in self.parts():
            try:
                header, arrays = unpack(MAGIC, path.read_bytes(), str(path))
            except FileError:
                path.unlink()
                continue
            *values, status = arrays
            is_own = header.get(IDENTITY) == self.definition.about[IDENTITY]
            if is_own and len(status) == last - first:
                named = dict(zip(header["names"], values, strict=True))
                yield Block(first, named, [str(word) for word in status])

    def done(self) -> list[tuple[int, int]]:
        """Ranges of members that need not run again."""
        if self.is_complete:
            return [(0, self.definition.count)]
        return [(block.first, block.last) for block in self.blocks()]

    # ---- the file --------------------------------------------------------------------------------
    def finish(self, attributes: dict[str, Any]) -> None:
        """Write the netCDF file from the parts, some members at a time, and remove them."""
        import netCDF4

        beside = self.path.resolve().with_name(f".{self.path.name}.{os.getpid()}.part")
        try:
            with netcdf_calls(), netCDF4.Dataset(beside, "w") as file:
                create_variables(file, self.definition)
                for block in self.blocks():
                    write_block(file, block)
                file.setncatts(attributes)
            with delayed_signals():  # a folder without its manifest could not be resumed
                replace_durably(beside, self.path.resolve())
                shutil.rmtree(self.folder, ignore_errors=True)
                self.is_complete = True
        except (OSError, RuntimeError) as error:
            raise FileError(f"{self.path} cannot be written: {error}; the parts are kept") from None
        finally:
            beside.unlink(missing_ok=True)


def as_plain(values: np.ndarray) -> np.ndarray:
    return values.astype(str) if values.dtype == object else values


def create_variables(file: Any, definition: Definition) -> None:
    """Dimensions, labels, parameters and empty variables."""
    schema, columns = schema_of(definition), definition.design.columns
    file.createDimension(MEMBER, definition.count)
    for name, size in schema.sizes.items():
        if any(name in output.dimensions for output in schema.outputs.values()):
            file.createDimension(name, size)
    for name, (dimension, labels) in schema.coordinates().items():
        kind = "f8" if name == "time" else str
        file.createVariable(name, kind, (dimension,))[:] = np.array(labels)
    for name, column in {MEMBER: np.arange(definition.count), **columns}.items():
        kind = str if column.dtype == object else column.dtype.str[1:]
        made = file.createVariable(name, kind, (MEMBER,))
        made[:] = column
    rows = min(FEW_MEMBERS, definition.count)
    for name, output in schema.outputs.items():
        dimensions = (MEMBER, *output.dimensions)
        is_text = output.is_text
        made = file.createVariable(
            name,
            str if is_text else "f8",
            dimensions,
            **(
                {} if is_text else {"fill_value": np.nan, "chunksizes": (rows, *schema.shape(name))}
            ),
        )
        made.coordinates = " ".join(columns)
    file.createVariable(STATUS, str, (MEMBER,)).coordinates = " ".join(columns)


def write_block(file: Any, block: Block) -> None:
    rows = slice(block.first, block.last)
    for name, values in block.values.items():
        file.variables[name][rows] = values.astype(object) if values.dtype.kind == "U" else values
    file.variables[STATUS][rows] = np.array(block.status, dtype=object)


def read_attributes(path: Path) -> dict[str, Any]:
    """What the file of a study says of it."""
    import xarray as xr

    try:
        with (
            netcdf_calls(),
            xr.open_dataset(path, engine="netcdf4", decode_times=False, lock=LibraryLock()) as file,
        ):
            return dict(file.attrs)
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: not a readable netCDF file ({error})") from None
