"""Jumps in the speed of drives and prescribed motions: each takes an impulse, whose work no method
counts, so they are looked for in the time of a run and refused by name.

A function g with derivative g' is compared inside an interval with the cubic through its ends. Of a
smooth g the difference falls with the fourth power of the length; of one that jumps by J it stays
a good part of J, however short the interval. Intervals that differ are cut again and again. In the
last ones
  D(w) = g(t + w) − g(t − w) − w (g'(t + w) + g'(t − w))
is J where g jumps, whatever w; of |t|^1.1 it shrinks with w, at a pole it grows. What is left may
still be steep only: a jump has its size between two neighbouring numbers too.
All thresholds are parts of the function's own size and of the length of a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from hamiltree.errors import ModelError, OptionError
from hamiltree.model.constraints import Drive, Motion
from hamiltree.model.joints import Joint, axis_labels
from hamiltree.model.model import Model
from hamiltree.rotations import rotation_exponential
from hamiltree.symbolic.expression import TIME, names_in
from hamiltree.symbolic.grammar import to_expression
from hamiltree.symbolic.jets import Jet, as_jet, evaluate

SMOOTH_OPERATIONS = {"+", "*", "sin", "cos", "exp", "sinh", "cosh", "tanh", "atan", "asinh", "erf"}
SMALL_JUMP = 1e-6  # of the largest value: a jump of less is rounding of somebody's digits
SUSPICIOUS = 1e-7  # of the largest value: a difference of less is no jump
LEAST_SPEED = 1e-9  # of the largest position over the time of the run: below, speeds are rounding
CUT = 0.4  # where an interval is cut; not in the middle, where sign(0) is the mean of both sides
NEAR, FAR = 2.0**-14, 2.0**-8  # w of D, in parts of the first intervals; NEAR is the last one
NEIGHBOURS = 8.0  # so many roundings of t are the least difference of two times
SHORTEST = 1e-20  # difference of two times, in parts of the first intervals
SAME_JUMP = 0.1  # by how much D may change from NEAR to FAR
INTERVALS_PER_STEP = 1.6180339887498949  # irrational: a wave in step with the run is seen
MAX_FORMULA_INTERVALS = 2**20
MAX_FUNCTION_INTERVALS = 2**12  # of a Python function, which is called point by point
MIN_INTERVALS = 64
CHUNK_INTERVALS = 2**16
MAX_SUSPICIOUS = 2**14  # intervals that are halved at once
MAX_CUTS = 200

Samples = tuple[np.ndarray, np.ndarray, np.ndarray]  # f, f', f''


class TimeFunction(NamedTuple):
    """A function of time that moves something, and may jump."""

    who: str  # what a message calls it
    part: tuple[str, Any]
    what: str  # "" for a drive, else the component of a motion
    sample: Callable[[np.ndarray], Samples]
    has_position: bool  # False: f is not known, only f' and f''
    most_intervals: int
    # of an angle: a jump by whole turns is none
    is_same: Callable[[float, float], bool]


class Jump(NamedTuple):
    t: float
    before: float
    after: float


# ---- which functions may jump --------------------------------------------------------------------
def find_functions_that_may_jump(model: Model) -> tuple[TimeFunction, ...]:
    """All functions of time of the drives and motions of a model but those that are smooth by their
    formula. What is no formula is left out: its formulation will say so.
    """
    found: list[TimeFunction] = []
    for position, constraint in enumerate(model.constraints):
        part = ("constraint", constraint.name or position + 1)
        who = constraint.describe(position)
        try:
            if isinstance(constraint, Drive):
                found += functions_of_drive(constraint, who, part, model)
            elif isinstance(constraint, Motion):
                found += functions_of_motion(constraint, who, part)
        except OptionError:
            continue
    return tuple(found)


def functions_of_drive(drive: Drive, who: str, part: tuple, model: Model) -> list[TimeFunction]:
    """The position or the speed of a drive, unless it is smooth."""
    turns = is_angle(drive.joint, model.joints)
    if callable(drive.position):
        sample = sample_function(drive.position, who, part)
        most = MAX_FUNCTION_INTERVALS
    else:
        is_rate = drive.speed is not None
        given = drive.speed if is_rate else drive.position
        tree = to_expression(given, (TIME, *drive.parameters), who).tree
        if is_smooth(tree):
            return []
        sample = sample_formula(tree, drive.parameters, is_rate)
        most = MAX_FORMULA_INTERVALS

    def is_same(before: float, after: float) -> bool:
        times = np.array([before, after])
        change = np.diff(sample(times)[0])[0] / (2.0 * np.pi)
        return bool(turns and abs(change - np.round(change)) <= SMALL_JUMP)

    return [TimeFunction(who, part, "", sample, drive.speed is None, most, is_same)]


def functions_of_motion(motion: Motion, who: str, part: tuple) -> list[TimeFunction]:
    """The components of r(t) and θ(t) that are not smooth."""
    found = []
    for field, axes in (("position", "xyz"), ("rotation", "xyz")):
        formulas = getattr(motion, field)
        if formulas is None:
            continue
        trees = [to_expression(one, (TIME, *motion.parameters), who).tree for one in formulas]
        samples = [sample_formula(tree, motion.parameters, False) for tree in trees]
        is_same = same_rotation(samples) if field == "rotation" else never_same
        found += [
            TimeFunction(
                who, part, f" ({field} {axis})", sample, True, MAX_FORMULA_INTERVALS, is_same
            )
            for axis, tree, sample in zip(axes, trees, samples, strict=True)
            if not is_smooth(tree)
        ]
    return found


def never_same(before: float, after: float) -> bool:
    return False


def same_rotation(samples: Sequence[Callable[[np.ndarray], Samples]]):
    """Whether exp(θ×) is the same at two times, though θ jumps by a whole turn."""

    def is_same(before: float, after: float) -> bool:
        times = np.array([before, after])
        first, second = rotation_exponential(np.array([sample(times)[0] for sample in samples]).T)
        return bool(np.abs(first - second).max() <= SMALL_JUMP)

    return is_same


def is_angle(label: str, joints: Sequence[Joint]) -> bool:
    """Whether a coordinate turns about an axis."""
    for joint in joints:
        labels = [coordinate for coordinate, _ in axis_labels(joint)]
        if label in labels:
            return joint.speed_dimensions()[labels.index(label)] == "angle"
    return False


def is_smooth(tree: tuple) -> bool:
    """Whether a formula of t has all derivatives wherever it has a value."""
    operation, *parts = tree
    if operation in ("number", "name") or TIME not in names_in(tree):
        return True
    if operation == "/":
        return TIME not in names_in(parts[1]) and is_smooth(parts[0])
    if operation == "**":
        exponent = parts[1][1] if parts[1][0] == "number" else None
        is_whole = isinstance(exponent, Fraction) and exponent.denominator == 1 and exponent >= 0
        return is_whole and is_smooth(parts[0])
    return operation in SMOOTH_OPERATIONS and all(map(is_smooth, parts))


# ---- values --------------------------------------------------------------------------------------
def sample_formula(tree: tuple, parameters, is_rate: bool) -> Callable[[np.ndarray], Samples]:
    """f, f' and f'' of a formula at many times; of a rate, it is f' and f is not known."""
    constants = {name: np.float64(value) for name, value in parameters.items()}

    def sample(times: np.ndarray) -> Samples:
        with np.errstate(all="ignore"):
            jet = as_jet(evaluate(tree, {TIME: Jet(times, 1.0, 0.0), **constants}))
            f, slope, bend = (
                np.broadcast_to(np.asarray(x, dtype=float), times.shape)
                for x in (jet.value, jet.slope, jet.bend)
            )
        return (np.zeros_like(times), f, slope) if is_rate else (f, slope, bend)

    return sample


def sample_function(
    function: Callable[..., Any], who: str, part: tuple
) -> Callable[[np.ndarray], Samples]:
    """The same of a user's f(t, out); NaN where its arithmetic has no value, as when it is
    compiled. What else it raises is an error of this drive.
    """

    def sample(times: np.ndarray) -> Samples:
        """Point by point, in Python."""
        out = np.full((len(times), 3), np.nan)
        for row, t in zip(out, times.tolist(), strict=True):
            try:
                function(t, row)
            except (ArithmeticError, ValueError):  # 1/0, log(0)
                row[:] = np.nan
            except Exception as error:
                raise ModelError(
                    f"{who}: its function raises {type(error).__name__} at t = {t:g}: {error}; "
                    "correct it: f(t, out) writes position, speed and acceleration to out[0], "
                    "out[1], out[2]",
                    part,
                ) from error
        return out[:, 0], out[:, 1], out[:, 2]

    return sample


# ---- the search ----------------------------------------------------------------------------------
class FoundJump(NamedTuple):
    function: TimeFunction
    which: str  # "position" or "speed"
    jump: Jump

    def error(self, unit: str) -> ModelError:
        """What jumps, from where to where, when, and what to do."""
        function, jump = self.function, self.jump
        return ModelError(
            f"{function.who}: its {self.which}{function.what} jumps from {jump.before:.6g} to "
            f"{jump.after:.6g} at t = {jump.t:.9g}{unit}, which takes an impulse that no method "
            "counts; join the two sides smoothly, e.g. by tanh or a polynomial over a short time, "
            "or end the run before it",
            function.part,
        )


def find_jump(
    functions: Sequence[TimeFunction], begin: float, end: float, step: float
) -> FoundJump | None:
    """The earliest jump of all functions between two times."""
    found = [
        FoundJump(function, *jump)
        for function in functions
        if (jump := first_jump(function, begin, end, step)) is not None
    ]
    return min(found, key=lambda one: one.jump.t, default=None)


def refuse_jumps(
    functions: Sequence[TimeFunction], begin: float, end: float, step: float, unit: str = " s"
) -> None:
    """Refuse the first jump between two times, by the name of what jumps."""
    found = find_jump(functions, begin, end, step)
    if found is not None:
        raise found.error(unit)


def first_jump(
    function: TimeFunction, begin: float, end: float, step: float
) -> tuple[str, Jump] | None:
    """The first jump of the position or of the speed between two times, and which of them it is."""
    wanted = INTERVALS_PER_STEP * (end - begin) / step
    count = int(min(max(np.ceil(wanted), MIN_INTERVALS), function.most_intervals))
    sizes = sizes_over(function, begin, end)
    for first in range(0, count, CHUNK_INTERVALS):
        last = min(first + CHUNK_INTERVALS, count)
        times = begin + (end - begin) * (np.arange(first, last + 1) / count)
        times[-1] = end if last == count else times[-1]
        for which, order in (("position", 0), ("speed", 1)):
            if order == 0 and not function.has_position:
                continue
            found = search(function, order, times, sizes[order], (begin, end))
            if found is not None:
                return which, found
    return None


def sizes_over(function: TimeFunction, begin: float, end: float) -> tuple[float, float]:
    """How far the position ranges between two times, and the largest speed."""
    f, slope, _ = function.sample(np.linspace(begin, end, 4 * MIN_INTERVALS + 1))
    f, slope = f[np.isfinite(f)], np.abs(slope[np.isfinite(slope)])
    largest = np.abs(f).max(initial=0.0)
    extent = float(np.ptp(f)) if len(f) else 0.0
    floor = LEAST_SPEED * float(largest) / (end - begin)
    return max(extent, LEAST_SPEED * float(largest)), max(float(slope.max(initial=0.0)), floor)


def search(
    function: TimeFunction, order: int, times: np.ndarray, size: float, limits: tuple[float, float]
) -> Jump | None:
    """The first jump of f (order 0) or f' (1) in the intervals between times that ascend."""
    values = function.sample(times)
    g, slope = values[order], values[order + 1]
    size = max(size, float(np.abs(g[np.isfinite(g)]).max(initial=0.0)) if order else size)
    a, b = times[:-1], times[1:]
    spacing = float(b[0] - a[0])
    ends = g[:-1], slope[:-1], g[1:], slope[1:]
    found: Jump | None = None
    for _ in range(MAX_CUTS):
        is_last = b - a <= np.maximum(NEIGHBOURS * np.spacing(np.abs(b)), NEAR * spacing)
        centres = 0.5 * (a[is_last] + b[is_last])
        found = earliest(found, first_jump_near(function, order, centres, spacing, size, limits))
        cut = a + CUT * (b - a)
        values = function.sample(cut)
        g, slope = values[order], values[order + 1]
        keep = ~is_last & is_suspicious(a, b, ends, cut, g, size)
        keep &= a < (np.inf if found is None else found.t)
        if not keep.any():
            break
        keep = np.flatnonzero(keep)[:MAX_SUSPICIOUS]
        left_parts = (x[keep] for x in (a, cut, *ends[:2], g, slope))
        right_parts = (x[keep] for x in (cut, b, g, slope, *ends[2:]))
        a, b, *parts = map(interleave, left_parts, right_parts)
        ends = tuple(parts)
    return found


