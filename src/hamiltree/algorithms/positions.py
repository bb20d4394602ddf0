"""Positions of a tree moved along its speeds."""

from __future__ import annotations

import numpy as np

from hamiltree.model import Model
from hamiltree.model.joints import coordinate_labels
from hamiltree.rotations import rotate_quaternion

Array = np.ndarray


def integrate_positions(model: Model, q: Array, step: Array) -> Array:
    """q after unit time at constant speeds `step`, (…, n) each; a quaternion turns about the
    child's axes.
    """
    states = np.broadcast_shapes(q.shape[:-1], step.shape[:-1])
    out = np.array(np.broadcast_to(q, (*states, q.shape[-1])))
    at = 0  # row of the speeds
    to = 0  # row of q
    for joint in model.tree_joints:
        axes = sum(
            label not in model.followers
            for label in coordinate_labels(joint)[: len(joint.screws())]
        )
        out[..., to : to + axes] += step[..., at : at + axes]
        at, to = at + axes, to + axes
        if joint.has_ball:
            ball = out[..., to : to + 4]
            out[..., to : to + 4] = rotate_quaternion(ball, step[..., at : at + 3])
            at, to = at + 3, to + 4
    return out
