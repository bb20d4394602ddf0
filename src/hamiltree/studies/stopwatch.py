"""How much of its time a thread spends in compiled steps, while which other threads can run."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

SHORTEST = 0.002  # seconds of work that tell a share


class Stopwatch:
    """Of one thread, which sets it; others read it."""

    def __init__(self) -> None:
        self.last = 0.0  # share of the last piece of work
        self.restart()

    def restart(self) -> None:
        """A new piece of work begins."""
        self.began = time.perf_counter()
        self.inside = 0.0
        self.since: float | None = None

    def end(self) -> None:
        """The piece of work has ended."""
        self.last = self.share_at(time.perf_counter())
        self.restart()

    @contextlib.contextmanager
    def compiled(self) -> Iterator[None]:
        """Around compiled code."""
        self.since = began = time.perf_counter()
        try:
            yield
        finally:
            self.since = None
            self.inside += time.perf_counter() - began

    def share_at(self, now: float) -> float:
        since = self.since
        inside = self.inside + (0.0 if since is None else now - since)
        return min(1.0, inside / max(now - self.began, 1e-9))

    def share(self) -> float:
        """Of the piece of work under way, or of the last one where that has only begun."""
        now = time.perf_counter()
        return self.last if now - self.began < SHORTEST else self.share_at(now)
