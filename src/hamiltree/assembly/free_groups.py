"""Groups of trees that are free: nothing of them is fixed in space, so that their motion is the
same for every observer who moves uniformly.

Trees that act on each other belong to one group. Uniform gravity and loads that are the same
everywhere are allowed; a central field, drag, a prescribed motion and everything attached to the
ground are not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from hamiltree.assembly.trees import Trees
from hamiltree.model.bodies import GROUND
from hamiltree.model.elements import Gravitation
from hamiltree.model.pair_force import PairForce
from hamiltree.model.topology import find_root


def free_groups(trees: Trees, ignored: type | tuple[type, ...] = ()) -> list[np.ndarray]:
    """The trees of each free group; of each that would be one without the forces that are
    ignored.
    """
    root = list(range(trees.count + 1))  # the last entry is what is fixed in space
    for linked in links_between(trees, ignored):
        merge(root, linked)
    fixed = find_root(root, trees.count)
    groups: dict[int, list[int]] = {}
    for tree in range(trees.count):
        groups.setdefault(find_root(root, tree), []).append(tree)
    return [np.array(group) for owner, group in groups.items() if owner != fixed]


def merge(root: list[int], linked: Iterable[int]) -> None:
    """Join what is linked, in a forest of union-find."""
    first, *others = [find_root(root, k) for k in linked]
    for other in others:
        root[find_root(root, other)] = find_root(root, first)


def links_between(trees: Trees, ignored: type | tuple[type, ...] = ()) -> Iterable[list[int]]:
    """Trees that a part connects; the number of trees stands for space."""
    model = trees.model
    space = trees.count
    of_body = {body.name: int(trees.of_body[k]) for k, body in enumerate(model.bodies)}
    of_body[GROUND] = space
    of_joint = {joint.name: of_body[joint.child] for joint in model.joints}
    yield from ([int(tree), space] for tree in np.flatnonzero(~trees.is_unanchored))
    for joint in map(model.joint, model.closing):
        yield [of_body[joint.parent], of_body[joint.child]]
    for part in (*model.forces, *model.constraints):
        if isinstance(part, ignored):
            continue
        named = [*named_trees(part, of_body, of_joint)]
        if isinstance(part, (PairForce, Gravitation)):
            yield list(range(trees.count)) or [space]
        elif not getattr(part, "is_relative", False):
            yield [*named, space] if named else list(range(space + 1))
        elif named:
            yield named
    for coupling in model.couplings:
        yield [of_joint[name.rpartition(".")[0] or name] for name in (coupling.joint, coupling.of)]


def named_trees(part: Any, of_body: dict[str, int], of_joint: dict[str, int]) -> Iterable[int]:
    """The trees of the joints and bodies that a part names."""
    for field, kind in part.references.items():
        name = getattr(part, field)
        if kind == "joint":
            yield of_joint[name if name in of_joint else name.rpartition(".")[0]]
        else:
            yield of_body[name]
