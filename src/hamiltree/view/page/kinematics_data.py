"""Forward kinematics as data, so that sliders move a model in the page: the joints of the spanning
tree, or positions of a mechanism with loops that were computed beforehand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamiltree.assembly.kinematics import Pose, TreeJoint, retract, tree_of
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.errors import FitError, ModelError
from hamiltree.model.constraints import Drive
from hamiltree.model.constraints import Motion as Prescribed
from hamiltree.model.joints import coordinate_labels
from hamiltree.model.model import Model
from hamiltree.rotations import quaternion_from_matrix
from hamiltree.view.scene.scene import start_poses

PATH_STEP = 0.1  # of the coordinate that moves most: rad, or of the size of the mechanism
PATH_POSITIONS = 160
MAX_CORRECTIONS = 8
FREE_EIGENVALUE = 1e-10  # of GᵀG, of its largest: the direction is free
CLOSED_RESIDUAL = 1e-6  # of the size of the mechanism: far below a pixel
CLOSED_STEPS = 0.9  # a path that comes so near to its start again, in steps, is closed
LEAST_TURN = 12  # positions of a closed path


def tree_data(model: Model) -> dict[str, Any]:
    """The joints from the ground outward, and the coordinates that move them."""
    tree = tree_of(model)
    dimensions = {
        label: dimension
        for joint in model.joints
        for label, dimension in zip(
            coordinate_labels(joint), joint.coordinate_dimensions(), strict=True
        )
    }
    return {
        "coordinates": list(model.coordinates),
        "dimensions": [dimensions[label] for label in model.coordinates],
        "start": model.start()[0].tolist(),
        "joints": [tree_joint_data(joint) for joint in tree.joints],
    }


def tree_joint_data(joint: TreeJoint) -> dict[str, Any]:
    """A joint of the tree: frames, screws with the rows of q that move them, quaternion."""
    return {
        "body": joint.body,
        "inner": joint.inner,
        "reversed": joint.is_reversed,
        "onParent": pose_data(joint.on_parent),
        "onChild": pose_data(joint.on_child),
        "axes": [
            {
                "angular": axis.screw[0].tolist(),
                "linear": axis.screw[1].tolist(),
                "row": axis.position,
                "ratio": axis.ratio,
                "offset": axis.offset,
            }
            for axis in joint.axes
        ],
        "ball": None if joint.ball is None else joint.ball[0],
    }


def pose_data(pose: Pose) -> list[float]:
    return [*pose.at.tolist(), *quaternion_from_matrix(pose.turn).tolist()]


def loop_positions(model: Model) -> np.ndarray | None:
    """(n, coordinates): positions along the first free motion of a mechanism from end to end, or
    once around; None if it cannot be assembled or does not move.
    """
    passive = [part for part in model.constraints if not isinstance(part, (Drive, Prescribed))]
    try:
        free = model.with_(constraints=passive)
        mechanism = Mechanism(free)
        start = mechanism.closed_positions(free.start()[0], frozenset())
        found, is_closed = follow_path(mechanism, start, 1.0, PATH_POSITIONS)
        if not is_closed:
            back, _ = follow_path(mechanism, start, -1.0, PATH_POSITIONS // 2)
            found = [*back[:0:-1], *found]
    except (FitError, ModelError, np.linalg.LinAlgError):
        return None
    return np.array(found) if len(found) > 1 else None


def follow_path(
    mechanism: Mechanism, start: np.ndarray, sign: float, most: int
) -> tuple[list[np.ndarray], bool]:
    """Steps along the null space of the Jacobian, each closed again; until it comes back to the
    start (True) or cannot go on.
    """
    found = [start]
    first = start_poses(mechanism.model, start)
    G = mechanism.at(start)[1]
    direction: np.ndarray | None = None
    nearest = 0.0  # to the start, at the second position
    while len(found) < most:
        direction = next_direction(mechanism, G, direction)
        if direction is None:
            break
        step = PATH_STEP * direction / mechanism.weights
        closed = close_roughly(mechanism, retract(mechanism.tree, found[-1], sign * step))
        if closed is None:
            break
        q, G = closed
        found.append(q)
        distance = float(np.abs(start_poses(mechanism.model, q) - first).max())
        nearest = nearest or distance
        if len(found) > LEAST_TURN and distance < CLOSED_STEPS * nearest:
            return [*found, start], True
    return found, False


def close_roughly(mechanism: Mechanism, q: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Positions near q whose residuals cannot be seen, and the Jacobian there; None if Newton's
    method does not find any.
    """
    for _ in range(MAX_CORRECTIONS):
        rows, G = mechanism.at(q)
        if float(np.abs(rows.value / mechanism.row_scale).max(initial=0.0)) < CLOSED_RESIDUAL:
            return q, G
        q = retract(mechanism.tree, q, least_change(mechanism, G, -rows.value))
    return None


def least_change(mechanism: Mechanism, G: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The smallest x with G x = wanted, by the eigenvectors of GᵀG."""
    scaled = mechanism.scale_jacobian(G)
    values, vectors = np.linalg.eigh(scaled.T @ scaled)
    is_held = values > FREE_EIGENVALUE * values[-1]
    right = vectors[:, is_held].T @ (scaled.T @ (wanted / mechanism.row_scale))
    return vectors[:, is_held] @ (right / values[is_held]) / mechanism.weights


def next_direction(
    mechanism: Mechanism, G: np.ndarray, last: np.ndarray | None
) -> np.ndarray | None:
    """The last direction as far as it is free, its largest entry 1; at first that of the speed
    that moves most.
    """
    scaled = mechanism.scale_jacobian(G)
    values, vectors = np.linalg.eigh(scaled.T @ scaled)
    space = vectors[:, values <= FREE_EIGENVALUE * values[-1]]
    if space.shape[1] == 0:
        return None
    wanted = last
    if wanted is None:
        wanted = np.zeros(len(space))
        wanted[int(np.linalg.norm(space, axis=1).argmax())] = 1.0
    direction = space @ (space.T @ wanted)
    return direction / np.abs(direction).max()
