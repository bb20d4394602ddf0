"""The start of a comparison: coordinates and speeds of a model's tree, given as such or as poses
and twists.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamiltree.assembly.assembly import Assembly
from hamiltree.assembly.coordinates import TreeCoordinates
from hamiltree.errors import OptionError
from hamiltree.formulations.initial_states import speeds_from_rates
from hamiltree.model import Model
from hamiltree.rotations import quaternion_from_matrix

STATE_FORMS = 'give (q, qdot), {"q": …, "qdot": …} or {"pose": (bodies, 7), "twist": (bodies, 6)}'
# how far poses and twists may be from those of the coordinates that were read off, relative
FIT_TOLERANCE = 1e-6


def start_of(model: Model, state: Any) -> tuple[np.ndarray, np.ndarray]:
    """(q, speeds) of the tree; what is not given is the model's own."""
    if state is None:
        return model.q_from(None), model.qdot_from(None)
    if isinstance(state, (tuple, list)):
        if len(state) != 2:
            raise OptionError(f"state has {len(state)} parts; {STATE_FORMS}")
        return model.q_from(state[0]), model.qdot_from(state[1])
    try:
        given = {name: state[name] for name in ("pose", "twist", "q", "qdot") if name in state}
    except TypeError:
        raise OptionError(f"state is of type {type(state).__name__}; {STATE_FORMS}") from None
    if "pose" in given or "twist" in given:
        return from_poses(model, given)
    if not given:
        raise OptionError(f"state names neither q and qdot nor pose and twist; {STATE_FORMS}")
    return model.q_from(given.get("q")), model.qdot_from(given.get("qdot"))


def from_poses(model: Model, given: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Read coordinates at the joints of the tree; their whole turns are those nearest to q if that
    is given, or to the model's start. Poses that the joints do not allow are refused.
    """
    if "pose" not in given or "twist" not in given:
        raise OptionError(
            f"state has {' and '.join(name for name in given)}; a pose and a twist of every body "
            "belong together"
        )
    pose = array_of(model, given["pose"], "pose", 7)
    twist = array_of(model, given["twist"], "twist", 6)
    read = TreeCoordinates(model, model.q_from(given.get("q")))
    q, rates = read(pose[None], twist[None])
    q = model.q_from(q[0])
    speeds = speeds_from_rates(model, q, rates[0])
    check_fits(model, q, speeds, pose, twist)
    return q, speeds


def array_of(model: Model, values: Any, name: str, width: int) -> np.ndarray:
    """(bodies, width) finite numbers."""
    shape = len(model.bodies), width
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise OptionError(
            f"state: {name} is no array of numbers; give one of the shape {shape}, a row for each "
            "body"
        ) from None
    if found.shape != shape or not np.isfinite(found).all():
        what = (
            f"has the shape {found.shape}"
            if found.shape != shape
            else "has entries that are not finite"
        )
        raise OptionError(
            f"state: {name} {what}; give numbers of the shape {shape}, a row for each body"
        )
    if name == "pose" and not (np.linalg.norm(found[:, 3:], axis=1) > 0.5).all():
        raise OptionError(
            "state: a pose has no unit quaternion; give x, y, z and then qw, qx, qy, qz of each "
            "body"
        )
    return found


def check_fits(
    model: Model, q: np.ndarray, speeds: np.ndarray, pose: np.ndarray, twist: np.ndarray
) -> None:
    """Refuse poses and twists that differ from those of the coordinates that were read."""
    assembly = Assembly(model, q, speeds)
    natural = assembly.scales
    turn, at, found = assembly.bodies
    attitude = quaternion_from_matrix(turn)
    unit = pose[:, 3:] / np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
    signs = np.where((attitude * unit).sum(1) < 0, -1.0, 1.0)[:, None]
    wrong_twist = np.abs(found - twist)
    off = np.maximum.reduce(
        [
            np.abs(at - pose[:, :3]).max(1) / (natural.length + np.abs(pose[:, :3]).max()),
            np.abs(attitude - signs * unit).max(1),
            wrong_twist[:, :3].max(1) / (1.0 / natural.time + np.abs(twist[:, :3]).max()),
            wrong_twist[:, 3:].max(1) / (natural.speed + np.abs(twist[:, 3:]).max()),
        ]
    )
    worst = int(off.argmax())
    if not off[worst] <= FIT_TOLERANCE:
        raise OptionError(
            f"state: the pose or twist of body '{model.bodies[worst].name}' is not one that the "
            f"joints allow (off by {off[worst]:.1g}); give poses and twists of one sample of a run"
        )
