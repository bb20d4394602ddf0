"""The numbers of a recorded run: what is kept of a trajectory or an answer, and what was used."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

import hamiltree as ht
from tests.recorded.entries import Question, Run

KEPT = (
    *("t", "q", "qdot", "p", "pdot", "pose", "twist"),
    *("kinetic_energy", "potential_energy", "energy", "work", "opening", "invariants"),
    *("y", "ydot"),
)
COUNTS = ("steps", "calls")
GROUPS = {
    "joints": "joint",
    "forces": "force",
    "couplings": "coupling",
    "constraints": "constraint",
}
NUDGE = 1e-13
BEFORE_FAILURE = 11  # samples; rates of the last ones may be infinite


class Outcome(NamedTuple):
    """Arrays and counts by name, and the kinds of parts and methods that took part."""

    arrays: dict[str, np.ndarray]
    counts: dict[str, int]
    uses: list[str]


def outcome_of(entry: Run | Question, nudge: float = 0.0) -> Outcome:
    """Runs it; with `nudge` from a start that is changed by this part of itself."""
    return run_outcome(entry, nudge) if isinstance(entry, Run) else answers(entry, nudge)


# ---- runs ----------------------------------------------------------------------------------------
def run_outcome(entry: Run, nudge: float) -> Outcome:
    problem, options = entry.make(), dict(entry.options)
    if nudge:
        options[name_of_start(problem)] = nudged(start_of(problem, options), nudge)
    found = trajectory_of(entry, problem, options)
    end = BEFORE_FAILURE if entry.fails else None
    kept = {name: found.dataset[name].values[:end] for name in KEPT if name in found.dataset}
    arrays = {name: samples(values) for name, values in kept.items()}
    for number, points in enumerate(found.sections.values()):
        arrays |= {f"section{number}_{part}": points[part].values for part in points}
    about = found.provenance
    methods = [f"formulation {about['formulation']}", f"integrator {about['integrator']}"]
    counts = {name: int(found.statistics[name]) for name in COUNTS}
    return Outcome(arrays, counts, sorted({*methods, *parts_of(problem)}))


def trajectory_of(entry: Run, problem: Any, options: Mapping[str, Any]) -> ht.Trajectory:
    """The trajectory, also that of a run that has to fail."""
    if not entry.fails:
        return ht.simulate(problem, progress=False, **options)
    try:
        ht.simulate(problem, progress=False, **options)
    except ht.StepError as error:
        assert entry.fails in str(error), f"{entry.name!r} failed otherwise: {error}"
        return error.trajectory
    raise AssertionError(f"{entry.name!r} should have failed: {entry.fails}")


def samples(values: np.ndarray) -> np.ndarray:
    """The first sample, one in the middle and the last."""
    return values[[0, len(values) // 2, -1]]


def parts_of(problem: Any) -> set[str]:
    """The kinds of joints, forces, potentials, couplings and constraints of a model."""
    if not isinstance(problem, ht.Model):
        return set()
    found = {
        f"{word} {part.kind}" for group, word in GROUPS.items() for part in getattr(problem, group)
    }
    for force in problem.forces:
        if force.kind == "pair_force":
            laws = force.potential
            laws = laws.values() if isinstance(laws, Mapping) else [laws]
            found |= {f"potential {law.kind}" for law in laws}
    return found


def name_of_start(problem: Any) -> str:
    return "y" if isinstance(problem, ht.Ode) else "q"


def start_of(problem: Any, options: Mapping[str, Any]) -> np.ndarray:
    return (
        problem.q_from(options.get("q"))
        if isinstance(problem, ht.Model)
        else np.array(options[name_of_start(problem)])
    )


def nudged(values: np.ndarray, nudge: float) -> np.ndarray:
    return values + nudge * (0.1 + np.abs(values))


# ---- answers -------------------------------------------------------------------------------------
def answers(entry: Question, nudge: float) -> Outcome:
    """At states around the start of a model, or around zero, that are fixed numbers."""
    problem = entry.make()
    q, speeds = states(problem, max(1, entry.many), entry.has_momenta)
    q = nudged(q, nudge) if nudge else q
    if not entry.many:
        q, speeds = q[0], speeds[0]
    found = entry.ask(problem, q, speeds)
    return Outcome(found, {}, sorted(parts_of(problem)))


def states(problem: Any, count: int, has_momenta: bool) -> tuple[np.ndarray, np.ndarray]:
    """Fractions that need no random numbers; quaternions stay those of the start."""
    if isinstance(problem, ht.Model):
        q, speeds = problem.start()
        fixed = np.array([".q" in label for label in problem.coordinates])
        second = len(q) if has_momenta else len(speeds)
    else:
        q, second = np.zeros(len(problem.coordinates)), len(problem.momenta)
        fixed = np.zeros(len(q), dtype=bool)
    k, i, j = np.arange(count)[:, None], np.arange(len(q)), np.arange(second)
    moved = q + np.where(fixed, 0.0, (5 * k + 3 * i + 4) % 11 / 11 - 0.4)
    return moved, (4 * k + 7 * j + 2) % 13 / 13 - 0.45
