"""How fast the forces of a model change its positions and momenta, whatever its start.

Forces that are in equilibrium leave their rounding, a part of 1e-16 of them, and a model at rest
has no momenta that it could be compared with. What a step of such forces would change is the size
that it has. It depends on the model alone, and may be some orders of magnitude off.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hamiltree.model.joints import Revolute
from hamiltree.model.model import Model
from hamiltree.model.units import declared_numbers


class ForcesAtRest(NamedTuple):
    """The length along all joints (m), the mass (kg), and the rate (1/s) of the quickest motion
    that gravity or a number of a force makes with these; 0 where there is no force.
    """

    length: float
    mass: float
    rate: float

    def rates(self, model: Model, has_row_scales: bool) -> tuple[float, float]:
        """Of positions and momenta: in parts of their natural sizes, or in the one unit that all
        have.
        """
        if has_row_scales:
            return self.rate, self.rate
        unit = self.length if has_lengths_alone(model) else 1.0
        energy = self.mass * (self.length * self.rate) ** 2
        return unit * self.rate, energy / unit if unit > 0.0 else 0.0


def has_lengths_alone(model: Model) -> bool:
    """Whether all coordinates are displacements."""
    if any(joint.kind == Revolute.kind for joint in model.joints):
        return False
    return {kind for joint in model.joints for kind in joint.coordinate_dimensions()} == {"length"}


def forces_at_rest(model: Model) -> ForcesAtRest:
    """From lengths, masses, gravity and the numbers of forces."""
    frames = [frame for joint in model.joints for frame in (joint.on_parent, joint.on_child)]
    points = [*(frame.position for frame in frames), *(body.com for body in model.bodies)]
    length = float(np.linalg.norm(np.array(points).reshape(-1, 3), axis=1).sum())
    mass = math.fsum(body.mass for body in model.bodies)
    if length == 0.0 or mass == 0.0:
        return ForcesAtRest(length, mass, 0.0)
    found = [float(np.sqrt(np.linalg.norm(model.gravity) / length))]
    parts = (*model.forces, *model.constraints)
    for x, (a, b, c) in declared_numbers(model, parts) if parts else ():
        if c < 0 and 0.0 < abs(x) < math.inf:
            found.append((abs(x) / (length**a * mass**b)) ** (-1.0 / c))
    return ForcesAtRest(length, mass, max(found))
