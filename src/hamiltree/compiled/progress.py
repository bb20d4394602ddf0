"""The wait for the compiler, shown: what is compiled, how many of how many, for how long. Nothing is said when nothing compiles.

On a terminal one line that changes; elsewhere a line when it has gone on for PATIENCE and one at the end.
"""

import sys
import threading
import time
from typing import Any

from hamiltree.compiled.internals import LISTENERS

PATIENCE = 2.0  # seconds before a word is said
SHOWN: list["Compiling"] = []  # the outermost first: it alone counts and speaks


class Compiling:
    """What is compiled inside is counted and, if wanted, shown. Inside another one it joins that.

    `meanwhile` says what goes on when nothing is compiled; without it nothing is said then.
    """

    def __init__(self, wanted: bool = True, meanwhile: str = ""):
        self.wanted, self.meanwhile = wanted, meanwhile
        self.done, self.expected, self.name, self.began = 0, 0, "", 0.0
        self.timer: threading.Timer | None = None
        self.line: Any = None
        self.has_spoken, self.is_alone, self.lock = False, False, threading.Lock()

    def __enter__(self) -> "Compiling":
        SHOWN.append(self)
        if self.meanwhile and SHOWN[0] is self:
            self.began = time.perf_counter()
            self.wait()
        return self

    def __exit__(self, *error) -> None:
        SHOWN.remove(self)
        with self.lock:
            if self.timer is not None:
                self.timer.cancel()
            if self.line is not None:
                self.line.stop()
            if self.has_spoken and self.done:
                print(f"hamiltree: compiled {kernels(self.done)} in {self.seconds:.0f} s", file=sys.stderr)
            self.timer, self.line, self.has_spoken = None, None, False

    def wait(self) -> None:
        """Speak when it has taken PATIENCE."""
        if self.wanted and self.timer is None:
            self.timer = threading.Timer(PATIENCE, self.speak)
            self.timer.daemon = True
            self.timer.start()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    def expect(self, count: int) -> None:
        """So many kernels are about to be compiled."""
        self.expected = max(self.expected, self.done + count)

    def begin(self, name: str) -> None:
        self.name, self.began = name, self.began or time.perf_counter()
        self.expected = max(self.expected, self.done + 1)
        self.wait()

    def end(self) -> None:
        self.done, self.name = self.done + 1, ""

    def speak(self) -> None:
        with self.lock:
            if self.timer is None:
                return
            self.has_spoken = True
            if not sys.stderr.isatty():
                print(f"hamiltree: {self} …", file=sys.stderr)
                return
            from rich.console import Console

            self.line = Console(stderr=True).status(Moving(self))  # type: ignore[arg-type]
            self.line.start()

    def __str__(self) -> str:
        if not self.name:
            return self.meanwhile or "compiling"
        return f"compiling {self.done + 1} of {max(self.expected, self.done + 1)}, once on this machine: {self.name}"


class Moving:
    """The line of a Compiling with the seconds so far, drawn anew each time it is looked at."""

    def __init__(self, shown: Compiling):
        self.shown = shown

    def __rich__(self) -> str:
        return f"{self.shown}, {self.shown.seconds:.0f} s"


def kernels(count: int) -> str:
    return f"{count} kernel{'s' * (count != 1)}"


def expect(count: int) -> None:
    for shown in SHOWN[:1]:
        shown.expect(count)


def name_of(dispatcher) -> str:
    """A kernel as a person may know it."""
    function = dispatcher.py_func
    if function.__module__.startswith("hamiltree_expression"):
        return "the formula"
    return f"{function.__qualname__.removesuffix('.entry')} ({function.__module__.removeprefix('hamiltree.')})"


def begin(name: str) -> None:
    """Something is compiled, here or by another process that this one waits for."""
    if not SHOWN:
        SHOWN.append(Compiling())
        SHOWN[0].is_alone = True
    SHOWN[0].begin(name)


def end() -> None:
    shown = SHOWN[0]
    shown.end()
    if shown.is_alone:
        shown.__exit__()


def watch(dispatcher, is_start: bool, depth: int) -> None:
    """Numba begins or ends to compile; only what was asked for by itself counts, not its parts."""
    if depth > 1 or not (SHOWN or dispatcher.py_func.__module__.startswith("hamiltree")):
        return  # a part, or a function of the user's own
    if is_start:
        begin(name_of(dispatcher))
    elif SHOWN:
        end()


LISTENERS.append(watch)
