"""Constant force F at a point x of a body and torque on it (Hamilton's Equations notes: f̄ at ȳ,
τ̄), in world or in body axes.

A force that is constant in the world has the potential energy V = −F·x (the thesis, (3.31)).
A torque has none, whatever its axes, and neither has a force that turns with the body: these are
loads, not part of H.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.spatial import Wrench
from hamiltree.algebra.values import dot, plus_cross
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.number import add, load, size
from hamiltree.forces.laws import (
    add_discrete_gradient_forces,
    add_element_wrench,
    add_load_wrenches,
    body_law,
    body_potential_energy,
    column,
)
from hamiltree.forces.two_body_elements import point_position
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


@add_load_wrenches.method(BodyLoads)
def add_wrenches_without_energy(loads, t, bodies):
    """All but the forces that are constant in the world."""
    for k in range(loads.row.shape[0]):
        R, given = load(bodies.rotation, loads.row[k], Mat3), load(loads.load, k, Load)
        force = R @ given.body_force
        torque = given.world_torque + R @ given.body_torque
        add(bodies.wrench, loads.row[k], Wrench(plus_cross(torque, R @ given.at, force), force))


@body_potential_energy.method(BodyLoads)
def world_force_energy(loads, t, bodies):
    """Σ −F·x"""
    total = 0.0 * t
    for k in range(loads.row.shape[0]):
        given = load(loads.load, k, Load)
        total = total - dot(given.world_force, point_position(bodies, loads.row[k], given.at))
    return total


@add_discrete_gradient_forces.method(BodyLoads)
def add_constant_forces(loads, t, begin, end, law_state, force, moment):
    """F and F Xᵀ, x = r + R X: V is linear in r and R, and its gradient is the same everywhere."""
    for k in range(loads.row.shape[0]):
        given = load(loads.load, k, Load)
        F, X = given.world_force, given.at
        add(force, loads.row[k], F)
        add(moment, loads.row[k], Mat3(F * X.x, F * X.y, F * X.z))
