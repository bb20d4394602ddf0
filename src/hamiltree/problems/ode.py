"""Ode: any ẏ = f(t, y) that a user typed, with the names of its rows, its parameters and its
invariants.

van_der_pol = ode("x' = v; v' = mu*(1 - x**2)*v - x", y={"x": 2.0, "v": 0.0}, mu=5.0)
decay = ode("-k*x", y="x", k=3.0)
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hamiltree.compiled.user_code import INVARIANTS
from hamiltree.compiled.user_functions import compile_rates_function
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
from hamiltree.symbolic.calculus import compile_expressions
from hamiltree.symbolic.expression import ExpressionError
from hamiltree.symbolic.grammar import TIME, check_names, is_sympy_object, to_expression
from hamiltree.symbolic.tracing import called, trace_rows

Rates = str | Sequence[Any] | Mapping[str, Any] | Callable[..., Any]
# x' = …, x_dot = …, dx/dt = …
EQUATION = re.compile(r"\s*(?:d\s*(\w+)\s*/\s*dt|(\w+?)\s*(?:'|_dot))\s*=(?!=)(.*)", re.DOTALL)
COMPILED_ARGUMENTS = 4  # of a function f(t, y, k, out), which is compiled as it is


@dataclass(frozen=True, kw_only=True)
class Ode(TypedProblem):
    """ẏ = f(t, y), compiled."""

    coordinates: tuple[str, ...]
    # f with every digit and parenthesis, in the order of the names; empty of a compiled function
    formulas: tuple[str, ...] = field(repr=False, default=())

    @property
    def rows(self) -> tuple[str, ...]:
        return self.coordinates

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"

    def to_json(self) -> str:
        """All that `ode` needs to make it again; empty if it was compiled of a Python function."""
        if not self.formulas:
            return ""
        kept = {"rates": list(self.formulas), "y": list(self.coordinates), "text": self.text}
        numbers = {"parameters": self.parameters, "start": self.start}
        return json.dumps({**kept, **numbers, "invariants": self.invariants, "name": self.name})


def ode_from_json(text: str) -> Ode:
    """The equations that `to_json` has written."""
    try:
        kept = json.loads(text)
        about = {name: kept[name] for name in ("invariants", "name", "parameters")}
        return replace(
            ode(kept["rates"], kept["y"], **about), text=kept["text"], start=kept["start"]
        )
    except (ValueError, KeyError, TypeError) as error:
        raise FileError(
            f"the equations stored with the trajectory cannot be read: {error}"
        ) from None


def ode(
    rates: Rates,
    y: Names | None = None,
    *,
    invariants: Mapping[str, Any] | None = None,
    name: str | None = None,
    parameters: Mapping[str, float] | None = None,
    **more_parameters: float,
) -> Ode:
    """A problem from ẏ = f(t, y): formulas as text, SymPy expressions, or a Python function.

    rates         "x' = v; v' = -k*x" (also x_dot = …, dx/dt = …), {"x": "v", "v": "-k*x"}, or the
                  right-hand sides alone, "v, -k*x" or a list of them, in the order of y;
                  or a function f(t, y) or f(t, y, k) that returns them and is read as formulas, or
                  f(t, y, k, out) that writes them into out and is compiled
    y             names of the rows: "x v", a list, or {name: start value}
    invariants    {name: expression} of what should stay constant; every run reports it
    parameters    numbers by name, as keywords or as a mapping: k=4.0; a function gets them as the
                  array k

    Time is `t`. The text is parsed, never evaluated by Python.
    """
    numbers = check_parameters(parameters, more_parameters)
    check_title(name)
    if callable(rates) and not is_sympy_object(rates):
        if y is None:
            raise OptionError("rates that are a Python function need the names of y: y='x v'")
        if count_arguments(rates) == COMPILED_ARGUMENTS:
            return ode_from_function(rates, y, numbers, invariants, name)
    names, right_hand_sides = split_rates(rates, y, tuple(numbers))
    return ode_from_expressions(names, right_hand_sides, y, numbers, invariants, name)


def ode_from_expressions(names, right_hand_sides, y, numbers, invariants, name) -> Ode:
    """Of texts or SymPy expressions, one for each name: parsed and compiled."""
    check_names({"variable": names, "parameter": tuple(numbers)})
    known = (*names, *numbers, TIME)
    trees = [
        to_expression(value, known, f"rate of {row}")
        for row, value in zip(names, right_hand_sides, strict=True)
    ]
    kept, invariant_texts = parse_invariants(invariants, known)
    blocks = [trees, *([()] * (INVARIANTS - 1)), kept]
    compiled = compile_expressions(blocks, names, tuple(numbers))
    formulas = tuple(
        value if isinstance(value, str) else tree.canonical
        for value, tree in zip(right_hand_sides, trees, strict=True)
    )
    equations = [f"{row}' = {tree.text}" for row, tree in zip(names, trees, strict=True)]
    return Ode(
        name=name or "ode",
        text="; ".join(equations),
        coordinates=names,
        parameters=numbers,
        invariants=invariant_texts,
        is_autonomous=not any(TIME in tree.symbols for tree in trees),
        code=compiled.code,
        source=compiled.source,
        start=start_values(y),
        formulas=formulas,
    )


def ode_from_function(function, y, numbers, invariants, name) -> Ode:
    """Of a user's f(t, y, k, out), compiled."""
    if invariants:
        raise OptionError("named invariants are expressions, which belong to rates that are ones")
    names = split_names(y, "y")
    check_names({"variable": names, "parameter": tuple(numbers)})
    return Ode(
        name=name or "ode",
        text=f"y' = {called(function)}(t, y, k)",
        coordinates=names,
        parameters=numbers,
        invariants={},
        is_autonomous=False,
        code=compile_rates_function(function, len(names), len(numbers)),
        start=start_values(y),
    )


