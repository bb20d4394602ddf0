"""Runs a case in a scale, and says how far two scales are from each other."""

import re
import warnings
from typing import Any, NamedTuple

import numpy as np

import hamiltree as ht
from hamiltree.model.units import Units
from tests.similarity.cases import Case
from tests.similarity.scaling import Scaled, residuals_of, similar_residuals

COUNTS = ("steps", "calls", "rejected")
TOLERANCE = 1e-12  # of the largest number of an array, where bits may differ
NUMBER = re.compile(r"[-+−]?\d+(\.\d+)?([eE][-+]?\d+)?|\b(inf|nan)\b")


class Outcome(NamedTuple):
    """What a run gave: arrays in the scale of one, its own words without their numbers."""

    arrays: Scaled
    residuals: Scaled
    counts: dict[str, Any]
    words: list[str]


def outcome_of(case: Case, units: Units) -> Outcome:
    """Run it; a refusal and a failure are outcomes too."""
    words = []
    run = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            run = ht.simulate(case.make(units), progress=False, **case.options(units))
            words.append(run.status)
        except ht.StepError as error:
            run = error.trajectory
            words.append(without_numbers("StepError", str(error)))
        except (ht.HamiltreeError, ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            words.append(without_numbers(type(error).__name__, str(error)))
    words += [without_numbers(w.category.__name__, str(w.message)) for w in caught]
    if run is None:
        return Outcome({}, {}, {}, words)
    arrays = case.reduce(run, units)
    arrays["energy_error"] = np.array([run.energy_error])
    counts = {name: run.statistics[name] for name in COUNTS if name in run.statistics}
    return Outcome(arrays, residuals_of(run), counts, words)


def without_numbers(kind: str, text: str) -> str:
    return f"{kind}: {NUMBER.sub('#', text)}"


# ---- differences ---------------------------------------------------------------------------------
class Difference(NamedTuple):
    """Between two scales: the largest part of an array's largest number, where it is, and what is
    said otherwise. `is_same`: to the bit.
    """

    is_same: bool
    worst: float
    where: str
    otherwise: list[str]

    def complaint(self, is_exact: bool) -> str:
        """What is wrong with it: nothing if it is the same to the bit, or to 1e-12."""
        if self.otherwise or (is_exact and not self.is_same) or not self.worst <= TOLERANCE:
            return "; ".join([f"{self.worst:.1e} in {self.where}", *self.otherwise])
        return ""


def difference(here: Outcome, there: Outcome, units: Units) -> Difference:
    """Of every array, of the counts and of the words."""
    otherwise = [f"{a!r} is {b!r}" for a, b in zip_words(here.words, there.words)]
    otherwise += [
        f"{name}: {here.counts[name]} and {there.counts[name]}"
        for name in here.counts
        if here.counts[name] != there.counts.get(name)
    ]
    other = dict(there.arrays)
    own = {**here.arrays, **here.residuals}
    for name, values in there.residuals.items():
        if name in here.residuals and values.shape == here.residuals[name].shape:
            per = units.time if name == "slip" else 1.0
            other[name] = similar_residuals(here.residuals[name], values * per, units.length)
    found = {name: distance(name, own[name], other.get(name)) for name in own}
    where = max(found, key=lambda name: found[name], default="nothing")
    is_same = all(np.array_equal(own[name], other.get(name), equal_nan=True) for name in own)
    return Difference(is_same, found.get(where, 0.0), where, otherwise)


def zip_words(here: list[str], there: list[str]) -> list[tuple[str, str]]:
    longest = max(len(here), len(there))
    padded = [x + [""] * (longest - len(x)) for x in (here, there)]
    return [(a, b) for a, b in zip(*padded, strict=True) if a != b]


def distance(name: str, here: np.ndarray, there: np.ndarray | None) -> float:
    """The largest difference in parts of the largest number; of errors and residuals, which are
    rounding, the difference itself.
    """
    if there is None or here.shape != there.shape:
        return np.inf
    if not here.size:
        return 0.0
    with np.errstate(invalid="ignore"):
        off = np.abs(here - there)
    off[(here == there) | (np.isnan(here) & np.isnan(there))] = 0.0
    largest = float(np.abs(here).max(where=np.isfinite(here), initial=0.0))
    if name in ("energy_error", "norm_error", "opening", "slip"):
        largest = max(largest, 1.0)
    worst = float(np.max(off))
    return worst / largest if largest > 0.0 else worst
