"""What a tree formulation takes for a joint, and what it refuses."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import hamiltree as ht
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.formulations.tree.hamiltonian_tree import assemble
from hamiltree.model.joints import OneAxis


@dataclass(frozen=True, slots=True)
class Askew(OneAxis):
    """Turns about z and moves along x."""

    kind: ClassVar[str] = "askew"

    def screws(self):
        return (((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)),)


def test_a_screw_whose_axis_passes_by_the_joint_is_placed_on_its_axis():
    """Angular (0, 0, 1) with velocity (1, 0, 0) at the origin turns about the axis through
    (0, 1, 0): half a turn takes it to (0, 2, 0).
    """
    model = ht.Model(bodies=[ht.Body("a", 1.0, inertia=1.0)], joints=[Askew("odd", "ground", "a")])
    np.testing.assert_allclose(
        ht.dynamics(model).poses(np.array([np.pi]))[0, :3], [0.0, 2.0, 0.0], atol=1e-15
    )


def test_assembly_grows_no_faster_than_the_bodies():
    """Twenty thousand bodies: anything quadratic would take minutes."""
    assert len(assemble(assemble_at_start(ht.library.chain(20_000))).parent) == 20_000
