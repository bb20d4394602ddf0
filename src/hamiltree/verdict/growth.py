"""The order that three runs show, and the law by which their differences grow.

Steps H, rH, r²H and errors C(t) Hᵖ give the differences d₁ = C Hᵖ (rᵖ − 1) and d₂ = rᵖ d₁: from
their ratio p follows, and the error of the finest run is d₁ / (rᵖ − 1).
All differences are in parts of the motion; `path` is how far the run has moved, in ranges of its
motion: a clock that stands still where nothing moves.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

LARGE = 0.1  # of the motion: with an error above, the answer is not determined
NONLINEAR = 0.5  # of the motion: a difference above no longer grows as a small one
ORDER_TOLERANCE = 0.5  # an observed order this near to the method's is the method's
WIDE_TOLERANCE = 1.5  # the same of what the largest difference shows
LEAST_ORDER = 0.5  # an observed order below is none
FIRST_PATH = 1.0  # where the motion has gone through its range once, errors have begun
FEW_PATHS = 8.0  # where errors of all kinds have begun, and are hardly amplified
FEWEST = 6  # samples for an order or a law of growth
ABOVE_ROUNDING = 100.0  # roundings: a difference that is larger shows its order
EXPONENTIAL_POWER = 3.0  # of the path, above those of regular motion
CLEAR_GROWTH = 1e3  # in all: less may be chance


class ObservedOrder(NamedTuple):
    """The order that differences show: its median over time, its spread, and that of the largest
    difference.
    """

    value: float
    spread: float
    of_largest: float

    @property
    def is_clear(self) -> bool:
        is_steady = abs(self.of_largest - self.value) <= WIDE_TOLERANCE
        return self.value > LEAST_ORDER and self.spread <= ORDER_TOLERANCE and is_steady

    def shows(self, order: float) -> bool:
        """Whether it is the order of the method, most of the time and where errors are largest."""
        is_near = abs(self.value - order) <= ORDER_TOLERANCE
        is_steady = self.spread <= 2 * ORDER_TOLERANCE
        return is_near and is_steady and self.of_largest >= order - WIDE_TOLERANCE


def envelope(values: np.ndarray) -> np.ndarray:
    """The largest so far: errors that oscillate have zeros that mean nothing."""
    return np.maximum.accumulate(values) if len(values) else values


def observe_order(
    d1: np.ndarray, d2: np.ndarray, path: np.ndarray, ratio: float, rounding: float
) -> ObservedOrder | None:
    """The median over time of the order that differences show, from where errors have begun and
    are above rounding to where the larger one is no longer small; None if there is no such time.
    """
    fine, coarse = envelope(d1), envelope(d2)
    is_used = (coarse < NONLINEAR) & (fine > 0.0) & (path > 0.0)
    for is_better in (path >= FIRST_PATH, fine > ABOVE_ROUNDING * rounding):
        both = is_used & is_better
        is_used = both if both.sum() >= FEWEST else is_used
    if not is_used.any():
        return None
    orders = np.log(np.maximum(coarse[is_used], 1e-300) / fine[is_used]) / math.log(ratio)
    low, middle, high = np.percentile(orders, (25, 50, 75))
    spread = float(max(high - middle, middle - low))
    return ObservedOrder(float(middle), spread, float(orders[-1]))


def grows_exponentially(values: np.ndarray, path: np.ndarray) -> bool:
    """Whether errors, before they are large, grow more than those of regular motion, which grow as
    t or t²: over the second half of the path, or since all kinds of errors have begun. Those of
    chaotic motion may stand still for long.
    """
    return grows_to_the_end(values, path) or has_grown(values, path)


def grows_to_the_end(values: np.ndarray, path: np.ndarray) -> bool:
    """Whether they grow so over the second half of the path."""
    found = envelope(values)
    is_small = (found < LARGE) & (found > 0.0)
    if is_small.sum() < FEWEST:
        return False
    last = int(np.flatnonzero(is_small)[-1])
    middle = int(np.searchsorted(path, 0.5 * path[last]))
    if last - middle < 2 or path[last] < 2 * FIRST_PATH or not found[middle] > 0.0:
        return False
    first = found[min(int(np.searchsorted(path, FIRST_PATH)), middle)]
    is_steep = found[last] / found[middle] > 2.0**EXPONENTIAL_POWER
    return bool(is_steep and found[last] > CLEAR_GROWTH * first)


def has_grown(values: np.ndarray, path: np.ndarray) -> bool:
    """Whether they have grown so since all kinds of errors have begun."""
    found = envelope(values)
    is_small = (found < LARGE) & (found > 0.0)
    begun = int(np.searchsorted(path, FEW_PATHS))
    if is_small.sum() < FEWEST or not begun < len(path):
        return False
    last = int(np.flatnonzero(is_small)[-1])
    regular = (path[last] / path[begun]) ** EXPONENTIAL_POWER
    return bool(found[last] > max(CLEAR_GROWTH, regular) * found[begun] > 0.0)


def growth_rate(values: np.ndarray, path: np.ndarray, begin: float | None = None) -> float:
    """d log(error) / d path on the path on which errors are small: over its second half, or since
    it was `begin`.
    """
    found = envelope(values)
    is_small = (found < LARGE) & (found > 0.0)
    if not is_small.any():
        return 0.0
    last = int(np.flatnonzero(is_small)[-1])
    first = int(np.searchsorted(path, 0.5 * path[last] if begin is None else begin))
    if last <= first or not found[first] > 0.0:
        return 0.0
    return float(math.log(found[last] / found[first]) / (path[last] - path[first]))


def first_time(t: np.ndarray, values: np.ndarray, limit: float) -> float | None:
    """When values first reach a limit, between samples by the logarithm; None if they do not."""
    above = np.flatnonzero(~(values < limit))
    if not len(above):
        return None
    k = int(above[0])
    if k == 0 or not (values[k - 1] > 0.0 and np.isfinite(values[k])):
        return float(t[k])
    part = math.log(limit / values[k - 1]) / math.log(values[k] / values[k - 1])
    return float(t[k - 1] + part * (t[k] - t[k - 1]))


def first_large(d1: np.ndarray) -> int | None:
    """From where on a difference is no small error."""
    large = np.flatnonzero(~(d1 < NONLINEAR))
    return int(large[0]) if len(large) else None


def first_error(values: np.ndarray, path: np.ndarray) -> float:
    """The largest error until the motion has gone through its range a few times."""
    begun = int(np.searchsorted(path, FEW_PATHS)) + 1
    return float(values[:begun].max(initial=0.0))


def own_error(relative: np.ndarray, path: np.ndarray) -> float:
    """The largest error before exponential growth has amplified it."""
    if not grows_exponentially(relative, path):
        return float(relative.max())
    is_small = envelope(relative) < LARGE
    begin = None if grows_to_the_end(relative, path) else FEW_PATHS
    rate = growth_rate(relative, path, begin)
    amplified = np.exp(np.minimum(rate * np.maximum(path - FIRST_PATH, 0.0), 700.0))
    return float((relative / amplified)[is_small].max(initial=0.0))
