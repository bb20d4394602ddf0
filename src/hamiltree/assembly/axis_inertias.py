"""The inertia that one axis of a joint moves: the diagonal of the mass matrix at a state, without
the matrix.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from hamiltree.assembly.body_states import BodyStates
from hamiltree.assembly.screw_chain import screw_chain
from hamiltree.assembly.trees import trees_of
from hamiltree.model.bodies import GROUND
from hamiltree.model.joints import Joint, axis_labels, coordinate_labels
from hamiltree.model.model import Model

Array = np.ndarray


def axis_inertias(
    model: Model, states: BodyStates, q: Array, wanted: Collection[str]
) -> dict[str, float]:
    """M_ii (kg m² or kg) of the named coordinates of the tree at these states of the bodies, with
    armatures: Σ m |v|² + ω·I ω of what the axis carries at unit rate. A coordinate that leads
    others moves what they carry, too: Σ ratio² M_ii, without what couples the two.
    """
    followers = model.followers
    values = dict(zip(model.coordinates, q, strict=True))
    values |= {x: f.ratio * values[f.leader] + f.offset for x, f in followers.items()}
    leaders = {x: (followers[x].leader if x in followers else x) for x in values}
    mass, first, second = carried_moments(model, states)
    topology = trees_of(model).topology
    found: dict[str, float] = {}
    for number, body in zip(topology.joint.tolist(), topology.order.tolist(), strict=True):
        joint = model.joints[number]
        labels = [label for label, _ in axis_labels(joint)]
        if not any(leaders[label] in wanted for label in labels):
            continue
        spins, velocities, origin = world_screws(joint, model, states, values)
        for k, label in enumerate(labels):
            carried = mass[body], first[body], second[body]
            own = kinetic_inertia(spins[:, k], velocities[:, k], origin, *carried)
            ratio = followers[label].ratio if label in followers else 1.0
            armature = joint.armatures()[k]
            leader = leaders[label]
            found[leader] = found.get(leader, 0.0) + ratio**2 * (own + armature)
    return {label: found[label] for label in wanted if label in found}


def world_screws(
    joint: Joint, model: Model, states: BodyStates, values: dict[str, float]
) -> tuple[Array, Array, Array]:
    """(3, axes) ω and velocity of the point `origin` of the child for unit rate of each axis."""
    count = len(joint.screws())
    names = coordinate_labels(joint)[:count]
    x = np.array([[values[name] for name in names]])
    screws = [(np.array(w), np.array(v)) for w, v in joint.screws()]
    columns = screw_chain(screws, x).columns[0]
    index = {body.name: k for k, body in enumerate(model.bodies)}
    turn = joint.on_parent.matrix
    if joint.parent != GROUND:
        turn = states.rotation[index[joint.parent]] @ turn
    origin = np.array(joint.on_child.position)
    if joint.child != GROUND:
        child = index[joint.child]
        origin = states.origin[child] + states.rotation[child] @ origin
    return turn @ columns[:3], turn @ columns[3:], origin


def carried_moments(model: Model, states: BodyStates) -> tuple[Array, Array, Array]:
    """Of each body and all that it carries: mass, Σ m c and Σ m c cᵀ + (½ tr I − I), world axes."""
    bodies = model.bodies
    mass = np.array([body.mass for body in bodies])
    com = np.array([body.com for body in bodies], dtype=float).reshape(-1, 3)
    tensor = np.array([body.inertia for body in bodies], dtype=float).reshape(-1, 3, 3)
    R = states.rotation
    centre = states.origin + np.einsum("kij,kj->ki", R, com)
    spread = 0.5 * np.trace(tensor, axis1=1, axis2=2)[:, None, None] * np.eye(3) - tensor
    first = mass[:, None] * centre
    second = first[:, :, None] * centre[:, None, :] + R @ spread @ R.transpose(0, 2, 1)
    topology = trees_of(model).topology
    order, parent = topology.order.tolist(), topology.parent.tolist()
    for place in range(len(order) - 1, -1, -1):
        if parent[place] >= 0:
            body, inner = order[place], order[parent[place]]
            mass[inner] += mass[body]
            first[inner] += first[body]
            second[inner] += second[body]
    return mass, first, second


def kinetic_inertia(
    spin: Array, velocity: Array, origin: Array, mass: float, first: Array, second: Array
) -> float:
    """Σ m |velocity + spin × r|² + spin·I spin with r from the origin."""
    arm = first - mass * origin
    moved = second - np.outer(first, origin) - np.outer(origin, first)
    moved = moved + mass * np.outer(origin, origin)
    turning = spin @ (np.trace(moved) * spin - moved @ spin)
    return float(turning + mass * velocity @ velocity + 2.0 * velocity @ np.cross(spin, arm))
