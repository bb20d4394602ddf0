"""Reports of the models of the library at defaults: every line that is not good.

    python -m tests.verdict.library                 all of them
    python -m tests.verdict.library top four_bar    some of them

Every line must be good, or a note; the error of the answer of chaotic models is "determined".
"""

import argparse
import time
import warnings
from collections.abc import Iterator
from typing import NamedTuple

import hamiltree as ht
from hamiltree.model.library import LIBRARY
from hamiltree.trajectory.lines import SEVERITY
from hamiltree.verdict.report import Report

# arguments of those that need some, and of those that rest without
ARGUMENTS: dict[str, tuple] = {
    "n_pendulum": (3,),
    "chain": (10,),
    "tree": (20,),
    "spherical_chain": (5,),
    "floating_tree": (10,),
    "particle_box": (2,),
}


class Judged(NamedTuple):
    """A model at defaults."""

    name: str
    report: Report | None
    failure: str
    seconds: float

    @property
    def is_good(self) -> bool:
        """No line is worse than good; notes and horizons are not."""
        return self.report is not None and not self.bad_lines

    @property
    def bad_lines(self) -> list:
        lines = () if self.report is None else self.report.lines
        return [line for line in lines if SEVERITY[line.verdict] > SEVERITY["good"]]


def judge(name: str) -> Judged:
    """Its report, with the error of the answer."""
    model = LIBRARY[name](*ARGUMENTS.get(name, ()))
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ht.AccuracyWarning)
        try:
            run = ht.simulate(model, progress=False)
        except ht.StepError as error:
            return Judged(name, None, str(error), time.process_time() - began)
    report = run.report(error=True, ledger=False)
    return Judged(name, report, "", time.process_time() - began)


def judged(names) -> Iterator[Judged]:
    """One after the other."""
    yield from map(judge, names)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="models")
    found = []
    for one in judged(parser.parse_args().names or LIBRARY):
        found.append(one)
        verdict = one.failure if one.report is None else one.report.verdict
        print(f"{one.name:22} {one.seconds:6.1f} s  {verdict}", flush=True)
        for line in one.bad_lines:
            number = "" if line.number is None else f"{line.number:.2g} "
            print(f"    {line.name}: {line.verdict}, {number}{line.sentence}", flush=True)
        answer = None if one.report is None else one.report["error of the answer"]
        if answer is not None and answer.verdict in ("determined", "note"):
            print(f"    {answer.name}: {answer.sentence}", flush=True)
    print(f"{sum(one.is_good for one in found)} of {len(found)} are good at defaults")


if __name__ == "__main__":
    main()
