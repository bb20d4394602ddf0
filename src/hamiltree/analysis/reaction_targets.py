"""Targets of reactions: a joint or a constraint, on which body, where, and in whose axes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hamiltree.model.values import ORIGIN, Frame


class Target(NamedTuple):
    """A joint or constraint: on which body, at which point of which body, in whose axes."""

    part: tuple[str, Any]
    on: str
    at: tuple[str, Any]
    axes: tuple[str, np.ndarray]
    words: dict[str, str]


def target_of_joint(joint) -> Target:
    """The reaction on the child, at and in the joint frame on the parent."""
    frame: Frame = joint.on_parent
    words = {
        "body": joint.child,
        "point": f"origin of the joint frame on {joint.parent!r}",
        "axes": f"joint axes on {joint.parent!r}",
    }
    return Target(
        ("joint", joint.name),
        joint.child,
        (joint.parent, frame.position),
        (joint.parent, frame.matrix),
        words,
    )


def target_of_constraint(label, part) -> Target:
    """The reaction on body_b at its point, in the axes of body_a."""
    words = {
        "body": part.body_b,
        "point": f"the constraint's point of {part.body_b!r}",
        "axes": f"axes of {part.body_a!r}",
    }
    return Target(
        ("constraint", label),
        part.body_b,
        (part.body_b, getattr(part, "at_b", ORIGIN)),
        (part.body_a, np.eye(3)),
        words,
    )


def number_or_name(name: str | int) -> str | int:
    """The number of a constraint without a name, however it is written."""
    return int(name) if isinstance(name, str) and name.isdecimal() else name
