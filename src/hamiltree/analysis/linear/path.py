"""Equilibria along a parameter: a predictor along the tangent, a Gauss–Newton corrector (the
shortest way back to r = 0, in coordinates and parameter), so that folds are passed.

Between two points folds are where the tangent stands still in μ; bifurcations where a stiffness
goes through zero and the tangent does not turn; flutter where two ω² meet and become complex
(forces without a potential). Each is located by the secant method within its step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from hamiltree.analysis.linear.family import FamilyPoint
from hamiltree.errors import FitError, ModelError, StepError

Array = np.ndarray
MAX_CORRECTIONS = 16
SLOW = 0.3  # of the last correction: more needs a new matrix
MAX_REFRESHES = 2
POLISHING = 3  # Newton steps with the matrix of the point itself
ROUNDED = 1e3  # tolerances: a correction that is no shorter than the last one and below is rounding
SHORTEST = 2.0**-12  # of the longest step
GROWTH = 1.5
EASY = 4  # corrections: with fewer the next step is longer
LARGEST_TURN = 0.85  # the cosine: a tangent that turns more wants a shorter step
LARGEST_DRIFT = 0.5  # of a step: a correction that is longer leads to another branch
SWITCH_STEP = 0.25  # of the longest step: the first one onto another branch
LOCATIONS = 40  # evaluations that locate a special point
LOCATED = 1e-13  # of a step
ZERO = 1e-12  # of the values at the ends of a step: what is located is zero
SAME_PLACE = 1e-4  # of a step: the stiffness that is zero at a fold
BEGIN, END = 0.0, 1.0  # of μ


@dataclass(frozen=True)
class Located:
    """A special point of a path."""

    kind: str  # fold, bifurcation, flutter
    point: FamilyPoint
    direction: Array  # (w z, μ), along which nothing pushes; of a flutter the branch itself
    multiplicity: int
    after: int  # the point of the path behind which it lies


class Path:
    """Points of one branch, from a first one on."""

    def __init__(self, first: FamilyPoint, tangent: Array, step: float, tolerance: float):
        """Begins at `first` along `tangent`; `step` is the longest, in units of x."""
        self.points = [first]
        self.tangents = [tangent]
        self.located: list[Located] = []
        self.longest, self.step, self.tolerance = step, step, tolerance
        self.stopped = ""
        self.trouble = ""  # what ended the last try

    def follow(self, count: int) -> None:
        """Up to `count` points, or to where the parameter leaves its range."""
        while len(self.points) < count:
            taken = self.advance()
            if taken is None:
                at = self.points[-1]
                value = at.family.value(at.mu)
                self.stopped = f"no step from {at.family.name} = {value:.10g} on: {self.trouble}"
                return
            self.add(*taken)
            if self.points[-1].mu in (BEGIN, END):
                self.stopped = "the end" if self.points[-1].mu == END else "the beginning again"
                return
        self.stopped = f"{count} points"

    def begin_switched(self) -> None:
        """The first step onto another branch, with the matrix of the place that it leads to."""
        point, tangent = self.points[0], self.tangents[0]
        length = SWITCH_STEP * self.longest
        while length > SHORTEST * self.longest:
            try:
                found = self.correct(point.moved(length * tangent), None)[0].with_best_choice()
            except (FitError, ModelError, StepError, np.linalg.LinAlgError) as error:
                self.trouble = str(error)
            else:
                back = float(found.from_speeds(point.to_speeds(tangent))[:-1] @ tangent[:-1])
                new = found.tangent(found.from_speeds(point.to_speeds(tangent)))
                if np.any(new) and back > 0.0:
                    self.points.append(found)
                    self.tangents.append(new)
                    return
            length *= 0.5
        raise StepError(f"no branch is found in the direction of the bifurcation: {self.trouble}")

    # ---- one step --------------------------------------------------------------------------------
    def advance(self) -> tuple[FamilyPoint, Array, float] | None:
        """The next point, its tangent and the length of the step; None if no step is short enough.
        A step that would leave the range ends at its border.
        """
        while self.step >= SHORTEST * self.longest:
            try:
                found, length, corrections = self.try_step(self.step)
                tangent = self.next_tangent(found)
            except (FitError, ModelError, StepError, np.linalg.LinAlgError) as error:
                self.trouble = str(error)
            else:
                self.step *= GROWTH if corrections < EASY else 1.0
                self.step = min(self.step, self.longest)
                return found, tangent, length
            self.step *= 0.5
        return None

    def try_step(self, length: float) -> tuple[FamilyPoint, float, int]:
        """A corrected point, how far along the tangent it was looked for, and the corrections."""
        point, tangent = self.points[-1], self.tangents[-1]
        border = END if tangent[-1] > 0.0 else BEGIN
        room = (border - point.mu) / tangent[-1] if tangent[-1] else np.inf
        if length < room - SHORTEST * self.longest:
            found, count = self.correct(point.moved(length * tangent), point)
            if BEGIN < found.mu < END:
                return found.with_best_choice(), length, count
            border = END if found.mu >= END else BEGIN
            room = length * (border - point.mu) / (found.mu - point.mu)
        ahead = point.moved(room * tangent, border)
        found, count = self.correct(ahead, point, is_held=True)
        return found.with_best_choice(), room, count

    def correct(
        self, trial: FamilyPoint, base: FamilyPoint | None, is_held: bool = False
    ) -> tuple[FamilyPoint, int]:
        """Moved to where it rests, with the derivative of `base` (Broyden's method), or a new one
        where that is slow.
        """
        matrix = (base or trial).derivative
        first, last, refreshed = trial, np.inf, 0
        for count in range(MAX_CORRECTIONS):
            x = matrix.newton_step(trial.force, is_held)
            length = float(np.linalg.norm(x))
            is_rounded = SLOW * last < length < ROUNDED * self.tolerance
            if length <= self.tolerance:
                trial = trial.moved(x, trial.mu if is_held else None)
            if length <= self.tolerance or is_rounded:
                return self.polish(trial, is_held), count
            if length > SLOW * last:
                refreshed += 1
                if refreshed > MAX_REFRESHES:
                    break
                matrix, last = trial.derivative, np.inf
                continue
            trial, last = trial.moved(x, trial.mu if is_held else None), length
            matrix = matrix.corrected(x, trial.force)
            self.check_drift(first, trial, base)
        raise StepError("corrections do not get shorter")

    def check_drift(self, first: FamilyPoint, trial: FamilyPoint, base: FamilyPoint | None) -> None:
        """Refuse a correction that is about as long as the step."""
        if base is None:
            return
        drift, step = distance(first, trial), distance(base, trial)
        if drift > LARGEST_DRIFT * step + ROUNDED * self.tolerance:
            raise StepError("corrections are as long as the step")

    def polish(self, point: FamilyPoint, is_held: bool) -> FamilyPoint:
        """Newton steps with its own matrix, until every direction is at rest."""
        for _ in range(POLISHING):
            if point.is_at_rest(self.tolerance):
                return point
            x = point.derivative.newton_step(point.force, is_held)
            point = point.moved(x, point.mu if is_held else None)
        if not point.is_at_rest(ROUNDED * self.tolerance):
            raise StepError("forces are left")
        return point

    def next_tangent(self, point: FamilyPoint) -> Array:
        """Along the branch, in the sense of the last one."""
        before = point.from_speeds(self.points[-1].to_speeds(self.tangents[-1]))
        tangent = point.tangent(before)
        if float(tangent @ before) < LARGEST_TURN * float(np.linalg.norm(before)):
            raise StepError("the branch turns sharply")
        return tangent

    # ---- special points --------------------------------------------------------------------------
    def add(self, point: FamilyPoint, tangent: Array, length: float) -> None:
        """A point behind the last one, after the special points between them."""
        for found in self.find_special(point, tangent, length):
            self.located.append(found)
        self.points.append(point)
        self.tangents.append(tangent)

    def find_special(self, point: FamilyPoint, tangent: Array, length: float) -> Iterator[Located]:
        """Folds, bifurcations and flutter in the step to `point`."""
        before, old = self.points[-1], self.tangents[-1]
        fold = None
        if old[-1] * tangent[-1] < 0.0:
            fold = self.locate(lambda found: found.tangent(old)[-1], old[-1], tangent[-1], length)
            yield self.make_located("fold", fold, 1)
        if before.fluttering != point.fluttering:
            place = self.locate(lambda found: found.gap(), before.gap(), point.gap(), length)
            yield self.make_located("flutter", place, 1)
        elif abs(before.divergent - point.divergent) > (fold is not None):  # a fold has one
            yield from self.find_bifurcations(point, length, fold)

    def find_bifurcations(
        self, point: FamilyPoint, length: float, fold: tuple[float, FamilyPoint] | None
    ) -> Iterator[Located]:
        """Where stiffnesses become zero; those at one place are one bifurcation."""
        before = self.points[-1]
        neutral = int(np.count_nonzero(~before.directions.is_stiff))
        low, high = sorted((before.divergent, point.divergent))
        places: list[tuple[float, FamilyPoint, int]] = []
        for order in range(low, high):
            ends = before.critical(order, neutral), point.critical(order, neutral)
            if not ends[0] * ends[1] < 0.0:
                continue
            s, found = self.locate(lambda x, k=order: x.critical(k, neutral), *ends, length)
            if fold is not None and abs(s - fold[0]) < SAME_PLACE * length:
                continue
            if places and abs(s - places[-1][0]) < SAME_PLACE * length:
                places[-1] = (*places[-1][:2], places[-1][2] + 1)
            else:
                places.append((s, found, 1))
        for s, found, count in sorted(places, key=lambda place: place[0]):
            yield self.make_located("bifurcation", (s, found), count)

    def make_located(
        self, kind: str, place: tuple[float, FamilyPoint], multiplicity: int
    ) -> Located:
        """With the direction in which the place is critical."""
        point, tangent = place[1], self.tangents[-1]
        along = point.tangent(tangent)
        direction = along
        if kind == "bifurcation":
            found = point.directions
            z = found.vectors[:, int(np.argmin(np.abs(found.values)))]
            z = z - along[:-1] * float(z @ along[:-1])
            direction = np.append(z / np.linalg.norm(z), 0.0)
            largest = direction[np.argmax(np.abs(direction))]
            direction = direction * np.sign(largest)
        return Located(kind, point, direction, multiplicity, len(self.points) - 1)

    def locate(
        self, f: Callable[[FamilyPoint], float], first: float, last: float, length: float
    ) -> tuple[float, FamilyPoint]:
        """Where f changes its sign along the step: false position, with the value of an end that
        stays halved (the Illinois method); the nearest that was evaluated.
        """
        point, tangent = self.points[-1], self.tangents[-1]
        ends = [[0.0, first], [length, last]]
        best: tuple[float, float, FamilyPoint] | None = None
        stayed = -1
        for _ in range(LOCATIONS):
            (a, fa), (b, fb) = ends
            s = (a * fb - b * fa) / (fb - fa)
            found, _ = self.correct(point.moved(s * tangent), point)
            value = f(found)
            if best is None or abs(value) < best[0]:
                best = abs(value), s, found
            side = 0 if value * first > 0.0 else 1
            moved = abs(ends[side][0] - s)
            ends[side] = [s, value]
            if stayed == 1 - side:
                ends[1 - side][1] *= 0.5
            stayed = 1 - side
            is_zero = abs(value) <= ZERO * max(abs(first), abs(last))
            if is_zero or min(moved, abs(ends[1][0] - ends[0][0])) < LOCATED * length:
                break
        assert best is not None
        return best[1], best[2]


def distance(a: FamilyPoint, b: FamilyPoint) -> float:
    """Between two points of one chart, in units of x; angles of balls by their quaternions."""
    tree, rows = a.chart.place.tree, b.chart.q - a.chart.q
    total = (b.mu - a.mu) ** 2
    for joint in tree.joints:
        total += sum((rows[row] * a.chart.weights[speed]) ** 2 for row, speed in joint.own)
        if joint.ball is not None:
            total += 4.0 * float(np.sum(rows[joint.ball[0] : joint.ball[0] + 4] ** 2))
    return float(np.sqrt(total))
