"""How far the constraints of a model are from holding, at the poses and twists of a run: measured by all rows, also those left out."""

import numpy as np

from hamiltree.formulations.kinematics import rotations
from hamiltree.formulations.mechanism import Gauge, Mechanism, tree_specs
from hamiltree.formulations.rows import gauge_samples
from hamiltree.model import Model


class Openings:
    """Rows of the joints that close loops, of constraints and couplings; of all joints where a formulation has no tree."""

    def __init__(self, model: Model, q: np.ndarray, is_whole: bool):
        mechanism = Mechanism(model, q, "cartesian_3")
        specs = [*(tree_specs(model, mechanism.setting) if is_whole else ()), *mechanism.specs]
        self.labels = list(dict.fromkeys(str(spec.part[1]) for spec in specs))
        self.owner = np.array([self.labels.index(str(spec.part[1])) for spec in specs], dtype=np.int64)
        self.gauge, self.size = Gauge(model, specs), mechanism.size

    def __call__(self, times: np.ndarray, pose: np.ndarray, twist: np.ndarray) -> dict[str, np.ndarray]:
        """The worst row of each part, |Φ| and |Φ̇|."""
        samples, rows = len(times), len(self.owner)
        value, rate = np.zeros((samples, rows)), np.zeros((samples, rows))
        turn = np.ascontiguousarray(np.swapaxes(rotations(pose[..., 3:]), -1, -2).reshape(samples, -1, 9))
        gauge_samples(self.gauge.handle, times, turn, np.ascontiguousarray(pose[..., :3]), np.ascontiguousarray(twist), value, rate)
        opening, slip = np.zeros((samples, len(self.labels))), np.zeros((samples, len(self.labels)))
        for row, owner in enumerate(self.owner):
            np.maximum(opening[:, owner], value[:, row], out=opening[:, owner])
            np.maximum(slip[:, owner], rate[:, row], out=slip[:, owner])
        return {"opening": opening, "slip": slip}
