"""Variables of a run: names, dimensions and units, the same in memory and in a netCDF file.

The names are those of every file that was ever written and stay as they are: "opening" is a
constraint residual, "slip" its rate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")
RESIDUAL = "opening"
RESIDUAL_RATE = "slip"
ENERGY_WITHIN = "energy_within"
KINETIC_ENERGY_WITHIN = "kinetic_energy_within"

# name → (dimensions, unit and meaning)
MODEL_VARIABLES = {
    "t": (("t",), "s"),
    "q": (("t", "coordinate"), "rad or m: positions of the joints"),
    "p": (("t", "coordinate"), "N m s or N s: momenta of the joints"),
    "qdot": (("t", "coordinate"), "rad/s or m/s: rates of the joints"),
    "kinetic_energy": (("t",), "J"),
    "potential_energy": (("t",), "J"),
    "work": (("t",), "J: work of non-conservative forces since the start"),
    "pose": (
        ("t", "body", "pose_part"),
        "m and unit quaternion (scalar first), body to world: origin and attitude of every body",
    ),
    "twist": (
        ("t", "body", "twist_part"),
        "rad/s and m/s in world axes: angular velocity, velocity of the body's origin",
    ),
}
# Of a model whose joints close loops, or that has constraints.
RESIDUAL_VARIABLES = {
    RESIDUAL: (
        ("t", "constraint"),
        "m or rad: residual of each constraint, redundant rows included",
    ),
    RESIDUAL_RATE: (("t", "constraint"), "m/s or rad/s: residual rate of each constraint"),
}
# Of a model with bodies that nothing fixes in space: seen from origins that move with them.
FREE_VARIABLES = {
    ENERGY_WITHIN: (("t",), "J: T + V − work, seen from origins that move with free bodies"),
    KINETIC_ENERGY_WITHIN: (("t",), "J: T less that of the centres of mass of free groups"),
}
# Of free bodies by quaternions or rotation matrices of their own, and of joints with quaternions
# in a mechanism, before their recorded q is normalised.
NORM_VARIABLES = {
    "norm_error": (
        ("t", "body"),
        "‖q‖² − 1 of the quaternion of each body or of the joint that carries it, or the largest "
        "entry of RᵀR − 1; 0 where there is neither",
    )
}
# Of free bodies by quaternions and their canonical momenta g.
RADIAL_VARIABLES = {
    "radial_momentum": (
        ("t", "body"),
        "N m s: q · g of the quaternion of each body and its momentum, zero in an exact run",
    )
}
# Of a model with inputs.
INPUT_UNITS = "N, N m, or the unit of an actuator's control: what is asked for from that time on"
INPUT_VARIABLES = {"input": (("t", "input_part"), INPUT_UNITS)}
PHASE_SPACE_VARIABLES = {
    "t": (("t",), "in the units of H"),
    "q": (("t", "coordinate"), "in the units of H: coordinates"),
    "p": (("t", "momentum"), "in the units of H: momenta"),
    "qdot": (("t", "coordinate"), "in the units of H: rates of the coordinates"),
    "pdot": (("t", "momentum"), "in the units of H: rates of the momenta"),
    "energy": (("t",), "H"),
    "work": (("t",), "integral of the partial derivative of H by time"),
    "invariants": (("t", "invariant"), "what the user named"),
}


FIRST_ORDER_VARIABLES = {
    "t": (("t",), "in the units of f"),
    "y": (("t", "variable"), "in the units of f: what the user named"),
    "ydot": (("t", "variable"), "in the units of f: rates of y"),
    "invariants": (("t", "invariant"), "what the user named"),
}
STATE_PARTS = "q", "p", "y"  # variables that together are a state, as far as a run has them


class Schema(NamedTuple):
    """What a run records: variables, labels of their dimensions, and the names of its sections."""

    problem: Any
    variables: dict[str, tuple[tuple[str, ...], str]]
    labels: dict[str, list[str]]
    sections: tuple[str, ...] = ()

    @property
    def state_dimensions(self) -> dict[str, str]:
        """q → coordinate, …: the parts of a state, in its order, with their dimensions."""
        found = {name: self.variables[name] for name in STATE_PARTS if name in self.variables}
        return {name: dimensions[1] for name, (dimensions, _) in found.items()}

    def section_variables(self) -> dict[str, tuple[str, ...]]:
        """Name → dimensions of the points of every section."""
        made = {}
        for number in range(len(self.sections)):
            point = f"point{number}"
            made[f"section{number}_t"] = (point,)
            for part, dimension in self.state_dimensions.items():
                made[f"section{number}_{part}"] = (point, dimension)
        return made

    def section_chunk(self, number: int, t: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
        """Points of one section by the names of its variables; y is a state, per row a point."""
        made = {f"section{number}_t": t}
        first = 0
        for part, dimension in self.state_dimensions.items():
            last = first + len(self.labels[dimension])
            made[f"section{number}_{part}"] = y[:, first:last]
            first = last
        return made

    def empty_sections(self) -> dict[str, np.ndarray]:
        """The variables of all sections, without a point yet."""
        lengths = {part: len(self.labels[x]) for part, x in self.state_dimensions.items()}
        widths = {"t": (0,)} | {part: (0, length) for part, length in lengths.items()}
        return {name: np.zeros(widths[name[-1]]) for name in self.section_variables()}
