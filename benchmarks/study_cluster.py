"""A study on a LocalCluster of two workers of which one is killed on the way: is it complete, equal
to the same study in threads, and how much memory did each process take?

    python -m benchmarks.study_cluster [members]
"""

import os
import resource
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from distributed import Client, LocalCluster

import hamiltree as ht
from hamiltree.studies import uniform

MEMBERS = 100_000
STEPS, STEP = 200, 0.01
WORKERS = 2


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


def kill_one(client: Client, folder: Path, members: int, said: list[str]) -> None:
    """A worker, once a quarter of the members is there."""
    victim = next(iter(client.run(os.getpid).values()))
    done = 0
    while 4 * done < members:
        time.sleep(0.02)
        bounds = [path.stem.split("-") for path in folder.glob("*.part")]
        done = sum(int(last) - int(first) for first, last in bounds)
    os.kill(victim, signal.SIGKILL)
    said.append(f"worker {victim} killed after {done} members")


def main() -> None:
    members = int(sys.argv[1]) if len(sys.argv) > 1 else MEMBERS
    said: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.nc"
        with (
            LocalCluster(
                WORKERS, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
            ) as made,
            Client(made) as client,
        ):
            parts = Path(f"{path}.parts")
            threading.Thread(
                target=kill_one, args=(client, parts, members, said), daemon=True
            ).start()
            began = time.perf_counter()
            found = study_of(members, cluster=client, output=path)
            seconds = time.perf_counter() - began
            memory = [peak_memory(), *client.run(peak_memory).values()]
        began = time.perf_counter()
        alone = study_of(members)
        print(*said, sep="\n")
        in_threads = time.perf_counter() - began
        print(f"{found}: {seconds:.1f} s on the cluster, {in_threads:.1f} s in threads")
        names = list(alone.data.data_vars)
        same = all(np.array_equal(found.data[x].values, alone.data[x].values) for x in names)
        print("complete:", found.is_complete, " the same bits:", same)
        print("peak memory, GB:", ", ".join(f"{size:.2f}" for size in memory))
        sys.exit(0 if said and found.is_complete and same and max(memory) <= 1.0 else 1)


if __name__ == "__main__":
    main()
