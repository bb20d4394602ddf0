"""Theo Jansen's walking legs."""

from __future__ import annotations

import cmath
import math
from typing import Literal

from hamiltree.errors import OptionError
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.constraints import Drive
from hamiltree.model.forces import JointEffort
from hamiltree.model.joints import Free, Joint, Revolute
from hamiltree.model.mechanisms.plane_geometry import (
    FRAME,
    PlaneLink,
    PlanePoint,
    crank_pin,
    intersect_circles,
    make_bar,
    make_hinge,
    make_link,
    make_triangle,
)
from hamiltree.model.mechanisms.struts import (
    BLUE,
    GREEN,
    RED,
    STEEL,
    YELLOW,
    check_count,
    make_strut,
)
from hamiltree.model.model import Model
from hamiltree.model.values import number, positive

JANSEN = {
    "a": 38.0, "b": 41.5, "c": 39.3, "d": 40.1, "e": 55.8, "f": 39.4, "g": 36.7, "h": 65.7,
    "i": 49.0, "j": 50.0, "k": 61.9, "l": 7.8, "m": 15.0,
}  # fmt: skip


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
    triangle, k the end of c, the knee; the rod f is hinged to the triangle's far corner; knee and f
    hold the lower triangle (g, h, i) with the foot. A right leg is its mirror image. Three loops a
    leg: 6·3 - 2·9 = 0 degrees of freedom beside the crank's one, 9 redundant rows. The frame is
    held, so it walks on the spot, or `frame="free"`: then it flies freely, for the ground does not
    touch it. A drive keeps the crank at `speed` (rad/s) if `driven`; a `torque` (N m) acts on it.
    """
    part = ("strandbeest", "")
    legs = check_count("strandbeest", "legs", legs)
    if frame not in ("ground", "free"):
        raise OptionError(f"strandbeest: frame = {frame!r}; give 'ground' or 'free'")
    unit, density = positive(unit, part, "unit"), positive(density, part, "density")
    angle, speed = number(angle, part, "angle"), number(speed, part, "speed")
    pairs, carrier = (legs + 1) // 2, GROUND if frame == "ground" else "frame"
    shaft = PlaneLink("crank", 0j, angle, speed)
    bodies = [make_crankshaft(pairs, unit, density)]
    joints: list[Joint] = [
        make_hinge("crank", FRAME._replace(name=carrier), shaft, PlanePoint(0j, 0j))
    ]
    if frame == "free":
        bodies.insert(0, make_frame(pairs, unit, density))
        joints.insert(0, Free("free", GROUND, "frame"))
    for leg in range(legs):
        own_bodies, own_joints = make_leg(leg, pairs, unit, density, shaft, carrier)
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


def make_leg(
    leg: int, pairs: int, unit: float, density: float, shaft: PlaneLink, carrier: str
) -> tuple[list[Body], list[Revolute]]:
    """Leg 0, 2, ... are left ones, 1, 3, ... right ones; the two of a pair share a crank pin
    and a plane.
    """
    pair = leg // 2
    mirrored = leg % 2 == 1
    k = leg + 1
    phase, depth = math.tau * pair / pairs, plane_of_pair(pair, pairs, unit)
    at = jansen_points(shaft.turn + phase, shaft.spin, unit, mirrored)
    P, F, A, B, C, D, E = (at[name] for name in "PFABCDE")
    rods = {
        name: make_link(f"{name}{k}", *ends, depth)
        for name, ends in {"j": (P, A), "k": (P, C), "c": (F, C), "f": (B, D)}.items()
    }
    upper, lower = make_link(f"upper{k}", F, A, depth), make_link(f"lower{k}", C, D, depth)
    width = 2.0 * unit
    frame = FRAME._replace(name=carrier)
    color = BLUE if mirrored else RED
    bodies = [
        make_bar(rod.name, JANSEN[name] * unit, density * JANSEN[name] * unit, width, STEEL)
        for name, rod in rods.items()
    ]
    bodies += [
        make_triangle(upper, (F, A, B), density, width, color),
        make_triangle(lower, (C, D, E), density, width, color),
    ]
    joints = [
        make_hinge(f"pivot_upper{k}", frame, upper, F, depth),
        make_hinge(f"pivot_c{k}", frame, rods["c"], F, depth),
        make_hinge(f"pin_j{k}", shaft, rods["j"], P, depth),
        make_hinge(f"pin_k{k}", shaft, rods["k"], P, depth),
        make_hinge(f"hip_f{k}", upper, rods["f"], B, depth),
        make_hinge(f"knee{k}", rods["c"], lower, C, depth),
        make_hinge(f"close_j{k}", rods["j"], upper, A, depth),
        make_hinge(f"close_k{k}", rods["k"], rods["c"], C, depth),
        make_hinge(f"close_f{k}", rods["f"], lower, D, depth),
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
    P, F = crank_pin(n["m"], angle, speed), PlanePoint(complex(-n["a"], -n["l"]), 0j)
    A = intersect_circles("strandbeest", F, n["b"], P, n["j"], 1)
    C = intersect_circles("strandbeest", F, n["c"], P, n["k"], -1)
    B = intersect_circles("strandbeest", F, n["d"], A, n["e"], 1)
    D = intersect_circles("strandbeest", B, n["f"], C, n["g"], -1)
    E = intersect_circles("strandbeest", D, n["h"], C, n["i"], -1)
    found = {"P": P, "F": F, "A": A, "B": B, "C": C, "D": D, "E": E}
    return (
        {name: PlanePoint(-x.at.conjugate(), -x.rate.conjugate()) for name, x in found.items()}
        if mirrored
        else found
    )


def plane_of_pair(pair: int, pairs: int, unit: float) -> float:
    """y of a pair of legs: 12 units apart, the middle at 0."""
    return 12.0 * unit * (pair - 0.5 * (pairs - 1))


def make_crankshaft(pairs: int, unit: float, density: float) -> Body:
    """A shaft along y with a throw for each pair of legs; four times the weight of the legs' bars
    per metre.
    """
    reach = 0.5 * 12.0 * pairs * unit
    radius = 1.5 * unit
    length = JANSEN["m"] * unit
    shapes = [
        (make_strut((0.0, -reach, 0.0), (0.0, reach, 0.0), radius, STEEL), 4 * density * 2 * reach)
    ]
    for pair in range(pairs):
        throw, y = cmath.rect(length, math.tau * pair / pairs), plane_of_pair(pair, pairs, unit)
        shapes.append(
            (
                make_strut((0.0, y, 0.0), (throw.real, y, throw.imag), radius, YELLOW),
                4 * density * length,
            )
        )
    return Body.solid("crank", *shapes)


def make_frame(pairs: int, unit: float, density: float) -> Body:
    """Two rails along y through the fixed pivots and a bar across; ten times the weight of the
    legs' bars per metre.
    """
    reach = 6.0 * pairs * unit
    a = JANSEN["a"] * unit
    low = -JANSEN["l"] * unit
    ends = [
        ((-a, -reach, low), (-a, reach, low)),
        ((a, -reach, low), (a, reach, low)),
        ((-a, 0.0, low), (a, 0.0, low)),
    ]
    return Body.solid(
        "frame",
        *((make_strut(p, r, 1.5 * unit, GREEN), 10 * density * math.dist(p, r)) for p, r in ends),
    )
