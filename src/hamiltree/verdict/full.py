"""Lines of a full report: what the method claims is measured on the run itself.

Time reversal and symplecticity are claims of a method: where it makes them they must hold to
rounding, elsewhere the number is only told. Agreement with a second formulation (or method, where
there is none) sees what no run of the same equations by the same coefficients can see.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hamiltree.console import doing
from hamiltree.errors import HamiltreeError
from hamiltree.formulations import FORMULATIONS
from hamiltree.integrators import find_integrator
from hamiltree.integrators.tao import TaoMethod
from hamiltree.run.choices import is_compatible
from hamiltree.trajectory.lines import (
    BAD,
    DOUBTFUL,
    GOOD,
    NOTE,
    SEVERITY,
    Line,
    Thresholds,
    as_sentence,
)
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.verdict.answer import AnswerError, estimate_error
from hamiltree.verdict.coarser_runs import COARSEST, CoarserRuns, Motion, motion_of
from hamiltree.verdict.differences import differences, samples_of
from hamiltree.verdict.growth import ORDER_TOLERANCE
from hamiltree.verdict.repetition import NotRepeatable, Repetition, matching_samples
from hamiltree.verdict.step_map import SPACINGS, StepFailed, StepMap

REVERSAL, SYMPLECTICITY = "time reversal", "symplecticity of one step"
AGREEMENT, CONVERGENCE = "agreement with a second formulation", "convergence with the step"
MOST_STEPS, MOST_PATH = 500, 3.0  # that are taken back; in ranges of the motion
MOST_ROWS = 64  # of a state whose Jacobian is formed
LONG_STEP = 0.2  # of the motion in a step on which symplecticity is measured
ROUNDING_DEFECT, CLEAR_DEFECT = 1e-13, 1e-11  # below: to rounding; above: not at all
WINDOW_PATH = 10.0  # of runs by a second formulation
EXPLAINED = 10.0  # times the errors of both runs: a larger difference has another cause
FINE, FINER = 1e-11, 1e-13  # rtol of the second run
SECOND = ("kane_relative", "hamiltonian_tree", "cartesian_3", "hamiltonian_loops", "kane_absolute")


def full_lines(
    run: Trajectory, thresholds: Thresholds, estimate: AnswerError | None = None
) -> list[Line]:
    """Time reversal, symplecticity of one step, agreement with a second formulation, convergence
    with the step.
    """
    estimate = estimate_error(run) if estimate is None else estimate
    return [
        attempt(REVERSAL, lambda: reversal_line(run, thresholds)),
        attempt(SYMPLECTICITY, lambda: symplecticity_line(run, thresholds)),
        attempt(AGREEMENT, lambda: agreement_line(run, thresholds, estimate)),
        attempt(CONVERGENCE, lambda: convergence_line(run)),
    ]


def attempt(name: str, make: Callable[[], Line]) -> Line:
    """A line, or why there is none."""
    doing(f"making the report: {name}")
    try:
        return make()
    except HamiltreeError as error:
        return note(name, f"not measured: {error}")


def note(name: str, sentence: str, number: float | None = None, scale: str = "") -> Line:
    return Line(name, number, scale, NOTE, as_sentence(sentence))


def at_least(verdict: str, least: str) -> str:
    """The worse of two verdicts."""
    return max(verdict, least, key=SEVERITY.__getitem__)


# ---- time reversal -------------------------------------------------------------------------------
def reversal_line(run: Trajectory, thresholds: Thresholds) -> Line:
    """Steps forward and the same steps back: where they lead is the start, to rounding for a
    symmetric method, to its error for others.
    """
    repetition = Repetition(run)
    method = repetition.integrator
    if repetition.is_controlled:
        return note(REVERSAL, f"{method.name} chooses its steps by error: it has no way back")
    motion, steps_map = motion_of(run), StepMap(repetition)
    end = float(np.interp(MOST_PATH, motion.path, repetition.times))
    h = repetition.step
    steps = int(np.clip((end - repetition.begin) / h, 1, MOST_STEPS))
    before, t = steps_map.samples(repetition.begin), repetition.begin
    steps_map.take(t, h, steps)
    if not isinstance(method.method, TaoMethod):  # the twin is part of what is stepped back
        steps_map.forget_guesses()
    steps_map.take(t + steps * h, -h, steps)
    apart = differences(steps_map.samples(t), before, motion.kinds)
    number = float(motion.scales.relative(apart)[0])
    where = f"{steps} steps and back end {number:.1g} of the motion from the start"
    if not method.is_symmetric:
        return note(REVERSAL, f"{where}; {method.name} is not symmetric", number, "of the motion")
    verdict = thresholds.judge("reversal", number)
    words = as_sentence(f"{where}; {method.name} is symmetric")
    details = {"steps": steps, "step": h}
    return Line(REVERSAL, number, "of the motion", verdict, words, details)


# ---- symplecticity -------------------------------------------------------------------------------
def symplecticity_line(run: Trajectory, thresholds: Thresholds) -> Line:
    """‖DᵀΩD − Ω‖ / ‖D‖²‖Ω‖ of one step that is long enough to tell."""
    repetition = Repetition(run)
    method, formulation = repetition.integrator, repetition.setup.equations.formulation
    if not run.has_energy or (run.has_bodies and not formulation.has_momenta):
        return note(SYMPLECTICITY, f"{formulation.name} has no canonical momenta")
    steps_map = StepMap(repetition)
    system, rows = steps_map.system, len(steps_map.start)
    positions, momenta = system.layout
    if positions != momenta or system.facts.constraints or system.facts.projects:
        return note(SYMPLECTICITY, "constraints leave a part of the states only")
    if isinstance(method.method, TaoMethod) or method.is_adaptive:
        return note(SYMPLECTICITY, f"a step of {method.name} depends on more than the state")
    if rows > MOST_ROWS:
        return note(SYMPLECTICITY, f"a Jacobian of {rows} rows would take long")
    number, h = defect_of_a_long_step(steps_map, long_step(run, repetition))
    words = f"DᵀΩD − Ω is {number:.1g} of D² after a step of {h:.2g}{time_unit(repetition)}"
    if not method.is_symplectic:
        return note(SYMPLECTICITY, f"{words}; {method.name} is not symplectic", number)
    if has_forces_without_potential(run):
        return note(SYMPLECTICITY, f"{words}; the model has forces that do work", number)
    verdict = thresholds.judge("symplecticity", number)
    verdict = at_least(verdict, DOUBTFUL) if number > CLEAR_DEFECT else verdict
    words = as_sentence(f"{words}; {method.name} is symplectic")
    return Line(SYMPLECTICITY, number, "of D²", verdict, words, {"step": h})


def time_unit(repetition: Repetition) -> str:
    return repetition.setup.equations.time_unit


def has_forces_without_potential(run: Trajectory) -> bool:
    """Whether something has done work; a damper is not canonical."""
    return bool(run._has("work") and np.ptp(run._values("work")) != 0.0)


def long_step(run: Trajectory, repetition: Repetition) -> float:
    """The step of the run, or one in which the motion goes through a part of its range."""
    motion = motion_of(run)
    typical = (repetition.end - repetition.begin) / max(float(motion.path[-1]), 1.0)
    return max(repetition.step, LONG_STEP * typical)


def defect_of_a_long_step(steps_map: StepMap, h: float) -> tuple[float, float]:
    """The defect, and the length of the step: shorter where a long one does not converge."""
    while True:
        try:
            return symplectic_defect(steps_map, h), h
        except StepFailed:
            if h <= steps_map.repetition.step:
                raise
            h = max(h / 4, steps_map.repetition.step)


def symplectic_defect(steps_map: StepMap, h: float) -> float:
    """In natural sizes S of the rows: D̃ = S⁻¹DS and Ω̃ = SΩS. The least of several spacings of
    the differences: what these err by comes on top of a defect.
    """
    scale, least = steps_map.row_scales(), np.inf
    half = len(scale) // 2
    omega = np.kron([[0.0, 1.0], [-1.0, 0.0]], np.eye(half)) * np.outer(scale, scale)
    for spacing in SPACINGS:
        D = (steps_map.jacobian(h, spacing) * scale) / scale[:, None]
        defect = np.linalg.norm(D.T @ omega @ D - omega)
        size = np.linalg.norm(D, 2) ** 2 * np.linalg.norm(omega)
        least = min(least, float(defect / size))
        if least < ROUNDING_DEFECT:
            break
    return least


# ---- agreement -----------------------------------------------------------------------------------
class Second(NamedTuple):
    """Other equations, or the same by another method."""

    formulation: str
    integrator: str

    def __str__(self) -> str:
        return f"{self.formulation} with {self.integrator}"


def second_choices(run: Trajectory) -> list[Second]:
    """Independent equations first; by a method that has nothing to do with that of the run."""
    about = run._settings
    wanted = ("dop853", "gauss12", "spark6", "rattle", "radau5")
    own = about["formulation"]
    names = [name for name in SECOND if name != own] if run.has_bodies else []
    found = []
    for name in (*names, own):
        for method in wanted:
            is_other = method[:3] != about["integrator"][:3]
            if is_other and is_compatible(FORMULATIONS[name], find_integrator(method)):
                found.append(Second(name, method))
                break
    return found


def agreement_line(run: Trajectory, thresholds: Thresholds, estimate: AnswerError) -> Line:
    """The largest difference over a window, in parts of the motion; with what the errors of both
    explain.
    """
    motion, tried = motion_of(run), []
    for second in second_choices(run):
        try:
            number, own, end = compare_with(run, motion, second)
        except HamiltreeError as error:
            tried.append(f"{second}: {error}")
            continue
        return judge_agreement(number, own, end, second, thresholds, estimate, motion)
    why = tried[-1] if tried else "there is no other one"
    return note(AGREEMENT, f"no second formulation came to an end ({why})")


def judge_agreement(
    number: float, own: float, end: float, second: Second, thresholds: Thresholds,
    estimate: AnswerError, motion: Motion,
) -> Line:  # fmt: skip
    """A difference that the errors of both runs do not explain is doubtful at least; one that is
    the error of the second run says nothing of the first.
    """
    mine = error_until(estimate, end)
    explained = EXPLAINED * (mine + own) + 1e3 * motion.scales.rounding
    verdict = thresholds.judge("agreement", number)
    words = f"differs by {number:.1g} of the motion from {second} until t = {end:.3g}"
    if number > explained and estimate.number is not None:
        verdict = at_least(verdict, DOUBTFUL)
        verdict = BAD if number > 100 * explained else verdict
        words += f", more than the errors of both runs explain ({mine + own:.1g})"
    elif verdict != GOOD and number <= EXPLAINED * own:
        verdict = NOTE
        words += f", by the error of that run ({own:.1g})"
    details = {"second": str(second), "errors": mine + own, "until": end}
    return Line(AGREEMENT, number, "of the motion", verdict, as_sentence(words), details)


def error_until(estimate: AnswerError, end: float) -> float:
    """The estimated error of the run in the window."""
    if estimate.dataset is None:
        return 0.0
    inside = estimate.dataset.relative_error.values[estimate.dataset.t.values <= end]
    return float(inside.max(initial=0.0))


def compare_with(run: Trajectory, motion: Motion, second: Second) -> tuple[float, float, float]:
    """The largest difference from the second run, the error of that one, and the end of the
    window.
    """
    again = Repetition(run, second.formulation, second.integrator)
    times = again.times
    last = int(np.searchsorted(motion.path, WINDOW_PATH))
    end = float(times[min(max(last, 1), len(times) - 1)])
    made = [again.at_times(end, part) for part in (FINE, FINER)]
    found = []
    for other in made:
        mine, theirs = matching_samples(times, other._values("t"), again.step)
        samples = samples_of(run, mine)
        apart = differences(samples, samples_of(other, theirs), motion.kinds)
        found.append((mine, samples_of(other, theirs), motion.scales.relative(apart).max()))
    if len(found[0][0]) < 2 or not np.array_equal(found[0][0], found[1][0]):
        raise NotRepeatable("there are no common times")
    own = motion.scales.relative(differences(found[0][1], found[1][1], motion.kinds))
    return float(found[1][2]), float(own.max()), end


# ---- convergence ---------------------------------------------------------------------------------
def convergence_line(run: Trajectory) -> Line:
    """Errors of 4h, 2h and h against h/2 over a window, and the order that they show."""
    runs = CoarserRuns(run, most=np.inf)
    again, motion = runs.repetition, runs.motion
    if again.integrator.samples_at_steps:
        return note(CONVERGENCE, "steps of varying length have no common times")
    last = int(np.searchsorted(motion.path, WINDOW_PATH))
    end = float(again.times[min(max(last, 1), len(again.times) - 1)])
    runs.grid, runs.every = again.common_samples(COARSEST, end)
    ratio = again.ratio
    factors = (ratio**2, ratio, 1.0, 1.0 / ratio)
    length = max(4 * again.spacing(COARSEST), end - again.begin)
    made = [runs.coarser(factor, 0, length) for factor in factors]
    finest = made[-1]
    if finest is None:
        return note(CONVERGENCE, "a run with a shorter step failed")
    if len(finest.places) < 2:
        seen = f"the first {length:.3g}{again.setup.equations.time_unit}"
        return note(CONVERGENCE, f"too few samples in {seen} to compare runs with other steps")
    order = again.integrator.order
    share = ratio**order / max(ratio**order - 1.0, 1e-3)
    errors = [
        None if other is None else float(runs.between(other, finest)[0].max())
        for other in made[:-1]
    ]
    if errors[-1] is not None:
        errors[-1] *= share  # the finest run has errors too
    return judge_convergence(errors, factors, again, motion)


def judge_convergence(
    errors: list[float | None], factors: tuple, again: Repetition, motion: Motion
) -> Line:
    """Good where errors fall by the order of the method, or are rounding already."""
    pairs = [(f, e) for f, e in zip(factors, errors, strict=False) if e is not None]
    finite = [(f, e) for f, e in pairs if np.isfinite(e)]
    known = [(f, e) for f, e in finite if e > 0.0]
    steps = [factor * again.step for factor, _ in known]
    order = again.integrator.order
    what = "tolerance" if again.is_controlled else "step"
    details: dict[str, Any] = {"steps": steps, "errors": [e for _, e in known], "order": None}
    details["plot"] = plot = text_plot(known, what)
    if finite and (not known or known[-1][1] < 1e3 * motion.scales.rounding):
        words = as_sentence("; ".join(filter(None, ("errors are rounding already", plot))))
        return Line(CONVERGENCE, None, "", GOOD, words, details)
    if len(known) < 2:
        words = "Runs with longer steps fail." if finite else "Runs with these steps fail."
        return Line(CONVERGENCE, None, "", DOUBTFUL, words, details)
    orders = [float(np.log(e / d) / np.log(g / f)) for (g, e), (f, d) in pairwise(known)]
    least = 0.5 * order if again.is_controlled else order - ORDER_TOLERANCE
    is_seen = max(orders) > least
    # chaos amplifies rounding, which hides the order of the shortest steps
    is_late = is_seen and orders[-1] <= least
    details["order"] = seen = max(orders) if is_late else orders[-1]
    where = " of longer steps" if is_late else ""
    words = as_sentence(f"order {seen:.1f}{where}, that of the method is {order}; {plot}")
    return Line(CONVERGENCE, seen, "order", GOOD if is_seen else DOUBTFUL, words, details)


def text_plot(points: list[tuple[float, float]], what: str) -> str:
    """Errors by step as bars, one character for each power of ten above 1e-16."""
    bars = []
    for factor, error in points:
        length = int(np.clip(np.log10(max(error, 1e-16)) + 16, 0, 18))
        bars.append(f"{factor:g} × {what} {'▇' * length} {error:.1g}")
    return " | ".join(bars)
