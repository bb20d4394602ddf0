"""Targets of reactions: a joint or a constraint, on which body, where, and in whose axes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from hamiltree.model.values import ORIGIN, Frame

AXES = ("x", "y", "z")


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


def label_reactions(
    t: Any,
    wrench: np.ndarray,
    local: np.ndarray,
    point: np.ndarray,
    target: Target,
    name: dict[str, Any],
    about: dict[str, Any],
) -> xr.Dataset:
    """Moments and forces (n, 6) in world axes and in those of the target, and the point."""
    values = {
        "force": (wrench[:, 3:], "N", "on the body, world axes"),
        "moment": (wrench[:, :3], "N m", "on the body about the point, world axes"),
        "force_in_joint": (local[:, 3:], "N", target.words["axes"]),
        "moment_in_joint": (local[:, :3], "N m", target.words["axes"]),
        "point": (point, "m", target.words["point"]),
    }
    variables = {
        key: (("t", "axis"), x, {"units": unit, "description": text})
        for key, (x, unit, text) in values.items()
    }
    coordinates = {"t": np.asarray(t, dtype=float), "axis": list(AXES)}
    words = {**name, **target.words, "units": "SI: N, N m, m"}
    return xr.Dataset(variables, coordinates, {**words, **about})
