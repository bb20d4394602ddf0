"""The error of the answer: of every coordinate and body, at the end and over time.

The run is made again from its first sample with two and four times the step (looser tolerances where
these choose the steps). Its difference from the first is mostly the error of the coarser one; that
of the run itself is smaller by 2^p − 1, where p is the order of the method if the three runs show
it. docs/error-of-the-answer.md says when such an estimate is sound.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hamiltree.errors import HamiltreeError, StepError
from hamiltree.trajectory.lines import DETERMINED, GOOD, NOTE, Line, Thresholds
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.verdict.differences import (
    Differences,
    Kinds,
    Samples,
    Scales,
    differences,
    kinds_of,
    path_of,
    samples_of,
    scales_of,
)
from hamiltree.verdict.growth import (
    FEWEST,
    FIRST_PATH,
    LARGE,
    NONLINEAR,
    ORDER_TOLERANCE,
    ObservedOrder,
    envelope,
    first_time,
    growth_rate,
    grows_exponentially,
    observe_order,
)
from hamiltree.verdict.repetition import NotRepeatable, Repetition, matching_samples

if TYPE_CHECKING:
    import xarray as xr

COST = 0.75  # of the evaluations of the run
FEWEST_STEPS = 8  # of a run that is made again with four times the step
MOST_SCALED = 2**24  # numbers of the samples from which ranges of motion are taken
ROUNDING_LEVEL = 1e3  # roundings of the motion, in the first range of it
OVERLAP = 12  # samples by which a run that began later is matched
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
    dataset         errors by time: `coordinate` (rad, m or the unit of the variable), `position` (m)
                    and `angle` (rad) of every body, `relative` to the motion
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


class Other(NamedTuple):
    """The run made again with another step: samples at common times."""

    places: np.ndarray  # of the samples of the run
    samples: Samples
    steps: int
    evaluations: int


class Continued(NamedTuple):
    """The difference from a run with longer steps that began later."""

    places: np.ndarray
    relative: np.ndarray


class Motion(NamedTuple):
    """What errors of a run are measured by."""

    kinds: Kinds
    scales: Scales
    path: np.ndarray  # at every sample


def motion_of(run: Trajectory) -> Motion:
    """Ranges of motion, and the path at every sample."""
    kinds, t = kinds_of(run), run._values("t")
    numbers = sum(values.size for values in tuple(samples_of(run, slice(0, 1))))
    stride = max(1, -(-len(t) * numbers // MOST_SCALED))
    places = np.unique(np.append(np.arange(0, len(t), stride), len(t) - 1))
    samples = samples_of(run, places)
    scales = scales_of(samples, kinds)
    return Motion(kinds, scales, np.interp(t, t[places], path_of(samples, kinds, scales)))


# ---- the estimate --------------------------------------------------------------------------------
def estimate_error(run: Trajectory) -> AnswerError:
    """The error of a run by two further runs; an AnswerError without a number where there is no
    sound estimate.
    """
    try:
        estimate = Estimate(run)
    except NotRepeatable as reason:
        return AnswerError(None, str(reason))
    if not np.isfinite([*estimate.motion.scales.coordinate, *estimate.motion.scales[1:3]]).any():
        return estimate.without_number("nothing moves")
    try:
        return estimate.make()
    except StepError:
        return estimate.without_number("no run with another step came to an end")
    except HamiltreeError as error:
        return estimate.without_number(f"the run cannot be made again: {error}")


class Estimate:
    """The runs that an estimate needs, and what follows from them."""

    def __init__(self, run: Trajectory):
        self.run = run
        self.repetition = Repetition(run)
        self.motion = motion_of(run)
        self.order = self.repetition.integrator.order
        counted = run.statistics
        self.steps = max(1, int(counted.get("steps", 1)))
        self.evaluations = max(1, int(counted.get("evaluations", 1)))
        self.spent = 0  # evaluations

    @property
    def cost(self) -> float:
        return self.spent / self.evaluations

    @property
    def time_unit(self) -> str:
        return self.repetition.setup.equations.time_unit

    def without_number(self, reason: str) -> AnswerError:
        return AnswerError(None, reason, method_order=self.order, cost=self.cost)

    def make(self) -> AnswerError:
        """By two and four times the step; where twice the step fails, by half of it over the
        beginning.
        """
        if self.steps < FEWEST_STEPS and not self.repetition.integrator.is_adaptive:
            return self.without_number(f"a run of {self.steps} steps is too short for an estimate")
        twice = self.run_again(self.repetition.ratio)
        if twice is None or self.is_useless(twice):
            return self.from_half_step()
        return self.from_coarser_runs(twice)

    def run_again(self, factor: float, until: float | None = None, place: int = 0) -> Other | None:
        """The run with steps that are `factor` times as long, from its first sample or from
        another; None if that failed.
        """
        again, grid = self.repetition, 4 if factor > 1 else 1
        places, every = again.common_samples(grid, until, place)
        every = every if again.is_controlled else min(2**40, round(every * grid / factor))
        try:
            other = again.again(factor, until, every, place)
        except StepError as error:
            made = error.trajectory
            self.spent += 0 if made is None else int(made.statistics.get("evaluations", 0))
            return None
        counted = other.statistics
        self.spent += int(counted["evaluations"])
        if until is None:
            places = np.union1d(places, [len(again.times) - 1])
        mine, theirs = matching_samples(again.times[places], other._values("t"), again.step)
        samples = samples_of(other, theirs)
        return Other(places[mine], samples, counted["steps"], counted["evaluations"])

    def run_four(self, twice: Other, d1: np.ndarray) -> Other | None:
        """Four times the step, as far as the run with twice the step is any good and the cost
        allows: it takes about 0.65 of what that took, since stages of longer steps take more
        iterations. Looser tolerances likewise.
        """
        again = self.repetition
        expected = 1.3 * twice.evaluations / again.ratio
        part = (COST * self.evaluations - self.spent) / expected
        length, large = again.end - again.begin, first_large(d1)
        if large is not None:
            last = float(again.times[twice.places[large]]) - again.begin
            part = min(part, 0.5, last / length)
        if part >= 0.95:
            return self.run_again(again.ratio**2)
        if part < 0.01 or again.integrator.samples_at_steps:
            return None
        return self.run_again(again.ratio**2, self.on_grid(0, part * length))

    def on_grid(self, place: int, length: float) -> float:
        """The end of about such a length that lies on the grid of all runs."""
        again = self.repetition
        spacing = again.step if again.is_controlled else 4 * again.step
        begin = float(again.times[place])
        return min(begin + max(1, round(length / spacing)) * spacing, again.end)

    def run_from_there(self, twice: Other, d1: np.ndarray) -> Continued | None:
        """Twice the step once more, from a sample of the run before the first such run went
        wrong: how errors grow along the run itself from there on.
        """
        large = first_large(d1)
        again = self.repetition
        if large is None or large < 3 or again.integrator.samples_at_steps:
            return None
        found = envelope(d1)
        middle = np.sqrt(max(self.level(d1, twice), 1e-300) * NONLINEAR)
        start = int(np.searchsorted(found[:large], middle))
        start = min(max(start, 1), large - 2)
        place = int(twice.places[start])
        cost = twice.evaluations / (again.end - again.begin)  # per time
        length = (COST * self.evaluations - self.spent) / (1.1 * cost)
        if not length > 0.0:
            return None
        until = self.on_grid(place, min(length, again.end - float(again.times[place])))
        other = self.run_again(again.ratio, until, place)
        return None if other is None else Continued(other.places, self.difference(other)[1])

    def difference(self, other: Other) -> tuple[Differences, np.ndarray]:
        """Of the run from another one; and the worst in parts of the motion."""
        found = differences(samples_of(self.run, other.places), other.samples, self.motion.kinds)
        return found, self.motion.scales.relative(found)

    def is_useless(self, other: Other) -> bool:
        """Whether a coarser run was wrong before the motion had gone through its range."""
        early = self.motion.path[other.places] < FIRST_PATH / 2
        relative = self.difference(other)[1]
        return not np.isfinite(relative).all() or bool((relative[early] > 2 * LARGE).any())

    # ---- what follows ----------------------------------------------------------------------------
    def from_coarser_runs(self, twice: Other) -> AnswerError:
        """Richardson's estimate by the order of the method or by the observed one."""
        found, d1 = self.difference(twice)
        path, ratio = self.motion.path[twice.places], self.repetition.ratio
        four, observed = self.run_four(twice, d1), None
        if four is not None:
            _, mine, theirs = np.intersect1d(twice.places, four.places, return_indices=True)
            coarse = self.motion.scales.relative(
                differences(twice.samples[mine], four.samples[theirs], self.motion.kinds)
            )
            observed = observe_order(
                d1[mine], coarse, path[mine], ratio, self.motion.scales.rounding
            )
        level, rounding = self.level(d1, twice), self.motion.scales.rounding
        share, reason = self.share_of_difference(observed, ratio, level)
        share = min(1.0, share + rounding / max(level, rounding))
        relative = share * d1
        if share < 1.0:
            relative = self.beyond(twice, d1, relative)
        return self.result(twice, found, d1, relative, observed, reason)

    def level(self, d1: np.ndarray, other: Other) -> float:
        """The largest difference before exponential growth has amplified it."""
        return own_error(d1, self.motion.path[other.places])

    def beyond(self, twice: Other, d1: np.ndarray, relative: np.ndarray) -> np.ndarray:
        """Errors also where the run with twice the step is wrong altogether: they grow as those
        of another run with twice the step that began later, and then as before.
        """
        large = first_large(d1)
        if large is None or large == 0:
            return relative
        path = self.motion.path[twice.places]
        made, known = relative.copy(), large - 1
        later = self.run_from_there(twice, d1)
        if later is not None:
            known = extend(made, d1, known, twice.places, later)
        rate = growth_rate(made[: known + 1], path[: known + 1])
        grown = np.exp(np.minimum(rate * (path[known + 1 :] - path[known]), 700.0))
        made[known + 1 :] = envelope(made[: known + 1])[-1] * grown
        return np.minimum(made, d1.max())

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
        if abs(observed.value - order) <= ORDER_TOLERANCE:
            return usual, ""
        if level <= ROUNDING_LEVEL * self.motion.scales.rounding and observed.value < order:
            return 1.0, "at rounding level: not above the difference from a coarser run"
        if observed.is_clear:
            value = min(observed.value, 2.0 * order)
            words = f"by the observed order {value:.1f}, that of the method is {order}"
            return 1.0 / max(1.0, first**value - 1.0), words + self.non_smooth()
        words = f"no clear order is seen ({observed.value:.1f}, that of the method is {order})"
        if observed.value > order:  # coarser runs are worse than their order: this is no less
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
        part = min(1.0, max(0.05, 0.5 * (COST - self.cost)))
        spacing = again.step
        points = max(1, round(part * (again.end - again.begin) / spacing))
        half = self.run_again(0.5, min(again.begin + points * spacing, again.end))
        if half is None or len(half.places) < 2:
            return self.without_number("runs with twice and with half the step fail")
        found, d1 = self.difference(half)
        last = float(again.times[half.places[-1]])
        reason = (
            f"twice the step does not do, so it is that of the first {last - again.begin:.3g}"
            f"{self.time_unit}, by half the step and the order of the method"
        )
        power = 2.0**self.order
        return self.result(half, found, d1, d1 * power / (power - 1.0), None, reason)

    def result(
        self, other: Other, found: Differences, d1: np.ndarray, relative: np.ndarray,
        observed: ObservedOrder | None, reason: str,
    ) -> AnswerError:  # fmt: skip
        """Errors over time, their law of growth, and until when the answer is determined."""
        t, path = self.repetition.times[other.places], self.motion.path[other.places]
        errors = scale_down(found, d1, relative)
        bodies = self.run._names("body") if self.run.has_bodies else []
        kinds, scales = self.motion.kinds, self.motion.scales
        return AnswerError(
            float(relative.max()),
            reason,
            None if observed is None else observed.value,
            self.order,
            first_time(t, envelope(relative), LARGE),
            own_error(relative, path),
            grows_exponentially(relative, path),
            scales.worst(errors[len(t) - 1], kinds, bodies),
            make_dataset(t, errors, relative, kinds, bodies),
            self.cost,
            float(t[-1]),
            self.time_unit,
        )


