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

LARGE = 0.1  # of the motion: a difference above is no small error any more
ORDER_TOLERANCE = 0.5  # an observed order this near to the method's is the method's
LEAST_ORDER = 0.5  # an observed order below is none
FIRST_PATH = 1.0  # where the motion has gone through its range once, errors have begun
FEWEST = 6  # samples for a law of growth
CLEAR_GROWTH = 30.0  # times that of errors of regular motion, which grow as t or t²


class ObservedOrder(NamedTuple):
    """The order that differences show, and its spread over time."""

    value: float
    spread: float

    @property
    def is_clear(self) -> bool:
        return self.value > LEAST_ORDER and self.spread <= ORDER_TOLERANCE


def envelope(values: np.ndarray) -> np.ndarray:
    """The largest so far: errors that oscillate have zeros that mean nothing."""
    return np.maximum.accumulate(values) if len(values) else values


def observe_order(
    d1: np.ndarray, d2: np.ndarray, path: np.ndarray, ratio: float
) -> ObservedOrder | None:
    """The median over time of the order that differences show, from where errors have begun to
    where the larger one is no longer small; None if there is no such time.
    """
    fine, coarse = envelope(d1), envelope(d2)
    is_used = (coarse < LARGE) & (fine > 0.0) & (path > 0.0)
    begun = is_used & (path >= FIRST_PATH)
    is_used = begun if begun.sum() >= FEWEST else is_used
    if not is_used.any():
        return None
    orders = np.log(np.maximum(coarse[is_used], 1e-300) / fine[is_used]) / math.log(ratio)
    low, middle, high = np.percentile(orders, (25, 50, 75))
    return ObservedOrder(float(middle), float(high - low) / 2)


class Growth(NamedTuple):
    """How errors grow: as exp(rate · path) if is_exponential, else as path^power."""

    is_exponential: bool
    rate: float
    power: float

    def factor(self, path: np.ndarray, origin: float) -> np.ndarray:
        """How many times as large as at the path `origin`."""
        if self.is_exponential:
            return np.exp(np.minimum(self.rate * (path - origin), 700.0))
        return (np.maximum(path, 1e-300) / max(origin, 1e-300)) ** self.power


REGULAR = Growth(False, 0.0, 1.0)


def fit_growth(d1: np.ndarray, path: np.ndarray) -> Growth:
    """The law of growth before a difference is large. It is exponential if that fits better than
    a power, and if the growth is far above that of regular motion.
    """
    found = envelope(d1)
    is_used = (path >= FIRST_PATH) & (found < LARGE) & (found > 0.0)
    if is_used.sum() < FEWEST:
        return REGULAR
    x, y = path[is_used], np.log(found[is_used])
    weights = np.sqrt(np.gradient(x) + 1e-9)  # samples lie closer where motion is slow
    rate, a = np.polyfit(x, y, 1, w=weights)
    power, b = np.polyfit(np.log(x), y, 1, w=weights)
    misfit = np.linalg.norm(weights * (rate * x + a - y))
    other = np.linalg.norm(weights * (power * np.log(x) + b - y))
    excess = (y[-1] - y[0]) - 2.0 * math.log(x[-1] / x[0])
    is_exponential = bool(misfit < other and excess > math.log(CLEAR_GROWTH) and rate > 0.0)
    return Growth(is_exponential, float(rate), float(np.clip(power, 0.0, 2.0)))


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
