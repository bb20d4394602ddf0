"""Formulations by name. A new formulation is a file and a line here."""

from hamiltree.catalogue import find
from hamiltree.formulations import (
    cartesian,
    cartesian_hamiltonian,
    cartesian_index3,  # noqa: F401  (answers verbs of the cartesian formulations)
    cartesian_projection,  # noqa: F401  (the same)
    chain_quaternion,
    chain_quaternion_seed,
    chain_rotation,
    hamiltonian_loops,
    hamiltonian_tree,
    kane_absolute,
    kane_projection,  # noqa: F401  (the same)
    kane_relative,
    phase_space,
)

FORMULATIONS = {
    formulation.name: formulation
    for formulation in (
        hamiltonian_tree.FORMULATION,
        hamiltonian_loops.FORMULATION,
        *cartesian.FORMULATIONS,
        cartesian_hamiltonian.FORMULATION,
        kane_relative.FORMULATION,
        kane_absolute.FORMULATION,
        *chain_quaternion.FORMULATIONS,
        chain_quaternion_seed.FORMULATION,
        chain_rotation.FORMULATION,
        phase_space.PHASE_SPACE,
        phase_space.SEPARABLE_PHASE_SPACE,
    )
}


def find_formulation(name: str):
    """A formulation by its name; spelling with dashes or spaces is accepted."""
    return find(FORMULATIONS, name, "formulation")
