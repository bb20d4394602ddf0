"""What the records of all formulations in absolute coordinates have in common."""

from hamiltree.formulations.absolute.tables import constraint_names, winding_angles
from hamiltree.formulations.formulation import (
    JOINTS,
    ROWS,
    Coordinates,
    Formulation,
    feature_set,
)


def absolute_formulation(name: str, **fields) -> Formulation:
    """A record whose joints and loops are constraint rows, with their names, their independence and
    the angles that laws along joints count.
    """
    return Formulation(
        name=name,
        coordinates=Coordinates.BODIES,
        supports=feature_set(JOINTS, ROWS),
        trouble=lambda work: work.trouble,
        constraint_names=constraint_names,
        winding_angles=winding_angles(name),
        **fields,
    )
