"""What a person sees and does while a run goes on: a spinner, a progress bar, Ctrl-C."""

import signal
import sys
import threading
import time

PATIENCE = 2.0  # seconds before a sign of life appears


class Interruption:
    """Ctrl-C asks the run to end at the next chunk; a second Ctrl-C ends it at once."""

    asked = False

    def __enter__(self) -> "Interruption":
        self.is_main = threading.current_thread() is threading.main_thread()
        if self.is_main:
            self.before = signal.signal(signal.SIGINT, self.ask)
        return self

    def ask(self, number, frame) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def __exit__(self, *error) -> None:
        if self.is_main:
            signal.signal(signal.SIGINT, self.before)


class Spinner:
    """A turning sign with a sentence, if what goes on inside takes longer than PATIENCE."""

    def __init__(self, wanted: bool, sentence: str):
        self.sentence, self.sign, self.lock = sentence, None, threading.Lock()
        self.timer = threading.Timer(PATIENCE, self.appear) if wanted else None

    def __enter__(self) -> "Spinner":
        if self.timer:
            self.timer.daemon = True
            self.timer.start()
        return self

    def appear(self) -> None:
        from rich.console import Console

        with self.lock:
            if not self.timer:
                return
            if sys.stderr.isatty():
                self.sign = Console(stderr=True).status(self.sentence)
                self.sign.start()
            else:
                print(f"hamiltree: {self.sentence} …", file=sys.stderr)

    def __exit__(self, *error) -> None:
        with self.lock:
            if self.timer:
                self.timer.cancel()
            self.timer = None
            if self.sign:
                self.sign.stop()


class Bar:
    """A progress bar that appears only when a run takes longer than PATIENCE."""

    def __init__(self, wanted: bool, until: float, unit: str = " s"):
        self.wanted, self.until, self.began, self.bar = wanted, until, time.perf_counter(), None
        self.text = "t = {task.completed:.4g} of {task.total:g}" + unit

    def __enter__(self) -> "Bar":
        return self

    def show(self, t: float) -> None:
        if not self.wanted or time.perf_counter() - self.began < PATIENCE:
            return
        if self.bar is None:
            self.bar = self.appear()
        self.bar.update(self.task, completed=t)

    def appear(self):
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (BarColumn(), TextColumn(self.text), TimeElapsedColumn(), TimeRemainingColumn())
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.start()
        self.task = bar.add_task("simulate", total=self.until)
        return bar

    def __exit__(self, *error) -> None:
        if self.bar is not None:
            self.bar.stop()
