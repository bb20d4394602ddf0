"""Influence matrices of a tree: "EOM with Hamilton's Equations" (the notes, for short) written out
as it stands, in NumPy, for teaching and for checking.

Everything of the notes at one configuration q, labelled by link: welded bodies belong to the link
of their parent. World axes, six-vectors with the angular part first, moments about the link's
origin η_i. Links count from 0 and every parent comes before its children; parent −1 is the ground,
so several links may be roots (the notes have one). An operator takes its A as blocks (links, k, k)
and its x as (links, k), or (links, k, columns); Φ_A never looks at the block of a root, which is
how D_1 = 0 of the notes is kept.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hamiltree.assembly.links import Links, build_links
from hamiltree.errors import FitError
from hamiltree.formulations.tree.articulated_inertias_numpy import (
    link_frames,
    link_inertias_and_shifts,
)
from hamiltree.model.model import Model
from hamiltree.renamed import refuse_attribute


class ArticulatedInertias(NamedTuple):
    """Of each branch with its inner joints free: J_i, R_i = G_iᵀ J_i G_i, K_i = J_i G_i / R_i
    (P.5b).
    """

    J: np.ndarray  # (links, 6, 6)
    R: np.ndarray  # (links,)
    K: np.ndarray  # (links, 6)


@dataclass(frozen=True)
class Influence:
    """The quantities of the notes and what can be built from them.

    q, q̇, p in the order of `model.coordinates`, the rest by link.
    """

    names: tuple[str, ...]  # the coordinate of each link
    coordinate: np.ndarray  # (links,) its row in q, q̇ and p
    parent: np.ndarray  # (links,) −1 for the ground
    eta: np.ndarray  # (links, 3) η_i, the origin of the link on its joint
    s: np.ndarray  # (links, 3) from η_i to the centre of mass
    D: np.ndarray  # (links, 6, 6) v_i = D_i v_parent + G_i q̇_i (V.2); 0 for a root
    G: np.ndarray  # (links, 6) [spin g; slide g], which is [g; 0] for a hinge (ERRATA 0-1)
    M: np.ndarray  # (links, 6, 6) inertia about η_i (P.2)

    def __getattr__(self, name: str) -> Any:
        raise refuse_attribute(self, name)

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

    # ---- motion and momenta ----------------------------------------------------------------------
    def velocities(self, qdot: np.ndarray) -> np.ndarray:
        """v = Ψ_D G q̇, rows [ω_i, η̇_i] (V.4)."""
        return self.forward_sum(self.D, self.G * qdot[self.coordinate, None])

    def momenta(self, qdot: np.ndarray) -> np.ndarray:
        """𝒦 = Ψ_Dᵀ M v, rows [H_i, P_i] of the branch beyond joint i (P.2)."""
        return self.backward_sum(self.D, np.einsum("ijk,ik->ij", self.M, self.velocities(qdot)))

    def momentum(self, qdot: np.ndarray) -> np.ndarray:
        """p = Gᵀ 𝒦 (P.3a)."""
        return self.by_coordinate(self.along_axes(self.momenta(qdot)))

    def mass_matrix(self) -> np.ndarray:
        """ℳ = Gᵀ Ψ_Dᵀ M Ψ_D G (P.4a), Ψ_D G column by column."""
        n = len(self.parent)
        columns = np.zeros((n, 6, n))
        columns[np.arange(n), :, self.coordinate] = self.G
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
        p = p[self.coordinate]
        bias = self.backward_sum(beta, self.backward(self.D, K * p[:, None]))
        nu = (p - self.along_axes(bias)) / R
        carried = self.forward(self.D, self.forward_sum(beta, self.G * nu[:, None]))
        return self.by_coordinate(nu - (K * carried).sum(1))

    def along_axes(self, x: np.ndarray) -> np.ndarray:
        """Gᵀ x, one number per link."""
        return (self.G * x).sum(1)

    def by_coordinate(self, values: np.ndarray) -> np.ndarray:
        """One number per link, into the order of `model.coordinates`."""
        ordered = np.empty_like(values)
        ordered[self.coordinate] = values
        return ordered


def check_joints(model: Model, links: Links) -> None:
    """Refuse what the Hamilton's Equations notes do not have: balls, couplings, armature; a joint
    of several axes is a series of one-axis links.
    """
    if links.is_ball.any():
        joint = model.joints[links.joint[links.is_ball.argmax()]]
        raise FitError(
            f"joint '{joint.name}' ({joint.kind}) has a ball; influence matrices are for joints of "
            "axes",
            ("joint", joint.name),
        )
    if model.followers or links.armature.any():
        raise FitError("influence matrices know no couplings and no armature; remove them")


def influence(model: Model, q: np.ndarray) -> Influence:
    """The quantities of the Hamilton's Equations notes at q.

    d_i turns with the parent, g_i, s_i and I_i with the link itself (ERRATA 0-4).
    """
    q = model.q_from(q)
    links = build_links(model, "influence")
    check_joints(model, links)
    n = len(links.parent)
    parent = np.where(links.parent < n, links.parent, -1)
    rotation, d = link_frames(links, q)
    M, D = link_inertias_and_shifts(links, rotation, d)
    moment = np.einsum("nij,nj->ni", rotation, links.moment)
    mass = links.mass[:, None]
    s = np.divide(moment, mass, out=np.zeros((n, 3)), where=mass > 0.0)
    g = rotation[:, :, 2]
    return Influence(
        tuple(model.coordinates[c] for c in links.coordinate),
        links.coordinate,
        parent,
        sum_along_chains(parent, d),
        s,
        D * (parent >= 0)[:, None, None],
        np.concatenate([links.spin[:, None] * g, links.slide[:, None] * g], axis=1),
        M,
    )


def sum_along_chains(parent: np.ndarray, d: np.ndarray) -> np.ndarray:
    """η_i = η_parent + d_i."""
    eta = d.copy()
    for i, above in enumerate(parent):
        if above >= 0:
            eta[i] += eta[above]
    return eta
