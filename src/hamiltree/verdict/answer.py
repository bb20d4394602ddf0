"""The error of the answer: of every coordinate and body, at the end and over time.

The run is made again from its first sample with two and four times the step (looser tolerances
where these choose the steps). Its difference from the first is mostly the error of the coarser one;
that of the run itself is smaller by 2^p − 1, where p is the order of the method if the three runs
show it. docs/error-of-the-answer.md says when such an estimate is sound.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import HamiltreeError, StepError
from hamiltree.trajectory.lines import DETERMINED, GOOD, NOTE, Line, Thresholds, as_sentence
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.verdict.coarser_runs import CoarserRuns, Other
from hamiltree.verdict.differences import Kinds
from hamiltree.verdict.error_growth import Errors
from hamiltree.verdict.growth import (
    FEWEST,
    FIRST_PATH,
    LARGE,
    LEAST_ORDER,
    NONLINEAR,
    ORDER_TOLERANCE,
    ObservedOrder,
    envelope,
    first_error,
    first_large,
    grows_exponentially,
    observe_order,
    own_error,
)
from hamiltree.verdict.repetition import NotRepeatable

if TYPE_CHECKING:
    import xarray as xr

FEWEST_STEPS = 8  # of a run that is made again with four times the step
ROUNDING_LEVEL = 1e3  # roundings of the motion, before errors have been amplified
LONG_ROUNDING = 1e5  # the same where differences do not fall with the step at all
ROUNDINGS = 10.0  # of the motion: by so much a run errs whatever its step
MOST_ROUNDED = 0.5  # of a difference: more than that is rounding, which no step makes less
# parts of the step, whose steps end where four steps do; and how much farther than to the expected
# time at which a run is wrong they must be affordable
NEARER = ((1 / 2, 1.4), (4 / 3, 1.2))
FINER = 1 / 2  # of the step, by which errors are measured
LEAST_MEASURED = 0.25  # of the time in which errors are known
MAX_LATER = 8  # runs that begin later
LATER_LENGTH = 3.0  # of such a run, in times after which the one before was wrong
NON_SMOOTH = ("joint_limit", "joint_friction")
NAME = "error of the answer"


@dataclass(frozen=True)
class AnswerError:
    """What a run errs by.

    number          the largest error in parts of the motion, over the run; None if there is no
                    estimate
    reason          why there is none, or what limits it: one plain sentence, or ""
    order, method_order   that the runs show (None if not seen), and that of the method
    horizon         until when the answer is determined, where errors grow exponentially and become
                    as large as a tenth of the motion; else None
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

    def at_end(self) -> xr.Dataset:
        """The errors at the end of the run."""
        if self.dataset is None:
            raise HamiltreeError(f"there is no estimate of the error: {self.reason}")
        return self.dataset.isel(t=-1)


