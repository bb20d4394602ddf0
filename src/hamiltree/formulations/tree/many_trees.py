"""The tables of many trees of which only numbers differ, made at once.

Their links are those of one forest, whose trees stand side by side: every row of it is computed
from the rows of the same tree alone, and has the bits that the tree by itself has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hamiltree.assembly.links import Links, links_of_topology
from hamiltree.assembly.placement import placement_of
from hamiltree.compiled.number import read_only
from hamiltree.forces.dispatch import make_body_laws, make_joint_laws
from hamiltree.forces.laws import check_laws
from hamiltree.formulations.tree.hamiltonian_tree import (
    HamiltonianTree,
    link_tables,
    make_system,
    rotation_table,
)
from hamiltree.formulations.tree.slots import link_kinds
from hamiltree.model import Model
from hamiltree.model.topology import Topology, spanning_tree


class Forest(NamedTuple):
    """What links are built from, of several trees."""

    joints: list
    bodies: list
    followers: dict


def assemble_trees(models: Sequence[Model]) -> list[HamiltonianTree]:
    """A System for each model, without couplings; all have the same parts, of which numbers may
    differ. Whether joints move inertia is not checked.
    """
    topology, count = spanning_tree(models[0]), len(models)
    forest = Forest(
        [joint for model in models for joint in model.joints],
        [body for model in models for body in model.bodies],
        {},
    )
    links = links_of_topology(forest, repeat_topology(topology, models[0], count))
    n = len(links.parent) // count
    tables = {
        **link_tables(links),
        "rotation_on_link": rotation_table(links),
        "position_on_link": links.position_on_link,
    }
    parts = {name: table.reshape(count, -1, table.shape[1]) for name, table in tables.items()}
    kinds = link_kinds(links).reshape(count, n)
    first = make_system(models[0], links_of_tree(links, models[0], 0, count))
    found = []
    for k, model in enumerate(models):
        if not np.array_equal(kinds[k], kinds[0]):  # other code steps it
            found.append(make_system(model, links_of_tree(links, model, k, count)))
            continue
        own = {name: read_only(table[k]) for name, table in parts.items()}
        system = first._replace(gravity=read_only([model.gravity]), **own)
        found.append(with_laws(system, model, links, k, count) if model.forces else system)
    return found


def with_laws(
    system: HamiltonianTree, model: Model, links: Links, k: int, count: int
) -> HamiltonianTree:
    """The System with the laws of its own tree."""
    check_laws(model.forces)
    placement = placement_of(model, links_of_tree(links, model, k, count))
    of_joints = make_joint_laws(model.forces, placement)
    of_bodies = make_body_laws(model.forces, placement)
    facts = system.facts._replace(is_conservative=not (of_joints.has_any or of_bodies.has_any))
    return system._replace(facts=facts, joint_laws=of_joints, body_laws=of_bodies)


def repeat_topology(one: Topology, model: Model, count: int) -> Topology:
    """The same tree several times, each with parts of its own."""
    bodies, joints = len(model.bodies), len(model.joints)
    tree = np.repeat(np.arange(count), bodies)
    parent = np.tile(one.parent, count)
    return Topology(
        order=np.tile(one.order, count) + bodies * tree,
        parent=np.where(parent < 0, parent, parent + bodies * tree),
        joint=np.tile(one.joint, count) + joints * tree,
        reversed=np.tile(one.reversed, count),
        closing=one.closing,
    )


def links_of_tree(links: Links, model: Model, k: int, count: int) -> Links:
    """The links of tree k of a forest, as if it were alone."""
    total = len(links.parent)
    n, bodies = total // count, len(model.bodies)
    shifts = {
        "parent": n,
        "coordinate": len(model.coordinates),
        "speed": len(model.speeds),
        "leader": n,
        "joint": len(model.joints),
        "link_of_body": n,
    }
    own = {}
    for name, values in links._asdict().items():
        size = bodies if name in OF_BODIES else n
        own[name] = values[k * size : (k + 1) * size]
        if name in shifts:
            own[name] = own[name] - k * shifts[name]
        if name in ROWS:
            own[name] = np.where(own[name] == total - k * n, n, own[name])
    return Links(**own)


OF_BODIES = ("link_of_body", "rotation_on_link", "position_on_link")
ROWS = ("parent", "link_of_body")  # links, of which the ground is one past the last
