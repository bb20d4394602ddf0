"""What a person may set: the inputs of a model, by name, checked before anything changes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hamiltree.errors import OptionError, suggest
from hamiltree.forces.inputs import Inputs
from hamiltree.model.forces import BodyInput

WRENCH = {"force": slice(0, 3), "torque": slice(3, 6)}


def inputs_from(inputs: Inputs, given: Any, present: np.ndarray | None = None) -> np.ndarray:
    """The values of all inputs: those given, the others as they are; zero without a present."""
    values = np.zeros_like(inputs.values) if present is None else present.copy()
    if given is None:
        return values
    if not isinstance(given, Mapping):
        raise OptionError(f"inputs = {given!r}; give values by name, as in inputs={{'motor': 2.0}}")
    for name, value in given.items():
        if name not in inputs.places:
            known = (
                suggest(name, inputs.places)
                if inputs.places
                else "the model has no JointInput, JointActuator or BodyInput"
            )
            raise OptionError(f"inputs: there is no input {name!r}; {known}")
        set_input(
            values[inputs.places[name]], value, name, isinstance(inputs.parts[name], BodyInput)
        )
    return values


def set_input(place: np.ndarray, value: Any, name: str, is_wrench: bool) -> None:
    """One input: a number, a list of numbers, or the force and the torque on a body."""
    if not is_wrench:
        place[:] = check_numbers(value, len(place), name)
        return
    if not isinstance(value, Mapping):
        raise OptionError(
            f"input {name!r} = {value!r}; give {{'force': (x, y, z), 'torque': (x, y, z)}}, or one "
            "of them"
        )
    for part, vector in value.items():
        if part not in WRENCH:
            raise OptionError(f"input {name!r} has no {part!r}; {suggest(part, WRENCH)}")
        place[WRENCH[part]] = check_numbers(vector, 3, f"{name}.{part}")


def check_numbers(value: Any, length: int, name: str) -> Any:
    """Finite numbers, as many as there are; a single one may stand without a list."""
    if length == 1 and value.__class__ is float and math.isfinite(value):
        return value
    try:
        found = np.atleast_1d(np.asarray(value))
    except ValueError:  # rows of different lengths
        found = np.array(["ragged"])
    if found.dtype.kind not in "iuf" or found.shape != (length,):
        what = "a number" if length == 1 else f"{length} numbers"
        raise OptionError(f"input {name!r} = {value!r}; give {what}")
    if not np.isfinite(found).all():
        raise OptionError(f"input {name!r} = {value!r}; it must be finite")
    return found
