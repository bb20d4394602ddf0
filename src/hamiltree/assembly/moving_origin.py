"""A moving origin for each group of trees: a run is integrated relative to it, and what is recorded
is seen from the ground again. Those of free groups move uniformly; orbiting_origin.py has others.

Speeds and distances that all bodies of a group share do not change what happens within it, but they
take digits away from it, and canonical momenta of joints mix them with the motion within. The
origin moves with the centre of mass of the group where that is faster than the motion within, and
begins there where it is far away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.assembly.links import collect_field
from hamiltree.model.forces import BodyInput, BodyLoad
from hamiltree.model.joints import coordinate_labels, speed_labels
from hamiltree.model.time_tables import BodyTable
from hamiltree.rotations import rotation_matrix

if TYPE_CHECKING:
    from hamiltree.assembly.assembly import Assembly

FAR_AWAY = 10.0  # extents of a group: its origin is moved there
SMALLEST_MOTION = 1e-10  # of the kinetic energy: less motion within a group is rounding


@dataclass(frozen=True, eq=False)
class BodyGroups:
    """The bodies of groups of trees: what their motion within is, from poses and twists."""

    group: np.ndarray  # (bodies,) of each body, −1 where it belongs to none
    count: int
    masses: np.ndarray  # (bodies,)
    centres: np.ndarray  # (bodies, 3) centres of mass, body axes

    @property
    def mass(self) -> np.ndarray:
        """(groups,)"""
        return self.sums(self.masses[None])[0]

    def sums(self, values: np.ndarray) -> np.ndarray:
        """(samples, groups, …): sums over the bodies of each group."""
        found = np.zeros((len(values), self.count + 1, *values.shape[2:]))
        if self.count == 1 and (self.group == 0).all():
            found[:, 0] = values.sum(axis=1)
        else:
            np.add.at(found, (slice(None), self.group), values)
        return found[:, : self.count]  # the last is of bodies in no group

    def momenta(self, pose: np.ndarray, twist: np.ndarray) -> np.ndarray:
        """(samples, groups, 3): Σ m v"""
        arm = np.einsum("tnij,nj->tni", rotation_matrix(pose[:, :, 3:]), self.centres)
        velocity = twist[:, :, 3:] + np.cross(twist[:, :, :3], arm)
        return self.sums(self.masses[:, None] * velocity)

    def kinetic_energy_within(
        self, kinetic: np.ndarray, momenta: np.ndarray, first: np.ndarray
    ) -> np.ndarray:
        """(samples,): T less that of the centres of mass of the groups, P²/(2 M). Where nothing
        moves within, that of the centres as seen by an observer who moves as they did at first.
        """
        within = kinetic - self.carried_energy(momenta)
        relative = np.maximum(within, 0.0) + self.carried_energy(momenta - first)
        return np.where(within > SMALLEST_MOTION * relative, within, relative)

    def carried_energy(self, momenta: np.ndarray) -> np.ndarray:
        """(samples,): Σ P²/(2 M) of the groups."""
        mass = self.mass
        heavy = mass > 0.0
        squares = (momenta**2).sum(axis=2)
        return (squares[:, heavy] / (2.0 * mass[heavy])).sum(axis=1)


@dataclass(frozen=True, eq=False)
class Origins:
    """Moving origins, one of each group, and how coordinates change with them."""

    groups: BodyGroups
    epoch: float  # s: of the start
    uniform_force: np.ndarray  # (groups, 3) what has a potential −F·x, N
    rows: np.ndarray  # (roots, 3) of x, y, z in q
    speed_rows: np.ndarray  # (roots, 3) of their rates in the speeds
    axes: np.ndarray  # (roots, 3, 3) from world axes to those of x, y, z
    root_group: np.ndarray  # (roots,)

    def displacement(self, times: np.ndarray) -> np.ndarray:
        """(samples, groups, 3): where the origins are."""
        raise NotImplementedError

    def velocities(self, times: np.ndarray) -> np.ndarray:
        """(samples or 1, groups, 3): how fast they are."""
        raise NotImplementedError

    def shift_energies(self, chunk: dict[str, np.ndarray], momenta: np.ndarray) -> None:
        """Energies as seen from the ground, by the momenta of the groups; in place."""
        raise NotImplementedError

    def along_axes(self, values: np.ndarray) -> np.ndarray:
        """(samples, roots, 3): values of the groups in the axes of x, y, z."""
        return np.einsum("rij,trj->tri", self.axes, values[:, self.root_group])

    def relative_start(self, q: np.ndarray, speeds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and speeds of the start as seen from the origins."""
        q, speeds, times = q.copy(), speeds.copy(), np.array([self.epoch])
        q[self.rows] -= self.along_axes(self.displacement(times))[0]
        speeds[self.speed_rows] -= self.along_axes(self.velocities(times))[0]
        return q, speeds

    def shift_coordinates(self, times: np.ndarray, q: np.ndarray, qdot: np.ndarray) -> None:
        """q and q̇ as seen from the ground, in place."""
        q[:, self.rows] += self.along_axes(self.displacement(times))
        qdot[:, self.rows] += self.along_axes(self.velocities(times))

    def shift_bodies(self, times: np.ndarray, pose: np.ndarray, twist: np.ndarray) -> None:
        """Poses and twists as seen from the ground, in place."""
        inside = self.groups.group >= 0
        of_body = self.groups.group[inside]
        pose[:, inside, :3] += self.displacement(times)[:, of_body]
        twist[:, inside, 3:] += self.velocities(times)[:, of_body]


