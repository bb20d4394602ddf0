"""What the records of all formulations of free bodies have in common."""

import numpy as np

from hamiltree.formulations.formulation import (
    MOTIONS,
    Coordinates,
    Formulation,
    accept_any_start,
    feature_set,
)
from hamiltree.formulations.free_bodies.bodies import free_bodies_workspace
from hamiltree.rotations import conjugate, quaternion_from_matrix, quaternion_product


def owner(system, model, row: int) -> str:
    """The body whose position or momentum a row of the state is."""
    positions = system.layout.positions
    rows_per_body = positions // len(system.body)
    return model.bodies[row % positions // rows_per_body].name


def body_quaternions(system, states, windings) -> np.ndarray:
    """Of the bodies' own axes: by the principal axes, which were followed or are in the states."""
    axes = np.swapaxes(system.frame[:, 3:].reshape(-1, 3, 3), 1, 2)
    count = len(axes)
    if system.facts.followed:
        principal = windings[:, 1:].reshape(len(states), count, 4)
    else:
        principal = states[:, : 7 * count].reshape(len(states), count, 7)[:, :, 3:]
    return quaternion_product(principal, conjugate(quaternion_from_matrix(axes)))


def free_bodies_formulation(name: str, **fields) -> Formulation:
    """A record of bodies without joints between them: the same tables for every start, prescribed
    motions.
    """
    return Formulation(
        name=name,
        check_start=accept_any_start,
        owner=owner,
        workspace=free_bodies_workspace,
        coordinates=Coordinates.BODIES,
        supports=feature_set(MOTIONS),
        body_quaternions=body_quaternions,
        **fields,
    )
