"""Where accelerations that differ begin to differ: a body, or a joint.

A wrong wrench δ on one body b moves all bodies joined to it, so the largest difference Δa need
not be there. But along every speed that the constraints leave free, M Δa does the work of δ alone:
Jᵀ M Δa = J_bᵀ δ. A wrong acceleration that is carried outwards from b acts on everything outboard
of it like one field X of six numbers: Jᵀ M Δa = Σ J_cᵀ M_c X_c. The body is named of which one of
the two explains the whole of Jᵀ M Δa in the fewest ways. Where Jᵀ M Δa vanishes beside M Δa the
equations of motion hold, and a joint does not.
Lengths of Δa are those of the kinetic energy, √(Δaᵀ M Δa): angular and linear parts, and armature,
in one unit.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from hamiltree.analysis.compare.states import Masses, Start
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.assembly.row_rank import null_space
from hamiltree.model import Model

RANK_TOLERANCE = 1e-10
EXPLAINED_SHARE = 1e-5  # of Jᵀ M Δa: what a wrench on one body may leave
MAX_UNEXPLAINED = 0.02  # the same, where differences are known badly
NEGLIGIBLE_FREE_SHARE = 1e-4  # of M Δa: a part along the free speeds that is smaller is none


class Explanation(NamedTuple):
    left: float  # the part of Jᵀ M Δa that is not explained
    ways: int  # rank: how many independent differences it could explain


class Cause(NamedTuple):
    """Bodies that cannot be told apart, and what is wrong there: a wrench, a field, a joint, or
    nothing that one body could explain.
    """

    bodies: tuple[str, ...]
    kind: str
    noise: float = 0.0


def armature_of(mechanism: Mechanism) -> np.ndarray:
    """(speeds,) inertia of each speed alone, followers' by ratio²."""
    found = np.zeros(len(mechanism.model.speeds))
    tree = mechanism.tree
    for number, moved in zip(tree.topology.joint, tree.joints, strict=True):
        for own, axis in zip(mechanism.model.joints[number].armatures(), moved.axes, strict=False):
            found[axis.speed] += own * axis.ratio**2
    return found


