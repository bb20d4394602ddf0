"""Constant force at a point of a body and torque on it (Hamilton's Equations notes: f̄ at ȳ, τ̄),
in world or in body axes: a load, not part of H.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.spatial import Wrench
from hamiltree.algebra.values import plus_cross
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.number import add, load, size
from hamiltree.forces.laws import add_element_wrench, body_law, body_potential_energy, column
from hamiltree.model.forces import BodyLoad


class Load(NamedTuple):
    """Points in the axes of the carrying row.

    A load in body axes is turned with it, one in world axes is not.
    """

    at: Vec3  # point of application from the row's origin
    body_force: Vec3
    body_torque: Vec3
    world_force: Vec3
    world_torque: Vec3


class BodyLoads(NamedTuple):
    row: np.ndarray
    load: np.ndarray  # Load


def make_load(part, frame):
    at, nothing = frame.matrix @ part.at + frame.position, (0.0,) * 6
    if part.axes == "body":
        return (*at, *(frame.matrix @ part.force), *(frame.matrix @ part.torque), *nothing)
    return (*at, *nothing, *part.force, *part.torque)


@body_law(BodyLoad, BodyLoads)
def tabulate_loads(parts, placement):
    links = [placement.link_of_body(part.body) for part in parts]
    loads = [make_load(part, frame) for part, (_, frame) in zip(parts, links, strict=True)]
    return BodyLoads(column((row for row, _ in links), int), column(loads, width=size(Load)))


@add_element_wrench.method(BodyLoads)
def add_body_load_wrench(loads, k, t, bodies):
    R, given = load(bodies.rotation, loads.row[k], Mat3), load(loads.load, k, Load)
    force = given.world_force + R @ given.body_force
    torque = given.world_torque + R @ given.body_torque
    add(bodies.wrench, loads.row[k], Wrench(plus_cross(torque, R @ given.at, force), force))


@body_potential_energy.method(BodyLoads)
def no_energy_of_body_loads(loads, t, bodies):
    return 0.0 * t
