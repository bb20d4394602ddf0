"""What one evaluation costs in every formulation as a chain grows: accelerations of N bodies on
hinges, inside compiled code.

Where a formulation leaves constraints to the integrator, an evaluation is `rates`, the factors of
the multipliers' matrix, one solve, and the constraint forces. python -m
docs.figures.formulations draws the figure of docs/formulations.md from the same numbers.
"""

from collections.abc import Callable

import numpy as np

import hamiltree as ht
from benchmarks.cost import repeat
from benchmarks.measure import Row, best
from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import rows
from hamiltree.formulations import FORMULATIONS
from hamiltree.formulations.formulation import JOINTS
from hamiltree.rotations import rotation_matrix
from hamiltree.run.choices import imposes_constraints
from hamiltree.run.equations import bind
from hamiltree.verbs import add_multiplier_forces, factor_multipliers, rates, solve_multipliers

SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
STEPS = 10**6  # of the free body
SMALL = {
    "SIZES": (2, 10, 11),
    "STEPS": 100,
    "NAMES": ("hamiltonian_tree", "cartesian_3", "cartesian_hamiltonian"),
}
DENSE = 200  # bodies; formulations with a dense matrix are not measured beyond
# those that handle joints: others are for free bodies or for typed equations
NAMES = tuple(name for name, one in FORMULATIONS.items() if JOINTS in one.supports)
# highest exponent, from ten bodies to the most
GROWTH = {
    "hamiltonian_tree": 1.25,
    "hamiltonian_loops": 1.25,
    "cartesian_3": 1.25,
}


@kernel
def repeat_constrained(system, work, y, ydot, multipliers, times):
    for _ in range(times):
        rates(system, work, 0.0, y, ydot)
        factor_multipliers(system, work, 0.0, y)
        solve_multipliers(system, work, multipliers)
        add_multiplier_forces(system, work, 0.0, y, multipliers, ydot)


def run() -> list[Row]:
    found = seconds_by_size(NAMES, SIZES)
    return [*size_rows(found), *kept_rows()]


def kept_rows() -> list[Row]:
    """What gauss8 loses of a free body's |J ω|², energy and direction of J ω in many steps, by
    Kane's equations.
    """
    inertia, rows_of = np.array([0.3, 0.5, 0.7]), []
    body = ht.library.free_body(2.0, tuple(inertia), (1.0, 2.0, -0.5), (0.3, -0.2, 0.1))
    for name in ("kane_relative", "kane_absolute"):
        done = ht.simulate(
            body,
            until=STEPS * 1e-2,
            step=1e-2,
            formulation=name,
            integrator="gauss8",
            save_every=max(1, STEPS // 1000),
            progress=False,
        )
        turn = rotation_matrix(done.poses.values[:, 0, 3:])
        omega = np.einsum("nji,nj->ni", turn, done.twists.values[:, 0, :3])
        square, energy = ((omega * inertia) ** 2).sum(1), (omega**2 * inertia).sum(1)
        world = np.einsum("nij,nj->ni", turn, omega * inertia)
        detail = (
            f"energy {abs(energy / energy[0] - 1).max():.1e}, "
            f"direction {abs(world - world[0]).max() / np.linalg.norm(world[0]):.1e}"
        )
        lost = float(abs(square / square[0] - 1).max())
        rows_of.append(
            Row(
                f"{name}, gauss8, free body, {STEPS:.0e} steps: |J ω|²",
                detail,
                lost,
                "relative",
                at_most=1e-13,
            )
        )
    return rows_of


def size_rows(found: dict[str, dict[int, float]]) -> list[Row]:
    """Exponent of N, from ten bodies to the most."""
    return [
        Row(
            f"{name}, chain(10) to chain({max(found[name])})",
            f"{1e6 * found[name][10]:.3g} µs to {1e6 * found[name][max(found[name])]:.4g} µs",
            exponent(found[name]),
            "= exponent of N",
            at_most=GROWTH.get(name),
        )
        for name in NAMES
    ]


def seconds_by_size(
    names: tuple[str, ...] = NAMES, sizes: tuple[int, ...] = SIZES, rounds: int = 30
) -> dict[str, dict[int, float]]:
    """Seconds of one evaluation, {formulation: {bodies: seconds}}."""
    found: dict[str, dict[int, float]] = {name: {} for name in names}
    for n in sizes:
        runs = {
            name: evaluations(name, ht.library.chain(n))
            for name in names
            if n <= DENSE or not is_dense(name)
        }
        for name, seconds in best(runs, rounds).items():
            found[name][n] = seconds
    return found


def is_dense(name: str) -> bool:
    return name.startswith("kane")


def exponent(seconds: dict[int, float]) -> float:
    """Of N: the slope from ten bodies on, of logarithms."""
    sizes = np.array([n for n in seconds if n >= 10])
    return float(np.polyfit(np.log(sizes), np.log([seconds[n] for n in sizes]), 1)[0])


def evaluations(name: str, model: ht.Model) -> Callable[[int], object]:
    """f(times) of one formulation at the model's start."""
    bound = bind(model, name)
    system, start, formulation = bound.system, bound.y, bound.equations.formulation
    work, y, ydot = (
        formulation.workspace(system, 1),
        *(rows(float, len(start), 1) for _ in range(2)),
    )
    y[:] = start
    if imposes_constraints(formulation):
        multipliers = np.zeros(max(1, system.facts.constraints))
        return lambda times: repeat_constrained(system, work, y, ydot, multipliers, times)
    return lambda times: repeat(system, work, y, ydot, times)
