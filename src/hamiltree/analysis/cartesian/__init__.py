"""The equations of the chapter "Spatial Dynamics" as matrices: numbers, symbols, LaTeX."""

from hamiltree.analysis.cartesian.matrices import CartesianMatrices, Solution, matrices
from hamiltree.analysis.cartesian.states import BodyState, state_of_run
from hamiltree.analysis.cartesian.symbolic import SymbolicMatrices, symbolic
from hamiltree.analysis.cartesian.table import Table, table, table_11_1

__all__ = [
    "BodyState",
    "CartesianMatrices",
    "Solution",
    "SymbolicMatrices",
    "Table",
    "matrices",
    "state_of_run",
    "symbolic",
    "table",
    "table_11_1",
]
