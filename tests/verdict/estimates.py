"""Estimated errors against true ones: models of the library by methods of order 2 to 8, with three
steps each.

    python -m tests.verdict.estimates            all of them
    python -m tests.verdict.estimates four_bar   those of one model

The true answer is of a method of order 8 or 6 with a tenth of the step, or of an adaptive one with
the least tolerance. An estimate counts where the true error exceeds a thousand roundings, errors do
not grow exponentially, and the observed order is within 0.5 of the method's; it is the largest
error over time, in parts of the motion.
"""

import argparse
import itertools
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import hamiltree as ht
from hamiltree.errors import StepError
from hamiltree.verdict.coarser_runs import motion_of
from hamiltree.verdict.differences import differences, samples_of
from hamiltree.verdict.repetition import matching_samples

FACTOR = 3.0
ROUNDINGS = 1e3
LIBRARY = ht.library


def damped_pendulum():
    return LIBRARY.n_pendulum(2, angles=(1.0, 0.5)).with_(
        forces=[ht.JointDamper("hinge1", 0.5), ht.JointSpring("hinge2", 20.0)]
    )


def driven_pendulum():
    return LIBRARY.n_pendulum(2, angles=0.6).with_(forces=[ht.JointLaw("hinge1", "2*sin(3*t)")])


TREE = (
    "implicit_midpoint", "stormer_verlet", "heun3", "rk4", "gauss4", "gauss6", "gauss8",
    "radau_iia5", "lobatto_iiia6", "yoshida6(implicit_midpoint)", "suzuki4(stormer_verlet)",
)  # fmt: skip
ROWS = ("rattle", "spark4", "spark6")
ADAPTIVE = ("dormand_prince5", "dop853")
ABSOLUTE = ("rk4", "heun3", "dop853")
# name: model, until, methods, steps, formulation
PROBLEMS: dict[str, tuple[Any, float, tuple[str, ...], tuple[float, ...], str | None]] = {
    "pendulum": (LIBRARY.pendulum(angle=2.0), 10.0, TREE + ADAPTIVE, (5e-3, 2e-2, 5e-2), None),
    "two rods": (LIBRARY.n_pendulum(2, angles=0.6), 10.0, TREE + ADAPTIVE,
                 (5e-3, 2e-2, 4e-2), None),
    "damped": (damped_pendulum(), 5.0, TREE + ADAPTIVE, (5e-3, 2e-2, 4e-2), None),
    "driven": (driven_pendulum(), 6.0, TREE, (5e-3, 2e-2, 4e-2), None),
    "two rods, kane": (LIBRARY.n_pendulum(2, angles=0.6), 5.0, ("rk4", "gauss4"),
                       (5e-3, 2e-2), "kane_relative"),
    "free_body": (LIBRARY.free_body(), 5.0, ("implicit_midpoint", "rk4", "gauss4", "gauss6"),
                  (5e-3, 2e-2, 5e-2), None),
    "top": (LIBRARY.top(), 2.0, TREE, (1e-3, 4e-3, 1e-2), None),
    "satellite": (LIBRARY.satellite(2, 2), 5.0, ("implicit_midpoint", "rk4", "gauss4", "gauss8"),
                  (5e-3, 2e-2, 4e-2), None),
    "governor": (LIBRARY.governor(), 2.0, ROWS, (1e-3, 4e-3, 1e-2), None),
    "four_bar": (LIBRARY.four_bar(), 2.0, ROWS, (1e-3, 4e-3, 1e-2), None),
    "four_bar, cartesian": (LIBRARY.four_bar(), 2.0, ABSOLUTE, (1e-3, 4e-3), "cartesian_3"),
    "slider_crank": (LIBRARY.slider_crank(), 2.0, ROWS, (1e-3, 4e-3, 1e-2), None),
    "spatial_slider_crank": (LIBRARY.spatial_slider_crank(), 1.0, ROWS, (1e-3, 4e-3, 1e-2), None),
    "andrews": (LIBRARY.andrews(), 0.03, ROWS, (3e-5, 1e-4, 2e-4), None),
    "car_axis": (LIBRARY.car_axis(), 3.0, ROWS, (1e-3, 4e-3), None),
    "bricard": (LIBRARY.bricard(), 3.0, ROWS, (2e-3, 1e-2), None),
    "particle_chain": (LIBRARY.particle_chain(4), 2.0, ("stormer_verlet", "rk4", "gauss4"),
                       (2e-3, 1e-2), None),
    "particle_ring": (LIBRARY.particle_ring(5), 2.0, ("implicit_midpoint", "rk4", "gauss6"),
                      (2e-3, 1e-2), None),
}  # fmt: skip


class Estimated(NamedTuple):
    """Of one run: its largest error over time, estimated and true, in parts of the motion."""

    name: str
    stated: float
    true: float
    order: float
    method_order: int
    is_counted: bool
    reason: str
    cost: float

    @property
    def is_met(self) -> bool:
        return self.true / FACTOR <= self.stated <= FACTOR * self.true


def simulate(model, until, step, integrator, **rest):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ht.AccuracyWarning)
        return ht.simulate(model, until, step, integrator=integrator, progress=False, **rest)


def true_error(model, run, step, formulation) -> np.ndarray:
    """(time,) in parts of the motion, by a method of high order with a tenth of the step."""
    every = 10 * int(run.provenance["save_every"])
    method = run.provenance["integrator"]
    precise = "spark6" if method in ROWS else "gauss8"
    rest = {}
    if formulation is not None and formulation.startswith("cartesian"):
        precise, every = "dop853", every // 10
        step, rest = 10 * step, {"rtol": 1e-14, "atol": 1e-16}
    best = simulate(model, float(run.t[-1]), step / 10, precise, save_every=every,
                    formulation=formulation, **rest)  # fmt: skip
    motion = motion_of(run)
    mine, theirs = matching_samples(run.t.values, best.t.values, step)
    found = differences(samples_of(run, mine), samples_of(best, theirs), motion.kinds)
    return motion.scales.relative(found)


def estimates(problems=PROBLEMS) -> Iterator[Estimated]:
    """Of all runs that come to their end and have an estimate by a clear order."""
    for name, (model, until, methods, steps, formulation) in problems.items():
        for method, step in itertools.product(methods, steps):
            try:
                run = simulate(model, until, step, method, formulation=formulation)
            except StepError:
                continue
            found = run.error_estimate()
            if found.number is None or found.order is None:
                continue
            true = float(true_error(model, run, step, formulation).max())
            least = ROUNDINGS * motion_of(run).scales.rounding
            is_seen = abs(found.order - found.method_order) <= 0.5 and not found.is_chaotic
            orders = found.order, found.method_order
            label = f"{name}, {method} {step:g}"
            yield Estimated(label, found.number, true, *orders, is_seen and least < true < 0.1,
                            found.reason, found.cost)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="models")
    names = parser.parse_args().names or list(PROBLEMS)
    found = []
    for one in estimates({name: PROBLEMS[name] for name in names}):
        found.append(one)
        words = "not counted" if not one.is_counted else "" if one.is_met else "  <- not met"
        print(f"{one.name:55} stated {one.stated:8.2e} true {one.true:8.2e} order {one.order:4.1f} "
              f"of {one.method_order} cost {one.cost:.2f} {words}", flush=True)  # fmt: skip
    counted = [one for one in found if one.is_counted]
    print(f"{sum(one.is_met for one in counted)} of {len(counted)} are within a factor of 3 "
          f"({len(found)} runs)")  # fmt: skip


if __name__ == "__main__":
    main()
