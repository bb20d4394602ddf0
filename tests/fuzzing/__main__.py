"""python -m tests.fuzzing [--seed 1] [--count 1000] [--kind toml …]: what becomes of many damaged
files, and the text of each that is a defect.
"""

import argparse
import faulthandler
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.fuzzing.fuzz import damaged_files, try_file
from tests.fuzzing.good_files import GOOD

HANGS = 120  # seconds of one file


def main() -> int:
    """Try the files and print the counts; 1 if there were defects."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000, help="files of each kind")
    parser.add_argument("--kind", choices=GOOD, action="append")
    chosen = parser.parse_args()
    defects = 0
    for kind in chosen.kind or GOOD:
        began = time.perf_counter()
        counts: Counter[str] = Counter()
        with tempfile.TemporaryDirectory() as folder:
            for content in damaged_files(kind, chosen.seed, chosen.count):
                faulthandler.dump_traceback_later(HANGS, exit=True)
                outcome = try_file(kind, content, Path(folder))
                counts[outcome.verdict] += 1
                if outcome.verdict == "defect":
                    print(f"---- {kind}\n{content}\n---- {outcome.detail}\n", flush=True)
        faulthandler.cancel_dump_traceback_later()
        defects += counts["defect"]
        print(f"{kind}: {dict(counts)} in {time.perf_counter() - began:.0f} s", flush=True)
    return int(defects > 0)


sys.exit(main())
