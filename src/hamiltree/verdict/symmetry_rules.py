"""What each part of a model leaves of the rigid motions of the bodies that it touches.

A rigid motion is ξ = (ω, v): the velocity field v + ω × x of the world. Noether: a group of bodies
keeps ω·L + v·p if it may be moved by ξ, all of it, without any part noticing. Every part gives rows
that ξ must annul. They follow from what the part is, never from the code that computes its force:
a force that breaks Newton's third law is to be found by them.

Parts between two bodies notice nothing. A part whose kind is not listed here may notice everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hamiltree.assembly.joint_rows import joint_and_axis
from hamiltree.assembly.kinematics import (
    Displacement,
    Pose,
    displacement_of_ball,
    move_inward,
    move_outward,
    screw_exponentials,
    tabulate_screws,
)
from hamiltree.model import actuators, constraints, elements, forces, time_tables
from hamiltree.model.bodies import GROUND
from hamiltree.model.joints import Joint, coordinate_labels
from hamiltree.model.model import Model
from hamiltree.model.pair_force import PairForce
from hamiltree.model.pose_potential import PosePotential

Array = np.ndarray
POSITIONS = 3  # generic positions of a joint at which motions are compared
NOTHING = np.eye(6)  # rows that annul every motion
NO_TURNS = np.hstack([np.eye(3), np.zeros((3, 3))])
NO_SLIDES = np.hstack([np.zeros((3, 3)), np.eye(3)])
NO_ROWS = np.zeros((0, 6))


@dataclass(frozen=True, eq=False)
class Scale:
    """Motions without units: (ω, velocity of the point `at` in lengths per second)."""

    at: Array
    length: float

    def velocity_at(self, point: Any) -> Array:
        """(3, 6): rows of the velocity of a point, v + ω × x."""
        arm = (np.asarray(point, dtype=float) - self.at) / self.length
        return np.hstack([np.cross(np.eye(3), arm).T, np.eye(3)])

    def to_scale(self, twists: Array) -> Array:
        """Twists (ω, velocity of the world's origin) as columns, without units."""
        omega, velocity = twists[:3], twists[3:]
        return np.vstack([omega, (velocity + np.cross(omega.T, self.at).T) / self.length])

    def from_scale(self, motion: Array) -> tuple[Array, Array]:
        """ω, and the velocity of the world's origin, of one motion."""
        omega = motion[:3]
        return omega, self.length * motion[3:] - np.cross(omega, self.at)


# ---- fields --------------------------------------------------------------------------------------
def uniform_field(force: Any) -> Array:
    """F·(v + ω × x) = 0 wherever x is: v across F, ω along F."""
    size = float(np.linalg.norm(force))
    if size == 0.0:
        return NO_ROWS
    direction = np.asarray(force, dtype=float) / size
    turns = np.hstack([np.cross(np.eye(3), direction), np.zeros((3, 3))])
    return np.vstack([turns, np.concatenate([np.zeros(3), direction])])


def uniform_torque(torque: Any) -> Array:
    """τ·ω = 0"""
    size = float(np.linalg.norm(torque))
    if size == 0.0:
        return NO_ROWS
    return np.concatenate([np.asarray(torque, dtype=float) / size, np.zeros(3)])[None]


# ---- joints to the ground ------------------------------------------------------------------------
class GroundJoint:
    """A joint between a body and the ground: at generic positions, which motions of the body it
    allows and how they move its coordinates.
    """

    def __init__(self, joint: Joint, scale: Scale):
        self.joint = joint
        self.scale = scale
        self.body = joint.child if joint.parent == GROUND else joint.parent

    @cached_property
    def columns(self) -> list[Array]:
        """(6, speeds) of each position, drawn once and for all: twists of unit rates."""
        joint, length = self.joint, self.scale.length
        rng = np.random.default_rng(0)
        is_turn = np.array([any(w) for w, _ in joint.screws()], dtype=bool)
        sizes = np.where(is_turn, 1.0, length)
        found = []
        for _ in range(1 if joint.speeds < 2 else POSITIONS):
            twists = unit_twists(
                joint, rng.uniform(0.3, 1.2, len(sizes)) * sizes, rng.normal(size=4)
            )
            found.append(self.scale.to_scale(np.array(twists).reshape(-1, 6).T))
        return found

    @cached_property
    def inverses(self) -> list[Array]:
        return [np.linalg.pinv(columns) for columns in self.columns]

    @property
    def forbidden(self) -> Array:
        """Rows of the motions that the joint does not allow at every position."""
        if self.joint.kind == "free":
            return NO_ROWS
        if self.joint.kind == "weld":
            return NOTHING
        pairs = zip(self.columns, self.inverses, strict=True)
        return np.vstack([np.eye(6) - columns @ inverse for columns, inverse in pairs])

    def rates(self, axis: int) -> Array:
        """(positions, 6): how a motion moves a coordinate; axes of a ball come last."""
        rows = np.array([inverse[axis] for inverse in self.inverses])
        return np.broadcast_to(rows, (POSITIONS, 6))


def unit_twists(joint: Joint, values: Array, ball: Array) -> list[Array]:
    """Twists (ω, velocity of the world's origin) of the body for unit rates of the speeds."""
    screws = tabulate_screws(joint.screws())
    steps = [
        Displacement(pose, screw, k, 1.0)
        for k, (screw, pose) in enumerate(
            zip(screws.parts, screw_exponentials(screws, values), strict=True)
        )
    ]
    if joint.has_ball:
        steps.append(displacement_of_ball(ball, len(screws.parts)))
    is_reversed = joint.child == GROUND
    frame = joint.on_child if is_reversed else joint.on_parent
    move = move_inward if is_reversed else move_outward
    _, columns = move(Pose(frame.matrix, np.array(frame.position)), steps)
    found = {speed: ratio * twist for speed, ratio, twist in columns}
    return [found[k] for k in range(joint.speeds)]


# ---- all parts -----------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class Restriction:
    """Rows that motions of the group of a body must annul, and the part that asks for them."""

    body: str
    rows: Array
    part: str


class Rules:
    """The restrictions of all parts of a model."""

    def __init__(self, model: Model, idle: Iterable[str] = ()):
        """`idle`: inputs that are zero all the time, by name."""
        self.model = model
        self.idle = frozenset(idle)
        self.scale = find_scale(model)
        self.joints = {
            joint.name: GroundJoint(joint, self.scale)
            for joint in model.joints
            if GROUND in (joint.parent, joint.child)
        }

    def restrictions(self) -> Iterable[Restriction]:
        """Of joints, forces, constraints and couplings; gravity is that of all bodies."""
        for name, own in self.joints.items():
            yield Restriction(own.body, own.forbidden, f"joint {name!r}")
            yield from self.armatures(own)
        for part_list, rules in ((self.model.forces, FORCE_RULES), (self.model.constraints, ROWS)):
            for position, part in enumerate(part_list):
                rule = rules.get(type(part), unknown_part)
                for body, rows in rule(self, part):
                    if len(rows):
                        yield Restriction(body, rows, part.describe(position))
        for coupling in self.model.couplings:
            yield from self.coupling(coupling)

    def armatures(self, own: GroundJoint) -> Iterable[Restriction]:
        """A rotor has the momentum a q̇ along ξ, if ξ moves its coordinate alike at all
        positions.
        """
        for axis, inertia in enumerate(own.joint.armatures()):
            if inertia > 0.0:
                rates = own.rates(axis)
                yield Restriction(
                    own.body, rates[1:] - rates[0], f"armature of joint {own.joint.name!r}"
                )

    def rates_of(self, label: str) -> Array:
        """(positions, 6): how motions move a coordinate; not at all within a group."""
        joint, axis = joint_and_axis(self.model, label)
        own = self.joints.get(joint.name)
        return np.zeros((POSITIONS, 6)) if own is None else own.rates(axis)

    def coupling(self, coupling: Any) -> Iterable[Restriction]:
        """The follower moves by its ratio to the leader."""
        ratio = coupling.follower().ratio
        rows = self.rates_of(coupling.joint) - ratio * self.rates_of(coupling.of)
        joint, _ = joint_and_axis(self.model, coupling.joint)
        body = joint.child if joint.child != GROUND else joint.parent
        yield Restriction(body, rows, f"coupling of {coupling.joint!r}")


def find_scale(model: Model) -> Scale:
    """A point among those where the model is fixed to the ground, and how far they are apart."""
    points = [
        frame.position
        for joint in model.joints
        for name, frame in ((joint.parent, joint.on_parent), (joint.child, joint.on_child))
        if name == GROUND and not joint.is_unanchored
    ]
    for part in (*model.forces, *model.constraints):
        points += [
            getattr(part, f"at_{end}", (0.0, 0.0, 0.0))
            for end in "ab"
            if getattr(part, f"body_{end}", "") == GROUND
        ]
        points += [part.centre] if isinstance(part, elements.CentralGravity) else []
    if not points:
        return Scale(np.zeros(3), 1.0)
    places = np.unique(np.array(points, dtype=float), axis=0)
    extent = float(np.linalg.norm(places - places[0], axis=1).max())
    return Scale(places[0], 2.0 ** np.ceil(np.log2(extent)) if extent > 0.0 else 1.0)


# ---- rules: (body, rows) of a part ---------------------------------------------------------------
Found = Iterable[tuple[str, Array]]
Rule = Callable[[Rules, Any], Found]


def unknown_part(rules: Rules, part: Any) -> Found:
    """A part of a kind that is not listed: nothing is kept of what it names, or of anything."""
    model = rules.model
    named = []
    for field, kind in part.references.items():
        name = getattr(part, field)
        if kind == "joint":
            joint = model._joints_by_name.get(name) or joint_and_axis(model, name)[0]
            named += [joint.parent, joint.child]
        else:
            named.append(name)
    for body in named or [body.name for body in model.bodies]:
        if body != GROUND:
            yield body, NOTHING


def nothing(rules: Rules, part: Any) -> Found:
    """A part that keeps all."""
    return ()


def along_joint(rules: Rules, force: Any) -> Found:
    """A force along coordinates of a joint: those of one to the ground must not move."""
    if getattr(force, "key", None) in rules.idle and isinstance(force, forces.JointInput):
        return
    name = force.joint
    joint = rules.model._joints_by_name.get(name)
    labels = () if joint is None else coordinate_labels(joint)
    if joint is None or labels == (name,):
        joint, axis = joint_and_axis(rules.model, name)
        axes = [axis]
    else:
        axes = list(range(joint.speeds))
    own = rules.joints.get(joint.name)
    if own is not None:
        yield own.body, np.vstack([own.rates(axis) for axis in axes])


def between(on_ground: Callable[[Rules, Any, str, str], Array]) -> Rule:
    """An element between two bodies keeps all; `on_ground(rules, part, side of the ground, side of
    the body)` gives the rows of one to the ground.
    """

    def rule(rules: Rules, part: Any) -> Found:
        for ground, body in (("a", "b"), ("b", "a")):
            if getattr(part, f"body_{ground}") == GROUND:
                rows = on_ground(rules, part, ground, body)
                yield getattr(part, f"body_{body}"), rows

    return rule


def about_anchor(rules: Rules, part: Any, ground: str, body: str) -> Array:
    """Rotations about the point on the ground."""
    return rules.scale.velocity_at(getattr(part, f"at_{ground}"))


def no_turns(rules: Rules, part: Any, ground: str, body: str) -> Array:
    """All translations."""
    return NO_TURNS


def nothing_on_ground(rules: Rules, part: Any, ground: str, body: str) -> Array:
    return NOTHING


def pose_potential(rules: Rules, part: PosePotential) -> Found:
    """One that sees where bodies are in the world keeps nothing."""
    names = [name for name in (part.body_a, part.body_b) if name != GROUND]
    if not part.is_relative or len(names) < 2:
        yield from ((name, NOTHING) for name in names)


def pair_force(rules: Rules, part: PairForce) -> Found:
    """Images in a periodic box keep translations, and rotations about the only periodic axis."""
    if part.box is None:
        return
    names = part.names(rules.model)
    periodic = [axis for axis, length in enumerate(part.box) if length > 0.0]
    if names and periodic:
        kept = periodic[0] if len(periodic) == 1 else -1
        yield names[0], NO_TURNS[[axis for axis in range(3) if axis != kept]]


def central_gravity(rules: Rules, part: Any) -> Found:
    yield part.body, rules.scale.velocity_at(part.centre)


def drag(rules: Rules, part: Any) -> Found:
    if part.linear:
        yield part.body, NOTHING
    elif part.angular:
        yield part.body, NO_TURNS


def body_load(rules: Rules, part: Any) -> Found:
    """A constant force is a uniform field; one that turns with the body keeps nothing."""
    if part.axes == "world":
        yield part.body, np.vstack([uniform_field(part.force), uniform_torque(part.torque)])
    else:
        yield part.body, rows_in_body_axes(any(part.force), any(part.torque))


def body_table(rules: Rules, part: Any) -> Found:
    if part.axes == "world":
        fields = [uniform_field(force) for force in part.forces]
        torques = [uniform_torque(torque) for torque in part.torques]
        yield part.body, np.vstack([NO_ROWS, *fields, *torques])
    else:
        yield part.body, rows_in_body_axes(bool(np.any(part.forces)), bool(np.any(part.torques)))


def rows_in_body_axes(has_force: bool, has_torque: bool) -> Array:
    return NOTHING if has_force else NO_TURNS if has_torque else NO_ROWS


def body_input(rules: Rules, part: Any) -> Found:
    if part.key not in rules.idle:
        yield part.body, NOTHING


def fixed_line_or_point(rules: Rules, part: Any, ground: str, body: str) -> Array:
    """Of a line on the ground: slides along it and turns about it; of a point there that a line of
    the body passes through: turns about it.
    """
    if ground == "b":
        return about_anchor(rules, part, ground, body)
    axis = unit(part.axis)
    across = np.eye(3) - np.outer(axis, axis)
    slides = across @ rules.scale.velocity_at(part.at_a)
    return np.vstack([slides, across @ NO_TURNS])


def fixed_plane_or_point(rules: Rules, part: Any, ground: str, body: str) -> Array:
    """Of a plane on the ground: slides in it and turns about its normal."""
    if ground == "b":
        return about_anchor(rules, part, ground, body)
    normal = unit(part.normal)
    across = np.eye(3) - np.outer(normal, normal)
    return np.vstack([normal[None] @ NO_SLIDES, across @ NO_TURNS])


def about_ground_axis(rules: Rules, part: Any, ground: str, body: str) -> Array:
    """All translations, and turns about the axis on the ground."""
    axis = unit(getattr(part, f"axis_{ground}"))
    return (np.eye(3) - np.outer(axis, axis)) @ NO_TURNS


def motion(rules: Rules, part: Any) -> Found:
    yield part.body, NOTHING


def unit(vector: Any) -> Array:
    found = np.asarray(vector, dtype=float)
    return found / np.linalg.norm(found)


FORCE_RULES: dict[type, Rule] = {
    **dict.fromkeys(
        (
            forces.JointSpring,
            forces.JointDamper,
            forces.JointEffort,
            forces.JointInput,
            forces.JointLaw,
            forces.JointPotential,
            actuators.JointActuator,
            time_tables.JointTable,
            elements.JointLimit,
            elements.JointFriction,
        ),
        along_joint,
    ),
    **dict.fromkeys(
        (elements.PointSpring, elements.ConstantForceSpring, actuators.PointActuator),
        between(about_anchor),
    ),
    elements.Torsion: between(no_turns),
    elements.Bushing: between(nothing_on_ground),
    PosePotential: pose_potential,
    PairForce: pair_force,
    elements.Gravitation: nothing,
    elements.CentralGravity: central_gravity,
    elements.Drag: drag,
    forces.BodyLoad: body_load,
    time_tables.BodyTable: body_table,
    forces.BodyInput: body_input,
}
ROWS: dict[type, Rule] = {
    constraints.Rod: between(about_anchor),
    constraints.Coincident: between(about_anchor),
    constraints.PointOnLine: between(fixed_line_or_point),
    constraints.PointInPlane: between(fixed_plane_or_point),
    constraints.ParallelAxes: between(about_ground_axis),
    constraints.PerpendicularAxes: between(about_ground_axis),
    constraints.Drive: along_joint,
    constraints.Motion: motion,
}
