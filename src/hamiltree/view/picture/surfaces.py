"""Unit shapes of a scene as faces of four corners, and the edges between two faces.

A vertex of a shape stretched by `size` is unit · size + (0, 0, shift · straight): of a capsule the
half balls keep their shape and are shifted apart by the length of its straight part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from hamiltree.view.scene.parts import MeshData, Solid

ROUNDING = 1e-6  # of the extent: vertices nearer than that are one
CAP_RINGS = 3  # of a half ball
MAX_PIECES = 30  # along a long shape, so that nearer things can be drawn over parts of it


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Faces of corners (three with the last one twice), seen from outside anticlockwise."""

    vertices: np.ndarray  # (v, 3)
    faces: np.ndarray  # (f, 4)
    edges: np.ndarray  # (e, 4): two vertices, two faces; −1 where there is no second face


def surface_of(solid: Solid, meshes: list[Surface], sides: int, piece: float) -> Surface:
    """The surface of a solid in the axes of its body; pieces of about the length `piece`."""
    size = np.array(solid.size)
    if solid.kind == "mesh":
        unit, stretched = meshes[solid.mesh], meshes[solid.mesh].vertices * size
        faces = unit.faces if np.prod(size) > 0.0 else unit.faces[:, ::-1]
    elif solid.kind == "box":
        unit = unit_box(*(count_pieces(edge, piece) for edge in solid.size))
        stretched, faces = unit.vertices * size, unit.faces
    else:
        unit, shift = unit_round(solid.kind, sides, count_pieces(solid.size[2], piece))
        straight = 0.0
        if solid.kind == "capsule":
            size, straight = np.full(3, size[0]), size[2]
        stretched, faces = unit.vertices * size, unit.faces
        stretched[:, 2] += shift * straight
    placed = stretched @ solid.frame.matrix.T + np.array(solid.frame.position)
    return Surface(placed, faces, unit.edges)


def count_pieces(length: float, piece: float) -> int:
    return int(np.clip(round(length / piece), 1, MAX_PIECES))


@lru_cache(maxsize=64)
def unit_round(kind: str, sides: int, pieces: int) -> tuple[Surface, np.ndarray]:
    """A cylinder or capsule of diameter 1 about z, and the shift of each vertex."""
    along = np.linspace(-0.5, 0.5, pieces + 1)
    if kind == "cylinder":
        rings = [(0.0, -0.5, 0.0), *((0.5, z, 0.0) for z in along), (0.0, 0.5, 0.0)]
    else:
        quarter = np.linspace(0.0, 0.5 * np.pi, CAP_RINGS + 1)
        cap = [(0.5 * np.cos(a), 0.5 * np.sin(a)) for a in quarter]
        lower = [(r, -z, -0.5) for r, z in reversed(cap[1:])]
        rings = [*lower, *((0.5, 0.0, z) for z in along), *((r, z, 0.5) for r, z in cap[1:])]
    angles = 2.0 * np.pi * np.arange(sides) / sides
    circle = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(sides)])
    vertices = np.concatenate([r * circle + (0.0, 0.0, z) for r, z, _ in rings])
    shift = np.repeat([s for *_, s in rings], sides)
    first = np.arange(sides)
    after = np.roll(first, -1)
    band = np.column_stack([first, after, after + sides, first + sides])
    faces = np.concatenate([band + k * sides for k in range(len(rings) - 1)])
    apart = vertices + shift[:, None] * (0.0, 0.0, 1.0)
    return Surface(vertices, faces, edges_between(apart, faces)), shift


@lru_cache(maxsize=64)
def unit_box(*pieces: int) -> Surface:
    """A box of edges 1, its faces cut into pieces along x, y, z."""
    corners = []
    for axis, side in product(range(3), (-0.5, 0.5)):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        for i, j in product(range(pieces[one]), range(pieces[other])):
            quad = np.full((4, 3), side)
            quad[:, one] = np.array([i, i + 1, i + 1, i]) / pieces[one] - 0.5
            quad[:, other] = np.array([j, j, j + 1, j + 1]) / pieces[other] - 0.5
            corners.append(quad if side > 0 else quad[::-1])
    vertices = np.concatenate(corners)
    faces = np.arange(len(vertices)).reshape(-1, 4)
    return Surface(vertices, faces, edges_between(vertices, faces))


def surface_of_mesh(mesh: MeshData) -> Surface:
    vertices = mesh.vertices.astype(float)
    faces = mesh.triangles.astype(int)[:, [0, 1, 2, 2]]
    return Surface(vertices, faces, edges_between(vertices, faces))


def edges_between(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """(e, 4): ends of each edge and the two faces beside it, −1 where there is one only."""
    extent = float(np.ptp(vertices, axis=0).max()) or 1.0
    cells = np.round((vertices - vertices.min(axis=0)) / (ROUNDING * extent)).astype(np.int64)
    _, first, same = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    joined = first[same.ravel()][faces]
    ends = np.stack([joined, np.roll(joined, -1, axis=1)], axis=-1).reshape(-1, 2)
    owner = np.repeat(np.arange(len(faces)), 4)
    proper = ends[:, 0] != ends[:, 1]
    ends, owner = np.sort(ends[proper], axis=1), owner[proper]
    order = np.lexsort((owner, ends[:, 1], ends[:, 0]))
    ends, owner = ends[order], owner[order]
    is_first = np.ones(len(ends), dtype=bool)
    is_first[1:] = (ends[1:] != ends[:-1]).any(axis=1)
    start = np.flatnonzero(is_first)
    has_second = np.append(~is_first[1:], False)[start]
    second = np.where(has_second, owner[np.minimum(start + 1, len(owner) - 1)], -1)
    return np.column_stack([ends[start], owner[start], second])
