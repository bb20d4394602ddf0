"""TypedProblem: what problems that a user typed have in common, an H(t, q, p) or ẏ = f(t, y): names
and start values of their rows, parameters and invariants.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from hamiltree.compiled.user_code import UserCallback
from hamiltree.errors import MAX_LISTED, OptionError, suggest
from hamiltree.symbolic.expression import Expression
from hamiltree.symbolic.grammar import to_expression

Names = str | Sequence[str] | Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class TypedProblem:
    """Equations that a user typed, compiled.

    `start` holds the start values that were given; parameters may be changed without compiling.
    """

    name: str
    text: str
    parameters: dict[str, float]
    invariants: dict[str, str]
    is_autonomous: bool
    code: UserCallback = field(repr=False)
    source: Path | None = field(repr=False, default=None)
    start: dict[str, float] = field(default_factory=dict)

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the rows of a state."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        """Simulators that are kept with it (run/simulate.py) stay in their process."""
        return {name: value for name, value in self.__dict__.items() if name != "_simulators"}

    def with_(self, name: str | None = None, **parameters: float) -> Self:
        """The same equations with other numbers for its parameters."""
        for key in parameters:
            if key not in self.parameters:
                raise OptionError(
                    f"{self.name} has no parameter {key!r}; {suggest(key, list(self.parameters))}"
                )
        numbers = {
            **self.parameters,
            **{key: check_finite(value, key) for key, value in parameters.items()},
        }
        return replace(self, parameters=numbers, name=self.name if name is None else name)

    def values_from(
        self,
        given: Mapping[str, float] | Any,
        names: tuple[str, ...],
        what: str,
        present: np.ndarray | None = None,
    ) -> np.ndarray:
        """Values by name or in order; what is not given is the present one, or comes from `start`
        and must be there.
        """
        if given is None or isinstance(given, Mapping):
            known = {} if present is None else dict(zip(names, present.tolist(), strict=True))
            return np.array(
                [self.find_value({**known, **(given or {})}, name, names, what) for name in names]
            )
        return numbers_in_order(given, names, what)

    def find_value(
        self, given: Mapping[str, float], name: str, names: tuple[str, ...], what: str
    ) -> float:
        """The value of one name: given, or that of `start`; refused if there is neither."""
        for key in given:
            if key not in names:
                raise OptionError(
                    f"{what} names {key!r}, which {self.name} does not have; "
                    f"{suggest(key, list(names))}"
                )
        if name not in given and name not in self.start:
            raise OptionError(
                f"{self.name} needs a start value of {name}: give {what}={{{name!r}: …}}"
            )
        return check_finite(given.get(name, self.start.get(name)), name)


# ---- names and numbers ---------------------------------------------------------------------------
def split_names(given: Names, what: str) -> tuple[str, ...]:
    """Names of a text 'x y', of a list, or of {name: start value}."""
    if isinstance(given, str):
        return tuple(given.replace(",", " ").split())
    names = tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(name, str) for name in names):
        raise OptionError(
            f"{what} = {given!r}; give names: a text 'x y', a list of texts, or {{name: start "
            "value}"
        )
    return names


def start_values(given: Names | None) -> dict[str, float]:
    return (
        {name: check_finite(value, name) for name, value in given.items()}
        if isinstance(given, Mapping)
        else {}
    )


def check_parameters(
    parameters: Mapping[str, float] | None, more: Mapping[str, float]
) -> dict[str, float]:
    """Parameters of a mapping and of keywords together; none may be given twice."""
    if parameters is not None and not isinstance(parameters, Mapping):
        raise OptionError(f"parameters = {parameters!r}; give {{name: number}}, or keywords: k=4.0")
    twice = next((name for name in more if name in (parameters or {})), None)
    if twice is not None:
        raise OptionError(
            f"parameter {twice!r} is given twice, as a keyword and in `parameters`; leave one out"
        )
    return {
        name: check_finite(value, str(name))
        for name, value in {**(parameters or {}), **more}.items()
    }


def check_title(name: Any) -> None:
    if name is not None and not isinstance(name, str):
        raise OptionError(f"name = {name!r}; give a text")


def parse_invariants(
    invariants: Mapping[str, Any] | None, known: Sequence[str]
) -> tuple[tuple[Expression, ...], dict[str, str]]:
    """The formulas of named invariants, and their texts by name."""
    if invariants is not None and not isinstance(invariants, Mapping):
        raise OptionError(f"invariants = {invariants!r}; give {{name: expression}}")
    given = dict(invariants or {})
    trees = [to_expression(value, known, f"invariant {key!r}") for key, value in given.items()]
    return tuple(trees), {
        key: tree.text if isinstance(value, str) else tree.canonical
        for (key, value), tree in zip(given.items(), trees, strict=True)
    }


def numbers_in_order(given: Any, names: Sequence[str], what: str) -> np.ndarray:
    """One finite number for every name; a single one may stand without a list."""
    order = ", ".join(names[:MAX_LISTED]) + ", ..." * (len(names) > MAX_LISTED)
    if np.ma.is_masked(given):
        raise OptionError(f"{what} has numbers that are masked; give all of them")
    try:
        values = np.atleast_1d(np.asarray(given))
    except ValueError:  # rows of different lengths
        values = np.array(["ragged"])
    if values.dtype.kind not in "iuf":
        raise OptionError(f"{what} = {given!r}; give numbers, by name or in the order {order}")
    if values.shape != (len(names),):
        raise OptionError(
            f"{what} has shape {values.shape}; expected {len(names)} numbers, in the order {order}"
        )
    return np.array(
        [
            check_finite(value, f"{what} of {name}")
            for name, value in zip(names, values.tolist(), strict=True)
        ]
    )


def check_finite(value, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise OptionError(f"{name} = {value!r}; it must be a number")
    if not math.isfinite(value):
        raise OptionError(f"{name} = {value!r}; it must be finite")
    return float(value)
