"""The momenta that a model keeps: those of the rigid motions that none of its parts notices.

Bodies that joints, forces and constraints connect are a group; each group keeps ω·L + v·p for every
motion ξ = (ω, v) that all its parts allow (symmetry_rules.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.assembly.joint_rows import joint_and_axis
from hamiltree.model.bodies import GROUND
from hamiltree.model.elements import Gravitation
from hamiltree.model.forces import BodyInput, JointInput
from hamiltree.model.joints import axis_labels
from hamiltree.model.model import Model
from hamiltree.model.pair_force import PairForce
from hamiltree.model.topology import find_root
from hamiltree.verdict.symmetry_rules import NO_ROWS, Rules, Scale, uniform_field

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

Array = np.ndarray
RANK_TOLERANCE = 1e-7  # of rows of length one: less is rounding of coordinates far from the origin
ROUNDED_TO = 12  # decimals of a direction
MAX_GROUPS = 32  # groups that are judged one by one; more are judged together


@dataclass(frozen=True, eq=False)
class Rotor:
    """The armature of a joint to the ground: its momentum a q̇ counts along ξ by `along`·ξ."""

    coordinate: str
    inertia: float
    along: Array  # (6,) of (ω, velocity of the world's origin)


@dataclass(frozen=True, eq=False)
class KeptRotation:
    """A turn about `axis` (a unit vector) that is a symmetry: about a line through `point`, or
    about any line along it (None): then angular momentum is taken about the centre of mass.

    advance: metres per radian along the axis, where only that screw is a symmetry.
    """

    axis: Array
    point: Array | None
    advance: float = 0.0

    @property
    def words(self) -> str:
        """about z through (0, 0, 0)"""
        where = "the centre of mass" if self.point is None else point_text(self.point)
        screw = f", advancing {self.advance:.6g} m/rad" if self.advance else ""
        return f"about {direction_text(self.axis)} through {where}{screw}"

    @property
    def motion(self) -> Array:
        """(ω, velocity of the world's origin)"""
        point = np.zeros(3) if self.point is None else self.point
        velocity = self.advance * self.axis - np.cross(self.axis, point)
        return np.concatenate([self.axis, velocity])


@dataclass(frozen=True, eq=False)
class KeptGroup:
    """Bodies that belong together, and what they keep; `fixed_by` are the parts that restrict
    them.
    """

    bodies: tuple[int, ...]
    translations: Array  # (k, 3) directions
    rotations: tuple[KeptRotation, ...]
    rotors: tuple[Rotor, ...]
    fixed_by: tuple[str, ...]

    @property
    def components(self) -> list[str]:
        """In words."""
        linear = [f"linear {direction_text(each)}" for each in self.translations]
        return linear + [f"angular {each.words}" for each in self.rotations]


@dataclass(frozen=True, eq=False)
class KeptMomenta:
    """The momenta that each group of bodies of a model keeps."""

    model: Model
    groups: tuple[KeptGroup, ...]

    @property
    def count(self) -> int:
        """How many components are kept in all."""
        return sum(len(group.components) for group in self.groups)

    def __repr__(self) -> str:
        """A line for each group that keeps something."""
        if not self.count:
            return f"<KeptMomenta of {self.model.name!r}: none>"
        lines = [
            f"{self.group_name(group)}: {'; '.join(group.components)}"
            for group in self.groups
            if group.components
        ]
        return "\n".join([f"<KeptMomenta of {self.model.name!r}>", *lines])

    def group_name(self, group: KeptGroup) -> str:
        """What a group is called: all bodies, or its first ones."""
        if len(group.bodies) == len(self.model.bodies):
            return "all bodies"
        names = [self.model.bodies[k].name for k in group.bodies]
        return ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")


# ---- finding them --------------------------------------------------------------------------------
def kept_momenta(model: Model, idle: Iterable[str] = ()) -> KeptMomenta:
    """What a model keeps, by its parts alone. `idle`: names of inputs that stay zero.

    Found once per model, and kept with it.
    """
    key = tuple(sorted(idle))
    known: dict[Any, KeptMomenta] = model.__dict__.get("_kept_momenta", {})
    if key not in known:
        found = find_kept_momenta(model, Rules(model, key))
        object.__setattr__(model, "_kept_momenta", {**known, key: found})
        return found
    return known[key]


def find_kept_momenta(model: Model, rules: Rules) -> KeptMomenta:
    """The groups of bodies, and the motions that all their parts allow."""
    group_of, count = group_bodies(model)
    index = {body.name: k for k, body in enumerate(model.bodies)}
    rows: list[list[Array]] = [[] for _ in range(count)]
    parts: list[list[str]] = [[] for _ in range(count)]
    for found in rules.restrictions():
        group = group_of[index[found.body]]
        rows[group].append(found.rows)
        if np.abs(found.rows).max(initial=0.0) > RANK_TOLERANCE:
            parts[group].append(found.part)
    members: list[list[int]] = [[] for _ in range(count)]
    for body, group in enumerate(group_of.tolist()):
        members[group].append(body)
    groups = []
    for group in range(count):
        if any(model.gravity) and any(model.bodies[k].mass > 0.0 for k in members[group]):
            rows[group].append(uniform_field(model.gravity))
            parts[group].append("gravity")
        motions = allowed_motions(rows[group])
        rotors = rotors_of(model, rules, members[group])
        kept = describe_motions(motions, rules.scale)
        groups.append(KeptGroup(tuple(members[group]), *kept, rotors, tuple(parts[group])))
    return KeptMomenta(model, tuple(groups))


def group_bodies(model: Model) -> tuple[Array, int]:
    """The group of each body: those that joints, forces, constraints and couplings connect."""
    index = {body.name: k for k, body in enumerate(model.bodies)}
    root = list(range(len(model.bodies)))
    for names in connections(model):
        first, *others = [index[name] for name in names if name != GROUND] or [0]
        for other in others:
            root[find_root(root, other)] = find_root(root, first)
    found = np.array([find_root(root, k) for k in range(len(root))])
    _, group = np.unique(found, return_inverse=True)
    count = int(group.max()) + 1
    return (group, count) if count <= MAX_GROUPS else (np.zeros_like(group), 1)


def connections(model: Model) -> Iterable[Sequence[str]]:
    """Names of bodies that a part connects."""
    for joint in model.joints:
        yield joint.parent, joint.child
    for part in (*model.forces, *model.constraints):
        if isinstance(part, PairForce):
            yield part.names(model)
        elif isinstance(part, Gravitation):
            yield part.bodies
        else:
            fields = part.references.items()
            yield [getattr(part, field) for field, kind in fields if kind != "joint"]
    for coupling in model.couplings:
        joints = [joint_and_axis(model, label)[0] for label in (coupling.joint, coupling.of)]
        yield [name for joint in joints for name in (joint.parent, joint.child)]


def rotors_of(model: Model, rules: Rules, members: Sequence[int]) -> tuple[Rotor, ...]:
    """The armatures of the joints between a group and the ground."""
    names = {model.bodies[k].name for k in members}
    found = []
    for own in rules.joints.values():
        if own.body not in names:
            continue
        for axis, inertia in enumerate(own.joint.armatures()):
            if inertia > 0.0:
                label = axis_labels(own.joint)[axis][0]
                along = from_scaled_row(own.rates(axis)[0], rules.scale)
                found.append(Rotor(label, inertia, along))
    return tuple(found)


def from_scaled_row(row: Array, scale: Scale) -> Array:
    """A row on (ω, velocity of `at` / length) as one on (ω, velocity of the world's origin)."""
    linear = row[3:] / scale.length
    return np.concatenate([row[:3] + np.cross(scale.at, linear), linear])


# ---- motions -------------------------------------------------------------------------------------
def allowed_motions(rows: Sequence[Array]) -> Array:
    """(k, 6): a basis of the motions that all rows annul, in echelon form: rotations first."""
    every = np.vstack([NO_ROWS, *rows])
    sizes = np.linalg.norm(every, axis=1)
    every = every[sizes > RANK_TOLERANCE] / sizes[sizes > RANK_TOLERANCE, None]
    if not len(every):
        return np.eye(6)
    small = np.linalg.qr(every, mode="r") if len(every) > 6 else every
    _, values, directions = np.linalg.svd(small)
    rank = int((values > RANK_TOLERANCE).sum())
    return echelon_form(directions[rank:])


def echelon_form(basis: Array) -> Array:
    """The reduced row echelon form of independent rows."""
    found = basis.copy()
    row = 0
    for column in range(found.shape[1]):
        if row == len(found):
            break
        best = row + int(np.argmax(np.abs(found[row:, column])))
        if abs(found[best, column]) < RANK_TOLERANCE:
            continue
        found[[row, best]] = found[[best, row]]
        found[row] /= found[row, column]
        others = [k for k in range(len(found)) if k != row]
        found[others] -= np.outer(found[others, column], found[row])
        row += 1
    return found


def describe_motions(motions: Array, scale: Scale) -> tuple[Array, tuple[KeptRotation, ...]]:
    """Translations and rotations of a basis."""
    turns = np.abs(motions[:, :3]).max(axis=1, initial=0.0) > RANK_TOLERANCE
    translations = np.array([tidy(each[3:]) for each in motions[~turns]]).reshape(-1, 3)
    along = np.linalg.qr(translations.T)[0] if len(translations) else np.zeros((3, 0))
    rotations = []
    for motion in motions[turns]:
        size = float(np.linalg.norm(motion[:3]))
        axis = tidy(motion[:3])
        sign = 1.0 if axis @ motion[:3] > 0.0 else -1.0
        velocity = sign * motion[3:] / size
        velocity = velocity - along @ (along.T @ velocity)
        rotations.append(describe_rotation(axis, velocity, along, scale))
    return translations, tuple(rotations)


def describe_rotation(axis: Array, velocity: Array, along: Array, scale: Scale) -> KeptRotation:
    """A turn whose velocity at scale.at is `velocity`, in lengths, beside translations `along`."""
    across = np.eye(3) - np.outer(axis, axis)
    if np.abs(across - along @ (along.T @ across)).max() < RANK_TOLERANCE:
        point = None
    else:
        point = np.round(np.cross(axis, velocity), ROUNDED_TO) * scale.length + scale.at
    advance = float(np.round(axis @ velocity, ROUNDED_TO)) * scale.length
    return KeptRotation(axis, point, advance)


def tidy(vector: Array) -> Array:
    """A unit vector without rounding, its largest component positive."""
    found = np.round(vector / np.linalg.norm(vector), ROUNDED_TO)
    found = found / np.linalg.norm(found)
    return found * np.sign(found[np.argmax(np.abs(found))]) + 0.0


# ---- words ---------------------------------------------------------------------------------------
def direction_text(vector: Array) -> str:
    """x, y, z, or three numbers."""
    for k, name in enumerate("xyz"):
        if abs(vector[k]) == 1.0:
            return name
    return point_text(vector)


def point_text(vector: Array) -> str:
    return "(" + ", ".join(f"{x + 0.0:.4g}" for x in vector) + ")"


def idle_inputs(run: Trajectory) -> list[str]:
    """Names of the inputs that stayed zero all the time."""
    from hamiltree.forces.inputs import Inputs

    if not run._has("input"):
        return []
    values = run._values("input")
    inputs = Inputs(run.model)
    return [
        name
        for name, place in inputs.places.items()
        if isinstance(inputs.parts[name], (JointInput, BodyInput)) and not values[:, place].any()
    ]
