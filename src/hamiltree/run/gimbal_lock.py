"""Gimbal lock: where three axes of a joint that meet in a point fall into one plane, rates of its
angles are not defined.
"""

from typing import Any, NamedTuple

import numpy as np

from hamiltree.assembly.joint_rows import common_point, joint_length
from hamiltree.model import Model
from hamiltree.model.joints import Joint, axis_dimensions, coordinate_labels
from hamiltree.problems.events import Event, formula_names

NEAR_LOCK = 0.05  # |a₁ · a₂ × a₃| of three axes


class GimbalLock(NamedTuple):
    """a₁ · a₂ × a₃ = even cos x + odd sin x of three axes through a point; x is the coordinate of
    the second.
    """

    joint: str
    label: str
    even: float
    odd: float

    @property
    def name(self) -> str:
        return f"gimbal lock of joint {self.joint!r}"


def gimbal_locks(model: Model) -> list[GimbalLock]:
    """Joints that turn about three axes through one point: they lock where these lie in a plane.

    Armature on one of the axes, or a coupling, gives the motion that is lost there an inertia of
    its own: no lock.
    """
    found = []
    coupled = {*model.followers, *(follower.leader for follower in model.followers.values())}
    for joint in model.tree_joints:
        if joint.coordinates < 3 or axis_dimensions(joint.screws()).count("angle") < 3:
            continue
        axes = zip(coordinate_labels(joint), joint.screws(), joint.armatures(), strict=False)
        rotating = [(label, *screw, armature) for label, screw, armature in axes if any(screw[0])]
        turning = rotating[:3]
        is_bare = not any(label in coupled or armature > 0 for label, _, _, armature in turning)
        if len(turning) == 3 and is_bare and axes_meet(joint, [screw[1:3] for screw in turning]):
            first, second, third = (np.array(screw[1]) for screw in turning)
            across = np.cross(second, third)
            even, odd = float(first @ across), float(first @ np.cross(second, across))
            found.append(GimbalLock(joint.name, turning[1][0], even, odd))
    return found


def axes_meet(joint: Joint, screws: list[Any]) -> bool:
    """Whether the axes of three screws of a joint pass through one point x: v = x × ω."""
    turns = [(np.array(w), np.array(v)) for w, v in screws]
    return common_point(turns, joint_length(joint)) is not None


def lock_events(model: Model, locks: list[GimbalLock]) -> tuple[Event, ...]:
    """Events that end a run because the equations end there."""
    known = (
        dict(zip(model.coordinates, formula_names(model.coordinates), strict=True)) if locks else {}
    )
    return tuple(
        Event(
            f"{lock.even!r}*cos({known[lock.label]}) + {lock.odd!r}*sin({known[lock.label]})",
            terminal=True,
            name=lock.name,
        )
        for lock in locks
    )


def find_near_lock(model: Model, locks: list[GimbalLock], q: np.ndarray, ahead: np.ndarray) -> str:
    """The joint that is near to gimbal lock, or on its way through it from q to `ahead`; empty if
    there is none.
    """
    rows = {label: row for row, label in enumerate(model.coordinates)} if locks else {}
    for lock in locks:
        here, there = (
            lock.even * np.cos(x[rows[lock.label]]) + lock.odd * np.sin(x[rows[lock.label]])
            for x in (q, ahead)
        )
        if abs(here) < NEAR_LOCK or here * there <= 0:
            return lock.name
    return ""
