"""What a call costs beside its steps: CPU time of calls of one step, with everything compiled."""

import subprocess
import sys
import time
from collections.abc import Callable

import hamiltree as ht
from benchmarks.measure import Row
from hamiltree.run.simulate import Simulator

STEP = 1e-3
CALLS = 30
STEPS = 20_000
SCRIPTS = 3  # processes, after a first that may compile
SMALL = {"CALLS": 1, "STEPS": 20, "SCRIPTS": 1}
SCRIPT = """
import time
import hamiltree as ht
ht.simulate(ht.library.chain(10), until=0.1, step=1e-3, progress=False).energy_error
print(time.process_time())
"""
# (name, model, ms of a second run, of simulate with a model seen before, of simulate with a new
# one)
MODELS = (
    ("chain(10)", lambda: ht.library.chain(10), 1, 5, 12),
    ("four_bar()", lambda: ht.library.four_bar(), 3, 15, 50),
)


def run() -> list[Row]:
    """Cost of calls apart from their steps: a script, a second run, simulate with a model seen
    before and with a new one.
    """
    rows = [
        Row(
            "a script of one run, in a second process",
            "import, simulate, energy_error",
            warm_script(),
            "s CPU",
            at_most=1,
        )
    ]
    for name, make, again, seen, new in MODELS:
        model = make()
        sim = ht.simulator(model, step=STEP)
        rows += [
            Row(
                f"{name}: second run",
                "",
                milliseconds(lambda sim=sim: sim.run(until=STEP)),
                "ms CPU",
                at_most=again,
            ),
            Row(
                f"{name}: simulate, model seen before",
                "",
                simulate_again(model),
                "ms CPU",
                at_most=seen,
            ),
            Row(
                f"{name}: simulate, new model",
                "",
                milliseconds(lambda make=make: simulate(make())),
                "ms CPU",
                at_most=new,
            ),
            overhead(name, sim),
        ]
    return rows


def simulate(model: ht.Model) -> None:
    ht.simulate(model, until=STEP, step=STEP, progress=False)


def simulate_again(model: ht.Model) -> float:
    return milliseconds(lambda: simulate(model))


def warm_script() -> float:
    """CPU seconds of a process after the first, the best of them."""
    commands = [sys.executable, "-c", SCRIPT]
    found = [
        float(subprocess.run(commands, check=True, capture_output=True, text=True).stdout)
        for _ in range(1 + SCRIPTS)
    ]
    return min(found[1:])


def milliseconds(call: Callable[[], object]) -> float:
    """CPU time of a call, mean of CALLS."""
    for _ in range(3):
        call()
    start = time.process_time()
    for _ in range(CALLS):
        call()
    return 1e3 * (time.process_time() - start) / CALLS


def overhead(name: str, sim: Simulator) -> Row:
    """Of steps one by one, against the same steps in one call."""
    sim.step(10)
    singly, together = (
        per_step(sim, lambda: [sim.step() for _ in range(STEPS)]),
        per_step(sim, lambda: sim.step(STEPS)),
    )
    measured = f"{1e6 * singly:.1f} µs one by one, {1e6 * together:.1f} µs together"
    return Row(
        f"{name}: sim.step() beside the step",
        measured,
        1e6 * (singly - together),
        "µs CPU",
        at_most=6,
    )


def per_step(sim: Simulator, work: Callable[[], object]) -> float:
    sim.reset()
    sim.step(10)
    start = time.process_time()
    work()
    return (time.process_time() - start) / STEPS
