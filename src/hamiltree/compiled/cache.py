"""Where compiled code is kept between processes, and under which key.

A file holds one kernel for one signature, with what it contains (fingerprint.py): it is used only
if every function in it is what it was, every generic function would choose as it did, and the
compiler, its settings and the processor are the same. Files carry a checksum;
a damaged one is removed. Compiled code is code: a folder that others can write to is not used.
HAMILTREE_CACHE_DIR names another folder.
"""

import atexit
import contextlib
import hashlib
import json
import os
import pickle
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from hamiltree.compiled.fingerprint import (
    Choice,
    Contents,
    digest,
    digest_of,
    emitter_hash,
    is_current,
    qualified_name,
    text_of_function,
    text_of_kind,
)
from hamiltree.compiled.lock import Lock

MAGIC = b"hamiltree kernel 2\n"
FOLDER_PREFIX = "k2-"  # folders of kernels begin with it
OLD_FOLDER_DIGITS = 12  # hexadecimal digits in the name of a folder of earlier versions
MAX_KEPT_VERSIONS = 4  # versions of one kernel that are kept


# ---- the folder ----------------------------------------------------------------------------------
def cache_root() -> Path:
    """HAMILTREE_CACHE_DIR or the user's cache folder; a folder for temporary files if neither can
    be used.
    """
    chosen = os.environ.get("HAMILTREE_CACHE_DIR")
    for folder in (
        Path(chosen) if chosen else user_cache_folder(),
        Path(tempfile.gettempdir()) / f"hamiltree-{user_id()}",
    ):
        try:
            folder = folder.expanduser().resolve()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not is_private(folder):
                continue
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except (OSError, RuntimeError):
            continue
    folder = Path(tempfile.mkdtemp(prefix="hamiltree-"))
    atexit.register(remove_own_folder, os.getpid(), folder)
    return folder


def remove_own_folder(process: int, folder: Path) -> None:
    """If this is the process that made it, and not a copy of it."""
    if process == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)


def is_private(folder: Path) -> bool:
    """Whether nobody else can put compiled code there, at any level: into it, or by replacing a
    folder above it.
    """
    if not hasattr(os, "getuid"):
        return True
    return is_writable_by_owner_only(folder.stat(), is_last=True) and all(
        is_writable_by_owner_only(above.stat(), is_last=False) for above in folder.parents
    )


def is_writable_by_owner_only(status: os.stat_result, is_last: bool) -> bool:
    """Owned by the user or root, and written to by nobody else.

    In a sticky folder others cannot rename what is not theirs.
    """
    if status.st_uid not in (os.getuid(), 0):
        return False
    is_sticky = bool(status.st_mode & stat.S_ISVTX) and not is_last
    others = status.st_mode & stat.S_IWOTH
    group = status.st_mode & stat.S_IWGRP and not is_private_group(status.st_gid)
    return is_sticky or not (others or group)


def is_private_group(gid: int) -> bool:
    """Whether a group has the user's name and no other member."""
    import grp
    import pwd

    if gid == 0 and os.getuid() == 0:
        return True
    try:
        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    return group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


def user_cache_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~")) / "hamiltree"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "hamiltree"


def user_id() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


CACHE = cache_root()


class Compiler(NamedTuple):
    """What compiled code depends on beside its contents."""

    python: str
    numba: str
    llvmlite: str  # with its LLVM
    machine: str  # hash of the modules that emit code
    settings: dict[str, str]
    triple: str
    processor: str
    features: str

    @property
    def folder(self) -> str:
        return (
            FOLDER_PREFIX + digest(repr((*self[:4], sorted(self.settings.items()), *self[5:])))[:12]
        )


@cache
def compiler() -> Compiler:
    """The compiler at hand: versions, settings and processor."""
    import llvmlite
    import numba
    from llvmlite import binding

    from hamiltree.compiled.internals import settings, target

    python = f"{platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}"
    llvm = ".".join(map(str, binding.llvm_version_info))
    return Compiler(
        python,
        numba.__version__,
        f"{llvmlite.__version__}, LLVM {llvm}",
        emitter_hash(),
        settings(),
        *target(),
    )


