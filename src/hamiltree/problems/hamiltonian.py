"""Hamiltonian: any H(t, q, p) that a user typed, with the names of its rows, its parameters and its
invariants.

pendulum = hamiltonian("p**2/2 - cos(q)*(1 - p/6)")
kepler = hamiltonian("(px**2 + py**2)/2 - k/sqrt(x**2 + y**2)", q="x y", p="px py", k=1.0,
                     invariants={"L": "x*py - y*px"})
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hamiltree.compiled.user_code import UserCallback, compile_hamiltonian_functions
from hamiltree.errors import MAX_LISTED, FileError, OptionError, suggest
from hamiltree.symbolic.calculus import compile_hamiltonian
from hamiltree.symbolic.grammar import FUNCTIONS, TIME, check_names, is_sympy_object, to_expression

Names = str | Sequence[str] | Mapping[str, float]


@dataclass(frozen=True)
class Hamiltonian:
    """H(t, q, p), compiled.

    `start` holds the start values that were given; parameters may be changed without compiling.
    """

    name: str
    text: str
    coordinates: tuple[str, ...]
    momenta: tuple[str, ...]
    parameters: dict[str, float]
    invariants: dict[str, str]
    is_separable: bool
    is_autonomous: bool
    code: UserCallback = field(repr=False)
    source: Path | None = field(repr=False, default=None)
    start: dict[str, float] = field(default_factory=dict)
    # H with every digit and parenthesis; `text` is for display
    formula: str = field(repr=False, default="")

    def __str__(self) -> str:
        return f"{self.name}: H = {self.text}"

    def __getstate__(self) -> dict[str, Any]:
        """Simulators that are kept with it (run/simulate.py) stay in their process."""
        return {name: value for name, value in self.__dict__.items() if name != "_simulators"}

    def with_(self, name: str | None = None, **parameters: float) -> Hamiltonian:
        """The same H with other numbers for its parameters."""
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

    def to_json(self) -> str:
        """All that `hamiltonian` needs to make it again; empty if it was made of Python
        functions.
        """
        if self.source is None:
            return ""
        kept = {
            "H": self.formula,
            "text": self.text,
            "q": list(self.coordinates),
            "p": list(self.momenta),
            "parameters": self.parameters,
        }
        return json.dumps(
            {**kept, "invariants": self.invariants, "name": self.name, "start": self.start}
        )


def hamiltonian_from_json(text: str) -> Hamiltonian:
    """The H(q, p) that `to_json` has written."""
    try:
        kept = json.loads(text)
        made = hamiltonian(
            kept["H"],
            kept["q"],
            kept["p"],
            invariants=kept["invariants"],
            name=kept["name"],
            parameters=kept["parameters"],
        )
        return replace(made, text=kept["text"], start=kept["start"])
    except (ValueError, KeyError, TypeError) as error:
        raise FileError(f"the H(q, p) stored with the trajectory cannot be read: {error}") from None


def hamiltonian(
    H: str | Any,
    q: Names | None = None,
    p: Names | None = None,
    *,
    dHdq: Callable | None = None,
    dHdp: Callable | None = None,
    dHdt: Callable | None = None,
    invariants: Mapping[str, Any] | None = None,
    name: str | None = None,
    parameters: Mapping[str, float] | None = None,
    **more_parameters: float,
) -> Hamiltonian:
    """A problem from H(t, q, p): an expression as text, a SymPy expression, or compiled functions.

    H             text ("p**2/2 - cos(q)"; + - * / ** and sin, cos, tan, exp, log, sqrt, …), SymPy,
                  or a function H(t, q, p, k) -> float
    q, p          names of the coordinates and momenta: "x y", a list, or {name: start value};
                  without them q1 pairs with p1, x with px
    dHdq, dHdp    with a function H: its gradients, f(t, q, p, k, out); q, p, k and out are arrays,
                  k holds the parameters
    dHdt          with a function H that depends on time: ∂H/∂t, f(t, q, p, k) -> float; without it,
                  a difference
    invariants    {name: expression} of what should stay constant, e.g. {"L": "x*py - y*px"}; every
                  run reports it
    parameters    numbers by name, as keywords or as a mapping: k=4.0

    Time is `t`. The text is parsed, never evaluated by Python.
    """
    numbers = check_parameters(parameters, more_parameters)
    if name is not None and not isinstance(name, str):
        raise OptionError(f"name = {name!r}; give a text")
    if callable(H) and not is_sympy_object(H):
        return hamiltonian_from_functions(H, (dHdq, dHdp, dHdt), q, p, numbers, invariants, name)
    if dHdq is not None or dHdp is not None or dHdt is not None:
        raise OptionError(
            "dHdq, dHdp and dHdt belong to an H that is a Python function; of an expression the "
            "gradients are derived"
        )
    return hamiltonian_from_expression(H, q, p, numbers, invariants, name)


def hamiltonian_from_expression(H, q, p, numbers, invariants, name) -> Hamiltonian:
    """Of a text or a SymPy expression: parsed, differentiated and compiled."""
    pairs = split_pairs(q, p) if q is not None or p is not None else infer_pairs(H, set(numbers))
    coordinates, momenta = pairs
    check_names({"coordinate": coordinates, "momentum": momenta, "parameter": tuple(numbers)})
    known = (*coordinates, *momenta, *numbers, "t")
    tree = to_expression(H, known, "H")
    given = check_invariants(invariants)
    kept = {key: to_expression(value, known, f"invariant {key!r}") for key, value in given.items()}
    compiled = compile_hamiltonian(tree, coordinates, momenta, tuple(numbers), tuple(kept.values()))
    return Hamiltonian(
        name=name or "hamiltonian",
        text=tree.text,
        coordinates=coordinates,
        momenta=momenta,
        parameters=numbers,
        invariants={
            key: value.text if isinstance(given[key], str) else value.canonical
            for key, value in kept.items()
        },
        is_separable=compiled.is_separable,
        is_autonomous=compiled.is_autonomous,
        code=compiled.code,
        source=compiled.source,
        start=start_values(q) | start_values(p),
        formula=H if isinstance(H, str) else tree.canonical,
    )


def hamiltonian_from_functions(H, derivatives, q, p, numbers, invariants, name) -> Hamiltonian:
    """Of a user's functions, compiled; H counts as not separable, since that is not known."""
    dHdq, dHdp, dHdt = derivatives
    if dHdq is None or dHdp is None:
        raise OptionError(
            "an H that is a Python function needs its gradients dHdq and dHdp: f(t, q, p, k, out)"
        )
    if q is None or p is None:
        raise OptionError(
            "an H that is a Python function needs the names of its coordinates and momenta: q='x "
            "y', p='px py'"
        )
    if invariants:
        raise OptionError(
            "named invariants are expressions, which belong to an H that is an expression"
        )
    coordinates, momenta = split_pairs(q, p)
    check_names({"coordinate": coordinates, "momentum": momenta, "parameter": tuple(numbers)})
    code = compile_hamiltonian_functions(H, dHdq, dHdp, len(coordinates), len(numbers), dHdt)
    return Hamiltonian(
        name=name or "hamiltonian",
        text=f"{getattr(H, '__name__', 'H')}(t, q, p, k)",
        coordinates=coordinates,
        momenta=momenta,
        parameters=numbers,
        invariants={},
        is_separable=False,
        is_autonomous=False,
        code=code,
        source=None,
        start=start_values(q) | start_values(p),
    )


