"""Where compiled code is kept between processes, and under which name.

Numba notices an edited function only in the file of the kernel itself, never in what the kernel calls. So the folder is named after a
hash of every source that holds kernels, of the compiler's version and of its settings; and where methods come from outside the package
(a user's law), a hash of their sources stands in the file names.
"""

import hashlib
import inspect
import os
import pickle
import re
import shutil
import sys
import tempfile
from pathlib import Path

import llvmlite
import numba
from numba import config
from numba.core.caching import FunctionCache, IndexDataCacheFile

PACKAGE = Path(__file__).parent
ROOMS_WITH_KERNELS = ("algebra", "forces", "formulations", "integrators")
SETTINGS = ("OPT", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX", "DEBUGINFO_DEFAULT", "CPU_NAME", "CPU_FEATURES")
FOLDER_NAME = re.compile("[0-9a-f]{12}")


# ---- the folder ------------------------------------------------------------------------------------------------------------
def kernel_sources() -> list[Path]:
    """Every file whose text can change what a kernel computes."""
    rooms = [path for room in ROOMS_WITH_KERNELS for path in sorted((PACKAGE / room).rglob("*.py"))]
    return [PACKAGE / "cache.py", PACKAGE / "kernel.py", PACKAGE / "verbs.py", *rooms]


def source_hash() -> str:
    """Twelve hexadecimal digits that change with any kernel source, compiler setting or compiler version."""
    settings = [(name, getattr(config, name, None)) for name in SETTINGS]
    digest = hashlib.sha256(repr((settings, numba.__version__, llvmlite.__version__)).encode())
    for path in kernel_sources():
        digest.update(f"\n{path.relative_to(PACKAGE)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def cache_root() -> Path:
    """HAMILTREE_CACHE_DIR, Numba's own setting, or the user's cache folder; a folder for temporary files if none of them can be written."""
    chosen = os.environ.get("HAMILTREE_CACHE_DIR") or config.CACHE_DIR
    for folder in (Path(chosen) if chosen else user_cache(), Path(tempfile.gettempdir()) / f"hamiltree-{user_id()}"):
        try:
            folder = folder.expanduser().resolve()
            (folder / SOURCE_HASH).mkdir(mode=0o700, parents=True, exist_ok=True)
            if not is_private(folder):
                continue
            with tempfile.TemporaryFile(dir=folder / SOURCE_HASH):
                return folder
        except (OSError, RuntimeError):
            continue
    return Path(tempfile.mkdtemp(prefix="hamiltree-"))


def is_private(folder: Path) -> bool:
    """Whether nobody else can put compiled code there: another user's folder, or one that all may write to, is not trusted."""
    if not hasattr(os, "getuid"):
        return True
    return all(part.stat().st_uid in (os.getuid(), 0) and not part.stat().st_mode & 0o002 for part in (folder, folder / SOURCE_HASH))


def user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~")) / "hamiltree"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "hamiltree"


def user_id() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


SOURCE_HASH = source_hash()
CACHE = cache_root() / SOURCE_HASH


def remove_other_caches() -> int:
    """Delete what other versions of the sources have compiled; the number of folders removed."""
    others = [folder for folder in CACHE.parent.iterdir() if folder.is_dir() and folder != CACHE and FOLDER_NAME.fullmatch(folder.name)]
    for folder in others:
        shutil.rmtree(folder, ignore_errors=True)
    return len(others)


# ---- methods from outside the package -----------------------------------------------------------------------------------------
OUTSIDE: set[str] = set()


def is_own(path: Path) -> bool:
    return PACKAGE in path.resolve().parents


def note_outside(function) -> None:
    """Remember the source of a method that is not the package's own; the whole file, because it may call more of it."""
    path = Path(inspect.getsourcefile(function) or "")
    if is_own(path):
        return
    OUTSIDE.add(path.read_text(errors="replace") if path.is_file() else repr((function.__code__.co_code, function.__code__.co_consts)))


def outside_hash() -> str:
    return hashlib.sha256("\n".join(sorted(OUTSIDE)).encode()).hexdigest()[:12] if OUTSIDE else ""


# ---- the files -----------------------------------------------------------------------------------------------------------------
class CacheFiles(IndexDataCacheFile):
    """One file for every compiled signature, named after it. Numba's own index is not used: two processes could mix up its numbers,
    and one entry with a type that cannot be imported makes all of it unreadable."""

    def name_of(self, key) -> str:
        digest = hashlib.sha256(repr((key, self._source_stamp)).encode()).hexdigest()[:20]
        return f"{self._index_name.removesuffix('.nbi')}.{digest}.nbc"

    def load(self, key):
        try:
            return self._load_data(self.name_of(key))
        except (OSError, EOFError, ImportError, AttributeError, pickle.UnpicklingError):
            return None  # absent or damaged: compiled anew

    def save(self, key, data):
        self._save_data(self.name_of(key), data)

    def flush(self):
        """There is no index to empty."""


class KernelCache(FunctionCache):
    """Numba's cache of one function, in our folder, apart for every set of outside methods."""

    def __init__(self, function):
        saved, config.CACHE_DIR = config.CACHE_DIR, str(CACHE)
        try:
            super().__init__(function)
        finally:
            config.CACHE_DIR = saved
        # The folder's name speaks for the package's own files, whatever their dates; of others, date and size count.
        self.stamp = "" if is_own(Path(inspect.getfile(function))) else self._impl.locator.get_source_stamp()

    @property
    def _cache_file(self):
        base = ".".join(filter(None, (self._impl.filename_base, outside_hash())))
        return CacheFiles(cache_path=self._cache_path, filename_base=base, source_stamp=self.stamp)

    @_cache_file.setter
    def _cache_file(self, value):
        """Numba sets its own once; ours is made when asked for, because outside methods may come later."""
