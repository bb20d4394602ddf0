"""Formulations by name.

A new formulation is a file and a line here; each is imported when it is asked for.
"""

from hamiltree.catalogue import LazyCatalogue, find

FORMULATIONS = LazyCatalogue(
    "hamiltree.formulations",
    {
        "hamiltonian_tree": "tree.hamiltonian_tree:FORMULATION",
        "hamiltonian_loops": "tree.hamiltonian_loops:FORMULATION",
        "cartesian_1": "absolute.cartesian:CARTESIAN_1",
        "cartesian_2": "absolute.cartesian:CARTESIAN_2",
        "cartesian_3": "absolute.cartesian:CARTESIAN_3",
        "cartesian_hamiltonian": "absolute.cartesian_hamiltonian:FORMULATION",
        "kane_relative": "kane.kane_relative:FORMULATION",
        "kane_absolute": "kane.projection:FORMULATION",
        "free_bodies_quaternion": "free_bodies.quaternion:FORMULATION",
        "free_bodies_quaternion_constrained": "free_bodies.quaternion:CONSTRAINED_FORM",
        "free_bodies_quaternion_thesis": "free_bodies.quaternion_thesis:FORMULATION",
        "free_bodies_rotation": "free_bodies.rotation:FORMULATION",
        "phase_space": "phase_space:PHASE_SPACE",
        "separable_phase_space": "phase_space:SEPARABLE_PHASE_SPACE",
        "first_order": "first_order:FORMULATION",
    },
)


def find_formulation(name: str):
    """A formulation by its name; spelling with dashes or spaces is accepted."""
    return find(FORMULATIONS, name, "formulation")
