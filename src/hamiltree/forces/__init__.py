"""Force laws: one physical law per file, its kernels registered for the dataclass in `model`.

A joint law acts along joint coordinates: `generalised_force` and `joint_potential_energy` of
element k at coordinate x with rate v; a law that depends on other coordinates too has
`generalised_force_at_state` instead.
A body law acts on bodies: `add_wrenches` adds wrenches to the bodies it acts on,
`body_potential_energy` is its energy; it reads rotations, positions and twists.
Every file of this package is imported here, in the order of their names: a new law is a new file.
"""

import importlib
import pkgutil

from hamiltree.forces.laws import BODY_LAWS, JOINT_LAWS, tabulate

__all__ = ["BODY_LAWS", "JOINT_LAWS", "tabulate"]

for module in sorted(entry.name for entry in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{module}")