class DiscrepancyLocaliser:
    """Which bodies may be behind differences of accelerations at one state."""

    def __init__(self, model: Model, masses: Masses, start: Start):
        """Inertias in world axes and Jacobians of the centres of mass at the start."""
        n = len(model.bodies)
        self.model = model
        self.masses = masses
        self.mechanism = Mechanism(model, start.q)
        self.kinematics = self.mechanism.kinematics
        self.point = masses.centres(start.pose, start.twist)[0]
        self.inertia = masses.world_inertias(start.pose)
        self.armature = armature_of(self.mechanism)
        jacobians = [self.about(b, self.point[b]) for b in range(n)]
        self.jacobian = np.array(jacobians).reshape(n, 6, len(model.speeds))

    def about(self, body: int, point: np.ndarray) -> np.ndarray:
        """(6, speeds): twist of a body with the velocity of a point on it."""
        found = self.kinematics.jacobian(body, len(self.model.speeds))
        found[3:] += np.cross(found[:3].T, point).T
        return found

    def forces(self, difference: np.ndarray) -> np.ndarray:
        """M Δa of (bodies, 6, …)."""
        torque = np.einsum("bij,bj...->bi...", self.inertia, difference[:, :3])
        return np.concatenate(
            [torque, np.einsum("b,bi...->bi...", self.masses.mass, difference[:, 3:])], axis=1
        )

    @cached_property
    def free(self) -> np.ndarray:
        """(speeds, ways): independent speeds that the constraints leave, each of unit kinetic
        energy ½.
        """
        mechanism = self.mechanism
        own = np.eye(len(self.model.speeds))
        if mechanism.specs:
            own = null_space(mechanism.scaled_jacobian)
        own = own / mechanism.weights[:, None]
        of_bodies = np.einsum("bis,bit->st", self.jacobian, self.forces(self.jacobian))
        mass = own.T @ (of_bodies + np.diag(self.armature)) @ own
        values, vectors = np.linalg.eigh(mass)
        heavy = values > RANK_TOLERANCE**1.5 * values.max(initial=0.0)
        return own @ (vectors[:, heavy] / np.sqrt(values[heavy]))

    # ---- differences -----------------------------------------------------------------------------
    def speed_accelerations(self, difference: np.ndarray) -> np.ndarray:
        """(speeds,) Δu̇ with J Δu̇ = Δa by least squares, lengths in parts of the size of the
        mechanism.
        """
        weights, size = self.mechanism.weights, self.mechanism.size
        units = np.array([1.0] * 3 + [size] * 3)
        jacobian = (self.jacobian / units[:, None] / weights).reshape(-1, len(weights))
        wanted = (difference / units).ravel()
        return np.linalg.lstsq(jacobian, wanted, rcond=RANK_TOLERANCE)[0] / weights

    def project_to_free_speeds(self, difference: np.ndarray) -> np.ndarray:
        """Jᵀ M Δa along the free speeds, with armature; difference (bodies, 6) of (α, a)."""
        whole = np.einsum("bis,bi->s", self.jacobian, self.forces(difference))
        if self.armature.any():
            whole = whole + self.armature * self.speed_accelerations(difference)
        return self.free.T @ whole

    def length(self, difference: np.ndarray) -> float:
        """√(Δaᵀ M Δa)"""
        whole = float(np.einsum("bi,bi->", difference, self.forces(difference)))
        if self.armature.any():
            whole += float(self.armature @ self.speed_accelerations(difference) ** 2)
        return max(whole, 0.0) ** 0.5

    def noise(self, error: np.ndarray) -> float:
        """The same of errors (bodies, 2) of α and a, in the worst direction."""
        heaviest = np.linalg.eigvalsh(self.inertia)[:, -1] if len(self.inertia) else np.zeros(0)
        whole = heaviest @ error[:, 0] ** 2 + self.masses.mass @ error[:, 1] ** 2
        return float(3.0 * whole) ** 0.5

    # ---- who -------------------------------------------------------------------------------------
    def localise(self, difference: np.ndarray, error: np.ndarray) -> Cause:
        """One wrench or one field on a body that explains the difference, or a joint whose rows are
        violated.
        """
        whole = self.length(difference)
        wanted = self.project_to_free_speeds(difference)
        noise = self.noise(error) / whole if whole > 0.0 else np.inf
        size = float(np.linalg.norm(wanted))
        if size <= max(NEGLIGIBLE_FREE_SHARE, min(MAX_UNEXPLAINED, 10.0 * noise)) * whole:
            return Cause((), "joint", noise)
        allowed = min(MAX_UNEXPLAINED, max(EXPLAINED_SHARE, 100.0 * noise)) * size
        return self.simplest_explanation(self.explanations(wanted, allowed))._replace(noise=noise)

    def explanations(self, wanted: np.ndarray, allowed: float) -> list[tuple[int, str, str]]:
        """(ways, kind, body) of all that explain it."""
        found = []
        for b, body in enumerate(self.model.bodies):
            for kind, columns in (
                ("wrench", self.wrench_columns(b)),
                ("field", self.field_columns(b)),
            ):
                fit = fit_explanation(columns, wanted)
                if fit.ways and fit.left <= allowed:
                    found.append((fit.ways, kind, body.name))
        return found

    def simplest_explanation(self, found: list[tuple[int, str, str]]) -> Cause:
        """The explanation of the fewest ways, a wrench before a field; one that could explain any
        difference shows nothing about its body.
        """
        ways = min((ways for ways, *_ in found), default=0)
        best, wrenches, kind = found, [], "any"
        if ways < self.free.shape[1]:
            best = [entry for entry in found if entry[0] == ways]
            wrenches = [entry for entry in best if entry[1] == "wrench"]
            kind = "wrench" if wrenches else "field"
        bodies = tuple(dict.fromkeys(body for *_, body in wrenches or best))
        return Cause(bodies, kind)

    def wrench_columns(self, body: int) -> np.ndarray:
        """(free, 6) J_bᵀ; torques are counted in forces at the size of the mechanism."""
        found = self.jacobian[body] @ self.free
        found[:3] *= self.mechanism.size
        return found.T

    def field_columns(self, body: int) -> np.ndarray:
        """(free, 6) Σ J_cᵀ M_c X_c over a body and all that is outboard of it."""
        total = np.zeros((self.free.shape[1], 6))
        for c in self.outboard[body]:
            moved = np.eye(6)
            moved[3:, :3] = np.cross(np.eye(3), self.point[c] - self.point[body]).T
            moved[:, :3] /= self.mechanism.size
            inertial_wrench = np.concatenate(
                [self.inertia[c] @ moved[:3], self.masses.mass[c] * moved[3:]]
            )
            total += (self.jacobian[c] @ self.free).T @ inertial_wrench
        return total

    @cached_property
    def outboard(self) -> list[list[int]]:
        """Each body with all that are outboard of it."""
        found: list[list[int]] = [[] for _ in self.model.bodies]
        for c in range(len(found)):
            b = c
            while b >= 0:
                found[b].append(c)
                b = self.kinematics.parent[b]
        return found


def fit_explanation(columns: np.ndarray, wanted: np.ndarray) -> Explanation:
    best, _, rank, _ = np.linalg.lstsq(columns, wanted, rcond=RANK_TOLERANCE)
    return Explanation(float(np.linalg.norm(columns @ best - wanted)), int(rank))
