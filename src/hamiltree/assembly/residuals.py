"""Constraint residuals and their rates at the poses and twists of a run: of all rows, the redundant
ones too.
"""

from collections.abc import Mapping

import numpy as np

from hamiltree.assembly.mechanism import Mechanism
from hamiltree.assembly.row_tables import RowEvaluator, evaluate_samples, tree_specs
from hamiltree.model import Model
from hamiltree.rotations import rotation_matrix

# what rows are compared by: not recorded
RELATIVE_RESIDUAL = "relative_residual"
RELATIVE_RATE = "relative_rate"


class ResidualRows:
    """Rows of the joints that close loops, of constraints and couplings; of all joints where a
    formulation has no tree.
    """

    def __init__(self, mechanism: Mechanism, length: float, is_whole: bool):
        """`length`: that residuals in metres are compared with; `is_whole`: the rows of the tree's
        joints too.
        """
        model = mechanism.model
        specs = [
            *(tree_specs(model, mechanism.start_configuration) if is_whole else ()),
            *mechanism.specs,
        ]
        names = [f"{'coupling ' * (spec.part[0] == 'coupling')}{spec.part[1]}" for spec in specs]
        self.model = model
        self.specs = specs
        self.scale = np.array([1.0 if spec.is_angle else length for spec in specs])
        self.labels = list(dict.fromkeys(names))
        self.owner = np.array([self.labels.index(name) for name in names], dtype=np.int64)
        self.terms = [term for spec in specs for term in spec.terms]

    def unit_of(self, label: str) -> str:
        """The unit of the rows of a part; a part such as a hinge has rows of both."""
        owner = self.labels.index(label)
        rows = [spec for spec, own in zip(self.specs, self.owner, strict=True) if own == owner]
        units = sorted({"rad" if spec.is_angle else "m" for spec in rows})
        return " or ".join(units)


class ConstraintResiduals:
    """Evaluates them at the samples of one run after the other: angles count their turns from
    sample to sample.
    """

    def __init__(self, rows: ResidualRows):
        self.model = rows.model
        self.labels = rows.labels
        self.owner = rows.owner
        self.scale = rows.scale
        self.terms = rows.terms
        self.row_evaluator = RowEvaluator(rows.model, rows.specs)
        self.first = self.memory

    def begin(self) -> None:
        """As new, for another run."""
        self.memory = self.first

    @property
    def memory(self) -> np.ndarray:
        """The angles that count turns, as the last sample has left them."""
        return self.row_evaluator.work.angle.copy()

    @memory.setter
    def memory(self, kept: np.ndarray) -> None:
        self.row_evaluator.work.angle[...] = kept

    def __call__(
        self,
        times: np.ndarray,
        pose: np.ndarray,
        twist: np.ndarray,
        q: np.ndarray,
        angles: Mapping[str, np.ndarray],
    ) -> dict[str, np.ndarray]:
        """|Φ| and |Φ̇| of the worst row of each part, m or rad; and both in parts of the natural
        length or of a radian, by which rows are compared; `angles`: coordinates that were
        followed, which q may not have.
        """
        samples, rows = len(times), len(self.owner)
        value, rate = np.zeros((samples, rows)), np.zeros((samples, rows))
        turn = np.ascontiguousarray(
            np.swapaxes(rotation_matrix(pose[..., 3:]), -1, -2).reshape(samples, -1, 9)
        )
        labels = [(term.label, term.scale) for term in self.terms]
        turns = known_angles(self.model, labels, q, angles)
        evaluate_samples(
            self.row_evaluator.handle,
            times,
            turns,
            turn,
            np.ascontiguousarray(pose[..., :3]),
            np.ascontiguousarray(twist),
            value,
            rate,
        )
        residual, relative = self.worst_rows(value)
        residual_rate, relative_rate = self.worst_rows(rate)
        return {
            "opening": residual,
            "slip": residual_rate,
            RELATIVE_RESIDUAL: relative,
            RELATIVE_RATE: relative_rate,
        }

    def worst_rows(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(samples, parts): of each part the value of the row that is largest in parts of its
        scale, and that part.
        """
        worst, most = np.zeros((2, len(values), len(self.labels)))
        for row, owner in enumerate(self.owner):
            relative = values[:, row] / self.scale[row]
            # not a number counts as the worst
            is_worse = ~(relative <= most[:, owner])
            worst[is_worse, owner] = values[is_worse, row]
            most[is_worse, owner] = relative[is_worse]
        return worst, most


def known_angles(
    model: Model,
    labels: list[tuple[str, float]],
    q: np.ndarray,
    followed: Mapping[str, np.ndarray],
) -> np.ndarray:
    """(samples, angles): scale times a coordinate where q has it or it was followed; NaN for the
    others.
    """
    found = np.full((len(q), len(labels)), np.nan)
    columns = {name: k for k, name in enumerate(model.coordinates)}
    for k, (label, scale) in enumerate(labels):
        if label in followed:
            found[:, k] = followed[label] * scale
        leader, ratio, offset = model.followers.get(label, (label, 1.0, 0.0))
        if leader in columns:
            found[:, k] = (ratio * q[:, columns[leader]] + offset) * scale
    return found
