"""Formulations by name. A new one is a file with a `FORMULATION` and a line here."""

from hamiltree.formulations import hamiltonian_tree

FORMULATIONS = {formulation.name: formulation for formulation in (hamiltonian_tree.FORMULATION,)}
