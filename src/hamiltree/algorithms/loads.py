"""Forces of a model on the links of its tree before they are projected on the speeds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hamiltree.algorithms.rigid_body import Dynamics


class Loads(NamedTuple):
    wrenches: np.ndarray  # (links, 6): torque about the link's origin, force; world axes
    efforts: np.ndarray  # (speeds,): of the laws along joint coordinates, N m or N


def loads_on_links(dynamics: Dynamics, q: np.ndarray, qdot: np.ndarray, t: float = 0.0) -> Loads:
    """What the model's forces do at a state, without gravity; links in the order of build_links."""
    tree = dynamics.tables.tree
    wrenches = np.zeros((dynamics.links, 6))
    efforts = np.zeros(dynamics.freedoms)
    dynamics.forces(q, qdot, t)  # leaves both parts in its workspace
    work = dynamics.workspace(1, False)
    if tree.body_laws.has_any:
        wrenches[:] = np.reshape(work.tree.wrench, (-1, 6))[: dynamics.links]
    if tree.joint_laws.has_any:
        axes = np.flatnonzero(tree.ball < 0)
        efforts[tree.speed[axes]] = np.ravel(work.ydot)[
            tree.layout.positions + tree.coordinate[axes]
        ]
    return Loads(wrenches, efforts)
