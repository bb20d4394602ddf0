"""Run published problems and put our numbers beside theirs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from hamiltree.catalogue import find
from hamiltree.console import Spinner
from hamiltree.errors import FileError, HamiltreeError, OptionError
from hamiltree.files.safe_write import check_absent, write_text
from hamiltree.gallery import find_experiment
from hamiltree.gallery.experiment import THESIS, run_to_end
from hamiltree.gallery.experiment import Row as ExperimentRow
from hamiltree.model import library
from hamiltree.problems.hamiltonian import hamiltonian
from hamiltree.problems.ode import ode
from hamiltree.published.constraint_rows import evaluate_rows, read_row
from hamiltree.published.problem import (
    Problem,
    Reference,
    Run,
    System,
    published_problems,
    read_problem_file,
    references_of,
)
from hamiltree.published.reading import read_end
from hamiltree.published.verdicts import (
    EXPLAINED,
    FAILED,
    Row,
    is_good,
    judge,
    worst_verdict,
)

SUFFIXES = (".html", ".md", ".json")
# whose numbers of an experiment are printed somewhere; those of neither kind are formulas
PRINTED = ("Hairer", THESIS, "fig. 2", "EOM with Hamilton's Equations", "document")
OTHER_CODE = "other code"


@dataclass(frozen=True)
class Finding:
    """What the runs of one problem gave."""

    problem: Problem
    rows: tuple[Row, ...]
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        return worst_verdict([row.verdict for row in self.rows])

    @property
    def worst(self) -> Row | None:
        """The number that lacks most of its reference's digits; of equals, the one of fewest."""
        judged = [row for row in self.rows if row.verdict != EXPLAINED]

        def digits(row: Row) -> tuple[float, float]:
            return row.digits - row.reference_digits, row.digits

        return min(judged, key=digits, default=None)


