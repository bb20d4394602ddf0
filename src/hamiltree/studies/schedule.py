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

from hamiltree.console import Interruption, ProgressBar, Spinner
from hamiltree.studies.alone import Stop, Stopped
from hamiltree.studies.results import Block
from hamiltree.studies.runner import BlockRunner
from hamiltree.studies.stopwatch import SHORTEST, Stopwatch

BLOCK_SECONDS = 1.0  # aim of one block
LAST_SECONDS = 0.005  # of the last blocks: so long may a thread wait for the others at the end
GROWTH = 4  # a block is so many times as large as the last one, at most
POLL_SECONDS = 0.1
FIRST_POLL_SECONDS = 0.002  # while more threads may be worth while
WORTH_SECONDS = 0.1  # of work that must be left for one more thread

Ranges = Sequence[tuple[int, int]]
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

    def __init__(self, ranges: Ranges, size: int, largest: int, group: int = 1):
        """Of members in these ranges, `size` in the first block; `group` of them take no longer
        than one.
        """
        self.ranges = list(ranges)[::-1]
        self.left = sum(last - first for first, last in ranges)
        self.threads = 1  # that ask for blocks
        self.size = size
        self.largest = largest
        self.group = group
        self.seconds = BLOCK_SECONDS
        self.least_seconds = LAST_SECONDS  # of a block that is not the first
        self.rate = 0.0  # members per second in one thread
        self.lock = threading.Lock()

    def next(self) -> tuple[int, int] | None:
        """The next members; towards the end smaller blocks, so that all threads have work. Whole
        groups fill the lanes.
        """
        with self.lock:
            if not self.ranges:
                return None
            fair = -(-self.left // (2 * self.threads)) if self.threads > 1 else self.left
            least = int(self.rate * self.least_seconds)
            groups = -(-min(self.size, max(fair, least)) // self.group)
            size = max(1, min(groups * self.group, self.largest))
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
            self.rate = members / max(seconds, 1e-6)
            wished = int(self.rate * self.seconds)
            self.size = max(self.group, min(GROWTH * max(self.size, members), wished))


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
            self.bar.update(self.task, description=f"{rate_text(done / seconds)} per second")


def rate_text(rate: float) -> str:
    """Three digits, and thousands as they are written: 37,100."""
    short = float(f"{rate:.3g}")
    return f"{short:,.0f}" if short >= 1000 else f"{short:.3g}"


class Threads:
    """Threads that compute blocks until there are none, one of them fails, or they are stopped.

    One begins. Others follow as soon as it is seen that they are worth while: Python runs in one
    thread at a time, and threads that wait for each other are slower than one.
    """

    def __init__(self, blocks: Blocks, make_runner: Callable[[], BlockRunner], stop: Stop):
        """Nothing runs yet."""
        self.blocks = blocks
        self.make_runner = make_runner
        self.stop = stop
        self.found: queue.SimpleQueue[Block | BaseException | None] = queue.SimpleQueue()
        self.started = 0
        self.stopwatch: Stopwatch | None = None  # of the first thread, when it has begun
        self.began = 0.0

    def work(self) -> None:
        """What one thread does: blocks, then None, or an exception."""
        try:
            run = self.make_runner()
            if self.stopwatch is None:
                self.began, self.stopwatch = time.perf_counter(), run.stopwatch
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

    def wanted(self, done: int) -> int:
        """How many threads are worth while after so many members: with a share s of their time in
        compiled code not more than 1/(1 − s) of them find the interpreter free.
        """
        if self.stopwatch is None:
            return 1
        seconds = time.perf_counter() - self.began
        if seconds < SHORTEST or (done and self.blocks.left * seconds < WORTH_SECONDS * done):
            return 1
        rest = 1.0 - self.stopwatch.share()
        return self.blocks.threads if rest * self.blocks.threads <= 1 else round(1 / rest)

    def start(self, wanted: int) -> int:
        """Start threads until there are so many; how many were started."""
        count = max(0, wanted - self.started)
        for _ in range(count):
            threading.Thread(target=self.work, daemon=True).start()
        self.started += count
        return count

    def run(self, add: Add, watch: Watch) -> None:
        """Collect blocks as they come; `watch` is told how many members are done and says whether
        to stop.
        """
        try:
            self.collect(add, watch)
        finally:
            self.stop.is_requested = True

    def collect(self, add: Add, watch: Watch) -> None:
        """Until the last thread has ended; then the first failure is raised."""
        done, failed = 0, None
        running = self.start(self.wanted(done))
        while running:
            is_full = self.started >= self.blocks.threads
            try:
                block = self.found.get(timeout=POLL_SECONDS if is_full else FIRST_POLL_SECONDS)
            except queue.Empty:
                block = Block(0, {}, [])
            if block is None or isinstance(block, BaseException):
                running -= 1
                failed = failed or block
                continue
            if block.status:
                add(block)
                done += len(block.status)
            self.stop.is_requested |= watch(done)
            if not is_full and self.blocks.left and not self.stop.is_requested:
                running += self.start(self.wanted(done))
        if failed is not None:
            raise failed


def run_blocks(
    count: int,
    make_runner: Callable[[Stop], BlockRunner],
    blocks: Blocks,
    add: Add,
    interruption: Interruption,
    progress: bool,
) -> None:
    """Compute all blocks in so many threads, until a signal comes."""
    stop = Stop()
    blocks.threads = count
    threads = Threads(blocks, lambda: make_runner(stop), stop)
    run_watched(partial(threads.run, add), blocks.left, interruption, progress)


def run_watched(
    run: Callable[[Watch], None],
    count: int,
    interruption: Interruption,
    progress: bool,
    waiting: str = "",
) -> None:
    """Show how far it has come, and end it when a signal comes, or has come before. `waiting` is
    shown until the first members are done.
    """
    bar = MemberProgress(count)
    sign = Spinner(progress and bool(waiting), waiting)
    with bar, sign:

        def watch(done: int) -> bool:
            if done or not waiting:
                sign.__exit__()
                if progress:
                    bar.show_members(done)
            return interruption.is_requested

        if not interruption.is_requested:
            run(watch)
