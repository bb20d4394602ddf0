"""The numbers of a model as JSON, for `hamiltree info MODEL --json FILE`.

SI units; rotations are quaternions, scalar first. An infinite number is null.
"""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hamiltree.model import Body, Joint, Limits, Model
    from hamiltree.model.values import Frame, Vector


def model_json(model: Model) -> str:
    """All bodies, joints, forces, couplings and constraints of a model."""
    closing = set(model.closing)
    data = {
        "name": model.name,
        "gravity": model.gravity,
        **model.times,
        "total_mass": total_mass(model),
        "coordinates": model.coordinates,
        "speeds": model.speeds,
        "bodies": [body_data(body) for body in model.bodies],
        "joints": [joint_data(joint, joint.name in closing) for joint in model.joints],
        "couplings": [part_data(part) for part in model.couplings],
        "constraints": [part_data(part) for part in model.constraints],
        "forces": [part_data(part) for part in model.forces],
    }
    entries = (f"  {to_json(name)}: {group_json(value)}" for name, value in data.items())
    return "{\n" + ",\n".join(entries) + "\n}"


def group_json(value: Any) -> str:
    """A line for each part of a group; any other value in one line."""
    if not (isinstance(value, list) and value):
        return to_json(value)
    return "[\n" + ",\n".join(f"    {to_json(part)}" for part in value) + "\n  ]"


def to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def total_mass(model: Model) -> float:
    return math.fsum(body.mass for body in model.bodies)


def body_data(body: Body) -> dict[str, Any]:
    """Inertia about the centre of mass, in body axes."""
    frames = {name: frame_data(frame) for name, frame in body.frames.items()}
    return {
        "name": body.name,
        "mass": body.mass,
        "com": body.com,
        "inertia": body.inertia,
        "frames": frames,
    }


def joint_data(joint: Joint, closes_loop: bool) -> dict[str, Any]:
    """Frames on both bodies, and (angular, linear) of each screw in the joint frame."""
    q, qdot = joint.start()
    return {
        "name": joint.name,
        "kind": joint.kind,
        "parent": joint.parent,
        "child": joint.child,
        "closes_loop": closes_loop,
        "on_parent": frame_data(joint.on_parent),
        "on_child": frame_data(joint.on_child),
        "screws": [{"angular": angular, "linear": linear} for angular, linear in joint.screws()],
        "q": q,
        "qdot": qdot,
        "armature": joint.armatures(),
        "limits": [limits_data(limits) for limits in joint.axis_limits()],
    }


def limits_data(limits: Limits) -> dict[str, float | None]:
    return {field.name: plain_value(getattr(limits, field.name)) for field in fields(limits)}


def frame_data(frame: Frame) -> dict[str, Any]:
    return {"position": frame.position, "rotation": frame.rotation}


def part_data(part: Any) -> dict[str, Any]:
    """The kind of a force, a coupling or a constraint, and its fields that are numbers or texts."""
    values = {field.name: getattr(part, field.name) for field in fields(part) if field.init}
    plain = {name: plain_value(value) for name, value in values.items()}
    return {"kind": part.kind, **plain}


def plain_value(value: Any) -> Any:
    """A number, a text or a list of them as it is; anything else as Python prints it."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, (tuple, list)):
        return [plain_value(entry) for entry in value]
    return str(value)


def axis_direction(angular: Vector, linear: Vector) -> Vector:
    """Of a screw: along which it turns, or slides."""
    return angular if any(angular) else linear
