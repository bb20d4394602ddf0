"""A compiled RK4 trajectory against MuJoCo's RK4 at the same step, both advanced without coming
back to Python.
"""

import mujoco
import numpy as np

import hamiltree as ht
from benchmarks.measure import Row, agree, best, microseconds
from benchmarks.peers import to_mujoco
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.formulations import find_formulation
from hamiltree.formulations.verb_pointers import indirect
from hamiltree.integrators import find_integrator
from hamiltree.integrators.event_monitor import empty_monitor
from hamiltree.model import Model

STEP = 1e-3
GOALS = {10: 5.5, 100: 14}
COMPARED = 0.2  # seconds after which both must be at the same place
# for that only: RK4 on (q, p) and on (q, v) differ by their truncation, 1e-7 in a hundred bodies at
# STEP
FINE = STEP / 4
SMALL = {"GOALS": {2: 3.5}, "COMPARED": 0.01}


def run() -> list[Row]:
    return [row_for(n, goal) for n, goal in GOALS.items()]


def row_for(n: int, goal: float) -> Row:
    """Compare positions after a while, then time a step of RK4 against MuJoCo."""
    model = ht.library.chain(n)
    agree(f"positions of chain({n}) after {COMPARED} s", position_error(model), 1e-8)
    seconds = best({"hamiltree": our_steps(model), "MuJoCo": their_steps(model)})
    return Row(
        f"chain({n}), a step of RK4",
        microseconds(seconds),
        seconds["MuJoCo"] / seconds["hamiltree"],
        at_least=goal,
    )


def position_error(model: Model) -> float:
    """Largest difference of a joint angle, rad, from the model's start."""
    ours = ht.simulate(model, until=COMPARED, step=FINE, integrator="rk4", progress=False).q.values[
        -1
    ]
    peer, order = to_mujoco(model, FINE)
    data = mujoco.MjData(peer)
    mujoco.mj_step(peer, data, round(COMPARED / FINE))
    return abs(ours[order] - data.qpos).max()


def our_steps(model: Model):
    """f(steps), going on from where the last call ended, as simulate does chunk after chunk."""
    formulation, rk4 = find_formulation("hamiltonian_tree"), find_integrator("rk4")
    system = formulation.assemble(assemble_at_start(model))
    works, nothing = (
        (formulation.workspace(system, 1) for _ in range(2)),
        np.empty((0, sum(system.layout) + 2)),
    )
    handle = indirect(system, *works, rk4.needs, rk4.width)
    state = rk4.initial_state(np.zeros(sum(system.layout)), rk4.method)
    monitor = empty_monitor(sum(system.layout))
    return lambda steps: rk4.advance(
        handle, rk4.method, state, monitor, 0.0, 0, STEP, steps, steps + 1, nothing
    )


def their_steps(model: Model):
    """f(steps): mj_step with a count loops in C. `mujoco.rollout` is slower for one trajectory."""
    peer, _ = to_mujoco(model, STEP)
    data = mujoco.MjData(peer)
    return lambda steps: mujoco.mj_step(peer, data, steps)
