"""Compare models and similar ones: all lengths, masses and times multiplied by powers of two.

    python -m tests.similarity                     the recorded runs of models, in three scales
    python -m tests.similarity --all               in every scale, with the library and the gallery
    python -m tests.similarity "four bar" rod      cases whose names contain one of these words
    python -m tests.similarity --list              their names, and what is left out

A line for every case and scale that is not the same to the bit (to 1e-12 with adaptive methods,
least squares and eigenvalues), or in which something else is said. The exit code is 1 if there is
one.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy, as in the tests

from hamiltree.model.units import SI
from tests.similarity import answers, outcomes
from tests.similarity.answers import QUESTIONS, Question
from tests.similarity.cases import CASES, FURTHER, LEFT_OUT, Case
from tests.similarity.outcomes import Outcome, difference
from tests.similarity.scaling import EVERY_SCALE, SCALES, units_of


def main(arguments: Sequence[str] | None = None) -> int:
    asked = parser().parse_args(arguments)
    chosen = [*CASES, *QUESTIONS, *(FURTHER if asked.all else ())]
    if asked.words:
        chosen = [
            case
            for case in (*CASES, *QUESTIONS, *FURTHER)
            if any(word in case.name for word in asked.words)
        ]
    if asked.list:
        print(*(case.name for case in chosen), sep="\n")
        print(*(f"left out: {name} ({why})" for name, why in LEFT_OUT.items()), sep="\n")
        return 0
    scales = EVERY_SCALE if asked.all else SCALES
    bad = [name for case in chosen for name in unlike(case, scales)]
    print(f"{len(chosen)} cases in {len(scales)} scales; {len(bad)} are unlike")
    return 1 if bad else 0


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m tests.similarity", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("words", nargs="*", help="parts of names of cases")
    made.add_argument("--all", action="store_true", help="more scales and more models")
    made.add_argument("--list", action="store_true", help="print names")
    return made


def unlike(case: Case | Question, scales: Any) -> list[str]:
    """The scales in which a case is not what it should be; a line is printed for each."""
    run: Callable[..., Outcome] = (
        outcomes.outcome_of if isinstance(case, Case) else answers.outcome_of
    )
    here = run(case, SI)
    found = []
    for name, exponents in scales.items():
        units = units_of(*exponents)
        try:
            what = difference(here, run(case, units), units).complaint(case.is_exact)
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
        if what:
            found.append(f"{case.name}, {name}")
            print(f"{found[-1]}: {what}", flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
