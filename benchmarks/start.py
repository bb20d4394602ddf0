"""How long a process takes to be ready: the import, and the demo with compiled code already on
disk.
"""

import subprocess
import sys
import tempfile
import time

from benchmarks.measure import Row

EMPTY = [sys.executable, "-c", "pass"]
IMPORT = [sys.executable, "-c", "import hamiltree"]
# names are resolved when first used
FIRST_USE = [
    sys.executable,
    "-c",
    "import hamiltree; hamiltree.simulate",
]
# what the script `hamiltree` does
DEMO = [
    sys.executable,
    "-c",
    "from hamiltree.cli.app import main; main()",
    "demo",
]
REPEATS = 5
SMALL = {"REPEATS": 1, "DEMO": [*DEMO[:-1], "--version"]}


def run() -> list[Row]:
    """Seconds of import, first use and the demo, each in a process of its own."""
    first = seconds(DEMO)  # compiles, unless the cache has it
    empty, imported, used, demo = (
        min(seconds(command) for _ in range(REPEATS))
        for command in (EMPTY, IMPORT, FIRST_USE, DEMO)
    )
    return [
        Row("import hamiltree", f"of it {empty:.2f} s Python itself", imported, "s", at_most=0.5),
        Row("import hamiltree, and name simulate", "loads the compiler", used, "s"),
        Row(
            f"hamiltree {DEMO[-1]}, in a second process",
            f"in the first one {first:.1f} s",
            demo,
            "s",
            at_most=5,
        ),
    ]


def seconds(command: list[str]) -> float:
    """Wall time of a process in a folder of its own, where it may write."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        subprocess.run(
            command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder
        )
        return time.perf_counter() - start
