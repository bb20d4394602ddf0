"""What a tree formulation takes for a joint, and what it refuses."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

import hamiltree as ht
from hamiltree.formulations.hamiltonian_tree import assemble
from hamiltree.model.joints import OneAxis


@dataclass(frozen=True, slots=True)
class Askew(OneAxis):
    """Turns about z and moves along x."""

    kind: ClassVar[str] = "askew"

    def screws(self):
        return (((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)),)


def test_a_joint_that_moves_across_its_axis_is_refused_by_name():
    model = ht.Model(bodies=[ht.Body("a", 1.0, inertia=1.0)], joints=[Askew("odd", "ground", "a")])
    with pytest.raises(ht.FitError, match="joint 'odd'"):
        assemble(model)


def test_assembly_grows_no_faster_than_the_bodies():
    """Twenty thousand bodies: anything quadratic would take minutes."""
    assert len(assemble(ht.library.chain(20_000)).parent) == 20_000
