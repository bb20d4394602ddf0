"""Mechanisms in a plane: a four-bar linkage, a slider-crank, Andrews' squeezing mechanism."""

from __future__ import annotations

from typing import Any

from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.elements import PointSpring
from hamiltree.model.forces import JointEffort
from hamiltree.model.joints import Prismatic, Revolute
from hamiltree.model.mechanisms.plane_geometry import (
    FRAME,
    PlaneLink,
    PlanePoint,
    crank_pin,
    intersect_circles,
    make_bar,
    make_hinge,
    make_link,
    make_thin_bar,
    pin_on_line,
)
from hamiltree.model.mechanisms.struts import (
    BLUE,
    GREEN,
    RED,
    STEEL,
    TRICOLOR,
    X_AXIS,
    YELLOW,
    check_count,
    check_lengths,
    make_lamina,
)
from hamiltree.model.model import Model
from hamiltree.model.shapes import Box
from hamiltree.model.values import ORIGIN, Frame, number, vector

ANDREWS_START = (
    -0.06171389001427645, 0.0, 0.45527981916307037, 0.22266839016588588, 0.48736497954384256,
    -0.22266839016588588, 1.2305474445498212,
)  # fmt: skip


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
    lengths = check_lengths("four_bar", crank=crank, coupler=coupler, rocker=rocker, ground=ground)
    part = ("four_bar", "")
    m = vector(masses, 3, part, "masses")
    width = 0.06 * min(lengths)
    origin = PlanePoint(0j, 0j)
    pivot = PlanePoint(complex(lengths[3]), 0j)
    pin = crank_pin(lengths[0], number(angle, part, "angle"), number(speed, part, "speed"))
    end = intersect_circles("four_bar", pin, lengths[1], pivot, lengths[2], -1 if crossed else 1)
    links = [
        make_link("crank", origin, pin),
        make_link("coupler", pin, end),
        make_link("rocker", pivot, end),
    ]
    first, middle, last = links
    bodies = [
        make_bar(link.name, length, mass, width, color)
        for link, length, mass, color in zip(links, lengths, m, TRICOLOR, strict=False)
    ]
    joints = [
        make_hinge("crank_pivot", FRAME, first, origin),
        make_hinge("crank_pin", first, middle, pin),
        make_hinge("rocker_pivot", FRAME, last, pivot),
        make_hinge("coupler_pin", middle, last, end),
    ]
    return Model(name="four_bar", bodies=bodies, joints=joints)


