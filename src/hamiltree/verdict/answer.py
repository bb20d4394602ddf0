"""The error of the answer: of every coordinate and body, at the end and over time.

The run is made again from its first sample with two and four times the step (looser tolerances
where these choose the steps). Its difference from the first is mostly the error of the coarser one;
that of the run itself is smaller by 2^p − 1, where p is the order of the method if the three runs
show it. docs/error-of-the-answer.md says when such an estimate is sound.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import HamiltreeError, StepError
from hamiltree.trajectory.lines import DETERMINED, GOOD, NOTE, Line, Thresholds, as_sentence
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.verdict.beginning import repeat_beginning, times_after
from hamiltree.verdict.coarser_runs import COST, FREE, CoarserRuns, Other
from hamiltree.verdict.differences import Kinds
from hamiltree.verdict.error_growth import Errors
from hamiltree.verdict.errors_over_time import ErrorsOverTime
from hamiltree.verdict.growth import (
    FEWEST,
    FIRST_PATH,
    LARGE,
    LEAST_ORDER,
    ORDER_TOLERANCE,
    ObservedOrder,
    first_error,
    first_large,
    grows_exponentially,
    observe_order,
    own_error,
)
from hamiltree.verdict.repetition import NotRepeatable

if TYPE_CHECKING:
    import xarray as xr

MOST_OF_BEGINNING = 4.0  # that the estimate of a beginning may cost, in parts of its evaluations
FEWEST_STEPS = 8  # of a run that is made again with four times the step
ROUNDING_LEVEL = 1e3  # roundings of the motion, before errors have been amplified
LONG_ROUNDING = 1e5  # the same where differences do not fall with the step at all
ROUNDINGS = 10.0  # of the motion: by so much a run errs whatever its step
SHARP = 0.2  # of a horizon: by less it moves if the estimate is off by a factor of 3
NON_SMOOTH = ("joint_limit", "joint_friction")
NAME = "error of the answer"
ROUNDED = "at rounding level"


@dataclass(frozen=True)
class AnswerError:
    """What a run errs by.

    number          the largest error in parts of the motion, over the run; None if there is no
                    estimate
    reason          why there is none, or what limits it: one plain sentence, or ""
    order, method_order   that the runs show (None if not seen), and that of the method
    horizon         until when the answer is determined, where errors grow exponentially and become
                    as large as a tenth of the motion; else None
    horizon_range   the same if errors are three times as large as estimated, and if they are a
                    third; None: not by the end of the run
    extrapolated_from   the time from which on errors that matter (those up to the horizon) are
                    extrapolated by their growth; None if all were seen
    own_error       the error that growth has not amplified, in parts of the motion
    is_chaotic      errors grow exponentially
    worst           the worst coordinate or body at the end, in words
    dataset         errors by time: coordinate_error, position_error (m) and angle_error (rad) of
                    every body, relative_error in parts of the motion
    cost            of the estimate, in parts of the evaluations of the run
    """

    number: float | None
    reason: str = ""
    order: float | None = None
    method_order: int = 0
    horizon: float | None = None
    own_error: float | None = None
    is_chaotic: bool = False
    worst: str = ""
    dataset: xr.Dataset | None = field(default=None, repr=False, compare=False)
    cost: float = 0.0
    end: float = 0.0
    time_unit: str = " s"
    horizon_range: tuple[float | None, float | None] = (None, None)
    extrapolated_from: float | None = None

    def at_end(self) -> xr.Dataset:
        """The errors at the end of the run."""
        if self.dataset is None:
            raise HamiltreeError(f"there is no estimate of the error: {self.reason}")
        return self.dataset.isel(t=-1)


# ---- the estimate --------------------------------------------------------------------------------
def estimate_error(run: Trajectory, is_brief: bool = False) -> AnswerError:
    """The error of a run by two further runs; an AnswerError without a number where there is no
    sound estimate. `is_brief`: at three quarters of the cost of the run, however short that is.
    """
    try:
        estimate = Estimate(run, is_brief)
    except NotRepeatable as reason:
        return AnswerError(None, str(reason))
    except HamiltreeError as error:
        return AnswerError(None, f"the run cannot be made again: {error}")
    if not np.isfinite([*estimate.motion.scales.coordinate, *estimate.motion.scales[1:3]]).any():
        return estimate.without_number("nothing moves")
    try:
        return estimate.make()
    except StepError:
        return estimate.without_number("no run with another step came to an end")
    except HamiltreeError as error:
        return estimate.without_number(f"the run cannot be made again: {error}")


class Estimate:
    """What follows from runs with longer steps."""

    def __init__(self, run: Trajectory, is_brief: bool = False, most: float = COST):
        """`most`: what it may cost, in parts of the evaluations of the run."""
        self.run, self.is_brief = run, is_brief
        self.runs = CoarserRuns(run, most, free=0 if is_brief else FREE)
        self.repetition, self.motion = self.runs.repetition, self.runs.motion
        self.order = self.repetition.integrator.order

    @property
    def time_unit(self) -> str:
        return self.repetition.setup.equations.time_unit

    def without_number(self, reason: str) -> AnswerError:
        return AnswerError(None, reason, method_order=self.order, cost=self.runs.cost)

    def make(self) -> AnswerError:
        """By two and four times the step; where twice the step fails, by half of it over the
        beginning.
        """
        steps = self.runs.steps
        if steps < FEWEST_STEPS and not self.repetition.integrator.is_adaptive:
            return self.without_number(f"a run of {steps} steps is too short for an estimate")
        twice = self.runs.coarser(self.repetition.ratio, is_limited=False)
        early = self.from_beginning(twice)
        if early is not None:
            return early
        if twice is None or self.is_useless(twice):
            return self.from_half_step()
        return self.from_coarser_runs(twice)

    def from_beginning(self, twice: Other | None) -> AnswerError | None:
        """That of the beginning alone, where the run is chaotic and was sampled too seldom to see
        it; None where that is not so.
        """
        made = repeat_beginning(self.runs, twice)
        if made is None or twice is None:
            return None
        left = self.runs.left / max(1, int(made.statistics["evaluations"]))
        estimate = Estimate(made, self.is_brief, min(left, MOST_OF_BEGINNING))
        found = estimate.make()
        self.runs.spent += estimate.runs.spent
        if found.horizon is None or found.number is None or not found.is_chaotic:
            return None
        most = np.append(twice.relative[np.isfinite(twice.relative)], found.number)
        number = float(most.max())
        later = times_after(self.runs, found.end)
        end = self.repetition.end
        dataset = None if found.dataset is None else extend_dataset(found.dataset, later, number)
        return replace(found, number=number, dataset=dataset, cost=self.runs.cost, end=end)

    def is_useless(self, other: Other) -> bool:
        """Whether a coarser run was wrong before the motion had gone through its range."""
        early = self.motion.path[other.places] < FIRST_PATH / 2
        is_small = other.relative < 2 * LARGE
        early[: FEWEST // 2] = True
        return len(other.places) < 2 or not is_small[early].all()

    def from_coarser_runs(self, twice: Other) -> AnswerError:
        """Richardson's estimate by the order of the method or by the observed one."""
        path, ratio = self.motion.path[twice.places], self.repetition.ratio
        rounding, d1 = self.motion.scales.rounding, twice.relative
        four, observed = self.run_four(twice), None
        if four is not None:
            coarse, mine = self.runs.between(twice, four)
            # until the motion has gone through its range, errors have not begun to show it
            if path[mine[-1]] >= min(FIRST_PATH, path[-1]):
                observed = observe_order(d1[mine], coarse, path[mine], ratio, rounding)
        level = own_error(d1, path)
        share, reason = self.share_of_difference(observed, ratio, level)
        order = float(self.order)
        rounded = ROUNDINGS * rounding / max(first_error(d1, path), rounding)
        is_seen = False
        if observed is not None and observed.is_clear:
            is_seen = observed.value <= order + ORDER_TOLERANCE
            order = min(observed.value, order)
        over_time = ErrorsOverTime(self.runs, order, is_seen)
        errors = over_time.make(twice, min(1.0, share + rounded), rounded)
        if observed is not None and reason and not reason.startswith(ROUNDED):
            near = over_time.measure(errors, twice, self.runs.left)
            reason = reason if near is None else self.measured_words(near, errors, observed)
        return self.result(errors, observed, reason)

    def measured_words(self, near: Other, errors: Errors, observed: ObservedOrder) -> str:
        """Where errors are those by a nearer step, since longer ones do not show the order."""
        step = "half the step" if errors.finest < 1.0 else "4/3 of the step"
        is_whole = near.places[-1] >= errors.places[errors.known]
        part = "" if is_whole else f" over the first {near.length:.3g}{self.time_unit}"
        seen = f"longer ones show order {observed.value:.1f}, that of the method is {self.order}"
        return f"by {step}{part}: {seen}{self.non_smooth()}"

    def run_four(self, twice: Other) -> Other | None:
        """Four times the step, as far as the run with twice the step is any good and the cost
        allows. Looser tolerances likewise.
        """
        again = self.repetition
        is_dear = 1.3 * twice.evaluations / again.ratio > self.runs.left
        if self.runs.left <= 0 or (is_dear and again.integrator.samples_at_steps):
            return None
        large = first_large(twice.relative)
        length = None
        if large is not None:
            length = float(again.times[twice.places[large]]) - again.begin
        return self.runs.coarser(again.ratio**2, 0, length)

    # ---- what part of a difference is the error of the run ---------------------------------------
    def share_of_difference(
        self, observed: ObservedOrder | None, first: float, level: float
    ) -> tuple[float, str]:
        """What part of the difference from the coarser run is the error of the run; and a word if
        it is not by the order of the method.
        """
        order = self.order
        usual = 1.0 / max(1.0, first**order - 1.0)
        if observed is None:
            return usual, f"by the order {order} of the method: still coarser runs show none"
        if observed.shows(order):
            return usual, ""
        most = LONG_ROUNDING if observed.value < LEAST_ORDER else ROUNDING_LEVEL
        if level <= most * self.motion.scales.rounding and observed.value < order:
            return 1.0, f"{ROUNDED}: not above the difference from a coarser run"
        is_half = observed.is_clear and observed.value < 0.5 * order
        if self.repetition.is_controlled and not is_half:
            words = f"by a tolerance to which errors are in proportion (order {order}"
            return usual, f"{words}, seen {observed.value:.1f}){self.non_smooth()}"
        if observed.is_clear and observed.value > order:  # steps so long are worse than their order
            words = f"by the order {order} of the method, longer steps show {observed.value:.1f}"
            return usual, words + self.non_smooth()
        if observed.is_clear:
            words = f"by the observed order {observed.value:.1f}, that of the method is {order}"
            return 1.0 / max(1.0, first**observed.value - 1.0), words + self.non_smooth()
        words = f"no clear order is seen ({observed.value:.1f}, that of the method is {order})"
        is_near = abs(observed.value - order) <= ORDER_TOLERANCE
        if is_near or observed.value > order:  # coarser runs are worse than their order
            return usual, f"{words}: by that of the method{self.non_smooth()}"
        least = observed.value - observed.spread
        if least > 1.0:
            words += f": by the lowest, {least:.1f}"
            return 1.0 / max(1.0, first**least - 1.0), words + self.non_smooth()
        return 1.0, f"{words}: the difference from a coarser run{self.non_smooth()}"

    def non_smooth(self) -> str:
        """Parts of the model that take the order away, in words."""
        forces = getattr(self.repetition.problem, "forces", ())
        found = {force.kind.removeprefix("joint_") for force in forces if force.kind in NON_SMOOTH}
        words = {"limit": "stops", "friction": "friction"}
        named = " and ".join(words[kind] for kind in sorted(found))
        return f"; {named} take away the order" if named else ""

    def from_half_step(self) -> AnswerError:
        """By half the step over the beginning, where twice the step does not do."""
        again = self.repetition
        part = min(1.0, max(0.05, 0.5 * self.runs.left / self.runs.evaluations))
        half = self.runs.finer(part * (again.end - again.begin))
        if half is None or len(half.places) < 2:
            return self.without_number("runs with twice and with half the step fail")
        reason = (
            f"twice the step does not do, so it is that of the first {half.length:.3g}"
            f"{self.time_unit}, by half the step and the order of the method"
        )
        power = 2.0**self.order
        errors = Errors(half.places, again.times[half.places], self.motion.path[half.places])
        errors.begin(half, power / (power - 1.0))
        return self.result(errors, None, reason)

    def result(self, errors: Errors, observed: ObservedOrder | None, reason: str) -> AnswerError:
        """Errors over time, their law of growth, and until when the answer is determined."""
        relative, known = errors.relative, slice(0, errors.known + 1)
        is_seen = observed is not None and (observed.is_clear or observed.shows(self.order))
        bodies = self.run._names("body") if self.run.has_bodies else []
        kinds, scales = self.motion.kinds, self.motion.scales
        return AnswerError(
            float(relative.max()),
            reason,
            None if observed is None or not is_seen else observed.value,
            self.order,
            errors.horizon,
            own_error(relative[known], errors.path[known]),
            grows_exponentially(relative[known], errors.path[known]),
            scales.worst(errors.found.at(errors.known), kinds, bodies),
            make_dataset(errors, kinds, bodies),
            self.runs.cost,
            float(errors.t[-1]),
            self.time_unit,
            errors.horizon_range,
            errors.extrapolated_from,
        )


