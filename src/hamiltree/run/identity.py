"""What bits depend on beside a checkpoint: the problem, the code, the machine."""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np

from hamiltree.compiled.fingerprint import function_hash
from hamiltree.compiled.internals import target
from hamiltree.compiled.user_code import UserCallback
from hamiltree.model import Model
from hamiltree.version import __version__, source_hash

SKIPPED_FIELDS = ("source", "name")  # of a problem: where it was read, what it is called
DIGITS = 16


def fingerprint(problem: Any) -> str:
    """Of a Model, a Hamiltonian or an Ode: all its numbers, names and formulas, and the code of the
    Python functions that it holds.
    """
    return hashlib.sha256(describe(problem).encode()).hexdigest()[:DIGITS]


def describe(part: Any) -> str:
    """A part of a problem as text, the same in every process."""
    if isinstance(part, UserCallback):
        return "compiled"  # of formulas, which stand beside it, or of functions of a user
    if isinstance(part, np.ndarray):
        inner = hashlib.sha256(np.ascontiguousarray(part).tobytes()).hexdigest()
        return f"array {part.shape} {part.dtype} {inner}"
    if isinstance(part, Mapping):
        return "{" + ", ".join(f"{describe(k)}: {describe(v)}" for k, v in part.items()) + "}"
    if isinstance(part, (tuple, list, set, frozenset)):
        inner = list(map(describe, part))
        return f"[{', '.join(sorted(inner) if isinstance(part, (set, frozenset)) else inner)}]"
    if hasattr(part, "__code__") or hasattr(part, "py_func"):
        return f"function {function_hash(part)}"
    if is_dataclass(part) and not isinstance(part, type):
        names = [field.name for field in fields(part) if field.name not in SKIPPED_FIELDS]
        own = (f"{name}={describe(getattr(part, name))}" for name in names)
        return f"{type(part).__name__}({', '.join(own)})"
    if isinstance(part, Model):
        kept = {name: value for name, value in vars(part).items() if not name.startswith("_")}
        return f"Model({describe(kept)})"
    if part is None or isinstance(part, (bool, int, float, str, bytes, np.generic)):
        return repr(part.item() if isinstance(part, np.generic) else part)
    return f"{type(part).__module__}.{type(part).__qualname__}"


@cache
def machine_name() -> str:
    """The system and the processor, by which compiled code differs."""
    return f"{platform.system()} {platform.machine()}, {target()[1]}"


def code_identity() -> dict[str, str]:
    """What computes: with the same, the same numbers have the same bits."""
    return {
        "hamiltree": f"{__version__} ({source_hash()})",
        "python": ".".join(map(str, sys.version_info[:2])),
        "numpy": version("numpy"),
        "numba": version("numba"),
        "machine": machine_name(),
    }


def differences(of_run: Mapping[str, str], here: Mapping[str, str]) -> list[str]:
    """What computes otherwise here than where a run was made, in words."""
    return [
        f"{name} {of_run.get(name, 'unknown')} there, {value} here"
        for name, value in here.items()
        if of_run.get(name) != value
    ]
