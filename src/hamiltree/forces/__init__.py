"""Force laws: one physical law a file, its kernels registered for the dataclass in `model.forces`.

A joint law acts along joint coordinates: `effort` and `stored` for element k at coordinate x with
rate v; one that looks at other coordinates too answers `generalised_force_at_state` instead.
A body law acts on bodies: `push` adds wrenches to the bodies it touches, `held` is its energy; it
sees rotations, positions and twists.
"""

from hamiltree.forces import (
    body_input,
    body_law,
    body_load,
    bushing,
    central_gravity,
    constant_force_spring,
    drag,
    gravitation,
    joint_damper,
    joint_effort,
    joint_friction,
    joint_input,
    joint_law,
    joint_limit,
    joint_potential,
    joint_spring,
    pair_force,
    point_spring,
    torsion,
)
from hamiltree.forces import time_tables as tables
from hamiltree.forces.laws import BODY_LAWS, JOINT_LAWS, tabulate

__all__ = [
    "BODY_LAWS",
    "JOINT_LAWS",
    "body_input",
    "body_law",
    "body_load",
    "bushing",
    "central_gravity",
    "constant_force_spring",
    "drag",
    "gravitation",
    "joint_damper",
    "joint_effort",
    "joint_friction",
    "joint_input",
    "joint_law",
    "joint_limit",
    "joint_potential",
    "joint_spring",
    "pair_force",
    "point_spring",
    "tables",
    "tabulate",
    "torsion",
]
