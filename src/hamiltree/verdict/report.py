"""The report of a run: lines with a number, its scale, a verdict and a sentence; the worst of them
is the verdict of the run.

    report = run.report()          # plain; with the error of the answer for short runs
    print(report)                  # text; also report.json(), report.markdown(), report.html()
    report.verdict                 # "good", "doubtful" or "bad"
    report["energy balance"]       # a line by its name
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hamiltree.console import doing
from hamiltree.errors import (
    IN_SHELL,
    HamiltreeError,
    OptionError,
    as_read,
    spell_both,
    suggest,
)
from hamiltree.run.cautions import without_warnings
from hamiltree.trajectory.lines import (
    GOOD,
    NOTE,
    Line,
    Thresholds,
    as_sentence,
    thresholds_from,
    worst_verdict,
)
from hamiltree.trajectory.recorded_lines import recorded_lines
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.verdict.motion_lines import iteration_line, step_line, stop_line
from hamiltree.verdict.symmetries import invariant_lines, momentum_line

MOST_LEDGER_STATES = 2**24  # of bodies: a gigabyte with what is between the samples
SHORT_RUN = 1.0  # s of computing: below, the error of the answer is estimated without being asked


@dataclass(frozen=True)
class Report:
    """What a run is worth.

    about     what was run: model, formulation, integrator, step, until, status, …
    seconds   what the parts of the report have cost, by name
    ledger    what each force element stores and does, or None
    error     the estimate of the error of the answer, or None
    """

    lines: tuple[Line, ...]
    about: Mapping[str, Any]
    seconds: Mapping[str, float] = field(default_factory=dict)
    ledger: Any = None
    error: Any = None

    @property
    def verdict(self) -> str:
        """The worst verdict of all lines."""
        return worst_verdict(self.lines)

    def __iter__(self) -> Iterator[Line]:
        return iter(self.lines)

    def __getitem__(self, name: str) -> Line:
        """The line of this name."""
        for line in self.lines:
            if line.name == name:
                return line
        known = [line.name for line in self.lines]
        raise OptionError(f"the report has no line {name!r}{suggest(name, known)}")

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        made = {
            "verdict": self.verdict,
            "about": dict(self.about),
            "lines": [line.as_dict() for line in self.lines],
            "seconds": dict(self.seconds),
        }
        return made if self.ledger is None else {**made, "ledger": list(self.ledger.rows())}

    def json(self) -> str:
        """The same as a JSON text; numbers that are not finite are null."""
        return json.dumps(without_infinities(self.as_dict()), indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        from hamiltree.verdict.formats import as_text

        return as_text(self)

    __repr__ = __str__

    def markdown(self) -> str:
        from hamiltree.verdict.formats import as_markdown

        return as_markdown(self)

    def html(self) -> str:
        """A page of its own."""
        from hamiltree.verdict.formats import as_html

        return as_html(self)

    def _repr_html_(self) -> str:
        from hamiltree.verdict.formats import html_body

        return html_body(self)


def without_infinities(value: Any) -> Any:
    """JSON knows no infinity."""
    if isinstance(value, Mapping):
        return {key: without_infinities(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_infinities(inner) for inner in value]
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return value


def not_estimated(is_long: bool) -> str:
    """Why the error of the answer was not estimated, and what does it."""
    how = "--report full" if IN_SHELL.get() else "run.report(error=True)"
    if not is_long:
        return f"Not estimated, as it is not known how long the run took; {how} does."
    more = "" if IN_SHELL.get() else ", by 75 % more"  # the full report takes several times the run
    return f"Not estimated, as the run took more than a second; {how} does{more}."


class RunReport:
    """`run.report(…)`: what the run is worth.

    error        estimate the error of the answer by integrating again with twice and four times
                 the step: True, False, or None for runs below a second of computing
    full         also time reversal, symplecticity of a step, agreement with a second formulation,
                 convergence with the step
    ledger       what each force element stores and does; its cost is stated apart
    remedy       try a shorter step or another method where a line is not good; at most the cost of
                 the run
    thresholds   where good ends and bad begins: Thresholds, or a dict such as
                 {"energy": (1e-8, 1e-4)}
    """

    def __init__(self, run: Trajectory):
        self.run = run

    def __call__(
        self,
        error: bool | None = None,
        ledger: bool = True,
        full: bool = False,
        thresholds: Thresholds | Mapping[str, Any] | None = None,
        remedy: bool = True,
    ) -> Report:
        """Make the parts that were asked for, the cheap ones first."""
        maker = ReportMaker(self.run, thresholds_from(thresholds))
        maker.add_plain()
        seconds = self.run.statistics.get("seconds")
        is_short = seconds is not None and seconds < SHORT_RUN
        if full or (is_short if error is None else error):
            maker.add_error()
        elif error is None:
            why = spell_both(partial(not_estimated, seconds is not None))
            maker.lines.append(Line("error of the answer", None, "", NOTE, why))
        if full:
            maker.add_full()
        if remedy:
            maker.add_remedy()
        if ledger and self.run.has_bodies:
            maker.add_ledger()
        return maker.report()


class ReportMaker:
    """Makes the lines of a report, part by part, and counts what they cost."""

    def __init__(self, run: Trajectory, thresholds: Thresholds):
        self.run = run
        self.thresholds = thresholds
        self.lines: list[Line] = []
        self.seconds: dict[str, float] = {}
        self.ledger: Any = None
        self.error: Any = None

    def timed(self, name: str, make: Callable[[], Any]) -> Any:
        """What a function returns; its seconds are counted."""
        doing(f"making the report: {name}")
        began = time.perf_counter()
        try:
            return make()
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began

    def add_plain(self) -> None:
        """What was recorded, kept momenta or named invariants, the step, the iterations."""
        self.lines += self.timed("plain", self.plain_lines)

    def plain_lines(self) -> list[Line]:
        """Those of a run without samples end with what was recorded."""
        run, thresholds = self.run, self.thresholds
        lines: list[Line | None] = [*recorded_lines(run, thresholds)]
        if not len(run._values("t")):
            return [line for line in lines if line is not None]
        find = momentum_line if run.has_bodies else invariant_lines
        lines += find(run, thresholds)
        lines += [step_line(run, thresholds), stop_line(run), iteration_line(run)]
        return [line for line in lines if line is not None]

    def add_error(self) -> None:
        """The error of the answer, by integrating again."""
        from hamiltree.verdict.answer import answer_line, estimate_error

        self.error = self.timed("error of the answer", lambda: estimate_error(self.run))
        self.lines.append(answer_line(self.error, self.thresholds))

    def add_full(self) -> None:
        """Time reversal, symplecticity, a second formulation, convergence."""
        from hamiltree.verdict.full import full_lines

        self.lines += self.timed("full", lambda: full_lines(self.run, self.thresholds, self.error))

    def add_remedy(self) -> None:
        """A remedy that was tried on a window, where a line is not good."""
        if worst_verdict(self.lines) == GOOD:
            return
        from hamiltree.verdict.remedy import tried_remedy

        def find() -> Any:
            with without_warnings():
                return tried_remedy(self.run, self.lines, self.error, self.thresholds)

        known = self.run.remedy  # after Ctrl-C nothing is tried again unasked
        is_interrupted = known is not None and known.is_interrupted
        found = known if is_interrupted else self.timed("remedy", find)
        if found is not None:
            details = {"works": found.works, "arguments": found.arguments}
            # what can be typed is not written with a capital
            end = "{}.".format if found.works else as_sentence
            words = spell_both(lambda: end(as_read(found.words)))
            self.lines.append(Line("remedy", None, "", NOTE, words, details))

    def add_ledger(self) -> None:
        """What each force element stores and did; a model without force elements has none."""
        made = self.timed("ledger", lambda: ledger_or_reason(self.run))
        if isinstance(made, Line):
            self.lines.append(made)
        elif len(made.elements) > 0:
            self.ledger = made

    def report(self) -> Report:
        """All that was made so far; its verdict is that of the run from now on."""
        self.run.verdict = worst_verdict(self.lines)
        self.run.report_lines = tuple(self.lines)
        return Report(tuple(self.lines), about_run(self.run), self.seconds, self.ledger, self.error)


def ledger_or_reason(run: Trajectory) -> Any:
    """The ledger of a run, or a line that says why there is none."""
    from hamiltree.verdict.ledger import make_ledger

    if len(run._values("t")) * len(run._names("body")) > MOST_LEDGER_STATES:
        sentence = "The run is too large for a ledger unless it is asked for: run.ledger()."
        return Line("ledger", None, "", NOTE, sentence)
    try:
        return make_ledger(run)
    except HamiltreeError as error:
        return Line("ledger", None, "", NOTE, f"There is no ledger: {error}.")


def about_run(run: Trajectory) -> dict[str, Any]:
    """What was run, in plain values."""
    known = run._settings
    names = ("model_name", "formulation", "integrator", "options", "step", "begin", "until")
    names = (*names, "status", "created", "hamiltree_version", "source_hash")
    counted = {name: run.statistics.get(name) for name in ("steps", "evaluations", "seconds")}
    found = {name: known[name] for name in names if name in known}
    return {**found, "samples": len(run._values("t")), **counted}
