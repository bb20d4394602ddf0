"""How long a process takes to be ready: the import, and the demo with compiled code already on disk."""

import subprocess
import sys
import tempfile
import time

from benchmarks.measure import Row

IMPORT = [sys.executable, "-c", "import hamiltree"]
EMPTY = [sys.executable, "-c", "pass"]
DEMO = [sys.executable, "-m", "hamiltree.cli", "demo"]


def run() -> list[Row]:
    first = seconds(DEMO)  # compiles, unless the cache has it
    imported, empty, demo = (min(seconds(command) for _ in range(5)) for command in (IMPORT, EMPTY, DEMO))
    return [
        Row("import hamiltree", f"of it {empty:.2f} s Python itself", imported, "s", at_most=0.5),
        Row("hamiltree demo, again", f"first call here {first:.1f} s", demo, "s", at_most=5),
    ]


def seconds(command: list[str]) -> float:
    """Wall time of a process in a folder of its own, where it may write."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
        return time.perf_counter() - start
