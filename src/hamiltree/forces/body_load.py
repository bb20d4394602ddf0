"""Constant force at a point of a body and torque on it (seed 000: f̄ at ȳ, τ̄), in world or in body axes: a load, not part of H."""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.number import add, load
from hamiltree.algebra.spatial import Wrench
from hamiltree.algebra.values import plus_cross
from hamiltree.algebra.vec3 import Vec3
from hamiltree.forces.laws import body_law, column, held, push
from hamiltree.model.forces import BodyLoad


class BodyLoads(NamedTuple):
    """Points in the axes of the carrying row. A load in body axes is turned with it, one in world axes is not."""

    row: np.ndarray
    at: np.ndarray  # Vec3: point of attack from the row's origin
    body_force: np.ndarray  # Vec3
    body_torque: np.ndarray  # Vec3
    world_force: np.ndarray  # Vec3
    world_torque: np.ndarray  # Vec3


@body_law(BodyLoad, BodyLoads)
def tabulate_loads(parts, placement):
    carriers = [placement.carrier(part.body) for part in parts]
    turns = [frame.matrix for _, frame in carriers]
    points = [turn @ part.at + frame.position for (_, frame), turn, part in zip(carriers, turns, parts, strict=True)]

    def of(axes, field):
        chosen = [np.array(getattr(part, field)) * (part.axes == axes) for part in parts]
        return column([turn @ x for turn, x in zip(turns, chosen, strict=True)] if axes == "body" else chosen, width=3)

    return BodyLoads(
        column((row for row, _ in carriers), int),
        column(points, width=3),
        of("body", "force"),
        of("body", "torque"),
        of("world", "force"),
        of("world", "torque"),
    )


@push.method(BodyLoads)
def push_loads(loads, t, bodies):
    for k in range(loads.row.shape[0]):
        R = load(bodies.rotation, loads.row[k], Mat3)
        force = load(loads.world_force, k, Vec3) + R @ load(loads.body_force, k, Vec3)
        torque = load(loads.world_torque, k, Vec3) + R @ load(loads.body_torque, k, Vec3)
        add(bodies.wrench, loads.row[k], Wrench(plus_cross(torque, R @ load(loads.at, k, Vec3), force), force))


@held.method(BodyLoads)
def no_held_energy(loads, t, bodies):
    return 0.0 * t
