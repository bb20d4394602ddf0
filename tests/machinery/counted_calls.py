"""References and memory before and after many direct calls: those that succeed, those that are
handed on, those that fail, and those that find no memory.

    python -m tests.machinery.counted_calls [CALLS]

prints a line for every way of calling, a million calls of each unless told otherwise, and ends with
exit code 1 if anything is left.
"""

import ctypes
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

import hamiltree as ht
from hamiltree.algorithms import rigid_body
from hamiltree.compiled import direct
from hamiltree.compiled.direct_calls import table_of
from hamiltree.compiled.python_objects import (
    NEW_FROM_DESCRIPTION,
    function_address,
    numpy_functions,
    python_function,
)

CALLS = 1_000_000
MEMORY = Path("/proc/self/statm")  # in pages; there is none outside Linux
PAGE = 4096
SLACK_IN_BLOCKS, SLACK_IN_BYTES = 200, 3 << 20  # what Python and NumPy keep for later
MODEL = ht.library.tree(4, 2, 40, ("revolute", "ball", "prismatic"))
SERVICES = {
    "inverse_dynamics": "quu",
    "forward_dynamics": "quu",
    "mass_matrix": "q",
    "factor": "q",
    "solve": "qu",
    "bias": "qu",
    "gravity": "q",
    "forces": "qu",
    "centre_of_mass": "q",
    "momentum": "qu",
    "momentum_matrix": "q",
    "energies": "qu",
    "dissipated_power": "qu",
    "poses": "q",
    "twists": "qu",
    "inverse_derivatives": "quu",
    "forward_derivatives": "quu",
    "jacobian": "qn",
    "jacobian_rate": "qun",
}  # name: what it takes, q, speeds or the name of a body


class Left(NamedTuple):
    """What a number of calls has left behind."""

    references: dict[str, int]  # to things that calls touch; only those that changed
    blocks: int  # of Python's own memory
    memory: int  # bytes of the process

    @property
    def is_nothing(self) -> bool:
        return (
            not self.references and self.blocks <= SLACK_IN_BLOCKS and self.memory <= SLACK_IN_BYTES
        )


def state(model: ht.Model) -> tuple[np.ndarray, np.ndarray]:
    """Positions and speeds as they stand in memory of their own."""
    q, speeds = model.start()
    return np.array(q) + 0.1, np.array(speeds) + 0.2


def good_calls() -> dict[str, Callable[[], object]]:
    """Calls of all functions with what they expect, by their names."""
    d, f = ht.dynamics(MODEL), ht.evaluator(MODEL)
    q, u = state(MODEL)
    p = np.ones_like(q)
    given = {"q": q, "u": u, "n": MODEL.bodies[-1].name}
    out = np.empty_like(q), np.empty_like(p)
    found: dict[str, Callable[[], object]] = {
        "evaluator": lambda: f(q, p),
        "evaluate": lambda: ht.evaluate(MODEL, q, p),
        "evaluator, out": lambda: f(q, p, out),
        "evaluator, out=": lambda: f(q, p, out=out),
        "forward_dynamics, no forces given": lambda: d.forward_dynamics(q, u),
        "forces at a time": lambda: d.forces(q, u, t=0.5),
    }
    for name, letters in SERVICES.items():
        ask, arguments = getattr(d, name), [given[letter] for letter in letters]
        found[name] = lambda ask=ask, arguments=arguments: ask(*arguments)
    return found


def other_calls() -> dict[str, Callable[[], object]]:
    """Calls that are handed on to Python; most of them fail there."""
    d, f = ht.dynamics(MODEL), ht.evaluator(MODEL)
    q, u = state(MODEL)
    p = np.ones_like(q)
    bad = np.full_like(q, np.nan)
    out = np.empty_like(q), np.empty_like(p)
    return {
        "evaluator, lists": lambda: f(list(q), list(p)),
        "evaluator, wrong shape": failing(lambda: f(q[:2], p)),
        "evaluator, wrong number": failing(lambda: f(q)),
        "evaluator, unknown keyword": failing(lambda: f(q, p, into=out)),
        "evaluator, not finite": failing(lambda: f(bad, p)),
        "evaluator, out of another shape": failing(lambda: f(q, p, out=(out[0][:2], out[1]))),
        "evaluator, out, not finite": failing(lambda: f(bad, p, out)),
        "bias, not finite": failing(lambda: d.bias(bad, u)),
        "momentum, not finite": failing(lambda: d.momentum(bad, u)),
        "bias, wrong shape": failing(lambda: d.bias(q, u[:2])),
        "jacobian of no body": failing(lambda: d.jacobian(q, "nobody")),
        "jacobian of no name": failing(lambda: d.jacobian(q, 3)),
    }