# ---- the estimate --------------------------------------------------------------------------------
def estimate_error(run: Trajectory) -> AnswerError:
    """The error of a run by two further runs; an AnswerError without a number where there is no
    sound estimate.
    """
    try:
        estimate = Estimate(run)
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

    def __init__(self, run: Trajectory):
        self.run = run
        self.runs = CoarserRuns(run)
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
        if twice is None or self.is_useless(twice):
            return self.from_half_step()
        return self.from_coarser_runs(twice)

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
        if observed is not None and observed.is_clear and observed.value < 2.0 * order:
            order = observed.value
        errors = self.errors_over_time(twice, min(1.0, share + rounded), order, rounded)
        return self.result(errors, observed, reason)

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

    # ---- errors over time ------------------------------------------------------------------------
    def errors_over_time(self, twice: Other, share: float, order: float, rounded: float) -> Errors:
        """That part of the differences; where the run with twice the step is wrong altogether
        before the run is, and not by rounding, by further runs.
        """
        grid = self.runs.grid
        errors = Errors(grid, self.repetition.times[grid], self.motion.path[grid])
        if rounded >= MOST_ROUNDED or first_large(twice.relative) is None:
            errors.begin(twice, share)
        else:
            usual = 1.0 / max(1.0, self.repetition.ratio**order - 1.0)
            errors.begin(twice, min(1.0, usual + rounded), is_small=True)
            errors.extrapolate()
            is_near = self.come_nearer(errors, twice, order, NEARER)
            if not is_near and not self.go_on(errors, twice):
                self.come_nearer(errors, twice, order, ((4 / 3, 0.0),))
            self.measure(errors, order)
        errors.extrapolate()
        return errors

    def come_nearer(
        self, errors: Errors, twice: Other, order: float, steps: tuple[tuple[float, float], ...]
    ) -> bool:
        """Errors by a run whose difference is about as large as the error itself: with a step as
        near to that of the run as the cost allows up to where the run is expected to be wrong. The
        order is that at which both differences agree. False if the cost does not reach so far.
        """
        again, runs = self.repetition, self.runs
        if again.integrator.samples_at_steps:
            return False
        price = runs.evaluations / (again.end - again.begin)
        reach = (errors.horizon or again.end) - again.begin
        for factor, farther in steps:
            needed = min(farther * reach, again.end - again.begin)
            if needed * price / factor > runs.left:
                continue
            near = runs.coarser(factor)
            if near is None or len(near.places) < FEWEST:
                return False
            order = self.order_between(twice, near, factor, order)
            errors.begin(near, 1.0 / abs(factor**order - 1.0), is_small=True)
            errors.finest = factor
            return True
        return False

    def measure(self, errors: Errors, order: float) -> None:
        """What is left of the cost is spent on half the step over the beginning: errors are
        measured there, and those that follow are in proportion.
        """
        again, runs = self.repetition, self.runs
        if again.integrator.samples_at_steps or errors.finest <= FINER:
            return
        price = runs.evaluations / (again.end - again.begin)
        known = float(errors.t[errors.known]) - again.begin
        length = min(FINER * runs.left / price, known)
        if length < LEAST_MEASURED * known:
            return
        half = runs.coarser(FINER, 0, length)
        if half is not None and len(half.places) >= FEWEST:
            errors.measure(half, 1.0 / (1.0 - FINER**order))

    def order_between(self, twice: Other, near: Other, factor: float, order: float) -> float:
        """The order at which the errors of three steps explain both differences; not below that of
        the method, and not above twice that.
        """
        _, far, there = np.intersect1d(twice.places, near.places, return_indices=True)
        path = self.motion.path[twice.places[far]]
        larger, smaller = envelope(twice.relative[far]), envelope(near.relative[there])
        is_used = (larger < NONLINEAR) & (smaller > 0.0) & (path >= FIRST_PATH)
        if is_used.sum() < FEWEST:
            return order
        orders = np.linspace(order, 2.0 * self.order, 64)
        expected = (self.repetition.ratio**orders - 1.0) / np.abs(factor**orders - 1.0)
        seen = np.median(larger[is_used] / smaller[is_used])
        return float(np.interp(seen, expected, orders))

    def go_on(self, errors: Errors, twice: Other) -> bool:
        """Where errors grow exponentially, by runs with twice the step that begin at later samples
        of the run; False where they do not. Errors of regular motion keep what they have gathered
        since the start.
        """
        known = slice(0, errors.known + 1)
        if not grows_exponentially(errors.relative[known], errors.path[known]):
            return False
        other: Other | None = twice
        for _ in range(MAX_LATER):
            if errors.is_large or errors.known == len(errors.t) - 1 or other is None:
                break
            other = self.begin_later(other)
            if other is None or not errors.extend(other):
                break
        return True

    def begin_later(self, before: Other) -> Other | None:
        """Twice the step once more, from a sample of the run before such a run went wrong: half
        way, in powers of ten, between its first errors and those that are large.
        """
        large = first_large(before.relative)
        last = len(before.relative) if large is None else large
        if last < FEWEST or self.repetition.integrator.samples_at_steps:
            return None
        found = envelope(before.relative[:last])
        level = own_error(before.relative[:last], self.motion.path[before.places[:last]])
        start = int(np.searchsorted(found, np.sqrt(max(level, 1e-300) * NONLINEAR)))
        place = int(before.places[min(max(start, 1), last - 3)])
        times, price = self.repetition.times, before.evaluations / before.length
        wrong_after = float(times[before.places[last - 1]]) - float(times[place])
        length = min(self.runs.left / (1.1 * price), LATER_LENGTH * wrong_after)
        if not length > wrong_after:
            return None
        return self.runs.coarser(self.repetition.ratio, place, length)

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
            return 1.0, "at rounding level: not above the difference from a coarser run"
        is_half = observed.is_clear and observed.value < 0.5 * order
        if self.repetition.is_controlled and not is_half:
            words = f"by a tolerance to which errors are in proportion (order {order}"
            return usual, f"{words}, seen {observed.value:.1f}){self.non_smooth()}"
        if observed.is_clear:
            value = min(observed.value, 2.0 * order)
            words = f"by the observed order {value:.1f}, that of the method is {order}"
            return 1.0 / max(1.0, first**value - 1.0), words + self.non_smooth()
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
    words = [word for word in (about, estimate.reason) if word]
    scale = "of the motion"
    sentence = as_sentence("; ".join(words))
    return Line(NAME, number, scale, verdict, sentence, details_of(estimate))


def determined_words(estimate: AnswerError) -> str:
    """Until when the answer is determined."""
    unit = estimate.time_unit
    why = ": errors grow exponentially" if estimate.is_chaotic else ""
    if estimate.horizon is None:
        end = f"t = {estimate.end:.3g}{unit}, the end of the run"
        return f"determined until {end}, to {estimate.number:.1g} of the motion{why}"
    words = f"determined until t = {estimate.horizon:.3g}{unit}{why}"
    return f"{words}{',' if why else ':'} from there on they may be a tenth of the motion"


def details_of(estimate: AnswerError) -> dict[str, Any]:
    """Further numbers of the line."""
    return {
        "observed_order": estimate.order,
        "method_order": estimate.method_order,
        "horizon": estimate.horizon,
        "own_error": estimate.own_error,
        "worst": estimate.worst,
        "reason": estimate.reason,
        "cost": estimate.cost,
    }
