"""Surfaces of STL files (binary or text) and OBJ files; other formats are not read.

Only files that a model names as the mesh of a body are opened.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from pathlib import Path

import numpy as np

from hamiltree.errors import FileError
from hamiltree.view.scene.parts import MeshData

MAX_BYTES = 2**28
STL_HEADER = 84
STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
READ_FORMATS = (".stl", ".obj")


@lru_cache(maxsize=256)
def read_mesh(path: str) -> MeshData:
    """The triangles of a file, equal vertices joined; a FileError says why it cannot be read."""
    file = Path(path)
    if file.suffix.lower() not in READ_FORMATS:
        raise FileError(f"{file.name}: meshes are read from STL and OBJ files")
    try:
        if file.stat().st_size > MAX_BYTES:
            raise FileError(f"{file.name}: larger than {MAX_BYTES // 2**20} MB")
        content = file.read_bytes()
    except OSError as error:
        raise FileError(f"{file.name}: {error.strerror}") from None
    try:
        corners = _obj_corners(content) if file.suffix.lower() == ".obj" else _stl_corners(content)
    except (ValueError, IndexError, struct.error):
        raise FileError(f"{file.name}: not a readable mesh") from None
    if not len(corners) or not np.isfinite(corners).all():
        raise FileError(f"{file.name}: has no triangles, or numbers that are not finite")
    return join_vertices(corners)


def join_vertices(corners: np.ndarray) -> MeshData:
    """Triangles (m, 3, 3) as vertices and indices, each vertex once."""
    vertices, index = np.unique(
        corners.reshape(-1, 3).astype(np.float32), axis=0, return_inverse=True
    )
    triangles = index.reshape(-1, 3)
    a, b, c = triangles.T
    is_proper = (a != b) & (b != c) & (a != c)
    return MeshData(vertices, triangles[is_proper].astype(np.uint32))


def _stl_corners(content: bytes) -> np.ndarray:
    """(m, 3, 3) of a binary file, which says its own length, or of a text."""
    if len(content) >= STL_HEADER:
        (count,) = struct.unpack_from("<I", content, STL_HEADER - 4)
        if len(content) == STL_HEADER + count * STL_TRIANGLE.itemsize:
            table = np.frombuffer(content, STL_TRIANGLE, count, STL_HEADER)
            return table["corners"].astype(float)
    lines = content.decode("ascii", "replace").split("\n")
    rows = [line.split()[1:4] for line in lines if line.lstrip().startswith("vertex")]
    return np.array(rows, dtype=float).reshape(-1, 3, 3)


def _obj_corners(content: bytes) -> np.ndarray:
    """(m, 3, 3): polygons as fans of triangles; negative indices count from the end."""
    points: list[list[str]] = []
    faces: list[tuple[int, int, int]] = []
    for line in content.decode("utf-8", "replace").split("\n"):
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            points.append(words[1:4])
        elif words[0] == "f":
            corner = [int(word.partition("/")[0]) for word in words[1:]]
            place = [k - 1 if k > 0 else len(points) + k for k in corner]
            faces += [(place[0], place[k], place[k + 1]) for k in range(1, len(place) - 1)]
    return np.array(points, dtype=float)[np.array(faces, dtype=int).reshape(-1, 3)]


def simplify(mesh: MeshData, most: int) -> MeshData:
    """At most about `most` triangles: vertices of one cell of a grid become one, ever coarser."""
    cells = 256
    found = mesh
    extent = float(np.ptp(mesh.vertices, axis=0).max())
    while len(found.triangles) > most and cells > 4 and extent > 0.0:
        low = mesh.vertices.min(axis=0)
        cell = np.floor((mesh.vertices - low) / extent * cells).astype(np.int64)
        _, first, index = np.unique(cell, axis=0, return_index=True, return_inverse=True)
        merged = mesh.vertices[first][index.ravel()[mesh.triangles]]
        found = join_vertices(merged)
        cells = int(cells / 1.4)
    return found
