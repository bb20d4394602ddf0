"""One call of the netCDF library at a time.

HDF5 below it does not survive two threads at once, and netCDF4 lets other threads run during its
calls: a thread that reads a run, or only collects one that nobody needs any more, whose file is
closed by that, may end the process. xarray has a lock for its reading, but opens files without it.
So there is one lock for all that is done with files of runs, and xarray is given it too. The same
happens within one thread: Python's search for cycles may begin inside a call, find a dataset that
nobody needs any more, and close its file. So there is no such search meanwhile.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
from collections.abc import Iterator
from typing import Any

from hamiltree.console import delayed_signals

LOCK = threading.RLock()


class CollectionPause:
    """No search for cycles, which may close files, while the library is called; whoever begins
    holds the lock.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.was_enabled = False

    def begin(self) -> None:
        if not self.depth:
            self.was_enabled = gc.isenabled()
            gc.disable()
        self.depth += 1

    def end(self) -> None:
        self.depth -= 1
        if not self.depth and self.was_enabled:
            gc.enable()


PAUSE = CollectionPause()


class LibraryLock:
    """The lock of all files of runs, in the form that xarray asks for: a dataset that holds it can
    be copied and sent to another process.
    """

    def acquire(self, blocking: bool = True) -> bool:
        is_held = LOCK.acquire(blocking)
        if is_held:
            PAUSE.begin()
        return is_held

    def release(self) -> None:
        PAUSE.end()
        LOCK.release()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *error: Any) -> None:
        self.release()

    def __reduce__(self) -> tuple[Any, ...]:
        return LibraryLock, ()


@contextlib.contextmanager
def netcdf_calls() -> Iterator[None]:
    """Calls of the netCDF library in the block are alone, and signals are answered at its end;
    blocks may be nested.
    """
    reader = sys.modules.get("xarray.backends.netCDF4_")
    with delayed_signals(), LibraryLock():
        # of files that others have opened by xarray; this thread may hold it already
        theirs = reader.NETCDF4_PYTHON_LOCK if reader is not None and not HELD else None
        with theirs or contextlib.nullcontext():
            HELD.append(theirs)
            try:
                yield
            finally:
                HELD.pop()


HELD: list[Any] = []  # blocks of the thread that holds the lock
