"""Bodies and frames by name: where they are, how they move, and their Jacobians."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hamiltree.algorithms.queries import Query
from hamiltree.compiled.direct_calls import Part
from hamiltree.compiled.number import read_only
from hamiltree.errors import OptionError, suggest
from hamiltree.formulations.tree import frames as tree_frames
from hamiltree.model import GROUND, Model
from hamiltree.model.values import IDENTITY, Frame, Vector, point
from hamiltree.rotations import quaternion_product, rotate, rotation_matrix

if TYPE_CHECKING:
    from hamiltree.algorithms.rigid_body import Dynamics

Array = np.ndarray
AXES = ("world", "body")


class Place(NamedTuple):
    """A frame on a body; of a body itself the identity."""

    body: int
    frame: Frame


def find_place(model: Model, name: Any) -> Place:
    """The body or frame of that name; an unknown name is refused with the nearest."""
    numbers = {body.name: k for k, body in enumerate(model.bodies)}
    if isinstance(name, str) and name in numbers:
        return Place(numbers[name], IDENTITY)
    if isinstance(name, str) and name in model.frames:
        body, frame = model.frames[name]
        return Place(numbers[body], frame)
    if name == GROUND:
        raise OptionError("the ground has no Jacobian")
    what = "body and no frame" if model.frames else "body"
    raise OptionError(f"there is no {what} {name!r}; {suggest(name, [*numbers, *model.frames])}")


def pose_of(poses: Array, place: Place) -> Array:
    """(…, 7): position and unit quaternion, w ≥ 0, of a frame; of the poses of all bodies."""
    pose = poses[..., place.body, :]
    if place.frame == IDENTITY:
        return pose.copy()
    at = pose[..., :3] + rotate(rotation_matrix(pose[..., 3:]), np.array(place.frame.position))
    turned = quaternion_product(pose[..., 3:], np.array(place.frame.rotation))
    turned = np.where(turned[..., :1] < 0.0, -turned, turned)
    return np.concatenate([at, turned], axis=-1)


def twist_of(poses: Array, twists: Array, place: Place, at: Vector) -> Array:
    """(…, 6): ω, and the velocity of the point `at` of a frame."""
    rotation = rotation_matrix(poses[..., place.body, 3:])
    arm = rotate(rotation, np.array((place.frame @ Frame(at)).position))
    omega = twists[..., place.body, :3]
    return np.concatenate([omega, twists[..., place.body, 3:] + np.cross(omega, arm)], axis=-1)


def jacobian_call(
    dynamics: Dynamics, name: Any, at: Any, axes: str, has_rate: bool
) -> Callable[..., Array]:
    """The Jacobian of a point of a body or a frame, or its rate, bound to compiled code."""
    number, frame = find_place(dynamics.model, name)
    if axes not in AXES:
        raise OptionError(f"axes = {axes!r}; give 'world' or 'body'")
    tree, n = dynamics.tables.tree, dynamics.freedoms
    on_body = (frame @ Frame(point(at, ("body", name), "at"))).position
    # tables hold matrices by columns, which are the transposes of these
    turn = tree.rotation_on_link[number].reshape(3, 3)
    rotation = tree.rotation_on_link[number : number + 1]
    if frame.rotation != IDENTITY.rotation:
        rotation = read_only([(frame.matrix.T @ turn).ravel()])
    link = int(tree.link_of_body[number])
    query = tree_frames.Jacobian(
        link,
        read_only(path_from_ground(tree.parent, link)),
        read_only([tree.position_on_link[number] + np.array(on_body) @ turn]),
        rotation,
        axes == "body",
        has_rate,
    )
    inputs = ("q", "qdot") if has_rate else ("q",)
    return Query(dynamics, query, inputs, Part(0, (6, n))).fast_call()


def path_from_ground(parent: Array, link: int) -> Array:
    """The links from the ground to this one."""
    path = []
    while link < len(parent):
        path.append(link)
        link = int(parent[link])
    return np.array(path[::-1], dtype=np.int64)
