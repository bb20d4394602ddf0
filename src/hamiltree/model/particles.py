"""Particles of a rigid body: where they sit, what they weigh, of which type they are; from them
mass, centre, inertia, principal axes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations_with_replacement, permutations
from typing import Any, ClassVar

import numpy as np

from hamiltree.model.catalogues import explain_arguments
from hamiltree.model.dimensions import Declared
from hamiltree.model.values import (
    Matrix,
    Part,
    Vector,
    nonnegative,
    part_error,
    point,
    symmetric,
    text,
)

PARTICLES: Part = ("particles", "")
# of the extent of a body: two of its particles nearer than that are one that was given twice
COINCIDENCE_TOLERANCE = 1e-9
DIAGONAL_TOLERANCE = 1e-12  # of the largest moment: products of inertia below are round-off
IDENTITY_MATRIX: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
MANY_PARTICLES = 2000  # from here on overlaps are looked for in cells
SORT_DIRECTION = np.sqrt([0.2, 0.3, 0.5])  # a unit vector across no plane of a lattice


@explain_arguments
@dataclass(frozen=True, slots=True)
class Particles:
    """Particles at `positions` (m, body axes from the body's origin), of these `masses` (kg) and
    `types`; one of either stands for all.

    A type is a word, by which potentials find their parameters. A mass may be zero, but not all of
    them.
    """

    dimensions: ClassVar[Declared] = {"positions": "length", "masses": "mass"}

    positions: tuple[Vector, ...]
    masses: tuple[float, ...] | float = 1.0
    types: tuple[str, ...] | str = "A"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "positions", _positions(self.positions))
        put(self, "masses", _masses(self.masses, len(self.positions)))
        put(self, "types", _types(self.types, len(self.positions)))
        _check_apart(self.positions)

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def mass(self) -> float:
        """m = sum m_k, kg."""
        return math.fsum(self._weights)

    @property
    def com(self) -> Vector:
        """sum m_k x_k / m, m, from the body's origin."""
        if len(self.positions) == 1:
            return self.positions[0]
        mass = self.mass
        x, y, z = (
            math.fsum(m * at[k] for m, at in zip(self._weights, self.positions, strict=True)) / mass
            for k in range(3)
        )
        return x, y, z

    @property
    def second_moment(self) -> Matrix:
        """D = sum m_k x_k x_kᵀ about the centre of mass, kg m²: singular where the particles lie in
        a plane.
        """
        a, b, c = self.com
        arms = [(x - a, y - b, z - c) for x, y, z in self.positions]
        xx, xy, xz, yy, yz, zz = (
            math.fsum(m * arm[i] * arm[j] for m, arm in zip(self._weights, arms, strict=True))
            for i, j in combinations_with_replacement(range(3), 2)
        )
        return symmetric(xx, xy, xz, yy, yz, zz)

    @property
    def inertia(self) -> Matrix:
        """I = tr(D) 1 - D about the centre of mass, kg m²."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.second_moment
        # no negative zeros
        return symmetric(yy + zz, 0.0 - xy, 0.0 - xz, xx + zz, 0.0 - yz, xx + yy)

    def principal(self) -> tuple[Vector, Matrix, Vector]:
        """(moments, rotation, com) with I = R diag(moments) Rᵀ: the columns of R are right-handed
        principal axes in body axes.

        R is the identity where the inertia is diagonal already, and else as near to it as the axes
        allow, so equal bodies get equal frames, whatever is equal among the moments.
        """
        moments, rotation = principal_axes(self.inertia)
        return moments, rotation, self.com

    def in_principal_axes(self) -> Particles:
        """The same particles with the centre of mass at the origin and the principal axes along x,
        y and z.
        """
        _, rotation, com = self.principal()
        if rotation == IDENTITY_MATRIX:
            x, y, z = com
            return Particles(
                tuple((a - x, b - y, c - z) for a, b, c in self.positions), self.masses, self.types
            )
        turned = (np.array(self.positions) - com) @ np.array(rotation)
        return Particles(turned.tolist(), self.masses, self.types)

    @property
    def _weights(self) -> tuple[float, ...]:
        """The masses, which are a tuple once they are checked."""
        return self.masses  # type: ignore[return-value]


def merge_particles(groups: Iterable[Particles]) -> Particles | None:
    """All the particles of several groups that share axes and origin, in this order; None of
    none.
    """
    groups = tuple(groups)
    if not groups:
        return None
    positions, masses, types = zip(
        *((row.positions, row._weights, row.types) for row in groups), strict=True
    )
    return Particles(tuple(chain(*positions)), tuple(chain(*masses)), tuple(chain(*types)))


def principal_axes(inertia: Matrix) -> tuple[Vector, Matrix]:
    """(moments, R) with inertia = R diag(moments) Rᵀ, R right-handed and near the identity;
    round-off in a moment of zero is removed.
    """
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia
    largest = max(xx, yy, zz)
    if max(abs(xy), abs(xz), abs(yz)) <= DIAGONAL_TOLERANCE * largest:
        return _without_roundoff((xx, yy, zz), largest), IDENTITY_MATRIX
    tensor = np.array(inertia)
    values, vectors = np.linalg.eigh(tensor)
    if values[1] - values[0] <= DIAGONAL_TOLERANCE * largest:
        axes = _axes_around(vectors[:, 2])
    elif values[2] - values[1] <= DIAGONAL_TOLERANCE * largest:
        axes = _axes_around(vectors[:, 0])
    else:
        axes = _nearest_to_given(vectors)
    x, y, z = np.einsum("ik,ij,jk->k", axes, tensor, axes).tolist()
    first, second, third = (tuple(row) for row in axes.tolist())
    return _without_roundoff((x, y, z), largest), (first, second, third)


def _without_roundoff(moments: Vector, largest: float) -> Vector:
    x, y, z = (0.0 if abs(moment) <= DIAGONAL_TOLERANCE * largest else moment for moment in moments)
    return x, y, z


def _axes_around(lone: np.ndarray) -> np.ndarray:
    """Axes of a symmetric body: the lone one takes the place of the given axis that it is nearest
    to, the next given axis is kept best.
    """
    first = int(np.argmax(np.round(abs(lone), 12)))
    second, third = (first + 1) % 3, (first + 2) % 3
    axes = np.empty((3, 3))
    axes[:, first] = lone * np.sign(lone[first])
    across = np.eye(3)[second] - axes[second, first] * axes[:, first]
    axes[:, second] = across / np.linalg.norm(across)
    axes[:, third] = np.cross(axes[:, first], axes[:, second])
    return axes


def _nearest_to_given(vectors: np.ndarray) -> np.ndarray:
    """The columns in the order and with the signs that make the trace largest, right-handed."""
    order = max(
        permutations(range(3)),
        key=lambda p: round(sum(abs(vectors[k, p[k]]) for k in range(3)), 12),
    )
    axes = vectors[:, order]
    axes = axes * np.where(np.diag(axes) < 0.0, -1.0, 1.0)
    if np.linalg.det(axes) < 0.0:
        axes[:, int(np.argmin(abs(np.diag(axes))))] *= -1.0
    return axes


def find_overlaps(positions: Any, owners: Any, limit: float) -> list[tuple[int, int, float]]:
    """(i, j, distance) of the particles of different owners that are `limit` or less apart, i < j;
    `positions` n x 3, `owners` n.

    Near ones are near along any line: they are sorted along one and compared with those that follow
    within `limit`; many are put into cells first.
    """
    places, owner = np.asarray(positions, dtype=float).reshape(-1, 3), np.asarray(owners)
    if len(places) > MANY_PARTICLES and limit > 0.0:
        return _overlaps_by_cells(places, owner, limit)
    along = places @ SORT_DIRECTION
    order = np.argsort(along, kind="stable")
    # what rounding may add to a difference of projections
    slack = limit + 1e-15 * float(abs(along).max(initial=0.0))
    found = []
    for ahead in range(1, len(order)):
        near = np.flatnonzero(along[order[ahead:]] - along[order[:-ahead]] <= slack)
        if near.size == 0:
            break
        first, second = order[near], order[near + ahead]
        distance = np.linalg.norm(places[first] - places[second], axis=1)
        for k in np.flatnonzero((distance <= limit) & (owner[first] != owner[second])):
            pair = sorted((int(first[k]), int(second[k])))
            found.append((pair[0], pair[1], float(distance[k])))
    return sorted(found)


def _overlaps_by_cells(
    places: np.ndarray, owner: np.ndarray, limit: float
) -> list[tuple[int, int, float]]:
    """The same of many particles in a box: each is compared with those of its own cell and of the
    cells around, which are wider than `limit`.
    """
    low = places.min(axis=0)
    extent = places.max(axis=0) - low
    wide = max(1.001 * limit, float(extent.max()) / len(places) ** (1 / 3))
    cell = np.floor((places - low) / wide).astype(np.int64) + 1
    counts = cell.max(axis=0) + 2  # an empty layer around: neighbours never wrap
    keys = (cell[:, 0] * counts[1] + cell[:, 1]) * counts[2] + cell[:, 2]
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    found = []
    for x, y in ((0, 0), (0, 1), (1, -1), (1, 0), (1, 1)):
        row = ordered + (x * counts[1] + y) * counts[2]  # three cells along z lie side by side
        begin = np.searchsorted(ordered, row - 1, side="left")
        end = np.searchsorted(ordered, row + 1, side="right")
        begin = np.maximum(begin, np.arange(len(order)) + 1) if (x, y) == (0, 0) else begin
        for ahead in range(int((end - begin).max(initial=0))):
            near = np.flatnonzero(begin + ahead < end)
            first, second = order[near], order[begin[near] + ahead]
            between = places[first] - places[second]
            is_near = np.einsum("ij,ij->i", between, between) <= (1.001 * limit) ** 2
            for k in np.flatnonzero(is_near & (owner[first] != owner[second])):
                distance = float(np.linalg.norm(between[k : k + 1], axis=1)[0])
                pair = sorted((int(first[k]), int(second[k])))
                found += [(pair[0], pair[1], distance)] if distance <= limit else []
    return sorted(found)


# ---- checks --------------------------------------------------------------------------------------
def _positions(value: Any) -> tuple[Vector, ...]:
    """At least one point."""
    rows = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(rows, (tuple, list)):
        raise part_error(
            PARTICLES,
            "positions",
            value,
            "is no list of points; give three numbers for each particle",
        )
    if not rows:
        raise part_error(PARTICLES, "positions", value, "holds no particle; give at least one")
    return tuple([point(row, PARTICLES, f"positions[{k}]") for k, row in enumerate(rows)])


def _masses(value: Any, count: int) -> tuple[float, ...]:
    """One mass for all particles or one each; not all are zero."""
    masses = tuple(
        [
            nonnegative(x, PARTICLES, f"masses[{k}]")
            for k, x in enumerate(_broadcast_to_particles(value, count, "masses", "masses"))
        ]
    )
    if not any(masses):
        raise part_error(
            PARTICLES, "masses", value, "is no mass at all; give at least one particle a mass"
        )
    return masses


def _types(value: Any, count: int) -> tuple[str, ...]:
    """One type for all particles or one each, words without spaces."""
    types = tuple(
        [
            text(x, PARTICLES, f"types[{k}]")
            for k, x in enumerate(_broadcast_to_particles(value, count, "types", "words"))
        ]
    )
    for word in set(types):
        if len(word.split()) != 1 or word != word.strip():
            raise part_error(PARTICLES, "types", word, "is not one word; leave the spaces out")
    return types


def _broadcast_to_particles(value: Any, count: int, field: str, what: str) -> Sequence[Any]:
    """`count` values from as many, or from one that stands for all."""
    items = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(items, (tuple, list)):
        return (items,) * count
    if len(items) != count:
        raise part_error(
            PARTICLES,
            field,
            value,
            f"has {len(items)} entries for {count} particles; give {count} {what}, or one for all",
        )
    return items


def _check_apart(positions: tuple[Vector, ...]) -> None:
    """No two particles in one place."""
    if len(positions) == 1:
        return
    places = np.array(positions)
    extent = float(np.ptp(places, axis=0).max())
    found = find_overlaps(places, np.arange(len(places)), COINCIDENCE_TOLERANCE * extent)
    if found:
        i, j, distance = found[0]
        raise part_error(
            PARTICLES,
            f"positions[{i}]",
            positions[i],
            f"and positions[{j}] are {distance:.3g} m apart; remove one of them",
        )
