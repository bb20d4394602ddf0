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

from benchmarks.large import peak_memory
from benchmarks.measure import Row

ROUNDS = 3
CHAIN, SIDE, MOST = 100_000, 27, 1_000_000  # bodies; of a box, along an edge
FORMULAS = 200
SMALL = {"ROUNDS": 1, "CHAIN": 5, "SIDE": 4, "MOST": 5, "FORMULAS": 1}


def run() -> list[Row]:
    """Five figures; of seconds the best of some rounds."""
    chain = best_of("chain_run", CHAIN)
    file = best_of("file_of_chain", CHAIN)
    box = best_of("box_run", SIDE)
    many = best_of("many_bodies", MOST)
    formulas = measure("new_formulas", FORMULAS)
    return [
        Row(f"chain({CHAIN:,}), a run but its steps", "CPU", chain["seconds"], "s", at_most=5),
        Row(f"chain({CHAIN:,}) from TOML", "CPU", file["seconds"], "s", at_most=6),
        Row("the same, peak memory", "", file["megabytes"], "MB", at_most=500),
        Row(f"particle_box({SIDE}), a run but its steps", "CPU", box["seconds"], "s", at_most=3),
        Row(f"chain({MOST:,}), model and assembly", "CPU", many["seconds"], "s", at_most=20),
        Row(f"{FORMULAS} new formulas", "growth", formulas["megabytes"], "MB", at_most=40),
    ]


def best_of(name: str, size: int) -> dict[str, float]:
    return min((measure(name, size) for _ in range(ROUNDS)), key=lambda found: found["seconds"])


def measure(name: str, size: int) -> dict[str, float]:
    """What a function of this file finds at a size, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"from benchmarks import size; size.show(size.{name}({size}))"],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    return json.loads(done.stdout)


def show(found: dict[str, float]) -> None:
    print(json.dumps(found))


def outside_the_steps(model, small) -> dict[str, float]:
    """CPU seconds of a call of simulate, beside its steps; `small` has loaded the compiled code."""
    import hamiltree as ht

    options = {"until": 1e-4, "step": 2e-5, "progress": False}
    ht.simulate(small, **options)
    begin = time.process_time()
    done = ht.simulate(model, **options)
    return {"seconds": time.process_time() - begin - done.statistics["seconds"]}


def chain_run(bodies: int) -> dict[str, float]:
    """Of five steps; they are shorter than 1 ms because so heavy a chain is stiff."""
    import hamiltree as ht

    return outside_the_steps(ht.library.chain(bodies), ht.library.chain(3))


def box_run(side: int) -> dict[str, float]:
    """Of side³ bodies."""
    import hamiltree as ht

    return outside_the_steps(ht.library.particle_box(side), ht.library.particle_box(4))


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


def many_bodies(bodies: int) -> dict[str, float]:
    import numpy as np

    import hamiltree as ht

    ht.evaluate(ht.library.chain(2), np.zeros(2), np.zeros(2))
    begin = time.process_time()
    ht.evaluator(ht.library.chain(bodies))
    return {"seconds": time.process_time() - begin}


def new_formulas(count: int) -> dict[str, float]:
    """How much the process grows by formulas that no cache has."""
    begin = time.time_ns() % 10**9
    for k in range(5):
        run_formula(begin + k)
    before = resident_memory()
    for k in range(5, 5 + count):
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
