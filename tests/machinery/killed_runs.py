"""Runs that are killed at random times (kill -9), resumed, killed again, and compared with the same
run unbroken, bit by bit.

    python -m tests.machinery.killed_runs                20 times over five families
    python -m tests.machinery.killed_runs --kills 100    more often

A run writes to a pipe how many samples each write has made; all that it has said must be in its
file when it is killed. Runs are children of one process that has loaded everything.
"""

import argparse
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import hamiltree as ht
from hamiltree.run import loop, survival
from hamiltree.trajectory.journal import journal_path
from hamiltree.trajectory.parts import checkpoint_paths
from hamiltree.trajectory.recorders import FileRecorder

CHUNK_STEPS = 40  # of every run: so many are between two writes
EVERY = 0.02  # seconds from one checkpoint to the next
LIMITED_BYTES = 1_000_000  # the largest file on a disk that is full
KILLS_PER_RUN = 4
# a disk in memory, if there is one: what a killed process has written is there all the same
FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

OSCILLATORS = "(p1**2 + p2**2 + q1**2 + q2**2)/2 + q1**2*q2 - q2**3/3"


def family_of_runs() -> dict[str, tuple[Any, dict[str, Any]]]:
    """Name → problem and arguments of simulate."""
    fluid = ht.library.particle_box(2)
    henon = ht.hamiltonian(
        OSCILLATORS,
        {"q1": 0.1, "q2": 0.2},
        {"p1": 0.3, "p2": 0.05},
    )
    pol = ht.ode({"x": "v", "v": "mu*(1 - x**2)*v - x"}, {"x": 2.0, "v": 0.0}, mu=5.0)
    return {
        "tree": (ht.library.chain(4), {"until": 3.0, "step": 1e-3}),
        "loop": (ht.library.four_bar(), {"until": 1.5, "step": 1e-3, "split": 400}),
        "particles": (fluid, {"until": 0.6, "step": 1e-3, "integrator": "rk4"}),
        "hamiltonian": (
            henon,
            {"until": 60.0, "step": 0.02, "integrator": "blanes_moan6", "sections": ["q1"]},
        ),
        "ode": (pol, {"until": 60.0, "step": 0.02, "integrator": "dop853"}),
    }


def run_unbroken(problem: Any, options: dict[str, Any]) -> ht.Trajectory:
    kept = {name: value for name, value in options.items() if name != "split"}
    return ht.simulate(problem, save_every=1, progress=False, **kept)


def run_to_file(problem: Any, options: dict[str, Any], path: Path) -> None:
    """Begin a run, or go on with it; one that was killed before its first step begins again."""
    if any(file.exists() for file in checkpoint_paths(path)):
        ht.resume(path, progress=False, checkpoint=EVERY)
    else:
        given = {"save_every": 1, "progress": False, "checkpoint": EVERY, **options}
        ht.simulate(problem, output=path, force=True, **given)


