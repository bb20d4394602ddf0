"""An Engine for one model after the other: where they differ in the numbers of tables alone, these
are filled anew, and workspaces, addresses and observer stay.

A run must find it as if it were made of its own System: workspaces begin with what new ones hold.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamiltree.compiled.callback import Addresses
from hamiltree.compiled.number import WIDTH
from hamiltree.compiled.pointer import StructPointer
from hamiltree.integrators.integrator import Integrator
from hamiltree.run.engine import Engine, bind, fit_facts
from hamiltree.run.equations import ModelEquations
from hamiltree.run.observer import ModelObserver
from hamiltree.run.workspaces import WorkspaceSnapshot, arrays_in


class RefilledEngine(Engine):
    """Of models with the same parts by the same formulation and method."""

    def __init__(self, equations: ModelEquations, integrator: Integrator, system: Any):
        """With tables of its own, which no other System shares."""
        self.method = integrator
        super().__init__(equations, integrator, with_own_tables(system))
        self.tables = tables_in(self.system)
        self.arrays = [array for _, array in arrays_in(self.works)]

    def refill(self, equations: ModelEquations, integrator: Integrator, system: Any) -> bool:
        """Take the System of another model; False, and nothing has changed, if more than numbers
        differ.
        """
        system = fit_facts(system, integrator)
        is_alike = (
            self._first is not None  # else laws keep what cannot be put back
            and integrator is self.method
            and equations.formulation is self.equations.formulation
            and has_same_tables(self.system, system)
        )
        if not is_alike:
            return False
        workspace = equations.formulation.workspace
        new = (workspace(system, 1), workspace(system, WIDTH))
        snapshot = WorkspaceSnapshot.matching(self.arrays, new)
        if snapshot is None:
            return False
        for own, other in zip(self.tables, tables_in(system), strict=True):
            memory: Any = own.base
            memory[...] = other
        snapshot.restore()
        self._first = snapshot
        self.equations = equations
        self.integrator = bind(integrator, self.system)
        self.is_new = True
        assert isinstance(self.observe, ModelObserver)
        self.observe.take_model(equations.problem, equations.has_free_groups)
        return True


def tables_in(system: Any) -> list[np.ndarray]:
    return [array for _, array in arrays_in(system) if is_table(array)]


def is_table(array: np.ndarray) -> bool:
    """Numbers that may differ, not addresses and indices."""
    return array.dtype == np.float64


def with_own_tables(part: Any) -> Any:
    """The same structure whose tables are read-only views of memory that is nobody else's."""
    if isinstance(part, np.ndarray):
        return own_table(part) if is_table(part) else part
    if not isinstance(part, tuple):
        return part
    inner = [with_own_tables(entry) for entry in part]
    return type(part)(*inner) if hasattr(part, "_fields") else tuple(inner)


def own_table(table: np.ndarray) -> np.ndarray:
    made = table.copy().view()
    made.flags.writeable = table.flags.writeable
    return made


def has_same_tables(one: Any, other: Any) -> bool:
    """Whether two Systems differ at most in the numbers of their tables."""
    if isinstance(one, Addresses):
        return has_same_targets(one, other)
    if isinstance(one, np.ndarray):
        if not isinstance(other, np.ndarray) or one.shape != other.shape:
            return False
        if one.dtype != other.dtype:
            return False
        return is_table(one) or one.tobytes() == other.tobytes()
    if isinstance(one, tuple):
        if type(one) is not type(other) or len(one) != len(other):
            return False
        return all(map(has_same_tables, one, other))
    return type(one) is type(other) and one == other


def has_same_targets(one: Addresses, other: Any) -> bool:
    """Whether the same stands behind addresses: what is there is not filled anew."""
    if not isinstance(other, Addresses) or one.shape != other.shape:
        return False
    if np.array_equal(one, other):
        return True
    pairs = list(zip(one.targets, other.targets, strict=True))
    return all(
        isinstance(a, StructPointer) and isinstance(b, StructPointer) and is_same(a.parts, b.parts)
        for a, b in pairs
    )


def is_same(one: Any, other: Any) -> bool:
    """To the bit."""
    if isinstance(one, np.ndarray):
        is_array = isinstance(other, np.ndarray) and one.shape == other.shape
        return is_array and one.dtype == other.dtype and one.tobytes() == other.tobytes()
    if isinstance(one, tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(is_same, one, other))
    return type(one) is type(other) and one == other
