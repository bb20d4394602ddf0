"""Mechanisms in space: a slider-crank, a governor, Bricard's linkage, two bodies on one ball."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.constraints import Rod
from hamiltree.model.forces import BodyLoad, JointEffort, JointSpring
from hamiltree.model.joints import Ball, Free, Joint, Prismatic, Revolute
from hamiltree.model.mechanisms.plane_geometry import OUT_OF_PLANE
from hamiltree.model.mechanisms.struts import (
    BLUE,
    RED,
    STEEL,
    X_AXIS,
    Y_AXIS,
    YELLOW,
    Z_AXIS,
    check_count,
    check_lengths,
    make_strut,
    rotation_from_z,
    to_vector,
)
from hamiltree.model.model import Model
from hamiltree.model.shapes import Box, Cylinder, Sphere
from hamiltree.model.values import (
    ORIGIN,
    Frame,
    Quaternion,
    Vector,
    multiply,
    number,
    point,
    positive,
    vector,
)


def spatial_slider_crank(
    angle: float = 0.7,
    speed: float = 3.0,
    roll: float = 0.4,
    spin: float = 2.0,
    torque: float = 0.0,
    crank: Any = (-0.2, 0.3),
    coupler: Any = (0.7, 1.6),
    slider_pin: Any = (0.05, -0.02, 0.03),
    line: Any = (0.0, 0.3, 0.2),
    masses: Any = (2.0, 1.2, 0.8),
    inertias: Any = ((0.05, 0.02, 0.06), (0.3, 0.28, 0.02), (0.01, 0.02, 0.015)),
) -> Model:
    """A crank about y through the origin, a coupler with a ball at either end, a slider along x:
    Spatial Dynamics (chapter 11), with every body's origin at its centre of mass.

    `crank`: x of its hinge and of its pin from its centre; `coupler`: distance of its centre from
    that pin, and its length, along its z axis; `slider_pin`: the ball in the slider; `line`: a
    point of the line along which that ball moves. At the start `angle` and `speed` (about y) of the
    crank; the coupler is turned from the z axis by the smaller angle, after a `roll` about its own
    axis, and spins at `spin` (rad/s) about it. Two degrees of freedom, the crank's and the
    coupler's spin: 1 + 3 + 1 - 3 = 2.
    """
    part = ("spatial_slider_crank", "")
    hinge, tip = vector(crank, 2, part, "crank")
    near, length = vector(coupler, 2, part, "coupler")
    m = vector(masses, 3, part, "masses")
    angle, speed = number(angle, part, "angle"), number(speed, part, "speed")
    roll, spin = number(roll, part, "roll"), number(spin, part, "spin")
    ball = point(slider_pin, part, "slider_pin")
    offset = point(line, part, "line")
    start = close_spatial_loop(angle, speed, roll, spin, tip - hinge, length, offset)
    looks = (
        make_strut((hinge, 0.0, 0.0), (tip, 0.0, 0.0), 0.02, RED),
        make_strut((0.0, 0.0, -near), (0.0, 0.0, length - near), 0.02, STEEL),
        Box((0.16, 0.1, 0.1), color=BLUE),
    )
    parts = zip(("crank", "coupler", "slider"), m, inertias, looks, strict=True)
    bodies = [Body(name, mass, ORIGIN, inertia, (look,)) for name, mass, inertia, look in parts]
    slide = {"axis": X_AXIS, "q": start.slide, "qdot": start.rate}
    shaft, pin = Frame((hinge, 0.0, 0.0)), Frame((tip, 0.0, 0.0))
    foot, head = Frame((0.0, 0.0, -near)), Frame((0.0, 0.0, length - near))
    joints = [
        Revolute("hinge", GROUND, "crank", on_child=shaft, axis=Y_AXIS, q=angle, qdot=speed),
        Ball("pin", "crank", "coupler", pin, foot, start.rotation, start.omega),
        Prismatic("slide", GROUND, "slider", Frame(offset), Frame(ball), **slide),
        Ball("slider_pin", "coupler", "slider", head, Frame(ball)),
    ]
    forces = [JointEffort("hinge", torque, name="motor")] if torque else []
    return Model(name="spatial_slider_crank", bodies=bodies, joints=joints, forces=forces)


class CouplerStart(NamedTuple):
    """Where the loop of a spatial slider-crank closes: the coupler against the crank, the slide."""

    rotation: Quaternion
    omega: Vector  # of the coupler against the crank, in the coupler's axes
    slide: float
    rate: float


def close_spatial_loop(
    angle: float, speed: float, roll: float, spin: float, arm_length: float, length: float,
    offset: Vector,
) -> CouplerStart:  # fmt: skip
    """|slider pin - crank pin| = length, and its rate, for the crank at `angle`."""
    positive(length, ("spatial_slider_crank", ""), "coupler")
    turn = Frame.about(Y_AXIS, angle)
    arm = turn.matrix @ (arm_length, 0.0, 0.0)
    arm_rate = np.cross((0.0, speed, 0.0), arm)
    reach = length**2 - (offset[1] - arm[1]) ** 2 - (offset[2] - arm[2]) ** 2
    if reach <= 0.0:
        raise OptionError(
            f"spatial_slider_crank: at angle = {angle!r} the coupler does not reach the line; make "
            f"it longer than {length!r}"
        )
    along = math.sqrt(reach)
    axis = np.array([along, offset[1] - arm[1], offset[2] - arm[2]]) / length
    slide_rate = float(arm_rate @ axis / axis[0])
    swing = np.cross(axis, np.array([slide_rate, 0.0, 0.0]) - arm_rate) / length
    attitude = Frame(
        ORIGIN, multiply(rotation_from_z(to_vector(axis)), Frame.about(Z_AXIS, roll).rotation)
    )
    relative = Frame(ORIGIN, multiply(turn.inverse().rotation, attitude.rotation))
    omega = attitude.matrix.T @ (swing + spin * axis - (0.0, speed, 0.0))
    slide = float(arm[0]) + along - offset[0]
    return CouplerStart(relative.rotation, to_vector(omega), slide, slide_rate)


def governor(
    arms: int = 2,
    arm: float = 0.3,
    link: float = 0.2,
    link_at: float = 0.2,
    hinge_radius: float = 0.04,
    sleeve_radius: float = 0.04,
    height: float = 0.6,
    angle: float = 0.6,
    speed: float = 8.0,
    ball_mass: float = 1.0,
    sleeve_mass: float = 2.0,
    stiffness: float = 200.0,
) -> Model:
    """A flyball governor on a spindle along z: arms with balls hang from its top, rods lift a
    sleeve that a spring holds down.

    `arms` evenly around, each hinged `hinge_radius` beside the axis at `height`; at `angle` from
    the vertical its ball, `arm` away, swings out. From the arm, `link_at` from the hinge, a
    massless rod of length `link` goes to the sleeve, `sleeve_radius` beside the axis. The sleeve's
    coordinate is its height; the spring is at rest at the start. The spindle starts at `speed`
    (rad/s), the arms at rest against it. 2 degrees of freedom, the spindle's and the arms':
    2 + arms - arms.
    """
    part = ("governor", "")
    arms = check_count("governor", "arms", arms)
    angle = number(angle, part, "angle")
    arm, link, link_at, height = check_lengths(
        "governor", arm=arm, link=link, link_at=link_at, height=height
    )
    hinge_radius = number(hinge_radius, part, "hinge_radius")
    sleeve_radius = number(sleeve_radius, part, "sleeve_radius")
    aside = hinge_radius + link_at * math.sin(angle) - sleeve_radius
    lift = height - link_at * math.cos(angle) - drop_of_link(link, aside, angle)
    bodies = governor_spindle(height, sleeve_radius, positive(sleeve_mass, part, "sleeve_mass"))
    joints: list[Joint] = [
        Revolute("spindle", GROUND, "spindle", qdot=number(speed, part, "speed")),
        Prismatic("sleeve", "spindle", "sleeve", q=lift),
    ]
    rods = []
    for k in range(1, arms + 1):
        around = Frame.about(Z_AXIS, math.tau * (k - 1) / arms)
        top = around @ Frame((hinge_radius, 0.0, height))
        foot = (around @ Frame((sleeve_radius, 0.0, 0.0))).position
        bodies.append(make_flyball(k, arm, positive(ball_mass, part, "ball_mass")))
        joints.append(Revolute(f"arm{k}", "spindle", f"arm{k}", top, axis=OUT_OF_PLANE, q=angle))
        rods.append(Rod(f"arm{k}", "sleeve", (0.0, 0.0, -link_at), foot, link, name=f"link{k}"))
    forces = [JointSpring("sleeve", stiffness, lift, name="spring")]
    return Model(bodies, joints, forces, name=f"governor({arms})", constraints=rods)


def governor_spindle(height: float, sleeve_radius: float, sleeve_mass: float) -> list[Body]:
    """The spindle and the sleeve on it."""
    spindle = make_strut(ORIGIN, (0.0, 0.0, height), 0.015, STEEL)
    collar = Cylinder(1.5 * max(sleeve_radius, 0.02), 0.04, color=BLUE)
    return [
        Body.solid("spindle", spindle, mass=2.0),
        Body.solid("sleeve", collar, mass=sleeve_mass),
    ]


def make_flyball(k: int, arm: float, mass: float) -> Body:
    """An arm along -z with a ball at its end."""
    rod = make_strut(ORIGIN, (0.0, 0.0, -arm), 0.006, STEEL)
    sphere = Sphere(0.2 * arm, frame=Frame((0.0, 0.0, -arm)), color=YELLOW)
    return Body.solid(f"arm{k}", (rod, 0.2), (sphere, mass))


def drop_of_link(link: float, aside: float, angle: float) -> float:
    """Height of a governor's rod whose ends are `aside` apart across the axis."""
    if abs(aside) >= link:
        raise OptionError(
            f"governor: at angle = {angle!r} the link does not reach the sleeve; make it longer "
            f"than {abs(aside):.6g} m"
        )
    return math.sqrt(link**2 - aside**2)