@dataclass(frozen=True, eq=False)
class MovingOrigin(Origins):
    """Of free groups: uniform motion."""

    position: np.ndarray  # (groups, 3) at the start, m
    velocity: np.ndarray  # (groups, 3) m/s
    start_momentum: np.ndarray  # (groups, 3) as seen from the origin, N s
    has_loads: bool  # loads without a potential act on bodies

    def displacement(self, times: np.ndarray) -> np.ndarray:
        elapsed = np.asarray(times, dtype=float) - self.epoch
        return self.position + elapsed[:, None, None] * self.velocity

    def velocities(self, times: np.ndarray) -> np.ndarray:
        return self.velocity[None]

    def shift_energies(self, chunk: dict[str, np.ndarray], momenta: np.ndarray) -> None:
        """T = T' + v·P' + M v²/2 and V = V' − F·O; loads without a potential do the rest of the
        change as work. In place.
        """
        times = chunk["t"]
        carried = np.einsum("tgi,gi->t", momenta, self.velocity)
        common = 0.5 * float(self.groups.mass @ (self.velocity**2).sum(axis=1))
        chunk["kinetic_energy"] = chunk["kinetic_energy"] + (carried + common)
        lifted = np.einsum("tgi,gi->t", self.displacement(times), self.uniform_force)
        chunk["potential_energy"] = chunk["potential_energy"] - lifted
        if self.has_loads:
            first = float((self.start_momentum * self.velocity).sum())
            rate = float((self.uniform_force * self.velocity).sum())
            chunk["work"] = chunk["work"] + (carried - first - (times - self.epoch) * rate)


# ---- from a model at its start -------------------------------------------------------------------
def find_free_groups(assembly: Assembly) -> BodyGroups | None:
    """The free groups of a model; None if it has none."""
    found = assembly.trees.free_groups
    return group_bodies(assembly, found) if found else None


def group_bodies(assembly: Assembly, found: Sequence[list[int]]) -> BodyGroups:
    """The bodies of groups of trees."""
    trees = assembly.trees
    of_tree = np.full(trees.count, -1)
    for number, members in enumerate(found):
        of_tree[members] = number
    bodies = assembly.model.bodies
    masses, centres = collect_field(bodies, "mass", ()), collect_field(bodies, "com", (3,))
    return BodyGroups(of_tree[trees.of_body], len(found), masses, centres)


def find_moving_origin(assembly: Assembly) -> MovingOrigin | None:
    """The origins relative to which the free groups are integrated; None where all of them are that
    of the world and rest.
    """
    groups = assembly.free_groups
    if groups is None:
        return None
    motion = GroupMotion(groups, assembly)
    position, velocity = motion.origins()
    if not (position.any() or velocity.any()):
        return None
    momenta = motion.momenta - motion.mass[:, None] * velocity
    has_loads = any(
        isinstance(force, (BodyLoad, BodyInput, BodyTable)) for force in assembly.model.forces
    )
    return MovingOrigin(
        *origins_of(assembly, groups),
        position=position,
        velocity=velocity,
        start_momentum=momenta,
        has_loads=has_loads,
    )


