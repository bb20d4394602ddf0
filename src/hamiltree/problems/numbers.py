"""The numbers of a problem by dotted names: bodies.upper.mass, joints.elbow.q, gravity.z, a
parameter k, start values q.elbow, and the settings of a run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from hamiltree.errors import OptionError, suggest
from hamiltree.model import Model
from hamiltree.model.model import Model as ModelClass
from hamiltree.problems.hamiltonian import Hamiltonian
from hamiltree.problems.typed_problem import TypedProblem

GROUPS = ("bodies", "joints", "forces", "couplings", "constraints")
SETTINGS = ("step", "integrator", "formulation", "until", "t", "save_every")
TEXTS = ("integrator", "formulation")  # settings whose values are names
AXES = {"x": 0, "y": 1, "z": 2}
QUATERNION = {"w": 0, "x": 1, "y": 2, "z": 3}
GRAVITY = "gravity"
LEFT_OUT = ("name", "visuals", "particles", "frames", "limits")  # fields without numbers that count
MAX_NAMES = 20_000
SYMMETRIC = ("inertia", "stiffness", "damping")  # fields whose matrices are symmetric


class Target(NamedTuple):
    """What a dotted name stands for."""

    kind: str  # start, part, gravity, parameter, setting, option, input
    group: str = ""  # q, qdot, p, y; bodies, …
    key: Any = ""  # label of a coordinate, position of a part, name of a parameter or setting
    path: tuple[Any, ...] = ()  # fields and indices inside a part


# ---- numbers inside parts ------------------------------------------------------------------------
def numbers_in(value: Any, name: str = "") -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Dotted names of the numbers in a part, with the way to each."""
    if isinstance(value, float):
        yield name, ()
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if field.name in LEFT_OUT:
                continue
            for inner, path in numbers_in(getattr(value, field.name), field.name):
                yield joined(name, inner), (field.name, *path)
    elif isinstance(value, tuple):
        yield from numbers_in_tuple(value, name)
    elif isinstance(value, Mapping):  # parameters of a formula
        for key, number in value.items():
            if isinstance(number, float):
                yield joined(name, key), (key,)


