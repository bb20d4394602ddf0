"""The version, read from the installed package."""

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

try:
    __version__ = version("hamiltree")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+source"


@cache
def source_hash() -> str:
    """Twelve hexadecimal digits of all sources of the package, for the provenance of a run."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(f"\n{path.relative_to(package).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]
