"""(q̇, ṗ) at given states, without a run: for one state, or for many in one call."""

import weakref
from typing import Any

import numpy as np

from hamiltree.algebra.handle import Handle, bound
from hamiltree.algebra.number import WIDTH
from hamiltree.errors import OptionError
from hamiltree.formulations import find_formulation
from hamiltree.formulations.entries import rates_of_pair, rates_of_pairs
from hamiltree.model import Model

FLOAT = np.dtype(float)


class Evaluator:
    """A model bound to its compiled equations: `f(q, p)` gives (q̇, ṗ), arrays of the same shape as q and p.

    One state is (n,); k states are (k, n) and are computed four at a time.
    """

    def __init__(self, model: Model, formulation: str = "hamiltonian_tree"):
        chosen = find_formulation(formulation)
        system = chosen.assemble(model)
        self.names = model.coordinates
        self.positions, self.momenta = system.layout
        rows = self.positions + self.momenta
        self.one = Handle(system, chosen.workspace(system, 1), np.zeros(rows), np.zeros(rows))
        self.four = Handle(system, chosen.workspace(system, WIDTH), np.zeros((rows, WIDTH)), np.zeros((rows, WIDTH)))
        state = np.zeros(self.positions), np.zeros(self.momenta)
        self.call = bound(rates_of_pair, self.one, *state, *state)

    def __call__(self, q: Any, p: Any) -> tuple[np.ndarray, np.ndarray]:
        try:
            plain = q.dtype is FLOAT and p.dtype is FLOAT and q.flags.c_contiguous and p.flags.c_contiguous
            if plain and q.shape == (self.positions,) and p.shape == (self.momenta,):
                qdot, pdot = np.empty(self.positions), np.empty(self.momenta)
                if self.call(self.one, q, p, qdot, pdot):
                    return qdot, pdot
                self.refuse(q, p, qdot, pdot)
        except AttributeError:
            pass
        return self.evaluate_checked(q, p)

    def evaluate_checked(self, q, p) -> tuple[np.ndarray, np.ndarray]:
        """Anything that is not one state in two ready arrays."""
        q, p = self.states(q, "q", self.positions), self.states(p, "p", self.momenta)
        if q.ndim == p.ndim == 1:
            return self(q, p)
        if q.ndim != p.ndim or len(q) != len(p):
            raise OptionError(f"q has shape {q.shape} and p has shape {p.shape}; give as many states of one as of the other")
        qdot, pdot = np.empty_like(q), np.empty_like(p)
        rates_of_pairs(self.four, q, p, qdot, pdot)
        if not (np.isfinite(qdot).all() and np.isfinite(pdot).all()):
            self.refuse(q, p, qdot, pdot)
        return qdot, pdot

    def refuse(self, q, p, qdot, pdot) -> None:
        """Say which number is not finite."""
        for name, values in (("q", q), ("p", p), ("the rate of q", qdot), ("the rate of p", pdot)):
            bad = np.argwhere(~np.isfinite(np.atleast_2d(values)))
            if len(bad):
                state = f" in state {bad[0][0]}" if values.ndim == 2 else ""
                why = "" if values is q or values is p else "; the mass matrix is singular there, or the rates overflow"
                raise OptionError(f"{name} of joint '{self.names[bad[0][1]]}' is not finite{state}{why}")

    def states(self, values, name: str, length: int) -> np.ndarray:
        try:
            array = np.ascontiguousarray(values, dtype=float)
        except (TypeError, ValueError):
            raise OptionError(f"{name} must be numbers, got {values!r}") from None
        if array.ndim not in (1, 2) or array.shape[-1] != length:
            raise OptionError(f"{name} has shape {array.shape}; expected ({length},) or (states, {length}), in the order {', '.join(self.names[:8])}")
        return array


EVALUATORS: dict[tuple[int, str], Evaluator] = {}


def evaluate(model: Model, q, p, formulation: str = "hamiltonian_tree") -> tuple[np.ndarray, np.ndarray]:
    """(q̇, ṗ) of a model at positions q and momenta p: (n,) for one state, (k, n) for k states. A model is bound on first use."""
    evaluator = EVALUATORS.get((id(model), formulation))
    if evaluator is None:
        evaluator = EVALUATORS[id(model), formulation] = Evaluator(model, formulation)
        weakref.finalize(model, EVALUATORS.pop, (id(model), formulation), None)
    return evaluator(q, p)
