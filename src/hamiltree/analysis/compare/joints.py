"""Constraint rows of joints, constraints and couplings, and their second derivatives along a
formulation's flow, which must vanish.

The rate of a row follows from poses and twists; it is differentiated along the flow as twists are.
No γ enters: a formulation whose accelerations break a joint is found even if others share its
mistake.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hamiltree.assembly.joint_rows import RowSpec, rows_of_coupling, rows_of_joint
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.assembly.row_tables import RowEvaluator
from hamiltree.errors import FitError
from hamiltree.model import Model
from hamiltree.model.bodies import GROUND
from hamiltree.rotations import rotation_matrix

if TYPE_CHECKING:
    from hamiltree.analysis.compare.states import Scales


def all_specs(mechanism: Mechanism) -> list[RowSpec]:
    """Rows of the tree's joints and couplings, where these have rows, and of all that closes
    loops.
    """
    model = mechanism.model
    found = []
    rest = set(map(id, mechanism.model.couplings_as_constraints))
    kept_by_tree = [part for part in model.couplings if id(part) not in rest]
    makers = [lambda joint=joint: rows_of_joint(joint) for joint in model.tree_joints]
    makers += [
        lambda part=part: rows_of_coupling(model, part, mechanism.start_configuration)
        for part in kept_by_tree
    ]
    for rows in makers:
        try:
            found += rows()
        # a joint of arbitrary axes has no rows: only formulations of trees fit it
        except FitError:
            continue
    return found + list(mechanism.specs)


class JointRows:
    """Rows of a model at its start; their second derivatives are scaled to m/s² of the bodies that
    they act on.
    """

    def __init__(
        self, model: Model, q: np.ndarray, pose: np.ndarray, twist: np.ndarray, scales: Scales
    ):
        """Rows and their Jacobian at the start; `scales` has the reach of each body from its
        joint.
        """
        self.model = model
        self.specs = all_specs(Mechanism(model, q))
        self.row_evaluator = RowEvaluator(model, self.specs)
        self.owners = list(dict.fromkeys(spec.part for spec in self.specs))
        self.owner = np.array([self.owners.index(spec.part) for spec in self.specs], dtype=int)
        here = self.row_evaluator.at(rotation_matrix(pose[:, 3:]), pose[:, :3], twist)
        self.force = self.gradients(here.row_jacobian, slice(3, 6))
        self.torque = self.gradients(here.row_jacobian, slice(0, 3))
        touched = [self.bodies(row) for row in range(len(self.specs))]
        reach = [max([scales.reach[b] for b in bodies], default=0.0) for bodies in touched]
        self.reach = np.array([length or scales.size for length in reach])

    def bodies(self, row: int) -> list[int]:
        """The bodies that a row acts on, without the ground."""
        table = self.row_evaluator.table
        ends = table.ends[table.first[row] : table.first[row + 1]]
        return [int(b) for b in ends.ravel() if b < len(self.model.bodies)]

    def gradients(self, row_jacobian: np.ndarray, part: slice) -> np.ndarray:
        """(rows,) norm of the forces or torques of a row."""
        both = np.concatenate([row_jacobian[:, :6][:, part], row_jacobian[:, 6:][:, part]], axis=1)
        first = self.row_evaluator.table.first
        return np.array(
            [np.linalg.norm(both[first[row] : first[row + 1]]) for row in range(len(self.specs))]
        )

    @property
    def weight(self) -> np.ndarray:
        """(rows,) the change of a row for 1 m/s² of the bodies that it acts on."""
        found = np.hypot(self.force, self.torque / self.reach)
        return np.where(found > 0.0, found, 1.0)

    def level(self, twist: np.ndarray) -> np.ndarray:
        """(rows,) the size of the terms that cancel each other in a rate."""
        spin, speed = (
            np.append(np.linalg.norm(twist[:, k], axis=1), 0.0) for k in (slice(0, 3), slice(3, 6))
        )
        ends = [self.bodies(row) or [-1] for row in range(len(self.specs))]
        return np.array(
            [
                t * spin[b].max() + f * speed[b].max()
                for t, f, b in zip(self.torque, self.force, ends, strict=True)
            ]
        )

    def rates(self, times: np.ndarray, pose: np.ndarray, twist: np.ndarray) -> np.ndarray:
        """(samples, rows) Φ̇"""
        turn = rotation_matrix(
            pose[..., 3:] / np.linalg.norm(pose[..., 3:], axis=-1, keepdims=True)
        )
        found = [
            self.row_evaluator.at(turn[k], pose[k, :, :3], twist[k], float(t)).rate
            for k, t in enumerate(times)
        ]
        return np.array(found).reshape(len(times), len(self.specs))

    def by_owner(self, values: np.ndarray) -> np.ndarray:
        """(owners,) of values (rows,) the worst row of each joint, constraint or coupling, m/s²."""
        found = np.zeros(len(self.owners))
        np.maximum.at(found, self.owner, np.abs(values) / self.weight)
        return found

    # ---- names -----------------------------------------------------------------------------------
    @property
    def labels(self) -> list[str]:
        return [str(name) for _, name in self.owners]

    def ends_of(self, owner: int) -> tuple[str, str]:
        term = self.specs[int(np.flatnonzero(self.owner == owner)[-1])].terms[0]
        return term.i, term.j

    def description(self, owner: int) -> str:
        """joint 'j2' (b1 – b2)"""
        kind, name = self.owners[owner]
        return f"{kind} '{name}' ({' – '.join(self.ends_of(owner))})"

    def child(self, owner: int) -> str:
        """A joint's child, or the other body if that is the ground."""
        kind, name = self.owners[owner]
        inner, outer = (
            (self.model.joint(name).parent, self.model.joint(name).child)
            if kind == "joint"
            else self.ends_of(owner)
        )
        return inner if outer == GROUND else outer
