"""Charts of models that turn steadily: some speeds are prescribed, and free bodies may turn about
an axis in space.

  u = N(q) v + W(q) Ω,   u̇ = d/dt of it along the motion

Of a joint with one axis Ω is its rate. A ball or a free joint turns with the angular velocity Ω in
the axes of its parent's joint frame: ω = Rᵀ Ω in the child's axes, which stays as it is; a free one
also moves with v = Ω × (r − o), v̇ = Ω × v. The forces on what turns are the gradient of
V − ½ uᵀ M u (the amended potential with Ω given).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hamiltree.algorithms.answers import Derivatives
from hamiltree.analysis.linear.speed_equations import Chart, SpeedEquations
from hamiltree.assembly.kinematics import cross
from hamiltree.errors import OptionError
from hamiltree.rotations import normalise, rotation_matrix

Array = np.ndarray


class SpaceSpin(NamedTuple):
    """A ball or a free joint that turns about an axis in its parent's frame, whose point o moves
    with the velocity `drift`.
    """

    omega: Array  # rad/s, axes of the parent's joint frame
    quaternion: int  # first of its four rows in q
    turns: int  # first of its three rows in the speeds
    positions: int | None  # first rows of a free joint in q and in the speeds
    moves: int | None
    centre: Callable[[Array], Array]  # o at q, in the parent's joint frame, m
    drift: Array  # m/s

    def speeds(self, q: Array, u: Array) -> None:
        """Write its speeds at q into u."""
        attitude = rotation_matrix(normalise(q[self.quaternion : self.quaternion + 4]))
        u[self.turns : self.turns + 3] = attitude.T @ self.omega
        if self.positions is not None and self.moves is not None:
            arm = q[self.positions : self.positions + 3] - self.centre(q)
            u[self.moves : self.moves + 3] = cross(self.omega, arm) + self.drift

    def accelerations(self, u: Array, a: Array) -> None:
        """Add v̇ = Ω × (v − drift)."""
        if self.moves is not None:
            rows = slice(self.moves, self.moves + 3)
            a[rows] += cross(self.omega, u[rows] - self.drift)


class SpinningEquations(SpeedEquations):
    """A model whose amended potential V − ½ uᵀ M u takes the place of V."""

    chart: SpinningChart | None = None  # whose speeds u are

    def potential_energy(self, q: Array) -> float:
        if self.chart is None:
            return super().potential_energy(q)
        u = self.chart.speeds_at(q, np.zeros(len(self.chart.chosen)))
        kinetic, potential = self.tree.energies(q, u, self.t)
        return float(potential - kinetic)


class SpinningChart(Chart):
    """A chart in which the speeds `prescribed` (row: rad/s or m/s) are known and not independent.

    `spins` follow from q if `is_search`; else they are among v, and only their accelerations are
    added.
    """

    def __init__(
        self,
        equations: SpeedEquations,
        q: Array,
        prescribed: Mapping[int, float],
        spins: Sequence[SpaceSpin] = (),
        is_search: bool = False,
    ):
        """Refused where loops determine a prescribed speed by others."""
        self.spins, self.is_search, self.prescribed = spins, is_search, prescribed
        self.every: Array | None = None
        turning = [row for spin in spins for row in range(spin.turns, spin.turns + 3)]
        super().__init__(equations, q, preferred=(*prescribed, *turning))
        for row in prescribed:
            if row not in self.chosen:
                name = equations.speeds[row]
                raise OptionError(
                    f"spin: loops and constraints determine {name!r} by other speeds, so that it "
                    "cannot be given; name another joint"
                )
        self.every = self.chosen
        self.kept = np.array([row not in prescribed for row in self.every], dtype=bool)
        self.known = np.array([prescribed.get(int(row), 0.0) for row in self.every])
        self.chosen = self.every[self.kept]
        self.N = self.basis(q)

    def at(self, q: Array) -> Chart:
        return SpinningChart(self.equations, q, self.prescribed, self.spins, self.is_search)

    def full_basis(self, q: Array) -> Array:
        """N of all independent speeds, prescribed ones too."""
        return self.basis_of(q, self.chosen if self.every is None else self.every)

    def basis(self, q: Array) -> Array:
        found = self.full_basis(q)
        return found if self.every is None else found[:, self.kept]

    def speeds_at(self, q: Array, v: Array) -> Array:
        """All speeds of the tree; those that are prescribed or follow from q with them."""
        assert self.every is not None
        whole = self.known.copy()
        whole[self.kept] = v
        if self.is_search and self.spins:
            u = np.zeros(len(self.weights))
            for spin in self.spins:
                spin.speeds(q, u)
            whole += u[self.every]
        return self.full_basis(q) @ whole

    def exact_derivatives(self, v: Array) -> Derivatives | None:
        """Of the speeds that are not prescribed; None where speeds or accelerations follow from
        q.
        """
        found = None if self.spins else super().exact_derivatives(self.speeds_at(self.q, v))
        own = np.ix_(self.chosen, self.chosen)
        return None if found is None else Derivatives(*(part[own] for part in found))

    def accelerations_at(self, q: Array, v: Array, u: Array) -> Array:
        """Ṅ v with what is prescribed, and v̇ of free bodies that turn."""
        own = np.zeros(len(u))
        for spin in self.spins:
            spin.accelerations(u, own)
        if not self.has_rows:
            return own
        assert self.every is not None
        return super().accelerations_at(q, v, u) + self.full_basis(q) @ own[self.every]
