"""A study on a LocalCluster of two workers of which one is killed on the way: is it complete, equal
to the same study in threads, and how much memory did each process take?"""

import os
import resource
import signal
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from distributed import Client, LocalCluster

import hamiltree as ht
from benchmarks.measure import Disagreement, Row
from hamiltree.studies import uniform

MEMBERS = 100_000
STEPS, STEP = 200, 0.01
WORKERS = 2
MOST_MEMORY = 1.0  # of one process, GB
SMALL = {"MEMBERS": 8, "STEPS": 20}


def peak_memory() -> float:
    """Of this process, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def study_of(members: int, **more) -> ht.Study:
    """Double pendulums from other starts, with samples."""
    return ht.study(
        ht.library.n_pendulum(2, angles=0.4),
        {"q.hinge1": uniform(-3.0, 3.0), "qdot.hinge2": uniform(-1.0, 1.0)},
        members=members,
        keep=["end", "samples", "max(q)"],
        until=STEPS * STEP,
        step=STEP,
        save_every=20,
        integrator="rk4",
        progress=False,
        **more,
    )


def kill_one(client: Client, folder: Path, is_over: threading.Event, killed: list[int]) -> None:
    """A worker, once a quarter of the members is there; none if the study is over before that."""
    victim = next(iter(client.run(os.getpid).values()))
    done = 0
    while 4 * done < MEMBERS:
        if is_over.wait(0.02):
            return
        bounds = [path.stem.split("-") for path in folder.glob("*.part")]
        done = sum(int(last) - int(first) for first, last in bounds)
    os.kill(victim, signal.SIGKILL)
    killed.append(done)


def run_on_cluster(path: Path) -> tuple[ht.Study, float, list[int], float]:
    """The study, its seconds, after how many members a worker was killed, the largest memory."""
    killed: list[int] = []
    is_over = threading.Event()
    with (
        LocalCluster(
            WORKERS, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as made,
        Client(made) as client,
    ):
        arguments = client, Path(f"{path}.parts"), is_over, killed
        killer = threading.Thread(target=kill_one, args=arguments, daemon=True)
        killer.start()
        began = time.perf_counter()
        try:
            found = study_of(MEMBERS, cluster=client, output=path)
        finally:
            is_over.set()
            killer.join()
        seconds = time.perf_counter() - began
        memory = max(peak_memory(), *client.run(peak_memory).values())
    return found, seconds, killed, memory


def run() -> list[Row]:
    """Refused unless the two studies have the same bits."""
    with tempfile.TemporaryDirectory() as folder:
        found, seconds, killed, memory = run_on_cluster(Path(folder) / "study.nc")
        began = time.perf_counter()
        alone = study_of(MEMBERS)
        in_threads = time.perf_counter() - began
        if not found.is_complete:
            raise Disagreement("the study on the cluster is not complete")
        for name in alone.data.data_vars:
            if not np.array_equal(found.data[name].values, alone.data[name].values):
                raise Disagreement(f"{name} differs between the cluster and threads")
    what = f"{MEMBERS} double pendulums, {WORKERS} workers"
    times = f"cluster {seconds:.1f} s, threads {in_threads:.1f} s"
    after = f"after {killed[0]} members" if killed else "it was over before that"
    return [
        Row(f"{what}: time of threads / of the cluster", times, in_threads / seconds),
        Row(f"{what}: killed on the way", after, len(killed), "workers", at_least=1),
        Row(f"{what}: largest process", "peak memory", memory, "GB", at_most=MOST_MEMORY),
    ]