def scale_down(found: Differences, d1: np.ndarray, relative: np.ndarray) -> Differences:
    """Differences from the coarser run, as much smaller as the worst of them is estimated to
    be.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(d1 > 0.0, relative / d1, 0.0)[:, None]
    return Differences(*(part * values for values in tuple(found)))


def first_large(d1: np.ndarray) -> int | None:
    """From where on a difference is no small error."""
    large = np.flatnonzero(~(d1 < NONLINEAR))
    return int(large[0]) if len(large) else None


def extend(
    made: np.ndarray, d1: np.ndarray, known: int, places: np.ndarray, later: Continued
) -> int:
    """Errors beyond `known`, in place, by the difference from a run that began later, as far as
    that is small; up to where. While both differences are known, their ratio tells by how much
    the earlier one is larger.
    """
    last = first_large(later.relative)
    last = len(later.relative) if last is None else last
    if last < FEWEST:
        return known
    at = np.interp(places, later.places[:last], later.relative[:last])
    index = np.arange(len(places))
    is_both = (places > later.places[last // 8]) & (index <= known) & (at > 0.0)
    is_beyond = (places <= later.places[last - 1]) & (index > known)
    if not (is_both.any() and is_beyond.any()):
        return known
    both = np.flatnonzero(is_both)[-OVERLAP:]
    share = made[known] / d1[known]
    made[is_beyond] = share * np.median(d1[both] / at[both]) * at[is_beyond]
    return int(np.flatnonzero(is_beyond)[-1])


def own_error(relative: np.ndarray, path: np.ndarray) -> float:
    """The largest error before exponential growth has amplified it."""
    if not grows_exponentially(relative, path):
        return float(relative.max())
    is_small = envelope(relative) < LARGE
    rate = growth_rate(relative, path)
    amplified = np.exp(np.minimum(rate * np.maximum(path - FIRST_PATH, 0.0), 700.0))
    return float((relative / amplified)[is_small].max(initial=0.0))


def make_dataset(
    t: np.ndarray, errors: Differences, relative: np.ndarray, kinds: Kinds, bodies: list[str]
) -> xr.Dataset:
    """Labelled errors."""
    import xarray as xr

    units = {"angle": "rad", "position": "m"}
    made = {
        "coordinate_error": (("t", "coordinate"), errors.coordinate),
        "relative_error": (("t",), relative, {"units": "of the motion"}),
    }
    if kinds.has_bodies:
        for name in units:
            made[f"{name}_error"] = (("t", "body"), getattr(errors, name), {"units": units[name]})
    rad = ["rad" if unit not in ("m", "") else unit for unit in kinds.units]
    coords: dict[str, Any] = {"t": t, "coordinate": list(kinds.names)}
    coords["unit"] = ("coordinate", rad)
    if kinds.has_bodies:
        coords["body"] = bodies
    return xr.Dataset(made, coords=coords)


# ---- its line ------------------------------------------------------------------------------------
def answer_line(estimate: AnswerError, thresholds: Thresholds) -> Line:
    """The line of a report."""
    if estimate.number is None:
        return Line(NAME, None, "", NOTE, f"no estimate: {estimate.reason}", details_of(estimate))
    number, verdict = estimate.number, thresholds.judge("answer", estimate.number)
    own = thresholds.judge("answer", estimate.own_error or 0.0)
    about = f"worst at the end: {estimate.worst}" if estimate.worst else ""
    if estimate.is_chaotic and verdict != GOOD:
        verdict = DETERMINED if own == GOOD else own
    if verdict == DETERMINED or estimate.horizon is not None:
        about = determined_words(estimate)
    words = [word for word in (about, estimate.reason) if word]
    scale = "of the motion"
    return Line(NAME, number, scale, verdict, "; ".join(words), details_of(estimate))


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
