"""The energy race: ten bodies let go at q = 0, 100 s at h = 1e-3, without friction; energy error
and time side by side.

The error is the largest |E − E(0)| of the samples, relative to the largest kinetic energy.
"""

import time
from typing import NamedTuple

import mujoco
import numpy as np

import hamiltree as ht
from benchmarks.measure import Row, agree
from benchmarks.peers import to_mujoco
from hamiltree.model import Model

BODIES, UNTIL, STEP, EVERY, ROUNDS = 10, 100.0, 1e-3, 5, 5  # the run of `hamiltree demo`
# times STEP; tried from the longest on. The motion is chaotic: what a step keeps is told by a run
LONGER = (1.5, *np.arange(2.0, 3.05, 0.1).round(1).tolist(), 4.0, 5.0)
KEPT = 1e-12  # of the largest kinetic energy
SMALL = {"BODIES": 3, "UNTIL": 1.0, "ROUNDS": 2}


class Finish(NamedTuple):
    error: float
    seconds: float  # of the steps alone


def run() -> list[Row]:
    """Energy error and time of a chain, the best of several rounds."""
    model = ht.library.chain(BODIES)
    longest = longest_step(model)
    racers = {
        "gauss8": ours(model, "gauss8"),
        "longest": ours(model, "gauss8", longest),
        "rk4": ours(model, "rk4"),
        "MuJoCo": mujoco_rk4(model),
    }
    rounds = [{name: race() for name, race in racers.items()} for _ in range(ROUNDS)]
    for name in racers:
        agree(
            f"energy error of {name}, one round and another",
            np.ptp([finishes[name].error for finishes in rounds]),
            0.0,
        )
    best = {
        name: min((finishes[name] for finishes in rounds), key=lambda finish: finish.seconds)
        for name in racers
    }
    text = {
        name: f"error {finish.error:.1e} in {finish.seconds:.2f} s" for name, finish in best.items()
    }
    g, m = best["gauss8"], best["MuJoCo"]
    return [
        Row(
            "Gauss-8: error against MuJoCo's RK4",
            f"{text['gauss8']}; MuJoCo {text['MuJoCo']}",
            m.error / g.error,
        ),
        Row(
            "Gauss-8: time against MuJoCo's RK4",
            f"{g.seconds:.2f} s; MuJoCo {m.seconds:.2f} s",
            m.seconds / g.seconds,
            at_least=2,
        ),
        Row(
            "Gauss-8 at the longest step that keeps 1e-12: time against MuJoCo's RK4",
            f"h = {longest:g} s, {text['longest']}; MuJoCo {m.seconds:.2f} s",
            m.seconds / best["longest"].seconds,
            at_least=5,
        ),
        Row(
            "our RK4: time against MuJoCo's RK4",
            f"{text['rk4']}; MuJoCo {text['MuJoCo']}",
            m.seconds / best["rk4"].seconds,
        ),
    ]


def longest_step(model: Model) -> float:
    """Of those tried, the longest with which the energy error stays below KEPT."""
    tried = (STEP * factor for factor in reversed(LONGER))
    return next((step for step in tried if ours(model, "gauss8", step)().error <= KEPT), STEP)


def ours(model: Model, integrator: str, step: float = STEP):
    every = max(1, round(EVERY * STEP / step))

    def race() -> Finish:
        run = ht.simulate(
            model, until=UNTIL, step=step, integrator=integrator, save_every=every, progress=False
        )
        return Finish(run.energy_error, run.statistics["seconds"])

    return race


def mujoco_rk4(model: Model):
    """A function that runs MuJoCo once."""
    peer, _ = to_mujoco(model, STEP)

    def race() -> Finish:
        """Only mj_step is timed; energies are computed on a copy of the state."""
        data, probe = mujoco.MjData(peer), mujoco.MjData(peer)
        energies, seconds = [energy(peer, probe, data)], 0.0
        for _ in range(round(UNTIL / STEP) // EVERY):
            start = time.perf_counter()
            mujoco.mj_step(peer, data, EVERY)
            seconds += time.perf_counter() - start
            energies.append(energy(peer, probe, data))
        potential, kinetic = np.transpose(energies)
        total = potential + kinetic
        return Finish(abs(total - total[0]).max() / kinetic.max(), seconds)

    return race


def energy(peer: mujoco.MjModel, probe: mujoco.MjData, data: mujoco.MjData) -> np.ndarray:
    """(potential, kinetic) at the state of data, computed aside so that the run does not notice."""
    probe.qpos, probe.qvel = data.qpos, data.qvel
    mujoco.mj_fwdPosition(peer, probe)
    mujoco.mj_fwdVelocity(peer, probe)
    mujoco.mj_energyPos(peer, probe)
    mujoco.mj_energyVel(peer, probe)
    return probe.energy.copy()
