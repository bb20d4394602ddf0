"""Positions and vectors of a body and its parent at a state: fig. 1 of "EOM with Hamilton's
Equations" in numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hamiltree.assembly.body_states import compute_body_states
from hamiltree.assembly.kinematics import tree_of
from hamiltree.errors import OptionError, suggest
from hamiltree.model import Model
from hamiltree.model.forces import BodyLoad

GROUND_BODY = -1


class BodyVectors(NamedTuple):
    """Of one body b_i, world axes; `points` are on it: the ends of its joints, centre of mass."""

    name: str
    rotation: np.ndarray  # (3, 3) of its own frame
    eta: np.ndarray  # η_i, the origin of the inboard joint's frame on the body
    d: np.ndarray  # η_i from η of the parent
    s: np.ndarray  # centre of mass from η_i
    r: np.ndarray  # η_i + s_i
    omega: np.ndarray  # ω_i
    y: np.ndarray  # point of f̄_i from η_i
    force: np.ndarray  # f̄_i
    torque: np.ndarray  # τ̄_i
    points: np.ndarray  # (n, 3)


def body_vectors(
    model: Model, body: str | None = None, q: Any = None, qdot: Any = None
) -> list[BodyVectors]:
    """The vectors of a body and, after it, those of its parent unless that is the ground. Without a
    name, the first body that is carried by another one.
    """
    tree = tree_of(model)
    states = compute_body_states(tree, model.q_from(q), model.qdot_from(qdot))
    inboard = {joint.body: joint for joint in tree.joints}
    index = choose_body(model, body, {k: joint.inner for k, joint in inboard.items()})
    chain = [index]
    if inboard[index].inner != GROUND_BODY:
        chain.append(inboard[index].inner)

    def joint_on(k: int) -> np.ndarray:
        """Where the inboard joint of body k is fixed to it; the world's origin for the ground."""
        if k == GROUND_BODY:
            return np.zeros(3)
        joint = inboard[k]
        frame = joint.on_parent if joint.is_reversed else joint.on_child
        return states.origin[k] + states.rotation[k] @ frame.at

    return [
        vectors_of(model, k, states, joint_on(k), joint_on(inboard[k].inner), tree) for k in chain
    ]


def choose_body(model: Model, body: str | None, inner: dict[int, int]) -> int:
    """The number of a body in model.bodies; an unknown name is refused."""
    names = [part.name for part in model.bodies]
    if body is None:
        carried = [k for k in inner if inner[k] != GROUND_BODY]
        return (carried or list(inner))[0]
    if body not in names:
        raise OptionError(f"there is no body {body!r} in the model; {suggest(body, names)}")
    return names.index(body)


def vectors_of(
    model: Model, k: int, states: Any, eta: np.ndarray, eta_parent: np.ndarray, tree: Any
) -> BodyVectors:
    """One body; its outboard joints are points on it too."""
    body = model.bodies[k]
    R, origin = states.rotation[k], states.origin[k]
    r = origin + R @ np.array(body.com)
    outboard = [
        origin + R @ (joint.on_child if joint.is_reversed else joint.on_parent).at
        for joint in tree.joints
        if joint.inner == k
    ]
    at, force, torque = external_load(model, body, R, origin, r)
    return BodyVectors(
        body.name,
        R,
        eta,
        eta - eta_parent,
        r - eta,
        r,
        states.twist[k, :3],
        at - eta,
        force,
        torque,
        np.array([eta, r, at, *outboard]),
    )


def external_load(
    model: Model, body: Any, R: np.ndarray, origin: np.ndarray, r: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Point, force and torque of the body load of a model; of several, their sum at the centre of
    mass; of none, the weight.
    """
    loads = [part for part in model.forces if isinstance(part, BodyLoad) and part.body == body.name]
    if not loads:
        return r, body.mass * np.array(model.gravity), np.zeros(3)
    each = []
    for load in loads:
        turn = R if load.axes == "body" else np.eye(3)
        each.append((origin + R @ np.array(load.at), turn @ load.force, turn @ load.torque))
    if len(each) == 1:
        return each[0]
    force = np.sum([f for _, f, _ in each], axis=0)
    torque = np.sum([torque + np.cross(at - r, f) for at, f, torque in each], axis=0)
    return r, force, torque
