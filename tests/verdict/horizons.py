"""Stated horizons of chaotic double pendulums against the time at which a precise run departs.

    python -m tests.verdict.horizons              eleven starts, thirteen pairs of method and step
    python -m tests.verdict.horizons --starts 3   the first three of them
    python -m tests.verdict.horizons --seed 7     twelve other starts, drawn at random

The precise run is gauss8 with a tenth of the step; both have departed where an angle of a joint
first differs by 0.1 rad. The report looks at the attitudes of bodies, too, which are sums of these
angles: what they give is counted beside. A run that has not departed by its end must state no
horizon before 0.8 of it.
"""

import argparse
import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import hamiltree as ht

APART = 0.1  # rad
WITHIN = 0.2  # of the true horizon
STARTS = (
    (2.0, 2.0), (1.5, 2.5), (2.5, 1.0), (3.0, 0.5), (1.8, -1.0), (2.2, 2.9),
    (1.9, 2.4), (2.7, -2.0), (2.4, 0.3), (3.0, 3.0), (1.6, -2.2),
)  # fmt: skip
METHODS = (
    ("gauss8", 1e-3, 40.0),
    ("gauss8", 5e-3, 40.0),
    ("gauss8", 2e-2, 30.0),
    ("gauss6", 1e-2, 30.0),
    ("gauss4", 5e-3, 20.0),
    ("gauss4", 2e-2, 20.0),
    ("rk4", 2e-3, 20.0),
    ("rk4", 5e-3, 20.0),
    ("rk4", 1e-2, 20.0),
    ("implicit_midpoint", 1e-3, 15.0),
    ("implicit_midpoint", 5e-3, 15.0),
    ("dop853", 5e-3, 30.0),
    ("dormand_prince5", 5e-3, 20.0),
)


class Departure(NamedTuple):
    """When a run and a precise one first differ by 0.1 rad; None: not by the end of the run."""

    of_angles: float | None
    of_attitudes: float | None  # of a body, or of an angle


class Horizon(NamedTuple):
    """Of one run: what is stated, and where it departs from a precise one."""

    name: str
    stated: float | None
    true: Departure
    end: float
    cost: float

    @property
    def is_met(self) -> bool:
        return self.is_near(self.true.of_angles)

    @property
    def is_met_by_attitudes(self) -> bool:
        return self.is_near(self.true.of_attitudes)

    def is_near(self, true: float | None) -> bool:
        """Within 20 %; where one of both has no horizon, the end of the run is that much nearer."""
        if true is None and self.stated is None:
            return True
        stated, true = self.stated or self.end, true or self.end
        return abs(stated - true) <= WITHIN * true


def simulate(model, until, step, integrator, **rest):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ht.AccuracyWarning)
        return ht.simulate(model, until, step, integrator=integrator, progress=False, **rest)


def departure(model, run, step) -> Departure:
    """When the run and gauss8 with a tenth of its step first differ by 0.1 rad."""
    every = 10 * int(run.provenance["save_every"])
    precise = simulate(model, float(run.t[-1]), step / 10, "gauss8", save_every=every)
    angles = run.q.values - precise.q.values
    attitudes = angles.cumsum(axis=1)  # parallel axes: a body turns by the sum of those before it
    both = first_apart(run, angles), first_apart(run, attitudes)
    return Departure(both[0], min((time for time in both if time is not None), default=None))


def first_apart(run, angles) -> float | None:
    """The first sample at which one of the angles, up to whole turns, exceeds 0.1 rad."""
    apart = np.abs(np.angle(np.exp(1j * angles))).max(axis=1)
    found = np.flatnonzero(apart > APART)
    return float(run.t[found[0]]) if len(found) else None


def drawn_starts(seed: int) -> tuple[tuple[float, float], ...]:
    """Twelve starts with the first rod high up."""
    rng = np.random.default_rng(seed)
    drawn = [(rng.uniform(1.5, 3.1), rng.uniform(-3.0, 3.0)) for _ in range(12)]
    return tuple((round(float(first), 2), round(float(second), 2)) for first, second in drawn)


def horizons(starts=STARTS, methods=METHODS, depart=departure) -> Iterator[Horizon]:
    """Of all runs."""
    for angles in starts:
        model = ht.library.n_pendulum(2, angles=angles)
        for integrator, step, until in methods:
            run = simulate(model, until, step, integrator)
            estimate = run.error_estimate()
            name = f"{angles} {integrator} {step:g}"
            true = depart(model, run, step)
            yield Horizon(name, estimate.horizon, true, until, estimate.cost)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--starts", type=int, default=12)
    parser.add_argument("--seed", type=int)
    given = parser.parse_args()
    starts = STARTS if given.seed is None else drawn_starts(given.seed)
    found = []
    for horizon in horizons(starts[: given.starts]):
        found.append(horizon)
        words = "" if horizon.is_met else "  <- farther off than 20 %"
        if horizon.is_met_by_attitudes and not horizon.is_met:
            words += ", not by attitudes"
        times = [time or np.nan for time in (horizon.stated, *horizon.true)]
        print("{:40} stated {:7.3f} true {:7.3f}, of attitudes {:7.3f}, cost {:.2f}{}".format(
            horizon.name, *times, horizon.cost, words), flush=True)  # fmt: skip
    print(f"{sum(horizon.is_met for horizon in found)} of {len(found)} are within 20 %; "
          f"{sum(horizon.is_met_by_attitudes for horizon in found)} of where an angle or the "
          "attitude of a body departs")  # fmt: skip


if __name__ == "__main__":
    main()
