"""Hamiltonian: any H(t, q, p) that a user typed, with the names of its rows, its parameters and its
invariants.

pendulum = hamiltonian("p**2/2 - cos(q)*(1 - p/6)")
kepler = hamiltonian("(px**2 + py**2)/2 - k/sqrt(x**2 + y**2)", q="x y", p="px py", k=1.0,
                     invariants={"L": "x*py - y*px"})
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hamiltree.compiled.user_code import compile_hamiltonian_functions
from hamiltree.errors import FileError, OptionError
from hamiltree.problems.typed_problem import (
    Names,
    TypedProblem,
    check_parameters,
    check_title,
    parse_invariants,
    split_names,
    start_values,
)
from hamiltree.symbolic.calculus import compile_hamiltonian
from hamiltree.symbolic.grammar import FUNCTIONS, TIME, check_names, is_sympy_object, to_expression


@dataclass(frozen=True, kw_only=True)
class Hamiltonian(TypedProblem):
    """H(t, q, p), compiled."""

    coordinates: tuple[str, ...]
    momenta: tuple[str, ...]
    is_separable: bool
    # H with every digit and parenthesis; `text` is for display
    formula: str = field(repr=False, default="")

    @property
    def rows(self) -> tuple[str, ...]:
        return self.coordinates + self.momenta

    def __str__(self) -> str:
        return f"{self.name}: H = {self.text}"

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
    check_title(name)
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
    kept, invariant_texts = parse_invariants(invariants, known)
    compiled = compile_hamiltonian(tree, coordinates, momenta, tuple(numbers), kept)
    return Hamiltonian(
        name=name or "hamiltonian",
        text=tree.text,
        coordinates=coordinates,
        momenta=momenta,
        parameters=numbers,
        invariants=invariant_texts,
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
