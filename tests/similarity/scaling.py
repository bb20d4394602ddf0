"""Similar models: all lengths, masses and times multiplied by powers of two, which no rounding
notices.

What a model is asked in one scale it must be asked in every other with the same answer: options of
a run go into the other scale, and what is recorded comes back from it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

import hamiltree as ht
from hamiltree.model.dimensions import coordinate_powers
from hamiltree.model.joints import coordinate_labels, speed_labels
from hamiltree.model.units import Units, nondimensionalise

TIMES = ("until", "step", "t")
RATES = ("omega", "baumgarte")  # 1/s
Scaled = dict[str, np.ndarray]

# Exponents of two: length, mass, time. Masses are even: a square root may be taken.
SCALES = {
    "atoms": (-33, -88, -40),
    "planets": (37, 100, 25),
    "grains of sand": (-17, -20, 10),
}
EVERY_SCALE = {
    **SCALES,
    "light and large": (37, -88, -40),
    "heavy and small": (-33, 100, 25),
    "kilometres": (10, 0, 0),
    "heavy": (0, 100, 0),
    "light": (0, -88, 0),
    "slow": (0, 0, 25),
    "fast": (0, 0, -40),
}


def units_of(length: int, mass: int, time: int) -> Units:
    """Powers of two by their exponents."""
    return Units(length=2.0**length, mass=2.0**mass, time=2.0**time)


def enlarge(model: ht.Model, units: Units) -> ht.Model:
    """The similar model; a formula or a function is refused by name."""
    return nondimensionalise(model, units, back=True)


# ---- sizes of numbers ----------------------------------------------------------------------------
def coordinate_sizes(model: ht.Model, units: Units, dimension: str) -> np.ndarray:
    """One for each coordinate: of its position, rate or effort, by a word of dimensions.py."""
    kinds = {}
    for joint in model.joints:
        kinds |= dict(zip(coordinate_labels(joint), joint.coordinate_dimensions(), strict=True))
    own = ["length" if kinds[label] == "length" else "angle" for label in model.coordinates]
    return np.array([units.size_of_powers(coordinate_powers(dimension, kind)) for kind in own])


def speed_sizes(model: ht.Model, units: Units, dimension: str = "rate") -> np.ndarray:
    """One for each speed of the joints."""
    kinds = {}
    for joint in model.joints:
        kinds |= dict(zip(speed_labels(joint), joint.speed_dimensions(), strict=True))
    own = [kinds[label] for label in model.speeds]
    return np.array([units.size_of_powers(coordinate_powers(dimension, kind)) for kind in own])


def size(units: Units, *powers: int) -> float:
    """length^a mass^b time^c."""
    return units.size_of_powers(powers)


def momentum_sizes(model: ht.Model, units: Units) -> np.ndarray:
    """One for each momentum: effort times time."""
    return coordinate_sizes(model, units, "effort") * units.time


# ---- options of a run ----------------------------------------------------------------------------
def enlarge_options(model: ht.Model, options: Mapping[str, Any], units: Units) -> dict[str, Any]:
    """Times, rates, starts and inputs of a call of simulate in the other scale."""
    found = dict(options)
    for name in TIMES:
        if found.get(name) is not None:
            found[name] = found[name] * units.time
    for name in RATES:
        if found.get(name) is not None:
            found[name] = found[name] / units.time
    if found.get("q") is not None:
        found["q"] = np.array(found["q"]) * coordinate_sizes(model, units, "coordinate")
    if found.get("qdot") is not None:
        found["qdot"] = np.array(found["qdot"]) * speed_sizes(model, units)
    if found.get("p") is not None:
        found["p"] = np.array(found["p"]) * momentum_sizes(model, units)
    if found.get("fictitious_inertia") is not None:
        found["fictitious_inertia"] *= units.size("inertia")
    if found.get("inputs"):
        found["inputs"] = enlarge_inputs(model, found["inputs"], units)
    return found


def enlarge_inputs(model: ht.Model, inputs: Mapping[str, Any], units: Units) -> dict[str, Any]:
    """Efforts of joints; forces and torques of bodies. The control of an actuator is a number."""
    efforts = dict(zip(model.coordinates, coordinate_sizes(model, units, "effort"), strict=True))
    return {
        name: {part: np.array(x) * units.size(part) for part, x in value.items()}
        if isinstance(value, Mapping)
        else value * efforts.get(name, 1.0)
        for name, value in inputs.items()
    }


# ---- what is recorded ----------------------------------------------------------------------------
def reduce_run(run: ht.Trajectory, units: Units) -> Scaled:
    """The arrays of a run in the scale of the first model. Residuals are left out: a part may have
    rows in m and in rad.
    """
    model, energy = run.model, units.size("energy")
    velocity = units.size("velocity")
    sizes = {
        "t": units.time,
        "q": coordinate_sizes(model, units, "coordinate"),
        "qdot": coordinate_sizes(model, units, "rate"),
        "p": momentum_sizes(model, units),
        "pose": np.array([units.length] * 3 + [1.0] * 4),
        "twist": np.array([1.0 / units.time] * 3 + [velocity] * 3),
        "norm_error": 1.0,
        **dict.fromkeys(("kinetic_energy", "potential_energy", "work"), energy),
        **dict.fromkeys(("energy_within", "kinetic_energy_within"), energy),
    }
    found = {name: run.dataset[name].values / x for name, x in sizes.items() if name in run.dataset}
    for number, points in enumerate(run.sections.values()):
        found |= {f"section{number}_{name}": points[name].values / sizes[name] for name in "tqp"}
    return found


def residuals_of(run: ht.Trajectory) -> Scaled:
    """Residuals and their rates, in m or rad."""
    return {name: run.dataset[name].values for name in ("opening", "slip") if name in run.dataset}


def similar_residuals(here: np.ndarray, there: np.ndarray, length: float) -> np.ndarray:
    """Those of another scale, each as one in m or as one in rad, whichever is nearer."""
    as_length = there / length
    return np.where(np.abs(as_length - here) <= np.abs(there - here), as_length, there)
