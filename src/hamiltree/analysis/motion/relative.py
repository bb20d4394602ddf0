"""Distances, angles and relative motion of points and bodies at the samples of a run.

A point is the name of a body or frame (its origin), or (name, at) with `at` in its axes; a
direction is (name, vector), or the vector alone in world axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from hamiltree.analysis.motion.points import (
    AXES,
    FrameMotion,
    label_by_time,
    label_vectors,
)
from hamiltree.errors import FitError, OptionError
from hamiltree.model.bodies import GROUND
from hamiltree.model.values import ORIGIN, direction
from hamiltree.rotations import conjugate, quaternion_product, rotate, rotate_back

Array = np.ndarray


def distance_between(run: Any, a: Any, b: Any = GROUND) -> xr.DataArray:
    """(t): distance of two points, m: run.distance(("rod", (0, 0, -1)), "ground")."""
    gap = to_frame(run, b).position_values() - to_frame(run, a).position_values()
    return label_by_time(run, np.linalg.norm(gap, axis=1), "distance", "m")


def angle_between(run: Any, a: Any, b: Any, about: Any = None) -> xr.DataArray:
    """(t): the angle between two directions, 0 to π; with `about`, an axis, the angle from a to b
    about it, followed through whole turns, of their parts across the axis.
    """
    first, second = to_direction(run, a), to_direction(run, b)
    if about is None:
        sine = np.linalg.norm(np.cross(first, second), axis=1)
        return label_by_time(run, np.arctan2(sine, dot(first, second)), "angle", "rad")
    axis = to_direction(run, about)
    first, second = (v - axis * dot(axis, v)[:, None] for v in (first, second))
    turned = np.arctan2(dot(axis, np.cross(first, second)), dot(first, second))
    return label_by_time(run, np.unwrap(turned), "angle", "rad")


def relative_motion(run: Any, body: str, to: str, at: Any = ORIGIN) -> xr.Dataset:
    """How a body, and the point `at` of it, move as seen from another: position, velocity and
    acceleration (t, axis) relative to the origin of `to` and in its axes; quaternion (t, part) and
    angular velocity (t, axis) of the body against `to`, in the axes of `to`. Where accelerations
    are refused they are left out, and the attribute no_acceleration says why.
    """
    own, seen_from = FrameMotion(run, body, at), FrameMotion(run, to)
    rotation = seen_from.rotation
    omega = seen_from.twist[0]
    gap = own.position_values() - seen_from.position_values()
    velocity = own.velocity_values() - seen_from.velocity_values() - np.cross(omega, gap)
    values = {
        "position": (gap, "m"),
        "velocity": (velocity, "m/s"),
        "angular_velocity": (own.twist[0] - omega, "rad/s"),
    }
    attributes = {"body": body, "to": to}
    try:
        acceleration = relative_acceleration(own, seen_from, gap, velocity)
        values["acceleration"] = acceleration, "m/s²"
    except (FitError, OptionError) as error:  # the rest needs no equations of motion
        attributes["no_acceleration"] = str(error)
    found = {
        name: label_vectors(run, rotate_back(rotation, value), name, f"{unit}, axes of {to!r}")
        for name, (value, unit) in values.items()
    }
    turned = quaternion_product(conjugate(seen_from.quaternion), own.quaternion)
    coords = {"t": run.t.values, "part": ["w", *AXES]}
    found["quaternion"] = xr.DataArray(turned, coords, ("t", "part"))
    return xr.Dataset(found, attrs=attributes)


def relative_acceleration(
    own: FrameMotion, seen_from: FrameMotion, gap: Array, velocity: Array
) -> Array:
    """a − a₀ − ω̇ × r − ω × (ω × r) − 2 ω × v, in world axes."""
    omega, omega_rate = seen_from.twist[0], seen_from.second[0]
    found = own.acceleration_values() - seen_from.acceleration_values()
    found -= np.cross(omega_rate, gap) + np.cross(omega, np.cross(omega, gap))
    return found - 2.0 * np.cross(omega, velocity)


# ---- arguments -----------------------------------------------------------------------------------
def to_frame(run: Any, given: Any) -> FrameMotion:
    """A point of a body or frame: its name, or (name, at)."""
    if isinstance(given, str):
        return FrameMotion(run, given)
    name, at = split_pair(given, "a point", "the name of a body, or (name, at)")
    return FrameMotion(run, name, at)


def to_direction(run: Any, given: Any) -> Array:
    """(n, 3): a unit vector in world axes of (name, vector), or of three numbers."""
    if len(np.shape(np.asarray(given, dtype=object))) == 1 and len(given) == 3:
        given = GROUND, given
    name, along = split_pair(given, "a direction", "(name, vector), or three numbers in world axes")
    unit = np.array(direction(along, ("body", str(name)), "direction"))
    return rotate(FrameMotion(run, name).rotation, unit)


def split_pair(given: Any, what: str, form: str) -> tuple[str, Any]:
    """The two parts of (name, numbers); anything else is refused."""
    is_pair = isinstance(given, (tuple, list)) and len(given) == 2 and isinstance(given[0], str)
    if not is_pair:
        raise OptionError(f"{given!r} is not {what}; give {form}")
    return given[0], given[1]


def dot(a: Array, b: Array) -> Array:
    return np.einsum("ni,ni->n", a, b)