def double_four_bar(
    length: float = 1.0, mass: float = 1.0, speed: float = 1.0, loops: int = 2
) -> Model:
    """Parallelograms in a row in the plane x-z: cranks of equal thin bars, upright at the start,
    their tips joined by bars; the tips start at `speed`, m/s, along x.

    With every crank at the angle θ from the upright, (loops + (loops + 1)/3) m L² θ̈ =
    (loops + (loops + 1)/2) m g L sin θ. Where the cranks lie flat each loop is singular: its
    cranks could go on as a parallelogram or crossed. Degrees of freedom 1; 3 redundant rows in a
    loop.
    """
    part = ("double_four_bar", "")
    (length,) = check_lengths("double_four_bar", length=length)
    count = check_count("double_four_bar", "loops", loops)
    rate = number(speed, part, "speed")
    width = 0.06 * length
    pivots = [PlanePoint(complex(k * length), 0j) for k in range(count + 1)]
    tips = [PlanePoint(pivot.at + 1j * length, complex(rate)) for pivot in pivots]
    cranks = [
        make_link(f"crank{k + 1}", *ends) for k, ends in enumerate(zip(pivots, tips, strict=True))
    ]
    rods = [make_link(f"coupler{k + 1}", tips[k], tips[k + 1]) for k in range(count)]
    joints = [
        make_hinge(f"pivot{k + 1}", FRAME, crank, pivots[k]) for k, crank in enumerate(cranks)
    ]
    for k, rod in enumerate(rods):
        joints.append(make_hinge(f"pin{k + 1}", cranks[k], rod, tips[k]))
    for k, rod in enumerate(rods):
        joints.append(make_hinge(f"coupler_pin{k + 1}", cranks[k + 1], rod, tips[k + 1]))
    bodies = [
        make_thin_bar(link.name, length, mass, width, color)
        for links, color in ((cranks, STEEL), (rods, YELLOW))
        for link in links
    ]
    return Model(name="double_four_bar", bodies=bodies, joints=joints)


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
    crank, rod = check_lengths("slider_crank", crank=crank, rod=rod)
    m = vector(masses, 3, part, "masses")
    width = 0.1 * crank
    height = number(offset, part, "offset")
    origin = PlanePoint(0j, 0j)
    pin = crank_pin(crank, number(angle, part, "angle"), number(speed, part, "speed"))
    end = pin_on_line("slider_crank", pin, rod, height)
    arm = make_link("crank", origin, pin)
    link = make_link("rod", pin, end)
    block = PlaneLink("slider", end.at, 0.0, 0.0)
    box = Box((0.8 * crank, 0.6 * crank, 0.5 * crank), color=BLUE)
    bodies = [
        make_bar("crank", crank, m[0], width, RED),
        make_bar("rod", rod, m[1], width, STEEL),
        Body.solid("slider", box, mass=m[2]),
    ]
    line = Frame((0.0, 0.0, height))
    x, rate = end.at.real, end.rate.real
    joints = [
        make_hinge("crank_pivot", FRAME, arm, origin),
        make_hinge("crank_pin", arm, link, pin),
        Prismatic("slide", GROUND, "slider", line, axis=X_AXIS, q=x, qdot=rate),
        make_hinge("slider_pin", link, block, end),
    ]
    return Model(name="slider_crank", bodies=bodies, joints=joints)


def andrews() -> Model:
    """Andrews' squeezing mechanism: seven bodies K1 ... K7 in the plane x-y, turning about z,
    without gravity.

    Data, angles and start of the Test Set for IVP Solvers (Hairer and Wanner II, section VII.7):
    q = (beta, Theta, gamma, Phi, delta, Omega, epsilon). The crank K1 turns about the origin and
    carries K2 at angle beta + Theta; K3 turns about B by gamma, with a spring from C; K5
    (delta) and K7 (epsilon) turn about A and carry K4 (delta + Phi) and K6 (epsilon + Omega). K2,
    K3, K4 and K6 share one pin, which closes three loops: 7 - 6 = 1 degree of freedom, 9 redundant
    rows. A constant torque of 0.033 N m turns K1. Runs end at 0.03 s, as published, if they name no
    other end.
    """
    A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)
    pin = {
        "K2": (-0.028, 0.0, 0.0),
        "K3": (0.0, -0.035, 0.0),
        "K4": (0.0, -0.02, 0.0),
        "K6": (0.02, 0.0, 0.0),
    }
    D = (0.02, -0.018, 0.0)
    tip1, tip5, tip7 = (0.007, 0.0, 0.0), (0.04, 0.0, 0.0), (0.0, -0.04, 0.0)
    bodies = [
        make_lamina("K1", 0.04325, (0.00092, 0.0, 0.0), 2.194e-6, RED, tip1),
        make_lamina("K2", 0.00365, (-0.0115, 0.0, 0.0), 4.41e-7, STEEL, pin["K2"]),
        make_lamina("K3", 0.02373, (0.01043, -0.01874, 0.0), 5.255e-6, BLUE, pin["K3"], D),
        make_lamina("K4", 0.00706, (0.0, 0.01421 - 0.02, 0.0), 5.667e-7, STEEL, pin["K4"]),
        make_lamina("K5", 0.0705, (0.02308, 0.00916, 0.0), 1.169e-5, GREEN, tip5),
        make_lamina("K6", 0.00706, (0.02 - 0.01421, 0.0, 0.0), 5.667e-7, STEEL, pin["K6"]),
        make_lamina("K7", 0.05498, (-0.00449, -0.01228, 0.0), 1.912e-5, YELLOW, tip7),
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
    # the motor accelerates without bound: the published problem ends at 0.03 s
    return Model(bodies, joints, forces, ORIGIN, "andrews", until=0.03, step=3e-5)
