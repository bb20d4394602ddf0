"""Φ_A, Ψ_A, velocities, momenta and q̇ from p at one configuration, as the notes have them.

Rows are links: welded bodies belong to the link of their parent. World axes, six-vectors with the
angular part first, moments about the link's origin η_i. Links count from 0 and every parent comes
before its children; parent −1 is the ground, so several links may be roots (the notes have one). An
operator takes its A as blocks (links, k, k) and its x as (links, k), or (links, k, columns); Φ_A
never looks at the block of a root, which is how D_1 = 0 of the notes is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hamiltree.analysis.influence.motion import Motion, make_motion
from hamiltree.model.model import Model
from hamiltree.renamed import refuse_attribute


class ArticulatedInertias(NamedTuple):
    """Of each branch with its inner joints free: J_i, R_i = G_iᵀ J_i G_i, K_i = J_i G_i / R_i
    (P.5b).
    """

    J: np.ndarray  # (links, 6, 6)
    R: np.ndarray  # (links,)
    K: np.ndarray  # (links, 6)


@dataclass(frozen=True, eq=False, repr=False)
class Influence:
    """The quantities of the notes at q, and what can be built from them; `motion` adds speeds and
    forces.

    q̇ and p in the order of `model.speeds`, the rest by link. A ball is three links with axes
    through its centre.
    """

    model: Model
    q: np.ndarray
    names: tuple[str, ...]  # the speed of each link
    row: np.ndarray  # (links,) of that speed in q̇ and p
    link: np.ndarray  # (links,) of the tree: three rows of a ball are one
    parent: np.ndarray  # (links,) −1 for the ground
    turns_with: np.ndarray  # (links,) its axis is fixed to that link; itself but in a ball
    eta: np.ndarray  # (links, 3) η_i, the origin of the link on its joint
    d: np.ndarray  # (links, 3) η_i from η_parent
    s: np.ndarray  # (links, 3) from η_i to the centre of mass
    mass: np.ndarray  # (links,) m_i
    D: np.ndarray  # (links, 6, 6) v_i = D_i v_parent + G_i q̇_i (V.2); 0 for a root
    G: np.ndarray  # (links, 6) [spin g; slide g], which is [g; 0] for a hinge (ERRATA 0-1)
    M: np.ndarray  # (links, 6, 6) inertia about η_i (P.2)

    def __getattr__(self, name: str) -> Any:
        raise refuse_attribute(self, name)

    def __repr__(self) -> str:
        return f"<Influence of {self.model!r}: {len(self.names)} links>"

    def motion(self, qdot: Any = None, p: Any = None, t: float = 0.0) -> Motion:
        """The state of speeds q̇ or of momenta p, by default the model's own speeds, with the
        model's forces at time t: momenta, their rates, interbody forces, energies.
        """
        return make_motion(self, qdot, p, t)

    # ---- Φ_A and Φ_Aᵀ ----------------------------------------------------------------------------
    def forward_matrix(self, A: np.ndarray) -> np.ndarray:
        """Φ_A: block (i, j) is A_i where j is the parent of i (Def. 1)."""
        n, k = A.shape[:2]
        blocks = np.zeros((n, k, n, k))
        for i, parent in enumerate(self.parent):
            if parent >= 0:
                blocks[i, :, parent] = A[i]
        return blocks.reshape(n * k, n * k)

    def backward_matrix(self, A: np.ndarray) -> np.ndarray:
        """Φ_Aᵀ: block (i, j) is A_jᵀ where i is the parent of j (Def. 2)."""
        return self.forward_matrix(A).T

    def forward(self, A: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Φ_A x: z_i = A_i x_parent (Prop. 1)."""
        z = np.zeros_like(x)
        for i, parent in enumerate(self.parent):
            if parent >= 0:
                z[i] = A[i] @ x[parent]
        return z

    def backward(self, A: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Φ_Aᵀ x: z_i = Σ A_jᵀ x_j over the children j of i (Prop. 2)."""
        z = np.zeros_like(x)
        for j, parent in enumerate(self.parent):
            if parent >= 0:
                z[parent] += A[j].T @ x[j]
        return z

    # ---- Ψ_A = (e − Φ_A)⁻¹ -----------------------------------------------------------------------
    @property
    def longest_chain(self) -> int:
        """m, the links in the longest chain: Φ_A^m = 0 (ERRATA 0-7)."""
        depth = np.ones(len(self.parent), dtype=int)
        for i, parent in enumerate(self.parent):
            if parent >= 0:
                depth[i] = depth[parent] + 1
        return int(depth.max(initial=0))

    def sum_matrix(self, A: np.ndarray) -> np.ndarray:
        """Ψ_A = e + Φ_A + … + Φ_A^(m−1); its transpose is Ψ_Aᵀ."""
        phi = self.forward_matrix(A)
        total = term = np.eye(len(phi))
        for _ in range(1, self.longest_chain):
            term = phi @ term
            total = total + term
        return total

    def forward_sum(self, A: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Ψ_A x in O(N), outward: z_i = A_i z_parent + x_i (ERRATA 0-3)."""
        z = x.copy()
        for i, parent in enumerate(self.parent):
            if parent >= 0:
                z[i] += A[i] @ z[parent]
        return z

    def backward_sum(self, A: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Ψ_Aᵀ x in O(N), inward: z_parent := z_parent + A_iᵀ z_i."""
        z = x.copy()
        for i in reversed(range(len(self.parent))):
            if self.parent[i] >= 0:
                z[self.parent[i]] += A[i].T @ z[i]
        return z

    # ---- bodies and branches ---------------------------------------------------------------------
    @cached_property
    def is_last(self) -> np.ndarray:
        """Whether a row carries the body: of a ball only the last of its three."""
        return np.append(np.diff(self.link) != 0, True)[: len(self.link)]

    @cached_property
    def r(self) -> np.ndarray:
        """r_i = η_i + s_i: the centre of mass of each link."""
        return self.eta + self.s

    @cached_property
    def S(self) -> np.ndarray:
        """S_i = [e 0; −s̃_i e]: v̄_i = S_i v_i (V.1)."""
        S = np.tile(np.eye(6), (len(self.parent), 1, 1))
        S[:, 3:, :3] = -np.cross(np.eye(3), self.s[:, None])
        return S

    @cached_property
    def I(self) -> np.ndarray:  # noqa: E743 (the symbol of the notes)
        """I_i about the centre of mass, world axes: the upper left block of M_i + m_i s̃_i s̃_i."""
        across = np.cross(np.eye(3), self.s[:, None])
        return self.M[:, :3, :3] + self.mass[:, None, None] * across @ across

    @cached_property
    def m_bar(self) -> np.ndarray:
        """m̄_i, the mass of the branch beyond joint i (P.1c)."""
        return self.sum_over_branches(self.mass)

    @cached_property
    def c(self) -> np.ndarray:
        """c_i, the centre of mass of the branch from η_i (P.1c); 0 where the branch has no mass."""
        first_moment = self.sum_over_branches(self.mass[:, None] * self.r)
        mass = self.m_bar[:, None]
        return np.divide(
            first_moment - mass * self.eta, mass, out=np.zeros_like(self.eta), where=mass > 0.0
        )

    def branch(self, i: int) -> list[int]:
        """{k | k ≥ i}: link i and all beyond it."""
        found = {i}
        for k in range(i + 1, len(self.parent)):
            if self.parent[k] in found:
                found.add(k)
        return sorted(found)

    def chain(self, i: int) -> list[int]:
        """{k | k ≤ i}: the links from the root to link i."""
        found = []
        while i >= 0:
            found.append(i)
            i = int(self.parent[i])
        return found[::-1]

    def children(self, i: int) -> list[int]:
        """The set ī: links whose parent is i."""
        return np.flatnonzero(self.parent == i).tolist()

    def sum_over_branches(self, x: np.ndarray) -> np.ndarray:
        """Σ x_k over k ≥ i, for every i."""
        z = x.copy()
        for i in reversed(range(len(z))):
            if self.parent[i] >= 0:
                z[self.parent[i]] += z[i]
        return z

    # ---- motion and momenta ----------------------------------------------------------------------
    def velocities(self, qdot: np.ndarray) -> np.ndarray:
        """v = Ψ_D G q̇, rows [ω_i, η̇_i] (V.4)."""
        return self.forward_sum(self.D, self.G * qdot[self.row, None])

    def centre_velocities(self, qdot: np.ndarray) -> np.ndarray:
        """v̄ = S Ψ_D G q̇, rows [ω_i, ṙ_i] (V.5)."""
        return np.einsum("ijk,ik->ij", self.S, self.velocities(qdot))

    def momenta(self, qdot: np.ndarray) -> np.ndarray:
        """𝒦 = Ψ_Dᵀ M v, rows [H_i, P_i] of the branch beyond joint i (P.2)."""
        return self.backward_sum(self.D, np.einsum("ijk,ik->ij", self.M, self.velocities(qdot)))

    def momentum(self, qdot: np.ndarray) -> np.ndarray:
        """p = Gᵀ 𝒦 (P.3a)."""
        return self.by_speed(self.along_axes(self.momenta(qdot)))

    def mass_matrix(self) -> np.ndarray:
        """ℳ = Gᵀ Ψ_Dᵀ M Ψ_D G (P.4a), Ψ_D G column by column."""
        n = len(self.parent)
        columns = np.zeros((n, 6, n))
        columns[np.arange(n), :, self.row] = self.G
        columns = self.forward_sum(self.D, columns)
        return columns.reshape(6 * n, n).T @ (self.M @ columns).reshape(6 * n, n)

    # ---- q̇ from p -------------------------------------------------------------------------------
    def articulated_inertias(self) -> ArticulatedInertias:
        """Articulated inertias J_i, inward; R_i and K_i are taken when J_i is complete, those of
        the roots too (ERRATA 0-2).
        """
        n = len(self.parent)
        J = self.M.copy()
        R = np.zeros(n)
        K = np.zeros((n, 6))
        for i in reversed(range(n)):
            R[i] = self.G[i] @ J[i] @ self.G[i]
            K[i] = J[i] @ self.G[i] / R[i]
            if self.parent[i] >= 0:
                J[self.parent[i]] += self.D[i].T @ (J[i] - np.outer(K[i], K[i]) * R[i]) @ self.D[i]
        return ArticulatedInertias(J, R, K)

    def rates_dense(self, p: np.ndarray) -> np.ndarray:
        """q̇ = ℳ⁻¹ p in O(N³) (P.5a)."""
        return np.linalg.solve(self.mass_matrix(), p)

    def rates(self, p: np.ndarray) -> np.ndarray:
        """q̇ = [e − Kᵀ Φ_D Ψ_β G] R⁻¹ [e − Gᵀ Ψ_βᵀ Φ_Dᵀ K] p in O(N), read from the right
        (P.5b).
        """
        _, R, K = self.articulated_inertias()
        beta = (np.eye(6) - self.G[:, :, None] * K[:, None, :]) @ self.D
        p = p[self.row]
        bias = self.backward_sum(beta, self.backward(self.D, K * p[:, None]))
        nu = (p - self.along_axes(bias)) / R
        carried = self.forward(self.D, self.forward_sum(beta, self.G * nu[:, None]))
        return self.by_speed(nu - (K * carried).sum(1))

    def along_axes(self, x: np.ndarray) -> np.ndarray:
        """Gᵀ x, one number per link."""
        return (self.G * x).sum(1)

    def by_speed(self, values: np.ndarray) -> np.ndarray:
        """One number per link, into the order of `model.speeds`."""
        ordered = np.empty_like(values)
        ordered[self.row] = values
        return ordered
