"""Run one thing and write down what it compiled: `counted_run.py REPORT cli|file ARGUMENT…`.

cli: the command line of hamiltree with these arguments. file: a script.
Numba tells of every function and of every pass of its compiler, whoever asked for it.
"""

import json
import runpy
import sys
from pathlib import Path

from numba.core import event


class Counter(event.Listener):
    """Functions that were asked for, not their parts, and passes of the compiler over anything."""

    def __init__(self):
        self.functions, self.depth, self.passes = [], 0, 0

    def on_start(self, event):
        if event.kind == "numba:run_pass":
            self.passes += 1
            return
        function = event.data["dispatcher"].py_func
        if self.depth == 0:
            self.functions.append(f"{function.__module__}.{function.__qualname__}")
        self.depth += 1

    def on_end(self, event):
        self.depth -= event.kind == "numba:compile"


def main() -> None:
    """Run a script or a command of hamiltree, and write what was compiled to the report."""
    report, kind, *arguments = sys.argv[1:]
    counter = Counter()
    for name in ("numba:compile", "numba:run_pass"):
        event.register(name, counter)
    try:
        if kind == "cli":
            from hamiltree.cli.app import main as command

            sys.argv = ["hamiltree", *arguments]
            command()
        else:
            sys.argv = arguments
            runpy.run_path(arguments[0], run_name="__main__")
    finally:
        write(Path(report), counter)


def write(report: Path, counter: Counter) -> None:
    from hamiltree.compiled.cache import COUNTS

    found = {"functions": counter.functions, "passes": counter.passes, "loaded": COUNTS["loaded"]}
    report.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
