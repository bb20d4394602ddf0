"""What an integrator is, and the state that it carries from step to step."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from hamiltree.integrators.tableaus import Tableau

# Entries of State.counts.
STEPS, CALLS, STATUS, WORST, FRESH = range(5)
# Statuses: what the driver says of them is in driver.py.
RUNNING, NOT_FINITE, NOT_CONVERGED = range(3)


class State(NamedTuple):
    """All that the next step depends on, so that a run may be cut anywhere: results are the same to the bit."""

    y: np.ndarray  # (m,) the state
    lost: np.ndarray  # (m,) what the sum y has lost to rounding so far
    slopes: np.ndarray  # stage slopes, or increments: the first guess of the next step
    stages: np.ndarray  # stage values, scratch
    fresh_slopes: np.ndarray  # scratch
    work: np.ndarray  # (1,) work of dampers and loads since the start
    work_lost: np.ndarray  # (1,) its compensation
    counts: np.ndarray  # STEPS, CALLS (of rates), STATUS, WORST (row of the state that failed), FRESH (no first guess yet)


@dataclass(frozen=True)
class Integrator:
    """Coefficients and one compiled `advance` written in verbs; `needs` are the verbs it asks for."""

    name: str
    order: int
    reference: str
    is_explicit: bool
    is_symplectic: bool
    is_symmetric: bool
    needs: tuple
    width: int  # lanes of the Work it evaluates in
    evaluations_per_call: int  # right-hand sides computed by one call of rates
    method: NamedTuple = field(repr=False)
    advance: Callable = field(repr=False)  # (handle, method, state, t0, first, h, steps, save_every, samples) -> samples written
    start: Callable = field(repr=False)  # (y, method) -> State

    @property
    def traits(self) -> str:
        claims = {"explicit": self.is_explicit, "symplectic": self.is_symplectic, "symmetric": self.is_symmetric}
        return ", ".join(word for word, holds in claims.items() if holds)


def from_tableau(tableau: Tableau, **rest) -> Integrator:
    """An integrator whose traits are those that its tableau derives."""
    return Integrator(
        tableau.name, tableau.order, tableau.reference, tableau.is_explicit, tableau.is_symplectic, tableau.is_symmetric, **rest
    )


def new_state(y: np.ndarray, slopes: np.ndarray, stages: np.ndarray, fresh_slopes: np.ndarray) -> State:
    """The state before the first step, with the scratch that a family needs."""
    counts = np.zeros(5, dtype=np.int64)
    counts[FRESH] = 1
    return State(y.copy(), np.zeros_like(y), slopes, stages, fresh_slopes, np.zeros(1), np.zeros(1), counts)
