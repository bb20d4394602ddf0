"""Spinner, progress bar and Ctrl-C while a run goes on."""

import math
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

SECONDS_BEFORE_SHOWN = 2.0  # a shorter run shows no spinner and no progress bar


class Interruption:
    """Ctrl-C asks the run to end at the next chunk; a second Ctrl-C ends it at once."""

    is_requested = False

    def __enter__(self) -> "Interruption":
        self.is_main = threading.current_thread() is threading.main_thread()
        if self.is_main:
            self.before = signal.signal(signal.SIGINT, self.ask)
        return self

    def ask(self, number, frame) -> None:
        if self.is_requested:
            raise KeyboardInterrupt
        self.is_requested = True

    def __exit__(self, *error) -> None:
        if self.is_main:
            signal.signal(signal.SIGINT, self.before)


class Spinner:
    """A spinner with a sentence, shown if the block takes longer than SECONDS_BEFORE_SHOWN; one
    line if standard error is no terminal.

    A sentence that is a function is called each time it is shown.
    """

    def __init__(self, wanted: bool, sentence: str | Callable[[], str]):
        """Nothing is shown, and no time runs, before the block begins."""
        self.wanted = wanted
        self.sentence = sentence
        self.lock = threading.Lock()
        self.timer: threading.Timer | None = None
        self.status_line: Any = None
        self.was_shown = False
        self.began = math.nan

    def __enter__(self) -> "Spinner":
        """Start the clock once, and a timer that shows the spinner."""
        if math.isnan(self.began):
            self.began = time.perf_counter()
        if self.wanted and self.timer is None:
            self.timer = threading.Timer(SECONDS_BEFORE_SHOWN, self.appear)
            self.timer.daemon = True
            self.timer.start()
        return self

    def say(self, sentence: str) -> None:
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence if isinstance(self.sentence, str) else self.sentence()

    def __rich__(self) -> str:
        """The sentence and the seconds so far."""
        return f"{self}, {self.seconds:.0f} s"

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    def appear(self) -> None:
        """Show the spinner; a line of text where standard error is no terminal."""
        with self.lock:
            if self.timer is None:
                return
            self.was_shown = True
            if not sys.stderr.isatty():
                print(f"hamiltree: {self} …", file=sys.stderr)
                return
            from rich.console import Console

            self.status_line = Console(stderr=True).status(self)  # type: ignore[arg-type]
            self.status_line.start()

    def __exit__(self, *error) -> None:
        """Stop the timer and remove the spinner."""
        with self.lock:
            if self.timer is not None:
                self.timer.cancel()
            if self.status_line is not None:
                self.status_line.stop()
            self.timer = self.status_line = None


class ProgressBar:
    """A progress bar, shown if a run takes longer than SECONDS_BEFORE_SHOWN."""

    def __init__(self, until: float, unit: str = " s"):
        self.until = until
        self.began = time.perf_counter()
        self.bar: Any = None
        self.text = "t = {task.completed:.4g} of {task.total:g}" + unit

    def __enter__(self) -> "ProgressBar":
        return self

    def show(self, t: float) -> None:
        if time.perf_counter() - self.began < SECONDS_BEFORE_SHOWN:
            return
        if self.bar is None:
            self.bar = self.appear()
        self.bar.update(self.task, completed=t)

    def appear(self):
        """Start the bar, which shows the time reached and the time left."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        columns = (BarColumn(), TextColumn(self.text), TimeElapsedColumn(), TimeRemainingColumn())
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.start()
        self.task = bar.add_task("simulate", total=self.until)
        return bar

    def __exit__(self, *error) -> None:
        if self.bar is not None:
            self.bar.stop()