def interleave(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """left₀, right₀, left₁, right₁ …: parts of intervals in the order of time."""
    return np.column_stack([left, right]).ravel()


def is_suspicious(
    a: np.ndarray,
    b: np.ndarray,
    ends: tuple[np.ndarray, ...],
    t: np.ndarray,
    g: np.ndarray,
    size: float,
) -> np.ndarray:
    """Whether g at t is not what the cubic through the ends of the intervals says, and g has a
    value somewhere.
    """
    first, slope, last, slope_at_end = ends
    with np.errstate(all="ignore"):
        length = b - a
        x = (t - a) / length
        expected = first + x * x * (3.0 - 2.0 * x) * (last - first)
        expected += length * x * (1.0 - x) * ((1.0 - x) * slope - x * slope_at_end)
        rounding = 16.0 * np.finfo(float).eps * (np.abs(first) + np.abs(last))
        differs = ~(np.abs(g - expected) <= SUSPICIOUS * size + rounding)
    return differs & (np.isfinite(first) | np.isfinite(g) | np.isfinite(last))


def earliest(one: Jump | None, other: Jump | None) -> Jump | None:
    """The earlier of two jumps, if there are any."""
    known = [jump for jump in (one, other) if jump is not None]
    return min(known, default=None)


def first_jump_near(
    function: TimeFunction,
    order: int,
    t: np.ndarray,
    spacing: float,
    size: float,
    limits: tuple[float, float],
) -> Jump | None:
    """The first jump near one of the times t: where D is the same near by and farther off, and g is
    not steep only.
    """
    near = np.maximum(NEAR * spacing, 2.0 * NEIGHBOURS * np.spacing(np.abs(t)))
    jumps, around, g = differences(function, order, t, near, limits)
    farther, *_ = differences(function, order, t, near * FAR / NEAR, limits)
    with np.errstate(all="ignore"):
        is_jump = np.abs(jumps) > SMALL_JUMP * size
        is_jump &= np.abs(jumps - farther) <= SAME_JUMP * np.abs(jumps)
    chosen = np.flatnonzero(is_jump)
    left, right, change = narrow(function, order, *around[:, chosen], SHORTEST * spacing)
    for k in np.flatnonzero(change >= 0.5 * np.abs(jumps[chosen])):
        place = chosen[k]
        if order == 1 or not function.is_same(float(left[k]), float(right[k])):
            t_jump = left[k] if left[k] == limits[0] else right[k]
            return Jump(float(t_jump), *g[:, place].tolist())
    return None


def differences(
    function: TimeFunction, order: int, t: np.ndarray, w: np.ndarray, limits: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """D(w) at the times t; the two times of each, and g there."""
    times = np.clip(np.array([t - w, t + w]), *limits)
    values = function.sample(times.ravel())
    g, slope = (values[k].reshape(times.shape) for k in (order, order + 1))
    with np.errstate(all="ignore"):
        return g[1] - g[0] - 0.5 * (times[1] - times[0]) * slope.sum(axis=0), times, g


def narrow(
    function: TimeFunction, order: int, left: np.ndarray, right: np.ndarray, shortest: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """In each interval two times, as near as numbers get, between which g changes most, and by how
    much; by infinity where it has no value.
    """
    first, last = (function.sample(t)[order] for t in (left, right))
    for _ in range(MAX_CUTS):
        rounding = NEIGHBOURS * np.spacing(np.maximum(np.abs(left), np.abs(right)))
        is_wide = right - left > np.maximum(rounding, shortest)
        if not is_wide.any():
            break
        cut = left + CUT * (right - left)
        inner = function.sample(cut)[order]
        with np.errstate(all="ignore"):
            is_before = np.abs(inner - first) > np.abs(last - inner)
        right, last = (
            np.where(is_wide & is_before, x, y) for x, y in ((cut, right), (inner, last))
        )
        is_after = is_wide & ~is_before
        left, first = (np.where(is_after, x, y) for x, y in ((cut, left), (inner, first)))
    with np.errstate(all="ignore"):
        change = np.abs(last - first)
    return left, right, np.where(np.isfinite(change), change, np.inf)
