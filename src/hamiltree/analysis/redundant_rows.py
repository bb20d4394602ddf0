"""Redundant rows: which constraint rows can make up for each other, and the bodies between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hamiltree.assembly.joint_rows import RowSpec


class Loop(NamedTuple):
    """Rows that can make up for each other, and the bodies between them."""

    kept: list[int]
    dropped: list[int]
    bodies: list[int]


def redundant_loops(
    specs: Sequence[RowSpec], is_kept: np.ndarray, body_row: dict[str, int]
) -> list[Loop]:
    """Groups of rows that are connected with redundant ones by bodies."""
    rows: dict[Any, list[int]] = {}
    for row, spec in enumerate(specs):
        rows.setdefault(spec.part, []).append(row)
    found = []
    near = {} if is_kept.all() else touched_bodies(specs, body_row)
    for parts, bodies in connected_groups(prune_ends(near)):
        own = sorted(row for part in parts for row in rows[part])
        kept = [row for row in own if is_kept[row]]
        dropped = [row for row in own if not is_kept[row]]
        found.append(Loop(kept, dropped, sorted(bodies)))
    return [loop for loop in found if loop.dropped]


def touched_bodies(specs: Sequence[RowSpec], body_row: dict[str, int]) -> dict[Any, set[int]]:
    """Joint or constraint → the bodies that its rows act on."""
    near: dict[Any, set[int]] = {}
    for spec in specs:
        near.setdefault(spec.part, set()).update(
            body_row[x] for term in spec.terms for x in (term.i, term.j) if x in body_row
        )
    return near


def prune_ends(near: dict[Any, set[int]]) -> dict[Any, set[int]]:
    """Remove parts that alone hold a body, repeatedly: without a load they have no force, whatever
    the others do. In place.
    """
    touching: dict[int, set] = {}
    for part, bodies in near.items():
        for body in bodies:
            touching.setdefault(body, set()).add(part)
    ends = [body for body, parts in touching.items() if len(parts) == 1]
    while ends:
        for part in list(touching[ends.pop()]):
            for body in near.pop(part):
                touching[body].discard(part)
                ends += [body] * (len(touching[body]) == 1)
    return near


def connected_groups(near: dict[Any, set[int]]) -> Iterator[tuple[list, set[int]]]:
    """Parts that are joined by bodies, and these bodies."""
    while near:
        part, bodies = near.popitem()
        group = [part]
        while more := [other for other, touched in near.items() if touched & bodies]:
            bodies = bodies.union(*(near.pop(other) for other in more))
            group += more
        yield group, bodies
