"""Formulations by name. A new one is a file with a `FORMULATION` and a line here."""

from hamiltree.catalogue import find
from hamiltree.formulations import hamiltonian_tree

FORMULATIONS = {formulation.name: formulation for formulation in (hamiltonian_tree.FORMULATION,)}


def find_formulation(name: str):
    """A formulation by its name; spelling with dashes or spaces is accepted."""
    return find(FORMULATIONS, name, "formulation")
