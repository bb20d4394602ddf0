"""Secular drift of the energy of symplectic methods: the slope of the line fitted to the energy
error, for several starts of each model.

A walk of roundings has slopes of either sign, which differ from start to start by as much as they
differ from zero. What all starts share is systematic. Slopes are per 10⁶ steps, in parts of the
peak kinetic energy.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import hamiltree as ht
from benchmarks.measure import Row

STARTS = 4
SAMPLES = 4000
DRIFT = 0.1  # of the largest energy error
SHARED = 3.2  # standard errors of the mean of four slopes: by chance once in twenty times
# of the kinetic energy, in 10⁶ steps, growing with the root of their number as a walk does: a
# smaller error counts as this one
FLOOR = 1e-12
SHARE = 1.0  # of the steps of every case
SMALL = {"STARTS": 2, "SHARE": 1e-4}


class Case(NamedTuple):
    name: str
    # of the number of the start: the problem and where it starts
    problem: Callable[[int], tuple[ht.Model | ht.Hamiltonian, dict]]
    integrators: tuple[str, ...]
    step: float
    steps: int
    is_chaotic: bool = False  # its energy walks: what all starts share is looked for instead


def round_joints(model: ht.Model) -> ht.Model:
    """The same model, its joints at coordinates of 14 digits: without the rounding of what they
    were computed from.
    """

    def rounded(frame: ht.Frame) -> ht.Frame:
        return replace(frame, position=tuple(round(x, 14) for x in frame.position))

    joints = [
        replace(joint, on_parent=rounded(joint.on_parent), on_child=rounded(joint.on_child))
        for joint in model.joints
    ]
    return replace(model, joints=joints)


def small_angles(k: int) -> np.ndarray:
    return 0.05 * np.random.default_rng(k).normal(size=10)


ON_CONSTRAINTS = ("rattle", "suzuki4(rattle)", "yoshida6(rattle)", "spark4", "spark6")
CASES = (
    Case(
        "four_bar, its crank swings",
        lambda k: (ht.library.four_bar(angle=0.5 + 0.003 * k), {}),
        ON_CONSTRAINTS,
        2e-3,
        200_000,
    ),
    Case(
        "four_bar, its crank turns",
        lambda k: (ht.library.four_bar(angle=0.9 + 0.003 * k), {}),
        ON_CONSTRAINTS,
        2e-3,
        200_000,
    ),
    Case(
        "four_bar, its crank turns, joints rounded to 14 digits",
        lambda k: (round_joints(ht.library.four_bar(angle=0.9 + 0.003 * k)), {}),
        ("spark6",),
        2e-3,
        200_000,
    ),
    Case(
        "four_bar, the same bars at other speeds",
        lambda k: (ht.library.four_bar(angle=0.903, speed=6.0 + 0.01 * k), {}),
        ("spark6",),
        2e-3,
        200_000,
    ),
    Case(
        "spatial_slider_crank",
        lambda k: (ht.library.spatial_slider_crank(angle=0.7 + 0.003 * k), {}),
        ("spark6",),
        2e-3,
        200_000,
    ),
    Case(
        "chain of three tetrahedra",
        lambda k: (ht.library.particle_chain(3, spacing=2.1 + 0.003 * k, first="free"), {}),
        ("splitting2", "splitting4", "splitting6", "splitting8"),
        2e-3,
        400_000,
    ),
    Case(
        "H = p²/2 − cos q",
        lambda k: (ht.hamiltonian("p**2/2 - cos(q)"), {"q": 1.0 + 0.1 * k, "p": 0.3}),
        ("stormer_verlet", "blanes_moan6", "kahan_li8"),
        2e-2,
        1_000_000,
    ),
    Case(
        "double pendulum",
        lambda k: (ht.library.n_pendulum(2, angles=(0.3 + 0.01 * k, 0.7 - 0.02 * k)), {}),
        ("gauss8",),
        5e-2,
        10_000_000,
    ),
    Case(
        "ten pendulums, small swings",
        lambda k: (ht.library.n_pendulum(10, angles=small_angles(k)), {}),
        ("gauss8",),
        5e-3,
        1_000_000,
    ),
    Case(
        "chain of ten, chaotic",
        lambda k: (ht.library.chain(10, seed=k), {}),
        ("gauss8",),
        1e-3,
        1_000_000,
        is_chaotic=True,
    ),
)


def run() -> list[Row]:
    return [row for case in CASES for name in case.integrators for row in drift_rows(case, name)]


class Drift(NamedTuple):
    slope: float  # over the run
    error: float  # the largest


def measure_drift(case: Case, integrator: str, start: int) -> Drift:
    """One run: its slope and error, in parts of the peak kinetic energy."""
    (problem, where), steps = case.problem(start), steps_of(case)
    done = ht.simulate(
        problem,
        until=steps * case.step,
        step=case.step,
        save_every=max(1, steps // SAMPLES),
        integrator=integrator,
        progress=False,
        **where,
    )
    return Drift(fit_drift(done), done.energy_error)


def steps_of(case: Case) -> int:
    return round(SHARE * case.steps)


def fit_drift(done: ht.Trajectory) -> float:
    """The change over the run of the line fitted to the energy error, in parts of the peak kinetic
    energy.
    """
    error = (done.energy_balance / done.peak_kinetic_energy).values
    return float(np.polyfit(np.linspace(0.0, 1.0, len(error)), error, 1)[0])


def drift_rows(case: Case, integrator: str) -> Iterator[Row]:
    """The drift of the worst start beside its error, and what the slopes of all have in common."""
    found = [measure_drift(case, integrator, start) for start in range(STARTS)]
    floor = FLOOR * np.sqrt(steps_of(case) / 1e6)
    slopes = np.array([each.slope for each in found]) * 1e6 / steps_of(case)
    measured = (
        f"slopes {slopes.mean():.1e} ± {slopes.std(ddof=1):.0e} per 1e6 steps; "
        f"errors to {max(each.error for each in found):.0e}"
    )
    name = f"{case.name}; {integrator}"
    if case.is_chaotic:
        standard_error = slopes.std(ddof=1) / np.sqrt(len(slopes))
        shared = abs(slopes.mean()) / standard_error
        yield Row(f"{name}, slope / its standard error", measured, shared, "", at_most=SHARED)
    else:
        largest = max(abs(each.slope) / max(each.error, floor) for each in found)
        yield Row(f"{name}, drift / error", measured, largest, "", at_most=DRIFT)
