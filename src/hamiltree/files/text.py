"""The one door through which files of unknown origin are read: plain files, of a size that fits
memory, text in UTF-8.
"""

from __future__ import annotations

import errno
import os
import stat

from hamiltree.errors import FileError
from hamiltree.files.missing import describe_unreadable

SIZE_LIMIT = 96 * 2**20  # bytes


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file, without a byte order mark."""
    content = read_bytes(path, SIZE_LIMIT, "build a model of this size in Python")
    return decode_utf8(content, os.fspath(path), "utf-8-sig")


def read_bytes(path: str | os.PathLike[str], limit: int, remedy: str) -> bytes:
    """What a plain file holds; one of more than `limit` bytes is refused before it is read."""
    size = check_plain_file(path)
    try:
        with open(path, "rb") as file:
            content = file.read(limit + 1) if size <= limit else b""
    except OSError as error:
        raise FileError(describe_unreadable(path, error)) from error
    if max(size, len(content)) > limit:
        raise FileError(f"{os.fspath(path)}:1: larger than {limit // 2**20} MB; {remedy}")
    return content


def check_plain_file(path: str | os.PathLike[str]) -> int:
    """The size of a plain file; refuses what is not there, and pipes and devices, of which reading
    may never end.
    """
    try:
        about = os.stat(path)
        if not stat.S_ISREG(about.st_mode) and not stat.S_ISDIR(about.st_mode):
            raise OSError(errno.EINVAL, "it is not a plain file")
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        raise FileError(describe_unreadable(path, error)) from error
    return about.st_size if stat.S_ISREG(about.st_mode) else 0


def decode_utf8(content: bytes, source: str, encoding: str = "utf-8") -> str:
    """The text of some bytes; those that are not UTF-8 are refused with their line."""
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        raise FileError(
            f"{source}:{line}: not UTF-8 (byte 0x{byte:02x}); save the file as UTF-8"
        ) from None
