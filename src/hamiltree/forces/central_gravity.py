"""Field of a fixed centre on an extended body: V = −μ m/r − μ/(2 r³) (tr I − 3 rᵀ I r/r²), r from
the centre to the centre of mass.

Force −∂V/∂r = −μ m r/r³ + 3μ/(2 r⁵) ((5 rᵀIr/r² − tr I) r − 2 I r), torque about the centre of mass
3μ/r⁵ r × I r (Hughes, Spacecraft Attitude Dynamics, ch. 8): the expansion of the field to the
second order, of which force and torque are the exact gradient, so that energy and momentum about
the centre are kept. Without gradient I = 0.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3, Sym3
from hamiltree.algebra.turning import to_world
from hamiltree.algebra.values import cross, dot, plus_scaled
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, load, root
from hamiltree.forces.laws import add_element_wrench, body_law, element_potential_energy
from hamiltree.forces.two_body_elements import (
    add_wrench_at,
    frame_on_link,
    lever_arm,
    make_element_table,
    point_position,
)
from hamiltree.model.elements import CentralGravity
from hamiltree.model.values import Frame


class Satellite(NamedTuple):
    at: Vec3  # centre of mass
    centre: Vec3  # of the field, in the world
    mu: float
    mass: float
    inertia: Sym3  # about the centre of mass, in the row's axes


class CentralFields(NamedTuple):
    row: np.ndarray  # (n, 1)
    satellite: np.ndarray  # Satellite


def make_satellite(part, placement):
    body = placement.body(part.body)
    row, frame = frame_on_link(placement, part.body, Frame(body.com))
    inertia = part.gradient * (frame.matrix @ body.inertia @ frame.matrix.T)
    return (row,), (*frame.position, *part.centre, part.mu, body.mass, *inertia[np.triu_indices(3)])


@body_law(CentralGravity, CentralFields)
def tabulate_central_fields(parts, placement):
    return make_element_table(CentralFields, Satellite, make_satellite, parts, placement, ends=1)


@inlined
def direction_from_centre(satellite, bodies, i):
    """(n, 1/r) of the centre of mass, seen from the centre of the field."""
    r = point_position(bodies, i, satellite.at) - satellite.centre
    inverse = 1.0 / root(dot(r, r))
    return r * inverse, inverse


@inlined
def inertia_in_world(satellite, bodies, i):
    return to_world(satellite.inertia, load(bodies.rotation, i, Mat3))


@add_element_wrench.method(CentralFields)
def add_central_wrench(fields, k, t, bodies):
    """Force and gravity-gradient torque of element k, to second order in the size of the body."""
    i, satellite = fields.row[k, 0], load(fields.satellite, k, Satellite)
    n, inverse = direction_from_centre(satellite, bodies, i)
    I = inertia_in_world(satellite, bodies, i)
    steep = 1.5 * satellite.mu * inverse * inverse * inverse  # 3μ/(2 r³)
    In = I @ n
    along = (
        fma(5.0, dot(n, In), -(I.xx + I.yy + I.zz)) * steep
        - satellite.mu * satellite.mass * inverse
    )
    force = plus_scaled(n * (along * inverse), In, -2.0 * steep * inverse)
    add_wrench_at(
        bodies, i, lever_arm(bodies, i, satellite.at), force, cross(n, In) * (2.0 * steep)
    )


@inlined
def energy_in_field(mu, mass, I, n, inverse):
    """−μ m / r − μ (tr I − 3 n·I n) / (2 r³)"""
    spread = fma(-3.0, dot(n, I @ n), I.xx + I.yy + I.zz)
    return -mu * inverse * fma(0.5 * inverse * inverse, spread, mass)


@element_potential_energy.method(CentralFields)
def central_gravity_energy(fields, k, t, bodies):
    i, satellite = fields.row[k, 0], load(fields.satellite, k, Satellite)
    n, inverse = direction_from_centre(satellite, bodies, i)
    I = inertia_in_world(satellite, bodies, i)
    return energy_in_field(satellite.mu, satellite.mass, I, n, inverse)
