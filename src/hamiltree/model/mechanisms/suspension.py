"""Suspensions: the double wishbone of a wheel, the car axis of the Test Set for IVP Solvers."""

from __future__ import annotations

import math
from typing import Any, Literal

from hamiltree.errors import OptionError, suggest
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.constraints import Drive, Rod
from hamiltree.model.elements import PointSpring
from hamiltree.model.joints import Axes, Ball, Joint, Prismatic, Revolute
from hamiltree.model.mechanisms.struts import (
    BLUE,
    RED,
    STEEL,
    X_AXIS,
    Y_AXIS,
    check_lengths,
    make_strut,
    make_strut_between,
    subtract,
)
from hamiltree.model.model import Model
from hamiltree.model.shapes import Box, Sphere
from hamiltree.model.values import ORIGIN, Frame, Vector, number, point, positive

HARDPOINTS: dict[str, Vector] = {
    "lower_front": (0.15, 0.35, 0.20), "lower_rear": (-0.20, 0.35, 0.19),
    "lower_ball": (0.0, 0.70, 0.18),
    "upper_front": (0.12, 0.42, 0.46), "upper_rear": (-0.15, 0.42, 0.45),
    "upper_ball": (-0.02, 0.66, 0.50),
    "tie_inner": (-0.12, 0.38, 0.24), "tie_outer": (-0.13, 0.68, 0.25),
    "spring_top": (0.0, 0.45, 0.62), "spring_foot": (0.0, 0.58, 0.19), "wheel": (0.0, 0.75, 0.31),
}  # fmt: skip


def double_wishbone(
    chassis: Literal["ground", "prismatic"] = "ground",
    wheel_speed: float = 0.0,
    stiffness: float = 4e4,
    damping: float = 2e3,
    preload: float = 3700.0,
    tyre_stiffness: float = 2e5,
    load: float = 2850.0,
    chassis_mass: float = 250.0,
    hardpoints: Any = None,
) -> Model:
    """The suspension of a left wheel: x forward, y to the left, z up from the road; two arms on the
    chassis guide the upright.

    The lower and the upper arm are hinged to the chassis at two points each and carry the upright
    by a ball; a tie rod from the chassis to the upright keeps it from turning; a spring with damper
    stands on the lower arm under the chassis; the wheel turns on the upright.
    The chassis is the ground, or a body that moves up and down. A spring from the road to the
    wheel's centre stands for the tyre. It starts at rest at the `hardpoints` (HARDPOINTS, m; a
    mapping changes some), with `preload` (N) in the spring and `load` (N) in the tyre, the wheel
    turning at `wheel_speed` (rad/s). Degrees of freedom: the wheel's travel and its turn,
    1 + 1 + 3 + 1 - 3 - 1 = 2, and the chassis'.
    """
    part = ("double_wishbone", "")
    if chassis not in ("ground", "prismatic"):
        raise OptionError(f"double_wishbone: chassis = {chassis!r}; give 'ground' or 'prismatic'")
    at = check_hardpoints(hardpoints)
    carrier = GROUND if chassis == "ground" else "chassis"
    bodies = suspension_bodies(at)
    joints = suspension_joints(at, carrier, number(wheel_speed, part, "wheel_speed"))
    if carrier != GROUND:
        box = Box((0.5, 0.3, 0.3), frame=Frame((0.0, 0.2, 0.45)), color=BLUE)
        weight = positive(chassis_mass, part, "chassis_mass")
        bodies.insert(0, Body.solid("chassis", box, mass=weight))
        joints.insert(0, Prismatic("heave", GROUND, "chassis"))
    squeeze = number(preload, part, "preload") / positive(stiffness, part, "stiffness")
    length = math.dist(at["spring_top"], at["spring_foot"]) + squeeze
    foot = subtract(at["spring_foot"], at["lower_front"])
    spring = PointSpring(
        carrier, "lower", at["spring_top"], foot, stiffness, length, damping, name="spring"
    )
    tyre_squeeze = number(load, part, "load") / positive(tyre_stiffness, part, "tyre_stiffness")
    tyre = make_tyre(at, tyre_stiffness, tyre_squeeze)
    return Model(
        name="double_wishbone",
        bodies=bodies,
        joints=joints,
        forces=[spring, tyre],
        constraints=[make_tie_rod(at, carrier)],
    )


def check_hardpoints(changes: Any) -> dict[str, Vector]:
    """HARDPOINTS with some of them changed."""
    part = ("double_wishbone", "")
    at = HARDPOINTS | {name: point(value, part, name) for name, value in (changes or {}).items()}
    for name in at.keys() - HARDPOINTS.keys():
        raise OptionError(
            f"double_wishbone: there is no hardpoint {name!r}; {suggest(name, HARDPOINTS)}"
        )
    return at


def suspension_bodies(at: dict[str, Vector]) -> list[Body]:
    """Lower and upper arm, upright and wheel."""
    ball = at["lower_ball"]
    corners = (at[end] for end in ("upper_ball", "wheel", "tie_outer"))
    struts = [make_strut_between(ball, corner, ball, 0.02, STEEL) for corner in corners]
    tyre = make_strut((0.0, -0.1, 0.0), (0.0, 0.1, 0.0), at["wheel"][2], "#333333")
    return [
        make_wishbone("lower", at, 4.0, RED),
        make_wishbone("upper", at, 2.5, RED),
        Body.solid("upright", *struts, mass=8.0),
        Body.solid("wheel", tyre, mass=18.0),
    ]


