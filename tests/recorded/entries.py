"""What a recorded run is: a call of simulate, or a question without a run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

SHORT = {"until": 0.1, "step": 5e-3}  # twenty steps
Numbers = dict[str, np.ndarray]


@dataclass(frozen=True)
class Run:
    """A call of simulate. `fails`: what the StepError says that ends it; its first steps count."""

    name: str
    make: Callable[[], Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    fails: str = ""


@dataclass(frozen=True)
class Question:
    """What a problem is asked at given states: ask(problem, q, speeds or momenta)."""

    name: str
    make: Callable[[], Any]
    ask: Callable[[Any, np.ndarray, np.ndarray], Numbers]
    many: int = 0  # states; 0: one alone
    has_momenta: bool = False  # in the place of speeds


def run(
    name: str,
    make: Callable[[], Any],
    formulation: str | None = None,
    integrator: str | None = None,
    **options: Any,
) -> Run:
    """Twenty steps of 5 ms unless the options say otherwise."""
    methods = {"formulation": formulation, "integrator": integrator}
    return Run(name, make, {**SHORT, **methods, **options})


def words(text: str) -> list[str]:
    return text.split()
