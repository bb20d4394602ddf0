"""Mechanisms with closed loops, ready to run; the joint declared last in a loop closes it.

SI units, rad.

Every loop is closed at the start, in position and in velocity, by formulas.
The plane mechanisms lie in the plane x-z with gravity along -z and turn about -y: seen with x to
the right and z up, counterclockwise.
In space each loop closed by a hinge in such a plane has three equations too many (five, where the
plane needs two).
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from hamiltree.errors import OptionError, suggest
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.constraints import Constraint, Drive, Rod
from hamiltree.model.elements import PointSpring
from hamiltree.model.forces import BodyLoad, Force, JointEffort, JointSpring
from hamiltree.model.joints import Ball, Free, Joint, Prismatic, Revolute, Universal
from hamiltree.model.model import Model
from hamiltree.model.shapes import Box, Cylinder, Sphere
from hamiltree.model.values import (
    ORIGIN,
    Frame,
    Quaternion,
    Vector,
    add,
    multiply,
    number,
    point,
    positive,
    rotation,
    scale,
    vector,
)

# hinges of the plane x-z: counterclockwise with x to the right and z up
OUT_OF_PLANE = (0.0, -1.0, 0.0)
X_AXIS, Y_AXIS, Z_AXIS = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
STEEL, RED, BLUE, GREEN, YELLOW = "#8a9199", "#b5452c", "#2f6690", "#5a8f4e", "#d9a441"
ANDREWS_START = (
    -0.06171389001427645, 0.0, 0.45527981916307037, 0.22266839016588588, 0.48736497954384256,
    -0.22266839016588588, 1.2305474445498212,
)  # fmt: skip
JANSEN = {
    "a": 38.0, "b": 41.5, "c": 39.3, "d": 40.1, "e": 55.8, "f": 39.4, "g": 36.7, "h": 65.7,
    "i": 49.0, "j": 50.0, "k": 61.9, "l": 7.8, "m": 15.0,
}  # fmt: skip


# ---- in the plane --------------------------------------------------------------------------------
def four_bar(
    crank: float = 0.2,
    coupler: float = 0.5,
    rocker: float = 0.4,
    ground: float = 0.6,
    angle: float = 0.5,
    speed: float = 6.0,
    masses: Any = (0.4, 1.0, 0.8),
    crossed: bool = False,
) -> Model:
    """Four bars in the plane x-z: the crank turns about the origin, the rocker about
    (ground, 0, 0), the coupler joins their ends.

    `angle` and `speed` are the crank's, from the x axis; `masses` of crank, coupler and rocker. The
    coupler's far end lies above the line from the crank's end to the rocker's pivot, or below it if
    `crossed`. Degrees of freedom 3·3 - 2·4 = 1; 3 redundant rows.
    """
    lengths = _lengths("four_bar", crank=crank, coupler=coupler, rocker=rocker, ground=ground)
    m, width = vector(masses, 3, ("four_bar", ""), "masses"), 0.06 * min(lengths)
    origin, pivot = PlanePoint(0j, 0j), PlanePoint(complex(lengths[3]), 0j)
    pin = _crank_pin(
        lengths[0],
        number(angle, ("four_bar", ""), "angle"),
        number(speed, ("four_bar", ""), "speed"),
    )
    end = _circle_intersection("four_bar", pin, lengths[1], pivot, lengths[2], -1 if crossed else 1)
    links = [_link("crank", origin, pin), _link("coupler", pin, end), _link("rocker", pivot, end)]
    first, middle, last = links
    bodies = [
        _bar(link.name, length, mass, width, color)
        for link, length, mass, color in zip(links, lengths, m, TRICOLOR, strict=False)
    ]
    joints = [
        _hinge("crank_pivot", FRAME, first, origin),
        _hinge("crank_pin", first, middle, pin),
        _hinge("rocker_pivot", FRAME, last, pivot),
        _hinge("coupler_pin", middle, last, end),
    ]
    return Model(name="four_bar", bodies=bodies, joints=joints)


def slider_crank(
    crank: float = 0.1,
    rod: float = 0.3,
    offset: float = 0.0,
    angle: float = 0.7,
    speed: float = 10.0,
    masses: Any = (0.5, 0.8, 0.6),
) -> Model:
    """A crank about the origin in the plane x-z drives, by a rod, a slider along x
    at the height z = offset, to the right of the crank.

    `angle` and `speed` are the crank's, from the x axis; `masses` of crank, rod and slider. The
    coordinate "slide" is the slider's x.
    Degrees of freedom 3·3 - 2·4 = 1; 3 redundant rows.
    """
    part = ("slider_crank", "")
    crank, rod = _lengths("slider_crank", crank=crank, rod=rod)
    m, width, height = (
        vector(masses, 3, part, "masses"),
        0.1 * crank,
        number(offset, part, "offset"),
    )
    origin, pin = (
        PlanePoint(0j, 0j),
        _crank_pin(crank, number(angle, part, "angle"), number(speed, part, "speed")),
    )
    end = _pin_on_line("slider_crank", pin, rod, height)
    arm, link, block = (
        _link("crank", origin, pin),
        _link("rod", pin, end),
        PlaneLink("slider", end.at, 0.0, 0.0),
    )
    box = Box((0.8 * crank, 0.6 * crank, 0.5 * crank), color=BLUE)
    bodies = [
        _bar("crank", crank, m[0], width, RED),
        _bar("rod", rod, m[1], width, STEEL),
        Body.solid("slider", box, mass=m[2]),
    ]
    joints = [
        _hinge("crank_pivot", FRAME, arm, origin),
        _hinge("crank_pin", arm, link, pin),
        Prismatic(
            "slide",
            GROUND,
            "slider",
            Frame((0.0, 0.0, height)),
            axis=X_AXIS,
            q=end.at.real,
            qdot=end.rate.real,
        ),
        _hinge("slider_pin", link, block, end),
    ]
    return Model(name="slider_crank", bodies=bodies, joints=joints)


def andrews() -> Model:
    """Andrews' squeezing mechanism: seven bodies K1 ... K7 in the plane x-y, turning about z,
    without gravity.

    Data, angles and start of the Test Set for IVP Solvers (Hairer and Wanner II, section VII.7):
    q = (beta, Theta, gamma, Phi, delta, Omega, epsilon). The crank K1 turns about the origin and
    carries K2 at angle beta + Theta; K3 turns about B by gamma and is pulled by a spring from C; K5
    (delta) and K7 (epsilon) turn about A and carry K4 (delta + Phi) and K6 (epsilon + Omega). K2,
    K3, K4 and K6 share one pin, which closes three loops: 7 - 6 = 1 degree of freedom, 9 redundant
    rows. A constant torque of 0.033 N m turns K1.
    """
    A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)
    pin = {
        "K2": (-0.028, 0.0, 0.0),
        "K3": (0.0, -0.035, 0.0),
        "K4": (0.0, -0.02, 0.0),
        "K6": (0.02, 0.0, 0.0),
    }
    D, tip1, tip5, tip7 = (
        (0.02, -0.018, 0.0),
        (0.007, 0.0, 0.0),
        (0.04, 0.0, 0.0),
        (0.0, -0.04, 0.0),
    )
    bodies = [
        _lamina("K1", 0.04325, (0.00092, 0.0, 0.0), 2.194e-6, RED, tip1),
        _lamina("K2", 0.00365, (-0.0115, 0.0, 0.0), 4.41e-7, STEEL, pin["K2"]),
        _lamina("K3", 0.02373, (0.01043, -0.01874, 0.0), 5.255e-6, BLUE, pin["K3"], D),
        _lamina("K4", 0.00706, (0.0, 0.01421 - 0.02, 0.0), 5.667e-7, STEEL, pin["K4"]),
        _lamina("K5", 0.0705, (0.02308, 0.00916, 0.0), 1.169e-5, GREEN, tip5),
        _lamina("K6", 0.00706, (0.02 - 0.01421, 0.0, 0.0), 5.667e-7, STEEL, pin["K6"]),
        _lamina("K7", 0.05498, (-0.00449, -0.01228, 0.0), 1.912e-5, YELLOW, tip7),
    ]
    places = [
        ("beta", GROUND, "K1", ORIGIN), ("Theta", "K1", "K2", tip1), ("gamma", GROUND, "K3", B),
        ("Phi", "K5", "K4", tip5), ("delta", GROUND, "K5", A), ("Omega", "K7", "K6", tip7),
        ("epsilon", GROUND, "K7", A),
    ]  # fmt: skip
    joints = [
        Revolute(name, on, body, Frame(at), q=q)
        for (name, on, body, at), q in zip(places, ANDREWS_START, strict=True)
    ]
    joints += [
        Revolute(f"pin{body[1]}", "K2", body, Frame(pin["K2"]), Frame(pin[body]))
        for body in ("K3", "K4", "K6")
    ]
    forces = [
        JointEffort("beta", 0.033, name="motor"),
        PointSpring(GROUND, "K3", C, D, 4530.0, 0.07785, name="spring"),
    ]
    return Model(name="andrews", bodies=bodies, joints=joints, forces=forces, gravity=ORIGIN)


def strandbeest(
    legs: int = 12,
    unit: float = 0.01,
    angle: float = 0.0,
    speed: float = 3.0,
    density: float = 0.5,
    driven: bool = True,
    torque: float = 0.0,
    frame: Literal["ground", "free"] = "ground",
) -> Model:
    """Theo Jansen's walking legs in planes x-z, on one crankshaft along y: pairs of a left and a
    right leg, their cranks evenly spread.

    His lengths (`JANSEN`) are in `unit` metres; bars weigh `density` kg/m. The shaft turns about
    the origin of the frame. A leg, here a left one: the crank pin carries the rods j and k; the
    upper triangle (sides b, d, e) and the rod c turn about the frame's point (-a, -l); j holds the
    triangle, k the end of c, the knee; from the triangle's far corner hangs the rod f; knee and f
    hold the lower triangle (g, h, i) with the foot. A right leg is its mirror image. Three loops a
    leg: 6·3 - 2·9 = 0 degrees of freedom beside the crank's one, 9 redundant rows. The frame is
    held, so it walks on the spot, or `frame="free"`: then it flies freely, for the ground does not
    touch it. A drive keeps the crank at `speed` (rad/s) if `driven`; a `torque` (N m) acts on it.
    """
    part = ("strandbeest", "")
    legs = _count("strandbeest", "legs", legs)
    if frame not in ("ground", "free"):
        raise OptionError(f"strandbeest: frame = {frame!r}; give 'ground' or 'free'")
    unit, density = positive(unit, part, "unit"), positive(density, part, "density")
    angle, speed = number(angle, part, "angle"), number(speed, part, "speed")
    pairs, carrier = (legs + 1) // 2, GROUND if frame == "ground" else "frame"
    shaft = PlaneLink("crank", 0j, angle, speed)
    bodies = [_crankshaft(pairs, unit, density)]
    joints: list[Joint] = [_hinge("crank", FRAME._replace(name=carrier), shaft, PlanePoint(0j, 0j))]
    if frame == "free":
        bodies.insert(0, _beest_frame(pairs, unit, density))
        joints.insert(0, Free("free", GROUND, "frame"))
    for leg in range(legs):
        own_bodies, own_joints = _jansen_leg(leg, pairs, unit, density, shaft, carrier)
        bodies += own_bodies
        joints += own_joints
    constraints = [Drive("crank", speed=speed, name="motor")] if driven else []
    forces = [JointEffort("crank", torque, name="torque")] if torque else []
    return Model(
        name=f"strandbeest({legs})",
        bodies=bodies,
        joints=joints,
        forces=forces,
        constraints=constraints,
    )


def _jansen_leg(
    leg: int, pairs: int, unit: float, density: float, shaft: PlaneLink, carrier: str
) -> tuple[list[Body], list[Revolute]]:
    """Leg 0, 2, ... are left ones, 1, 3, ... right ones; the two of a pair share a crank pin
    and a plane.
    """
    pair, mirrored, k = leg // 2, leg % 2 == 1, leg + 1
    phase, depth = math.tau * pair / pairs, _depth(pair, pairs, unit)
    at = jansen_points(shaft.turn + phase, shaft.spin, unit, mirrored)
    P, F, A, B, C, D, E = (at[name] for name in "PFABCDE")
    rods = {
        name: _link(f"{name}{k}", *ends, depth)
        for name, ends in {"j": (P, A), "k": (P, C), "c": (F, C), "f": (B, D)}.items()
    }
    upper, lower = _link(f"upper{k}", F, A, depth), _link(f"lower{k}", C, D, depth)
    width, frame, color = 2.0 * unit, FRAME._replace(name=carrier), BLUE if mirrored else RED
    bodies = [
        _bar(rod.name, JANSEN[name] * unit, density * JANSEN[name] * unit, width, STEEL)
        for name, rod in rods.items()
    ]
    bodies += [
        _triangle(upper, (F, A, B), density, width, color),
        _triangle(lower, (C, D, E), density, width, color),
    ]
    joints = [
        _hinge(f"pivot_upper{k}", frame, upper, F, depth),
        _hinge(f"pivot_c{k}", frame, rods["c"], F, depth),
        _hinge(f"pin_j{k}", shaft, rods["j"], P, depth),
        _hinge(f"pin_k{k}", shaft, rods["k"], P, depth),
        _hinge(f"hip_f{k}", upper, rods["f"], B, depth),
        _hinge(f"knee{k}", rods["c"], lower, C, depth),
        _hinge(f"close_j{k}", rods["j"], upper, A, depth),
        _hinge(f"close_k{k}", rods["k"], rods["c"], C, depth),
        _hinge(f"close_f{k}", rods["f"], lower, D, depth),
    ]
    return bodies, joints


def jansen_points(
    angle: float, speed: float = 0.0, unit: float = 1.0, mirrored: bool = False
) -> dict[str, PlanePoint]:
    """The points of Jansen's leg for the crank at `angle`: crank pin P, fixed pivot F, corners A
    and B, knee C, D, foot E; x + i z.
    """
    n = {name: length * unit for name, length in JANSEN.items()}
    if mirrored:
        angle, speed = math.pi - angle, -speed
    P, F = _crank_pin(n["m"], angle, speed), PlanePoint(complex(-n["a"], -n["l"]), 0j)
    A, C = (
        _circle_intersection("strandbeest", F, n["b"], P, n["j"], 1),
        _circle_intersection("strandbeest", F, n["c"], P, n["k"], -1),
    )
    B = _circle_intersection("strandbeest", F, n["d"], A, n["e"], 1)
    D = _circle_intersection("strandbeest", B, n["f"], C, n["g"], -1)
    E = _circle_intersection("strandbeest", D, n["h"], C, n["i"], -1)
    found = {"P": P, "F": F, "A": A, "B": B, "C": C, "D": D, "E": E}
    return (
        {name: PlanePoint(-x.at.conjugate(), -x.rate.conjugate()) for name, x in found.items()}
        if mirrored
        else found
    )


def _depth(pair: int, pairs: int, unit: float) -> float:
    """y of a pair of legs: 12 units apart, the middle at 0."""
    return 12.0 * unit * (pair - 0.5 * (pairs - 1))


def _crankshaft(pairs: int, unit: float, density: float) -> Body:
    """A shaft along y with a throw for each pair of legs; four times the weight of the legs' bars
    per metre.
    """
    reach, radius, length = 0.5 * 12.0 * pairs * unit, 1.5 * unit, JANSEN["m"] * unit
    shapes = [
        (_strut((0.0, -reach, 0.0), (0.0, reach, 0.0), radius, STEEL), 4 * density * 2 * reach)
    ]
    for pair in range(pairs):
        throw, y = cmath.rect(length, math.tau * pair / pairs), _depth(pair, pairs, unit)
        shapes.append(
            (
                _strut((0.0, y, 0.0), (throw.real, y, throw.imag), radius, YELLOW),
                4 * density * length,
            )
        )
    return Body.solid("crank", *shapes)


def _beest_frame(pairs: int, unit: float, density: float) -> Body:
    """Two rails along y through the fixed pivots and a bar across; ten times the weight of the
    legs' bars per metre.
    """
    reach, a, low = 6.0 * pairs * unit, JANSEN["a"] * unit, -JANSEN["l"] * unit
    ends = [
        ((-a, -reach, low), (-a, reach, low)),
        ((a, -reach, low), (a, reach, low)),
        ((-a, 0.0, low), (a, 0.0, low)),
    ]
    return Body.solid(
        "frame",
        *((_strut(p, r, 1.5 * unit, GREEN), 10 * density * math.dist(p, r)) for p, r in ends),
    )


# ---- in space ------------------------------------------------------------------------------------
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
    seed 001, with every body's origin at its centre of mass.

    `crank`: x of its hinge and of its pin from its centre; `coupler`: distance of its centre from
    that pin, and its length, along its z axis; `slider_pin`: the ball in the slider; `line`: a
    point of the line along which that ball moves. At the start `angle` and `speed` (about y) of the
    crank; the coupler is turned from the z axis the short way, after a `roll` about its own axis,
    and spins at `spin` (rad/s) about it. Two degrees of freedom, the crank's and the coupler's
    spin: 1 + 3 + 1 - 3 = 2.
    """
    part = ("spatial_slider_crank", "")
    (hinge, tip), (near, length) = (
        vector(crank, 2, part, "crank"),
        vector(coupler, 2, part, "coupler"),
    )
    m, angle, speed = (
        vector(masses, 3, part, "masses"),
        number(angle, part, "angle"),
        number(speed, part, "speed"),
    )
    ball, offset = point(slider_pin, part, "slider_pin"), point(line, part, "line")
    roll, spin, turn = (
        number(roll, part, "roll"),
        number(spin, part, "spin"),
        Frame.about(Y_AXIS, angle),
    )
    arm = turn.matrix @ (tip - hinge, 0.0, 0.0)
    arm_rate = np.cross((0.0, speed, 0.0), arm)
    reach = (
        positive(length, part, "coupler") ** 2
        - (offset[1] - arm[1]) ** 2
        - (offset[2] - arm[2]) ** 2
    )
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
        ORIGIN, multiply(_rotation_from_z(_vector(axis)), Frame.about(Z_AXIS, roll).rotation)
    )
    relative = Frame(ORIGIN, multiply(turn.inverse().rotation, attitude.rotation))
    omega = attitude.matrix.T @ (swing + spin * axis - (0.0, speed, 0.0))
    looks = (
        _strut((hinge, 0.0, 0.0), (tip, 0.0, 0.0), 0.02, RED),
        _strut((0.0, 0.0, -near), (0.0, 0.0, length - near), 0.02, STEEL),
        Box((0.16, 0.1, 0.1), color=BLUE),
    )
    parts = zip(("crank", "coupler", "slider"), m, inertias, looks, strict=True)
    bodies = [Body(name, mass, ORIGIN, inertia, (shape,)) for name, mass, inertia, shape in parts]
    joints = [
        Revolute(
            "hinge",
            GROUND,
            "crank",
            on_child=Frame((hinge, 0.0, 0.0)),
            axis=Y_AXIS,
            q=angle,
            qdot=speed,
        ),
        Ball(
            "pin",
            "crank",
            "coupler",
            Frame((tip, 0.0, 0.0)),
            Frame((0.0, 0.0, -near)),
            relative.rotation,
            _vector(omega),
        ),
        Prismatic(
            "slide",
            GROUND,
            "slider",
            Frame(offset),
            Frame(ball),
            X_AXIS,
            float(arm[0]) + along - offset[0],
            slide_rate,
        ),
        Ball("slider_pin", "coupler", "slider", Frame((0.0, 0.0, length - near)), Frame(ball)),
    ]
    forces = [JointEffort("hinge", torque, name="motor")] if torque else []
    return Model(name="spatial_slider_crank", bodies=bodies, joints=joints, forces=forces)


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
    arms, angle = _count("governor", "arms", arms), number(angle, part, "angle")
    arm, link, link_at, height = _lengths(
        "governor", arm=arm, link=link, link_at=link_at, height=height
    )
    aside = (
        number(hinge_radius, part, "hinge_radius")
        + link_at * math.sin(angle)
        - number(sleeve_radius, part, "sleeve_radius")
    )
    if abs(aside) >= link:
        raise OptionError(
            f"governor: at angle = {angle!r} the link does not reach the sleeve; make it longer "
            f"than {abs(aside):.6g} m"
        )
    lift = height - link_at * math.cos(angle) - math.sqrt(link**2 - aside**2)
    rod, sphere = (
        _strut(ORIGIN, (0.0, 0.0, -arm), 0.006, STEEL),
        Sphere(0.2 * arm, frame=Frame((0.0, 0.0, -arm)), color=YELLOW),
    )
    collar = Cylinder(1.5 * max(sleeve_radius, 0.02), 0.04, color=BLUE)
    bodies = [
        Body.solid("spindle", _strut(ORIGIN, (0.0, 0.0, height), 0.015, STEEL), mass=2.0),
        Body.solid("sleeve", collar, mass=positive(sleeve_mass, part, "sleeve_mass")),
    ]
    joints: list[Joint] = [
        Revolute("spindle", GROUND, "spindle", qdot=number(speed, part, "speed")),
        Prismatic("sleeve", "spindle", "sleeve", q=lift),
    ]
    rods = []
    for k in range(arms):
        around, name = Frame.about(Z_AXIS, math.tau * k / arms), f"arm{k + 1}"
        top, foot = (
            around @ Frame((hinge_radius, 0.0, height)),
            around @ Frame((sleeve_radius, 0.0, 0.0)),
        )
        bodies.append(
            Body.solid(name, (rod, 0.2), (sphere, positive(ball_mass, part, "ball_mass")))
        )
        joints.append(Revolute(name, "spindle", name, top, axis=OUT_OF_PLANE, q=angle))
        rods.append(
            Rod(name, "sleeve", (0.0, 0.0, -link_at), foot.position, link, name=f"link{k + 1}")
        )
    forces = [JointSpring("sleeve", stiffness, lift, name="spring")]
    return Model(
        name=f"governor({arms})", bodies=bodies, joints=joints, forces=forces, constraints=rods
    )


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
    length, thickness = _lengths("bricard", length=length, thickness=thickness)
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
    base, platform = _lengths("stewart", base=base, platform=platform)
    pose = Frame(point(position, part, "position"), rotation(attitude, part, "attitude"))
    v, w = np.array(point(velocity, part, "velocity")), np.array(point(omega, part, "omega"))
    feet = [_point_on_circle(base, 120.0 * (k // 2) + (10.0 if k % 2 else -10.0)) for k in range(6)]
    heads = [
        _point_on_circle(platform, 120.0 * (k // 2) + (50.0 if k % 2 else -50.0)) for k in range(6)
    ]
    disc = Cylinder(platform, 0.04, frame=Frame((0.0, 0.0, 0.02)), color=BLUE)
    bodies, joints = [Body.solid("platform", disc, mass=positive(mass, part, "mass"))], []
    lengths, last = [], []
    for k, (foot, head) in enumerate(zip(feet, heads, strict=True), start=1):
        arm = pose.matrix @ head
        leg = _leg(np.array(pose.position) + arm - foot, v + np.cross(pose.matrix @ w, arm))
        lengths.append(leg.length)
        bodies += _telescope(k, leg.length)
        joints.append(
            Universal(f"foot{k}", GROUND, f"lower{k}", Frame(foot), q=leg.q, qdot=leg.qdot)
        )
        joints.append(Prismatic(f"leg{k}", f"lower{k}", f"upper{k}", q=leg.length, qdot=leg.rate))
        turn = multiply(leg.attitude.inverse().rotation, pose.rotation)
        spin = _vector(w - pose.matrix.T @ leg.omega)
        last.append(
            Ball(f"head{k}", f"upper{k}", "platform", on_child=Frame(head), q=turn, qdot=spin)
        )
    forces, drives = _leg_drives(lengths, travel, stiffness)
    return Model(
        name="stewart", bodies=bodies, joints=joints + last, forces=forces, constraints=drives
    )


class Leg(NamedTuple):
    """A leg along z, turned about x and then about its own y axis."""

    length: float
    rate: float
    q: tuple[float, float]
    qdot: tuple[float, float]
    attitude: Frame
    omega: np.ndarray  # world axes


def _leg(d: np.ndarray, rate: np.ndarray) -> Leg:
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


def _telescope(k: int, length: float) -> list[Body]:
    """A tube from the foot upwards, and a thinner one from the head, where its origin is,
    downwards.
    """
    lower = Body.solid(f"lower{k}", _strut(ORIGIN, (0.0, 0.0, 0.6 * length), 0.03, STEEL), mass=4.0)
    return [
        lower,
        Body.solid(f"upper{k}", _strut((0.0, 0.0, -0.6 * length), ORIGIN, 0.02, YELLOW), mass=2.0),
    ]


def _leg_drives(
    lengths: list[float], travel: Any, stiffness: float
) -> tuple[list[Force], list[Constraint]]:
    """Springs at rest at the start, or drives to start + travel."""
    if travel is None:
        return [
            JointSpring(f"leg{k}", stiffness, length, name=f"spring{k}")
            for k, length in enumerate(lengths, start=1)
        ], []
    ways = [travel] * 6 if isinstance(travel, (str, int, float)) else list(travel)
    if len(ways) != 6:
        raise OptionError(
            f"stewart: travel has {len(ways)} formulas; give one for all legs, or six"
        )
    goals = [f"{length!r} + ({way})" for length, way in zip(lengths, ways, strict=True)]
    return [], [Drive(f"leg{k}", goal, name=f"drive{k}") for k, goal in enumerate(goals, start=1)]


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
        _wishbone("lower", at, 4.0, RED),
        _wishbone("upper", at, 2.5, RED),
        Body.solid(
            "upright",
            *(
                _strut_between(ball, at[end], ball, 0.02, STEEL)
                for end in ("upper_ball", "wheel", "tie_outer")
            ),
            mass=8.0,
        ),
        Body.solid(
            "wheel", _strut((0.0, -0.1, 0.0), (0.0, 0.1, 0.0), hub[2], "#333333"), mass=18.0
        ),
    ]
    joints: list[Joint] = [
        Revolute(
            "lower_arm", carrier, "lower", Frame(low), axis=_difference(low, at["lower_rear"])
        ),
        Revolute(
            "upper_arm", carrier, "upper", Frame(high), axis=_difference(high, at["upper_rear"])
        ),
        Ball("lower_ball", "lower", "upright", Frame(_difference(ball, low))),
        Revolute(
            "wheel",
            "upright",
            "wheel",
            Frame(_difference(hub, ball)),
            axis=Y_AXIS,
            qdot=number(wheel_speed, part, "wheel_speed"),
        ),
        Ball(
            "upper_ball",
            "upper",
            "upright",
            Frame(_difference(at["upper_ball"], high)),
            Frame(_difference(at["upper_ball"], ball)),
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
        _difference(at["spring_foot"], low),
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
            _difference(hub, ball),
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
        _difference(at["tie_outer"], ball),
        length,
        name="tie_rod",
    )
    return Model(
        name="double_wishbone", bodies=bodies, joints=joints, forces=forces, constraints=[tie]
    )


def problem_11_7(
    masses: Any = (2.0, 1.0),
    force: float = 5.0,
    torque_1: Any = (0.0, 0.3, 0.1),
    torque_2: Any = (0.2, 0.0, -0.1),
    omega: Any = (0.5, 0.0, 0.2),
) -> Model:
    """Problem 11.7 of seed 001: two bodies on one ball P in free space, under gravity, a torque on
    either and a force along y on the first.

    The seed gives no data. Here they are boxes of 0.4 x 0.2 x 0.1 m and 0.3 x 0.1 x 0.1 m, their
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
        Free("free", GROUND, "body1", qdot=(*ORIGIN, *_vector(turn))),
        Ball("P", "body1", "body2", Frame((0.2, 0.0, 0.0)), Frame((-0.15, 0.0, 0.0))),
    ]
    forces = [
        BodyLoad("body1", (0.0, force, 0.0), torque_1, (-0.2, 0.0, 0.0), name="load1"),
        BodyLoad("body2", torque=torque_2, name="load2"),
    ]
    return Model(name="problem_11_7", bodies=bodies, joints=joints, forces=forces)


# ---- points and links of the plane ---------------------------------------------------------------
class PlanePoint(NamedTuple):
    """A point of the plane and its velocity, as x + i z."""

    at: complex
    rate: complex


class PlaneLink(NamedTuple):
    """Where a body of the plane starts: its origin, its turn and the rate of that, and y of its
    plane.
    """

    name: str
    origin: complex
    turn: float
    spin: float
    depth: float = 0.0


FRAME = PlaneLink(GROUND, 0j, 0.0, 0.0)
TRICOLOR = (RED, STEEL, BLUE)


def _crank_pin(radius: float, angle: float, speed: float) -> PlanePoint:
    """r exp(i angle), and its rate."""
    at = cmath.rect(radius, angle)
    return PlanePoint(at, 1j * speed * at)


def _circle_intersection(
    who: str, a: PlanePoint, to_a: float, b: PlanePoint, to_b: float, side: int
) -> PlanePoint:
    """The point `to_a` away from a and `to_b` from b, on the left of the way from a to b (side 1)
    or on its right (-1).

    Its velocity w: (x - a).(w - a') = 0 and (x - b).(w - b') = 0.
    """
    apart = abs(b.at - a.at)
    along = (apart**2 + to_a**2 - to_b**2) / (2 * apart) if apart else math.inf
    if abs(along) >= to_a:
        raise OptionError(
            f"{who}: bars of {to_a:.6g} and {to_b:.6g} m do not meet across {apart:.6g} m; change "
            "the lengths or the angle"
        )
    x = a.at + (b.at - a.at) / apart * complex(along, side * math.sqrt(to_a**2 - along**2))
    p, r = x - a.at, x - b.at
    known = (p.conjugate() * a.rate).real, (r.conjugate() * b.rate).real
    w = np.linalg.solve(np.array([[p.real, p.imag], [r.real, r.imag]]), np.array(known))
    return PlanePoint(x, complex(*w.tolist()))


def _pin_on_line(who: str, pin: PlanePoint, rod: float, height: float) -> PlanePoint:
    """The point at that height, `rod` away from the pin and to the right of it:
    (x - pin).(w - pin') = 0 with w along x.
    """
    drop = height - pin.at.imag
    if abs(drop) >= rod:
        raise OptionError(
            f"{who}: the rod of {rod:.6g} m does not reach the slider's line, {abs(drop):.6g} m "
            "away; make it longer"
        )
    along = math.sqrt(rod**2 - drop**2)
    return PlanePoint(
        complex(pin.at.real + along, height),
        complex(pin.rate.real + drop / along * pin.rate.imag, 0.0),
    )


def _link(name: str, start: PlanePoint, end: PlanePoint, depth: float = 0.0) -> PlaneLink:
    """A body with its origin at `start` and its x axis towards `end`; its spin is (d x d')/|d|²."""
    d, rate = end.at - start.at, end.rate - start.rate
    return PlaneLink(
        name, start.at, cmath.phase(d), (d.conjugate() * rate).imag / abs(d) ** 2, depth
    )


def _to_link_frame(link: PlaneLink, at: complex, depth: float) -> Vector:
    own = (at - link.origin) * cmath.exp(-1j * link.turn)
    return own.real, depth - link.depth, own.imag


def _hinge(
    name: str, parent: PlaneLink, child: PlaneLink, at: PlanePoint, depth: float = 0.0
) -> Revolute:
    """A hinge at a point of both links; its angle is the difference of their turns."""
    q, qdot = math.remainder(child.turn - parent.turn, math.tau), child.spin - parent.spin
    frames = Frame(_to_link_frame(parent, at.at, depth)), Frame(_to_link_frame(child, at.at, depth))
    return Revolute(name, parent.name, child.name, *frames, axis=OUT_OF_PLANE, q=q, qdot=qdot)


# ---- shapes --------------------------------------------------------------------------------------
def _bar(name: str, length: float, mass: float, width: float, color: str) -> Body:
    """A round bar along x from the origin."""
    return Body.solid(
        name,
        _strut(ORIGIN, (length, 0.0, 0.0), 0.5 * width, color),
        mass=positive(mass, ("body", name), "mass"),
    )


def _triangle(
    link: PlaneLink, corners: Sequence[PlanePoint], density: float, width: float, color: str
) -> Body:
    """Three round bars between the corners, `density` kg/m."""
    a, b, c = (_to_link_frame(link, corner.at, link.depth) for corner in corners)
    sides = ((a, b), (b, c), (c, a))
    return Body.solid(
        link.name,
        *((_strut(p, r, 0.5 * width, color), density * math.dist(p, r)) for p, r in sides),
    )


def _lamina(
    name: str, mass: float, com: Vector, moment: float, color: str, *points: Vector
) -> Body:
    """A flat body in x-y of that moment about z: the moments across it add up to it.

    Its looks are struts from the origin to the points.
    """
    return Body(
        name,
        mass,
        com,
        (0.5 * moment, 0.5 * moment, moment),  # type: ignore[arg-type]
        tuple(_strut(ORIGIN, at, 0.001, color) for at in points),
    )


def _wishbone(name: str, at: dict[str, Vector], mass: float, color: str) -> Body:
    """An arm from its two hinges to its ball, its origin at the front hinge."""
    front, ball = at[f"{name}_front"], at[f"{name}_ball"]
    return Body.solid(
        name,
        *(
            _strut_between(at[f"{name}_{end}"], ball, front, 0.015, color)
            for end in ("front", "rear")
        ),
        mass=mass,
    )


def _strut_between(
    start: Vector, end: Vector, origin: Vector, radius: float, color: str
) -> Cylinder:
    return _strut(_difference(start, origin), _difference(end, origin), radius, color)


def _strut(start: Vector, end: Vector, radius: float, color: str) -> Cylinder:
    """A round bar between two points."""
    along, length = _difference(end, start), math.dist(start, end)
    return Cylinder(
        radius,
        length,
        frame=Frame(scale(0.5, add(start, end)), _rotation_from_z(scale(1 / length, along))),
        color=color,
    )


def _rotation_from_z(axis: Vector) -> Quaternion:
    """The short turn from the z axis to a unit vector: (1 + z.n, z x n), normalised; about x where
    they are opposite.
    """
    x, y, z = axis
    if z < -1 + 1e-12:
        return 0.0, 1.0, 0.0, 0.0
    norm = math.sqrt(2 * (1 + z))
    return (1 + z) / norm, -y / norm, x / norm, 0.0


def _point_on_circle(radius: float, degrees: float) -> Vector:
    return radius * math.cos(math.radians(degrees)), radius * math.sin(math.radians(degrees)), 0.0


def _difference(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _vector(array: np.ndarray) -> Vector:
    x, y, z = array.tolist()
    return x, y, z


def _count(who: str, name: str, value: Any) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < 1:
        raise OptionError(f"{who}: {name} = {value!r}; give a whole number of at least 1")
    return int(value)


def _lengths(who: str, **values: Any) -> list[float]:
    """Each a number above zero."""
    return [positive(value, (who, ""), name) for name, value in values.items()]


MECHANISMS = (
    four_bar, slider_crank, andrews, strandbeest, spatial_slider_crank, governor, bricard, stewart,
    double_wishbone, problem_11_7,
)  # fmt: skip
