"""What exists: bodies, joints, forces, constraints, and the Model that holds them.

Data only; nothing here is compiled. Joints, forces and so on are found in their catalogues: a class
that is registered in one is known here, and as `ht.…`, by its name.
"""

# ruff: noqa: F401, F403
from typing import TYPE_CHECKING, Any

from hamiltree.model import actuators, elements, pose_potential, time_tables  # they register forces
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.constraints import CONSTRAINTS, Constraint
from hamiltree.model.couplings import COUPLINGS, Coupling
from hamiltree.model.forces import FORCES, Force
from hamiltree.model.joints import JOINTS, Joint
from hamiltree.model.limits import Limits
from hamiltree.model.model import Model
from hamiltree.model.particles import Particles
from hamiltree.model.potentials import POTENTIALS, Potential
from hamiltree.model.shapes import SHAPES, MassProperties, Shape, composite
from hamiltree.model.topology import Topology, spanning_tree
from hamiltree.model.values import Frame

if TYPE_CHECKING:  # what `__getattr__` finds in the catalogues
    from hamiltree.model.actuators import *
    from hamiltree.model.constraints import *
    from hamiltree.model.couplings import *
    from hamiltree.model.elements import *
    from hamiltree.model.forces import *
    from hamiltree.model.joints import *
    from hamiltree.model.pair_force import *
    from hamiltree.model.pose_potential import *
    from hamiltree.model.potentials import *
    from hamiltree.model.shapes import *
    from hamiltree.model.time_tables import *

CATALOGUES = {
    "joint": JOINTS,
    "force": FORCES,
    "constraint": CONSTRAINTS,
    "coupling": COUPLINGS,
    "potential": POTENTIALS,
    "shape": SHAPES,
}
# what a person makes models of and no catalogue holds
SINGLE_CLASSES = (Body, Frame, Limits, Model, Particles)
DEFINITIONS = (
    *SINGLE_CLASSES, Constraint, Coupling, Force, Joint, MassProperties, Potential, Shape, Topology,
    composite, spanning_tree,
)  # fmt: skip
CONSTANTS = ("CATALOGUES", "GROUND", *(f"{word.upper()}S" for word in CATALOGUES))


def public_classes() -> dict[str, type]:
    """What a person makes models of, by name: the single classes and every catalogue."""
    kinds = [kind for catalogue in CATALOGUES.values() for kind in catalogue.values()]
    return {kind.__name__: kind for kind in (*SINGLE_CLASSES, *kinds)}


if not TYPE_CHECKING:  # a type checker shall complain of an unknown name

    def __getattr__(name: str) -> Any:
        """A class of a catalogue by its name."""
        if name == "__all__":
            return sorted({*public_classes(), *CONSTANTS, *(x.__name__ for x in DEFINITIONS)})
        if name not in (known := public_classes()):
            raise AttributeError(f"module 'hamiltree.model' has no attribute {name!r}")
        return known[name]

    def __dir__() -> list[str]:
        return __getattr__("__all__")