# ---- names and right-hand sides ------------------------------------------------------------------
def split_rates(
    rates: Rates, y: Names | None, parameters: tuple[str, ...]
) -> tuple[tuple[str, ...], list[Any]]:
    """The names of the rows, and f of each."""
    names = None if y is None else split_names(y, "y")
    if callable(rates) and names is not None:
        return names, trace_rates(rates, names, parameters)
    if isinstance(rates, str):
        rates = split_text(rates)
    if isinstance(rates, Mapping):
        return order_equations(dict(rates), names)
    found = [rates] if is_sympy_object(rates) else rates
    if isinstance(found, (bytes, float, int)) or not isinstance(found, Sequence | np.ndarray):
        raise OptionError(
            f"rates = {rates!r}; give formulas, {{'x': 'v', 'v': '-x'}}, or a function f(t, y)"
        )
    if names is None:
        raise OptionError("y is missing: name the rows, y='x v', or write \"x' = v; v' = -x\"")
    if len(found) != len(names) or not names:
        raise OptionError(
            f"{len(found)} rates for {len(names)} names ({', '.join(names)}); give one for each"
        )
    return names, list(found)


def split_text(text: str) -> dict[str, str] | list[str]:
    """Equations by name of "x' = v; v' = -x", or the parts of "v, -x"; parts are separated by
    semicolons, by lines, or by commas outside parentheses.
    """
    parts = [""]
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character in ";\n" or (character == "," and depth == 0):
            parts.append("")
        else:
            parts[-1] += character
    parts = [part.strip() for part in parts if part.strip()]
    found = [EQUATION.fullmatch(part) for part in parts]
    if not any(found):
        return parts
    equations: dict[str, str] = {}
    for part, match in zip(parts, found, strict=True):
        if match is None:
            raise OptionError(f'rates: {part!r} is no equation; write "x\' = …" in all of them')
        row = match[1] or match[2]
        if row in equations:
            raise OptionError(f"rates: {row!r} has two equations; keep one")
        equations[row] = match[3].strip()
    return equations


def order_equations(
    equations: dict[str, Any], names: tuple[str, ...] | None
) -> tuple[tuple[str, ...], list[Any]]:
    """Equations in the order of the names; both must have the same ones."""
    if not equations:
        raise OptionError("rates are empty; give an equation for each row")
    names = tuple(equations) if names is None else names
    lacking = next((row for row in names if row not in equations), None)
    if lacking is not None:
        raise OptionError(f'rates: {lacking!r} has no equation; write "{lacking}\' = …"')
    unknown = next((row for row in equations if row not in names), None)
    if unknown is not None:
        raise OptionError(f"rates: {unknown!r} is not among the rows y = {', '.join(names)}")
    return names, [equations[row] for row in names]


def trace_rates(function: Callable, names: tuple[str, ...], parameters: tuple[str, ...]) -> list:
    """The formulas of a function f(t, y) or f(t, y, k)."""
    arguments: list[Any] = [TIME, names]
    if count_arguments(function) > len(arguments):
        arguments.append(parameters)
    try:
        found = trace_rows(function, arguments, "rates")
    except ExpressionError as error:
        raise OptionError(
            f"{error}; write it as f(t, y, k, out), which is compiled, or as formulas"
        ) from None
    if len(found) != len(names):
        raise OptionError(
            f"rates: {called(function)} returns {len(found)} numbers for {len(names)} names "
            f"({', '.join(names)}); give one for each"
        )
    return found


def count_arguments(function: Callable) -> int:
    """How many arguments a function must be given by their places; those with a default keep it."""
    try:
        found = inspect.signature(getattr(function, "py_func", function)).parameters.values()
    except (TypeError, ValueError):
        return 2
    by_place = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    return sum(1 for one in found if one.kind in by_place and one.default is one.empty)
