"""Start values of a model: numbers in order, or by the names of coordinates and joints."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import ModelError, OptionError, suggest
from hamiltree.model.joints import Joint, axis_labels, coordinate_labels, speed_labels
from hamiltree.model.values import UNIT_TOLERANCE, number, vector

if TYPE_CHECKING:
    from hamiltree.model.model import Model

# a start quaternion may be this far from a unit one: rounded digits, not a mistake
UNIT_NORM_TOLERANCE = 1e-6


def state_from(
    model: Model, values: Any, start: np.ndarray, what: str, names: tuple[str, ...]
) -> np.ndarray:
    """A full list of numbers, or the start changed by name; ModelErrors become OptionErrors."""
    if values is None:
        return start
    try:
        if isinstance(values, Mapping):
            return _update_state(model, values, start, what, names)
        return np.array(_check_full_state(model, values, what, names))
    except ModelError as error:
        raise OptionError(str(error)) from None


def _check_full_state(
    model: Model, values: Any, what: str, names: tuple[str, ...]
) -> tuple[float, ...]:
    """One number for every coordinate or speed, in their order; a single one may stand without a
    list.
    """
    if isinstance(values, Real) and not isinstance(values, bool):
        values = (values,)
    if np.ndim(values) == 1 and len(values) != len(names):
        order = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        kind = "coordinates" if what == "q" else "speeds"
        raise OptionError(
            f"{what} has {len(values)} values, the model has {len(names)} {kind}; give them in "
            f"this order: {order}"
        )
    return vector(values, len(names), ("model", model.name), what)


def _update_state(
    model: Model, values: Mapping[str, Any], start: np.ndarray, what: str, names: tuple[str, ...]
) -> np.ndarray:
    """By the name of a coordinate, or of a joint with a list for all of its coordinates."""
    places = {name: slice(place, place + 1) for place, name in enumerate(names)}
    for joint in model.joints:
        own = [
            label
            for label in (coordinate_labels(joint) if what == "q" else speed_labels(joint))
            if label in places
        ]
        if own:
            places.setdefault(joint.name, slice(places[own[0]].start, places[own[-1]].stop))
    for name, value in values.items():
        if name not in places:
            if name in model.followers:
                raise OptionError(
                    f"{what}: joint {name!r} follows {model.followers[name].leader!r}; give that "
                    "one"
                )
            if name in model._closing_labels:
                raise OptionError(
                    f"{what}: joint {name!r} closes a loop and has no start value of its own; "
                    "where it is follows from the other joints"
                )
            speed = next(
                (
                    speed
                    for joint in model.joints
                    for label, speed in axis_labels(joint)
                    if label == name
                ),
                "",
            )
            hint = (
                f"its speed is called {speed!r}"
                if what == "qdot" and speed in places
                else suggest(name, places)
            )
            raise OptionError(f"{what}: there is no joint {name!r}; {hint}")
        part, place = ("joint", name), places[name]
        size = place.stop - place.start
        start[place] = number(value, part, what) if size == 1 else vector(value, size, part, what)
    return start


def normalise_quaternions(model: Model, q: np.ndarray) -> np.ndarray:
    """Quaternions of q made unit ones, in place; one that is far from it is refused."""
    rows, _ = quaternion_rows(model)
    deviations = abs(np.linalg.norm(q[rows], axis=1) - 1.0)
    for number_of_ball in np.flatnonzero(~(deviations <= UNIT_TOLERANCE / 2)):
        own = rows[number_of_ball]
        norm = float(np.linalg.norm(q[own]))
        if abs(norm - 1.0) > UNIT_NORM_TOLERANCE:
            balls = [joint.name for joint in model.tree_joints if joint.has_ball]
            raise OptionError(
                f"q of joint {balls[number_of_ball]!r}: the quaternion {q[own].tolist()} has "
                f"length {norm:g}; give a unit quaternion"
            )
        if abs(norm - 1.0) > UNIT_TOLERANCE:
            q[own] /= norm
    return q


def quaternion_rows(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """(quaternions, 4) rows in q, and (quaternions, 3) rows of the angular velocities in the
    speeds; joints in order of declaration.
    """
    joints = model.tree_joints
    has_ball = np.array([joint.has_ball for joint in joints], dtype=bool)
    counts = [_count_rows(model, joint) for joint in joints] if has_ball.any() else has_ball
    ends = np.cumsum(counts)[has_ball]
    ends_of_speeds = ends - np.cumsum(has_ball)[has_ball]
    return ends[:, None] + np.arange(-4, 0), ends_of_speeds[:, None] + np.arange(-3, 0)


def _count_rows(model: Model, joint: Joint) -> int:
    """Coordinates of a joint that have rows of their own in q."""
    if not model.followers:
        return joint.coordinates
    return sum(label not in model.followers for label in coordinate_labels(joint))
