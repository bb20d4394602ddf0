"""What large models and many formulas take beside the steps: CPU seconds and memory, each in a
process of its own.
"""

import gc
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

from benchmarks.large import peak_memory
from benchmarks.measure import Row

ROUNDS = 3
CHAIN, LONG_CHAIN = 100_000, 1_000_000  # bodies
BOX = 27  # bodies along an edge
FORMULAS = 200
SMALL = {"ROUNDS": 1, "CHAIN": 100, "LONG_CHAIN": 200, "BOX": 4, "FORMULAS": 2}


def run() -> list[Row]:
    """Some figures; of seconds the best of some rounds."""
    chain = best_of("chain_run", CHAIN)
    adaptive = best_of("adaptive_chain_run", CHAIN)
    file = best_of("file_of_chain", CHAIN)
    box = best_of("box_run", BOX)
    million = best_of("long_chain", LONG_CHAIN)
    formulas = measure("new_formulas", FORMULAS)
    return [
        Row(f"chain({CHAIN:,}), a run but its steps", "CPU", chain["seconds"], "s", at_most=5),
        Row("the same by dop853", "CPU", adaptive["seconds"], "s", at_most=5),
        Row(f"chain({CHAIN:,}) from TOML", "CPU", file["seconds"], "s", at_most=6),
        Row("the same, peak memory", "", file["megabytes"], "MB", at_most=500),
        Row(f"particle_box({BOX}), a run but its steps", "CPU", box["seconds"], "s", at_most=3),
        Row(
            f"chain({LONG_CHAIN:,}), model and assembly", "CPU", million["seconds"], "s", at_most=20
        ),
        Row(f"{FORMULAS} new formulas", "growth", formulas["megabytes"], "MB", at_most=40),
    ]


def best_of(name: str, size: int) -> dict[str, float]:
    return min((measure(name, size) for _ in range(ROUNDS)), key=lambda found: found["seconds"])


def measure(name: str, size: int) -> dict[str, float]:
    """What a function of this file prints, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"from benchmarks import size; size.show(size.{name}, {size})"],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    return json.loads(done.stdout)


def show(function, size: int) -> None:
    print(json.dumps(function(size)))


def outside_the_steps(model, small, step: float, integrator: str) -> dict[str, float]:
    """CPU seconds of a call of simulate, beside its five steps; a run of `small` has loaded the
    compiled code. The steps are timed by the same clock: `statistics` has seconds of the wall.
    """
    import hamiltree as ht
    from hamiltree.run.loop import Run

    options = {"until": 5 * step, "step": step, "integrator": integrator, "progress": False}
    ht.simulate(small, **options)
    advance, in_steps = Run.advance, []

    def advance_timed(*arguments):
        begin = time.process_time()
        saved = advance(*arguments)
        in_steps.append(time.process_time() - begin)
        return saved

    with mock.patch.object(Run, "advance", advance_timed):
        begin = time.process_time()
        ht.simulate(model, **options)
        seconds = time.process_time() - begin
    return {"seconds": seconds - sum(in_steps)}


def chain_run(bodies: int) -> dict[str, float]:
    """By short explicit steps: so heavy a chain is too stiff for fixed-point sweeps."""
    import hamiltree as ht

    return outside_the_steps(ht.library.chain(bodies), ht.library.chain(3), 2e-6, "rk4")


def adaptive_chain_run(bodies: int) -> dict[str, float]:
    """Beside the steps, scales of all rows are found."""
    import hamiltree as ht

    return outside_the_steps(ht.library.chain(bodies), ht.library.chain(3), 2e-6, "dop853")


def box_run(edge: int) -> dict[str, float]:
    """Of edge³ bodies."""
    import hamiltree as ht

    return outside_the_steps(
        ht.library.particle_box(edge), ht.library.particle_box(4), 1e-3, "gauss8"
    )


def file_of_chain(bodies: int) -> dict[str, float]:
    """The file is written by another process, so that its memory does not count."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "chain.toml")
        write = f"import hamiltree as ht, sys; ht.save(ht.library.chain({bodies}), sys.argv[1])"
        subprocess.run([sys.executable, "-c", write, path], check=True)
        import hamiltree as ht

        begin = time.process_time()
        ht.load(path)
        return {"seconds": time.process_time() - begin, "megabytes": 1e3 * peak_memory()}


def long_chain(bodies: int) -> dict[str, float]:
    import numpy as np

    import hamiltree as ht

    ht.evaluate(ht.library.chain(2), np.zeros(2), np.zeros(2))
    begin = time.process_time()
    kept = ht.evaluator(ht.library.chain(bodies))  # to free it again is not timed
    seconds = time.process_time() - begin
    del kept
    return {"seconds": seconds}


def new_formulas(formulas: int) -> dict[str, float]:
    """How much the process grows by formulas that no cache has."""
    begin = time.time_ns() % 10**9
    for k in range(5):
        run_formula(begin + k)
    before = resident_memory()
    for k in range(5, 5 + formulas):
        run_formula(begin + k)
    return {"megabytes": resident_memory() - before}


def run_formula(number: int) -> None:
    import hamiltree as ht

    problem = ht.hamiltonian(f"p**2/2 + {number}*q**2/2 + cos({number % 97}*q)")
    ht.simulate(problem, q=[0.1], p=[0.2], until=0.01, step=1e-3, progress=False)


def resident_memory() -> float:
    """MB; Linux tells it in pages, elsewhere the peak stands for it."""
    gc.collect()
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize() / 1e6
    except OSError:
        return 1e3 * peak_memory()
