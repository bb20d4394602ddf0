"""Kernels that come with the package: one file of compiled code for a common processor, looked up
where the user's cache has none.

`python -m hamiltree.compiled.shipped_kernels FOLDER FILE` packs the kernels of a cache folder (make
wheel). Each kernel is compressed by itself, so a run unpacks what it needs. The file is used only
if the Python, the Numba and the modules that emit code are those that it was made with, the
processor has the features, and no setting of Numba's differs; each kernel only if its contents are
current.
"""

import hashlib
import json
import lzma
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from hamiltree.compiled.cache import Compiler, SavedKernel, compiler, from_bytes, saved_versions
from hamiltree.compiled.fingerprint import Choice, Contents, is_current

FILE = Path(__file__).parent / "kernels.bin"
MAGIC = b"hamiltree catalogue 1\n"
# What an x86-64-v3 processor can do, in LLVM's words.
FEATURES = (
    *("sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cx16", "sahf"),
    *("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"),
)


class ShippedKernel(NamedTuple):
    """One kernel in the file."""

    contents: Contents
    start: int
    length: int
    checksum: str


# ---- looking up ----------------------------------------------------------------------------------
def find(name: str, signature: str, method_now) -> SavedKernel | None:
    for shipped in index().get(f"{name}/{signature}", ()):
        if is_current(shipped.contents, method_now):
            code = decompress_kernel(shipped)
            return None if code is None else SavedKernel(shipped.contents, code)
    return None


def decompress_kernel(shipped: ShippedKernel) -> bytes | None:
    """The code, if it is what was packed."""
    with FILE.open("rb") as file:
        file.seek(shipped.start)
        packed = file.read(shipped.length)
    if hashlib.sha256(packed).hexdigest() != shipped.checksum:
        return None
    return lzma.decompress(packed)


@cache
def index() -> dict[str, list[ShippedKernel]]:
    """What the file holds; nothing if there is none, or if it does not fit this machine."""
    try:
        with FILE.open("rb") as file:
            return read_index(file)
    except OSError:
        return {}


def read_index(file) -> dict[str, list[ShippedKernel]]:
    """Kernels of a file by name and signature; empty if it is damaged or of another compiler."""
    head = file.read(len(MAGIC) + 8 + 32)
    if not head.startswith(MAGIC):
        return {}
    length = int.from_bytes(head[len(MAGIC) : len(MAGIC) + 8], "little")
    checksum = head[len(MAGIC) + 8 :]
    packed = file.read(length)
    if hashlib.sha256(packed).digest() != checksum:
        return {}
    made_by, functions, choices, kernels = json.loads(lzma.decompress(packed))
    if not is_usable_here(made_by):
        return {}
    known = [Choice(generic, tuple(kinds), method) for generic, kinds, method in choices]
    start = len(head) + length

    def shipped(its_functions, its_choices, at, size, digest) -> ShippedKernel:
        contents = Contents(
            dict(functions[k] for k in its_functions), frozenset(known[k] for k in its_choices)
        )
        return ShippedKernel(contents, start + at, size, digest)

    return {key: [shipped(*each) for each in found] for key, found in kernels.items()}


def is_usable_here(made_by: dict[str, Any]) -> bool:
    """Whether this process would have compiled the same, but for the processor, which must be able
    to run it.
    """
    here = compiler()
    same = all(
        made_by[name] == getattr(here, name)
        for name in ("python", "numba", "llvmlite", "machine", "settings", "triple")
    )
    return same and targets_host_processor(here) and has_needed_features(here.features)


def targets_host_processor(here: Compiler) -> bool:
    """Whether code is made for the processor at hand, and not for one that the user has named."""
    from llvmlite import binding as llvm

    return here.processor == llvm.get_host_cpu_name()


def has_needed_features(features: str) -> bool:
    able = {word[1:] for word in features.split(",") if word.startswith("+")}
    return able.issuperset(FEATURES)


# ---- packing -------------------------------------------------------------------------------------
def pack(folder: Path, file: Path, made_by: Compiler) -> tuple[int, int]:
    """Every current kernel of a folder of the cache into one file; how many there are, and
    bytes.
    """
    functions: dict[tuple[str, str], int] = {}
    choices: dict[Choice, int] = {}
    kernels: dict[str, list] = {}
    blobs, at = [], 0
    for path in sorted(folder.glob("*/*/*.kernel")):
        saved = from_bytes(path.read_bytes())
        if (
            saved is None
            or path != saved_versions(path.parent)[0]
            or path.parts[-3].startswith("hamiltree_expression")
        ):
            continue
        blob = lzma.compress(saved.code, preset=9)
        own = [
            functions.setdefault(item, len(functions))
            for item in sorted(saved.contents.functions.items())
        ]
        chosen = [
            choices.setdefault(choice, len(choices)) for choice in sorted(saved.contents.choices)
        ]
        key = f"{path.parts[-3]}/{path.parts[-2]}"
        kernels.setdefault(key, []).append(
            [own, chosen, at, len(blob), hashlib.sha256(blob).hexdigest()]
        )
        blobs.append(blob)
        at += len(blob)
    packed = lzma.compress(
        json.dumps([made_by._asdict(), list(functions), list(choices), kernels]).encode()
    )
    head = MAGIC + len(packed).to_bytes(8, "little") + hashlib.sha256(packed).digest()
    file.write_bytes(head + packed + b"".join(blobs))
    return len(blobs), file.stat().st_size


if __name__ == "__main__":
    count, size = pack(Path(sys.argv[1]), Path(sys.argv[2]), compiler())
    print(f"{count} kernels, {size / 1e6:.1f} MB")
