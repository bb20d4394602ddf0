"""A start in a singular position: which branch of the motion its speeds determine.

In a singular position several branches meet, and constraint rows depend on each other that beside
it do not. Speeds q̇ determine one of them if all joints have their speeds given, those that close
loops too, and if there are positions on both sides along q̇, beside which the constraints have their
full rank and to which q̇ is tangent.
"""

from __future__ import annotations

import numpy as np

from hamiltree.assembly.closing_starts import limits_of, read_joints
from hamiltree.assembly.kinematics import retract
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.assembly.row_rank import null_space, select_independent_rows
from hamiltree.errors import FitError

ASIDE = 1e-3  # rad, or parts of the size: how far to look along the speeds
# of that way: how far the branch may lie from it, and of the speeds: how far from its tangent
MAX_DEVIATION = 0.1


def choose_branch(mechanism: Mechanism, speeds: np.ndarray) -> Mechanism:
    """The same mechanism, in a singular position with the rows that are independent along the
    branch of these speeds; left as it is where they determine none.
    """
    if mechanism.singular_parts is None or not has_all_speeds(mechanism, speeds):
        return mechanism
    rows = rows_along(mechanism, speeds)
    if rows is None:
        return mechanism
    found = Mechanism(mechanism.model, mechanism.q, mechanism.t)
    found.is_on_branch = True
    found.__dict__.update(kept=rows, singular_parts=mechanism.singular_parts)
    return found


def has_all_speeds(mechanism: Mechanism, speeds: np.ndarray) -> bool:
    """Whether closing joints have the speeds that follow from those of the tree."""
    model = mechanism.model
    joints = [model.joint(name) for name in model.closing]
    own_q, own_speeds = model.start()
    if not (np.array_equal(own_q, mechanism.q) and np.array_equal(own_speeds, speeds)):
        return False
    return all(
        bool((np.abs(found[1] - joint.start()[1]) <= limits_of(mechanism, speeds, joint)[1]).all())
        for joint, found in zip(joints, read_joints(mechanism, speeds, joints), strict=True)
    )


def rows_along(mechanism: Mechanism, speeds: np.ndarray) -> np.ndarray | None:
    """The rows that are independent on both sides along the speeds; None where there is no such
    branch.
    """
    fastest = float(np.abs(speeds * mechanism.weights).max(initial=0.0))
    if fastest == 0.0:
        return None
    rows = None
    for side in (ASIDE, -ASIDE):
        beside = position_along(mechanism, speeds * (side / fastest))
        if beside is None:
            return None
        G = mechanism.scaled_jacobian_at(beside)
        there = select_independent_rows(G)
        if there.sum() <= mechanism.rank or not is_tangent(G, speeds * mechanism.weights):
            return None
        rows = there if rows is None else rows
    return rows


def position_along(mechanism: Mechanism, way: np.ndarray) -> np.ndarray | None:
    """The position on the branch after this way; None where that lies elsewhere. Driven
    coordinates move with the time, which is the same along the way: they are compared at the end
    only.
    """
    ahead = retract(mechanism.tree, mechanism.q, way)
    try:
        found = mechanism.without_drives().closed_positions(ahead, frozenset())
    except FitError:
        return None
    length = float(np.abs(way * mechanism.weights).max())
    dimension = mechanism.dimension_of_coordinate
    sizes = [
        mechanism.size if dimension[label] == "length" else 1.0
        for label in mechanism.model.coordinates
    ]
    off = np.abs((found - ahead) / sizes).max()
    return found if off <= MAX_DEVIATION * length else None


def is_tangent(G: np.ndarray, rates: np.ndarray) -> bool:
    """Whether rates keep the constraints, but for a small part."""
    free = null_space(G)
    left = rates - free @ (free.T @ rates)
    return bool(np.linalg.norm(left) <= MAX_DEVIATION * np.linalg.norm(rates))
