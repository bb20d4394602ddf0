"""Field of a fixed centre, as seen from an origin O(t) on a Kepler orbit about it: Encke's method.

  f = −μ m (d/|d|³ − O/|O|³),  d = O + r,  r from the origin to the centre of mass

without cancellation (Battin, An Introduction to the Mathematics and Methods of Astrodynamics):

  d/|d|³ − O/|O|³ = (r − O ((1 + s)^(3/2) − 1))/|d|³,  s = r·(r + 2 O)/|O|²

The gradient across a body, and the energy, are those of the field at d (central_gravity.py). A body
without the field feels m μ O/|O|³ of the frame alone.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Sym3
from hamiltree.algebra.values import cross, dot, plus_scaled
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, load, root, round_to_nearest, sincos, size, where_less
from hamiltree.forces.central_gravity import energy_in_field, inertia_in_world
from hamiltree.forces.laws import add_wrenches, body_law, body_potential_energy, column
from hamiltree.forces.two_body_elements import (
    add_wrench_at,
    frame_on_link,
    lever_arm,
    point_position,
)
from hamiltree.model.orbits import FIRST_GUESS, OrbitingFrame
from hamiltree.model.values import Frame

TURN = 6.283185307179586  # 2π, and what is left of it
TURN_REST = 2.4492935982947064e-16


class Orbit(NamedTuple):
    """An ellipse about the centre of the field, in world axes, and where it is passed when."""

    middle: Vec3
    major: Vec3  # half axes
    minor: Vec3
    eccentricity: float
    rate: float
    epoch: float
    mean_anomaly: float  # at the epoch
    mu: float


class Passenger(NamedTuple):
    at: Vec3  # centre of mass
    mass: float
    pulled: float  # the mass that the field pulls: all or nothing
    inertia: Sym3  # about the centre of mass, in the row's axes; zero without a gradient


class OrbitingFrames(NamedTuple):
    """Bodies are in the order of their orbits."""

    row: np.ndarray  # (n,)
    body: np.ndarray  # Passenger
    first: np.ndarray  # (orbits + 1,): where the bodies of each orbit begin
    corrections: np.ndarray  # (orbits,): of E
    orbit: np.ndarray  # Orbit


def orbit_numbers(orbit):
    ellipse = (*orbit.middle, *orbit.major, *orbit.minor, orbit.eccentricity)
    return (*ellipse, orbit.rate, orbit.epoch, orbit.mean_anomaly, orbit.mu)


def make_passenger(name, field, placement):
    """Row and numbers of a body."""
    body = placement.body(name)
    row, frame = frame_on_link(placement, name, Frame(body.com))
    pulled = 0.0 if field is None else body.mass
    has_gradient = field is not None and field.gradient
    inertia = has_gradient * (frame.matrix @ body.inertia @ frame.matrix.T)
    return row, (*frame.position, body.mass, pulled, *inertia[np.triu_indices(3)])


@body_law(OrbitingFrame, OrbitingFrames)
def tabulate_orbiting_frames(parts, placement):
    """One orbit per part."""
    bodies = [
        make_passenger(name, field, placement)
        for part in parts
        for name, field in zip(part.bodies, part.fields, strict=True)
    ]
    return OrbitingFrames(
        column((row for row, _ in bodies), int),
        column((numbers for _, numbers in bodies), width=size(Passenger)),
        column(np.cumsum([0, *(len(part.bodies) for part in parts)]), int),
        column((part.orbit.corrections for part in parts), int),
        column((orbit_numbers(part.orbit) for part in parts), width=size(Orbit)),
    )


# ---- the orbit -----------------------------------------------------------------------------------
@inlined
def eccentric_anomaly(orbit, corrections, t):
    """E − e sin E = M by Halley's method; M is without its whole turns."""
    e = orbit.eccentricity
    M = fma(orbit.rate, t - orbit.epoch, orbit.mean_anomaly)
    turns = round_to_nearest(M * (1.0 / TURN))
    M = fma(-turns, TURN_REST, fma(-turns, TURN, M))
    E = M + where_less(M, 0.0, -FIRST_GUESS * e, FIRST_GUESS * e)
    for _ in range(corrections):
        sine, cosine = sincos(E)
        slope = fma(-e, cosine, 1.0)
        excess = fma(-e, sine, E - M)
        E = E - excess * slope / fma(-0.5 * excess, e * sine, slope * slope)
    return E


@inlined
def orbit_position(orbit, corrections, t):
    """O(t) from the centre of the field."""
    sine, cosine = sincos(eccentric_anomaly(orbit, corrections, t))
    return plus_scaled(plus_scaled(orbit.middle, orbit.major, cosine), orbit.minor, sine)


# ---- forces and energy ---------------------------------------------------------------------------
@inlined
def differential_pull(away, O, inverse_square):
    """((r − O ((1 + s)^(3/2) − 1))/|d|³, d/|d|, 1/|d|) of a point `away` from the origin."""
    d = O + away
    s = dot(away, plus_scaled(away, O, 2.0)) * inverse_square
    stretch = 1.0 + s
    excess = s * fma(s, 3.0 + s, 3.0) / fma(stretch, root(stretch), 1.0)
    inverse = 1.0 / root(dot(d, d))
    tide = plus_scaled(away, O, -excess) * (inverse * inverse * inverse)
    return tide, d * inverse, inverse


@inlined
def add_passenger_wrench(passenger, i, bodies, orbit, O, inverse_square):
    """Force and gravity-gradient torque on a body in row i, O and 1/|O|² at hand."""
    tide, n, inverse = differential_pull(point_position(bodies, i, passenger.at), O, inverse_square)
    fall = inverse_square * root(inverse_square) * (passenger.mass - passenger.pulled)
    I = inertia_in_world(passenger, bodies, i)
    In = I @ n
    steep = 1.5 * inverse * inverse * inverse
    along = fma(5.0, dot(n, In), -(I.xx + I.yy + I.zz))
    gradient = plus_scaled(n * along, In, -2.0) * (steep * inverse)
    force = plus_scaled(plus_scaled(gradient, O, fall), tide, -passenger.pulled) * orbit.mu
    torque = cross(n, In) * (2.0 * orbit.mu * steep)
    add_wrench_at(bodies, i, lever_arm(bodies, i, passenger.at), force, torque)


@add_wrenches.method(OrbitingFrames)
def add_orbiting_wrenches(frames, t, bodies):
    """O(t) once for the bodies of each orbit."""
    for g in range(frames.orbit.shape[0]):
        orbit = load(frames.orbit, g, Orbit)
        O = orbit_position(orbit, frames.corrections[g], t)
        inverse_square = 1.0 / dot(O, O)
        for k in range(frames.first[g], frames.first[g + 1]):
            passenger = load(frames.body, k, Passenger)
            add_passenger_wrench(passenger, frames.row[k], bodies, orbit, O, inverse_square)


@body_potential_energy.method(OrbitingFrames)
def orbiting_energy(frames, t, bodies):
    """That of the field, as seen from the ground."""
    total = 0.0 * t
    for g in range(frames.orbit.shape[0]):
        orbit = load(frames.orbit, g, Orbit)
        O = orbit_position(orbit, frames.corrections[g], t)
        for k in range(frames.first[g], frames.first[g + 1]):
            i, passenger = frames.row[k], load(frames.body, k, Passenger)
            d = O + point_position(bodies, i, passenger.at)
            inverse = 1.0 / root(dot(d, d))
            I = inertia_in_world(passenger, bodies, i)
            total = total + energy_in_field(orbit.mu, passenger.pulled, I, d * inverse, inverse)
    return total