def make_dataset(found: Errors, kinds: Kinds, bodies: list[str]) -> xr.Dataset:
    """Labelled errors; not a number where the answer is not determined."""
    import xarray as xr

    units, errors = {"angle": "rad", "position": "m"}, found.found
    made = {
        "coordinate_error": (("t", "coordinate"), errors.coordinate),
        "relative_error": (("t",), found.relative, {"units": "of the motion"}),
    }
    if kinds.has_bodies:
        for name in units:
            made[f"{name}_error"] = (("t", "body"), getattr(errors, name), {"units": units[name]})
    rad = ["rad" if unit not in ("m", "") else unit for unit in kinds.units]
    coords: dict[str, Any] = {"t": found.t, "coordinate": list(kinds.names)}
    coords["unit"] = ("coordinate", rad)
    if kinds.has_bodies:
        coords["body"] = bodies
    return xr.Dataset(made, coords=coords)


def extend_dataset(found: xr.Dataset, later: np.ndarray, number: float) -> xr.Dataset:
    """The errors of a beginning; at later times they are not known, and as large as they become."""
    longer = found.reindex(t=np.append(found.t.values, later))
    is_later = longer.t > float(found.t[-1])
    return longer.assign(relative_error=longer.relative_error.where(~is_later, number))


# ---- its line ------------------------------------------------------------------------------------
def answer_line(estimate: AnswerError, thresholds: Thresholds) -> Line:
    """The line of a report."""
    if estimate.number is None:
        words = as_sentence(f"no estimate: {estimate.reason}")
        return Line(NAME, None, "", NOTE, words, details_of(estimate))
    number, verdict = estimate.number, thresholds.judge("answer", estimate.number)
    own = thresholds.judge("answer", estimate.own_error or 0.0)
    about = f"worst at the end: {estimate.worst}" if estimate.worst else ""
    if estimate.is_chaotic and verdict != GOOD:
        verdict = DETERMINED if own == GOOD else own
    if verdict == DETERMINED or estimate.horizon is not None:
        about = determined_words(estimate)
    words = [word for word in (about, extrapolation_words(estimate), estimate.reason) if word]
    scale = "of the motion"
    sentence = as_sentence("; ".join(words))
    return Line(NAME, number, scale, verdict, sentence, details_of(estimate))


