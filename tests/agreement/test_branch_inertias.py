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
    armature, branch_mass = (
        system.link[:, hamiltonian_tree.ARMATURE],
        system.link[:, hamiltonian_tree.BRANCH_MASS],
    )
    return hamiltonian_tree.articulated_inertias_compiled(system, q), articulated_inertias_numpy(
        links, armature, branch_mass, q
    )


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
        np.testing.assert_allclose(plain[0], compiled[0], rtol=1e-9)
        np.testing.assert_allclose(plain[1], compiled[1], rtol=1e-12)
    assert len(plain[0]) > 12


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