# ---- names ---------------------------------------------------------------------------------------
def names_used(H: str | Any) -> list[str]:
    """The names in a formula, in the order in which they appear; a text that is no formula is
    refused when it is parsed.
    """
    if not isinstance(H, str):
        return sorted(symbol.name for symbol in H.free_symbols) if is_sympy_object(H) else []
    words = re.findall(r"(?<![\w.])[^\W\d]\w*", H)
    return [word for word in dict.fromkeys(words) if word not in FUNCTIONS]


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


def split_pairs(q: Names | None, p: Names | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of coordinates and momenta, as many of one as of the other."""
    if q is None or p is None:
        raise OptionError(
            f"{'q' if q is None else 'p'} is missing: name the coordinates and the momenta, q='x "
            "y', p='px py'"
        )
    coordinates = split_names(q, "q")
    momenta = split_names(p, "p")
    if len(coordinates) != len(momenta) or not coordinates:
        raise OptionError(
            f"{len(coordinates)} coordinates ({', '.join(coordinates)}) and {len(momenta)} momenta "
            f"({', '.join(momenta)}); "
            "give as many of one as of the other"
        )
    return coordinates, momenta


def infer_pairs(H: str | Any, parameters: set[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """q with p, q1 with p1, x with px or p_x, among the symbols that are no parameters; what is
    left over is unknown and found later.
    """
    free = [name for name in names_used(H) if name not in parameters and name != TIME]
    pairs = {}
    for name in free:
        match = re.fullmatch(r"q(\w*)", name)
        candidates = ([f"p{match[1]}"] if match else []) + [f"p{name}", f"p_{name}"]
        partner = next((other for other in candidates if other in free and other != name), None)
        if partner:
            pairs[name] = partner
        elif match:
            pairs[name] = f"p{match[1]}"
    for name in free:  # a momentum whose coordinate does not appear in H
        match = re.fullmatch(r"p(\d*)", name)
        if match and name not in pairs.values() and name not in pairs:
            pairs[f"q{match[1]}"] = name
    if not pairs:
        to_expression(H, names_used(H), "H")  # what is no formula at all is refused as such
        raise OptionError(
            "H names no coordinates: call them q and p (or q1, p1, …; x, px, …), or give their "
            "names: q='x y', p='px py'"
        )
    ordered = sorted(pairs, key=natural_order)
    return tuple(ordered), tuple(pairs[name] for name in ordered)


def natural_order(name: str) -> tuple:
    """q2 before q10."""
    digits = re.search(r"\d+$", name)
    return (name[: digits.start()], int(digits[0])) if digits else (name, -1)


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


def check_invariants(invariants: Mapping[str, Any] | None) -> dict[str, Any]:
    if invariants is not None and not isinstance(invariants, Mapping):
        raise OptionError(f"invariants = {invariants!r}; give {{name: expression}}")
    return dict(invariants or {})


def numbers_in_order(given: Any, names: Sequence[str], what: str) -> np.ndarray:
    """One finite number for every name; a single one may stand without a list."""
    order = ", ".join(names[:MAX_LISTED]) + ", ..." * (len(names) > MAX_LISTED)
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
