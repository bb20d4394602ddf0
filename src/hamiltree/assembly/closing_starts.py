"""Start values of joints that close loops: motion(q) = on_parent⁻¹ · pose(parent)⁻¹ · pose(child) ·
on_child is given by the other joints, so a q or qdot of such a joint must be what they make of it.

A joint whose start values are those that every joint has (zero, or no rotation) says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hamiltree.assembly.body_states import compute_body_states
from hamiltree.assembly.coordinates import JointFrames
from hamiltree.assembly.joint_readers import RelativeMotion, choose_reader
from hamiltree.assembly.mechanism import (
    RESIDUAL_RATE_TOLERANCE,
    RESIDUAL_TOLERANCE,
    SLOW,
    Mechanism,
)
from hamiltree.errors import ModelError
from hamiltree.model.joints import IDENTITY_QUATERNION, Joint, coordinate_labels, speed_labels
from hamiltree.rotations import conjugate, quaternion_from_matrix, quaternion_product

Values = tuple[np.ndarray, np.ndarray]  # q, and the speeds


def check_closing_starts(mechanism: Mechanism, speeds: np.ndarray) -> None:
    """Refuse a start of a closing joint that contradicts that of the tree. Of another start than
    the model's own nothing is said by the model.
    """
    model = mechanism.model
    names = ("q", "qdot")
    is_own = [
        np.array_equal(*pair) for pair in zip((mechanism.q, speeds), model.start(), strict=True)
    ]
    joints = [joint for joint in map(model.joint, model.closing) if any(is_given(joint))]
    if not joints or not is_own[0]:
        return
    for joint, found in zip(joints, read_joints(mechanism, speeds, joints), strict=True):
        limits = limits_of(mechanism, speeds, joint)
        wanted = joint.start()
        for k in (k for k in (0, 1) if is_own[k] and is_given(joint)[k]):
            if not (np.abs(found[k] - wanted[k]) <= limits[k]).all():
                raise contradiction(joint, names[k], wanted[k], found[k])


def is_given(joint: Joint) -> tuple[bool, bool]:
    """Whether a joint has a q, and a qdot, that are not what every joint has."""
    q, qdot = joint.start()
    axes = len(joint.screws())
    has_rotation = tuple(q[axes:]) != IDENTITY_QUATERNION if joint.has_ball else False
    return any(q[:axes]) or has_rotation, any(qdot)


def read_joints(mechanism: Mechanism, speeds: np.ndarray, joints: list[Joint]) -> list[Values]:
    """q and speeds of joints from the poses and twists of their bodies; whole turns, and signs of
    quaternions, are those nearest to what the model gives. ω = 2 q̄ ∘ q̇ of a ball.
    """
    bodies = compute_body_states(mechanism.tree, mechanism.q, speeds)
    pose = np.concatenate([bodies.origin, quaternion_from_matrix(bodies.rotation)], axis=1)
    every = JointFrames(mechanism.model, joints).relative(pose[None], bodies.twist[None])
    found = []
    for joint, *relative in zip(joints, *every, strict=True):
        rows = {label: row for row, label in enumerate(coordinate_labels(joint))}
        reader = choose_reader(joint)(joint, rows, np.array(joint.start()[0], dtype=float))
        (q,), (rates,) = reader.read(RelativeMotion(*relative), None)
        if joint.has_ball:
            spin = 2.0 * quaternion_product(conjugate(q[-4:]), rates[-4:])[1:]
            rates = np.concatenate([rates[:-4], spin])
        found.append((q, rates))
    return found


def limits_of(mechanism: Mechanism, speeds: np.ndarray, joint: Joint) -> Values:
    """By how much each coordinate of a joint, and each speed, may be off: as rows of constraints.
    Angles of many turns have fewer digits.
    """
    sizes, speed_sizes = (
        np.array([mechanism.size if kind == "length" else 1.0 for kind in kinds])
        for kinds in (joint.coordinate_dimensions(), joint.speed_dimensions())
    )
    q, own = (np.array(part, dtype=float) for part in joint.start())
    fastest = float(np.abs(speeds * mechanism.weights).max(initial=0.0))
    slow = SLOW / mechanism.scales_at_rest.time
    rate = max(fastest, slow, float(np.abs(own / speed_sizes).max()))
    turned = np.maximum(sizes, np.abs(q))
    return RESIDUAL_TOLERANCE * turned, RESIDUAL_RATE_TOLERANCE * rate * speed_sizes


def contradiction(joint: Joint, field: str, own: Sequence[float], found: np.ndarray) -> ModelError:
    """What the joint starts at, and what it would have to."""
    labels = coordinate_labels(joint) if field == "q" else speed_labels(joint)
    which = f" ({', '.join(labels)})" if len(labels) > 1 else ""
    return ModelError(
        f"joint '{joint.name}' closes a loop and starts at {field} = {numbers_text(own)}, but the "
        f"other joints make it {numbers_text(found)}{which}; leave its {field} out, or give what "
        "follows from the others",
        ("joint", joint.name),
        field,
    )


def numbers_text(values: Sequence[float] | np.ndarray) -> str:
    """One number, or several in brackets; what is rounding beside the others is zero."""
    largest = float(np.abs(values).max())
    shown = [f"{x if abs(x) > 1e-12 * largest else 0.0:.6g}" for x in np.asarray(values).tolist()]
    return shown[0] if len(shown) == 1 else f"({', '.join(shown)})"
