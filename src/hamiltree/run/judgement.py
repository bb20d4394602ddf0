"""What `simulate` says of a run that it has made: a warning where its record shows that it is not
good, with a remedy that was tried; that nothing moved, or that a limit was passed.
"""

from __future__ import annotations

import os
import warnings
from contextlib import nullcontext

from hamiltree.console import doing, forget_interruption, last_words
from hamiltree.errors import AccuracyWarning, as_read
from hamiltree.model.accessors import import_attribute
from hamiltree.run.cautions import IS_QUIET, frames_to_caller, without_warnings
from hamiltree.trajectory.kept_file import NO_REPORT, describe_file
from hamiltree.trajectory.lines import GOOD, SEVERITY, Line, Thresholds, worst_verdict
from hamiltree.trajectory.recorded_lines import recorded_lines
from hamiltree.trajectory.trajectory import Trajectory

LONG_RUN = 5.0  # s of computing: a remedy by another method is worth compiling it


def judge(run: Trajectory, output: str | os.PathLike | None = None) -> Trajectory:
    """Judge a run by what it has recorded; warn once where that is not good. A signal that ends a
    command of the shell meanwhile leaves the run in its file, `output`.
    """
    if IS_QUIET.get():
        return run
    doing("judging the run")
    words = "" if output is None else f"{describe_file(run, output)}{NO_REPORT}"
    with last_words(words) if words else nullcontext():
        tell_verdict(run)
    return run


def tell_verdict(run: Trajectory) -> None:
    """Find the verdict of a run, and warn where it is not good."""
    try:
        lines = recorded_lines(run, Thresholds())
    except Exception as error:  # a run is not lost because it cannot be judged
        warnings.warn(
            f"this run cannot be judged: {type(error).__name__}: {error}",
            AccuracyWarning,
            stacklevel=frames_to_caller(),
        )
        return
    run.verdict = worst_verdict(lines)
    words = []
    if run.verdict != GOOD:
        worst = max(lines, key=lambda line: SEVERITY[line.verdict])
        words = [describe(worst), find_remedy(run, lines)]
    words += [line.sentence.rstrip(".") for line in lines if line.name in ("motion", "limits")]
    if words:
        message = f"{run._settings['model_name']}: {'; '.join(filter(None, words))}"
        warnings.warn(message, AccuracyWarning, stacklevel=frames_to_caller())


def find_remedy(run: Trajectory, lines: list[Line]) -> str:
    """What was tried over the beginning of the run and would do, in words; at most the cost of the
    run. Nothing is tried after a run that was interrupted. Ctrl-C ends the tries alone, and the
    report does not begin them again.
    """
    if run.status.startswith("interrupted"):
        return ""
    tried_remedy = import_attribute("hamiltree.verdict.remedy:tried_remedy")
    is_long = run.statistics.get("seconds", 0.0) > LONG_RUN
    try:
        with without_warnings():
            found = tried_remedy(run, lines, tries_methods=is_long)
    except KeyboardInterrupt:
        forget_interruption()
        run.remedy = import_attribute("hamiltree.verdict.remedy:interrupted_remedy")(run)
        return as_read(run.remedy.words)
    except Exception as error:
        return f"no remedy could be tried ({type(error).__name__}: {error})"
    return "" if found is None else as_read(found.words)


def describe(line: Line) -> str:
    """A line in words, with its number."""
    number = "" if line.number is None else f", {line.number:.1e} {line.scale}"
    return (
        f"{line.name} is {line.verdict}{number}: {line.sentence[:1].lower()}{line.sentence[1:-1]}"
    )
