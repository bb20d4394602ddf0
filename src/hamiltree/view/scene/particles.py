"""Particles of all bodies as one cloud, with the bonds inside each body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hamiltree.model.bodies import Body
from hamiltree.view.scene.colors import particle_colors
from hamiltree.view.scene.parts import ParticleCloud

NEIGHBOUR = 1.25  # of the nearest distance: particles of a body that are nearer have a bond
RADIUS = 0.24  # of the distance to the nearest particle of the body
MAX_BONDS = 30_000  # of all bodies; more are not drawn, the particles fill the picture
MAX_BONDED = 400  # particles of a body; a larger one is drawn without bonds


def particle_cloud(bodies: Sequence[Body], spacing: float) -> ParticleCloud | None:
    """All particles; None if no body has any. `spacing` is used for a particle that is alone."""
    having = [(k, body.particles) for k, body in enumerate(bodies) if body.particles is not None]
    if not having:
        return None
    kinds = tuple(dict.fromkeys(kind for _, group in having for kind in group.types))
    number = {kind: k for k, kind in enumerate(kinds)}
    bonds, radii, first = [], [], 0
    for _, group in having:
        positions = np.array(group.positions)
        pairs, radius = bonds_of(positions, spacing)
        bonds.append(pairs + first)
        radii.append(np.full(len(positions), radius))
        first += len(positions)
    pairs = np.concatenate(bonds)
    return ParticleCloud(
        body=np.concatenate([np.full(len(group), k) for k, group in having]),
        position=np.concatenate([np.array(group.positions) for _, group in having]),
        radius=np.concatenate(radii),
        kind=np.array([number[kind] for _, group in having for kind in group.types]),
        kinds=kinds,
        colors=particle_colors(kinds),
        bonds=pairs if len(pairs) <= MAX_BONDS else pairs[:0],
        hidden_bonds=0 if len(pairs) <= MAX_BONDS else len(pairs),
    )


def bond_notes(cloud: ParticleCloud | None) -> list[str]:
    if cloud is None or not cloud.hidden_bonds:
        return []
    return [f"{cloud.hidden_bonds:,} bonds are not drawn: a picture has at most {MAX_BONDS:,}."]


def bonds_of(positions: np.ndarray, spacing: float) -> tuple[np.ndarray, float]:
    """Pairs of near particles of one body, (m, 2), and the radius to draw them with."""
    count = len(positions)
    if count == 1 or count > MAX_BONDED:
        return np.zeros((0, 2), dtype=int), RADIUS * spacing
    distance = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    nearest = distance.min(axis=1)
    is_near = distance <= NEIGHBOUR * np.maximum(nearest[:, None], nearest[None])
    a, b = np.nonzero(np.triu(is_near, 1))
    return np.column_stack([a, b]), RADIUS * float(nearest.min())
