"""The labels of the coordinates and speeds of many joints; joints.py has those of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hamiltree.model.joints import Joint, coordinate_labels

JointLabels = Callable[[Joint], Sequence[str]]  # coordinate_labels or speed_labels


def joint_labels(joints: Sequence[Joint], labels: JointLabels = coordinate_labels) -> list[str]:
    """The labels of all coordinates, or by `speed_labels` of all speeds, joint after joint."""
    if are_labels_names(joints):
        return [joint.name for joint in joints]
    plain = {kind for kind in set(map(type, joints)) if is_called_by_joint(kind)}
    return [
        label
        for joint in joints
        for label in ((joint.name,) if type(joint) in plain else labels(joint))
    ]


def are_labels_names(joints: Sequence[Joint]) -> bool:
    """Whether all coordinates and speeds are called by the names of their joints alone."""
    return all(map(is_called_by_joint, set(map(type, joints))))


def is_called_by_joint(kind: type[Joint]) -> bool:
    """Whether joints of a kind have one coordinate and one speed, both called by their own name."""
    return (
        kind.coordinates == 1
        and not kind.has_ball
        and kind.suffixes is Joint.suffixes
        and kind.speed_suffixes is Joint.speed_suffixes
    )