def determined_words(estimate: AnswerError) -> str:
    """Until when the answer is determined."""
    unit, horizon = estimate.time_unit, estimate.horizon
    why = ": errors grow exponentially" if estimate.is_chaotic else ""
    if horizon is None:
        end = f"t = {estimate.end:.3g}{unit}, the end of the run"
        return f"determined until {end}, to {estimate.number:.1g} of the motion{why}"
    words = f"determined until t = {horizon:.3g}{unit}{range_words(estimate, horizon)}{why}"
    who = ", from there on they" if why else ": from there on errors"
    return f"{words}{who} may be a tenth of the motion"


def range_words(estimate: AnswerError, horizon: float) -> str:
    """How far a horizon may be off, where errors stand still near it for long."""
    begin = 0.0 if estimate.dataset is None else float(estimate.dataset["t"][0])
    early, late = estimate.horizon_range
    ends = [estimate.end if time is None else time for time in (early, late)]
    farthest = max(abs(time - horizon) for time in ends)
    if farthest <= SHARP * (horizon - begin):
        return ""
    until = "the end" if late is None else f"{late:.3g}{estimate.time_unit}"
    return f" ({early:.3g} to {until} if the estimate is off by a factor of 3)"


def extrapolation_words(estimate: AnswerError) -> str:
    """From when on errors are not seen but extrapolated."""
    since = estimate.extrapolated_from
    known = "" if since is None else f"{since:.3g}{estimate.time_unit}"
    return f"extrapolated from t = {known} on by the growth until then" if known else ""


def details_of(estimate: AnswerError) -> dict[str, Any]:
    """Further numbers of the line."""
    return {
        "observed_order": estimate.order,
        "method_order": estimate.method_order,
        "horizon": estimate.horizon,
        "horizon_range": list(estimate.horizon_range),
        "extrapolated_from": estimate.extrapolated_from,
        "own_error": estimate.own_error,
        "worst": estimate.worst,
        "reason": estimate.reason,
        "cost": estimate.cost,
    }
