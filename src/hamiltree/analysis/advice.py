"""Which method, and which step: tried on the first part of a run, not guessed.

The reference is the default method with fixed steps, halved until it changes by less than a tenth
of what is asked. Every candidate then runs with halved steps until its error is small enough, twice
in a row so that no lucky step is taken for a good one; the fewest evaluations win. The errors of a
symplectic method grow in proportion to time, those of others with its square (their energy drifts):
the window is asked for that part of the accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hamiltree.analysis.convergence import (
    EPSILON,
    SAMPLES,
    check_fixed,
    distance,
    fixed_reference,
    motion_scales,
    state_at,
)
from hamiltree.errors import FitError, OptionError, StepError
from hamiltree.integrators import find_integrator
from hamiltree.run.cautions import without_warnings
from hamiltree.run.simulate import simulate

CANDIDATES = (
    *(
        "gauss4",
        "gauss6",
        "gauss8",
        "gauss12",
        "rk4",
        "stormer_verlet",
        "kahan_li8(stormer_verlet)",
    ),
    *("rattle", "spark4", "spark6"),
)
WINDOW = 8  # the part of the run that is tried, if none is given
FEWEST_STEPS, MOST_STEPS = 8, 2**17  # of the window
MOST_EXCESS = 4.0  # times the fewest evaluations so far: more are not tried
LEAST_ACCURACY = 1e3 * EPSILON


class Trial(NamedTuple):
    """One run of the window."""

    integrator: str
    step: float
    error: float  # in parts of the motion
    evaluations: int


class Advice(NamedTuple):
    """A method and a step, and what they rest on."""

    integrator: str
    step: float
    error: float  # over the window, in parts of the motion
    evaluations: float  # for the whole run, if it goes on as in the window
    reason: str
    trials: list[Trial]

    @property
    def options(self) -> dict[str, Any]:
        """For simulate: ht.simulate(model, until, **advice.options)."""
        return {"integrator": self.integrator, "step": self.step}

    def __str__(self) -> str:
        return f"{self.integrator}, step {self.step:.4g}: {self.reason}"


def advise(
    problem: Any,
    accuracy: float = 1e-6,
    until: float = 10.0,
    window: float | None = None,
    integrators: Sequence[str] | str | None = None,
    **options: Any,
) -> Advice:
    """The method and the step that reach an accuracy at `until`, in parts of the motion, with the
    fewest evaluations: ht.advise(model, 1e-8, until=20.0).

    They are tried over `window`, an eighth of the run if None. `integrators`: those to compare, the
    usual ones with fixed steps if None. `options` are those of simulate (formulation, q, qdot, …).
    """
    span = until / WINDOW if window is None else float(window)
    if not (np.isfinite(until) and 0.0 < span <= until):
        raise OptionError(f"window = {span!r} is no part of a run until {until!r}")
    if integrators is not None and not len(integrators):
        raise OptionError("integrators is empty; name at least one")
    if not LEAST_ACCURACY <= accuracy < 1.0:
        raise OptionError(f"accuracy = {accuracy!r}; give {LEAST_ACCURACY:.0e} to 1")
    chosen = [integrators] if isinstance(integrators, str) else integrators
    names = list(CANDIDATES if chosen is None else chosen)
    check_fixed("integrators", names)
    part = {name: part_of_accuracy(name, span / until) for name in names}
    wanted = {name: max(accuracy * x, 100 * EPSILON) for name, x in part.items()}
    search = Search(problem, span, min(wanted.values()), options)
    found = [trial for name in names if (trial := search.try_method(name, wanted[name]))]
    if not found:
        nearest = min(search.trials, key=lambda trial: trial.error, default=None)
        hint = "" if nearest is None else f"; {nearest.integrator} came to {nearest.error:.1e}"
        raise OptionError(
            f"no method reached {accuracy:.1e} of the motion, tried over the first {span:g} s{hint}"
        )
    best = min(found, key=lambda trial: trial.evaluations)
    return Advice(
        best.integrator,
        best.step,
        best.error,
        best.evaluations * until / span,
        reason_for(best, found, span, wanted[best.integrator], search.has_energy),
        search.trials,
    )


def part_of_accuracy(name: str, part: float) -> float:
    """Of what a run may err, what this part of it may."""
    return part if find_integrator(name).is_symplectic else part**2


def reason_for(
    best: Trial, found: list[Trial], span: float, wanted: float, has_energy: bool
) -> str:
    """In a sentence: what it costs and how it compares; of an ode nothing about its energy."""
    others = sorted((t for t in found if t is not best), key=lambda trial: trial.evaluations)
    compared = (
        f"{others[0].integrator} needs {others[0].evaluations / best.evaluations:.2g} times as many"
        if others
        else "no other method got there"
    )
    kept = find_integrator(best.integrator).is_symplectic
    drift = "; its energy does not drift" if kept else "; it is not symplectic: its energy drifts"
    return (
        f"over the first {span:g} s it errs by {best.error:.1e} of the motion ({wanted:.1e} was "
        f"asked) with {best.evaluations} evaluations; {compared}{drift if has_energy else ''}"
    )


class Search:
    """Runs of the window, compared with a reference."""

    def __init__(self, problem: Any, span: float, finest: float, options: dict[str, Any]):
        """`finest`: the smallest error that is asked for."""
        self.problem, self.span, self.finest, self.options = problem, span, finest, options
        self.trials: list[Trial] = []
        self.fewest = np.inf
        self.has_energy = True  # an ode has none
        self.end, self.scales = self.reference()

    def run(self, integrator: str, steps: int, samples: int = 1) -> Any:
        """Its first and its last sample, and so many between; None where a step fails."""
        with without_warnings():  # steps that are too long are among those tried
            try:
                return simulate(
                    self.problem,
                    until=self.span,
                    step=self.span / steps,
                    integrator=integrator,
                    save_every=max(1, steps // samples),
                    progress=False,
                    **self.options,
                )
            except StepError:
                return None

    def reference(self) -> tuple[np.ndarray, np.ndarray]:
        """The state at the end of the window, and how far its parts move."""
        name = fixed_reference(self.problem, self.options.get("formulation"))
        before, steps = None, FEWEST_STEPS
        while steps <= MOST_STEPS:
            run = self.run(name, steps, SAMPLES)
            if run is not None:
                end, scales = state_at(run, -1), motion_scales(run)
                self.has_energy = run.has_energy
                if scales is None:
                    raise OptionError("nothing moves: any method and any step will do")
                if before is not None and distance(end, before, scales) <= 0.1 * self.finest:
                    return end, scales
                before = end
            steps *= 2
        raise OptionError(
            f"the motion of the first {self.span:g} s is not determined to {self.finest:.1e}: the "
            "default method does not converge; take a shorter window or ask for less"
        )

    def try_method(self, name: str, wanted: float) -> Trial | None:
        """With halved steps until the error is small enough in two runs: the first of them. None
        for a method that does not fit the problem, or takes too many evaluations.
        """
        good, steps = None, FEWEST_STEPS
        while steps <= MOST_STEPS:
            try:
                run = self.run(name, steps)
            except (FitError, OptionError):
                return None
            if run is not None:
                error = distance(state_at(run, -1), self.end, self.scales)
                evaluations = int(run.statistics["evaluations"])
                trial = Trial(name, self.span / steps, error, evaluations)
                self.trials.append(trial)
                is_good = error <= wanted
                if is_good and good is not None:
                    self.fewest = min(self.fewest, good.evaluations)
                    return good
                good = trial if is_good else None
                if evaluations > MOST_EXCESS * self.fewest:
                    return None
            steps *= 2
        return None
