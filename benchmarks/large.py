"""A million bodies: assembled and evaluated once, in a process of its own; seconds and peak
memory.
"""

import json
import resource
import subprocess
import sys
import time

import numpy as np

from benchmarks.measure import Row, agree

BODIES = 1_000_000
SMALL = {"BODIES": 1000}


def run() -> list[Row]:
    """Memory and time of a model of a million bodies, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"from benchmarks.large import child; child({BODIES})"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    seconds = json.loads(done.stdout)
    agree(f"chain({BODIES:,}) gives finite rates", 0.0 if seconds.pop("finite") else np.nan, 0.0)
    gigabytes = seconds.pop("gigabytes")
    return [
        Row(
            f"chain({BODIES:,}), peak memory",
            ", ".join(f"{step} {value:.1f} s" for step, value in seconds.items()),
            gigabytes,
            "GB",
            at_most=4,
        ),
        Row(f"chain({BODIES:,}), model to rates", "", sum(seconds.values()), "s"),
    ]


def child(bodies: int) -> None:
    """The steps of a user, each timed; one line of JSON."""
    import hamiltree as ht

    # compiled code is loaded before the clock starts
    ht.evaluate(ht.library.chain(2), np.zeros(2), np.zeros(2))
    start = time.perf_counter()
    model = ht.library.chain(bodies)
    built = time.perf_counter()
    f = ht.evaluator(model)
    assembled = time.perf_counter()
    qdot, pdot = f(np.full(bodies, 0.1), np.zeros(bodies))
    evaluated = time.perf_counter()
    steps = {
        "model": built - start,
        "assembly": assembled - built,
        "evaluation": evaluated - assembled,
    }
    print(
        json.dumps(
            {
                **steps,
                "gigabytes": peak_memory(),
                "finite": bool(np.isfinite(qdot).all() and np.isfinite(pdot).all()),
            }
        )
    )


def peak_memory() -> float:
    """GB; the system tells kilobytes, on macOS bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1e9 if sys.platform == "darwin" else 1e6
    )
