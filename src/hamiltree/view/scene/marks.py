"""Joints, springs, rods and loads of a model as marks of a scene, and the points of bodies that
they hold.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hamiltree.model import constraints as held
from hamiltree.model import elements, forces
from hamiltree.model.bodies import GROUND
from hamiltree.model.joints import Joint, coordinate_labels
from hamiltree.model.model import Model
from hamiltree.model.topology import GROUND_INDEX
from hamiltree.model.values import ORIGIN, Frame, Vector, as_frame
from hamiltree.view.scene.parts import Connector, JointMark, Load

MAX_NAMED = 4  # parts that a note names


def index_of_bodies(model: Model) -> dict[str, int]:
    return {GROUND: GROUND_INDEX} | {body.name: k for k, body in enumerate(model.bodies)}


# ---- joints --------------------------------------------------------------------------------------
def joint_marks(model: Model) -> tuple[JointMark, ...]:
    """All joints, free ones too."""
    index = index_of_bodies(model)
    closing = set(model.closing)
    return tuple(
        JointMark(
            joint.name,
            joint.kind,
            index[joint.parent],
            index[joint.child],
            joint.on_parent,
            joint.on_child,
            tuple(describe_axis(*screw) for screw in joint.screws()),
            coordinate_labels(joint),
            joint.name in closing,
        )
        for joint in model.joints
    )


def describe_axis(angular: Vector, linear: Vector) -> tuple[str, Vector, Vector]:
    """A screw as turn, slide or screw, its direction, and the point of its axis next to the
    origin: ω × v / ω².
    """
    w, v = np.array(angular), np.array(linear)
    rate = float(w @ w)
    if rate == 0.0:
        return "slide", linear, ORIGIN
    x, y, z = (np.cross(w, v) / rate).tolist()
    return ("screw" if float(w @ v) else "turn"), angular, (x, y, z)


# ---- springs, rods and other things between two bodies -------------------------------------------
def connectors(model: Model) -> tuple[Connector, ...]:
    """Everything that joins two points without being a joint."""
    index = index_of_bodies(model)
    found = []
    for part in (*model.forces, *model.constraints):
        ends = ends_of(part, model)
        if ends is None:
            continue
        at_a, at_b = ends
        kind, length = describe_connector(part)
        bodies = index[part.body_a], index[part.body_b]  # type: ignore[attr-defined]
        found.append(Connector(kind, part.name, bodies[0], at_a, bodies[1], at_b, length))
    return tuple(found)


def ends_of(part: object, model: Model) -> tuple[Vector, Vector] | None:
    """The two points of a part in their bodies; None of a part that has none."""
    if isinstance(part, (elements.BetweenPoints, held.BetweenPoints)):
        return part.at_a, part.at_b
    if isinstance(part, elements.Bushing):
        frames = (as_frame(frame, part.part, "frame") for frame in (part.frame_a, part.frame_b))
        first, second = (frame.position for frame in frames)
        return first, second
    return None


def describe_connector(part: object) -> tuple[str, float | None]:
    """What it is drawn as, and the length at which a cable is taut."""
    if isinstance(part, elements.PointSpring):
        if part.tension_only:
            return "cable", part.length
        return ("spring" if part.stiffness else "damper"), part.length
    return part.kind, None  # type: ignore[attr-defined]


# ---- loads ---------------------------------------------------------------------------------------
def loads(model: Model) -> tuple[Load, ...]:
    """Forces and torques on single bodies; those by a formula without a value."""
    index = index_of_bodies(model)
    found = []
    for force in model.forces:
        if isinstance(force, forces.BodyLoad):
            values = force.force, force.torque
        elif isinstance(force, (forces.BodyLaw, forces.BodyInput)):
            values = None, None
        else:
            continue
        body = index[force.body]
        found.append(Load(force.kind, force.name, body, force.at, *values, force.axes))
    return tuple(found)


def load_notes(model: Model) -> list[str]:
    """Which loads by a formula or a function have no arrow."""
    laws = [force for force in model.forces if isinstance(force, forces.BodyLaw)]
    if not laws:
        return []
    named = name_some([law.name or f"that on {law.body}" for law in laws])
    return [f"Loads given by formulas are not drawn: {named}."]


def name_some(names: list[str], between: str = ", ") -> str:
    """The first of many names, and how many more there are."""
    more = len(names) - MAX_NAMED
    rest = f"{between}and {more} more" if more > 0 else ""
    return between.join(names[:MAX_NAMED]) + rest


# ---- points of bodies that joints and connectors hold --------------------------------------------
def anchors_of(model: Model) -> list[np.ndarray]:
    """(n, 3) of each body: where joints and connectors hold it, in its own axes."""
    index = index_of_bodies(model)
    points: list[list[Vector]] = [[] for _ in model.bodies]
    for joint in model.joints:
        for body, frame in joint_ends_with_points(joint):
            if index[body] != GROUND_INDEX:
                points[index[body]].append(frame.position)
    for connector in connectors(model):
        if connector.body_a != GROUND_INDEX:
            points[connector.body_a].append(connector.at_a)
        if connector.body_b != GROUND_INDEX:
            points[connector.body_b].append(connector.at_b)
    return [np.array(row, dtype=float).reshape(-1, 3) for row in points]


def joint_ends_with_points(joint: Joint) -> Iterable[tuple[str, Frame]]:
    """The bodies of a joint with its frames on them; none of a joint that holds no point."""
    if joint.is_unanchored:
        return ()
    return (joint.parent, joint.on_parent), (joint.child, joint.on_child)
