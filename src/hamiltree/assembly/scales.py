"""The natural scales of a model at a start: a length, a mass and a time. The only place where they
are derived.

Every threshold of a run is a pure number in parts of these, or of the motion itself. A model that
is enlarged, made heavier or slowed down has scales that follow exactly, so that whatever is
decided by them is decided alike. They do not depend on the observer: the speeds of a tree that
nothing anchors in space are measured about its own centre of mass.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.assembly.trees import Trees, trees_of
from hamiltree.model.bodies import GROUND
from hamiltree.model.dimensions import Powers
from hamiltree.model.joints import Joint, coordinate_labels, speed_labels
from hamiltree.model.labels import JointLabels, joint_labels
from hamiltree.model.model import Model
from hamiltree.model.topology import GROUND_INDEX
from hamiltree.model.units import declared_numbers
from hamiltree.model.values import Matrix

if TYPE_CHECKING:
    from hamiltree.assembly.assembly import Assembly
    from hamiltree.assembly.body_states import BodyStates

SMALLEST_INERTIA = 1e-30  # of a body, in parts of the model's: a smaller one is none

ROW_KINDS = ("length", "angle", "number")  # dimensions of coordinates

# dimension → whether the inertia is a mass (else a moment), and whether it makes a period (else a
# time constant)
LINEAR, ANGULAR = 0, 1
STIFFNESSES = {"stiffness": LINEAR, "torsional_stiffness": ANGULAR, "joint_stiffness": None}
DAMPINGS = {"damping": LINEAR, "torsional_damping": ANGULAR, "joint_damping": None}


@dataclass(frozen=True)
class Scales:
    """Natural length (m), mass (kg) and time (s) of a model, and the shortest time that its numbers
    tell.
    """

    length: float
    mass: float
    time: float
    shortest_time: float

    @property
    def speed(self) -> float:
        return self.length / self.time

    @property
    def acceleration(self) -> float:
        return self.length / self.time**2

    @property
    def force(self) -> float:
        return self.mass * self.acceleration

    @property
    def energy(self) -> float:
        return self.force * self.length


def derive_scales(assembly: Assembly) -> Scales:
    """Length: extent of the largest tree, or the largest radius of gyration. Mass: that of all
    bodies. Time: length by speed, 1/ω or √(length/gravity), the shortest; of a model at rest that
    nothing holds against gravity the shortest that its forces have, else √(length/gravity).

    Where a model has none of these, nothing can be compared with it, and it is one.
    """
    return finder_of(assembly).scales


def finder_of(assembly: Assembly) -> ScaleFinder:
    return ScaleFinder(assembly.model, assembly.trees, assembly.bodies_to_rounding)


class ScaleFinder:
    """Derives scales from masses, places and motion of the bodies, and from the numbers of
    forces.
    """

    def __init__(self, model: Model, trees: Trees, states: BodyStates) -> None:
        """Collect the centres of mass at the start and their velocities."""
        self.tree_of_body = trees.of_body
        self.is_unanchored = trees.is_unanchored
        self.model = model
        self.trees = trees
        self.states = states
        bodies = self.model.bodies
        self.masses = np.array([body.mass for body in bodies])
        self.moments = np.array([trace(body.inertia) / 2 for body in bodies])
        numbers = chain.from_iterable(body.com for body in bodies)
        com = np.fromiter(numbers, float, 3 * len(bodies)).reshape(-1, 3)
        arm = np.einsum("kij,kj->ki", self.states.rotation, com)
        self.centres = self.states.origin + arm
        self.spins = self.states.twist[:, :3]
        self.velocities = self.states.twist[:, 3:] + np.cross(self.spins, arm)

    @property
    def scales(self) -> Scales:
        time = 1.0 / (self.motion_rate or self.fastest_rate or self.weight_rate or 1.0)
        shortest = 1.0 / (max(self.motion_rate, self.fastest_rate) or self.weight_rate or 1.0)
        return Scales(self.length, self.mass, time, shortest)

    # ---- length ----------------------------------------------------------------------------------
    @cached_property
    def length(self) -> float:
        """Of the bodies and joints, else of distances between bodies, else of forces."""
        own = max(self.tree_extent, self.gyration)
        return own or self.total_extent or self.declared_length or self.displacement or 1.0

    @cached_property
    def tree_extent(self) -> float:
        """The largest extent of a tree: origins and centres of mass of its bodies, and the places
        of the joints that anchor it.
        """
        n = len(self.model.bodies)
        parents, children = self.model.joint_ends
        owners = np.where(parents == GROUND_INDEX, children, parents)
        at_ground = np.minimum(parents, children) == GROUND_INDEX
        anchoring = np.flatnonzero(at_ground & ~self.is_unanchored[self.tree_of_body[owners]])
        anchors = [
            (joint.on_parent if joint.parent == GROUND else joint.on_child).position
            for joint in map(self.model.joints.__getitem__, anchoring.tolist())
        ]
        places = np.array(anchors, dtype=float).reshape(-1, 3)
        points = np.concatenate([self.states.origin, self.centres, places])
        tree = self.tree_of_body[np.concatenate([np.arange(n), np.arange(n), owners[anchoring]])]
        low, high = np.full((2, len(self.is_unanchored), 3), np.inf)
        np.minimum.at(low, tree, points)
        np.minimum.at(high, tree, -points)
        return float((-high - low).max(initial=0.0))

    @cached_property
    def gyration(self) -> float:
        """The largest radius of gyration of a body."""
        heavy = self.masses > 0.0
        squares = self.moments[heavy] / self.masses[heavy]
        return float(np.sqrt(squares.max(initial=0.0)))

    @cached_property
    def total_extent(self) -> float:
        """Of all centres of mass, and of the points in space that forces pull towards."""
        fixed = [force.centre for force in self.model.forces if hasattr(force, "centre")]
        places = np.concatenate([self.centres, np.array(fixed, dtype=float).reshape(-1, 3)])
        return float(np.ptp(places, axis=0).max()) if len(places) else 0.0

    @cached_property
    def declared_length(self) -> float:
        """The largest length among the numbers of forces."""
        return max((abs(x) for x, powers in self.numbers if powers == (1, 0, 0)), default=0.0)

    @cached_property
    def displacement(self) -> float:
        """The largest coordinate of a sliding joint."""
        return max(
            (
                abs(x)
                for joint in self.model.joints
                for x, kind in zip(joint.start()[0], joint.coordinate_dimensions(), strict=True)
                if kind == "length"
            ),
            default=0.0,
        )

    # ---- mass ------------------------------------------------------------------------------------
    @cached_property
    def mass(self) -> float:
        """Of all bodies; without any their moments of inertia by length², or those of rotors."""
        return (
            float(self.masses.sum())
            or float(self.moments.max(initial=0.0)) / self.length**2
            or max((abs(x) / self.length**power for x, power in self.armatures), default=0.0)
            or 1.0
        )

    @property
    def armatures(self) -> Iterator[tuple[float, int]]:
        """Masses and moments of inertia of rotors of joints, with their powers of length."""
        found = declared_numbers(self.model, self.model.joints)
        return ((x, powers[0]) for x, powers in found if powers[1:] == (1, 0))

    # ---- time ------------------------------------------------------------------------------------
    @cached_property
    def numbers(self) -> list[tuple[float, Powers]]:
        """Those of forces and constraints that are not zero, with powers of length, mass, time."""
        parts = (*self.model.forces, *self.model.constraints)
        return [(x, powers) for x, powers in declared_numbers(self.model, parts) if x != 0.0]

    @cached_property
    def motion_rate(self) -> float:
        """1/s: of the speeds at the start, and of gravity where something is held against it."""
        velocities = self.velocities - self.mean_velocities()[self.tree_of_body]
        speed = float(np.linalg.norm(velocities, axis=1).max(initial=0.0))
        spin = float(np.linalg.norm(self.spins, axis=1).max(initial=0.0))
        is_held = not self.is_unanchored.all()
        return max(speed / self.length, spin, self.weight_rate if is_held else 0.0)

    @property
    def weight_rate(self) -> float:
        """1/s: √(gravity/length)"""
        return float(np.sqrt(np.linalg.norm(self.model.gravity) / self.length))

    def common_motion(self) -> tuple[np.ndarray, np.ndarray]:
        """(trees,): how far from the origin the trees are that nothing anchors, m, and how fast
        they move there, m/s: numbers of that size have no more digits.
        """
        speed = np.linalg.norm(self.mean_velocities(), axis=1)
        away = np.zeros(len(self.is_unanchored))
        np.maximum.at(away, self.tree_of_body, np.linalg.norm(self.centres, axis=1))
        return np.where(self.is_unanchored, away, 0.0), speed

    def mean_velocities(self) -> np.ndarray:
        """(trees, 3): of the centres of mass of unanchored trees; zero for the others."""
        sums = np.zeros((len(self.is_unanchored), 4))
        weighted = np.column_stack([self.masses, self.masses[:, None] * self.velocities])
        np.add.at(sums, self.tree_of_body, weighted)
        mass, momenta = sums[:, :1], sums[:, 1:]
        found = np.divide(momenta, mass, out=np.zeros_like(momenta), where=mass > 0.0)
        return np.where(self.is_unanchored[:, None], found, 0.0)

    @cached_property
    def fastest_rate(self) -> float:
        """1/s: the highest that a number of a force makes with the length and the mass:
        x = length^a mass^b rate^−c.
        """
        found = 0.0
        for x, (a, b, c) in self.numbers:
            if c < 0 and abs(x) < np.inf:
                found = max(found, (abs(x) / (self.length**a * self.mass**b)) ** (-1.0 / c))
        return found


# ---- rows of a state -----------------------------------------------------------------------------
def joint_row_scales(assembly: Assembly, has_momenta: bool) -> np.ndarray:
    """(q, p) or (q, u) of the joints of the tree: angles and quaternions have size one,
    displacements the length; a momentum is that of the bodies which its joint carries.
    """
    model, scales = assembly.model, assembly.scales
    finder = finder_of(assembly)
    topology = assembly.trees.topology
    place = np.argsort(topology.joint)  # of the joints in tree order, as they are declared
    body, is_root = topology.order[place], topology.parent[place] < 0
    tree = finder.tree_of_body[body]
    mass, moment = (np.array(found)[body] for found in carried_inertias(finder))
    away, speed = (found[tree] for found in finder.common_motion())
    common = mass * speed * scales.time
    angular = np.maximum(moment, common * scales.length)
    farthest = np.where(is_root, np.maximum(scales.length, away), scales.length)
    fastest = np.where(is_root, np.maximum(scales.length, speed * scales.time), scales.length)
    ones = np.ones(len(body))
    joints = model.tree_joints
    dimensions = [joint.coordinate_dimensions() for joint in joints]
    positions = rows_by_kind(dimensions, farthest, ones, ones)
    if has_momenta:
        linear = np.maximum(mass * scales.length, common)
        rates = rows_by_kind(dimensions, linear, angular, 2.0 * angular)
        rates = without_followers(rates, joints, coordinate_labels, model.coordinates)
    else:
        rates = rows_by_kind([joint.speed_dimensions() for joint in joints], fastest, ones, ones)
        rates = without_followers(rates, joints, speed_labels, model.speeds)
    positions = without_followers(positions, joints, coordinate_labels, model.coordinates)
    return np.concatenate([positions, rates / scales.time])


def rows_by_kind(
    dimensions: list[tuple[str, ...]], lengths: np.ndarray, angles: np.ndarray, numbers: np.ndarray
) -> np.ndarray:
    """Of each row of each joint the value of its dimension; one value of each kind per joint."""
    joint = np.repeat(np.arange(len(dimensions)), list(map(len, dimensions)))
    kind = [ROW_KINDS.index(name) for names in dimensions for name in names]
    return np.array([lengths, angles, numbers])[kind, joint]


def without_followers(
    rows: np.ndarray, joints: Sequence[Joint], labels: JointLabels, kept: tuple[str, ...]
) -> np.ndarray:
    """The rows of those coordinates or speeds that a model has."""
    return rows if len(rows) == len(kept) else rows[np.isin(joint_labels(joints, labels), kept)]


def carried_inertias(finder: ScaleFinder) -> tuple[list[float], list[float]]:
    """(bodies,): mass, and moment of inertia about its own origin, of each body and all that it
    carries; where there is none, those of the model.
    """
    topology = finder.trees.topology
    order, parent = topology.order.tolist(), topology.parent.tolist()
    middle = finder.centres.mean(axis=0) if len(order) else np.zeros(3)
    centres = finder.centres - middle
    mass = finder.masses.tolist()
    first = (finder.masses[:, None] * centres).tolist()
    second = (finder.masses * (centres**2).sum(axis=1) + finder.moments).tolist()
    for place in range(len(order) - 1, -1, -1):
        if parent[place] >= 0:
            body, inner = order[place], order[parent[place]]
            mass[inner] += mass[body]
            second[inner] += second[body]
            first[inner] = [a + b for a, b in zip(first[inner], first[body], strict=True)]
    at = finder.states.origin - middle
    moments = np.array(second) - 2 * (np.array(first).reshape(-1, 3) * at).sum(axis=1)
    moments += np.array(mass) * (at**2).sum(axis=1)
    return positive_or(np.array(mass), finder.mass), positive_or(
        moments, finder.mass * finder.length**2
    )


def positive_or(values: np.ndarray, other: float) -> list[float]:
    """Values that are clearly above zero; the other one in place of the rest."""
    return np.where(values > SMALLEST_INERTIA * other, values, other).tolist()


def body_row_scales(
    assembly: Assembly, attitude_rows: int, rotation_rows: int, has_momenta: bool
) -> np.ndarray:
    """Of states that hold for each body its position and attitude, then for each its velocity and
    rotation speeds, or the momenta of these.
    """
    scales = assembly.scales
    n = len(assembly.model.bodies)
    finder = finder_of(assembly)
    away, speed = (found[finder.tree_of_body] for found in finder.common_motion())
    places = np.repeat(np.maximum(scales.length, away)[:, None], 3, axis=1)
    positions = np.hstack([places, np.ones((n, attitude_rows))])
    mass, moment = np.ones(n), np.ones(n)
    if has_momenta:
        mass = np.array(positive_or(finder.masses, finder.mass))
        moment = np.array(positive_or(finder.moments, finder.mass * finder.length**2))
    linear = np.repeat((mass * np.maximum(scales.speed, speed))[:, None], 3, axis=1)
    angular = np.repeat(moment[:, None] / scales.time, rotation_rows, axis=1)
    return np.concatenate([positions.ravel(), np.hstack([linear, angular]).ravel()])


# ---- periods and time constants ------------------------------------------------------------------
def shortest_time_constant(model: Model, states: BodyStates) -> float:
    """s: 2π √(m/k) and m/c of springs and dampers, turns and swings of the start; infinite if
    nothing can be told.
    """
    finder = ScaleFinder(model, trees_of(model), states)
    rate = finder.motion_rate
    found = [2 * math.pi / rate] if rate > 0.0 else []
    forces = finder.model.forces
    inertias = Inertias(finder) if forces else None
    for force in forces:
        assert inertias is not None
        for word, value in declared_values(force):
            found += inertias.times_of(force, word, value)
    return min(found, default=math.inf)


class Inertias:
    """The mass and the moment of inertia that a force moves."""

    def __init__(self, finder: ScaleFinder) -> None:
        """By the bodies that each joint carries, and of each body alone."""
        model = finder.model
        topology = finder.trees.topology
        self.masses, self.moments = finder.masses, finder.moments
        self.centres = finder.centres
        self.index = {body.name: k for k, body in enumerate(model.bodies)}
        self.model = model
        carried = carried_inertias(finder)
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


def trace(tensor: Matrix) -> float:
    """xx + yy + zz; np.trace takes fifty times as long for one."""
    (xx, _, _), (_, yy, _), (_, _, zz) = tensor
    return xx + yy + zz
