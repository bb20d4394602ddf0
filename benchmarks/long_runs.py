"""Long runs: ten million steps of a mechanism with a loop and of a tree on ball joints, masses of
which one is 1e8 times the next, and a pendulum of ten thousand rods.

The drift is the change, over the whole run, of the line fitted to the energy error, in parts of the
peak kinetic energy.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import hamiltree as ht
from benchmarks.drift import DRIFT, FLOOR, fit_drift
from benchmarks.measure import Row

SAMPLES = 1000
FEWEST = 10  # steps of a shortened run
SHARE = 1.0  # of the steps of every run
SMALL = {"SHARE": 1e-5}
CLOSED, STEADY = 1e-13, 1e-12  # residuals in parts of the size, their rates in parts of the speed
KEPT = 1e-12  # energies, momenta and norms that a method keeps, relative
RATIO = 1e8  # of the masses of neighbours
AGREE = 1e-9  # rad: joint angles of two runs, one with half the step


class Long(NamedTuple):
    """A long run: what is run, how many steps of which length, and what is reported of it."""

    model: Callable[[], ht.Model]
    steps: int
    step: float  # s
    options: dict[str, str]
    report: Callable[[ht.Trajectory], Iterator[Row]]
    is_stationary: bool = (
        True  # the motion goes on alike to the end, so that a drift says something
    )


def run() -> list[Row]:
    return [row for name in LONG for row in long_run(name, SHARE)]


def long_run(name: str, share: float) -> list[Row]:
    """The rows of one run of so much of its steps; of its samples, a thousand of them."""
    long = LONG[name]
    steps = max(FEWEST, round(share * long.steps))
    every = max(1, steps // SAMPLES)
    done = ht.simulate(
        long.model(), steps * long.step, long.step, save_every=every, progress=False, **long.options
    )
    took = f"{steps:.0e} steps of {long.step} s in {done.statistics['seconds']:.0f} s"
    return title_rows(name, took, [*energy_rows(done, long.is_stationary), *long.report(done)])


def title_rows(name: str, took: str, rows: list[Row]) -> list[Row]:
    """Each with the name of the run, and with what the run took where nothing else is said."""
    return [row._replace(what=f"{name}, {row.what}", measured=row.measured or took) for row in rows]


# ---- what is reported ----------------------------------------------------------------------------
def energy_rows(done: ht.Trajectory, is_stationary: bool = True) -> Iterator[Row]:
    """The largest energy error, and how much of it is a straight line."""
    drift = fit_drift(done)
    floor = FLOOR * np.sqrt(max(1.0, done.statistics["steps"] / 1e6))
    relative = abs(drift) / max(done.energy_error, floor)
    yield Row("energy error", "", done.energy_error, "")
    goal = DRIFT if is_stationary else None
    yield Row("drift of it / error", f"drift {drift:.1e}", relative, "", at_most=goal)


def loop_rows(done: ht.Trajectory) -> Iterator[Row]:
    """How well the loop stays closed."""
    speed = float(np.linalg.norm(done.twists.values[..., 3:], axis=-1).max())
    rate = done.velocity_constraint_error / speed
    yield Row("constraint residual / size", "", relative_residual(done), "", at_most=CLOSED)
    yield Row("residual rate / speed", "", rate, "", at_most=STEADY)


def relative_residual(done: ht.Trajectory) -> float:
    """The largest residual of a constraint by the largest distance of a body from the origin."""
    size = float(np.linalg.norm(done.poses.values[..., :3], axis=-1).max())
    return done.constraint_error / size


def hanging_rows(done: ht.Trajectory) -> Iterator[Row]:
    """Quaternions, and the angular momentum about the vertical through the support."""
    momentum = done.angular_momentum.values
    lost = np.ptp(momentum[:, 2]) / np.abs(momentum).max()
    yield Row("quaternions, | ‖q‖² − 1 |", "", done.quaternion_error, "", at_most=KEPT)
    yield Row("angular momentum about the vertical", "", float(lost), "", at_most=KEPT)


def floating_rows(done: ht.Trajectory) -> Iterator[Row]:
    """Quaternions, and both momenta; the centre of mass rests, so the linear one is compared with
    masses times speeds.
    """
    masses = np.array([body.mass for body in done.model.bodies])
    bodies = np.linalg.norm(masses[:, None] * done.twists.values[..., 3:], axis=-1).sum(axis=-1)
    linear = np.linalg.norm(np.ptp(done.linear_momentum.values, axis=0)) / bodies.max()
    momentum = done.angular_momentum.values
    angular = np.linalg.norm(np.ptp(momentum, axis=0)) / np.linalg.norm(momentum[0])
    yield Row("quaternions, | ‖q‖² − 1 |", "", done.quaternion_error, "", at_most=KEPT)
    yield Row("linear momentum", "", float(linear), "", at_most=KEPT)
    yield Row("angular momentum", "", float(angular), "", at_most=KEPT)


def ratio_rows(done: ht.Trajectory) -> Iterator[Row]:
    """The light bodies have no part in the energy: all joints are compared with those of a run with
    half the step, over the first second.
    """
    coarse, fine = (
        ht.simulate(done.model, 1.0, 1e-3 / k, save_every=10 * k, progress=False, **GAUSS).q.values
        for k in (1, 2)
    )
    moved = f"they move by {np.ptp(fine, axis=0).max():.1f} rad"
    error = float(np.abs(coarse - fine).max())
    yield Row("angles for 1 s, against half the step", moved, error, "rad", at_most=AGREE)


def no_rows(done: ht.Trajectory) -> Iterator[Row]:
    return iter(())


# ---- models --------------------------------------------------------------------------------------
def hanging_tree() -> ht.Model:
    """Seven rods on balls: one on the ground, two on its end, two on the ends of these."""
    rods = ht.library.spherical_chain(7)
    names = ["ground", *(body.name for body in rods.bodies)]
    carriers = (0, 1, 1, 2, 2, 3, 3)
    joints = [
        replace(joint, parent=names[k]) for joint, k in zip(rods.joints, carriers, strict=True)
    ]
    return rods.with_(name="tree of rods on balls", joints=joints)


def floating_tree() -> ht.Model:
    """Seven bodies on balls, free in space, their centre of mass at rest."""
    model = ht.library.floating_tree(7, joints=("ball",))
    root = model.joints[0]
    still = ht.simulate(model, until=1e-6, step=1e-6, progress=False)
    velocity = still.linear_momentum.values[0] / sum(body.mass for body in model.bodies)
    linear = np.array(root.qdot[:3]) - root.on_parent.matrix.T @ velocity
    root = replace(root, qdot=(*linear.tolist(), *root.qdot[3:]))
    return model.with_(joints=(root, *model.joints[1:]))


def uneven_chain(first: float, second: float) -> ht.Model:
    """Ten boxes on hinges of which every other one has its mass and inertia multiplied by `first`,
    the others by `second`.
    """
    model = ht.library.chain(10)
    factors = [first, second] * 5
    bodies = [
        replace(body, mass=factor * body.mass, inertia=factor * np.array(body.inertia))
        for body, factor in zip(model.bodies, factors, strict=True)
    ]
    return model.with_(name="chain of uneven masses", bodies=bodies)


SPARK = {"formulation": "hamiltonian_loops", "integrator": "spark6"}
GAUSS = {"formulation": "hamiltonian_tree", "integrator": "gauss8"}
LONG = {
    "four_bar": Long(ht.library.four_bar, 10**7, 2e-3, SPARK, loop_rows),
    "tree on balls": Long(hanging_tree, 10**7, 4e-3, GAUSS, hanging_rows),
    "floating tree on balls": Long(floating_tree, 10**6, 5e-3, GAUSS, floating_rows),
    # the light end whips at 235 rad/s: with 1e-3 s its truncation error shows
    "chain, light on heavy": Long(
        lambda: uneven_chain(1.0, 1 / RATIO), 10**6, 2.5e-4, GAUSS, ratio_rows
    ),
    "chain, heavy on light": Long(
        lambda: uneven_chain(1 / RATIO, 1.0), 10**6, 1e-3, GAUSS, ratio_rows
    ),
    "n_pendulum(10,000)": Long(
        lambda: ht.library.n_pendulum(10_000, angles=0.3), 10**4, 5e-4, GAUSS, no_rows, False
    ),
}
