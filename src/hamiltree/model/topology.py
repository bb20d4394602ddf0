"""Which joint carries which body: the spanning tree of a model, and the joints that close loops.

Joints are taken in the order of their declaration; one whose two ends are already connected closes
a loop, so of every loop the joint declared last is the closing one. The tree of the others is
walked depth first from the ground. No recursion: chains may be long.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from hamiltree.model.model import Model

GROUND_INDEX = -1


class Topology(NamedTuple):
    """The tree of a model in depth-first preorder; read-only arrays, all but `closing` with one
    entry per body in that order.
    """

    order: np.ndarray  # index in model.bodies
    parent: np.ndarray  # place of the parent in this order, < the own place; -1 = ground
    joint: np.ndarray  # index in model.joints of the joint towards the parent
    # True: that joint is declared with its child on the ground side; swap its frames and negate its
    # screws
    reversed: np.ndarray
    closing: np.ndarray  # indices in model.joints of the joints that close loops


def spanning_tree(model: Model) -> Topology:
    """The tree of the joints that close no loop, children in the order of declaration of their
    joints. O(N).
    """
    n, (parents, children) = len(model.bodies), model.joint_ends
    above = _joints_above(n, parents, children)
    if above is not None:
        return _order_of_declared_tree(parents, children, above)
    ends = parents.tolist(), children.tolist()
    closing, _ = closing_joints(n, *ends)
    return _depth_first_order(n, *ends, closing)


def find_joint_ends(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """For each joint the indices of its parent and child in model.bodies, -1 for the ground; a
    KeyError where there is no such body, or are two of one name.
    """
    index = {body.name: i for i, body in enumerate(model.bodies)}
    if len(index) < len(model.bodies):
        raise KeyError("two bodies of one name")
    index["ground"] = GROUND_INDEX
    find, n = index.__getitem__, len(model.joints)
    parents, children = (
        np.fromiter(map(find, map(attrgetter(end), model.joints)), np.int64, n)
        for end in ("parent", "child")
    )
    return _read_only(parents), _read_only(children)


def is_declared_tree(bodies: int, parents: np.ndarray, children: np.ndarray) -> bool:
    """Whether every joint brings a new child to the ground or to a body that an earlier joint has
    brought, and all bodies are brought: a tree without loops, as most models are.
    """
    return _joints_above(bodies, parents, children) is not None


def _joints_above(bodies: int, parents: np.ndarray, children: np.ndarray) -> np.ndarray | None:
    """Of a declared tree, for each joint the joint that has brought its parent, -1 for the ground;
    None if it is no such tree.
    """
    if len(children) != bodies or (children == GROUND_INDEX).any():
        return None
    brought_by = np.full(bodies + 1, bodies)  # the ground is the last entry
    brought_by[children] = np.arange(bodies)
    brought_by[GROUND_INDEX] = -1
    above = brought_by[parents]
    is_tree = (brought_by < bodies).all() and (above < np.arange(bodies)).all()
    return above if is_tree else None


def _order_of_declared_tree(
    parents: np.ndarray, children: np.ndarray, above: np.ndarray
) -> Topology:
    """The same order as `_depth_first_order`, by the sizes of branches: a branch is placed after
    those of its parent that were declared before it.
    """
    n, inner = len(above), above.tolist()
    size = [1] * (n + 1)  # of the branch of each joint; the ground is the last entry
    for joint in range(n - 1, -1, -1):
        size[inner[joint]] += size[joint]
    place, free = [0] * n, [0] * (n + 1)  # free: where the next branch of a body begins
    for joint, outer in enumerate(inner):
        here = free[outer]
        place[joint] = here
        free[outer] = here + size[joint]
        free[joint] = here + 1
    places = np.array([*place, GROUND_INDEX], dtype=np.int64)
    via = np.empty(n, dtype=np.int64)
    via[places[:-1]] = np.arange(n)
    return Topology(
        _read_only(children[via]),
        _read_only(places[above[via]]),
        _read_only(via),
        _read_only(np.zeros(n), bool),
        _read_only([]),
    )


def closing_joints(
    bodies: int, parents: list[int], children: list[int]
) -> tuple[list[int], list[int]]:
    """The joints whose ends were already connected by earlier ones, and the bodies' union-find
    forest (the ground is the last entry).
    """
    root = list(range(bodies + 1))
    size = [1] * (bodies + 1)
    closing = []
    for joint, (a, b) in enumerate(zip(parents, children, strict=True)):
        a, b = find_root(root, a % (bodies + 1)), find_root(root, b % (bodies + 1))
        if a == b:
            closing.append(joint)
            continue
        if size[a] < size[b]:
            a, b = b, a
        root[b] = a
        size[a] += size[b]
    return closing, root


def find_root(root: list[int], i: int) -> int:
    """The representative of i's group; halves the path on its way."""
    while root[i] != i:
        root[i] = root[root[i]]
        i = root[i]
    return i


def _depth_first_order(
    bodies: int, parents: list[int], children: list[int], closing: list[int]
) -> Topology:
    """Bodies from the ground outward, each branch to its end; joints that close a loop are left
    out.
    """
    neighbours = _neighbours(bodies, parents, children, closing)
    order = []
    parent = []
    via = []
    stack = [(joint, GROUND_INDEX, GROUND_INDEX) for joint in reversed(neighbours[GROUND_INDEX])]
    while stack:
        joint, inner, place = stack.pop()
        body = children[joint] if parents[joint] == inner else parents[joint]
        order.append(body)
        parent.append(place)
        via.append(joint)
        here = len(order) - 1
        stack.extend(
            [
                (next_joint, body, here)
                for next_joint in reversed(neighbours[body])
                if next_joint != joint
            ]
        )
    is_reversed = np.array(parents, dtype=np.int64)[via] == order
    return Topology(
        _read_only(order),
        _read_only(parent),
        _read_only(via),
        _read_only(is_reversed, bool),
        _read_only(closing),
    )


def _neighbours(
    bodies: int, parents: list[int], children: list[int], closing: list[int]
) -> list[list[int]]:
    """The tree joints at each body in the order of declaration; the ground is the last entry."""
    closed = set(closing)
    neighbours: list[list[int]] = [[] for _ in range(bodies + 1)]
    for joint, (a, b) in enumerate(zip(parents, children, strict=True)):
        if joint not in closed:
            neighbours[a].append(joint)
            neighbours[b].append(joint)
    return neighbours


def _read_only(values: object, dtype: type = np.int64) -> np.ndarray:
    array = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array
