"""Workspaces as wholes: their arrays, what steps leave in them for the next step, and how they are
put back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hamiltree.compiled.callback import Addresses

WINDINGS = "windings"  # the field of a workspace with angles and their whole turns
LAW_STATES = ("law_state",)  # fields of a workspace with the addresses of what laws keep
# fields of a workspace that a step finds as the last one has left them
CARRIED_FIELDS = (WINDINGS, "trouble", "largest", "per_first")


def arrays_in(part: Any, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Every array of nested NamedTuples with the name of its field."""
    if isinstance(part, np.ndarray):
        yield name, part
    elif isinstance(part, tuple):
        for field, inner in zip(getattr(part, "_fields", [""] * len(part)), part, strict=True):
            yield from arrays_in(inner, field)


def carried_arrays(works: tuple) -> list[np.ndarray]:
    return [array for name, array in arrays_in(works) if name in CARRIED_FIELDS and array.size]


class SideState:
    """Computations beside the steps of a run, in its workspaces: observations, and steps that are
    taken again.

    Inside the `with` block the workspaces hold what these carry from call to call (winding
    numbers, …); after it, what the run carries.
    """

    def __init__(self, works: tuple):
        self.arrays = carried_arrays(works)
        self.begin()

    def begin(self) -> None:
        """Carry what the workspaces hold now."""
        self.own = [array.copy() for array in self.arrays]

    def __enter__(self) -> None:
        self.of_run = [array.copy() for array in self.arrays]
        for array, own in zip(self.arrays, self.own, strict=True):
            array[...] = own

    def __exit__(self, *error: Any) -> None:
        self.begin()
        for array, before in zip(self.arrays, self.of_run, strict=True):
            array[...] = before


def copy_arrays(part: Any) -> Any:
    """Nested NamedTuples with arrays of their own."""
    if isinstance(part, np.ndarray):
        return part.copy()
    if not isinstance(part, tuple):
        return part
    inner = [copy_arrays(entry) for entry in part]
    return type(part)(*inner) if hasattr(part, "_fields") else tuple(inner)


def keeps_law_state(works: tuple) -> bool:
    """Whether one of the laws keeps anything from call to call, such as lists of neighbours, behind
    addresses.
    """
    states = [
        array
        for name, array in arrays_in(works)
        if name in LAW_STATES and isinstance(array, Addresses)
    ]
    return any(state.parts for array in states for state in array.targets)


def windings_of(work: Any) -> np.ndarray:
    """Angles with their whole turns, which all parts of a workspace share; none: an empty array."""
    return next((array for name, array in arrays_in(work) if name == WINDINGS), np.zeros(0))


def share_windings(work: Any, windings: np.ndarray) -> Any:
    """The same workspace with these windings: a run counts turns once, for floats and lanes."""
    if not isinstance(work, tuple):
        return work
    names = getattr(work, "_fields", None)
    if names is None:
        return tuple(share_windings(part, windings) for part in work)
    return type(work)(
        *(
            windings if name == WINDINGS else share_windings(part, windings)
            for name, part in zip(names, work, strict=True)
        )
    )


class WorkspaceSnapshot:
    """The arrays of workspaces, and what they held at first; zeros need no copy."""

    def __init__(self, *works: Any):
        """Copy what is not zero in the workspaces."""
        self.empty: list[np.ndarray] = []
        self.filled: list[tuple[np.ndarray, np.ndarray]] = []
        for _, array in arrays_in(works):
            if not array.flags.writeable:
                continue
            if array.any():
                self.filled.append((array, array.copy()))
            elif array.size:
                self.empty.append(array)

    @classmethod
    def matching(cls, arrays: list[np.ndarray], new: tuple) -> WorkspaceSnapshot | None:
        """Arrays of workspaces that are to begin with what new ones hold; None if these have other
        shapes.
        """
        pairs = [(own, other) for own, (_, other) in zip(arrays, arrays_in(new), strict=True)]
        if any(a.shape != b.shape or a.dtype != b.dtype for a, b in pairs):
            return None
        made = cls()
        made.filled = [(a, b) for a, b in pairs if a.flags.writeable]
        return made

    def restore(self) -> None:
        for array in self.empty:
            array.fill(0)
        for array, first in self.filled:
            array[...] = first


class PreservedWorkspaces:
    """Workspaces as they are, put back when steps were taken again: these must leave no trace."""

    def __init__(self, works: tuple):
        self.works = works

    def __enter__(self) -> None:
        self.before = WorkspaceSnapshot(*self.works)

    def __exit__(self, *error: Any) -> None:
        self.before.restore()
