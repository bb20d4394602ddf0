"""Samples of a run in absolute coordinates: frames of all bodies, and the states of cartesian_3."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.model.model import Model
from hamiltree.rotations import rotation_matrix


class Frames(NamedTuple):
    """Where bodies are in the samples; the ground is the last."""

    rotation: np.ndarray  # (n, bodies + 1, 3, 3)
    at: np.ndarray  # (n, bodies + 1, 3) origins
    centre: np.ndarray  # (n, bodies + 1, 3) centres of mass


def cartesian_states(
    model: Model, pose: np.ndarray, twist: np.ndarray
) -> tuple[Frames, np.ndarray]:
    """Frames, and the states of cartesian_3: r, p of all bodies, then ṙ, ω'."""
    count, bodies = pose.shape[:2]
    p = pose[..., 3:] / np.linalg.norm(pose[..., 3:], axis=-1, keepdims=True)
    rotation = rotation_matrix(p)
    com = np.array([body.com for body in model.bodies]).reshape(bodies, 3)
    arm = np.einsum("nbij,bj->nbi", rotation, com)
    spin = np.einsum("nbji,nbj->nbi", rotation, twist[..., :3])
    centre = pose[..., :3] + arm
    speed = twist[..., 3:] + np.cross(twist[..., :3], arm)
    positions = np.concatenate([centre, p], axis=2).reshape(count, 7 * bodies)
    speeds = np.concatenate([speed, spin], axis=2).reshape(count, 6 * bodies)
    ground = np.zeros((count, 1, 3))
    frames = Frames(
        np.concatenate([rotation, np.broadcast_to(np.eye(3), (count, 1, 3, 3))], axis=1),
        np.concatenate([pose[..., :3], ground], axis=1),
        np.concatenate([centre, ground], axis=1),
    )
    return frames, np.concatenate([positions, speeds], axis=1)


def check_samples(model: Model, t, pose, twist) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The samples as contiguous arrays; refused if their shapes do not fit the model."""
    found = tuple(np.ascontiguousarray(x, dtype=float) for x in (t, pose, twist))
    n = len(np.atleast_1d(found[0]))
    bodies = len(model.bodies)
    shapes = ((n,), (n, bodies, 7), (n, bodies, 6))
    for name, x, shape in zip(("t", "pose", "twist"), found, shapes, strict=True):
        if x.shape != shape:
            raise OptionError(
                f"{name} has shape {x.shape}; for {n} samples of {bodies} bodies give {shape}"
            )
    return found  # type: ignore[return-value]
