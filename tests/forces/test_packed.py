"""Laws behind addresses: they live as long as their system, and only those that a model has are
called.
"""

import gc

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.compiled.pointer import StructPointer
from hamiltree.formulations.tree.hamiltonian_tree import assemble

pytestmark = pytest.mark.usefixtures("frozen_heap")


def count_pointers() -> int:
    return sum(isinstance(thing, StructPointer) for thing in gc.get_objects())


def sprung(*forces):
    return ht.library.pendulum(angle=0.3).with_(forces=forces)


def test_a_system_holds_the_laws_of_its_model_and_no_others():
    assert assemble(assemble_at_start(sprung())).joint_laws.table.shape == (0,)
    two = assemble(
        assemble_at_start(
            sprung(
                ht.JointSpring("hinge", 2.0),
                ht.JointDamper("hinge", 0.1),
                ht.JointSpring("hinge", 1.0),
            )
        )
    )
    assert (
        two.joint_laws.table.shape == (2,) and two.joint_laws.has_any and not two.body_laws.has_any
    )


def test_laws_without_loads_share_one_function_and_loads_are_their_own_wrenches():
    at = (0.1, 0.0, 0.0)
    forces = (
        ht.ConstantForceSpring("bob", "ground", at, at, 2.5),
        ht.CentralGravity("bob", 3.0, (0.1, 0.2, -9.0)),
        ht.Drag("bob", 0.4),
        ht.PointSpring("bob", "ground", at, at, 3.0, damping=0.1),
    )
    laws = assemble(assemble_at_start(sprung(*forces))).body_laws
    rows = {
        type(pointer.parts[0]).__name__: [callback.address for callback in row]
        for pointer, row in zip(laws.table.targets, laws.code.targets, strict=True)
    }
    first, second = (rows[name][-2:] for name in ("ConstantForceSprings", "CentralFields"))
    assert first == second and len({*first}) == 1
    assert rows["Drags"][-2:] == rows["Drags"][:2]
    assert len({*rows["PointSprings"]}) == 6


def test_tables_are_forgotten_with_their_system():
    model = sprung(ht.JointSpring("hinge", 2.0), ht.BodyLoad("bob", (0.0, 0.0, 1.0)))
    assemble(assemble_at_start(model))
    gc.collect()
    before = count_pointers()
    for _ in range(20):
        assemble(assemble_at_start(model))
    gc.collect()
    assert count_pointers() == before


def test_tables_outlive_the_model_while_a_system_needs_them():
    evaluate = ht.evaluator(sprung(ht.JointSpring("hinge", 7.0)))
    gc.collect()
    _ = [np.full(64, 1e300) for _ in range(1000)]  # memory that was given back would be used again
    _, pdot = evaluate(np.array([0.3]), np.array([0.0]))
    np.testing.assert_allclose(pdot, [-7.0 * 0.3 - 9.81 * np.sin(0.3)], rtol=1e-13)
