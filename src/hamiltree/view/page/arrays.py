"""The binary block of a page: typed arrays one after the other, compressed.

Numbers of a motion are rounded to 65536 levels (2³² where that is too coarse) between the least and
the largest of each channel, and written as differences in time, modulo the range, channel by
channel: smooth motions compress well, and nothing but the rounding is lost. Arrays with a
NaN or an infinity are kept as they are.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

COMPRESSION = 6
ALIGNMENT = 8  # bytes
LEVELS = {"uint16": 2**16 - 1, "uint32": 2**32 - 1}
WORDS = {"f8": "float64", "f4": "float32", "u4": "uint32", "i4": "int32", "u2": "uint16"}


class ArrayBlock:
    """Arrays that are added get a description, by which the page finds them."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.length = 0

    def add(self, values: np.ndarray, kind: str) -> dict[str, Any]:
        """An array as it is, of the type f8, f4, u4, i4 or u2."""
        array = np.ascontiguousarray(values, dtype=f"<{kind}")
        return {
            "at": self.append(array.tobytes()),
            "type": WORDS[kind],
            "shape": list(array.shape),
        }

    def add_rounded(self, values: np.ndarray, largest_error: float = np.inf) -> dict[str, Any]:
        """An array (time, …) by channels, rounded to 16 bits, or to 32 where the error of 16 bits
        would be larger than given; as it is where a number is not finite.
        """
        channels = np.asarray(values, dtype=float).reshape(len(values), -1).T
        if not np.isfinite(2.0 * float(np.abs(channels).max(initial=0.0))):
            return self.add(values, "f8")
        low = channels.min(axis=1, initial=np.inf)
        low = np.where(np.isfinite(low), low, 0.0)
        span = np.maximum(channels.max(axis=1, initial=-np.inf), low) - low
        coarse = float(span.max(initial=0.0)) / LEVELS["uint16"] / 2.0
        kind = "uint16" if coarse <= largest_error else "uint32"
        step = span / LEVELS[kind]
        divisor = np.where(step > 0.0, step, 1.0)
        levels = np.rint((channels - low[:, None]) / divisor[:, None]).astype(kind)
        differences = np.diff(levels, axis=1, prepend=levels.dtype.type(0))
        return {
            "at": self.append(np.ascontiguousarray(differences).tobytes()),
            "type": kind,
            "shape": list(values.shape),
            "low": self.add(low, "f8"),
            "step": self.add(step, "f8"),
        }

    def append(self, content: bytes) -> int:
        """Where the bytes begin."""
        start = self.length
        padding = -len(content) % ALIGNMENT
        self.parts += [content, bytes(padding)]
        self.length += len(content) + padding
        return start

    def encode(self) -> str:
        """All of it, deflated, in base64."""
        return base64.b64encode(zlib.compress(b"".join(self.parts), COMPRESSION)).decode("ascii")


def read_array(content: bytes, about: dict[str, Any]) -> np.ndarray:
    """What a page finds under a description: the inverse of `add` and `add_rounded`."""
    shape = tuple(about["shape"])
    count = int(np.prod(shape))
    kind = np.dtype(about["type"]).newbyteorder("<")
    plain = np.frombuffer(content, kind, count, about["at"])
    if "low" not in about:
        return plain.reshape(shape)
    low, step = (read_array(content, about[name]) for name in ("low", "step"))
    levels = np.cumsum(plain.reshape(len(low), -1), axis=1, dtype=kind)
    return (low[:, None] + step[:, None] * levels).T.reshape(shape)


def decode(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))
