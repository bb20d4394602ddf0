"""An experiment of the gallery: its runs, its numbers beside those of the source, its figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from hamiltree.console import Interruption, Spinner
from hamiltree.run.cautions import without_warnings
from hamiltree.run.simulate import simulate
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.version import __version__

THESIS = "Chaurasia's thesis"  # "On Hamiltonian Dynamics of a Chain of Rigid Bodies", 2012
DOTS = 100  # of a figure, per inch
Result = TypeVar("Result")


class Row(NamedTuple):
    """One number of ours beside one of a source; None where the source has none."""

    what: str
    ours: float
    theirs: float | None
    whose: str
    note: str = ""

    @property
    def difference(self) -> float | None:
        return None if self.theirs is None else self.ours - self.theirs


@dataclass(frozen=True)
class Experiment:
    """run(quick, progress) gives a result, numbers(result) its rows, figures(result) its pictures
    by name.

    `document` names one of the five documents (gallery/documents.py) if the experiment is theirs.
    """

    name: str
    title: str
    source: str
    run: Callable[[bool, bool], Any]
    numbers: Callable[[Any], list[Row]]
    figures: Callable[[Any], dict[str, Any]]
    document: str = ""


# ---- runs ----------------------------------------------------------------------------------------
def run_to_end(problem: Any, integrator: str, step: float, until: float, **more: Any) -> Trajectory:
    """A run to its end; one that Ctrl-C ended early raises KeyboardInterrupt."""
    with without_warnings():  # large errors are what some experiments show
        run = simulate(
            problem, until=until, step=step, integrator=integrator, progress=False, **more
        )
    if run.status != "complete":
        raise KeyboardInterrupt
    return run


def run_jobs(
    jobs: Mapping[str, Callable[[], Result]], what: str, progress: bool, at_once: int = 1
) -> dict[str, Result]:
    """Results by the name of the job, in the order of the jobs.

    With at_once = 2 in two threads: compiled loops release the interpreter.
    """
    sign = Spinner(progress, f"{what}: {len(jobs)} runs")
    with sign:
        if at_once == 1:
            return {name: run_job(sign, f"{what}: {name}", job) for name, job in jobs.items()}
        return run_jobs_in_threads(jobs, what, sign, at_once)


def run_job(sign: Spinner, title: str, job: Callable[[], Result]) -> Result:
    sign.say(f"{title} (compiled first, if this machine has not yet)")
    return job()


def run_jobs_in_threads(
    jobs: Mapping[str, Callable[[], Result]], what: str, sign: Spinner, at_once: int
) -> dict[str, Result]:
    """Run jobs in as many threads; an error or Ctrl-C ends those that are running."""
    try:
        with ThreadPoolExecutor(at_once) as pool:
            futures = {pool.submit(job): name for name, job in jobs.items()}
            try:
                for done, future in enumerate(as_completed(futures), 1):
                    sign.say(
                        f"{what}: {done} of {len(jobs)} runs done, the last was {futures[future]}"
                    )
            except BaseException:
                # runs in threads do not get Ctrl-C: they end at their next chunk
                Interruption.is_requested = True
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        Interruption.is_requested = False
    return {name: future.result() for future, name in futures.items()}


# ---- what is written -----------------------------------------------------------------------------
def perform(
    experiment: Experiment, folder: Path, quick: bool = False, progress: bool = True
) -> tuple[list[Row], list[Path]]:
    """Run, write the numbers and the figures into a folder, and say what was written."""
    result = experiment.run(quick, progress)
    rows = experiment.numbers(result)
    written = [folder / f"{experiment.name}.json"]
    written[0].write_text(as_json(experiment, rows, quick), encoding="utf-8")
    for name, figure in experiment.figures(result).items():
        written.append(folder / f"{name}.png")
        figure.savefig(written[-1], dpi=DOTS)
    return rows, written


def as_json(experiment: Experiment, rows: list[Row], quick: bool) -> str:
    """The numbers of an experiment as JSON text."""
    content = {
        "experiment": experiment.name,
        "title": experiment.title,
        "source": experiment.source,
        "quick": quick,
        "hamiltree_version": __version__,
        "numbers": [{**row._asdict(), "difference": row.difference} for row in rows],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
