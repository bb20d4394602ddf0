"""The natural scales of a model at a start: a length, a mass and a time. The only place where they
are derived.

Every threshold of a run is a pure number in parts of these, or of the motion itself. A model that
is enlarged, made heavier or slowed down has scales that follow exactly, so that whatever is
decided by them is decided alike. They do not depend on the observer: the speeds of a tree that
nothing anchors in space are measured about its own centre of mass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hamiltree.model.bodies import GROUND
from hamiltree.model.dimensions import Powers
from hamiltree.model.joints import coordinate_labels, speed_labels
from hamiltree.model.model import Model
from hamiltree.model.units import declared_numbers

if TYPE_CHECKING:
    from hamiltree.assembly.assembly import Assembly
    from hamiltree.assembly.body_states import BodyStates
    from hamiltree.assembly.trees import Trees

SMALLEST_INERTIA = 1e-30  # of a body, in parts of the model's: a smaller one is none


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
    bodies. Time: length by speed, 1/ω or √(length/gravity), the shortest; of a model at rest
    without gravity the shortest that its forces have.

    Where a model has none of these, nothing can be compared with it, and it is one.
    """
    return finder_of(assembly).scales


def finder_of(assembly: Assembly) -> ScaleFinder:
    return ScaleFinder(assembly.model, assembly.trees, assembly.unjoined_bodies)


class ScaleFinder:
    """Derives scales from masses, places and motion of the bodies, and from the numbers of
    forces.
    """

    def __init__(self, model: Model, trees: Trees, states: BodyStates) -> None:
        """Collect the centres of mass at the start and their velocities."""
        self.model = model
        self.trees = trees
        self.states = states
        bodies = self.model.bodies
        self.masses = np.array([body.mass for body in bodies])
        self.moments = np.array([np.trace(body.inertia) / 2 for body in bodies])
        com = np.array([body.com for body in bodies], dtype=float).reshape(-1, 3)
        arm = np.einsum("kij,kj->ki", self.states.rotation, com)
        self.centres = self.states.origin + arm
        self.spins = self.states.twist[:, :3]
        self.velocities = self.states.twist[:, 3:] + np.cross(self.spins, arm)

    @property
    def scales(self) -> Scales:
        time = 1.0 / (self.motion_rate or self.fastest_rate or 1.0)
        shortest = 1.0 / (max(self.motion_rate, self.fastest_rate) or 1.0)
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
        index = {body.name: k for k, body in enumerate(self.model.bodies)}
        n = len(index)
        is_anchored = ~self.trees.is_unanchored
        anchors = []
        owners = []
        for joint in self.model.joints:
            if GROUND in (joint.parent, joint.child):
                is_parent = joint.parent == GROUND
                body = index[joint.child if is_parent else joint.parent]
                if is_anchored[self.trees.of_body[body]]:
                    anchors.append((joint.on_parent if is_parent else joint.on_child).position)
                    owners.append(body)
        places = np.array(anchors, dtype=float).reshape(-1, 3)
        points = np.concatenate([self.states.origin, self.centres, places])
        of_body = np.concatenate([np.arange(n), np.arange(n), np.array(owners, dtype=np.int64)])
        return float(self.trees.extents(points, of_body).max(initial=0.0))

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
        velocities = self.velocities - self.mean_velocities()[self.trees.of_body]
        speed = float(np.linalg.norm(velocities, axis=1).max(initial=0.0))
        spin = float(np.linalg.norm(self.spins, axis=1).max(initial=0.0))
        is_held = not self.trees.is_unanchored.all()
        weight = float(np.linalg.norm(self.model.gravity)) if is_held else 0.0
        return max(speed / self.length, spin, float(np.sqrt(weight / self.length)))

    def mean_velocities(self) -> np.ndarray:
        """(trees, 3): of the centres of mass of unanchored trees; zero for the others."""
        mass = self.trees.sum_over(self.masses)[:, None]
        momenta = self.trees.sum_over(self.masses[:, None] * self.velocities)
        found = np.divide(momenta, mass, out=np.zeros_like(momenta), where=mass > 0.0)
        return np.where(self.trees.is_unanchored[:, None], found, 0.0)

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
    sizes = {"length": scales.length, "angle": 1.0, "number": 1.0}
    mass, moment = carried_inertias(assembly)
    carried = dict(zip(assembly.trees.topology.joint, assembly.trees.topology.order, strict=True))
    positions: dict[str, float] = {}
    momenta: dict[str, float] = {}
    for number, joint in enumerate(model.joints):
        body = carried.get(number)
        if body is None:
            continue
        inertia = {"length": mass[body] * scales.length, "angle": moment[body]}
        inertia["number"] = 2.0 * inertia["angle"]
        dimensions = joint.coordinate_dimensions()
        labels = coordinate_labels(joint)
        positions |= {x: sizes[kind] for x, kind in zip(labels, dimensions, strict=True)}
        if has_momenta:
            momenta |= {x: inertia[kind] for x, kind in zip(labels, dimensions, strict=True)}
        else:
            kinds = zip(speed_labels(joint), joint.speed_dimensions(), strict=True)
            momenta |= {x: sizes[kind] for x, kind in kinds}
    rows = [momenta[x] for x in (model.coordinates if has_momenta else model.speeds)]
    return np.array([*(positions[x] for x in model.coordinates), *(x / scales.time for x in rows)])


def carried_inertias(assembly: Assembly) -> tuple[list[float], list[float]]:
    """(bodies,): mass, and moment of inertia about its own origin, of each body and all that it
    carries; where there is none, those of the model.
    """
    topology = assembly.trees.topology
    finder = finder_of(assembly)
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
    positions = np.tile([scales.length] * 3 + [1.0] * attitude_rows, n)
    mass, moment = np.ones(n), np.ones(n)
    if has_momenta:
        finder = finder_of(assembly)
        mass = np.array(positive_or(finder.masses, finder.mass))
        moment = np.array(positive_or(finder.moments, finder.mass * finder.length**2))
    linear = np.repeat((mass * scales.length)[:, None], 3, axis=1)
    angular = np.repeat(moment[:, None], rotation_rows, axis=1)
    return np.concatenate([positions, np.hstack([linear, angular]).ravel() / scales.time])
