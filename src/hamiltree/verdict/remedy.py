"""A remedy that was tried: the step or the method that makes a run good, on a window of it.

Errors are smaller on a window than on the whole run. So what is asked for is the factor by which
the number of the whole run is too large: a remedy that divides the number of the window by as much
will do. Beginnings are often calm, and methods of higher order gain less where the motion is fast:
their energy is looked at again where that of the run changes most. Nothing is guessed: what is told
was run. All tries together take no more evaluations of
the equations than the run, those after its warning and those of its report; a run that is too short
for a try has none, and that is said.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hamiltree.errors import (
    IN_SHELL,
    HamiltreeError,
    as_read,
    spell_both,
    spell_method_option,
    spell_options,
)
from hamiltree.integrators import find_integrator
from hamiltree.integrators.adaptive_steps import SMALLEST_TOLERANCE
from hamiltree.run.choices import is_compatible
from hamiltree.trajectory.lines import BAD, DOUBTFUL, Line, Thresholds
from hamiltree.trajectory.recorded_lines import recorded_lines
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.verdict.answer import NAME as ANSWER
from hamiltree.verdict.answer import AnswerError, answer_line, estimate_error
from hamiltree.verdict.coarser_runs import motion_of
from hamiltree.verdict.differences import ROUNDING, Differences
from hamiltree.verdict.repetition import Repetition
from hamiltree.verdict.worst_moment import WorstMoment, worst_moment

# line → its thresholds
ENERGY = "energy balance"
MEASURED = {
    ENERGY: "energy",
    "constraints, position": "constraint",
    "constraints, speed": "constraint",
    "quaternion norms": "quaternion",
    ANSWER: "answer",
}
WINDOW = 1 / 8  # of the run, at most
FEWEST_STEPS = 12  # of a window
MOST_HALVINGS = 6
ANSWER_COST = 1.8  # of a run with the estimate of its error
# of high order, in the order in which they are tried, and the evaluations that a step takes at most
METHODS = {"gauss8": 48, "spark6": 64}
METHOD_HALVINGS = (0, 1, 2)  # of the step with such a method
MORE = "; run.report() tries other methods", "; the report tries other methods"  # in a shell
FINE_TOLERANCE = 1e-2  # of that of an adaptive method
SAMPLES = 100  # of a window
SHOWN = 1e3 * ROUNDING  # a number below shows nothing on a window
MARGIN = 3.0  # a window does not know the last digit of a long run


@dataclass(frozen=True)
class Remedy:
    """What was tried for a line, and whether it would do."""

    line: str
    works: bool
    words: str
    arguments: dict[str, object]  # of the run that would do: step, integrator, rtol
    before: float  # on the window
    after: float
    window: float
    lines: tuple[str, ...]  # all that it was tried for
    cost: float  # of all tries, in parts of the evaluations of the run
    thresholds: Thresholds
    tries_methods: bool
    is_interrupted: bool = False  # by Ctrl-C: it is not known whether anything would do

    def answers(self, lines: Sequence[Line], thresholds: Thresholds, tries_methods: bool) -> bool:
        """Whether all that would be tried for these lines was tried, or one was found."""
        if self.is_interrupted:
            return False
        is_same = {line.name for line in lines} <= set(self.lines) and thresholds == self.thresholds
        return is_same and (self.works or self.tries_methods >= tries_methods)


@dataclass(frozen=True)
class Candidate:
    """Another step, tolerance or method."""

    arguments: dict[str, object]
    factor: float
    price: float  # of a run over the same time, in parts of that of the run
    integrator: str | None = None
    options: dict[str, object] | None = None

    @property
    def words(self) -> str:
        """What to change, as it is given in Python or in a shell."""
        given = dict(self.arguments)
        if "rtol" in given:
            return spell_method_option("rtol", given["rtol"])
        if "step" in given:
            given["step"] = float(f"{given['step']:.3g}")
        return spell_options(given)


def interrupted_remedy(run: Trajectory) -> Remedy:
    """What is known where Ctrl-C has ended the tries."""
    cost = 0.0 if run.remedy is None else run.remedy.cost
    words, unknown = "the search for a remedy was interrupted", math.inf
    thresholds = Thresholds()
    return Remedy("", False, words, {}, unknown, unknown, 0.0, (), cost, thresholds, False, True)


def tried_remedy(
    run: Trajectory,
    lines: Sequence[Line] | None = None,
    estimate: AnswerError | None = None,
    thresholds: Thresholds | None = None,
    tries_methods: bool = True,
) -> Remedy | None:
    """The first remedy that would do, or what was tried in vain, or that no try fits the cost of
    the run; None where nothing is to be remedied, or the run cannot be made again. `lines` of its
    report and the `estimate` of its error are made where they are not given; other methods, which
    may have to be compiled, are tried only where `tries_methods`. What was found is kept with the
    run: the same is not tried again.
    """
    thresholds = Thresholds() if thresholds is None else thresholds
    if lines is None:
        estimate = estimate_error(run) if estimate is None else estimate
        lines = [*recorded_lines(run, thresholds), answer_line(estimate, thresholds)]
    poor = poor_lines(lines, thresholds)
    if not poor:
        return None
    if run.remedy is not None and run.remedy.answers(poor, thresholds, tries_methods):
        return run.remedy
    if estimate is None and any(line.name == ANSWER for line in poor):
        estimate = estimate_error(run)
    try:
        run.remedy = Tries(run, poor, estimate, thresholds, tries_methods).make()
    except HamiltreeError:
        return None
    return run.remedy


def poor_lines(lines: Sequence[Line], thresholds: Thresholds) -> list[Line]:
    """Those that a step or a method can change; that which is farthest from good comes first."""
    poor = [line for line in lines if line.name in MEASURED and line.verdict in (DOUBTFUL, BAD)]
    poor = [line for line in poor if line.number is not None and np.isfinite(line.number)]
    return sorted(poor, key=lambda line: -excess(line, thresholds))


def excess(line: Line, thresholds: Thresholds) -> float:
    """How many times too large the number of a line is, with a margin; of a chaotic answer the
    error that growth has not amplified.
    """
    own = line.details.get("own_error")
    number = line.number if own is None else own
    return MARGIN * float(number or 0.0) / getattr(thresholds, MEASURED[line.name])[0]


class Tries:
    """Runs over a window with what may help."""

    def __init__(
        self,
        run: Trajectory,
        lines: list[Line],
        estimate: AnswerError | None,
        thresholds: Thresholds,
        tries_methods: bool = True,
    ):
        """`lines`: those that are not good, the worst first."""
        self.run, self.lines, self.thresholds = run, lines, thresholds
        self.tries_methods = tries_methods
        self.names = [line.name for line in lines]
        self.line = lines[0]
        self.estimate = estimate
        self.again = again = Repetition(run)
        counted = run.statistics
        self.evaluations = max(1, int(counted.get("evaluations", 1)))
        self.steps = max(1, int(counted.get("steps", 1)))
        self.spent = 0.0 if run.remedy is None else run.remedy.cost  # in parts of the evaluations
        self.candidates = self.find_candidates()
        self.until = again.begin  # of the window
        self.hidden = 0.0  # the longest window that has not shown what is wrong
        self.worst: WorstMoment | None = None  # of the energy, where that is not good
        if ENERGY in self.names:
            self.worst = worst_moment(run, again.step)

    def choose_window(self, candidate: Candidate) -> bool:
        """Half of the cost that is left for the next try, or so much as the fewest steps take;
        whether there is so much. Where errors grow exponentially, not beyond half of the time until
        they are large.
        """
        again, left, price = self.again, 1.0 - self.spent, self.price(candidate)
        whole, spacing = again.end - again.begin, again.spacing(4)
        part = min(WINDOW, 0.5 * left / price)
        known = self.estimate
        if known is not None and known.is_chaotic and known.horizon is not None:
            part = min(part, 0.5 * (known.horizon - again.begin) / whole)
        part = max(part, FEWEST_STEPS / self.steps)
        self.until = again.begin + max(1, math.ceil(part * whole / spacing)) * spacing
        self.until = min(self.until, again.end)
        return self.window / whole * price <= left

    def price(self, candidate: Candidate) -> float:
        """What a try over the whole time would cost, in parts of the run."""
        return candidate.price * (ANSWER_COST if ANSWER in self.names else 1.0)

    @property
    def window(self) -> float:
        return self.until - self.again.begin

    @property
    def unit(self) -> str:
        return self.again.setup.equations.time_unit

    def make(self) -> Remedy:
        """Try one after the other, as far as the cost allows. If nothing does for all lines, what
        has done for those of the warning is told.
        """
        failed: list[str] = []
        before = best = math.inf
        for candidate in self.candidates:
            if not self.choose_window(candidate):
                continue
            numbers = self.measure_run()
            if min(numbers) <= SHOWN:
                self.hidden = max(self.hidden, self.window)
                continue
            try:
                after = self.measure(candidate)
            except HamiltreeError as error:
                self.count_failed(error, candidate)
                after = [math.inf] * len(numbers)
            if all(map(self.is_enough, self.lines, numbers, after)):
                if self.is_enough_at_its_worst(candidate):
                    return self.found(candidate, numbers[0], after[0])
                failed.append(f"{candidate.words} (too little about t = {self.worst_time})")
                continue
            if after[0] <= best:
                before, best = numbers[0], after[0]
            failed.append(self.describe(candidate, numbers[0], after[0]))
        known = self.run.remedy
        if known is not None and (known.works or not failed):
            return replace(known, cost=self.spent)
        if failed:
            words = spell_both(
                lambda: (
                    f"tried and not enough: {', '.join(map(as_read, failed))} ({self.line.name})"
                )
            )
            return self.remedy(False, words, {}, before, best)
        return self.not_tried()

    def count_failed(self, error: HamiltreeError, candidate: Candidate) -> None:
        """What a try has cost that ended early: as far as it came, or as a whole."""
        kept = getattr(error, "trajectory", None)
        if kept is not None:
            self.spent += int(kept.statistics["evaluations"]) / self.evaluations
        else:
            again = self.again
            self.spent += self.price(candidate) * self.window / (again.end - again.begin)

    def is_enough(self, line: Line, before: float, after: float) -> bool:
        """Whether the number of a window is divided by as much as that of the run is too large."""
        return after < before / max(1.0, excess(line, self.thresholds))

    def is_enough_at_its_worst(self, candidate: Candidate) -> bool:
        """Of another method, the same where the energy of the run changes most, as far as the cost
        allows.
        """
        worst, again = self.worst, self.again
        if worst is None or candidate.integrator is None:
            return True
        part = (worst.end - worst.begin) / (again.end - again.begin)
        if self.spent + part * candidate.price > 1.0:
            return True
        try:
            made = self.repeat(candidate, worst.end, 1, worst.place)
        except HamiltreeError:
            self.spent += part * candidate.price
            return False
        line = self.lines[self.names.index(ENERGY)]
        return self.is_enough(line, worst.change, float(np.abs(made._balance()).max()))

    @property
    def worst_time(self) -> str:
        assert self.worst is not None
        return f"{0.5 * (self.worst.begin + self.worst.end):.3g}{self.unit}"

    # ---- numbers ---------------------------------------------------------------------------------
    def measure_run(self) -> list[float]:
        """The numbers of the run over the window, from what is known of it."""
        error = math.inf
        if self.estimate is not None and self.estimate.dataset is not None:
            known = self.estimate.dataset
            inside = known.relative_error.values[known.t.values <= self.until + 1e-9 * self.window]
            error = float(inside.max(initial=0.0))
        return self.numbers_of(self.run._up_to(self.until, self.again.problem), error)

    def numbers_of(self, made: Trajectory, error: float) -> list[float]:
        """Those of the same lines; the error of the answer is given."""
        lines = recorded_lines(made, self.thresholds)
        known = {line.name: line.number for line in lines} | {ANSWER: error}
        found = [known.get(name) for name in self.names]
        return [math.inf if number is None else number for number in found]

    def measure(self, candidate: Candidate) -> list[float]:
        """The numbers of the lines over the window with what may help."""
        every = max(1, round(self.window / (candidate.factor * self.again.step) / SAMPLES))
        made = self.repeat(candidate, self.until, every)
        error = math.inf
        if ANSWER in self.names:
            found = estimate_error(made, is_brief=True)
            self.spent += found.cost * int(made.statistics["evaluations"]) / self.evaluations
            if found.dataset is not None:
                error = self.in_parts_of_the_motion(found)
        return self.numbers_of(made, error)

    def repeat(self, candidate: Candidate, until: float, every: int, place: int = 0) -> Trajectory:
        """A piece of the run with what may help; what it has cost is counted."""
        again = Repetition(self.run, None, candidate.integrator, candidate.options)
        made = again.again(candidate.factor, until, every, place)
        self.spent += int(made.statistics["evaluations"]) / self.evaluations
        return made

    def in_parts_of_the_motion(self, found: AnswerError) -> float:
        """An error of the window, in parts of the motion of the whole run."""
        assert found.dataset is not None
        errors = [found.dataset.coordinate_error.values]
        blank = np.zeros((len(errors[0]), 0))
        for name in ("position_error", "angle_error"):
            errors.append(found.dataset[name].values if name in found.dataset else blank)
        return float(motion_of(self.run).scales.relative(Differences(*errors)).max())

    # ---- what may help ---------------------------------------------------------------------------
    def find_candidates(self) -> list[Candidate]:
        """A step that should do by the order of the method, the next shorter one, and methods of
        higher order with the same step and with shorter ones; what is cheaper first.
        """
        if self.again.is_controlled:
            wanted = max(excess(self.line, self.thresholds), 1 / FINE_TOLERANCE)
            return [self.tolerance(1 / wanted), self.tolerance(FINE_TOLERANCE / wanted)]
        order = max(1, self.again.integrator.order)
        needed = math.log2(max(2.0, excess(self.line, self.thresholds))) / order
        first = max(1, math.ceil(needed))  # halvings
        steps = [self.shorter(k) for k in (first, first + 1) if k <= MOST_HALVINGS]
        return sorted([*steps, *self.methods()], key=lambda one: one.price)

    def shorter(self, halvings: int) -> Candidate:
        factor = 0.5**halvings
        step = self.again.step * factor
        return Candidate({"step": step}, factor, 1 / factor)

    def tolerance(self, part: float) -> Candidate:
        """A smaller rtol."""
        rtol = max(part * self.again.integrator.method.control.rtol, SMALLEST_TOLERANCE)
        rtol = float(f"{rtol:.0e}")
        options = json.loads(self.run._settings["options"])
        for name in ("tolerance", "atol"):
            options.pop(name, None)
        price = part ** (-1.0 / self.again.tolerance_power)
        options["rtol"] = rtol
        return Candidate({"rtol": rtol}, 1.0, price, None, options)

    def methods(self) -> list[Candidate]:
        """Methods of higher order that fit the formulation."""
        formulation, found = self.again.setup.equations.formulation, []
        for name, evaluations in METHODS.items() if self.tries_methods else ():
            method = find_integrator(name)
            if is_compatible(formulation, method) and method.order > self.again.integrator.order:
                price = evaluations * self.steps / self.evaluations
                found += [self.method(name, price, halvings) for halvings in METHOD_HALVINGS]
        return found

    def method(self, name: str, price: float, halvings: int) -> Candidate:
        """Another method, with a step that is halved so many times."""
        arguments: dict[str, object] = {"integrator": name}
        factor = 0.5**halvings
        if halvings:
            arguments["step"] = self.again.step * factor
        return Candidate(arguments, factor, price / factor, name)

    # ---- words -----------------------------------------------------------------------------------
    def found(self, candidate: Candidate, before: float, after: float) -> Remedy:
        """A remedy that would do."""
        words = spell_both(
            lambda: (
                f"{candidate.words} brings {before:.1g} to {after:.1g} over the first "
                f"{self.window:.3g}{self.unit} ({self.line.name})"
            )
        )
        return self.remedy(True, words, candidate.arguments, before, after)

    def describe(self, candidate: Candidate, before: float, after: float) -> str:
        """What was tried in vain."""
        how = f"{before:.1g} to {after:.1g} over the first {self.window:.3g}{self.unit}"
        if math.isinf(after):
            how = "fails"
        if math.isnan(after):
            how = f"goes wrong altogether in {self.window:.3g}{self.unit}"
        return spell_both(lambda: f"{candidate.words} ({how})")

    def not_tried(self) -> Remedy:
        """Where every try would cost more than the run, no step would do, or a window does not show
        what is wrong.
        """
        why = f"a run of {self.steps} steps is too short for a try that costs no more than the run"
        if not self.candidates:
            why = f"the method would need steps shorter than 1/{2**MOST_HALVINGS} of these"
        elif self.hidden:
            why = f"what is wrong does not show in the first {self.hidden:.3g}{self.unit}"
        has_more = not self.candidates and not self.tries_methods
        words = spell_both(
            lambda: (
                f"no remedy was tried: {why}{MORE[IN_SHELL.get()] if has_more else ''} "
                f"({self.line.name})"
            )
        )
        return self.remedy(False, words, {}, math.inf, math.inf)

    def remedy(
        self, works: bool, words: str, arguments: dict[str, object], before: float, after: float
    ) -> Remedy:
        """With what all tries have cost."""
        return Remedy(
            self.line.name,
            works,
            words,
            arguments,
            before,
            after,
            self.window,
            tuple(self.names),
            self.spent,
            self.thresholds,
            self.tries_methods,
        )
