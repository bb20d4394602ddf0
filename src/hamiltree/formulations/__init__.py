"""Formulations by name.

A new formulation is a file and a line here; each is imported when it is asked for.
"""

from hamiltree.catalogue import Late, find

FORMULATIONS = Late(
    "hamiltree.formulations",
    {
        "hamiltonian_tree": "hamiltonian_tree:FORMULATION",
        "hamiltonian_loops": "hamiltonian_loops:FORMULATION",
        "cartesian_1": "cartesian:CARTESIAN_1",
        "cartesian_2": "cartesian:CARTESIAN_2",
        "cartesian_3": "cartesian:CARTESIAN_3",
        "cartesian_hamiltonian": "cartesian_hamiltonian:FORMULATION",
        "kane_relative": "kane_relative:FORMULATION",
        "kane_absolute": "kane_projection:FORMULATION",
        "chain_quaternion": "chain_quaternion:FORMULATION",
        "chain_quaternion_constrained": "chain_quaternion:CONSTRAINED_FORM",
        "chain_quaternion_seed": "chain_quaternion_seed:FORMULATION",
        "chain_rotation": "chain_rotation:FORMULATION",
        "phase_space": "phase_space:PHASE_SPACE",
        "separable_phase_space": "phase_space:SEPARABLE_PHASE_SPACE",
    },
)


def find_formulation(name: str):
    """A formulation by its name; spelling with dashes or spaces is accepted."""
    return find(FORMULATIONS, name, "formulation")
