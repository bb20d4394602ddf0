"""Joint reactions that go with given accelerations, and the body at which accelerations that differ begin to differ.

Reactions: Bᵀλ = M a − F over the rows of all joints, constraints, couplings and drives, with F of all laws and gravity; the least λ where
rows are redundant.
A wrong wrench δ on one body b moves all bodies that hang on it, so the largest difference of accelerations need not be there. But along
every speed that the constraints leave free, M Δa does the work of δ alone: Jᵀ M Δa = J_bᵀ δ. The bodies of which one wrench explains the
whole of Jᵀ M Δa are found. What hangs on b may explain it as well, but has more ways to move: the bodies with the fewest are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hamiltree.algebra.handle import Handle
from hamiltree.analysis.compared_states import Masses, Measured
from hamiltree.analysis.reactions import Reactions, Solved, states_of, target_of_joint
from hamiltree.formulations.cartesian import CARTESIAN_3
from hamiltree.formulations.entries import solve_samples
from hamiltree.formulations.kinematics import motion_of, tree_of
from hamiltree.formulations.mechanism import Mechanism, null_space
from hamiltree.formulations.rows import rows_workspace
from hamiltree.model import Model

MOST_BODIES = 200  # of which reactions are solved for, and a culprit is looked for
RANK = 1e-10
EXPLAINED = 1e-5  # of Jᵀ M Δa: what a wrench on one body may leave


class JointForces(NamedTuple):
    """Reactions of all joints on their children, and what of M a − F no reaction makes up for."""

    moment: np.ndarray  # (joints, 3) about the origin of the joint frame on the parent, world axes
    force: np.ndarray  # (joints, 3)
    left: np.ndarray  # (bodies, 6) about the centres of mass


class Balance:
    """Newton and Euler of every body of a model at one state. Raises FitError where cartesian_3, whose rows these are, does not fit."""

    def __init__(self, model: Model, q: np.ndarray, masses: Masses, pose: np.ndarray, twist: np.ndarray):
        self.model, self.masses, self.reactions = model, masses, Reactions(model, q)
        self.piece = next(self.reactions.pieces(np.zeros(1), pose[None], twist[None], q[None]))
        bodies = list(range(len(model.bodies)))
        self.rows = list(range(len(self.reactions.specs)))
        self.gradient = self.reactions.gradient(self.rows, bodies, self.piece.pull)[0]
        self.applied = self.loads(pose, twist, q)

    def loads(self, pose: np.ndarray, twist: np.ndarray, q: np.ndarray) -> np.ndarray:
        """(bodies, 6): torque about the centre of mass and force of gravity and of all laws, world axes."""
        made, system = self.reactions, self.reactions.system
        work, y = CARTESIAN_3.workspace(system, 1), np.zeros(sum(system.layout))
        handle = Handle(system, work, y, np.zeros_like(y), made.table, rows_workspace(made.table, 1))
        _, states = states_of(self.model, pose[None], twist[None])
        out = np.zeros((1, len(work.solution))), np.zeros((1, len(made.table.kind), 12))
        solve_samples(handle, np.zeros(1), states, made.turns(1, q[None]), *out)
        found = np.array(work.bodies.wrench)[: len(self.model.bodies)].reshape(-1, 6).copy()
        found[:, 3:] += self.masses.mass[:, None] * np.array(self.model.gravity)
        return found

    def solved(self, found: Sequence[Measured]) -> list[JointForces]:
        """Of the accelerations that each formulation found."""
        wanted = np.array([self.masses.inertial_forces(m.pose, m.twist, m.acceleration) - self.applied for m in found])
        columns = wanted.reshape(len(found), -1).T
        multipliers = np.linalg.lstsq(self.gradient.T, columns, rcond=RANK)[0].T if self.rows else np.zeros((len(found), 0))
        left = wanted - (multipliers @ self.gradient).reshape(wanted.shape)
        return [self.forces(own, rest) for own, rest in zip(multipliers, left, strict=True)]

    def forces(self, multipliers: np.ndarray, left: np.ndarray) -> JointForces:
        piece = self.piece._replace(multipliers=multipliers[None])
        wrench = np.array([self.wrench(joint, piece) for joint in self.model.joints]).reshape(-1, 6)
        return JointForces(wrench[:, :3], wrench[:, 3:], left)

    def wrench(self, joint, piece: Solved) -> np.ndarray:
        """(6,) moment and force."""
        target = target_of_joint(joint)
        rows = self.reactions.rows_of(target.part)
        return self.reactions.wrenches(target, rows, piece)[0][0] if rows else np.zeros(6)

    @property
    def note(self) -> str:
        made = self.reactions
        if made.is_kept.all():
            return ""
        return f"redundant rows ({made.mechanism.describe_redundant()}): reactions there are those of the least norm"


def moving(model: Model, q: np.ndarray) -> np.ndarray:
    """Which bodies any speed of the tree moves."""
    tree = tree_of(model)
    motion, found = motion_of(tree, q), np.zeros(len(model.bodies), dtype=bool)
    for body in tree.topology.order:
        inner = motion.parent[body]
        found[body] = bool(motion.columns[body]) or (inner >= 0 and found[inner])
    return found


# ---- where it begins -----------------------------------------------------------------------------------------------------------------
class Explained(NamedTuple):
    left: float  # of Jᵀ M Δa, that no wrench on the body makes up for
    ways: int  # in which the body can move: so many numbers it could explain


class Culprits:
    """Which bodies a wrong wrench may act on, for differences of accelerations at one state."""

    def __init__(self, model: Model, q: np.ndarray, masses: Masses, pose: np.ndarray):
        self.model, self.masses, self.pose = model, masses, pose
        self.mechanism = Mechanism(model, q)
        self.motion = motion_of(self.mechanism.tree, q)
        free = null_space(self.mechanism.scaled) if self.mechanism.specs else np.eye(len(model.speeds))
        self.free = free / (self.mechanism.weights * self.mechanism.size)[:, None]
        self.point = masses.centres(pose, np.zeros((len(pose), 6)))[0]
        self.middle, self.size = self.point.mean(0), self.mechanism.size

    def about(self, body: int, point: np.ndarray) -> np.ndarray:
        """(6, free speeds): twist of a body with the velocity of a point on it."""
        found = self.motion.jacobian(body, len(self.model.speeds)) @ self.free
        found[3:] += np.cross(found[:3].T, point).T
        return found

    def unexplained(self, difference: np.ndarray) -> np.ndarray:
        """Jᵀ M Δa along the free speeds; difference (bodies, 6) of (α, a)."""
        J = self.masses.turned(self.pose)
        wrench = np.concatenate([np.einsum("bij,bj->bi", J, difference[:, :3]), self.masses.mass[:, None] * difference[:, 3:]], axis=1)
        return sum((self.about(b, self.point[b]).T @ wrench[b] for b in range(len(wrench))), np.zeros(self.free.shape[1]))

    def of(self, difference: np.ndarray, noise: float) -> tuple[str, ...]:
        """Names of the bodies of which one wrench explains the difference; noise: error of the difference in parts of it."""
        wanted = self.unexplained(difference)
        allowed = max(EXPLAINED, 100.0 * noise) * float(np.linalg.norm(wanted))
        fits = [self.explained(body, wanted) for body in range(len(self.model.bodies))]
        fewest = min((fit.ways for fit in fits if fit.left <= allowed), default=0)
        return tuple(body.name for body, fit in zip(self.model.bodies, fits, strict=True) if fit.left <= allowed and fit.ways == fewest)

    def explained(self, body: int, wanted: np.ndarray) -> Explained:
        """By the best wrench on a body; its torque is counted in forces at the size of the mechanism."""
        rows = self.about(body, self.middle).T / np.array([self.size] * 3 + [1.0] * 3)
        wrench, _, rank, _ = np.linalg.lstsq(rows, wanted, rcond=RANK)
        return Explained(float(np.linalg.norm(rows @ wrench - wanted)), int(rank))