def suspension_joints(at: dict[str, Vector], carrier: str, wheel_speed: float) -> list[Joint]:
    """Hinges of the arms, balls and hinge of the upright; the upper ball closes the loop."""
    low, high, ball = at["lower_front"], at["upper_front"], at["lower_ball"]
    low_axis = subtract(low, at["lower_rear"])
    high_axis = subtract(high, at["upper_rear"])
    hub = Frame(subtract(at["wheel"], ball))
    top_of_arm = Frame(subtract(at["upper_ball"], high))
    top_of_upright = Frame(subtract(at["upper_ball"], ball))
    return [
        Revolute("lower_arm", carrier, "lower", Frame(low), axis=low_axis),
        Revolute("upper_arm", carrier, "upper", Frame(high), axis=high_axis),
        Ball("lower_ball", "lower", "upright", Frame(subtract(ball, low))),
        Revolute("wheel", "upright", "wheel", hub, axis=Y_AXIS, qdot=wheel_speed),
        Ball("upper_ball", "upper", "upright", top_of_arm, top_of_upright),
    ]


def make_tyre(at: dict[str, Vector], stiffness: float, squeeze: float) -> PointSpring:
    """A spring from the road to the wheel's centre, shortened by `squeeze` at the start."""
    hub = at["wheel"]
    road = (hub[0], hub[1], 0.0)
    centre = subtract(hub, at["lower_ball"])
    return PointSpring(GROUND, "upright", road, centre, stiffness, hub[2] + squeeze, name="tyre")


def make_tie_rod(at: dict[str, Vector], carrier: str) -> Rod:
    """The rod that keeps the upright from turning."""
    inner, outer = at["tie_inner"], at["tie_outer"]
    end = subtract(outer, at["lower_ball"])
    return Rod(carrier, "upright", inner, end, math.dist(inner, outer), name="tie_rod")


def make_wishbone(name: str, at: dict[str, Vector], mass: float, color: str) -> Body:
    """An arm from its two hinges to its ball, its origin at the front hinge."""
    front, ball = at[f"{name}_front"], at[f"{name}_ball"]
    return Body.solid(
        name,
        *(
            make_strut_between(at[f"{name}_{end}"], ball, front, 0.015, color)
            for end in ("front", "rear")
        ),
        mass=mass,
    )


def car_axis(
    epsilon: float = 1e-2,
    mass: float = 10.0,
    length: float = 1.0,
    spring: float = 0.5,
    bump: float = 0.1,
    frequency: float = 10.0,
    gravity: float = 1.0,
) -> Model:
    """The car axis of the Test Set for IVP Solvers, in the plane x-y, in its pure numbers.

    The axle turns about its left wheel at the origin while its right wheel goes over a road of
    height `bump` sin(`frequency` t). A bar with half of `mass` at either end stands on the axle by
    two springs of the length `spring`; its left end stays on the axle's normal. The Test Set writes
    (mass `epsilon`²/2) q'' = f with springs of stiffness 1: these are the masses here. Its
    multipliers are forces: |lambda1| `length` of the joint "left", 2 |lambda2| `length` of "bar".
    The mass of the axle, 1, changes no motion. Degrees of freedom 1 + 1 + 2 - 1 = 3, one driven.
    """
    part = ("car_axis", "")
    length, spring = check_lengths("car_axis", length=length, spring=spring)
    end = positive(mass, part, "mass") * positive(epsilon, part, "epsilon") ** 2 / 2
    road = {
        "r": number(bump, part, "bump"),
        "w": number(frequency, part, "frequency"),
        "L": length,
    }
    if abs(road["r"]) >= length:
        raise OptionError(f"car_axis: bump = {bump!r} is not shorter than the axle, {length!r}")
    turning = road["r"] * road["w"] / length
    across = ("slide", X_AXIS), ("slide", Y_AXIS)
    start, rate = (length, spring), (-spring * turning, 0.0)
    joints = [
        Revolute("axle", GROUND, "axle", qdot=turning),
        Prismatic("left", "axle", "left", axis=Y_AXIS, q=spring),
        Axes("right", GROUND, "right", axes=across, q=start, qdot=rate),
    ]
    forces = [
        PointSpring("axle", "left", ORIGIN, ORIGIN, 1.0, spring, name="left_spring"),
        PointSpring("axle", "right", (length, 0.0, 0.0), ORIGIN, 1.0, spring, name="right_spring"),
    ]
    constraints = [
        Drive("axle", "asin(r*sin(w*t)/L)", parameters=road, name="road"),
        Rod("left", "right", length=length, name="bar"),
    ]
    down = (0.0, -number(gravity, part, "gravity"), 0.0)
    bodies = car_axis_bodies(length, end)
    return Model(bodies, joints, forces, name="car_axis", constraints=constraints, gravity=down)


def car_axis_bodies(length: float, end: float) -> list[Body]:
    """The axle, and balls at the ends of the bar above it; none of them turns freely, so that their
    inertias change no motion.
    """
    axle = make_strut(ORIGIN, (length, 0.0, 0.0), 0.02 * length, STEEL)
    ball = Sphere(0.04 * length, color=BLUE)
    balls = (Body.solid(name, ball, mass=end) for name in ("left", "right"))
    return [Body.solid("axle", axle, mass=1.0), *balls]
