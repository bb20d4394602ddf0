"""The trees of a model: which bodies each has, and which of them nothing anchors in space."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hamiltree.model.bodies import GROUND
from hamiltree.model.joints import Joint
from hamiltree.model.model import Model
from hamiltree.model.topology import Topology


@dataclass(frozen=True, eq=False)
class Trees:
    """Found once per model, in O(N)."""

    model: Model
    topology: Topology

    @cached_property
    def roots(self) -> np.ndarray:
        """(trees,): places of the first bodies in the order of the topology."""
        return np.flatnonzero(self.topology.parent < 0)

    @property
    def count(self) -> int:
        return len(self.roots)

    @cached_property
    def of_body(self) -> np.ndarray:
        """(bodies,): the tree of each body."""
        found = np.zeros(len(self.model.bodies), dtype=np.int64)
        found[self.topology.order] = np.cumsum(self.topology.parent < 0) - 1
        return found

    @cached_property
    def root_joints(self) -> list[int]:
        """(trees,): the joint of each tree to the ground, by its index."""
        return self.topology.joint[self.roots].tolist()

    @cached_property
    def is_unanchored(self) -> np.ndarray:
        """(trees,): the tree is joined to the ground by a joint that holds no point of it, and
        nothing acts along the coordinates of that joint.
        """
        used = named_joints(self.model)
        joints = [self.model.joints[k] for k in self.root_joints]
        return np.array([is_unanchored(joint) and joint.name not in used for joint in joints])

    def sum_over(self, values: np.ndarray) -> np.ndarray:
        """(trees, …): sums of values of the bodies."""
        found = np.zeros((self.count, *values.shape[1:]))
        np.add.at(found, self.of_body, values)
        return found

    def extents(self, points: np.ndarray, of_body: np.ndarray) -> np.ndarray:
        """(trees,): the largest distance along an axis of the world between points of a tree, given
        by their bodies.
        """
        low = np.full((self.count, 3), np.inf)
        high = np.full((self.count, 3), -np.inf)
        tree = self.of_body[of_body]
        np.minimum.at(low, tree, points)
        np.maximum.at(high, tree, points)
        return (high - low).max(axis=1)


def is_unanchored(joint: Joint) -> bool:
    """Whether a joint lets its child move anywhere without resistance."""
    return joint.is_unanchored and joint.parent == GROUND and not any(joint.armatures())


def named_joints(model: Model) -> set[str]:
    """Joints along whose coordinates a force, a coupling or a constraint acts."""
    found: set[str] = set()
    for part in (*model.forces, *model.constraints, *model.couplings):
        for field in ("joint", "of"):
            name = getattr(part, field, None)
            if isinstance(name, str):
                found |= {name, name.rpartition(".")[0]}
    return found
