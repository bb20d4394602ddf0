"""Blocks of members over threads: who computes what, how far it has come, and how it is stopped.

Blocks grow until one takes about a second. How members are cut into blocks changes nothing in the
results.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial

from hamiltree.console import Interruption, ProgressBar
from hamiltree.studies.alone import Stop, Stopped
from hamiltree.studies.results import Block

BLOCK_SECONDS = 1.0  # aim of one block
GROWTH = 4  # a block is so many times as large as the last one, at most
POLL_SECONDS = 0.1

Ranges = Sequence[tuple[int, int]]
RunBlock = Callable[[int, int], Block]
Add = Callable[[Block], None]  # keeps the results of a block
Watch = Callable[[int], bool]  # is told how many members are done; says whether to stop


def missing_ranges(count: int, done: Ranges) -> list[tuple[int, int]]:
    """Members that no block has."""
    found, at = [], 0
    for first, last in sorted(done):
        if first > at:
            found.append((at, first))
        at = max(at, last)
    return [*found, (at, count)] if at < count else found


class Blocks:
    """Hands out members, block by block, to whoever asks."""

    def __init__(self, ranges: Ranges, size: int, largest: int):
        """Of members in these ranges, `size` in the first block."""
        self.ranges = list(ranges)[::-1]
        self.left = sum(last - first for first, last in ranges)
        self.threads = 1  # that ask for blocks
        self.size = size
        self.largest = largest
        self.seconds = BLOCK_SECONDS
        self.least_seconds = 0.0  # of a block that is not the first
        self.lock = threading.Lock()

    def next(self) -> tuple[int, int] | None:
        """The next members; towards the end smaller blocks, so that all threads have work."""
        with self.lock:
            if not self.ranges:
                return None
            fair = -(-self.left // (2 * self.threads)) if self.threads > 1 else self.left
            least = max(64, int(self.size * self.least_seconds / self.seconds))
            size = max(1, min(self.size, max(fair, least), self.largest))
            first, last = self.ranges.pop()
            end = min(first + size, last)
            if end < last:
                self.ranges.append((end, last))
            self.left -= end - first
            return first, end

    def learn(self, members: int, seconds: float) -> None:
        """How long a block took; one that is far smaller than the next says nothing."""
        with self.lock:
            if GROWTH * members < self.size:
                return
            wished = int(members * self.seconds / max(seconds, 1e-6))
            self.size = max(1, min(GROWTH * max(self.size, members), wished))


class MemberProgress(ProgressBar):
    """Members so far, their rate, and the time left."""

    def __init__(self, count: int):
        super().__init__(count, "")
        self.text = "{task.completed:.0f} of {task.total:.0f} members, {task.description}"

    def show_members(self, done: int) -> None:
        """After so many."""
        self.show(done)
        if self.bar is not None:
            seconds = time.perf_counter() - self.began
            self.bar.update(self.task, description=f"{done / seconds:.3g} per second")


class Threads:
    """Threads that compute blocks until there are none, one of them fails, or they are stopped."""

    def __init__(self, blocks: Blocks, make_runner: Callable[[], RunBlock], stop: Stop):
        self.blocks = blocks
        self.make_runner = make_runner
        self.stop = stop
        self.found: queue.SimpleQueue[Block | BaseException | None] = queue.SimpleQueue()

    def work(self) -> None:
        """What one thread does: blocks, then None, or an exception."""
        try:
            run = self.make_runner()
            while not self.stop.is_requested and (bounds := self.blocks.next()) is not None:
                began = time.perf_counter()
                block = run(*bounds)
                self.blocks.learn(len(block.status), time.perf_counter() - began)
                self.found.put(block)
            self.found.put(None)
        except Stopped:
            self.found.put(None)
        except BaseException as error:
            self.stop.is_requested = True
            self.found.put(error)

    def run(self, add: Add, watch: Watch) -> None:
        """Collect blocks as they come; `watch` is told how many members are done and says whether
        to stop.
        """
        made = [threading.Thread(target=self.work, daemon=True) for _ in range(self.blocks.threads)]
        for thread in made:
            thread.start()
        try:
            self.collect(len(made), add, watch)
        finally:
            self.stop.is_requested = True

    def collect(self, running: int, add: Add, watch: Watch) -> None:
        """Until the last thread has ended; then the first failure is raised."""
        done, failed = 0, None
        while running:
            try:
                block = self.found.get(timeout=POLL_SECONDS)
            except queue.Empty:
                self.stop.is_requested |= watch(done)
                continue
            if block is None or isinstance(block, BaseException):
                running -= 1
                failed = failed or block
                continue
            if block.status:
                add(block)
                done += len(block.status)
            self.stop.is_requested |= watch(done)
        if failed is not None:
            raise failed


def run_blocks(
    count: int, make_runner: Callable[[Stop], RunBlock], blocks: Blocks, add: Add, progress: bool
) -> bool:
    """Compute all blocks in so many threads; whether a signal has ended that before."""
    stop = Stop()
    blocks.threads = count
    threads = Threads(blocks, lambda: make_runner(stop), stop)
    return run_watched(partial(threads.run, add), blocks.left, progress)


def run_watched(run: Callable[[Watch], None], count: int, progress: bool) -> bool:
    """Show how far it has come, and end it when a signal comes; whether one has come."""
    bar = MemberProgress(count)
    with Interruption() as interruption, bar:

        def watch(done: int) -> bool:
            if progress:
                bar.show_members(done)
            return interruption.is_requested

        run(watch)
        return interruption.is_requested