# ---- a process that is killed --------------------------------------------------------------------
def start_child(work: Any, *arguments: Any) -> tuple[int, int]:
    """A child that does this work and says how many samples it has written: its id, and the end of
    a pipe to read from.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    code = 1
    try:
        acknowledge_writes(writing)
        work(*arguments)
        code = 0
    except ht.StepError as error:
        sys.stderr.write(f"{error}\n")
    finally:
        os._exit(code)


def acknowledge_writes(pipe: int) -> None:
    """Every write of samples is followed by a line with their number."""
    write = FileRecorder.write

    def write_and_say(self: FileRecorder, chunk: dict[str, np.ndarray]) -> None:
        write(self, chunk)
        os.write(pipe, f"{self.samples}\n".encode())

    FileRecorder.write = write_and_say  # type: ignore[method-assign]


def kill_after(child: int, pipe: int, seconds: float) -> int:
    """Kill a child then; how many samples it has said to have written."""
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    said = read_all(pipe).split()
    return int(said[-1]) if said else 0


def read_all(pipe: int) -> bytes:
    with open(pipe, "rb") as file:
        return file.read()


# ---- what must hold ------------------------------------------------------------------------------
def differences(found: ht.Trajectory, unbroken: ht.Trajectory) -> list[str]:
    """Variables whose bits differ, and statistics other than seconds."""
    names = []
    for name, variable in unbroken.dataset.variables.items():
        if variable.dtype.kind == "f":
            mine = found.dataset[name].values
            if mine.shape != variable.shape or mine.tobytes() != variable.values.tobytes():
                names.append(str(name))
    there = found.statistics
    names += [key for key, x in unbroken.statistics.items() if key != "seconds" and there[key] != x]
    return names + ([] if found.status == unbroken.status else [found.status])


def check_killed_run(name: str, path: Path, kills: int, dice: random.Random) -> list[str]:
    """Kill a run so often, resume it, and compare: what is wrong."""
    problem, options = family_of_runs()[name]
    run_unbroken(problem, options)  # compiled now: what follows is the length of a run alone
    began = time.perf_counter()
    unbroken = run_unbroken(problem, options)
    length = time.perf_counter() - began
    wrong = []
    for _ in range(kills):
        child = start_child(run_to_file, problem, options, path)
        said = kill_after(*child, dice.uniform(0.0, 1.2 * length))
        if not (path.exists() or journal_path(path).exists()):
            continue  # it had not begun
        left = ht.Trajectory.load(path)
        times = left.t.values
        left.dataset.close()
        if len(times) < said:
            wrong.append(f"{name}: {said} samples were written, {len(times)} are left")
        if times.tobytes() != unbroken.t.values[: len(times)].tobytes():
            wrong.append(f"{name}: samples of a killed run differ")
        if left.status == "complete":
            break
    else:
        run_to_file(problem, options, path)
    found = ht.Trajectory.load(path)
    wrong += [f"{name}: {each} differs" for each in differences(found, unbroken)]
    files = sorted(file.name for file in path.parent.iterdir() if not file.match("*.nc"))
    return wrong + [f"{name}: {file} is left over" for file in files]


def check_full_disk(name: str, path: Path) -> list[str]:
    """A run on a disk that is full ends with what it has; when there is room it goes on."""
    problem, options = family_of_runs()[name]

    def run_on_small_disk() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (LIMITED_BYTES, resource.RLIM_INFINITY))
        run_to_file(problem, options, path)

    unbroken = run_unbroken(problem, options)
    child, pipe = start_child(run_on_small_disk)
    said = read_all(pipe).split()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    wrong = [] if status == 1 else [f"{name}: a run on a full disk ended with {status}"]
    left = ht.Trajectory.load(path)
    if len(left.t) < int(said[-1]):
        wrong.append(f"{name}: {int(said[-1])} samples were written, {len(left.t)} are left")
    left.dataset.close()
    found = ht.resume(path, progress=False)
    return wrong + [f"{name}: {each} differs" for each in differences(found, unbroken)]


def main() -> int:
    """Kill runs of all families in turn, and fill a disk."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default=FOLDER, help="where runs are written")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    loop.next_chunk = lambda done, spent: CHUNK_STEPS  # type: ignore[assignment]
    survival.MOST_TIME = np.inf  # type: ignore[assignment]
    dice = random.Random(given.seed)
    folder = Path(tempfile.mkdtemp(prefix="killed-runs-", dir=given.folder))
    wrong, done = [], 0
    try:
        names = list(family_of_runs())
        while done < given.kills:
            count = min(KILLS_PER_RUN, given.kills - done)
            name = names[done // KILLS_PER_RUN % len(names)]
            place = folder / str(done)
            place.mkdir()
            wrong += check_killed_run(name, place / "run.nc", count, dice)
            done += count
            shutil.rmtree(place)
        (folder / "disk").mkdir()
        wrong += check_full_disk("tree", folder / "disk" / "run.nc")
    finally:
        shutil.rmtree(folder)
    print("\n".join([*wrong, f"{done} kills, 1 full disk, {len(wrong)} faults"]))
    return min(1, len(wrong))


if __name__ == "__main__":
    sys.exit(main())
