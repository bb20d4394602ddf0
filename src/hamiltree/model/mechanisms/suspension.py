"""The double wishbone suspension of a wheel."""

from __future__ import annotations

import math
from typing import Any, Literal

from hamiltree.errors import OptionError, suggest
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.constraints import Rod
from hamiltree.model.elements import PointSpring
from hamiltree.model.joints import Ball, Joint, Prismatic, Revolute
from hamiltree.model.mechanisms.struts import (
    BLUE,
    RED,
    STEEL,
    Y_AXIS,
    make_strut,
    make_strut_between,
    subtract,
)
from hamiltree.model.model import Model
from hamiltree.model.shapes import Box
from hamiltree.model.values import Frame, Vector, number, point, positive

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
    at = HARDPOINTS | {name: point(value, part, name) for name, value in (hardpoints or {}).items()}
    for name in at.keys() - HARDPOINTS.keys():
        raise OptionError(
            f"double_wishbone: there is no hardpoint {name!r}; {suggest(name, HARDPOINTS)}"
        )
    carrier = GROUND if chassis == "ground" else "chassis"
    low, high, ball, hub = at["lower_front"], at["upper_front"], at["lower_ball"], at["wheel"]
    bodies = [
        make_wishbone("lower", at, 4.0, RED),
        make_wishbone("upper", at, 2.5, RED),
        Body.solid(
            "upright",
            *(
                make_strut_between(ball, at[end], ball, 0.02, STEEL)
                for end in ("upper_ball", "wheel", "tie_outer")
            ),
            mass=8.0,
        ),
        Body.solid(
            "wheel", make_strut((0.0, -0.1, 0.0), (0.0, 0.1, 0.0), hub[2], "#333333"), mass=18.0
        ),
    ]
    joints: list[Joint] = [
        Revolute("lower_arm", carrier, "lower", Frame(low), axis=subtract(low, at["lower_rear"])),
        Revolute("upper_arm", carrier, "upper", Frame(high), axis=subtract(high, at["upper_rear"])),
        Ball("lower_ball", "lower", "upright", Frame(subtract(ball, low))),
        Revolute(
            "wheel",
            "upright",
            "wheel",
            Frame(subtract(hub, ball)),
            axis=Y_AXIS,
            qdot=number(wheel_speed, part, "wheel_speed"),
        ),
        Ball(
            "upper_ball",
            "upper",
            "upright",
            Frame(subtract(at["upper_ball"], high)),
            Frame(subtract(at["upper_ball"], ball)),
        ),
    ]
    if carrier != GROUND:
        box = Box((0.5, 0.3, 0.3), frame=Frame((0.0, 0.2, 0.45)), color=BLUE)
        bodies.insert(
            0, Body.solid("chassis", box, mass=positive(chassis_mass, part, "chassis_mass"))
        )
        joints.insert(0, Prismatic("heave", GROUND, "chassis"))
    free = math.dist(at["spring_top"], at["spring_foot"]) + number(
        preload, part, "preload"
    ) / positive(stiffness, part, "stiffness")
    foot, tyre = (
        subtract(at["spring_foot"], low),
        hub[2] + number(load, part, "load") / positive(tyre_stiffness, part, "tyre_stiffness"),
    )
    forces = [
        PointSpring(
            carrier, "lower", at["spring_top"], foot, stiffness, free, damping, name="spring"
        ),
        PointSpring(
            GROUND,
            "upright",
            (hub[0], hub[1], 0.0),
            subtract(hub, ball),
            tyre_stiffness,
            tyre,
            name="tyre",
        ),
    ]
    length = math.dist(at["tie_inner"], at["tie_outer"])
    tie = Rod(
        carrier,
        "upright",
        at["tie_inner"],
        subtract(at["tie_outer"], ball),
        length,
        name="tie_rod",
    )
    return Model(
        name="double_wishbone", bodies=bodies, joints=joints, forces=forces, constraints=[tie]
    )


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
