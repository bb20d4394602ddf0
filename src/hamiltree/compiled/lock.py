"""One process compiles a kernel, the others wait for it: a lock file per kernel."""

import contextlib
import time
from pathlib import Path
from typing import ClassVar

MAX_WAIT_SECONDS = 600.0  # seconds for a kernel that another process compiles


class Lock:
    """Held while a kernel is compiled. The system lets it go when its owner dies."""

    held: ClassVar[set[Path]] = set()  # by this process, which must not wait for itself

    def __init__(self, path: Path):
        self.path = path
        self.file = None
        self.is_held = False

    def acquire(self, name: str = "", place: str = "") -> bool:
        """Whether it was free at once; if not, it is had, or its owner took too long.

        `name` is said of what is waited for.
        """
        try:
            import fcntl
        except ImportError:  # another system: two processes may compile the same kernel
            return True
        if self.path in self.held:
            return True
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.file = self.path.open("a")
            if self.try_acquire(fcntl):
                return True
            self.wait(fcntl, name, place)
            return False
        return True

    def is_taken(self) -> bool:
        """By another process, just now; not where nothing can be locked."""
        if self.path in self.held:
            return False
        try:
            import fcntl

            with self.path.open("r") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except (ImportError, OSError):
            pass
        return False

    def try_acquire(self, fcntl) -> bool:
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        self.held.add(self.path)
        self.is_held = True
        return True

    def wait(self, fcntl, name: str, place: str) -> None:
        """Until it is free, or for MAX_WAIT_SECONDS; then it is compiled twice."""
        from hamiltree.compiled.progress import begin, end

        began = time.monotonic()
        begin(f"{name} (by another process)", place)
        try:
            while time.monotonic() - began < MAX_WAIT_SECONDS and not self.try_acquire(fcntl):
                time.sleep(0.05)
        finally:
            end()

    def release(self) -> None:
        """Unlock and close the file, if this process holds it."""
        if self.file is not None:
            with contextlib.suppress(OSError, ImportError):
                import fcntl

                # a child that was forked meanwhile has it open too
                fcntl.flock(self.file, fcntl.LOCK_UN)
            self.file.close()
            self.file = None
            if self.is_held:
                self.held.discard(self.path)
                self.is_held = False
