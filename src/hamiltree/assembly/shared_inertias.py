"""Bodies welded to each other are one rigid body, whose inertia may be told apart in any way: where
one of them has none of its own, all get equal shares of the whole.

Formulations that move every body by itself then have an inertia for each; motion, forces and
energy are those of the model as it is given.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.model import Model
from hamiltree.model.values import Matrix, Vector
from hamiltree.rotations import rotation_matrix

Array = np.ndarray
# below this part of the largest moment a body has no inertia about an axis
MIN_MOMENT_RATIO = 1e-12
Pose = tuple[Array, Array]  # rotation and position


class MassShare(NamedTuple):
    """What a body weighs in a formulation; com and inertia as those of a Body."""

    name: str
    mass: float
    com: Vector
    inertia: Matrix


MassiveBodies = Sequence[Body | MassShare]


def lacks_inertia(bodies: MassiveBodies) -> Array:
    """(bodies,) whether each has no mass, or no inertia about some axis."""
    mass = np.array([body.mass for body in bodies])
    moments = np.linalg.eigvalsh(np.array([body.inertia for body in bodies]).reshape(-1, 3, 3))
    turns = (moments[:, 0] > MIN_MOMENT_RATIO * moments[:, -1]) & (moments[:, -1] > 0.0)
    return ~((mass > 0.0) & turns)


def share_inertias(model: Model) -> MassiveBodies:
    """The bodies of a model; those that welds hold together share the inertia of the whole where
    one of them lacks it. A body without inertia on the ground gets one at the world's origin, where
    it has no weight.
    """
    welds = [joint for joint in model.joints if joint.kind == "weld"]
    if not welds:
        return model.bodies
    lacking = lacks_inertia(model.bodies)
    row = {body.name: k for k, body in enumerate(model.bodies)}
    found: list[Body | MassShare] = list(model.bodies)
    for cluster in weld_clusters(welds):
        members = [name for name in cluster if name != GROUND]
        without = [name for name in members if lacking[row[name]]]
        if not without:
            continue
        if GROUND in cluster:
            shares = [share_on_ground(model, name, cluster[name]) for name in without]
        else:
            shares = equal_shares([model.bodies[row[name]] for name in members], cluster)
        for share in shares:
            found[row[share.name]] = share
    return tuple(found)


def weld_clusters(welds) -> list[dict[str, Pose]]:
    """Bodies that welds hold together, each with its pose in the frame of the first, or in that of
    the ground where the ground is among them.
    """
    near: dict[str, list[tuple[str, Pose]]] = {}
    for joint in welds:
        to_child = compose(pose_of(joint.on_parent), invert(pose_of(joint.on_child)))
        near.setdefault(joint.parent, []).append((joint.child, to_child))
        near.setdefault(joint.child, []).append((joint.parent, invert(to_child)))
    clusters: list[dict[str, Pose]] = []
    known: set[str] = set()
    for first in sorted(near, key=lambda name: name != GROUND):
        if first in known:
            continue
        cluster = {first: (np.eye(3), np.zeros(3))}
        ahead = [first]
        while ahead:
            inner = ahead.pop()
            for outer, step in near[inner]:
                if outer not in cluster:
                    cluster[outer] = compose(cluster[inner], step)
                    ahead.append(outer)
        known |= cluster.keys()
        clusters.append(cluster)
    return clusters


def pose_of(frame) -> Pose:
    return rotation_matrix(np.array(frame.rotation)), np.array(frame.position)


def compose(outer: Pose, inner: Pose) -> Pose:
    return outer[0] @ inner[0], outer[0] @ inner[1] + outer[1]


def invert(pose: Pose) -> Pose:
    return pose[0].T, -pose[0].T @ pose[1]


def equal_shares(bodies: Sequence[Body], poses: dict[str, Pose]) -> list[MassShare]:
    """Each body with one part in so many of their mass and inertia, about their common centre of
    mass; none where the whole has no inertia.
    """
    mass = sum(body.mass for body in bodies)
    if not mass > 0.0:
        return []
    placed = [(body, *poses[body.name]) for body in bodies]
    centres = [R @ np.array(body.com) + at for body, R, at in placed]
    centre = sum(body.mass * c for body, c in zip(bodies, centres, strict=True)) / mass
    inertia = np.zeros((3, 3))
    for (body, R, _), c in zip(placed, centres, strict=True):
        arm = c - centre
        inertia += R @ np.array(body.inertia) @ R.T
        inertia += body.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    part = 1.0 / len(bodies)
    return [
        mass_share(body.name, part * mass, R.T @ (centre - at), part * R.T @ inertia @ R)
        for body, R, at in placed
    ]


def share_on_ground(model: Model, name: str, pose: Pose) -> MassShare:
    """The largest mass and moment of the model, at the world's origin."""
    R, at = pose
    mass = max(body.mass for body in model.bodies)
    moment = max(np.trace(np.array(body.inertia)) for body in model.bodies)
    return mass_share(name, mass, -R.T @ at, moment * np.eye(3))


def mass_share(name: str, mass: float, com: Array, inertia: Array) -> MassShare:
    """As tuples of floats, the inertia symmetric to the bit."""
    symmetric = 0.5 * (inertia + inertia.T)
    return MassShare(name, float(mass), tuple(com.tolist()), tuple(map(tuple, symmetric.tolist())))
