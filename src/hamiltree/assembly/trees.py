"""The trees of a model: which bodies each has, which of them nothing anchors in space, and which
groups of them are free: nothing of a free group is fixed in space, so that its motion is the same
for every observer who moves uniformly.

Trees that act on each other belong to one group. Uniform gravity and loads that are the same
everywhere are allowed; a central field, drag, a prescribed motion and everything attached to the
ground are not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hamiltree.model.bodies import GROUND
from hamiltree.model.elements import Gravitation
from hamiltree.model.model import Model
from hamiltree.model.pair_force import PairForce
from hamiltree.model.topology import Topology, spanning_tree


@dataclass(frozen=True, eq=False)
class Trees:
    """Found once per model, in O(N)."""

    model: Model
    topology: Topology
    roots: np.ndarray  # (trees,) places of the first bodies in the order of the topology
    root_joints: list[int]  # (trees,) the joint of each tree to the ground, by its index
    of_body: np.ndarray  # (bodies,) the tree of each body
    is_unanchored: np.ndarray  # (trees,) nothing holds a point of the tree in space

    @property
    def count(self) -> int:
        return len(self.roots)

    @cached_property
    def free_groups(self) -> list[list[int]]:
        """The trees of each free group."""
        return self.groups_without(())

    def groups_without(self, ignored: type | tuple[type, ...]) -> list[list[int]]:
        """The trees of each group that would be free without forces of these kinds."""
        if ignored and not any(isinstance(force, ignored) for force in self.model.forces):
            return self.free_groups
        count = self.count
        root = list(range(count + 1))  # the last entry is what is fixed in space

        def find(k: int) -> int:
            while root[k] != k:
                root[k] = root[root[k]]
                k = root[k]
            return k

        for first, *others in links_between(self, ignored):
            for other in others:
                root[find(other)] = find(first)
        groups: dict[int, list[int]] = {}
        for tree in range(count):
            groups.setdefault(find(tree), []).append(tree)
        groups.pop(find(count), None)
        return list(groups.values())


def trees_of(model: Model) -> Trees:
    """Found once per model, and kept with it."""
    found = model.__dict__.get("_trees")
    if found is None:
        found = find_trees(model, spanning_tree(model))
        object.__setattr__(model, "_trees", found)
    return found


def find_trees(model: Model, topology: Topology) -> Trees:
    """The trees of a spanning tree, by their joints to the ground."""
    is_root = topology.parent < 0
    roots = np.flatnonzero(is_root)
    of_body = np.zeros(len(model.bodies), dtype=np.int64)
    of_body[topology.order] = np.cumsum(is_root) - 1
    root_joints = topology.joint[roots].tolist()
    return Trees(model, topology, roots, root_joints, of_body, find_unanchored(model, root_joints))


def find_unanchored(model: Model, root_joints: list[int]) -> np.ndarray:
    """(trees,): the tree is joined to the ground by a joint that holds no point of it, and nothing
    acts along the coordinates of that joint.
    """
    used = named_joints(model)
    found = [
        joint.is_unanchored
        and joint.parent == GROUND
        and joint.name not in used
        and not any(joint.armatures())
        for joint in (model.joints[k] for k in root_joints)
    ]
    return np.array(found, dtype=bool)


def named_joints(model: Model) -> set[str]:
    """Joints along whose coordinates a force, a coupling or a constraint acts."""
    names = [
        getattr(part, field)
        for part in (*model.forces, *model.constraints)
        for field, kind in part.references.items()
        if kind == "joint"
    ]
    names += [name for coupling in model.couplings for name in (coupling.joint, coupling.of)]
    return {*names, *(name.rpartition(".")[0] for name in names)}


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
            yield list(range(space)) or [space]
        elif not part.is_relative:
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
