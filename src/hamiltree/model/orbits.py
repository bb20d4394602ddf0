"""Kepler orbits, and the field of a fixed centre as seen from an origin on such an orbit.

Users do not write these parts: a run makes them of `CentralGravity` where that keeps more digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from hamiltree.model.elements import CentralGravity
from hamiltree.model.forces import Force

MAX_ECCENTRICITY = 0.999  # of an orbit that is followed: E is known to 5e-15 up to there
FIRST_GUESS = 0.85  # E = M ± 0.85 e (Danby, Celestial Mechanics 40, 303, 1987)
SMALL_CORRECTION = 1e-6  # rad: the next one, of Halley's method, is rounding
MAX_CORRECTIONS = 12
ANOMALIES = np.linspace(0.0, np.pi, 1025)  # E at which corrections are counted


@dataclass(frozen=True, eq=False)
class KeplerOrbit:
    """r = middle + major cos E + minor sin E from the centre, E − e sin E = M, Ṁ = rate.

    major and minor are the half axes of the ellipse. They are turned from r and ṙ at the epoch, so
    that a circle, whose E may begin anywhere, has them as well.
    """

    mu: float  # m³/s²
    epoch: float  # s
    mean_anomaly: float  # M at the epoch
    rate: float  # 1/s
    eccentricity: float
    middle: np.ndarray  # m, world axes
    major: np.ndarray
    minor: np.ndarray

    @cached_property
    def corrections(self) -> int:
        """How many corrections of E make it exact, whatever M is."""
        e = self.eccentricity
        M = ANOMALIES - e * np.sin(ANOMALIES)
        E = first_guess(M, e)
        for count in range(MAX_CORRECTIONS):
            if np.abs(E - ANOMALIES).max() <= np.finfo(float).eps:
                return count
            better = correct_anomaly(E, M, e)
            if np.abs(better - E).max() < SMALL_CORRECTION:
                return count + 1
            E = better
        return MAX_CORRECTIONS

    def eccentric_anomaly(self, times: np.ndarray) -> np.ndarray:
        """E in ±π; M is without its whole turns."""
        M = self.mean_anomaly + self.rate * (np.asarray(times, dtype=float) - self.epoch)
        M = M - 2 * np.pi * np.rint(M / (2 * np.pi))
        E = first_guess(M, self.eccentricity)
        for _ in range(self.corrections):
            E = correct_anomaly(E, M, self.eccentricity)
        return E

    def positions(self, times: np.ndarray) -> np.ndarray:
        """(samples, 3): from the centre."""
        E = self.eccentric_anomaly(times)[:, None]
        return self.middle + np.cos(E) * self.major + np.sin(E) * self.minor

    def velocities(self, times: np.ndarray) -> np.ndarray:
        """(samples, 3): Ė (minor cos E − major sin E), Ė = rate/(1 − e cos E)."""
        E = self.eccentric_anomaly(times)[:, None]
        speed = self.rate / (1.0 - self.eccentricity * np.cos(E))
        return speed * (np.cos(E) * self.minor - np.sin(E) * self.major)


def first_guess(M: np.ndarray, e: float) -> np.ndarray:
    return M + np.where(M < 0.0, -FIRST_GUESS * e, FIRST_GUESS * e)


def correct_anomaly(E: np.ndarray, M: np.ndarray, e: float) -> np.ndarray:
    """Halley's correction of a root of E − e sin E − M."""
    sine = e * np.sin(E)
    slope = 1.0 - e * np.cos(E)
    excess = E - sine - M
    return E - excess * slope / (slope * slope - 0.5 * excess * sine)


def find_orbit(
    position: np.ndarray, velocity: np.ndarray, mu: float, epoch: float
) -> KeplerOrbit | None:
    """The orbit through a position from the centre with a velocity; None where that is no ellipse
    below MAX_ECCENTRICITY.

    r = r₀ + a/r₀ (cos ΔE − 1) r₀ + (r₀/a sin ΔE + e sin E₀ (1 − cos ΔE)) ṙ₀/rate, which holds for
    a circle too (Battin, An Introduction to the Mathematics and Methods of Astrodynamics).
    """
    distance = float(np.linalg.norm(position))
    if not (mu > 0.0 and distance > 0.0):
        return None
    bound = 2.0 - distance * float(velocity @ velocity) / mu  # r₀/a
    if not bound > 0.0:
        return None
    a = distance / bound
    rate = float(np.sqrt(mu / a)) / a
    cosine = 1.0 - bound  # e cos E₀
    sine = float(position @ velocity) * rate * a / mu  # e sin E₀
    e = float(np.hypot(cosine, sine))
    if not e < MAX_ECCENTRICITY:
        return None
    start = float(np.arctan2(sine, cosine))
    drive = velocity / rate
    along = position / bound - sine * drive  # of cos ΔE
    across = bound * drive  # of sin ΔE
    s, c = np.sin(start), np.cos(start)
    return KeplerOrbit(
        mu,
        epoch,
        start - e * float(s),
        rate,
        e,
        position - along,
        c * along - s * across,
        s * along + c * across,
    )


@dataclass(frozen=True, slots=True)
class OrbitingFrame(Force):
    """Forces on bodies that are seen from an origin on a Kepler orbit about the centre of a field:
    those of the field, of which each body has one or None, and m μ O/|O|³ of the frame, which
    falls.

    Its energy is that of the field.
    """

    kind: ClassVar[str] = "orbiting_frame"
    is_conservative: ClassVar[bool] = True

    orbit: KeplerOrbit
    bodies: tuple[str, ...]
    fields: tuple[CentralGravity | None, ...]
