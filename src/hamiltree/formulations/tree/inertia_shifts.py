"""Inertia moved between coupled links, so that each of them has a pivot in every position.

The rates ẋ of coupled links are equal, so that inertias s_i of their coordinates with Σ s_i = 0
change nothing of the coupled mass matrix Kᵀ M K. The innermost link, the carrier, gets what the
others lose: s_i = −(2 R_i + f), f > 0, makes their pivots R_i + s_i = −(R_i + f) at every state.
Eliminating a link with a negative pivot adds to the inertia of what is inside it, so that all other
pivots are no less than with that link locked. So every pivot differs from zero, and C M⁻¹ Cᵀ is
negative definite, if Kᵀ M K is positive definite: a link without inertia (the shaft of a motor, a
fingertip, a telescope's inner tubes) may lead or follow.
"""

import numpy as np

from hamiltree.formulations.tree.articulated_inertias_numpy import (
    link_frames,
    link_inertias_and_shifts,
)

MIN_COUPLED_INERTIA = 1e-6  # of what all coupled links move: a link with less of its own is shifted


def inertia_shifts(links, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Carrier of every link, −1 where it is not coupled, and f; both empty where every coupled link
    has an inertia of its own, which no position takes away.
    """
    n = len(links.parent)
    groups = [
        np.flatnonzero(links.leader == leader)
        for leader in np.unique(links.leader[links.leader != np.arange(n)])
    ]
    nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
    if not groups:
        return nothing
    own = links.spin**2 * links.inertia[:, 2, 2] + links.slide**2 * links.mass + links.armature
    moved = composite_scales(links, q)
    if all((own[group] > MIN_COUPLED_INERTIA * moved[group].sum()).all() for group in groups):
        return nothing
    carrier = np.full(n, -1, dtype=np.int64)
    floor = np.zeros(n)
    for group in groups:
        carrier[group] = group.min()
        floor[group] = power_of_two_near(moved[group].sum())
    return carrier, floor


def power_of_two_near(value: float) -> float:
    """So that rounding of the value does not reach a run's digits; 0 of 0."""
    return float(2.0 ** np.round(np.log2(value))) if value > 0.0 else 0.0


def composite_scales(links, q: np.ndarray) -> np.ndarray:
    """(links,) what each link moves with all joints beyond it locked, about any axis through its
    origin or along any, and its armature.
    """
    n = len(links.parent)
    frame, arm = link_frames(links, np.asarray(q, dtype=float))
    inertia, shift = link_inertias_and_shifts(links, frame, arm)
    for i in range(n - 1, -1, -1):
        parent = links.parent[i]
        if parent < n:
            inertia[parent] += shift[i].T @ inertia[i] @ shift[i]
    turning = np.trace(inertia[:, :3, :3], axis1=1, axis2=2)
    return links.spin**2 * turning + links.slide**2 * inertia[:, 3, 3] + links.armature
