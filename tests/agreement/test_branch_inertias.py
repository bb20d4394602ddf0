"""The inertia that a joint moves: the compiled sweep against NumPy, and what is refused because of
it.
"""

from dataclasses import replace

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.assembly.links import build_links
from hamiltree.formulations.tree import hamiltonian_tree
from hamiltree.formulations.tree.articulated_inertias_numpy import (
    MAX_LINKS_IN_NUMPY,
    articulated_inertias_numpy,
)

JOINTS = ("revolute", "prismatic", "screw", "ball", "free", "universal", "cylindrical", "weld")


def both_ways(model, q):
    links = build_links(model, "hamiltonian_tree")
    system = hamiltonian_tree.make_tree_tables(model, links)
    inertia, scale = articulated_inertias_numpy(
        links, links.armature, system.link_mass[:, hamiltonian_tree.BRANCH_MASS], q
    )
    return hamiltonian_tree.inertia_losses_compiled(system, q), scale / inertia


@pytest.mark.parametrize("seed", range(6))
def test_both_ways_give_the_same_inertias(seed):
    model = ht.library.tree(12, seed=seed, joints=JOINTS)
    joints = [
        joint if joint.kind != "revolute" else replace(joint, armature=0.3)
        for joint in model.joints
    ]
    model = model.with_(joints=joints)
    # quaternions of any length
    anywhere = np.random.default_rng(seed).normal(size=len(model.coordinates))
    for q in (model.start()[0], anywhere):
        compiled, plain = both_ways(model, q)
        np.testing.assert_allclose(plain, compiled, rtol=1e-9)
    assert len(plain) > 12


@pytest.mark.parametrize("bodies", [1, MAX_LINKS_IN_NUMPY - 2, MAX_LINKS_IN_NUMPY + 6])
def test_a_joint_that_moves_no_inertia_is_named_in_small_and_large_trees(bodies):
    chain = ht.library.chain(bodies)
    last = chain.bodies[-1]
    light = replace(last, mass=0.0, inertia=((0.0, 0.0, 0.0),) * 3)
    model = chain.with_(bodies=[*chain.bodies[:-1], light])
    with pytest.raises(
        ht.ModelError, match=f"joint '{chain.joints[-1].name}'.*inertia that it moves vanishes"
    ):
        ht.simulate(model, until=0.01, progress=False)


@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_a_pendulum_of_ten_thousand_rods_has_inertia_at_every_joint(turn):
    """The end of it moves as that of a hundred rods, by their mass matrix."""
    model = in_general_axes(ht.library.n_pendulum(10_000), turn)
    p = np.zeros(10_000)
    p[-1] = 1.0
    qdot, _ = ht.evaluate(model, np.zeros(10_000), p)
    short = ht.dynamics(ht.library.n_pendulum(100)).mass_matrix(np.zeros(100))
    np.testing.assert_allclose(qdot[-20:], np.linalg.inv(short)[-1, -20:], rtol=1e-9, atol=1e-9)
    assert np.isfinite(qdot).all()


@pytest.mark.parametrize("rods", [1, 30, 1000])
def test_rods_on_the_axis_of_a_hinge_are_no_inertia_however_many(rods):
    """With the axis along no axis of the world, rounding leaves some."""
    hanging = ht.library.n_pendulum(rods)
    hub = ht.Body("hub", 1.0, (0.0, 0.0, -0.3))
    pan = ht.Revolute("pan", "ground", "hub")
    first = replace(hanging.joints[0], parent="hub")
    model = hanging.with_(bodies=[hub, *hanging.bodies], joints=[pan, first, *hanging.joints[1:]])
    with pytest.raises(ht.ModelError, match="joint 'pan': the inertia that it moves vanishes"):
        ht.simulate(in_general_axes(model, 0.7), until=0.01, progress=False)


def in_general_axes(model, angle):
    """The model turned about an axis that is none of the world's."""
    turned = replace(model.joints[0], on_parent=ht.Frame.about((1.0, 2.0, 3.0), angle))
    return model.with_(joints=[turned, *model.joints[1:]])
