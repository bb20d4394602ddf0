"""What the records of all formulations of free bodies have in common."""

from hamiltree.formulations.formulation import (
    MOTIONS,
    Coordinates,
    Formulation,
    accept_any_start,
    feature_set,
)
from hamiltree.formulations.free_bodies.bodies import free_bodies_workspace


def owner(system, model, row: int) -> str:
    """The body whose position or momentum a row of the state is."""
    positions = system.layout.positions
    rows_per_body = positions // len(system.body)
    return model.bodies[row % positions // rows_per_body].name


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
        **fields,
    )
