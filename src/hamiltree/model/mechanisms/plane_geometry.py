"""Points, links and hinges of the plane x-z, with their velocities, and bodies made of bars."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.joints import Revolute
from hamiltree.model.mechanisms.struts import make_strut
from hamiltree.model.values import ORIGIN, Frame, Vector, positive

# hinges of the plane x-z: counterclockwise with x to the right and z up
OUT_OF_PLANE = (0.0, -1.0, 0.0)


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


def crank_pin(radius: float, angle: float, speed: float) -> PlanePoint:
    """r exp(i angle), and its rate."""
    at = cmath.rect(radius, angle)
    return PlanePoint(at, 1j * speed * at)


def intersect_circles(
    who: str, a: PlanePoint, to_a: float, b: PlanePoint, to_b: float, side: int
) -> PlanePoint:
    """The point `to_a` away from a and `to_b` from b, on the left of the line from a to b (side 1)
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


def pin_on_line(who: str, pin: PlanePoint, rod: float, height: float) -> PlanePoint:
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


def make_link(name: str, start: PlanePoint, end: PlanePoint, depth: float = 0.0) -> PlaneLink:
    """A body with its origin at `start` and its x axis towards `end`; its spin is (d x d')/|d|²."""
    d, rate = end.at - start.at, end.rate - start.rate
    return PlaneLink(
        name, start.at, cmath.phase(d), (d.conjugate() * rate).imag / abs(d) ** 2, depth
    )


def to_link_frame(link: PlaneLink, at: complex, depth: float) -> Vector:
    own = (at - link.origin) * cmath.exp(-1j * link.turn)
    return own.real, depth - link.depth, own.imag


def make_hinge(
    name: str, parent: PlaneLink, child: PlaneLink, at: PlanePoint, depth: float = 0.0
) -> Revolute:
    """A hinge at a point of both links; its angle is the difference of their turns."""
    q, qdot = math.remainder(child.turn - parent.turn, math.tau), child.spin - parent.spin
    frames = Frame(to_link_frame(parent, at.at, depth)), Frame(to_link_frame(child, at.at, depth))
    return Revolute(name, parent.name, child.name, *frames, axis=OUT_OF_PLANE, q=q, qdot=qdot)


# ---- shapes --------------------------------------------------------------------------------------
def make_bar(name: str, length: float, mass: float, width: float, color: str) -> Body:
    """A round bar along x from the origin."""
    return Body.solid(
        name,
        make_strut(ORIGIN, (length, 0.0, 0.0), 0.5 * width, color),
        mass=positive(mass, ("body", name), "mass"),
    )


def make_thin_bar(name: str, length: float, mass: float, width: float, color: str) -> Body:
    """The same with the moments of inertia of a thin rod across it, m L²/12."""
    solid = make_bar(name, length, mass, width, color)
    across = solid.mass * length * length / 12.0
    along = solid.mass * (0.5 * width) ** 2 / 2.0
    return replace(solid, inertia=(along, across, across))


def make_triangle(
    link: PlaneLink, corners: Sequence[PlanePoint], density: float, width: float, color: str
) -> Body:
    """Three round bars between the corners, `density` kg/m."""
    a, b, c = (to_link_frame(link, corner.at, link.depth) for corner in corners)
    sides = ((a, b), (b, c), (c, a))
    return Body.solid(
        link.name,
        *((make_strut(p, r, 0.5 * width, color), density * math.dist(p, r)) for p, r in sides),
    )
