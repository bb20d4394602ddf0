"""The motion of a point of a body at the samples of a run: `run.point("coupler", at=(0.1, 0, 0))`.

r = o + R s,  ṙ = v + ω × R s,  r̈ = v̇ + ω̇ × R s + ω × (ω × R s), world axes.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.algorithms.frames import find_place
from hamiltree.analysis.motion.accelerations import body_accelerations
from hamiltree.errors import OptionError
from hamiltree.model.bodies import GROUND
from hamiltree.model.values import ORIGIN, Frame, Vector, point
from hamiltree.rotations import quaternion_product, rotate, rotation_matrix

Array = np.ndarray
AXES = ("x", "y", "z")


class FrameMotion:
    """A frame on a body, or on the ground, at the samples: where it is and how it moves."""

    def __init__(self, run: Any, name: str, at: Any = ORIGIN):
        """The frame of a body or a frame by its name, with its origin at the point `at` of it."""
        if not run.has_bodies:
            raise OptionError("points are of bodies; this run is of an H(q, p) or an ode")
        self.run = run
        self.name = name
        where: Vector = point(at, ("body", str(name)), "at")
        self.is_ground = name == GROUND
        place = None if self.is_ground else find_place(run.model, name)
        self.body = -1 if place is None else place.body
        self.frame = Frame(where) if place is None else place.frame @ Frame(where)

    @property
    def count(self) -> int:
        return self.run.t.size

    @cached_property
    def pose(self) -> tuple[Array, Array]:
        """Rotations (n, 3, 3) of the body, and origins (n, 3)."""
        if self.is_ground:
            return np.broadcast_to(np.eye(3), (self.count, 3, 3)), np.zeros((self.count, 3))
        found = self.run._rows("pose", (slice(None), self.body))
        return rotation_matrix(found[:, 3:]), found[:, :3]

    @property
    def quaternion(self) -> Array:
        """(n, 4): of the frame, to the world."""
        own = np.array(self.frame.rotation)
        if self.is_ground:
            return np.broadcast_to(own, (self.count, 4))
        return quaternion_product(self.run._rows("pose", (slice(None), self.body))[:, 3:], own)

    @property
    def rotation(self) -> Array:
        """(n, 3, 3): of the frame, to the world."""
        return self.pose[0] @ self.frame.matrix

    @property
    def arm(self) -> Array:
        """From the body's origin to the point, world axes."""
        return rotate(self.pose[0], np.array(self.frame.position))

    @cached_property
    def twist(self) -> tuple[Array, Array]:
        """ω and the velocity of the body's origin."""
        if self.is_ground:
            return np.zeros((self.count, 3)), np.zeros((self.count, 3))
        found = self.run._rows("twist", (slice(None), self.body))
        return found[:, :3], found[:, 3:]

    @cached_property
    def second(self) -> tuple[Array, Array]:
        """ω̇ and the acceleration of the body's origin."""
        if self.is_ground:
            return np.zeros((self.count, 3)), np.zeros((self.count, 3))
        found = body_accelerations(self.run)[:, self.body]
        return found[:, :3], found[:, 3:]

    def position_values(self) -> Array:
        return self.pose[1] + self.arm

    def velocity_values(self) -> Array:
        omega, velocity = self.twist
        return velocity + np.cross(omega, self.arm)

    def acceleration_values(self) -> Array:
        """v̇ + ω̇ × R s + ω × (ω × R s)"""
        omega = self.twist[0]
        omega_rate, acceleration = self.second
        across = np.cross(omega, np.cross(omega, self.arm))
        return acceleration + np.cross(omega_rate, self.arm) + across


class PointMotion:
    """Path, velocity and acceleration of a point at the samples, (t, axis) in world axes.

    The acceleration is that of the equations of motion, found when it is first asked for.
    """

    def __init__(self, run: Any, body: str, at: Any = ORIGIN):
        self.run, self.body = run, body
        self.frame = FrameMotion(run, body, at)
        self.at = tuple(float(x) for x in at)

    def __repr__(self) -> str:
        at = ", ".join(f"{x:g}" for x in self.at)
        return f"<PointMotion of ({at}) on {self.body!r}: {self.frame.count} samples>"

    @cached_property
    def position(self) -> xr.DataArray:
        """Where it is, m."""
        return self.label(self.frame.position_values(), "position", "m")

    @cached_property
    def velocity(self) -> xr.DataArray:
        """m/s"""
        return self.label(self.frame.velocity_values(), "velocity", "m/s")

    @cached_property
    def acceleration(self) -> xr.DataArray:
        """By the equations of motion at the samples, m/s²."""
        return self.label(self.frame.acceleration_values(), "acceleration", "m/s²")

    @property
    def speed(self) -> xr.DataArray:
        """(t): length of the velocity, m/s."""
        size = np.linalg.norm(self.velocity.values, axis=1)
        return label_by_time(self.run, size, "speed", "m/s")

    @property
    def dataset(self) -> xr.Dataset:
        """Position, velocity and acceleration."""
        return xr.Dataset(
            {
                "position": self.position,
                "velocity": self.velocity,
                "acceleration": self.acceleration,
            }
        )

    def label(self, values: Array, name: str, units: str) -> xr.DataArray:
        return label_vectors(self.run, values, name, f"{units}, world axes")


def point_motion(run: Any, body: str, at: Any = ORIGIN) -> PointMotion:
    """The motion of the point `at` (body axes, m) of a body, of a frame by its name, or of the
    ground: `.position`, `.velocity`, `.acceleration`, (t, axis) in world axes.
    """
    return PointMotion(run, body, at)


def label_vectors(run: Any, values: Array, name: str, units: str) -> xr.DataArray:
    """(t, axis)"""
    coords = {"t": run.t.values, "axis": list(AXES)}
    return xr.DataArray(values, coords, ("t", "axis"), name, {"units": units})


def label_by_time(run: Any, values: Array, name: str, units: str) -> xr.DataArray:
    return xr.DataArray(values, {"t": run.t.values}, ("t",), name, {"units": units})