def numbers_in_tuple(value: tuple, name: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Vectors by x, y, z; quaternions by w, x, y, z; symmetric matrices by xx, xy, …; else from
    0 on.
    """
    is_matrix = len(value) == 3 and all(isinstance(row, tuple) and len(row) == 3 for row in value)
    if is_matrix and name.rpartition(".")[2] in SYMMETRIC:
        for first, i in AXES.items():
            for second, j in AXES.items():
                if i <= j:
                    yield joined(name, first + second), (i, j)
        return
    letters: Mapping[str, int] = {3: AXES, 4: QUATERNION}.get(len(value), {})
    if not letters or not all(isinstance(each, float) for each in value):
        letters = {str(k): k for k in range(len(value))}
    for letter, k in letters.items():
        for inner, path in numbers_in(value[k], joined(name, letter)):
            yield inner, (k, *path)


def joined(name: str, inner: str) -> str:
    return f"{name}.{inner}" if name and inner else name or inner


def with_number(value: Any, path: tuple[Any, ...], number: float) -> Any:
    """The same part with another number; a symmetric matrix stays one."""
    if not path:
        return number
    first, *rest = path
    if isinstance(value, Mapping):
        return {**value, first: number}
    if isinstance(first, str):
        inner = getattr(value, first)
        changed = with_number(inner, tuple(rest), number)
        if first in SYMMETRIC and len(rest) == 2:
            changed = with_number(changed, (rest[1], rest[0]), number)
        return replace(value, **{first: changed})
    changed = list(value)
    changed[first] = with_number(value[first], tuple(rest), number)
    return tuple(changed)


# ---- names of a problem --------------------------------------------------------------------------
def part_names(model: Model, group: str) -> list[str]:
    """Of the parts of a group: their names, or their places from 1 on."""
    parts = getattr(model, group)
    return [part.name or str(place) for place, part in enumerate(parts, 1)]


def names_of(problem: Any) -> Iterator[tuple[str, Target]]:
    """All numbers of a problem by their dotted names."""
    if isinstance(problem, TypedProblem):
        for name in problem.parameters:
            yield name, Target("parameter", "", name)
        yield from start_names(problem)
        return
    yield from start_names(problem)
    yield GRAVITY, Target("gravity")
    for letter, k in AXES.items():
        yield f"{GRAVITY}.{letter}", Target("gravity", "", "", (k,))
    for group in GROUPS:
        for place, key in enumerate(part_names(problem, group)):
            for inner, path in numbers_in(getattr(problem, group)[place]):
                yield f"{group}.{key}.{inner}", Target("part", group, place, path)


def start_names(problem: Any) -> Iterator[tuple[str, Target]]:
    """Names of start values."""
    if isinstance(problem, Hamiltonian):
        rows = {"q": problem.coordinates, "p": problem.momenta}
    elif isinstance(problem, TypedProblem):
        rows = {"y": problem.rows}
    else:
        rows = {"q": problem.coordinates, "qdot": problem.speeds, "p": problem.coordinates}
    for group, labels in rows.items():
        for label in labels:
            yield f"{group}.{label}", Target("start", group, label)


def find_target(problem: Any, name: str, inputs: list[str], options: list[str]) -> Target:
    """What a dotted name stands for; refused with the nearest name if there is no such number."""
    if name in SETTINGS:
        return Target("setting", "", name)
    if name.startswith("inputs.") and name.removeprefix("inputs.") in inputs:
        return Target("input", "", name.removeprefix("inputs."))
    found = find_number(problem, name)
    if found is not None:
        return found
    if name in options:
        return Target("option", "", name)
    known = [each for each, _ in islice(names_of(problem), MAX_NAMES)]
    known += [*SETTINGS, *(f"inputs.{key}" for key in inputs), *options]
    raise OptionError(f"vary: {problem.name} has no number {name!r}; {suggest(name, known)}")


def find_number(problem: Any, name: str) -> Target | None:
    """By the group that its name begins with: a large model is not searched as a whole."""
    group, _, rest = name.partition(".")
    if not isinstance(problem, ModelClass) or group not in GROUPS:
        return dict(islice(small_names(problem), MAX_NAMES)).get(name)
    for place, key in enumerate(part_names(problem, group)):
        if rest.startswith(f"{key}."):
            inside = dict(numbers_in(getattr(problem, group)[place]))
            path = inside.get(rest[len(key) + 1 :])
            if path is not None:
                return Target("part", group, place, path)
    return None


def small_names(problem: Any) -> Iterator[tuple[str, Target]]:
    """All names but those of parts."""
    yield from start_names(problem)
    if isinstance(problem, TypedProblem):
        yield from names_of(problem)
        return
    yield GRAVITY, Target("gravity")
    for letter, k in AXES.items():
        yield f"{GRAVITY}.{letter}", Target("gravity", "", "", (k,))


def present_value(problem: Any, target: Target) -> float | None:
    """The number as the problem has it; None of start values and settings."""
    if target.kind == "parameter":
        return problem.parameters[target.key]
    if target.kind == "gravity":
        return problem.gravity[target.path[0]] if target.path else math.hypot(*problem.gravity)
    if target.kind != "part":
        return None
    value = getattr(problem, target.group)[target.key]
    for step in target.path:
        is_field = isinstance(step, str) and not isinstance(value, Mapping)
        value = getattr(value, step) if is_field else value[step]
    return float(value)


# ---- a problem with other numbers ----------------------------------------------------------------
def with_numbers(problem: Any, changes: Mapping[Target, float]) -> Any:
    """The problem with these numbers of parts, gravity or parameters changed."""
    if not changes:
        return problem
    if isinstance(problem, TypedProblem):
        numbers: dict[str, Any] = {target.key: value for target, value in changes.items()}
        return problem.with_(**numbers)
    groups: dict[str, list[Any]] = {}
    gravity = problem.gravity
    for target, value in changes.items():
        if target.kind == "gravity":
            gravity = changed_gravity(gravity, target.path, float(value))
            continue
        parts = groups.setdefault(target.group, list(getattr(problem, target.group)))
        parts[target.key] = with_number(parts[target.key], target.path, float(value))
    return replace(
        problem, gravity=gravity, **{name: tuple(parts) for name, parts in groups.items()}
    )


def changed_gravity(gravity: tuple, path: tuple[Any, ...], value: float) -> tuple:
    """One component, or the size of the whole: along the present direction, or down."""
    if path:
        return with_number(gravity, path, value)
    size = math.hypot(*gravity)
    if size == 0.0:
        return (0.0, 0.0, -value)
    return tuple((np.array(gravity) * (value / size)).tolist())
