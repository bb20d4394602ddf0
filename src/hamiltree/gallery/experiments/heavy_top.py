"""Heavy tops as one body on a ball joint, shared by the experiments on quaternions.

The symmetric one is a body whose centre of mass is off its pivot, in the field of gravity. The
asymmetric one has moments about the pivot that no body with its mass and arm could have: its ball
is at the centre of mass, and the weight is the force of a spring of rest length zero: k (c − x) has
about the pivot the moment x × k c of the constant force k c, so that V = mgl R₃₃ + constant.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hamiltree.model import Ball, Body, Model, PointSpring
from hamiltree.model.values import diagonal
from hamiltree.rotations import rotation_matrix
from hamiltree.trajectory.trajectory import Trajectory


class Top(NamedTuple):
    """Moments about the pivot, weight times arm, and the start: quaternion and angular velocity in
    body axes.
    """

    name: str
    inertia: tuple[float, float, float]
    moment: float  # mgl
    arm: float  # l
    q: tuple[float, float, float, float]
    omega: tuple[float, float, float]
    mass: float = 0.0  # 0: the weight is a spring


SYMMETRIC = Top(
    "top",
    (2.8865, 2.8865, 0.1125),
    1.5 * 9.81 * 1.33,
    1.33,
    (0.9237388211835743, 0.0, 0.3826834323650898, 0.01612392110047446),
    (-0.6895466789615409, 1.0121884100962182, 100.70710678118657),
    1.5,
)
ASYMMETRIC = SYMMETRIC._replace(
    inertia=(2.8865, 2.2, 0.9),
    omega=(-0.6895466789615406, 1.0121884100962184, 10.707106781186546),
    mass=0.0,
)
# Attitude of the asymmetric one at t = 1 s, of another program, to 1e-11
ASYMMETRIC_END = (0.726758370050264, -0.41959944246688796, -0.498924509962101, 0.21640913289977792)


def model_of(top: Top) -> Model:
    """The top on its pivot, with its weight by gravity or by a spring."""
    pivot = Ball("pivot", "ground", top.name, q=top.q, qdot=top.omega)
    return weighed_by_gravity(top, pivot) if top.mass > 0.0 else weighed_by_spring(top, pivot)


def weighed_by_gravity(top: Top, pivot: Ball) -> Model:
    """The centre of mass is off the pivot, by the arm along the body's z axis."""
    a, b, c = top.inertia
    less = top.mass * top.arm**2  # from moments about the pivot to those about the centre
    about_centre = diagonal((a - less, b - less, c))
    body = Body(top.name, top.mass, (0.0, 0.0, top.arm), about_centre)
    gravity = (0.0, 0.0, -top.moment / (top.mass * top.arm))
    return Model([body], [pivot], gravity=gravity, name=top.name)


def weighed_by_spring(top: Top, pivot: Ball) -> Model:
    """The spring is fixed one metre below the pivot, which makes its stiffness the weight."""
    body = Body(top.name, 1.0, (0.0, 0.0, 0.0), diagonal(top.inertia))
    ends = ((0.0, 0.0, -1.0), (0.0, 0.0, top.arm))
    weight = PointSpring("ground", top.name, *ends, top.moment / top.arm, name="weight")
    return Model([body], [pivot], [weight], (0.0, 0.0, 0.0), top.name)


# ---- what follows from a run ---------------------------------------------------------------------
def attitude_error(run: Trajectory, expected: tuple[float, ...] = ASYMMETRIC_END) -> float:
    """‖R − R_exact‖ at the end, Frobenius norm."""
    found = rotation_matrix(run.poses.values[-1, 0, 3:])
    return float(np.linalg.norm(found - rotation_matrix(np.array(expected))))


def angular_momentum(run: Trajectory, top: Top) -> np.ndarray:
    """(time, 3): the angular momentum R J Rᵀ ω about the pivot, world axes."""
    R = rotation_matrix(run.poses.values[:, 0, 3:])
    return np.einsum("tij,j,tkj,tk->ti", R, top.inertia, R, run.twists.values[:, 0, :3])


def spin(run: Trajectory, top: Top) -> np.ndarray:
    """(time,): the angular momentum along the body's z axis, I₃ω_z of (2.4)."""
    R = rotation_matrix(run.poses.values[:, 0, 3:])
    return top.inertia[2] * np.einsum("ti,ti->t", R[:, :, 2], run.twists.values[:, 0, :3])


def top_centre_of_mass(run: Trajectory, top: Top) -> np.ndarray:
    """(time, 3): the centre of mass, l along the body's z axis."""
    return top.arm * rotation_matrix(run.poses.values[:, 0, 3:])[:, :, 2]
