"""Record the runs of runs.py, or compare them with what is recorded.

    python -m tests.recorded.record                     record what is not yet recorded
    python -m tests.recorded.record --force "top"       record this run again (without names: all)
    python -m tests.recorded.record --compare [--bits]  print the largest difference of every run
    python -m tests.recorded.record --nudge             the same from a start changed by 1e-13

The exit code of a comparison is 1 if some run differs by more than 1e-10 of the largest magnitude
of an array (1e-11 with --nudge), or with --bits by any bit or count.
"""

import argparse
import os
import sys
import time
import traceback
from collections.abc import Sequence

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy, as in the tests

from tests.recorded import records
from tests.recorded.outcomes import NUDGE, Outcome, outcome_of
from tests.recorded.runs import RUNS

GROWTH = 1e-11  # what a nudge may become


def main(arguments: Sequence[str] | None = None) -> int:
    asked = parser().parse_args(arguments)
    unknown = [name for name in asked.names if name not in RUNS]
    if unknown:
        return refuse(f"there is no run {unknown[0]!r}; see tests/recorded/runs.py")
    names = asked.names or list(RUNS)
    return compare(names, asked) if asked.compare or asked.nudge else record(names, asked)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m tests.recorded.record", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("names", nargs="*", help="names of runs; all of them if none is given")
    made.add_argument("--force", action="store_true", help="overwrite what is recorded")
    made.add_argument("--compare", action="store_true", help="compare, and record nothing")
    made.add_argument("--bits", action="store_true", help="compare to the bit")
    made.add_argument("--nudge", action="store_true", help="compare with a start changed by 1e-13")
    return made


def refuse(message: str) -> int:
    print(message, file=sys.stderr)
    return 2


# ---- record --------------------------------------------------------------------------------------
def record(names: Sequence[str], asked: argparse.Namespace) -> int:
    """Runs them and writes the file, in the order of the list."""
    kept, header = records.read(), records.header()
    if not asked.force:
        if asked.names and any(name in kept.runs for name in names):
            return refuse(f"{records.FILE.name} holds this run already; --force overwrites it")
        names = [name for name in names if name not in kept.runs]
        if not names:
            return refuse(f"{records.FILE.name} holds all runs already; --force overwrites them")
    is_whole = len(names) == len(RUNS)
    if kept.runs and kept.header != header and not is_whole:
        return refuse(
            "other runs were recorded elsewhere; record all of them: --force without names"
        )
    found = {name: outcome for name in names if (outcome := attempt(name)) is not None}
    runs = {**({} if is_whole else kept.runs), **found}
    records.write(records.Recorded(header, {name: runs[name] for name in RUNS if name in runs}))
    print(f"{len(found)} of {len(names)} runs recorded, {records.FILE.stat().st_size / 1e6:.2f} MB")
    return 0 if len(found) == len(names) else 1


def attempt(name: str, nudge: float = 0.0) -> Outcome | None:
    """The outcome of a run; an error is printed, so that the other runs go on."""
    began = time.perf_counter()
    try:
        outcome = outcome_of(RUNS[name], nudge)
    except Exception:
        print(f"{name}: failed\n{traceback.format_exc(limit=-2)}", flush=True)
        return None
    if time.perf_counter() - began > 1.0:
        print(f"{name}: {time.perf_counter() - began:.1f} s", flush=True)
    return outcome


# ---- compare -------------------------------------------------------------------------------------
def compare(names: Sequence[str], asked: argparse.Namespace) -> int:
    """Prints a line for every run; 1 if some run differs too much."""
    kept = records.read()
    limit = GROWTH if asked.nudge else records.TOLERANCE
    bad = [name for name in names if not agrees(name, kept, asked, limit)]
    print(
        f"{len(names) - len(bad)} of {len(names)} runs agree"
        + "".join(f"\n  not {name}" for name in bad)
    )
    return 1 if bad else 0


def agrees(name: str, kept: records.Recorded, asked: argparse.Namespace, limit: float) -> bool:
    if name not in kept.runs:
        print(f"{name}: not recorded")
        return False
    found = attempt(name, NUDGE if asked.nudge else 0.0)
    if found is None:
        return False
    worst, where = records.difference(kept.runs[name], found)
    differing = records.differing_bits(kept.runs[name], found) if asked.bits else []
    print(
        f"{worst:8.1e}  {name} ({where})"
        + f"; other bits in {', '.join(differing)}" * bool(differing)
    )
    return worst <= limit and not differing


if __name__ == "__main__":
    sys.exit(main())
