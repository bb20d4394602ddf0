"""Influence matrices, momenta and interbody forces of a tree: "EOM with Hamilton's Equations"
written out as it stands, in NumPy, for teaching and for checking.
"""

from hamiltree.analysis.influence.build import influence
from hamiltree.analysis.influence.motion import Motion
from hamiltree.analysis.influence.operators import ArticulatedInertias, Influence

__all__ = ["ArticulatedInertias", "Influence", "Motion", "influence"]
