"""A user's Python functions are tried before they are compiled: whether they take the arguments
that they are called with, and write or return what they should.

Compiled, a function that raises, reads past the end of an array or writes nothing gives NaN, or
worse, some number. One that does so at every point of the trial has the wrong form.
"""

import inspect
import math
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hamiltree.errors import OptionError

SCALES = (0.5, 0.0, -0.5, 5.0, -5.0, 1000.0)  # of the numbers in a trial
MOST_NUMBERS = 64  # of all arguments: with more, Python could take long
UNWRITTEN = 7.29374e211  # stands in outputs before a call
Shape = tuple[int, ...]  # () of a number


class Form(NamedTuple):
    """How a function is called: names and shapes of its arguments; the last one is written, or a
    number is returned, or neither.
    """

    arguments: dict[str, Shape]
    writes: bool = False
    returns: bool = False

    @property
    def call(self) -> str:
        return f"({', '.join(self.arguments)})"

    @property
    def sizes(self) -> str:
        """The arrays among the arguments, in words."""
        arrays = {name: shape for name, shape in self.arguments.items() if shape}
        return ", ".join(f"{name} has the shape {shape}" for name, shape in arrays.items())


def check_form(what: str, function: Callable, form: Form) -> None:
    """Refuse a function of Python that cannot be what it should be; `what` begins the message."""
    refuse_other_arguments(what, function, form)
    if sum(math.prod(shape) for shape in form.arguments.values()) > MOST_NUMBERS:
        return
    faults = []
    for scale in SCALES:
        fault = fault_at(function, form, scale)
        if not fault:
            return
        faults.append(fault)
    raise OptionError(f"{what}{form.call} {faults[0]}")


def refuse_other_arguments(what: str, function: Callable, form: Form) -> None:
    """By the names of its arguments."""
    try:
        own = inspect.signature(function)
    except (TypeError, ValueError):  # not known of what is built in
        return
    try:
        own.bind(*form.arguments)
    except TypeError:
        how = "returns a number" if form.returns else f"writes into {list(form.arguments)[-1]}"
        raise OptionError(
            f"{what} takes the arguments {own}; it is called with {form.call}, and {how}"
        ) from None


def fault_at(function: Callable, form: Form, scale: float) -> str:
    """What is wrong with one call, in words; empty if nothing is."""
    values = [trial_values(shape, scale) for shape in form.arguments.values()]
    if form.writes:
        values[-1] = np.full(list(form.arguments.values())[-1], UNWRITTEN)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = function(*values)
    except Exception as error:
        return f"raises {type(error).__name__}: {error}; {form.sizes}"
    if form.returns:
        return "" if is_number(found) else f"returns {found!r}; return a number"
    return unwritten_part(list(form.arguments)[-1], values[-1], found) if form.writes else ""


def trial_values(shape: Shape, scale: float) -> float | np.ndarray:
    """Numbers that differ from each other; a matrix lies in memory by columns."""
    if not shape:
        return abs(scale)
    return (scale * (1.0 + 0.125 * np.arange(math.prod(shape)))).reshape(shape).T


def unwritten_part(name: str, out: float | np.ndarray, returned: object) -> str:
    left = np.argwhere(np.asarray(out) == UNWRITTEN)
    if not len(left):
        return ""
    place = f"{name}[{', '.join(map(str, left[0]))}]"
    if returned is None:
        return f"does not write {place}; write every number of {name}"
    return f"returns a value and does not write {place}; write {place} = … in the place of return"


def is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    )