def failing(call: Callable[[], object]) -> Callable[[], object]:
    """A call that must fail; the error is let go."""

    def attempt() -> None:
        try:
            call()
        except (ht.OptionError, TypeError):
            return
        raise AssertionError("the call did not fail")

    return attempt


def watched() -> dict[str, object]:
    """What direct calls take and give references to.

    The type of floats is not among them: NumPy 2.4 loses a reference to it in `np.zeros(n)`, which
    stands on the way of calls that fail.
    """
    return {
        "array": np.ndarray,
        "Derivatives": rigid_body.Derivatives,
        "TotalMomentum": rigid_body.TotalMomentum,
        "Factor": rigid_body.Factor,
        "none": None,
    }


def inside(call: Callable) -> dict[str, object]:
    """Arrays, functions and tuples that a call holds in its closure, and what they belong to."""
    cells = [*(call.__closure__ or ()), *(call.__defaults__ or ())]
    things = [getattr(cell, "cell_contents", cell) for cell in cells]
    found = {f"{k}": thing for k, thing in enumerate(things)}
    for k, thing in enumerate(things):
        if isinstance(thing, (tuple, list)):
            found |= {f"{k}.{j}": part for j, part in enumerate(thing)}
        elif isinstance(getattr(thing, "__self__", None), tuple):
            found |= {f"{k}.{j}": part for j, part in enumerate(thing.__self__)}
        elif callable(thing) and getattr(thing, "__closure__", None):
            found |= {f"{k}.{name}": part for name, part in inside(thing).items()}
    return found


def resident() -> int:
    return PAGE * int(MEMORY.read_text().split()[1]) if MEMORY.exists() else 0


def leave(call: Callable[[], object], count: int, **others: object) -> Left:
    """What `count` calls leave behind, after some that fill what Python and NumPy keep; `others`
    are watched too.
    """
    for _ in range(min(count, 200)):
        call()
    things = watched() | inside(call) | others
    gc.collect()
    references = {name: sys.getrefcount(thing) for name, thing in things.items()}
    blocks, memory = sys.getallocatedblocks(), resident()
    for _ in range(count):
        call()
    gc.collect()
    after = {name: sys.getrefcount(thing) for name, thing in things.items()}
    changed = {
        name: after[name] - references[name]
        for name in after
        if abs(after[name] - references[name]) > 5
    }
    return Left(changed, sys.getallocatedblocks() - blocks, resident() - memory)


# ---- no memory -----------------------------------------------------------------------------------
NewArray = ctypes.PYFUNCTYPE(ctypes.c_void_p, *[ctypes.c_void_p] * 8)


@contextmanager
def without_memory(function, failing_array: int | None):
    """For a while a built-in function finds no memory for the array of that number since it last
    found none; None: for no tuple.
    """
    table, counted = table_of(function), Counter(failing_array)
    before = table.copy()
    if failing_array is None:
        table[[direct.NEW_TUPLE, direct.NEW_OF_TYPE]] = python_function("PyErr_NoMemory")
    else:
        table[direct.NEW_ARRAY] = function_address(counted.allocate)
    try:
        yield
    finally:
        table[:] = before


class Counter:
    """NumPy's function that makes arrays, and fails once in a while as it would without memory. (An
    error cannot be left behind by a function of ctypes; the one for tuples leaves it.)
    """

    def __init__(self, failing: int | None):
        self.failing, self.count = failing, 0
        self.real = NewArray(numpy_functions()[NEW_FROM_DESCRIPTION])
        self.allocate = NewArray(self.try_to_allocate)

    def try_to_allocate(self, kind, dtype, axes, shape, strides, data, flags, owner):
        self.count += 1
        if self.count == self.failing:
            self.count = 0
            ctypes.pythonapi.Py_DecRef(ctypes.c_void_p(dtype))  # NumPy takes it in any case
            return None
        return self.real(kind, dtype, axes or 0, shape, strides, data, flags or 0, owner)


def main() -> Iterator[bool]:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    for name, call in (good_calls() | other_calls()).items():
        left = leave(call, count)
        print(
            f"{name:36} {left.blocks:6} blocks {left.memory:9} bytes {left.references}", flush=True
        )
        yield left.is_nothing


if __name__ == "__main__":
    sys.exit(0 if all([*main()]) else 1)