@dataclass(frozen=True)
class Verification:
    """Findings, problem by problem; `is_complete` is False where Ctrl-C ended it."""

    findings: tuple[Finding, ...]
    full: bool = False
    is_complete: bool = True

    @property
    def agree(self) -> bool:
        return all(is_good(finding.verdict) for finding in self.findings)

    @property
    def seconds(self) -> float:
        return sum(finding.seconds for finding in self.findings)

    def __getitem__(self, name: str) -> Finding:
        return find({one.problem.name: one for one in self.findings}, name, "problem")

    def __str__(self) -> str:
        from hamiltree.published.tables import summary_lines

        return "\n".join(summary_lines(self))

    def write(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Write it as a page (.html), as text (.md) or as data (.json); an existing file is kept
        unless forced.
        """
        from hamiltree.published import page, tables

        check_output(path, force)
        made = {".html": page.to_html, ".md": tables.to_markdown, ".json": tables.to_json}
        write_text(path, made[Path(path).suffix.lower()](self), force)


def check_output(path: str | os.PathLike[str], force: bool = False) -> None:
    """Refuse an unknown format or an existing file before anything is run."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise OptionError(f"{os.fspath(path)}: end the name in .html, .md or .json")
    check_absent(path, force)
    if not Path(path).absolute().parent.is_dir():
        raise FileError(f"{os.fspath(path)}: there is no folder {Path(path).parent}")


def verify(*names: str, full: bool = False, progress: bool = True) -> Verification:
    """Run published problems, all or those named, and compare with their reference digits.

    A name is one of `published_problems()`, or a file of the same form (docs/verify.md). `full`
    adds the runs that take minutes. Ctrl-C ends it with what is done.
    """
    chosen = choose_problems(names)
    done: list[Finding] = []
    try:
        done.extend(verify_each(chosen, full, progress))
    except KeyboardInterrupt:
        return Verification(tuple(done), full, is_complete=False)
    return Verification(tuple(done), full)


def choose_problems(names: tuple[str, ...]) -> list[Problem]:
    """The problems of these names and files, each once; all without a name."""
    if not names:
        return list(published_problems().values())
    chosen = [find_problem(name) for name in names]
    return list({problem.name: problem for problem in chosen}.values())


def find_problem(name: str) -> Problem:
    if Path(name).suffix == ".toml":
        return read_problem_file(name)
    return find(published_problems(), name, "problem", command="hamiltree verify --list")


def verify_each(problems: list[Problem], full: bool, progress: bool) -> Iterator[Finding]:
    """Finding after finding, as they are made."""
    for number, problem in enumerate(problems, 1):
        sentence = f"{problem.name} ({number} of {len(problems)} problems)"
        with Spinner(progress, sentence):
            finding = verify_problem(problem, full)
        yield finding


def verify_problem(problem: Problem, full: bool = False) -> Finding:
    """The runs of one problem; one that fails is a row with its message."""
    began = time.perf_counter()
    rows: list[Row] = []
    for run in problem.runs_of(full):
        try:
            rows += compare_run(problem, run)
        except HamiltreeError as error:
            nan = float("nan")
            rows.append(Row(run.label, "", "", "", nan, nan, 0.0, 0.0, FAILED, str(error)))
    return Finding(problem, tuple(rows), time.perf_counter() - began)


def compare_run(problem: Problem, run: Run) -> list[Row]:
    """The rows of one run."""
    system = problem.systems[run.system]
    if system.kind == "experiment":
        return compare_experiment(system, run)
    read = find_reader(system, run)
    return [
        judge(reference, read(system.read[reference.what]), run, run.label)
        for reference in references_of(problem, run)
    ]


def find_reader(system: System, run: Run) -> Callable[[str], float]:
    """What reads numbers of a run's end, or of the rows of a constraint."""
    if system.kind == "constraint":
        return partial(read_row, evaluate_rows(system.content))
    made = make_problem(system)
    chosen = {"formulation": run.formulation} if run.formulation else {}
    trajectory = run_to_end(made, run.integrator, run.step, run.until, **chosen, **run.options)
    return partial(read_end, trajectory)


def make_problem(system: System) -> Any:
    """The model, the Hamiltonian or the ode; wrong arguments are refused by the system's name."""
    try:
        if system.kind == "library":
            return library.build(system.content, **system.arguments)
        return {"hamiltonian": hamiltonian, "ode": ode}[system.kind](**system.content)
    except TypeError as error:
        raise OptionError(f"system {system.name!r}: {error}") from None


# ---- tables of the documents ---------------------------------------------------------------------
def compare_experiment(system: System, run: Run) -> list[Row]:
    """Rows of an experiment of the gallery that have a number of the source and are asked for."""
    experiment = find_experiment(system.content)
    found = experiment.numbers(experiment.run(not run.full, False))
    label = f"gallery {experiment.name}"
    chosen = [row for row in found if row.theirs is not None and is_wanted(row, run.rows)]
    if not chosen:
        raise OptionError(f"experiment {experiment.name} has no row like {', '.join(run.rows)}")
    return [judge(as_reference(row, run), float(row.ours), run, label, row.note) for row in chosen]


def is_wanted(row: ExperimentRow, patterns: Iterable[str]) -> bool:
    """Whether "what | whose" of a row is like one of the patterns, in which * is any text."""
    full = f"{row.what} | {row.whose}"
    return any(fnmatchcase(full, pattern) for pattern in patterns)


def as_reference(row: ExperimentRow, run: Run) -> Reference:
    """The number beside ours; one of a program is good to the floor."""
    value = float(row.theirs)  # type: ignore[arg-type]
    by = "published" if row.whose in PRINTED else "formula"
    by = "second program" if row.whose == OTHER_CODE else by
    digits = str(row.theirs) if isinstance(row.theirs, int) else repr(value)
    reasons = [text for pattern, text in run.reasons.items() if is_wanted(row, [pattern])]
    good_to = run.floor if by == "second program" else 0.0
    return Reference(row.what, digits, by, good_to, abs(value) or 1.0, reason="; ".join(reasons))
