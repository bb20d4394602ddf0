"""One large tree by two threads to one: evaluations from Python, and steps of a run, wall time.

Both cores must be free: threads that wait for one that does not run are slower than one thread.
"""

from dataclasses import replace

import numpy as np

import hamiltree as ht
from benchmarks.measure import Row, agree, elapsed
from hamiltree.model import Model, library
from hamiltree.model.bodies import GROUND
from hamiltree.run.simulator import Simulator

BODIES = 100_000
LIMBS = 50  # of the star
STEPS = {"rk4": 10, "gauss8": 2}  # at a time
ROUNDS = 6
ANGLES = 0.01  # rad, at rest: long chains at random angles move fast at their ends
# s, for 12 evaluations per step of gauss8, 17 of two chains: in much shorter steps its iterations
# end at once, and the ratio is not that of a usual step
TREE_STEP, CHAIN_STEP = 1e-4, 1e-7
GOAL = 1.5
SMALL = {"BODIES": 4000, "LIMBS": 4, "STEPS": {"rk4": 1}, "ROUNDS": 1}


def run() -> list[Row]:
    return [row for name, model in trees(BODIES).items() for row in rows_of(name, model)]


def trees(n: int) -> dict[str, Model]:
    """Of n bodies on hinges, by how they branch."""
    binary = library.tree(n)
    rng = np.random.default_rng(3)
    limb = (n - 1) // LIMBS
    parents = {
        "random tree": [-1, *(int(rng.integers(i)) for i in range(1, n))],
        f"{LIMBS} chains on a body": [-1, *(0 if i % limb == 1 else i - 1 for i in range(1, n))],
        "two chains on a body": [-1, *(0 if i == 1 + n // 2 else i - 1 for i in range(1, n))],
    }
    return {"binary tree": binary} | {k: rewire(binary, p) for k, p in parents.items()}


def rewire(model: Model, parents: list[int]) -> Model:
    """The same bodies and joints on other bodies; −1 is the ground."""
    names = [body.name for body in model.bodies] + [GROUND]
    joints = [replace(j, parent=names[p]) for j, p in zip(model.joints, parents, strict=True)]
    return Model(name="tree", bodies=model.bodies, joints=joints)


def rows_of(name: str, model: Model) -> list[Row]:
    """The ratio of an evaluation, and of steps of each method."""
    q, p = np.random.default_rng(1).normal(size=(2, len(model.bodies)))
    calls = {k: ht.evaluator(model, threads=k) for k in (1, 2)}
    agree(f"{name}, rates", float(not same(*(f(q, p) for f in calls.values()))), 0.0)
    times = in_turn({k: lambda _, f=f: f(q, p) for k, f in calls.items()}, 1)
    found = [row(f"{name}({BODIES:,}), evaluation by two threads to one", times)]
    for method, steps in STEPS.items():
        made = {k: start_of(name, model, method, k) for k in (1, 2)}
        times = in_turn({k: simulator.step for k, simulator in made.items()}, steps)
        states = [(made[k].state.q, made[k].state.p) for k in made]
        agree(f"{name}, {method}", float(not same(*states)), 0.0)
        found.append(row(f"{name}({BODIES:,}), {method} step by two threads to one", times))
    return found


def start_of(name: str, model: Model, method: str, threads: int) -> Simulator:
    """At rest, at small angles."""
    step = CHAIN_STEP if "chain" in name else TREE_STEP
    about = {"step": step, "integrator": method, "save_every": 10**6, "threads": threads}
    made = ht.simulator(model, **about)
    angles = ANGLES * np.random.default_rng(1).normal(size=len(model.bodies))
    made.set(q=angles, qdot=np.zeros(len(angles)))
    return made


def same(one: tuple, other: tuple) -> bool:
    """Whether two pairs of arrays have the same bits."""
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def in_turn(calls: dict, times: int) -> dict[int, float]:
    """Seconds of one of so many at a time, the best of some rounds; the first compiles."""
    for call in calls.values():
        call(1)
    rounds = [{k: elapsed(call, times) / times for k, call in calls.items()} for _ in range(ROUNDS)]
    return {k: min(each[k] for each in rounds) for k in calls}


def row(what: str, seconds: dict[int, float]) -> Row:
    one, two = (1e3 * seconds[k] for k in (1, 2))
    return Row(what, f"{two:.2f} to {one:.2f} ms", one / two, at_least=GOAL)