def bricard(
    length: float = 1.0,
    mass: float = 1.0,
    thickness: float = 0.1,
    angle: float = math.pi / 2,
    speed: float = 0.0,
) -> Model:
    """Bricard's linkage: six equal links, one of them the ground, whose two hinge axes stand at
    right angles; gravity along -y.

    By Grübler's count 6·5 - 5·6 = 0 degrees of freedom, in truth 1: one of the five equations of
    the closing hinge is redundant. The angles between the links are alternately `angle` = theta,
    changing at `speed`, and phi: cos theta + cos phi + cos theta cos phi = 0.
    At pi/2 the links are edges of a cube, for 1 m from (0, 0, 1) by (0, 0, 0), (1, 0, 0),
    (1, -1, 0), (1, -1, 1) and (0, -1, 1) back: problem A04 of the IFToMM benchmark library,
    with square rods.
    """
    length, thickness = check_lengths("bricard", length=length, thickness=thickness)
    theta, rate = number(angle, ("bricard", ""), "angle"), number(speed, ("bricard", ""), "speed")
    if abs(theta) >= math.tau / 3:
        raise OptionError(
            f"bricard: angle = {angle!r}; give one between -2 pi/3 and 2 pi/3, where the linkage "
            "closes"
        )
    phi = math.acos(-math.cos(theta) / (1 + math.cos(theta)))
    phi_rate = (
        -rate * math.sin(theta) * (1 + math.cos(phi)) / (math.sin(phi) * (1 + math.cos(theta)))
    )
    box = Box((length, thickness, thickness), frame=Frame((0.5 * length, 0.0, 0.0)), color=BLUE)
    bodies = [
        Body.solid(f"rod{k}", box, mass=positive(mass, ("bricard", ""), "mass"))
        for k in range(1, 6)
    ]
    # a link frame: x along the link, z along the first of its axes
    ground = Frame.about((1, 0, -1), math.pi, (0.0, 0.0, length))
    ends = [Frame.about(X_AXIS, sign * math.pi / 2, (length, 0.0, 0.0)) for sign in (-1, 1) * 3]
    joints = [Revolute("hinge1", GROUND, "rod1", ground @ ends[0], q=theta, qdot=rate)]
    for k in range(1, 5):
        q, qdot = (phi, phi_rate) if k % 2 else (theta, rate)
        joints.append(Revolute(f"hinge{k + 1}", f"rod{k}", f"rod{k + 1}", ends[k], q=q, qdot=qdot))
    joints.append(Revolute("hinge6", "rod5", GROUND, ends[5], ground, q=phi, qdot=phi_rate))
    return Model(name="bricard", bodies=bodies, joints=joints, gravity=(0.0, -9.81, 0.0))


