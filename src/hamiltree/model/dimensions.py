"""Dimensions of quantities as powers of length, mass and time, and how a part declares them.

A part says in `dimensions` which field has which: a word of DIMENSIONS or COORDINATE_DIMENSIONS, a
tuple of words for the entries of a field, or `Each` for every entry of a list.
"""

Powers = tuple[int, int, int]

# dimension -> powers of length, mass and time
DIMENSIONS: dict[str, Powers] = {
    "number": (0, 0, 0),
    "angle": (0, 0, 0),
    "length": (1, 0, 0),
    "mass": (0, 1, 0),
    "time": (0, 0, 1),
    "area": (2, 0, 0),
    "volume": (3, 0, 0),
    "density": (-3, 1, 0),
    "velocity": (1, 0, -1),
    "acceleration": (1, 0, -2),
    "angular_velocity": (0, 0, -1),
    "angular_acceleration": (0, 0, -2),
    "frequency": (0, 0, -1),
    "inertia": (2, 1, 0),
    "momentum": (1, 1, -1),
    "angular_momentum": (2, 1, -1),
    "force": (1, 1, -2),
    "torque": (2, 1, -2),
    "energy": (2, 1, -2),
    "power": (2, 1, -3),
    "pressure": (-1, 1, -2),
    "stiffness": (0, 1, -2),
    "damping": (0, 1, -1),
    "torsional_stiffness": (2, 1, -2),  # torque per angle
    "torsional_damping": (2, 1, -1),  # torque per angular velocity
    "wavenumber": (-1, 0, 0),
    "attraction": (8, 1, -2),  # energy length⁶
    "strength": (3, 1, -2),  # energy length, of two charges
    "gravitation": (3, -1, -2),
    "gravitational_parameter": (3, 0, -2),
}

# Along a joint coordinate, an angle or a length: a dimension, and the power of the coordinate's own
# dimension that multiplies it.
COORDINATE_DIMENSIONS: dict[str, tuple[str, int]] = {
    "coordinate": ("number", 1),
    "rate": ("frequency", 1),
    "effort": ("energy", -1),
    "joint_stiffness": ("energy", -2),
    "joint_damping": ("angular_momentum", -2),
    "armature": ("inertia", -2),
}
# Of a coupling: the dimension of the coordinate that follows over that of the one that leads.
COORDINATE_RATIO = "coordinate_ratio"
TEXT = "text"  # a word, kept as it is

Dimension = str | tuple
Declared = dict[str, Dimension]


class Each(tuple):
    """Dimensions of the entries of every row of a list; a shorter row has the first of them."""


def coordinate_powers(dimension: str, coordinate: str) -> Powers:
    """Powers of length, mass and time of a dimension along a coordinate that is an angle or a
    length.
    """
    base, power = COORDINATE_DIMENSIONS[dimension]
    a, b, c = DIMENSIONS[base]
    return a + power * DIMENSIONS[coordinate][0], b, c


def six_by_six(linear: str, mixed: str, angular: str) -> tuple[tuple[str, ...], ...]:
    """Dimensions of a 6x6 matrix on (displacement, rotation)."""
    upper = (linear,) * 3 + (mixed,) * 3
    lower = (mixed,) * 3 + (angular,) * 3
    return (upper,) * 3 + (lower,) * 3
