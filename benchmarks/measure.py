"""How the benchmarks measure: candidates in turn, many short rounds, the best of each; and the rows
they report.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

# seconds that a candidate runs at a time: short enough to fall between other people's work
SLICE = 4e-3
MOST_ROUNDS = 1000
SMALL = {"SLICE": 1e-5, "MOST_ROUNDS": 1}


class Disagreement(Exception):
    """Two computations of the same thing differ: a speed would mean nothing."""


class Row(NamedTuple):
    """One line of the table; `at_least` is the goal of a ratio, `at_most` of a cost, neither if it
    is only reported.
    """

    what: str
    measured: str
    figure: float
    unit: str = "x"
    at_least: float | None = None
    at_most: float | None = None

    @property
    def goal(self) -> str:
        if self.at_least is not None:
            return f"≥ {self.at_least:.3g}"
        return f"≤ {self.at_most:.3g}" if self.at_most is not None else ""

    @property
    def met(self) -> bool | None:
        if self.at_least is not None:
            return self.figure >= self.at_least
        return self.figure <= self.at_most if self.at_most is not None else None


def agree(what: str, error: float, limit: float) -> None:
    """Refuse to go on unless error ≤ limit; a NaN is refused too."""
    if not error <= limit:
        raise Disagreement(f"{what}: they differ by {error:.1e}, allowed is {limit:.0e}")


def best(candidates: dict[str, Callable[[int], object]], rounds: int = 150) -> dict[str, float]:
    """Seconds of one repetition of each candidate, called as f(repetitions)."""
    repetitions = {name: calibrated(run) for name, run in candidates.items()}
    seconds = dict.fromkeys(candidates, float("inf"))
    for _ in range(min(rounds, MOST_ROUNDS)):
        for name, run in candidates.items():
            seconds[name] = min(seconds[name], elapsed(run, repetitions[name]) / repetitions[name])
    return seconds


def repeated(call: Callable[..., object], *arguments: object) -> Callable[[int], None]:
    """f(repetitions): each answer is let go before the next, as a loop does that uses it. Thousands
    that are kept would measure how fast the system finds memory.
    """

    def run(repetitions: int) -> None:
        for _ in range(repetitions):
            call(*arguments)

    return run


def calibrated(run: Callable[[int], object]) -> int:
    """As many repetitions as fill a slice: doubled, for a single one is mostly the call.

    The first compiles or warms up.
    """
    run(1)
    repetitions = 1
    while elapsed(run, repetitions) < SLICE / 2:
        repetitions *= 2
    return repetitions


def elapsed(run: Callable[[int], object], repetitions: int) -> float:
    start = time.perf_counter()
    run(repetitions)
    return time.perf_counter() - start


def microseconds(seconds: dict[str, float]) -> str:
    return ", ".join(f"{name} {1e6 * value:.2f} µs" for name, value in seconds.items())
