"""How the bodies of a run move, with few frames: those between which cubic interpolation stays
within a stated distance of every recorded sample.

Between two frames h apart, x(s) = (1 + 2s)(1 − s)² x₀ + s (1 − s)² h ẋ₀ + s² (3 − 2s) x₁
− s² (1 − s) h ẋ₁ (Hermite), of positions and of unit quaternions, which are then normalised. Where
samples are so far apart that their rates say nothing about the way between them, s (x₁ − x₀) + x₀.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hamiltree.rotations import quaternion_product

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

ERROR_BOUND = 1e-3  # of the size of the model: half a pixel of a picture of 1000 pixels
THINNING_SHARE = 0.9  # of the bound; the rest is for rounding to few bits
MOST_STRIDE = 256  # samples between two frames
MAX_NUMBERS = 2**21  # worked on at once


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Frames of a run: positions, unit quaternions and their rates by time."""

    t: np.ndarray  # (n,)
    position: np.ndarray  # (n, bodies, 3) of the origins
    quaternion: np.ndarray  # (n, bodies, 4) scalar first, without jumps of sign
    velocity: np.ndarray  # (n, bodies, 3) of the origins
    omega: np.ndarray  # (n, bodies, 3) world axes
    sample: np.ndarray  # (n,) which samples of the run the frames are
    is_smooth: bool  # cubic between frames; else linear
    error: float  # largest distance of a drawn point from a recorded sample, of the model's size

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and unit quaternions at times between the first and the last frame."""
        times = np.atleast_1d(np.asarray(t, dtype=float))
        last = max(0, len(self.t) - 2)
        k = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, last)
        after = np.minimum(k + 1, len(self.t) - 1)
        h = self.t[after] - self.t[k]
        s = np.divide(times - self.t[k], h, out=np.zeros_like(times), where=h > 0.0)
        rates = quaternion_rates(self.quaternion, self.omega)
        x = interpolate(self.position, self.velocity, k, after, h, s, self.is_smooth)
        q = interpolate(self.quaternion, rates, k, after, h, s, self.is_smooth)
        return x, q / np.linalg.norm(q, axis=-1, keepdims=True)


def motion_of(
    run: Trajectory, size: float, reach: np.ndarray, bound: float = ERROR_BOUND, most: int = 0
) -> Motion:
    """The frames of a run within `bound` of the size of the model; at most `most` of them if it is
    given, with the error that this costs.
    """
    samples = Samples(run, size, reach)
    is_smooth = samples.is_smooth()
    limit = bound * THINNING_SHARE
    kept, error = samples.thin(limit, is_smooth)
    while most and len(kept) > most and limit < 1e3:
        limit *= 2.0
        kept, error = samples.thin(limit, is_smooth)
    if most and len(kept) > most:
        kept = np.unique(np.linspace(0, len(samples.t) - 1, most).astype(int))
        error = samples.error_between(kept, is_smooth)
    return samples.motion(kept, is_smooth, error)


class Samples:
    """All recorded samples of a run."""

    def __init__(self, run: Trajectory, size: float, reach: np.ndarray):
        """Errors are measured in parts of `size`, turns by the `reach` of each body."""
        poses = run.poses.values
        twists = run.twists.values
        self.t = run.t.values
        self.position = poses[:, :, :3]
        self.quaternion = without_sign_jumps(poses[:, :, 3:])
        self.velocity = twists[:, :, 3:]
        self.omega = twists[:, :, :3]
        self.rates = quaternion_rates(self.quaternion, self.omega)
        self.size = size
        self.reach = reach

    def is_smooth(self) -> bool:
        """Whether rates help to guess every second sample from its neighbours."""
        if len(self.t) < 3:
            return True
        smooth, linear = (self.interval_errors(2, way) for way in (True, False))
        return float(np.median(smooth)) <= float(np.median(linear))

    def thin(self, limit: float, is_smooth: bool) -> tuple[np.ndarray, float]:
        """Samples that are enough, and the largest error: intervals of 2, 4, 8, … samples are
        joined as long as both halves were and their error is below the limit.
        """
        count = len(self.t)
        kept = np.ones(count, dtype=bool)
        joined = np.ones(max(0, count - 1), dtype=bool)  # of intervals of the last stride
        worst, stride = 0.0, 2
        while stride <= min(MOST_STRIDE, count - 1) and joined.any():
            n = (count - 1) // stride
            possible = joined[: 2 * n : 2] & joined[1 : 2 * n : 2]
            errors = self.interval_errors(stride, is_smooth, possible)
            accepted = possible & (errors <= limit)
            middles = np.arange(n) * stride + stride // 2
            kept[middles[accepted]] = False
            if accepted.any():
                worst = max(worst, float(errors[accepted].max()))
            joined = accepted
            stride *= 2
        return np.flatnonzero(kept), worst

    def interval_errors(
        self, stride: int, is_smooth: bool, wanted: np.ndarray | None = None
    ) -> np.ndarray:
        """The largest error inside each interval [k, k + 1] stride; only where it is wanted."""
        count = (len(self.t) - 1) // stride
        found = np.zeros(count)
        chosen = np.arange(count) if wanted is None else np.flatnonzero(wanted)
        inner = np.arange(1, stride)
        bodies = self.position.shape[1]
        many = max(1, MAX_NUMBERS // (7 * max(1, bodies) * len(inner)))
        for first in range(0, len(chosen), many):
            some = chosen[first : first + many]
            k = np.repeat(some * stride, len(inner))
            at = (some[:, None] * stride + inner).ravel()
            errors = self.errors_at(at, k, k + stride, is_smooth)
            found[some] = errors.reshape(len(some), -1).max(axis=1)
        return found

    def errors_at(
        self, at: np.ndarray, k: np.ndarray, after: np.ndarray, is_smooth: bool
    ) -> np.ndarray:
        """How far a drawn point is moved if samples `at` are interpolated from k and after."""
        h = self.t[after] - self.t[k]
        s = np.divide(self.t[at] - self.t[k], h, out=np.zeros_like(h), where=h > 0.0)
        x = interpolate(self.position, self.velocity, k, after, h, s, is_smooth)
        q = interpolate(self.quaternion, self.rates, k, after, h, s, is_smooth)
        q /= np.linalg.norm(q, axis=-1, keepdims=True)
        moved = np.linalg.norm(x - self.position[at], axis=-1)
        # |a − b| of unit quaternions is twice the sine of a quarter of the angle between them
        turned = 2.0 * np.linalg.norm(q - self.quaternion[at], axis=-1)
        return (moved + turned * self.reach).max(axis=1, initial=0.0) / self.size

    def error_between(self, kept: np.ndarray, is_smooth: bool) -> float:
        """The largest error of all samples that are not kept."""
        rest = np.setdiff1d(np.arange(len(self.t)), kept)
        many = max(1, MAX_NUMBERS // (7 * max(1, self.position.shape[1])))
        worst = 0.0
        for first in range(0, len(rest), many):
            at = rest[first : first + many]
            place = np.searchsorted(kept, at) - 1
            errors = self.errors_at(at, kept[place], kept[place + 1], is_smooth)
            worst = max(worst, float(errors.max()))
        return worst

    def motion(self, kept: np.ndarray, is_smooth: bool, error: float) -> Motion:
        """The kept samples as frames."""
        return Motion(
            self.t[kept],
            self.position[kept],
            self.quaternion[kept],
            self.velocity[kept],
            self.omega[kept],
            kept,
            is_smooth,
            error,
        )


def interpolate(
    values: np.ndarray,
    rates: np.ndarray,
    k: np.ndarray,
    after: np.ndarray,
    h: np.ndarray,
    s: np.ndarray,
    is_smooth: bool,
) -> np.ndarray:
    """Between samples k and after, at the part s of the time h between them."""
    s, h = s[:, None, None], h[:, None, None]
    if not is_smooth:
        return (1.0 - s) * values[k] + s * values[after]
    left, right = (1.0 - s) ** 2, s**2
    value = (1.0 + 2.0 * s) * left * values[k] + (3.0 - 2.0 * s) * right * values[after]
    return value + h * (s * left * rates[k] - (1.0 - s) * right * rates[after])


def quaternion_rates(quaternion: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """q̇ = ½ (0, ω) q, ω in world axes."""
    return 0.5 * quaternion_product(
        np.concatenate([np.zeros((*omega.shape[:-1], 1)), omega], axis=-1), quaternion
    )


def without_sign_jumps(quaternions: np.ndarray) -> np.ndarray:
    """q and −q are one rotation: each is given the sign of its neighbour in time."""
    if len(quaternions) < 2:
        return quaternions.copy()
    products = (quaternions[1:] * quaternions[:-1]).sum(axis=-1)
    signs = np.cumprod(np.where(products < 0.0, -1.0, 1.0), axis=0)
    signs = np.concatenate([np.ones((1, *signs.shape[1:])), signs])
    return quaternions * signs[..., None]
