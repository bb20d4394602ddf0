"""Nanoseconds per body and evaluation inside compiled code, alone and in lanes, by size and by kind
of joint.
"""

import numpy as np

from benchmarks.measure import Row, best
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import WIDTH, rows
from hamiltree.formulations import find_formulation
from hamiltree.model import Model, library
from hamiltree.verbs import rates

SIZES = (10, 30, 100, 300, 1000, 10_000, 100_000)
GOALS = {1: 44, WIDTH: 25}  # up to 300 bodies
GROWTH = {1: 1.35, WIDTH: 1.9}  # from 10 bodies to the most
OTHER_JOINTS = {
    "prismatic": ("prismatic",),
    "screw": ("screw",),
    "mixed": ("revolute", "prismatic", "screw"),
}
TREES = (10, 100)
OTHER_GOAL, BALL_GOAL = 1.25, 1.6  # to hinges
NAMES = {1: "alone", WIDTH: "in lanes"}
SMALL = {
    "SIZES": (2, 3),
    "TREES": (3,),
    "OTHER_JOINTS": {"mixed": OTHER_JOINTS["mixed"]},
    "NAMES": {1: NAMES[1]},
}


@kernel
def repeat(system, work, y, ydot, times):
    for _ in range(times):
        rates(system, work, 0.0, y, ydot)


def run() -> list[Row]:
    chains = {n: library.chain(n) for n in SIZES}
    sizes = [row for width in NAMES for row in size_rows(chains, width)]
    others = [row for n in TREES for row in [*joint_rows(n), *ball_rows(n)]]
    return sizes + others


def size_rows(chains: dict[int, Model], width: int) -> list[Row]:
    """Cost per body for each size, and the ratio of the largest to the smallest."""
    name, ns = NAMES[width], cost(chains, width)
    each = [
        Row(
            f"{name}, chain({n:,})",
            f"{ns[n]:.1f} ns per body",
            ns[n],
            "ns",
            at_most=GOALS[width] if n <= 300 else None,
        )
        for n in SIZES
    ]
    first, last = ns[SIZES[0]], ns[SIZES[-1]]
    return [
        *each,
        Row(
            f"{name}, chain({SIZES[-1]:,}) to chain({SIZES[0]})",
            f"{last:.1f} to {first:.1f} ns",
            last / first,
            at_most=GROWTH[width],
        ),
    ]


def joint_rows(n: int) -> list[Row]:
    """A tree of hinges, and trees of other joints to it: same size, frames and branches."""
    models = {
        name: library.tree(n, joints=kinds)
        for name, kinds in ({"revolute": ("revolute",)} | OTHER_JOINTS).items()
    }
    found = []
    for width, name in NAMES.items():
        ns = cost(models, width)
        own = ns["revolute"]
        what = f"{name}, revolute tree({n})"
        found.append(Row(what, f"{own:.1f} ns per body", own, "ns", at_most=GOALS[width]))
        found += [
            Row(
                f"{name}, {kind} to revolute tree({n})",
                f"{ns[kind]:.1f} to {own:.1f} ns",
                ns[kind] / own,
                at_most=OTHER_GOAL,
            )
            for kind in OTHER_JOINTS
        ]
    return found


def ball_rows(n: int) -> list[Row]:
    """Chains of balls and floating trees to hinges: nanoseconds per body."""
    models = {
        "hinges": library.chain(n),
        "spherical_chain": library.spherical_chain(n),
        "floating_tree": library.floating_tree(n),
    }
    found = []
    for width, name in NAMES.items():
        ns = cost(models, width)
        found += [
            Row(
                f"{name}, {kind}({n}) to chain({n})",
                f"{ns[kind]:.1f} to {ns['hinges']:.1f} ns",
                ns[kind] / ns["hinges"],
                at_most=BALL_GOAL if width == 1 else None,
            )
            for kind in ("spherical_chain", "floating_tree")
        ]
    return found


def cost(models: dict, width: int) -> dict:
    """ns per body, lane and evaluation of each model, measured in turn."""
    seconds = best({name: bound(model, width) for name, model in models.items()})
    return {name: 1e9 * seconds[name] / len(model.bodies) / width for name, model in models.items()}


def bound(model: Model, width: int):
    """f(times): so many evaluations at a random state."""
    formulation = find_formulation("hamiltonian_tree")
    system = formulation.assemble(assemble_at_start(model))
    work, y, ydot = (
        formulation.workspace(system, width),
        *(rows(float, sum(system.layout), width) for _ in range(2)),
    )
    y[:] = np.random.default_rng(1).normal(size=y.shape)
    return lambda times: repeat(system, work, y, ydot, times)
