"""The shortest period or time constant of a model that can be told at its start: from speeds,
gravity, and from springs and dampers with the inertia that they move.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.assembly.scales import carried_inertias, finder_of

if TYPE_CHECKING:
    from hamiltree.assembly.assembly import Assembly

# dimension → whether the inertia is a mass (else a moment), and whether it makes a period (else a
# time constant)
LINEAR, ANGULAR = 0, 1
STIFFNESSES = {"stiffness": LINEAR, "torsional_stiffness": ANGULAR, "joint_stiffness": None}
DAMPINGS = {"damping": LINEAR, "torsional_damping": ANGULAR, "joint_damping": None}


def shortest_time_constant(assembly: Assembly) -> float:
    """s: 2π √(m/k) and m/c of springs and dampers, turns and swings of the start; infinite if
    nothing can be told.
    """
    finder = finder_of(assembly)
    rate = finder.motion_rate
    found = [2 * math.pi / rate] if rate > 0.0 else []
    inertias = Inertias(assembly)
    for force in assembly.model.forces:
        for word, value in declared_values(force):
            found += inertias.times_of(force, word, value)
    return min(found, default=math.inf)


class Inertias:
    """The mass and the moment of inertia that a force moves."""

    def __init__(self, assembly: Assembly) -> None:
        """By the bodies that each joint carries, and of each body alone."""
        model = assembly.model
        finder = finder_of(assembly)
        topology = assembly.trees.topology
        self.masses, self.moments = finder.masses, finder.moments
        self.centres = finder.centres
        self.index = {body.name: k for k, body in enumerate(model.bodies)}
        self.model = model
        carried = carried_inertias(assembly)
        bodies = zip(topology.joint.tolist(), topology.order.tolist(), strict=True)
        self.of_joint = {
            model.joints[number].name: (carried[LINEAR][body], carried[ANGULAR][body])
            for number, body in bodies
        }

    def times_of(self, force: Any, word: str, value: float) -> list[float]:
        """The period or time constant of one number of a force; none if it makes none."""
        value = abs(value)
        if value == 0.0 or not math.isfinite(value):
            return []
        if word == "gravitational_parameter":
            distance = np.linalg.norm(self.centres[self.index[force.body]] - force.centre)
            return [2 * math.pi * math.sqrt(distance**3 / value)]
        for words, time in ((STIFFNESSES, spring_period), (DAMPINGS, damper_time)):
            if word in words:
                inertia = self.inertia_of(force, words[word])
                return [time(inertia, value)] if inertia > 0.0 else []
        return []

    def inertia_of(self, force: Any, kind: int | None) -> float:
        """Of the joint along which a force acts, or the smallest of the bodies between which it
        acts.
        """
        name = getattr(force, "joint", None)
        if isinstance(name, str):
            joint = name if name in self.of_joint else name.rpartition(".")[0]
            if joint not in self.of_joint:
                return 0.0
            dimensions = self.model.joint(joint).speed_dimensions()
            return self.of_joint[joint][LINEAR if dimensions[0] == "length" else ANGULAR]
        named = [getattr(force, field) for field in force.references]
        rows = [self.index[name] for name in named if name in self.index]
        values = (self.masses if kind == LINEAR else self.moments)[rows or slice(None)]
        return float(values[values > 0.0].min(initial=math.inf)) if (values > 0.0).any() else 0.0


def spring_period(inertia: float, stiffness: float) -> float:
    return 2 * math.pi * math.sqrt(inertia / stiffness)


def damper_time(inertia: float, damping: float) -> float:
    return inertia / damping


def declared_values(part: Any) -> Iterator[tuple[str, float]]:
    """(dimension, number) of the fields of a part and of the parts within it."""
    for name, dimension in type(part).dimensions.items():
        yield from pairs_of(dimension, getattr(part, name))
    for name in getattr(type(part), "__dataclass_fields__", {}):
        value = getattr(part, name)
        inner = value.values() if isinstance(value, Mapping) else value
        for entry in inner if isinstance(inner, (tuple, list)) or inner is not value else (value,):
            if hasattr(type(entry), "dimensions"):
                yield from declared_values(entry)


def pairs_of(dimension: Any, value: Any) -> Iterator[tuple[str, float]]:
    """Dimensions and numbers of a field, one by one."""
    if isinstance(value, tuple):
        each = dimension if isinstance(dimension, tuple) else (dimension,) * len(value)
        if isinstance(dimension, tuple) and dimension and isinstance(dimension[0], tuple):
            is_diagonal = not isinstance(value[0], tuple)
            each = tuple(row[k] for k, row in enumerate(dimension)) if is_diagonal else dimension
        for x, part in zip(value, each, strict=False):
            yield from pairs_of(part, x)
    elif isinstance(dimension, str) and isinstance(value, (int, float)):
        yield dimension, float(value)
