"""Nanoseconds a body and evaluation inside compiled code, alone and in lanes, by size and by kind of joint."""

import numpy as np

from benchmarks.measure import Row, best
from hamiltree.algebra.number import WIDTH
from hamiltree.formulations import find_formulation
from hamiltree.kernel import kernel
from hamiltree.model import Model, library
from hamiltree.verbs import rates

SIZES = (10, 30, 100, 300, 1000, 10_000, 100_000)
GOALS = {1: 110, WIDTH: 30}  # up to 300 bodies
GROWTH = {1: 1.5, WIDTH: 3}  # from 10 bodies to the most
OTHER_JOINTS = {"prismatic": ("prismatic",), "screw": ("screw",), "mixed": ("revolute", "prismatic", "screw")}
NAMES = {1: "alone", WIDTH: "in lanes"}


@kernel
def repeat(system, work, y, ydot, times):
    for _ in range(times):
        rates(system, work, 0.0, y, ydot)


def run() -> list[Row]:
    chains = {n: cost(library.chain(n)) for n in SIZES}
    rows = [size_row(n, width, chains[n][width]) for width in NAMES for n in SIZES]
    for width, limit in GROWTH.items():
        first, last = chains[SIZES[0]][width], chains[SIZES[-1]][width]
        rows.append(Row(f"{NAMES[width]}, chain({SIZES[-1]:,}) to chain(10)", f"{last:.1f} to {first:.1f} ns", last / first, at_most=limit))
    return rows + [row for n in (10, 100) for row in joint_rows(n)]


def size_row(n: int, width: int, ns: float) -> Row:
    return Row(f"{NAMES[width]}, chain({n:,})", f"{ns:.1f} ns a body", ns, "ns", at_most=GOALS[width] if n <= 300 else None)


def joint_rows(n: int) -> list[Row]:
    """Trees of other joints to a tree of hinges: same size, frames and branches, measured in turn."""
    models = {name: library.tree(n, joints=kinds) for name, kinds in ({"revolute": ("revolute",)} | OTHER_JOINTS).items()}
    rows = []
    for width, name in NAMES.items():
        ns = cost_in_turn(models, width)
        rows += [
            Row(
                f"{name}, {kind} to revolute tree({n})",
                f"{ns[kind]:.1f} to {ns['revolute']:.1f} ns",
                ns[kind] / ns["revolute"],
                at_most=4 / 3,
            )
            for kind in OTHER_JOINTS
        ]
    return rows


def cost(model: Model) -> dict[int, float]:
    return {width: cost_in_turn({"": model}, width)[""] for width in NAMES}


def cost_in_turn(models: dict[str, Model], width: int) -> dict[str, float]:
    """ns a body, lane and evaluation of each model."""
    seconds = best({name: bound(model, width) for name, model in models.items()})
    return {name: 1e9 * seconds[name] / len(model.bodies) / width for name, model in models.items()}


def bound(model: Model, width: int):
    """f(times): so many evaluations at a random state."""
    formulation = find_formulation("hamiltonian_tree")
    system = formulation.assemble(model)
    shape = (sum(system.layout),) if width == 1 else (sum(system.layout), width)
    work, y = formulation.workspace(system, width), np.random.default_rng(1).normal(size=shape)
    return lambda times: repeat(system, work, y, np.zeros_like(y), times)
