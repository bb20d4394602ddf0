"""The topology of a model as rows: bodies from the ground outward with their numbers, parents and
joints, and what closes loops.

Bodies are numbered as they are declared, from 1; 0 is the ground. In a large model, bodies that
follow each other without a branch are one row. Nothing recurses.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hamiltree.model import GROUND, Model
from hamiltree.model.constraints import BetweenBodies
from hamiltree.model.topology import spanning_tree

GROUND_ROW = -1
KEPT_AT_ENDS = 2  # bodies that stay at either end of a row of many
SHORTEST_RUN = 3  # fewer bodies between them are not worth one row


class Row(NamedTuple):
    """A body, or `hidden` > 0 bodies that follow each other."""

    number: int  # place in model.bodies, from 1
    name: str
    parent: int  # row of the parent; −1 for the ground
    parent_number: int
    joint: str
    kind: str
    hidden: int = 0


class Link(NamedTuple):
    """What connects two bodies beside the tree: a closing joint, or a constraint."""

    name: str
    kind: str
    rows: tuple[int, int]  # −1 for the ground
    bodies: tuple[str, str]


class Outline(NamedTuple):
    rows: list[Row]
    closing: list[Link]
    constraints: list[Link]  # between two bodies


def outline(model: Model, most: int) -> Outline:
    """Rows of a model; with more than `most` bodies, long rows of bodies become one."""
    topology = spanning_tree(model)
    parent = topology.parent.tolist()
    closing = [model.joints[j] for j in topology.closing]
    links = [(joint.name, joint.kind, joint.parent, joint.child) for joint in closing]
    ties = [
        (part.name, part.kind, part.body_a, part.body_b)
        for part in model.constraints
        if isinstance(part, BetweenBodies)
    ]
    place = {model.bodies[b].name: k for k, b in enumerate(topology.order)}
    hidden = np.zeros(len(parent), dtype=bool)
    if len(parent) > most:
        ends = {end for _, _, *pair in (*links, *ties) for end in pair if end != GROUND}
        hidden = hide_runs(parent, {place[name] for name in ends})
    rows, row_of = collect_rows(model, topology, parent, hidden)
    row_of_body = {GROUND: GROUND_ROW, **{name: row_of[k] for name, k in place.items()}}

    def link(name: str, kind: str, a: str, b: str) -> Link:
        return Link(name, kind, (row_of_body[a], row_of_body[b]), (a, b))

    return Outline(rows, [link(*each) for each in links], [link(*each) for each in ties])


def hide_runs(parent: list[int], keep: set[int]) -> np.ndarray:
    """Which bodies, in tree order, lie inside long rows without a branch."""
    n = len(parent)
    children = np.bincount(np.array(parent) + 1, minlength=n + 1)[1:]
    hidden = np.zeros(n, dtype=bool)
    first = 0
    for k in range(1, n + 1):
        # a run goes on where the body before has this one as its only child
        if k < n and parent[k] == k - 1 and children[k - 1] == 1 and not {k, k - 1} & keep:
            continue
        inside = slice(first + KEPT_AT_ENDS, k - KEPT_AT_ENDS)
        if inside.stop - inside.start >= SHORTEST_RUN:
            hidden[inside] = True
        first = k
    return hidden


def collect_rows(
    model: Model, topology, parent: list[int], hidden: np.ndarray
) -> tuple[list[Row], list[int]]:
    """Rows, and the row of each body in tree order."""
    rows: list[Row] = []
    row_of: list[int] = []
    for k, body in enumerate(topology.order.tolist()):
        joint = model.joints[topology.joint[k]]
        inner = parent[k]
        if hidden[k] and k > 0 and hidden[k - 1]:
            rows[-1] = rows[-1]._replace(hidden=rows[-1].hidden + 1)
        else:
            rows.append(
                Row(
                    body + 1,
                    model.bodies[body].name,
                    row_of[inner] if inner >= 0 else GROUND_ROW,
                    int(topology.order[inner]) + 1 if inner >= 0 else 0,
                    joint.name,
                    joint.kind,
                    int(hidden[k]),
                )
            )
        row_of.append(len(rows) - 1)
    return rows, row_of
