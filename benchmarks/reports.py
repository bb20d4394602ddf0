"""What a report costs beside its run: CPU time of the plain lines and of the error of the answer,
for models of the library at defaults, with everything compiled.
"""

import gc
import time
import warnings
from collections.abc import Callable
from typing import Any

import hamiltree as ht
from benchmarks.measure import Row
from hamiltree.model import library
from hamiltree.verdict.answer import estimate_error

MOST, SPARE = 0.75, 20.0  # of the run, and ms: for the error of the answer
PLAIN = 0.1  # of the run, or SPARE
REPEATS = 4  # at least, after a first that may compile; short runs until so many ms are spent
SPENT = 2000.0
UNTIL: float | None = None
MODELS: dict[str, tuple[Any, ...]] = {
    "n_pendulum": (2, 1.0, 1.0, 1.0),
    "chain": (10,),
    "tree": (20,),
    "ten_body_tree": (),
    "six_bodies": (),
    "free_body": (),
    "top": (),
    "spherical_chain": (5,),
    "floating_tree": (10,),
    "satellite": (),
    "four_bar": (),
    "slider_crank": (),
    "spatial_slider_crank": (),
    "governor": (),
    "bricard": (),
    "stewart": (),
    "double_wishbone": (),
    "problem_11_7": (),
    "double_four_bar": (),
    "car_axis": (),
    "particle_chain": (),
    "particle_box": (2,),
    "branched_molecule": (),
}
SMALL = {
    "REPEATS": 1,
    "SPENT": 0.0,
    "UNTIL": 0.1,
    "MODELS": {name: MODELS[name] for name in ("n_pendulum", "four_bar", "branched_molecule")},
}


def run() -> list[Row]:
    return [row for name in MODELS for row in rows_of(name)]


def rows_of(name: str) -> list[Row]:
    """Of one model: both parts, each against what it may take."""
    model = library.build(name, *MODELS[name])
    measure(model)
    found: list[tuple[float, ...]] = []
    while len(found) < REPEATS or sum(map(sum, found)) < SPENT:
        found.append(measure(model))
    run, plain, error = (min(times) for times in zip(*found, strict=True))
    about = f"run {run:.0f} ms"
    beyond = max(0.0, error - SPARE) / run
    return [
        Row(f"{name}: error of the answer beyond {SPARE:g} ms", f"{about}, error {error:.0f} ms",
            beyond, "of the run", at_most=MOST),
        Row(f"{name}: plain report", about, plain, "ms CPU", at_most=max(SPARE, PLAIN * run)),
    ]  # fmt: skip


def measure(model: Any) -> tuple[float, float, float]:
    """ms of a run, of its plain report, and of the error of the answer."""
    made: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ht.AccuracyWarning)
        ran = milliseconds(lambda: made.append(ht.simulate(model, UNTIL, progress=False)))
    plain = milliseconds(lambda: made[0].report(error=False, ledger=False))
    return ran, plain, milliseconds(lambda: estimate_error(made[0]))


def milliseconds(call: Callable[[], Any]) -> float:
    """CPU time of a call."""
    gc.collect()
    began = time.process_time()
    call()
    return 1e3 * (time.process_time() - began)
