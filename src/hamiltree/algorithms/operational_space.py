"""Inertia of a point of a mechanism as it is felt there: Λ = (J M⁻¹ Jᵀ)⁻¹.

A wrench F = Λ ẍ at the point, beside nothing else, accelerates it by ẍ from rest. With loops, M⁻¹
is that of the manifold of the constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hamiltree.errors import OptionError, suggest

Array = np.ndarray
DIRECTIONS = ("wx", "wy", "wz", "vx", "vy", "vz")
# of the mobility of the body, without loops and units: rounding of J M⁻¹ Jᵀ leaves some 1e-15
LEAST_MOBILITY = 1e-12


def mobility(solve: Callable[[Array, Array], Array], q: Array, J: Array) -> Array:
    """J M⁻¹ Jᵀ, (…, k, k), of Jacobians (…, k, n) at one state or many."""
    count, n = J.shape[-2:]
    states = np.repeat(np.atleast_2d(q), count, axis=0)
    moved = solve(states, np.ascontiguousarray(J.reshape(-1, n))).reshape(J.shape)
    found = J @ np.swapaxes(moved, -1, -2)
    return 0.5 * (found + np.swapaxes(found, -1, -2))


def check_directions(along: Any) -> Array:
    """(k, 6): the directions of `along`, by name or as vectors; all six if None."""
    if along is None:
        return np.eye(6)
    names = (along,) if isinstance(along, str) else along
    if isinstance(names, Sequence) and names and all(isinstance(name, str) for name in names):
        for name in names:
            if name not in DIRECTIONS:
                raise OptionError(f"along: {name!r}; {suggest(name, DIRECTIONS)}")
        return np.eye(6)[[DIRECTIONS.index(name) for name in names]]
    try:
        found: Array = np.atleast_2d(np.asarray(along, dtype=float))
    except (TypeError, ValueError):
        found = np.zeros((1, 0))
    if found.ndim != 2 or found.shape[1] != 6 or not found.any(axis=1).all():
        raise OptionError(
            f"along = {along!r}; give names among {', '.join(DIRECTIONS)}, or vectors (k, 6) of "
            "rotation and displacement"
        )
    return found


def invert_mobility(
    found: Array, along: Any, length: float, name: str, without_loops: Array | None = None
) -> Array:
    """Λ along directions from the mobility of all six, (…, 6, 6); refused where the point cannot
    move along them all. `length` is that of the model; `without_loops` the mobility that the tree
    has without its loops, of which theirs is a difference.
    """
    directions = check_directions(along)
    scale = np.repeat([1.0, length], 3)
    plain = found / np.outer(scale, scale)
    whole = plain if without_loops is None else without_loops / np.outer(scale, scale)
    largest = np.trace(whole, axis1=-2, axis2=-1)
    sizes = np.linalg.norm(directions * scale, axis=1)
    units = directions * scale / sizes[:, None]
    chosen = units @ plain @ units.T
    values, vectors = np.linalg.eigh(chosen)
    stiff = ~(values > LEAST_MOBILITY * largest[..., None])
    if stiff.any():
        refuse_stiff_direction(stiff, name)
    inverse = vectors / values[..., None, :] @ np.swapaxes(vectors, -1, -2)
    return inverse / np.outer(sizes, sizes)


def refuse_stiff_direction(stiff: Array, name: str) -> None:
    """Say along how many of the directions the point can move."""
    states = np.atleast_2d(stiff)
    state = int(states.any(axis=1).argmax())
    count = states.shape[1]
    where = f" in state {state}" if stiff.ndim > 1 else ""
    raise OptionError(
        f"{name!r} can move along {count - int(states[state].sum())} of the {count} directions "
        f"asked for{where}, and its inertia along the others is infinite; name as many as it has "
        "with along=['vx', …], or take inverse_operational_inertia"
    )
