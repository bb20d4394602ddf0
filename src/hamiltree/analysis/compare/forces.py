"""Joint reactions that follow from given accelerations, or from given multipliers.

Bᵀλ = M a − F over the rows of all joints, constraints, couplings and drives, with F of all laws and
gravity; the least λ where rows are redundant. B, F and M are those of one state and the same for
all formulations: what differs are the accelerations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hamiltree.analysis.compare.states import Masses, Start, StateEvaluation
from hamiltree.analysis.reaction_samples import cartesian_states
from hamiltree.analysis.reaction_targets import target_of_joint
from hamiltree.analysis.reactions import Reactions, SolvedSamples
from hamiltree.assembly.kinematics import compute_kinematics, tree_of
from hamiltree.assembly.rows import rows_workspace
from hamiltree.compiled.pointer import StructPointer
from hamiltree.formulations.absolute.cartesian import CARTESIAN_3
from hamiltree.formulations.batch import solve_samples
from hamiltree.model import Model

MAX_BODIES = 200  # of models whose reactions are solved for and whose discrepancies are localised
RANK_TOLERANCE = 1e-10


class JointForces(NamedTuple):
    """Reactions of all joints on their children, and what they leave of M a − F."""

    moment: np.ndarray  # (joints, 3) about the origin of the joint frame on the parent, world axes
    force: np.ndarray  # (joints, 3)
    left: np.ndarray  # (bodies, 6) about the centres of mass


class Balance:
    """Newton and Euler of every body of a model at one state.

    Least squares are of moments: forces count by the natural length of the model.
    Raises FitError where cartesian_3, whose rows these are, does not fit.
    """

    def __init__(self, model: Model, masses: Masses, start: Start):
        """Rows, their Jacobian and the loads at the start."""
        q, pose, twist = start.q, start.pose, start.twist
        self.model = model
        self.masses = masses
        self.start = start
        self.reactions = Reactions(model, q)
        self.piece = next(
            self.reactions.solve_in_batches(np.zeros(1), pose[None], twist[None], q[None])
        )
        bodies = list(range(len(model.bodies)))
        self.rows = list(range(len(self.reactions.specs)))
        self.gradient = self.reactions.gradient(self.rows, bodies, self.piece.row_jacobian)[0]
        self.arms = np.tile(self.reactions.motion_size, len(bodies))
        self.applied = self.loads(pose, twist, q)

    def loads(self, pose: np.ndarray, twist: np.ndarray, q: np.ndarray) -> np.ndarray:
        """(bodies, 6): torque about the centre of mass and force of gravity and of all laws, world
        axes.
        """
        made = self.reactions
        system = made.system
        work = CARTESIAN_3.workspace(system, 1)
        y = np.zeros(sum(system.layout))
        pointer = StructPointer(
            system, work, y, np.zeros_like(y), made.table, rows_workspace(made.table, 1)
        )
        _, states = cartesian_states(self.model, pose[None], twist[None])
        out = np.zeros((1, len(work.solution))), np.zeros((1, len(made.table.kind), 12))
        solve_samples(pointer, np.zeros(1), states, made.known_angles(1, q[None]), *out)
        found = np.array(work.bodies.wrench)[: len(self.model.bodies)].reshape(-1, 6).copy()
        found[:, 3:] += self.masses.mass[:, None] * np.array(self.model.gravity)
        return found

    def solve_reactions(self, found: Sequence[StateEvaluation]) -> list[JointForces]:
        """Reactions that follow from the accelerations of each formulation."""
        pose, twist = self.start.pose, self.start.twist
        wanted = np.array(
            [self.masses.inertial_forces(pose, twist, m.acceleration) - self.applied for m in found]
        )
        columns = wanted.reshape(len(found), -1).T
        multipliers = np.zeros((len(found), 0))
        if self.rows:
            sizes = self.reactions.row_size
            scaled = (self.gradient * self.arms / sizes[:, None]).T
            moments = columns * self.arms[:, None]
            multipliers = np.linalg.lstsq(scaled, moments, rcond=RANK_TOLERANCE)[0].T / sizes
        left = wanted - (multipliers @ self.gradient).reshape(wanted.shape)
        return [self.forces(own, rest) for own, rest in zip(multipliers, left, strict=True)]

    def forces(self, multipliers: np.ndarray, left: np.ndarray) -> JointForces:
        piece = self.piece._replace(multipliers=multipliers[None])
        wrench = np.array([self.wrench(joint, piece) for joint in self.model.joints]).reshape(-1, 6)
        return JointForces(wrench[:, :3], wrench[:, 3:], left)

    def reactions_from_multipliers(self, multipliers: np.ndarray) -> JointForces:
        """Reactions of λ of the independent rows, which a formulation has solved for itself."""
        whole = self.reactions.complete_multipliers(
            self.piece.frames, multipliers[None], self.piece.row_jacobian, self.reactions.loops
        )
        return self.forces(whole.multipliers[0], np.zeros((len(self.model.bodies), 6)))

    def wrench(self, joint, piece: SolvedSamples) -> np.ndarray:
        """(6,) moment and force."""
        target = target_of_joint(joint)
        rows = self.reactions.rows_of(target.part)
        return self.reactions.reaction_wrenches(target, rows, piece)[0][0] if rows else np.zeros(6)

    @property
    def note(self) -> str:
        made = self.reactions
        if made.is_kept.all():
            return ""
        return (
            f"redundant rows ({made.mechanism.describe_redundant()}): reactions there are those "
            "of the least norm"
        )


def movable_bodies(model: Model, q: np.ndarray) -> np.ndarray:
    """Which bodies any speed of the tree moves."""
    tree = tree_of(model)
    kinematics = compute_kinematics(tree, q)
    found = np.zeros(len(model.bodies), dtype=bool)
    for body in tree.topology.order:
        inner = kinematics.parent[body]
        found[body] = bool(kinematics.columns[body]) or (inner >= 0 and found[inner])
    return found
