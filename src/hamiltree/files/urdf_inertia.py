"""Inertias of URDF files that no mass distribution has: which are rounding, which a merged body
makes good, and the nearest one that some distribution has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from hamiltree.errors import ModelError, spell_option
from hamiltree.files.urdf_tree import Connection, Link, combine_links, merge_fixed_links
from hamiltree.model.bodies import Body
from hamiltree.model.values import INERTIA_TOLERANCE

ROUNDING = np.finfo(float).eps.item()  # of mass · size², the moments that a robot is made of


def is_physical(mass: float, tensor: np.ndarray) -> bool:
    """Whether a Body takes it."""
    try:
        Body("whole", mass, inertia=tensor.tolist())
    except ModelError:
        return False
    return True


def clear_rounding(tensor: np.ndarray, mass: float, size: float) -> np.ndarray:
    """No inertia instead of an impossible one whose every entry is rounding of mass · size², `size`
    a length of the whole robot; any other as it is.
    """
    is_rounding = np.abs(tensor).max() <= ROUNDING * mass * size**2
    return np.zeros((3, 3)) if is_rounding and not is_physical(mass, tensor) else tensor


def size_of(links: Iterable[Link], joints: Iterable[Connection]) -> float:
    """The largest distance that a file gives: of a joint in its parent, of a centre of mass in its
    link.
    """
    places = [joint.origin.position for joint in joints] + [link.com for link in links]
    return max(float(np.linalg.norm(place)) for place in places)


def repair(tensor: np.ndarray, mass: float) -> np.ndarray:
    """The nearest tensor whose second moments S = tr(I)/2 - I are not negative; none at all for a
    body without mass.
    """
    values, vectors = np.linalg.eigh(0.5 * np.trace(tensor) * np.eye(3) - tensor)
    # as a Body asks: S1 + S2 is the largest moment
    has_moments = 2 * values[0] >= -INERTIA_TOLERANCE * (values[1] + values[2])
    if (has_moments and mass > 0.0) or not tensor.any():
        return tensor
    kept = (vectors * np.maximum(values, 0.0)) @ vectors.T if mass > 0.0 else np.zeros((3, 3))
    return np.trace(kept) * np.eye(3) - 0.5 * (kept + kept.T)


def is_physical_merged(
    links: dict[str, Link], below: dict[str, list[Connection]], root: str
) -> bool:
    """Whether every body is physical once the links on fixed joints are one body."""
    copies = {name: replace(link) for name, link in links.items()}
    merge_fixed_links(copies, below, root)
    members: dict[str, list[Link]] = {}
    for link in copies.values():
        members.setdefault(link.top, []).append(link)
    wholes = (combine_links(parts) for parts in members.values())
    return all(is_physical(mass, tensor) for mass, _, tensor in wholes)


def describe_remedy(could_merge: bool) -> str:
    """What to load with. Merging is exact and goes first; a repair changes the motion."""
    by_repair = f"{spell_option('inertia', 'repair')}, which changes the motion"
    if could_merge:
        by_merging = f"{spell_option('merge_fixed')}, which is exact"
        return f"or load with {by_merging}, or with {by_repair}"
    return f"or load with {by_repair}"
