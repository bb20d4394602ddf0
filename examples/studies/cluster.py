"""A study on many machines: a Monte Carlo of double pendulums on Dask.

    python cluster.py local                   two workers on this machine
    python cluster.py tcp://host:8786         a scheduler that runs (dask scheduler, dask worker)
    python cluster.py slurm, python cluster.py pbs      jobs of a batch system (dask-jobqueue)

Members are added to the file as they are finished. The same call goes on with a study that was
broken off.
"""

import argparse
from pathlib import Path

import hamiltree as ht
from hamiltree.studies import normal, uniform


def open_cluster(where: str, jobs: int):
    """What `cluster` of ht.study takes."""
    if where not in ("slurm", "pbs"):
        return "local:2" if where == "local" else where
    from dask_jobqueue import PBSCluster, SLURMCluster

    kind = SLURMCluster if where == "slurm" else PBSCluster
    made = kind(
        cores=1,  # threads of a worker; steps run in parallel, assembling members does not
        processes=1,
        memory="2GB",
        walltime="01:00:00",
        # compiled code in a folder that all nodes see, and that nobody else can write
        job_script_prologue=["export HAMILTREE_CACHE_DIR=$HOME/.cache/hamiltree"],
    )
    made.scale(jobs=jobs)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("where", nargs="?", default="local")
    parser.add_argument("--members", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=10)
    parser.add_argument("--output", type=Path, default=Path("pendulums.nc"))
    given = parser.parse_args()
    found = ht.study(
        ht.library.n_pendulum(2, angles=0.4),
        {"bodies.rod1.mass": normal(1.0, 0.02), "q.hinge1": uniform(0.2, 2.8)},
        members=given.members,
        sampler="sobol",
        keep={"end": "end", "swing": "max(hinge2)", "over": "first(hinge2 > 3.14159)"},
        until=10.0,
        step=0.01,
        integrator="rk4",
        cluster=open_cluster(given.where, given.jobs),
        output=given.output,
        resume=given.output.exists() or Path(f"{given.output}.parts").exists(),
    )
    print(found)
    print(found.rank_correlations("swing"))


if __name__ == "__main__":  # workers on this machine are processes that read this file too
    main()
