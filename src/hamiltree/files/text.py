"""Text of a file, in UTF-8 and of a size that fits memory."""

from __future__ import annotations

import os

from hamiltree.errors import FileError
from hamiltree.files.missing import describe_unreadable

SIZE_LIMIT = 256 * 2**20  # bytes


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file, without a byte order mark."""
    source = os.fspath(path)
    try:
        with open(path, "rb") as file:
            content = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise FileError(describe_unreadable(path, error)) from error
    if len(content) > SIZE_LIMIT:
        raise FileError(
            f"{source}: larger than {SIZE_LIMIT // 2**20} MB; build a model of this size in Python"
        )
    return decode_utf8(content, source, "utf-8-sig")


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