def origins_of(assembly: Assembly, groups: BodyGroups) -> tuple[Any, ...]:
    """What Origins hold, whatever their motion."""
    rows = root_rows(assembly, groups)
    return groups, assembly.t, uniform_forces(assembly, groups), *rows


class GroupMotion:
    """Where the centres of mass of the groups are at the start, how fast they move, and how large
    and fast the groups are within.
    """

    def __init__(self, groups: BodyGroups, assembly: Assembly) -> None:
        """Sum over the bodies of each group."""
        states = assembly.bodies_to_rounding
        arm = np.einsum("kij,kj->ki", states.rotation, groups.centres)
        spin = states.twist[:, :3]
        self.groups = groups
        self.places = states.origin + arm
        velocity = states.twist[:, 3:] + np.cross(spin, arm)
        self.mass = groups.mass
        self.momenta = self.sum(groups.masses[:, None] * velocity)
        self.velocity = self.per_mass(self.momenta)
        within = velocity - self.velocity[groups.group]
        turned = np.einsum("kji,kj->ki", states.rotation, spin)
        inertia = collect_field(assembly.model.bodies, "inertia", (3, 3))
        energy = groups.masses * (within**2).sum(axis=1)
        energy += np.einsum("ki,kij,kj->k", turned, inertia, turned)
        self.speed_within = np.sqrt(self.per_mass(self.sum(energy)[:, None])[:, 0])
        self.length = assembly.scales.length

    def sum(self, values: np.ndarray) -> np.ndarray:
        return self.groups.sums(values[None])[0]

    def per_mass(self, values: np.ndarray) -> np.ndarray:
        """Divided by the masses of the groups; zero where there is none."""
        mass = self.mass[:, None]
        return np.divide(values, mass, out=np.zeros_like(values), where=mass > 0.0)

    @property
    def centre(self) -> np.ndarray:
        """(groups, 3): centres of mass."""
        return self.per_mass(self.sum(self.groups.masses[:, None] * self.places))

    @property
    def is_fast(self) -> np.ndarray:
        """(groups,): the centre of mass is faster than the motion within."""
        return np.linalg.norm(self.velocity, axis=1) > self.speed_within

    def origins(self) -> tuple[np.ndarray, np.ndarray]:
        """Position and velocity of each origin: those of the centre of mass, or zero."""
        centre = self.centre
        distance = np.linalg.norm(centre, axis=1)
        away = self.places - centre[self.groups.group]
        extent = np.zeros(self.groups.count + 1)
        np.maximum.at(extent, self.groups.group, np.linalg.norm(away, axis=1))
        is_far = distance > FAR_AWAY * np.maximum(extent[:-1], self.length)
        position = np.where(is_far[:, None], centre, 0.0)
        return position, np.where(self.is_fast[:, None], self.velocity, 0.0)


def uniform_forces(assembly: Assembly, groups: BodyGroups) -> np.ndarray:
    """(groups, 3): weight, and loads that are constant in the world."""
    model = assembly.model
    force = groups.masses[:, None] * np.array(model.gravity, dtype=float)
    index = {body.name: k for k, body in enumerate(model.bodies)}
    for load in model.forces:
        if isinstance(load, BodyLoad) and load.axes == "world":
            force[index[load.body]] += load.force
    return groups.sums(force[None])[0]


def root_rows(assembly: Assembly, groups: BodyGroups) -> tuple[np.ndarray, ...]:
    """Of the joints that carry the trees of the groups: rows of x, y, z in q and of their rates in
    the speeds, their axes, and the group.
    """
    model, trees = assembly.model, assembly.trees
    position = {label: row for row, label in enumerate(model.coordinates)}
    speed = {label: row for row, label in enumerate(model.speeds)}
    order = trees.topology.order[trees.roots]
    found = []
    for body, number in zip(order.tolist(), trees.root_joints, strict=True):
        if groups.group[body] >= 0:
            joint = model.joints[number]
            rows = [position[label] for label in coordinate_labels(joint)[:3]]
            speeds = [speed[label] for label in speed_labels(joint)[:3]]
            found.append((rows, speeds, joint.on_parent.matrix.T, groups.group[body]))
    rows, speeds, axes, group = zip(*found, strict=True)
    return np.array(rows), np.array(speeds), np.array(axes), np.array(group)