@cache
def kernel_folder() -> Path:
    return CACHE / compiler().folder


def remove_other_caches() -> int:
    """Delete what other compilers and versions have left; the number of folders removed."""
    own = kernel_folder()
    others = [
        folder
        for folder in CACHE.iterdir()
        if folder.is_dir() and folder != own and is_old(folder.name)
    ]
    for folder in others:
        shutil.rmtree(folder, ignore_errors=True)
    return len(others)


def is_old(name: str) -> bool:
    return name.startswith(FOLDER_PREFIX) or (
        len(name) == OLD_FOLDER_DIGITS and set(name) <= set("0123456789abcdef")
    )


# ---- the key of a signature ----------------------------------------------------------------------
def text_of_type(numba_type) -> str:
    """A type with the fields of every NamedTuple in it: Numba's own text has only their number."""
    from numba import types

    if isinstance(numba_type, types.BaseNamedTuple):
        inside = ", ".join(map(text_of_type, numba_type.types))
        return f"{text_of_kind(numba_type.instance_class)}<{inside}>"
    if isinstance(numba_type, types.BaseTuple):
        return f"({', '.join(map(text_of_type, numba_type.types))})"
    content = getattr(numba_type, "content", None)
    return str(numba_type) if content is None else f"pointer to {text_of_type(content)}"


def digest_of_signature(signature) -> str:
    return digest(" ".join(map(text_of_type, signature)))


# ---- the files -----------------------------------------------------------------------------------
class SavedKernel(NamedTuple):
    """A kernel as it stands in a file."""

    contents: Contents
    code: bytes


def to_bytes(saved: SavedKernel) -> bytes:
    header = json.dumps([saved.contents.functions, sorted(saved.contents.choices)]).encode()
    body = len(header).to_bytes(8, "little") + header + saved.code
    return MAGIC + hashlib.sha256(body).digest() + body


def from_bytes(raw: bytes) -> SavedKernel | None:
    """None where the bytes are not those that were written."""
    start = len(MAGIC) + 32
    body = raw[start:]
    if not raw.startswith(MAGIC) or hashlib.sha256(body).digest() != raw[len(MAGIC) : start]:
        return None
    length = int.from_bytes(body[:8], "little")
    functions, choices = json.loads(body[8 : 8 + length])
    return SavedKernel(
        Contents(functions, frozenset(as_choice(*each) for each in choices)), body[8 + length :]
    )


def as_choice(generic: str, kinds: list[str], method: str) -> Choice:
    return Choice(generic, tuple(kinds), method)


def read(path: Path) -> SavedKernel | None:
    """What a file holds; one that is damaged is removed, and its kernel compiled anew."""
    try:
        saved = from_bytes(path.read_bytes())
    except OSError:
        return None
    if saved is None:
        remove(path)
    return saved


