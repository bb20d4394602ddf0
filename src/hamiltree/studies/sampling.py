"""What the values of a varied number are: listed, on a grid, or distributed; and points of the unit
cube by which distributions are sampled.

A point depends on the seed and on its own number alone, so a longer study begins with the members
of a shorter one; a Latin hypercube is the exception, whose strata depend on how many there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from hamiltree.catalogue import find
from hamiltree.errors import OptionError, suggest
from hamiltree.studies.sobol import sobol_points

MAX_SEED = 2**63
FEW = 2**16  # numbers that are Python's own at a time: they take four times the memory


# ---- what a number may be ------------------------------------------------------------------------
@dataclass(frozen=True)
class Values:
    """Listed values, an axis of a grid: numbers or names."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class Uniform:
    """Between two numbers, each equally likely."""

    low: float
    high: float

    def __post_init__(self) -> None:
        check_numbers("uniform", self.low, self.high)
        if not self.low < self.high:
            raise OptionError(f"uniform: {self.low!r} is not below {self.high!r}")

    def quantile(self, u: np.ndarray) -> np.ndarray:
        """The value below which a part u of all values lies."""
        return self.low + (self.high - self.low) * u


@dataclass(frozen=True)
class Normal:
    """Gauss's distribution of a mean and a standard deviation."""

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        check_numbers("normal", self.mean, self.deviation)
        if not self.deviation > 0:
            raise OptionError(f"normal: the deviation {self.deviation!r} is not above zero")

    def quantile(self, u: np.ndarray) -> np.ndarray:
        """The value below which a part u of all values lies."""
        inverse = NormalDist().inv_cdf
        found = np.empty(len(u))
        for first in range(0, len(u), FEW):
            part = u[first : first + FEW].tolist()
            found[first : first + FEW] = np.fromiter(map(inverse, part), float, len(part))
        found *= self.deviation
        found += self.mean
        return found


Distribution = Uniform | Normal


def uniform(low: float, high: float) -> Uniform:
    """Sampled between two numbers, each equally likely."""
    return Uniform(low, high)


def normal(mean: float, deviation: float) -> Normal:
    """Sampled by Gauss's distribution of a mean and a standard deviation."""
    return Normal(mean, deviation)


def grid(first: float, last: float, count: int) -> Values:
    """Evenly spaced numbers, the ends included: an axis of a grid."""
    check_numbers("grid", first, last)
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise OptionError(f"grid: {count!r} is no whole number of points, at least one")
    return Values(tuple(np.linspace(first, last, int(count)).tolist()))


KINDS: dict[str, Callable[..., Values | Distribution]] = {
    "uniform": uniform,
    "normal": normal,
    "grid": grid,
}


def check_numbers(what: str, *values: Any) -> None:
    """Refuse what is no finite number."""
    for value in values:
        is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value):
            raise OptionError(f"{what}: {value!r} is no finite number")


def values_from(name: str, given: Any) -> Values | Distribution:
    """What a user has written of a varied number: a list, or {uniform = [0, 1]}, or what `uniform`,
    `normal` and `grid` give.
    """
    if isinstance(given, (Values, Uniform, Normal)):
        return given
    if isinstance(given, Mapping):
        return values_by_kind(name, given)
    if isinstance(given, (str, int, float, np.generic)):
        return Values((plain(given),))
    try:
        values = tuple(plain(value) for value in given)
    except TypeError:
        raise OptionError(f"vary {name!r}: {given!r} is no list of values; {WAYS}") from None
    if not values:
        raise OptionError(f"vary {name!r}: the list of its values is empty")
    wrong = next((value for value in values if np.ndim(value)), None)
    if wrong is not None:
        raise OptionError(
            f"vary {name!r}: {wrong!r} is no single number; vary its components by their names, "
            f"for example '{name}.z'"
        )
    return Values(values)


WAYS = "give a list, or uniform(low, high), normal(mean, deviation), grid(first, last, count)"


def values_by_kind(name: str, given: Mapping[str, Any]) -> Values | Distribution:
    """{uniform = [0, 1]} and the like, as files have it."""
    if len(given) != 1:
        raise OptionError(f"vary {name!r}: {dict(given)!r} names {len(given)} kinds; {WAYS}")
    ((kind, numbers),) = given.items()
    if kind not in KINDS:
        raise OptionError(f"vary {name!r}: unknown kind {kind!r}; {suggest(kind, KINDS)}")
    try:
        return KINDS[kind](*numbers)
    except TypeError:
        raise OptionError(f"vary {name!r}: {kind} = {numbers!r}; {WAYS}") from None
    except OptionError as error:
        raise OptionError(f"vary {name!r}: {error}") from None


def plain(value: Any) -> Any:
    """A number or a text of Python, of one of NumPy."""
    return value.item() if isinstance(value, np.generic) else value


# ---- points of the unit cube ---------------------------------------------------------------------
def random_points(count: int, dimensions: int, seed: int) -> np.ndarray:
    """Independent points; point i is at place i of one stream of numbers."""
    stream = np.random.Generator(np.random.Philox(key=seed))
    return open_interval(stream.random((count, dimensions)))


def latin_hypercube(count: int, dimensions: int, seed: int) -> np.ndarray:
    """Every number in as many strata as there are points, one point in each (McKay, Beckman,
    Conover 1979).
    """
    stream = np.random.Generator(np.random.Philox(key=seed))
    points = stream.random((count, dimensions))
    for column in points.T:
        column += stream.permutation(count)
    points /= count
    return open_interval(points)


def scrambled_sobol(count: int, dimensions: int, seed: int) -> np.ndarray:
    """Sobol's sequence, scrambled by random matrices and shifts (Matoušek 1998): evenly spread in
    every number and in pairs of them; best with 2ⁿ members.
    """
    return open_interval(sobol_points(count, dimensions, seed))


def open_interval(u: np.ndarray) -> np.ndarray:
    """Zero has no quantile of a normal distribution; in place."""
    return np.clip(u, 2.0**-54, 1.0 - 2.0**-53, out=u)


SAMPLERS: dict[str, Callable[[int, int, int], np.ndarray]] = {
    "random": random_points,
    "latin_hypercube": latin_hypercube,
    "sobol": scrambled_sobol,
}


def sample(
    distributions: Sequence[Distribution], count: int, sampler: str, seed: int
) -> list[np.ndarray]:
    """One column of `count` values for each distribution."""
    points = find(SAMPLERS, sampler, "sampler")(count, len(distributions), seed)
    return [each.quantile(points[:, k]) for k, each in enumerate(distributions)]


def check_seed(seed: Any) -> int:
    """A whole number from zero on."""
    is_whole = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
    if not is_whole or not 0 <= seed < MAX_SEED:
        raise OptionError(f"seed = {seed!r}; give a whole number, zero or more")
    return int(seed)
