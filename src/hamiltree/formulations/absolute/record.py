"""What the records of all formulations in absolute coordinates have in common."""

import numpy as np

from hamiltree.formulations.absolute.tables import constraint_names, winding_angles
from hamiltree.formulations.formulation import (
    JOINTS,
    ROWS,
    Coordinates,
    Formulation,
    feature_set,
)


def body_quaternions(system, states, windings) -> np.ndarray:
    """Euler parameters behind the position of every body."""
    count = len(system.body)
    return states[:, : 7 * count].reshape(len(states), count, 7)[:, :, 3:]


def absolute_formulation(name: str, **fields) -> Formulation:
    """A record whose joints and loops are constraint rows, with their names, their independence and
    the angles that laws along joints count.
    """
    fields.setdefault("body_quaternions", body_quaternions)
    return Formulation(
        name=name,
        coordinates=Coordinates.BODIES,
        supports=feature_set(JOINTS, ROWS),
        trouble=lambda work: work.trouble,
        constraint_names=constraint_names,
        winding_angles=winding_angles(name),
        **fields,
    )
