"""Stewart's platform on six legs that change their lengths."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.constraints import Constraint, Drive
from hamiltree.model.forces import Force, JointSpring
from hamiltree.model.joints import Ball, Prismatic, Universal
from hamiltree.model.mechanisms.struts import (
    BLUE,
    STEEL,
    X_AXIS,
    Y_AXIS,
    YELLOW,
    check_lengths,
    make_strut,
    point_on_circle,
    to_vector,
)
from hamiltree.model.model import Model
from hamiltree.model.shapes import Cylinder
from hamiltree.model.values import ORIGIN, Frame, Vector, multiply, point, positive, rotation


def stewart(
    base: float = 1.0,
    platform: float = 0.6,
    position: Any = (0.0, 0.0, 1.0),
    attitude: Any = (1.0, 0.0, 0.0, 0.0),
    velocity: Any = ORIGIN,
    omega: Any = ORIGIN,
    travel: Any = None,
    mass: float = 50.0,
    stiffness: float = 2e4,
) -> Model:
    """A platform on six legs, each a universal joint on the ground, a slider along the leg, and a
    ball under the platform.

    The legs stand in pairs 20 degrees apart on a circle of radius `base` and lean to the
    neighbouring pairs on one of radius `platform`;
    "leg1" ... "leg6" are their lengths. The platform starts at `position` (m), turned by `attitude`
    (quaternion, or matrix), with `velocity` (m/s, world axes) and `omega` (rad/s, its own axes). A
    spring at rest at the start holds every leg. Or `travel`, a formula of t or six of them, drives
    the lengths to start + travel: it should begin with 0, and at the rate with which the platform
    starts. 6·3 + 3 - 5·3 = 6 degrees of freedom.
    """
    part = ("stewart", "")
    base, platform = check_lengths("stewart", base=base, platform=platform)
    pose = Frame(point(position, part, "position"), rotation(attitude, part, "attitude"))
    v = np.array(point(velocity, part, "velocity"))
    w = np.array(point(omega, part, "omega"))
    feet = pairs_on_circle(base, 10.0)
    heads = pairs_on_circle(platform, 50.0)
    disc = Cylinder(platform, 0.04, frame=Frame((0.0, 0.0, 0.02)), color=BLUE)
    bodies, joints = [Body.solid("platform", disc, mass=positive(mass, part, "mass"))], []
    lengths, last = [], []
    for k, (foot, head) in enumerate(zip(feet, heads, strict=True), start=1):
        arm = pose.matrix @ head
        leg = leg_towards(np.array(pose.position) + arm - foot, v + np.cross(pose.matrix @ w, arm))
        lengths.append(leg.length)
        bodies += make_telescope(k, leg.length)
        joints.append(
            Universal(f"foot{k}", GROUND, f"lower{k}", Frame(foot), q=leg.q, qdot=leg.qdot)
        )
        joints.append(Prismatic(f"leg{k}", f"lower{k}", f"upper{k}", q=leg.length, qdot=leg.rate))
        turn = multiply(leg.attitude.inverse().rotation, pose.rotation)
        spin = to_vector(w - pose.matrix.T @ leg.omega)
        last.append(
            Ball(f"head{k}", f"upper{k}", "platform", on_child=Frame(head), q=turn, qdot=spin)
        )
    forces, drives = make_leg_drives(lengths, travel, stiffness)
    return Model(
        name="stewart", bodies=bodies, joints=joints + last, forces=forces, constraints=drives
    )


def pairs_on_circle(radius: float, aside: float) -> list[Vector]:
    """Six points of a circle, two each `aside` degrees beside 0, 120 and 240 degrees."""
    degrees = [120.0 * (k // 2) + (aside if k % 2 else -aside) for k in range(6)]
    return [point_on_circle(radius, angle) for angle in degrees]


class Leg(NamedTuple):
    """A leg along z, turned about x and then about its own y axis."""

    length: float
    rate: float
    q: tuple[float, float]
    qdot: tuple[float, float]
    attitude: Frame
    omega: np.ndarray  # world axes


def leg_towards(d: np.ndarray, rate: np.ndarray) -> Leg:
    """d = length (sin b, -sin a cos b, cos a cos b), solved for a, b and the length; `rate` is that
    of d.
    """
    length, across = float(np.linalg.norm(d)), math.hypot(d[1], d[2])
    a, b = math.atan2(-d[1], d[2]), math.atan2(d[0], across)
    a_rate = float(d[1] * rate[2] - d[2] * rate[1]) / across**2
    b_rate = float(rate[0] * across - d[0] * (d[1] * rate[1] + d[2] * rate[2]) / across) / length**2
    first = Frame.about(X_AXIS, a)
    omega = np.array([a_rate, 0.0, 0.0]) + b_rate * first.matrix[:, 1]
    return Leg(
        length,
        float(d @ rate) / length,
        (a, b),
        (a_rate, b_rate),
        first @ Frame.about(Y_AXIS, b),
        omega,
    )


def make_telescope(k: int, length: float) -> list[Body]:
    """A tube from the foot upwards, and a thinner one from the head, where its origin is,
    downwards.
    """
    lower = Body.solid(
        f"lower{k}", make_strut(ORIGIN, (0.0, 0.0, 0.6 * length), 0.03, STEEL), mass=4.0
    )
    return [
        lower,
        Body.solid(
            f"upper{k}", make_strut((0.0, 0.0, -0.6 * length), ORIGIN, 0.02, YELLOW), mass=2.0
        ),
    ]


def make_leg_drives(
    lengths: list[float], travel: Any, stiffness: float
) -> tuple[list[Force], list[Constraint]]:
    """Springs at rest at the start, or drives to start + travel."""
    if travel is None:
        return [
            JointSpring(f"leg{k}", stiffness, length, name=f"spring{k}")
            for k, length in enumerate(lengths, start=1)
        ], []
    travels = [travel] * 6 if isinstance(travel, (str, int, float)) else list(travel)
    if len(travels) != 6:
        raise OptionError(
            f"stewart: travel has {len(travels)} formulas; give one for all legs, or six"
        )
    goals = [f"{length!r} + ({formula})" for length, formula in zip(lengths, travels, strict=True)]
    return [], [Drive(f"leg{k}", goal, name=f"drive{k}") for k, goal in enumerate(goals, start=1)]
