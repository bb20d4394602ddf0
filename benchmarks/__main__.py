"""python -m benchmarks [names] [--save FILE.json]: run all benchmarks or the named ones, print one
table.

The exit code is 0 whether or not a goal is met, and 1 if two computations that must agree do not,
or one broke off.
"""

import argparse
import json
import platform
import sys
import traceback
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Disagreement, Row

NAMES = (
    "evaluation",
    "cost",
    "trajectories",
    "race",
    "large",
    "size",
    "start",
    "calls",
    "hamiltonians",
    "algorithms",
    "mechanisms",
    "drift",
    "long_runs",
    "scales",
    "formulations",
    "chains",
    "page",
)
VERDICTS = {True: "met", False: "missed", None: ""}


def main() -> int:
    """Run the chosen benchmarks and print their table; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__.splitlines()[0]
    )
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(NAMES))
    parser.add_argument("--save", type=Path, metavar="FILE.json")
    chosen = parser.parse_args()
    for name in set(chosen.names) - set(NAMES):
        parser.error(f"there is no benchmark {name!r}; there are {', '.join(NAMES)}")
    results, wrong = {}, {}
    for name in chosen.names or NAMES:
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            results[name] = import_module(f"benchmarks.{name}").run()
        except Disagreement as error:
            wrong[name] = str(error)
        except Exception as error:  # the others are still worth their minutes
            traceback.print_exc()
            wrong[name] = f"broke off with {error!r}"
    Console(width=None if sys.stdout.isatty() else 160).print(table(results))
    for name, message in wrong.items():
        print(f"WRONG  {name}: {message}")
    if chosen.save:
        chosen.save.write_text(json.dumps(record(results, wrong), indent=1, ensure_ascii=False))
    return int(bool(wrong))


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


sys.exit(main())
