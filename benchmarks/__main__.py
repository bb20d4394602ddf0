"""python -m benchmarks [names] [--small] [--save FILE.json]: run all benchmarks or the named ones,
print one table.

Parts that need a package that is not installed are left out and named. With --small they run at
their smallest sizes: that they work is seen, the figures say nothing.
The exit code is 0 whether or not a goal is met, and 1 if two computations that must agree do not,
or one broke off.
"""

import argparse
import json
import platform
import sys
import traceback
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.catalogue import BENCHMARKS, PARTS
from benchmarks.measure import Disagreement, Row

VERDICTS = {True: "met", False: "missed", None: ""}


def main() -> int:
    """Run the chosen benchmarks and print their table; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Run all benchmarks or the named ones, print one table.",
    )
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(BENCHMARKS))
    parser.add_argument("--small", action="store_true", help="smallest sizes, to see that they run")
    parser.add_argument("--save", type=Path, metavar="FILE.json")
    chosen = parser.parse_args()
    for name in set(chosen.names) - set(BENCHMARKS):
        parser.error(f"there is no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    results, wrong = measure(chosen.names or [*BENCHMARKS], chosen.small)
    Console(width=None if sys.stdout.isatty() else 160).print(table(results))
    for name, message in wrong.items():
        print(f"WRONG  {name}: {message}")
    if chosen.save:
        chosen.save.write_text(json.dumps(record(results, wrong), indent=1, ensure_ascii=False))
    return int(bool(wrong))


def measure(names: list[str], is_small: bool) -> tuple[dict[str, list[Row]], dict[str, str]]:
    """The rows of the named benchmarks, and what went wrong, by the part's name."""
    results: dict[str, list[Row]] = {name: [] for name in names}
    wrong: dict[str, str] = {}
    for part in PARTS:
        if part.benchmark not in names:
            continue
        if part.missing:
            print(f"{part}: left out, {part.missing} not installed", file=sys.stderr)
            continue
        print(f"{part} …", file=sys.stderr, flush=True)
        try:
            results[part.benchmark] += part.rows(is_small)
        except Disagreement as error:
            wrong[f"{part}"] = str(error)
        except Exception as error:  # the others are still worth their minutes
            traceback.print_exc()
            wrong[f"{part}"] = f"broke off with {error!r}"
    return results, wrong


def table(results: dict[str, list[Row]]) -> Table:
    """The rows of all benchmarks, one section per benchmark."""
    made = Table("what", "measured", "figure", "goal", "")
    for name, rows in results.items():
        made.add_section()
        for row in rows:
            made.add_row(
                f"{name}: {row.what}",
                row.measured,
                f"{row.figure:.3g} {row.unit}",
                row.goal,
                VERDICTS[row.met],
            )
    return made


def record(results: dict[str, list[Row]], wrong: dict[str, str]) -> dict:
    """What --save writes: the machine, all rows, and what went wrong."""
    rows = {
        name: [{**row._asdict(), "met": row.met} for row in rows] for name, rows in results.items()
    }
    return {
        "machine": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "results": rows,
        "wrong": wrong,
    }


if __name__ == "__main__":
    sys.exit(main())