def problem_11_7(
    masses: Any = (2.0, 1.0),
    force: float = 5.0,
    torque_1: Any = (0.0, 0.3, 0.1),
    torque_2: Any = (0.2, 0.0, -0.1),
    omega: Any = (0.5, 0.0, 0.2),
) -> Model:
    """Problem 11.7 of Spatial Dynamics: two bodies on one ball P in free space, under gravity, a
    torque on either and a force along y on the first.

    The chapter gives no data. Here they are boxes of 0.4 x 0.2 x 0.1 m and 0.3 x 0.1 x 0.1 m, their
    origins at their centres, one behind the other along x, P between them; the `force` (N) acts at
    the far end of the first, torques (N m) are in world axes. They start together, turning at
    `omega` (rad/s). 6 + 3 degrees of freedom, no loop.
    """
    part = ("problem_11_7", "")
    m, turn = vector(masses, 2, part, "masses"), np.array(point(omega, part, "omega"))
    bodies = [
        Body.solid("body1", Box((0.4, 0.2, 0.1), color=BLUE), mass=m[0]),
        Body.solid("body2", Box((0.3, 0.1, 0.1), color=RED), mass=m[1]),
    ]
    joints = [
        Free("free", GROUND, "body1", qdot=(*ORIGIN, *to_vector(turn))),
        Ball("P", "body1", "body2", Frame((0.2, 0.0, 0.0)), Frame((-0.15, 0.0, 0.0))),
    ]
    forces = [
        BodyLoad("body1", (0.0, force, 0.0), torque_1, (-0.2, 0.0, 0.0), name="load1"),
        BodyLoad("body2", torque=torque_2, name="load2"),
    ]
    return Model(name="problem_11_7", bodies=bodies, joints=joints, forces=forces)
