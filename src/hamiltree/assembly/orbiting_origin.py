"""An origin on a Kepler orbit for each group of trees that falls about the centre of a field.

Nothing of such a group but the field is fixed in space. Relative to the orbit that its centre of
mass has at the start, only what differs from that orbit is integrated (Encke): the field of the
centre becomes its difference from the fall of the origin, and positions and momenta are as small as
at rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hamiltree.assembly.moving_origin import (
    BodyGroups,
    GroupMotion,
    Origins,
    group_bodies,
    origins_of,
)
from hamiltree.assembly.trees import Trees
from hamiltree.model.elements import CentralGravity
from hamiltree.model.forces import BodyForce
from hamiltree.model.model import Model
from hamiltree.model.orbits import KeplerOrbit, OrbitingFrame, find_orbit

if TYPE_CHECKING:
    from hamiltree.assembly.assembly import Assembly


@dataclass(frozen=True, eq=False)
class OrbitingOrigin(Origins):
    """Of groups in the field of a centre."""

    centres: np.ndarray  # (groups, 3) of the fields
    orbits: tuple[KeplerOrbit, ...]

    def displacement(self, times: np.ndarray) -> np.ndarray:
        paths = [orbit.positions(np.asarray(times)) for orbit in self.orbits]
        return self.centres + np.stack(paths, axis=1)

    def velocities(self, times: np.ndarray) -> np.ndarray:
        return np.stack([orbit.velocities(np.asarray(times)) for orbit in self.orbits], axis=1)

    def shift_energies(self, chunk: dict[str, np.ndarray], momenta: np.ndarray) -> None:
        """T = T' + v·P' + M v²/2; V of the field is that of the ground already, V of a uniform
        force becomes V' − F·O. In place.
        """
        velocity = self.velocities(chunk["t"])
        carried = np.einsum("tgi,tgi->t", momenta, velocity)
        common = 0.5 * np.einsum("g,tgi,tgi->t", self.groups.mass, velocity, velocity)
        lifted = np.einsum("tgi,gi->t", self.displacement(chunk["t"]), self.uniform_force)
        chunk["kinetic_energy"] = chunk["kinetic_energy"] + (carried + common)
        chunk["potential_energy"] = chunk["potential_energy"] - lifted


# ---- which groups --------------------------------------------------------------------------------
def orbiting_groups(trees: Trees) -> list[tuple[list[int], CentralGravity]]:
    """The trees of each group that only the field of one centre fixes in space, and that field.

    A body has the field once or not at all. Loads on bodies are left out: what they do to a frame
    that falls does not tell what they do to the ground.
    """
    if not any(isinstance(force, CentralGravity) for force in trees.model.forces):
        return []
    tree_of = {body.name: int(trees.of_body[k]) for k, body in enumerate(trees.model.bodies)}
    acting: dict[int, list[BodyForce]] = {}
    for force in trees.model.forces:
        if isinstance(force, BodyForce):
            acting.setdefault(tree_of[force.body], []).append(force)
    found = []
    for members in trees.groups_without(CentralGravity):
        field = common_field([force for tree in members for force in acting.get(tree, ())])
        if field is not None:
            found.append((members, field))
    return found


def common_field(forces: list[BodyForce]) -> CentralGravity | None:
    """The field that forces on bodies are; None where they are anything else."""
    fields = [force for force in forces if isinstance(force, CentralGravity)]
    is_common = len({(field.mu, field.centre) for field in fields}) == 1
    is_single = len({field.body for field in fields}) == len(forces)
    return fields[0] if is_common and is_single else None


# ---- from a model at its start -------------------------------------------------------------------
def find_orbiting_origin(assembly: Assembly) -> tuple[OrbitingOrigin, Model] | None:
    """The origins on orbits, and the model as seen from them; None where there is no group that
    moves faster than what moves within it, on an orbit that is known.
    """
    candidates = orbiting_groups(assembly.trees)
    if not candidates:
        return None
    motion = GroupMotion(group_bodies(assembly, [trees for trees, _ in candidates]), assembly)
    chosen = []
    for k, (trees, field) in enumerate(candidates):
        away = motion.centre[k] - field.centre
        orbit = find_orbit(away, motion.velocity[k], field.mu, assembly.t)
        if motion.is_fast[k] and orbit is not None:
            chosen.append((trees, field.centre, orbit))
    if not chosen:
        return None
    members, centres, orbits = zip(*chosen, strict=True)
    groups = group_bodies(assembly, members)
    origin = OrbitingOrigin(*origins_of(assembly, groups), centres=np.array(centres), orbits=orbits)
    return origin, model_from_orbits(assembly.model, groups, orbits)


def model_from_orbits(model: Model, groups: BodyGroups, orbits: tuple[KeplerOrbit, ...]) -> Model:
    """The model with the forces that are seen from the orbits, in place of the fields."""
    names = [body.name for body in model.bodies]
    group = dict(zip(names, groups.group.tolist(), strict=True))
    fields: dict[str, CentralGravity] = {}
    others = []
    for force in model.forces:
        if isinstance(force, CentralGravity) and group[force.body] >= 0:
            fields[force.body] = force
        else:
            others.append(force)
    frames = []
    for number, orbit in enumerate(orbits):
        bodies = tuple(name for name in names if group[name] == number)
        frames.append(OrbitingFrame(orbit, bodies, tuple(map(fields.get, bodies))))
    return model.with_(forces=[*others, *frames])


# ---- groups that keep the frame of the ground ----------------------------------------------------
def find_fast_group(assembly: Assembly) -> tuple[str, float] | None:
    """Of groups of joined bodies that fly or fall, and are not seen from an origin that moves with
    them, the one whose centre of mass is fastest beside the motion within: its first body, and how
    many times faster. None if there is no such group.
    """
    followed = np.zeros(len(assembly.model.bodies), dtype=bool)
    for origins in assembly.origins:
        followed |= origins.groups.group >= 0
    from_ground = assembly.from_ground or assembly
    unanchored = from_ground.trees.groups_without(CentralGravity)
    if not unanchored:
        return None
    groups = group_bodies(from_ground, unanchored)
    inside = groups.group >= 0
    is_apart = np.bincount(groups.group[inside], minlength=groups.count) > 1
    is_apart[groups.group[inside & followed]] = False
    motion = GroupMotion(groups, from_ground)
    common = np.where(is_apart, np.linalg.norm(motion.velocity, axis=1), 0.0)
    within = motion.speed_within
    infinite = np.where(common > 0.0, np.inf, 0.0)
    ratios = np.divide(common, within, out=infinite, where=within > 0.0)
    fastest = int(ratios.argmax())
    body = from_ground.model.bodies[int((groups.group == fastest).argmax())]
    return (body.name, float(ratios[fastest])) if ratios[fastest] > 0.0 else None
