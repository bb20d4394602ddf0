"""Files that survive: bytes that are on the disk when a function returns, with a checksum, and
names that change only when what they name is whole.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hamiltree.errors import FileError

LENGTHS = struct.Struct("<QQ")  # of the header and of the arrays
CHECKSUM = struct.Struct("<I")


def sync_folder(path: Path) -> None:
    """Make a change of names in the folder of this file durable, where the system can do that."""
    with contextlib.suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def sync_file(path: Path) -> None:
    """Make what was written to a file durable, and its name."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())
    sync_folder(path)


def write_durably(path: Path, content: bytes, beside: Path | None = None) -> None:
    """Write beside the file, fsync, rename: the name leads to the old or to the new bytes."""
    beside = beside or part_name(path)
    try:
        with open(beside, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path)


def replace_durably(made: Path, path: Path) -> None:
    """Give a file that was written under another name its own, when it is on the disk."""
    sync_file(made)
    os.replace(made, path)
    sync_folder(path)


def part_name(path: Path) -> Path:
    """Where a file is written before it has its name; one that was left there is overwritten."""
    return path.with_name(f".{path.name}.part")


# ---- a header and arrays as bytes ----------------------------------------------------------------
def pack(magic: bytes, header: dict[str, Any], arrays: Sequence[np.ndarray]) -> bytes:
    """A word that says what it is, lengths, a header as JSON, arrays as they are in memory, CRC."""
    kept = [np.ascontiguousarray(array) for array in arrays]
    about = [[array.dtype.str, list(array.shape)] for array in kept]
    text = json.dumps({**header, "arrays": about}).encode()
    numbers = b"".join(array.tobytes() for array in kept)
    whole = magic + LENGTHS.pack(len(text), len(numbers)) + text + numbers
    return whole + CHECKSUM.pack(zlib.crc32(whole))


def unpack(magic: bytes, content: bytes, what: str) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The header and the arrays; FileError if a byte is missing or another."""
    begin = len(magic) + LENGTHS.size
    if not content.startswith(magic) or len(content) < begin + CHECKSUM.size:
        raise FileError(f"{what} is no checkpoint of hamiltree")
    text, numbers = LENGTHS.unpack_from(content, len(magic))
    end = begin + text + numbers
    if len(content) != end + CHECKSUM.size:
        raise FileError(f"{what} is torn: it has {len(content)} bytes of {end + CHECKSUM.size}")
    if CHECKSUM.unpack_from(content, end)[0] != zlib.crc32(memoryview(content)[:end]):
        raise FileError(f"{what} is damaged: its checksum is wrong")
    header = json.loads(content[begin : begin + text])
    at, arrays = begin + text, []
    for kind, shape in header.pop("arrays"):
        count = int(np.prod(shape, dtype=np.int64))
        arrays.append(np.frombuffer(content, np.dtype(kind), count, at).reshape(shape).copy())
        at += arrays[-1].nbytes
    return header, arrays