def remove(path: Path) -> None:
    """If that is possible: a cache may be read-only."""
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def write(path: Path, raw: bytes) -> None:
    """Another process sees the whole file or none."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(raw)
        os.replace(temporary, path)
    except BaseException:
        remove(Path(temporary))
        raise


def saved_versions(folder: Path) -> list[Path]:
    """Versions of a kernel, the newest first."""
    try:
        found = [entry for entry in os.scandir(folder) if entry.name.endswith(".kernel")]
        return [
            Path(entry.path) for entry in sorted(found, key=lambda entry: -entry.stat().st_mtime)
        ]
    except OSError:
        return []


# ---- what Numba asks -----------------------------------------------------------------------------
COUNTS = {"loaded": 0, "compiled": 0}  # kernels, in this process


class KernelCache:
    """The cache of one kernel, with the methods that Numba's dispatcher calls."""

    def __init__(self, function):
        self.function, self.locks = function, {}
        self.seen: dict[Path, tuple[SavedKernel, Path | None] | None] = {}

    @property
    def name(self) -> str:
        """Module and name of the kernel; with a hash where its closure makes it one of several."""
        place = f"{self.function.__module__}.{self.function.__qualname__}"
        whole = place.removeprefix("hamiltree.").replace("<locals>.", "")
        if not self.function.__closure__:
            return whole
        return f"{whole}.{digest(text_of_function(self.function))[:8]}"

    @property
    def cache_path(self) -> str:
        return str(kernel_folder())

    def enable(self) -> None:
        """Numba asks for it."""

    def disable(self) -> None:
        """Numba asks for it."""

    def flush(self) -> None:
        """There is no index to empty."""

    def folder(self, signature) -> Path:
        return kernel_folder() / self.name / digest_of_signature(signature)

    def load_overload(self, signature, target_context) -> Any:
        """The compiled kernel for these types, if it was kept and is current; else the lock for
        compiling it is taken.
        """
        from hamiltree.compiled.internals import with_signature

        folder = self.folder(signature)
        found = self.find(folder)
        if found is None and os.access(CACHE, os.W_OK):
            lock = Lock(folder / "lock")
            if not lock.acquire(self.name, qualified_name(self.function)):
                found = self.find(folder)
            if found is None:
                self.locks[signature] = lock
            else:
                lock.release()
        COUNTS["compiled" if found is None else "loaded"] += 1
        return None if found is None else with_signature(found, signature)

    def find(self, folder: Path) -> Any:
        """The newest current kernel of a folder that can be loaded, or None."""
        seen = self.seen.pop(folder, None)
        for saved, path in chain([] if seen is None else [seen], self.current(folder)):
            found = load(saved, path)
            if found is not None:
                return found
        return None

    def current(self, folder: Path) -> Iterator[tuple[SavedKernel, Path | None]]:
        """What is kept in the folder or came with the package, and is current."""
        from hamiltree.compiled.kernel import current_method

        for path in saved_versions(folder):
            saved = read(path)
            if saved is not None and is_current(saved.contents, current_method):
                yield saved, path
        shipped = shipped_kernel(self.name, folder.name, current_method)
        if shipped is not None:
            yield shipped, None

    def is_cached(self, signature) -> bool:
        """Whether it is kept; what was read for the answer is remembered for loading it."""
        folder = self.folder(signature)
        self.seen = {folder: next(self.current(folder), None)}
        return self.seen[folder] is not None

    def is_being_compiled(self, signature) -> bool:
        """Whether another process is compiling it."""
        return Lock(self.folder(signature) / "lock").is_taken()

    def save_overload(self, signature, result) -> None:
        """Write a compiled kernel with its contents, drop old versions, and release the lock."""
        from hamiltree.compiled.internals import contents_of_library, serialise_kernel

        try:
            code = serialise_kernel(result)
            if code is not None:
                contents = contents_of_library(result.library)
                folder = self.folder(signature)
                write(
                    folder / f"{digest_of(contents)}.kernel", to_bytes(SavedKernel(contents, code))
                )
                for path in saved_versions(folder)[MAX_KEPT_VERSIONS:]:
                    path.unlink(missing_ok=True)
        except OSError:
            pass  # a cache that cannot be written is none
        finally:
            self.release(signature)

    def release(self, signature) -> None:
        lock = self.locks.pop(signature, None)
        if lock is not None:
            lock.release()

    def give_up(self) -> None:
        """What was to be compiled has failed."""
        for signature in list(self.locks):
            self.release(signature)


def shipped_kernel(name: str, signature: str, current_method) -> SavedKernel | None:
    """A kernel that came with the package."""
    from hamiltree.compiled.shipped_kernels import find

    return find(name, signature, current_method)


def load(saved: SavedKernel, path: Path | None) -> Any:
    """The kernel of a file whose checksum was right; one that cannot be made into a kernel is
    removed all the same.
    """
    from hamiltree.compiled.internals import restore_kernel

    try:
        return restore_kernel(pickle.loads(saved.code), saved.contents)
    except (
        ImportError,
        AttributeError,
        TypeError,
        ValueError,
        LookupError,
        EOFError,
        AssertionError,
        RuntimeError,
        pickle.UnpicklingError,
    ):
        if path is not None:
            remove(path)
        return None
